//! The network of the engine's values in floating point, and its fitting.

use fivefold_engine::search::EvalTrace;
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus, seq::SliceRandom};

use crate::descent::Descent;

const ACCUMULATOR: usize = EvalTrace::ACCUMULATOR_SIZE;
const HIDDEN: usize = EvalTrace::HIDDEN_SIZE;

/// Where the weights of each kind begin: the deltas of features, the hidden units' weights of the
/// accumulators, their output weights, their biases by threat class, and the output biases.
const UNITS: usize = EvalTrace::FEATURES * 2 * ACCUMULATOR;
const OUTPUT_WEIGHTS: usize = UNITS + HIDDEN * 2 * ACCUMULATOR;
const BIASES: usize = OUTPUT_WEIGHTS + HIDDEN;
const THREATS: usize = BIASES + EvalTrace::THREAT_CLASSES * HIDDEN;
const WEIGHTS: usize = THREATS + EvalTrace::THREAT_CLASSES;

/// Passes over all samples.
const ROUNDS: usize = 20;
/// Samples for one step.
const BATCH: usize = 1024;
/// The longest step.
const RATE: f32 = 0.004;

/// A position as the network sees it.
pub(crate) struct Sample {
    /// How often each feature occurs on empty points: those that the side to move would make, then
    /// the opponent's.
    pub(crate) features: [Vec<(u8, u16)>; 2],
    pub(crate) threats: usize,
    /// The chance that the side to move wins.
    pub(crate) target: f32,
}

/// The weights, in units of the logistic function.
pub(crate) struct Network(Vec<f32>);

/// The values of each layer for a sample.
struct Layers {
    /// For the side to move and for the opponent, clipped at zero.
    accumulators: [f32; 2 * ACCUMULATOR],
    hidden: [f32; HIDDEN],
    chance: f32,
}

impl Network {
    /// Fits the network to all samples but the last ones, and prints how well it predicts those.
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
                // The rate grows at first, and then shrinks.
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

    /// The mean square difference between predictions and targets.
    fn error(&self, samples: &[Sample]) -> f32 {
        let square = |sample: &Sample| (self.run(sample).chance - sample.target).powi(2);
        samples.iter().map(square).sum::<f32>() / samples.len() as f32
    }

    /// The contribution of a feature to the accumulators of the side that would make it, and of the
    /// other.
    pub(crate) fn delta(&self, feature: usize) -> &[f32] {
        &self.0[feature * 2 * ACCUMULATOR..][..2 * ACCUMULATOR]
    }

    /// The output weight of a hidden unit, and its weights of the accumulators: the mover's first.
    pub(crate) fn unit(&self, unit: usize) -> (f32, &[f32]) {
        (
            self.0[OUTPUT_WEIGHTS + unit],
            &self.0[UNITS + unit * 2 * ACCUMULATOR..][..2 * ACCUMULATOR],
        )
    }

    /// The output bias of a threat class, and its biases of the hidden units.
    pub(crate) fn threats(&self, threats: usize) -> (f32, &[f32]) {
        (self.0[THREATS + threats], &self.0[BIASES + threats * HIDDEN..][..HIDDEN])
    }

    fn run(&self, sample: &Sample) -> Layers {
        let mut accumulators = [0.0; 2 * ACCUMULATOR];
        for (side, features) in sample.features.iter().enumerate() {
            let (mover, other) = accumulators.split_at_mut(ACCUMULATOR);
            let (maker, rest) = if side == 0 { (mover, other) } else { (other, mover) };
            for (feature, count) in features {
                let (own, others) = self.delta(usize::from(*feature)).split_at(ACCUMULATOR);
                add(maker, own, f32::from(*count));
                add(rest, others, f32::from(*count));
            }
        }
        accumulators.iter_mut().for_each(|one| *one = one.max(0.0));
        let (mut sum, biases) = self.threats(sample.threats);
        let mut hidden = [0.0; HIDDEN];
        for (unit, active) in hidden.iter_mut().enumerate() {
            let (output_weight, weights) = self.unit(unit);
            let weighed: f32 =
                weights.iter().zip(&accumulators).map(|(weight, one)| weight * one).sum();
            *active = (biases[unit] + weighed).max(0.0);
            sum += output_weight * *active;
        }
        Layers { accumulators, hidden, chance: 1.0 / (1.0 + (-sum).exp()) }
    }

    /// Adds the gradient of one sample's cross entropy.
    fn learn(&self, sample: &Sample, share: f32, slopes: &mut [f32]) {
        let Layers { accumulators, hidden, chance } = self.run(sample);
        let error = share * (chance - sample.target);
        slopes[THREATS + sample.threats] += error;
        let mut back = [0.0; 2 * ACCUMULATOR];
        for (unit, active) in hidden.into_iter().enumerate() {
            slopes[OUTPUT_WEIGHTS + unit] += error * active;
            if active > 0.0 {
                let (output_weight, weights) = self.unit(unit);
                let error = error * output_weight;
                slopes[BIASES + sample.threats * HIDDEN + unit] += error;
                add(
                    &mut slopes[UNITS + unit * 2 * ACCUMULATOR..][..2 * ACCUMULATOR],
                    &accumulators,
                    error,
                );
                add(&mut back, weights, error);
            }
        }
        for (back, one) in back.iter_mut().zip(&accumulators) {
            if *one <= 0.0 {
                *back = 0.0;
            }
        }
        let (mover, other) = back.split_at(ACCUMULATOR);
        for (features, [maker, rest]) in
            sample.features.iter().zip([[mover, other], [other, mover]])
        {
            for (feature, count) in features {
                let slopes =
                    &mut slopes[usize::from(*feature) * 2 * ACCUMULATOR..][..2 * ACCUMULATOR];
                let (own, others) = slopes.split_at_mut(ACCUMULATOR);
                add(own, maker, f32::from(*count));
                add(others, rest, f32::from(*count));
            }
        }
    }
}

/// Initial weights. The weights of features that occur in no sample are 0, and stay so.
fn first(samples: &[Sample], random: &mut Xoshiro256PlusPlus) -> Vec<f32> {
    let mut is_seen = [false; EvalTrace::FEATURES];
    for (feature, _) in samples.iter().flat_map(|sample| sample.features.iter().flatten()) {
        is_seen[usize::from(*feature)] = true;
    }
    let spread = |index: usize| match index {
        ..UNITS if is_seen[index / (2 * ACCUMULATOR)] => 0.02,
        UNITS..OUTPUT_WEIGHTS => 0.18,
        OUTPUT_WEIGHTS..BIASES => 0.25,
        _ => 0.0,
    };
    (0..WEIGHTS).map(|index| spread(index) * random.random_range(-1.0_f32..=1.0)).collect()
}

fn add(sums: &mut [f32], numbers: &[f32], factor: f32) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += factor * number;
    }
}
