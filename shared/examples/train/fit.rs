//! Fits the network by gradient descent.

#[path = "../fitting/momentum.rs"]
mod momentum;

use std::{thread, time::Instant};

use fivefold_shared::{engine::Shapes, rules::Variant};
use rand::{SeedableRng, rngs::Xoshiro256PlusPlus, seq::SliceRandom};

use self::momentum::Momentum;
use crate::{
    board::Board,
    network::{DENSE, Gradient, Network},
    samples::Sample,
};

/// Positions for one step.
const BATCH: usize = 512;
/// The longest step.
const RATE: f32 = 0.01;
/// How much shorter the steps of rows for single shapes are than those of rows for patterns, which
/// occur much more often.
const SHAPE_PACE: f32 = 0.1;
/// The greatest number of a row; the file has bytes.
const ROW_MAX: f32 = 1.9;
/// One in so many positions is not learned from.
const HELD_OUT: usize = 40;

/// Fits a network to all positions but the first ones, and prints how well it judges those.
pub(crate) fn fit(
    samples: &[Sample],
    is_frequent: &[bool],
    variant: Variant,
    passes: usize,
) -> Network {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (held_out, fitted) = samples.split_at(samples.len() / HELD_OUT);
    let before = mean(held_out, |sample| sample.evaluated - sample.searched);
    eprintln!("error of the engine: {before:.5}");
    let board = Board::new(samples[0].size);
    let mut network = Network::new(variant, is_frequent, &mut random);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut gradients: Vec<_> = (0..threads).map(|_| Gradient::new(&network, &board)).collect();
    let mut momentum = (
        vec![[Momentum::default(); Shapes::CHANNELS]; network.rows.len()],
        [Momentum::default(); DENSE],
    );
    let steps = (passes * fitted.len().div_ceil(BATCH)) as f32;
    let mut step = 0.0;
    let mut order: Vec<&Sample> = fitted.iter().collect();
    let begin = Instant::now();
    for pass in 1..=passes {
        order.shuffle(&mut random);
        for batch in order.chunks(BATCH) {
            learn(&network, &board, batch, &mut gradients);
            // The rate grows at first, and then shrinks.
            let pace: f32 = (step / (0.05 * steps)).min((steps - step) / (0.95 * steps));
            let rate = RATE * pace.max(0.01);
            step += 1.0;
            for (row, slope) in gradients[0].drain() {
                let row = row as usize;
                let rate = if row < network.patterns { SHAPE_PACE * rate } else { rate };
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
        let empty = network.empty_sums(&board);
        let error = mean(held_out, |sample| {
            network.judge(sample, &board, &empty, None, &mut gradients[0]) - sample.searched
        });
        eprintln!("pass {pass}: error {error:.5} after {} s", begin.elapsed().as_secs());
    }
    network
}

/// The gradient of a batch, in the first of these.
fn learn(network: &Network, board: &Board, batch: &[&Sample], gradients: &mut [Gradient]) {
    let empty = network.empty_sums(board);
    let share = Some(1.0 / batch.len() as f32);
    let parts = batch.chunks(batch.len().div_ceil(gradients.len()));
    thread::scope(|scope| {
        for (part, gradient) in parts.zip(&mut *gradients) {
            let empty = &empty;
            scope.spawn(move || {
                for sample in part {
                    network.judge(sample, board, empty, share, gradient);
                }
                gradient.settle(network, board);
            });
        }
    });
    let (first, others) = gradients.split_first_mut().expect("there is a thread");
    others.iter_mut().for_each(|other| first.absorb(other));
}

/// The mean square of an error.
fn mean(samples: &[Sample], mut error: impl FnMut(&Sample) -> f32) -> f32 {
    samples.iter().map(|sample| error(sample).powi(2)).sum::<f32>() / samples.len() as f32
}
