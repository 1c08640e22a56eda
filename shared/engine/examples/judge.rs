//! Says how well the engine judges positions of finished games, by how these ended.
//!
//! `cargo run --release -p fivefold-engine --example judge -- MILLISECONDS EVERY FILE...`
//!
//! A file has the games that `fivefold arena --save` wrote. Of the positions after the opening in
//! which the side to move need not stop a five, one in `EVERY` is searched for that many milliseconds on one
//! thread. The log loss is the mean of `-ln p`, where `p` is the chance that the search gave to what happened, from
//! 0.01 to 0.99; a draw counts half for each side. The order is the probability that a won position
//! has a greater chance than a lost one (the area under the receiver operating characteristic).
//! Games between strong players show more in less time this way than games of one's own do.

#![expect(clippy::print_stdout, reason = "a program that prints")]
#![expect(clippy::disallowed_methods, reason = "a program that reads files and measures time")]

#[path = "fitting/finished_games.rs"]
mod finished_games;

use std::{
    env,
    time::{Duration, Instant},
};

use fivefold_engine::search::{Engine, EngineOptions};
use fivefold_shared::{
    rules::Position,
    search_budget::{Budget, Thinking},
};

use self::finished_games::FinishedGame;

/// What the engine gave a side, and what it got.
struct Judgement {
    chance: f64,
    score: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = env::args().skip(1);
    let time = Duration::from_millis(arguments.next().ok_or("how many milliseconds?")?.parse()?);
    let every: usize = arguments.next().ok_or("every which position?")?.parse()?;
    for path in arguments {
        let judgements = judge(&finished_games::read(&path)?, time, every.max(1))?;
        let count = judgements.len();
        let loss = judgements.iter().map(log_loss).sum::<f64>() / count as f64;
        println!("{path}: {count} positions, log loss {loss:.4}, order {:.4}", order(&judgements));
    }
    Ok(())
}

fn judge(
    games: &[FinishedGame],
    time: Duration,
    every: usize,
) -> Result<Vec<Judgement>, Box<dyn std::error::Error>> {
    let rules = games.first().ok_or("no games")?.rules;
    let mut engine = Engine::new(rules, EngineOptions::default()).ok_or("no engine for these")?;
    let (mut judgements, mut seen) = (Vec::new(), 0);
    for game in games {
        let mut position = Position::new(game.rules);
        for (ply, point) in game.moves.iter().enumerate() {
            if ply >= game.opening && !engine.is_five_threatened(&position) {
                seen += 1;
                if seen % every == 0 {
                    let score = game.score(position.turn())?;
                    judgements
                        .push(Judgement { chance: search(&mut engine, &position, time), score });
                }
            }
            position.play(*point)?;
        }
    }
    Ok(judgements)
}

fn search(engine: &mut Engine, position: &Position, time: Duration) -> f64 {
    engine.forget();
    let begin = Instant::now();
    let elapsed = || begin.elapsed();
    let budget = Budget { time, ..Budget::UNLIMITED };
    let thinking = Thinking { budget, elapsed: &elapsed, ..Thinking::unlimited() };
    let analysis = engine.search(position, &thinking, 1, &mut |_| {});
    analysis.expect("the game goes on").lines[0].value.chance()
}

fn log_loss(judgement: &Judgement) -> f64 {
    let Judgement { score, .. } = *judgement;
    let chance = judgement.chance.clamp(0.01, 0.99);
    -(score * chance.ln() + (1.0 - score) * (1.0 - chance).ln())
}

fn order(judgements: &[Judgement]) -> f64 {
    let of = |wanted| judgements.iter().filter(move |judgement| judgement.score == wanted);
    let (mut right, mut pairs) = (0.0, 0.0);
    for won in of(1.0) {
        for lost in of(0.0) {
            pairs += 1.0;
            right += match won.chance.total_cmp(&lost.chance) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    right / pairs
}
