//! Checking a database, and copying it: both also while a server uses it.

use std::{fmt, fs, io, path::Path};

use fivefold_shared::{
    clock::TimeControl,
    protocol::RoomCode,
    record::{GameSummary, Record, Recorder},
    room::Room,
};
use rusqlite::{Connection, Transaction};

use super::{
    OpenError, StorageError,
    folder::{create_private, database_in, sync_folder_of},
    sqlite::{look, name, open_to_read, read_log, value},
};

/// Most problems that are told.
const PROBLEMS_MAX: usize = 100;

/// What a check has found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    /// Rooms, open or closed.
    pub rooms: u64,
    /// Events in their logs.
    pub events: u64,
    /// Finished games.
    pub games: u64,
    /// What is wrong, in sentences; the first of them.
    pub problems: Vec<String>,
}

impl Findings {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    fn add(&mut self, problem: impl fmt::Display) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem.to_string());
        }
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            writeln!(f, "{problem}")?;
        }
        let Self { rooms, events, games, .. } = self;
        write!(f, "{rooms} rooms, {events} events, {games} finished games: ")?;
        match self.problems.len() {
            0 => writeln!(f, "all is well."),
            _ => writeln!(f, "damaged. Stop the server, and put a backup in its place."),
        }
    }
}

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The database cannot be read.
    #[error(transparent)]
    Source(#[from] OpenError),
    /// There is such a file already, or none can be made there.
    #[error("cannot make {path}: {error}. Choose another name for the backup")]
    Target {
        /// The copy.
        path: String,
        /// Why not.
        error: io::Error,
    },
    /// Copying failed, and no copy is left.
    #[error("the copy failed: {0}")]
    Copy(#[from] StorageError),
    /// The copy was made and is not sound, as then the database is not. It is not kept.
    #[error("the database is damaged, and is not copied:\n{0}")]
    Unsound(Findings),
}

/// Checks a folder's database: the file, whether every room's log is whole and makes a room, and
/// whether the finished games are those that the logs tell of. Writes nothing.
///
/// # Errors
/// When there is no database that could be checked.
pub fn check(folder: &Path) -> Result<Findings, OpenError> {
    check_file(&database_in(folder))
}

/// Copies a folder's database into a new file, which is whole, checked and on the disk when this
/// returns. The copy is what was committed at one instant.
///
/// # Errors
/// When it cannot be copied, or the copy is not sound; then there is no copy.
pub fn backup(folder: &Path, copy: &Path) -> Result<Findings, BackupError> {
    let database = database_in(folder);
    look_for_database(&database)?;
    create_private(copy)
        .map_err(|error| BackupError::Target { path: copy.display().to_string(), error })?;
    let checked = copy_into(&database, copy).map_err(BackupError::Copy).and_then(|()| {
        let findings = check_file(copy)?;
        if findings.is_sound() { Ok(findings) } else { Err(BackupError::Unsound(findings)) }
    });
    if checked.is_err() {
        // The error says that there is no copy; one that could not be removed is not sound.
        drop(fs::remove_file(copy));
    }
    checked
}

fn copy_into(database: &Path, copy: &Path) -> Result<(), StorageError> {
    open_to_read(database)?.execute("VACUUM INTO ?", (copy.to_string_lossy(),))?;
    let sync = || {
        fs::File::open(copy)?.sync_all()?;
        sync_folder_of(copy)
    };
    sync().map_err(|error| StorageError::Failed(error.to_string()))
}

fn look_for_database(file: &Path) -> Result<(), OpenError> {
    let missing = || OpenError::Missing { path: file.display().to_string() };
    if !file.is_file() {
        return Err(missing());
    }
    // What is checked is the same in every format that there was.
    look(file)?.map(|_| ()).ok_or_else(missing)
}

fn check_file(file: &Path) -> Result<Findings, OpenError> {
    look_for_database(file)?;
    let mut findings = Findings::default();
    let checked = open_to_read(file).map_err(StorageError::from).and_then(|connection| {
        // Everything is read as it was at one instant.
        let snapshot = connection.unchecked_transaction()?;
        check_pages(&snapshot, &mut findings)?;
        check_rooms(&snapshot, &mut findings)
    });
    if let Err(error) = checked {
        findings.add(error);
    }
    Ok(findings)
}

fn check_pages(snapshot: &Transaction<'_>, findings: &mut Findings) -> Result<(), StorageError> {
    let mut check = snapshot.prepare("PRAGMA integrity_check")?;
    let lines = check.query_map((), |row| row.get::<_, String>(0))?;
    for line in lines {
        let line = line?;
        if line != "ok" {
            findings.add(line);
        }
    }
    let mut check = snapshot.prepare("PRAGMA foreign_key_check")?;
    let rows = check.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    for row in rows {
        let (table, id): (String, i64) = row?;
        findings.add(format_args!("row {id} of table {table} belongs to nothing"));
    }
    Ok(())
}

fn check_rooms(snapshot: &Transaction<'_>, findings: &mut Findings) -> Result<(), StorageError> {
    let mut rooms = snapshot.prepare("SELECT id, code, closed = 1 AND seq = 0 FROM room")?;
    let rows = rooms.query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    for row in rows {
        let (id, code, is_forgotten): (i64, String, bool) = row?;
        findings.rooms += 1;
        if is_forgotten {
            findings.games += u64::try_from(games_of(snapshot, id)?.len()).unwrap_or(u64::MAX);
            continue;
        }
        if let Err(error) = check_room(snapshot, id, &name(code.clone())?, findings) {
            findings.add(format_args!("room {code}: {error}"));
        }
    }
    let events: u64 = snapshot.query_row("SELECT count(*) FROM event", (), |row| row.get(0))?;
    if events != findings.events {
        let told = findings.events;
        findings.add(format_args!("there are {events} events, and {told} of them are in logs"));
    }
    Ok(())
}

fn check_room(
    snapshot: &Transaction<'_>,
    id: i64,
    code: &RoomCode,
    findings: &mut Findings,
) -> Result<(), StorageError> {
    let log = read_log(snapshot, code)?;
    findings.events += u64::try_from(log.len()).unwrap_or(u64::MAX);
    if let Err(error) = Room::from_log(log.iter().map(|entry| &entry.event)) {
        findings.add(format_args!("room {code}: {error}"));
    }
    let mut recorder = Recorder::default();
    let told: Vec<_> = log
        .iter()
        .filter_map(|entry| recorder.read(&entry.event))
        .map(|(_, record)| record)
        .collect();
    let games = games_of(snapshot, id)?;
    findings.games += u64::try_from(games.len()).unwrap_or(u64::MAX);
    if games.len() != told.len() || !games.iter().zip(&told).all(|(game, told)| is_of(game, told)) {
        findings.add(format_args!("room {code}: its finished games are not those in its log"));
    }
    Ok(())
}

/// Whether a stored game is the one that a log tells of. Older servers did not keep its time.
fn is_of(game: &Record, told: &Record) -> bool {
    if game.summary.time == TimeControl::None {
        let summary = GameSummary { time: TimeControl::None, ..told.summary.clone() };
        return game.summary == summary && game.moves == told.moves;
    }
    game == told
}

fn games_of(connection: &Connection, room: i64) -> Result<Vec<Record>, StorageError> {
    let mut select =
        connection.prepare_cached("SELECT summary, moves FROM game WHERE room = ? ORDER BY id")?;
    let rows = select.query_map((room,), |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.map(|row| {
        let (summary, moves): (String, String) = row?;
        Ok(Record { summary: value(&summary)?, moves: value(&moves)? })
    })
    .collect()
}
