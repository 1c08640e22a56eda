//! Backups that are put in place: what is refused, what becomes of the old database, and kills in between.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::{Path, PathBuf},
};

use fivefold_storage::{OpenError, RestoreError, Storage, backup, check, restore};
use tempfile::TempDir;

use crate::{
    folders::{FILE, add, folder_with, killed, open},
    rooms::{code, log},
};

const OLD: &str = "fivefold.sqlite3.before-restore-1";

/// A backup of a folder with these rooms.
fn backup_with(rooms: &[u64]) -> (TempDir, PathBuf) {
    let folder = folder_with(rooms);
    let copy = folder.path().join("copy");
    backup(folder.path(), &copy).unwrap();
    (folder, copy)
}

/// Expects these rooms, and no others, in a database with this name.
fn expect_rooms(folder: &Path, name: &str, rooms: &[u64]) {
    let copied = tempfile::tempdir().unwrap();
    for end in ["", "-wal"] {
        let file = folder.join(format!("{name}{end}"));
        if file.exists() {
            fs::copy(file, copied.path().join(format!("{FILE}{end}"))).unwrap();
        }
    }
    let mut storage = open(copied.path()).unwrap();
    for room in rooms {
        assert_eq!(storage.read(&code(*room)).unwrap(), log(20), "room {room}");
    }
    drop(storage);
    let findings = check(copied.path()).unwrap();
    assert!(findings.is_sound(), "{findings}");
    assert_eq!(findings.rooms, rooms.len() as u64);
}

/// All files of a folder.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    files
        .map(|file| {
            (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap_or_default())
        })
        .collect()
}

#[test]
fn the_backup_is_in_place_and_the_old_database_opens_under_its_new_name() {
    let (_source, copy) = backup_with(&[3]);
    for (folder, old) in [(folder_with(&[1]), vec![1]), (killed(), vec![1, 2])] {
        let folder = folder.path();
        let restored = restore(folder, &copy).unwrap();
        assert_eq!(restored.kept, Some(folder.join(OLD)));
        let text = restored.to_string();
        for expected in
            ["1 rooms, 20 events, 0 finished games, 0 members", OLD, "fivefold-server push"]
        {
            assert!(text.contains(expected), "{text}");
        }
        assert_eq!(restored.version.as_deref(), Some(env!("CARGO_PKG_VERSION")));
        for end in ["-wal", "-shm", "-journal", ".new"] {
            assert!(!folder.join(format!("{FILE}{end}")).exists(), "{end}");
        }
        assert_eq!(fs::metadata(folder.join(FILE)).unwrap().permissions().mode() & 0o777, 0o600);
        expect_rooms(folder, FILE, &[3]);
        expect_rooms(folder, OLD, &old);
        // A server uses it, and a second restore brings the first database back.
        add(&mut open(folder).unwrap(), 4);
        let again = restore(folder, &folder.join(OLD)).unwrap();
        assert_eq!(again.kept, Some(folder.join("fivefold.sqlite3.before-restore-2")));
        expect_rooms(folder, FILE, &old);
        expect_rooms(folder, "fivefold.sqlite3.before-restore-2", &[3, 4]);
    }
    // The backup is as it was.
    let (folder, name) = (copy.parent().unwrap(), copy.file_name().unwrap());
    expect_rooms(folder, name.to_str().unwrap(), &[3]);
}

#[test]
fn a_backup_is_restored_where_nothing_is_or_only_a_log_was_left() {
    let (_source, copy) = backup_with(&[3]);
    let outer = tempfile::tempdir().unwrap();
    let new = outer.path().join("a/b");
    assert_eq!(restore(&new, &copy).unwrap().kept, None);
    expect_rooms(&new, FILE, &[3]);

    // The log of a database that is gone, and one that belongs to another than the file beside it.
    let without = killed();
    fs::remove_file(without.path().join(FILE)).unwrap();
    let with_another = killed();
    fs::copy(&copy, with_another.path().join(FILE)).unwrap();
    for folder in [without.path(), with_another.path()] {
        let log = fs::read(folder.join("fivefold.sqlite3-wal")).unwrap();
        assert!(matches!(open(folder).unwrap_err(), OpenError::LeftLog { .. }));
        let restored = restore(folder, &copy).unwrap();
        assert_eq!(restored.kept, Some(folder.join(OLD)));
        // SQLite must not take it for the log of the file beside it.
        assert_eq!(fs::read(folder.join(format!("{OLD}.left-wal"))).unwrap(), log);
        assert!(!folder.join(format!("{OLD}-wal")).exists());
        expect_rooms(folder, FILE, &[3]);
        drop(open(folder).unwrap());
    }
    expect_rooms(with_another.path(), OLD, &[3]);
}

