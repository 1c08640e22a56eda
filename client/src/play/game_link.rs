//! Links of finished games: read from a server as a file, and shown as a room in which everything has
//! happened.

use std::{env, path::Path, str::FromStr};

use fivefold_shared::{
    clock::TimeControl,
    opening::OpeningKind,
    protocol::{Event, GameId, NumberedEvent},
    record::{FinishedGame, Record},
    room::{FoldError, RoomState},
    seat::Seat,
};

use crate::{
    play::local_game::LocalGame,
    server::{
        http_request::{HttpRequest, Key},
        room_link::{LinkError, RoomLink, ServerAddress, parts},
        tls_roots,
    },
};

/// A finished game of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameLink {
    server: ServerAddress,
    id: GameId,
}

/// A room or a finished game, by its link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Watched {
    /// A room.
    Room(RoomLink),
    /// A finished game.
    Game(GameLink),
}

impl GameLink {
    /// The address, as `fivefold games` prints it.
    pub fn address(&self) -> String {
        self.server.game_link(&self.id)
    }

    /// Fetches the game. `ca` is a file of certificates to trust, otherwise that of `FIVEFOLD_CA`.
    ///
    /// # Errors
    /// When the server cannot be reached, or knows no such game.
    pub async fn fetch(&self, ca: Option<&Path>) -> anyhow::Result<Record> {
        let named = env::var_os("FIVEFOLD_CA");
        let connector = match self.server.is_encrypted() {
            true => Some(tls_roots::connector(ca.or(named.as_deref().map(Path::new)))?),
            false => None,
        };
        let path = format!("/api/games/{}", self.id);
        let answer = HttpRequest::get(&path, Key::None).send(&self.server, connector).await?;
        Ok(answer.json::<FinishedGame>()?.record)
    }
}

impl FromStr for GameLink {
    type Err = LinkError;

    fn from_str(text: &str) -> Result<Self, LinkError> {
        let (server, id) = parts(text, "/game/").ok_or(LinkError::Room)?;
        Ok(Self { server: server?, id: GameId::try_from(id).map_err(|_| LinkError::Room)? })
    }
}

impl FromStr for Watched {
    type Err = LinkError;

    fn from_str(text: &str) -> Result<Self, LinkError> {
        text.parse().map(Self::Game).or_else(|_| text.parse().map(Self::Room))
    }
}

/// The room of a finished game, as somebody sees it who watched.
///
/// # Errors
/// When the record breaks the rules.
pub fn room(record: &Record, id: &GameLink) -> Result<RoomState, FoldError> {
    let summary = &record.summary;
    let created = Event::Created {
        rules: summary.rules,
        visibility: summary.visibility,
        assistance: false,
        host: LocalGame::member(),
        // The room does not show how long each move took.
        time: TimeControl::None,
        opening: OpeningKind::Free,
        chat: false,
        paired: false,
        black: summary.black,
    };
    let sat = Seat::BOTH.map(|seat| Event::Sat { seat, player: summary.players[seat].clone() });
    let started = Event::Started {
        game: 1,
        black: summary.black,
        id: id.id.clone(),
        rated: summary.rated,
        casual: None,
        part: None,
    };
    let played = record.moves.iter().enumerate().map(|(ply, made)| Event::Played {
        ply,
        point: made.point,
        assisted: made.assisted,
        time: None,
    });
    let ended = Event::Ended { outcome: summary.outcome.clone(), rated: summary.rated };
    let events = [created].into_iter().chain(sat).chain([started]).chain(played).chain([ended]);
    let log: Vec<_> =
        (1..).zip(events).map(|(seq, event)| NumberedEvent { seq, at: 0, event }).collect();
    RoomState::from_log(&log)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_games_are_read() {
        let id = "k7m2qpxw9abcdefg";
        for (text, expected) in [
            (format!("http://h:1/game/{id}"), Some(format!("http://h:1/game/{id}"))),
            (format!("https://h/five/game/{id}/"), Some(format!("https://h/five/game/{id}"))),
            (format!("h:1/game/{id}?move=3"), Some(format!("http://h:1/game/{id}"))),
            (format!("Look: <http://h:1/game/{id}>."), Some(format!("http://h:1/game/{id}"))),
            (format!("http://h:1/r/{id}"), None),
            ("game.sgf".to_owned(), None),
            (format!("/game/{id}"), None),
        ] {
            let read = text.parse::<GameLink>().ok().map(|link| link.address());
            assert_eq!(read, expected, "{text}");
        }
    }
}
