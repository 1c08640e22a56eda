//! Plays matches between two players, our bots or programs that speak Gomocup's protocol, to
//! measure whether a change made a player stronger.
//!
//! Each opening is played twice, with both colours, and the two games count as a pair. A player that
//! exceeds its time, exits or plays an illegal move loses the game, and the report counts it.

mod match_game;
mod match_settings;
mod report;
mod statistics;

use std::{
    io,
    sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use anyhow::Context;
use fivefold_shared::{opening::Opening, rules::Position, seat::Seat};

use self::match_game::{Played, Player};
pub use self::{
    match_settings::{Contestant, ContestantError, Match, TURN},
    report::{Report, Sink},
    statistics::{Sprt, SprtError, Verdict},
};
use crate::engines::gomocup_engine::{Fault, GomocupEngine, OPEN};

impl Match {
    /// Plays until all games are played, the test is decided, or `stop` is set, and reports each
    /// game as it ends. Games that are still running then do not count.
    ///
    /// # Errors
    /// When a player cannot play by these rules, or a game cannot be written.
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
                    let mut players = [None, None];
                    while let Some(played) = self.next_game(next, stop, &mut players) {
                        if give.send(played).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(give);
            let result = self.collect(&played, &mut report, sink);
            stop.store(true, Ordering::Relaxed);
            // Otherwise the receiver would wait forever.
            drop(played);
            result
        })?;
        Ok(report)
    }

    /// Checks that a player can play at all.
    fn check(&self, player: &Contestant, sink: &mut Sink<'_>) -> anyhow::Result<()> {
        match player {
            Contestant::Bot(spec) => spec.offered(self.rules)?,
            Contestant::Program(words) => {
                let mut program = GomocupEngine::start(self.command(words), self.rules)
                    .with_context(|| player.to_string())?;
                if !self.opening.is_free() {
                    let opening = Opening::new(self.opening, Seat::First);
                    program
                        .choose_swap2(&opening, &Position::new(self.rules), None)
                        .and_then(|act| act.ok_or(Fault::NoOpening(self.opening)))
                        .with_context(|| player.to_string())?;
                }
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

    /// Plays the next game that has not begun; `None` when there is none, or the match was cancelled.
    fn next_game(
        &self,
        next: &AtomicUsize,
        stop: &AtomicBool,
        players: &mut [Option<Player>; 2],
    ) -> Option<Played> {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= self.games || stop.load(Ordering::Relaxed) {
            return None;
        }
        for (index, player) in players.iter_mut().enumerate() {
            let seed = self.bot_seed(number, index);
            *player = Some(Player::renewed(player.take(), self, &self.players[index], seed));
        }
        match_game::play(self, number, players, stop)
    }
}

#[cfg(test)]
mod tests;
