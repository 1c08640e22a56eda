//! What can be typed at a table, by a person or a script: one command a line.

use fivefold_shared::{
    bot::{BotError, BotKind, BotSpec},
    notation::coordinates::{self, CoordinateError},
    protocol::{ChatText, NameError, RoomRequest},
    rules::{Point, Size, Stone},
    seat::Seat,
};

use crate::table::Table;

/// What can be typed, one form a line.
pub const HELP: &str = "\
h8 or 7,7          put a stone there
takeback           ask to take back your last move
grant, refuse      let the opponent take back, or not
draw               offer a draw
accept, decline    answer such an offer
resign             give up the game
claim [draw]       claim the win, or a draw, when your opponent has gone away
rematch            another game with colours swapped
weights [BOT]      what a bot thinks of the points
bot [BOT]          let a bot move for you
sit [COLOUR]       take an open seat
stand              give up your seat
seat BOT           put a bot into the open seat
unseat             send the bot away
say TEXT           say something to those in the room
board              show the board again
help               this list
leave              leave the room";

/// A line that was understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Typed {
    /// Put a stone there.
    Play(Point),
    /// Give up the game.
    Resign,
    /// Offer a draw.
    Draw,
    /// Take the opponent's offer.
    Accept,
    /// Turn it down.
    Decline,
    /// Ask to take back.
    Takeback,
    /// Let the opponent take back.
    Grant,
    /// Do not let him.
    Refuse,
    /// Claim the win, as the opponent has gone away.
    ClaimWin,
    /// The same, but claim only a draw.
    ClaimDraw,
    /// Ask for another game.
    Rematch,
    /// Ask a bot for its weights.
    Weights(Option<BotKind>),
    /// Let a bot move.
    Bot(Option<BotKind>),
    /// Take an open seat: the one with this stone, or any.
    Sit(Option<Stone>),
    /// Give up the seat.
    Stand,
    /// Put a bot into the open seat.
    Seat(BotSpec),
    /// Send the bot away.
    Unseat,
    /// Say something.
    Say(ChatText),
    /// Show the state again.
    Board,
    /// Show what can be typed.
    Help,
    /// Leave the room.
    Leave,
}

/// What a line asks for, at a certain table.
#[derive(Clone, PartialEq, Debug)]
pub enum Meaning {
    /// Something that the room is to do.
    Request(RoomRequest),
    /// To show the state again.
    Board,
    /// To show what can be typed.
    Help,
    /// To leave.
    Leave,
}

