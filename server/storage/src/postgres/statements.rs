//! Runs one statement for a change, or one for reading rows.

use tokio_postgres::{Error, Row, types::ToSql};

use super::{connection::Session, reader::PostgresReader};
use crate::{ModerationChanged, StorageError, limits::DATABASE_READ_WITHIN, values::readable};

/// The values of a statement.
pub(super) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// Runs a statement of one change.
///
/// # Errors
/// As the database.
pub(super) async fn run(
    session: &Session,
    statement: &'static str,
    values: Values<'_>,
) -> Result<ModerationChanged, Error> {
    let rows = session.query(statement, values).await?;
    let flags = |row: &Row| Ok::<(bool, bool), Error>((row.try_get(0)?, row.try_get(1)?));
    Ok(match rows.first().map(flags).transpose()? {
        Some((true, _)) => ModerationChanged::Done,
        Some((false, true)) => ModerationChanged::Full,
        Some((false, false)) | None => ModerationChanged::Gone,
    })
}

impl PostgresReader {
    /// Reads rows from the primary, each by `read`, whose inner error means that the row is damaged: it is left out.
    pub(super) fn rows<T>(
        &mut self,
        statement: &'static str,
        values: Values<'_>,
        read: impl Fn(&Row) -> Result<Result<T, StorageError>, Error>,
    ) -> Result<Vec<T>, StorageError> {
        let select = async |session: &Session| {
            let rows = session.query(statement, values).await?;
            rows.iter().map(&read).collect::<Result<Vec<_>, Error>>()
        };
        let rows = self.primary.read(DATABASE_READ_WITHIN, &select)?;
        rows.into_iter().filter_map(|row| readable(row).transpose()).collect()
    }
}
