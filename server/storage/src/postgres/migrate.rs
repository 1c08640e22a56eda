//! Copies everything between a database file and a PostgreSQL database: rooms, logs, games, members,
//! accounts, ratings and what operators know, with their numbers. Everything happens in one
//! transaction, and every row is compared before it commits.
//!
//! Who plays in rooms of paired players is derived from the logs.

mod tables;
mod to_file;

use std::{collections::HashSet, convert::Infallible, fmt, io, path::Path};

use rusqlite::types::ValueRef;
use sha2::{Digest, Sha256};
use tokio_postgres::{Error, Row};

use self::tables::{Copying, TABLES, rooms_into_postgres};
pub use self::to_file::migrate_to_file;
use super::{
    DatabaseUrl, OpenError, Postgres,
    connection::{Connection, Session},
    playing,
    schema::{EVENT_FORMAT, FILL_PLAYER_LISTED, make_partitions},
};
use crate::{
    DataFolder, Findings, StorageError,
    limits::DATABASE_MAINTENANCE_WITHIN,
    sqlite::{check::check_file, data_folder::is_locked_folder, inspect, open_to_read},
};

/// What was copied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Migrated {
    counts: Vec<(&'static str, u64)>,
}

impl fmt::Display for Migrated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<_> =
            self.counts.iter().map(|(table, rows)| format!("{rows} rows of {table}")).collect();
        writeln!(f, "Copied and compared: {}.", counts.join(", "))
    }
}

/// Why nothing was copied. The target is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// The file or the database cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The source is damaged.
    #[error("the database to copy is damaged, and nothing is copied:\n{0}")]
    Unsound(Findings),
    /// The target has rooms, games or members.
    #[error("{database} is not empty. Create a new database: createdb NAME")]
    NotEmpty {
        /// Hosts and database.
        database: String,
    },
    /// The file exists already, or one that SQLite would take for a part of it.
    #[error("{path} exists already. Move it away, or choose another name for the copy")]
    Exists {
        /// The file.
        path: String,
    },
    /// The file cannot be made.
    #[error("cannot make {path}: {error}. Choose another name for the copy")]
    Target {
        /// The file.
        path: String,
        /// The reason.
        error: io::Error,
    },
    /// The copy differs from the original.
    #[error("the copied rows of {table} differ from the original, and are taken back")]
    Differs {
        /// The table.
        table: &'static str,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Rows that are copied or read at a time.
const PART: usize = 1_000;

const IS_EMPTY: &str = "
    SELECT NOT EXISTS (SELECT FROM room) AND NOT EXISTS (SELECT FROM game)
        AND NOT EXISTS (SELECT FROM member)";

/// New rooms and games get the next numbers.
const SET_NUMBERS: &str = "
    SELECT setval(pg_get_serial_sequence('room', 'id'), greatest(max(id), 1)) FROM room;
    SELECT setval(pg_get_serial_sequence('game', 'id'), greatest(max(id), 1)) FROM game;
    SELECT setval(pg_get_serial_sequence('key', 'id'), greatest(max(id), 1)) FROM key";

/// Copies a database file into an empty PostgreSQL database.
///
/// # Errors
/// If nothing was copied.
pub fn migrate(from: &Path, url: &DatabaseUrl) -> Result<Migrated, MigrateError> {
    // No server may write into the file. A backup has no lock beside it.
    let folder = from.parent().filter(|folder| is_locked_folder(folder));
    let _locked = folder.map(DataFolder::take).transpose()?;
    let findings = check_file(from)?;
    if !findings.is_sound() {
        return Err(MigrateError::Unsound(findings));
    }
    let format = inspect(from)?;
    let file = open_to_read(from).map_err(StorageError::from)?;
    let mut target = Postgres::open(url, None)?;
    let database = target.name().to_owned();
    let writer = &mut target.writer;
    // If a later call finds the connection lost, that is an error: nothing commits half of it.
    call(writer, &async |session| session.batch("BEGIN").await)?;
    call(writer, &async |session| {
        session.batch("LOCK TABLE room, game, member IN EXCLUSIVE MODE").await
    })?;
    let is_empty = call(writer, &async |session| session.query(IS_EMPTY, &[]).await)?;
    if !is_empty.first().is_some_and(|row| row.get(0)) {
        return Err(MigrateError::NotEmpty { database });
    }
    let tables = TABLES.iter().filter(|table| format >= table.since);
    let mut counts = Vec::new();
    for table in [rooms_into_postgres(EVENT_FORMAT)]
        .into_iter()
        .chain(tables.map(|table| table.copying_into_postgres(format)))
    {
        let original = copy(&file, writer, &table)?;
        if original != content_of_copy(writer, &table)? {
            return Err(MigrateError::Differs { table: table.name });
        }
        counts.push((table.name, original.rows));
    }
    call(writer, &playing::fill)?;
    call(writer, &async |session| session.batch(FILL_PLAYER_LISTED).await)?;
    call(writer, &async |session| session.batch(SET_NUMBERS).await)?;
    call(writer, &async |session| session.batch(&analyze()).await)?;
    call(writer, &async |session| session.batch("COMMIT").await)?;
    Ok(Migrated { counts })
}

/// Tells the planner what the tables have now. Not of the whole database: others' tables are not ours
/// to read.
fn analyze() -> String {
    let names: Vec<_> = TABLES.iter().map(|table| table.name).collect();
    format!("ANALYZE room, playing, {}", names.join(", "))
}

fn call<T>(
    writer: &mut Connection,
    work: &impl AsyncFn(&Session) -> Result<T, Error>,
) -> Result<T, StorageError> {
    writer.commit(DATABASE_MAINTENANCE_WITHIN, work)
}

/// Number and digest of rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Content {
    rows: u64,
    digest: Sha256Sum,
}

