//! Tests of the file formats: our own files round-trip, others' files are read, and invalid ones
//! are refused with the line.

use fivefold_shared::{
    notation::{
        self,
        file::{Ending, FileError, FileMove, FileOpening, GameFile},
        json, moves,
        notes::Noted,
        psq, sgf,
        tree::GameTree,
    },
    opening::OpeningKind,
    rules::{PLIES_MAX, Point, Rules, Size, Stone, UNBOUNDED_PLIES_MAX, Variant},
};
use proptest::prelude::*;

fn freestyle() -> Rules {
    Rules::new(Variant::Freestyle, Size::square(15)).expect("on offer")
}

/// The points as a list of moves writes them, or the error.
fn points(read: Result<GameFile, FileError>) -> String {
    match read {
        Ok(game) => moves::write(&game).lines().skip(1).collect::<Vec<_>>().join(" "),
        Err(error) => error.to_string(),
    }
}

/// The first game of an SGF.
fn sgf_game(text: &str) -> Result<Noted<GameFile>, FileError> {
    sgf::read(text, Variant::Freestyle, 1).map(Noted::main_line)
}

fn written(game: &GameFile) -> String {
    sgf::write(&GameTree::from(game.clone())).expect("no side is longer than 52")
}

/// The game of a text in any format.
fn game(text: &str, rules: Rules) -> Result<Noted<GameFile>, FileError> {
    notation::Source::first(text, rules).read().map(Noted::main_line)
}

/// The moves, and the notes after a slash each; or the error.
fn noted(read: Result<Noted<GameFile>, FileError>) -> String {
    let notes = read.as_ref().map(|read| read.notes.clone()).unwrap_or_default();
    let texts = notes.iter().map(|note| format!(" / {note}"));
    points(read.map(|read| read.content)) + &texts.collect::<String>()
}

#[test]
fn sgf_of_others_is_read() {
    let cases = [
        ("(;GM[4]SZ[15];B[hh];W[hi])", "h8 h7"),
        // Go's number, another size, a rectangle, a pass at the end.
        ("(;GM[1]SZ[19];B[jj];W[tt])", "j10 / 1 pass was left out: W (line 1)"),
        ("(;SZ[20:10];B[aa];W[tj])", "a10 t1"),
        // Comments with brackets, unknown properties, variations, a second game.
        (
            "noise (;FF[4]C[a \\] and (;B[aa\\])]XX[1][2];B[hh](;W[hi];B[gg])(;W[gh]))(;B[aa])",
            "h8 h7 g9 / the file has 1 more game / 1 move of variations was left out",
        ),
        // Names with small letters, as in version 1; breaks anywhere.
        ("(\n;\nGaMe[4]\nBlack[hh]\n)", "h8"),
        // An opening that is set up.
        ("(;SZ[15]AB[hh][ii]AW[hi];W[gg])", "h8 h7 i7 g9"),
        (
            "(;SZ[15]AB[hh:ih])",
            "line 1: stones are set up that no game by turns can have brought there",
        ),
        // The size after the stones; the points as people write them; no first node.
        ("(;AB[hh][ih]AW[gg][gh]SZ[19]PL[B];B[jh])", "h12 g13 i12 g12 j12"),
        ("(;SZ[15];B[h8];W[O15];B[a1])", "h8 o15 a1"),
        ("(GM[4]SZ[15];B[hh])", "h8"),
        ("(B[aa])", "a15"),
        // What a game by turns cannot have is left out.
        (
            "(;SZ[15];B[hh]\n;B[hi];W[aa])",
            "h8 a15 / 1 stone out of turn was left out: B[hi] (line 2)",
        ),
        (
            "(;SZ[15];B[hh];W[];B[hi];W[aa]\n;B[];B[bb])",
            "h8 a15 b14 / 2 passes were left out: W (the first in line 1) \
             / 1 stone out of turn was left out: B[hi] (line 1)",
        ),
        (
            "(;SZ[15];B[hh];AE[hh]AW[aa];W[hi])",
            "h8 h7 / 2 changes of the board during the game were left out: AE (the first in line 1)",
        ),
        (
            "(;SZ[]KM[];B[hh]\n;W)",
            "h8 / 2 values without a meaning were left out: SZ (the first in line 1)",
        ),
        (
            "(;SZ[15];B[hh]MS[x];W[hi]MS[-3])",
            "h8 h7 / 2 values without a meaning were left out: x (the first in line 1)",
        ),
        (
            "(;SZ[15];B[hh];SZ[19]W[hi])",
            "h8 h7 / 1 value without a meaning was left out: 19 (line 1)",
        ),
        ("(;SZ[15];B[hh]\n;W[hi]", "h8 h7 / the file ends in the middle of the game (line 2)"),
        ("(;SZ[15]\n;B[zz])", "line 2: `zz` is no point of a board of 15x15"),
        ("(;SZ[15]\n;B[h16])", "line 2: `h16` is no point of a board of 15x15"),
        ("(;SZ[100];B[aa])", "line 1: `100` is no size of a board"),
        ("(;SZ[15]\n\n;B[aa)", "line 3: a value that does not end: `]` is missing"),
        ("(;SZ[15] 8)", "line 1: `8` is not expected here"),
        ("hello", "line 1: no SGF: there is no `(;`"),
        ("()", "line 1: no SGF: the game has no node"),
        ("((((", "line 1: no SGF: the game has no node"),
        ("(;RU[renju]SZ[19];B[hh])", "line 1: renju is played on 15x15 only"),
    ];
    for (text, expected) in cases {
        assert_eq!(noted(sgf_game(text)), expected, "{text}");
    }
}

