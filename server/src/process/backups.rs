//! Makes backups of the database file at intervals, without slowing down games. The thread runs only when no other
//! needs the processor, and the connection delays no commit.

use std::{
    convert::Infallible,
    future::pending,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use fivefold_shared::clock::millis;
use fivefold_storage::{Backup, BackupError, BackupFolder, Blocking, StorageError};
use tokio::time::sleep;

use crate::{
    limits::operators::{BACKUP_LOOK_INTERVAL, BACKUP_RETRIED_AFTER},
    metrics::Metrics,
    process::{clock::Clock, priority::run_when_idle},
};

/// Where, how often and how many backups are made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackupPlan {
    /// The folder.
    pub folder: BackupFolder,
    /// The time from one to the next.
    pub every: Duration,
    /// How many are kept.
    pub keep: usize,
}

/// Makes the backups, and knows how old the last one is.
#[derive(Debug)]
pub(crate) struct Backups {
    /// Absent if the operator wants none.
    plan: Option<BackupPlan>,
    blocking: Blocking,
    clock: Clock,
    metrics: Arc<Metrics>,
    /// The bytes that stay free beside a backup, for the games.
    reserve: u64,
    /// When the last one was made, in milliseconds since the Unix epoch; until one is known, when the server started.
    last_at: AtomicU64,
}

impl Backups {
    pub(crate) fn new(
        plan: Option<BackupPlan>,
        blocking: Blocking,
        clock: Clock,
        metrics: Arc<Metrics>,
        reserve: u64,
    ) -> Self {
        let last_at = AtomicU64::new(clock.now());
        Self { plan, blocking, clock, metrics, reserve, last_at }
    }

    /// The age of the last backup, and the time from one to the next; nothing if none are made. Before the first one,
    /// the age counts from the start of the server.
    pub(crate) fn age(&self) -> Option<(Duration, Duration)> {
        let plan = self.plan.as_ref()?;
        let age = self.clock.now().saturating_sub(self.last_at.load(Ordering::Relaxed));
        Some((Duration::from_millis(age), plan.every))
    }

    /// Whether the next backup is long overdue.
    pub(crate) fn last_backup_is_old(&self) -> bool {
        self.age().is_some_and(|(age, every)| age > 2 * every)
    }

    /// Makes backups when they are due; never returns.
    pub(crate) async fn run(&self) -> Infallible {
        let Some(plan) = &self.plan else { return pending().await };
        let pause_max = millis(plan.every.max(BACKUP_RETRIED_AFTER));
        let mut due = 0;
        loop {
            let now = self.clock.now();
            // Longer pauses come from a clock that was set back.
            if now >= due || due - now > pause_max {
                due = match self.make_if_due(plan, now).await {
                    Ok(last_at) => {
                        self.last_at.store(last_at, Ordering::Relaxed);
                        last_at + millis(plan.every)
                    }
                    Err(error) => {
                        self.metrics.backups.failed.inc();
                        tracing::error!(
                            reason = reason(&error),
                            minutes = BACKUP_RETRIED_AFTER.as_secs() / 60,
                            "no backup was made; the server tries again later"
                        );
                        now + millis(BACKUP_RETRIED_AFTER)
                    }
                };
            }
            // Short, as somebody may set the clock.
            sleep(BACKUP_LOOK_INTERVAL).await;
        }
    }

    /// Makes a backup, unless a newer one is there, perhaps of an earlier server. Returns when the last one was made.
    async fn make_if_due(&self, plan: &BackupPlan, now: u64) -> Result<u64, BackupError> {
        let (folder, every, reserve) = (plan.folder.clone(), millis(plan.every), self.reserve);
        let begin = move || -> Result<Begun, BackupError> {
            match folder.prepare(now)? {
                Some(last_at) if now < last_at + every => Ok(Begun::NotDue(last_at)),
                Some(_) | None => Ok(Begun::Due(Box::new(folder.begin(now, reserve)?))),
            }
        };
        let backup = match self.blocking.call(begin).await.unwrap_or_else(|| Err(panicked()))? {
            Begun::NotDue(last_at) => return Ok(last_at),
            Begun::Due(backup) => backup,
        };
        // Dropped with this future when the server stops.
        let stopper = backup.stopper();
        let finished = self.blocking.call_below(run_when_idle, move || backup.finish()).await;
        drop(stopper);
        let file = finished.unwrap_or_else(|| Err(panicked()))?;
        tracing::info!(file = %file.display(), "made a backup");
        self.delete_oldest(plan, file).await;
        Ok(now)
    }

