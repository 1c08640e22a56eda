//! Fits the engine's values to games, and prints them as `shared/src/engine/weights.rs`.
//!
//! ```text
//! cargo run --release -p fivefold-shared --example selfplay -- 15000 1 > games.txt
//! cargo run --release -p fivefold-shared --example tune -- games.txt > shared/src/engine/weights.rs
//! ```
//!
//! The weights of points and threats are those under which the positions of the games, where the
//! engine would ask for its value, predict best how the game ended and what the search thought of
//! them (logistic regression). The weights of the order are those that predict best which of the
//! moves was played (softmax regression). Both are drawn towards zero, so that what is rarely seen
//! weighs little by itself.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]
#![expect(clippy::disallowed_methods, reason = "a program that reads files")]

use std::{env, fs};

use fivefold_shared::{
    engine::{Features, Four},
    notation::coordinates,
    rules::{Point, Position, Rules, Stone, Variant},
};

/// How many units of the search make one unit of the logistic function.
const UNITS: f32 = 600.0;
/// How many units of the order make one unit of the softmax function.
const ORDER_UNITS: f32 = 40.0;
/// How much the outcome counts; the rest is what the search thought.
const OUTCOME_SHARE: f32 = 0.5;
/// What a weight costs.
const DECAY: f32 = 2e-6;
const ORDER_DECAY: f32 = 1e-5;
const ROUNDS: usize = 800;
const ORDER_ROUNDS: usize = 30;

/// What open fours and fives weigh, by their numbers: the positions that are fitted have none. To
/// the side to move and the other, and in the order.
const DECIDED: [(usize, [f32; 2], [f32; 2]); 2] =
    [(11, [150.0, 60.0], [800.0, 400.0]), (12, [300.0, 100.0], [2_000.0, 1_000.0])];

/// Weights of one kind: of patterns, then of pairs.
const KIND: usize = Features::PATTERNS + Features::PAIRS;
const VALUES: usize = 2 * KIND + Features::THREATS;

/// A position as the regression sees it.
struct Sample {
    /// How often each weight counts.
    counts: Vec<(u16, f32)>,
    target: f32,
}

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
    let mut values = fit_values(&samples);
    let mut order = fit_order(&choices);
    for (pattern, worth, urge) in DECIDED {
        for side in 0..2 {
            values[side * KIND + pattern] = worth[side] / UNITS;
            order[side * KIND + pattern] = urge[side] / ORDER_UNITS;
        }
    }
    print(&values, &order);
    Ok(())
}

/// Adds what a line of `selfplay` says.
fn read(line: &str, samples: &mut Vec<Sample>, choices: &mut Vec<Choice>) -> Option<()> {
    let mut fields = line.split(',');
    let variant = Variant::named(fields.next()?)?;
    let rules = Rules::new(variant, fields.next()?.parse().ok()?).ok()?;
    let winner = match fields.next()? {
        "black" => Some(Stone::Black),
        "white" => Some(Stone::White),
        _ => None,
    };
    let moves = fields.next()?.split(' ').map(|name| coordinates::parse(name, rules.size()));
    let moves: Vec<Point> = moves.collect::<Result<_, _>>().ok()?;
    let opening: usize = fields.next()?.parse().ok()?;
    let chances = fields.next()?.split(' ').map(str::parse);
    let chances: Vec<f32> = chances.collect::<Result<_, _>>().ok()?;
    let mut position = Position::from_moves(rules, &moves[..opening]).ok()?;
    for (chance, played) in chances.into_iter().zip(&moves[opening..]) {
        if let Some(features) = Features::of(&position) {
            let outcome = match winner {
                None => 0.5,
                Some(stone) if stone == position.turn() => 1.0,
                Some(_) => 0.0,
            };
            let target = OUTCOME_SHARE * outcome + (1.0 - OUTCOME_SHARE) * chance / 1_000.0;
            samples.push(Sample { counts: counts(&features), target });
            choices.extend(choice(&features, *played));
        }
        position.play(*played).ok()?;
    }
    Some(())
}

/// The weights that count where these patterns are, of the kind that begins at `from`. Nothing is
/// the first pattern, and it is worth nothing: neither alone nor with others.
fn weights(four: Four, from: usize) -> impl Iterator<Item = u16> {
    let singles = four.into_iter().filter(|one| *one > 0).map(usize::from);
    let pairs = (0..4).flat_map(move |first| (first + 1..4).map(move |second| (first, second)));
    let pairs = pairs
        .map(move |(first, second)| (four[first], four[second]))
        .filter(|(first, second)| *first > 0 && *second > 0)
        .map(|(first, second)| Features::PATTERNS + Features::pair(first, second));
    singles.chain(pairs).map(move |weight| u16::try_from(from + weight).expect("there are few"))
}

