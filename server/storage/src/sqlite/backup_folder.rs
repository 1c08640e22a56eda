//! The folder with the backups that a server makes at intervals. Their names say when they were made; the server
//! deletes only files with such names.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use fivefold_shared::clock::{day, day_begins};

use super::{
    backup::{BackupError, BackupStopper, Copying, look_for_space},
    data_folder::{database_in, make_private_folder, remove_if_there, sync_folder_of},
    write_ahead_log::with_suffix,
};

const MINUTE_MS: u64 = 60_000;
const START: &str = "fivefold-";
const END: &str = ".sqlite3";
/// The end of the names of files that a killed server leaves.
const PARTIAL: [&str; 2] = [".new", ".new-journal"];

/// The folder, and the database that is copied into it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackupFolder {
    database: PathBuf,
    folder: PathBuf,
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

    /// Begins a backup. So many bytes have to stay free on its disk.
    ///
    /// # Errors
    /// If there is no space for it, the database cannot be opened, or the file cannot be made.
    pub fn begin(&self, now: u64, reserve: u64) -> Result<Backup, BackupError> {
        let file = self.folder.join(name_at(now));
        if file.exists() {
            return Err(BackupError::Exists(file.display().to_string()));
        }
        let new = with_suffix(&file, PARTIAL[0]);
        look_for_space(&self.database, &new, reserve)?;
        let copying = Copying::begin_again(&self.database, &new)?;
        Ok(Backup { copying, new, file })
    }

    /// Deletes the oldest backups, so that `most` are left up to this one. Later ones, made while the clock was wrong,
    /// are not counted, so that they do not push this one out. Returns how many were deleted.
    ///
    /// # Errors
    /// If one cannot be deleted.
    pub fn keep_newest(&self, most: usize, last: &Path) -> io::Result<usize> {
        let last = last.file_name().and_then(|name| name.to_str()).and_then(time_in);
        let mut names = self.names()?;
        names.retain(|name| time_in(name).is_some_and(|at| Some(at) <= last));
        // Their order is that of time.
        names.sort_unstable();
        let old = names.len().saturating_sub(most.max(1));
        for name in &names[..old] {
            remove_if_there(&self.folder.join(name))?;
        }
        Ok(old)
    }

    /// The names of all files that are text.
    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            names.extend(entry?.file_name().into_string());
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
}
