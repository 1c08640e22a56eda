//! Finding somebody to play: pools, seeks and challenges.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::{MemberId, Name, PoolName, SeekId, is_false};
use crate::{clock::TimeControl, opening::OpeningKind, rating_pool::RatingPool, rules::Rules};

/// How a game between people who find each other is played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct GameSettings {
    /// The variant and the board.
    pub rules: Rules,
    /// How much time the players have.
    #[serde(default, skip_serializing_if = "TimeControl::is_none")]
    pub time: TimeControl,
    /// How the game opens.
    #[serde(default, skip_serializing_if = "OpeningKind::is_free")]
    pub opening: OpeningKind,
    /// Whether the game counts for ratings if both players have accounts. It needs a clock, a board of
    /// 15x15, 19x19, 20x20 or without borders, and an opening that is not free.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rated: bool,
}

/// Why games of these settings cannot be rated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unrated {
    /// There is no clock, or no pool of ratings has such rules on such a board.
    #[error(
        "rated games have a clock, and five in a row on a board of 15x15, 19x19, 20x20 or without \
         borders"
    )]
    NoPool,
    /// The seat that begins wins too easily.
    #[error("rated games have an opening that is not free")]
    FreeOpening,
}

impl GameSettings {
    /// The pool of ratings of such games, rated or not.
    ///
    /// # Errors
    /// When such games cannot be rated.
    pub fn rating_pool(&self) -> Result<RatingPool, Unrated> {
        let pool = RatingPool::of(self.rules, self.time).ok_or(Unrated::NoPool)?;
        if self.opening.is_free() { Err(Unrated::FreeOpening) } else { Ok(pool) }
    }

    /// The same game, not rated.
    #[must_use]
    pub const fn casual(self) -> Self {
        Self { rated: false, ..self }
    }
}

/// Why a game of two players who may play rated games is casual.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum WhyCasual {
    /// Both accounts were used on one device, or at one address within the hour.
    OnePlace,
    /// The last game of these two had few stones, and neither has played somebody else since.
    ShortGame,
}

/// The game that a seek asks for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// A game of this pool.
    Pool(PoolName),
    /// A game of these settings, with a person who accepts it or seeks the same.
    Settings(GameSettings),
}

/// From whom a member takes challenges.
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, EnumString, IntoStaticStr,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ChallengesFrom {
    /// From everybody.
    #[default]
    Everybody,
    /// From people with an account, and bots.
    Accounts,
    /// From nobody.
    Nobody,
}

impl ChallengesFrom {
    /// Its word, as it is stored and sent.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The person to challenge.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Addressee {
    /// By their id.
    Member(MemberId),
    /// By their name, if only one person who is online has it.
    Name(Name),
}

/// A pool: people who seek in it play each other.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Pool {
    /// Its name in commands.
    pub name: PoolName,
    /// How its games are played.
    #[serde(flatten)]
    pub settings: GameSettings,
    /// How many people seek in it now.
    pub waiting: usize,
    /// How many games of paired players are running that are played in this way.
    pub games: usize,
    /// How long its players of the last hour waited: the median, in milliseconds. Absent if there were
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

/// A seek that others may accept, or a challenge.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct OpenSeek {
    /// Names it in commands.
    pub seek: SeekId,
    /// Who seeks.
    pub member: MemberId,
    /// Their name.
    pub name: Name,
    /// Whether a program plays, by its own declaration.
    #[serde(default, skip_serializing_if = "is_false")]
    pub engine: bool,
    /// How the game is played.
    #[serde(flatten)]
    pub settings: GameSettings,
}

/// Why a seek is over without a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SeekEnd {
    /// Its member has cancelled it, or has found a game by another seek.
    Cancelled,
    /// The challenged person has declined.
    Declined,
    /// Nobody answered the challenge in time.
    Expired,
    /// The other person has left.
    Gone,
    /// Too many people challenge the same person, and one with an account took the place of this guest's
    /// challenge.
    Displaced,
    /// An opponent for a daily game was found, but the member may not begin another one now. `refused` with the id of
    /// the command comes first, and says why.
    Refused,
}
