//! Tests whole screens.

use fivefold_shared::{clock::SideTime, protocol::Spectators};
use insta::assert_snapshot;

use super::*;
use crate::tui::{
    draw_screen::keys as keys_of,
    keys::{FIRST_KEYS, MORE_KEYS},
};

#[test]
fn the_small_board_is_drawn_large() {
    let mut ann = Sitting::new(Rules::TIC_TAC_TOE, Viewer::Black);
    ann.moves("b2 a1");
    assert_snapshot!(ann.drawn(80, 24));
}

#[test]
fn gomoku_on_ones_own_turn() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.moves("h8 h9 i9 g7 j10 k11 i8 i7").keys("kk");
    assert_snapshot!(ann.drawn(80, 24));
}

#[test]
fn both_clocks_stand_beside_the_board() {
    let mut ann = Sitting::seated(freestyle(15), "byo 10m+3x30s".parse().unwrap(), Viewer::Black);
    let moves = [("h8", 595_400, 3), ("h9", 598_000, 3), ("i9", 541_000, 3), ("g7", 12_000, 2)];
    for (ply, (name, left_ms, periods)) in moves.into_iter().enumerate() {
        let point = coordinates::parse(name, Size::square(15)).unwrap();
        let time = Some(SideTime { left_ms, periods, lag_used_ms: 0 });
        ann.hears(RoomEvent::Played { ply, point, assisted: false, time });
    }
    ann.update(Event::Tick { now: 7_000, silent_ms: 0 });
    assert_snapshot!(ann.drawn(80, 24));
}

#[test]
fn a_board_of_19_fits() {
    let mut ann = Sitting::new(freestyle(19), Viewer::White);
    ann.moves("a1 s19 s1");
    assert_snapshot!(ann.drawn(80, 24));
}

#[test]
fn a_board_of_20_fits() {
    let mut ann = Sitting::new(freestyle(20), Viewer::White);
    ann.moves("a1 t20 t1");
    assert_snapshot!(ann.drawn(80, 24));
}

#[test]
fn of_a_large_board_a_window_is_drawn() {
    let mut ann = Sitting::new(freestyle(64), Viewer::Black);
    ann.moves("aa30 bl1");
    assert_snapshot!(ann.drawn(80, 24));
}

#[test]
fn the_unbounded_board_has_signed_rulers() {
    let mut ann = Sitting::new(unbounded(), Viewer::Black);
    ann.moves("0,0 1,-1 -1,1 -2,2");
    assert_snapshot!(ann.drawn(80, 24));
}

#[test]
fn the_link_stands_in_the_title_where_it_fits() {
    let mut ann = Sitting::new(unbounded(), Viewer::Black);
    for (columns, left) in [
        (80, "freestyle unbounded  private    "),
        (66, "freestyle unbounded  private  http"),
        (65, "freestyle unbounded    "),
        (60, "freestyle unbounded   "),
    ] {
        let screen = ann.drawn(columns, 24);
        let title = screen.lines().next().unwrap();
        assert!(title.starts_with(left) && title.ends_with(LINK), "{title}");
    }
}

#[test]
fn an_arrow_points_to_a_last_move_outside() {
    let mut ann = Sitting::new(unbounded(), Viewer::Black);
    ann.moves("0,0").keys("<S-Right>").moves("-1000,-2000");
    assert_snapshot!(ann.drawn(80, 24));
}

#[test]
fn the_screen_grows_with_the_terminal() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.moves("h8 h9 i9 g7 j10 k11 i8 i7");
    assert_snapshot!(ann.drawn(120, 40));
}

#[test]
fn a_small_terminal_shows_clocks_turn_and_a_part_of_the_board() {
    let time = "5m+3s".parse().unwrap();
    let mut ann = Sitting::seated(freestyle(15), time, Viewer::Black);
    ann.moves("h8 h9");
    let screens = [(50, 12), (40, 12), (20, 6)].map(|(columns, rows)| ann.drawn(columns, rows));
    assert_snapshot!(screens.join("\n========\n"));
}

