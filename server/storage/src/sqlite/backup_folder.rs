//! The folder with the backups that a server makes at intervals. Their names say when they were made; the server
//! deletes only files with such names.

use std::{
    fs::{self, File, TryLockError},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use fivefold_shared::clock::{MINUTE_MS, day, day_begins};

use super::{
    backup::{self, BackupError, BackupStopper, Copying, look_for_space},
    data_folder::{
        PARTIAL, database_in, make_private_folder, open_lock, remove_if_there, sync_folder_of,
    },
    write_ahead_log::with_suffix,
};

const START: &str = "fivefold-";
const END: &str = ".sqlite3";
/// Not the name of the lock of a data folder, which may be the same folder.
const LOCK: &str = "backups.lock";
/// The server never deletes more backups than down to this number to make space for the next one.
const LEFT_FOR_SPACE: usize = 2;

/// The folder, and the database that is copied into it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackupFolder {
    database: PathBuf,
    folder: PathBuf,
}

/// Keeps other servers from using the folder, until it is dropped or the process ends.
#[derive(Debug)]
pub struct BackupLock {
    /// Absent if the disk has no locks.
    _file: File,
}

/// A backup that is being made. It is removed if it is not finished.
#[derive(Debug)]
pub struct Backup {
    copying: Copying,
    new: PathBuf,
    file: PathBuf,
}

impl BackupFolder {
    /// The backups of the database in a data folder: in this folder, or else in `backups` in the data folder.
    pub fn new(data: &Path, folder: Option<PathBuf>) -> Self {
        let folder = folder.unwrap_or_else(|| data.join("backups"));
        Self { database: database_in(data), folder }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Makes the folder unless it is there, and locks it: each server would delete the backups of the other.
    ///
    /// # Errors
    /// If another server uses it, or it cannot be made or written to.
    pub fn lock(&self) -> Result<BackupLock, BackupError> {
        let path = || self.folder.display().to_string();
        let failed = |error| BackupError::Target { path: path(), error };
        make_private_folder(&self.folder).map_err(failed)?;
        let file = open_lock(&self.folder.join(LOCK)).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(BackupError::InUse { path: path() }),
            // The disk may be one of another machine.
            Err(TryLockError::Error(error)) => tracing::warn!(
                folder = path(),
                %error,
                "cannot lock the folder of the backups; no other server may use it"
            ),
        }
        Ok(BackupLock { _file: file })
    }

    /// Makes the folder unless it is there, and removes what a killed server has left. Returns the time in the name of
    /// the newest backup, in milliseconds since the Unix epoch; nothing if there is none. Backups from the future do
    /// not count.
    ///
    /// # Errors
    /// If the folder cannot be made or changed.
    pub fn prepare(&self, now: u64) -> Result<Option<u64>, BackupError> {
        let path = || self.folder.display().to_string();
        self.look(now).map_err(|error| BackupError::Target { path: path(), error })
    }

    fn look(&self, now: u64) -> io::Result<Option<u64>> {
        make_private_folder(&self.folder)?;
        for name in self.names()? {
            let whole = PARTIAL.iter().find_map(|end| name.strip_suffix(end));
            if whole.and_then(time_in).is_some() {
                remove_if_there(&self.folder.join(&name))?;
            }
        }
        Ok(self.names()?.iter().filter_map(|name| time_in(name)).filter(|at| *at <= now).max())
    }

    /// Begins a backup. So many bytes have to stay free on its disk, and as many as the database has if it is on the same
    /// disk, so that it can grow.
    ///
    /// # Errors
    /// If there is no space for it, the database cannot be opened, or the file cannot be made.
    pub fn begin(&self, now: u64, reserve: u64) -> Result<Backup, BackupError> {
        let file = self.folder.join(name_at(now));
        if file.exists() {
            return Err(BackupError::Exists(file.display().to_string()));
        }
        let new = with_suffix(&file, PARTIAL[0]);
        let beside =
            self.bytes_beside(reserve).map_err(|error| BackupError::target(&new, error))?;
        look_for_space(&self.database, &new, beside)?;
        let copying = Copying::begin_again(&self.database, &new)?;
        Ok(Backup { copying, new, file })
    }

    fn bytes_beside(&self, reserve: u64) -> io::Result<u64> {
        let is_one_disk = fs::metadata(&self.database)?.dev() == fs::metadata(&self.folder)?.dev();
        Ok(if is_one_disk { reserve.max(backup::size(&self.database)?) } else { reserve })
    }

