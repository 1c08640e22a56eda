//! Backups that the server makes by itself: at intervals, and before it upgrades a file.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::Path,
    process::{Command, Stdio},
};

use fivefold_storage::{BackupError, BackupFolder, OpenError, Storage, backup, check, restore};
use rusqlite::Connection;

use crate::{
    folders::{FILE, folder_with, open},
    formats::{FORMAT_14, FORMAT_15, make_older},
    rooms::{append, code, log},
};

const KEPT: &str = "fivefold.sqlite3.format-13";
/// 2026-11-30 18:00.
const NOW: u64 = 1_796_061_600_000;

/// Makes a file what a server of format 13 has left.
fn make_old(folder: &Path) {
    make_older(&folder.join(FILE), 13);
}

fn format_of(file: &Path) -> u32 {
    let file = Connection::open(file).unwrap();
    file.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

#[test]
fn before_an_upgrade_the_old_file_is_copied_and_leads_back() {
    let folder = folder_with(&[1, 2]);
    let folder = folder.path();
    make_old(folder);
    // What an earlier upgrade has left, and one that was killed.
    for name in [KEPT, "fivefold.sqlite3.format-13.new"] {
        fs::write(folder.join(name), "half of it").unwrap();
    }
    let mut storage = open(folder).unwrap();
    storage.append(&[append(3, log(20), 0)]).unwrap();
    drop(storage);
    assert!(format_of(&folder.join(FILE)) > 13);
    let kept = folder.join(KEPT);
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(format_of(&kept), 13);
    assert!(!folder.join("fivefold.sqlite3.format-13.new").exists());
    // The next start makes none.
    fs::remove_file(&kept).unwrap();
    drop(open(folder).unwrap());
    assert!(!kept.exists());

    make_old(folder);
    drop(open(folder).unwrap());
    let restored = restore(folder, &kept).unwrap();
    assert_eq!((restored.format, restored.findings.rooms, restored.version.clone()), (13, 3, None));
    assert!(restored.to_string().contains("upgrades it"), "{restored}");
    assert_eq!(format_of(&folder.join(FILE)), 13, "for an older server");
    let mut storage = open(folder).unwrap();
    assert_eq!(storage.read(&code(3)).unwrap(), log(20));
}

#[test]
fn an_upgrade_that_has_failed_before_makes_no_second_copy() {
    let folder = folder_with(&[1, 2]);
    let folder = folder.path();
    make_old(folder);
    let kept = folder.join(KEPT);
    let change =
        |sql: &str| Connection::open(folder.join(FILE)).unwrap().execute_batch(sql).unwrap();
    let upgrade_fails = || {
        change("CREATE TABLE email (obstacle INTEGER)");
        let error = open(folder).unwrap_err();
        assert!(matches!(error, OpenError::Storage { .. }), "{error:?}");
        change("DROP TABLE email");
        assert_eq!(format_of(&folder.join(FILE)), 13);
        fs::metadata(&kept).unwrap().ino()
    };
    let first = upgrade_fails();
    assert_eq!(upgrade_fails(), first);
    // A copy that cannot be read is none, and neither is one of earlier content.
    let copied = fs::read(&kept).unwrap();
    fs::write(&kept, &copied[..copied.len() / 2]).unwrap();
    upgrade_fails();
    assert_eq!(fs::metadata(&kept).unwrap().len(), copied.len() as u64);
    for used in ["INSERT INTO process DEFAULT VALUES", "DELETE FROM event WHERE id = 40"] {
        let before = fs::metadata(&kept).unwrap().ino();
        change(used);
        assert_ne!(upgrade_fails(), before, "{used}");
    }
    drop(open(folder).unwrap());
    assert_eq!(format_of(&kept), 13);
}

#[test]
fn a_file_of_format_14_that_names_versions_already_is_upgraded() {
    let folder = folder_with(&[1]);
    for undone in ["", FORMAT_14] {
        let file = Connection::open(folder.path().join(FILE)).unwrap();
        file.execute_batch(&format!("{FORMAT_15} {undone} PRAGMA user_version = 14")).unwrap();
        drop(file);
        drop(open(folder.path()).unwrap());
        assert_eq!(format_of(&folder.path().join(FILE)), 16);
        assert!(check(folder.path()).unwrap().is_sound());
    }
}

#[test]
fn what_killed_servers_have_left_is_removed_and_nothing_else() {
    let folder = folder_with(&[1]);
    let left = [".new", ".new-journal", ".format-13.new", ".source.new-wal"];
    let others = [".new.txt", ".format-13", ".before-restore-1"];
    let path = |end: &&str| folder.path().join(format!("{FILE}{end}"));
    left.iter().chain(&others).for_each(|end| fs::write(path(end), "half of it").unwrap());
    drop(open(folder.path()).unwrap());
    assert!(!left.iter().any(|end| path(end).exists()));
    assert!(others.iter().all(|end| path(end).exists()));
}

/// The lock file may be a link to a file of somebody else.
#[test]
fn a_lock_that_is_a_link_is_refused() {
    let folder = folder_with(&[1]);
    let [lock, other] = ["fivefold.lock", "other"].map(|name| folder.path().join(name));
    fs::write(&other, "precious").unwrap();
    fs::remove_file(&lock).unwrap();
    symlink(&other, &lock).unwrap();
    let error = open(folder.path()).unwrap_err();
    assert!(matches!(error, OpenError::Folder { .. }), "{error:?}");
    assert_eq!(fs::read(&other).unwrap(), b"precious");
}

#[cfg(target_os = "linux")]
#[test]
fn a_backup_is_made_at_a_path_that_is_no_text() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let data = folder_with(&[1]);
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join(OsStr::from_bytes(b"copy-\xFF"));
    backup(data.path(), &copy).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let other = tempfile::tempdir().unwrap();
    assert_eq!(restore(other.path(), &copy).unwrap().findings.rooms, 1);
}

