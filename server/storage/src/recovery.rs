//! Adds a recovery code to an account, for an operator. Servers may use the database at the same time.

use std::path::Path;

use fivefold_shared::{
    clock::{day, millis},
    protocol::Name,
};

use super::{
    Account, AccountChange, AccountChanged, AccountStep, DatabaseUrl, KeyHash, OpenError, Postgres,
    Storage, StorageError, accounts::removed_before, name_keys::name_key, sql::accounts as rows,
    sqlite::change_file,
};
use crate::{
    limits::DELETED_ACCOUNT_KEPT,
    sqlite::{check::look_for_database, data_folder::database_in},
};

/// The database of a server.
#[derive(Clone, Copy, Debug)]
pub enum Database<'a> {
    /// The file in this folder.
    Folder(&'a Path),
    /// A PostgreSQL database.
    Postgres(&'a DatabaseUrl),
}

/// Why there is no new code.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    /// The database cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The database cannot be read or written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// No account has this name.
    #[error("nobody has an account with this name")]
    Nobody,
    /// Its deletion can still be taken back.
    #[error(
        "this account was deleted on {on}: until {until} its member can take that back by signing in, \
         and not by a recovery code"
    )]
    Deleted {
        /// The day of the deletion.
        on: String,
        /// The last day.
        until: String,
    },
    /// Nothing brings it back.
    #[error("this account was deleted on {0}, for good: nothing brings it back")]
    Removed(String),
    /// It is a bot's.
    #[error("this is a bot: its owner makes tokens for it, and nothing else opens it")]
    Bot,
}

/// Adds a recovery code to the account with this name. The others stay valid.
///
/// # Errors
/// If there is no such account, or the database cannot be used.
pub fn add_recovery_code(
    database: Database<'_>,
    name: &str,
    code: KeyHash,
    now: u64,
) -> Result<(), RecoverError> {
    let name = Name::new(name).map_err(|_| RecoverError::Nobody)?;
    let key = name_key(&name);
    let change = |account: Option<Account>| {
        let Account { member, owner, deleted_at, .. } = account.ok_or(RecoverError::Nobody)?;
        if let Some(at) = deleted_at {
            return Err(deleted(at, now));
        }
        if owner.is_some() {
            return Err(RecoverError::Bot);
        }
        let step = AccountStep::AddCode(code);
        Ok::<_, RecoverError>(AccountChange { member, at: now, step })
    };
    let changed = match database {
        Database::Folder(folder) => {
            let file = database_in(folder);
            look_for_database(&file)?;
            change_file(&file, |transaction| {
                let change = change(rows::named(&**transaction, &key)?)?;
                Ok::<_, RecoverError>(rows::change(&**transaction, &change)?)
            })?
        }
        Database::Postgres(url) => {
            let mut storage = Postgres::open(url, None)?;
            let account = storage.reader()?.account_named(&key)?;
            storage.change_account(&change(account)?)?
        }
    };
    match changed {
        AccountChanged::Done => Ok(()),
        AccountChanged::Gone
        | AccountChanged::NameTaken
        | AccountChanged::Full
        | AccountChanged::NoFriend(_)
        | AccountChanged::NoTimeOff(_) => Err(RecoverError::Nobody),
    }
}

/// The refusal of an account that was deleted at a time.
fn deleted(at: u64, now: u64) -> RecoverError {
    if at <= removed_before(now) {
        return RecoverError::Removed(day(at));
    }
    RecoverError::Deleted { on: day(at), until: day(at + millis(DELETED_ACCOUNT_KEPT)) }
}
