//! Finds damage in a database, also while a server uses it.

use std::{collections::BTreeMap, path::Path};

use fivefold_shared::{
    protocol::{GameId, RoomCode},
    record::Record,
    room::{Entry, RoomState},
};
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::{cells, data_folder::database_in, schema::CLOSED_WITHOUT_LOG};
use crate::{
    Findings, OpenError, StorageError,
    contradiction::Contradiction,
    name_keys::{KEPT_APART, NAME_OF_KEY, kept_apart, likeness_in},
    sql::{contradictions, sleeping_rooms},
    sqlite::{self, EPOCH_MAX, games, open_to_read, process, puzzle_check, ratings, read_log},
    values::{from_json, name},
};

/// Checks a folder's database: the file, whether every room's log is complete and can be replayed,
/// and whether the finished games match the logs. Writes nothing.
///
/// # Errors
/// If there is no database that can be checked.
pub fn check(folder: &Path) -> Result<Findings, OpenError> {
    check_file(&database_in(folder))
}

pub(crate) fn look_for_database(file: &Path) -> Result<(), OpenError> {
    if !file.is_file() {
        return Err(OpenError::Missing { path: file.display().to_string() });
    }
    sqlite::inspect(file).map(|_| ())
}

pub(crate) fn check_file(file: &Path) -> Result<Findings, OpenError> {
    look_for_database(file)?;
    let mut findings = Findings::default();
    let checked = open_to_read(file).map_err(StorageError::from).and_then(|connection| {
        // Reads everything as it was at one instant.
        let snapshot = connection.unchecked_transaction()?;
        for problem in damaged_pages(&snapshot)? {
            findings.add(problem);
        }
        let checks = [
            check_rows,
            check_rooms,
            check_players,
            check_ratings,
            check_puzzles,
            check_moderation,
            note_names_kept_apart,
        ];
        for check in checks {
            // Each finds what it can. What stops one may be a cell that was found before.
            if let Err(error) = check(&snapshot, &mut findings) {
                findings.is_repairable &= matches!(error, StorageError::Damaged(_));
                findings.add(error.reason());
            }
        }
        Ok(())
    });
    if let Err(error) = checked {
        // The summary says what to do.
        match error {
            StorageError::Damaged(damage) => findings.add(damage),
            error @ (StorageError::Failed(_) | StorageError::InDoubt(_)) => {
                findings.add(error);
                findings.is_repairable = false;
            }
        }
    }
    Ok(findings)
}

/// Problems of the file itself, whatever it contains.
pub(crate) fn damaged_pages(snapshot: &Connection) -> Result<Vec<String>, StorageError> {
    let mut damage = Vec::new();
    let mut check = snapshot.prepare("PRAGMA integrity_check")?;
    let lines = check.query_map((), |row| row.get::<_, String>(0))?;
    for line in lines {
        let line = line?;
        if line != "ok" {
            damage.push(line);
        }
    }
    Ok(damage)
}

/// Rows that belong to nothing, and cells that nobody can read.
fn check_rows(snapshot: &Transaction<'_>, findings: &mut Findings) -> Result<(), StorageError> {
    for (table, rows) in cells::rows_of_nothing(snapshot)? {
        findings.add(format_args!("rows of table {table} that belong to nothing: {rows}"));
    }
    for cell in cells::unreadable(snapshot)? {
        findings.add(cell);
    }
    let damaged: u64 = snapshot.query_row(
        "SELECT count(*) FROM process WHERE id NOT BETWEEN 1 AND ?",
        (process::PROCESS_MAX,),
        |row| row.get(0),
    )?;
    if damaged > 0 {
        findings.add(format_args!("{damaged} numbers of processes are damaged"));
    }
    Ok(())
}

/// Problems of one room.
#[derive(Debug)]
pub(crate) struct Problem {
    /// The room's number in the database.
    pub(crate) id: i64,
    /// The room's code; absent for events that belong to no room.
    pub(crate) code: Option<String>,
    /// The problems, as sentences.
    pub(crate) problems: Vec<String>,
}

