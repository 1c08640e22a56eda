//! Reads the lines that `judge` prints.

use std::{error::Error, fs};

use fivefold_shared::rules::{Rules, Variant};

/// A position that was neither won nor lost for sure, and how its game ended.
#[derive(Clone, Copy)]
pub(crate) struct Judged {
    pub(crate) rules: Rules,
    pub(crate) stones: usize,
    /// The chance of the search.
    pub(crate) searched: f64,
    /// The points of the side to move: 1, 0.5 or 0.
    pub(crate) score: f64,
}

/// The positions of some files.
pub(crate) struct Sample {
    pub(crate) judged: Vec<Judged>,
    /// How many more were won or lost for sure.
    pub(crate) proven: usize,
    /// How many of these ended so.
    pub(crate) proven_rightly: usize,
}

pub(crate) fn read(paths: &[&str]) -> Result<Sample, Box<dyn Error>> {
    let mut sample = Sample { judged: Vec::new(), proven: 0, proven_rightly: 0 };
    for path in paths {
        for line in fs::read_to_string(path)?.lines() {
            read_line(line, &mut sample).map_err(|error| format!("{path}: {error}: {line}"))?;
        }
    }
    Ok(sample)
}

fn read_line(line: &str, sample: &mut Sample) -> Result<(), Box<dyn Error>> {
    let fields: Vec<&str> = line.split(' ').collect();
    let [_game, variant, size, stones, value, score] = fields[..] else {
        return Err("six fields".into());
    };
    let rules = Rules::new(Variant::named(variant).ok_or("no such variant")?, size.parse()?)?;
    let score: f64 = score.parse()?;
    let proven = match value {
        "win" => Some(1.0),
        "loss" => Some(0.0),
        _ => None,
    };
    if let Some(proven) = proven {
        sample.proven += 1;
        sample.proven_rightly += usize::from(proven == score);
        return Ok(());
    }
    let searched = chance(value.parse()?);
    sample.judged.push(Judged { rules, stones: stones.parse()?, searched, score });
    Ok(())
}

/// The chance with this logit.
pub(crate) fn chance(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}
