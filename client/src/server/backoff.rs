//! Waits between retries: longer each time and partly random, so that the many clients of a
//! restarted server do not all return at once.

use std::time::Duration;

/// The shortest wait.
pub const WAIT_MIN: Duration = Duration::from_millis(500);
/// The longest wait.
pub const WAIT_MAX: Duration = Duration::from_secs(8);

/// The waits of one outage.
#[derive(Clone, Copy, Debug, Default)]
pub struct Backoff {
    tries: u32,
}

impl Backoff {
    /// The next wait: between [`WAIT_MIN`] and a bound that starts at twice that and doubles each
    /// time up to [`WAIT_MAX`]. `chance`, from 0 to 1, chooses between the two.
    pub fn next(&mut self, chance: f64) -> Duration {
        let bound = WAIT_MIN.saturating_mul(2 << self.tries.min(10)).min(WAIT_MAX);
        self.tries += 1;
        WAIT_MIN + (bound - WAIT_MIN).mul_f64(chance.clamp(0.0, 1.0))
    }

    /// The wait before the same server is asked again, which is there and cannot read its database now: up to
    /// three times [`WAIT_MIN`], as it is back soon.
    pub fn after_refusal(chance: f64) -> Duration {
        WAIT_MIN + (2 * WAIT_MIN).mul_f64(chance.clamp(0.0, 1.0))
    }

    /// Continues as if more tries had failed, for a server that asks clients to slow down.
    pub fn slow_down(&mut self) {
        self.tries += 3;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_within_their_bounds() {
        let longest = |chance| {
            let mut backoff = Backoff::default();
            (0..100).map(|_| backoff.next(chance).as_millis()).collect::<Vec<_>>()
        };
        assert_eq!(longest(0.0), [500; 100]);
        assert_eq!(longest(1.0)[..6], [1000, 2000, 4000, 8000, 8000, 8000]);
        assert_eq!(longest(1.0)[99], 8000);
        assert_eq!(longest(7.0)[0], 1000);

        assert_eq!(
            [0.0, 1.0].map(Backoff::after_refusal).map(|wait| wait.as_millis()),
            [500, 1500]
        );

        let mut slower = Backoff::default();
        slower.slow_down();
        assert_eq!(slower.next(1.0).as_millis(), 8000);
    }
}
