//! Metrics of pairing.

use prometheus_client::{
    metrics::{
        counter::Counter,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::{Registry, Unit},
};

/// The ends of seeks, and how long they took.
#[derive(Debug)]
pub(crate) struct PairingMetrics {
    seeks: Gauge,
    /// Games of players who were paired.
    pub(crate) paired: Counter,
    /// Pairs that got no room.
    pub(crate) not_made: Counter,
    /// Games that a player left before they began.
    pub(crate) aborted: Counter,
    /// How long those waited who were paired, in seconds.
    pub(crate) wait: Histogram,
    /// How long a round of the pairing took, in seconds.
    pub(crate) round: Histogram,
}

impl Default for PairingMetrics {
    fn default() -> Self {
        Self {
            seeks: Gauge::default(),
            paired: Counter::default(),
            not_made: Counter::default(),
            aborted: Counter::default(),
            // From half a second to about an hour.
            wait: Histogram::new(exponential_buckets(0.5, 2.0, 13)),
            // From 10 microseconds to 0.3 seconds.
            round: Histogram::new(exponential_buckets(10e-6, 2.0, 15)),
        }
    }
}

impl PairingMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        let help = "Seeks and challenges of this node's sessions that stand";
        registry.register("seeks", help, self.seeks.clone());
        let help = "Games of players that were paired, with rooms made by this node";
        registry.register("paired", help, self.paired.clone());
        let help = "Pairs that got no room from this node; they go on seeking";
        registry.register("pairs_not_made", help, self.not_made.clone());
        let help = "Paired games that a player left before they began";
        registry.register("paired_games_aborted", help, self.aborted.clone());
        let help = "How long those waited who were paired, with rooms made by this node";
        registry.register_with_unit("seek_wait", help, Unit::Seconds, self.wait.clone());
        let help = "How long one round of the pairing took; short on nodes that do not lead it";
        registry.register_with_unit("pairing_round", help, Unit::Seconds, self.round.clone());
    }

    /// How many seeks stand.
    pub(crate) fn seeks(&self) -> usize {
        usize::try_from(self.seeks.get()).unwrap_or(0)
    }

    /// Records how many seeks stand.
    pub(crate) fn note_seeks(&self, count: usize) {
        self.seeks.set(i64::try_from(count).unwrap_or(i64::MAX));
    }
}