    async fn delete_oldest(&self, plan: &BackupPlan, last: PathBuf) {
        let (folder, keep) = (plan.folder.clone(), plan.keep);
        match self.blocking.call(move || folder.keep_newest(keep, &last)).await {
            Some(Ok(0)) | None => {}
            Some(Ok(backups)) => tracing::info!(backups, "deleted the oldest backups"),
            Some(Err(error)) => {
                tracing::error!(%error, "cannot delete the oldest backups; the disk will fill up");
            }
        }
    }
}

/// What is found when a backup may be due.
enum Begun {
    NotDue(u64),
    Due(Box<Backup>),
}

fn panicked() -> BackupError {
    StorageError::Failed("a thread of the backup has ended".to_owned()).into()
}

/// The reason in one line. What is damaged is listed by the command `check`.
fn reason(error: &BackupError) -> String {
    error.to_string().lines().take(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use fivefold_storage::{DataFolder, Sqlite};
    use tokio::time::timeout;

    use super::*;

    /// 2026-11-30 18:00.
    const START: u64 = 1_796_061_600_000;
    const HOUR: Duration = Duration::from_secs(60 * 60);

    /// A server that keeps two backups, one each six hours.
    fn backups(data: &Path, clock: Clock) -> Backups {
        let folder = BackupFolder::new(data, None);
        let plan = BackupPlan { folder, every: 6 * HOUR, keep: 2 };
        let blocking = Blocking::Simulated(Arc::new(|| Duration::ZERO));
        Backups::new(Some(plan), blocking, clock, Arc::new(Metrics::new()), 0)
    }

    /// Lets it run for so long. Returns the days and hours in the names of the backups that are there
    /// then.
    async fn hours_after(backups: &Backups, data: &Path, time: Duration) -> Vec<String> {
        timeout(time, backups.run()).await.unwrap_err();
        let Ok(files) = fs::read_dir(data.join("backups")) else { return Vec::new() };
        let mut names: Vec<_> =
            files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        let hour = |name: &String| name["fivefold-2026-".len()..].replace(".sqlite3", "");
        names.iter().map(hour).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn backups_are_made_at_intervals_whenever_the_server_starts() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        drop(Sqlite::open(DataFolder::take(data).unwrap()).unwrap());
        let clock = Clock::starting_at(START);
        let first = backups(data, clock);
        let minute = Duration::from_secs(60);
        assert_eq!(hours_after(&first, data, minute).await, ["11-30T18-00"]);
        assert_eq!(hours_after(&first, data, 4 * HOUR).await, ["11-30T18-00"]);
        // Another server goes on where the first has stopped.
        let second = backups(data, clock);
        assert_eq!(hours_after(&second, data, HOUR).await, ["11-30T18-00"]);
        assert_eq!(second.age(), Some((5 * HOUR + minute, 6 * HOUR)));
        assert_eq!(hours_after(&second, data, HOUR).await, ["11-30T18-00", "12-01T00-00"]);
        assert_eq!(second.age(), Some((minute, 6 * HOUR)));
        // The oldest one is deleted.
        assert_eq!(hours_after(&second, data, 6 * HOUR).await, ["12-01T00-00", "12-01T06-00"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_backup_that_fails_is_counted_and_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        drop(Sqlite::open(DataFolder::take(data).unwrap()).unwrap());
        let backups = backups(data, Clock::starting_at(START));
        let obstacle = data.join("backups");
        fs::write(&obstacle, "").unwrap();
        let minutes = |count: u64| Duration::from_secs(count * 60);
        assert!(hours_after(&backups, data, minutes(15)).await.is_empty());
        assert_eq!(backups.metrics.backups.failed.get(), 2);
        assert_eq!(backups.age(), Some((minutes(15), 6 * HOUR)));
        fs::remove_file(&obstacle).unwrap();
        assert_eq!(hours_after(&backups, data, minutes(1)).await, ["11-30T18-15"]);
        assert_eq!(backups.metrics.backups.failed.get(), 2);
    }
}
