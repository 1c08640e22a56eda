//! Files and folders: what is refused, what is made, and how it is checked and copied.

use std::{
    fs,
    io::{Seek, SeekFrom, Write},
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::{Path, PathBuf},
};

use fivefold_storage::{
    Append, BackupError, OpenError, RepairError, Storage, StorageError, backup, check, repair,
};
use tempfile::TempDir;

use crate::{
    folders::{FILE, open},
    rooms::{append, code, log, resigned},
};

fn file_in(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// A folder with 200 rooms, a tenth of them closed with a finished game.
fn filled() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut storage = open(folder.path()).unwrap();
    let rooms = (0..200).map(|room| match room % 10 {
        0 => Append { closes: true, ..append(room, resigned("public", 7, 8), room) },
        _ => append(room, log(20), 0),
    });
    let appended = storage.append(&rooms.collect::<Vec<_>>()).unwrap();
    assert!(appended.iter().all(Result::is_ok));
    drop(storage);
    folder
}

#[test]
fn logs_are_there_when_the_file_is_opened_again() {
    let folder = filled();
    let mut storage = open(folder.path()).unwrap();
    assert_eq!(storage.unattended(0, 500).unwrap().len(), 180);
    assert_eq!(storage.read(&code(1)).unwrap(), log(20));
    assert_eq!(storage.read(&code(10)).unwrap(), resigned("public", 7, 8));
}

#[test]
fn a_file_is_sound_without_the_logs_that_are_pruned() {
    let folder = filled();
    let mut storage = open(folder.path()).unwrap();
    for pruned in [15, 5, 0] {
        assert_eq!(storage.prune_logs(u64::MAX, 15).unwrap(), pruned);
    }
    drop(storage);
    let findings = check(folder.path()).unwrap().to_string();
    assert_eq!(findings, "200 rooms, 3600 events, 20 finished games: all is well.\n");
}

#[test]
fn only_the_owner_may_read_the_folder() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("a/b");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let storage = open(&folder).unwrap();
    assert_eq!((mode(&folder), mode(&file_in(&folder))), (0o700, 0o600));
    drop(storage);
}

#[test]
fn a_folder_has_one_server() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path()).unwrap();
    let second = open(folder.path());
    assert!(matches!(second, Err(OpenError::InUse { .. })), "{second:?}");
    drop(first);
    assert!(open(folder.path()).is_ok());
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let parent = tempfile::tempdir().unwrap();
    fs::write(parent.path().join("file"), "").unwrap();
    for folder in [parent.path().join("file"), parent.path().join("file/data"), "/proc/x".into()] {
        let error = open(&folder).unwrap_err();
        assert!(matches!(error, OpenError::Folder { .. }), "{error:?}");
        assert!(error.to_string().contains(folder.to_str().unwrap()), "{error}");
    }
}

/// A file that is not to be used is left as it is.
fn check_refused(prepare: impl Fn(&Path), is_expected: impl Fn(&OpenError) -> bool) {
    let folder = filled();
    let file = file_in(folder.path());
    prepare(&file);
    let before = fs::read(&file).unwrap();
    let error = open(folder.path()).unwrap_err();
    assert!(is_expected(&error), "{error:?}");
    assert_eq!(fs::read(&file).unwrap(), before, "{error}");
    let unchecked = check(folder.path()).unwrap_err();
    assert_eq!(unchecked, error);
}

fn pragma(file: &Path, name: &str, value: i32) {
    let connection = rusqlite::Connection::open(file).unwrap();
    connection.pragma_update(None, name, value).unwrap();
}

#[test]
fn files_that_are_not_ours_are_left_as_they_are() {
    check_refused(
        |file| {
            let connection = rusqlite::Connection::open(file).unwrap();
            connection.execute("UPDATE process SET version = '9.8.7'", ()).unwrap();
            drop(connection);
            pragma(file, "user_version", 99);
        },
        |error| {
            matches!(error, OpenError::Newer { found: 99, .. })
                && error.to_string().contains("Start Fivefold 9.8.7 again")
        },
    );
    for format in [1, 6] {
        check_refused(
            |file| pragma(file, "user_version", format),
            |error| {
                let text = error.to_string();
                matches!(error, OpenError::PreRelease { .. })
                    && text.contains("before the first release")
                    && text.contains("--data")
            },
        );
    }
    check_refused(
        |file| pragma(file, "application_id", 1),
        |error| matches!(error, OpenError::Foreign { .. }),
    );
    check_refused(
        |file| {
            fs::write(file, "This is no database, but it is long enough for one.\n".repeat(99))
                .unwrap();
        },
        |error| {
            matches!(error, OpenError::Storage { error: StorageError::Damaged(_), .. })
                && error.to_string().contains("backup")
        },
    );
}

