//! The state of a room as defined by its events.
//!
//! Server and clients fold the same events with this one function, so they cannot disagree about a
//! game. This file does not know who may cause which event.

use std::num::NonZeroU32;

use super::{rated_or_casual::Terms, rated_players::RatedPlayers, timeline::Timeline};
use crate::{
    clock::{Clock, SideTime, TimeControl, TimeOff},
    conditional_moves::{ConditionalMoves, GameConditionalMoves},
    opening::{Ask, Change, MadeAct, Opening, OpeningKind, Refused},
    protocol::{
        Absent, Event, FirstAct, GameId, GameSnapshot, MemberId, Nudge, NumberedEvent,
        OpeningSnapshot, Phase, Player, Seats, Snapshot, Visibility, WhyCasual,
    },
    rules::{Illegal, Outcome, Point, Position, Rules, Stone},
    seat::{BySeat, Seat},
};

/// The state of a room after its event number `seq`.
#[derive(Clone, Debug)]
pub struct RoomState {
    /// The number of the last event.
    pub seq: u64,
    /// The variant and the board of all games here.
    pub rules: Rules,
    /// Whether the room is listed.
    pub visibility: Visibility,
    /// Whether players may get help from a bot against people.
    pub assistance: bool,
    /// The creator.
    pub host: MemberId,
    /// How much time the players have in each game.
    pub time: TimeControl,
    /// How each game opens.
    pub opening: OpeningKind,
    /// Whether people may chat in it.
    pub chat: bool,
    /// Whether the server has paired the players.
    pub paired: bool,
    /// The seat that begins with Black in the first game. Later games alternate, except after a game
    /// that was aborted.
    pub first_black: Seat,
    /// The players by seat.
    pub seats: Seats,
    /// The game, running or ended; absent before the first one.
    pub game: Option<Game>,
    /// The players of the last game that was rated, or only casual for them; absent after a snapshot.
    pub(super) rated_players: Option<RatedPlayers>,
}

/// One game in a room.
#[derive(Clone, Debug)]
pub struct Game {
    /// 1 for the first game in this room.
    pub number: u32,
    /// The id under which the ended game is found.
    pub id: GameId,
    /// Its players. They stay those of the game when others take the seats after its end.
    pub players: BySeat<Player>,
    /// Whether it is rated, as its players know since it began.
    pub rated: bool,
    /// Why it is not, though both players may play rated games.
    pub casual: Option<WhyCasual>,
    /// The divisor of a rated game that does not count whole.
    pub part: Option<NonZeroU32>,
    /// The opening; over from the start in a free game. It alone knows which seat plays Black.
    pub opening: Opening,
    /// The board, the moves and, at the end, the outcome.
    pub position: Position,
    /// The clock, if there is a time control. It is stopped before the first move and after the
    /// end.
    pub clock: Option<Clock>,
    /// The first act for which the game waits; only in daily games and the first game of a paired room.
    pub first_act: Option<FirstAct>,
    /// The nudge that the seat to act has not answered.
    pub nudge: Option<Nudge>,
    /// The seat that offers a draw, if any.
    pub draw_offer: Option<Seat>,
    /// The seat that asks for a takeback, if any.
    pub takeback_ask: Option<Seat>,
    /// The seat that wants another game after this one, if any.
    pub rematch_ask: Option<Seat>,
    /// The seat whose request for another game was declined or withdrawn last: the opponent asks next.
    /// A snapshot does not carry it.
    pub(super) rematch_ended: Option<Seat>,
    /// How many takebacks were granted; 0 after a snapshot, which does not carry it.
    pub takebacks: u32,
    /// When things happened in it; absent after a snapshot, which does not carry it.
    pub(super) timeline: Option<Timeline>,
}

