//! Tests whole visits to the lobby: keys and messages go in; effects and screens come out.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use fivefold_shared::{
    opening::OpeningKind,
    protocol::{
        CommandId, GameSettings, MemberId, Message, Name, OpenSeek, Pool, PoolName, Reason,
        Refusal, RoomCode, SeekEnd, SeekId, Wanted,
    },
    rules::{Rules, Size, Variant},
    seat::Seat,
};
use insta::assert_snapshot;
use ratatui::{Terminal, backend::TestBackend};

use super::{LobbyEffect, LobbyInput, LobbyScreen};
use crate::{
    play::{
        exit_reason::ExitReason,
        lobby::{LobbyEvent, LobbyState, Search},
    },
    tui::{Glyphs, Options, draw_lobby},
};

/// A person at the screen, with a server played by the test.
struct Visit {
    screen: LobbyScreen,
    state: LobbyState,
    now: u64,
}

impl Visit {
    fn new(stays: bool, seeks: Vec<OpenSeek>) -> Self {
        let options = Options { colour: false, glyphs: Glyphs::Ascii, mouse: false };
        let screen = LobbyScreen::new("http://127.0.0.1:8080".to_owned(), options, stays);
        let mut visit = Self { screen, state: LobbyState::default(), now: 1_000_000 };
        visit.hears(Message::Lobby { id: id(), pools: pools(), seeks });
        visit
    }

    fn hears(&mut self, message: Message) -> Vec<LobbyEffect> {
        match self.state.take(message, &member('a'), self.now) {
            Some(event) => self.event(event),
            None => Vec::new(),
        }
    }

    fn event(&mut self, event: LobbyEvent) -> Vec<LobbyEffect> {
        self.screen.update(&self.state, self.now, LobbyInput::Lobby(Box::new(event)))
    }

    /// Presses keys, and begins what they ask for.
    fn keys(&mut self, keys: &[KeyCode]) -> Vec<LobbyEffect> {
        let mut effects = Vec::new();
        for key in keys {
            let key = KeyEvent::from(*key);
            effects.extend(self.screen.update(&self.state, self.now, LobbyInput::Key(key)));
        }
        for effect in &effects {
            if let LobbyEffect::Begin(search) = effect {
                self.state.begin(search.clone(), id(), self.now);
            }
        }
        effects
    }

    fn waits(&mut self, waited_ms: u64) {
        self.hears(Message::Seeking { id: id(), seek: seek('2'), waited_ms });
    }

    fn drawn(&self, columns: u16, rows: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        terminal
            .draw(|frame| draw_lobby::draw(&self.screen, &self.state, self.now, frame))
            .unwrap();
        let buffer = terminal.backend().buffer();
        let row = |y| (0..columns).map(move |x| buffer[(x, y)].symbol()).collect::<String>();
        (0..rows).map(|y| row(y).trim_end().to_owned() + "\n").collect()
    }
}

fn id() -> CommandId {
    CommandId::try_from("1").unwrap()
}

fn member(letter: char) -> MemberId {
    MemberId::try_from(letter.to_string().repeat(16)).unwrap()
}

fn seek(letter: char) -> SeekId {
    SeekId::try_from(letter.to_string().repeat(12)).unwrap()
}

fn settings(variant: Variant, time: &str, opening: OpeningKind) -> GameSettings {
    let rules = Rules::new(variant, Size::square(15)).unwrap();
    GameSettings { rules, time: time.parse().unwrap(), opening, rated: false }
}

fn pools() -> Vec<Pool> {
    let pool = |name: &str, settings, waiting, games, wait_ms| Pool {
        name: PoolName::try_from(name).unwrap(),
        settings,
        waiting,
        games,
        wait_ms,
    };
    let standard = |time| settings(Variant::Standard, time, OpeningKind::Swap2);
    let renju = settings(Variant::Renju, "10+5", OpeningKind::Soosyrv8);
    let free = settings(Variant::Freestyle, "none", OpeningKind::Free);
    vec![
        pool("gomoku-3-2", standard("3+2"), 0, 12, Some(7_000)),
        pool("gomoku-5-3", standard("5+3"), 1, 4, Some(12_400)),
        pool("gomoku-10-5", standard("10+5"), 0, 0, None),
        pool("freestyle-5-3", settings(Variant::Freestyle, "5+3", OpeningKind::Swap2), 0, 1, None),
        pool("renju-10-5", renju, 2, 3, Some(95_000)),
        pool("caro-5-3", settings(Variant::Caro, "5+3", OpeningKind::Swap2), 0, 0, None),
        pool("free", free, 0, 0, Some(4_100_000)),
    ]
}

fn offer(letter: char, name: &str, engine: bool) -> OpenSeek {
    OpenSeek {
        seek: seek(letter),
        member: member(letter),
        name: Name::new(name).unwrap(),
        engine,
        settings: settings(Variant::Freestyle, "byo 10+3x30", OpeningKind::Free),
    }
}

fn in_pool(name: &str) -> Search {
    Search::Seek(Wanted::Pool(PoolName::try_from(name).unwrap()))
}

#[test]
fn the_lists_are_shown() {
    let offers = vec![offer('c', "Cleo", false), offer('d', "Deep Five", true)];
    assert_snapshot!(Visit::new(true, offers).drawn(80, 24));
}

#[test]
fn somebody_waits() {
    let mut ann = Visit::new(true, Vec::new());
    assert_eq!(ann.keys(&[KeyCode::Char('2')]), [LobbyEffect::Begin(in_pool("gomoku-5-3"))]);
    ann.waits(0);
    ann.now += 35_000;
    assert_snapshot!(ann.drawn(80, 24));
    assert_eq!(ann.keys(&[KeyCode::Char('2')]), [], "it is sought already");
    assert_eq!(ann.keys(&[KeyCode::Char('c')]), [LobbyEffect::Cancel]);
}

