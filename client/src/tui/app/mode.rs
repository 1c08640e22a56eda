//! What the screen is about at the moment: who has the keyboard, which questions and offers are
//! open, and whether the table can be reached.

use std::fmt;

use fivefold_shared::protocol::RoomRequest;

/// Who has the keyboard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::tui) enum Mode {
    /// The board.
    Board,
    /// The input line, with the text so far.
    Input(String),
    /// A question that wants a yes or a no.
    Ask(Question),
    /// The help, which any key closes.
    Help,
}

/// What is asked before it is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tui) enum Question {
    /// Give up the game?
    Resign,
    /// Offer a draw?
    Draw,
    /// Leave a running game?
    Quit,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Resign => "Resign this game?",
            Self::Draw => "Offer a draw?",
            Self::Quit => "Leave while the game is running? (Your seat is kept.)",
        })
    }
}

/// What the opponent offers or asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tui) enum Offer {
    /// A draw.
    Draw,
    /// To take a move back.
    Takeback,
    /// Another game.
    Rematch,
}

impl Offer {
    /// The keys that answer.
    pub(in crate::tui) const fn keys(self) -> &'static str {
        match self {
            Self::Draw => "y accepts, n declines.",
            Self::Takeback => "y grants, n refuses.",
            Self::Rematch => "y or m agrees.",
        }
    }

    /// The request that agrees.
    pub(super) const fn yes(self) -> RoomRequest {
        match self {
            Self::Draw => RoomRequest::AcceptDraw,
            Self::Takeback => RoomRequest::GrantTakeback,
            Self::Rematch => RoomRequest::Rematch,
        }
    }

    /// The request that does not; a rematch is just not agreed to.
    pub(super) const fn no(self) -> Option<RoomRequest> {
        match self {
            Self::Draw => Some(RoomRequest::DeclineDraw),
            Self::Takeback => Some(RoomRequest::RefuseTakeback),
            Self::Rematch => None,
        }
    }
}

/// Whether the table can be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::tui) enum Connection {
    /// It can.
    Up,
    /// It cannot; a sentence says what is done about it.
    Lost(String),
    /// The room is closed for good; a sentence says why.
    Closed(String),
}