#[test]
fn a_narrow_terminal_shows_questions_with_their_keys() {
    for (keys, text) in [
        ("r", "Resign this game?\n y yes, n no, a digit: point r"),
        ("N", "y yes, n no, a digit: point N"),
        ("T", "T_\n a digit: point T, Enter: command T,\n Esc: neither"),
        ("q", "y yes, n no, a digit: point q"),
        (":h8", "Point: h8_  (Enter plays, Esc cancels)"),
        (":h8,12", "Point: h8,12_"),
    ] {
        let mut ann = Sitting::new(freestyle(20), Viewer::Black);
        let drawn = ann.moves("h8 h9").keys(keys).drawn(40, 12);
        assert!(drawn.contains(text), "{keys}: {drawn}");
    }
}

#[test]
fn a_narrow_terminal_shows_the_whole_help() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.keys("?");
    let mut shown = String::new();
    for _ in 0..20 {
        shown += &ann.drawn(40, 12).replace(['\n', '|', '│'], " ");
        ann.keys(" ");
    }
    let shown: Vec<&str> = shown.split_whitespace().collect();
    let shown = shown.join(" ");
    for (keys, what) in FIRST_KEYS.iter().chain(MORE_KEYS) {
        for word in keys.split_whitespace().chain(what.split_whitespace()) {
            assert!(shown.contains(word), "{word} of {what}: {shown}");
        }
    }
}

#[test]
fn a_narrow_terminal_shows_whole_messages() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    let line = serde_json::from_value(serde_json::json!({
        "number": 1, "at": 0, "member": id('b'), "name": "Bob",
        "text": "one two three four five six seven eight",
    }));
    let line = line.unwrap();
    ann.update(Event::Heard(Message::PlayerSaid { room: code(), line }));
    assert!(!ann.drawn(40, 12).contains("eight"));
    let drawn = ann.keys("[").drawn(40, 12);
    assert!(drawn.contains("eight") && drawn.contains("[ older, ] newer"), "{drawn}");
    assert!(ann.keys("]").drawn(40, 12).contains("a b c"));
}

#[test]
fn a_narrow_terminal_shows_the_link_for_a_friend() {
    let mut ann = Sitting::alone(freestyle(15), id('a'), id('a'));
    let drawn = ann.drawn(40, 12);
    let board = drawn.lines().filter(|line| line.contains(". . .")).count();
    assert!(board >= 5 && !drawn.contains("http"), "{drawn}");
    ann.hears(sat(Seat::First, 'a', "Ann"));
    assert!(ann.drawn(40, 12).contains("Waiting for an opponent in k7m2qpxw9abc"));
    let help = ann.keys("? ").drawn(40, 12);
    let (_, link) = help.split_once("Link: ").expect("the link");
    let link: String = link.replace('│', "").split_whitespace().take(2).collect();
    assert!(link.starts_with(LINK), "{help}");
}

fn sat(seat: Seat, letter: char, text: &str) -> RoomEvent {
    let player = Player::Member { member: id(letter), name: name(text), engine: false };
    RoomEvent::Sat { seat, player }
}

#[test]
fn brackets_side_by_side_can_both_be_read() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.moves("h8 h9");
    // The cursor stands on the first move, and the last one above it.
    for (keys, row) in [("k", "{O}"), ("h", "(.|O]"), ("ll", "[O|.)")] {
        let drawn = ann.keys(keys).drawn(80, 24);
        assert!(drawn.contains(row), "{keys}: {drawn}");
    }
}

#[test]
fn no_key_of_the_foot_line_is_refused() {
    let over = "h8 h9 i8 i9 j8 j9 k8 k9 l8";
    let states: [(Viewer, &str, &[RoomEvent]); 9] = [
        (Viewer::Black, "", &[]),
        (Viewer::White, "h8", &[]),
        (Viewer::Black, "h8 h9", &[]),
        (Viewer::Black, "h8 h9", &[RoomEvent::DrawOffered { by: Seat::First }]),
        (Viewer::Black, "h8 h9", &[RoomEvent::TakebackAsked { by: Seat::First }]),
        (Viewer::Spectator, "h8 h9", &[]),
        (Viewer::Black, over, &[]),
        (Viewer::Spectator, over, &[]),
        (Viewer::Black, over, &[RoomEvent::RematchAsked { by: Seat::First }]),
    ];
    for (viewer, moves, events) in states {
        for is_stored in [false, true] {
            let mut sitting = Sitting::new(freestyle(15), viewer);
            sitting.moves(moves);
            for event in events {
                sitting.hears(event.clone());
            }
            if is_stored {
                sitting.update(Event::Stored);
            }
            for key in keys_of(&sitting.app) {
                let letter = key.split([' ', '/', ',']).next().unwrap_or_default();
                if letter.chars().count() != 1 || letter == "," {
                    continue;
                }
                let mut pressed =
                    Sitting { app: sitting.app.clone(), seq: sitting.seq, effects: Vec::new() };
                pressed.keys(letter);
                assert_eq!(pressed.app.log().mistakes(), 0, "{key} of {moves}");
                let weighs = key.starts_with('T') || key.starts_with('/') || key.starts_with('m');
                assert!(!(is_stored && weighs), "{key} of a stored game");
            }
        }
    }
}

