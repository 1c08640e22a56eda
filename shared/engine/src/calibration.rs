//! The chances of winning that people see: how often positions with such a value were really won.
//!
//! The search has chances of its own. They rank positions well, but are too timid: of the positions that
//! it gives 30 to 40 %, far fewer are won. Its evaluation was fitted in them, bots choose by them, and
//! the book and the figures of fair play were made with them, so they stay as they are. What people
//! see goes through [`calibrated`] or [`Engine::analyse`]. `examples/calibrate` fits the numbers to
//! finished games, and docs/measurements/engine.md says how true the chances are.

use fivefold_shared::{
    analysis::{Analysis, Line, Value},
    rules::{Position, Rules, Size, Variant},
    search_budget::Thinking,
};

use crate::search::Engine;

/// How the chances of the search become true ones. The logit of a chance is first drawn towards
/// zero, as the surest values are the most often wrong, and then multiplied by a slope, which grows
/// as the board fills. For both sides alike: the games show no advantage of the side to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Calibration {
    /// The slope in freestyle on a small board, with each of [`Calibration::STONES`].
    pub slopes: [f64; 5],
    /// The factors of the slope in standard, in renju, and in both kinds of caro.
    pub variants: [f64; 3],
    /// The factor of the slope on a board with more than 15 points in a row, or without borders.
    pub large: f64,
    /// The greatest logit before it is multiplied.
    pub surest: f64,
}

impl Calibration {
    /// The numbers of stones with a slope of their own. Between two of them the slope is in
    /// proportion; before the first and after the last it is that of the nearest.
    pub const STONES: [usize; 5] = [8, 16, 32, 64, 128];

    /// What people see.
    pub const CURRENT: Self = Self {
        slopes: [1.730, 2.038, 2.311, 2.214, 1.617],
        variants: [1.132, 0.988, 1.052],
        large: 0.641,
        surest: 4.318,
    };

    /// The chance of winning, from 0 to 1, of a position with so many stones to which the search gave
    /// this chance: greater for a greater one, and a half for a half.
    pub fn chance(&self, searched: f64, rules: Rules, stones: usize) -> f64 {
        let variant = match rules.variant() {
            Variant::Freestyle | Variant::Mnk { k: 5 } => 1.0,
            Variant::Standard => self.variants[0],
            Variant::Renju => self.variants[1],
            Variant::Caro | Variant::CaroOverline => self.variants[2],
            // Nothing was fitted to games with other rows.
            Variant::Mnk { .. } => return searched,
        };
        let is_large = match rules.size() {
            Size::Bounded { width, height } => width.max(height) > 15,
            Size::Unbounded => true,
        };
        let slope = self.slope(stones) * variant * if is_large { self.large } else { 1.0 };
        let logit = (searched / (1.0 - searched)).ln();
        // Written so that an infinite logit is not a number divided by another such.
        let drawn = logit.signum() * self.surest / (1.0 + self.surest / logit.abs());
        1.0 / (1.0 + (-slope * drawn).exp())
    }

    fn slope(&self, stones: usize) -> f64 {
        let after = Self::STONES.partition_point(|known| *known <= stones);
        if after == 0 || after == Self::STONES.len() {
            return self.slopes[after.saturating_sub(1)];
        }
        let [from, to] = [after - 1, after].map(|index| (Self::STONES[index], self.slopes[index]));
        let way = (stones - from.0) as f64 / (to.0 - from.0) as f64;
        from.1 + way * (to.1 - from.1)
    }
}

/// The value that people see, of a position with so many stones, from that of [`Engine::search`]: its
/// chance from 0 to 1 says how often such positions were won, where a draw counts half. It is greater
/// for a greater one of the search, and that of the other side is one minus it. A proven win or loss stays.
pub fn calibrated(searched: Value, rules: Rules, stones: usize) -> Value {
    match searched {
        Value::Chance(chance) => Value::Chance(Calibration::CURRENT.chance(chance, rules, stones)),
        Value::Win { .. } | Value::Loss { .. } => searched,
    }
}

