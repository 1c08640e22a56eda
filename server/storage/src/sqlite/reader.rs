//! Reads a SQLite file beside the writer.

use std::{fs, io, path::PathBuf};

use rusqlite::Connection;

use super::write_ahead_log;
use crate::{
    DiskSpace, StorageError,
    sql::source::{Read, Source},
};

/// A connection that cannot write.
#[derive(Debug)]
pub(super) struct SqliteSource {
    pub(super) connection: Connection,
    pub(super) file: PathBuf,
}

impl Source for SqliteSource {
    fn read(&mut self, work: Read<'_>) -> Result<bool, StorageError> {
        work(&self.connection)
    }

    fn disk_space(&mut self) -> Result<Option<DiskSpace>, StorageError> {
        let measure = || -> io::Result<DiskSpace> {
            let log = write_ahead_log::size(&self.file)?;
            let disk = rustix::fs::statvfs(&self.file)?;
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            Ok(DiskSpace { used: fs::metadata(&self.file)?.len() + log, log, free })
        };
        measure().map(Some).map_err(|error| StorageError::Failed(error.to_string()))
    }
}
