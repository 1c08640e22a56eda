//! Copies a database, also while a server uses it. This serves backups by hand, at intervals and before an upgrade of
//! the format, and restores.

use std::{
    fmt,
    fs::{self, File},
    io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

use rusqlite::{
    Connection, InterruptHandle, OpenFlags,
    types::{ToSqlOutput, ValueRef},
};

use super::{
    check::{self, check_file, look_for_database},
    data_folder::{create_anew, create_private, database_in, remove_if_there, sync_folder_of},
    schema::{self, Kind},
    write_ahead_log::{self, with_suffix},
};
use crate::{Findings, OpenError, StorageError, sqlite::open_to_read};

/// Why a backup failed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The database cannot be read.
    #[error(transparent)]
    Source(#[from] OpenError),
    /// The file cannot be created.
    #[error("cannot create {path}: {error}")]
    Target {
        /// The copy.
        path: String,
        /// The reason.
        error: io::Error,
    },
    /// The file exists already.
    #[error("{0} exists already: choose another name for the backup")]
    Exists(String),
    /// There is no folder for it.
    #[error("the folder of {0} does not exist: create it first")]
    NoFolder(String),
    /// The copy would take the space that the server needs.
    #[error(
        "not enough space for {path}: it needs {needed} bytes on its disk, and only {free} are free"
    )]
    NoSpace {
        /// The copy.
        path: String,
        /// The size of the database, and what has to stay free beside the copy.
        needed: u64,
        /// What is free.
        free: u64,
    },
    /// Another server makes its backups in the folder.
    #[error(
        "another server makes its backups in {path}, and each would delete those of the other. Give each server a \
         folder of its own with the setting backup-folder"
    )]
    InUse {
        /// The folder.
        path: String,
    },
    /// The copy was stopped; it was deleted.
    #[error("the copy was stopped: {0}")]
    Stopped(String),
    /// Copying failed; no copy is left.
    #[error("the copy failed: {0}")]
    Copy(#[from] StorageError),
    /// The copy was made but is not sound, because the database is not. It was deleted.
    #[error("the database is damaged, so it was not copied:\n{0}")]
    Unsound(Findings),
}

impl BackupError {
    pub(super) fn target(path: &Path, error: io::Error) -> Self {
        let path = path.display().to_string();
        match error.kind() {
            io::ErrorKind::AlreadyExists => Self::Exists(path),
            io::ErrorKind::NotFound => Self::NoFolder(path),
            _ => Self::Target { path, error },
        }
    }
}

/// Copies a folder's database into a new file. When this returns, the copy is complete, checked and
/// on the disk. It holds what was committed at one instant.
///
/// # Errors
/// If the database cannot be copied, or the copy is not sound; no copy is left then.
pub fn backup(folder: &Path, copy: &Path) -> Result<Findings, BackupError> {
    Copying::begin(&database_in(folder), copy)?.finish()
}

/// A copy that is being made. It is removed if it is not finished.
#[derive(Debug)]
pub(crate) struct Copying {
    source: Connection,
    copy: PathBuf,
    phase: Arc<AtomicU8>,
    is_finished: bool,
}

/// The phases of a copy: until all of it is copied, the database's log cannot be emptied.
const COPYING: u8 = 0;
const COPIED: u8 = 1;
const STOPPED: u8 = 2;

impl Copying {
    /// Creates the file for the copy.
    ///
    /// # Errors
    /// If the database cannot be opened, or the file exists or cannot be created.
    fn begin(database: &Path, copy: &Path) -> Result<Self, BackupError> {
        Self::begin_in(database, copy, create_private)
    }

    /// The same in place of what an earlier try has left that was killed.
    ///
    /// # Errors
    /// If the database cannot be opened, or the file cannot be created.
    pub(crate) fn begin_again(database: &Path, copy: &Path) -> Result<Self, BackupError> {
        Self::begin_in(database, copy, create_anew)
    }

    fn begin_in(
        database: &Path,
        copy: &Path,
        create: fn(&Path) -> io::Result<()>,
    ) -> Result<Self, BackupError> {
        look_for_database(database)?;
        let source = open_to_read(database).map_err(StorageError::from)?;
        create(copy).map_err(|error| BackupError::target(copy, error))?;
        let phase = Arc::new(AtomicU8::new(COPYING));
        Ok(Self { source, copy: copy.to_owned(), phase, is_finished: false })
    }

