//! The jobs that a room has given to bots and to the engine, while they are under way.

use super::{
    effect::Cause,
    ids::{SessionId, Ticket},
};
use crate::{bot_spec::BotSpec, opening::Act, protocol::CommandId, rules::Point};

/// A bot on turn.
#[derive(Clone, Debug)]
pub(super) struct BotTurn {
    /// The job that asks it for a move.
    pub(super) ticket: Ticket,
    pub(super) game: u32,
    pub(super) ply: usize,
    /// How many acts of the opening were made before.
    pub(super) acts: usize,
    /// The move is made no earlier than this.
    pub(super) not_before: u64,
    /// The move is made no later than this, even if it is a fallback.
    pub(super) not_after: u64,
    /// The bot's reply, when it has come.
    pub(super) chosen: Option<Chosen>,
}

/// A bot's decision on its turn, found to be legal.
#[derive(Clone, Debug)]
pub(super) enum Chosen {
    Move(Point),
    /// In an opening.
    Act(Act),
}

impl BotTurn {
    /// When the room must act on this turn.
    pub(super) const fn deadline(&self) -> u64 {
        match self.chosen {
            Some(_) => self.not_before,
            None => self.not_after,
        }
    }
}

/// A bot job for a member.
#[derive(Clone, Debug)]
pub(super) struct Assist {
    pub(super) ticket: Ticket,
    /// The command that requested it.
    pub(super) cause: Cause,
    /// The session to reply to: the last one that sent the command.
    pub(super) session: SessionId,
    /// The job times out after this.
    pub(super) not_after: u64,
    pub(super) bot: BotSpec,
    pub(super) wanted: AssistTask,
}

/// What a member wants from a bot.
#[derive(Clone, Copy, Debug)]
pub(super) enum AssistTask {
    /// Sends what the bot thinks of the candidates after `ply` moves.
    Weights { ply: usize },
    /// Has the bot move at this ply of this game.
    Move { game: u32, ply: usize },
}

/// An analysis that is under way.
#[derive(Clone, Debug)]
pub(super) struct MemberAnalysis {
    pub(super) ticket: Ticket,
    pub(super) session: SessionId,
    /// The command that requested it.
    pub(super) of: CommandId,
    pub(super) game: u32,
    /// The moves up to the analysed position.
    pub(super) moves: Vec<Point>,
}