/// Why events cannot be folded: they are not the log of a room, or not its next part.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FoldError {
    /// The first event is not `created`.
    #[error("a room's log begins with `created`")]
    NoBeginning,
    /// An event is missing or out of order.
    #[error("event {found} came where {expected} was due")]
    Gap {
        /// The expected number.
        expected: u64,
        /// The actual number.
        found: u64,
    },
    /// The event does not fit the state, such as a move without a game.
    #[error("event {seq} does not fit the room: {text}")]
    Misfit {
        /// The event's number.
        seq: u64,
        /// The mismatch.
        text: String,
    },
}

/// Why a snapshot cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SnapshotError {
    /// A move cannot be played.
    #[error("a move is illegal: {0}")]
    Illegal(#[from] Illegal),
    /// An act of the opening is refused.
    #[error("an act of the opening is refused: {0}")]
    Refused(#[from] Refused),
    /// The opening's acts lead to other stones or colours.
    #[error("the opening does not fit the moves")]
    Misfit,
}

impl RoomState {
    /// Starts from the first event of a log.
    ///
    /// # Errors
    /// When that is not `created`, or not number 1.
    pub fn begin(first: &NumberedEvent) -> Result<Self, FoldError> {
        if first.seq != 1 {
            return Err(FoldError::Gap { expected: 1, found: first.seq });
        }
        match &first.event {
            Event::Created {
                rules,
                visibility,
                assistance,
                host,
                time,
                opening,
                chat,
                paired,
                black,
            } => {
                opening
                    .offered(*rules)
                    .map_err(|error| FoldError::Misfit { seq: 1, text: error.to_string() })?;
                Ok(Self {
                    seq: 1,
                    rules: *rules,
                    visibility: *visibility,
                    assistance: *assistance,
                    host: host.clone(),
                    time: *time,
                    opening: *opening,
                    chat: *chat,
                    paired: *paired,
                    first_black: *black,
                    seats: Seats::default(),
                    game: None,
                    rated_players: None,
                })
            }
            Event::Sat { .. }
            | Event::Stood { .. }
            | Event::Renamed { .. }
            | Event::Started { .. }
            | Event::Asked { .. }
            | Event::Played { .. }
            | Event::Stayed { .. }
            | Event::Swapped { .. }
            | Event::Declared { .. }
            | Event::Offered { .. }
            | Event::OpeningOver {}
            | Event::DrawOffered { .. }
            | Event::DrawDeclined { .. }
            | Event::TakebackAsked { .. }
            | Event::TakebackRefused { .. }
            | Event::TakenBack { .. }
            | Event::Resumed { .. }
            | Event::FirstActDue { .. }
            | Event::TimeOff { .. }
            | Event::Nudged { .. }
            | Event::Ended { .. }
            | Event::RematchAsked { .. }
            | Event::RematchDeclined { .. }
            | Event::ChatSet { .. } => Err(FoldError::NoBeginning),
        }
    }

    /// Folds a whole log.
    ///
    /// # Errors
    /// As [`begin`](Self::begin) and [`apply`](Self::apply).
    pub fn from_log<'a>(
        log: impl IntoIterator<Item = &'a NumberedEvent>,
    ) -> Result<Self, FoldError> {
        Self::fold(log, |_, _| ())
    }

    /// Folds a whole log, and calls `after` with the state after each event but the first.
    pub(super) fn fold<'a>(
        log: impl IntoIterator<Item = &'a NumberedEvent>,
        mut after: impl FnMut(&Self, &Event),
    ) -> Result<Self, FoldError> {
        let mut log = log.into_iter();
        let mut room = Self::begin(log.next().ok_or(FoldError::NoBeginning)?)?;
        for next in log {
            room.apply(next)?;
            after(&room, &next.event);
        }
        Ok(room)
    }

    /// Folds the next event.
    ///
    /// # Errors
    /// When the event is not the next one or does not fit; the state is then unchanged.
    pub fn apply(&mut self, next: &NumberedEvent) -> Result<(), FoldError> {
        if next.seq != self.seq + 1 {
            return Err(FoldError::Gap { expected: self.seq + 1, found: next.seq });
        }
        self.change(next.at, &next.event)
            .map_err(|text| FoldError::Misfit { seq: next.seq, text })?;
        self.seq = next.seq;
        Ok(())
    }

    fn change(&mut self, at: u64, event: &Event) -> Result<(), String> {
        match event {
            Event::Created { .. } => return Err("a room is created once".into()),
            Event::Sat { seat, player } => {
                self.seats[*seat] = Some(player.clone());
                if let Some(game) = &mut self.game {
                    game.seat(*seat, player);
                }
            }
            Event::Stood { seat } => {
                self.seats[*seat] = None;
                // The request for another game leaves with the player who made it.
                if let Some(game) = &mut self.game {
                    game.rematch_ask = game.rematch_ask.filter(|by| by != seat);
                }
            }
            Event::Renamed { seat, name } => {
                let Some(Player::Member { member, name: old, .. }) = &mut self.seats[*seat] else {
                    return Err("nobody with a name sits there".into());
                };
                *old = name.clone();
                if let Some(game) = self.game.as_mut()
                    && let Player::Member { member: playing, name: old, .. } =
                        &mut game.players[*seat]
                    && playing == member
                {
                    *old = name.clone();
                }
            }
            Event::Started { game, black, id, rated, casual, part } => {
                let terms = Terms { rated: *rated, casual: *casual, part: *part };
                self.start(*game, *black, id, terms, at)?;
            }
            Event::Asked { ask } => self.game_mut()?.check_ask(Some(ask))?,
            Event::OpeningOver {} => self.game_mut()?.check_ask(None)?,
            Event::Stayed { by, time } => {
                self.game_mut()?.choose(*by, &Change::Stay, *time, at)?;
            }
            Event::Swapped { by, time } => {
                self.game_mut()?.choose(*by, &Change::Swap, *time, at)?;
            }
            Event::Declared { by, count, time } => {
                self.game_mut()?.choose(*by, &Change::Declare(*count), *time, at)?;
            }
            Event::Offered { by, points, time } => {
                self.game_mut()?.choose(*by, &Change::Offer(points.clone()), *time, at)?;
            }
            Event::Played { ply, point, assisted, time } => {
                let game = self.game_mut()?;
                game.play(*ply, *point, *time, at)?;
                if let Some(timeline) = &mut game.timeline {
                    timeline.play(at, *assisted);
                }
            }
            Event::DrawOffered { by } => self.game_mut()?.draw_offer = Some(*by),
            Event::DrawDeclined { .. } => self.game_mut()?.draw_offer = None,
            Event::TakebackAsked { by } => self.game_mut()?.takeback_ask = Some(*by),
            Event::TakebackRefused { .. } => self.game_mut()?.takeback_ask = None,
            Event::TakenBack { ply } => self.game_mut()?.take_back(*ply, at)?,
            Event::Resumed { from } => self.game_mut()?.resume(*from),
            Event::FirstActDue { seat, until } => self.game_mut()?.await_first_act(*seat, *until),
            Event::TimeOff { seat, off } => self.game_mut()?.take_off(*seat, *off, at)?,
            Event::Nudged { by, until } => self.game_mut()?.await_answer(*by, *until),
            Event::Ended { outcome, rated } => self.game_mut()?.end(outcome, *rated, at)?,
            Event::RematchAsked { by } => self.game_mut()?.ask_rematch(*by),
            Event::RematchDeclined { .. } => self.game_mut()?.end_rematch(),
            Event::ChatSet { on } => self.chat = *on,
        }
        Ok(())
    }

    fn start(
        &mut self,
        number: u32,
        black: Seat,
        id: &GameId,
        Terms { rated, casual, part }: Terms,
        at: u64,
    ) -> Result<(), String> {
        let Seats { first: Some(first), second: Some(second) } = self.seats.clone() else {
            return Err("a seat is vacant".into());
        };
        if rated || casual.is_some() {
            self.rated_players = RatedPlayers::of(&self.seats);
        }
        self.game = Some(Game {
            number,
            id: id.clone(),
            players: BySeat { first, second },
            rated,
            casual,
            part,
            opening: Opening::new(self.opening, black),
            position: Position::new(self.rules),
            clock: Clock::new(self.time),
            first_act: None,
            nudge: None,
            draw_offer: None,
            takeback_ask: None,
            rematch_ask: None,
            rematch_ended: None,
            takebacks: 0,
            timeline: Some(Timeline::new(at)),
        });
        Ok(())
    }

    fn game_mut(&mut self) -> Result<&mut Game, String> {
        self.game.as_mut().ok_or_else(|| "there is no game".into())
    }

    /// How far the room has come.
    pub fn phase(&self) -> Phase {
        match &self.game {
            Some(game) if game.is_running() => Phase::Running,
            Some(_) if self.seats.vacant().is_none() => Phase::Finished,
            Some(_) | None => Phase::Waiting,
        }
    }

    /// The game, if one is running.
    pub fn running(&self) -> Option<&Game> {
        self.game.as_ref().filter(|game| game.is_running())
    }

    /// The players of a running game between two people, in a room whose first players the server
    /// has paired. Absent in a daily game, beside which they may play others.
    pub fn paired_players(&self) -> Option<BySeat<MemberId>> {
        self.running().filter(|_| self.paired && !self.time.is_daily())?;
        members(&self.seats)
    }

    /// Whether a player may abort the game: it is daily or the first one of a paired room, and not both
    /// have acted.
    pub fn is_abortable(&self) -> bool {
        let is_due = |game: &&Game| self.time.is_daily() || self.paired && game.number == 1;
        let unbegun = self.running().filter(is_due);
        unbegun.is_some_and(|game| !Seat::BOTH.into_iter().all(|seat| game.has_acted(seat)))
    }

    /// The seat to act, while a game is running.
    pub fn to_act(&self) -> Option<Seat> {
        self.game.as_ref()?.to_act()
    }

    /// The seat that plays Black: in the game, or in the first one before it begins.
    pub fn black(&self) -> Seat {
        self.game.as_ref().map_or(self.first_black, Game::black)
    }

    /// The seat that begins with Black in the next game: the other one than before, unless nobody has
    /// played that game.
    pub(super) fn next_black(&self) -> Seat {
        let Some(game) = &self.game else { return self.first_black };
        let first = game.opening.first();
        let is_aborted = matches!(game.position.outcome(), Some(Outcome::Aborted { .. }));
        if is_aborted { first } else { first.other() }
    }

    /// The seat that a visitor can take: a vacant one, or that of a guest who is away and has not acted
    /// yet in a game that the server has not paired and that is not daily. Their link may have been opened
    /// by a program.
    pub fn open_seat(&self, away: Absent) -> Option<Seat> {
        let is_unbegun = |seat: &Seat| {
            let is_host = self.seats.of_member(&self.host) == Some(*seat);
            let is_kept = self.paired || self.time.is_daily() || is_host;
            let game = self.running().filter(|_| !is_kept);
            away.get(*seat).is_some() && game.is_some_and(|game| !game.has_acted(*seat))
        };
        self.seats.vacant().or_else(|| Seat::BOTH.into_iter().find(is_unbegun))
    }

    /// A seat's stone: in the game, or in the first one before it begins.
    pub fn stone_of(&self, seat: Seat) -> Stone {
        seat.stone(self.black())
    }

    /// The seat that has this stone.
    pub fn seat_of(&self, stone: Stone) -> Seat {
        Seat::with_stone(stone, self.black())
    }

    /// The whole state as one message.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            seq: self.seq,
            rules: self.rules,
            visibility: self.visibility,
            assistance: self.assistance,
            host: self.host.clone(),
            time: self.time,
            opening: self.opening,
            chat: self.chat,
            paired: self.paired,
            black: self.first_black,
            seats: self.seats.clone(),
            game: self.game.as_ref().map(Game::snapshot),
        }
    }

    /// The state that a snapshot describes.
    ///
    /// # Errors
    /// When its opening or its moves cannot be played.
    pub fn from_snapshot(snapshot: Snapshot) -> Result<Self, SnapshotError> {
        let game =
            snapshot.game.map(|game| Game::from_snapshot(snapshot.rules, game)).transpose()?;
        Ok(Self {
            seq: snapshot.seq,
            rules: snapshot.rules,
            visibility: snapshot.visibility,
            assistance: snapshot.assistance,
            host: snapshot.host,
            time: snapshot.time,
            opening: snapshot.opening,
            chat: snapshot.chat,
            paired: snapshot.paired,
            first_black: snapshot.black,
            seats: snapshot.seats,
            game,
            rated_players: None,
        })
    }
}