#[test]
fn the_smallest_terminal_shows_the_essentials() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.moves("h8 h9 i9 g7");
    assert_snapshot!(ann.drawn(60, 16));
}

#[test]
fn spectators_see_who_plays_and_who_watches() {
    let mut eve = Sitting::new(freestyle(15), Viewer::Spectator);
    eve.moves("h8 h9");
    let names = ["Eve", "Guest 4711"].map(name).to_vec();
    let spectators = Spectators { count: 2, names, bots: Vec::new() };
    eve.update(Event::Heard(Message::Spectators { room: code(), spectators }));
    assert_snapshot!(eve.drawn(80, 24));
}

#[test]
fn a_room_without_an_opponent_shows_its_link() {
    let mut ann = Sitting::alone(freestyle(15), id('a'), id('a'));
    let player = Player::Member { member: id('a'), name: name("Ann"), engine: false };
    ann.hears(RoomEvent::Sat { seat: Seat::Second, player });
    assert_snapshot!(ann.drawn(80, 24));
}

#[test]
fn the_winning_line_is_marked() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.moves("h8 h9 i8 i9 j8 j9 k8 k9 l8");
    assert_snapshot!(ann.drawn(80, 24));
}

#[test]
fn a_player_who_has_left_after_the_end_is_still_named() {
    let mut eve = Sitting::new(freestyle(15), Viewer::Spectator);
    eve.moves("h8 h9 i8 i9 j8 j9 k8 k9 l8").hears(RoomEvent::Stood { seat: Seat::First });
    let drawn = eve.drawn(80, 24);
    assert!(drawn.contains("X Ann (left)  won"), "{drawn}");
    let sat = r#"{"type": "sat", "seat": "first", "player": {"member": "00000000000000ee", "name": "Eve"}}"#;
    eve.hears(serde_json::from_str(sat).unwrap());
    let drawn = eve.drawn(80, 24);
    assert!(drawn.contains("X Eve") && !drawn.contains("won"), "{drawn}");
}

#[test]
fn the_whole_winning_line_is_in_sight() {
    let mut ann = Sitting::new(unbounded(), Viewer::Black);
    ann.drawn(80, 24);
    ann.moves("-3,-3 -3,2 -2,-2 -2,2 -1,-1 5,-1 0,0 -30,-30 -4,-4");
    let window = ann.app.window().unwrap();
    assert!((-4..=0).all(|n| window.contains(Point::new(n, n))), "{window:?}");
}

#[test]
fn weights_are_shown_as_digits() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.moves("h8 h9").keys("W");
    ann.weighs(&[("g7", 12.8), ("i7", 7.5), ("g9", 5.0), ("i9", 2.0), ("h10", 0.5), ("h7", 0.1)]);
    assert_snapshot!(ann.drawn(80, 24));
}

#[test]
fn the_help_lists_the_keys() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.keys("?");
    assert_snapshot!(ann.drawn(80, 24));
}

#[test]
fn resigning_is_asked_about() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.moves("h8 h9").keys("r");
    assert_snapshot!(ann.drawn(80, 24));
}

#[test]
fn a_lost_connection_is_told_in_the_title() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.moves("h8 h9");
    let reason = "connection refused".to_owned();
    ann.update(Event::Lost { reason, retry_ms: 2_000 });
    assert_snapshot!(ann.drawn(80, 24));
}

