//! A token bucket, which limits how often something may happen.

use tokio::time::Instant;

/// Holds up to a maximum of tokens, and refills at a steady rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenBucket {
    tokens: f64,
    per_second: f64,
    most: f64,
    filled_at: Instant,
}

impl TokenBucket {
    /// A full bucket.
    pub(crate) fn new(now: Instant, per_second: f64, most: u32) -> Self {
        let most = f64::from(most);
        Self { tokens: most, per_second, most, filled_at: now }
    }

    /// Takes a token, if there is one. Returns whether it did.
    pub(crate) fn take(&mut self, now: Instant) -> bool {
        self.take_many(now, 1)
    }

    /// Takes this many tokens, or none if there are fewer. Returns whether it did.
    pub(crate) fn take_many(&mut self, now: Instant, count: u32) -> bool {
        self.fill(now);
        let has_them = self.tokens >= f64::from(count);
        if has_them {
            self.tokens -= f64::from(count);
        }
        has_them
    }

    /// Whether there is at least one token.
    pub(crate) fn has_one(&mut self, now: Instant) -> bool {
        self.fill(now);
        self.tokens >= 1.0
    }

    /// Whether the bucket is full.
    pub(crate) fn is_full(&mut self, now: Instant) -> bool {
        self.fill(now);
        self.tokens >= self.most
    }

    fn fill(&mut self, now: Instant) {
        let gained = now.duration_since(self.filled_at).as_secs_f64() * self.per_second;
        self.tokens = (self.tokens + gained).min(self.most);
        self.filled_at = now;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn tokens_come_back_at_the_rate_and_never_beyond_the_most() {
        let start = Instant::now();
        let mut bucket = TokenBucket::new(start, 10.0, 3);
        // The time and number of tokens requested, and how many there are.
        let cases = [(0, 5, 3), (99, 1, 0), (101, 2, 1), (1_000, 5, 3), (10_000, 5, 3)];
        for (at_ms, asked, expected) in cases {
            let now = start + Duration::from_millis(at_ms);
            let taken = (0..asked).filter(|_| bucket.take(now)).count();
            assert_eq!(taken, expected, "at {at_ms} ms");
        }
    }

    #[test]
    fn many_tokens_are_taken_together_or_not_at_all() {
        let start = Instant::now();
        let mut bucket = TokenBucket::new(start, 10.0, 5);
        let cases = [(3, true), (3, false), (2, true), (1, false), (0, true)];
        for (count, expected) in cases {
            assert_eq!(bucket.take_many(start, count), expected, "{count}");
        }
    }
}
