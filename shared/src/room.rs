//! A room: two seats, one game at a time, and the spectators.
//!
//! A plain value. [`Room::apply`] takes the time and an input, changes the room and returns
//! effects. It knows no sockets, no storage, no threads and no clock; `room_actor.rs` in the server
//! runs it.
//!
//! The events define everything that members see of a room, and only `Room::log` makes events, so
//! the log always matches the state. A restart loses only what is kept beside that state: who is
//! present, the chat, and what bots are thinking about.
//!
//! `room/data.rs` has the data. The other parts change it, each for one kind of input; this file
//! opens rooms, hands out the inputs, and does what follows from any change.

mod absence;
mod analysis;
mod assist;
mod bot_turn;
mod chat;
mod chat_lines;
mod claims;
mod closing;
mod command;
mod daily;
mod data;
mod dedup;
mod effect;
mod finished_game;
mod first_act;
mod history;
mod ids;
mod input;
mod jobs;
pub mod limits;
mod membership;
mod play;
mod presence;
mod rated;
mod rated_or_casual;
mod rated_players;
mod seating;
mod seeds;
mod standing;
mod state;
#[cfg(test)]
mod tests;
mod time;
mod timeline;

use std::mem;

pub use self::{
    chat_lines::ChatLines,
    data::Room,
    effect::{BotFault, Cause, Effect, Effects, Entry, Job, Task},
    ids::{Member, SessionId, Ticket},
    input::{AnalysisUpdate, BotReply, Input},
    limits::{RoomLimits, ShortestGame},
    rated::RatingsDue,
    rated_or_casual::{Dealings, Terms},
    seeds::RoomSeeds,
    standing::{Spare, Stage, Standing},
    state::{FoldError, Game, RoomState, SnapshotError},
};
use self::{
    data::{Moment, is_kept},
    dedup::AnsweredCommands,
    history::History,
    jobs::BotTurn,
};
use crate::{
    protocol::{
        Colour, CommandId, Create, Event, Message, NumberedEvent, Player, Reason, Refusal,
        RoomCode, SeatRequest,
    },
    seat::{BySeat, Seat},
};

/// How a new room starts.
#[derive(Clone, PartialEq, Debug)]
pub struct Founding {
    /// The room's code.
    pub code: RoomCode,
    /// The creator.
    pub host: Member,
    /// The creator's command, whose id the following `Enter` carries.
    pub command: CommandId,
    /// The kind of room.
    pub create: Create,
    /// Whether the first seat starts with Black when the colour is random.
    pub coin: bool,
    /// The room's random seeds.
    pub seeds: RoomSeeds,
    /// Whether this is the server's own room, which shows a game between two bots.
    pub demo: bool,
    /// The players whom the server has paired. They take the seats instead of `create.seats`.
    pub paired: Option<Pair>,
}

/// Two players whom the server has paired.
#[derive(Clone, PartialEq, Debug)]
pub struct Pair {
    /// The players.
    pub players: BySeat<Player>,
    /// How their first game counts.
    pub terms: Terms,
}