impl Engine {
    /// As [`Engine::search`], with [`calibrated`] values, both in the result and in `progress`.
    ///
    /// # Panics
    /// When the position is of other rules than the engine's.
    pub fn analyse(
        &mut self,
        position: &Position,
        thinking: &Thinking<'_>,
        multi: usize,
        progress: &mut dyn FnMut(&Analysis),
    ) -> Option<Analysis> {
        let (rules, stones) = (position.rules(), position.ply());
        let for_people = |analysis: &Analysis| {
            let line = |Line { value, moves }: &Line| Line {
                value: calibrated(*value, rules, stones),
                moves: moves.clone(),
            };
            Analysis { lines: analysis.lines.iter().map(line).collect(), ..*analysis }
        };
        let mut progress = |analysis: &Analysis| progress(&for_people(analysis));
        self.search(position, thinking, multi, &mut progress).as_ref().map(for_people)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STONES: [usize; 9] = [0, 7, 8, 9, 50, 127, 128, 129, 4_000];

    fn all_rules() -> impl Iterator<Item = Rules> {
        let small = Variant::FIVES.map(|variant| Rules::new(variant, Size::square(15)).unwrap());
        let large = [Size::square(16), Size::square(64), Size::Unbounded];
        let large = large.map(|size| Rules::new(Variant::Freestyle, size).unwrap());
        let row = |k| Rules::new(Variant::Mnk { k }, Size::square(15)).unwrap();
        small.into_iter().chain(large).chain([5, 6].map(row))
    }

    fn chance(searched: f64, rules: Rules, stones: usize) -> f64 {
        match calibrated(Value::Chance(searched), rules, stones) {
            Value::Chance(chance) => chance,
            value => panic!("{value:?}"),
        }
    }

    #[test]
    fn a_chance_is_one_grows_and_is_the_same_for_both_sides() {
        for rules in all_rules() {
            for stones in STONES {
                let all: Vec<f64> = (0..=1_000).map(|n| f64::from(n) / 1_000.0).collect();
                let chances: Vec<f64> =
                    all.iter().map(|searched| chance(*searched, rules, stones)).collect();
                assert!(chances.iter().all(|one| (0.0..=1.0).contains(one)), "{rules} {stones}");
                assert!(chances.windows(2).all(|two| two[0] < two[1]), "{rules} {stones}");
                assert_eq!(chances[500], 0.5, "{rules} {stones}");
                for (one, other) in chances.iter().zip(chances.iter().rev()) {
                    assert!((one + other - 1.0).abs() < 1e-9, "{rules} {stones}: {one} {other}");
                }
            }
        }
    }

    #[test]
    fn wins_losses_and_rows_of_six_stay() {
        let rules = Rules::new(Variant::Renju, Size::square(15)).unwrap();
        let proven =
            [Value::Win { plies: None }, Value::Win { plies: Some(7) }, Value::Loss { plies: 4 }];
        for value in proven {
            assert_eq!(calibrated(value, rules, 30), value);
        }
        let six = Rules::new(Variant::Mnk { k: 6 }, Size::square(15)).unwrap();
        assert_eq!(chance(0.7, six, 30), 0.7);
    }

    #[test]
    fn the_slope_ends_at_the_first_and_the_last_number_of_stones() {
        let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
        let at = |stones| chance(0.7, rules, stones);
        assert_eq!([at(0), at(7)], [at(8); 2]);
        assert_eq!([at(129), at(4_000)], [at(128); 2]);
        assert!(at(9) != at(8) && at(127) != at(128));
        let middle = Calibration { slopes: [1.0, 2.0, 3.0, 4.0, 5.0], ..Calibration::CURRENT };
        assert_eq!([8, 12, 16, 128].map(|stones| middle.slope(stones)), [1.0, 1.5, 2.0, 5.0]);
        // A larger board makes less sure.
        let [small, large] = [15, 16].map(|side| {
            chance(0.7, Rules::new(Variant::Freestyle, Size::square(side)).unwrap(), 20)
        });
        assert!(large < small, "{large} {small}");
    }
}
