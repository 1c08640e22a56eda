//! The state of the screen, and the one function that changes it: [`App::update`].
//!
//! It takes an event (a key, a click, a table message) and returns effects (a request, the bell,
//! leaving). It knows no clock, socket or terminal, so the tests play whole games in it. Keys and
//! clicks are handled in `act`, table messages in `hear`.

mod event;
mod heat_map;
mod input;
mod input_mode;
mod message_log;
mod opening;
mod opening_draft;
mod questions;
mod table_messages;
#[cfg(test)]
mod tests;
mod unanswered;

use fivefold_shared::{
    opening::Ask,
    protocol::{Absent, CLAIM_AFTER_MS, MemberId, Phase, Spectators},
    room::RoomState,
    rules::{Point, Position, Rules, Size, Stone},
    seat::Seat,
};
use ratatui::layout::Rect;

pub(super) use self::{
    event::{Effect, Event},
    heat_map::Heat,
    input_mode::{Connection, Mode, Offer, Question},
    message_log::{Kind, Log},
};
use self::{opening_draft::Draft, unanswered::Unanswered};
use super::{
    layout::{Layout, Window},
    options::Options,
    theme::Theme,
};
use crate::{
    play::{challenges::Challenges, lost_moves, perspective::Perspective},
    words::room_sentences,
};

/// Points that the window keeps between the cursor and its edges where it can.
const MARGIN: i32 = 1;

/// From then on a move on its way is drawn, in milliseconds.
const LATE_MS: u64 = 500;
/// From then on the title counts a silent server's seconds.
const SILENT_SECONDS: u64 = 2;

/// A letter that may be the start of a typed point, with the state of the screen before its command
/// ran.
#[derive(Clone, Copy, Debug)]
struct TypedLetter {
    letter: char,
    cursor: Point,
    origin: Point,
    look: Option<usize>,
    follow: bool,
}

/// The state of the screen.
#[derive(Clone, Debug)]
pub(super) struct App {
    room: RoomState,
    you: MemberId,
    link: String,
    spectators: Spectators,
    away: Absent,
    /// How long a player may be away on their turn before the opponent may claim the win.
    claim_after_ms: u64,
    challenges: Challenges,
    /// The time by the server's clock.
    now: u64,
    connection: Connection,
    theme: Theme,
    mouse: bool,
    /// The position on the screen: the game's, or an earlier one.
    position: Position,
    /// The ply shown while looking back.
    look: Option<usize>,
    /// Where renju forbids a stone in the position on the screen.
    forbidden: Vec<Point>,
    cursor: Point,
    /// The last clicked point; a second click puts a stone there.
    clicked: Option<Point>,
    typed: Option<TypedLetter>,
    screen: Rect,
    /// The wanted top-left point of the window.
    origin: Point,
    scale: Option<u16>,
    /// Whether the window follows play; off after panning, until `Tab`.
    follow: bool,
    heat: Heat,
    /// What the opening asks of a seat.
    ask: Option<Ask>,
    /// An act of the opening that is not sent yet.
    draft: Draft,
    log: Log,
    mode: Mode,
    unanswered: Unanswered,
    /// For how long the server has been silent although something was asked, in milliseconds.
    silent_ms: u64,
    /// Whether the server was restored while the connection was lost.
    is_restored: bool,
    /// Whether this is a stored game, which nobody plays.
    is_stored: bool,
}

impl App {
    /// A screen for a room as it is now. `link` is the shareable link; empty if there is none.
    pub(super) fn new(room: RoomState, you: MemberId, link: String, options: Options) -> Self {
        let mut app = Self {
            position: Position::new(room.rules),
            room,
            you,
            link,
            spectators: Spectators::default(),
            away: Absent::default(),
            claim_after_ms: CLAIM_AFTER_MS,
            challenges: Challenges::default(),
            now: 0,
            connection: Connection::Up,
            theme: Theme::new(options.colour, options.glyphs),
            mouse: options.mouse,
            look: None,
            forbidden: Vec::new(),
            cursor: Point::default(),
            clicked: None,
            typed: None,
            screen: Rect::new(0, 0, 80, 24),
            origin: Point::default(),
            scale: None,
            follow: true,
            heat: Heat::default(),
            ask: None,
            draft: Draft::default(),
            log: Log::default(),
            mode: Mode::Board,
            unanswered: Unanswered::default(),
            silent_ms: 0,
            is_restored: false,
            is_stored: false,
        };
        if !app.room.time.is_none() {
            app.log.say(&room_sentences::time(app.room.time));
        }
        app.begin();
        app
    }

