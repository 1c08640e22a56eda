//! What renju forbids: drawn cases, files of positions, and a slow twin.

#[path = "support/renju_vectors.rs"]
mod renju_vectors;

#[path = "support/symmetry.rs"]
mod symmetry;

use std::collections::BTreeSet;

use fivefold_shared::rules::{Axis, Board, Forbidden, Point, Size, Stone};
use proptest::prelude::*;

use self::symmetry::Symmetry;

const SIDE: i32 = 15;

#[test]
fn vectors() {
    for text in [
        include_str!("../testdata/renju_moves.jsonl"),
        include_str!("../testdata/renju_points.jsonl"),
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
    // A four that could only become an overline is none.
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
    // There it would be an overline, and a double-four.
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
    // A five there would be no straight four either.
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
    // There it would be a double-three, which is forbidden.
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
    // White stones make one of those two threes worthless, so the double-three there is none,
    // and the one asked about is one again.
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

/// The slow twin: the definitions of RIF 9 word by word, on stones really placed, with every
/// window of the lines looked at.
mod slow {
    use super::*;

    #[derive(PartialEq, Eq, Debug)]
    pub(super) enum Verdict {
        Five,
        Forbidden(Forbidden),
        Allowed,
    }

    pub(super) fn judge(before: &Board, point: Point) -> Verdict {
        let mut board = before.clone();
        board.set(point, Stone::Black);
        if Axis::ALL.iter().any(|axis| !rows(&board, *axis, 5, &[point]).is_empty()) {
            return Verdict::Five;
        }
        if fours(&board, point).len() >= 2 {
            return Verdict::Forbidden(Forbidden::DoubleFour);
        }
        if threes(&board, point).len() >= 2 {
            return Verdict::Forbidden(Forbidden::DoubleThree);
        }
        let overline =
            |axis: &Axis| (6..=SIDE).any(|k| !rows(&board, *axis, k, &[point]).is_empty());
        if Axis::ALL.iter().any(overline) {
            return Verdict::Forbidden(Forbidden::Overline);
        }
        Verdict::Allowed
    }

    /// The unbroken rows of exactly `length` black stones that hold all the points given.
    fn rows(board: &Board, axis: Axis, length: i32, through: &[Point]) -> Vec<Vec<Point>> {
        let is_black = |point| board.stone_at(point) == Some(Stone::Black);
        (1 - length..=0)
            .map(|start| through[0].along(axis, start))
            .filter(|first| {
                !is_black(first.along(axis, -1)) && !is_black(first.along(axis, length))
            })
            .map(|first| (0..length).map(|steps| first.along(axis, steps)).collect::<Vec<_>>())
            .filter(|row| row.iter().all(|point| is_black(*point)))
            .filter(|row| through.iter().all(|point| row.contains(point)))
            .collect()
    }

    fn empty_points_near(board: &Board, point: Point) -> impl Iterator<Item = Point> {
        (-4..=4)
            .flat_map(move |dx| (-4..=4).map(move |dy| Point::new(point.x + dx, point.y + dy)))
            .filter(|near| board.is_empty_at(*near))
    }

    /// Fours: four stones that one more makes an exact five.
    fn fours(board: &Board, point: Point) -> BTreeSet<Vec<Point>> {
        let mut fours = BTreeSet::new();
        for added in empty_points_near(board, point) {
            let mut after = board.clone();
            after.set(added, Stone::Black);
            for axis in Axis::ALL {
                for mut five in rows(&after, axis, 5, &[point, added]) {
                    five.retain(|stone| *stone != added);
                    fours.insert(five);
                }
            }
        }
        fours
    }

    /// Threes: three stones that one more makes a straight four, where Black may play that stone.
    fn threes(board: &Board, point: Point) -> BTreeSet<Vec<Point>> {
        let mut threes = BTreeSet::new();
        for added in empty_points_near(board, point) {
            let mut after = board.clone();
            after.set(added, Stone::Black);
            for axis in Axis::ALL {
                for mut four in rows(&after, axis, 4, &[point, added]) {
                    if fives_at_both_ends(&after, axis, &four)
                        && judge(board, added) == Verdict::Allowed
                    {
                        four.retain(|stone| *stone != added);
                        threes.insert(four);
                    }
                }
            }
        }
        threes
    }

    fn fives_at_both_ends(board: &Board, axis: Axis, four: &[Point]) -> bool {
        [four[0].along(axis, -1), four[3].along(axis, 1)].iter().all(|end| {
            let mut after = board.clone();
            board.is_empty_at(*end) && {
                after.set(*end, Stone::Black);
                !rows(&after, axis, 5, &[*end]).is_empty()
            }
        })
    }
}

/// Stones crowded into one part of the board, more black than white, as forbidden points need.
fn crowded() -> impl Strategy<Value = Board> {
    let side = 5..12i32;
    (side, 0..15i32, 0..15i32)
        .prop_flat_map(|(side, x, y)| {
            let cell = prop_oneof![6 => Just(None), 4 => Just(Some(Stone::Black)),
                                   1 => Just(Some(Stone::White))];
            let area = usize::try_from(side * side).unwrap();
            (prop::collection::vec(cell, area), Just((side, x, y)))
        })
        .prop_map(|(cells, (side, left, top))| {
            let mut board = Board::new(Size::square(15));
            for (index, stone) in (0..).zip(cells) {
                let point = Point::new(left + index % side, top + index / side);
                if let Some(stone) = stone.filter(|_| board.contains(point)) {
                    board.set(point, stone);
                }
            }
            board
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn agrees_with_the_slow_twin(board in crowded()) {
        for point in (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| Point::new(x, y))) {
            let expected = if board.is_empty_at(point) {
                match slow::judge(&board, point) {
                    slow::Verdict::Forbidden(kind) => Some(kind),
                    slow::Verdict::Five | slow::Verdict::Allowed => None,
                }
            } else {
                None
            };
            prop_assert_eq!(board.forbidden_at(point), expected, "at {:?} of {:?}", point, &board);
        }
    }
}
