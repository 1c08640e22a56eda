//! What the bots share: which points they weigh, what they see there, and how they rank and pick.
//!
//! It knows nothing of what makes a point good.

use rand::{rngs::Xoshiro256PlusPlus, seq::IndexedRandom};
use rustc_hash::FxHashSet;

use super::{Thinking, Weight};
use crate::rules::{Point, Position, Size, Stone};

/// The generator that settles what a bot leaves to chance. It has no secrets to keep; the same
/// seed gives the same games on every machine.
pub(super) type Random = Xoshiro256PlusPlus;

/// What a line meets on one of its points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cell {
    /// A point without a stone.
    Empty,
    /// A stone.
    Taken(Stone),
    /// Beyond the border.
    Outside,
}

/// What lies on `point`.
pub(super) fn cell(position: &Position, point: Point) -> Cell {
    match position.stone_at(point) {
        Some(stone) => Cell::Taken(stone),
        None if position.contains(point) => Cell::Empty,
        None => Cell::Outside,
    }
}

/// The legal points within `reach` of a stone, in both coordinates; those around the newest stones
/// first, so that whoever runs out of time has seen what matters most.
///
/// On an empty board it is the middle alone. Where no point in reach is legal, every legal point
/// of the board is given, so the list is empty only when the game is over.
pub(super) fn near(position: &Position, reach: i32) -> Vec<Point> {
    if position.outcome().is_some() {
        return Vec::new();
    }
    if position.ply() == 0 {
        return vec![middle(position.rules().size())];
    }
    let mut seen = FxHashSet::default();
    let mut points = Vec::new();
    for stone in position.moves().iter().rev() {
        for y in stone.y - reach..=stone.y + reach {
            for x in stone.x - reach..=stone.x + reach {
                let point = Point::new(x, y);
                if seen.insert(point) && position.legality(point).is_ok() {
                    points.push(point);
                }
            }
        }
    }
    if points.is_empty() { all(position) } else { points }
}

/// Weighs the points one by one, best first, until the thinking is over; at least one is weighed.
pub(super) fn weigh_each(
    points: Vec<Point>,
    thinking: &Thinking<'_>,
    weigh: impl Fn(Point) -> f64,
) -> Vec<Weight> {
    let mut weights: Vec<_> = (0..)
        .zip(points)
        .take_while(|(looked_at, _)| *looked_at == 0 || !thinking.is_over(*looked_at))
        .map(|(_, point)| Weight { point, weight: weigh(point), plies: None })
        .collect();
    sort(&mut weights);
    weights
}

/// Puts the best first: by weight; then the quicker win and the slower loss, with what is not
/// proven last; then by point.
pub(super) fn sort(weights: &mut [Weight]) {
    let haste = |weight: &Weight| match weight.plies {
        Some(plies) if weight.weight < 0.0 => -i32::from(plies),
        Some(plies) => i32::from(plies),
        None => i32::MAX,
    };
    weights.sort_unstable_by(|a, b| {
        b.weight
            .total_cmp(&a.weight)
            .then_with(|| haste(a).cmp(&haste(b)))
            .then_with(|| a.point.cmp(&b.point))
    });
}

/// One of those that are as good as the first; nothing from nothing.
pub(super) fn pick(sorted: &[Weight], random: &mut Random) -> Option<Point> {
    let best = sorted.first()?;
    let equals = sorted.partition_point(|one| one.weight == best.weight && one.plies == best.plies);
    sorted[..equals].choose(random).map(|weight| weight.point)
}

fn middle(size: Size) -> Point {
    match size {
        Size::Bounded { width, height } => Point::new(i32::from(width / 2), i32::from(height / 2)),
        Size::Unbounded => Point::new(0, 0),
    }
}

/// Every legal point of a bounded board. The unbounded board has too many to list, and never needs
/// it: some stone always has a legal point beside it.
fn all(position: &Position) -> Vec<Point> {
    match position.rules().size() {
        Size::Bounded { width, height } => (0..i32::from(height))
            .flat_map(|y| (0..i32::from(width)).map(move |x| Point::new(x, y)))
            .filter(|point| position.legality(*point).is_ok())
            .collect(),
        Size::Unbounded => Vec::new(),
    }
}
