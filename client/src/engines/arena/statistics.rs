//! The statistics of a match: the difference in Elo, its confidence interval, and when to stop.
//!
//! The two games of an opening are one observation with five possible scores (0, ½, 1, 1½, 2),
//! because what one colour gains by an opening the other loses. The test is the generalised
//! sequential probability ratio test on these pairs: each hypothesis fixes a mean, and the
//! likelihood is that of the most likely distribution with this mean.
//!
//! Sources: A. Wald, *Sequential Analysis*, 1947, for the bounds; M. Van den Bergh, *A Practical
//! Introduction to the GSPRT*, for the distributions. Elo is the usual logistic one: 400 points are
//! odds of ten to one.

use std::str::FromStr;

/// The probability of a wrong verdict, either way.
const ALPHA: f64 = 0.05;

/// Scores of a pair, as fractions of the two points.
const PAIR_SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Count for a score that never occurred, so that it stays possible.
const UNSEEN: f64 = 1e-3;

/// 95 % of a normal distribution lie within this many standard deviations.
const Z_95: f64 = 1.96;

/// How many games, or pairs of games, had each score.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Tally {
    /// Games that A lost, drew and won.
    pub(super) games: [u32; 3],
    /// Pairs in which A scored 0, ½, 1, 1½ and 2.
    pub(super) pairs: [u32; 5],
}

/// A difference in Elo with its 95 % confidence interval. Unbounded on one side where all games
/// were lost, or won.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Difference {
    pub(super) elo: f64,
    pub(super) least: f64,
    pub(super) greatest: f64,
}

/// A sequential test: is A stronger than B by `elo1`, or only by `elo0`?
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The lower hypothesis: A is stronger by at most this.
    pub elo0: f64,
    /// The higher hypothesis: A is stronger by at least this.
    pub elo1: f64,
}

/// The verdict of a sequential test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Undecided.
    Open,
    /// A is not stronger by more than the lower difference.
    Lower,
    /// A is stronger by at least the higher difference.
    Higher,
}

impl Tally {
    /// How many games there are.
    pub(super) fn count(&self) -> u32 {
        self.games.iter().sum()
    }

    /// The share of the points that A has.
    pub(super) fn score(&self) -> f64 {
        let [_, drawn, won] = self.games.map(f64::from);
        (won + drawn / 2.0) / f64::from(self.count()).max(1.0)
    }

    /// The difference in Elo that fits the score best, with its error. The error is that of the
    /// pairs, if they differ.
    pub(super) fn difference(&self) -> Difference {
        let (score, count) = (self.score(), f64::from(self.count()));
        if count == 0.0 {
            return Difference { elo: 0.0, least: f64::NEG_INFINITY, greatest: f64::INFINITY };
        }
        if score == 0.0 || score == 1.0 {
            // The interval for a coin that always fell the same way.
            let share = (ALPHA / 2.0).powf(1.0 / count);
            let (least, greatest) = if score == 1.0 { (share, 1.0) } else { (0.0, 1.0 - share) };
            return Difference { elo: elo(score), least: elo(least), greatest: elo(greatest) };
        }
        let of_pairs = standard_error(&self.pairs.map(f64::from), &PAIR_SCORES);
        let of_games = standard_error(&self.games.map(f64::from), &[0.0, 0.5, 1.0]);
        let error = Z_95 * of_pairs.or(of_games).unwrap_or(0.5);
        let bound = |share: f64| elo(share.clamp(0.0, 1.0));
        Difference { elo: elo(score), least: bound(score - error), greatest: bound(score + error) }
    }
}

/// Why a text is no sequential test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SprtError {
    /// The text is not two numbers.
    #[error("two differences in Elo, such as 0,10")]
    Form,
    /// The first number is not the lower one.
    #[error("the lower difference comes first")]
    Order,
}

impl FromStr for Sprt {
    type Err = SprtError;

    /// Reads `ELO0,ELO1`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = |text: &str| text.trim().parse().ok().filter(|elo: &f64| elo.abs() < 1_000.0);
        let (elo0, elo1) = text
            .split_once(',')
            .and_then(|(elo0, elo1)| read(elo0).zip(read(elo1)))
            .ok_or(SprtError::Form)?;
        if elo0 < elo1 { Ok(Self { elo0, elo1 }) } else { Err(SprtError::Order) }
    }
}

impl Sprt {
    /// The log-likelihood ratio of the pairs, of the higher hypothesis to the lower.
    pub(super) fn llr(&self, tally: &Tally) -> f64 {
        let pairs: u32 = tally.pairs.iter().sum();
        if pairs == 0 {
            return 0.0;
        }
        let counts = tally.pairs.map(|count| f64::from(count).max(UNSEEN));
        let total: f64 = counts.iter().sum();
        let seen = counts.map(|count| count / total);
        let lower = likeliest(&seen, share(self.elo0));
        let higher = likeliest(&seen, share(self.elo1));
        let llr: f64 =
            (0..seen.len()).map(|index| seen[index] * (higher[index] / lower[index]).ln()).sum();
        total * llr
    }

    /// The log-likelihood ratios at which the test ends, the lower one first.
    pub(super) fn bounds() -> [f64; 2] {
        [(ALPHA / (1.0 - ALPHA)).ln(), ((1.0 - ALPHA) / ALPHA).ln()]
    }

    /// The verdict of the pairs so far.
    pub(super) fn verdict(&self, tally: &Tally) -> Verdict {
        let [lower, higher] = Self::bounds();
        match self.llr(tally) {
            llr if llr <= lower => Verdict::Lower,
            llr if llr >= higher => Verdict::Higher,
            _ => Verdict::Open,
        }
    }
}

