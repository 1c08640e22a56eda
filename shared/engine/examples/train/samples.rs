//! Positions to learn from, read from the lines of `selfplay`.

#[path = "../fitting/selfplay_lines.rs"]
mod selfplay_lines;

use std::{fs, thread};

use fivefold_engine::search::EvalTrace;
use fivefold_shared::rules::{Point, Rules, Stone};

use crate::board::Board;

/// The weight of the outcome; the rest is the search's value.
const OUTCOME_SHARE: f32 = 0.3;
/// One in so many lines of each file is not learned from.
const HELD_OUT: usize = 40;

/// All positions.
#[derive(Default)]
pub(crate) struct Samples {
    /// Of each rules that they are by.
    pub(crate) boards: Vec<Board>,
    pub(crate) fitted: Vec<Sample>,
    pub(crate) held_out: Vec<Sample>,
}

/// A position.
pub(crate) struct Sample {
    /// The number of the board.
    pub(crate) board: u8,
    pub(crate) threats: u8,
    /// The stones, Black's first, by the number of their point.
    pub(crate) stones: Box<[u16]>,
    /// The chance that the side to move wins, to learn.
    pub(crate) target: f32,
    /// That chance by the search alone.
    pub(crate) searched: f32,
    /// That chance by the engine's evaluation.
    pub(crate) evaluated: f32,
}

impl Sample {
    pub(crate) fn turn(&self) -> Stone {
        Stone::to_move(self.stones.len())
    }
}

impl Samples {
    /// Adds the positions of a file that the engine would evaluate; all must be by the same rules.
    pub(crate) fn read(&mut self, path: &str) -> Result<(), Box<dyn std::error::Error>> {
        let text = fs::read_to_string(path)?;
        let lines: Vec<&str> = text.lines().collect();
        let first = lines.first().ok_or("an empty file")?;
        let number = self.board(selfplay_lines::rules(first).ok_or("unreadable rules")?)?;
        let board = &self.boards[usize::from(number)];
        let read_all = |lines: &[&str]| {
            let mut samples = Vec::new();
            for line in lines {
                read_line(line, board, number, &mut samples)
                    .ok_or_else(|| format!("unreadable: {line}"))?;
            }
            Ok::<_, String>(samples)
        };
        let (held_out, fitted) = lines.split_at(lines.len() / HELD_OUT);
        self.held_out.append(&mut read_all(held_out)?);
        let threads = thread::available_parallelism()?.get();
        let parts = fitted.chunks(fitted.len().div_ceil(threads).max(1));
        let parts = thread::scope(|scope| {
            let jobs: Vec<_> = parts.map(|lines| scope.spawn(move || read_all(lines))).collect();
            jobs.into_iter().map(|job| job.join().expect("it does not panic")).collect::<Vec<_>>()
        });
        for part in parts {
            self.fitted.append(&mut part?);
        }
        Ok(())
    }

    /// The number of the board of these rules.
    fn board(&mut self, rules: Rules) -> Result<u8, Box<dyn std::error::Error>> {
        let known = self.boards.iter().position(|board| board.rules == rules);
        let number = known.unwrap_or(self.boards.len());
        if known.is_none() {
            self.boards.push(Board::new(rules).ok_or("a board without borders")?);
        }
        Ok(number.try_into()?)
    }
}

fn read_line(line: &str, board: &Board, number: u8, samples: &mut Vec<Sample>) -> Option<()> {
    selfplay_lines::read(line, |position, _, judged| {
        if position.rules() != board.rules {
            return None;
        }
        let of_point = |point: &Point| board.number(*point);
        let value = judged.trace.value as f32 / EvalTrace::CHANCE_SCALE;
        samples.push(Sample {
            board: number,
            threats: u8::try_from(judged.trace.threats).ok()?,
            stones: position.moves().iter().map(of_point).collect::<Option<_>>()?,
            target: judged.target(OUTCOME_SHARE),
            searched: judged.searched,
            evaluated: 1.0 / (1.0 + (-value).exp()),
        });
        Some(())
    })
}