impl Game {
    /// The seat to act; none when the game is over. This alone defines whose turn it is.
    pub fn to_act(&self) -> Option<Seat> {
        let mover = || self.seat_of(self.position.turn());
        self.is_running().then(|| self.opening.to_act().unwrap_or_else(mover))
    }

    fn is_running(&self) -> bool {
        self.position.outcome().is_none()
    }

    /// The seat that plays Black at this moment.
    pub const fn black(&self) -> Seat {
        self.opening.black()
    }

    /// A seat's stone at this moment.
    pub const fn stone_of(&self, seat: Seat) -> Stone {
        seat.stone(self.black())
    }

    /// The seat that has this stone at this moment.
    pub const fn seat_of(&self, stone: Stone) -> Seat {
        Seat::with_stone(stone, self.black())
    }

    /// What the opening asks of the seat to act; `None` once the opening or the game is over.
    pub fn ask(&self) -> Option<Ask> {
        self.to_act()?;
        self.opening.ask(&self.position)
    }

    /// Whether a seat has put a stone that is on the board, or acted in the opening.
    pub fn has_acted(&self, seat: Seat) -> bool {
        let is_theirs = |made: &MadeAct| made.by == seat;
        let later = self.position.ply().saturating_sub(self.opening.stones());
        // After the opening, seats put stones in turn.
        let put = match later {
            0 => false,
            1 => self.seat_of(self.position.turn()) != seat,
            _ => true,
        };
        put || self.opening.acts().iter().any(is_theirs)
    }

