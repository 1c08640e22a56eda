//! Values as a file has them, also those that the server would not write.

use rusqlite::{
    ToSql,
    types::{ToSqlOutput, ValueRef},
};
use serde_json::Value;

/// A value of a cell. Text need not be valid.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum RawValue {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// Another number.
    Real(f64),
    /// Text, in whatever bytes.
    Text(Vec<u8>),
    /// Bytes.
    Blob(Vec<u8>),
}

impl RawValue {
    /// The value for people to read.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Integer(number) => (*number).into(),
            Self::Real(number) => (*number).into(),
            Self::Text(bytes) => String::from_utf8_lossy(bytes).into(),
            Self::Blob(bytes) => {
                bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
            }
        }
    }
}

impl From<ValueRef<'_>> for RawValue {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(number) => Self::Integer(number),
            ValueRef::Real(number) => Self::Real(number),
            ValueRef::Text(bytes) => Self::Text(bytes.to_vec()),
            ValueRef::Blob(bytes) => Self::Blob(bytes.to_vec()),
        }
    }
}

impl ToSql for RawValue {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(bytes) => ValueRef::Text(bytes),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}