    /// Logs news for the person.
    pub(super) fn say(&mut self, text: &str) {
        self.log.say(text);
    }

    /// Applies an event and returns the effects to carry out.
    pub(super) fn update(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            Event::Key(key) => self.key(key, &mut effects),
            Event::Mouse(mouse) => self.mouse_event(mouse, &mut effects),
            Event::Paste(text) => self.paste(&text),
            Event::Heard(message) => self.hear(message, &mut effects),
            Event::Lost { reason, retry_ms } => {
                self.is_restored = false;
                self.log.warn(&format!("the connection is lost: {reason}"));
                self.connection = Connection::Lost { retry_at: self.now.saturating_add(retry_ms) };
            }
            Event::Restored(moves) => {
                self.is_restored = true;
                self.log.warn(&lost_moves::sentence(moves));
            }
            Event::Back => {
                self.connection = Connection::Up;
                if !std::mem::take(&mut self.is_restored) {
                    self.log.say("Connected again.");
                }
            }
            Event::AboutPerson(text, true) => {
                self.log.forget(Kind::Refusal);
                self.log.say(&text);
            }
            Event::AboutPerson(text, false) => self.log.refusal(&text),
            Event::BotFailed => self.log.warn(room_sentences::BOT_FAILED),
            Event::Closed(text) => self.close(&text),
            Event::Spectators(spectators) => self.spectators = spectators,
            Event::Away { away, claim_after_ms } => {
                (self.away, self.claim_after_ms) = (away, claim_after_ms);
            }
            Event::Stored => self.is_stored = true,
            Event::Tick { now, silent_ms } => (self.now, self.silent_ms) = (now, silent_ms),
            Event::Sent(id, request) => self.unanswered.add(id, request, self.now),
            Event::Saved(Ok(file)) => self.log.say(&format!("the game is saved in {file}")),
            Event::Saved(Err(why)) => self.log.mistake(&format!("the game is not saved: {why}")),
            Event::Suspend => effects.push(Effect::Suspend),
        }
        effects
    }

    /// Lays everything out for a drawing of this size, and keeps the same point in the middle.
    pub(super) fn fit(&mut self, screen: Rect) {
        if screen == self.screen {
            return;
        }
        let middle = self.window().map(|window| window.middle());
        self.screen = screen;
        self.centre(middle.unwrap_or(self.cursor));
        match self.follow {
            true => self.show_last(),
            false => self.show(self.cursor),
        }
    }

    /// Shows the room's game from its start: on start, for every new game, and after the room's
    /// state was replaced.
    fn begin(&mut self) {
        self.look = None;
        self.follow = true;
        self.refresh();
        self.cursor = match (self.position.last_move(), self.rules().size()) {
            (Some(last), _) => last,
            (None, Size::Bounded { width, height }) => {
                Point::new(i32::from(width) / 2, (i32::from(height) - 1) / 2)
            }
            (None, Size::Unbounded) => Point::default(),
        };
        self.centre(self.cursor);
        self.renew_draft();
    }

    /// Updates everything derived from the room's game or from looking back.
    fn refresh(&mut self) {
        let live = self.room.game.as_ref().map(|game| &game.position);
        self.position = match (live, self.look) {
            (Some(live), Some(ply)) if ply < live.ply() => {
                Position::from_moves(live.rules(), &live.moves()[..ply])
                    .expect("moves that were played once can be played again")
            }
            (Some(live), _) => {
                self.look = None;
                live.clone()
            }
            (None, _) => {
                self.look = None;
                Position::new(self.room.rules)
            }
        };
        let open = self.room.running().is_some() && self.position.outcome().is_none();
        let told = open && (self.is_mine(self.room.seat_of(Stone::Black)) || !self.is_seated());
        self.forbidden = match told {
            true => self.position.forbidden_points().into_iter().map(|(point, _)| point).collect(),
            false => Vec::new(),
        };
        self.clicked = None;
    }

    /// Moves the window as little as possible so that a point is inside.
    fn show(&mut self, point: Point) {
        if let Some(window) = self.window() {
            self.origin = window.origin_showing(point, MARGIN);
            self.keep_inside();
        }
    }

    /// Centres the window on a point.
    fn centre(&mut self, point: Point) {
        if let Some(window) = self.window() {
            self.origin = Point {
                x: point.x - i32::from(window.columns) / 2,
                y: point.y - i32::from(window.rows) / 2,
            };
            self.keep_inside();
        }
    }

    /// Clamps the origin to the board's borders.
    fn keep_inside(&mut self) {
        if let Some(window) = self.window() {
            self.origin = window.origin;
        }
    }

    /// The layout of the screen.
    pub(super) fn layout(&self) -> Layout {
        Layout::new(self.screen, self.rules().size(), self.scale)
    }

    /// The part of the board on the screen; `None` when the terminal is too small for a point.
    pub(super) fn window(&self) -> Option<Window> {
        Window::new(self.layout().board, self.rules().size(), self.origin, self.scale)
    }

    /// The rules of the room.
    pub(super) const fn rules(&self) -> Rules {
        self.room.rules
    }

    /// The room.
    pub(super) const fn room(&self) -> &RoomState {
        &self.room
    }

    /// The room as this person sees it.
    pub(super) const fn perspective(&self) -> Perspective<'_> {
        Perspective { room: &self.room, me: &self.you }
    }

    /// The shareable link of this room.
    pub(super) fn link(&self) -> &str {
        &self.link
    }

    /// The spectators.
    pub(super) const fn spectators(&self) -> &Spectators {
        &self.spectators
    }

    /// The absent players.
    pub(super) const fn away(&self) -> Absent {
        self.away
    }

    /// The time by the server's clock, in milliseconds since the Unix epoch.
    pub(super) const fn now(&self) -> u64 {
        self.now
    }

    /// Whether the screen changes with time alone: a clock runs, a player is away, was nudged or must
    /// begin, or a challenge stands.
    pub(super) fn is_ticking(&self) -> bool {
        let clock = self.room.game.as_ref().and_then(|game| game.clock);
        let claim = Seat::BOTH.into_iter().any(|seat| self.claim_at(seat).is_some());
        let first_act = self.room.running().is_some_and(|game| game.first_act.is_some());
        let challenge = self.challenges.open(self.now).next().is_some();
        let is_lost = matches!(self.connection, Connection::Lost { .. });
        clock.is_some_and(|clock| clock.running().is_some())
            || claim
            || first_act
            || challenge
            || is_lost
            || !self.unanswered.is_empty()
    }

    /// The move of this person that the server has not confirmed for a while.
    pub(super) fn late_move(&self) -> Option<Point> {
        let (point, since) = self.unanswered.play(self.ply())?;
        (self.now.saturating_sub(since) >= LATE_MS).then_some(point)
    }

    /// The move of this person that is on its way.
    pub(super) fn pending(&self) -> Option<Point> {
        self.unanswered.play(self.ply()).map(|(point, _)| point)
    }

    /// The most urgent news: the connection is lost, or the server is silent.
    /// The messages say why.
    pub(super) fn banner(&self) -> Option<String> {
        let silence = || {
            let waited = self.unanswered.oldest().map_or(0, |since| self.now.saturating_sub(since));
            let seconds = waited.max(self.silent_ms) / 1000;
            (seconds >= SILENT_SECONDS)
                .then(|| format!(" !! No answer from the server for {seconds} s"))
        };
        self.connection.banner(self.now).or_else(silence)
    }

    /// The letter that waits for a digit, if one does.
    pub(super) fn waiting_letter(&self) -> Option<char> {
        self.typed.map(|typed| typed.letter)
    }

    /// Whether the opponent has been away, or has not answered, for long enough to claim the game.
    pub(super) fn may_claim(&self) -> bool {
        let gone = |seat: Seat| {
            self.is_mine(seat.other()) && self.claim_at(seat).is_some_and(|at| at <= self.now)
        };
        Seat::BOTH.into_iter().any(gone)
    }

    fn claim_at(&self, seat: Seat) -> Option<u64> {
        let nudge = self.room.running()?.nudge.filter(|nudge| nudge.by == seat.other());
        let absent = self.away.get(seat).and_then(|away| away.claim_at);
        [absent, nudge.map(|nudge| nudge.until)].into_iter().flatten().min()
    }

    /// The state of the connection to the table.
    #[cfg(test)]
    pub(super) const fn connection(&self) -> Connection {
        self.connection
    }

    /// Colours and glyphs.
    pub(super) const fn theme(&self) -> Theme {
        self.theme
    }

    /// Whether mouse clicks go to the game.
    pub(super) const fn has_mouse(&self) -> bool {
        self.mouse
    }

    /// The position on the screen.
    pub(super) const fn position(&self) -> &Position {
        &self.position
    }

    /// The number of moves shown while looking back.
    pub(super) const fn look(&self) -> Option<usize> {
        self.look
    }

    /// Where renju forbids a stone to Black, who is to move.
    pub(super) fn forbidden(&self) -> &[Point] {
        &self.forbidden
    }

    /// The point under the cursor.
    pub(super) const fn cursor(&self) -> Point {
        self.cursor
    }

    /// Whether the window follows play.
    pub(super) const fn follows(&self) -> bool {
        self.follow
    }

    /// The weights, if known.
    pub(super) const fn heat(&self) -> &Heat {
        &self.heat
    }

    /// The messages so far.
    pub(super) const fn log(&self) -> &Log {
        &self.log
    }

    /// The mode, which decides what the keyboard controls.
    pub(super) const fn mode(&self) -> &Mode {
        &self.mode
    }

    /// Whether this person plays a seat. At one keyboard it may be both.
    pub(super) fn is_mine(&self, seat: Seat) -> bool {
        self.perspective().plays(seat)
    }

    /// Whether this person plays.
    pub(super) fn is_seated(&self) -> bool {
        self.perspective().seat().is_some()
    }

    /// Whether a server or a game in this process answers: neither for a stored game nor in a closed room.
    pub(super) const fn may_ask(&self) -> bool {
        !self.is_stored && !matches!(self.connection, Connection::Closed)
    }

    /// Whether this person has made a move, and waits for no answer about taking one back.
    pub(super) fn may_take_back(&self) -> bool {
        let Some(game) = self.room.running().filter(|game| game.takeback_ask.is_none()) else {
            return false;
        };
        let own = Stone::BOTH.into_iter().filter(|stone| self.is_mine(self.room.seat_of(*stone)));
        own.map(|stone| if stone == Stone::Black { 1 } else { 2 })
            .any(|ply| game.position.ply() >= ply)
    }

    /// Whether this person is to move.
    pub(super) fn is_my_turn(&self) -> bool {
        self.perspective().is_my_turn()
    }

    /// Whether bots help this person now.
    pub(super) fn is_assisted(&self) -> bool {
        let has_bot = |seat: Seat| self.room.seats.get(seat).is_some_and(|p| p.bot().is_some());
        let own = self.perspective().seat();
        self.room.game.is_some()
            && match self.room.running() {
                Some(_) => own.is_some_and(|own| self.room.assistance || has_bot(own.other())),
                None => !self.is_stored,
            }
    }

    /// The phase of the room.
    pub(super) fn phase(&self) -> Phase {
        self.room.phase()
    }

    /// Whether a game has ended, and no other one has begun.
    pub(super) fn is_over(&self) -> bool {
        self.room.game.is_some() && self.room.running().is_none()
    }

    /// The number of moves in the game.
    pub(super) fn ply(&self) -> usize {
        self.room.game.as_ref().map_or(0, |game| game.position.ply())
    }

    /// The opponent's open offer or request.
    pub(super) fn open_offer(&self) -> Option<Offer> {
        self.offer_in_game()
            .or_else(|| self.challenges.open(self.now).next().map(|_| Offer::Challenge))
    }

    /// The offer that this person can turn down: the opponent's, or their own request for a rematch.
    fn declinable(&self) -> Option<Offer> {
        let asks = self.room.game.as_ref().and_then(|game| game.rematch_ask);
        let asks = asks.is_some_and(|by| self.is_mine(by));
        self.open_offer()
            .filter(|offer| offer.is_declined())
            .or_else(|| asks.then_some(Offer::Rematch))
    }

    /// The challenges to this person.
    pub(super) const fn challenges(&self) -> &Challenges {
        &self.challenges
    }

    fn offer_in_game(&self) -> Option<Offer> {
        let game = self.room.game.as_ref()?;
        let theirs =
            |by: Option<Seat>| by.is_some_and(|by| !self.is_mine(by) && self.is_mine(by.other()));
        if theirs(game.draw_offer) {
            Some(Offer::Draw)
        } else if theirs(game.takeback_ask) {
            Some(Offer::Takeback)
        } else if theirs(game.rematch_ask) {
            Some(Offer::Rematch)
        } else if self.may_claim() {
            Some(Offer::Claim)
        } else {
            None
        }
    }
}
