//! Limits of ratings.

use std::time::Duration;

use super::DAY;

/// An address at which an account was used matters for its rated games for so long.
pub const TRACED_ADDRESS_KEPT: Duration = Duration::from_secs(60 * 60);
/// The same for a device.
pub const TRACED_DEVICE_KEPT: Duration = DAY.saturating_mul(90);
/// Most addresses, and most devices, that are kept of an account: the last ones.
pub const TRACES_MAX: usize = 32;
/// The use of an account at an address is noted again after this time.
pub const TRACED_AGAIN_AFTER: Duration = Duration::from_secs(10 * 60);
/// Most games in each pool that decide how a player's next game counts: the last ones of the day.
pub const MEETINGS_MAX: usize = 100;
/// Most opponents of the day that are compared for a new pair: the last ones.
pub const OPPONENTS_OF_DAY_MAX: usize = 50;
/// Most places in a leaderboard.
pub const LEADERBOARD_PLACES_MAX: usize = 100;
/// The greatest deviation with a place in a leaderboard, in points.
pub const LEADERBOARD_DEVIATION_MAX: f64 = 75.0;
/// The least rated games in a pool with a place in its leaderboard.
pub const LEADERBOARD_GAMES_MIN: u64 = 20;
/// Players have a place in a leaderboard so long after their last rated game in the pool.
pub const LEADERBOARD_PLAYED_WITHIN: Duration = DAY.saturating_mul(30);
/// Games with bots of the server that give a first rating in a pool.
pub const PLACEMENT_GAMES: u64 = 3;
/// Stones of both sides in such a game, unless five decide it.
pub const PLACEMENT_PLIES_MIN: usize = 4;
/// Most changes in the history of a rating: the latest.
pub const RATING_HISTORY_MAX: usize = 10_000;
/// Members whose ratings a server remembers after their games.
pub const KNOWN_RATINGS_MAX: usize = 10_000;
/// Most games in a player's profile: the last public ones.
pub const PROFILE_GAMES_MAX: usize = 12;
/// Most games that count in the results of a profile by stone and by opponent: the last public ones.
pub const PROFILE_RESULTS_GAMES_MAX: usize = 500;
/// Most opponents in a profile: the most frequent.
pub const PROFILE_OPPONENTS_MAX: usize = 5;
/// A game with more moves has no small board in a profile.
pub const PROFILE_BOARD_PLIES_MAX: usize = 225;
/// Most games that count in the record of two players against each other: the last ones.
pub const AGAINST_GAMES_MAX: usize = 1_000;
/// Games of two players against each other are looked for among so many of each: the last ones.
pub const AGAINST_LOOKED_AT_MAX: usize = 10_000;
/// A history over HTTP has at most one point in so long.
pub const HISTORY_POINT: Duration = DAY;
