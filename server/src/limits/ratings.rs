//! Limits of ratings.

use std::time::Duration;

use fivefold_storage::limits::DAY;

/// The use of an account at an address is noted again after this time.
pub const TRACED_AGAIN_AFTER: Duration = Duration::from_secs(10 * 60);
/// Most opponents of the day that are compared for a new pair: the last ones.
pub const OPPONENTS_OF_DAY_MAX: usize = 50;
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
/// A history over HTTP has at most one point in so long.
pub const HISTORY_POINT: Duration = DAY;
