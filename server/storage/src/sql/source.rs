//! Where readers read: a database, and maybe a copy of it.

use std::fmt;

use super::Sql;
use crate::{DiskSpace, StorageError};

/// Work that reads, and may run again. It returns whether it has found what it looks for.
pub(crate) type Read<'w> = &'w mut dyn FnMut(&dyn Sql) -> Result<bool, StorageError>;

/// Where a reader reads.
pub(crate) trait Source: Send + fmt::Debug {
    /// Reads from the database.
    fn read(&mut self, work: Read<'_>) -> Result<bool, StorageError>;

    /// Reads from a copy of the database that may lack the last second, if there is one and it has what the work
    /// looks for.
    fn read_copy(&mut self, work: Read<'_>) -> Result<bool, StorageError> {
        self.read(work)
    }

    /// See [`PushReader::push_place`](crate::PushReader::push_place).
    fn place(&mut self) -> Result<String, StorageError>;

    /// See [`StorageReader::disk_space`].
    fn disk_space(&mut self) -> Result<Option<DiskSpace>, StorageError>;
}

/// Finished games and members. A game and the list of everybody's games may come from a copy. All else comes from
/// the database itself: people look at their own games as soon as one has ended, and a name that was deleted is
/// shown nowhere.
#[derive(Debug)]
pub(crate) struct DatabaseReader(pub(crate) Box<dyn Source>);

impl DatabaseReader {
    pub(crate) fn read<T>(
        &mut self,
        work: impl Fn(&dyn Sql) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        let mut found = None;
        self.0.read(&mut |sql| {
            found = Some(work(sql)?);
            Ok(true)
        })?;
        found.ok_or_else(|| StorageError::Failed("nothing was read".to_owned()))
    }
}