    /// Copies everything, and checks the copy: the file, every room and every game in it.
    ///
    /// # Errors
    /// If the copy cannot be written, or is not sound.
    pub(crate) fn finish(mut self) -> Result<Findings, BackupError> {
        self.copy()?;
        let findings = check_file(&self.copy)?;
        self.is_finished = findings.is_sound();
        if self.is_finished { Ok(findings) } else { Err(BackupError::Unsound(findings)) }
    }

    /// Copies everything, and checks only that SQLite can read all of the copy: it has the damaged rows that the
    /// database has.
    fn finish_with_damaged_rows(mut self) -> Result<(), BackupError> {
        self.copy()?;
        let copied = open_to_read(&self.copy).map_err(StorageError::from)?;
        let damage = check::damaged_pages(&copied)?;
        self.is_finished = damage.is_empty();
        if self.is_finished {
            return Ok(());
        }
        Err(StorageError::Damaged(damage.join("; ")).into())
    }

    /// Reads the database as it is at one instant. Commits go on meanwhile, and do not make it begin again, as they
    /// would with SQLite's interface for backups.
    fn copy(&self) -> Result<(), StorageError> {
        if self.phase.load(Ordering::Relaxed) == STOPPED {
            return Err(StorageError::Failed("it was stopped before it began".to_owned()));
        }
        // SQLite takes any bytes as the path, although they are bound as text.
        let path = ToSqlOutput::Borrowed(ValueRef::Text(self.copy.as_os_str().as_bytes()));
        self.source.execute("VACUUM INTO ?", (path,))?;
        self.phase.store(COPIED, Ordering::Relaxed);
        forbid_pushes(&self.copy)?;
        let sync = || {
            File::open(&self.copy)?.sync_all()?;
            sync_folder_of(&self.copy)
        };
        sync().map_err(|error| StorageError::Failed(error.to_string()))
    }

    /// Ends the copying.
    pub(crate) fn stopper(&self) -> BackupStopper {
        let phase = Arc::clone(&self.phase);
        BackupStopper { interrupt: self.source.get_interrupt_handle(), phase }
    }
}

impl Drop for Copying {
    fn drop(&mut self) {
        if !self.is_finished {
            for end in ["", "-journal"] {
                // The error reports that there is no copy; one that could not be removed is not complete or not sound.
                drop(remove_if_there(&with_suffix(&self.copy, end)));
            }
        }
    }
}

/// Ends the copying of a database when it is told so, or dropped: a server that stops need not wait for it.
pub struct BackupStopper {
    interrupt: InterruptHandle,
    phase: Arc<AtomicU8>,
}

impl BackupStopper {
    /// Ends the copying, unless all is copied and only the copy is checked. Returns whether it ends. Repeat this until
    /// the copying has ended: SQLite does not notice it in the moment before it begins.
    pub fn stop(&self) -> bool {
        let (old, new) = (COPYING, STOPPED);
        let begun = self.phase.compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed);
        let ends = begun.map_or_else(|phase| phase == STOPPED, |_| true);
        if ends {
            self.interrupt.interrupt();
        }
        ends
    }
}

impl Drop for BackupStopper {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for BackupStopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BackupStopper")
    }
}

/// A copy calls nobody, wherever it is restored, until an operator allows it.
fn forbid_pushes(copy: &Path) -> Result<(), StorageError> {
    let copy = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    if copy.table_exists(None, "push_server")? {
        copy.execute("UPDATE push_server SET place = ''", ())?;
    }
    Ok(())
}

/// Checks that there is space for a copy, and that many more bytes.
///
/// # Errors
/// If there is not, or it cannot be measured.
pub(crate) fn look_for_space(database: &Path, copy: &Path, more: u64) -> Result<(), BackupError> {
    let failed = |error| BackupError::target(copy, error);
    let measure = || -> io::Result<(u64, u64)> {
        let used = size(database)?;
        let folder = fs::canonicalize(copy.parent().unwrap_or(copy))?;
        Ok((used, free_space(&folder)?))
    };
    let (used, free) = measure().map_err(failed)?;
    let needed = used.saturating_add(more);
    need(copy.display().to_string(), needed, free)
}

