//! SQLite's write-ahead log, the file `-wal` beside the database: its size, how it is emptied so that the
//! database file alone has everything, and how to notice that it belongs to another database.

use std::{
    fs::{self, File},
    io::{self, Read},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rusqlite::{Connection, OpenFlags};

use crate::StorageError;

/// The log is copied into the database when it has this many pages: 32 MiB. Nothing is committed during the
/// copy. Copying rarely takes less time in total and delays fewer moves.
pub(crate) const CHECKPOINT_PAGES: u32 = 8 * 1024;

/// The log's file shrinks to this size when it begins again: what a copy of [`CHECKPOINT_PAGES`] leaves.
pub(crate) const BYTES_KEPT: u64 = 34 * 1024 * 1024;

/// A longer log is emptied even while the server is busy.
const BYTES_MAX: u64 = 2 * BYTES_KEPT;

/// How long readers may delay that; no move is stored during this time.
const EMPTY_WITHIN: Duration = Duration::from_millis(100);

/// The byte of a database's header with its version for writers: 1 in a copy, which has no log.
const WRITE_VERSION: usize = 18;

/// How long to wait for another process that uses the file, such as a backup that begins.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The log of a database file.
pub(crate) fn path_of(file: &Path) -> PathBuf {
    with_suffix(file, "-wal")
}

/// The path of a file beside this one.
pub(crate) fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// The size of a database's log in bytes; 0 where it is missing.
///
/// # Errors
/// If it cannot be measured.
pub(crate) fn size(file: &Path) -> io::Result<u64> {
    match fs::metadata(path_of(file)) {
        Ok(log) => Ok(log.len()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

/// Copies all of the log into the database and empties it. Waits so long for readers. Returns whether it is
/// empty.
///
/// # Errors
/// If it cannot be copied; then it stays as it is.
pub(crate) fn empty(connection: &Connection, within: Duration) -> rusqlite::Result<bool> {
    connection.busy_timeout(within)?;
    let is_busy =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get::<_, bool>(0));
    connection.busy_timeout(BUSY_TIMEOUT)?;
    is_busy.map(|is_busy| !is_busy)
}

/// Empties the log when nothing has been written for a while, or when it is long.
#[derive(Debug, Default)]
pub(crate) struct LogKeeper {
    /// Its size and time at the last look.
    last: Option<(u64, SystemTime)>,
    /// Whether the last try failed.
    is_stuck: bool,
}

impl LogKeeper {
    /// Looks at the log, at intervals.
    pub(crate) fn look(&mut self, file: &Path, connection: &Connection) {
        let seen =
            fs::metadata(path_of(file)).and_then(|log| Ok((log.len(), log.modified()?))).ok();
        let is_idle = seen == self.last;
        self.last = seen;
        let Some((bytes, _)) = seen.filter(|(bytes, _)| *bytes > 0) else { return };
        if !is_idle && bytes < BYTES_MAX {
            return;
        }
        let stuck = match empty(connection, EMPTY_WITHIN) {
            Ok(true) => None,
            Ok(false) => Some("another program reads the database".to_owned()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(reason) = stuck.as_ref().filter(|_| bytes > BYTES_MAX && !self.is_stuck) {
            tracing::warn!(
                bytes,
                reason,
                "the write-ahead log of the database cannot be emptied, and grows, because something reads the \
                 database: a backup that the server makes, which ends by itself, or another program, such as a check, \
                 which you can end"
            );
        }
        self.is_stuck = stuck.is_some() && bytes > BYTES_MAX;
    }
}

/// Whether the database has a log that was left by another one, which a backup has replaced: the file is a copy,
/// or older than this process of a server, which had copied its number into the file.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn is_of_another(file: &Path, process: Option<i64>) -> Result<bool, StorageError> {
    let failed = |error: io::Error| StorageError::Failed(error.to_string());
    if size(file).map_err(failed)? == 0 {
        return Ok(false);
    }
    let mut header = [0; WRITE_VERSION + 1];
    match File::open(file).and_then(|mut file| file.read_exact(&mut header)) {
        Ok(()) => {}
        // No file, or an empty one.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof) =>
        {
            return Ok(true);
        }
        Err(error) => return Err(failed(error)),
    }
    if header.starts_with(b"SQLite format 3\0") && header[WRITE_VERSION] == 1 {
        return Ok(true);
    }
    let Some(process) = process else { return Ok(false) };
    Ok(process_in(file).is_ok_and(|stored| stored < process))
}

/// The number of the last process that has opened a database, without what is in its log.
fn process_in(file: &Path) -> rusqlite::Result<i64> {
    let mut address = "file:".to_owned();
    for byte in file.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(byte) {
            address.push(char::from(*byte));
        } else {
            address.push_str(&format!("%{byte:02X}"));
        }
    }
    // A file that cannot change needs no log.
    address.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(address, flags)?.query_row(
        "SELECT coalesce(max(id), 0) FROM process",
        (),
        |row| row.get(0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DataFolder, Sqlite, Storage};

    /// Two tries find the same log: nothing has been written in between.
    fn rest(storage: &mut Sqlite) {
        storage.rest();
        storage.rest();
    }

    #[test]
    fn a_long_log_is_emptied_when_its_reader_ends_though_others_write() {
        let folder = tempfile::tempdir().unwrap();
        let mut storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
        let file = folder.path().join("fivefold.sqlite3");
        let connection = storage.connection();
        connection.execute_batch("CREATE TABLE filler (bytes BLOB)").unwrap();
        let reader = Connection::open(&file).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM room").unwrap();
        let mut write = || {
            storage
                .connection()
                .execute("INSERT INTO filler VALUES (zeroblob(1048576))", ())
                .unwrap();
            storage.rest();
            size(&file).unwrap()
        };
        while write() <= BYTES_MAX {}
        assert!(write() > BYTES_MAX, "a reader needs what is in the log");
        reader.execute_batch("COMMIT").unwrap();
        assert_eq!(write(), 0);
        let most = (0..100).map(|_| write()).max().unwrap();
        assert!((BYTES_KEPT / 2..=BYTES_KEPT).contains(&most), "{most} bytes");
        rest(&mut storage);
        assert_eq!(size(&file).unwrap(), 0);
    }
}
