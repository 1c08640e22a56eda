//! The network of the engine's values in floating point, and how it is fitted.

use fivefold_shared::engine::Features;
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus, seq::SliceRandom};

use crate::descent::Descent;

const TRAITS: usize = Features::TRAITS;
const HIDDEN: usize = Features::HIDDEN;

/// Where the weights of each kind begin: the shares of parts, the hidden units' weights of traits,
/// what hidden units are worth and begin with by constellation, what constellations are worth.
const UNITS: usize = Features::PARTS * 2 * TRAITS;
const WORTHS: usize = UNITS + HIDDEN * 2 * TRAITS;
const BEGINS: usize = WORTHS + HIDDEN;
const THREATS: usize = BEGINS + Features::THREATS * HIDDEN;
const WEIGHTS: usize = THREATS + Features::THREATS;

/// How many times all samples are gone through.
const ROUNDS: usize = 20;
/// How many samples make one step.
const BATCH: usize = 1024;
/// The longest step.
const RATE: f32 = 0.004;

/// A position as the network sees it.
pub(crate) struct Sample {
    /// How often each part is on the empty points: what the side to move would make, and the other.
    pub(crate) parts: [Vec<(u8, u16)>; 2],
    pub(crate) threats: usize,
    /// The chance that the side to move wins.
    pub(crate) target: f32,
}

/// The weights, in units of the logistic function.
pub(crate) struct Network(Vec<f32>);

/// What a sample has made of each layer.
struct Layers {
    /// Of the side to move and the other, none below zero.
    traits: [f32; 2 * TRAITS],
    hidden: [f32; HIDDEN],
    chance: f32,
}

impl Network {
    /// Fits the network to all samples but the last ones, and tells how well it predicts those.
    pub(crate) fn fit(samples: &[Sample]) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let (fitted, held_out) = samples.split_at(samples.len() * 19 / 20);
        let mut order: Vec<usize> = (0..fitted.len()).collect();
        let mut descent = Descent::new(first(fitted, &mut random));
        let steps = (ROUNDS * fitted.len().div_ceil(BATCH)) as f32;
        let mut step = 0.0;
        for round in 1..=ROUNDS {
            order.shuffle(&mut random);
            for batch in order.chunks(BATCH) {
                let network = Self(std::mem::take(&mut descent.weights));
                let mut slopes = vec![0.0; WEIGHTS];
                for index in batch {
                    network.learn(&fitted[*index], 1.0 / batch.len() as f32, &mut slopes);
                }
                descent.weights = network.0;
                // First more and more at a time, then less and less.
                let pace = (step / (0.2 * steps)).min((steps - step) / (0.8 * steps));
                descent.go(&slopes, RATE * pace.max(0.01));
                step += 1.0;
            }
            if round % 5 == 0 {
                let network = Self(descent.weights.clone());
                let few = &fitted[..held_out.len()];
                eprintln!("value: {:.5} {:.5}", network.error(few), network.error(held_out));
            }
        }
        Self(descent.weights)
    }

    /// The mean square of what is between predictions and targets.
    fn error(&self, samples: &[Sample]) -> f32 {
        let square = |sample: &Sample| (self.run(sample).chance - sample.target).powi(2);
        samples.iter().map(square).sum::<f32>() / samples.len() as f32
    }

    /// What a part adds to the traits of the side that would make it, and of the other side.
    pub(crate) fn share(&self, part: usize) -> &[f32] {
        &self.0[part * 2 * TRAITS..][..2 * TRAITS]
    }

    /// What a hidden unit is worth, and what traits weigh for it: first those of the side to move.
    pub(crate) fn unit(&self, unit: usize) -> (f32, &[f32]) {
        (self.0[WORTHS + unit], &self.0[UNITS + unit * 2 * TRAITS..][..2 * TRAITS])
    }

    /// What a constellation is worth, and what hidden units begin with in it.
    pub(crate) fn threats(&self, threats: usize) -> (f32, &[f32]) {
        (self.0[THREATS + threats], &self.0[BEGINS + threats * HIDDEN..][..HIDDEN])
    }

    fn run(&self, sample: &Sample) -> Layers {
        let mut traits = [0.0; 2 * TRAITS];
        for (side, parts) in sample.parts.iter().enumerate() {
            let (mover, other) = traits.split_at_mut(TRAITS);
            let (maker, rest) = if side == 0 { (mover, other) } else { (other, mover) };
            for (part, count) in parts {
                let (own, others) = self.share(usize::from(*part)).split_at(TRAITS);
                add(maker, own, f32::from(*count));
                add(rest, others, f32::from(*count));
            }
        }
        traits.iter_mut().for_each(|one| *one = one.max(0.0));
        let (mut sum, begins) = self.threats(sample.threats);
        let mut hidden = [0.0; HIDDEN];
        for (unit, active) in hidden.iter_mut().enumerate() {
            let (worth, weights) = self.unit(unit);
            let weighed: f32 = weights.iter().zip(&traits).map(|(weight, one)| weight * one).sum();
            *active = (begins[unit] + weighed).max(0.0);
            sum += worth * *active;
        }
        Layers { traits, hidden, chance: 1.0 / (1.0 + (-sum).exp()) }
    }

    /// Adds what one sample says of where to go: the slopes of its cross entropy.
    fn learn(&self, sample: &Sample, share: f32, slopes: &mut [f32]) {
        let Layers { traits, hidden, chance } = self.run(sample);
        let error = share * (chance - sample.target);
        slopes[THREATS + sample.threats] += error;
        let mut back = [0.0; 2 * TRAITS];
        for (unit, active) in hidden.into_iter().enumerate() {
            slopes[WORTHS + unit] += error * active;
            if active > 0.0 {
                let (worth, weights) = self.unit(unit);
                let error = error * worth;
                slopes[BEGINS + sample.threats * HIDDEN + unit] += error;
                add(&mut slopes[UNITS + unit * 2 * TRAITS..][..2 * TRAITS], &traits, error);
                add(&mut back, weights, error);
            }
        }
        for (back, one) in back.iter_mut().zip(&traits) {
            if *one <= 0.0 {
                *back = 0.0;
            }
        }
        let (mover, other) = back.split_at(TRAITS);
        for (parts, [maker, rest]) in sample.parts.iter().zip([[mover, other], [other, mover]]) {
            for (part, count) in parts {
                let slopes = &mut slopes[usize::from(*part) * 2 * TRAITS..][..2 * TRAITS];
                let (own, others) = slopes.split_at_mut(TRAITS);
                add(own, maker, f32::from(*count));
                add(others, rest, f32::from(*count));
            }
        }
    }
}

/// Weights to begin with. Parts that no sample has weigh nothing, and it stays so.
fn first(samples: &[Sample], random: &mut Xoshiro256PlusPlus) -> Vec<f32> {
    let mut is_seen = [false; Features::PARTS];
    for (part, _) in samples.iter().flat_map(|sample| sample.parts.iter().flatten()) {
        is_seen[usize::from(*part)] = true;
    }
    let spread = |index: usize| match index {
        ..UNITS if is_seen[index / (2 * TRAITS)] => 0.02,
        UNITS..WORTHS => 0.18,
        WORTHS..BEGINS => 0.25,
        _ => 0.0,
    };
    (0..WEIGHTS).map(|index| spread(index) * random.random_range(-1.0_f32..=1.0)).collect()
}

fn add(sums: &mut [f32], numbers: &[f32], factor: f32) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += factor * number;
    }
}