#[test]
fn sgf_names_its_rules_by_word_or_by_gomocups_number() {
    let cases = [
        ("4", Variant::Renju, None),
        ("1", Variant::Standard, None),
        ("9", Variant::Caro, None),
        ("Renju (RIF)", Variant::Renju, None),
        (
            "5",
            Variant::Freestyle,
            Some("the rules of the file are not known: 5; it was read as freestyle (line 1)"),
        ),
        (
            "moon",
            Variant::Freestyle,
            Some("the rules of the file are not known: moon; it was read as freestyle (line 1)"),
        ),
    ];
    for (rules, variant, note) in cases {
        let read = sgf_game(&format!("(;GM[4]SZ[15]RU[{rules}];B[hh])")).expect("a game");
        assert_eq!(read.content.rules.variant(), variant, "{rules}");
        let notes: Vec<_> = read.notes.iter().map(ToString::to_string).collect();
        assert_eq!(notes, note.into_iter().collect::<Vec<_>>(), "{rules}");
    }
}

#[test]
fn a_game_is_chosen_from_a_file_with_several() {
    let text = "(;B[aa])\n()\n(;B[bb](;W[cc])(;W[dd])) x\n(;B[ee])";
    for (number, expected) in [
        (1, "a15 / the file has 2 more games"),
        (2, "b14 c13 / the file has 2 more games / 1 move of variations was left out"),
        (3, "e11 / the file has 2 more games"),
        (0, "line 1: the file has 3 games"),
        (4, "line 1: the file has 3 games"),
    ] {
        let read = sgf::read(text, Variant::Freestyle, number).map(Noted::main_line);
        assert_eq!(noted(read), expected, "{number}");
    }
    let source = notation::Source { text: "h8 i9", rules: freestyle(), game: 2 };
    assert_eq!(source.read().expect_err("one").to_string(), "line 1: the file has one game");
}

#[test]
fn names_stay_the_same_over_five_rounds() {
    let mut text =
        "(;GM[4]SZ[15]PB[C:\\\\games\\] \\x]PW[a\\\r\nb\\\nc];B[hh]C[\\\\n \\\\])".to_owned();
    let mut names = Vec::new();
    for _ in 0..5 {
        let tree = sgf::read(&text, Variant::Freestyle, 1).expect("a game").content;
        let comment = tree.nodes()[0].comment.clone();
        names.push((tree.black.clone(), tree.white.clone(), comment));
        text = sgf::write(&tree).expect("it fits");
    }
    let expected = (Some("C:\\games] x".into()), Some("abc".into()), "\\n \\".to_owned());
    assert_eq!(names, vec![expected; 5]);
}

#[test]
fn sgf_tells_who_played_what_and_how_it_ended() {
    let text = "(;RU[Exactly five]PB[ Ann\n B. ]PW[]DT[2026-11-21]EV[World cup]RE[W+Resign];B[hh])";
    let game = sgf_game(text).expect("it is a game").content;
    assert_eq!(game.rules.variant(), Variant::Standard);
    assert_eq!((game.black.as_deref(), game.white.as_deref()), (Some("Ann B."), None));
    assert_eq!(
        (game.date.as_deref(), game.ending),
        (Some("2026-11-21"), Some(Ending::Resignation(Stone::White)))
    );
    assert_eq!(
        written(&game),
        "(;FF[4]GM[4]CA[UTF-8]AP[fivefold]SZ[15]RU[standard]PB[Ann B.]DT[2026-11-21]EV[World cup]\
         RE[W+R]\n;B[hh])\n"
    );
}

