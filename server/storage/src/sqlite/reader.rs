//! Reads a SQLite file beside the writer.

use std::{fs, io, os::unix::fs::MetadataExt, path::PathBuf, time::UNIX_EPOCH};

use rusqlite::Connection;

use super::{backup::free_space, write_ahead_log};
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

    /// The file's number on its disk, and when it was made: no copy has both.
    fn place(&mut self) -> Result<String, StorageError> {
        let failed = |error: io::Error| StorageError::Failed(error.to_string());
        let file = fs::metadata(&self.file).map_err(failed)?;
        let made = file.created().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        // Not every file system knows when.
        let made = made.map_or(0, |since| since.as_nanos());
        Ok(format!("file {} of {made}", file.ino()))
    }

    fn disk_space(&mut self) -> Result<Option<DiskSpace>, StorageError> {
        let measure = || -> io::Result<DiskSpace> {
            let log = write_ahead_log::size(&self.file)?;
            let free = free_space(&self.file)?;
            Ok(DiskSpace { used: fs::metadata(&self.file)?.len() + log, log, free })
        };
        measure().map(Some).map_err(|error| StorageError::Failed(error.to_string()))
    }
}
