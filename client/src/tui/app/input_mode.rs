//! The mode of the screen: what the keyboard controls, which questions and offers are open, and
//! whether the server is reachable.

use std::fmt;

use fivefold_shared::protocol::RoomRequest;

use crate::{tui::keys::Action, words::opening_choices::Choice};

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
    /// A letter that names a column: a digit makes it a point, Enter does this.
    MayBePoint(Action),
    /// The help: its first screen, or the rest, scrolled by so many lines.
    Help(Option<u16>),
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
    /// Leave the room?
    Leave,
    /// Ask for a takeback?
    Takeback,
    /// Ask the opponent whether they are there?
    Nudge,
    /// Ask for another game?
    Rematch,
    /// Let a bot move?
    BotMove,
    /// Take an open seat?
    Sit,
    /// Accept what is offered?
    Accept(Offer),
    /// Decline it?
    Decline(Offer),
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
            Self::Quit => "Leave?",
            Self::Leave => "Leave?",
            Self::Takeback => "Ask to take your last move back?",
            Self::Nudge => "Ask your opponent whether they are there?",
            Self::Rematch => "Ask for a rematch?",
            Self::BotMove => "Let the bot move for you?",
            Self::Sit => "Take the open seat?",
            Self::Accept(Offer::Draw) => "Accept the draw?",
            Self::Accept(Offer::Takeback) => "Grant the takeback?",
            Self::Accept(Offer::Rematch) => "Play again?",
            Self::Accept(Offer::Claim) => "Claim the win, as your opponent does not act?",
            Self::Accept(Offer::Challenge) => "Leave for the challenge?",
            Self::Decline(Offer::Takeback) => "Refuse the takeback?",
            Self::Decline(Offer::Challenge) => "Decline the challenge?",
            Self::Decline(Offer::Rematch) => "End the request for a rematch?",
            Self::Decline(Offer::Draw | Offer::Claim) => "Decline the draw?",
            Self::Opening(Choice::Take(stone)) => return write!(f, "Take {stone}?"),
            Self::Opening(Choice::Put) => "Confirm these stones?",
            Self::Opening(Choice::Offer) => "Offer these stones?",
            Self::Opening(Choice::Select) => "Pick this stone?",
        })
    }
}

impl Question {
    /// The keys that answer.
    pub(in crate::tui) const fn keys(self) -> &'static str {
        match self {
            // `n` again, from somebody who means to decline.
            Self::Decline(_) => "y or n declines, Esc does not",
            Self::Resign
            | Self::Abort
            | Self::Draw
            | Self::ClaimDraw
            | Self::Quit
            | Self::Leave
            | Self::Takeback
            | Self::Nudge
            | Self::Rematch
            | Self::BotMove
            | Self::Sit
            | Self::Accept(_)
            | Self::Opening(_) => "y yes, n no",
        }
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
            Self::Rematch => "y or m agrees, n declines.",
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

    /// Whether the offer can be declined.
    pub(super) const fn is_declined(self) -> bool {
        match self {
            Self::Draw | Self::Takeback | Self::Rematch | Self::Challenge => true,
            Self::Claim => false,
        }
    }

    /// The request to the room that declines; `None` for a claim, which needs no answer, and for a
    /// challenge.
    pub(super) const fn no(self) -> Option<RoomRequest> {
        match self {
            Self::Draw => Some(RoomRequest::DeclineDraw),
            Self::Takeback => Some(RoomRequest::RefuseTakeback),
            Self::Rematch => Some(RoomRequest::DeclineRematch),
            Self::Claim | Self::Challenge => None,
        }
    }
}

/// Whether the table is reachable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tui) enum Connection {
    /// Connected.
    Up,
    /// Disconnected; the next try is at this time.
    Lost {
        /// By the server's clock, in milliseconds since the Unix epoch.
        retry_at: u64,
    },
    /// The room is closed for good; a message says why.
    Closed,
}

impl Connection {
    /// The title's text about it at this time. The messages give the reason.
    pub(in crate::tui) fn banner(self, now: u64) -> Option<String> {
        match self {
            Self::Up => None,
            Self::Lost { retry_at } => Some(match retry_at.saturating_sub(now) {
                0 => " !! Connection lost. Trying again now".to_owned(),
                wait => format!(" !! Connection lost. Trying again in {} s", wait.div_ceil(1000)),
            }),
            Self::Closed => Some(" !! This room is over. q leaves".to_owned()),
        }
    }
}
