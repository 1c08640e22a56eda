//! Tests whole games at the screen: keys, clicks and messages go in; requests and screens come out.

mod openings;
mod play;
mod screens;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use fivefold_shared::{
    analysis::Weight,
    bot_spec::BotKind,
    clock::TimeControl,
    notation::coordinates,
    opening::{Act, Change, OpeningKind},
    protocol::{
        CommandId, Event as RoomEvent, GameId, MemberId, Message, Name, NumberedEvent, Player,
        Reason, Refusal, RoomCode, RoomRequest, Visibility,
    },
    room::RoomState,
    rules::{Outcome, Point, Rules, Size, Stone, Variant},
    seat::Seat,
};
use ratatui::{Terminal, backend::TestBackend};

use super::{App, Effect, Event};
use crate::tui::{Glyphs, Options, draw_screen};

const LINK: &str = "http://127.0.0.1:8080/r/k7m2qpxw9abc";

/// The person at the screen.
#[derive(Clone, Copy, PartialEq)]
enum Viewer {
    Black,
    White,
    Spectator,
    /// Both colours at one keyboard.
    Both,
}

/// A person at a screen, with a server played by the test.
struct Sitting {
    app: App,
    seq: u64,
    effects: Vec<Effect>,
}

impl Sitting {
    /// Ann (Black) against Bob (White); the viewer is one of them, or Eve.
    fn new(rules: Rules, seat: Viewer) -> Self {
        Self::seated(rules, TimeControl::None, seat)
    }

    /// The same with an opening, which Ann begins.
    fn opened(rules: Rules, opening: OpeningKind, seat: Viewer) -> Self {
        let mut sitting = Self::playing(rules, TimeControl::None, opening, seat);
        sitting.asks();
        sitting
    }

    /// The same with a clock.
    fn seated(rules: Rules, time: TimeControl, seat: Viewer) -> Self {
        Self::playing(rules, time, OpeningKind::Free, seat)
    }

    fn playing(rules: Rules, time: TimeControl, opening: OpeningKind, seat: Viewer) -> Self {
        let (ann, bob) = (id('a'), id(if seat == Viewer::Both { 'a' } else { 'b' }));
        let you = match seat {
            Viewer::Black | Viewer::Both => ann.clone(),
            Viewer::White => bob.clone(),
            Viewer::Spectator => id('e'),
        };
        let first = Player::Member { member: ann.clone(), name: name("Ann"), engine: false };
        let second = Player::Member { member: bob, name: name("Bob"), engine: false };
        let mut sitting = Self::made(rules, time, opening, you, ann, vec![first, second]);
        let id = GameId::try_from("k7m2qpxw9abcdefg").unwrap();
        sitting.hears(RoomEvent::Started {
            game: 1,
            black: Seat::First,
            id,
            rated: false,
            casual: None,
            part: None,
        });
        sitting
    }

    /// In a room without a game.
    fn alone(rules: Rules, you: MemberId, host: MemberId) -> Self {
        Self::made(rules, TimeControl::None, OpeningKind::Free, you, host, Vec::new())
    }

    fn made(
        rules: Rules,
        time: TimeControl,
        opening: OpeningKind,
        you: MemberId,
        host: MemberId,
        players: Vec<Player>,
    ) -> Self {
        let created = RoomEvent::Created {
            rules,
            visibility: Visibility::Private,
            assistance: false,
            host,
            time,
            opening,
            chat: true,
            paired: false,
            black: Seat::First,
        };
        let sat = Seat::BOTH.into_iter().zip(players);
        let sat = sat.map(|(seat, player)| RoomEvent::Sat { seat, player });
        let log: Vec<_> = (1..)
            .zip([created].into_iter().chain(sat))
            .map(|(seq, event)| NumberedEvent { seq, at: 0, event })
            .collect();
        let room = RoomState::from_log(&log).unwrap();
        let seq = room.seq;
        let options = Options { colour: false, glyphs: Glyphs::Ascii, mouse: true };
        Self { app: App::new(room, you, LINK.into(), options), seq, effects: Vec::new() }
    }

    fn update(&mut self, event: Event) {
        let effects = self.app.update(event);
        self.effects.extend(effects);
    }

    fn hears(&mut self, event: RoomEvent) -> &mut Self {
        self.seq += 1;
        let event = NumberedEvent { seq: self.seq, at: 0, event };
        self.update(Event::Heard(Message::Event { room: code(), event }));
        self
    }

    /// Moves by both sides, by name.
    fn moves(&mut self, names: &str) -> &mut Self {
        for name in names.split_whitespace() {
            let point = coordinates::parse(name, self.app.rules().size()).unwrap();
            let ply = self.app.ply();
            self.hears(RoomEvent::Played { ply, point, assisted: false, time: None });
        }
        if let Some(outcome) = self.app.room().game.as_ref().unwrap().outcome() {
            self.hears(RoomEvent::Ended { outcome, rated: false });
        }
        self
    }

    /// What the opening asks now, or that it is over.
    fn asks(&mut self) -> &mut Self {
        let ask = self.app.room().game.as_ref().unwrap().ask();
        self.hears(ask.map_or(RoomEvent::OpeningOver {}, |ask| RoomEvent::Asked { ask }))
    }

    /// An act of the seat that the opening asks.
    fn acts(&mut self, act: &Act) -> &mut Self {
        let game = self.app.room().game.as_ref().unwrap();
        let (mut opening, mut position) = (game.opening.clone(), game.position.clone());
        let (by, plies) = (opening.to_act().unwrap(), position.ply()..);
        for (change, ply) in opening.apply(&mut position, act).unwrap().into_iter().zip(plies) {
            let time = None;
            self.hears(match change {
                Change::Put(point) => RoomEvent::Played { ply, point, assisted: false, time },
                Change::Stay => RoomEvent::Stayed { by, time },
                Change::Swap => RoomEvent::Swapped { by, time },
                Change::Declare(count) => RoomEvent::Declared { by, count, time },
                Change::Offer(points) => RoomEvent::Offered { by, points, time },
            });
        }
        self.asks()
    }

