//! Quantiles of measured times.

use std::time::Duration;

/// Sorted times.
#[derive(Clone, Debug, Default)]
pub struct Times(Vec<Duration>);

impl Times {
    /// The time that this fraction of all times, from 0 to 1, does not exceed; zero if there are
    /// none.
    pub fn quantile(&self, part: f64) -> Duration {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an index into the times"
        )]
        let index = (self.0.len().saturating_sub(1) as f64 * part).round() as usize;
        self.0.get(index).copied().unwrap_or_default()
    }

    /// The number of times.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

impl FromIterator<Duration> for Times {
    fn from_iter<T: IntoIterator<Item = Duration>>(times: T) -> Self {
        let mut times: Vec<_> = times.into_iter().collect();
        times.sort_unstable();
        Self(times)
    }
}
