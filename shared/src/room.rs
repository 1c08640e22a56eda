//! A room: two seats, one game at a time, and the spectators.
//!
//! A plain value. [`Room::apply`] takes the time and an input, changes the room and returns
//! effects. It knows no sockets, no storage, no threads and no clock; `room_actor.rs` in the server
//! runs it.
//!
//! The events define everything that members see of a room, and only `Room::log` makes events, so
//! the log always matches the state. A restart loses only what is kept beside that state: who is
//! present, the chat, and what bots are thinking about.

mod absence;
mod analysis;
mod assist;
mod bot_turn;
mod chat;
mod close;
mod command;
mod dedup;
mod effect;
mod history;
mod ids;
mod input;
pub mod limits;
mod membership;
mod play;
mod presence;
mod seating;
mod seeds;
mod standing;
mod state;
#[cfg(test)]
mod tests;
mod time;

use self::{
    absence::Absence,
    analysis::MemberAnalysis,
    assist::Assist,
    bot_turn::BotTurn,
    chat::Chat,
    dedup::{Answer, AnsweredCommands},
    history::History,
    presence::{News, Presence},
};
pub use self::{
    effect::{BotFault, Cause, Effect, Effects, Entry, Job, Task},
    ids::{Member, SessionId, Ticket},
    input::{AnalysisUpdate, BotReply, Input},
    limits::RoomLimits,
    seeds::RoomSeeds,
    standing::{Spare, Stage, Standing},
    state::{FoldError, Game, RoomState},
};
use crate::{
    clock::millis,
    protocol::{
        Colour, CommandId, Create, Event, MemberId, Message, NumberedEvent, Player, Reason,
        Refusal, RoomCode, SeatRequest, Visibility,
    },
    seat::Seat,
};

/// One room.
#[derive(Clone, Debug)]
pub struct Room {
    code: RoomCode,
    limits: RoomLimits,
    /// The state that the events define; only `Room::log` changes it.
    state: RoomState,
    history: History,
    answered: AnsweredCommands,
    presence: Presence,
    absence: Absence,
    news: News,
    chat: Chat,
    /// When the last session left; absent while anyone is present.
    empty_since: Option<u64>,
    /// When the clock resumes after a failed commit. No flag falls before.
    resume_at: Option<u64>,
    /// The bot on turn, if any.
    bot_turn: Option<BotTurn>,
    /// Bot jobs for members: at most one per member.
    assists: Vec<Assist>,
    /// Analyses for members: at most one a session.
    analyses: Vec<MemberAnalysis>,
    seeds: RoomSeeds,
    tickets: u64,
    /// Whether this is the server's demo room, which stays open until its game is over.
    demo: bool,
    closed: bool,
}

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
}

/// The context of one input.
struct Moment<'a> {
    now: u64,
    /// The command being handled, if the input is one.
    cause: Option<Cause>,
    /// How long the input was in the network, as measured by the server.
    lag_ms: u64,
    effects: &'a mut Effects,
}

