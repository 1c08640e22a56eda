//! Finds the likeliest numbers, one at a time, with ever smaller steps.

use fivefold_engine::calibration::Calibration;

use crate::judged::{Judged, Sample, chance};

/// The weight of the squared logarithms of the factors, and of the ratios between neighbouring
/// slopes, against the cross entropy of a position. So few games say little about one of them.
const SMOOTHNESS: f64 = 0.003;
/// The first step of a logarithm, and the last.
const STEPS: [f64; 2] = [0.5, 0.000_5];

/// The numbers that make the results of these positions likeliest.
pub(crate) fn fit(sample: &Sample) -> Calibration {
    let numbers = descend([0.0; 10], |numbers| {
        let calibration = calibration(numbers);
        let chance = |one: &Judged| calibration.chance(one.searched, one.rules, one.stones);
        cross_entropy(sample, chance) + SMOOTHNESS * roughness(numbers)
    });
    calibration(&numbers)
}

/// The factor of the logit that makes the results of these positions likeliest.
pub(crate) fn fit_factor(sample: &Sample) -> f64 {
    let [factor] = descend([0.0], |[factor]| cross_entropy(sample, |one| times(one, factor.exp())));
    factor.exp()
}

/// The chance of the search, with the logit times a factor.
pub(crate) fn times(one: &Judged, factor: f64) -> f64 {
    chance(factor * (one.searched / (1.0 - one.searched)).ln())
}

/// The mean of `-ln p`, where `p` is the chance of what happened; a draw is half of either.
pub(crate) fn cross_entropy(sample: &Sample, chance: impl Fn(&Judged) -> f64) -> f64 {
    let loss = |one: &Judged| {
        let chance = chance(one).clamp(1e-9, 1.0 - 1e-9);
        -(one.score * chance.ln() + (1.0 - one.score) * (1.0 - chance).ln())
    };
    sample.judged.iter().map(loss).sum::<f64>() / sample.judged.len() as f64
}

/// From the logarithms of all numbers: the slopes, the factors, and the surest logit.
fn calibration(numbers: &[f64; 10]) -> Calibration {
    let [a, b, c, d, e, standard, renju, caro, large, surest] = numbers.map(f64::exp);
    Calibration { slopes: [a, b, c, d, e], variants: [standard, renju, caro], large, surest }
}

fn roughness(numbers: &[f64; 10]) -> f64 {
    let slopes = numbers[..5].windows(2).map(|two| two[1] - two[0]);
    slopes.chain(numbers[5..9].iter().copied()).map(|number| number * number).sum()
}

fn descend<const N: usize>(mut numbers: [f64; N], loss: impl Fn(&[f64; N]) -> f64) -> [f64; N] {
    let (mut least, [mut step, last]) = (loss(&numbers), STEPS);
    while step >= last {
        let before = least;
        for index in 0..N {
            for change in [step, -step] {
                let mut tried = numbers;
                tried[index] += change;
                let found = loss(&tried);
                if found < least {
                    (least, numbers) = (found, tried);
                }
            }
        }
        if least == before {
            step /= 2.0;
        }
    }
    numbers
}