#[test]
fn sgf_shows_the_opening_and_who_chose_what() {
    let json = r#"{"rules": {"variant": "freestyle", "size": [15, 15]}, "visibility": "public",
        "first": {"member": "5d41402abc4b2a76", "name": "Ann"}, "second": {"bot": {"kind": "attack"}},
        "black": "second", "started_at": 1795230000000, "ended_at": 1795230060000, "plies": 5,
        "opening": {"kind": "swap2", "first": "first", "acts": [
            {"by": "first", "act": {"put": [[7, 7], [8, 8], [9, 6]]}},
            {"by": "second", "act": {"put": [[6, 6], [5, 5]]}},
            {"by": "first", "act": {"take": "white"}}]},
        "outcome": {"reason": "resignation", "winner": "first"},
        "moves": [{"point": [7, 7], "at": 1795230000000}, {"point": [8, 8], "at": 1795230000000},
            {"point": [9, 6], "at": 1795230000000}, {"point": [6, 6], "at": 1795230000000},
            {"point": [5, 5], "at": 1795230000000}]}"#;
    let game = json::read(json).expect("a record");
    assert_eq!(
        written(&game),
        "(;FF[4]GM[4]CA[UTF-8]AP[fivefold]SZ[15]RU[freestyle]PB[bot attack]PW[Ann]DT[2026-11-21]\
         RE[W+R]ON[swap2]\n;B[hh]MS[0]\n;W[ii]MS[0]\n;B[jg]MS[0]C[Ann puts h8, i7, j9.]\
         \n;W[gg]MS[0]\n;B[ff]MS[0]C[bot attack puts g9, f10. Ann takes White.])\n"
    );
    assert!(!psq::write(&game).contains("swap2"), "PSQ has no place for it");
}

