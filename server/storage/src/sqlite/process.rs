//! The numbers of the processes that have opened a file, each of which owns the rooms that it makes or claims.

use rusqlite::{Connection, TransactionBehavior};

use crate::open_error::{VERSION, shown};

/// Larger numbers are damaged.
pub(crate) const PROCESS_MAX: i64 = 1 << 52;

/// Adds what format 15 has about processes. Some development versions have added it to format 14 already.
pub(super) fn add_version(connection: &Connection) -> rusqlite::Result<()> {
    if connection.column_exists(None::<&str>, "process", "version")? {
        return Ok(());
    }
    connection.execute_batch(
        "ALTER TABLE process ADD COLUMN
             -- The version of the server; absent for one from before format 15.
             version TEXT;",
    )
}

/// The version of the last server that has opened a file; nothing if the file does not say so.
pub(super) fn version(connection: &Connection) -> Option<String> {
    let last = "SELECT version FROM process WHERE version IS NOT NULL ORDER BY id DESC LIMIT 1";
    let version: String = connection.query_row(last, (), |row| row.get(0)).ok()?;
    Some(shown(&version))
}

/// Stores a new number and returns it. Damaged numbers, after which there may be no further one, are deleted.
///
/// # Errors
/// If it cannot be stored.
pub(super) fn begin(connection: &mut Connection) -> rusqlite::Result<i64> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let deleted = delete_damaged(&transaction)?;
    if deleted > 0 {
        tracing::warn!(rows = deleted, "damaged numbers of earlier processes are deleted");
    }
    transaction.execute("INSERT INTO process (version) VALUES (?)", (VERSION,))?;
    let process = transaction.last_insert_rowid();
    transaction.commit()?;
    Ok(process)
}

/// Adds the number of the last process that owns a room, where it is lost: the next process would take the rooms for
/// its own, and not look for them.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn follow_owners(connection: &Connection) -> rusqlite::Result<usize> {
    connection.execute(
        "INSERT OR IGNORE INTO process (id)
         SELECT max(owner) FROM room WHERE owner BETWEEN 1 AND ? HAVING max(owner) IS NOT NULL",
        (PROCESS_MAX,),
    )
}

/// Deletes numbers that no process had, and continues after the largest one that owns a room.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn delete_damaged(connection: &Connection) -> rusqlite::Result<usize> {
    let deleted =
        connection.execute("DELETE FROM process WHERE id NOT BETWEEN 1 AND ?", (PROCESS_MAX,))?;
    let mended = connection.execute(
        "UPDATE sqlite_sequence SET seq = (SELECT max(
             (SELECT coalesce(max(id), 0) FROM process),
             (SELECT coalesce(max(owner), 0) FROM room WHERE owner BETWEEN 1 AND ?1)))
         WHERE name = 'process' AND (typeof(seq) <> 'integer' OR seq NOT BETWEEN 0 AND ?1)",
        (PROCESS_MAX,),
    )?;
    Ok(deleted + mended)
}
