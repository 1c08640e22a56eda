//! Evaluates a position for the side to move, from the patterns of its empty points.
//!
//! A small network does it. Each empty point adds to an *accumulator* of either side: the weights
//! of the patterns that the side would make there, and, with other weights, of those that its
//! opponent would make. The grid keeps the sums up to date as stones come and go (the idea of Y.
//! Nasu, *Efficiently Updatable Neural-Network-based Evaluation Functions*, 2018). A layer of
//! hidden units, which also knows the threats of both sides, combines the two accumulators.
//!
//! The weight of a combination of four patterns is the sum of the weights of the patterns and of
//! their six pairs, so that rare combinations are judged by what they share with others. The
//! [`weights`](super::weights) were fitted to games.

use super::{
    eval_features::{ACCUMULATOR_SCALE, Accumulator, HIDDEN_SCALE, OUTPUT_SCALE},
    weights::Weights,
};

/// The value for the side to move, from the accumulators of both sides, the mover's first, and the
/// [`threat_class`](super::eval_features::threat_class).
pub(super) fn value(weights: &Weights, accumulators: [&Accumulator; 2], threats: usize) -> i32 {
    let accumulators = accumulators.map(|side| side.map(|value| value.max(0)));
    let threats = &weights.threat_biases[threats];
    let mut sum = threats.bias;
    for (unit, begin) in weights.hidden.iter().zip(&threats.hidden) {
        let [own, other] = [0, 1].map(|side| dot(&accumulators[side], &unit.weights[side]));
        let active = (begin + own + other).max(0) / HIDDEN_SCALE;
        sum += active * i32::from(unit.output_weight) / ACCUMULATOR_SCALE;
    }
    sum / OUTPUT_SCALE
}

fn dot(one: &Accumulator, other: &Accumulator) -> i32 {
    one.iter().zip(other).map(|(one, other)| i32::from(*one) * i32::from(*other)).sum()
}
