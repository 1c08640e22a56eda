//! Points and groups of stones that an opening may begin with.

use fivefold_shared::{
    opening::Zone,
    rules::{Point, Position, Rules, Size},
    symmetry,
};
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};

/// The largest distance of a random opening's stones from the middle.
const REACH: i32 = 3;

/// An endless sequence of groups of stones, each of `stones` different points near the middle.
/// Equal seeds give equal groups. They are not checked against the rules.
pub fn random(rules: Rules, seed: u64, stones: usize) -> impl Iterator<Item = Vec<Point>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let middle = middle(rules.size());
    let reach = match rules.size() {
        Size::Unbounded => [REACH; 2],
        Size::Bounded { width, height } => {
            [width, height].map(|side| REACH.min((i32::from(side) - 1) / 2))
        }
    };
    let spaces = reach.map(|reach| usize::try_from(2 * reach + 1).unwrap_or(0));
    let stones = stones.min(spaces[0] * spaces[1]);
    std::iter::repeat_with(move || {
        let mut points: Vec<Point> = Vec::with_capacity(stones);
        while points.len() < stones {
            let [dx, dy] = reach.map(|reach| random.random_range(-reach..=reach));
            let point = Point::new(middle.x + dx, middle.y + dy);
            if !points.contains(&point) {
                points.push(point);
            }
        }
        points
    })
}

/// The points of a zone where the next stone may be put, at most `reach` from the middle: one of
/// each set of symmetric points.
pub(super) fn points(position: &Position, zone: Zone, reach: i32) -> Vec<Point> {
    let size = position.rules().size();
    let middle = middle(size);
    let symmetries = symmetry::of(position);
    let (mut found, mut images): (Vec<Point>, Vec<Point>) = (Vec::new(), Vec::new());
    let around = (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (dx, dy)));
    for (dx, dy) in around {
        let point = Point::new(middle.x + dx, middle.y + dy);
        let is_free = zone.contains(point, size) && position.legality(point).is_ok();
        if is_free && !images.contains(&point) {
            images.extend(symmetries.iter().map(|symmetry| symmetry.image(point)));
            found.push(point);
        }
    }
    found
}

/// The middle point of a board, or the origin of the unbounded one.
pub(super) fn middle(size: Size) -> Point {
    match size {
        Size::Unbounded => Point::default(),
        Size::Bounded { width, height } => Point::new(i32::from(width / 2), i32::from(height / 2)),
    }
}
