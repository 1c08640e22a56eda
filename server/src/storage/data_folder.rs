//! The folder that holds the database. Only one server at a time can use it.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use super::OpenError;

const DATABASE: &str = "fivefold.sqlite3";
const LOCK: &str = "fivefold.lock";

/// A data folder that this process has locked, until it is dropped.
#[derive(Debug)]
pub struct DataFolder {
    path: PathBuf,
    /// Locked; the system unlocks it when the process ends, however it ends.
    _lock: File,
}

impl DataFolder {
    /// Locks the folder, and creates it if it is missing.
    ///
    /// # Errors
    /// If it cannot be created or written to, or another server uses it.
    pub fn take(path: &Path) -> Result<Self, OpenError> {
        let unusable = |error| folder_error(path, &error);
        if !path.is_dir() {
            DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(unusable)?;
        }
        let lock = private(OpenOptions::new().write(true).create(true).truncate(false))
            .open(path.join(LOCK))
            .map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err(OpenError::InUse { path: path.display().to_string() })
            }
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The database file, created empty if it is missing; only its owner may read it.
    pub(super) fn database(&self) -> Result<PathBuf, OpenError> {
        let file = database_in(&self.path);
        private(OpenOptions::new().append(true).create(true))
            .open(&file)
            .and_then(|_| File::open(&self.path)?.sync_all())
            .map_err(|error| folder_error(&file, &error))?;
        Ok(file)
    }
}

/// Whether servers have used this folder.
pub(super) fn is_locked_folder(folder: &Path) -> bool {
    folder.join(LOCK).is_file()
}

/// The file of the database in a folder.
pub(super) fn database_in(folder: &Path) -> PathBuf {
    folder.join(DATABASE)
}

/// Creates a file that only its owner may read, and syncs its folder.
///
/// # Errors
/// If it exists already or cannot be created.
pub(super) fn create_private(path: &Path) -> io::Result<()> {
    private(OpenOptions::new().write(true).create_new(true)).open(path)?;
    sync_folder_of(path)
}

/// Syncs the folder of this file, so that file names in it survive a crash.
pub(super) fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = fs::canonicalize(path)?;
    folder.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

fn folder_error(path: &Path, error: &io::Error) -> OpenError {
    OpenError::Folder { path: path.display().to_string(), reason: error.to_string() }
}
