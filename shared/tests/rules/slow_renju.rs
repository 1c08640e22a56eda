//! The slow twin of renju's forbidden points: the definitions of RIF 9 word by word, on stones
//! really placed, checking every window of the lines.

use std::collections::BTreeSet;

use fivefold_shared::rules::{Axis, Board, Forbidden, Point, Stone};

const SIDE: i32 = 15;

#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Five,
    Forbidden(Forbidden),
    Allowed,
}

pub(crate) fn judge(before: &Board, point: Point) -> Verdict {
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
    let overline = |axis: &Axis| (6..=SIDE).any(|k| !rows(&board, *axis, k, &[point]).is_empty());
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
        .filter(|first| !is_black(first.along(axis, -1)) && !is_black(first.along(axis, length)))
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
