//! Minimizes by gradient descent.

#[path = "../fitting/momentum.rs"]
mod momentum;

use self::momentum::{FADE, FADE_SQUARE, Momentum};

/// Weights on their way.
pub(crate) struct Descent {
    pub(crate) weights: Vec<f32>,
    momentum: Vec<Momentum>,
    step: i32,
}

impl Descent {
    /// Begins with these weights.
    pub(crate) fn new(weights: Vec<f32>) -> Self {
        let momentum = vec![Momentum::default(); weights.len()];
        Self { weights, momentum, step: 0 }
    }

    /// Takes one step against the gradient, no longer than `rate`.
    pub(crate) fn go(&mut self, slopes: &[f32], rate: f32) {
        self.step += 1;
        // The momentum begins at zero, which the first steps make up for.
        let scale = (1.0 - FADE_SQUARE.powi(self.step)).sqrt() / (1.0 - FADE.powi(self.step));
        let weights = self.weights.iter_mut().zip(&mut self.momentum);
        for ((weight, momentum), slope) in weights.zip(slopes) {
            momentum.step(weight, *slope, rate * scale);
        }
    }
}
