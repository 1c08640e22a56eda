//! Tests of files with many games: each game is found with its line, damage does not affect other
//! games, and the parts in which a file is fed make no difference.

use fivefold_shared::{
    collection::{
        BATCH_BYTES_MAX, BATCH_GAMES_MAX, COLLECTED_MOVES_BYTES_MAX, CollectedGame, GamesToCollect,
        file_batches::FileBatch,
    },
    notation::{
        file::FileError,
        games::{FileFormat, FoundGame, GamesReader},
        notes::Note,
        tree::FILE_BYTES_MAX,
    },
    rules::{Rules, Size, Variant},
};
use proptest::prelude::*;

/// The games, the faults and the notes, in the order in which they come.
type Found = (Vec<Result<FoundGame, FileError>>, Vec<Note>);

fn freestyle() -> Rules {
    Rules::new(Variant::Freestyle, Size::square(15)).expect("on offer")
}

/// Reads a file that is fed in these parts.
fn read<'a>(name: &str, parts: impl IntoIterator<Item = &'a str>) -> Found {
    let mut reader = GamesReader::new(FileFormat::of_name(name), freestyle());
    let mut found = Vec::new();
    for part in parts {
        reader.feed(part);
        found.extend(&mut reader);
    }
    reader.end();
    found.extend(&mut reader);
    assert_eq!(reader.next(), None);
    (found, reader.take_notes())
}

/// The same for a library.
fn read_library<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Found {
    let mut reader = GamesReader::new(None, freestyle());
    let mut found = Vec::new();
    for part in parts {
        reader.feed_library(part);
        found.extend(&mut reader);
    }
    reader.end();
    found.extend(&mut reader);
    assert_eq!(reader.next(), None);
    (found, reader.take_notes())
}

/// The line and the moves of each game, or the fault; then the notes after a slash each.
fn shown((found, notes): Found) -> Vec<String> {
    let game = |found: Result<FoundGame, FileError>| match found {
        Ok(FoundGame { line, game }) => {
            let rules = game.rules;
            let moves = CollectedGame::of(&game).moves;
            if rules == freestyle() {
                format!("{line}: {moves}")
            } else {
                format!("{line}: {rules}: {moves}")
            }
        }
        Err(fault) => fault.to_string(),
    };
    let found = found.into_iter().map(game);
    found.chain(notes.iter().map(|note| format!("/ {note}"))).collect()
}

fn check(name: &str, cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(shown(read(name, [*text])), *expected, "{text}");
    }
}

#[test]
fn sgf_collections_are_read_game_by_game() {
    check(
        "games.sgf",
        &[
            ("(;GM[4]SZ[15];B[hh])\n\n(;SZ[15];B[ii];W[aa])", &["1: h8", "3: i7 a15"]),
            // Other text, empty brackets, variations, comments with brackets.
            (
                "A :( (note)\n()\n(;B[aa]C[(;B[bb\\])](;W[cc])(;W[dd])) x (GM[4];B[bb])",
                &["3: a15 c13", "3: b14", "/ 1 move of variations was left out (line 3)"],
            ),
            (
                "(;SZ[3]RU[mnk 3];B[aa])(;RU[4]SZ[15];B[hh])",
                &["1: tic-tac-toe: a3", "1: renju 15x15: h8"],
            ),
            // Faults, each with its line.
            (
                "(;B[aa])\n(;SZ[15]\n;B[zz])\n(;B[bb]\n;W[bb])\n(;SZ[15])\n(;B[cc])",
                &[
                    "1: a15",
                    "line 3: `zz` is no point of a board of 15x15",
                    "line 4: move 2, b14: this point has a stone already (freestyle 15x15)",
                    "line 6: the game has no moves",
                    "7: c13",
                ],
            ),
            // What follows the end of a game, and notes of several games.
            (
                "(;SZ[3]RU[mnk 3];B[aa];W[ba];B[ab];W[bb];B[ac];W[cc];B[ca])\n(;B[aa];W[];B[bb])\n(;B[aa]\n;B[])",
                &[
                    "1: tic-tac-toe: a3 b3 a2 b2 a1",
                    "2: a15",
                    "3: a15",
                    "/ 2 moves after the end of a game were left out (the first in line 1)",
                    "/ 2 passes were left out: W (the first in line 2)",
                    "/ 1 stone out of turn was left out: B[bb] (line 2)",
                ],
            ),
            ("", &["line 1: this is no file with a game"]),
            ("hello", &["line 1: this is no file with a game"]),
            ("((((", &["line 1: this is no file with a game"]),
        ],
    );
}

