//! The inputs of a room: members coming and going, their commands, and replies from bots.

use crate::{
    analysis::{Report, Weight},
    clock::TimeOff,
    conditional_moves::GameConditionalMoves,
    opening::Act,
    protocol::{ChatText, CommandId, MemberId, Name, PlayerRating, RoomRequest},
    rules::Point,
    seat::BySeat,
};

use super::ids::{Member, SessionId, Ticket};

/// An input for a room to handle.
#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// A session enters, or enters again to catch up. The reply is `joined`, which is also the
    /// reply to `create`: the lobby makes the room, then its creator enters with the id of that
    /// command.
    Enter {
        /// The session.
        session: SessionId,
        /// The session's member.
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
        /// The command to answer; without one the socket is gone, and the member keeps their seat.
        command: Option<CommandId>,
    },
    /// Sessions that were in the room go on where they were: another node has become the room's
    /// owner, or messages to theirs were lost. They receive the events that they missed, and nobody
    /// is refused.
    Resume {
        /// The sessions, with their members.
        sessions: Vec<(SessionId, Member)>,
        /// The last event that all of them have, if it is known.
        after: Option<u64>,
    },
    /// The node of these sessions is silent. They leave, but a player on turn among them keeps
    /// their time.
    Disconnected {
        /// The sessions.
        sessions: Vec<SessionId>,
        /// No flag falls before this time, in milliseconds since the Unix epoch, unless the player
        /// on turn comes back earlier.
        pause_until: u64,
    },
    /// The host closes the room, from inside or outside.
    Close {
        /// The session.
        session: SessionId,
        /// The member who asks.
        member: MemberId,
        /// The id of the command to answer.
        command: CommandId,
    },
    /// An operator closes the room, whoever plays in it. The room's task answers when that is stored; the room itself
    /// only refuses it.
    CloseByOperator {
        /// Gets the answer.
        session: SessionId,
        /// The id of the command to answer.
        command: CommandId,
        /// What the operator says.
        why: ChatText,
    },
    /// The lobby has chosen this room to make place for another.
    Evict,
    /// A session sends a request.
    Command {
        /// The session.
        session: SessionId,
        /// The id of the command to answer.
        id: CommandId,
        /// The request.
        request: RoomRequest,
        /// How long the command was in the network, in milliseconds, by the server's own pings;
        /// never by what a client claims.
        lag_ms: u64,
    },
    /// A session's member has changed their name. The lobby answers that command, not the room.
    Renamed {
        /// The session.
        session: SessionId,
        /// The new name.
        name: Name,
    },
    /// The account of a member was deleted or closed: nobody can play for them any more.
    AccountGone {
        /// The member.
        member: MemberId,
    },
    /// A member has time off from daily games, or will have it, or has ended it: see [`TimeOff`].
    TimeOff {
        /// The member.
        member: MemberId,
        /// The period.
        off: TimeOff,
    },
    /// A member has planned moves of their daily game, or does not plan them any more.
    ConditionalMoves {
        /// The member.
        member: MemberId,
        /// A later change has a higher number.
        number: u64,
        /// The moves.
        moves: Option<Box<GameConditionalMoves>>,
    },
    /// A bot has finished a job, or nobody could do it.
    BotReplied {
        /// The job.
        ticket: Ticket,
        /// The reply; without one the bots are too busy.
        reply: Option<BotReply>,
    },
    /// An analysis has an update.
    Analysed {
        /// The analysis.
        ticket: Ticket,
        /// The update.
        found: AnalysisUpdate,
    },
    /// The ratings that were due ([`Room::ratings_due`](super::Room::ratings_due)).
    Rated {
        /// The number of the game.
        game: u32,
        /// Whether it has ended.
        ended: bool,
        /// The ratings by seat; absent if they cannot be read.
        ratings: Option<BySeat<PlayerRating>>,
    },
    /// The time that [`Room::deadline`](super::Room::deadline) returned has come. Harmless at any
    /// other time.
    Wake,
}

/// An update of an analysis.
#[derive(Clone, PartialEq, Debug)]
pub enum AnalysisUpdate {
    /// The result so far.
    Report(Report),
    /// The analysis has ended.
    Finished,
    /// The engine's queue is full, so the analysis did not start.
    Busy,
    /// Refused because too many analyses come from the same address.
    TooMany,
}

/// A bot's reply to a job.
#[derive(Clone, PartialEq, Debug)]
pub enum BotReply {
    /// The move it would make.
    Move(Point),
    /// Its act in an opening.
    Act(Act),
    /// Its weights of the candidates, the best first.
    Weights(Vec<Weight>),
}

impl Input {
    /// The session that sends this input, if one does.
    pub const fn session(&self) -> Option<SessionId> {
        match self {
            Self::Enter { session, .. }
            | Self::Leave { session, .. }
            | Self::Close { session, .. }
            | Self::CloseByOperator { session, .. }
            | Self::Command { session, .. }
            | Self::Renamed { session, .. } => Some(*session),
            Self::Resume { .. }
            | Self::Disconnected { .. }
            | Self::Evict
            | Self::AccountGone { .. }
            | Self::TimeOff { .. }
            | Self::ConditionalMoves { .. }
            | Self::BotReplied { .. }
            | Self::Analysed { .. }
            | Self::Rated { .. }
            | Self::Wake => None,
        }
    }

    /// The id of the command behind this input, if it is one.
    pub fn command_id(&self) -> Option<&CommandId> {
        match self {
            Self::Enter { command, .. }
            | Self::Close { command, .. }
            | Self::CloseByOperator { command, .. } => Some(command),
            Self::Leave { command, .. } => command.as_ref(),
            Self::Command { id, .. } => Some(id),
            Self::Resume { .. }
            | Self::Disconnected { .. }
            | Self::Evict
            | Self::Renamed { .. }
            | Self::AccountGone { .. }
            | Self::TimeOff { .. }
            | Self::ConditionalMoves { .. }
            | Self::BotReplied { .. }
            | Self::Analysed { .. }
            | Self::Rated { .. }
            | Self::Wake => None,
        }
    }

    /// Metric label for the reply to this input. A bot's reply answers `weights` or `bot_move`, and
    /// counts as `help`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Enter { .. } => "join",
            Self::Leave { .. } => "leave",
            Self::Resume { .. } => "resume",
            Self::Disconnected { .. } => "disconnected",
            Self::Close { .. } | Self::CloseByOperator { .. } => "close",
            Self::Evict => "evict",
            Self::Command { request, .. } => request.kind(),
            Self::Renamed { .. } => "set_name",
            Self::AccountGone { .. } => "account_gone",
            Self::TimeOff { .. } => "time_off",
            Self::ConditionalMoves { .. } => "conditional_moves",
            Self::BotReplied { .. } | Self::Analysed { .. } => "help",
            Self::Rated { .. } => "ratings",
            Self::Wake => "wake",
        }
    }
}
