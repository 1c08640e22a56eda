//! Steps against a gradient.

/// What the steps remember of a weight (Adam: D. Kingma and J. Ba, *Adam: A Method for Stochastic
/// Optimization*, 2015).
#[derive(Clone, Copy, Default)]
pub(crate) struct Momentum {
    mean: f32,
    square: f32,
}

/// How much of the mean slope, and of the mean square, each step keeps.
pub(crate) const FADE: f32 = 0.9;
/// See above.
pub(crate) const FADE_SQUARE: f32 = 0.999;

impl Momentum {
    /// Moves a weight against its slope, by about `rate`.
    pub(crate) fn step(&mut self, weight: &mut f32, slope: f32, rate: f32) {
        self.mean = FADE * self.mean + (1.0 - FADE) * slope;
        self.square = FADE_SQUARE * self.square + (1.0 - FADE_SQUARE) * slope * slope;
        *weight -= rate * self.mean / (self.square.sqrt() + 1e-8);
    }
}
