//! A simulation of many players with a true rating each: how near their ratings come to it, game by game.

use std::fmt;

use fivefold_shared::clock::DAY_MS;
use fivefold_storage::glicko::{Rating, Score, rate};
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::SliceRandom};

use crate::normal;

/// The mean of the true ratings and their standard deviation.
const TRUE_RATINGS: (f64, f64) = (1_500.0, 300.0);
/// The share of games that nobody wins.
const DRAWS: f64 = 0.03;

/// Who plays how much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// How many players.
    pub players: usize,
    /// How many games each of them plays.
    pub games: u64,
    /// How many of them in a day.
    pub games_per_day: u64,
    /// Another seed gives other true ratings and results.
    pub seed: u64,
}

/// How near the ratings are to the true ones after so many games of each player.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Accuracy {
    /// Games that each player has played.
    pub games: u64,
    /// The mean of the absolute errors, in points.
    pub error: f64,
    /// The mean deviation that the ratings state, in points.
    pub deviation: f64,
    /// The share of players whose true rating is within two deviations; about 0.95 if they are honest.
    pub within_two: f64,
    /// The mean of all ratings, which should stay at that of the true ones.
    pub mean: f64,
}

impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, error, deviation, within_two, mean } = self;
        write!(
            f,
            "| {games} | {error:.1} | {deviation:.1} | {:.1} % | {mean:.1} |",
            100.0 * within_two
        )
    }
}

/// Lets everybody play against somebody of about the same rating, and returns the accuracy after 0, 1, 2,
/// 4, 8 ... games and at the end.
pub fn run(plan: Plan) -> Vec<Accuracy> {
    let Plan { players, games, games_per_day, seed } = plan;
    let mut random = StdRng::seed_from_u64(seed);
    let mut crowd: Vec<(f64, Rating)> =
        (0..players).map(|_| (normal(&mut random, TRUE_RATINGS), Rating::NEW)).collect();
    let mut accuracies = vec![accuracy(0, &crowd)];
    for game in 0..games {
        // Equal ratings meet in any order.
        crowd.shuffle(&mut random);
        crowd.sort_by(|(_, one), (_, other)| one.value.total_cmp(&other.value));
        let now = game * DAY_MS / games_per_day;
        for pair in crowd.chunks_exact_mut(2) {
            let [(true_one, one), (true_other, other)] = pair else { continue };
            let score = result(*true_one - *true_other, &mut random);
            [*one, *other] = rate([*one, *other], score, now);
        }
        let played = game + 1;
        if played.is_power_of_two() || played == games {
            accuracies.push(accuracy(played, &crowd));
        }
    }
    accuracies
}

/// Who wins if the first is so many points stronger.
fn result(difference: f64, random: &mut StdRng) -> Score {
    if random.random_bool(DRAWS) {
        Score::Draw
    } else if random.random_bool(1.0 / (1.0 + 10_f64.powf(-difference / 400.0))) {
        Score::First
    } else {
        Score::Second
    }
}

fn accuracy(games: u64, crowd: &[(f64, Rating)]) -> Accuracy {
    let mean = |value: &dyn Fn(&(f64, Rating)) -> f64| {
        crowd.iter().map(value).sum::<f64>() / crowd.len() as f64
    };
    let error = |(truth, rating): &(f64, Rating)| (truth - rating.value).abs();
    Accuracy {
        games,
        error: mean(&error),
        deviation: mean(&|(_, rating)| rating.deviation),
        within_two: mean(&|one| f64::from(u8::from(error(one) <= 2.0 * one.1.deviation))),
        mean: mean(&|(_, rating)| rating.value),
    }
}
