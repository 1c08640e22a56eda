//! Statements that SQLite and PostgreSQL both understand, and what is written with them: accounts,
//! moderation, pushes, puzzles, collections, daily games, sleeping rooms, and what readers read. Logs of rooms,
//! ratings that a game changes, and lists of games are written for each database apart, because they must be fast.
//!
//! A statement names its values `$1`, `$2`, ... in any order. Where the two dialects differ, the text
//! depends on [`Sql::dialect`]. A change runs in one transaction. SQLite lets one connection write at a
//! time; in PostgreSQL [`Sql::lock`] keeps the changes of other nodes apart.

mod account_rows;
pub(crate) mod accounts;
mod bots;
pub(crate) mod collections;
pub(crate) mod contradictions;
pub(crate) mod daily_seats;
mod dealings;
mod email;
mod examination;
mod friends;
pub(crate) mod games;
mod keys;
mod member_data;
pub(crate) mod moderation;
mod notes;
pub(crate) mod pushes;
pub(crate) mod puzzles;
pub(crate) mod ratings;
pub(crate) mod reader;
pub(crate) mod sleeping_rooms;
pub(crate) mod source;
mod time_off;

use fivefold_shared::{
    protocol::{CollectionId, CollectionName, CommandId, GameId, MemberId, Name, RoomCode},
    puzzle::PuzzleId,
};
use serde::de::DeserializeOwned;

use crate::{
    CaseId, IdentityHash, KeyHash, PushState, RequestState, StorageError,
    dealings::TraceKind,
    examination::MarkKind,
    moderation::{BlockKind, ReportKind, ReportState, SanctionKind},
    values::{from_json, name, readable},
};