#[test]
fn a_database_with_its_log_is_as_good_as_a_backup() {
    let source = killed();
    let folder = folder_with(&[3]);
    restore(folder.path(), &source.path().join(FILE)).unwrap();
    expect_rooms(folder.path(), FILE, &[1, 2]);
}

#[test]
fn what_cannot_be_restored_changes_nothing() {
    let folder = folder_with(&[1]);
    let (source, copy) = backup_with(&[3]);
    let before = content(folder.path());
    let refused = |backup: &Path| {
        let error = restore(folder.path(), backup).unwrap_err();
        assert_eq!(content(folder.path()), before, "{error}");
        error
    };
    let change = |sql: &str| {
        let changed = source.path().join("changed");
        fs::copy(&copy, &changed).unwrap();
        rusqlite::Connection::open(&changed).unwrap().execute_batch(sql).unwrap();
        changed
    };
    let error = refused(&source.path().join("missing"));
    assert!(matches!(error, RestoreError::Missing { .. }), "{error:?}");
    let error = refused(source.path());
    assert!(matches!(error, RestoreError::Missing { .. }), "{error:?}");
    let error = refused(&change("PRAGMA application_id = 1"));
    assert!(matches!(error, RestoreError::Foreign { .. }), "{error:?}");
    let error = refused(&change("UPDATE process SET version = '9.8.7'; PRAGMA user_version = 99"));
    assert!(matches!(error, RestoreError::Open(OpenError::Newer { found: 99, .. })), "{error:?}");
    assert!(error.to_string().contains("Start Fivefold 9.8.7 again"), "{error}");
    let error = refused(&change("PRAGMA user_version = 6"));
    assert!(matches!(error, RestoreError::Open(OpenError::PreRelease { .. })), "{error:?}");
    let error = refused(&change("DELETE FROM event WHERE seq = 7"));
    assert!(matches!(error, RestoreError::Unsound { .. }), "{error:?}");
    assert!(error.to_string().contains("check --repair --data"), "{error}");

    let text = source.path().join("text");
    fs::write(&text, "This is no database, but it is long enough for one.\n".repeat(99)).unwrap();
    let error = refused(&text);
    assert!(matches!(error, RestoreError::Unsound { .. }), "{error:?}");
    fs::write(&text, "").unwrap();
    let error = refused(&text);
    assert!(matches!(error, RestoreError::Open(OpenError::Empty { .. })), "{error:?}");
    let halved = source.path().join("halved");
    let bytes = fs::read(&copy).unwrap();
    fs::write(&halved, &bytes[..bytes.len() / 2]).unwrap();
    let error = refused(&halved);
    assert!(matches!(error, RestoreError::Unsound { .. }), "{error:?}");

    let error = refused(&folder.path().join(FILE));
    assert!(matches!(error, RestoreError::InPlace { .. }), "{error:?}");
    let server = open(folder.path()).unwrap();
    let error = restore(folder.path(), &copy).unwrap_err();
    assert!(matches!(error, RestoreError::Open(OpenError::InUse { .. })), "{error:?}");
    drop(server);
    expect_rooms(folder.path(), FILE, &[1]);
}

/// What a restore leaves that is killed, step by step: the database is the old one or the new one, and the next restore
/// succeeds.
#[test]
fn after_a_kill_at_any_step_the_database_is_one_of_both() {
    let (_source, copy) = backup_with(&[3]);
    let next = |folder: &Path| {
        restore(folder, &copy).unwrap();
        expect_rooms(folder, FILE, &[3]);
        drop(open(folder).unwrap());
    };
    // While the backup is copied.
    let folder = killed();
    for end in [".new", ".new-journal"] {
        fs::write(folder.path().join(format!("{FILE}{end}")), "half of it").unwrap();
    }
    expect_rooms(folder.path(), FILE, &[1, 2]);
    next(folder.path());
    assert!(!folder.path().join("fivefold.sqlite3.new-journal").exists());
    // When the old database has its second name, and its log as well.
    let folder = killed();
    for end in ["", "-wal"] {
        let name = |start: &str| folder.path().join(format!("{start}{end}"));
        fs::hard_link(name(FILE), name(OLD)).unwrap();
    }
    expect_rooms(folder.path(), FILE, &[1, 2]);
    next(folder.path());
    expect_rooms(folder.path(), OLD, &[1, 2]);
    // When the new one is in place, and the log of the old one could not be emptied before.
    let folder = killed();
    fs::copy(&copy, folder.path().join("fivefold.sqlite3.new")).unwrap();
    fs::rename(folder.path().join("fivefold.sqlite3.new"), folder.path().join(FILE)).unwrap();
    assert!(matches!(open(folder.path()).unwrap_err(), OpenError::LeftLog { .. }), "never a mix");
    next(folder.path());
}