/// Why a line was not understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TypedError {
    /// Neither a command nor a point.
    #[error("{0}; `help` lists the commands")]
    Point(#[from] CoordinateError),
    /// Not a bot.
    #[error(transparent)]
    Bot(#[from] BotError),
    /// Not a colour.
    #[error("a seat is black or white")]
    Colour,
    /// Something else than a draw is claimed.
    #[error("claim, or claim draw")]
    Claim,
    /// `seat` without a bot.
    #[error("which bot? For example: seat attack")]
    BotMissing,
    /// `say` without anything that could be said, or with too much of it.
    #[error("say what? {0}")]
    Say(#[from] NameError),
    /// Something follows a command that takes nothing.
    #[error("nothing can follow `{0}`")]
    TooMuch(&'static str),
    /// The command makes no sense now.
    #[error("{0}")]
    NotNow(&'static str),
}

/// Commands of one word.
const PLAIN: [(&str, Typed); 13] = [
    ("resign", Typed::Resign),
    ("draw", Typed::Draw),
    ("accept", Typed::Accept),
    ("decline", Typed::Decline),
    ("takeback", Typed::Takeback),
    ("grant", Typed::Grant),
    ("refuse", Typed::Refuse),
    ("rematch", Typed::Rematch),
    ("stand", Typed::Stand),
    ("unseat", Typed::Unseat),
    ("board", Typed::Board),
    ("help", Typed::Help),
    ("leave", Typed::Leave),
];

impl Typed {
    /// Reads a line. `None`: it is empty.
    ///
    /// # Errors
    /// When it is no command, and no point of a board of this size.
    pub fn parse(line: &str, size: Size) -> Result<Option<Self>, TypedError> {
        let typed = line.trim();
        let line = typed.to_ascii_lowercase();
        if line.is_empty() {
            return Ok(None);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        let rest = Some(rest.trim()).filter(|rest| !rest.is_empty());
        if let Some((name, typed)) = PLAIN.into_iter().find(|(name, _)| *name == word) {
            return if rest.is_some() { Err(TypedError::TooMuch(name)) } else { Ok(Some(typed)) };
        }
        Ok(Some(match word {
            // What is said keeps its capitals.
            "say" => Self::Say(ChatText::new(typed.get(word.len()..).unwrap_or_default())?),
            "weights" => Self::Weights(rest.map(str::parse).transpose()?),
            "bot" => Self::Bot(rest.map(str::parse).transpose()?),
            "seat" => Self::Seat(rest.ok_or(TypedError::BotMissing)?.parse()?),
            "claim" => match rest {
                None => Self::ClaimWin,
                Some("draw") => Self::ClaimDraw,
                Some(_) => return Err(TypedError::Claim),
            },
            "sit" => Self::Sit(match rest {
                None => None,
                Some("black") => Some(Stone::Black),
                Some("white") => Some(Stone::White),
                Some(_) => return Err(TypedError::Colour),
            }),
            _ => Self::Play(coordinates::parse(&line, size)?),
        }))
    }

    /// What is to be done about it.
    ///
    /// # Errors
    /// When the table is in no state for it.
    pub fn meaning(self, table: &Table) -> Result<Meaning, TypedError> {
        let room = table.room();
        let ply = || room.game.as_ref().map_or(0, |game| game.position.ply());
        Ok(Meaning::Request(match self {
            Self::Play(point) => RoomRequest::Play { ply: ply(), point },
            Self::Resign => RoomRequest::Resign,
            Self::Draw => RoomRequest::OfferDraw,
            Self::Accept => RoomRequest::AcceptDraw,
            Self::Decline => RoomRequest::DeclineDraw,
            Self::Takeback => RoomRequest::AskTakeback,
            Self::Grant => RoomRequest::GrantTakeback,
            Self::Refuse => RoomRequest::RefuseTakeback,
            Self::ClaimWin => RoomRequest::ClaimWin,
            Self::ClaimDraw => RoomRequest::ClaimDraw,
            Self::Rematch => RoomRequest::Rematch,
            Self::Weights(bot) => RoomRequest::Weights { bot, ply: None },
            Self::Bot(bot) => RoomRequest::BotMove { ply: ply(), bot },
            Self::Sit(stone) => RoomRequest::Sit { seat: stone.map(|stone| room.seat_of(stone)) },
            Self::Stand => RoomRequest::Stand,
            Self::Say(text) => RoomRequest::Say { text },
            Self::Seat(bot) => {
                let seat = room.seats.vacant().ok_or(TypedError::NotNow("no seat is open"))?;
                RoomRequest::SeatBot { seat, bot }
            }
            Self::Unseat => {
                let has_bot =
                    |&seat: &Seat| room.seats.get(seat).is_some_and(|p| p.bot().is_some());
                let seat = Seat::BOTH.into_iter().find(has_bot);
                RoomRequest::RemoveBot { seat: seat.ok_or(TypedError::NotNow("no bot is here"))? }
            }
            Self::Board => return Ok(Meaning::Board),
            Self::Help => return Ok(Meaning::Help),
            Self::Leave => return Ok(Meaning::Leave),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let cases = [
            ("", Ok(None)),
            ("  ", Ok(None)),
            ("h8", Ok(Some(Typed::Play(Point::new(7, 7))))),
            (" H8\r", Ok(Some(Typed::Play(Point::new(7, 7))))),
            ("0, 14", Ok(Some(Typed::Play(Point::new(0, 14))))),
            ("Resign", Ok(Some(Typed::Resign))),
            ("weights", Ok(Some(Typed::Weights(None)))),
            ("weights pattern", Ok(Some(Typed::Weights(Some(BotKind::Pattern))))),
            ("bot attack", Ok(Some(Typed::Bot(Some(BotKind::Attack))))),
            ("claim", Ok(Some(Typed::ClaimWin))),
            ("claim draw", Ok(Some(Typed::ClaimDraw))),
            ("claim all", Err(TypedError::Claim)),
            ("sit", Ok(Some(Typed::Sit(None)))),
            ("sit white", Ok(Some(Typed::Sit(Some(Stone::White))))),
            ("seat attack", Ok(Some(Typed::Seat(BotKind::Attack.into())))),
            ("seat", Err(TypedError::BotMissing)),
            ("sit red", Err(TypedError::Colour)),
            ("bot oracle", Err(TypedError::Bot(BotError::KindUnknown))),
            ("say Good luck!", Ok(Some(Typed::Say(ChatText::new("Good luck!").unwrap())))),
            ("say", Err(TypedError::Say(NameError::ChatText))),
            ("resign now", Err(TypedError::TooMuch("resign"))),
            ("z99", Err(TypedError::Point(CoordinateError::Outside(Size::square(15))))),
            ("hello", Err(TypedError::Point(CoordinateError::Form(Size::square(15))))),
        ];
        for (line, expected) in cases {
            assert_eq!(Typed::parse(line, Size::square(15)), expected, "{line:?}");
        }
    }

    #[test]
    fn every_command_is_in_the_help() {
        let others = ["weights", "bot", "seat", "sit", "claim", "say"];
        for name in PLAIN.into_iter().map(|(name, _)| name).chain(others) {
            let listed =
                HELP.lines().any(|line| line[..18].split([',', ' ']).any(|word| word == name));
            assert!(listed, "{name}");
        }
    }
}