fn counts(features: &Features) -> Vec<(u16, f32)> {
    let mut counts = [0.0; VALUES];
    for spot in &features.spots {
        weights(spot.own, 0).for_each(|weight| counts[usize::from(weight)] += 1.0);
        weights(spot.other, KIND).for_each(|weight| counts[usize::from(weight)] -= 1.0);
    }
    counts[2 * KIND + features.threats] = 1.0;
    (0..).zip(counts).filter(|(_, count)| *count != 0.0).collect()
}

fn choice(features: &Features, played: Point) -> Option<Choice> {
    let near = features.spots.iter().filter(|spot| spot.is_near);
    let moves =
        near.clone().map(|spot| weights(spot.own, 0).chain(weights(spot.other, KIND)).collect());
    let played = near.clone().position(|spot| spot.point == played)?;
    Some(Choice { moves: moves.collect(), played })
}

/// Weights on their way downhill (Adam: Kingma and Ba, 2015).
struct Descent {
    weights: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    step: i32,
}

impl Descent {
    fn new(count: usize) -> Self {
        let zeros = vec![0.0; count];
        Self { weights: zeros.clone(), mean: zeros.clone(), square: zeros, step: 0 }
    }

    fn go(&mut self, slopes: &[f32], rate: f32) {
        self.step += 1;
        let (fade, fade_square) = (0.9_f32, 0.99_f32);
        let scale = (1.0 - fade_square.powi(self.step)).sqrt() / (1.0 - fade.powi(self.step));
        for (index, slope) in slopes.iter().enumerate() {
            self.mean[index] = fade * self.mean[index] + (1.0 - fade) * slope;
            self.square[index] =
                fade_square * self.square[index] + (1.0 - fade_square) * slope * slope;
            let root = self.square[index].sqrt() + 1e-10;
            self.weights[index] -= rate * scale * self.mean[index] / root;
        }
    }
}

fn fit_values(samples: &[Sample]) -> Vec<f32> {
    let mut descent = Descent::new(VALUES);
    let (fitted, held_out) = samples.split_at(samples.len() * 19 / 20);
    let error = |weights: &[f32], sample: &Sample| {
        let sum: f32 =
            sample.counts.iter().map(|(weight, count)| weights[usize::from(*weight)] * count).sum();
        1.0 / (1.0 + (-sum).exp()) - sample.target
    };
    for round in 0..ROUNDS {
        let mut slopes: Vec<f32> = descent.weights.iter().map(|weight| DECAY * weight).collect();
        for sample in fitted {
            let error = error(&descent.weights, sample) / fitted.len() as f32;
            for (weight, count) in &sample.counts {
                slopes[usize::from(*weight)] += error * count;
            }
        }
        descent.go(&slopes, 0.01 * (1.0 - round as f32 / ROUNDS as f32));
        if round % 200 == 199 {
            let mean = |samples: &[Sample]| {
                let sum: f32 = samples.iter().map(|s| error(&descent.weights, s).powi(2)).sum();
                sum / samples.len() as f32
            };
            eprintln!("value: {:.5} {:.5}", mean(&fitted[..held_out.len()]), mean(held_out));
        }
    }
    descent.weights
}

fn fit_order(choices: &[Choice]) -> Vec<f32> {
    let mut descent = Descent::new(2 * KIND);
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

fn print(values: &[f32], order: &[f32]) {
    println!(
        "//! What patterns and threats weigh: printed by `examples/tune.rs`, fitted to games of the"
    );
    println!("//! engine against itself.\n");
    println!("use super::eval::{{THREATS as CONSTELLATIONS, Weights}};\n");
    println!("/// What patterns are worth to the side to move, and to the other.");
    print_kind("MOVING", &values[..KIND], UNITS);
    print_kind("WAITING", &values[KIND..2 * KIND], UNITS);
    println!("/// What the threats of both sides are worth to the side to move.");
    println!(
        "pub(super) const THREATS: [i16; CONSTELLATIONS] = {};",
        rounded(&values[2 * KIND..], UNITS)
    );
    println!("/// How urgent it is to make patterns, and to prevent them.");
    print_kind("TO_MAKE", &order[..KIND], ORDER_UNITS);
    print_kind("TO_PREVENT", &order[KIND..], ORDER_UNITS);
}

fn print_kind(name: &str, weights: &[f32], units: f32) {
    let (single, pair) = weights.split_at(Features::PATTERNS);
    println!("pub(super) const {name}: Weights = Weights {{");
    println!("single: {},", rounded(single, units));
    println!("pair: {},\n}};", rounded(pair, units));
}

fn rounded(weights: &[f32], units: f32) -> String {
    let rounded: Vec<String> =
        weights.iter().map(|weight| format!("{:.0}", (weight * units).round() + 0.0)).collect();
    format!("[{}]", rounded.join(", "))
}
