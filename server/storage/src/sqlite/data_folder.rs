//! The folder that holds the database. Only one server at a time can use it.

use std::{
    env,
    fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown},
    path::{Path, PathBuf},
};

use rustix::{fs::OFlags, process::geteuid};
use tempfile::TempDir;

use super::write_ahead_log;
use crate::OpenError;

const DATABASE: &str = "fivefold.sqlite3";
const LOCK: &str = "fivefold.lock";

/// A data folder that this process has locked, until it is dropped.
#[derive(Debug)]
pub struct DataFolder {
    path: PathBuf,
    /// Locked; the system unlocks it when the process ends, however it ends.
    lock: File,
    /// Removes the folder when it is dropped, if the folder is a temporary one.
    temporary: Option<TempDir>,
}

impl DataFolder {
    /// Locks the folder, and creates it if it is missing.
    ///
    /// # Errors
    /// If it cannot be created or written to, or another server uses it.
    pub fn take(path: &Path) -> Result<Self, OpenError> {
        let unusable = |error| folder_error(path, &error);
        make_private_folder(path).map_err(unusable)?;
        let lock = open_lock(&path.join(LOCK)).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), lock, temporary: None }),
            Err(TryLockError::WouldBlock) => {
                Err(OpenError::InUse { path: path.display().to_string() })
            }
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
    }

    /// A new folder among the system's temporary files, for a server that keeps nothing. Nothing in it is
    /// synced, and it is removed when this is dropped.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn temporary() -> Result<Self, OpenError> {
        let temporary = tempfile::Builder::new()
            .prefix("fivefold-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .map_err(|error| folder_error(&env::temp_dir(), &error))?;
        let folder = Self::take(temporary.path())?;
        Ok(Self { temporary: Some(temporary), ..folder })
    }

    /// Whether this is a temporary folder.
    pub(crate) fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The database file.
    pub(crate) fn database(&self) -> PathBuf {
        database_in(&self.path)
    }

    /// Whether there is no file of a database; an error if there is one that cannot be written.
    pub(crate) fn has_no_database(&self) -> Result<bool, OpenError> {
        let file = self.database();
        if write_ahead_log::is_of_another(&file, None).is_ok_and(|is_other| is_other) {
            return Err(OpenError::LeftLog { path: file.display().to_string() });
        }
        match OpenOptions::new().append(true).open(&file) {
            Ok(_) => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            Err(error) => Err(folder_error(&file, &error)),
        }
    }

    /// Adds a database that only its owner may read: complete, or not at all.
    pub(crate) fn add_database(
        &self,
        create: impl FnOnce(&Path) -> rusqlite::Result<()>,
    ) -> Result<(), OpenError> {
        let file = self.database();
        let new = write_ahead_log::with_suffix(&file, ".new");
        let failed = |error: io::Error| folder_error(&file, &error);
        create_anew(&new).map_err(failed)?;
        create(&new).map_err(|error| OpenError::Storage {
            path: new.display().to_string(),
            error: error.into(),
        })?;
        let replace = || {
            File::open(&new)?.sync_all()?;
            fs::rename(&new, &file)?;
            sync_folder_of(&file)
        };
        replace().map_err(failed)
    }

    /// Forgets the number of the last process, also after a power cut: another database comes into the folder.
    pub(crate) fn forget_process(&self) -> io::Result<()> {
        self.lock.set_len(0)?;
        self.lock.sync_all()
    }

    /// Notes that the database file alone has the number of this process.
    pub(crate) fn note_process(&self, process: i64) -> Result<(), OpenError> {
        let note = || {
            self.lock.set_len(0)?;
            self.lock.write_all_at(process.to_string().as_bytes(), 0)
        };
        note().map_err(|error| folder_error(&self.path, &error))
    }

    /// Removes the copies of databases that a killed server or command was still writing. One that cannot be removed
    /// takes space and does no other harm.
    pub(crate) fn remove_partial_copies(&self) {
        let Ok(entries) = fs::read_dir(&self.path) else { return };
        for entry in entries.flatten() {
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            let name = entry.file_name();
            if !is_file || !name.to_str().is_some_and(is_partial_copy) {
                continue;
            }
            match remove_if_there(&entry.path()) {
                Ok(()) => {
                    tracing::info!(file = %entry.path().display(), "removed an incomplete copy");
                }
                Err(error) => {
                    tracing::warn!(file = %entry.path().display(), %error, "cannot remove an incomplete copy");
                }
            }
        }
    }
}

