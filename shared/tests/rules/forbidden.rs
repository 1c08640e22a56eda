//! Tests of renju's forbidden points: drawn cases, files of positions, and a slow twin.

use fivefold_shared::rules::{Board, Forbidden, Point, Size, Stone};
use proptest::prelude::*;

use crate::{
    renju_vectors,
    slow_renju::{self, Verdict},
    symmetry::Symmetry,
};

const SIDE: i32 = 15;

#[test]
fn vectors() {
    for text in [
        include_str!("../../testdata/renju_moves.jsonl"),
        include_str!("../../testdata/renju_points.jsonl"),
    ] {
        let report = renju_vectors::compare(text);
        assert!(report.lines > 0, "an empty file proves nothing");
        assert_eq!(report.disagreements, Vec::<String>::new());
    }
}

/// Checks a drawing in the top-left corner of the board, and its seven mirrors in the others.
///
/// `X` and `O` are stones. The points asked about are `3` (double-three), `4` (double-four), `6`
/// (overline) and `a` (allowed); `.` is not asked about.
#[track_caller]
fn check(drawing: &str) {
    for symmetry in Symmetry::ALL {
        let mut board = Board::new(Size::square(15));
        let mut asked = Vec::new();
        for (y, row) in (0..).zip(drawing.lines().map(str::trim).filter(|row| !row.is_empty())) {
            for (x, mark) in (0..).zip(row.split(' ')) {
                let point = symmetry.apply(Point::new(x, y), (SIDE, SIDE));
                match mark {
                    "X" => board.set(point, Stone::Black),
                    "O" => board.set(point, Stone::White),
                    "3" => asked.push((point, Some(Forbidden::DoubleThree))),
                    "4" => asked.push((point, Some(Forbidden::DoubleFour))),
                    "6" => asked.push((point, Some(Forbidden::Overline))),
                    "a" => asked.push((point, None)),
                    "." => {}
                    _ => panic!("{mark} means nothing here"),
                }
            }
        }
        assert!(!asked.is_empty(), "nothing is asked in\n{drawing}");
        for (point, expected) in asked {
            assert_eq!(board.forbidden_at(point), expected, "{symmetry:?} of\n{drawing}");
        }
    }
}

#[test]
fn double_three() {
    // Two rows of three in the open; and each of them broken.
    check(
        "
        . . . . . . .
        . . . X . . .
        . . . X . . .
        . X X 3 . . .
        . . . . . . .
        . . . . . . .",
    );
    check(
        "
        . . . . . . . .
        . . . . . X . .
        . . . . . . . .
        . . X X . 3 . .
        . . . . . X . .
        . . . . . . . .
        . . . . . . . .",
    );
    // One end of a row stopped: no straight four, no three.
    check(
        "
        . . . . . . . .
        . . . . X . . .
        . . . . X . . .
        . O X X a . . .
        . . . . . . . .
        . . . . . . . .",
    );
    // The border stops as a stone does.
    check(
        "
        . . . X . . .
        . . . X . . .
        . X X a . . .
        . . . . . . .",
    );
    check(
        "
        . . . . . . .
        . . . X . . .
        X X . a . . .
        . . . X . . .
        . . . . . . .
        . . . . . . .",
    );
    // Both ends of a four would be there, but white stones beyond leave room for one four only.
    check(
        "
        . . . . . . . .
        . . . . X . . .
        . . . . X . . .
        O . X X a . O .
        . . . . . . . .
        . . . . . . . .",
    );
    // With one more point of room on one side, a straight four fits.
    check(
        "
        . . . . . . . . .
        . . . . X . . . .
        . . . . X . . . .
        O . X X 3 . . O .
        . . . . . . . . .
        . . . . . . . . .",
    );
}

#[test]
fn a_three_needs_a_straight_four_that_makes_no_overline() {
    // The straight four's end at the right would be an overline with the stone beyond it.
    check(
        "
        . . . . . . . . .
        . . . . X . . . .
        . . . . X . . . .
        O . X X a . . X .
        . . . . . . . . .
        . . . . . . . . .",
    );
}

#[test]
fn double_four() {
    // Two fours that cross, one of them broken.
    check(
        "
        . . . . . . . .
        . . . . X . . .
        . . . . X . . .
        . . . . X . . .
        . X . X 4 X . .
        . . . . O . . .",
    );
    // Two fours on one line.
    check(
        "
        . . . . . . . . .
        . X . X 4 X . X .",
    );
    check(
        "
        . . . . . . . . . .
        . X X . X 4 . X X .",
    );
    check(
        "
        . . . . . . . . . . .
        . X X X . 4 . X X X .",
    );
    // A straight four has two ends and is one four.
    check(
        "
        . . . . . . . .
        . . X X a X . .",
    );
    // A four that could only become an overline does not count.
    check(
        "
        . . . . X . . .
        . . . . X . . .
        . . . . X . . .
        X X . X a X . X
        . . . . O . . .",
    );
    // At the border and in the corner a four stands with one end.
    check(
        "
        4 X X X .
        X . . . .
        X . . . .
        X . . . .",
    );
}

