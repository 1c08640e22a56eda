//! How strong players are: Glicko-2 by Mark Glickman ("Example of the Glicko-2 system", 2022), counted
//! after each game.
//!
//! Glicko-2 counts in rating periods: a deviation grows with each, and games are judged together at its
//! end. Here each game is a period of its own length, the time since the player's last game. Otherwise
//! somebody with many games a day would never become sure.
//!
//! It does not know which games count. Each `RatingPool` has ratings of its own.

use skillratings::{
    Outcomes,
    glicko2::{Glicko2Config, Glicko2Rating, glicko2},
};

/// Rating periods in a day, such that the deviation of an average player grows from the floor to that of a
/// newcomer in about a year (the figure of lichess).
const PERIODS_PER_DAY: f64 = 0.214_36;
const DAY_MS: f64 = 24.0 * 60.0 * 60.0 * 1000.0;
/// Points of a rating for one unit of Glicko-2's own scale.
const SCALE: f64 = 173.7178;
/// How much the square of a deviation grows in a millisecond, for a volatility of 1.
pub(crate) const DEVIATION_GROWTH: f64 = PERIODS_PER_DAY / DAY_MS * SCALE * SCALE;
/// How fast volatilities change.
const TAU: f64 = 0.75;
/// The surest deviation.
const DEVIATION_MIN: f64 = 45.0;
/// The deviation of somebody who has not played.
const DEVIATION_MAX: f64 = 350.0;
/// The smallest deviation that Glicko-2 is given, after the growth that it adds by itself is taken out.
const DEVIATION_BEFORE_MIN: f64 = 30.0;
const VOLATILITY_MIN: f64 = 0.01;
const VOLATILITY_MAX: f64 = 0.1;
const VALUE_MIN: f64 = 400.0;
/// A rating with this deviation or more is provisional.
const PROVISIONAL: f64 = 110.0;
/// The deviation of the first rating in a pool for somebody who has a rating in another one.
const DEVIATION_FROM_OTHER_POOL: f64 = 200.0;

/// The deviation of the first rating in a pool for somebody who has played the placement there.
const DEVIATION_AFTER_PLACEMENT: f64 = 250.0;
/// The deviation of the server's own bots, whose ratings stay as they were measured.
const DEVIATION_OF_HOUSE_BOT: f64 = 60.0;

/// A player's rating in one pool: how strong they are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// In points, from 400; 1500 for a newcomer. With 200 points more a player wins about three games of four.
    pub value: f64,
    /// The standard deviation of the value, in points, from 45 (sure) to 350 (unknown).
    pub deviation: f64,
    /// How much the true value is expected to change, from 0.01 to 0.1.
    pub volatility: f64,
    /// When the last rated game ended, in milliseconds since the Unix epoch; absent before the first.
    pub last_at: Option<u64>,
}

/// How strong a player is, and how sure that is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// As [`Rating::value`].
    pub value: f64,
    /// As [`Rating::deviation`].
    pub deviation: f64,
}

impl Estimate {
    /// Whether too little is known about the player.
    pub fn is_provisional(&self) -> bool {
        self.deviation >= PROVISIONAL
    }
}

/// Who won.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// The first of two players.
    First,
    /// Nobody.
    Draw,
    /// The second one.
    Second,
}

impl Score {
    /// The same, with the players exchanged.
    #[must_use]
    pub(crate) const fn of_other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Draw => Self::Draw,
            Self::Second => Self::First,
        }
    }
}

impl Rating {
    /// The rating of somebody who has not played.
    pub const NEW: Self =
        Self { value: 1500.0, deviation: DEVIATION_MAX, volatility: 0.06, last_at: None };

    /// The first rating in a pool for somebody with ratings in others: the surest of them, the highest of those
    /// that are as sure, and less sure.
    pub(crate) fn first_in_pool(others: impl IntoIterator<Item = Self>) -> Self {
        let surest = others.into_iter().min_by(|one, other| {
            one.deviation.total_cmp(&other.deviation).then(other.value.total_cmp(&one.value))
        });
        surest.map_or(Self::NEW, |Self { value, deviation, .. }| Self {
            value,
            deviation: deviation.max(DEVIATION_FROM_OTHER_POOL),
            ..Self::NEW
        })
    }

    /// The first rating in a pool for somebody who has played the placement there.
    pub fn after_placement(self) -> Self {
        Self { value: self.value, deviation: DEVIATION_AFTER_PLACEMENT, ..Self::NEW }
    }

    /// The rating of a bot of the server during a game that ends at this time.
    pub fn of_house_bot(points: u32, now: u64) -> Self {
        let value = f64::from(points);
        Self { value, deviation: DEVIATION_OF_HOUSE_BOT, last_at: Some(now), ..Self::NEW }
    }

