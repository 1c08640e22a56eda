//! Which format the tables have, and which server has brought them to it.

use tokio_postgres::{Error, Row};

use super::connection::Session;
use crate::open_error::shown;

/// What format 9 adds about the server that has brought the tables to their format. Some development versions have added
/// it to format 8 already.
pub(super) const VERSIONS: &str =
    "ALTER TABLE fivefold.format ADD COLUMN IF NOT EXISTS version text";

/// The format of the tables; 0 without any.
///
/// # Errors
/// As the database.
pub(super) async fn format(session: &Session) -> Result<i32, Error> {
    let tables = session.query("SELECT (to_regclass('fivefold.format') IS NOT NULL)::int", &[]);
    if number(&tables.await?) == 0 {
        return Ok(0);
    }
    Ok(number(&session.query("SELECT max(number) FROM fivefold.format", &[]).await?))
}

/// The version of the server that has brought the tables to their format; nothing if they do not name it.
///
/// # Errors
/// As the database.
pub(super) async fn version(session: &Session) -> Result<Option<String>, Error> {
    // A newer server may keep it elsewhere.
    let rows =
        session.query("SELECT to_jsonb(f) ->> 'version' FROM fivefold.format f", &[]).await?;
    let version = rows.first().map(|row| row.try_get::<_, Option<String>>(0)).transpose()?;
    Ok(version.flatten().map(|version| shown(&version)))
}

/// The number that a statement has found; 0 if it found none.
pub(super) fn number(rows: &[Row]) -> i32 {
    rows.first().map_or(0, |row| row.get(0))
}