impl Room {
    /// Makes a room. Nobody is present yet: the first input should be the host's [`Input::Enter`].
    /// Its reply is also the reply to the command that made the room.
    ///
    /// # Errors
    /// When the host wants both seats, or a bot or the opening is not offered by these rules.
    pub fn create(
        now: u64,
        founding: Founding,
        limits: RoomLimits,
        effects: &mut Effects,
    ) -> Result<Self, Refusal> {
        let Founding { code, host, command, create, coin, seeds, demo, paired } = founding;
        if create.seats == [SeatRequest::Me, SeatRequest::Me] {
            return Err(Refusal::new(Reason::AlreadySeated));
        }
        create
            .opening
            .offered(create.rules)
            .map_err(|error| Refusal::opening_not_offered(&error))?;
        let seats = create.seats.map(|seat| match seat {
            SeatRequest::Me => Ok(Some(Player::Member {
                member: host.id.clone(),
                name: host.name.clone(),
                // Programs play for bots.
                engine: host.bot,
            })),
            SeatRequest::Open => Ok(None),
            SeatRequest::Bot(bot) => {
                seating::offered(bot, create.rules).map(|()| Some(Player::Bot { bot }))
            }
        });
        let is_paired = paired.is_some();
        let terms = paired.as_ref().map_or(Terms::CASUAL, |pair| pair.terms);
        let players = match paired {
            Some(Pair { players: BySeat { first, second }, .. }) => {
                BySeat { first: Some(first), second: Some(second) }
            }
            None => {
                let [first, second] = seats;
                BySeat { first: first?, second: second? }
            }
        };
        let black = match (create.colour, coin) {
            (Colour::Black, _) | (Colour::Random, true) => Seat::First,
            (Colour::White, _) | (Colour::Random, false) => Seat::Second,
        };

        let event = Event::Created {
            rules: create.rules,
            visibility: create.visibility,
            assistance: create.assistance,
            host: host.id.clone(),
            time: create.time,
            opening: create.opening,
            chat: create.chat,
            paired: is_paired,
            black,
        };
        let first = NumberedEvent { seq: 1, at: now, event };
        let cause = Cause { member: host.id, command };
        let state = RoomState::begin(&first).expect("the event is number 1 and `created`");
        let mut room = Self::new(code, seeds, limits, state);
        room.empty_since = Some(now);
        room.demo = demo;
        room.first_terms = terms;
        room.history.push(first.clone());
        let entry = Entry { event: first, cause: Some(cause.clone()) };
        effects.push(Effect::Append { entry, finished: None });
        let moment = &mut Moment { now, cause: Some(cause), lag_ms: 0, effects };
        let BySeat { first, second } = players;
        for (seat, player) in [(Seat::First, first), (Seat::Second, second)] {
            if let Some(player) = player {
                room.take_seat(seat, player, moment);
            }
        }
        room.settle(moment);
        Ok(room)
    }

    /// Restores a room after a restart. Nobody is present: a bot on turn waits until somebody is, except in
    /// a daily game, and a person's clock resumes after a grace period.
    ///
    /// # Errors
    /// When the entries are not the log of a room.
    pub fn from_log(
        now: u64,
        code: RoomCode,
        seeds: RoomSeeds,
        log: &[Entry],
        limits: RoomLimits,
        effects: &mut Effects,
    ) -> Result<Self, FoldError> {
        let state = RoomState::from_log(log.iter().map(|entry| &entry.event))?;
        let mut room = Self::new(code, seeds, limits, state);
        room.history = History::from_log(log.iter().map(|entry| &entry.event));
        room.answered = AnsweredCommands::from_log(log, |member| is_kept(&room.state, member));
        room.empty_since = Some(now);
        let moment = &mut Moment { now, cause: None, lag_ms: 0, effects };
        room.resume(moment);
        room.settle(moment);
        Ok(room)
    }

    /// Since when nobody has been present; nothing if somebody is.
    pub const fn empty_since(&self) -> Option<u64> {
        self.empty_since
    }

    /// Takes the lines of chat out of a room that falls asleep: its log does not contain them.
    pub fn take_chat(&mut self) -> ChatLines {
        mem::take(&mut self.chat)
    }

    /// Gives its lines of chat back to a room that has just woken.
    pub fn restore_chat(&mut self, chat: ChatLines) {
        self.chat = chat;
    }

    /// Restores since when nobody has been present, which is not in the log.
    pub const fn set_empty_since(&mut self, at: u64) {
        if self.empty_since.is_some() {
            self.empty_since = Some(at);
        }
    }

    /// Rolls back to the log because later events could not be stored. Sessions stay: the effects
    /// subscribe each one again and send it the current room. Bot jobs under way are refused.
    ///
    /// # Errors
    /// When the entries are not the log of a room; the room is then unchanged.
    pub fn rebuild(
        &mut self,
        now: u64,
        log: &[Entry],
        effects: &mut Effects,
    ) -> Result<(), FoldError> {
        self.state = RoomState::from_log(log.iter().map(|entry| &entry.event))?;
        self.history = History::from_log(log.iter().map(|entry| &entry.event));
        // The game may have ended since.
        self.ratings_asked = None;
        self.answered.rollback(log, |member| is_kept(&self.state, member));
        effects.extend(self.presence.sessions().into_iter().map(Effect::Listen));
        effects.push(Effect::Broadcast(Message::Snapshot {
            room: self.code.clone(),
            snapshot: Box::new(self.state.snapshot()),
        }));
        let moment = &mut Moment { now, cause: None, lag_ms: 0, effects };
        self.resume_soon(moment);
        self.cancel_bot_turn(moment);
        self.drop_all_assists(moment);
        self.news.touch();
        self.settle(moment);
        if self.closed {
            // The commit that failed carried the notice to the members, so send it again.
            self.tell_closed(closing::CLOSED, moment);
        }
        Ok(())
    }

