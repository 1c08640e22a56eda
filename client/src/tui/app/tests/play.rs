//! Tests the effects of keys, clicks and messages.

use fivefold_shared::{
    protocol::{Absent, AccountNews, Away, ChatText, LobbyRequest, Reason, RoomRequest, Snapshot},
    rules::SIDE_MAX,
};

use super::*;
use crate::{
    play::exit_reason::ExitReason,
    tui::app::{Connection, Mode, Question},
};

#[test]
fn a_whole_game_of_tic_tac_toe_is_played_by_keys() {
    // X X X
    // O . .
    // O . .
    let mut ann = Sitting::new(Rules::TIC_TAC_TOE, Viewer::Black);
    ann.keys("<Up><Left><Enter>");
    assert_eq!(ann.played(), Some((0, "a3".into())));
    ann.moves("a3 a2").keys("l ");
    assert_eq!(ann.played(), Some((2, "b3".into())));
    ann.moves("b3 a1").keys("<Right><Enter>");
    assert_eq!(ann.played(), Some((4, "c3".into())));
    ann.moves("c3");
    assert_eq!(ann.last_message(), "Ann (Black, you) wins by a3 b3 c3.");
    ann.keys("my");
    assert_eq!(ann.requests(), [RoomRequest::Rematch]);
}

#[test]
fn points_are_typed_with_and_without_a_colon() {
    let cases = [
        ("h8<Enter>", Some("h8")),
        (":h8<Enter>", Some("h8")),
        (":7,7<Enter>", Some("h8")),
        ("7,0<Enter>", Some("h15")),
        ("a1<Enter>", Some("a1")),
        // Letters that are commands as well: typing a digit undoes the command.
        ("d4<Enter>", Some("d4")),
        ("g12<Enter>", Some("g12")),
        ("k10<Backspace>5<Enter>", Some("k15")),
        (":H8<Enter>", Some("h8")),
        ("h8<Esc>", None),
        (":h99<Enter>", None),
        (":?<Enter>", None),
        // A digit alone begins x,y; a letter typed long ago does not count.
        ("h<Left>8<Esc>", None),
    ];
    for (keys, expected) in cases {
        let mut ann = Sitting::new(freestyle(15), Viewer::Black);
        ann.keys(keys);
        assert_eq!(ann.played(), expected.map(|name| (0, name.to_owned())), "{keys}");
        assert_eq!(*ann.app.mode(), Mode::Board, "{keys}");
    }
}

#[test]
fn every_column_of_the_largest_board_is_typed_without_a_colon() {
    // No command is the first of two letters: with 64 columns that is a or b.
    for x in 0..i32::from(SIDE_MAX) {
        let name = coordinates::format(Point::new(x, 3), Size::square(SIDE_MAX));
        for name in [name.to_uppercase(), name] {
            let mut ann = Sitting::new(freestyle(SIDE_MAX), Viewer::Black);
            ann.keys(&format!("{name}<Enter>"));
            assert_eq!(ann.played(), Some((0, name.to_lowercase())));
        }
    }
}

#[test]
fn a_letter_that_becomes_a_point_leaves_no_trace() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.moves("h8 h9");
    let cursor = ann.app.cursor();
    for letter in "hjklgpndrm".chars() {
        ann.keys(&format!("{letter}5"));
        assert_eq!(*ann.app.mode(), Mode::Input(format!("{letter}5")));
        ann.keys("<Esc>");
        assert_eq!((ann.app.cursor(), ann.app.look()), (cursor, None), "{letter}");
    }
    assert_eq!(ann.requests(), []);
}

#[test]
fn pasted_text_goes_to_the_input_line() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.update(Event::Paste("h8\u{1b}[2J\nq".into()));
    assert_eq!(*ann.app.mode(), Mode::Input("h82J".into()));
    ann.keys("<Backspace><Backspace><Enter>");
    assert_eq!(ann.played(), Some((0, "h8".into())));
}