/// A database while statements run in it.
pub(crate) trait Sql {
    /// The rows of a statement.
    fn query(&self, statement: &str, values: &[Value<'_>]) -> Result<Vec<Row>, StorageError>;

    /// How many rows a statement has changed.
    fn execute(&self, statement: &str, values: &[Value<'_>]) -> Result<usize, StorageError>;

    /// Runs a statement of a change whose answer does not matter. It may go to the database together with the next
    /// one: each answer of a database on another machine is waited for.
    fn defer(&self, statement: &str, values: &[Value<'_>]) -> Result<(), StorageError> {
        self.execute(statement, values).map(drop)
    }

    /// Lets one transaction at a time go on from here that locks the same.
    fn lock(&self, what: &str) -> Result<(), StorageError>;

    /// What the texts of statements depend on.
    fn dialect(&self) -> Dialect;
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// The one or the other text.
    pub(crate) const fn pick<'t>(self, sqlite: &'t str, postgres: &'t str) -> &'t str {
        match self {
            Self::Sqlite => sqlite,
            Self::Postgres => postgres,
        }
    }

    /// A table with the column `value`: the texts in the list `$1` (see [`list`]).
    pub(crate) const fn listed(self) -> &'static str {
        self.pick("json_each($1)", "json_array_elements_text($1::json)")
    }
}

/// Ids as one value, for [`Dialect::listed`].
pub(crate) fn list<'i>(ids: impl IntoIterator<Item = &'i str>) -> String {
    serde_json::Value::from_iter(ids).to_string()
}

impl dyn Sql + '_ {
    /// All rows, each read by `read`. Those that are damaged are left out, so that one keeps no other away.
    fn rows<T>(
        &self,
        statement: &str,
        values: &[Value<'_>],
        read: impl Fn(&mut Row) -> Result<T, StorageError>,
    ) -> Result<Vec<T>, StorageError> {
        let rows = self.query(statement, values)?;
        rows.into_iter().filter_map(|mut row| readable(read(&mut row)).transpose()).collect()
    }

    /// The first row.
    pub(crate) fn row<T>(
        &self,
        statement: &str,
        values: &[Value<'_>],
        read: impl FnOnce(&mut Row) -> Result<T, StorageError>,
    ) -> Result<Option<T>, StorageError> {
        self.query(statement, values)?.first_mut().map(read).transpose()
    }

    pub(crate) fn exists(
        &self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<bool, StorageError> {
        Ok(!self.query(statement, values)?.is_empty())
    }

    /// The number in the only row.
    fn count(&self, statement: &str, values: &[Value<'_>]) -> Result<usize, StorageError> {
        Ok(self.row(statement, values, Row::get)?.unwrap_or_default())
    }
}

/// A value in a statement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Value<'v> {
    Null,
    /// Also a boolean.
    Integer(i64),
    Real(f64),
    Text(&'v str),
    Bytes(&'v [u8]),
}

/// The values of a statement.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::sql::Value::from($value)),*] };
}
pub(crate) use values;

/// Declares how types become values.
macro_rules! value_from {
    ($($type:ty: |$it:ident| $value:expr,)+) => {
        $(impl<'v> From<$type> for Value<'v> {
            fn from($it: $type) -> Self { $value }
        })+
    };
}

value_from! {
    bool: |it| Self::Integer(it.into()),
    i64: |it| Self::Integer(it),
    // Neither database has unsigned numbers.
    u64: |it| Self::Integer(i64::try_from(it).unwrap_or(i64::MAX)),
    usize: |it| Self::from(it as u64),
    f64: |it| Self::Real(it),
    &'v str: |it| Self::Text(it),
    &'v String: |it| Self::Text(it),
    &'v [u8]: |it| Self::Bytes(it),
    &'v Vec<u8>: |it| Self::Bytes(it),
    &'v IdentityHash: |it| Self::Bytes(&it.0),
    &'v KeyHash: |it| Self::Bytes(&it.0),
    &'v MemberId: |it| Self::Text(it.as_str()),
    &'v RoomCode: |it| Self::Text(it.as_str()),
    &'v GameId: |it| Self::Text(it.as_str()),
    &'v CollectionId: |it| Self::Text(it.as_str()),
    &'v PuzzleId: |it| Self::Text(it.as_str()),
    &'v Name: |it| Self::Text(it.as_str()),
    &'v CaseId: |it| Self::Text(it.as_str()),
}

impl<'v, T: Into<Self>> From<Option<T>> for Value<'v> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, T::into)
    }
}

/// A value in a row.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Cell {
    Null,
    /// Also a boolean.
    Integer(i64),
    Real(f64),
    /// In a damaged file it may be no text.
    Text(Vec<u8>),
    Bytes(Vec<u8>),
}

impl From<&Value<'_>> for Cell {
    fn from(value: &Value<'_>) -> Self {
        match *value {
            Value::Null => Self::Null,
            Value::Integer(number) => Self::Integer(number),
            Value::Real(number) => Self::Real(number),
            Value::Text(text) => Self::Text(text.as_bytes().to_vec()),
            Value::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
        }
    }
}

impl<'c> From<&'c Cell> for Value<'c> {
    fn from(cell: &'c Cell) -> Self {
        match cell {
            Cell::Null => Self::Null,
            Cell::Integer(number) => Self::Integer(*number),
            Cell::Real(number) => Self::Real(*number),
            Cell::Text(text) => Self::Text(std::str::from_utf8(text).expect("it was a text")),
            Cell::Bytes(bytes) => Self::Bytes(bytes),
        }
    }
}

/// A row, which is read column by column.
#[derive(Debug)]
pub(crate) struct Row {
    cells: std::vec::IntoIter<Cell>,
}

impl Row {
    pub(crate) fn new(cells: Vec<Cell>) -> Self {
        Self { cells: cells.into_iter() }
    }

    /// The next column. An error means that it is damaged.
    pub(crate) fn get<T: Column>(&mut self) -> Result<T, StorageError> {
        T::of(self.cells.next().unwrap_or(Cell::Null))
    }

