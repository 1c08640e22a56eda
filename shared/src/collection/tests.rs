//! Tests of which games of a collection are the same, and which are refused.

use super::*;
use crate::rules::Variant;

fn game(variant: Variant, size: Size, moves: &str) -> CollectedGame {
    let rules = Rules::new(variant, size).expect("the rules are on offer");
    CollectedGame {
        rules,
        black: None,
        white: None,
        date: None,
        event: None,
        ending: None,
        moves: moves.to_owned(),
    }
}

fn key(variant: Variant, size: Size, moves: &str) -> LayoutKey {
    game(variant, size, moves).checked().expect("the game is legal").1
}

#[test]
fn games_with_the_same_stones_at_the_end_have_one_key() {
    let (square, wide) = (Size::square(15), Size::Bounded { width: 20, height: 15 });
    let cases = [
        // The same moves, in another order, turned and mirrored.
        (square, "h8 i9 j10", "h8 i9 j10", true),
        (square, "h8 i9 j10", "j10 i9 h8", true),
        (square, "a1 b1 c1", "a1 a2 a3", true),
        (square, "a1 b1 c1", "o15 n15 m15", true),
        (square, "a1 b3", "o1 n3", true),
        (square, "a1 b3", "o1 m2", true),
        // Other colours, other places, another distance to the border.
        (square, "h8 i9 j10", "h8 j10 i9", false),
        (square, "h8", "h9", false),
        (square, "a1 b1", "b1 c1", false),
        // A board that is wider than high has no quarter turns.
        (wide, "a1 b1", "t15 s15", true),
        (wide, "a1 b1", "a15 b15", true),
        (wide, "a1 b1", "a1 a2", false),
        // Without borders, places do not count.
        (Size::Unbounded, "0,0 1,0 2,2", "100,100 101,100 102,102", true),
        (Size::Unbounded, "0,0 1,0", "7,-3 7,-4", true),
        (Size::Unbounded, "0,0 1,0", "7,-3 7,-5", false),
        (Size::Unbounded, "2000000000,2000000000", "-2000000000,0", true),
    ];
    for (size, one, other, expected) in cases {
        let key = |moves| key(Variant::Freestyle, size, moves);
        assert_eq!(key(one) == key(other), expected, "{one} and {other}");
    }
    assert_ne!(
        key(Variant::Freestyle, square, "h8"),
        key(Variant::Renju, square, "h8"),
        "the rules count"
    );
}

#[test]
fn keys_are_stored_and_stay() {
    let stored = key(Variant::Freestyle, Size::square(15), "h8 i9 j10");
    assert_eq!(stored.as_str().len(), 32);
    assert!(stored.as_str().bytes().all(|byte| byte.is_ascii_hexdigit()));
}

#[test]
fn games_are_stored_in_one_form() {
    let mut told = game(Variant::Freestyle, Size::square(15), "1. H8 i9\n2. j10;");
    told.black = Some(" Ann\u{202e} \n Bee ".into());
    told.white = Some("\u{7}".into());
    let (stored, _) = told.checked().expect("the game is legal");
    assert_eq!(stored.moves, "h8 i9 j10");
    assert_eq!((stored.black.as_deref(), stored.white), (Some("Ann Bee"), None));
}

#[test]
fn games_that_cannot_be_kept_are_refused() {
    let check = |moves: &str, expected: &str| {
        let refused = game(Variant::Freestyle, Size::square(15), moves).checked();
        assert_eq!(refused.map(drop), Err(expected.to_owned()), "{moves}");
    };
    check("", "the game has no moves");
    check("h8 i9 h8", "move 3, h8: this point has a stone already");
    check("h8 a1 h9 a2 h10 a3 h11 a4 h12 a5", "move 10, a5: the game is over");
    check("renju 15x15\nh8", "the list of moves names rules");
    check(&"h8 ".repeat(2731), "the list of moves has more than 8192 bytes");
    let refused = game(Variant::Freestyle, Size::square(15), "x99").checked();
    assert!(refused.is_err_and(|why| why.starts_with("`x99` is not on the board")));
    for (length, fits) in [(COLLECTED_TEXT_MAX, true), (COLLECTED_TEXT_MAX + 1, false)] {
        let mut named = game(Variant::Freestyle, Size::square(15), "h8");
        named.event = Some("é".repeat(length));
        assert_eq!(named.checked().is_ok(), fits, "{length}");
    }
}

#[test]
fn files_become_games_and_come_back() {
    let rules = Rules::new(Variant::Renju, Size::square(15)).expect("renju is on offer");
    let file = GameFile {
        black: Some("n".repeat(COLLECTED_TEXT_MAX + 1)),
        white: Some("Bo".into()),
        date: Some("2026-11-21".into()),
        event: Some(" World\tcup ".into()),
        ending: Some(Ending::Win(Stone::Black)),
        ..GameFile::of_moves(rules, [Point::new(7, 7), Point::new(8, 6)])
    };
    let collected = CollectedGame::of(&file);
    assert_eq!(collected.event.as_deref(), Some("World cup"));
    assert_eq!(collected.moves, "h8 i9");
    let (black, event) = (Some("n".repeat(COLLECTED_TEXT_MAX)), collected.event.clone());
    let shorter = GameFile { black, event, ..file };
    assert_eq!(collected.file(), Ok(shorter));
    let json = serde_json::to_string(&NumberedGame { number: 7, game: collected.clone() });
    let json = json.expect("it is JSON");
    assert!(json.starts_with(r#"{"number":7,"rules":{"#), "{json}");
    let back: NumberedGame = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(back.game, collected);
}