/// The damaged rooms, each with its problems.
pub(crate) fn damaged_rooms(snapshot: &Transaction<'_>) -> Result<Vec<Problem>, StorageError> {
    let mut findings = Findings::default();
    inspect_rooms(snapshot, &mut findings)
}

fn check_rooms(snapshot: &Transaction<'_>, findings: &mut Findings) -> Result<(), StorageError> {
    for Problem { code, problems, .. } in inspect_rooms(snapshot, findings)? {
        for problem in problems {
            match &code {
                Some(code) => findings.add(format_args!("room {code}: {problem}")),
                None => findings.add(problem),
            }
        }
    }
    Ok(())
}

fn check_players(snapshot: &Transaction<'_>, findings: &mut Findings) -> Result<(), StorageError> {
    games::check_players(snapshot, findings)
}

/// Accounts, reports, sanctions and marks of games. A file of an older format lacks some of them.
fn check_moderation(
    snapshot: &Transaction<'_>,
    findings: &mut Findings,
) -> Result<(), StorageError> {
    for (contradiction, rows) in contradictions(snapshot)? {
        findings.add(format_args!("{rows} {}", contradiction.problem));
    }
    Ok(())
}

/// The kinds of rows that contradict others, and how many there are.
pub(crate) fn contradictions(
    snapshot: &Connection,
) -> Result<Vec<(&'static Contradiction, u64)>, StorageError> {
    let mut has_table = snapshot.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?")?;
    let mut found = Vec::new();
    for contradiction in contradictions::all() {
        if !has_table.exists((contradiction.since,))? {
            continue;
        }
        let rows = snapshot.query_row(&contradiction.count(), (), |row| row.get(0))?;
        if rows > 0 {
            found.push((contradiction, rows));
        }
    }
    Ok(found)
}

/// Names the accounts that have the likeness of an older one.
fn note_names_kept_apart(
    snapshot: &Transaction<'_>,
    findings: &mut Findings,
) -> Result<(), StorageError> {
    if !snapshot.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'account'")?.exists(())? {
        // A file of an older format.
        return Ok(());
    }
    let mut apart = snapshot.prepare(KEPT_APART)?;
    let keys = apart.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    for row in keys {
        let (key, name): (String, String) = row?;
        let older =
            snapshot.prepare_cached(NAME_OF_KEY)?.query_row((likeness_in(&key),), |row| row.get(0));
        let older: Option<String> = older.optional()?;
        findings.note(kept_apart(&name, older.as_deref()));
    }
    Ok(())
}

fn check_ratings(snapshot: &Transaction<'_>, findings: &mut Findings) -> Result<(), StorageError> {
    let has_ratings = "SELECT 1 FROM sqlite_schema WHERE name = 'rating'";
    if !snapshot.prepare(has_ratings)?.exists(())? {
        // A file of an older format.
        return Ok(());
    }
    ratings::check(snapshot, findings)
}

fn check_puzzles(snapshot: &Transaction<'_>, findings: &mut Findings) -> Result<(), StorageError> {
    let has_puzzles = "SELECT 1 FROM sqlite_schema WHERE name = 'puzzle_try'";
    if !snapshot.prepare(has_puzzles)?.exists(())? {
        // A file of an older format.
        return Ok(());
    }
    puzzle_check::check(snapshot, findings)
}

