//! What a person in a room does about another one: block, mute or report them. Over HTTP, beside the socket.
//!
//! It does not know how it is typed or shown.

use fivefold_shared::{
    protocol::{ChatText, MemberId, Name, Player},
    room::RoomState,
    seat::Seat,
};
use serde_json::{Value, json};

/// For what somebody can be reported, as the server calls it.
pub const REPORT_KINDS: [&str; 6] =
    ["chat", "cheating", "stalling", "sandbagging", "name", "other"];

/// What to do about somebody.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AboutPerson {
    /// Meet them no more.
    Block(Name),
    /// Hear no chat of theirs.
    Mute(Name),
    /// Report a player of the room to the operators.
    Report {
        /// The player's name.
        name: Name,
        /// For what: one of [`REPORT_KINDS`].
        kind: &'static str,
        /// What there is to say; may be absent.
        text: Option<ChatText>,
    },
}

/// Why nothing can be done about somebody.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AboutError {
    /// No name, or one that nobody can have.
    #[error("name somebody, for example: /block Ann, /mute Ann, /report Ann chat what they wrote")]
    Whom,
    /// A report for something else.
    #[error("for what? chat, cheating, stalling, sandbagging, name or other")]
    Kind,
    /// Only players of the room can be reported here.
    #[error("no player of this room has this name; the page can report others")]
    NotHere,
    /// A game in this process.
    #[error("nobody else is in this game")]
    Alone,
}

/// A request to the server.
#[derive(Clone, PartialEq, Debug)]
pub struct PersonRequest {
    /// Where to.
    pub path: &'static str,
    /// Its JSON.
    pub body: Value,
    /// What to say when it is done.
    pub done: String,
}

impl AboutPerson {
    /// Reads a line; `None` if it is not about a person.
    ///
    /// # Errors
    /// If something is missing.
    pub fn parse(line: &str) -> Option<Result<Self, AboutError>> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word.to_ascii_lowercase().as_str() {
            "/block" => Some(name(rest).map(Self::Block)),
            "/mute" => Some(name(rest).map(Self::Mute)),
            "/report" => Some(Self::report(rest.trim())),
            _ => None,
        }
    }

    /// Reads what follows `/report`: a name, what for, and perhaps a text.
    fn report(words: &str) -> Result<Self, AboutError> {
        // A name may have spaces: the first word after it that is a kind ends it.
        let mut end = 0;
        let kind = words.split_inclusive(char::is_whitespace).find_map(|word| {
            let begin = end;
            end += word.len();
            let is_it = |kind: &&&str| kind.eq_ignore_ascii_case(word.trim());
            REPORT_KINDS.iter().filter(|_| begin > 0).find(is_it).map(|kind| (begin, *kind))
        });
        let (begin, kind) = kind.ok_or(AboutError::Kind)?;
        let name = name(&words[..begin])?;
        let text = ChatText::new(&words[end..]).ok();
        Ok(Self::Report { name, kind, text })
    }

    /// The request to the server.
    ///
    /// # Errors
    /// If somebody is reported who is no player of the room.
    pub fn request(&self, room: &RoomState) -> Result<PersonRequest, AboutError> {
        let list = |name: &Name, kind: &str, done: &str| {
            let mut body = json!({"name": name, "kind": kind});
            if let Some((member, _)) = player(room, name) {
                body["member"] = json!(member);
            }
            let done = format!("{done} `fivefold unblock {name}` takes it back.");
            PersonRequest { path: "/api/blocks", body, done }
        };
        Ok(match self {
            Self::Block(name) => list(name, "block", "You do not meet any more."),
            Self::Mute(name) => list(name, "mute", "You hear no chat of theirs."),
            Self::Report { name, kind, text } => {
                let (member, name) = player(room, name).ok_or(AboutError::NotHere)?;
                let text = text.as_ref().map_or("", |text| text.as_str());
                let mut body = json!({"about": member, "name": name, "kind": kind, "text": text});
                if let Some(game) = room.game.as_ref().filter(|game| game.outcome().is_some()) {
                    body["game"] = json!(game.id);
                }
                let done = format!("{name} is reported. An operator will look at it.");
                PersonRequest { path: "/api/reports", body, done }
            }
        })
    }
}

fn name(text: &str) -> Result<Name, AboutError> {
    Name::new(text.trim()).map_err(|_| AboutError::Whom)
}

/// The player of this name, or of one that looks like it.
fn player<'r>(room: &'r RoomState, wanted: &Name) -> Option<(&'r MemberId, &'r Name)> {
    Seat::BOTH.into_iter().find_map(|seat| match room.seats.get(seat)? {
        Player::Member { member, name, .. } if name.likeness() == wanted.likeness() => {
            Some((member, name))
        }
        Player::Member { .. } | Player::Bot { .. } => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Name {
        Name::new(name).unwrap()
    }

    #[test]
    fn reports_are_read() {
        let report = |name: &str, kind, text: Option<&str>| {
            let text = text.map(|text| ChatText::new(text).unwrap());
            Ok(AboutPerson::Report { name: named(name), kind, text })
        };
        let cases = [
            ("Ann chat", report("Ann", "chat", None)),
            (
                "Ann B  Cheating  Plays too well",
                report("Ann B", "cheating", Some("Plays too well")),
            ),
            ("chat chat", report("chat", "chat", None)),
            ("Ann name Bad name", report("Ann", "name", Some("Bad name"))),
            ("Ann", Err(AboutError::Kind)),
            ("Ann insults", Err(AboutError::Kind)),
            ("chat", Err(AboutError::Kind)),
            ("", Err(AboutError::Kind)),
        ];
        for (words, expected) in cases {
            let line = format!(" /Report  {words} ");
            assert_eq!(AboutPerson::parse(&line), Some(expected), "{words:?}");
        }
        assert_eq!(AboutPerson::parse("/block "), Some(Err(AboutError::Whom)));
        assert_eq!(AboutPerson::parse("/mute Ann B "), Some(Ok(AboutPerson::Mute(named("Ann B")))));
        for line in ["", "block Ann", "/blocks Ann", "hello /block Ann"] {
            assert_eq!(AboutPerson::parse(line), None, "{line:?}");
        }
    }
}