#[test]
fn the_second_click_on_a_point_places() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    // The glyph of c14 and the column before it.
    ann.click(8, 2);
    assert_eq!((ann.played(), ann.app.cursor()), (None, Point::new(2, 1)));
    ann.click(7, 2);
    assert_eq!(ann.played(), Some((0, "c14".into())));
    // Not on another point, not after a key, not when keys moved the cursor there.
    ann.click(8, 2).click(10, 2).keys("<Right>").click(12, 2);
    assert_eq!((ann.played(), ann.app.cursor()), (None, Point::new(4, 1)));
    // Beside the board.
    ann.click(0, 0).click(60, 10).click(0, 23);
    assert_eq!(ann.app.cursor(), Point::new(4, 1));
    // The mouse can be left to the terminal.
    ann.keys("M<Enter>").click(8, 2).click(8, 2);
    assert!(ann.effects.contains(&Effect::Mouse(false)));
    assert_eq!(ann.played(), None);
}

#[test]
fn what_cannot_be_taken_back_is_asked_about() {
    let cases = [
        ("ry", vec![RoomRequest::Resign]),
        ("rn", vec![]),
        ("rx<Esc>", vec![]),
        ("dy", vec![RoomRequest::OfferDraw]),
        ("d<Esc>", vec![]),
        ("u", vec![]),
        ("uy", vec![RoomRequest::AskTakeback]),
        ("Ny", vec![RoomRequest::Nudge]),
        ("Dy", vec![RoomRequest::BotMove { ply: 2, bot: None }]),
        ("Dn", vec![]),
        ("qn", vec![]),
    ];
    for (keys, expected) in cases {
        let mut ann = Sitting::new(freestyle(15), Viewer::Black);
        ann.moves("h8 h9").keys(keys);
        assert_eq!(ann.requests(), expected, "{keys}");
        let is_asked = matches!(ann.app.mode(), Mode::Ask(_));
        assert_eq!(is_asked, keys == "u", "{keys}");
    }
}

#[test]
fn a_question_goes_away_with_its_game() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.keys("r");
    assert_eq!(*ann.app.mode(), Mode::Ask(Question::Resign));
    ann.ends(resigned(Seat::First));
    assert_eq!(*ann.app.mode(), Mode::Board);
}

#[test]
fn leaving_a_running_game_is_asked_about_and_ctrl_c_always_leaves() {
    let left = |seat, keys: &str, over| {
        let mut sitting = Sitting::new(freestyle(15), seat);
        if over {
            sitting.ends(Outcome::Agreement);
        }
        sitting.keys(keys);
        let Some(Effect::Exit(left)) = sitting.effects.last() else { return None };
        Some(left.clone())
    };
    assert_eq!(left(Viewer::Black, "q", false), None);
    assert_eq!(left(Viewer::Black, "qy", false), Some(ExitReason::Left));
    assert_eq!(left(Viewer::Black, "q", true), Some(ExitReason::Left));
    assert_eq!(left(Viewer::Spectator, "q", false), Some(ExitReason::Left));
    for mode in ["", "?", ":h", "r"] {
        let keys = format!("{mode}<C-c>");
        assert_eq!(left(Viewer::Black, &keys, false), Some(ExitReason::Interrupted), "{mode}");
    }
}

/// The caller leaves for the game that waits; otherwise the person reads that none does.
#[test]
fn a_capital_letter_asks_for_the_next_game() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.effects.clear();
    ann.keys("X");
    assert_eq!(ann.effects, [Effect::ToServer(LobbyRequest::OwnRooms)]);
    ann.update(Event::Heard(Message::OwnRooms { id: command(), rooms: Vec::new() }));
    assert_eq!(ann.last_message(), "No other daily game waits for your move.");
}

#[test]
fn news_of_friends_is_told() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    let (change, label) = (AccountNews::FriendChallenges, "Bob".to_owned());
    ann.update(Event::Heard(Message::AccountChanged { change, label, at: None }));
    let told = "Bob challenges you to a daily game. To accept: `fivefold answer Bob`.";
    assert_eq!(ann.last_message(), told);
}

