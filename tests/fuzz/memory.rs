//! Tests the memory that file readers take, in the normal test run. It is the only test of its
//! program, because it measures the whole program's memory.

#[path = "src/memory.rs"]
#[expect(unreachable_pub, reason = "a module of the fuzz target too")]
mod memory;

use std::{fs, path::Path};

use fivefold_shared::{
    notation::{games::GamesReader, tree::FILE_BYTES_MAX},
    rules::{Rules, Size, Variant},
};
use proptest::{
    collection::vec,
    test_runner::{Config, TestRunner},
};

/// The longest body that the server accepts.
const LENGTH_MAX: usize = 96 * 1024;

/// Repeats a piece of text as often as it fits between a beginning and an end.
fn filled(begin: &str, piece: &str, end: &str) -> String {
    let room = LENGTH_MAX.saturating_sub(begin.len() + end.len());
    format!("{begin}{}{end}", piece.repeat(room / piece.len()))
}

#[test]
fn a_text_takes_no_more_memory_than_its_length_and_a_game_need() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/memory");
    for seed in fs::read_dir(seeds).expect("a folder of seeds") {
        memory::bounded(&fs::read_to_string(seed.expect("a seed").path()).expect("a text"));
    }
    let cases = [
        ("(;SZ[52]AB", "[aa:ZZ]", ")"),
        ("(;SZ[52]AB[aa]", "AW[aa:ZZ]AB[aa:ZZ]", ")"),
        ("(;SZ[52]AB", "[aa]", ")"),
        ("(;SZ[52]", ";B[aa];W[aa]", ")"),
        ("(", ";", ")"),
        ("(;", "C[]", ")"),
        ("(;C", "[]", ")"),
        ("(;C[", "\\\n", "])"),
        ("(", "(", ""),
        ("Piskvorky 64x64, 1:1, 0\n", "1,1\n", ""),
        ("Piskvorky 64x64, 1:1, 0\n", "\n", ""),
        ("", "a1", ""),
        ("", "a1 ", ""),
        ("", "1. ", ""),
        ("freestyle unbounded\n", "1,1 ", ""),
        (r#"{"rules":{"variant":"freestyle"},"moves":["#, r#"{"point":[1,1]},"#, "0]}"),
        (r#"{"rules":{"variant":"freestyle"},"moves":[],"x":["#, "0,", "0]}"),
        (r#"{"rules":{"variant":"freestyle"},"moves":[],"x":["#, "[0],", "0]}"),
        ("{", r#""a":{},"#, r#""b":0}"#),
    ];
    for (begin, piece, end) in cases {
        memory::bounded(&filled(begin, piece, end));
    }
    files_of_any_length();
    let piece =
        "(;)?(SZ\\[[0-9]{1,2}\\]|A[BW](\\[[a-zA-Z]{2}(:[a-zA-Z]{2})?\\]){1,9}|[BW]\\[[a-z]{2}\\])";
    let texts = (vec(piece, 1..40), 1..2_000_usize);
    let mut runner = TestRunner::new(Config::with_cases(64));
    let checked = runner.run(&texts, |(pieces, times)| {
        let mut text = "(;".to_owned();
        for _ in 0..times {
            text.extend(pieces.iter().map(String::as_str));
            if text.len() > LENGTH_MAX {
                break;
            }
        }
        memory::bounded(&text);
        Ok(())
    });
    checked.expect("no text takes more");
}

/// A longer file with many games takes no more memory.
fn files_of_any_length() {
    let small = 3 << 18;
    // A game that is too long is kept up to the limit, in a text that grows by doubling.
    let large = 4 * FILE_BYTES_MAX;
    for (begin, piece, length, most) in [
        ("(;", "B[aa])(;", 1 << 20, small),
        ("", "h8 i9\n", 1 << 20, small),
        ("", "\n ", 4 << 20, small),
        ("(;C[", "five\n", 24 << 20, large),
        ("", "h8 ", 24 << 20, large),
        ("{\"", "a", 24 << 20, large),
        ("Piskvorky 15x15, 1:1, 0\n", "8,8\n", 24 << 20, large),
    ] {
        let part = piece.repeat((64 << 10) / piece.len());
        let taken = memory::most_taken(|| {
            let rules = Rules::new(Variant::Freestyle, Size::square(15)).expect("on offer");
            let mut reader = GamesReader::new(None, rules);
            reader.feed(begin);
            for _ in 0..length / part.len() {
                reader.feed(&part);
                reader.by_ref().for_each(drop);
            }
            reader.end();
            assert!(reader.by_ref().count() <= 1, "{begin}{piece}");
        });
        assert!(taken <= most, "{begin}{piece}: {taken} bytes, not {most}");
    }
}
