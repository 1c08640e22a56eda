//! Fits the network by gradient descent.

#[path = "../fitting/momentum.rs"]
mod momentum;

use std::{thread, time::Instant};

use fivefold_engine::search::Shapes;
use rand::{SeedableRng, rngs::Xoshiro256PlusPlus, seq::SliceRandom};

use self::momentum::Momentum;
use crate::{
    file::{self, Content},
    network::{DENSE, Gradient, Network},
    samples::{Sample, Samples},
};

/// Positions for one step.
const BATCH: usize = 512;
/// The longest step.
const RATE: f32 = 0.01;
/// The longest step where fitting goes on from a file.
const RATE_ON: f32 = 0.002;
/// How much shorter the steps of rows for single shapes are than those of rows for patterns, which
/// occur much more often.
const SHAPE_PACE: f32 = 0.1;
/// The greatest number of a row; the file has bytes.
const ROW_MAX: f32 = 1.9;

/// Fits a network to all positions but the first ones, and prints how well it judges those.
pub(crate) fn fit(
    samples: &Samples,
    is_frequent: &[bool],
    before: Option<&Content>,
    passes: usize,
) -> Network {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    print(samples, "the engine", |sample| sample.evaluated);
    let mut network = Network::new(samples, is_frequent, &mut random);
    let longest = match before {
        Some(file) => {
            file::begin(&mut network, file);
            RATE_ON
        }
        None => RATE,
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut gradients: Vec<_> = (0..threads).map(|_| Gradient::new(&network, samples)).collect();
    let mut momentum = (
        vec![[Momentum::default(); Shapes::CHANNELS]; network.rows.len()],
        vec![Momentum::default(); DENSE],
    );
    let steps = (passes * samples.fitted.len().div_ceil(BATCH)) as f32;
    let mut step = 0.0;
    let mut order: Vec<&Sample> = samples.fitted.iter().collect();
    let begin = Instant::now();
    for pass in 1..=passes {
        order.shuffle(&mut random);
        for batch in order.chunks(BATCH) {
            learn(&network, samples, batch, &mut gradients);
            // The rate grows at first, and then shrinks.
            let pace: f32 = (step / (0.05 * steps)).min((steps - step) / (0.95 * steps));
            let rate = longest * pace.max(0.01);
            step += 1.0;
            for (row, slope) in gradients[0].drain() {
                let row = row as usize;
                let rate = if row < network.patterns_begin { SHAPE_PACE * rate } else { rate };
                let weights = network.rows[row].iter_mut().zip(&mut momentum.0[row]);
                for ((weight, momentum), slope) in weights.zip(slope) {
                    momentum.step(weight, slope, rate);
                    *weight = weight.clamp(-ROW_MAX, ROW_MAX);
                }
            }
            let weights = network.dense.iter_mut().zip(&mut momentum.1);
            for ((weight, momentum), slope) in weights.zip(&mut gradients[0].dense) {
                momentum.step(weight, std::mem::take(slope), rate);
            }
        }
        eprintln!("after {} s:", begin.elapsed().as_secs());
        let empty = network.empty_sums(samples);
        print(samples, &format!("pass {pass}"), |sample| {
            network.judge(sample, samples, &empty, None, &mut gradients[0])
        });
    }
    network
}

/// The gradient of a batch, in the first of these.
fn learn(network: &Network, samples: &Samples, batch: &[&Sample], gradients: &mut [Gradient]) {
    let empty = network.empty_sums(samples);
    let share = Some(1.0 / batch.len() as f32);
    let parts = batch.chunks(batch.len().div_ceil(gradients.len()));
    thread::scope(|scope| {
        for (part, gradient) in parts.zip(&mut *gradients) {
            let empty = &empty;
            scope.spawn(move || {
                for sample in part {
                    network.judge(sample, samples, empty, share, gradient);
                }
                gradient.settle(network, samples);
            });
        }
    });
    let (first, others) = gradients.split_first_mut().expect("there is a thread");
    others.iter_mut().for_each(|other| first.absorb(other));
}

/// Prints the mean square of how far a judgement is from the search, for each board.
fn print(samples: &Samples, name: &str, mut judge: impl FnMut(&Sample) -> f32) {
    for (number, board) in samples.boards.iter().enumerate() {
        let of_board = samples.held_out.iter().filter(|sample| usize::from(sample.board) == number);
        let (mut sum, mut count) = (0.0, 0.0);
        for sample in of_board {
            sum += (judge(sample) - sample.searched).powi(2);
            count += 1.0;
        }
        let (variant, size) = (board.rules.variant().name(), board.rules.size());
        eprintln!("{name}: {variant} {size}, error {:.5} in {count} positions", sum / count);
    }
}
