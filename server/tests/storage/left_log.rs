//! The write-ahead log beside the database file: the file alone has everything after a stop, and a log that is
//! left beside another file is noticed.

use std::{fs, path::Path};

use fivefold_storage::{OpenError, Storage, backup, check};

use crate::{
    folders::{FILE, LOG, add, copy, folder_with, killed, open},
    rooms::{code, log},
};

/// The size of a file, or nothing if it is missing.
fn size(folder: &Path, file: &str) -> u64 {
    fs::metadata(folder.join(file)).map_or(0, |file| file.len())
}

/// Expects these rooms, and no others, in a copy of the file alone.
fn expect_rooms(folder: &Path, rooms: &[u64]) {
    let copied = copy(folder, &[FILE]);
    let findings = check(copied.path()).unwrap();
    assert!(findings.is_sound(), "{findings}");
    assert_eq!(findings.rooms, rooms.len() as u64);
    let mut storage = open(copied.path()).unwrap();
    for room in rooms {
        assert_eq!(storage.read(&code(*room)).unwrap(), log(20), "room {room}");
    }
}

#[test]
fn after_a_stop_the_file_alone_has_everything() {
    let folder = tempfile::tempdir().unwrap();
    let mut storage = open(folder.path()).unwrap();
    // The readers of a server end after the writer.
    let reader = storage.reader().unwrap();
    (0..20).for_each(|room| add(&mut storage, room));
    assert!(size(folder.path(), LOG) > 0);
    drop(storage);
    assert_eq!(size(folder.path(), LOG), 0);
    expect_rooms(folder.path(), &(0..20).collect::<Vec<_>>());
    drop(reader);
}

#[test]
fn while_nothing_is_written_the_file_alone_has_everything() {
    let folder = tempfile::tempdir().unwrap();
    let mut storage = open(folder.path()).unwrap();
    expect_rooms(folder.path(), &[]);
    add(&mut storage, 1);
    storage.rest();
    assert!(size(folder.path(), LOG) > 0, "the server is busy");
    storage.rest();
    assert_eq!(size(folder.path(), LOG), 0);
    expect_rooms(folder.path(), &[1]);
    add(&mut storage, 2);
    drop(storage);
    expect_rooms(folder.path(), &[1, 2]);
}

#[test]
fn a_start_after_a_kill_brings_the_log_into_the_file() {
    let folder = killed();
    expect_rooms(folder.path(), &[1]);
    let storage = open(folder.path()).unwrap();
    expect_rooms(folder.path(), &[1, 2]);
    drop(storage);
}

#[test]
fn a_backup_beside_the_log_of_the_old_file_is_refused_until_that_is_deleted() {
    let older = folder_with(&[3]);
    let copied = older.path().join("copy");
    backup(older.path(), &copied).unwrap();
    for replacement in [&older.path().join(FILE), &copied] {
        let folder = killed();
        fs::copy(replacement, folder.path().join(FILE)).unwrap();
        let before = [FILE, LOG].map(|file| fs::read(folder.path().join(file)).unwrap());
        let error = open(folder.path()).unwrap_err();
        assert!(matches!(error, OpenError::LeftLog { .. }), "{error:?}");
        assert_eq!(check(folder.path()).unwrap_err(), error);
        let text = error.to_string();
        assert!(text.contains("sqlite3-wal and ") && text.contains("sqlite3-shm"), "{text}");
        assert_eq!([FILE, LOG].map(|file| fs::read(folder.path().join(file)).unwrap()), before);
        fs::remove_file(folder.path().join(LOG)).unwrap();
        drop(open(folder.path()).unwrap());
        expect_rooms(folder.path(), &[3]);
    }
}

#[test]
fn a_log_without_its_file_is_not_deleted() {
    let folder = killed();
    fs::remove_file(folder.path().join(FILE)).unwrap();
    let before = fs::read(folder.path().join(LOG)).unwrap();
    let error = open(folder.path()).unwrap_err();
    assert!(matches!(error, OpenError::LeftLog { .. }), "{error:?}");
    assert_eq!(fs::read(folder.path().join(LOG)).unwrap(), before);
    assert!(!folder.path().join(FILE).exists());
}

#[test]
fn an_empty_file_does_not_become_a_database() {
    let no_tables = tempfile::tempdir().unwrap();
    let connection = rusqlite::Connection::open(no_tables.path().join(FILE)).unwrap();
    // This is what a copy had of a server that had run for the first time.
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    drop(connection);
    let no_bytes = tempfile::tempdir().unwrap();
    fs::write(no_bytes.path().join(FILE), "").unwrap();
    for folder in [&no_tables, &no_bytes] {
        let before = fs::read(folder.path().join(FILE)).unwrap();
        let error = open(folder.path()).unwrap_err();
        assert!(matches!(error, OpenError::Empty { .. }), "{error:?}");
        assert!(error.to_string().contains("backup"), "{error}");
        assert_eq!(check(folder.path()).unwrap_err(), error);
        assert_eq!(fs::read(folder.path().join(FILE)).unwrap(), before);
        fs::remove_file(folder.path().join(FILE)).unwrap();
        drop(open(folder.path()).unwrap());
        expect_rooms(folder.path(), &[]);
    }
}
