//! Runs statements in a SQLite file.

use rusqlite::{
    CachedStatement, Connection, ToSql,
    types::{Null, ToSqlOutput, ValueRef},
};

use crate::{
    StorageError,
    sql::{Cell, Dialect, Row, Sql, Value},
};

impl Sql for Connection {
    fn query(&self, statement: &str, values: &[Value<'_>]) -> Result<Vec<Row>, StorageError> {
        let mut statement = bound(self, statement, values)?;
        let mut rows = statement.raw_query();
        let mut all = Vec::new();
        while let Some(found) = rows.next()? {
            all.push(row(found)?);
        }
        Ok(all)
    }

    fn execute(&self, statement: &str, values: &[Value<'_>]) -> Result<usize, StorageError> {
        Ok(bound(self, statement, values)?.raw_execute()?)
    }

    /// A transaction has the file for itself.
    fn lock(&self, _: &str) -> Result<(), StorageError> {
        Ok(())
    }

    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }
}

/// A row as both databases have it.
pub(super) fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    let columns = 0..row.as_ref().column_count();
    Ok(Row::new(
        columns.map(|column| Ok(cell(row.get_ref(column)?))).collect::<rusqlite::Result<_>>()?,
    ))
}

/// A statement with its values. SQLite numbers `$2`, `$1` by their first appearance, so each is bound by its name.
fn bound<'c>(
    connection: &'c Connection,
    statement: &str,
    values: &[Value<'_>],
) -> Result<CachedStatement<'c>, StorageError> {
    let mut statement = connection.prepare_cached(statement)?;
    for place in 1..=statement.parameter_count() {
        let number = statement.parameter_name(place).and_then(|name| name[1..].parse().ok());
        let value = number.and_then(|number: usize| values.get(number.checked_sub(1)?));
        let value =
            value.ok_or_else(|| StorageError::Failed("a statement lacks a value".to_owned()))?;
        statement.raw_bind_parameter(place, value)?;
    }
    Ok(statement)
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Null => Null.to_sql(),
            Self::Integer(number) => number.to_sql(),
            Self::Real(number) => number.to_sql(),
            Self::Text(text) => text.to_sql(),
            Self::Bytes(bytes) => bytes.to_sql(),
        }
    }
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(text) => Cell::Text(text.to_owned()),
        ValueRef::Blob(bytes) => Cell::Bytes(bytes.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::values;

    #[test]
    fn values_are_bound_by_their_numbers() {
        let file = Connection::open_in_memory().unwrap();
        let sql: &dyn Sql = &file;
        let mut rows = sql.query("SELECT $2, $1, $3, $2", values!["one", "two", 3_u64]).unwrap();
        let mut read = || rows[0].get::<String>();
        assert_eq!([read(), read()], [Ok("two".to_owned()), Ok("one".to_owned())]);
        assert_eq!(rows[0].get(), Ok(3_u64));
        assert_eq!(rows[0].get(), Ok("two".to_owned()));
        assert!(sql.query("SELECT $2", values!["one"]).is_err());
    }
}
