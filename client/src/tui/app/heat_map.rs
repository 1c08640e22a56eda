//! The heat map: the weights that a bot gives to the candidates of the position.

use std::collections::BTreeMap;

use fivefold_shared::{analysis::Weight, bot_spec::BotSpec, rules::Point};

use crate::words::bot_names;

/// The highest level of a weight.
const LEVEL_MAX: u8 = 9;

/// The requested weights of the game's position. After the end, those of the position before the
/// last move.
#[derive(Clone, Debug, Default)]
pub(in crate::tui) struct Heat {
    /// Whether the weights of all candidates are shown, now and after each move.
    pub(super) on: bool,
    /// Whether weights of this position were requested but have not arrived.
    pub(super) awaited: bool,
    /// The point to describe when the weights arrive.
    pub(super) wanted: Option<Point>,
    known: Option<WeighedPosition>,
}

#[derive(Clone, Debug)]
struct WeighedPosition {
    /// The number of moves in the weighed position.
    ply: usize,
    bot: BotSpec,
    weights: BTreeMap<Point, (Weight, u8)>,
}

impl Heat {
    /// Clears the weights after the position has changed.
    pub(super) fn forget(&mut self) {
        self.awaited = false;
        self.wanted = None;
        self.known = None;
    }

    /// Stores the weights of the position after `ply` moves.
    pub(super) fn learn(&mut self, ply: usize, bot: BotSpec, weights: &[Weight]) {
        self.awaited = false;
        let levels = levels(weights);
        let weights =
            weights.iter().zip(levels).map(|(&weight, level)| (weight.point, (weight, level)));
        self.known = Some(WeighedPosition { ply, bot, weights: weights.collect() });
    }

    /// The ply with known weights.
    pub(super) fn known_at(&self) -> Option<usize> {
        self.known.as_ref().map(|known| known.ply)
    }

    /// The bot whose weights are shown on the position after `ply` moves, if any.
    pub(in crate::tui) fn shown(&self, ply: usize) -> Option<BotSpec> {
        self.at(ply).filter(|_| self.on).map(|known| known.bot)
    }

    /// Whether the board waits for weights.
    pub(in crate::tui) const fn is_awaited(&self) -> bool {
        self.on && self.awaited
    }

    /// The level to show on a point, from 0 to 9, where weights are shown.
    pub(in crate::tui) fn level(&self, ply: usize, point: Point) -> Option<u8> {
        let known = self.at(ply).filter(|_| self.on)?;
        known.weights.get(&point).map(|&(_, level)| level)
    }

    /// A bot's view of a point, to follow the point's name; `None` when no weights are known after
    /// `ply` moves.
    pub(in crate::tui) fn description(&self, ply: usize, point: Point) -> Option<String> {
        let known = self.at(ply)?;
        let bot = bot_names::bot(known.bot);
        Some(match known.weights.get(&point) {
            Some((Weight { weight, plies: Some(plies), .. }, _)) => {
                format!("{weight} to {bot}, the end in {plies} plies")
            }
            Some((Weight { weight, plies: None, .. }, _)) => {
                format!("{} to {bot}", rounded(*weight))
            }
            None => format!("no candidate of {bot}"),
        })
    }

    fn at(&self, ply: usize) -> Option<&WeighedPosition> {
        self.known.as_ref().filter(|known| known.ply == ply)
    }
}

/// A weight with at most three decimals.
fn rounded(weight: f64) -> f64 {
    (weight * 1000.0).round() / 1000.0
}

/// Ranks weights from 0 for the least to 9 for the greatest. The scale is logarithmic: one winning
/// move of 99999 must not make all others look the same.
fn levels(weights: &[Weight]) -> Vec<u8> {
    let least = weights.iter().map(|w| w.weight).fold(f64::INFINITY, f64::min);
    let height = |weight: f64| (weight - least).ln_1p();
    let most = weights.iter().map(|w| height(w.weight)).fold(0.0, f64::max);
    let level = |weight: f64| match most > 0.0 {
        true => {
            let share = height(weight) / most;
            // The highest level whose threshold the share reaches.
            (0..=LEVEL_MAX).rev().find(|&l| share * f64::from(LEVEL_MAX) + 0.5 >= f64::from(l))
        }
        false => Some(LEVEL_MAX),
    };
    weights.iter().map(|w| level(w.weight).unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_reach_from_0_to_9_whatever_the_scale() {
        let cases: [(&[f64], &[u8]); 5] = [
            (&[], &[]),
            (&[3.0], &[9]),
            (&[2.0, 2.0], &[9, 9]),
            (&[10.0, 0.0, -10.0], &[9, 7, 0]),
            (&[99999.0, 1500.0, 200.0, 0.0], &[9, 6, 4, 0]),
        ];
        for (weights, expected) in cases {
            let weights: Vec<Weight> = weights
                .iter()
                .map(|&weight| Weight { point: Point::default(), weight, plies: None })
                .collect();
            assert_eq!(levels(&weights), expected, "{weights:?}");
        }
    }
}
