//! Repairs a database while no server uses it: exports what is left of damaged rooms and closes
//! them, so that a server can start with all the others.

use std::{
    fmt, fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use rusqlite::{Connection, Row, Transaction, TransactionBehavior, types::ValueRef};
use serde::Serialize;

use super::{
    DataFolder, Findings, OpenError, Sqlite, StorageError,
    check::{self, Problem},
    data_folder::{create_private, database_in, sync_folder_of},
    schema::CLOSED_WITHOUT_LOG,
};

/// Why a database could not be repaired. It is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// It cannot be opened, or a server uses it.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// More than rooms is damaged.
    #[error("the file itself is damaged: {0}. It cannot be repaired; put a backup in its place")]
    Pages(String),
    /// A damaged room could not be exported.
    #[error("cannot write {path}: {error}. Nothing is changed")]
    Export {
        /// The file.
        path: String,
        /// The reason.
        error: io::Error,
    },
    /// It cannot be read or written.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Result of a repair.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Repaired {
    /// The files with what is left of each damaged room.
    pub exports: Vec<PathBuf>,
    /// Result of a check after the repair.
    pub findings: Findings,
}

impl fmt::Display for Repaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.exports.is_empty() {
            writeln!(f, "No room is damaged.")?;
        }
        for export in &self.exports {
            writeln!(f, "A damaged room is closed; what is left of it is in {}", export.display())?;
        }
        self.findings.fmt(f)
    }
}

/// The remains of a damaged room, as stored.
#[derive(Serialize)]
struct Export {
    /// The room's code; absent for events that belong to no room.
    room: Option<String>,
    problems: Vec<String>,
    events: Vec<StoredEvent>,
    games: Vec<StoredGame>,
}

#[derive(Serialize)]
struct StoredEvent {
    seq: i64,
    at: i64,
    member: Option<String>,
    command: Option<String>,
    event: String,
}

#[derive(Serialize)]
struct StoredGame {
    id: String,
    summary: String,
    moves: String,
}

/// Exports the damaged rooms of a folder's database into files beside it, and closes them. Finished
/// games stay if they can be read.
///
/// # Errors
/// If a server uses the folder, the file itself is damaged, or the repair fails; nothing is changed
/// then.
pub fn repair(folder: &Path) -> Result<Repaired, RepairError> {
    check::look_for_database(&database_in(folder))?;
    let mut storage = Sqlite::open(DataFolder::take(folder)?)?;
    let connection = storage.connection();
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(StorageError::from)?;
    if let Some(damage) = check::damaged_pages(&transaction)?.first() {
        return Err(RepairError::Pages(damage.clone()));
    }
    let mut exports = Vec::new();
    for Problem { id, code, problems } in check::damaged_rooms(&transaction)? {
        let room = code.is_some().then_some(id);
        let export = Export {
            room: code,
            problems,
            events: events_of(&transaction, id)?,
            games: games_of(&transaction, id)?,
        };
        exports.push(write(folder, &export)?);
        clear(&transaction, id, room)?;
    }
    transaction.commit().map_err(StorageError::from)?;
    drop(storage);
    Ok(Repaired { exports, findings: check::check(folder)? })
}

fn events_of(connection: &Connection, room: i64) -> Result<Vec<StoredEvent>, StorageError> {
    let mut select = connection.prepare(
        "SELECT seq, at, member, command, event FROM event WHERE room = ? ORDER BY seq, id",
    )?;
    let rows = select.query_map((room,), |row| {
        Ok(StoredEvent {
            seq: row.get(0)?,
            at: row.get(1)?,
            member: text(row, 2)?,
            command: text(row, 3)?,
            event: text(row, 4)?.unwrap_or_default(),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn games_of(connection: &Connection, room: i64) -> Result<Vec<StoredGame>, StorageError> {
    let mut select =
        connection.prepare("SELECT code, summary, moves FROM game WHERE room = ? ORDER BY id")?;
    let rows = select.query_map((room,), |row| {
        let text = |column| Ok::<_, rusqlite::Error>(text(row, column)?.unwrap_or_default());
        Ok(StoredGame { id: text(0)?, summary: text(1)?, moves: text(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A column as text, as far as it is valid text.
fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    })
}

/// Writes an export into a new file, and returns when it is on the disk.
fn write(folder: &Path, export: &Export) -> Result<PathBuf, RepairError> {
    let name = export.room.as_deref().unwrap_or("events");
    // A damaged code may be any text.
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).take(32).collect();
    let path_of = |number: u32| folder.join(format!("damaged-{name}-{number}.json"));
    let path = (1..).map(path_of).find(|path| !path.exists()).expect("numbers do not end");
    let save = || {
        create_private(&path)?;
        let mut file = fs::OpenOptions::new().write(true).open(&path)?;
        serde_json::to_writer_pretty(&mut file, export)?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        sync_folder_of(&path)
    };
    save().map_err(|error| RepairError::Export { path: path.display().to_string(), error })?;
    Ok(path)
}

/// Deletes the events under this number, and closes the room, if there is one. Its finished games
/// stay if they can be read.
fn clear(
    transaction: &Transaction<'_>,
    events: i64,
    room: Option<i64>,
) -> Result<(), StorageError> {
    transaction.execute("DELETE FROM event WHERE room = ?", (events,))?;
    let Some(room) = room else { return Ok(()) };
    transaction.execute(
        "UPDATE room SET state = ?, seq = 0, last = 0 WHERE id = ?",
        (CLOSED_WITHOUT_LOG, room),
    )?;
    if check::games_of(transaction, room).is_err() {
        transaction.execute(
            "DELETE FROM player WHERE game IN (SELECT id FROM game WHERE room = ?)",
            (room,),
        )?;
        transaction.execute("DELETE FROM game WHERE room = ?", (room,))?;
    }
    Ok(())
}
