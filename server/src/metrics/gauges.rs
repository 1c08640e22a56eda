//! What gauges have in common.

use prometheus_client::metrics::gauge::Gauge;

/// Labels of what is one value or none.
pub(super) type NoLabels = Vec<(String, String)>;

/// Sets a gauge; what is too large for it becomes its greatest value.
pub(super) fn set(gauge: &Gauge, value: impl TryInto<i64>) {
    gauge.set(level(value));
}

/// A value as gauges have it.
pub(super) fn level(value: impl TryInto<i64>) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}