#[test]
fn a_file_with_damaged_rows_is_copied_as_it_is_before_an_upgrade() {
    let folder = folder_with(&[1, 2]);
    make_old(folder.path());
    let file = Connection::open(folder.path().join(FILE)).unwrap();
    file.execute("DELETE FROM event WHERE room = 1 AND seq = 7", ()).unwrap();
    drop(file);
    let mut storage = open(folder.path()).unwrap();
    assert_eq!(storage.read(&code(2)).unwrap(), log(20));
    assert!(folder.path().join(KEPT).exists());
}

#[test]
fn without_a_backup_there_is_no_upgrade() {
    let rooms: Vec<_> = (0..100).collect();
    let folder = folder_with(&rooms);
    let file = folder.path().join(FILE);
    make_old(folder.path());
    let before = fs::read(&file).unwrap();
    let obstacle = folder.path().join("fivefold.sqlite3.format-13.new");
    fs::create_dir(&obstacle).unwrap();
    let error = open(folder.path()).unwrap_err();
    assert!(matches!(error, OpenError::NoBackup { format: 13, .. }), "{error:?}");
    assert_eq!(fs::read(&file).unwrap(), before);
    fs::remove_dir(&obstacle).unwrap();

    // A disk that is full.
    assert!(before.len() > 256 * 1024, "{}", before.len());
    let limited = Command::new("sh")
        .args(["-c", "ulimit -f 256; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_fivefold-server"))
        .args(["--listen", "127.0.0.1:0", "--data"])
        .arg(folder.path())
        .env_remove("FIVEFOLD_DATABASE")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&limited.stderr);
    assert_eq!(limited.status.code(), Some(1), "{:?}: {errors}", limited.status);
    let last = errors.lines().next_back().unwrap_or_default();
    assert!(last.contains("older format 13") && last.contains("Nothing was changed"), "{errors}");
    assert_eq!(fs::read(&file).unwrap(), before);
    assert!(!folder.path().join(KEPT).exists() && !obstacle.exists());
    drop(open(folder.path()).unwrap());
    assert!(check(folder.path()).unwrap().is_sound());
}

#[test]
fn a_backup_has_the_time_in_its_name_and_is_complete() {
    let data = folder_with(&[1]);
    let mut storage = open(data.path()).unwrap();
    let backups = BackupFolder::new(data.path(), None);
    assert_eq!(backups.prepare(NOW).unwrap(), None);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(backups.path()), 0o700);

    let error = backups.begin(NOW, u64::MAX).map(|_| ()).unwrap_err();
    assert!(matches!(error, BackupError::NoSpace { .. }), "{error:?}");
    // One that is not finished leaves nothing.
    drop(backups.begin(NOW, 0).unwrap());
    assert_eq!(fs::read_dir(backups.path()).unwrap().count(), 0);
    // Neither does one that is stopped, and it may be stopped again until it has ended.
    let stopped = backups.begin(NOW, 0).unwrap();
    let stopper = stopped.stopper();
    assert!(stopper.stop());
    assert!(stopper.stop());
    let error = stopped.finish().unwrap_err();
    assert!(matches!(error, BackupError::Copy(_)), "{error:?}");
    assert_eq!(fs::read_dir(backups.path()).unwrap().count(), 0);

    storage.append(&[append(2, log(20), 0)]).unwrap();
    let backup = backups.begin(NOW + 59_999, 0).unwrap();
    let stopper = backup.stopper();
    let made = backup.finish().unwrap();
    assert!(!stopper.stop(), "all is copied");
    assert_eq!(made, data.path().join("backups/fivefold-2026-11-30T18-00.sqlite3"));
    assert_eq!(mode(&made), 0o600);
    assert_eq!(fs::read_dir(backups.path()).unwrap().count(), 1);
    assert_eq!(backups.prepare(NOW).unwrap(), Some(NOW));
    let error = backups.begin(NOW, 0).map(|_| ()).unwrap_err();
    assert!(matches!(error, BackupError::Exists(_)), "{error:?}");
    let other = tempfile::tempdir().unwrap();
    restore(other.path(), &made).unwrap();
    assert_eq!(open(other.path()).unwrap().read(&code(2)).unwrap(), log(20));

    // What is damaged is no backup.
    drop(storage);
    let file = Connection::open(data.path().join(FILE)).unwrap();
    file.execute("DELETE FROM event WHERE seq = 7", ()).unwrap();
    let error = backups.begin(NOW + 60_000, 0).unwrap().finish().unwrap_err();
    assert!(matches!(error, BackupError::Unsound(_)), "{error:?}");
    assert_eq!(fs::read_dir(backups.path()).unwrap().count(), 1);

    let blocked = BackupFolder::new(data.path(), Some(data.path().join(FILE).join("backups")));
    let error = blocked.prepare(NOW).unwrap_err();
    assert!(error.to_string().contains("fivefold.sqlite3/backups"), "{error}");
}