#[test]
fn a_second_name_of_the_database_is_no_backup_and_goes() {
    let folder = folder_with(&[1]);
    let (_source, copy) = backup_with(&[3]);
    let path = |name: &str| folder.path().join(name);
    fs::hard_link(path(FILE), path(OLD)).unwrap();
    fs::hard_link(path(FILE), path("another-name")).unwrap();
    for name in [OLD, "another-name"] {
        let error = restore(folder.path(), &path(name)).unwrap_err();
        assert!(matches!(error, RestoreError::InPlace { .. }), "{error:?}");
    }
    for name in ["fivefold.sqlite3.new", "fivefold.sqlite3.source.new"] {
        fs::copy(&copy, path(name)).unwrap();
        let error = restore(folder.path(), &path(name)).unwrap_err();
        assert!(matches!(error, RestoreError::InPlace { .. }), "{error:?}");
        fs::remove_file(path(name)).unwrap();
    }
    fs::write(path("fivefold.sqlite3.before-restore-7"), "an older one").unwrap();
    restore(folder.path(), &copy).unwrap_or_else(|error| panic!("{error}"));
    expect_rooms(folder.path(), FILE, &[3]);
    expect_rooms(folder.path(), OLD, &[1]);
    assert_eq!(fs::read(path("fivefold.sqlite3.before-restore-7")).unwrap(), b"an older one");
    assert!(!path("fivefold.sqlite3.before-restore-2").exists());
}

/// After the number of the old database, a smaller one of the restored database would look like the log of another.
#[test]
fn the_number_of_the_old_process_is_forgotten() {
    let folder = folder_with(&[1]);
    (0..9).for_each(|_| drop(open(folder.path()).unwrap()));
    let (_source, copy) = backup_with(&[3]);
    let lock = folder.path().join("fivefold.lock");
    assert_eq!(fs::read(&lock).unwrap(), b"10");
    restore(folder.path(), &copy).unwrap();
    assert_eq!(fs::read(&lock).unwrap(), b"");
    drop(open(folder.path()).unwrap());
    assert_eq!(fs::read(&lock).unwrap(), b"2");
}

/// A server is killed just when it begins to use the backup, before it has changed the first page.
#[test]
fn a_backup_with_a_rollback_journal_stays_as_it_is() {
    let (source, copy) = backup_with(&[3]);
    let copied = rusqlite::Connection::open(&copy).unwrap();
    copied.execute_batch("PRAGMA cache_size = 2; BEGIN; UPDATE event SET at = at + 1").unwrap();
    copied.execute_batch("CREATE TABLE filler AS SELECT zeroblob(1000000)").unwrap();
    // What the disk has now.
    let killed = tempfile::tempdir().unwrap();
    let backup = killed.path().join("copy");
    for end in ["", "-journal"] {
        let name = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
        fs::copy(name(&copy), name(&backup)).unwrap();
    }
    drop((copied, source));
    let before = content(killed.path());
    assert_eq!(before.len(), 2);
    assert!(!before["copy-journal"].is_empty());
    let folder = folder_with(&[1]);
    restore(folder.path(), &backup).unwrap();
    assert_eq!(content(killed.path()), before);
    expect_rooms(folder.path(), FILE, &[3]);
    let names: Vec<_> = content(folder.path()).into_keys().collect();
    assert_eq!(names, ["fivefold.lock", FILE, OLD]);
}

/// Only root can make files for others.
#[test]
fn what_root_restores_belongs_to_the_owner_of_the_folder() {
    let (_source, copy) = backup_with(&[3]);
    let folder = tempfile::tempdir().unwrap();
    if chown(folder.path(), Some(12_345), Some(54_321)).is_err() {
        return;
    }
    for _ in 0..2 {
        restore(folder.path(), &copy).unwrap();
        for name in [FILE, "fivefold.lock"] {
            let made = fs::metadata(folder.path().join(name)).unwrap();
            assert_eq!((made.uid(), made.gid()), (12_345, 54_321), "{name}");
        }
    }
}
