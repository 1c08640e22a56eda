//! Fits the engine's values to games, and prints them as `shared/src/engine/weights.txt`.
//!
//! ```text
//! cargo run --release -p fivefold-shared --example selfplay -- 20000 1 > games.txt
//! cargo run --release -p fivefold-shared --example tune -- games.txt > shared/src/engine/weights.txt
//! ```
//!
//! The network's weights are those under which the positions of the games, and those that stray
//! from them, where the engine would ask for its value, predict best how the game ended and what
//! the search thought of them. The weights of the order are those that predict best which of the
//! moves was played (softmax regression), drawn towards zero, so that what is rarely seen weighs
//! little by itself.
//!
//! The weights that are there come from 181,671 lines of `selfplay`, which hold 179,710 positions
//! that count: the first 91,576 of seed 401 and the first 90,095 of seed 402, with 4,000 positions a
//! move, by the same network with weights that were fitted to games of an engine without. To
//! predict well and to play well is not the same: a fit counts once it has won games against the
//! one before, and this one did. Fits to more lines, older or newer ones, predicted as well and did
//! not play better.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]
#![expect(clippy::disallowed_methods, reason = "a program that reads files")]

mod descent;
mod network;

use std::{env, fs};

use fivefold_shared::{
    engine::{Features, Four, Spot},
    notation::coordinates,
    rules::{Point, Position, Rules, Stone, Variant},
};

use self::{
    descent::Descent,
    network::{Network, Sample},
};

/// How many units of the search make one unit of the logistic function.
const UNITS: f32 = 600.0;
/// How many units of the order make one unit of the softmax function.
const ORDER_UNITS: f32 = 40.0;
/// How much the outcome counts; the rest is what the search thought.
const OUTCOME_SHARE: f32 = 0.5;
/// What a weight of the order costs.
const ORDER_DECAY: f32 = 1e-5;
const ORDER_ROUNDS: usize = 30;
/// As many moves are enough to fit the order to.
const CHOICES_MAX: usize = 100_000;

/// How urgent open fours and fives are, by their numbers: to make and to prevent. The positions
/// that are fitted have none.
const DECIDED: [(usize, [f32; 2]); 2] = [(11, [800.0, 400.0]), (12, [2_000.0, 1_000.0])];

/// A choice between moves: of each what weights count.
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

/// Adds what a line of `selfplay` says.
fn read(line: &str, samples: &mut Vec<Sample>, choices: &mut Vec<Choice>) -> Option<()> {
    let mut fields = line.split(',');
    let variant = Variant::named(fields.next()?)?;
    let rules = Rules::new(variant, fields.next()?.parse().ok()?).ok()?;
    let winner = fields.next()?;
    let moves = fields.next()?.split(' ').map(|name| coordinates::parse(name, rules.size()));
    let moves: Vec<Point> = moves.collect::<Result<_, _>>().ok()?;
    let opening: usize = fields.next()?.parse().ok()?;
    let mut position = Position::from_moves(rules, moves.get(..opening)?).ok()?;
    let mut played = moves[opening..].iter();
    for chance in fields.next()?.split(' ') {
        let chance = chance.parse::<f32>().ok()? / 1_000.0;
        let features = Features::of(&position);
        if let Some(features) = &features {
            let target = match outcome(winner, position.turn())? {
                Some(outcome) => OUTCOME_SHARE * outcome + (1.0 - OUTCOME_SHARE) * chance,
                None => chance,
            };
            let parts = [count(features, |spot| spot.own), count(features, |spot| spot.other)];
            samples.push(Sample { parts, threats: features.threats, target });
        }
        if let Some(played) = played.next() {
            if choices.len() < CHOICES_MAX {
                choices.extend(features.and_then(|features| choice(&features, *played)));
            }
            position.play(*played).ok()?;
        }
    }
    Some(())
}

/// What the side to move made of the game; none where nobody played on. `None` for another word.
fn outcome(winner: &str, turn: Stone) -> Option<Option<f32>> {
    let won = |stone| Some(if stone == turn { 1.0 } else { 0.0 });
    match winner {
        "black" => Some(won(Stone::Black)),
        "white" => Some(won(Stone::White)),
        "none" => Some(Some(0.5)),
        "unknown" => Some(None),
        _ => None,
    }
}

/// How often each part is on the empty points, as far as it adds to the traits.
fn count(features: &Features, four: impl Fn(&Spot) -> Four) -> Vec<(u8, u16)> {
    let mut counts = [0; Features::PARTS];
    for part in features.spots.iter().flat_map(|spot| Features::parts(four(spot))) {
        counts[part] += 1;
    }
    Features::IDLE.into_iter().for_each(|part| counts[part] = 0);
    (0..).zip(counts).filter(|(_, count)| *count > 0).collect()
}

/// The numbers of the weights of the order that count for a move.
fn weights(spot: &Spot) -> Vec<u16> {
    let prevented = Features::parts(spot.other).map(|part| Features::PARTS + part);
    let all = Features::parts(spot.own).chain(prevented);
    all.map(|weight| u16::try_from(weight).expect("there are few")).collect()
}

fn choice(features: &Features, played: Point) -> Option<Choice> {
    let near = features.spots.iter().filter(|spot| spot.is_near);
    let played = near.clone().position(|spot| spot.point == played)?;
    Some(Choice { moves: near.map(weights).collect(), played })
}

fn fit_order(choices: &[Choice]) -> Vec<f32> {
    let mut descent = Descent::new(vec![0.0; 2 * Features::PARTS]);
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

/// Prints what the engine reads: a row for each part (to make, to prevent, what it adds to the traits
/// of the side that makes it and of the other), for each hidden unit (its worth, what the traits of
/// the side to move and of the other weigh) and for each constellation of threats (its worth, what
/// hidden units begin with).
fn print(network: &Network, order: &[f32]) {
    let [traits, hidden, worths] = [
        Features::TRAIT_UNITS as f32,
        Features::HIDDEN_UNITS as f32,
        Features::WORTH_UNITS as f32 * UNITS,
    ];
    println!("# Printed by the example `tune`.");
    for part in 0..Features::PARTS {
        let decided = DECIDED.iter().find(|(pattern, _)| *pattern == part);
        let fitted = [part, Features::PARTS + part].map(|weight| order[weight] * ORDER_UNITS);
        let urgency = decided.map_or(fitted, |(_, urgency)| *urgency);
        print_row(urgency.into_iter().chain(network.share(part).iter().map(|one| one * traits)));
    }
    for unit in 0..Features::HIDDEN {
        let (worth, weights) = network.unit(unit);
        print_row([worth * worths].into_iter().chain(weights.iter().map(|one| one * hidden)));
    }
    for constellation in 0..Features::THREATS {
        let (worth, begins) = network.threats(constellation);
        let begins = begins.iter().map(|one| one * traits * hidden);
        print_row([worth * worths].into_iter().chain(begins));
    }
}

fn print_row(numbers: impl Iterator<Item = f32>) {
    // Adding zero makes a positive one of a negative one.
    let numbers: Vec<String> = numbers.map(|one| format!("{:.0}", one.round() + 0.0)).collect();
    println!("{}", numbers.join(" "));
}
