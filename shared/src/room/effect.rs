//! The effects that a room asks its caller to carry out, in order: whatever follows an
//! [`Effect::Append`] waits until that event is stored.

use std::time::Duration;

use crate::{
    bot_spec::BotSpec,
    opening::Opening,
    protocol::{CommandId, MemberId, Message, NumberedEvent},
    record::FinishedGame,
    rules::{Point, Position},
};

use super::ids::{SessionId, Ticket};

/// The effects of one input, in order.
pub type Effects = Vec<Effect>;

/// Something that the room asks its caller to do.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Store the entry, then send its event to every subscribed session.
    Append {
        /// The entry.
        entry: Entry,
        /// The game that it ends, if any, to be stored in the same commit.
        finished: Option<Box<FinishedGame>>,
    },
    /// Subscribe the session: it receives every event and every broadcast from here on.
    Listen(SessionId),
    /// Unsubscribe the session: it receives nothing more.
    Dismiss(SessionId),
    /// Send a message to one session, subscribed or not.
    Send {
        /// The session.
        session: SessionId,
        /// The message.
        message: Message,
    },
    /// Send a message to these sessions, subscribed or not.
    SendMany {
        /// The sessions.
        sessions: Vec<SessionId>,
        /// The message.
        message: Message,
    },
    /// Send a message to every subscribed session.
    Broadcast(Message),
    /// Send a message to every subscribed session except these.
    BroadcastExcept {
        /// The sessions to leave out.
        sessions: Vec<SessionId>,
        /// The message.
        message: Message,
    },
    /// Have a bot think; the reply comes back as [`Input::BotReplied`](super::Input::BotReplied).
    Think(Job),
    /// Have the engine search a position ever deeper; updates come back as
    /// [`Input::Analysed`](super::Input::Analysed).
    Analyse {
        /// Comes back with each update.
        ticket: Ticket,
        /// The session that asked.
        session: SessionId,
        /// The position, which is not over, by rules that the engine plays.
        position: Position,
        /// How many moves to report.
        lines: u8,
    },
    /// Cancel the job or analysis. The room ignores a reply that comes anyway.
    CancelThinking(Ticket),
    /// A bot gave no usable reply, and the room continues without it.
    BotFailed {
        /// The game.
        game: u32,
        /// The ply at which the bot was asked.
        ply: usize,
        /// The bot's fault.
        fault: BotFault,
    },
    /// Forget the room: it is closed and refuses everything from here on.
    Close,
}

/// A stored event.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The event.
    pub event: NumberedEvent,
    /// The command that caused it, if any. A room restored from its log learns by it which commands
    /// it has done.
    pub cause: Option<Cause>,
}

/// A command of a member.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cause {
    /// The member.
    pub member: MemberId,
    /// The command's id.
    pub command: CommandId,
}

/// How a bot can fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BotFault {
    /// It did not reply in time.
    Late,
    /// It has no reply: too many jobs waited, or it broke.
    NoAnswer,
    /// It replied with an illegal move.
    Illegal(Point),
    /// In an opening, it replied with an act that is refused, or with a move.
    IllegalAct,
}

/// A job for a bot. The room does not know how busy the bots are.
#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// Comes back with the reply.
    pub ticket: Ticket,
    /// The kind of job.
    pub task: Task,
    /// The session for which the bot thinks. It is in the room. None in a daily game while nobody is there.
    pub session: Option<SessionId>,
    /// The bot to ask. It plays by the position's rules.
    pub bot: BotSpec,
    /// The game, which is not over.
    pub position: Position,
    /// The opening, if it runs and the bot must act in it.
    pub opening: Option<Opening>,
    /// Breaks ties between moves that the bot finds equally good.
    pub seed: u64,
    /// The longest that the bot may think, if its clock runs.
    pub time_max: Option<Duration>,
}

/// The kinds of bot jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    /// A move for the bot's own seat against a person, who waits for it.
    Turn,
    /// A move on behalf of a person.
    Move,
    /// Weights of the candidates, for a person.
    Weigh,
    /// A move in a game between two bots; nobody waits for it.
    BotsTurn,
}