#[test]
fn psq_of_others_is_read() {
    let cases = [
        // Piskvork's own, with names and a code; and a judge's, with one more line.
        (
            "Piskvorky 20x20, 11:11, 0\r\n11,10,26\r\n12,11,30\r\npbrain-a.exe\r\npbrain-b.exe\r\n0\r\n",
            "k11 l10",
        ),
        ("Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,1\nA\nB\n-1\n1,Cup\n", "h8 i7"),
        // No times, nothing after the moves, no last line break.
        ("Piskvorky 15x15, 0:0, 1\n8,8\n9,9", "h8 i7"),
        // A time that is none, and more than a move.
        (
            "Piskvorky 15x15, 11:11, 0\n8,8,-5\n9,9,12,1\nAnn\nBob\n0",
            "h8 i7 / 1 value without a meaning was left out: -5 (line 2)",
        ),
        (
            "Piskvorky 15x15, 0:0, 0\n8,8,1.5\n9,9,",
            "h8 i7 / 2 values without a meaning were left out: 1.5 (the first in line 2)",
        ),
        ("", "line 1: no PSQ: it begins with `Piskvorky WIDTHxHEIGHT, `"),
        ("Piskvorky 2x15, 0:0, 0\n", "line 1: a board of 2x15; sides are 3 to 64"),
        ("Piskvorky 15x15, 0:0, 0\n8,8\n\n16,1", "line 4: 16,1 is no point of a board of 15x15"),
        ("Piskvorky 15x15, 0:0, 0\n0,1", "line 2: 0,1 is no point of a board of 15x15"),
        ("Piskvorky 15x15, 0:0, 0\n8,8\n-3,1,9", "line 3: -3,1,9 is no point of a board of 15x15"),
        (
            "Piskvorky 15x15, 0:0, 0\n99999999999,1",
            "line 2: 99999999999,1 is no point of a board of 15x15",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(noted(psq::read(text, Variant::Freestyle)), expected, "{text}");
    }
}

/// A list of so many moves, which go on and on among three points, in each format.
fn long_games(moves: usize) -> [(&'static str, String); 6] {
    let list = |write: &dyn Fn(usize) -> String| (0..moves).map(write).collect::<String>();
    let sgf = list(&|ply| format!(";{}[{}a]", ["B", "W"][ply % 2], ["a", "b", "c"][ply % 3]));
    let (black, white) = ("[aa]".repeat(moves.div_ceil(2)), "[bb]".repeat(moves / 2));
    let json = list(&|_| r#"{"point": [0, 0]},"#.to_owned());
    let rules = r#""rules": {"variant": "mnk", "k": 3, "size": 3}"#;
    [
        ("SGF", format!("(;RU[mnk 3]SZ[3]{sgf})")),
        ("SGF, set up", format!("(;RU[mnk 3]SZ[3]AB{black}AW{white})")),
        ("PSQ", format!("Piskvorky 3x3, 0:0, 0\n{}", "1,1\n".repeat(moves))),
        ("names", format!("tic-tac-toe\n{}", "a1".repeat(moves))),
        ("numbers", format!("tic-tac-toe\n{}", "0,0 ".repeat(moves))),
        ("JSON", format!(r#"{{{rules}, "moves": [{}]}}"#, json.trim_end_matches(','))),
    ]
}

#[test]
fn a_list_is_at_most_as_long_as_a_game() {
    for (moves, is_read) in [(9, true), (10, false)] {
        for (form, text) in long_games(moves) {
            let variant = Rules::TIC_TAC_TOE.variant();
            let read = match form {
                "PSQ" => psq::read(&text, variant),
                _ => game(&text, Rules::TIC_TAC_TOE),
            };
            match read {
                Ok(game) => assert!(is_read && game.content.moves.len() == moves, "{form}: {text}"),
                Err(error) => {
                    assert!(!is_read && error.text.starts_with("more "), "{form}: {error}");
                }
            }
        }
    }
    // Where there are no borders, and where the rules are not known before the list is.
    for (moves, is_read) in [(UNBOUNDED_PLIES_MAX, true), (UNBOUNDED_PLIES_MAX + 1, false)] {
        let text = format!("freestyle unbounded\n{}", "0,0 ".repeat(moves));
        assert_eq!(game(&text, freestyle()).is_ok(), is_read, "{moves}");
    }
    for (moves, expected) in [(PLIES_MAX, "missing field `rules`"), (PLIES_MAX + 1, "more moves")] {
        let list = vec![r#"{"point": [0, 0]}"#; moves].join(",");
        let error = game(&format!(r#"{{"moves": [{list}]}}"#), freestyle());
        let error = error.expect_err("there are no rules").text;
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn a_rectangle_of_stones_is_counted_before_it_is_set_up() {
    let cases = [
        // All nine points, and one of them twice.
        ("(;SZ[3]RU[mnk 3]AB[aa:bb][ca]AW[cb][ac:cc])", "a3 c2 b3 a1 a2 b1 b2 c1 c3"),
        (
            "(;SZ[3]RU[mnk 3]AB[aa:bb][ca]AW[cb][ac:cc][aa])",
            "line 1: more stones than a board of 3x3 has points",
        ),
        ("(;SZ[3]\nAB[aa:cc][aa:cc])", "line 2: more stones than a board of 3x3 has points"),
        // Corners the wrong way round are no stones.
        ("(;SZ[3]RU[mnk 3]AB[cc:aa])", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(noted(sgf_game(text)), expected, "{text}");
    }
}

#[test]
fn lists_of_moves_are_read_as_people_write_them() {
    let cases = [
        ("h8 i9 j10", "h8 i9 j10"),
        ("h8i9j10", "h8 i9 j10"),
        ("H8, I9,J10;\n a1", "h8 i9 j10 a1"),
        ("1. h8 i9 2. j10", "h8 i9 j10"),
        ("7,7 8,6", "h8 i9"),
        ("freestyle 20x20\nt20", "t20"),
        ("tic-tac-toe\nb2", "b2"),
        ("freestyle unbounded\n0,0 -3,1000", "0,0 -3,1000"),
        ("", ""),
        ("h8\ni99", "line 2: `i99` is not on the board; say a1 to o15, or numbers such as 7,7"),
    ];
    for (text, expected) in cases {
        let found = points(moves::read(text, freestyle()));
        // The errors of coordinates are tested with them.
        let is_error = expected.starts_with("line");
        let same = found == expected || is_error && found.starts_with(&expected[..20]);
        assert!(same, "{text}: {found}");
    }
}

#[test]
fn a_text_is_read_in_the_format_that_it_begins_like() {
    let json = r#"{"rules": {"variant": "freestyle", "size": 15}, "moves": [
        {"point": [7, 7]}, {"point": [8, 6], "took_ms": 5}]}"#;
    let told = r#"{"id": "k7m2qpxw9abcdefg", "rules": {"variant": "freestyle", "size": 15},
        "visibility": "public", "first": {"bot": {"kind": "attack"}},
        "second": {"bot": {"kind": "pattern"}}, "black": "first", "started_at": 0, "ended_at": 9, "plies": 2,
        "outcome": {"reason": "agreement"},
        "moves": [{"point": [7, 7], "at": 4}, {"point": [8, 6], "at": 9}]}"#;
    for text in [
        "h8 i9",
        "\n (;GM[4]SZ[15];B[hh];W[ig])",
        "\u{feff}Piskvorky 15x15, 1:1, 0\n8,8\n9,7\n",
        json,
        told,
    ] {
        let game = game(text, freestyle()).expect("a game").content;
        assert_eq!(moves::write(&game), "freestyle 15x15\nh8 i9\n", "{text}");
    }
    let error = game("{\n\"moves\": [}", freestyle()).expect_err("no game");
    assert!(error.to_string().starts_with("line 2: "), "{error}");
}

fn rules() -> impl Strategy<Value = Rules> {
    let rules = |variant, size| Rules::new(variant, size).expect("on offer");
    prop::sample::select(vec![
        freestyle(),
        rules(Variant::Standard, Size::Bounded { width: 20, height: 52 }),
        rules(Variant::Renju, Size::square(15)),
        rules(Variant::Caro, Size::Unbounded),
        rules(Variant::CaroOverline, Size::square(19)),
        rules(Variant::Mnk { k: 4 }, Size::Bounded { width: 7, height: 6 }),
        Rules::TIC_TAC_TOE,
    ])
}

/// A game with any moves on its board, legal or not.
fn any_game() -> impl Strategy<Value = GameFile> {
    let name = || prop::option::of("[A-Za-zéΩ五][A-Za-z .:;()\\[\\]\\\\#\"é]{0,20}[a-z]");
    let took = prop::option::of(0..10_000_000_u64);
    let moves = prop::collection::vec((0..1_000_i32, 0..1_000_i32, took), 0..40);
    let stone = || prop::sample::select(Stone::BOTH.to_vec());
    let ending = prop_oneof![
        Just(Ending::Draw),
        Just(Ending::Void),
        stone().prop_map(Ending::Win),
        stone().prop_map(Ending::Resignation),
        stone().prop_map(Ending::Time),
        stone().prop_map(Ending::Forfeit),
    ];
    let date = prop::option::of("20[0-9]{2}-[01][0-9]-[0-3][0-9]");
    let kind = prop::sample::select(OpeningKind::ALL[1..].to_vec());
    let opening = kind.prop_map(|kind| FileOpening { kind, choices: Vec::new() });
    let opening = prop::option::of(opening);
    let texts = (name(), name(), date, name());
    (rules(), texts, prop::option::of(ending), opening, moves).prop_map(
        |(rules, (black, white, date, event), ending, opening, moves)| {
            let tidy = |name: Option<String>| {
                name.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "))
            };
            let on_board = |(x, y, took_ms): (i32, i32, Option<u64>)| {
                let point = match rules.size() {
                    Size::Bounded { width, height } => {
                        Point::new(x % i32::from(width), y % i32::from(height))
                    }
                    Size::Unbounded => Point::new(x % 40 - 100, y % 50 + 7),
                };
                FileMove { point, took_ms }
            };
            let moves = moves.into_iter().take(rules.size().plies_max()).map(on_board).collect();
            let [black, white, event] = [black, white, event].map(tidy);
            GameFile { rules, black, white, date, event, ending, opening, moves }
        },
    )
}

proptest! {
    #[test]
    fn sgf_is_read_as_it_was_written(game in any_game()) {
        let text = written(&game);
        // The variant is in the file.
        prop_assert_eq!(sgf_game(&text), Ok(game.into()), "{}", text);
    }

    #[test]
    fn psq_is_read_as_it_was_written_as_far_as_it_tells(game in any_game()) {
        let text = psq::write(&game);
        let read = psq::read(&text, game.rules.variant()).expect("it is a game").content;
        prop_assert_eq!(&psq::write(&read).replace("\r\n-1\r\n", ""), &{
            let end = text.trim_end().rfind("\r\n").expect("several lines");
            text[..end].to_owned()
        });
        prop_assert_eq!(read.moves.len(), game.moves.len());
        if let Size::Bounded { .. } = game.rules.size() {
            prop_assert_eq!(read.rules, game.rules);
            prop_assert_eq!(read.moves, game.moves);
        }
    }

    #[test]
    fn moves_are_read_as_they_were_written(game in any_game()) {
        let text = moves::write(&game);
        let read = moves::read(&text, freestyle()).expect("it is a game");
        prop_assert_eq!(read, GameFile::of_moves(game.rules, game.points()), "{}", text);
    }

    #[test]
    fn json_is_read_as_it_was_written(game in any_game()) {
        let text = serde_json::to_string(&game).expect("it can be written");
        prop_assert_eq!(serde_json::from_str::<GameFile>(&text).expect("it is a game"), game);
    }
}
