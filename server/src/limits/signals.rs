//! From where on what people did in rated games is a hint for operators.

/// More rated games with one opponent in a day than this are many.
pub const MANY_A_DAY: usize = 10;
/// One side has won more of them than this, in percent.
pub const ONE_SIDED_PERCENT: usize = 85;
/// The least number of rated games of two people for a hint that they play from one network,
pub const SHARED_GAMES_MIN: usize = 3;
/// if they did in more of them than this, in percent.
pub const SHARED_PERCENT: usize = 50;
/// Losses that were given away are counted from so many losses on,
pub const LOSSES_MIN: usize = 10;
/// and are a hint if they are more of them than this, in percent.
pub const GIVEN_AWAY_PERCENT: usize = 30;
/// A loss is given away if the player gave up, left or lost on time with a chance of winning above this.
pub const GIVEN_AWAY_CHANCE: f64 = 0.9;
/// Aborted games are a hint from so many on,
pub const ABORTS_MIN: usize = 5;
/// if they are more of a person's paired games than this, in percent.
pub const ABORTS_PERCENT: usize = 20;
/// Times of moves are compared from so many moves on,
pub const TIMED_MOVES_MIN: u32 = 60;
/// if they take so long on average, in milliseconds: everybody is even when they hurry.
pub const TIMED_MEAN_MS_MIN: f64 = 1_000.0;
/// They are even if their standard deviation is less than this part of their mean.
pub const EVEN_VARIATION: f64 = 0.25;
/// Agreement with the engine is compared from so many games with a choice on.
pub const AGREEMENT_GAMES_MIN: usize = 5;
/// The usual numbers of a band are known from so many games of others on, a game of two counting twice,
pub const BAND_GAMES_MIN: usize = 50;
/// by so many people.
pub const BAND_PLAYERS_MIN: usize = 5;
/// Agreement is a hint from so many standard deviations above what is usual on.
pub const AGREEMENT_Z: f64 = 3.0;