    /// The rating after a game of which the `divisor`th part counts: so much of the way from what it was at
    /// the end of the game to what the whole game makes of it.
    pub fn part_of_way_to(self, after: Self, now: u64, divisor: u32) -> Self {
        let before = self.at(now);
        let between = |before: f64, after: f64| before + (after - before) / f64::from(divisor);
        Self {
            value: between(before.value, after.value),
            deviation: between(before.deviation, after.deviation),
            volatility: between(before.volatility, after.volatility),
            ..after
        }
    }

    /// Whether too little is known about the player.
    pub fn is_provisional(&self) -> bool {
        self.estimate().is_provisional()
    }

    /// The value and its deviation.
    pub fn estimate(&self) -> Estimate {
        Estimate { value: self.value, deviation: self.deviation }
    }

    /// The rating with so many points more or less, within the limits.
    pub(crate) fn moved_by(self, points: f64) -> Self {
        Self { value: (self.value + points).max(VALUE_MIN), ..self }
    }

    /// The rating at a time after the last game: the deviation has grown.
    pub fn at(self, now: u64) -> Self {
        let deviation = self.grown_by(self.periods_until(now)).sqrt();
        Self { deviation: deviation.clamp(DEVIATION_MIN, DEVIATION_MAX), ..self }
    }

    /// The rating periods since the last game; one before the first game.
    fn periods_until(&self, now: u64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "times have far fewer bits")]
        self.last_at.map_or(1.0, |last| now.saturating_sub(last) as f64 / DAY_MS * PERIODS_PER_DAY)
    }

    /// The square of the deviation after so many periods more.
    fn grown_by(&self, periods: f64) -> f64 {
        self.deviation.powi(2) + periods * (SCALE * self.volatility).powi(2)
    }

    /// What Glicko-2 is given: it counts each game as one whole period, and adds its growth.
    fn before_game(&self, now: u64) -> Glicko2Rating {
        let grown = self.grown_by(self.periods_until(now) - 1.0);
        let deviation = grown.max(DEVIATION_BEFORE_MIN.powi(2)).sqrt().min(DEVIATION_MAX);
        Glicko2Rating { rating: self.value, deviation, volatility: self.volatility }
    }

    /// The rating after a game, within the limits.
    fn after_game(computed: Glicko2Rating, now: u64) -> Self {
        let Glicko2Rating { rating, deviation, volatility } = computed;
        Self {
            value: rating.max(VALUE_MIN),
            deviation: deviation.clamp(DEVIATION_MIN, DEVIATION_MAX),
            volatility: volatility.clamp(VOLATILITY_MIN, VOLATILITY_MAX),
            last_at: Some(now),
        }
    }
}

/// The ratings of two players after a game that ended at `now`, in milliseconds since the Unix epoch.
pub fn rate(players: [Rating; 2], score: Score, now: u64) -> [Rating; 2] {
    let [one, other] = players.map(|player| player.before_game(now));
    let outcome = match score {
        Score::First => Outcomes::WIN,
        Score::Draw => Outcomes::DRAW,
        Score::Second => Outcomes::LOSS,
    };
    let config = Glicko2Config { tau: TAU, ..Glicko2Config::default() };
    let (one, other) = glicko2(&one, &other, &outcome, &config);
    [one, other].map(|computed| Rating::after_game(computed, now))
}

#[cfg(test)]
mod tests {
    use skillratings::glicko2::glicko2_rating_period;

    use super::*;

    const DAY: u64 = 24 * 60 * 60 * 1000;

    /// The rating after so many games against somebody like oneself, half of them won, evenly spread over each day.
    fn after_even_games(games: u64, per_day: u64) -> Rating {
        let mut player = Rating::NEW;
        for game in 0..games {
            let now = game * DAY / per_day;
            let score = if game % 2 == 0 { Score::First } else { Score::Second };
            player = rate([player; 2], score, now)[0];
        }
        player
    }

    #[test]
    fn the_crate_computes_the_published_example() {
        let rating = |rating, deviation| Glicko2Rating { rating, deviation, volatility: 0.06 };
        let results = [
            (rating(1400.0, 30.0), Outcomes::WIN),
            (rating(1550.0, 100.0), Outcomes::LOSS),
            (rating(1700.0, 300.0), Outcomes::LOSS),
        ];
        let config = Glicko2Config { tau: 0.5, ..Glicko2Config::default() };
        let after = glicko2_rating_period(&rating(1500.0, 200.0), &results, &config);
        let near = |value: f64, expected: f64, error: f64| (value - expected).abs() < error;
        assert!(near(after.rating, 1464.06, 0.02), "{after:?}");
        assert!(near(after.deviation, 151.52, 0.01), "{after:?}");
        assert!(near(after.volatility, 0.059_99, 0.000_01), "{after:?}");
    }

