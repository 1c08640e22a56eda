//! A local room in the module: its inputs as JSON, and what follows from each.

use std::time::Duration;

use fivefold_shared::{
    analysis::Weight,
    bot_spec::BotSpec,
    clock::TimeControl,
    clock::millis,
    local_room::{LocalEffect, LocalOptions, LocalPlayers, LocalRoom, LocalSetup},
    opening::{Act, OpeningKind},
    protocol::{CommandId, MemberId, Message, Name, NumberedEvent, Refusal, RoomRequest, Snapshot},
    room::{BotReply, Input, Ticket},
    rules::{Point, Rules, Stone, moves_of_one_game},
};
use serde::{Deserialize, Serialize};

use crate::bot_question::BotQuestion;

/// Shortest time before a bot replies, so that a person sees their own stone first.
const BOT_ANSWER_MIN: Duration = Duration::from_millis(250);

/// An input of the local room. As JSON an object with its `input`.
#[derive(Debug, Deserialize)]
#[serde(tag = "input", rename_all = "snake_case")]
pub(crate) enum RoomInput {
    /// Starts the first game, in place of the room before. One name and a bot, or two names.
    Open {
        rules: Rules,
        #[serde(default)]
        opening: OpeningKind,
        #[serde(default)]
        time: TimeControl,
        names: Vec<Name>,
        bot: Option<BotSpec>,
        colour: Stone,
        /// The moves that are already made; with any, the opening is free and there is no clock.
        #[serde(default, deserialize_with = "moves_of_one_game")]
        moves: Vec<Point>,
        seed: u64,
    },
    /// Goes on with a room from its events.
    Restore { log: Vec<NumberedEvent>, seed: u64 },
    /// A request of the people at the board.
    Command { id: CommandId, request: RoomRequest },
    /// A bot's reply; none if it failed.
    BotReplied { ticket: u64, reply: Option<Reply> },
    /// The deadline has come.
    Wake,
}

/// A bot's reply, as the module gave it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    Move(Point),
    Act(Act),
    Weights(Vec<Weight>),
}

/// What follows from an input.
#[derive(Debug, Serialize)]
pub(crate) struct RoomOutput {
    /// The person whom the room waits for.
    awaited: MemberId,
    /// When the room wants to be woken, in milliseconds since the Unix epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline: Option<u64>,
    effects: Vec<RoomEffect>,
    /// The whole room, when it has just begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<Box<Snapshot>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum RoomEffect {
    Event(NumberedEvent),
    Message(Box<Message>),
    Think {
        ticket: u64,
        question: BotQuestion,
        /// The longest that the bot may think, if its clock runs.
        #[serde(skip_serializing_if = "Option::is_none")]
        time_ms: Option<u64>,
    },
    CancelThinking(u64),
    BotFailed,
}

/// The local room of a module, if one is open.
#[derive(Debug, Default)]
pub(crate) struct LocalRooms(Option<LocalRoom>);

impl LocalRooms {
    /// Handles an input at the time `now`, in milliseconds since the Unix epoch.
    pub(crate) fn answer(&mut self, now: u64, input: RoomInput) -> Result<RoomOutput, Refusal> {
        match input {
            RoomInput::Open { rules, opening, time, names, bot, colour, moves, seed } => {
                let players = players(names, bot)?;
                let setup = LocalSetup { rules, opening, time, players, colour };
                let (room, effects) = if moves.is_empty() {
                    LocalRoom::new(now, setup, options(seed))?
                } else {
                    LocalRoom::from_position(now, setup, &moves, options(seed))?
                };
                Ok(begin(self.0.insert(room), effects))
            }
            RoomInput::Restore { log, seed } => {
                let restored = LocalRoom::restore(now, log, options(seed));
                let (room, effects) = restored.map_err(Refusal::malformed)?;
                Ok(begin(self.0.insert(room), effects))
            }
            RoomInput::Command { id, request } => {
                let room = self.room()?;
                let effects = room.take(now, &id, &request);
                Ok(output(room, effects))
            }
            RoomInput::BotReplied { ticket, reply } => {
                let reply = reply.map(|reply| match reply {
                    Reply::Move(point) => BotReply::Move(point),
                    Reply::Act(act) => BotReply::Act(act),
                    Reply::Weights(weights) => BotReply::Weights(weights),
                });
                let room = self.room()?;
                let input = Input::BotReplied { ticket: Ticket(ticket), reply };
                let effects = room.apply(now, input);
                Ok(output(room, effects))
            }
            RoomInput::Wake => {
                let room = self.room()?;
                let effects = room.apply(now, Input::Wake);
                Ok(output(room, effects))
            }
        }
    }

    fn room(&mut self) -> Result<&mut LocalRoom, Refusal> {
        self.0.as_mut().ok_or_else(|| Refusal::malformed("no room is open"))
    }
}

fn players(names: Vec<Name>, bot: Option<BotSpec>) -> Result<LocalPlayers, Refusal> {
    match (bot, <[Name; 1]>::try_from(names)) {
        (Some(bot), Ok([name])) => Ok(LocalPlayers::AgainstBot { name, bot }),
        (None, Err(names)) => <[Name; 2]>::try_from(names)
            .map(LocalPlayers::Two)
            .map_err(|_| Refusal::malformed("two people have two names")),
        (Some(_), Err(_)) | (None, Ok(_)) => {
            Err(Refusal::malformed("say one name and a bot, or two names"))
        }
    }
}

const fn options(seed: u64) -> LocalOptions {
    LocalOptions { seed, bot_answer_min: BOT_ANSWER_MIN }
}

fn begin(room: &LocalRoom, effects: Vec<LocalEffect>) -> RoomOutput {
    let snapshot = Some(Box::new(room.state().snapshot()));
    RoomOutput { snapshot, ..output(room, effects) }
}

fn output(room: &LocalRoom, effects: Vec<LocalEffect>) -> RoomOutput {
    let effects = effects.into_iter().map(|effect| match effect {
        LocalEffect::Event(event) => RoomEffect::Event(event),
        LocalEffect::Message(message) => RoomEffect::Message(Box::new(message)),
        LocalEffect::Think(job) => RoomEffect::Think {
            ticket: job.ticket.0,
            question: BotQuestion::from(&job),
            time_ms: job.time_max.map(millis),
        },
        LocalEffect::CancelThinking(ticket) => RoomEffect::CancelThinking(ticket.0),
        LocalEffect::BotFailed => RoomEffect::BotFailed,
    });
    RoomOutput {
        awaited: room.awaited().clone(),
        deadline: room.deadline(),
        effects: effects.collect(),
        snapshot: None,
    }
}