#[test]
fn offers_are_answered_with_y_and_n() {
    let by = Seat::Second;
    let cases = [
        (RoomEvent::DrawOffered { by }, RoomRequest::AcceptDraw, RoomRequest::DeclineDraw),
        (RoomEvent::TakebackAsked { by }, RoomRequest::GrantTakeback, RoomRequest::RefuseTakeback),
    ];
    for (offer, yes, no) in cases {
        for (key, expected) in [("yy", yes), ("ny", no.clone()), ("nn", no)] {
            let mut ann = Sitting::new(freestyle(15), Viewer::Black);
            ann.moves("h8 h9").hears(offer.clone()).keys(key);
            assert_eq!(ann.requests(), [expected]);
        }
    }
    for (by, keys, expected) in [
        (by, "yy", RoomRequest::Rematch),
        (by, "ny", RoomRequest::DeclineRematch),
        // Their own request is withdrawn.
        (by.other(), "ny", RoomRequest::DeclineRematch),
    ] {
        let mut ann = Sitting::new(freestyle(15), Viewer::Black);
        ann.ends(Outcome::Agreement).hears(RoomEvent::RematchAsked { by }).keys(keys);
        assert_eq!(ann.requests(), [expected]);
    }
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.keys("yy");
    assert_eq!(ann.last_message(), "Nothing to answer. (2 times)");
}

#[test]
fn moves_that_cannot_be_made_are_refused_at_once_with_a_reason() {
    let said = |seat, moves: &str, keys: &str| {
        let mut sitting = Sitting::new(freestyle(15), seat);
        sitting.moves(moves).keys(keys);
        assert_eq!(sitting.requests(), [], "{keys}");
        sitting.last_message()
    };
    assert_eq!(said(Viewer::White, "", "<Enter>"), "It is not your turn.");
    assert_eq!(said(Viewer::Spectator, "", "<Enter>"), "You are watching.");
    assert_eq!(said(Viewer::Black, "h8 h9", "<Enter>"), "This point has a stone already.");
    assert_eq!(
        said(Viewer::Black, "h8 h9", ",<Enter>"),
        "You are looking back; G returns to the game."
    );
    assert_eq!(
        said(Viewer::White, "", "D<Enter>"),
        "The bot can move for you when it is your turn."
    );
}

#[test]
fn looking_back_is_not_pulled_away_by_moves() {
    let mut eve = Sitting::new(freestyle(15), Viewer::Spectator);
    eve.moves("h8 h9 i8 i9").keys(",,");
    assert_eq!((eve.app.look(), eve.app.position().ply()), (Some(2), 2));
    eve.moves("j8 j9");
    assert_eq!((eve.app.look(), eve.app.position().ply()), (Some(2), 2));
    eve.weighs(&[("k8", 1.0)]);
    assert_eq!(eve.app.look(), Some(2));
    eve.keys("n");
    assert_eq!(eve.app.position().ply(), 3);
    eve.keys("g");
    assert_eq!(eve.app.position().ply(), 0);
    eve.keys("p");
    assert_eq!(eve.app.position().ply(), 0);
    eve.keys("G");
    assert_eq!((eve.app.look(), eve.app.position().ply()), (None, 6));
    // Stepping to the last move shows the game itself.
    eve.keys(",.").moves("k8");
    assert_eq!((eve.app.look(), eve.app.position().ply()), (None, 7));
    // The shown move may be taken back.
    eve.keys(",").hears(RoomEvent::TakenBack { ply: 4 });
    assert_eq!((eve.app.look(), eve.app.position().ply()), (None, 4));
}

#[test]
fn arrows_step_through_a_game_that_has_ended() {
    for seat in [Viewer::Black, Viewer::Spectator, Viewer::Both] {
        let mut ann = Sitting::new(freestyle(15), seat);
        ann.moves("h8 h9 i8 i9");
        let cursor = ann.app.cursor();
        ann.keys("<Left><Home>");
        assert_eq!(ann.app.cursor(), Point::new(cursor.x - 1, cursor.y), "the game goes on");
        assert_eq!(ann.app.position().ply(), 0, "Home looks back at any time");
        ann.keys("<End>").ends(Outcome::Agreement);
        assert!(ann.drawn(80, 24).contains("Move 4 of 4"), "{}", ann.drawn(80, 24));
        for (key, ply) in [
            ("<Left>", 3),
            ("<Left>", 2),
            ("<Right>", 3),
            ("<Home>", 0),
            ("<Left>", 0),
            ("<Right>", 1),
            ("<End>", 4),
            ("<Right>", 4),
        ] {
            ann.keys(key);
            assert_eq!(ann.app.position().ply(), ply, "{key}");
            for (columns, rows) in [(80, 24), (40, 12)] {
                let drawn = ann.drawn(columns, rows);
                let is_label = drawn.contains(&format!("Move {ply} of 4"));
                // On a small screen the result stands there at the end.
                assert!(is_label || ply == 4 && columns == 40, "{key}: {drawn}");
            }
        }
        // The letters move the cursor as before.
        ann.keys("h");
        assert_eq!(ann.app.position().ply(), 4);
    }
}

