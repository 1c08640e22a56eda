//! Opens files, for reading and for an operator's command, and refuses those that are not ours or that this server
//! cannot read.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, config::DbConfig};

use super::{
    data_folder::last_process,
    process,
    schema::{self, APPLICATION_ID, FORMAT, Kind, OLDEST_FORMAT},
    write_ahead_log::{self, BUSY_TIMEOUT, with_suffix},
};
use crate::{OpenError, StorageError};

/// Where the header of a file has the application that it belongs to.
const APPLICATION_ID_AT: usize = 68;

/// Prepared statements that a connection keeps: more than the server has, so that none is parsed twice.
const STATEMENTS_MAX: usize = 256;

/// The format of a file that this server can read. Uses a connection that cannot write, unless it has to play back a
/// rollback journal first.
pub(crate) fn inspect(file: &Path) -> Result<u32, OpenError> {
    let path = file.display().to_string();
    let failed = |error| open_error(file, error);
    play_back_journal(file).map_err(failed)?;
    if write_ahead_log::is_of_another(file, last_process(file)).map_err(failed)? {
        return Err(OpenError::LeftLog { path });
    }
    let read = open_to_read(file).and_then(|connection| {
        let kind = schema::kind(&connection)?;
        Ok((kind, process::version(&connection)))
    });
    let (kind, version) = read.map_err(|error| failed(error.into()))?;
    match kind {
        Kind::Empty => Err(OpenError::Empty { path }),
        Kind::Ours(found) if found > FORMAT => {
            Err(OpenError::Newer { path, found, known: FORMAT, version })
        }
        Kind::Ours(found) if found < OLDEST_FORMAT => Err(OpenError::PreRelease { path, found }),
        Kind::Ours(format) => Ok(format),
        Kind::Foreign => Err(OpenError::Foreign { path }),
    }
}

/// Plays back the rollback journal of a copy. A server leaves one if it is killed just when it begins to use the copy.
/// Only a connection that writes can play it back.
fn play_back_journal(file: &Path) -> Result<(), StorageError> {
    if !has_journal(file) {
        return Ok(());
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    schema::kind(&connection)?;
    Ok(())
}

/// Whether a rollback journal is beside a file of ours.
pub(crate) fn has_journal(file: &Path) -> bool {
    let journal = fs::metadata(with_suffix(file, "-journal"));
    journal.is_ok_and(|journal| journal.len() > 0) && is_ours(file)
}

/// Whether the header of a file says so.
fn is_ours(file: &Path) -> bool {
    let mut header = [0; APPLICATION_ID_AT + size_of::<i32>()];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header.ends_with(&APPLICATION_ID.to_be_bytes())
}

/// Changes a file in one transaction, for an operator's command. A server may use it at the same time.
///
/// # Errors
/// If the file cannot be opened or written, or as `change`; then nothing is changed.
pub(crate) fn change_file<T, E: From<StorageError>>(
    file: &Path,
    change: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(file, flags).map_err(StorageError::from)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(StorageError::from)?;
    let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
    let transaction = begun.map_err(StorageError::from)?;
    let changed = change(&transaction)?;
    transaction.commit().map_err(StorageError::from)?;
    Ok(changed)
}

/// A connection that cannot write.
pub(crate) fn open_to_read(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    prepare_once(&connection)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Keeps every statement prepared. By default SQLite prepares some again for each new value, in case another
/// plan suits it better. That takes ten times as long as to find a row. So a statement that needs a
/// partial index has the constants of that index in its text.
pub(super) fn prepare_once(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// An error of this file.
pub(super) fn open_error(file: &Path, error: StorageError) -> OpenError {
    OpenError::Storage { path: file.display().to_string(), error }
}