#[test]
fn a_damaged_game_of_a_collection_costs_no_other() {
    check(
        "games.sgf",
        &[
            // A bracket is missing at the end, or there is one too many.
            (
                "(;FF[4];B[aa](;W[bb])\n(;FF[4];B[cc])",
                &["1: a15 b14", "2: c13", "/ the file ends in the middle of the game (line 2)"],
            ),
            ("(;B[aa]))\n(;B[bb])", &["1: a15", "2: b14"]),
            ("((;GM[4];B[aa])\n( (;B[bb])", &["1: a15", "2: b14"]),
            // A value does not end.
            (
                "(;B[aa]C[hello)\n (;GM[4]SZ[15];B[bb])\n(;B[cc])",
                &["line 1: a value that does not end: `]` is missing", "2: b14", "3: c13"],
            ),
            ("(;B[aa]C[hello;W[bb])\n(;B[cc])", &["1: a15", "2: c13"]),
            (
                "(;B[aa])\n(;B[bb]C[hello",
                &["1: a15", "line 2: a value that does not end: `]` is missing"],
            ),
            (
                "(;B[aa])\n(;B[bb]",
                &["1: a15", "2: b14", "/ the file ends in the middle of the game (line 2)"],
            ),
            // A comment may quote a game where no line begins, and a variation has no root.
            ("(;B[aa]C[see (;GM[4\\])](;W[bb]))", &["1: a15 b14"]),
            (
                "(;AB[aa]\n(;W[bb])\n(;W[cc]))\n(;B[dd])",
                &["1: a15 b14", "4: d12", "/ 1 move of variations was left out (line 1)"],
            ),
        ],
    );
}

#[test]
fn each_line_is_a_list_of_moves() {
    check(
        "games.txt",
        &[
            ("h8 i9\n\n  h8i9j10\r\n1. a1 b1", &["1: h8 i9", "3: h8 i9 j10", "4: a1 b1"]),
            // Rules hold from there on. A list goes on behind a comma.
            (
                "h8\ntic-tac-toe\na1 b2\nb1\nrenju 15x15\nh8, i9,\n j10",
                &[
                    "1: h8",
                    "3: tic-tac-toe: a1 b2",
                    "4: tic-tac-toe: b1",
                    "6: renju 15x15: h8 i9 j10",
                ],
            ),
            (
                "h8 h8\ni99\nhello\nj10,\nx\n;\nk11",
                &[
                    "line 1: move 2, h8: this point has a stone already (freestyle 15x15)",
                    "line 2: `i99` is not on the board; write a name from a1 to o15, or x,y from 0,0 (top left) to 14,14",
                    "line 3: `hello` is not a point; write a name from a1 to o15, or x,y from 0,0 (top left) to 14,14",
                    "line 5: `x` is not a point; write a name from a1 to o15, or x,y from 0,0 (top left) to 14,14",
                    "line 6: the game has no moves",
                    "7: k11",
                ],
            ),
        ],
    );
}

#[test]
fn psq_and_json_may_have_several_games() {
    check(
        "games.psq",
        &[
            (
                "Piskvorky 15x15, 1:1, 0\n8,8,1\nAnn\nBob\n0\n\nPiskvorky 20x20, 1:1, 0\n1,1\nPiskvorky 15x15, 1:1, 0\n99,1\nPiskvorky 15x15, 1:1, 0\n1,1,x",
                &[
                    "1: h8",
                    "7: freestyle 20x20: a20",
                    "line 10: 99,1 is no point of a board of 15x15",
                    "11: a15",
                    "/ 1 value without a meaning was left out: x (line 12)",
                ],
            ),
            (
                "hello\nPiskvorky 15x15, 1:1, 0\n8,8",
                &["line 1: no PSQ: it begins with `Piskvorky WIDTHxHEIGHT, `", "2: h8"],
            ),
        ],
    );
    let game = |x: i32| {
        format!(
            r#"{{"rules": {{"variant": "freestyle", "size": 15}}, "black": "a}}\"", "moves": [{{"point": [{x}, 7]}}]}}"#
        )
    };
    let (one, two) = (game(7), game(8));
    let broken = one.replace("]}]}", "]}]");
    let cases = [
        (format!("{one}\n{two}"), vec!["1: h8", "2: i8"]),
        (format!("[{one},\n  {two}]\n"), vec!["1: h8", "2: i8"]),
        (format!("{{}}\n{two}"), vec!["line 1: missing field `rules`", "2: i8"]),
        // A brace or a quote is missing.
        (format!("{broken}\n{two}"), vec!["line 2: EOF while parsing an object", "2: i8"]),
        (
            format!("{{\"a\n{two}"),
            vec![
                "line 2: control character (\\u0000-\\u001F) found while parsing a string",
                "2: i8",
            ],
        ),
        (format!("{one}\nnonsense\n{two}"), vec!["1: h8", "line 2: expected ident", "3: i8"]),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(read("games.json", [text.as_str()])), expected, "{text}");
    }
}

