//! Makes backups of the database file at intervals. The thread has the lowest priority, and its connection delays no
//! commit. While it copies the database, the write-ahead log grows, so this ends the copy where it takes too long.

use std::{
    convert::Infallible,
    future::pending,
    path::PathBuf,
    pin::pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use fivefold_shared::clock::millis;
use fivefold_storage::{
    Backup, BackupError, BackupFolder, BackupLock, BackupStopper, Blocking, StorageError,
};
use tokio::{
    select,
    time::{Instant, sleep},
};

use crate::{
    limits::operators::{
        BACKUP_COPIED_WITHIN, BACKUP_LOG_BYTES_MAX, BACKUP_LOOK_INTERVAL, BACKUP_RETRIED_AFTER,
    },
    metrics::Metrics,
    process::{
        clock::Clock,
        disk::{Disk, DiskLevel},
        priority::give_way_to_all,
    },
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
    disk: Arc<Disk>,
    /// Keeps other servers out of the folder. Absent before the first look at it.
    lock: Mutex<Option<BackupLock>>,
    /// When the last one was made, in milliseconds since the Unix epoch; until one is known, when the server started.
    last_at: AtomicU64,
}

impl Backups {
    pub(crate) fn new(
        plan: Option<BackupPlan>,
        blocking: Blocking,
        clock: Clock,
        metrics: Arc<Metrics>,
        disk: Arc<Disk>,
    ) -> Self {
        let last_at = AtomicU64::new(clock.now());
        Self { plan, blocking, clock, metrics, disk, lock: Mutex::default(), last_at }
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
        self.lock(plan).await?;
        let folder = plan.folder.clone();
        match self.call(move || folder.prepare(now)).await? {
            Some(last_at) => {
                // An old backup is old also where the next one fails.
                self.last_at.store(last_at, Ordering::Relaxed);
                if now < last_at + millis(plan.every) {
                    return Ok(last_at);
                }
            }
            // The clock may have been set back.
            None => {
                self.last_at.fetch_min(now, Ordering::Relaxed);
            }
        }
        let (folder, reserve, keep) = (plan.folder.clone(), self.disk.reserve(), plan.keep);
        let backup = self.call(move || folder.begin_with_space(now, reserve, keep)).await?;
        let file = self.finish(backup).await?;
        tracing::info!(file = %file.display(), "made a backup");
        self.delete_oldest(plan, file).await;
        Ok(now)
    }

    /// Locks the folder for as long as the server runs.
    async fn lock(&self, plan: &BackupPlan) -> Result<(), BackupError> {
        let is_locked = || self.lock.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        if is_locked() {
            return Ok(());
        }
        let folder = plan.folder.clone();
        let lock = self.call(move || folder.lock()).await?;
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = Some(lock);
        Ok(())
    }

    async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce() -> Result<T, BackupError> + Send + 'static,
    ) -> Result<T, BackupError> {
        self.blocking.call(call).await.unwrap_or_else(|| Err(panicked()))
    }

    /// Copies the database and checks the copy. Ends the copying where it would harm the server.
    async fn finish(&self, backup: Backup) -> Result<PathBuf, BackupError> {
        // Dropped with this future when the server stops.
        let stopper = backup.stopper();
        let mut finished = pin!(self.blocking.call_below(give_way_to_all, move || backup.finish()));
        let mut stopping = pin!(self.stop_if_harmful(&stopper));
        let mut stopped_by = None;
        let result = loop {
            select! {
                biased;
                result = &mut finished => break result,
                reason = &mut stopping, if stopped_by.is_none() => stopped_by = Some(reason),
                // Again, as the copying may not have begun.
                () = sleep(BACKUP_LOOK_INTERVAL), if stopped_by.is_some() => {
                    stopper.stop();
                }
            }
        };
        let result = result.unwrap_or_else(|| Err(panicked()));
        match stopped_by {
            Some(reason) => result.map_err(|_| BackupError::Stopped(reason.to_owned())),
            None => result,
        }
    }

    /// Waits until the copying has to end, and stops it. Returns the reason; never returns if all is copied before.
    async fn stop_if_harmful(&self, stopper: &BackupStopper) -> &'static str {
        let begun = Instant::now();
        let was_low = self.disk.level() == DiskLevel::Low;
        loop {
            sleep(BACKUP_LOOK_INTERVAL).await;
            let reason = if begun.elapsed() >= BACKUP_COPIED_WITHIN {
                "it took longer than an hour; the machine or the disk is too busy"
            } else if self.disk.log_bytes() > BACKUP_LOG_BYTES_MAX {
                "the write-ahead log of the database has grown too long meanwhile"
            } else if !was_low && self.disk.level() == DiskLevel::Low {
                "the disk of the database is almost full"
            } else {
                continue;
            };
            if stopper.stop() {
                return reason;
            }
            // The check of the copy does not hold the log.
            return pending().await;
        }
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

    use fivefold_storage::{DataFolder, DiskSpace, Memory, Sqlite, Storage};
    use tokio::time::timeout;

    use super::*;
    use crate::process::read_pool::ReadPool;

    /// 2026-11-30 18:00.
    const START: u64 = 1_796_061_600_000;
    const HOUR: Duration = Duration::from_secs(60 * 60);

    /// The bytes that have to stay free.
    const RESERVE: u64 = 1_000;

    /// A server that keeps two backups, one each six hours.
    fn backups(data: &Path, clock: Clock) -> Backups {
        backups_on(data, clock, || Duration::ZERO)
    }

    /// The same on a machine where each blocking call takes so long.
    fn backups_on(
        data: &Path,
        clock: Clock,
        delay: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Backups {
        let folder = BackupFolder::new(data, None);
        let plan = BackupPlan { folder, every: 6 * HOUR, keep: 2 };
        let reader = Memory::default().reader().unwrap();
        let read_pool = Arc::new(ReadPool::new(vec![reader], Blocking::Threads));
        let metrics = Arc::new(Metrics::new());
        let disk = Disk::new(&read_pool, &metrics, RESERVE);
        Backups::new(Some(plan), Blocking::Simulated(Arc::new(delay)), clock, metrics, disk)
    }

    /// A folder with an empty database.
    fn data_folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        drop(Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap());
        folder
    }

    /// Lets it run for so long. Returns the days and hours in the names of the backups that are there
    /// then.
    async fn hours_after(backups: &Backups, data: &Path, time: Duration) -> Vec<String> {
        timeout(time, backups.run()).await.unwrap_err();
        let Ok(files) = fs::read_dir(data.join("backups")) else { return Vec::new() };
        let mut names: Vec<_> =
            files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != "backups.lock");
        names.sort_unstable();
        let hour = |name: &String| name["fivefold-2026-".len()..].replace(".sqlite3", "");
        names.iter().map(hour).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn backups_are_made_at_intervals_whenever_the_server_starts() {
        let folder = data_folder();
        let data = folder.path();
        let clock = Clock::starting_at(START);
        let first = backups(data, clock);
        let minute = Duration::from_secs(60);
        assert_eq!(hours_after(&first, data, minute).await, ["11-30T18-00"]);
        assert_eq!(hours_after(&first, data, 4 * HOUR).await, ["11-30T18-00"]);
        // Another server goes on where the first has stopped.
        drop(first);
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
        let folder = data_folder();
        let data = folder.path();
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

    #[tokio::test(start_paused = true)]
    async fn two_servers_do_not_delete_the_backups_of_each_other() {
        let folder = data_folder();
        let data = folder.path();
        let minute = Duration::from_secs(60);
        let clock = Clock::starting_at(START);
        let first = backups(data, clock);
        assert_eq!(hours_after(&first, data, minute).await, ["11-30T18-00"]);
        let second = backups(data, clock);
        assert_eq!(hours_after(&second, data, 13 * HOUR).await, ["11-30T18-00"]);
        assert!(second.metrics.backups.failed.get() > 70);
        let error = second.make_if_due(second.plan.as_ref().unwrap(), START).await.unwrap_err();
        assert!(matches!(error, BackupError::InUse { .. }), "{error:?}");
        assert!(error.to_string().contains("backup-folder"), "{error}");
        drop(first);
        assert_eq!(hours_after(&second, data, minute).await, ["11-30T18-00", "12-01T07-01"]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_old_backup_is_old_after_a_restart_although_the_next_one_fails() {
        let folder = data_folder();
        let data = folder.path();
        fs::create_dir(data.join("backups")).unwrap();
        fs::write(data.join("backups/fivefold-2026-11-29T18-00.sqlite3"), "").unwrap();
        fs::create_dir(data.join("backups/fivefold-2026-11-30T18-00.sqlite3")).unwrap();
        let backups = backups(data, Clock::starting_at(START));
        assert!(!backups.last_backup_is_old());
        timeout(Duration::from_secs(30), backups.run()).await.unwrap_err();
        assert_eq!(backups.metrics.backups.failed.get(), 1);
        assert_eq!(backups.age(), Some((24 * HOUR + Duration::from_secs(30), 6 * HOUR)));
        assert!(backups.last_backup_is_old());
        // Two intervals are not too long yet.
        let limit = backups.clock.now() - millis(12 * HOUR);
        for (last_at, is_old) in [(limit, false), (limit - 1, true)] {
            backups.last_at.store(last_at, Ordering::Relaxed);
            assert_eq!(backups.last_backup_is_old(), is_old, "{last_at}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_copy_that_would_harm_the_server_is_stopped() {
        let space = |log, free| DiskSpace { used: 0, log, free };
        for (found, expected) in [
            (space(BACKUP_LOG_BYTES_MAX, RESERVE), "longer than an hour"),
            (space(BACKUP_LOG_BYTES_MAX + 1, RESERVE), "write-ahead log"),
            (space(0, RESERVE - 1), "almost full"),
        ] {
            let folder = data_folder();
            let calls = AtomicU64::new(0);
            // The first three calls lock the folder, look at it and begin.
            let delay = move || match calls.fetch_add(1, Ordering::Relaxed) {
                0..3 => Duration::ZERO,
                _ => 2 * HOUR,
            };
            let backups = backups_on(folder.path(), Clock::starting_at(START), delay);
            let plan = backups.plan.as_ref().unwrap();
            let measured = async {
                sleep(Duration::from_secs(60)).await;
                backups.disk.note(found);
                pending::<Infallible>().await
            };
            let error = select! {
                made = backups.make_if_due(plan, START) => made.unwrap_err(),
                never = measured => match never {},
            };
            assert!(matches!(error, BackupError::Stopped(_)), "{error:?}");
            assert!(error.to_string().contains(expected), "{error}");
            let left: Vec<_> = fs::read_dir(plan.folder.path())
                .unwrap()
                .map(|file| file.unwrap().file_name())
                .collect();
            assert_eq!(left, ["backups.lock"]);
        }
    }
}