#[test]
fn mistakes_go_away_with_the_next_input_that_is_possible() {
    let said = |sitting: &Sitting| {
        let latest = sitting.app.log().latest().map(|(_, text)| text.into_owned());
        latest.collect::<Vec<_>>()
    };
    let cases = [
        (":h99<Enter>", ":h8<Enter>"),
        ("m<Enter>", "<Left>"),
        ("y", "u<Esc>"),
        ("m<Enter>", ","),
        ("//block<Enter>", "/hello<Enter>"),
        ("m<Enter>", "<C-s>"),
        ("m<Enter>", "M<Enter>"),
    ];
    for (mistake, input) in cases {
        let mut ann = Sitting::new(freestyle(15), Viewer::Black);
        ann.moves("h9 h10").is_refused(Reason::TooFast, "not so fast");
        let before = said(&ann);
        ann.keys(mistake);
        assert_eq!(said(&ann).len(), before.len() + 1, "{mistake}");
        // Reading them leaves them, and the same mistake is counted.
        ann.keys("[]?<Esc>").keys(mistake);
        assert_eq!(said(&ann).len(), before.len() + 1, "{mistake}");
        ann.keys(input);
        let news = said(&ann).into_iter().filter(|text| text.contains("mouse")).count();
        assert_eq!(said(&ann)[news..], before, "{mistake}, then {input}");
    }
    let mut bob = Sitting::new(freestyle(15), Viewer::White);
    bob.keys("<Enter>");
    assert_eq!(bob.last_message(), "It is not your turn.");
    bob.click(8, 2);
    assert_eq!(bob.last_message(), "Game 1: Ann (Black) against Bob (White, you).");
}

#[test]
fn a_refusal_goes_away_when_the_server_accepts_something() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.is_refused(Reason::TooFast, "not so fast").keys("<Left>");
    assert_eq!(ann.last_message(), "Not so fast.", "the person may have typed on");
    ann.keys("<Enter>");
    ann.update(Event::Sent(command(), play(0, 6, 7)));
    ann.update(Event::Heard(Message::Done { id: command(), seq: None }));
    let game = "Game 1: Ann (Black, you) against Bob (White).";
    assert_eq!(ann.last_message(), game);
    // The same applies to what the player did about a person.
    ann.update(Event::AboutPerson("nobody has this name".into(), false));
    ann.update(Event::AboutPerson("You hear no chat of theirs.".into(), true));
    let said: Vec<_> = ann.app.log().latest().map(|(_, text)| text.into_owned()).collect();
    assert_eq!(said, ["You hear no chat of theirs.", game]);
}

#[test]
fn weights_are_told_shown_and_asked_for_again() {
    let weights = RoomRequest::Weights { bot: None, ply: None };
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.moves("h8 h9").keys("T");
    assert_eq!(ann.requests(), std::slice::from_ref(&weights));
    ann.weighs(&[("g8", 12.8), ("i8", 2.0), ("h10", 0.5)]);
    assert_eq!(ann.last_message(), "Weight of h8: no candidate of Bot \"Attack\".");
    ann.keys("lT");
    assert_eq!(ann.requests(), [], "they are known");
    assert_eq!(ann.last_message(), "Weight of i8: 2 to Bot \"Attack\".");
    ann.keys("W");
    assert_eq!(ann.level(6, 7), Some(9));
    assert_eq!(ann.level(7, 5), Some(0));
    // Not on the opponent's turn; again on one's own.
    ann.moves("g8");
    assert_eq!(ann.level(7, 5), None);
    assert_eq!(ann.requests(), []);
    ann.moves("i8");
    assert_eq!(ann.requests(), std::slice::from_ref(&weights));
    ann.keys("W").moves("a1 b1");
    assert_eq!(ann.requests(), []);
}

