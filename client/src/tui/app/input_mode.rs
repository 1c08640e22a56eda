//! The mode of the screen: what the keyboard controls, which questions and offers are open, and
//! whether the server is reachable.

use std::fmt;

use fivefold_shared::protocol::RoomRequest;

use crate::opening_choices::Choice;

/// The target of the keyboard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::tui) enum Mode {
    /// The board.
    Board,
    /// The input line, with the text so far.
    Input(String),
    /// The chat line, with the text so far.
    Say(String),
    /// The menu of an opening's choices.
    Choose,
    /// The line for a number of fifth stones, with the digits so far.
    Declare(String),
    /// A question that wants a yes or a no.
    Ask(Question),
    /// The help, which any key closes.
    Help,
}

/// A question before an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tui) enum Question {
    /// Give up the game?
    Resign,
    /// End the game before both have acted?
    Abort,
    /// Offer a draw?
    Draw,
    /// Claim a draw?
    ClaimDraw,
    /// Leave a running game?
    Quit,
    /// Leave a running game for a challenge?
    Challenge,
    /// Do this in the opening?
    Opening(Choice),
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Resign => "Resign this game?",
            Self::Abort => "Abort this game? Nobody wins or loses.",
            Self::Draw => "Offer a draw?",
            Self::ClaimDraw => "Claim a draw, as your opponent does not act?",
            Self::Quit => "Leave while the game is running? (Your seat is kept.)",
            Self::Challenge => "Leave this game for the challenge? (Your seat is kept.)",
            Self::Opening(Choice::Take(stone)) => return write!(f, "Take {stone}?"),
            Self::Opening(Choice::Put) => "Confirm these stones?",
            Self::Opening(Choice::Offer) => "Offer these stones?",
            Self::Opening(Choice::Select) => "Pick this stone?",
        })
    }
}

/// The opponent's open offer or request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tui) enum Offer {
    /// A draw.
    Draw,
    /// A takeback.
    Takeback,
    /// Another game.
    Rematch,
    /// No offer: the opponent is away or does not answer, and this person may claim the game.
    Claim,
    /// A game elsewhere.
    Challenge,
}

impl Offer {
    /// The keys that answer.
    pub(in crate::tui) const fn keys(self) -> &'static str {
        match self {
            Self::Draw => "y accepts, n declines.",
            Self::Takeback => "y grants, n refuses.",
            Self::Rematch => "y or m agrees.",
            Self::Claim => "y claims the win, d a draw.",
            Self::Challenge => "y accepts, n declines.",
        }
    }

    /// The request to the room that accepts; `None` for a challenge.
    pub(super) const fn yes(self) -> Option<RoomRequest> {
        match self {
            Self::Draw => Some(RoomRequest::AcceptDraw),
            Self::Takeback => Some(RoomRequest::GrantTakeback),
            Self::Rematch => Some(RoomRequest::Rematch),
            Self::Claim => Some(RoomRequest::ClaimWin),
            Self::Challenge => None,
        }
    }

    /// The request to the room that declines; `None` for a rematch and a claim, which need no
    /// answer, and for a challenge.
    pub(super) const fn no(self) -> Option<RoomRequest> {
        match self {
            Self::Draw => Some(RoomRequest::DeclineDraw),
            Self::Takeback => Some(RoomRequest::RefuseTakeback),
            Self::Rematch | Self::Claim | Self::Challenge => None,
        }
    }
}

/// Whether the table is reachable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::tui) enum Connection {
    /// Connected.
    Up,
    /// Disconnected; a sentence describes the retries.
    Lost(String),
    /// The room is closed for good; a sentence gives the reason.
    Closed(String),
}
