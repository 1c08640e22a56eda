//! Bots of accounts in a SQLite file: making, reading and removing them. It does not know what they may do.

use fivefold_shared::protocol::MemberId;
use rusqlite::{Connection, Transaction};

use super::{
    account_rows::{Change, SELECT_ACCOUNT, account},
    rows::collect,
};
use crate::{Account, AccountChanged, NewBot, StorageError, limits::BOTS_MAX};

/// Makes a bot, unless it is there already.
pub(super) fn make(
    change: &Change<'_>,
    NewBot { owner, locked, name, likeness }: &NewBot,
) -> Result<AccountChanged, StorageError> {
    let owner = owner.as_str();
    let own = "SELECT 1 FROM account WHERE member = ? AND owner = ?";
    if change.is_there(own, (change.member, owner))? {
        return Ok(AccountChanged::Done);
    }
    if change.is_taken(likeness)? {
        return Ok(AccountChanged::NameTaken);
    }
    let person = "SELECT 1 FROM account WHERE member = ? AND owner IS NULL AND deleted_at IS NULL";
    if !change.is_there(person, (owner,))? {
        return Ok(AccountChanged::Gone);
    }
    let count = "SELECT count(*) FROM account WHERE owner = ? AND deleted_at IS NULL";
    let bots: usize =
        change.transaction.prepare_cached(count)?.query_row((owner,), |row| row.get(0))?;
    if bots >= BOTS_MAX {
        return Ok(AccountChanged::Full);
    }
    change.execute(
        "INSERT INTO member (id, hash, name, seen_at, renewed) VALUES (?, ?, ?, ?, 1)",
        (change.member, locked.0, name.as_str(), change.at),
    )?;
    change.execute(
        "INSERT INTO account (member, likeness, made_at, owner) VALUES (?, ?, ?, ?)",
        (change.member, likeness, change.at, owner),
    )
}

/// Ends all tokens of an account and of its bots.
pub(super) fn end_tokens(change: &Change<'_>) -> Result<(), StorageError> {
    change.execute(
        "DELETE FROM token WHERE member = ?1
             OR member IN (SELECT member FROM account WHERE owner = ?1)",
        (change.member,),
    )?;
    Ok(())
}

/// Makes a bot nobody's as its account is removed for good, and deletes the bots of the account as of
/// this time.
pub(super) fn remove(
    transaction: &Transaction<'_>,
    member: &str,
    deleted_at: u64,
) -> Result<(), StorageError> {
    let release = "UPDATE account SET owner = NULL WHERE member = ?";
    transaction.prepare_cached(release)?.execute((member,))?;
    let delete = "UPDATE account SET deleted_at = coalesce(deleted_at, ?) WHERE owner = ?";
    transaction.prepare_cached(delete)?.execute((deleted_at, member))?;
    Ok(())
}

/// The bots of an account that are not deleted, the oldest first.
pub(super) fn of_owner(
    connection: &Connection,
    owner: &MemberId,
) -> Result<Vec<Account>, StorageError> {
    let mut select = connection.prepare_cached(&format!(
        "{SELECT_ACCOUNT} FROM account JOIN member ON member.id = account.member
         WHERE owner = ? AND deleted_at IS NULL ORDER BY account.made_at, member.id"
    ))?;
    collect(select.query((owner.as_str(),))?, account)
}
