//! The players of a match and its settings.

use std::{fmt, num::NonZero, str::FromStr, time::Duration};

use fivefold_shared::{
    bot_spec::BotSpec,
    opening::OpeningKind,
    rules::{Point, Rules},
};

use super::statistics::Sprt;
use crate::{
    engines::{
        gomocup_engine::{EngineCommand, Limits, file_name},
        match_openings,
    },
    terminal::sanitize::sanitize,
};

/// The time for a move where a match limits neither time nor nodes.
pub const TURN: Duration = Duration::from_millis(200);

/// A player of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Contestant {
    /// A bot of ours, in this process.
    Bot(BotSpec),
    /// A program: its path and its arguments.
    Program(Vec<String>),
}

impl Contestant {
    /// The name in lists: a bot's name, or a program's file.
    pub fn name(&self) -> String {
        match self {
            Self::Bot(spec) => spec.to_string(),
            Self::Program(words) => sanitize(file_name(words)).into_owned(),
        }
    }
}

impl FromStr for Contestant {
    type Err = ContestantError;

    /// Reads the name of a bot, or else a command as a shell would.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(spec) = text.parse() {
            return Ok(Self::Bot(spec));
        }
        let words = shlex::split(text).ok_or(ContestantError::Quotation)?;
        if words.is_empty() { Err(ContestantError::Missing) } else { Ok(Self::Program(words)) }
    }
}

/// Why a text is no contestant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ContestantError {
    /// The command has an open quotation.
    #[error("a quotation mark is missing")]
    Quotation,
    /// The text is empty.
    #[error("a bot, or a command")]
    Missing,
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// The settings of a match.
#[derive(Clone, Debug)]
pub struct Match {
    /// A and B.
    pub players: [Contestant; 2],
    /// The variant and the board.
    pub rules: Rules,
    /// The most games.
    pub games: usize,
    /// Limits of the players; bots in this process have no memory limit.
    pub limits: Limits,
    /// The openings to play, in a cycle. If empty, those of the book, then generated ones.
    pub openings: Vec<Vec<Point>>,
    /// How the players choose stones and colours; A begins in even games. Programs choose in swap2 alone.
    /// Where it is not free, `openings` are not played.
    pub opening: OpeningKind,
    /// Seed for openings and bots.
    pub seed: u64,
    /// A game of this many moves is a draw.
    pub plies_max: usize,
    /// How many games are played at once.
    pub threads: NonZero<usize>,
    /// The sequential test that may end the match early.
    pub sprt: Option<Sprt>,
}

impl Match {
    /// The stones with which the games of a pair begin.
    pub(super) fn first_stones(&self, pair: usize) -> Vec<Point> {
        if !self.opening.is_free() {
            return Vec::new();
        }
        match self.openings.len() {
            0 => match_openings::nth(self.rules, self.seed, pair),
            count => self.openings[pair % count].clone(),
        }
    }

    /// The seed of a player's bot in a game.
    pub(super) fn bot_seed(&self, game: usize, player: usize) -> u64 {
        self.seed.wrapping_add((2 * game + player) as u64)
    }

    pub(super) fn command(&self, words: &[String]) -> EngineCommand {
        EngineCommand { words: words.to_vec(), limits: self.limits }
    }
}
