//! Positions to learn from, read from the lines of `selfplay`.

#[path = "../fitting/selfplay_lines.rs"]
mod selfplay_lines;

use std::{fs, thread};

use fivefold_shared::{
    engine::EvalTrace,
    rules::{Point, Size, Stone, Variant},
};

/// The weight of the outcome; the rest is the search's value.
const OUTCOME_SHARE: f32 = 0.3;

/// A position.
pub(crate) struct Sample {
    pub(crate) variant: Variant,
    /// Columns and rows of the board.
    pub(crate) size: (u8, u8),
    /// The stones, Black's first, by the number of their point.
    pub(crate) stones: Box<[u16]>,
    pub(crate) threats: u8,
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

/// The positions of a file that the engine would evaluate.
pub(crate) fn read(path: &str) -> Result<Vec<Sample>, Box<dyn std::error::Error>> {
    let text = fs::read_to_string(path)?;
    let lines: Vec<&str> = text.lines().collect();
    let read_all = |lines: &[&str]| {
        let mut samples = Vec::new();
        for line in lines {
            read_line(line, &mut samples).ok_or_else(|| format!("unreadable: {line}"))?;
        }
        Ok::<_, String>(samples)
    };
    let threads = thread::available_parallelism()?.get();
    let parts = lines.chunks(lines.len().div_ceil(threads).max(1));
    let parts = thread::scope(|scope| {
        let jobs: Vec<_> = parts.map(|lines| scope.spawn(move || read_all(lines))).collect();
        jobs.into_iter().map(|job| job.join().expect("it does not panic")).collect::<Vec<_>>()
    });
    let mut samples = Vec::new();
    for part in parts {
        samples.append(&mut part?);
    }
    Ok(samples)
}

fn read_line(line: &str, samples: &mut Vec<Sample>) -> Option<()> {
    selfplay_lines::read(line, |position, _, judged| {
        let rules = position.rules();
        let Size::Bounded { width, height } = rules.size() else { return None };
        let number = |point: &Point| u16::try_from(point.y * i32::from(width) + point.x).ok();
        let value = judged.trace.value as f32 / EvalTrace::CHANCE_SCALE;
        samples.push(Sample {
            variant: rules.variant(),
            size: (width, height),
            stones: position.moves().iter().map(number).collect::<Option<_>>()?,
            threats: u8::try_from(judged.trace.threats).ok()?,
            target: judged.target(OUTCOME_SHARE),
            searched: judged.searched,
            evaluated: 1.0 / (1.0 + (-value).exp()),
        });
        Some(())
    })
}
