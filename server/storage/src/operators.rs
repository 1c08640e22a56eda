//! Reads and changes a database for an operator's command. Servers may use it at the same time: they see
//! the change within a second.

use std::path::PathBuf;

use fivefold_shared::protocol::{MemberId, Name};

use super::{
    AccountChange, AccountChanged, Database, ModerationChange, ModerationChanged, OpenError,
    Postgres, PushChange, PushChanged, Storage, StorageError, StorageReader,
    name_keys::name_key,
    sql::{accounts, moderation, pushes},
    sqlite::{Sqlite, change_file},
};
use crate::sqlite::{check::look_for_database, data_folder::database_in};

/// A database that an operator works with.
#[derive(Debug)]
pub struct OperatorDatabase(Kind);

#[derive(Debug)]
enum Kind {
    File(PathBuf),
    Postgres(Box<Postgres>),
}

/// Why a command of an operator fails.
#[derive(Debug, thiserror::Error)]
pub enum OperatorError {
    /// The database cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The database cannot be read or written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The file was written by an older server.
    #[error("start the new server once, so that it brings the database to its format")]
    OldFormat,
    /// Nobody has the name or the id.
    #[error("nobody has an account with this name, and nobody is known by this id")]
    Nobody,
    /// There is nothing to change.
    #[error("there is no such sanction or report, or it is decided already")]
    NothingThere,
    /// The limit is reached.
    #[error("too many sanctions hold; take some back first")]
    Full,
}

impl OperatorDatabase {
    /// Opens the database. One in a file must have this server's format.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn open(database: Database<'_>) -> Result<Self, OperatorError> {
        Ok(Self(match database {
            Database::Folder(folder) => {
                let file = database_in(folder);
                look_for_database(&file)?;
                if !Sqlite::is_current(&file)? {
                    return Err(OperatorError::OldFormat);
                }
                Kind::File(file)
            }
            Database::Postgres(url) => Kind::Postgres(Box::new(Postgres::open(url, None)?)),
        }))
    }

    /// A reader.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn reader(&self) -> Result<Box<dyn StorageReader>, OperatorError> {
        Ok(match &self.0 {
            Kind::File(file) => Sqlite::reader_of(file.clone())?,
            Kind::Postgres(storage) => storage.reader()?,
        })
    }

    /// The member whose account has this name, or who has this id.
    ///
    /// # Errors
    /// If there is nobody, or the database cannot be read.
    pub fn find(&self, who: &str) -> Result<MemberId, OperatorError> {
        let mut reader = self.reader()?;
        if let Ok(name) = Name::new(who)
            && let Some(account) = reader.account_named(&name_key(&name))?
        {
            return Ok(account.member);
        }
        MemberId::try_from(who.to_owned()).map_err(|_| OperatorError::Nobody)
    }

    /// Changes an account.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn change_account(
        &mut self,
        change: &AccountChange,
    ) -> Result<AccountChanged, OperatorError> {
        Ok(match &mut self.0 {
            Kind::File(file) => change_file(file, |transaction| {
                accounts::change(&**transaction, change).map_err(OperatorError::from)
            })?,
            Kind::Postgres(storage) => storage.change_account(change)?,
        })
    }

    /// Changes what is stored about pushes.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn change_pushes(&mut self, change: &PushChange) -> Result<PushChanged, OperatorError> {
        Ok(match &mut self.0 {
            Kind::File(file) => change_file(file, |transaction| {
                pushes::change(&**transaction, change).map_err(OperatorError::from)
            })?,
            Kind::Postgres(storage) => storage.change_pushes(change)?,
        })
    }

    /// Changes something.
    ///
    /// # Errors
    /// If there is nothing to change, or the database cannot be written.
    pub fn change(&mut self, change: &ModerationChange) -> Result<(), OperatorError> {
        let changed = match &mut self.0 {
            Kind::File(file) => {
                change_file(file, |transaction| moderation::change(&**transaction, change))?
            }
            Kind::Postgres(storage) => storage.moderate(change)?,
        };
        match changed {
            ModerationChanged::Done => Ok(()),
            // No operator reports anybody.
            ModerationChanged::Gone
            | ModerationChanged::QueueFull
            | ModerationChanged::AlreadyOpen => Err(OperatorError::NothingThere),
            ModerationChanged::Full => Err(OperatorError::Full),
        }
    }
}
