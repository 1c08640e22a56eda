//! A token bucket, which limits how often something may happen.

use std::time::Duration;

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

    /// When it was filled up to now.
    pub(crate) fn filled_at(&self) -> Instant {
        self.filled_at
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

    /// Gives back a token that was taken.
    pub(crate) fn give_back(&mut self, now: Instant) {
        self.fill(now);
        self.tokens = (self.tokens + 1.0).min(self.most);
    }

    /// Whether there is at least one token.
    pub(crate) fn has_one(&mut self, now: Instant) -> bool {
        self.fill(now);
        self.tokens >= 1.0
    }

    /// How long it takes until there is a token.
    pub(crate) fn until_next(&mut self, now: Instant) -> Duration {
        self.fill(now);
        let missing = (1.0 - self.tokens).max(0.0);
        Duration::try_from_secs_f64(missing / self.per_second).unwrap_or(Duration::MAX)
    }

    /// Whether the bucket is full.
    pub(crate) fn is_full(&mut self, now: Instant) -> bool {
        self.fill(now);
        self.tokens >= self.most
    }

    /// Takes this many tokens, or as many as there are.
    pub(crate) fn drain(&mut self, now: Instant, count: u32) {
        self.fill(now);
        self.tokens = (self.tokens - f64::from(count)).max(0.0);
    }

    /// Whether more than a quarter of the tokens is gone.
    fn is_below_three_quarters(&mut self, now: Instant) -> bool {
        self.fill(now);
        4.0 * self.tokens < 3.0 * self.most
    }

    fn fill(&mut self, now: Instant) {
        let gained = now.duration_since(self.filled_at).as_secs_f64() * self.per_second;
        self.tokens = (self.tokens + gained).min(self.most);
        self.filled_at = now;
    }
}

/// A token bucket that nodes share: each reports what is taken from it, and takes what the others
/// report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedBucket {
    pub(crate) bucket: TokenBucket,
    /// Taken here since the last report.
    taken: u32,
}

impl SharedBucket {
    /// A full bucket.
    pub(crate) fn new(now: Instant, per_second: f64, most: u32) -> Self {
        Self { bucket: TokenBucket::new(now, per_second, most), taken: 0 }
    }

    /// As [`TokenBucket::take_many`].
    pub(crate) fn take_many(&mut self, now: Instant, count: u32) -> bool {
        let has_them = self.bucket.take_many(now, count);
        if has_them {
            self.taken = self.taken.saturating_add(count);
        }
        has_them
    }

    /// As [`TokenBucket::take`].
    pub(crate) fn take(&mut self, now: Instant) -> bool {
        self.take_many(now, 1)
    }

    /// Gives back a token that was taken. Nodes that have a report of it do not learn so.
    pub(crate) fn give_back(&mut self, now: Instant) {
        self.bucket.give_back(now);
        self.taken = self.taken.saturating_sub(1);
    }

    /// What was taken here since the last report; 0 unless more than a quarter of the tokens is gone.
    pub(crate) fn report(&mut self, now: Instant) -> u32 {
        let taken = std::mem::take(&mut self.taken);
        if self.bucket.is_below_three_quarters(now) { taken } else { 0 }
    }
}

#[cfg(test)]
mod tests {
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
    fn what_is_taken_is_reported_above_a_quarter() {
        let start = Instant::now();
        let mut bucket = SharedBucket::new(start, 1.0, 8);
        // How many are taken in each second, and how many are reported.
        let cases = [(1, 0), (3, 3), (0, 0), (4, 4), (0, 0)];
        for (second, (count, expected)) in cases.into_iter().enumerate() {
            let now = start + Duration::from_secs(second as u64);
            assert!(bucket.take_many(now, count));
            assert_eq!(bucket.report(now), expected, "second {second}");
        }
        // Exactly a quarter is not above it.
        let mut bucket = SharedBucket::new(start, 1.0, 8);
        assert!(bucket.take_many(start, 2));
        assert_eq!(bucket.report(start), 0);
        assert!(bucket.take_many(start, 1));
        assert_eq!(bucket.report(start), 1);
    }

    #[test]
    fn what_is_given_back_was_never_taken() {
        let start = Instant::now();
        let mut bucket = SharedBucket::new(start, 1.0, 2);
        for _ in 0..9 {
            assert!(bucket.take_many(start, 2));
            bucket.give_back(start);
            bucket.give_back(start);
        }
        assert_eq!(bucket.report(start), 0);
        bucket.give_back(start);
        assert!(bucket.take(start) && bucket.take(start) && !bucket.take(start), "never more");
    }

    #[test]
    fn what_is_taken_elsewhere_leaves_no_debt() {
        let start = Instant::now();
        let mut bucket = TokenBucket::new(start, 1.0, 4);
        bucket.drain(start, 3);
        assert!(bucket.take(start) && !bucket.take(start));
        bucket.drain(start, 100);
        assert!(bucket.take(start + Duration::from_secs(1)));
    }

    #[test]
    fn the_wait_for_a_token_is_known() {
        let start = Instant::now();
        let mut bucket = TokenBucket::new(start, 0.5, 2);
        assert_eq!(bucket.until_next(start), Duration::ZERO);
        assert!(bucket.take_many(start, 2));
        assert_eq!(bucket.until_next(start), Duration::from_secs(2));
        let later = start + Duration::from_secs(1);
        assert_eq!(bucket.until_next(later), Duration::from_secs(1));
        assert!(!bucket.take(later) && bucket.take(start + Duration::from_secs(2)));
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
