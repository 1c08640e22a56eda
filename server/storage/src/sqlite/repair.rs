//! Repairs a database while no server uses it: exports what is left of damaged rooms and closes
//! them, so that a server can start with all the others.

use std::{
    fmt, fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use rusqlite::{Connection, Row, Transaction, TransactionBehavior, types::ValueRef};
use serde::Serialize;
use serde_json::Value;

use super::{
    cells::{self, Mended},
    check::{self, Problem},
    data_folder::{create_anew, create_private, database_in, remove_if_there, sync_folder_of},
    raw_value::RawValue,
    replace::replace,
    salvage::{self, Salvaged},
    schema::CLOSED_WITHOUT_LOG,
    strays,
    write_ahead_log::with_suffix,
};
use crate::{
    DataFolder, Findings, OpenError, Sqlite, StorageError,
    contradiction::Contradiction,
    sqlite::{games, open_to_read, puzzle_repair, rating_repair},
};

/// Most rounds of a repair; each round mends what the one before has brought to light.
const ROUNDS_MAX: usize = 16;

/// Why a database could not be repaired. It is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// It cannot be opened, or a server uses it.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Nothing in the file can be read.
    #[error("nothing in {0} can be read. Restore a backup with `fivefold-server restore`")]
    Nothing(String),
    /// The copy cannot be written.
    #[error("cannot copy {path}: {error}. Nothing was changed")]
    Rebuild {
        /// The file.
        path: String,
        /// The reason.
        error: io::Error,
    },
    /// A damaged room could not be exported.
    #[error("cannot write {path}: {error}. Nothing was changed")]
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
    /// What was copied into a new file, if pages of the old one were damaged.
    pub rebuilt: Option<Rebuilt>,
    /// The files with what is left of each damaged room.
    pub exports: Vec<PathBuf>,
    /// The file with the rows that were taken out.
    pub rows: Option<PathBuf>,
    /// How many damaged cells have another value now.
    pub cells: usize,
    /// Result of a check after the repair.
    pub findings: Findings,
}

/// The copy of what could be read of a damaged file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rebuilt {
    /// Where the damaged file is now.
    pub old: PathBuf,
    salvaged: Salvaged,
}

impl fmt::Display for Repaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rebuilt, exports, rows, cells, findings } = self;
        if let Some(Rebuilt { old, salvaged: Salvaged { rows, lost, lost_pages, .. } }) = rebuilt {
            writeln!(
                f,
                "Pages of the file were damaged. The {rows} rows that can be read are in a new file. \
                 Lost are {lost} rows beside them, and what was on {lost_pages} pages that cannot be read. \
                 The damaged file is {}",
                old.display()
            )?;
        }
        if exports.is_empty() {
            writeln!(f, "No room is damaged.")?;
        }
        for export in exports {
            writeln!(f, "A damaged room is closed; what is left of it is in {}", export.display())?;
        }
        if let Some(rows) = rows {
            writeln!(
                f,
                "Damaged rows, and what belonged to them, are taken out, and are in {}",
                rows.display()
            )?;
        }
        if *cells > 0 {
            writeln!(f, "Damaged cells that have another value now: {cells}")?;
        }
        findings.fmt(f)
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
    seq: Value,
    at: Value,
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
/// games stay if they can be read. Of a file with damaged pages, this copies what can be read into a new one first,
/// and keeps the old one beside it.
///
/// # Errors
/// If a server uses the folder, or the repair fails; the database is unchanged then, or is the copy.
pub fn repair(folder: &Path) -> Result<Repaired, RepairError> {
    let file = database_in(folder);
    if !file.is_file() {
        return Err(OpenError::Missing { path: file.display().to_string() }.into());
    }
    let taken = DataFolder::take(folder)?;
    let mut rebuilt = if has_damaged_pages(&file)? { Some(rebuild(&file)?) } else { None };
    let mut storage = Sqlite::open(taken)?;
    let connection = storage.connection();
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(StorageError::from)?;
    // Rows may be taken out before those that belong to them.
    transaction.pragma_update(None, "defer_foreign_keys", true).map_err(StorageError::from)?;
    let (mut exports, mut mended) = (Vec::new(), Mended::default());
    if let Some(rebuilt) = &mut rebuilt {
        mended.deleted.append(&mut rebuilt.salvaged.refused);
    }
    // Rows that are taken out may leave others without the ones they belong to.
    for _ in 0..ROUNDS_MAX {
        let before = (exports.len(), mended.deleted.len(), mended.cells);
        close_damaged_rooms(&transaction, folder, &mut exports, &mut mended)?;
        cells::mend(&transaction, &mut mended)?;
        mend_contradictions(&transaction, &mut mended)?;
        mended.cells += games::mend_players(&transaction)?;
        rating_repair::mend(&transaction, &mut mended)?;
        puzzle_repair::mend(&transaction, &mut mended)?;
        if before == (exports.len(), mended.deleted.len(), mended.cells) {
            break;
        }
    }
    let Mended { deleted, cells } = mended;
    let rows = if deleted.is_empty() { None } else { Some(write(folder, "rows", &deleted)?) };
    transaction.commit().map_err(StorageError::from)?;
    drop(storage);
    Ok(Repaired { rebuilt, exports, rows, cells, findings: check::check(folder)? })
}