    /// Stones that an act puts, by name.
    fn puts(&mut self, names: &str) -> &mut Self {
        let points = self.named(names);
        self.acts(&Act::put(points))
    }

    fn named(&self, names: &str) -> Vec<Point> {
        let size = self.app.rules().size();
        names.split_whitespace().map(|name| coordinates::parse(name, size).unwrap()).collect()
    }

    fn ends(&mut self, outcome: Outcome<Seat>) -> &mut Self {
        self.hears(RoomEvent::Ended { outcome, rated: false })
    }

    /// Presses keys: characters, or names in angle brackets, such as `h<Enter><C-c><S-Left>`.
    fn keys(&mut self, keys: &str) -> &mut Self {
        let mut rest = keys;
        while let Some(first) = rest.chars().next() {
            let (key, length) = match (first, rest.find('>')) {
                ('<', Some(end)) if end > 1 => (named(&rest[1..end]), end + 1),
                _ => (KeyEvent::from(KeyCode::Char(first)), first.len_utf8()),
            };
            self.update(Event::Key(key));
            rest = &rest[length..];
        }
        self
    }

    /// Clicks on a place of the terminal.
    fn click(&mut self, column: u16, row: u16) -> &mut Self {
        let kind = MouseEventKind::Down(MouseButton::Left);
        let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        self.update(Event::Mouse(event));
        self
    }

    /// The requests since the last call.
    fn requests(&mut self) -> Vec<RoomRequest> {
        std::mem::take(&mut self.effects)
            .into_iter()
            .filter_map(|effect| match effect {
                Effect::Send(request) => Some(request),
                Effect::ToServer(_)
                | Effect::About(_)
                | Effect::Save
                | Effect::Bell
                | Effect::Mouse(_)
                | Effect::Suspend
                | Effect::Redraw
                | Effect::Exit(_) => None,
            })
            .collect()
    }

    /// The one move since the last call, and its ply.
    fn played(&mut self) -> Option<(usize, String)> {
        let requests = self.requests();
        match requests.as_slice() {
            [RoomRequest::Play { ply, point }] => {
                Some((*ply, coordinates::format(*point, self.app.rules().size())))
            }
            _ => None,
        }
    }

    fn weighs(&mut self, weights: &[(&str, f64)]) -> &mut Self {
        self.weighs_at(self.app.ply(), weights)
    }

    fn weighs_at(&mut self, ply: usize, weights: &[(&str, f64)]) -> &mut Self {
        let point = |name| coordinates::parse(name, self.app.rules().size()).unwrap();
        let weights = weights
            .iter()
            .map(|&(name, weight)| Weight { point: point(name), weight, plies: None })
            .collect();
        let bot = BotKind::Attack.into();
        let message = Message::Weights { id: command(), room: code(), ply, bot, weights };
        self.update(Event::Heard(message));
        self
    }

    /// The level of a point's weight, if shown.
    fn level(&self, x: i32, y: i32) -> Option<u8> {
        self.app.heat().level(self.app.position().ply(), Point::new(x, y))
    }

    fn is_refused(&mut self, reason: Reason, text: &str) -> &mut Self {
        let refusal = Refusal { text: text.to_owned(), ..Refusal::new(reason) };
        self.update(Event::Heard(Message::Refused { id: Some(command()), refusal }));
        self
    }

    fn last_message(&self) -> String {
        self.app.log().latest().next().map_or(String::new(), |(_, text)| text.into_owned())
    }

    /// The screen on a terminal of this size.
    fn drawn(&mut self, columns: u16, rows: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        terminal.draw(|frame| draw_screen::draw(&mut self.app, frame)).unwrap();
        let lines = terminal.backend().to_string();
        // Without the quotes and the spaces at the ends, a snapshot reads like the screen.
        let line = |line: &str| line.trim_matches('"').trim_end().to_owned();
        lines.lines().map(line).collect::<Vec<_>>().join("\n")
    }
}

fn named(name: &str) -> KeyEvent {
    let (modifiers, name) = match name.split_at_checked(2) {
        Some(("C-", rest)) => (KeyModifiers::CONTROL, rest),
        Some(("S-", rest)) => (KeyModifiers::SHIFT, rest),
        _ => (KeyModifiers::NONE, name),
    };
    let code = match name {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "Backspace" => KeyCode::Backspace,
        one => KeyCode::Char(one.parse().unwrap()),
    };
    KeyEvent::new(code, modifiers)
}

fn rules(variant: Variant, size: Size) -> Rules {
    Rules::new(variant, size).unwrap()
}

fn freestyle(side: u8) -> Rules {
    rules(Variant::Freestyle, Size::square(side))
}

fn unbounded() -> Rules {
    rules(Variant::Freestyle, Size::Unbounded)
}

fn id(letter: char) -> MemberId {
    MemberId::try_from(letter.to_string().repeat(16)).unwrap()
}

fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

fn code() -> RoomCode {
    RoomCode::try_from("k7m2qpxw9abc".to_owned()).unwrap()
}

fn command() -> CommandId {
    CommandId::try_from("1".to_owned()).unwrap()
}

fn resigned(winner: Seat) -> Outcome<Seat> {
    Outcome::Resignation { winner }
}

fn play(ply: usize, x: i32, y: i32) -> RoomRequest {
    RoomRequest::Play { ply, point: Point::new(x, y) }
}