#[test]
fn after_the_end_weights_are_shown_before_the_last_move() {
    let mut ann = Sitting::new(Rules::TIC_TAC_TOE, Viewer::Black);
    ann.moves("a3 a2 b3 b2 c3").keys("W");
    assert_eq!(ann.requests(), [RoomRequest::Weights { bot: None, ply: None }]);
    ann.weighs_at(4, &[("c3", 10.0), ("c2", 0.0)]);
    assert_eq!((ann.app.look(), ann.level(2, 0)), (Some(4), Some(9)));
    ann.keys("GWW");
    assert_eq!(ann.app.look(), Some(4));
    assert_eq!(ann.requests(), [], "they are known");
}

#[test]
fn weights_that_are_refused_are_not_asked_for_again() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.keys("W").is_refused(Reason::NoAssistance, "no help here\u{1b}[2J");
    assert_eq!(ann.last_message(), "No help here [2J.");
    ann.requests();
    ann.moves("h8 h9");
    assert_eq!(ann.requests(), []);
}

#[test]
fn the_bot_moves_for_who_asks() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.moves("h8 h9").keys("Dy");
    assert_eq!(ann.requests(), [RoomRequest::BotMove { ply: 2, bot: None }]);
}

#[test]
fn the_bell_rings_for_a_persons_move() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.moves("h8");
    assert!(!ann.effects.contains(&Effect::Bell));
    ann.moves("h9");
    assert!(ann.effects.contains(&Effect::Bell));
}

#[test]
fn two_people_at_one_keyboard_move_in_turn() {
    let mut both = Sitting::new(freestyle(15), Viewer::Both);
    both.keys("h8<Enter>");
    assert_eq!(both.requests(), [play(0, 7, 7)]);
    both.moves("h8").keys("h9<Enter>");
    assert_eq!(both.requests(), [play(1, 7, 6)]);
    assert!(!both.effects.contains(&Effect::Bell));
}

#[test]
fn what_is_typed_while_the_connection_is_lost_is_queued() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    let reason = "the server is silent".to_owned();
    ann.update(Event::Lost { reason, retry_ms: 2_000 });
    assert_eq!(ann.last_message(), "The connection is lost: the server is silent.");
    ann.keys("<Enter>");
    assert_eq!(ann.played(), Some((0, "h8".into())));
    assert_eq!(ann.last_message(), "This is sent when the connection is back.");
    ann.update(Event::Back);
    assert_eq!(ann.app.connection(), Connection::Up);
}

#[test]
fn a_move_on_its_way_is_drawn_and_the_title_counts_the_silence() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    let tick = |now| Event::Tick { now, silent_ms: 0 };
    ann.update(tick(1_000));
    ann.keys("<Enter>");
    assert_eq!(ann.played(), Some((0, "h8".into())));
    ann.update(Event::Sent(command(), play(0, 7, 7)));
    assert!(ann.app.is_ticking());
    let way = "h8 is on its way";
    for (now, is_late, title) in [
        (1_499, false, "freestyle"),
        (1_500, true, "freestyle"),
        (2_999, true, "freestyle"),
        (3_000, true, " !! No answer from the server for 2 s"),
        (9_900, true, " !! No answer from the server for 8 s"),
    ] {
        ann.update(tick(now));
        let screen = ann.drawn(80, 24);
        assert_eq!(screen.contains(way), is_late, "{now}: {screen}");
        assert_eq!(screen.contains("(x)"), is_late, "{now}: {screen}");
        assert!(screen.starts_with(title), "{now}: {screen}");
    }
    // It is not sent twice.
    ann.keys("<Enter>");
    assert_eq!((ann.played(), ann.last_message()), (None, "Your move is on its way.".into()));
    ann.update(Event::Heard(Message::Done { id: command(), seq: None }));
    ann.moves("h8");
    let screen = ann.drawn(80, 24);
    assert!(!screen.contains(way) && screen.contains("{X}") && screen.starts_with("freestyle"));
    // A silent server is seen although nothing waits for an answer.
    ann.update(Event::Tick { now: 20_000, silent_ms: 4_100 });
    assert!(ann.drawn(80, 24).starts_with(" !! No answer from the server for 4 s"));
}