#[test]
fn a_file_is_read_in_the_format_that_it_begins_like() {
    for (name, text, expected) in [
        ("", "\u{feff}\n(;B[aa])", "2: a15"),
        ("games.txt", "(;B[aa])", "1: a15"),
        ("games.sgf", "h8 (;B[aa])", "1: a15"),
        ("games.lib", "h8", "1: h8"),
        ("games", "Piskvorky 15x15, 1:1, 0\n8,8", "1: h8"),
        ("GAMES.PSQ", "\n\nPiskvorky 15x15, 1:1, 0\n8,8", "3: h8"),
    ] {
        assert_eq!(shown(read(name, [text])), [expected], "{name}: {text}");
    }
}

fn library(nodes: &[u8]) -> Vec<u8> {
    let head = b"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
    [head.as_slice(), nodes].concat()
}

#[test]
fn each_line_of_a_library_to_its_end_is_a_game() {
    let cases: [(&[u8], &[&str]); 8] = [
        // The root, and h8 with two replies, of which the first goes on.
        (&[0, 0, 0x78, 0, 0x79, 0x80, 0x7a, 0x40, 0x69, 0x40], &["1: h8 i8 j8", "1: h8 i9"]),
        // Two first moves, without a root; what follows the tree does not count.
        (&[0x78, 0xc0, 0x79, 0x40, 1, 2, 3], &["1: h8", "1: i8"]),
        // A comment, and a saved position, which is one line without an end.
        (&[0, 0, 0x78, 0x08, b'h', b'i', 0, 0, 0x79, 0], &["1: h8 i8"]),
        // A pass with a move behind it.
        (&[0, 0, 0x78, 0, 0, 0, 0x79, 0x40], &["1: h8", "/ 2 moves after a pass were left out"]),
        // One line cannot be played.
        (
            &[0, 0, 0x78, 0, 0x78, 0xc0, 0x79, 0x40],
            &["line 1: move 2, h8: this point has a stone already (freestyle 15x15)", "1: h8 i8"],
        ),
        // A sibling is missing: what precedes is kept.
        (&[0, 0, 0x78, 0x80, 0x79, 0x40], &["1: h8 i8", "line 1: byte 26: a variation is missing"]),
        (&[0, 0, 0x78, 0x80, 0x79], &["line 1: byte 24: the library ends within a node"]),
        (&[], &["line 1: this is no file with a game"]),
    ];
    for (nodes, expected) in cases {
        let bytes = library(nodes);
        assert_eq!(shown(read_library([bytes.as_slice()])), expected, "{nodes:?}");
        assert_eq!(shown(read_library(bytes.chunks(1))), expected, "{nodes:?}");
    }
    let short = &library(&[])[..19];
    assert_eq!(shown(read_library([short])), ["line 1: no RenLib library"]);
    // More waits than any game has moves, and a text without an end.
    let deep = library(&[0, 0x80].repeat(2_000));
    assert_eq!(
        shown(read_library([deep.as_slice()]))[0],
        "line 1: byte 2022: too many moves in a line"
    );
    let text = library(&[&[0, 0x08], [b'x'; 100_000].as_slice()].concat());
    let fault = "line 1: byte 20: the library ends within a node";
    assert_eq!(shown(read_library(text.chunks(1 << 12))), [fault]);
}

