//! Code that the bots share: which points they weigh, what lies there, and how they rank and pick.
//!
//! It does not know what makes a point good.

use std::ops::RangeInclusive;

use fivefold_shared::{
    analysis::Weight,
    rules::{Point, Position, Size, Stone, Tiles},
    search_budget::Thinking,
};
use rand::{rngs::Xoshiro256PlusPlus, seq::IndexedRandom};

/// The random generator of the bots. It need not be secure; the same seed gives the same games on
/// every machine.
pub(super) type Random = Xoshiro256PlusPlus;

/// The content of a point on a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cell {
    /// A point without a stone.
    Empty,
    /// A stone.
    Taken(Stone),
    /// Beyond the border.
    Outside,
}

/// The content of `point`.
pub(super) fn cell(position: &Position, point: Point) -> Cell {
    match position.stone_at(point) {
        Some(stone) => Cell::Taken(stone),
        None if position.contains(point) => Cell::Empty,
        None => Cell::Outside,
    }
}

/// Weighs the legal points within `reach` of a stone, in both coordinates, best first.
///
/// On an empty board that is only the middle. If no point in reach is legal, it weighs every legal
/// point of the board, so the list is empty only when the game is over. A search that is cut short
/// returns the points weighed so far: at least one.
pub(super) fn weigh_near(
    position: &Position,
    reach: i32,
    thinking: &Thinking<'_>,
    weigh: impl Fn(Point) -> f64,
) -> Vec<Weight> {
    if position.outcome().is_some() {
        return Vec::new();
    }
    let weigh = |point| Weight { point, weight: weigh(point), plies: None };
    if position.ply() == 0 {
        return vec![weigh(middle(position.rules().size()))];
    }
    let mut looked_at = 0;
    let mut in_time = |_: &Point| {
        let goes_on = looked_at == 0 || !thinking.is_over(looked_at);
        looked_at += 1;
        goes_on
    };
    let mut weights: Vec<_> = near(position, reach).take_while(&mut in_time).map(weigh).collect();
    if weights.is_empty() {
        weights = all(position).take_while(in_time).map(weigh).collect();
    }
    sort(&mut weights);
    weights
}

/// Sorts best first: by weight; then the quicker win and the slower loss, unproven ones last; then
/// by point.
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

/// Picks one of those that are as good as the first; `None` from an empty list.
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

/// The legal points within `reach` of a stone; those around the newest stones first, so that
/// a bot that runs out of time has weighed the most important points.
fn near(position: &Position, reach: i32) -> impl Iterator<Item = Point> {
    let mut seen = Tiles::<1>::default();
    position
        .moves()
        .iter()
        .rev()
        .flat_map(move |stone| {
            rectangle(stone.x - reach..=stone.x + reach, stone.y - reach..=stone.y + reach)
        })
        .filter(move |point| seen.put(*point, 0).is_none() && position.legality(*point).is_ok())
}

/// Every legal point of a bounded board. The unbounded board has too many to list, and never needs
/// it: some stone always has a legal point beside it.
fn all(position: &Position) -> impl Iterator<Item = Point> {
    let (width, height) = match position.rules().size() {
        Size::Bounded { width, height } => (i32::from(width), i32::from(height)),
        Size::Unbounded => (0, 0),
    };
    rectangle(0..=width - 1, 0..=height - 1).filter(|point| position.legality(*point).is_ok())
}

fn rectangle(
    columns: RangeInclusive<i32>,
    rows: RangeInclusive<i32>,
) -> impl Iterator<Item = Point> {
    rows.flat_map(move |y| columns.clone().map(move |x| Point::new(x, y)))
}