#[test]
fn no_letter_that_begins_a_point_leaves_a_trace_on_any_board() {
    let board = |side| Rules::new(Variant::Freestyle, Size::square(side)).unwrap();
    let letters = ('a'..='z').chain('A'..='Z');
    for (letter, side) in letters.flat_map(|letter| [(letter, 15), (letter, 20), (letter, 26)]) {
        let column = u8::try_from(letter.to_ascii_lowercase()).unwrap() - b'a';
        if column >= side {
            continue;
        }
        for (over, offer) in [(false, false), (false, true), (true, false)] {
            let mut ann = Sitting::new(board(side), Viewer::Black);
            ann.moves("a2 a3");
            if offer {
                ann.hears(RoomEvent::TakebackAsked { by: Seat::Second });
            }
            if over {
                ann.ends(Outcome::Agreement);
            }
            let (cursor, message) = (ann.app.cursor(), ann.last_message());
            ann.effects.clear();
            ann.keys(&format!("{letter}5"));
            let case = format!("{letter} on {side}, over: {over}, offer: {offer}");
            assert_eq!(*ann.app.mode(), Mode::Input(format!("{letter}5")), "{case}");
            ann.keys("<Esc>");
            assert_eq!((ann.app.cursor(), ann.app.look()), (cursor, None), "{case}");
            assert_eq!((ann.effects.len(), ann.last_message()), (0, message), "{case}");
        }
    }
}

#[test]
fn a_letter_that_waits_does_its_command_after_another_key() {
    let mut ann = Sitting::new(freestyle(20), Viewer::Black);
    ann.keys("T");
    assert!(ann.requests().is_empty() && ann.drawn(80, 24).contains("a digit: point T"));
    ann.keys("<Enter>");
    assert_eq!(ann.requests(), [RoomRequest::Weights { bot: None, ply: None }]);
    ann.keys("M<Esc>");
    assert!(!ann.effects.contains(&Effect::Mouse(false)));
    ann.keys("MM");
    assert!(ann.effects.contains(&Effect::Mouse(false)));
    ann.keys("m<Left>");
    assert_eq!(ann.last_message(), "A rematch can be asked for after the game.");
    // On 19x19 there is a column q.
    let mut eve = Sitting::new(freestyle(19), Viewer::Spectator);
    eve.keys("q");
    assert_eq!((eve.effects.len(), eve.app.mode()), (0, &Mode::Ask(Question::Leave)));
    eve.keys("y");
    assert_eq!(eve.effects, [Effect::Exit(ExitReason::Left)]);
}

#[test]
fn points_without_borders_are_typed_with_their_signs() {
    for (keys, expected) in
        [("-3,2<Enter>", "-3,2"), ("+3,-2<Enter>", "3,-2"), ("0,-1<Enter>", "0,-1")]
    {
        let mut ann = Sitting::new(unbounded(), Viewer::Black);
        ann.keys(keys);
        assert_eq!(ann.played(), Some((0, expected.into())), "{keys}");
    }
}

#[test]
fn a_line_of_chat_that_came_too_fast_is_not_lost() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.keys("/Good luck<Enter>");
    let [request] = ann.requests().try_into().unwrap();
    ann.update(Event::Sent(command(), request));
    ann.is_refused(Reason::TooFast, "Not so fast.");
    assert_eq!(*ann.app.mode(), Mode::Say("Good luck".into()));
}

#[test]
fn what_people_say_stays_as_it_is() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    for text in ["no full stop", "👨\u{200d}👩\u{200d}👧", "small letters first …"] {
        let line = serde_json::json!({
            "number": 1, "at": 0, "member": id('b'), "name": "Bob", "text": text,
        });
        let line = serde_json::from_value(line).unwrap();
        ann.update(Event::Heard(Message::PlayerSaid { room: code(), line }));
        assert_eq!(ann.last_message(), format!("Bob: {text}"));
        assert!(ann.drawn(80, 24).contains(text));
    }
    ann.keys("/a👨\u{200d}👩\u{200d}👧<Backspace>");
    assert_eq!(*ann.app.mode(), Mode::Say("a".into()));
}