    /// The same, and deletes old backups if there is no space for another one: first those that it would push out, as
    /// the newest `most` are kept, and then the oldest, down to two. Deletes none if even that makes too little space.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn begin_with_space(
        &self,
        now: u64,
        reserve: u64,
        most: usize,
    ) -> Result<Backup, BackupError> {
        self.make_space(now, most, || self.begin(now, reserve))
    }

    fn make_space<T>(
        &self,
        now: u64,
        most: usize,
        mut begin: impl FnMut() -> Result<T, BackupError>,
    ) -> Result<T, BackupError> {
        let (needed, free) = match begin() {
            Err(BackupError::NoSpace { needed, free, .. }) => (needed, free),
            begun => return begun,
        };
        let failed = |error| BackupError::target(&self.folder, error);
        let mut old = self.backups_until(now).map_err(failed)?;
        let surplus = old.len().saturating_sub((most.max(1) - 1).max(1));
        old.truncate(surplus.max(old.len().saturating_sub(LEFT_FOR_SPACE)));
        let sizes = old.iter().map(|name| Ok(fs::metadata(self.folder.join(name))?.len()));
        let gained = sizes.sum::<io::Result<u64>>().map_err(failed)?;
        if free.saturating_add(gained) < needed {
            return begin();
        }
        for (place, name) in old.iter().enumerate() {
            let file = self.folder.join(name);
            remove_if_there(&file).map_err(failed)?;
            tracing::info!(file = %file.display(), "deleted an old backup to make space for the next one");
            if place + 1 < surplus {
                continue;
            }
            match begin() {
                Err(BackupError::NoSpace { .. }) => {}
                begun => return begun,
            }
        }
        begin()
    }

    /// Deletes the oldest backups, so that `most` are left up to this one. Later ones, made while the clock was wrong,
    /// are not counted, so that they do not push this one out. Returns how many were deleted.
    ///
    /// # Errors
    /// If one cannot be deleted. The others are deleted, and this is the first error.
    pub fn keep_newest(&self, most: usize, last: &Path) -> io::Result<usize> {
        let Some(last) = last.file_name().and_then(|name| name.to_str()).and_then(time_in) else {
            return Ok(0);
        };
        let names = self.backups_until(last)?;
        let old = names.len().saturating_sub(most.max(1));
        let mut result = Ok(old);
        for name in &names[..old] {
            let removed = remove_if_there(&self.folder.join(name));
            result = result.and_then(|old| removed.map(|()| old));
        }
        result
    }

    /// The names of the backups up to a time, the oldest first.
    fn backups_until(&self, last: u64) -> io::Result<Vec<String>> {
        let mut names = self.names()?;
        names.retain(|name| time_in(name).is_some_and(|at| at <= last));
        // Their order is that of time.
        names.sort_unstable();
        Ok(names)
    }

    /// The names of all regular files that are text.
    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                names.extend(entry.file_name().into_string());
            }
        }
        Ok(names)
    }
}

impl Backup {
    /// Ends the copying when it is dropped.
    pub fn stopper(&self) -> BackupStopper {
        self.copying.stopper()
    }

    /// Copies everything, checks the copy, and gives it its name. Returns the file. Blocks for as long as that takes.
    ///
    /// # Errors
    /// If the copy cannot be written, or is not sound; it is removed then.
    pub fn finish(self) -> Result<PathBuf, BackupError> {
        let Self { copying, new, file } = self;
        copying.finish()?;
        let named = fs::rename(&new, &file).and_then(|()| sync_folder_of(&file));
        match named {
            Ok(()) => Ok(file),
            Err(error) => {
                // The error reports that there is no backup.
                drop(fs::remove_file(&new));
                Err(BackupError::Target { path: file.display().to_string(), error })
            }
        }
    }
}

/// The name of a backup that is made at a time, such as `fivefold-2026-11-30T18-00.sqlite3`, in UTC.
fn name_at(at: u64) -> String {
    let minute = at / MINUTE_MS;
    format!("{START}{}T{:02}-{:02}{END}", day(at), minute / 60 % 24, minute % 60)
}

