//! Handles keys, clicks and pasted text.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use fivefold_shared::{
    notation::coordinates,
    protocol::{CHAT_TEXT_MAX, ChatText, LobbyRequest, RoomRequest},
    rules::{Point, Size, UNBOUNDED_FIRST, UNBOUNDED_REACH},
};
use ratatui::layout::Position as Cell;

use super::{App, Connection, Effect, Kind, Mode, TypedLetter};
use crate::{
    play::{
        exit_reason::ExitReason,
        person_requests::{AboutError, AboutPerson, PersonRequest},
    },
    tui::{
        keys::{self, Action},
        layout::SCALE_MAX,
        wrapping::graphemes,
    },
};

/// Longest text in the input line: enough for the farthest point.
const INPUT_MAX: usize = 24;
/// A key scrolls the help by this many lines.
const HELP_STEP: u16 = 8;
/// Points per notch of the wheel.
const WHEEL: i32 = 2;

impl App {
    /// A key was pressed.
    pub(super) fn key(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) {
        // These work in every mode.
        let action = keys::action(key, self.rules().size(), self.is_over());
        if let Some(effect) = action.and_then(at_once) {
            return effects.push(effect);
        }
        let reads = matches!(action, None | Some(Action::Help | Action::Messages(_)));
        let only_reads = matches!(self.mode, Mode::Help(_)) || self.mode == Mode::Board && reads;
        match only_reads {
            true => self.key_in_mode(key, action, effects),
            false => self.input(|app| app.key_in_mode(key, action, effects)),
        }
    }

    /// Does what an input asks for. If that is possible, earlier mistakes go away.
    fn input(&mut self, input: impl FnOnce(&mut Self)) {
        let before = self.log.mistakes();
        input(self);
        if self.log.mistakes() == before {
            self.log.forget(Kind::Mistake);
        }
    }

    fn key_in_mode(&mut self, key: KeyEvent, action: Option<Action>, effects: &mut Vec<Effect>) {
        let typed = self.typed.take();
        if let (KeyCode::Char(digit @ '0'..='9'), Some(typed)) = (key.code, typed)
            && matches!(self.mode, Mode::Board | Mode::MayBePoint(_) | Mode::Ask(_))
        {
            return self.type_point(typed, digit);
        }
        match self.mode.clone() {
            Mode::Board => {
                self.clicked = None;
                if let Some(action) = action {
                    self.command(key, action, effects);
                }
            }
            Mode::MayBePoint(command) => {
                self.mode = Mode::Board;
                match key.code {
                    KeyCode::Esc | KeyCode::Backspace => {}
                    KeyCode::Enter => self.act(command, effects),
                    code if typed.is_some_and(|typed| code == KeyCode::Char(typed.letter)) => {
                        self.act(command, effects);
                    }
                    _ => {
                        self.act(command, effects);
                        if self.mode == Mode::Board {
                            self.key_in_mode(key, action, effects);
                        }
                    }
                }
            }
            Mode::Input(text) => self.input_key(key, text, effects),
            Mode::Say(text) => self.say_key(key, text, effects),
            Mode::Choose => self.choose_key(key),
            Mode::Declare(text) => self.declare_key(key, text),
            Mode::Ask(question) => self.answer(key, question, effects),
            Mode::Help(lines) => self.mode = help_key(key, lines),
        }
    }

    /// A key in board mode. A letter that may begin a point waits, unless its command shows at once
    /// what it does and can be undone.
    fn command(&mut self, key: KeyEvent, action: Action, effects: &mut Vec<Effect>) {
        self.typed = self.typed_letter(key);
        let waits = self.names_column() && action.waits();
        match self.question(action) {
            Ok(question) => self.mode = Mode::Ask(question),
            // Somebody who watches types no points.
            Err(why) if !why.is_empty() && !self.is_seated() => self.log.mistake(why),
            Err(_) if waits => self.mode = Mode::MayBePoint(action),
            Err(_) => self.act(action, effects),
        }
    }

    /// Text was pasted: the first line goes to the input line.
    pub(super) fn paste(&mut self, text: &str) {
        let line = text.lines().next().unwrap_or_default();
        let mut input = match &self.mode {
            Mode::Say(text) => {
                self.mode = Mode::Say(shortened(&format!("{text}{line}")));
                return;
            }
            Mode::Input(input) => input.clone(),
            Mode::Board => String::new(),
            Mode::MayBePoint(_)
            | Mode::Choose
            | Mode::Declare(_)
            | Mode::Ask(_)
            | Mode::Help(_) => {
                return;
            }
        };
        input.extend(line.chars().filter(|c| is_input(*c)));
        input.truncate(INPUT_MAX);
        self.mode = Mode::Input(input);
    }

