//! Openings: the first stones of a game that bots or programs play on from.

use fivefold_shared::rules::{Point, Rules, Size};
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};

/// How far from the middle the stones of a random opening lie at most.
const REACH: i32 = 3;

/// Openings of so many stones near the middle, each different points, without end; the same seed
/// gives the same ones. Whether the rules allow them is not asked here.
pub fn random(rules: Rules, seed: u64, stones: usize) -> impl Iterator<Item = Vec<Point>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (middle, reach) = match rules.size() {
        Size::Unbounded => (Point::default(), [REACH; 2]),
        Size::Bounded { width, height } => {
            let (width, height) = (i32::from(width), i32::from(height));
            let reach = [width, height].map(|side| REACH.min((side - 1) / 2));
            (Point::new(width / 2, height / 2), reach)
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