#[test]
fn messages_are_scrolled() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    for number in 0..30 {
        ann.is_refused(Reason::TooFast, &format!("message {number}"));
    }
    assert!(ann.drawn(80, 24).contains("Message 29."));
    ann.keys("[[[[[");
    let screen = ann.drawn(80, 24);
    assert!(screen.contains("(5 newer: ])") && !screen.contains("Message 25."), "{screen}");
    // Reading goes on where it is.
    ann.is_refused(Reason::TooFast, "one more");
    let screen = ann.drawn(80, 24);
    assert!(screen.contains("(6 newer: ])") && screen.contains("Message 24."), "{screen}");
    ann.keys("]]]]]]]]");
    assert!(ann.drawn(80, 24).contains("One more."));
}

#[test]
fn a_server_that_was_restored_is_not_just_back() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    let lost = || Event::Lost { reason: "it is silent".into(), retry_ms: 2_000 };
    let cases = [
        (0, "The server was restored; what happened last is gone."),
        (1, "The server was restored; the last move is gone."),
        (4, "The server was restored; the last 4 moves are gone."),
    ];
    for (moves, text) in cases {
        ann.update(lost());
        ann.update(Event::Restored(moves));
        ann.update(Event::Back);
        assert_eq!(ann.last_message(), text);
    }
    ann.update(lost());
    ann.update(Event::Back);
    assert_eq!(ann.last_message(), "Connected again.");
}

#[test]
fn a_snapshot_replaces_what_was_known() {
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.moves("h8 h9 i8");
    let mut snapshot: Snapshot = ann.app.room().snapshot();
    snapshot.seq = 20;
    snapshot.game.as_mut().unwrap().moves.truncate(1);
    let snapshot = Box::new(snapshot);
    ann.update(Event::Heard(Message::Snapshot { room: code(), snapshot }));
    assert_eq!((ann.app.ply(), ann.app.room().seq), (1, 20));
}

#[test]
fn the_window_follows_play_until_it_is_moved() {
    let mut ann = Sitting::new(unbounded(), Viewer::Black);
    let inside = |ann: &Sitting, x, y| ann.app.window().unwrap().contains(Point::new(x, y));
    ann.moves("0,0 100,-50");
    assert!(inside(&ann, 100, -50));
    assert!(inside(&ann, ann.app.cursor().x, ann.app.cursor().y));
    ann.keys("<S-Left><S-Left>H").moves("101,-50 0,1");
    assert!(!inside(&ann, 0, 1));
    ann.keys("<Tab>");
    assert!(inside(&ann, 0, 1));
    assert_eq!(ann.app.cursor(), Point::new(0, 1));
    ann.moves("-999999,3");
    assert!(inside(&ann, -999_999, 3));
}

#[test]
fn the_cursor_stays_on_the_board_and_in_the_window() {
    let mut ann = Sitting::new(freestyle(64), Viewer::Black);
    for key in ["<Up>", "<Left>", "j", "l", "L", "J", "K", "H"] {
        for _ in 0..70 {
            ann.keys(key);
            let window = ann.app.window().unwrap();
            assert!(window.contains(ann.app.cursor()), "{key}");
        }
    }
    ann.keys(":bl1<Enter>");
    assert_eq!(ann.played(), Some((0, "bl1".into())));
}

#[test]
fn who_waits_for_one_who_is_gone_may_claim_after_a_while() {
    let mut ann = Sitting::new(Rules::TIC_TAC_TOE, Viewer::Black);
    ann.moves("b2");
    let second = Some(Away { since: 1_000, claim_at: Some(61_000) });
    let presence = Message::Presence { room: code(), away: Absent { first: None, second } };
    ann.update(Event::Heard(presence));
    ann.update(Event::Tick { now: 31_500, silent_ms: 0 });
    let screen = ann.drawn(80, 24);
    assert!(screen.contains("in 30 s you may claim"), "{screen}");
    ann.keys("y");
    assert_eq!(ann.requests(), []);
    ann.update(Event::Tick { now: 61_000, silent_ms: 0 });
    let screen = ann.drawn(80, 24);
    assert!(screen.contains("y claims the win, d a draw"), "{screen}");
    ann.keys("dy");
    assert_eq!(ann.requests(), [RoomRequest::ClaimDraw]);
    ann.keys("yy");
    assert_eq!(ann.requests(), [RoomRequest::ClaimWin]);
}

