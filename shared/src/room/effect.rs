//! What a room wants done. The order of effects is the order in which they are released: whatever
//! follows an [`Effect::Append`] waits until that event is stored.

use std::time::Duration;

use crate::{
    bot_spec::BotSpec,
    protocol::{CommandId, MemberId, Message, NumberedEvent},
    rules::{Point, Position},
};

use super::ids::{SessionId, Ticket};

/// The effects of one input, in order.
pub type Effects = Vec<Effect>;

/// Something that a room wants done by those around it.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// LogWriter the entry, and then send its event to every session that listens.
    Append(Entry),
    /// From here on the session listens: it is sent every event and every broadcast.
    Listen(SessionId),
    /// From here on the session does not listen, and nothing more is sent to it.
    Dismiss(SessionId),
    /// Send a message to one session, whether it listens or not.
    Send {
        /// The session.
        session: SessionId,
        /// The message.
        message: Message,
    },
    /// Send a message to every session that listens.
    Broadcast(Message),
    /// Send a message to every session that listens, except these.
    BroadcastExcept {
        /// Who is not to hear it.
        sessions: Vec<SessionId>,
        /// The message.
        message: Message,
    },
    /// Have a bot think; the answer comes back as [`Input::BotReplied`](super::Input::BotReplied).
    Think(Job),
    /// Have the engine look at a position, ever deeper; what it finds comes back as
    /// [`Input::Analysed`](super::Input::Analysed).
    Analyse {
        /// To be given back with what is found.
        ticket: Ticket,
        /// The session that asks for it.
        session: SessionId,
        /// The position, which is not over, by rules that the engine knows.
        position: Position,
        /// Of how many moves to tell.
        lines: u8,
    },
    /// The job or analysis need not be done any more. An answer that comes nevertheless is ignored.
    CancelThinking(Ticket),
    /// A bot has failed to answer well, and the room goes on without its answer.
    BotFailed {
        /// The game.
        game: u32,
        /// The ply at which it was asked.
        ply: usize,
        /// What it did wrong.
        fault: BotFault,
    },
    /// The room is closed: forget it. It refuses everything from here on.
    Close,
}

/// An event as it is stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The event.
    pub event: NumberedEvent,
    /// The command that caused it, if one did. By it a room that is read back from its log knows
    /// which commands it has done.
    pub cause: Option<Cause>,
}

/// A command of a member.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cause {
    /// Whose.
    pub member: MemberId,
    /// Which.
    pub command: CommandId,
}

/// How a bot can fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BotFault {
    /// It did not answer in time.
    Late,
    /// It was asked and has no answer: too many jobs waited, or it broke.
    NoAnswer,
    /// Its answer is no legal move.
    Illegal(Point),
}

/// Something for a bot to think about. How busy the bots are is not the room's business.
#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// To be given back with the answer.
    pub ticket: Ticket,
    /// What is asked for.
    pub task: Task,
    /// The session on whose behalf the bot thinks. It is in the room.
    pub session: SessionId,
    /// The bot to be asked, which is on offer for the position's rules.
    pub bot: BotSpec,
    /// The game, which is not over.
    pub position: Position,
    /// What the bot makes its choices among equals by.
    pub seed: u64,
    /// The longest that it may think, if its clock runs.
    pub time_max: Option<Duration>,
}

/// What a bot is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    /// A move for the bot's own seat against a person, who waits for it.
    Turn,
    /// A move on behalf of a person.
    Move,
    /// Weights for a person.
    Weigh,
    /// A move in a game between two bots, for which nobody has to wait.
    BotsTurn,
}
