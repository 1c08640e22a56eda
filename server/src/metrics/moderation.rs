//! Metrics of what waits for operators: reports and appeals.

use fivefold_storage::Waiting;
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{family::Family, gauge::Gauge},
    registry::{Registry, Unit},
};

use super::gauges::set;

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct ReporterLabels {
    by: &'static str,
}

/// How much waits, and how long the oldest has waited; 0 where nothing does.
#[derive(Debug, Default)]
pub(crate) struct ModerationMetrics {
    reports: Family<ReporterLabels, Gauge>,
    appeals: Gauge,
    oldest_report: Gauge,
    oldest_appeal: Gauge,
}

impl ModerationMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        let help = "Reports that wait for an operator, by accounts and by guests";
        registry.register("open_reports", help, self.reports.clone());
        let help = "Appeals that wait for an operator";
        registry.register("open_appeals", help, self.appeals.clone());
        let help = "How long the oldest open report has waited; 0 if none is open";
        registry.register_with_unit(
            "oldest_report",
            help,
            Unit::Seconds,
            self.oldest_report.clone(),
        );
        let help = "How long the oldest open appeal has waited; 0 if none is open";
        registry.register_with_unit(
            "oldest_appeal",
            help,
            Unit::Seconds,
            self.oldest_appeal.clone(),
        );
        self.note(Waiting::default(), 0);
    }

    /// Records what waits at a time.
    pub(crate) fn note(&self, waiting: Waiting, now: u64) {
        let Waiting { by_accounts, by_guests, oldest_report_at, appeals, oldest_appeal_at } =
            waiting;
        for (by, count) in [("accounts", by_accounts), ("guests", by_guests)] {
            set(&self.reports.get_or_create(&ReporterLabels { by }), count);
        }
        set(&self.appeals, appeals);
        let seconds = |at: Option<u64>| at.map_or(0, |at| now.saturating_sub(at) / 1_000);
        set(&self.oldest_report, seconds(oldest_report_at));
        set(&self.oldest_appeal, seconds(oldest_appeal_at));
    }
}