#[test]
fn clocks_tick_and_warn() {
    let mut ann = Sitting::seated(Rules::TIC_TAC_TOE, "5m+3".parse().unwrap(), Viewer::Black);
    ann.moves("b2");
    let check = |ann: &mut Sitting, now, black: &str, white: &str| {
        ann.update(Event::Tick { now, silent_ms: 0 });
        let screen = ann.drawn(80, 24);
        assert!(screen.contains(black) && screen.contains(white), "{screen}");
    };
    check(&mut ann, 1_000, "Ann (you)  5:00", "Bob  4:59");
    check(&mut ann, 290_000, "Ann (you)  5:00", "Bob  0:10");
    check(&mut ann, 290_100, "Ann (you)  5:00", "Bob  ! 0:09.9 !");
}

#[test]
fn what_is_said_is_sent_and_what_others_say_is_read() {
    let mut ann = Sitting::new(Rules::TIC_TAC_TOE, Viewer::Black);
    ann.keys("/Hi, Bob!<Enter>");
    let text = ChatText::new("Hi, Bob!").unwrap();
    assert_eq!(ann.requests(), [RoomRequest::Say { text }]);
    ann.keys("/never mind<Esc>/<Enter>");
    assert_eq!(ann.requests(), []);
}

#[test]
fn a_game_is_aborted_and_not_resigned_until_both_have_acted() {
    let due = |seat| RoomEvent::FirstActDue { seat, until: 35_000 };
    let mut ann = Sitting::new(freestyle(15), Viewer::Black);
    ann.app.room.paired = true;
    ann.hears(due(Seat::First)).update(Event::Tick { now: 5_000, silent_ms: 0 });
    let screen = ann.drawn(80, 24);
    assert!(screen.contains("30 s") && ann.app.is_ticking(), "{screen}");
    assert!(screen.contains("r abort") && !screen.contains("r resign"), "{screen}");
    ann.keys("ry");
    assert_eq!(ann.requests(), [RoomRequest::Abort]);
    ann.moves("h8").hears(due(Seat::Second)).keys("r");
    assert_eq!(*ann.app.mode(), Mode::Ask(Question::Abort));
    ann.moves("h9");
    assert_eq!(*ann.app.mode(), Mode::Board);
    assert!(!ann.app.is_ticking() && ann.drawn(80, 24).contains("r resign"));
    ann.keys("ry");
    assert_eq!(ann.requests(), [RoomRequest::Resign]);
}

#[test]
fn a_silent_opponent_is_asked_and_then_the_game_is_claimed() {
    let nudged = RoomEvent::Nudged { by: Seat::First, until: 60_000 };
    let mut ann = Sitting::new(Rules::TIC_TAC_TOE, Viewer::Black);
    ann.moves("b2").keys("Ny");
    assert_eq!(ann.requests(), [RoomRequest::Nudge]);
    ann.hears(nudged.clone()).keys("y").update(Event::Tick { now: 30_000, silent_ms: 0 });
    assert_eq!(ann.requests(), []);
    let screen = ann.drawn(80, 24);
    assert!(screen.contains("In 30 s you may claim") && ann.app.is_ticking(), "{screen}");
    ann.update(Event::Tick { now: 60_000, silent_ms: 0 });
    let screen = ann.drawn(80, 24);
    assert!(screen.contains("y claims the win, d a draw"), "{screen}");
    ann.keys("yydy");
    assert_eq!(ann.requests(), [RoomRequest::ClaimWin, RoomRequest::ClaimDraw]);

    let mut bob = Sitting::new(Rules::TIC_TAC_TOE, Viewer::White);
    bob.moves("b2").requests();
    bob.hears(nudged);
    assert_eq!(bob.effects, [Effect::Bell]);
    bob.update(Event::Tick { now: 60_000, silent_ms: 0 });
    assert!(bob.drawn(80, 24).contains("Still there?"));
    assert_eq!(bob.keys("y").requests(), [], "only the one who asks may claim");
    bob.moves("a1");
    assert!(!bob.drawn(80, 24).contains("Still there?"));
}
