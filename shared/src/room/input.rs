//! What comes into a room: members coming and going, their commands, and what bots have reply.

use crate::{
    analysis::{Report, Weight},
    protocol::{CommandId, MemberId, Name, RoomRequest},
    rules::Point,
};

use super::ids::{Member, SessionId, Ticket};

/// Something for a room to deal with.
#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// A session enters, or enters again to catch up. AnsweredCommands by `joined`, which is also the
    /// answer to `create`: the lobby makes the room and then lets its maker enter it with the id
    /// of that command.
    Enter {
        /// The session.
        session: SessionId,
        /// Whose it is.
        member: Member,
        /// The id of the command to answer.
        command: CommandId,
        /// The last event that the client has.
        after: Option<u64>,
    },
    /// A session leaves.
    Leave {
        /// The session.
        session: SessionId,
        /// The command to answer; without one the socket is gone, and seats are kept.
        command: Option<CommandId>,
    },
    /// The host closes the room, from inside or outside.
    Close {
        /// The session.
        session: SessionId,
        /// Who asks.
        member: MemberId,
        /// The id of the command to answer.
        command: CommandId,
    },
    /// The lobby has chosen this room to make place for another.
    Evict,
    /// A session asks for something.
    Command {
        /// The session.
        session: SessionId,
        /// The id of the command to answer.
        id: CommandId,
        /// What is asked.
        request: RoomRequest,
        /// How long the command was on its way, in milliseconds, as the server's own pings tell:
        /// never what a client says.
        lag_ms: u64,
    },
    /// A session's member has changed his name. That command is not the room's to answer.
    Renamed {
        /// The session.
        session: SessionId,
        /// The new name.
        name: Name,
    },
    /// A bot has done a job, or nobody could do it.
    BotReplied {
        /// Which job.
        ticket: Ticket,
        /// The answer; without one the bots are too busy.
        reply: Option<BotReply>,
    },
    /// The engine has found something.
    Analysed {
        /// Which analysis.
        ticket: Ticket,
        /// What it has to tell.
        found: AnalysisUpdate,
    },
    /// The time that [`Room::deadline`](super::Room::deadline) named has come. Harmless at any
    /// other time.
    Wake,
}

/// What becomes of an analysis.
#[derive(Clone, PartialEq, Debug)]
pub enum AnalysisUpdate {
    /// This is known so far.
    Report(Report),
    /// Nothing more will be.
    Finished,
    /// Too many wait for the engine: it did not look.
    Busy,
    /// The same, and too many of them come from the asker's address.
    TooMany,
}

/// What a bot answers to a job.
#[derive(Clone, PartialEq, Debug)]
pub enum BotReply {
    /// Where it would move.
    Move(Point),
    /// What it thinks of the candidates, the best first.
    Weights(Vec<Weight>),
}

impl Input {
    /// The id of the command that this came from.
    pub fn command_id(&self) -> Option<&CommandId> {
        match self {
            Self::Enter { command, .. } | Self::Close { command, .. } => Some(command),
            Self::Leave { command, .. } => command.as_ref(),
            Self::Command { id, .. } => Some(id),
            Self::Evict
            | Self::Renamed { .. }
            | Self::BotReplied { .. }
            | Self::Analysed { .. }
            | Self::Wake => None,
        }
    }

    /// As what the answer to this is counted. What a bot has reply about answers `weights` or
    /// `bot_move`, and is counted as `help`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Enter { .. } => "join",
            Self::Leave { .. } => "leave",
            Self::Close { .. } => "close",
            Self::Evict => "evict",
            Self::Command { request, .. } => request.kind(),
            Self::Renamed { .. } => "set_name",
            Self::BotReplied { .. } | Self::Analysed { .. } => "help",
            Self::Wake => "wake",
        }
    }
}
