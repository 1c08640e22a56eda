//! Metrics of the backups that the server makes.

use std::time::Duration;

use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::{Registry, Unit},
};

use super::gauges::{NoLabels, set};

/// How old the last backup is, and how many have failed.
#[derive(Debug, Default)]
pub(crate) struct BackupMetrics {
    /// Backups that could not be made.
    pub(crate) failed: Counter,
    /// Without a label, and absent where none are made.
    age: Family<NoLabels, Gauge>,
    interval: Family<NoLabels, Gauge>,
}

impl BackupMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        let help = "Backups that could not be made";
        registry.register("backups_failed", help, self.failed.clone());
        let help = "Time since the last backup; absent without the setting backup-every";
        registry.register_with_unit("backup_age", help, Unit::Seconds, self.age.clone());
        let help = "Time from one backup to the next; absent without the setting backup-every";
        registry.register_with_unit("backup_interval", help, Unit::Seconds, self.interval.clone());
    }

    /// Records the age of the last one and the time from one to the next, if backups are made.
    pub(crate) fn note(&self, age: Option<(Duration, Duration)>) {
        let Some((age, interval)) = age else { return };
        set(&self.age.get_or_create(&NoLabels::new()), age.as_secs());
        set(&self.interval.get_or_create(&NoLabels::new()), interval.as_secs());
    }
}