#[test]
fn black_sees_forbidden_points() {
    let renju = rules(Variant::Renju, Size::square(15));
    let moves = "d14 o15 d13 o13 b12 o11 c12 o9";
    let mut ann = Sitting::new(renju, Viewer::Black);
    ann.moves(moves).keys("d12<Enter>");
    assert_snapshot!(ann.drawn(80, 24));
    // White sees none, because nothing is forbidden to White.
    let mut bob = Sitting::new(renju, Viewer::White);
    bob.moves(moves);
    assert!(!bob.drawn(80, 24).contains('!'));
}

#[test]
fn looking_back_says_so() {
    let mut eve = Sitting::new(freestyle(15), Viewer::Spectator);
    eve.moves("h8 h9 i9 g7 j10 k11 i8 i7").keys(",,,");
    assert_snapshot!(eve.drawn(80, 24));
}

#[test]
fn an_offer_waits_for_its_answer_while_a_point_is_typed() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.moves("h8 h9").hears(RoomEvent::DrawOffered { by: Seat::Second }).keys(":h1");
    assert_snapshot!(ann.drawn(80, 24));
}

#[test]
fn every_size_of_terminal_is_drawn_on() {
    for rules in [Rules::TIC_TAC_TOE, freestyle(64), unbounded()] {
        let mut ann = Sitting::new(rules, Viewer::Black);
        for (columns, rows) in
            [(1, 1), (7, 5), (20, 6), (40, 12), (59, 30), (60, 16), (61, 17), (79, 23), (250, 80)]
        {
            for keys in ["", "+", "<S-Right>", ":", "<Esc>?", "<Esc>-"] {
                let drawn = ann.keys(keys).drawn(columns, rows);
                assert_eq!(drawn.split('\n').count(), usize::from(rows));
            }
        }
    }
}

#[test]
fn text_from_the_network_cannot_disturb_the_terminal() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    let text = "\u{1b}[2J\u{7}\u{9b}31mred\u{202e}".to_owned();
    ann.update(Event::Heard(Message::Closed { room: code(), text, why: None }));
    let drawn = ann.drawn(80, 24);
    assert!(drawn.contains("31mred"));
    assert!(!drawn.chars().any(|c| c != '\n' && (c.is_control() || c == '\u{202e}')));
}

#[test]
fn the_unbounded_board_begins_in_the_middle_of_any_terminal() {
    for (columns, rows) in [(60, 16), (80, 24), (200, 50), (300, 90)] {
        let mut ann = Sitting::new(unbounded(), Viewer::Black);
        ann.drawn(columns, rows);
        assert_eq!(ann.app.window().unwrap().middle(), Point::default(), "{columns}x{rows}");
        // The window returns to its place, too.
        ann.drawn(70, 20);
        ann.drawn(columns, rows);
        assert_eq!(ann.app.window().unwrap().middle(), Point::default(), "{columns}x{rows}");
    }
}

#[test]
fn what_a_server_says_cannot_disturb_the_terminal() {
    let hostile = "PWNED\u{1b}]0;x\u{7}\u{9b}31m\u{202e}\u{2066}\r\nmore\u{e0041}";
    let check = |ann: &mut Sitting, what: &str| {
        let drawn = ann.drawn(120, 40);
        assert!(drawn.contains("PWNED"), "{what}: {drawn}");
        let unfit: Vec<char> = drawn
            .chars()
            .filter(|c| *c != '\n' && crate::terminal::sanitize::is_unfit(*c))
            .collect();
        assert!(unfit.is_empty(), "{what}: {unfit:?}");
    };
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    let refusal = Refusal { text: hostile.to_owned(), ..Refusal::new(Reason::Busy) };
    ann.update(Event::Heard(Message::Refused { id: Some(command()), refusal }));
    check(&mut ann, "a refusal");
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.update(Event::Lost { reason: hostile.into(), retry_ms: 1_000 });
    check(&mut ann, "a lost connection");
    for closed in [
        Event::Closed(hostile.into()),
        Event::Heard(Message::Closed { room: code(), text: hostile.into(), why: None }),
    ] {
        let mut ann = Sitting::new(freestyle(15), Viewer::Black);
        ann.update(closed);
        check(&mut ann, "a closed room");
    }
    // A position without weights.
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    let options = Options { colour: false, glyphs: Glyphs::Ascii, mouse: true };
    ann.app = App::new(ann.app.room().clone(), id('a'), hostile.into(), options);
    check(&mut ann, "a link");
}
