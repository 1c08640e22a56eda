//! Metrics of pushes and e-mail to members whose page is closed.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};
use strum::{EnumIter, IntoEnumIterator, IntoStaticStr};

/// The outcome of a push or an e-mail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum PushResult {
    /// The push service has it.
    Sent,
    /// The subscription is no more.
    Gone,
    /// The push service wants it later.
    Later,
    /// The push service did not answer as it should.
    Failed,
    /// Its address may not be connected to.
    Refused,
    /// It was not sent: what it would say is over, or is not wanted any more.
    Outdated,
    /// Too many wait, or it was tried too often.
    Dropped,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct PushLabels {
    result: &'static str,
}

/// Pushes, or messages, by their results.
#[derive(Debug, Default)]
pub(crate) struct PushMetrics(Family<PushLabels, Counter>);

impl PushMetrics {
    pub(super) fn register(&self, registry: &mut Registry, name: &str, help: &str) {
        registry.register(name, help, self.0.clone());
        for result in PushResult::iter() {
            drop(self.0.get_or_create(&PushLabels { result: result.into() }));
        }
    }

    /// Counts a push.
    pub(crate) fn note(&self, result: PushResult) {
        self.0.get_or_create(&PushLabels { result: result.into() }).inc();
    }
}
