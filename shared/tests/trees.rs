//! Tests of trees of moves in files: SGF with variations and comments, RenLib's libraries, and the
//! limits.

use fivefold_shared::{
    notation::{
        self,
        file::FileError,
        notes::Noted,
        renlib, sgf,
        tree::{COMMENT_CHARS_MAX, FILE_BYTES_MAX, GameTree, NODES_MAX},
    },
    rules::{Point, Rules, Size, Variant},
};
use proptest::prelude::*;
use serde_json::json;

fn rules(variant: Variant, size: Size) -> Rules {
    Rules::new(variant, size).expect("on offer")
}

fn freestyle() -> Rules {
    rules(Variant::Freestyle, Size::square(15))
}

/// A tree on one line: each move's point, its comment in quotes, and all that may follow it in
/// brackets where there are several moves.
fn drawn(tree: &GameTree) -> String {
    fn node(tree: &GameTree, place: Option<usize>, text: &mut String) {
        let comment = place.map_or(&tree.comment, |place| &tree.nodes()[place].comment);
        if !comment.is_empty() {
            text.push_str(&format!("{comment:?}"));
        }
        let is_next = |next: &usize| tree.nodes()[*next].parent == place;
        let next: Vec<usize> = (0..tree.nodes().len()).filter(is_next).collect();
        for &child in &next {
            let Point { x, y } = tree.nodes()[child].point;
            text.push_str(if next.len() > 1 { "(" } else { "" });
            text.push_str(&format!(" {x},{y}"));
            node(tree, Some(child), text);
            text.push_str(if next.len() > 1 { ")" } else { "" });
        }
    }
    let mut text = String::new();
    node(tree, None, &mut text);
    text.trim().to_owned()
}

fn sgf_tree(text: &str) -> Result<GameTree, FileError> {
    sgf::read(text, Variant::Freestyle, 1).map(|read| read.content)
}

/// A library whose texts are UTF-8 or Latin-1.
fn lib(bytes: &[u8], variant: Variant) -> Result<Noted<GameTree>, FileError> {
    let latin_1 = |text: &[u8]| text.iter().copied().map(char::from).collect();
    let decode = |text: &[u8]| str::from_utf8(text).map_or_else(|_| latin_1(text), str::to_owned);
    renlib::read(bytes, variant, &decode)
}

fn any_format(text: &str) -> Result<GameTree, FileError> {
    notation::Source::first(text, freestyle()).read().map(|read| read.content)
}

fn shown(read: Result<GameTree, FileError>) -> String {
    match read {
        Ok(tree) => drawn(&tree),
        Err(error) => error.to_string(),
    }
}