/// The difference in Elo for a share of the points.
fn elo(share: f64) -> f64 {
    400.0 * (share / (1.0 - share)).log10()
}

/// The share of the points for a difference in Elo.
fn share(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The standard error of the mean of these counts; `None` if all values were equal.
fn standard_error(counts: &[f64], values: &[f64]) -> Option<f64> {
    let total: f64 = counts.iter().sum();
    let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
        counts.iter().zip(values).map(|(count, value)| count * of(*value)).sum::<f64>() / total
    };
    let mean = sum(&|value| value);
    let variance = sum(&|value| (value - mean).powi(2));
    (total > 0.0 && variance > 0.0).then(|| (variance / total).sqrt())
}

/// The most likely distribution over [`PAIR_SCORES`] with this mean: each frequency divided by `1 +
/// x (value - mean)`, with the `x` that gives the mean.
fn likeliest(seen: &[f64; 5], mean: f64) -> [f64; 5] {
    let off = |x: f64| -> f64 {
        let term = |index: usize| {
            let value = PAIR_SCORES[index] - mean;
            seen[index] * value / (1.0 + x * value)
        };
        (0..seen.len()).map(term).sum()
    };
    // The function falls from infinity to minus infinity between these.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if off(middle) > 0.0 { low = middle } else { high = middle }
    }
    let x = f64::midpoint(low, high);
    std::array::from_fn(|index| seen[index] / (1.0 + x * (PAIR_SCORES[index] - mean)))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};

    use super::*;

    fn tally(pairs: [u32; 5]) -> Tally {
        let [a, b, c, d, e] = pairs;
        // A pair with score 1 counts as two draws; the order makes no difference here.
        Tally { games: [2 * a + b, b + 2 * c + d, d + 2 * e], pairs }
    }

    /// The approximation by a normal distribution, which is good where there are many pairs.
    fn slow_llr(sprt: &Sprt, tally: &Tally) -> f64 {
        let counts = tally.pairs.map(f64::from);
        let total: f64 = counts.iter().sum();
        let error = standard_error(&counts, &PAIR_SCORES).unwrap();
        let (low, high) = (share(sprt.elo0), share(sprt.elo1));
        let variance = error * error * total;
        total * (high - low) * (2.0 * tally.score() - low - high) / (2.0 * variance)
    }

    #[test]
    fn differences_have_their_errors() {
        // Wins, draws and losses of the first game; bounds computed by hand from the variance of
        // pairs.
        let cases: [([u32; 5], [f64; 3]); 5] = [
            ([0, 0, 0, 0, 0], [0.0, f64::NEG_INFINITY, f64::INFINITY]),
            ([10, 20, 40, 20, 10], [0.0, -37.5, 37.5]),
            ([0, 0, 10, 20, 10], [190.8, 143.3, 246.1]),
            ([0, 0, 0, 0, 20], [f64::INFINITY, 406.0, f64::INFINITY]),
            ([20, 0, 0, 0, 0], [f64::NEG_INFINITY, f64::NEG_INFINITY, -406.0]),
        ];
        for (pairs, [elo, least, greatest]) in cases {
            let found = tally(pairs).difference();
            let near =
                |found: f64, expected: f64| found == expected || (found - expected).abs() < 1.0;
            assert!(near(found.elo, elo), "{pairs:?}: {found:?}");
            assert!(near(found.least, least), "{pairs:?}: {found:?}");
            assert!(near(found.greatest, greatest), "{pairs:?}: {found:?}");
        }
    }

    #[test]
    fn the_test_agrees_with_its_approximation() {
        let sprt = Sprt { elo0: 0.0, elo1: 10.0 };
        for pairs in [[300, 700, 1_500, 800, 350], [500, 500, 900, 500, 500], [90, 0, 120, 0, 110]]
        {
            let tally = tally(pairs);
            let (fast, slow) = (sprt.llr(&tally), slow_llr(&sprt, &tally));
            assert!((fast - slow).abs() < 0.02 * slow.abs().max(1.0), "{pairs:?}: {fast} {slow}");
        }
    }

    #[test]
    fn the_likeliest_distribution_has_its_mean() {
        let seen = [0.1, 0.2, 0.4, 0.2, 0.1];
        for mean in [0.01, 0.4, 0.5, 0.9] {
            let found = likeliest(&seen, mean);
            let sum: f64 = found.iter().sum();
            let of: f64 = found.iter().zip(PAIR_SCORES).map(|(share, value)| share * value).sum();
            assert!((sum - 1.0).abs() < 1e-9 && (of - mean).abs() < 1e-9, "{mean}: {found:?}");
        }
    }

    /// How often the test accepts that A is stronger, at this true difference.
    fn accepted(sprt: &Sprt, elo: f64) -> f64 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        let rounds = 150;
        let mut accepted = 0;
        for _ in 0..rounds {
            let mut pairs = Tally::default();
            while sprt.verdict(&pairs) == Verdict::Open {
                let won = |random: &mut Xoshiro256PlusPlus| {
                    2 * usize::from(random.random_bool(share(elo)))
                };
                pairs.pairs[won(&mut random) + won(&mut random)] += 1;
            }
            accepted += u32::from(sprt.verdict(&pairs) == Verdict::Higher);
        }
        f64::from(accepted) / f64::from(rounds)
    }

    #[test]
    fn the_test_is_seldom_wrong() {
        let sprt = Sprt { elo0: 0.0, elo1: 80.0 };
        assert!(accepted(&sprt, 0.0) < 0.09);
        assert!(accepted(&sprt, 80.0) > 0.91);
    }
}