#[test]
fn a_game_has_a_limit_and_a_file_has_none() {
    for (over, expected) in [(0, "1: a15"), (1, "line 1: the game has more than 8388608 bytes")] {
        let [begin, end] = ["(;B[aa]C[", "])"];
        let comment = "five\n".repeat(FILE_BYTES_MAX / 5);
        let comment = &comment[..FILE_BYTES_MAX + over - begin.len() - end.len()];
        // The comment alone would be too long, so it is a property that no game has.
        let begin = begin.replace('C', "X");
        let game = format!("{begin}{comment}{end}");
        assert_eq!(game.len(), FILE_BYTES_MAX + over);
        let line = 1 + comment.matches('\n').count();
        let found = read("", [game.as_str(), "(;B[bb])\n", &game]);
        let last = expected.replacen('1', &(line + 1).to_string(), 1);
        assert_eq!(shown(found), [expected, &format!("{line}: b14"), &last]);
    }
    let long = format!("h8 {}\ni9\nj10", "1. ".repeat(FILE_BYTES_MAX / 3));
    let fault = "line 1: the game has more than 8388608 bytes";
    assert_eq!(shown(read("", [long.as_str()])), [fault, "2: i9", "3: j10"]);
    let json = format!("{{\"a\": \"{}\"}}\n[]", "é".repeat(FILE_BYTES_MAX / 2));
    assert_eq!(shown(read("", [json.as_str()])), [fault]);
    let psq = "Piskvorky 15x15, 1:1, 0\n8,8\n";
    let names = "Ann\n".repeat(FILE_BYTES_MAX / 4);
    assert_eq!(
        shown(read("", [psq, &names, psq])),
        [fault.to_owned(), format!("{}: h8", 3 + FILE_BYTES_MAX / 4)]
    );
}

#[test]
fn a_hundred_thousand_games_are_read_in_batches() {
    const GAMES: usize = 100_000;
    const FAULTS: usize = 1_000;
    let mut reader = GamesReader::new(None, freestyle());
    let (mut lines, mut faults) = (Vec::new(), Vec::new());
    for number in 0..=GAMES {
        let name = format!("{number} {}", "\\\\\"".repeat(number % 40));
        reader.feed(&format!("(;GM[4]SZ[15]PB[{name}]PW[\"Bob\"];B[hh];W[ii];B[hi];W[ij])\n"));
        if number % (GAMES / FAULTS) == 1 {
            reader.feed("(;GM[4];B[h99])\n");
        }
        // Games of several parts come in one batch.
        if number % 1_000 != 0 && number < GAMES {
            continue;
        }
        if number == GAMES {
            reader.end();
        }
        loop {
            let batch = FileBatch::next(&mut reader);
            let more = batch.more;
            assert_eq!(batch.games.len(), batch.lines.len());
            assert!(batch.games.len() <= BATCH_GAMES_MAX);
            lines.extend(batch.lines);
            faults.extend(batch.faults.into_iter().map(|fault| fault.line));
            let text = serde_json::to_string(&GamesToCollect { games: batch.games });
            assert!(text.expect("it is JSON").len() <= BATCH_BYTES_MAX);
            if !more {
                break;
            }
        }
    }
    assert_eq!((lines.len(), faults.len()), (GAMES + 1, FAULTS));
    lines.extend(faults);
    lines.sort_unstable();
    assert!(lines.into_iter().eq(1..=GAMES + 1 + FAULTS));
}

#[test]
fn batches_are_limited_by_length_too() {
    // The longest lists that a collection takes, and one that is longer. No stones are neighbours.
    let point = |at: i32| format!("{},{} ", 10 + 2 * (at % 45), 10 + 2 * (at / 45));
    let list = |moves: i32| (0..moves).map(point).collect::<String>();
    let fits = i32::try_from(COLLECTED_MOVES_BYTES_MAX / 6).expect("a small number");
    let text = format!("freestyle unbounded\n{}", format!("{}\n", list(fits)).repeat(70));
    let mut reader = GamesReader::new(None, freestyle());
    reader.feed(&format!("{text}{}\n0,0", list(fits + 90)));
    reader.end();
    let mut counts = Vec::new();
    let mut faults = Vec::new();
    loop {
        let batch = FileBatch::next(&mut reader);
        counts.push(batch.games.len());
        faults.extend(batch.faults);
        let bytes =
            serde_json::to_string(&GamesToCollect { games: batch.games }).expect("JSON").len();
        assert!(bytes <= BATCH_BYTES_MAX && batch.bytes <= bytes, "{bytes}");
        if !batch.more {
            break;
        }
    }
    let [fault] = faults.as_slice() else { panic!("one fault: {faults:?}") };
    assert!(fault.line == 72 && fault.text.contains("8192 bytes"), "{fault}");
    assert!(counts.len() == 3 && counts.iter().sum::<usize>() == 71, "{counts:?}");
}

