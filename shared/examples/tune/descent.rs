//! Minimizes by gradient descent (Adam).

/// Weights on their way (Adam: D. Kingma and J. Ba, *Adam: A Method for Stochastic Optimization*,
/// 2015).
pub(crate) struct Descent {
    pub(crate) weights: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    step: i32,
}

impl Descent {
    /// Begins with these weights.
    pub(crate) fn new(weights: Vec<f32>) -> Self {
        let zeros = vec![0.0; weights.len()];
        Self { weights, mean: zeros.clone(), square: zeros, step: 0 }
    }

    /// Takes one step against the gradient, no longer than `rate`.
    pub(crate) fn go(&mut self, slopes: &[f32], rate: f32) {
        self.step += 1;
        let (fade, fade_square) = (0.9_f32, 0.999_f32);
        let scale = (1.0 - fade_square.powi(self.step)).sqrt() / (1.0 - fade.powi(self.step));
        for (index, slope) in slopes.iter().enumerate() {
            self.mean[index] = fade * self.mean[index] + (1.0 - fade) * slope;
            self.square[index] =
                fade_square * self.square[index] + (1.0 - fade_square) * slope * slope;
            let root = self.square[index].sqrt() + 1e-8;
            self.weights[index] -= rate * scale * self.mean[index] / root;
        }
    }
}