    /// How many stones were put and how many acts of the opening were made: both grow, and every
    /// act changes one of them.
    pub fn progress(&self) -> (usize, usize) {
        (self.position.ply(), self.opening.acts().len())
    }

    /// A number that no other turn in the room has, not even after a takeback or in a later game. A room's log has
    /// fewer than 2^20 events.
    pub fn turn_number(&self) -> u64 {
        let (stones, acts) = self.progress();
        (u64::from(self.number) << 40) + (u64::from(self.takebacks) << 20) + (stones + acts) as u64
    }

    /// Conditional moves for the game as it is now.
    pub const fn planned(&self, moves: ConditionalMoves) -> GameConditionalMoves {
        GameConditionalMoves { game: self.number, takebacks: self.takebacks, moves }
    }

    /// Conditional moves, if they are for this game, and no takeback has ended them.
    pub fn plan<'m>(&self, planned: &'m GameConditionalMoves) -> Option<&'m ConditionalMoves> {
        let is_own = (planned.game, planned.takebacks) == (self.number, self.takebacks);
        is_own.then_some(&planned.moves)
    }

    /// How the game ended, and for which seat.
    pub fn outcome(&self) -> Option<Outcome<Seat>> {
        self.position.outcome().map(|outcome| outcome.map(|stone| self.seat_of(stone)))
    }

    fn play(
        &mut self,
        ply: usize,
        point: Point,
        time: Option<SideTime>,
        at: u64,
    ) -> Result<(), String> {
        if ply != self.position.ply() {
            return Err(format!("move {ply} came where {} was due", self.position.ply()));
        }
        let mover = self.to_act().ok_or("the game is over")?;
        if self.opening.is_over() {
            self.position.play(point).map_err(|illegal| illegal.to_string())?;
        } else {
            self.opening
                .change(&mut self.position, &Change::Put(point))
                .map_err(|refused| refused.to_string())?;
        }
        // An offer lapses when the other player moves instead of answering it. A takeback request
        // means the move that was last when the request came.
        if self.draw_offer == Some(mover.other()) {
            self.draw_offer = None;
        }
        self.takeback_ask = None;
        self.stop_waiting();
        self.pass_clock(mover, time, at);
        Ok(())
    }

    /// Makes a change of the opening that is not a stone.
    fn choose(
        &mut self,
        by: Seat,
        change: &Change,
        time: Option<SideTime>,
        at: u64,
    ) -> Result<(), String> {
        if self.to_act() != Some(by) {
            return Err("it is not this seat's turn".into());
        }
        self.opening.change(&mut self.position, change).map_err(|refused| refused.to_string())?;
        self.stop_waiting();
        self.pass_clock(by, time, at);
        Ok(())
    }

    fn await_first_act(&mut self, seat: Seat, until: u64) {
        self.first_act = Some(FirstAct { seat, until });
    }

    /// A player's time stands still in this period.
    fn take_off(&mut self, seat: Seat, off: TimeOff, at: u64) -> Result<(), String> {
        let clock = self.clock.as_mut().ok_or("there is no clock")?;
        clock.set_off(seat, off, at);
        Ok(())
    }

    /// Waits for the answer to a nudge.
    fn await_answer(&mut self, by: Seat, until: u64) {
        self.nudge = Some(Nudge { by, until });
    }

    /// The turn changes, or the game ends: nobody waits for the act that was due.
    fn stop_waiting(&mut self) {
        if let Some(timeline) = &mut self.timeline {
            timeline.resumed = false;
        }
        self.first_act = None;
        self.nudge = None;
    }

    fn check_ask(&self, ask: Option<&Ask>) -> Result<(), String> {
        if self.opening.kind().is_free() || self.ask().as_ref() != ask {
            return Err("the opening asks something else".into());
        }
        Ok(())
    }

    /// After an act, sets the time of its seat and runs the clock of the seat to act. After a part
    /// of an act, or a selection, the same seat must act and its time runs on.
    fn pass_clock(&mut self, by: Seat, time: Option<SideTime>, at: u64) {
        if let (Some(clock), Some(time)) = (&mut self.clock, time) {
            clock.set(by, time);
        }
        if time.is_some() || self.to_act() != Some(by) {
            self.run_clock(at);
        }
    }

    /// Runs the clock of the seat to act from `since`; stops it where no time runs.
    fn run_clock(&mut self, since: u64) {
        let to_act = self.to_act().filter(|_| self.position.ply() > 0);
        match (&mut self.clock, to_act) {
            (Some(clock), Some(seat)) => clock.run(seat, since),
            (Some(clock), None) => clock.stand(),
            (None, _) => {}
        }
    }

    /// Goes on after a fault of the server.
    fn resume(&mut self, since: u64) {
        if let Some(timeline) = &mut self.timeline {
            timeline.resumed = true;
        }
        self.run_clock(since);
    }

    fn take_back(&mut self, ply: usize, at: u64) -> Result<(), String> {
        if ply > self.position.ply() {
            return Err(format!("there are fewer than {ply} moves"));
        }
        if !self.opening.is_over() || ply < self.opening.stones() {
            return Err("the stones of an opening are not taken back".into());
        }
        while self.position.ply() > ply {
            self.position.undo();
        }
        if let Some(timeline) = &mut self.timeline {
            timeline.take_back(ply);
        }
        self.takebacks += 1;
        self.draw_offer = None;
        self.takeback_ask = None;
        self.stop_waiting();
        self.run_clock(at);
        Ok(())
    }

    fn end(&mut self, outcome: &Outcome<Seat>, rated: bool, at: u64) -> Result<(), String> {
        if let Some(timeline) = &mut self.timeline {
            timeline.end(rated, at)?;
        }
        // The position keeps the outcome of a move that ended the game.
        self.position.conclude(outcome.map(|seat| self.stone_of(seat)));
        if let Some(clock) = &mut self.clock {
            clock.stand();
            if let Outcome::Time { winner } = outcome {
                clock.run_out(winner.other());
            }
        }
        self.draw_offer = None;
        self.takeback_ask = None;
        self.stop_waiting();
        Ok(())
    }

    fn snapshot(&self) -> GameSnapshot {
        let opening = OpeningSnapshot {
            kind: self.opening.kind(),
            first: self.opening.first(),
            ask: self.ask(),
            declared: self.opening.declared(),
            offered: self.opening.offered().to_vec(),
            acts: self.opening.acts().to_vec(),
        };
        GameSnapshot {
            number: self.number,
            id: self.id.clone(),
            players: self.players.clone(),
            black: self.black(),
            rated: self.rated,
            casual: self.casual,
            part: self.part,
            opening: Some(opening).filter(|opening| !opening.kind.is_free()),
            moves: self.position.moves().to_vec(),
            draw_offer: self.draw_offer,
            takeback_ask: self.takeback_ask,
            rematch_ask: self.rematch_ask,
            clock: self.clock,
            first_act: self.first_act,
            nudge: self.nudge,
            outcome: self.outcome(),
        }
    }

    /// Somebody sits down: they play a game that runs, and may ask for another one.
    fn seat(&mut self, seat: Seat, player: &Player) {
        if self.is_running() {
            self.players[seat] = player.clone();
        }
        self.rematch_ended = None;
    }

    const fn ask_rematch(&mut self, by: Seat) {
        self.rematch_ask = Some(by);
        self.rematch_ended = None;
    }

    const fn end_rematch(&mut self) {
        self.rematch_ended = self.rematch_ask.take();
    }

    fn from_snapshot(rules: Rules, snapshot: GameSnapshot) -> Result<Self, SnapshotError> {
        let (opening, mut position) = match snapshot.opening {
            Some(opening) => Opening::after(rules, opening.kind, opening.first, &opening.acts)?,
            None => (Opening::new(OpeningKind::Free, snapshot.black), Position::new(rules)),
        };
        let later = snapshot.moves.strip_prefix(position.moves()).ok_or(SnapshotError::Misfit)?;
        if opening.black() != snapshot.black || !(opening.is_over() || later.is_empty()) {
            return Err(SnapshotError::Misfit);
        }
        let later = later.to_vec();
        for point in later {
            position.play(point)?;
        }
        if let Some(outcome) = snapshot.outcome {
            position.conclude(outcome.map(|seat| seat.stone(snapshot.black)));
        }
        Ok(Self {
            number: snapshot.number,
            id: snapshot.id,
            players: snapshot.players,
            rated: snapshot.rated,
            casual: snapshot.casual,
            part: snapshot.part,
            opening,
            position,
            clock: snapshot.clock,
            first_act: snapshot.first_act,
            nudge: snapshot.nudge,
            draw_offer: snapshot.draw_offer,
            takeback_ask: snapshot.takeback_ask,
            rematch_ask: snapshot.rematch_ask,
            rematch_ended: None,
            takebacks: 0,
            timeline: None,
        })
    }
}

/// The two people in the seats of a room.
pub(super) fn members(seats: &Seats) -> Option<BySeat<MemberId>> {
    let member = |seat| match seats.get(seat)? {
        Player::Member { member, .. } => Some(member.clone()),
        Player::Bot { .. } => None,
    };
    Some(BySeat { first: member(Seat::First)?, second: member(Seat::Second)? })
}