    #[test]
    fn even_games_make_a_rating_sure() {
        let games_until = |deviation: f64| {
            (1..500).find(|&games| after_even_games(games, 5).deviation < deviation)
        };
        assert_eq!((games_until(PROVISIONAL), games_until(75.0)), (Some(13), Some(25)));
        assert_eq!(after_even_games(500, 5).deviation.to_bits(), DEVIATION_MIN.to_bits());
    }

    #[test]
    fn a_deviation_grows_with_time_and_not_past_its_limit() {
        let sure = Rating { deviation: 45.0, last_at: Some(0), ..Rating::NEW };
        assert_eq!(sure.at(0), sure);
        let after = |days: u64| sure.at(days * DAY).deviation;
        assert!(after(1) > 45.0 && after(30) > after(1) && after(365) < DEVIATION_MAX);
        assert!((after(1_000_000) - DEVIATION_MAX).abs() < 1e-9);
        // The clock of another server may be behind.
        let later = Rating { last_at: Some(DAY), ..sure };
        assert_eq!(later.at(0), later);
    }

    #[test]
    fn winners_gain_and_losers_lose_within_the_limits() {
        let [winner, loser] = rate([Rating::NEW; 2], Score::First, DAY);
        assert!(winner.value > 1500.0 && loser.value < 1500.0);
        assert!((winner.value - 1500.0 - (1500.0 - loser.value)).abs() < 1e-9, "as much");
        assert_eq!(winner.last_at, Some(DAY));
        let drawn = rate([Rating::NEW; 2], Score::Draw, DAY);
        assert!(drawn.iter().all(|player| (player.value - 1500.0).abs() < 1e-9));
        let weak = Rating { value: 400.0, ..Rating::NEW };
        let [weaker, _] = rate([weak, weak], Score::Second, DAY);
        assert_eq!(weaker.value.to_bits(), VALUE_MIN.to_bits());
        let strong = Rating { value: 3000.0, deviation: DEVIATION_MIN, ..Rating::NEW };
        let [upset, _] = rate([Rating { value: 1000.0, ..Rating::NEW }, strong], Score::First, DAY);
        assert!((1600.0..1700.0).contains(&upset.value), "no game changes more than 700 points");
    }

    #[test]
    fn a_game_against_a_bot_counts_half() {
        let person = Rating { value: 1600.0, deviation: 80.0, last_at: Some(0), ..Rating::NEW };
        let bot = Rating { value: 1500.0, deviation: 60.0, last_at: Some(0), ..Rating::NEW };
        let now = 30 * DAY;
        let [whole, _] = rate([person, bot], Score::Second, now);
        let half = person.part_of_way_to(whole, now, 2);
        assert!((half.value - (1600.0 + whole.value) / 2.0).abs() < 1e-9);
        let grown = person.at(now).deviation;
        assert!(whole.deviation < half.deviation && half.deviation < grown);
        assert_eq!(half.last_at, Some(now));
    }

    #[test]
    fn three_games_with_bots_tell_the_weak_from_the_strong() {
        let after = |scores: [Score; 3]| {
            scores.into_iter().fold(Rating::NEW, |player, score| {
                rate([player, Rating::of_house_bot(1377, DAY)], score, DAY)[0]
            })
        };
        let [lost, won] = [Score::Second, Score::First].map(|score| after([score; 3]));
        assert!(lost.value < 1_150.0 && won.value > 1_650.0, "{lost:?} {won:?}");
        let start = won.after_placement();
        assert_eq!((start.value.to_bits(), start.deviation.round()), (won.value.to_bits(), 250.0));
        assert_eq!((start.volatility.to_bits(), start.last_at), (0.06_f64.to_bits(), None));
    }

    #[test]
    fn another_pool_begins_at_the_surest_rating() {
        assert_eq!(Rating::first_in_pool([]), Rating::NEW);
        let sure = Rating { value: 1800.0, deviation: 50.0, ..Rating::NEW };
        let unsure = Rating { value: 2100.0, deviation: 250.0, ..Rating::NEW };
        let first = Rating::first_in_pool([unsure, sure]);
        assert_eq!((first.value.round(), first.deviation.round()), (1800.0, 200.0));
        let first = Rating::first_in_pool([unsure]);
        assert_eq!((first.value.round(), first.deviation.round()), (2100.0, 250.0));
        let higher = Rating { value: 1900.0, ..sure };
        for equally_sure in [[sure, higher], [higher, sure]] {
            assert_eq!(Rating::first_in_pool(equally_sure).value.round(), 1900.0);
        }
    }
}