/// The time in such a name; nothing for other names.
fn time_in(name: &str) -> Option<u64> {
    let (date, time) = name.strip_prefix(START)?.strip_suffix(END)?.split_once('T')?;
    let (hour, minute) = time.split_once('-')?;
    let (hour, minute): (u8, u8) = (hour.parse().ok()?, minute.parse().ok()?);
    let at = day_begins(date)? + (u64::from(hour) * 60 + u64::from(minute)) * MINUTE_MS;
    (name_at(at) == name).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_when_and_no_other_file_has_such_a_name() {
        let cases = [
            (0, "fivefold-1970-01-01T00-00.sqlite3"),
            (1_796_061_600_000, "fivefold-2026-11-30T18-00.sqlite3"),
            (1_796_083_140_000, "fivefold-2026-11-30T23-59.sqlite3"),
        ];
        for (at, name) in cases {
            assert_eq!(name_at(at + MINUTE_MS - 1), name);
            assert_eq!(time_in(name), Some(at));
        }
        for name in [
            "fivefold.sqlite3",
            "fivefold-2026-11-30.sqlite3",
            "fivefold-2026-11-30T18-00.sqlite3.new",
            "fivefold-2026-11-30T24-00.sqlite3",
            "fivefold-2026-11-30T18-60.sqlite3",
            "fivefold-2026-11-31T18-00.sqlite3",
            "fivefold-2026-11-30T8-00.sqlite3",
            "fivefold-2026-11-30T18446744073709551615-00.sqlite3",
            "fivefold-2026-11-30T+1-00.sqlite3",
            "mine-2026-11-30T18-00.sqlite3",
        ] {
            assert_eq!(time_in(name), None, "{name}");
        }
    }

    #[test]
    fn the_oldest_are_deleted_and_those_from_the_future_are_not_counted() {
        let folder = tempfile::tempdir().unwrap();
        let backups = BackupFolder::new(folder.path(), None);
        let hour = 60 * MINUTE_MS;
        let start = 1_796_061_600_000;
        assert_eq!(backups.prepare(start).unwrap(), None);
        let make = |name: &str| fs::write(backups.path().join(name), "").unwrap();
        let others = ["fivefold.sqlite3", "notes.txt", "fivefold-2026-11-30T18-00.sqlite3.old"];
        others.iter().for_each(|name| make(name));
        (0..6).for_each(|number| make(&name_at(start + number * hour)));
        make(&format!("{}.new", name_at(start)));
        make(&format!("{}.new-journal", name_at(start)));
        // Three of them are from the future.
        let now = start + 2 * hour + MINUTE_MS;
        assert_eq!(backups.prepare(now).unwrap(), Some(start + 2 * hour));
        for (most, deleted) in [(3, 0), (2, 1), (0, 1), (1, 0)] {
            let last = backups.path().join(name_at(now - MINUTE_MS));
            assert_eq!(backups.keep_newest(most, &last).unwrap(), deleted, "{most}");
        }
        let mut left = backups.names().unwrap();
        left.sort_unstable();
        let mut expected = others.map(str::to_owned).to_vec();
        expected.extend((2..6).map(|number| name_at(start + number * hour)));
        expected.sort_unstable();
        assert_eq!(left, expected);
    }

    #[test]
    fn old_backups_make_space_for_the_next_one_but_never_in_vain() {
        const SIZE: u64 = 1_000;
        let hour = 60 * MINUTE_MS;
        let start = 1_796_061_600_000;
        // How many are kept, how many are there, how many more bytes are needed, how many are left, and whether the
        // next one begins.
        for (most, there, lacking, left, begins) in [
            (4, 4, 0, 4, true),
            // The one that the next would push out.
            (4, 4, 1, 3, true),
            (4, 6, 1, 3, true),
            // More of them, down to two.
            (4, 4, SIZE + 1, 2, true),
            (9, 4, 2 * SIZE, 2, true),
            (9, 4, SIZE, 3, true),
            (9, 4, 2 * SIZE + 1, 4, false),
            (9, 2, 1, 2, false),
            // The last one is kept until the next is there.
            (2, 2, SIZE, 1, true),
            (1, 2, SIZE, 1, true),
            (1, 1, SIZE, 1, false),
            (1, 0, SIZE, 0, false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let backups = BackupFolder::new(folder.path(), None);
            backups.prepare(start).unwrap();
            let path = |number: u64| backups.path().join(name_at(start + number * hour));
            (0..there)
                .for_each(|number| fs::write(path(number), "1234567890".repeat(100)).unwrap());
            // From the future.
            fs::write(path(99), "").unwrap();
            let begin = || {
                let count = (0..there).filter(|number| path(*number).exists()).count() as u64;
                let (needed, free) = (lacking, (there - count) * SIZE);
                let path = String::new();
                if free >= needed {
                    Ok(count)
                } else {
                    Err(BackupError::NoSpace { path, needed, free })
                }
            };
            let case = format!("{most}, {there}, {lacking}");
            let begun = backups.make_space(start + 50 * hour, most, begin);
            assert_eq!(begun.is_ok(), begins, "{case}: {begun:?}");
            for number in 0..there {
                assert_eq!(path(number).exists(), number >= there - left, "{case}: {number}");
            }
            assert!(path(99).exists(), "{case}");
        }
    }

    #[test]
    fn a_folder_with_the_name_of_a_backup_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let backups = BackupFolder::new(folder.path(), None);
        let start = 1_796_061_600_000;
        backups.prepare(start).unwrap();
        let path = |minute: u64| backups.path().join(name_at(start + minute * MINUTE_MS));
        fs::create_dir(path(0)).unwrap();
        [1, 2, 3].iter().for_each(|minute| fs::write(path(*minute), "").unwrap());
        fs::create_dir(path(4)).unwrap();
        assert_eq!(backups.prepare(start + 9 * MINUTE_MS).unwrap(), Some(start + 3 * MINUTE_MS));
        assert_eq!(backups.keep_newest(2, &path(3)).unwrap(), 1);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|minute| path(minute).exists()),
            [true, false, true, true, true]
        );
    }
}