    /// Handles one input at the time `now`, in milliseconds since the Unix epoch.
    pub fn apply(&mut self, now: u64, input: Input, effects: &mut Effects) {
        if self.closed {
            self.refuse_closed(input, effects);
            return;
        }
        let moment = &mut Moment { now, cause: None, lag_ms: 0, effects };
        let input = match input {
            // No flag falls yet: the room may have to learn about the other player, too.
            Input::TimeOff { member, off } => {
                self.take_time_off(&member, off, moment);
                return self.settle(moment);
            }
            Input::ConditionalMoves { member, number, moves } => {
                self.take_conditional_moves(&member, number, moves.map(|moves| *moves));
                return self.settle(moment);
            }
            input => input,
        };
        self.keep_time(moment);
        match input {
            Input::Enter { session, member, command, after } => {
                self.enter(session, &member, command, after, moment);
            }
            Input::Leave { session, command } => self.leave(session, command, moment),
            Input::Resume { sessions, after } => self.resume_sessions(&sessions, after, moment),
            Input::Disconnected { sessions, pause_until } => {
                self.disconnect(&sessions, pause_until, moment);
            }
            Input::Evict => self.evict(moment),
            Input::Close { session, member, command } => {
                self.close_for(session, &member, command, moment);
            }
            Input::CloseByOperator { why, .. } => self.close_by_operator(why, moment),
            Input::Command { session, id, request, lag_ms } => {
                moment.lag_ms = lag_ms;
                self.command(session, id, &request, moment);
            }
            Input::Renamed { session, name } => self.renamed(session, name, moment),
            Input::AccountGone { member } => self.account_gone(&member, moment),
            Input::BotReplied { ticket, reply } => {
                if !self.bot_turn_replied(ticket, reply.as_ref(), moment) {
                    self.assist_replied(ticket, reply, moment);
                }
            }
            Input::Analysed { ticket, found } => self.analysed(ticket, found, moment),
            Input::Rated { game, ended, ratings } => self.rated(game, ended, ratings, moment),
            Input::Wake => self.wake(moment),
            Input::TimeOff { .. } | Input::ConditionalMoves { .. } => {}
        }
        (moment.cause, moment.lag_ms) = (None, 0);
        self.settle(moment);
    }

    /// When [`Input::Wake`] is due: the earliest of everything the room waits for. Ask after each
    /// input.
    pub fn deadline(&self) -> Option<u64> {
        if self.closed {
            return None;
        }
        let turn = self.bot_turn.as_ref().map(BotTurn::deadline);
        let help = self.assists.iter().map(|help| help.not_after).min();
        let news = self.news.due().filter(|_| !self.presence.is_empty());
        let game = [self.resume_at, self.flag_at(), self.first_act_until(), self.abandoned_at()];
        [turn, help, news, self.close_at()].into_iter().chain(game).flatten().min()
    }

    /// Handles what follows from any change: plays conditional moves, starts the time for a first act,
    /// asks a bot on turn, and sends the members who watches and who is away.
    fn settle(&mut self, moment: &mut Moment<'_>) {
        if self.closed {
            return;
        }
        self.follow_conditional_moves(moment);
        self.attend_first_act(moment);
        self.drop_moot_assists(moment);
        self.end_moot_analyses(moment);
        self.attend_bot_turn(moment);
        self.absence.note(moment.now, &self.state, &self.presence);
        let away = self.absent();
        if away != self.news.away() {
            self.news.touch();
        }
        if self.presence.is_empty() {
            return;
        }
        let current = || self.presence.spectators(&self.state.seats);
        let news = self.news.take(moment.now, current, away);
        if let Some(spectators) = news.spectators {
            let room = self.code.clone();
            moment.effects.push(Effect::Broadcast(Message::Spectators { room, spectators }));
        }
        if let Some(away) = news.away {
            let room = self.code.clone();
            moment.effects.push(Effect::Broadcast(Message::Presence { room, away }));
        }
    }

    fn wake(&mut self, moment: &mut Moment<'_>) {
        self.play_due_bot_turn(moment);
        self.drop_late_assists(moment);
        if self.close_at().is_some_and(|at| at <= moment.now) {
            self.shut(moment);
        }
    }
}