#[test]
fn a_challenge_waits_for_its_answer() {
    let mut ann = Visit::new(true, vec![offer('c', "Cleo", false)]);
    ann.keys(&[KeyCode::Char('1')]);
    ann.waits(0);
    let challenge = OpenSeek {
        settings: settings(Variant::Renju, "5+3", OpeningKind::Free),
        ..offer('b', "Bob", false)
    };
    let challenged = Message::Challenged { challenge, for_ms: 60_000 };
    assert_eq!(ann.hears(challenged.clone()), [LobbyEffect::Bell]);
    ann.now += 9_000;
    assert_snapshot!(ann.drawn(80, 24));
    assert_eq!(ann.keys(&[KeyCode::Char('y')]), [LobbyEffect::Accept(seek('b'))]);
    assert_eq!(ann.keys(&[KeyCode::Char('n')]), [LobbyEffect::Decline(seek('b'))]);
    ann.now += 51_000;
    assert_eq!(ann.keys(&[KeyCode::Char('y')]), [], "its time is over");
    ann.hears(challenged);
    ann.hears(Message::SeekOver { seek: seek('b'), why: SeekEnd::Cancelled });
    assert_eq!(ann.keys(&[KeyCode::Char('y')]), [], "it is cancelled");
}

#[test]
fn a_small_terminal_keeps_the_selection_in_sight() {
    let mut ann = Visit::new(true, vec![offer('c', "Cleo", false), offer('d', "Dora", false)]);
    ann.keys(&[KeyCode::Down; 20]);
    assert_snapshot!(ann.drawn(60, 16));
    assert_eq!(ann.keys(&[KeyCode::Enter]), [LobbyEffect::Accept(seek('d'))]);
    assert_eq!(
        ann.keys(&[KeyCode::Up, KeyCode::Up, KeyCode::Enter]),
        [LobbyEffect::Begin(in_pool("free"))]
    );
    assert!(ann.drawn(35, 16).contains("needs 36 columns"));
    assert!(ann.drawn(36, 9).contains("needs 36 columns"));
}

#[test]
fn a_narrow_terminal_shows_whole_parts() {
    let mut ann = Visit::new(true, vec![offer('c', "Cleo", false)]);
    let screens = [(40, 12), (36, 10)].map(|(columns, rows)| ann.drawn(columns, rows));
    assert_snapshot!(screens.join("========\n"));
    ann.keys(&[KeyCode::Char('6')]);
    ann.waits(0);
    assert!(ann.drawn(40, 12).contains("> 6 *caro-5-3"), "the selection is in sight");
    let challenge = offer('b', "A name of 24 characters", false);
    ann.hears(Message::Challenged { challenge, for_ms: 60_000 });
    let drawn = ann.drawn(40, 12);
    assert!(drawn.contains("A name of 24 characters") && drawn.contains("y yes, n no"), "{drawn}");
    // The figures stay near the names.
    assert!(ann.drawn(200, 60).lines().all(|line| line.len() <= 100));
}

#[test]
fn a_lost_connection_is_in_the_title_and_keys_are_queued() {
    let mut ann = Visit::new(true, Vec::new());
    let reason = "the server is silent".to_owned();
    ann.event(LobbyEvent::Lost { reason, retry_ms: 1_540 });
    let title = ann.drawn(80, 24).lines().next().unwrap().to_owned();
    assert_eq!(title, " !! Connection lost. Trying again in 2 s");
    assert!(ann.drawn(80, 24).contains("The connection is lost: the server is silent."));
    assert_eq!(ann.keys(&[KeyCode::Enter]), [LobbyEffect::Begin(in_pool("gomoku-3-2"))]);
    assert_eq!(ann.keys(&[KeyCode::Char('q')]), [LobbyEffect::Exit(ExitReason::Left)]);
}

#[test]
fn the_way_out_depends_on_how_one_came() {
    let refused = |ann: &mut Visit| {
        ann.state.begin(in_pool("free"), id(), ann.now);
        ann.hears(Message::Refused { id: Some(id()), refusal: Refusal::new(Reason::TooManySeeks) })
    };
    let reason = "You seek too many games already. Cancel one first.".to_owned();
    let mut ann = Visit::new(false, Vec::new());
    assert_eq!(refused(&mut ann), [LobbyEffect::Exit(ExitReason::Ended(reason.clone()))]);
    let mut ann = Visit::new(true, Vec::new());
    assert_eq!(refused(&mut ann), []);
    assert!(ann.drawn(80, 24).contains(&reason));

    let room = RoomCode::try_from("k7m2qpxw9abc").unwrap();
    let (seek, seat, rated) = (None, Seat::First, Some(true));
    let paired = Message::Paired { seek, room: room.clone(), seat, rated };
    let exit = LobbyEffect::Exit(ExitReason::Paired(room));
    assert_eq!(ann.hears(paired), [LobbyEffect::Bell, exit]);
    let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    let effects = ann.screen.update(&ann.state, ann.now, LobbyInput::Key(interrupt));
    assert_eq!(effects, [LobbyEffect::Exit(ExitReason::Interrupted)]);
}

#[test]
fn nothing_hostile_reaches_the_screen() {
    let mut ann = Visit::new(true, Vec::new());
    ann.screen.update(&ann.state, 0, LobbyInput::Notice("a\u{1b}[2J\u{202e}b"));
    let drawn = ann.drawn(80, 24);
    assert!(!drawn.contains(['\u{1b}', '\u{202e}']), "{drawn}");
}