/// Splits a text before the letters at these places.
fn split<'a>(text: &'a str, places: &[prop::sample::Index]) -> Vec<&'a str> {
    let mut places: Vec<_> = places.iter().map(|place| place.index(text.len() + 1)).collect();
    places.retain(|&place| text.is_char_boundary(place));
    places.extend([0, text.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

proptest! {
    #[test]
    fn it_makes_no_difference_where_a_part_ends(
        name in prop::sample::select(vec!["", "a.sgf", "a.psq", "a.json", "a.txt"]),
        pieces in prop::collection::vec(prop::sample::select(vec![
            "(", ")", ";", "[", "]", "\\", "(;", "(;FF[4]", "\n(;GM[4]", "B[aa]", ";W[bb]", "C[é\n", "SZ[15]", "\n", "\r\n", " ",
            "Piskvorky", "Piskvorky 15x15, 1:1, 0\n", "8,8\n", "9,9,x\n", "Ann\n", "h8", "i9", ",", ", \n", "五", "renju 15x15\n",
            "\n{", "{}", "\"", "\\\"", "}", "{\"rules\":{\"variant\":\"freestyle\"},\"moves\":[{\"point\":[7,7]}]}", "\u{feff}",
        ]), 0..60),
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let text = pieces.concat();
        let whole = read(name, [text.as_str()]);
        prop_assert_eq!(&read(name, split(&text, &places)), &whole, "{}", text);
        let letters = text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]);
        prop_assert_eq!(&read(name, letters), &whole, "{}", text);
        let lines = 1 + text.matches('\n').count();
        for found in whole.0 {
            let line = found.map_or_else(|fault| fault.line, |found| found.line);
            prop_assert!((1..=lines).contains(&line), "{} of {}: {}", line, lines, text);
        }
    }

    #[test]
    fn it_makes_no_difference_where_a_part_of_a_library_ends(
        nodes in prop::collection::vec((any::<u8>(), prop::sample::select(vec![0, 0, 0x40, 0x80, 0xc0, 0x48, 0x01, 0x02])), 0..60),
        length in 1..9_usize,
    ) {
        let nodes: Vec<u8> = nodes.into_iter().flat_map(|(point, flags)| [point, flags]).collect();
        let bytes = library(&nodes);
        prop_assert_eq!(read_library(bytes.chunks(length)), read_library([bytes.as_slice()]));
    }

    #[test]
    fn games_are_found_as_if_each_was_a_file_of_its_own(
        games in prop::collection::vec(prop::collection::vec((0..15_u8, 0..15_u8), 1..30), 1..8),
        between in prop::sample::select(vec!["", "\n", "\n\n text \n"]),
    ) {
        let letter = |n: u8| char::from(b'a' + n);
        let text = |moves: &Vec<(u8, u8)>| {
            let moves = moves.iter().enumerate().map(|(ply, &(x, y))| {
                format!(";{}[{}{}]\n", ["B", "W"][ply % 2], letter(x), letter(y))
            });
            format!("(;GM[4]SZ[15]{})", moves.collect::<String>())
        };
        let texts: Vec<_> = games.iter().map(text).collect();
        let (mut line, mut expected) = (1, Vec::new());
        for text in &texts {
            let (alone, _) = read("a.sgf", [text.as_str()]);
            for found in alone {
                expected.push(match found {
                    Ok(found) => Ok(FoundGame { line: line + found.line - 1, ..found }),
                    Err(fault) => Err(FileError { line: line + fault.line - 1, ..fault }),
                });
            }
            line += text.matches('\n').count() + between.matches('\n').count();
        }
        prop_assert_eq!(read("a.sgf", [texts.join(between).as_str()]).0, expected);
    }
}