fn inspect_rooms(
    snapshot: &Transaction<'_>,
    findings: &mut Findings,
) -> Result<Vec<Problem>, StorageError> {
    let mut stored = events_by_room(snapshot)?;
    let mut damaged = Vec::new();
    let mut rooms = snapshot.prepare("SELECT id, code, state, owner, epoch FROM room")?;
    let mut rows = rooms.query(())?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let code = row.get_ref(1)?.as_bytes().map(String::from_utf8_lossy).unwrap_or_default();
        findings.rooms += 1;
        let events = stored.remove(&id).unwrap_or(0);
        findings.events += events;
        let numbers = [2, 3, 4].map(|column| row.get(column).unwrap_or(-1));
        let problems = match numbers {
            [state, owner, epoch]
                if !(0..=i64::from(CLOSED_WITHOUT_LOG)).contains(&state)
                    || owner < sleeping_rooms::NOBODY
                    || !(0..=EPOCH_MAX).contains(&epoch) =>
            {
                vec![format!("its state {state}, owner {owner} or epoch {epoch} is damaged")]
            }
            [state, ..] => inspect(snapshot, id, (state, &code), events, findings)
                .unwrap_or_else(|error| vec![error.reason().to_owned()]),
        };
        if !problems.is_empty() {
            damaged.push(Problem { id, code: Some(code.into_owned()), problems });
        }
    }
    for (id, events) in stored {
        findings.events += events;
        let problems = vec![format!("{events} events belong to no room")];
        damaged.push(Problem { id, code: None, problems });
    }
    Ok(damaged)
}

fn inspect(
    snapshot: &Transaction<'_>,
    id: i64,
    (state, code): (i64, &str),
    events: u64,
    findings: &mut Findings,
) -> Result<Vec<String>, StorageError> {
    if state == i64::from(CLOSED_WITHOUT_LOG) {
        inspect_without_log(snapshot, id, events, findings)
    } else {
        inspect_room(snapshot, id, &name(code.to_owned())?, events, findings)
    }
}

/// The number of events of each room, in its log or not.
fn events_by_room(snapshot: &Transaction<'_>) -> Result<BTreeMap<i64, u64>, StorageError> {
    let mut count = snapshot.prepare("SELECT room, count(*) FROM event GROUP BY room")?;
    let rows = count.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn inspect_without_log(
    snapshot: &Transaction<'_>,
    id: i64,
    events: u64,
    findings: &mut Findings,
) -> Result<Vec<String>, StorageError> {
    findings.games += u64::try_from(games_of(snapshot, id)?.len()).unwrap_or(u64::MAX);
    let problem = (events > 0).then(|| format!("{events} events are in no log"));
    Ok(problem.into_iter().collect())
}

fn inspect_room(
    snapshot: &Transaction<'_>,
    id: i64,
    code: &RoomCode,
    events: u64,
    findings: &mut Findings,
) -> Result<Vec<String>, StorageError> {
    let mut problems = Vec::new();
    let log = read_log(snapshot, code)?;
    let in_log = u64::try_from(log.len()).unwrap_or(u64::MAX);
    if events != in_log {
        problems.push(format!("it has {events} events, and {in_log} of them are in its log"));
    }
    let games = games_of(snapshot, id)?;
    findings.games += u64::try_from(games.len()).unwrap_or(u64::MAX);
    problems.extend(log_problems(&log, &games));
    Ok(problems)
}

/// Whether a room's log can be replayed, and contains exactly these finished games.
pub(crate) fn log_problems(log: &[Entry], games: &[Record]) -> Option<String> {
    match RoomState::finished_games(log.iter().map(|entry| &entry.event)) {
        Ok(logged) if games.iter().eq(logged.iter().map(|game| &game.record)) => None,
        Ok(_) => Some("its finished games are not those in its log".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

pub(crate) fn games_of(connection: &Connection, room: i64) -> Result<Vec<Record>, StorageError> {
    let mut select = connection
        .prepare_cached("SELECT summary, moves, code FROM game WHERE room = ? ORDER BY id")?;
    let rows = select.query_map((room,), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.map(|row| {
        let (summary, moves, code): (String, String, String) = row?;
        name::<GameId>(code)?;
        Ok(Record { summary: from_json(&summary)?, moves: from_json(&moves)? })
    })
    .collect()
}
