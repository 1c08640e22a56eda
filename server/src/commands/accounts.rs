//! The commands `recover`, `account export` and `account delete`, for people who ask the operator to do what they
//! cannot do by themselves, for example because their account is closed.

use fivefold_shared::{
    clock::millis,
    protocol::{MemberId, Name},
};
use fivefold_storage::{
    Account, AccountChange, AccountChanged, AccountStep, Database, OperatorDatabase, OperatorError,
    Reader, RecoverError, StorageError, add_recovery_code, limits::DELETED_ACCOUNT_KEPT, name_key,
};

use crate::{
    config::AccountTask,
    http::export_text,
    moderation::cases::{name_of, time},
    process::{clock::Clock, ids},
};

/// Adds a recovery code to the account with this name, and returns the code. The others stay valid.
///
/// # Errors
/// If there is no such account, or the database cannot be used.
pub fn recover(database: Database<'_>, name: &str) -> Result<String, RecoverError> {
    let code = ids::recovery_code();
    add_recovery_code(database, name, ids::recovery_hash(&code), Clock::of_system().now())?;
    Ok(code)
}

/// Why a command fails.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The database.
    #[error(transparent)]
    Database(#[from] OperatorError),
    /// Nobody has the account.
    #[error(
        "nobody has an account with this name or id; guests delete themselves in the dialog \"You\""
    )]
    Nobody,
    /// It was deleted before.
    #[error("this account was deleted already, {0}")]
    Deleted(String),
}

/// Runs `account`. Returns what to print.
///
/// # Errors
/// If there is no such account, or the database cannot be used.
pub fn account(database: Database<'_>, task: &AccountTask) -> Result<String, AccountError> {
    let mut database = OperatorDatabase::open(database)?;
    let mut reader = database.reader()?;
    let (AccountTask::Export { who } | AccountTask::Delete { who }) = task;
    let found = find(&mut *reader, who).map_err(OperatorError::from)?;
    let account = found.ok_or(AccountError::Nobody)?;
    match task {
        AccountTask::Export { .. } => {
            Ok(export_text(&mut *reader, account).map_err(OperatorError::from)?)
        }
        AccountTask::Delete { .. } => delete(&mut database, &account),
    }
}

/// The account of this name, which may be deleted, or of the member with this id.
fn find(reader: &mut Reader, who: &str) -> Result<Option<Account>, StorageError> {
    if let Ok(name) = Name::new(who)
        && let Some(account) = reader.account_named(&name_key(&name))?
    {
        return Ok(Some(account));
    }
    let Ok(member) = MemberId::try_from(who.to_owned()) else { return Ok(None) };
    let Some(name) = name_of(reader, &member)? else { return Ok(None) };
    let account = reader.account_named(&name_key(&name))?;
    Ok(account.filter(|account| account.member == member))
}

fn delete(database: &mut OperatorDatabase, account: &Account) -> Result<String, AccountError> {
    if let Some(at) = account.deleted_at {
        return Err(AccountError::Deleted(time(at)));
    }
    let (member, at) = (account.member.clone(), Clock::of_system().now());
    let change = AccountChange { member, at, step: AccountStep::Delete };
    match database.change_account(&change)? {
        AccountChanged::Done => {}
        AccountChanged::Gone
        | AccountChanged::NameTaken
        | AccountChanged::Full
        | AccountChanged::NoFriend(_)
        | AccountChanged::NoTimeOff(_) => {
            return Err(AccountError::Nobody);
        }
    }
    let Account { name, owner, .. } = account;
    let removed = time(at + millis(DELETED_ACCOUNT_KEPT));
    let back = if owner.is_some() {
        "Nothing takes that back."
    } else {
        "Until then its member can take that back by signing in, unless the account is closed."
    };
    Ok(format!(
        "The account of {name} is deleted; its sessions end within a second.\n\
         What is stored about the person is removed at {removed}; finished games stay without the \
         name. {back}\n"
    ))
}