impl Room {
    /// Makes a room. Nobody is present yet: the first input should be the host's [`Input::Enter`].
    /// Its reply is also the reply to the command that made the room.
    ///
    /// # Errors
    /// When the host wants both seats, or a bot does not play by these rules.
    pub fn create(
        now: u64,
        founding: Founding,
        limits: RoomLimits,
        effects: &mut Effects,
    ) -> Result<Self, Refusal> {
        let Founding { code, host, command, create, coin, seeds, demo } = founding;
        if create.seats == [SeatRequest::Me, SeatRequest::Me] {
            return Err(Refusal::new(Reason::AlreadySeated));
        }
        let seats = create.seats.map(|seat| match seat {
            SeatRequest::Me => Ok(Some(Player::Member {
                member: host.id.clone(),
                name: host.name.clone(),
                engine: false,
            })),
            SeatRequest::Open => Ok(None),
            SeatRequest::Bot(bot) => {
                seating::offered(bot, create.rules).map(|()| Some(Player::Bot { bot }))
            }
        });
        let [first, second] = seats;
        let players = [(Seat::First, first?), (Seat::Second, second?)];
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
            chat: create.chat,
            black,
        };
        let first = NumberedEvent { seq: 1, at: now, event };
        let cause = Cause { member: host.id, command };
        let state = RoomState::begin(&first).expect("the event is number 1 and `created`");
        let mut room = Self::new(code, seeds, limits, state);
        room.empty_since = Some(now);
        room.demo = demo;
        room.history.push(first.clone());
        effects.push(Effect::Append(Entry { event: first, cause: Some(cause.clone()) }));
        let moment = &mut Moment { now, cause: Some(cause), lag_ms: 0, effects };
        for (seat, player) in players {
            if let Some(player) = player {
                room.take_seat(seat, player, moment);
            }
        }
        room.settle(moment);
        Ok(room)
    }

    /// Restores a room after a restart. Nobody is present: a bot on turn waits until somebody is,
    /// and a person's clock resumes after a grace period.
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
            self.tell_closed(close::CLOSED, moment);
        }
        Ok(())
    }

    fn new(code: RoomCode, seeds: RoomSeeds, limits: RoomLimits, state: RoomState) -> Self {
        Self {
            code,
            limits,
            state,
            history: History::default(),
            answered: AnsweredCommands::default(),
            presence: Presence::default(),
            absence: Absence::default(),
            news: News::default(),
            chat: Chat::default(),
            empty_since: None,
            resume_at: None,
            bot_turn: None,
            assists: Vec::new(),
            analyses: Vec::new(),
            seeds,
            tickets: 0,
            demo: false,
            closed: false,
        }
    }

    /// Handles one input at the time `now`, in milliseconds since the Unix epoch.
    pub fn apply(&mut self, now: u64, input: Input, effects: &mut Effects) {
        if self.closed {
            self.refuse_closed(input, effects);
            return;
        }
        let moment = &mut Moment { now, cause: None, lag_ms: 0, effects };
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
            Input::Command { session, id, request, lag_ms } => {
                moment.lag_ms = lag_ms;
                self.command(session, id, &request, moment);
            }
            Input::Renamed { session, name } => self.renamed(session, name, moment),
            Input::BotReplied { ticket, reply } => {
                if !self.bot_turn_replied(ticket, reply.as_ref(), moment) {
                    self.assist_replied(ticket, reply, moment);
                }
            }
            Input::Analysed { ticket, found } => self.analysed(ticket, found, moment),
            Input::Wake => self.wake(moment),
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
        let game = [self.resume_at, self.flag_at(), self.abandoned_at()];
        [turn, help, news, self.close_at()].into_iter().chain(game).flatten().min()
    }

    /// The room as its members see it.
    pub const fn state(&self) -> &RoomState {
        &self.state
    }

    /// The room's code.
    pub const fn code(&self) -> &RoomCode {
        &self.code
    }

    /// Whether the room is listed.
    pub const fn visibility(&self) -> Visibility {
        self.state.visibility
    }

    /// The room's creator.
    pub const fn host(&self) -> &MemberId {
        &self.state.host
    }

    /// Whether the room is closed and refuses everything.
    pub const fn is_closed(&self) -> bool {
        self.closed
    }

    /// Makes an event: folds it, stores it and sends it.
    fn log(&mut self, event: Event, moment: &mut Moment<'_>) {
        let event = NumberedEvent { seq: self.state.seq + 1, at: moment.now, event };
        self.state.apply(&event).expect("only what fits the state is decided");
        self.history.push(event.clone());
        moment.effects.push(Effect::Append(Entry { event, cause: moment.cause.clone() }));
    }

    fn answer(&mut self, session: SessionId, cause: &Cause, answer: Answer, effects: &mut Effects) {
        let state = &self.state;
        self.answered.remember(cause, answer.clone(), |member| is_kept(state, member));
        let message = answer.message(cause.command.clone());
        effects.push(Effect::Send { session, message });
    }

    /// Handles what follows from any change: asks a bot on turn, and sends the members who watches
    /// and who is away.
    fn settle(&mut self, moment: &mut Moment<'_>) {
        if self.closed {
            return;
        }
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

    /// When the room closes if nobody comes.
    fn close_at(&self) -> Option<u64> {
        let seats = &self.state.seats;
        let is_bot = |seat| seats.get(seat).is_some_and(|player| player.bot().is_some());
        let is_running = self.state.running().is_some();
        let awaited = is_running && !Seat::BOTH.into_iter().any(is_bot);
        let bots_alone = Seat::BOTH.into_iter().all(is_bot);
        if self.demo && bots_alone && is_running {
            return None;
        }
        let wait = if awaited {
            millis(self.limits.abandoned_room_close)
        } else if bots_alone {
            millis(self.limits.bots_room_close).min(millis(self.limits.empty_room_close))
        } else {
            millis(self.limits.empty_room_close)
        };
        let wait = match self.stage() {
            Stage::Unplayed => wait.min(millis(self.limits.unplayed_room_close)),
            Stage::Over => wait.min(millis(self.limits.finished_room_close)),
            Stage::People | Stage::AgainstBot | Stage::Bots => wait,
        };
        Some(self.empty_since?.saturating_add(wait))
    }

    fn new_ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }
}

/// Whether this member's replies are never evicted for those of others.
fn is_kept(state: &RoomState, member: &MemberId) -> bool {
    state.host == *member || state.seats.of_member(member).is_some()
}
