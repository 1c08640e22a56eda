//! A room's data, and the basic steps of every part: making an event, replying to a command, and
//! finding seats, the running game and tickets.

use super::{
    absence::Absence,
    chat_lines::ChatLines,
    dedup::{Answer, AnsweredCommands},
    effect::{Cause, Effect, Effects, Entry},
    history::History,
    ids::{SessionId, Ticket},
    jobs::{Assist, BotTurn, MemberAnalysis},
    limits::RoomLimits,
    presence::{News, Presence},
    rated_or_casual::{Dealings, Terms},
    seeds::RoomSeeds,
    state::{Game, RoomState},
};
use crate::{
    bot_spec::BotSpec,
    conditional_moves::GameConditionalMoves,
    protocol::{
        Event, GameRatings, MemberId, NumberedEvent, Player, Reason, Refusal, RoomCode, Visibility,
    },
    rules::Outcome,
    seat::{BySeat, Seat},
};

/// One room.
#[derive(Clone, Debug)]
pub struct Room {
    pub(super) code: RoomCode,
    pub(super) limits: RoomLimits,
    /// The state that the events define; only `Room::log` changes it.
    pub(super) state: RoomState,
    pub(super) history: History,
    pub(super) answered: AnsweredCommands,
    pub(super) presence: Presence,
    pub(super) absence: Absence,
    pub(super) news: News,
    pub(super) chat: ChatLines,
    /// When the last session left; absent while anyone is present.
    pub(super) empty_since: Option<u64>,
    /// When the time of the seat to act resumes after a failed commit. It is not up before.
    pub(super) resume_at: Option<u64>,
    /// The bot on turn, if any.
    pub(super) bot_turn: Option<BotTurn>,
    /// Bot jobs for members: at most one per member.
    pub(super) assists: Vec<Assist>,
    /// Analyses for members: at most one a session.
    pub(super) analyses: Vec<MemberAnalysis>,
    pub(super) seeds: RoomSeeds,
    pub(super) tickets: u64,
    /// Whether this is the server's demo room, which stays open until its game is over.
    pub(super) demo: bool,
    /// How the first game counts; it begins when the room is made.
    pub(super) first_terms: Terms,
    /// What the server knows of the players before the next game.
    pub(super) dealings: Option<Dealings>,
    /// The ratings of the players of the last rated game, as far as they are known.
    pub(super) ratings: Option<GameRatings>,
    /// The last game whose ratings are known or cannot be read, and whether it had ended.
    pub(super) ratings_asked: Option<(u32, bool)>,
    /// What players have planned; the server stores it apart from the log.
    pub(super) conditional_moves: BySeat<Planned>,
    pub(super) closed: bool,
}

/// What a player has planned, as the room has learnt it last.
#[derive(Clone, Default, Debug)]
pub(super) struct Planned {
    /// The game that was running.
    pub(super) game: u32,
    pub(super) number: u64,
    pub(super) moves: Option<GameConditionalMoves>,
}

/// The context of one input.
pub(super) struct Moment<'a> {
    pub(super) now: u64,
    /// The command being handled, if the input is one.
    pub(super) cause: Option<Cause>,
    /// How long the input was in the network, as measured by the server.
    pub(super) lag_ms: u64,
    pub(super) effects: &'a mut Effects,
}

impl Room {
    /// A room with nobody present.
    pub(super) fn new(
        code: RoomCode,
        seeds: RoomSeeds,
        limits: RoomLimits,
        state: RoomState,
    ) -> Self {
        Self {
            code,
            limits,
            state,
            history: History::default(),
            answered: AnsweredCommands::default(),
            presence: Presence::default(),
            absence: Absence::default(),
            news: News::default(),
            chat: ChatLines::default(),
            empty_since: None,
            resume_at: None,
            bot_turn: None,
            assists: Vec::new(),
            analyses: Vec::new(),
            seeds,
            tickets: 0,
            demo: false,
            first_terms: Terms::CASUAL,
            dealings: None,
            ratings: None,
            ratings_asked: None,
            conditional_moves: BySeat::default(),
            closed: false,
        }
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

    /// The bot in a seat, if one sits there.
    pub fn bot_in(&self, seat: Seat) -> Option<BotSpec> {
        self.state.seats.get(seat).and_then(Player::bot)
    }

    /// Whether absence is normal here: the games are played over days, and not by two bots.
    pub(super) fn is_daily(&self) -> bool {
        let is_of_bots = Seat::BOTH.into_iter().all(|seat| self.bot_in(seat).is_some());
        self.state.time.is_daily() && !is_of_bots
    }

    /// A member's seat.
    pub(super) fn seat_of(&self, member: &MemberId) -> Result<Seat, Refusal> {
        self.state.seats.of_member(member).ok_or_else(|| Refusal::new(Reason::NotSeated))
    }

    pub(super) fn running(&self) -> Result<&Game, Refusal> {
        self.state.running().ok_or_else(|| Refusal::new(Reason::NoGame))
    }

    /// A player's seat and running game.
    pub(super) fn playing(&self, member: &MemberId) -> Result<(Seat, &Game), Refusal> {
        Ok((self.seat_of(member)?, self.running()?))
    }

    /// Makes an event: folds it, stores it and sends it.
    pub(super) fn log(&mut self, event: Event, moment: &mut Moment<'_>) {
        let event = NumberedEvent { seq: self.state.seq + 1, at: moment.now, event };
        self.state.apply(&event).expect("only what fits the state is decided");
        let is_end = matches!(event.event, Event::Ended { .. });
        let finished = is_end.then(|| self.state.finished_game()).flatten().map(Box::new);
        self.history.push(event.clone());
        let entry = Entry { event, cause: moment.cause.clone() };
        moment.effects.push(Effect::Append { entry, finished });
    }

    /// Ends the game.
    pub(super) fn end_game(&mut self, outcome: Outcome<Seat>, moment: &mut Moment<'_>) {
        let rated = self.counts(&outcome);
        self.log(Event::Ended { outcome, rated }, moment);
    }

    /// Replies to a command, now and whenever it comes again.
    pub(super) fn answer(
        &mut self,
        session: SessionId,
        cause: &Cause,
        answer: Answer,
        effects: &mut Effects,
    ) {
        let state = &self.state;
        self.answered.remember(cause, answer.clone(), |member| is_kept(state, member));
        let message = answer.message(cause.command.clone());
        effects.push(Effect::Send { session, message });
    }

    pub(super) fn new_ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    /// Breaks ties between moves that the bot of this job finds equally good.
    pub(super) const fn seed_for(&self, ticket: Ticket) -> u64 {
        self.seeds.seed.wrapping_add(ticket.0)
    }
}

/// Whether this member's replies are never evicted for those of others.
pub(super) fn is_kept(state: &RoomState, member: &MemberId) -> bool {
    state.host == *member || state.seats.of_member(member).is_some()
}
