//! The lines of five of a bounded board, and what is on them.

use fivefold_shared::rules::{Axis, Point, Position, Size, Stone};

/// Five points in a row.
pub(crate) type Five = [Point; 5];

/// Every five points in a row of the board, with their axis.
pub(crate) fn fives(position: &Position) -> impl Iterator<Item = (Axis, Five)> {
    points(position).flat_map(move |from| {
        Axis::ALL.into_iter().filter_map(move |axis| {
            let five = [0, 1, 2, 3, 4].map(|steps| from.along(axis, steps));
            position.contains(five[4]).then_some((axis, five))
        })
    })
}

/// Every point of a bounded board.
pub(crate) fn points(position: &Position) -> impl Iterator<Item = Point> {
    let (width, height) = match position.rules().size() {
        Size::Bounded { width, height } => (i32::from(width), i32::from(height)),
        Size::Unbounded => (0, 0),
    };
    (0..height).flat_map(move |y| (0..width).map(move |x| Point::new(x, y)))
}

/// How many stones of a colour are on these points; `None` if the other colour has one there.
pub(crate) fn stones(position: &Position, five: &Five, stone: Stone) -> Option<usize> {
    let count =
        |stone| five.iter().filter(|point| position.stone_at(**point) == Some(stone)).count();
    (count(stone.opponent()) == 0).then(|| count(stone))
}
