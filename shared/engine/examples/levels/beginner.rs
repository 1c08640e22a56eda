//! A stand-in for a person who knows only the rules: extends the own lines, sees most fours, and few
//! open threes.

use fivefold_shared::rules::{Axis, Point, Position, Stone};
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus, seq::IndexedRandom};

use crate::board_lines::{fives, points, stones};

/// The probability of seeing that the opponent has four of a five.
const SEES_FOUR: f64 = 0.9;

/// The probability of seeing that the opponent has an open three.
const SEES_THREE: f64 = 0.25;

/// The rating of a point for each line of five through it, by the own stones on the line, if the
/// opponent has none there.
const EXTENDS: [u32; 5] = [1, 4, 12, 30, 0];

/// The rating of a point for each of its eight neighbours that is an own stone.
const BESIDE: u32 = 6;

/// How far below the best rating a chosen move may be.
const SLACK: u32 = 8;

/// The player.
pub(crate) struct Beginner {
    random: Xoshiro256PlusPlus,
}

impl Beginner {
    /// One whose games vary by `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Xoshiro256PlusPlus::seed_from_u64(!seed) }
    }

    /// A move; the game must not be over.
    pub(crate) fn choose(&mut self, position: &Position) -> Point {
        let own = position.turn();
        let missing = |stone| {
            let four =
                fives(position).find(|(_, five)| stones(position, five, stone) == Some(4))?;
            four.1.into_iter().find(|point| position.stone_at(*point).is_none())
        };
        if let Some(point) = missing(own) {
            return point;
        }
        if let Some(point) = missing(own.opponent()).filter(|_| self.random.random_bool(SEES_FOUR))
        {
            return point;
        }
        if let Some(point) = self.stop_three(position, own.opponent()) {
            return point;
        }
        let empty = points(position).filter(|point| position.stone_at(*point).is_none());
        let mut rated: Vec<(u32, Point)> = empty.map(|point| (0, point)).collect();
        for (_, five) in fives(position) {
            let Some(stones) = stones(position, &five, own) else { continue };
            for (rating, point) in &mut rated {
                *rating += if five.contains(point) { EXTENDS[stones] } else { 0 };
            }
        }
        for (rating, point) in &mut rated {
            let beside =
                |axis: Axis, steps| position.stone_at(point.along(axis, steps)) == Some(own);
            let beside =
                |axis: &Axis| usize::from(beside(*axis, 1)) + usize::from(beside(*axis, -1));
            *rating +=
                BESIDE * u32::try_from(Axis::ALL.iter().map(beside).sum::<usize>()).unwrap_or(0);
        }
        let best = rated.iter().map(|(rating, _)| *rating).max().unwrap_or(0);
        rated.retain(|(rating, _)| rating + SLACK >= best);
        rated.choose(&mut self.random).expect("the game goes on").1
    }

    /// An end of an unbroken open three, if it is seen.
    fn stop_three(&mut self, position: &Position, other: Stone) -> Option<Point> {
        let is_empty = |point| position.contains(point) && position.stone_at(point).is_none();
        let (axis, five) = fives(position).find(|(axis, five)| {
            let [before, three @ .., after] = five;
            is_empty(*before)
                && is_empty(*after)
                && three.iter().all(|point| position.stone_at(*point) == Some(other))
                && (is_empty(before.along(*axis, -1)) || is_empty(after.along(*axis, 1)))
        })?;
        let end = if self.random.random_bool(0.5) { five[0] } else { five[0].along(axis, 4) };
        self.random.random_bool(SEES_THREE).then_some(end)
    }
}
