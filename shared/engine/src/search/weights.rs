//! Weights of patterns and threats, fitted by `examples/tune` to games of the
//! engine against itself.

use std::sync::OnceLock;

use super::eval_features::{
    self, ACCUMULATOR_SIZE, Accumulator, Delta, FEATURES, HIDDEN_SIZE, THREAT_CLASSES, Urgency,
};

/// Tables of integers, a row on a line. [`Weights::read`] documents the format.
const TEXT: &str = include_str!("weights.txt");

/// All fitted weights, in integers.
#[derive(Debug)]
pub(super) struct Weights {
    /// By pattern and pair, see [`features`](super::eval_features::features).
    pub(super) features: Vec<FeatureWeights>,
    /// The hidden units.
    pub(super) hidden: Vec<Unit>,
    /// By [`threat_class`](super::eval_features::threat_class).
    pub(super) threat_biases: Vec<ThreatBias>,
}

/// The weights of a pattern or a pair of patterns on an empty point, or a sum of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FeatureWeights {
    pub(super) urgency: Urgency,
    pub(super) delta: Delta,
}

/// A hidden unit.
#[derive(Debug)]
pub(super) struct Unit {
    /// Output weight or bias, for the side to move.
    pub(super) output_weight: i16,
    /// Weights of the mover's accumulator, and of the other.
    pub(super) weights: [Accumulator; 2],
}

/// The biases of a threat class.
#[derive(Debug)]
pub(super) struct ThreatBias {
    /// Output weight or bias, for the side to move.
    pub(super) bias: i32,
    /// Biases of the hidden units.
    pub(super) hidden: [i32; HIDDEN_SIZE],
}

impl Weights {
    /// The weights, read on first use.
    pub(super) fn get() -> &'static Self {
        static WEIGHTS: OnceLock<Weights> = OnceLock::new();
        WEIGHTS.get_or_init(|| Self::read(TEXT).expect("the file is as it was printed"))
    }

    /// The sum of the weights of four patterns on an empty point.
    pub(super) fn sum(&self, four: [u8; 4]) -> FeatureWeights {
        let features = eval_features::features(four).map(|feature| self.features[feature]);
        features.fold(FeatureWeights::default(), |one, other| FeatureWeights {
            urgency: Urgency {
                to_make: one.urgency.to_make.saturating_add(other.urgency.to_make),
                to_prevent: one.urgency.to_prevent.saturating_add(other.urgency.to_prevent),
            },
            delta: one.delta.with(&other.delta),
        })
    }

    /// Reads a row for each pattern and pair (the urgency to make and to prevent, the deltas), for
    /// each hidden unit (output weight, weights of accumulators), and for each threat class
    /// (output bias, biases of the hidden units).
    fn read(text: &str) -> Option<Self> {
        let numbers = text.lines().filter(|line| !line.starts_with('#'));
        let mut numbers = numbers.flat_map(str::split_whitespace).map(str::parse::<i32>);
        let mut next = || numbers.next()?.ok();
        let feature = |_| {
            let urgency = Urgency { to_make: small(next()?)?, to_prevent: small(next()?)? };
            Some(FeatureWeights {
                urgency,
                delta: Delta { own: row(&mut next)?, other: row(&mut next)? },
            })
        };
        let features = (0..FEATURES).map(feature).collect::<Option<_>>()?;
        let unit = |_| {
            let output_weight = small(next()?)?;
            Some(Unit { output_weight, weights: [row(&mut next)?, row(&mut next)?] })
        };
        let hidden = (0..HIDDEN_SIZE).map(unit).collect::<Option<_>>()?;
        let constellation = |_| {
            let bias = next()?;
            let biases = (0..HIDDEN_SIZE).map(|_| next()).collect::<Option<Vec<_>>>()?;
            Some(ThreatBias { bias, hidden: biases.try_into().ok()? })
        };
        let threat_biases = (0..THREAT_CLASSES).map(constellation).collect::<Option<_>>()?;
        next().is_none().then_some(Self { features, hidden, threat_biases })
    }
}

fn row(next: &mut impl FnMut() -> Option<i32>) -> Option<Accumulator> {
    let row: Option<Vec<i16>> = (0..ACCUMULATOR_SIZE).map(|_| small(next()?)).collect();
    row?.try_into().ok()
}

fn small(number: i32) -> Option<i16> {
    i16::try_from(number).ok()
}
