//! Fits the engine's values to games, and prints them as `shared/engine/src/search/weights.txt`.
//!
//! ```text
//! cargo run --release -p fivefold-engine --example selfplay -- 20000 1 > games.txt
//! cargo run --release -p fivefold-engine --example tune -- games.txt > shared/engine/src/search/weights.txt
//! ```
//!
//! The network's weights are those that best predict how the game ended and how the search judged
//! each position: positions of the games, and those that stray from them, where the engine would
//! evaluate them. The weights of the order are those that best predict which move was played
//! (softmax regression), drawn towards zero, so that rare features weigh little by themselves.
//!
//! The current weights come from 181,671 lines of `selfplay`, which hold 179,710 positions that
//! count: the first 91,576 of seed 401 and the first 90,095 of seed 402, with 4,000 positions a
//! move, by the same network with weights that were fitted to games of an engine without.
//! Predicting well is not playing well: a fit counts once it has won games against the previous
//! one, and this one did. Fits to more lines, older or newer ones, predicted as well and did not
//! play better.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]
#![expect(clippy::disallowed_methods, reason = "a program that reads files")]

#[path = "../fitting/selfplay_lines.rs"]
mod selfplay_lines;

mod descent;
mod network;

use std::{env, fs};

use fivefold_engine::search::{EvalTrace, Four, TracedPoint};
use fivefold_shared::rules::Point;

use self::{
    descent::Descent,
    network::{Network, Sample},
};

/// How many units of the order make one unit of the softmax function.
const ORDER_UNITS: f32 = 40.0;
/// The weight of the outcome; the rest is the search's value.
const OUTCOME_SHARE: f32 = 0.5;
/// The decay of the weights of the order.
const ORDER_DECAY: f32 = 1e-5;
const ORDER_ROUNDS: usize = 30;
/// The number of moves that suffices to fit the order.
const CHOICES_MAX: usize = 100_000;

/// How urgent open fours and fives are, by their numbers: to make and to prevent. The positions
/// that are fitted have none.
const DECIDED: [(usize, [f32; 2]); 2] = [(11, [800.0, 400.0]), (12, [2_000.0, 1_000.0])];

/// A choice between moves: the weights that count for each.
struct Choice {
    moves: Vec<Vec<u16>>,
    played: usize,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut samples, mut choices) = (Vec::new(), Vec::new());
    for path in env::args().skip(1) {
        for line in fs::read_to_string(path)?.lines() {
            read(line, &mut samples, &mut choices).ok_or_else(|| format!("unreadable: {line}"))?;
        }
    }
    eprintln!("{} positions, {} choices", samples.len(), choices.len());
    print(&Network::fit(&samples), &fit_order(&choices));
    Ok(())
}

/// Adds the data of a line of `selfplay`.
fn read(line: &str, samples: &mut Vec<Sample>, choices: &mut Vec<Choice>) -> Option<()> {
    selfplay_lines::read(line, |_, played, judged| {
        let trace = &judged.trace;
        let features = [count(trace, |spot| spot.own), count(trace, |spot| spot.other)];
        let target = judged.target(OUTCOME_SHARE);
        samples.push(Sample { features, threats: trace.threats, target });
        if choices.len() < CHOICES_MAX {
            choices.extend(played.and_then(|played| choice(trace, played)));
        }
        Some(())
    })
}

/// How often each feature is on the empty points, as far as it adds to the accumulators.
fn count(trace: &EvalTrace, four: impl Fn(&TracedPoint) -> Four) -> Vec<(u8, u16)> {
    let mut counts = [0; EvalTrace::FEATURES];
    for feature in trace.points.iter().flat_map(|spot| EvalTrace::features(four(spot))) {
        counts[feature] += 1;
    }
    EvalTrace::IDLE.into_iter().for_each(|feature| counts[feature] = 0);
    (0..).zip(counts).filter(|(_, count)| *count > 0).collect()
}

