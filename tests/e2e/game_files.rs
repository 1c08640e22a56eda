//! Converts files as others write them by the command line.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use fivefold_tests::program;

/// A file, options, whether it is written, the moves, and the notes.
type Case = (&'static [u8], &'static [&'static str], bool, &'static str, &'static str);

fn convert(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(program("fivefold"));
    command.arg("convert").args(arguments).current_dir(folder);
    command.output().expect("the client runs")
}

/// Whether it succeeded, its output, and its notes.
fn told(output: &Output) -> (bool, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn what_a_file_lacks_is_said_and_an_illegal_game_is_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases: [Case; 9] = [
        (
            b"(;GM[4]AB[hh][ih]AW[gg][gh]SZ[19]PL[B];B[jh])",
            &[],
            true,
            "freestyle 19x19\nh12 g13 i12 g12 j12",
            "",
        ),
        (b"(;GM[4]SZ[15]RU[4];B[hh])", &[], true, "renju 15x15\nh8", ""),
        (
            b"Piskvorky 15x15, 11:11, 0\n8,8,-5\n9,9,12\nAnn\nBob\n0",
            &[],
            true,
            "freestyle 15x15\nh8 i7",
            "fivefold: 1 value without a meaning was left out: -5 (line 2)",
        ),
        (
            b"(;SZ[15];B[aa](;W[bb])(;W[cc]))\n(;SZ[15];B[ii])",
            &["--game", "1"],
            true,
            "freestyle 15x15\na15 b14",
            "fivefold: the file has 1 more game\nfivefold: 1 move of variations was left out",
        ),
        (
            b"(;SZ[15];B[aa])(;SZ[15];B[ii])",
            &["--game", "2"],
            true,
            "freestyle 15x15\ni7",
            "fivefold: the file has 1 more game",
        ),
        (b"(;SZ[15];B[aa])", &["--game", "2"], false, "", "line 1: the file has one game"),
        (
            b"h8 a1 i8 a2 j8 a3 k8 a4 l8 b1 b2",
            &[],
            true,
            "freestyle 15x15\nh8 a1 i8 a2 j8 a3 k8 a4 l8",
            "fivefold: 2 moves after the end left out (freestyle 15x15)",
        ),
        (b"h8 h8", &[], false, "", "move 2: this point has a stone already (freestyle 15x15"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", &[], false, "", "this is no file with a game"),
    ];
    for (text, arguments, succeeds, expected, notes) in cases {
        let file = folder.path().join("game");
        fs::write(&file, text).expect("a file");
        let (success, printed, said) =
            told(&convert(folder.path(), &[&["game", "--to", "moves"], arguments].concat()));
        assert_eq!((success, printed.as_str()), (succeeds, expected), "{said}");
        assert!(if notes.is_empty() { said.is_empty() } else { said.contains(notes) }, "{said}");
    }
}

#[test]
fn a_library_keeps_its_variations_and_no_file_is_replaced_by_accident() {
    let folder = tempfile::tempdir().expect("a folder");
    let head = b"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
    // 225 first moves, each with 53 answers.
    let mut library = head.to_vec();
    let place = |n: usize| u8::try_from(n % 15 + 1 + n / 15 * 16).expect("a point");
    let answers = |first: usize| (0..225).filter(move |&n| n != first).take(53);
    for first in 0..225 {
        let sibling = if first == 224 { 0 } else { 0x80 };
        library.extend([place(first), sibling]);
        for (index, answer) in answers(first).enumerate() {
            library.extend([place(answer), if index == 52 { 0x40 } else { 0xc0 }]);
        }
    }
    fs::write(folder.path().join("many.lib"), &library).expect("a file");
    let (success, _, said) = told(&convert(folder.path(), &["many.lib", "many.sgf"]));
    assert!(success && said.is_empty(), "{said}");
    let text = fs::read_to_string(folder.path().join("many.sgf")).expect("written");
    assert_eq!(text.matches(";B[").count() + text.matches(";W[").count(), 225 * 54);
    let (success, _, said) = told(&convert(folder.path(), &["many.lib", "many.sgf"]));
    assert!(!success && said.contains("it exists; --force replaces it"), "{said}");
    let (success, _, said) = told(&convert(folder.path(), &["many.lib", "many.psq"]));
    assert!(success && said.contains("12148 moves of variations were left out"), "{said}");
    let (success, _, said) = told(&convert(folder.path(), &["--force", "many.psq", "many.sgf"]));
    assert!(success && said.is_empty(), "{said}");
    let text = fs::read_to_string(folder.path().join("many.sgf")).expect("replaced");
    assert_eq!(text.matches(";B[").count() + text.matches(";W[").count(), 2);
}