/// Exports the damaged rooms and closes them, after what belongs to no log has been taken out: with it, a sound room
/// would look damaged.
fn close_damaged_rooms(
    transaction: &Transaction<'_>,
    folder: &Path,
    exports: &mut Vec<PathBuf>,
    mended: &mut Mended,
) -> Result<(), RepairError> {
    for problem in check::damaged_rooms(transaction)? {
        if problem.code.is_some() {
            strays::take_out(transaction, problem.id, mended)?;
        }
    }
    for Problem { id, code, problems } in check::damaged_rooms(transaction)? {
        let room = code.is_some().then_some(id);
        let name = code.clone().unwrap_or_else(|| "events".to_owned());
        let export = Export {
            room: code,
            problems,
            events: events_of(transaction, id)?,
            games: games_of(transaction, id)?,
        };
        exports.push(write(folder, &name, &export)?);
        clear(transaction, id, room)?;
    }
    Ok(())
}

fn mend_contradictions(
    transaction: &Transaction<'_>,
    mended: &mut Mended,
) -> Result<(), StorageError> {
    for (Contradiction { table, rows, sets, .. }, _) in check::contradictions(transaction)? {
        match sets {
            Some(values) => {
                let mend = format!("UPDATE {table} SET {values} WHERE {rows}");
                mended.cells += transaction.execute(&mend, ())?;
            }
            None => cells::take_out(transaction, table, rows, (), mended)?,
        }
    }
    Ok(())
}

/// Whether SQLite cannot read all of the file.
fn has_damaged_pages(file: &Path) -> Result<bool, RepairError> {
    let pages = match check::look_for_database(file) {
        Ok(()) => open_to_read(file)
            .map_err(StorageError::from)
            .and_then(|connection| check::damaged_pages(&connection)),
        Err(OpenError::Storage { error, .. }) => Err(error),
        Err(error) => return Err(error.into()),
    };
    match pages {
        Ok(damage) => Ok(!damage.is_empty()),
        Err(StorageError::Damaged(_)) => Ok(true),
        Err(error @ (StorageError::Failed(_) | StorageError::InDoubt(_))) => Err(error.into()),
    }
}

/// Puts a copy of what can be read in the place of the file.
fn rebuild(file: &Path) -> Result<Rebuilt, RepairError> {
    let failed =
        |error: io::Error| RepairError::Rebuild { path: file.display().to_string(), error };
    let new = with_suffix(file, ".new");
    create_anew(&new).map_err(failed)?;
    let salvaged = salvage::copy(file, &new)?;
    if salvaged.rows == 0 {
        remove_if_there(&new).map_err(failed)?;
        return Err(RepairError::Nothing(file.display().to_string()));
    }
    let old = replace(file, &new, "damaged", || Ok(())).map_err(failed)?;
    let old = old.expect("it was read just now");
    Ok(Rebuilt { old, salvaged })
}

fn events_of(connection: &Connection, room: i64) -> Result<Vec<StoredEvent>, StorageError> {
    let mut select = connection.prepare(
        "SELECT seq, at, member, command, event FROM event WHERE room = ? ORDER BY seq, id",
    )?;
    let rows = select.query_map((room,), |row| {
        Ok(StoredEvent {
            seq: RawValue::from(row.get_ref(0)?).to_json(),
            at: RawValue::from(row.get_ref(1)?).to_json(),
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
fn write(folder: &Path, name: &str, export: &impl Serialize) -> Result<PathBuf, RepairError> {
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
    transaction.execute("DELETE FROM daily_seat WHERE room = ?", (room,))?;
    let code = transaction.query_row("SELECT code FROM room WHERE id = ?", (room,), |row| {
        let code = row.get_ref(0)?;
        Ok(code.as_str().map_or_else(|_| format!("damaged-{room}"), str::to_owned))
    })?;
    // All columns, so that none keeps a damaged value.
    transaction.execute(
        "UPDATE room SET code = ?, owner = 0, epoch = 0, state = ?, seq = 0, last = 0 WHERE id = ?",
        (code, CLOSED_WITHOUT_LOG, room),
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