/// The numbers of the weights of the order that count for a move.
fn weights(spot: &TracedPoint) -> Vec<u16> {
    let prevented = EvalTrace::features(spot.other).map(|feature| EvalTrace::FEATURES + feature);
    let all = EvalTrace::features(spot.own).chain(prevented);
    all.map(|weight| u16::try_from(weight).expect("there are few")).collect()
}

fn choice(trace: &EvalTrace, played: Point) -> Option<Choice> {
    let near = trace.points.iter().filter(|spot| spot.is_near);
    let played = near.clone().position(|spot| spot.point == played)?;
    Some(Choice { moves: near.map(weights).collect(), played })
}

fn fit_order(choices: &[Choice]) -> Vec<f32> {
    let mut descent = Descent::new(vec![0.0; 2 * EvalTrace::FEATURES]);
    for round in 0..ORDER_ROUNDS {
        let (mut firsts, mut loss) = (0, 0.0);
        for batch in choices.chunks(2_000) {
            let mut slopes: Vec<f32> =
                descent.weights.iter().map(|weight| ORDER_DECAY * weight).collect();
            for Choice { moves, played } in batch {
                let score = |weights: &Vec<u16>| -> f32 {
                    weights.iter().map(|weight| descent.weights[usize::from(*weight)]).sum()
                };
                let scores: Vec<f32> = moves.iter().map(score).collect();
                let most = scores.iter().copied().fold(f32::MIN, f32::max);
                let sum: f32 = scores.iter().map(|score| (score - most).exp()).sum();
                firsts += usize::from(scores[*played] >= most);
                loss -= scores[*played] - most - sum.ln();
                for (index, (weights, score)) in moves.iter().zip(&scores).enumerate() {
                    let chance = (score - most).exp() / sum - f32::from(u8::from(index == *played));
                    for weight in weights {
                        slopes[usize::from(*weight)] += chance / batch.len() as f32;
                    }
                }
            }
            descent.go(&slopes, 0.02 * (1.0 - round as f32 / ORDER_ROUNDS as f32));
        }
        if round % 10 == 9 {
            let all = choices.len() as f32;
            eprintln!("order: {:.3} first, loss {:.3}", firsts as f32 / all, loss / all);
        }
    }
    descent.weights
}

/// Prints the weights as the engine reads them: a row for each feature (urgency to make and to
/// prevent, the deltas of the own and of the other accumulator), for each hidden unit (its output
/// weight, its weights of the mover's and of the other accumulator) and for each threat class (its
/// output bias, its biases of the hidden units).
fn print(network: &Network, order: &[f32]) {
    let [accumulator_scale, hidden_scale, output_scale] = [
        EvalTrace::ACCUMULATOR_SCALE as f32,
        EvalTrace::HIDDEN_SCALE as f32,
        EvalTrace::OUTPUT_SCALE as f32 * EvalTrace::CHANCE_SCALE,
    ];
    println!("# Printed by the example `tune`.");
    for feature in 0..EvalTrace::FEATURES {
        let decided = DECIDED.iter().find(|(pattern, _)| *pattern == feature);
        let fitted =
            [feature, EvalTrace::FEATURES + feature].map(|weight| order[weight] * ORDER_UNITS);
        let urgency = decided.map_or(fitted, |(_, urgency)| *urgency);
        let delta = network.delta(feature).iter().map(|one| one * accumulator_scale);
        print_row(urgency.into_iter().chain(delta));
    }
    for unit in 0..EvalTrace::HIDDEN_SIZE {
        let (output_weight, weights) = network.unit(unit);
        let weights = weights.iter().map(|one| one * hidden_scale);
        print_row([output_weight * output_scale].into_iter().chain(weights));
    }
    for class in 0..EvalTrace::THREAT_CLASSES {
        let (bias, hidden) = network.threats(class);
        let hidden = hidden.iter().map(|one| one * accumulator_scale * hidden_scale);
        print_row([bias * output_scale].into_iter().chain(hidden));
    }
}

fn print_row(numbers: impl Iterator<Item = f32>) {
    // Adding zero turns a negative zero into a positive one.
    let numbers: Vec<String> = numbers.map(|one| format!("{:.0}", one.round() + 0.0)).collect();
    println!("{}", numbers.join(" "));
}