#[test]
fn sgf_has_variations_and_comments() {
    let cases = [
        ("(;SZ[15];B[hh];W[hi])", "7,7 7,8"),
        (
            "(;SZ[15]C[start];B[hh](;W[hi]C[a \\] b\\\nc];B[aa])(;C[first]W[gg]))",
            r#""start" 7,7( 7,8"a ] bc" 0,0)( 6,6"first")"#,
        ),
        // Nested variations, and one that begins with the same move.
        ("(;B[aa](;W[bb](;B[cc])(;B[dd]))(;W[bb];B[ee]))", "0,0 1,1( 2,2)( 3,3)( 4,4)"),
        ("(;B[aa])(;B[bb])", "0,0"),
        ("(;C[one\r\ntwo]C[  three ]B[aa])", r#"0,0"one\ntwo\nthree""#),
        ("(;C[  ]B[aa]C[tab\there\r])", r#"0,0"tab here""#),
        // Stones that are set up before the variations; the comment is on all of them.
        ("(;AB[hh][ii]AW[hi]C[x](;W[gg])(;W[aa]))", r#"7,7 7,8 8,8"x"( 6,6)( 0,0)"#),
        // A pass ends a branch, and the next one goes on.
        ("(;B[aa](;W[])(;W[bb]))", "0,0 1,1"),
        ("(;B[aa](;W[];B[cc]))", "0,0"),
        ("(;B[aa]\n(;W[bb]", "0,0 1,1"),
        ("(;B[aa]\n;W[bb", "line 2: a value that does not end: `]` is missing"),
        ("(;B[aa];B[bb](;W[cc])(;B[dd];W[ee]))", "0,0( 2,2)( 4,4)"),
        ("(;B[aa](;W[zz]))", "line 1: `zz` is no point of a board of 15x15"),
        ("()", "line 1: no SGF: the game has no node"),
        ("x", "line 1: no SGF: there is no `(;`"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(sgf_tree(text)), expected, "{text}");
    }
}

#[test]
fn names_and_rules_are_read_and_written() {
    let text = "(;SZ[20:10]RU[caro]PB[Ann]PW[\\]x];B[tj]C[]C[a\nb];W[aa])";
    let tree = sgf_tree(text).expect("a tree");
    assert_eq!(tree.rules, rules(Variant::Caro, Size::Bounded { width: 20, height: 10 }));
    assert_eq!((tree.black.as_deref(), tree.white.as_deref()), (Some("Ann"), Some("]x")));
    let written = sgf::write(&tree).expect("20 columns");
    assert!(written.contains("C[a\nb]"), "{written}");
    assert_eq!(sgf_tree(&written), Ok(tree));
    let wide = Size::Bounded { width: 53, height: 5 };
    let tree =
        GameTree::from(notation::file::GameFile::of_moves(rules(Variant::Freestyle, wide), []));
    let error = sgf::write(&tree).expect_err("too wide");
    assert_eq!(error.needs, 53);
}

/// A library with these nodes after its head.
fn library(nodes: &[u8]) -> Vec<u8> {
    let head = b"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
    [head.as_slice(), nodes].concat()
}

#[test]
fn libraries_of_renlib_are_read() {
    let cases: [(&[u8], &str); 18] = [
        (&[], ""),
        (&[0, 0x40], ""),
        (&[0x78, 0x40], "7,7"),
        // The root has no point. Its comment is the tree's.
        (&[0, 0x08, b'h', b'i', 0, 0, 0x78, 0, 0x88, 0x40], r#""hi" 7,7 7,8"#),
        (&[0, 0x40, 0x78, 0x40], "7,7"),
        // A sibling comes after all below the first one.
        (&[0x78, 0, 0x88, 0x80, 0x11, 0x40, 0x99, 0x40], "7,7( 7,8 0,1)( 8,9)"),
        (&[0x78, 0, 0x88, 0xc0, 0x99, 0xc0, 0xaa, 0x40], "7,7( 7,8)( 8,9)( 9,10)"),
        // The first line of a comment and the others; an odd number of bytes; Latin-1 and UTF-8.
        (&[0x78, 0x48, b'a', 8, b'b', 0], r#"7,7"a\nb""#),
        (&[0x78, 0x48, 0xe9, 0], r#"7,7"é""#),
        (&[0x78, 0x48, 0xc3, 0xa9, 0, 0], r#"7,7"é""#),
        // Texts of older versions end with a letter of eight bits.
        (&[0x78, 0x20, b'a', 0xfd, 0x88, 0x60, b'b' | 0x80, 0], r#"7,7"aå" 7,8"b""#),
        // A text for the board, before the comment.
        (&[0x78, 0x49, 0, 1, b'c', 0, b'A', 0], r#"7,7"A\nc""#),
        (&[0x78, 0x41, 0, 0], "7,7"),
        // After a pass and after no point, all is left out.
        (&[0x78, 0, 0x00, 0x80, 0x99, 0x40, 0x11, 0xc0, 0x22, 0x42], "7,7 0,1"),
        // A saved position, which RenLib writes without an end; it may keep the mark of a sibling.
        (&[0x78, 0x80, 0x88, 0x08, b'a', 0], r#"7,7 7,8"a""#),
        (&[0, 0, 0x01, 0x80, 0x0f, 0], "0,0 14,0"),
        // Nothing is read after the end.
        (&[0x78, 0x40, 1, 2, 3], "7,7"),
        (&[0x71, 0xc0, 0x71, 0x48, b'x', 0], r#"0,7"x""#),
    ];
    for (nodes, expected) in cases {
        let read = lib(&library(nodes), Variant::Renju).map(|read| read.content);
        assert_eq!(shown(read), expected, "{nodes:x?}");
    }
    let passes = lib(&library(&[0x78, 0, 0x00, 0x80, 0x99, 0x40, 0x11, 0x40]), Variant::Renju);
    let notes = |read: Result<Noted<GameTree>, FileError>| {
        let notes = read.expect("a library").notes;
        notes.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(notes(passes), ["2 moves after a pass were left out"]);
    // A letter on an empty point is a node that is no move and has a text for the board.
    let letter = library(&[0x78, 0, 0x99, 0xc3, 0, 1, b'A', 0, 0x11, 0x40]);
    let letter = lib(&letter, Variant::Renju);
    assert_eq!(notes(letter), ["1 letter on empty points was left out"]);
}

#[test]
fn broken_libraries_are_refused() {
    let whole = library(&[0x78, 0, 0x88, 0x88, b'a', 0, 0x11, 0x40, 0x99, 0x40]);
    assert!(lib(&whole, Variant::Renju).is_ok());
    // Until the first line ends, at 28, a library is also one that holds a line. Then a variation is
    // missing.
    for length in (0..whole.len()).filter(|length| ![20, 22, 26].contains(length)) {
        let error = lib(&whole[..length], Variant::Renju).expect_err("it is cut");
        assert!(!error.text.is_empty(), "{length}");
    }
    let mut other = whole;
    other[8] = 2;
    let error = lib(&other, Variant::Renju).expect_err("another version");
    assert_eq!(error.to_string(), "line 1: a library of another version than 3");
}

#[test]
fn moves_that_cannot_be_played_are_left_out_with_all_after_them() {
    let text =
        "(;SZ[3]RU[mnk 3];B[aa](;W[aa];B[bb];W[cc])(;W[ab];B[bb](;W[bb])(;W[ca];B[cc];W[cb])))";
    let tree = any_format(text).expect("a tree");
    assert_eq!(tree.nodes().len(), 10);
    let (tree, unplayable) = tree.playable();
    assert_eq!(drawn(&tree), "0,0 0,1 1,1 2,0 2,2");
    let first = unplayable.expect("three at once, one, and one after the end");
    assert_eq!((first.moves, first.ply), (5, 1));
    let (again, unplayable) = tree.clone().playable();
    assert_eq!((again, unplayable), (tree, None));
}

#[test]
fn the_format_is_recognized() {
    for (text, moves) in [
        ("\u{feff} (;SZ[15];B[hh](;W[hi])(;W[ii]))", 3),
        ("Piskvorky 15x15, 1:1, 0\n8,8\n9,7\n", 2),
        ("h8 i9", 2),
    ] {
        assert_eq!(any_format(text).expect("a tree").nodes().len(), moves, "{text}");
    }
}

#[test]
fn each_limit_holds() {
    // The size of a file.
    let fill = |length: usize| format!("(;SZ[15]XX[{}])", "x".repeat(length - 13));
    for (length, is_read) in [(FILE_BYTES_MAX, true), (FILE_BYTES_MAX + 1, false)] {
        let text = fill(length);
        assert_eq!(text.len(), length);
        assert_eq!(any_format(&text).is_ok(), is_read);
    }
    let point = |number: usize| {
        let letter = |n: usize| char::from(b'a' + u8::try_from(n % 15).expect("small"));
        format!("{}{}", letter(number), letter(number / 15))
    };
    // The moves, in a library of one line, and in an SGF with each move after 225 others.
    for (moves, is_read) in [(NODES_MAX, true), (NODES_MAX + 1, false)] {
        let places =
            (0..moves).map(|n| u8::try_from(n % 15 + 1 + n / 15 % 15 * 16).expect("small"));
        let line: Vec<u8> = places.flat_map(|place| [place, 0]).collect();
        let mut line = library(&line);
        *line.last_mut().expect("nodes") = 0x40;
        assert_eq!(lib(&line, Variant::Freestyle).is_ok(), is_read);
    }
    let thirds: String = (0..225).map(|n| format!("(;B[{}])", point(n))).collect();
    let seconds: String = (0..225).map(|n| format!("(;W[{}]{thirds})", point(n))).collect();
    let firsts: String = (0..20).map(|n| format!("(;B[{}]{seconds})", point(n))).collect();
    let error = sgf_tree(&format!("(;SZ[15]{firsts})")).expect_err("20 * (1 + 225 * 226) moves");
    assert!(error.text.starts_with("more than 1000000 moves"), "{error}");
    // The depth is that of the longest game.
    let line = |moves: usize| -> String {
        let place = |n: usize| {
            format!(";{}[{}]", if n.is_multiple_of(2) { 'B' } else { 'W' }, point(n % 225))
        };
        format!("(;SZ[15]{})", (0..moves).map(place).collect::<String>())
    };
    assert!(sgf_tree(&line(225)).is_ok());
    let error = sgf_tree(&line(226)).expect_err("too long");
    assert!(error.text.starts_with("more stones"), "{error}");
    // The comments, in characters.
    for (length, is_read) in [(COMMENT_CHARS_MAX, true), (COMMENT_CHARS_MAX + 1, false)] {
        let text = format!("(;SZ[15];B[aa]C[{}])", "五".repeat(length));
        assert_eq!(sgf_tree(&text).is_ok(), is_read, "{length}");
    }
}

#[test]
fn a_tree_from_the_page_is_a_tree() {
    let refused = [
        json!([{"parent": 0, "point": [0, 0]}]),
        json!([{"point": [0, 0]}, {"parent": 2, "point": [1, 0]}]),
        json!([{"point": [0, 0]}, {"point": [0, 0]}]),
        json!([{"point": [0, 0], "comment": "x".repeat(COMMENT_CHARS_MAX + 1)}]),
    ];
    for nodes in refused {
        let tree = json!({"rules": {"variant": "freestyle", "size": 15}, "nodes": nodes});
        assert!(serde_json::from_value::<GameTree>(tree.clone()).is_err(), "{tree}");
    }
}

/// Any tree: each move hangs on one before it.
fn tree() -> impl Strategy<Value = GameTree> {
    let size = prop::sample::select(vec![
        freestyle(),
        rules(Variant::Renju, Size::square(15)),
        rules(Variant::Caro, Size::Unbounded),
        rules(Variant::Standard, Size::Bounded { width: 52, height: 5 }),
    ]);
    let comment = "[a-zé五 \\]\\[\\\\:;()\n\"]{0,12}";
    let node = (any::<prop::sample::Index>(), 0..30_i32, 0..5_i32, comment);
    (size, comment, prop::collection::vec(node, 0..60)).prop_map(|(rules, comment, made)| {
        let mut nodes = Vec::new();
        let mut known = std::collections::BTreeSet::new();
        for (parent, x, y, comment) in made {
            let parent = parent.index(nodes.len() + 1).checked_sub(1);
            let x = if rules.size() == Size::square(15) { x / 2 } else { x };
            if known.insert((parent, x, y)) {
                nodes.push(json!({"parent": parent, "point": [x, y], "comment": comment}));
            }
        }
        let tree = json!({"rules": rules, "comment": comment, "nodes": nodes});
        serde_json::from_value(tree).expect("a tree")
    })
}

proptest! {
    #[test]
    fn a_tree_is_read_as_it_was_written(tree in tree()) {
        let text = sgf::write(&tree).expect("at most 52 columns");
        let read = sgf_tree(&text).expect("a tree");
        prop_assert_eq!(drawn(&read), drawn(&tree), "{}", text);
        prop_assert_eq!(read.rules, tree.rules);
        prop_assert_eq!(sgf::write(&read), Ok(text));
        let json = serde_json::to_string(&tree).expect("JSON");
        prop_assert_eq!(serde_json::from_str::<GameTree>(&json).expect("a tree"), tree);
    }
}