    /// The next column, which is JSON.
    fn json<T: DeserializeOwned>(&mut self) -> Result<T, StorageError> {
        from_json(&self.get::<String>()?)
    }
}

/// What a column can be read as.
pub(crate) trait Column: Sized {
    fn of(cell: Cell) -> Result<Self, StorageError>;
}

impl<T: Column> Column for Option<T> {
    fn of(cell: Cell) -> Result<Self, StorageError> {
        if cell == Cell::Null { Ok(None) } else { T::of(cell).map(Some) }
    }
}

impl Column for i64 {
    fn of(cell: Cell) -> Result<Self, StorageError> {
        if let Cell::Integer(number) = cell { Ok(number) } else { Err(unlike(&cell, "a number")) }
    }
}

impl Column for u64 {
    fn of(cell: Cell) -> Result<Self, StorageError> {
        let number = i64::of(cell)?;
        Self::try_from(number).map_err(|_| unlike(&Cell::Integer(number), "a positive number"))
    }
}

impl Column for usize {
    fn of(cell: Cell) -> Result<Self, StorageError> {
        Ok(Self::try_from(u64::of(cell)?).unwrap_or(Self::MAX))
    }
}

impl Column for bool {
    fn of(cell: Cell) -> Result<Self, StorageError> {
        Ok(i64::of(cell)? != 0)
    }
}

impl Column for f64 {
    fn of(cell: Cell) -> Result<Self, StorageError> {
        if let Cell::Real(number) = cell { Ok(number) } else { Err(unlike(&cell, "a real number")) }
    }
}

impl Column for String {
    fn of(cell: Cell) -> Result<Self, StorageError> {
        match cell {
            Cell::Text(text) => {
                Self::from_utf8(text).map_err(|error| StorageError::Damaged(error.to_string()))
            }
            Cell::Null | Cell::Integer(_) | Cell::Real(_) | Cell::Bytes(_) => {
                Err(unlike(&cell, "a text"))
            }
        }
    }
}

impl Column for Vec<u8> {
    fn of(cell: Cell) -> Result<Self, StorageError> {
        if let Cell::Bytes(bytes) = cell { Ok(bytes) } else { Err(unlike(&cell, "bytes")) }
    }
}

impl Column for IdentityHash {
    fn of(cell: Cell) -> Result<Self, StorageError> {
        hash(cell).map(Self)
    }
}

impl Column for KeyHash {
    fn of(cell: Cell) -> Result<Self, StorageError> {
        hash(cell).map(Self)
    }
}

fn hash(cell: Cell) -> Result<[u8; 32], StorageError> {
    let bytes = Vec::of(cell)?;
    let damaged =
        |bytes: Vec<u8>| StorageError::Damaged(format!("a hash has {} bytes", bytes.len()));
    bytes.try_into().map_err(damaged)
}

fn unlike(cell: &Cell, expected: &str) -> StorageError {
    let found = match cell {
        Cell::Null => "nothing",
        Cell::Integer(number) if *number < 0 => "a negative number",
        Cell::Integer(_) => "a number",
        Cell::Real(_) => "a real number",
        Cell::Text(_) => "a text",
        Cell::Bytes(_) => "bytes",
    };
    StorageError::Damaged(format!("a column has {found} instead of {expected}"))
}

/// Types that are stored as their text.
macro_rules! text_columns {
    ($($type:ty),+) => {
        $(impl Column for $type {
            fn of(cell: Cell) -> Result<Self, StorageError> {
                name(String::of(cell)?)
            }
        })+
    };
}

text_columns!(
    MemberId,
    GameId,
    CollectionId,
    CollectionName,
    PuzzleId,
    Name,
    RoomCode,
    CommandId,
    CaseId,
    BlockKind,
    ReportKind,
    ReportState,
    SanctionKind,
    MarkKind,
    TraceKind,
    RequestState,
    PushState
);