/// What the check says of a file that was damaged.
fn check_damaged(damage: impl FnOnce(&mut fs::File, u64)) -> String {
    let folder = filled();
    let mut file = fs::OpenOptions::new().write(true).open(file_in(folder.path())).unwrap();
    let length = file.metadata().unwrap().len();
    damage(&mut file, length);
    drop(file);
    // A server either does not start or reads a log as it was written.
    if let Ok(mut storage) = open(folder.path()) {
        for room in (0..200).filter(|room| room % 10 != 0) {
            match storage.read(&code(room)) {
                Ok(read) => assert_eq!(read, log(20)),
                Err(error) => assert!(matches!(error, StorageError::Damaged(_)), "{error:?}"),
            }
        }
    }
    check(folder.path()).map_or_else(|error| error.to_string(), |findings| findings.to_string())
}

#[test]
fn damage_is_found() {
    let is_told = |found: &str| found.contains("damaged") && found.contains("a backup");
    assert!(!is_told(&check_damaged(|_, _| {})));
    let halved = check_damaged(|file, length| file.set_len(length / 2).unwrap());
    assert!(is_told(&halved), "{halved}");
    let overwritten = check_damaged(|file, length| {
        file.seek(SeekFrom::Start(length / 4096 / 2 * 4096)).unwrap();
        file.write_all(&[0xA5; 8192]).unwrap();
    });
    assert!(is_told(&overwritten), "{overwritten}");
}

/// What the check says after this was done to a sound file.
fn check_changed(sql: &str) -> String {
    let folder = filled();
    rusqlite::Connection::open(file_in(folder.path())).unwrap().execute_batch(sql).unwrap();
    check(folder.path()).unwrap().to_string()
}

#[test]
fn logs_and_games_are_compared() {
    let sound = "200 rooms, 3700 events, 20 finished games: all is well.\n";
    for (sql, expected) in [
        ("", sound),
        ("DELETE FROM event WHERE id = 100", "is missing"),
        ("DELETE FROM event WHERE room = 12 AND seq = 20", "is missing"),
        ("UPDATE room SET seq = 19, last = last - 1 WHERE id = 2", "19 of them are in its log"),
        ("UPDATE event SET event = replace(event, '\"ply\":5', '\"ply\":6')", "came where 5"),
        ("UPDATE event SET event = '{}' WHERE id = 50", "missing field"),
        ("UPDATE game SET moves = '[]', summary = replace(summary, 'Ann', 'Eve')", "not those"),
        ("DELETE FROM player; DELETE FROM game WHERE id = 3", "not those"),
        // A game has the time control that its room has.
        (
            r#"UPDATE event SET event = replace(event, '"assistance":false',
                '"assistance":false,"time":{"type":"per_move","move_ms":30000}')"#,
            "not those",
        ),
        (
            r#"UPDATE game SET summary = replace(summary, '"plies"',
                '"time":{"type":"per_move","move_ms":30000},"plies"')"#,
            "not those",
        ),
    ] {
        let found = check_changed(sql);
        assert!(found.contains(expected), "{sql}: {found}");
    }
}