/// Checks that so many bytes are free.
fn need(path: String, needed: u64, free: u64) -> Result<(), BackupError> {
    if free < needed { Err(BackupError::NoSpace { path, needed, free }) } else { Ok(()) }
}

/// The bytes that a database and its log take.
///
/// # Errors
/// If they cannot be measured.
pub(super) fn size(database: &Path) -> io::Result<u64> {
    Ok(fs::metadata(database)?.len() + write_ahead_log::size(database)?)
}

/// The bytes that are free for this user on the disk of a file or folder.
///
/// # Errors
/// If they cannot be measured.
pub(crate) fn free_space(path: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(path)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Copies a database before an upgrade of its format into a file beside it, such as `fivefold.sqlite3.format-12`. This
/// replaces the copy from an earlier upgrade of the same format, unless that is a copy of the same content: it was made
/// before an upgrade that failed.
///
/// # Errors
/// If that fails, or the disk has no space for the upgrade; the server must not upgrade the file then.
pub(crate) fn before_upgrade(file: &Path, format: u32) -> Result<PathBuf, OpenError> {
    let kept = with_suffix(file, &format!(".format-{format}"));
    let new = with_suffix(&kept, ".new");
    let copy = || -> Result<(), BackupError> {
        let failed = |error| BackupError::target(&kept, error);
        let upgrade = upgrade_bytes(size(file).map_err(failed)?, format);
        if is_copy_of(file, &kept) {
            tracing::info!(backup = %kept.display(), "the backup from before the upgrade is there already");
            let free = free_space(file).map_err(failed)?;
            return need(format!("the upgrade of {}", file.display()), upgrade, free);
        }
        tracing::info!(backup = %kept.display(), "making a backup before the upgrade of the database");
        look_for_space(file, &new, upgrade)?;
        Copying::begin_again(file, &new)?.finish_with_damaged_rows()?;
        fs::rename(&new, &kept).and_then(|()| sync_folder_of(&kept)).map_err(failed)
    };
    copy().map_err(|error| OpenError::NoBackup {
        path: file.display().to_string(),
        format,
        reason: error.to_string(),
    })?;
    Ok(kept)
}

/// The bytes that an upgrade of a database of so many bytes writes at most.
const fn upgrade_bytes(used: u64, format: u32) -> u64 {
    // Up to format 12, the tables of players and ratings are written again. Later formats add small tables.
    if format < 12 { used } else { used / 8 }
}

/// Whether a file is a readable copy of a database, as that is now.
fn is_copy_of(database: &Path, copy: &Path) -> bool {
    if !copy.is_file() {
        return false;
    }
    let state = |file: &Path| state(&open_to_read(file)?);
    let is_same = match (state(database), state(copy)) {
        (Ok(one), Ok(other)) => one == other,
        (Err(_), _) | (_, Err(_)) => false,
    };
    let is_readable = || -> Result<bool, StorageError> {
        Ok(check::damaged_pages(&open_to_read(copy)?)?.is_empty())
    };
    is_same && is_readable().is_ok_and(|is_readable| is_readable)
}

/// What differs after a server has used the database: the formats, the processes, the events and the members.
fn state(connection: &Connection) -> rusqlite::Result<(Kind, String)> {
    let content =
        "SELECT concat_ws(' ', (SELECT max(id) FROM process), (SELECT count(*) FROM room),
             (SELECT count(*) FROM member), (SELECT max(id) FROM event),
             (SELECT quote(at) || quote(event) FROM event ORDER BY id DESC LIMIT 1))";
    Ok((schema::kind(connection)?, connection.query_row(content, (), |row| row.get(0))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_as_is_needed_is_enough_and_a_byte_less_is_not() {
        assert!(need(String::new(), 5, 5).is_ok());
        let lacking = need(String::new(), 5, 4).unwrap_err();
        assert!(matches!(lacking, BackupError::NoSpace { needed: 5, free: 4, .. }), "{lacking:?}");
    }
}