#[derive(Clone, Debug, Default)]
struct Sha256Sum(Sha256);

impl PartialEq for Sha256Sum {
    fn eq(&self, other: &Self) -> bool {
        self.0.clone().finalize() == other.0.clone().finalize()
    }
}

impl Eq for Sha256Sum {}

impl Content {
    fn add(&mut self, row: &[Option<String>]) {
        self.rows += 1;
        for value in row {
            let text = value.as_deref().unwrap_or_default();
            let head = [u8::from(value.is_some())];
            self.digest.0.update(head);
            self.digest.0.update((text.len() as u64).to_le_bytes());
            self.digest.0.update(text);
        }
    }
}

type Texts = Vec<Option<String>>;

/// Copies one table. Returns the content of the original.
fn copy(
    file: &rusqlite::Connection,
    writer: &mut Connection,
    table: &Copying,
) -> Result<Content, MigrateError> {
    let (mut content, mut part, mut made) = (Content::default(), Vec::new(), HashSet::new());
    each_row_of_file(file, &table.select, |mut texts| {
        if table.name == "room" {
            forget_twin(&mut texts, &mut made);
        }
        content.add(&texts);
        part.push(texts);
        if part.len() == PART {
            insert(writer, table, &std::mem::take(&mut part))?;
        }
        Ok(())
    })?;
    insert(writer, table, &part)?;
    if table.name == "room" {
        call(writer, &make_partitions)?;
    }
    Ok(content)
}

/// A command creates one open room. Should a file have two, the second is nobody's.
fn forget_twin(room: &mut Texts, made: &mut HashSet<(String, String)>) {
    let is_open = room[6].is_none();
    if let (true, Some(maker), Some(command)) = (is_open, &room[4], &room[5])
        && !made.insert((maker.clone(), command.clone()))
    {
        (room[4], room[5]) = (None, None);
    }
}

fn insert(writer: &mut Connection, table: &Copying, rows: &[Texts]) -> Result<(), StorageError> {
    let json = serde_json::to_string(rows);
    let json = json.map_err(|error| StorageError::Failed(error.to_string()))?;
    call(writer, &async |session| session.execute_once(&table.insert, &[&json]).await.map(drop))
}

/// The content of the copied table.
fn content_of_copy(writer: &mut Connection, table: &Copying) -> Result<Content, StorageError> {
    call(writer, &async |session| {
        let mut content = Content::default();
        let add = |texts: Texts| -> Result<(), Infallible> {
            content.add(&texts);
            Ok(())
        };
        let Ok(()) = each_row_of_postgres(session, &table.select_copied, add).await?;
        Ok(content)
    })
}

/// Reads rows of a file as texts, and hands each over.
fn each_row_of_file(
    file: &rusqlite::Connection,
    select: &str,
    mut take: impl FnMut(Texts) -> Result<(), StorageError>,
) -> Result<(), StorageError> {
    let mut select = file.prepare(select)?;
    let columns = select.column_count();
    let mut rows = select.query(())?;
    while let Some(row) = rows.next()? {
        let values = (0..columns).map(|column| text(row.get_ref(column)?));
        take(values.collect::<Result<_, _>>()?)?;
    }
    Ok(())
}

/// A value as text.
fn text(value: ValueRef<'_>) -> Result<Option<String>, StorageError> {
    let damaged = |what: &dyn fmt::Display| StorageError::Damaged(format!("{what}"));
    Ok(match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        // Both print as many digits as the number needs. None that is stored needs an exponent.
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(text) => {
            let text = std::str::from_utf8(text).map_err(|error| damaged(&error))?;
            Some(text.to_owned())
        }
        ValueRef::Blob(bytes) => Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
    })
}

/// Reads rows of PostgreSQL by a cursor, so that they need not fit into memory, and hands each over.
/// Ends with the first that is not taken. A transaction must be under way.
async fn each_row_of_postgres<E>(
    session: &Session,
    select: &str,
    mut take: impl FnMut(Texts) -> Result<(), E>,
) -> Result<Result<(), E>, Error> {
    session.batch(&format!("DECLARE copied CURSOR FOR {select}")).await?;
    loop {
        let rows = session.select(&format!("FETCH {PART} FROM copied")).await?;
        if rows.is_empty() {
            break;
        }
        for row in &rows {
            if let Err(error) = take(texts(row)?) {
                return Ok(Err(error));
            }
        }
    }
    session.batch("CLOSE copied").await?;
    Ok(Ok(()))
}

fn texts(row: &Row) -> Result<Texts, Error> {
    (0..row.len()).map(|column| row.try_get(column)).collect()
}
