//! What everybody may see of players over HTTP: profiles, how ratings have changed, and leaderboards.
//!
//! It does not know how ratings are computed, and where they are stored.

use serde::{Deserialize, Serialize};

use crate::{
    protocol::{MemberId, Name},
    rating_pool::RatingPool,
    record::ListedGame,
    rules::Point,
    seat::{BySeat, Seat},
};

/// The profile of an account.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Profile {
    /// The member.
    pub member: MemberId,
    /// Their name.
    pub name: Name,
    /// When they signed up, in milliseconds since the Unix epoch.
    pub made_at: u64,
    /// The name of its owner, if it is a bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot_of: Option<Name>,
    /// Their ratings, the pool with the most games first.
    pub ratings: Vec<ProfileRating>,
    /// How far they have come in placements, for themselves alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placements: Vec<Placement>,
    /// Their rating in puzzles; absent before the first try that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub puzzles: Option<PuzzleScore>,
    /// Their last public games, the newest first.
    pub games: Vec<ProfileGame>,
    /// How their last public games ended, at most 500, by the stone that they had at the end.
    pub by_stone: ResultsByStone,
    /// The people whom they met most often in these games, the most frequent first.
    pub opponents: Vec<Opponent>,
    /// The results against the caller who is signed in; absent for others, and for oneself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_you: Option<Results>,
}

/// A game in a profile.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct ProfileGame {
    /// The game.
    #[serde(flatten)]
    pub game: ListedGame,
    /// The player's seat.
    pub seat: Seat,
    /// The points of both before it, if it is rated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratings: Option<BySeat<u32>>,
    /// The moves, if there are at most 225.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<Point>>,
}

/// How games ended for somebody, by stone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct ResultsByStone {
    /// With Black.
    pub black: Results,
    /// With White.
    pub white: Results,
}

/// Somebody whom a player has met.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Opponent {
    /// The member.
    pub member: MemberId,
    /// Their name in the last game.
    pub name: Name,
    /// Whether one of the games was rated. Then they have a profile, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rated: bool,
    /// The results, for the player whose profile it is.
    #[serde(flatten)]
    pub results: Results,
}

/// A rating in one pool, in whole points.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct ProfileRating {
    /// The pool.
    #[cfg_attr(test, schemars(with = "String"), ts(as = "String"))]
    pub pool: RatingPool,
    /// The points, from 400.
    pub rating: u32,
    /// The standard deviation of the points now, from 45 (sure) to 350 (unknown).
    pub deviation: u32,
    /// Whether too little is known to rely on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// The games that count, and how they ended for this player.
    #[serde(flatten)]
    pub results: Results,
    /// When the last of them ended, in milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_at: Option<u64>,
}

/// Games against the server's bots that give a first rating in a pool.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Placement {
    /// The pool of the first rating.
    #[cfg_attr(test, schemars(with = "String"), ts(as = "String"))]
    pub pool: RatingPool,
    /// How many of them were played.
    pub games: u64,
    /// How many there are.
    pub of: u64,
    /// The points so far.
    pub rating: u32,
}

/// How somebody solves puzzles, in whole points. Each puzzle has a rating of its own, and is an opponent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct PuzzleScore {
    /// The points, from 400.
    pub rating: u32,
    /// The standard deviation of the points now, from 45 (sure) to 350 (unknown).
    pub deviation: u32,
    /// Whether too little is known to rely on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// How many puzzles they have tried: the first try counts.
    pub tries: u64,
    /// How many of them they solved.
    pub solved: u64,
    /// When they tried the last one, in milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_at: Option<u64>,
}

/// How somebody's rating in puzzles has changed: at most one point for each day (UTC), the oldest first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct PuzzleHistory {
    /// The last rating of each day with a try.
    pub points: Vec<RatingPoint>,
}

/// How games ended for somebody.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Results {
    /// All games.
    pub games: u64,
    /// How many of them they won.
    pub won: u64,
    /// How many of them were drawn.
    pub drawn: u64,
    /// How many of them they lost.
    pub lost: u64,
}

/// How a rating has changed: at most one point for each day (UTC), the oldest first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct RatingHistory {
    /// The pool.
    #[cfg_attr(test, schemars(with = "String"), ts(as = "String"))]
    pub pool: RatingPool,
    /// The last rating of each day with a game.
    pub points: Vec<RatingPoint>,
}

/// A rating at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct RatingPoint {
    /// The time, in milliseconds since the Unix epoch.
    pub at: u64,
    /// The points.
    pub rating: u32,
    /// Their standard deviation.
    pub deviation: u32,
}

/// The best players of a pool.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Leaders {
    /// The pool.
    #[cfg_attr(test, schemars(with = "String"), ts(as = "String"))]
    pub pool: RatingPool,
    /// The first places, the best first.
    pub places: Vec<Place>,
    /// The caller's place, if they are signed in and have one, in the list or below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Place>,
}

/// A place in a leaderboard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Place {
    /// The place, from 1. Equal points have the same place.
    pub place: u64,
    /// The player.
    pub member: MemberId,
    /// Their name.
    pub name: Name,
    /// The points.
    pub rating: u32,
    /// Their standard deviation.
    pub deviation: u32,
    /// The games that count.
    pub games: u64,
}