#[test]
fn overline() {
    check("X X X 6 X X . . .");
    check(". X 6 X X X X . .");
    check(
        "
        X . . . . . .
        . X . . . . .
        . . X . . . .
        . . . 6 . . .
        . . . . X . .
        . . . . . X .
        . . . . . . X",
    );
}

#[test]
fn a_five_is_allowed_whatever_else_it_makes() {
    // With an overline.
    check(
        "
        . . . X . . . .
        . . . X . . . .
        . . . X . . . .
        X X X a X . . .
        . . . X . . . .
        . . . X . . . .",
    );
    // With two fours.
    check(
        "
        . . . . . . . .
        . X X X X a . .
        . . . . X X . .
        . . . X . X . .
        . . X . . X . .
        . . . . . . . .",
    );
}

#[test]
fn two_fours_are_told_before_two_threes_and_both_before_an_overline() {
    check(
        "
        . . . . . . . . .
        . . . . . . . . .
        . . . . X . . . .
        . . X . X . X . .
        . . . X X X . . .
        . X X X 4 . . . .
        . . . . . . . . .
        . . . . . . . . .",
    );
    check(
        "
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . X . X . .
        . . . . X X . . .
        . X X X 3 X X . .
        . . . . . . . . .
        . . . . . . . . .",
    );
    check(
        "
        . . . . . . . . .
        . . . . . . . . .
        . . . . X . . X .
        . . . . X . X . .
        . . . . X X . . .
        . X X X 4 X X . .
        . . . . . . . . .
        . . . . . . . . .",
    );
}

#[test]
fn a_three_counts_when_black_may_make_its_straight_four() {
    // The row's only way to a straight four is the point between its stones. Black may play there.
    check(
        "
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . X . .
        . . . X . X . .
        . . X . X 3 . .
        . . . X . . . .
        . . . . . . . .",
    );
    // A stone there would make an overline and a double-four.
    check(
        "
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . X . . . .
        . . . X . X . .
        . . . X . X . .
        . . X . X a . .
        . . . X . . . .
        . . . X . . . .",
    );
    check(
        "
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . X . X . .
        . . . X . X . .
        . . X . X a . .
        . . . X . . . .
        . . . . . . . .",
    );
    // A five there would not make a straight four either.
    check(
        "
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . X . . . .
        . . . X . X . .
        . . . X . X . .
        . . X . X a . .
        . . . X . . . .
        . . . . . . . .",
    );
}

#[test]
fn a_three_counts_when_its_straight_four_makes_no_real_double_three() {
    // Between the row's stones Black would make a double-three.
    check(
        "
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . X . .
        . . X X . X . .
        . . X . X a . .
        . . . X X . . .
        . . . . . . . .",
    );
    // White stones make one of those two threes worthless, so there is no double-three there, and
    // the point asked about is a double-three again.
    check(
        "
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . O . . . X . .
        . . X X . X . .
        . . X . X 3 . .
        . . . X X . . .
        . . . . . O . .",
    );
}

/// The points of a square, row by row.
fn square(left: i32, top: i32, side: i32) -> impl Iterator<Item = Point> {
    (top..top + side).flat_map(move |y| (left..left + side).map(move |x| Point::new(x, y)))
}

/// Stones crowded into a square of the board, more black than white, as forbidden points need.
fn crowded() -> impl Strategy<Value = Board> {
    let cell = prop_oneof![
        6 => Just(None),
        4 => Just(Some(Stone::Black)),
        1 => Just(Some(Stone::White)),
    ];
    let cells = prop::collection::vec(cell, 11 * 11);
    (cells, 5..12i32, 0..SIDE, 0..SIDE).prop_map(|(cells, side, left, top)| {
        let mut board = Board::new(Size::square(15));
        for (point, stone) in square(left, top, side).zip(cells) {
            if let Some(stone) = stone.filter(|_| board.contains(point)) {
                board.set(point, stone);
            }
        }
        board
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn agrees_with_the_slow_twin(board in crowded()) {
        for point in square(0, 0, SIDE).filter(|point| board.is_empty_at(*point)) {
            let expected = match slow_renju::judge(&board, point) {
                Verdict::Forbidden(kind) => Some(kind),
                Verdict::Five | Verdict::Allowed => None,
            };
            prop_assert_eq!(board.forbidden_at(point), expected, "at {:?} of {:?}", point, &board);
        }
    }
}
