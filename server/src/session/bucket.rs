//! A token bucket: how often something may happen.

use tokio::time::Instant;

/// Holds tokens up to a number, and gains them at a steady rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    tokens: f64,
    per_second: f64,
    most: f64,
    filled_at: Instant,
}

impl Bucket {
    /// A full bucket.
    pub(super) fn new(now: Instant, per_second: u32, most: u32) -> Self {
        let most = f64::from(most);
        Self { tokens: most, per_second: per_second.into(), most, filled_at: now }
    }

    /// Takes a token, if there is one.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let gained = now.duration_since(self.filled_at).as_secs_f64() * self.per_second;
        self.tokens = (self.tokens + gained).min(self.most);
        self.filled_at = now;
        let has_one = self.tokens >= 1.0;
        if has_one {
            self.tokens -= 1.0;
        }
        has_one
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn tokens_come_back_at_the_rate_and_never_beyond_the_most() {
        let start = Instant::now();
        let mut bucket = Bucket::new(start, 10, 3);
        // When a number of tokens is asked for, and how many there are.
        let cases = [(0, 5, 3), (99, 1, 0), (101, 2, 1), (1_000, 5, 3), (10_000, 5, 3)];
        for (at_ms, asked, expected) in cases {
            let now = start + Duration::from_millis(at_ms);
            let taken = (0..asked).filter(|_| bucket.take(now)).count();
            assert_eq!(taken, expected, "at {at_ms} ms");
        }
    }
}
