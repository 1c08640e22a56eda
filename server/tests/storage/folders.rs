//! Data folders of servers that have stopped or were killed.

use std::{fs, path::Path};

use fivefold_storage::{DataFolder, OpenError, Sqlite, Storage};
use tempfile::TempDir;

use crate::rooms::{append, log};

/// The database file in a data folder.
pub(crate) const FILE: &str = "fivefold.sqlite3";
/// The write-ahead log beside it.
pub(crate) const LOG: &str = "fivefold.sqlite3-wal";

pub(crate) fn open(folder: &Path) -> Result<Sqlite, OpenError> {
    Sqlite::open(DataFolder::take(folder)?)
}

pub(crate) fn add(storage: &mut Sqlite, room: u64) {
    assert_eq!(storage.append(&[append(room, log(20), 0)]).unwrap(), [Ok(vec![])]);
}

/// A folder with these rooms, of a server that has stopped.
pub(crate) fn folder_with(rooms: &[u64]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut storage = open(folder.path()).unwrap();
    rooms.iter().for_each(|room| add(&mut storage, *room));
    folder
}

/// Copies these files of a folder into a new one.
pub(crate) fn copy(folder: &Path, files: &[&str]) -> TempDir {
    let copied = tempfile::tempdir().unwrap();
    for file in files {
        fs::copy(folder.join(file), copied.path().join(file)).unwrap();
    }
    copied
}

/// What a killed server leaves: room 1 is in the file, and room 2 in the log beside it.
pub(crate) fn killed() -> TempDir {
    let folder = folder_with(&[1]);
    let mut storage = open(folder.path()).unwrap();
    add(&mut storage, 2);
    copy(folder.path(), &[FILE, LOG, "fivefold.lock"])
}
