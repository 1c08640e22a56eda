//! Tests the memory that file readers take, in the normal test run. It is the only test of its
//! program, because it measures the whole program's memory.

#[path = "src/memory.rs"]
#[expect(unreachable_pub, reason = "a module of the fuzz target too")]
mod memory;

use std::{fs, path::Path};

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
