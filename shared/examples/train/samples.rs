//! Positions to learn from, read from the lines of `selfplay`.

use std::{fs, thread};

use fivefold_shared::{
    engine::{EvalTrace, Shapes},
    notation::coordinates,
    rules::{Point, Position, Rules, Size, Stone, Variant},
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
    let mut fields = line.split(',');
    let variant = Variant::named(fields.next()?)?;
    let rules = Rules::new(variant, fields.next()?.parse().ok()?).ok()?;
    let Size::Bounded { width, height } = rules.size() else { return None };
    let winner = fields.next()?;
    let moves = fields.next()?.split(' ').map(|name| coordinates::parse(name, rules.size()));
    let moves: Vec<Point> = moves.collect::<Result<_, _>>().ok()?;
    let opening: usize = fields.next()?.parse().ok()?;
    let mut position = Position::from_moves(rules, moves.get(..opening)?).ok()?;
    let mut played = moves[opening..].iter();
    for chance in fields.next()?.split(' ') {
        let searched = chance.parse::<f32>().ok()? / 1_000.0;
        if let Some(trace) = EvalTrace::of(&position) {
            let number = |point: &Point| u16::try_from(point.y * i32::from(width) + point.x).ok();
            samples.push(Sample {
                variant,
                size: (width, height),
                stones: position.moves().iter().map(number).collect::<Option<_>>()?,
                threats: u8::try_from(trace.threats).ok()?,
                target: match outcome(winner, position.turn()) {
                    Some(outcome) => OUTCOME_SHARE * outcome + (1.0 - OUTCOME_SHARE) * searched,
                    None => searched,
                },
                searched,
                evaluated: 1.0 / (1.0 + (-trace.value as f32 / Shapes::UNITS).exp()),
            });
        }
        if let Some(played) = played.next() {
            position.play(*played).ok()?;
        }
    }
    Some(())
}

/// The result for the side to move; `None` where nobody played on.
fn outcome(winner: &str, turn: Stone) -> Option<f32> {
    let won = |stone| Some(if stone == turn { 1.0 } else { 0.0 });
    match winner {
        "black" => won(Stone::Black),
        "white" => won(Stone::White),
        "none" => Some(0.5),
        _ => None,
    }
}