#[test]
fn damaged_rooms_are_exported_and_closed_and_the_others_stay() {
    // Damage to a sound file, the number of files with damaged rooms, the text of the first one,
    // and the number of finished games afterwards.
    for (sql, exports, expected, games) in [
        ("", 0, "", 20),
        ("DELETE FROM event WHERE room = 12 AND seq = 7", 1, "is missing", 20),
        ("UPDATE event SET event = '{}' WHERE id = 50", 1, r#""event": "{}""#, 20),
        ("UPDATE event SET event = '{\"x' WHERE id IN (50, 900)", 2, "EOF", 20),
        ("UPDATE room SET code = 'ESC[2J' WHERE id = 3", 1, r#""room": "ESC[2J""#, 20),
        ("UPDATE room SET seq = 19, last = last - 1 WHERE id = 2", 1, "19 of them", 20),
        ("UPDATE event SET room = 999 WHERE room = 5 AND seq < 3", 2, "is missing", 20),
        ("UPDATE game SET summary = 'nothing' WHERE id = 3", 1, r#""summary": "nothing""#, 19),
        (
            "UPDATE game SET summary = replace(summary, 'Ann', 'Eve') WHERE id = 3",
            1,
            "not those",
            20,
        ),
    ] {
        let folder = filled();
        rusqlite::Connection::open(file_in(folder.path())).unwrap().execute_batch(sql).unwrap();
        assert_eq!(check(folder.path()).unwrap().is_sound(), exports == 0, "{sql}");
        let storage = open(folder.path()).unwrap();
        assert!(matches!(repair(folder.path()), Err(RepairError::Open(OpenError::InUse { .. }))));
        drop(storage);

        let repaired = repair(folder.path()).unwrap();
        assert!(repaired.findings.is_sound(), "{sql}: {repaired}");
        assert_eq!((repaired.exports.len(), repaired.findings.games), (exports, games), "{sql}");
        if let Some(export) = repaired.exports.first() {
            let text = fs::read_to_string(export).unwrap();
            assert!(text.contains(expected), "{sql}: {text}");
            assert_eq!(fs::metadata(export).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let mut storage = open(folder.path()).unwrap();
        assert_eq!(storage.read(&code(21)).unwrap(), log(20), "{sql}");
        drop(storage);
        // There is nothing left to do.
        assert!(repair(folder.path()).unwrap().exports.is_empty(), "{sql}");
    }
}

#[test]
fn what_can_be_read_of_damaged_pages_is_copied_and_the_old_file_stays() {
    let folder = filled();
    let file = file_in(folder.path());
    let length = fs::metadata(&file).unwrap().len();
    let mut opened = fs::OpenOptions::new().write(true).open(&file).unwrap();
    // The events of rooms are there.
    opened.seek(SeekFrom::Start(length / 4096 * 2 / 3 * 4096)).unwrap();
    opened.write_all(&[0xA5; 8192]).unwrap();
    let damaged = fs::read(&file).unwrap();
    let report = check(folder.path()).unwrap().to_string();
    assert!(report.contains("--repair"), "{report}");
    let repaired = repair(folder.path()).unwrap();
    assert!(repaired.findings.is_sound(), "{repaired}");
    assert!((1..20).contains(&repaired.exports.len()), "{repaired}");
    let old = repaired.rebuilt.unwrap().old;
    assert_eq!(fs::read(old).unwrap(), damaged);
    let mut storage = open(folder.path()).unwrap();
    let read =
        (0..200).filter(|room| room % 10 != 0 && storage.read(&code(*room)).unwrap() == log(20));
    // Among the others are rooms that were closed.
    assert!(read.count() >= 180 - repaired.exports.len());
}

#[test]
fn of_a_file_without_anything_to_read_nothing_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    let text = "This is no database, but it is long enough for one.\n".repeat(999);
    fs::write(file_in(folder.path()), &text).unwrap();
    let error = repair(folder.path()).unwrap_err();
    assert!(matches!(error, RepairError::Nothing(_)), "{error}");
    assert!(error.to_string().contains("backup"), "{error}");
    assert_eq!(fs::read_to_string(file_in(folder.path())).unwrap(), text);
}

#[test]
fn a_backup_is_made_while_the_server_writes() {
    let folder = filled();
    let mut storage = open(folder.path()).unwrap();
    storage.append(&[append(1_000, log(5), 0)]).unwrap();
    let copies = tempfile::tempdir().unwrap();
    let copy = file_in(copies.path());
    let findings = backup(folder.path(), &copy).unwrap();
    assert_eq!((findings.rooms, findings.games), (201, 20));
    assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    storage.append(&[append(1_001, log(5), 0)]).unwrap();

    let again = backup(folder.path(), &copy).unwrap_err();
    assert!(matches!(again, BackupError::Exists(_)), "{again:?}");
    let nowhere = backup(folder.path(), &copies.path().join("missing/copy")).unwrap_err();
    assert!(matches!(nowhere, BackupError::NoFolder(_)), "{nowhere:?}");
    let mut restored = open(copies.path()).unwrap();
    assert_eq!(restored.read(&code(1_000)).unwrap(), log(5));
    assert_eq!(restored.read(&code(1_001)).unwrap(), []);
}

/// Only root can make files for others.
#[test]
fn what_root_makes_in_a_folder_belongs_to_the_owner_of_the_folder() {
    let folder = filled();
    let copies = tempfile::tempdir().unwrap();
    if chown(copies.path(), Some(12_345), Some(54_321)).is_err() {
        return;
    }
    let copy = file_in(copies.path());
    backup(folder.path(), &copy).unwrap();
    let made = fs::metadata(&copy).unwrap();
    assert_eq!((made.uid(), made.gid()), (12_345, 54_321));
}

#[test]
fn what_is_damaged_is_not_copied() {
    let folder = filled();
    let connection = rusqlite::Connection::open(file_in(folder.path())).unwrap();
    connection.execute("DELETE FROM event WHERE id = 100", ()).unwrap();
    let copy = folder.path().join("copy");
    let error = backup(folder.path(), &copy).unwrap_err();
    assert!(matches!(error, BackupError::Unsound(_)), "{error:?}");
    assert!(!copy.exists());
}

#[test]
fn without_a_database_nothing_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let error = check(folder.path()).unwrap_err();
    assert!(matches!(error, OpenError::Missing { .. }), "{error:?}");
    assert!(backup(folder.path(), &folder.path().join("copy")).is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
