//! Matches between two players, our bots or any programs that speak Gomocup's protocol: how every
//! change of playing strength is judged.
//!
//! Each opening is played twice, with both colours, and the two games count as a pair. A player
//! that exceeds its time, ends by itself or plays what may not be played has lost the game, and it
//! is counted. `openings` makes the openings, `game` plays one game,
//! `statistics` says what a result means, `report` writes it.

mod match_game;
mod report;
mod statistics;

use std::{
    fmt, io,
    num::NonZero,
    str::FromStr,
    sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use anyhow::Context;
use fivefold_shared::{
    bot_spec::BotSpec,
    rules::{Point, Rules},
};

use self::match_game::{Played, Player};
pub use self::{
    report::{Report, Sink},
    statistics::{Sprt, Verdict},
};
use crate::{
    gomocup_engine::{EngineCommand, GomocupEngine, Limits, OPEN, file_name},
    openings,
    sanitize::sanitize,
};

/// The time for a move where a match limits neither time nor nodes.
pub const TURN: Duration = Duration::from_millis(200);

/// Who plays in a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Contestant {
    /// A bot of ours, in this process.
    Bot(BotSpec),
    /// A program: its path and its arguments.
    Program(Vec<String>),
}

impl Contestant {
    /// What it is called in lists: a bot's name, a program's file.
    pub fn name(&self) -> String {
        match self {
            Self::Bot(spec) => spec.to_string(),
            Self::Program(words) => sanitize(file_name(words)).into_owned(),
        }
    }
}

impl FromStr for Contestant {
    type Err = &'static str;

    /// Reads the name of a bot, or else a command as a shell would.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(spec) = text.parse() {
            return Ok(Self::Bot(spec));
        }
        let words = shlex::split(text).ok_or("a quotation mark is missing")?;
        if words.is_empty() { Err("a bot, or a command") } else { Ok(Self::Program(words)) }
    }
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// What is played, and how.
#[derive(Clone, Debug)]
pub struct Match {
    /// A and B.
    pub players: [Contestant; 2],
    /// The variant and the board.
    pub rules: Rules,
    /// The most games.
    pub games: usize,
    /// What players may have; the bots in this process have no limit of memory.
    pub limits: Limits,
    /// The openings to begin with, again from the first after the last; without any they are
    /// those of the book, and then made up.
    pub openings: Vec<Vec<Point>>,
    /// What openings and bots leave to chance.
    pub seed: u64,
    /// A game that has so many moves is a draw.
    pub plies_max: usize,
    /// How many games are played at once.
    pub threads: NonZero<usize>,
    /// When the match may end before all games are played.
    pub sprt: Option<Sprt>,
}

impl Match {
    /// Plays until all games are played, the test is decided, or `stop` is set, and tells each game
    /// as it ends. What is still being played then is left out.
    ///
    /// # Errors
    /// When a player cannot play by these rules, or a game cannot be written down.
    pub fn play(&self, stop: &AtomicBool, sink: &mut Sink<'_>) -> anyhow::Result<Report> {
        for player in &self.players {
            self.check(player, sink)?;
        }
        let next = AtomicUsize::new(0);
        let (give, played) = mpsc::sync_channel(self.threads.get());
        let mut report = Report::new(self);
        thread::scope(|scope| {
            for _ in 0..self.threads.get() {
                let (give, next) = (give.clone(), &next);
                scope.spawn(move || {
                    let mut seats = [Seat::default(), Seat::default()];
                    while let Some(played) = self.next_game(next, stop, &mut seats) {
                        if give.send(played).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(give);
            let result = self.collect(&played, &mut report, sink);
            stop.store(true, Ordering::Relaxed);
            // So that nobody waits to be heard.
            drop(played);
            result
        })?;
        Ok(report)
    }

    /// Whether a player can play at all.
    fn check(&self, player: &Contestant, sink: &mut Sink<'_>) -> anyhow::Result<()> {
        match player {
            Contestant::Bot(spec) => spec.offered(self.rules)?,
            Contestant::Program(words) => {
                let program = GomocupEngine::start(self.command(words), self.rules)
                    .with_context(|| player.to_string())?;
                if !program.is_confined() && !self.limits.is_trusted {
                    writeln!(sink.talk, "{OPEN}")?;
                }
            }
        }
        Ok(())
    }

    fn collect(
        &self,
        played: &mpsc::Receiver<Played>,
        report: &mut Report,
        sink: &mut Sink<'_>,
    ) -> io::Result<()> {
        for game in played {
            report.add(&game);
            sink.played(self, &game, report)?;
            if report.verdict().is_some_and(|verdict| verdict != Verdict::Open) {
                break;
            }
        }
        Ok(())
    }

    /// Plays the next game that nobody has begun; `None` when there is none, or it was called off.
    fn next_game(
        &self,
        next: &AtomicUsize,
        stop: &AtomicBool,
        seats: &mut [Seat; 2],
    ) -> Option<Played> {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= self.games || stop.load(Ordering::Relaxed) {
            return None;
        }
        let opening = self.opening(number / 2);
        for (index, seat) in seats.iter_mut().enumerate() {
            let seed = self.seed.wrapping_add((2 * number + index) as u64);
            seat.renew(self, &self.players[index], seed);
        }
        match_game::play(self, number, &opening, seats, stop)
    }

    fn opening(&self, number: usize) -> Vec<Point> {
        match self.openings.len() {
            0 => openings::nth(self.rules, self.seed, number),
            count => self.openings[number % count].clone(),
        }
    }

    fn command(&self, words: &[String]) -> EngineCommand {
        EngineCommand { words: words.to_vec(), limits: self.limits }
    }
}

/// Where one of the two players sits in a thread: a program stays from game to game.
#[derive(Default)]
struct Seat {
    player: Option<Player>,
}

impl Seat {
    /// Gets the player ready for another game. One that cannot be had plays by failing.
    fn renew(&mut self, match_: &Match, contestant: &Contestant, seed: u64) {
        self.player = Some(match (self.player.take(), contestant) {
            (Some(Player::Program(mut program)), Contestant::Program(_)) => match program.renew() {
                Ok(()) => Player::Program(program),
                Err(fault) => Player::Failed(fault),
            },
            (_, contestant) => Player::new(match_, contestant, seed),
        });
    }
}

#[cfg(test)]
mod tests;
