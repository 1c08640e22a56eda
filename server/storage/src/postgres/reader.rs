//! Reads a PostgreSQL database, and its standby, beside the writer.

use std::sync::Arc;

use super::{connection::Connection, standby::Health};
use crate::{
    DiskSpace, StorageError,
    limits::{DATABASE_READ_WITHIN, REPLICA_ANSWER_WITHIN},
    sql::source::{Read, Source},
};

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

    /// The database's disk belongs to another machine.
    fn disk_space(&mut self) -> Result<Option<DiskSpace>, StorageError> {
        Ok(None)
    }
}