    /// The mouse did something.
    pub(super) fn mouse_event(&mut self, event: MouseEvent, effects: &mut Vec<Effect>) {
        if !self.mouse || self.mode != Mode::Board {
            return;
        }
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let cell = Cell { x: event.column, y: event.row };
                let Some(point) = self.window().and_then(|window| window.point_at(cell)) else {
                    return;
                };
                self.typed = None;
                let again = self.clicked == Some(point);
                self.cursor = point;
                self.clicked = Some(point);
                self.input(|app| {
                    if again {
                        app.put_stone(effects);
                    }
                });
            }
            MouseEventKind::ScrollUp => self.pan(0, -WHEEL),
            MouseEventKind::ScrollDown => self.pan(0, WHEEL),
            MouseEventKind::ScrollLeft => self.pan(-WHEEL, 0),
            MouseEventKind::ScrollRight => self.pan(WHEEL, 0),
            MouseEventKind::Down(_)
            | MouseEventKind::Up(_)
            | MouseEventKind::Drag(_)
            | MouseEventKind::Moved => {}
        }
    }

    fn act(&mut self, action: Action, effects: &mut Vec<Effect>) {
        match action {
            Action::Move(x, y) => self.move_cursor(x, y),
            Action::Pan(x, y) => self.pan(x, y),
            Action::Place => self.put_stone(effects),
            Action::Type(first) => {
                self.mode = Mode::Input(first.map(String::from).unwrap_or_default());
            }
            Action::Say => self.mode = Mode::Say(String::new()),
            Action::Takeback if self.undo_draft() => {}
            Action::Takeback
            | Action::Draw
            | Action::Resign
            | Action::Nudge
            | Action::Rematch
            | Action::Accept
            | Action::BotMove
            | Action::Sit => match self.question(action) {
                Ok(question) => self.mode = Mode::Ask(question),
                Err(why) => self.log.mistake(why),
            },
            Action::DeclineOrNext => match self.question(action) {
                Ok(question) => self.mode = Mode::Ask(question),
                Err(_) => self.step(1),
            },
            Action::Back => self.step(-1),
            Action::Forward => self.step(1),
            Action::First => self.look_at(0),
            Action::Live => self.look_at(self.ply()),
            Action::Follow => {
                self.follow = true;
                self.cursor = self.position.last_move().unwrap_or(self.cursor);
                self.show(self.cursor);
            }
            Action::ZoomIn => self.zoom(1),
            Action::ZoomOut => self.zoom(-1),
            Action::NextGame => match self.why_not_leave() {
                None => effects.push(Effect::ToServer(LobbyRequest::OwnRooms)),
                Some(why) => self.log.mistake(why),
            },
            Action::Weight => self.tell_weight(effects),
            Action::HeatMap => self.toggle_heat(effects),
            Action::Messages(older) => self.log.scroll(older),
            Action::Save => effects.push(Effect::Save),
            Action::Mouse => {
                self.mouse = !self.mouse;
                self.log.say(match self.mouse {
                    true => "the mouse belongs to the game",
                    false => "the mouse belongs to the terminal: text can be selected",
                });
                effects.push(Effect::Mouse(self.mouse));
            }
            Action::Help => self.mode = Mode::Help(None),
            Action::Quit => effects.push(Effect::Exit(ExitReason::Left)),
            Action::Escape => self.look_at(self.ply()),
            Action::Interrupt | Action::Suspend | Action::Redraw => {}
        }
    }

    /// A letter that may begin a point such as `h8`, with the state that its command may change.
    fn typed_letter(&self, key: KeyEvent) -> Option<TypedLetter> {
        let KeyCode::Char(letter) = key.code else { return None };
        let has_names = self.rules().size() != Size::Unbounded;
        if !has_names
            || !letter.is_ascii_alphabetic()
            || !(key.modifiers - KeyModifiers::SHIFT).is_empty()
        {
            return None;
        }
        let (cursor, origin, look, follow) = (self.cursor, self.origin, self.look, self.follow);
        Some(TypedLetter { letter, cursor, origin, look, follow })
    }

    /// Whether the typed letter names a column of the board.
    pub(in crate::tui) fn names_column(&self) -> bool {
        let (Some(typed), Size::Bounded { width, .. }) = (self.typed, self.rules().size()) else {
            return false;
        };
        let column = u32::from(typed.letter.to_ascii_lowercase()) - u32::from('a');
        column < u32::from(width)
    }

    /// The letter began a point: undoes its command.
    fn type_point(&mut self, typed: TypedLetter, digit: char) {
        self.log.forget(Kind::Mistake);
        self.look = typed.look;
        self.refresh();
        self.cursor = typed.cursor;
        self.origin = typed.origin;
        self.follow = typed.follow;
        self.mode = Mode::Input(format!("{}{digit}", typed.letter));
    }

    fn input_key(&mut self, key: KeyEvent, mut text: String, effects: &mut Vec<Effect>) {
        match key.code {
            KeyCode::Enter => {
                self.mode = Mode::Board;
                match coordinates::parse(&text, self.rules().size()) {
                    Ok(point) => {
                        self.cursor = point;
                        self.show(point);
                        self.put_stone(effects);
                    }
                    Err(error) => self.log.mistake(&format!("\"{text}\" is {error}")),
                }
            }
            KeyCode::Esc => self.mode = Mode::Board,
            KeyCode::Backspace if text.is_empty() => self.mode = Mode::Board,
            KeyCode::Backspace => {
                text.pop();
                self.mode = Mode::Input(text);
            }
            KeyCode::Char(c) if is_input(c) && text.len() < INPUT_MAX => {
                text.push(c);
                self.mode = Mode::Input(text);
            }
            _ => {}
        }
    }

    fn request_about(&self, about: &AboutPerson) -> Result<PersonRequest, AboutError> {
        // A game in this process has no link.
        if self.link.is_empty() {
            return Err(AboutError::Alone);
        }
        about.request(&self.room)
    }

    fn say_key(&mut self, key: KeyEvent, mut text: String, effects: &mut Vec<Effect>) {
        match key.code {
            KeyCode::Enter => {
                self.mode = Mode::Board;
                if let Some(about) = AboutPerson::parse(&text) {
                    match about.and_then(|about| self.request_about(&about)) {
                        Ok(request) => effects.push(Effect::About(request)),
                        Err(error) => self.log.mistake(&error.to_string()),
                    }
                } else if let Ok(text) = ChatText::new(&text) {
                    self.send(RoomRequest::Say { text }, effects);
                }
            }
            KeyCode::Esc => self.mode = Mode::Board,
            KeyCode::Backspace if text.is_empty() => self.mode = Mode::Board,
            KeyCode::Backspace => {
                let last = graphemes(&text).last().map_or(0, |last| last.len());
                text.truncate(text.len() - last);
                self.mode = Mode::Say(text);
            }
            KeyCode::Char(c) => {
                text.push(c);
                self.mode = Mode::Say(shortened(&text));
            }
            _ => {}
        }
    }

    fn move_cursor(&mut self, x: i32, y: i32) {
        self.cursor = self.on_board(Point { x: self.cursor.x + x, y: self.cursor.y + y });
        self.show(self.cursor);
    }

    fn pan(&mut self, x: i32, y: i32) {
        let before = self.origin;
        self.origin = self.on_board(Point { x: self.origin.x + x, y: self.origin.y + y });
        self.keep_inside();
        if self.origin != before {
            self.follow = false;
        }
        if let Some(window) = self.window() {
            self.cursor = window.clamp(self.cursor);
        }
    }

    /// The nearest point that exists on the board.
    fn on_board(&self, point: Point) -> Point {
        let (least, greatest) = match self.rules().size() {
            Size::Bounded { width, height } => {
                (Point::default(), Point::new(i32::from(width) - 1, i32::from(height) - 1))
            }
            Size::Unbounded => {
                let reach = i32::try_from(UNBOUNDED_FIRST + UNBOUNDED_REACH)
                    .expect("asserted where the limits are defined");
                (Point::new(-reach, -reach), Point::new(reach, reach))
            }
        };
        Point { x: point.x.clamp(least.x, greatest.x), y: point.y.clamp(least.y, greatest.y) }
    }

    fn zoom(&mut self, step: i16) {
        let Some(window) = self.window() else { return };
        let scale = window.scale.saturating_add_signed(step).clamp(1, SCALE_MAX);
        self.scale = Some(scale);
        self.centre(self.cursor);
        if let Some(window) = self.window() {
            self.cursor = window.clamp(self.cursor);
        }
    }

    /// Puts a stone under the cursor, or shows why it cannot.
    fn put_stone(&mut self, effects: &mut Vec<Effect>) {
        self.clicked = None;
        if let Err(why) = self.ready() {
            return self.log.mistake(why);
        }
        if self.look.is_some() {
            return self.log.mistake("you are looking back; G returns to the game");
        }
        if self.pending().is_some() {
            return self.log.mistake("your move is on its way");
        }
        if !self.is_my_turn() {
            return self.log.mistake("it is not your turn");
        }
        if self.put_in_opening(effects) {
            return;
        }
        match self.position.legality(self.cursor) {
            Ok(()) => {
                self.follow = true;
                self.send(RoomRequest::Play { ply: self.ply(), point: self.cursor }, effects);
            }
            Err(illegal) => self.log.mistake(&illegal.to_string()),
        }
    }

    /// Answers the oldest challenge.
    pub(super) fn answer_challenge(&mut self, accepts: bool, effects: &mut Vec<Effect>) {
        let Some(oldest) = self.challenges.open(self.now).next() else {
            return self.log.mistake("the time to answer the challenge is over");
        };
        let seek = oldest.seek.seek.clone();
        self.challenges.remove(&seek);
        effects.push(Effect::ToServer(match accepts {
            true => LobbyRequest::AcceptSeek { seek, engine: false },
            false => LobbyRequest::DeclineChallenge { seek },
        }));
    }

    pub(super) fn send(&mut self, request: RoomRequest, effects: &mut Vec<Effect>) {
        match self.connection {
            Connection::Up => effects.push(Effect::Send(request)),
            Connection::Lost { .. } => {
                self.log.say("this is sent when the connection is back");
                effects.push(Effect::Send(request));
            }
            Connection::Closed => self.log.mistake("the room is closed; q leaves"),
        }
    }

    fn step(&mut self, by: isize) {
        let ply = self.look.unwrap_or(self.ply());
        self.look_at(ply.saturating_add_signed(by));
    }

    /// Shows the position after this many moves; all of them is the game itself.
    pub(super) fn look_at(&mut self, ply: usize) {
        self.look = (ply < self.ply()).then_some(ply);
        self.refresh();
        self.show_last();
    }

    /// Moves the window to the last move of the position on the screen, and to the whole winning line if it
    /// fits.
    pub(super) fn show_last(&mut self) {
        let line = self.position.outcome().map(|outcome| outcome.line().to_vec());
        for point in line.into_iter().flatten() {
            self.show(point);
        }
        self.show(self.position.last_move().unwrap_or(self.cursor));
        if let Some(window) = self.window() {
            self.cursor = window.clamp(self.cursor);
        }
    }

    fn tell_weight(&mut self, effects: &mut Vec<Effect>) {
        self.heat.wanted = Some(self.cursor);
        if self.heat.known_at() == Some(self.position.ply()) {
            self.tell_wanted_weight();
        } else if self.look.is_some() {
            self.log.mistake("weights are for the game as it is; G returns to it");
        } else {
            self.ask_weights(effects);
        }
    }

    pub(super) fn tell_wanted_weight(&mut self) {
        let Some(point) = self.heat.wanted.take() else { return };
        if let Some(words) = self.heat.description(self.position.ply(), point) {
            let name = coordinates::format(point, self.rules().size());
            self.log.say(&format!("weight of {name}: {words}"));
        }
    }

    fn toggle_heat(&mut self, effects: &mut Vec<Effect>) {
        self.heat.on = !self.heat.on;
        match self.heat.known_at() {
            Some(ply) if self.heat.on => self.look_at(ply),
            None if self.heat.on => self.ask_weights(effects),
            Some(_) | None => {}
        }
    }

    pub(super) fn ask_weights(&mut self, effects: &mut Vec<Effect>) {
        if !self.heat.awaited {
            self.heat.awaited = !matches!(self.connection, Connection::Closed);
            self.send(RoomRequest::Weights { bot: None, ply: None }, effects);
        }
    }
}

/// The help after a key: scrolled, or closed.
fn help_key(key: KeyEvent, lines: Option<u16>) -> Mode {
    match key.code {
        KeyCode::Char(' ' | 'j') | KeyCode::Down | KeyCode::PageDown => {
            Mode::Help(Some(lines.map_or(0, |lines| lines.saturating_add(HELP_STEP))))
        }
        KeyCode::Char('k') | KeyCode::Up | KeyCode::PageUp => {
            Mode::Help(lines.and_then(|lines| lines.checked_sub(HELP_STEP)))
        }
        _ => Mode::Board,
    }
}

/// The effect of a key that works in every mode.
fn at_once(action: Action) -> Option<Effect> {
    [
        (Action::Interrupt, Effect::Exit(ExitReason::Interrupted)),
        (Action::Suspend, Effect::Suspend),
        (Action::Redraw, Effect::Redraw),
    ]
    .into_iter()
    .find_map(|(of, effect)| (of == action).then_some(effect))
}

/// Whether a character may occur in a point's name.
const fn is_input(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, ',' | '-' | '+' | ' ')
}

/// A text cut to the length of one line of chat.
fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(CHAT_TEXT_MAX).collect()
}
