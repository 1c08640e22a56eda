//! Runs statements in PostgreSQL, one after another: each waits for its answer, unless it is deferred.

use std::error::Error;

use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, private::BytesMut, to_sql_checked};

use super::connection::{Turn, parameters};
use crate::{
    StorageError,
    sql::{Cell, Dialect, Row, Sql, Value},
};

/// Waits until no other transaction has the lock. Its number is a hash, with "5FLD" as seed.
const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtextextended($1, 894848068))";

impl Sql for Turn<'_> {
    fn query(&self, statement: &str, values: &[Value<'_>]) -> Result<Vec<Row>, StorageError> {
        self.run(async |session| {
            let rows = session.query(statement, &parameters(values)).await?;
            rows.iter().map(row).collect()
        })
    }

    fn execute(&self, statement: &str, values: &[Value<'_>]) -> Result<usize, StorageError> {
        let changed =
            self.run(async |session| session.execute(statement, &parameters(values)).await)?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    fn defer(&self, statement: &str, values: &[Value<'_>]) -> Result<(), StorageError> {
        Turn::defer(self, statement, values);
        Ok(())
    }

    fn lock(&self, what: &str) -> Result<(), StorageError> {
        Sql::defer(self, LOCK, &[what.into()])
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }
}

/// A row as both databases have it.
pub(super) fn row(row: &tokio_postgres::Row) -> Result<Row, tokio_postgres::Error> {
    let cells = (0..row.len()).map(|column| row.try_get(column));
    Ok(Row::new(cells.collect::<Result<_, _>>()?))
}

type Problem = Box<dyn Error + Sync + Send>;

impl ToSql for Value<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Problem> {
        match *self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(number) if *kind == Type::BOOL => (number != 0).to_sql(kind, out),
            Self::Integer(number) if *kind == Type::INT4 => {
                i32::try_from(number)?.to_sql(kind, out)
            }
            Self::Integer(number) if *kind == Type::INT8 => number.to_sql(kind, out),
            Self::Real(number) if *kind == Type::FLOAT8 => number.to_sql(kind, out),
            Self::Text(text) if [Type::TEXT, Type::JSON].contains(kind) => {
                text.to_sql(&Type::TEXT, out)
            }
            Self::Bytes(bytes) if *kind == Type::BYTEA => bytes.to_sql(kind, out),
            Self::Integer(_) | Self::Real(_) | Self::Text(_) | Self::Bytes(_) => {
                Err(format!("{self:?} is no {kind}").into())
            }
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'r> FromSql<'r> for Cell {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Result<Self, Problem> {
        Ok(match *kind {
            Type::BOOL => Self::Integer(bool::from_sql(kind, raw)?.into()),
            Type::INT4 => Self::Integer(i32::from_sql(kind, raw)?.into()),
            Type::INT8 => Self::Integer(i64::from_sql(kind, raw)?),
            Type::FLOAT8 => Self::Real(f64::from_sql(kind, raw)?),
            Type::BYTEA => Self::Bytes(raw.to_owned()),
            _ => Self::Text(String::from_sql(kind, raw)?.into_bytes()),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Problem> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        [Type::BOOL, Type::INT4, Type::INT8, Type::FLOAT8, Type::BYTEA].contains(kind)
            || <String as FromSql<'_>>::accepts(kind)
    }
}
