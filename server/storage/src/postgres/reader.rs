//! Reads a PostgreSQL database, and its standby, beside the writer.

use std::sync::Arc;

use super::{connection::Connection, standby::Health};
use crate::{
    DiskSpace, StorageError,
    limits::{DATABASE_READ_WITHIN, REPLICA_ANSWER_WITHIN},
    sql::{
        Row,
        source::{Read, Source},
        values,
    },
};

const PLACE: &str = "
    SELECT 'database ' || oid || ' of ' || system_identifier
    FROM pg_database, pg_control_system() WHERE datname = current_database()";

#[derive(Debug)]
pub(super) struct PostgresSource {
    pub(super) primary: Connection,
    pub(super) standby: Option<(Connection, Arc<Health>)>,
}

impl Source for PostgresSource {
    fn read(&mut self, work: Read<'_>) -> Result<bool, StorageError> {
        self.primary.select(DATABASE_READ_WITHIN, work)
    }

    /// Reads from the standby, if there is one and it is well; otherwise from the primary.
    fn read_copy(&mut self, work: Read<'_>) -> Result<bool, StorageError> {
        if let Some((standby, health)) = &mut self.standby
            && health.is_well()
        {
            match standby.select(REPLICA_ANSWER_WITHIN, work) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) => {
                    health.note_failure();
                    tracing::debug!(%error, "the standby does not answer");
                }
            }
        }
        self.read(work)
    }

    /// The database's number in its cluster of databases, and that cluster's: a dump that is read into another database
    /// has another number.
    fn place(&mut self) -> Result<String, StorageError> {
        let mut place = None;
        self.read(&mut |sql| {
            place = sql.row(PLACE, values![], Row::get)?;
            Ok(true)
        })?;
        place.ok_or_else(|| StorageError::Failed("the database has no number".to_owned()))
    }

    /// The database's disk belongs to another machine.
    fn disk_space(&mut self) -> Result<Option<DiskSpace>, StorageError> {
        Ok(None)
    }
}