/// The ends of the names of files that belong to an incomplete copy.
pub(crate) const PARTIAL: [&str; 4] = [".new", ".new-journal", ".new-wal", ".new-shm"];

/// Whether a file in a data folder is named as an incomplete copy of a database.
fn is_partial_copy(name: &str) -> bool {
    name.starts_with(DATABASE) && PARTIAL.iter().any(|end| name.ends_with(end))
}

/// Opens a file to lock it, and creates it where it is missing. Never follows a link: what is at the other end is
/// somebody else's.
///
/// # Errors
/// If it cannot be opened or created.
pub(crate) fn open_lock(path: &Path) -> io::Result<File> {
    let no_link = OFlags::NOFOLLOW.bits().cast_signed();
    let lock = private(OpenOptions::new().write(true).create(true).truncate(false))
        .custom_flags(no_link)
        .open(path)?;
    if geteuid().is_root() {
        give_to_owner_of_folder(&lock, path)?;
    }
    Ok(lock)
}

/// The number of the last process that was noted for a database; nothing for a copy in the same folder.
pub(crate) fn last_process(database: &Path) -> Option<i64> {
    if database.file_name()? != DATABASE {
        return None;
    }
    fs::read_to_string(database.with_file_name(LOCK)).ok()?.trim().parse().ok()
}

/// Removes a file, if there is one.
pub(crate) fn remove_if_there(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Err(_) | Ok(()) => Ok(()),
    }
}

/// Whether servers have used this folder.
pub(crate) fn is_locked_folder(folder: &Path) -> bool {
    folder.join(LOCK).is_file()
}

/// The file of the database in a folder.
pub(crate) fn database_in(folder: &Path) -> PathBuf {
    folder.join(DATABASE)
}

/// Creates a folder that only its owner may use, unless it is there.
///
/// # Errors
/// If it cannot be created.
pub(crate) fn make_private_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Creates a file that only its owner may read, and syncs its folder. What root creates belongs to the owner of the
/// folder.
///
/// # Errors
/// If it exists already or cannot be created.
pub(crate) fn create_private(path: &Path) -> io::Result<()> {
    let file = private(OpenOptions::new().write(true).create_new(true)).open(path)?;
    if geteuid().is_root() {
        give_to_owner_of_folder(&file, path)?;
    }
    sync_folder_of(path)
}

/// The same for a database, in place of what an earlier try has left that was killed.
///
/// # Errors
/// If it cannot be created.
pub(crate) fn create_anew(path: &Path) -> io::Result<()> {
    // SQLite would play a journal that was left back into the new file.
    for suffix in ["", "-journal"] {
        remove_if_there(&write_ahead_log::with_suffix(path, suffix))?;
    }
    create_private(path)
}

/// What an operator makes as root in the server's folder, the server has to open as its own user.
fn give_to_owner_of_folder(file: &File, path: &Path) -> io::Result<()> {
    let folder = fs::canonicalize(path)?;
    let Some(owner) = folder.parent().map(fs::metadata).transpose()? else { return Ok(()) };
    fchown(file, Some(owner.uid()), Some(owner.gid()))
}

/// Syncs the folder of this file, so that file names in it survive a crash.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = fs::canonicalize(path)?;
    folder.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

fn folder_error(path: &Path, error: &io::Error) -> OpenError {
    OpenError::Folder { path: path.display().to_string(), reason: error.to_string() }
}
