//! Bots of accounts: making and reading them. It does not know what they may do.

use fivefold_shared::protocol::MemberId;

use super::{
    Sql,
    account_rows::{ACCOUNT, Change, account},
    values,
};
use crate::{Account, AccountChanged, NewBot, StorageError, limits::BOTS_MAX};

/// Makes a bot, unless it is there already.
pub(super) fn make(
    change: &Change<'_>,
    NewBot { owner, locked, name, likeness }: &NewBot,
) -> Result<AccountChanged, StorageError> {
    let own = "SELECT 1 FROM account WHERE member = $1 AND owner = $2";
    if change.sql.exists(own, values![change.member, owner])? {
        return Ok(AccountChanged::Done);
    }
    if change.is_taken(likeness)? {
        return Ok(AccountChanged::NameTaken);
    }
    let person = "SELECT 1 FROM account WHERE member = $1 AND owner IS NULL AND deleted_at IS NULL";
    if !change.sql.exists(person, values![owner])? {
        return Ok(AccountChanged::Gone);
    }
    let count = "SELECT count(*) FROM account WHERE owner = $1 AND deleted_at IS NULL";
    if change.sql.count(count, values![owner])? >= BOTS_MAX {
        return Ok(AccountChanged::Full);
    }
    change.execute(
        "INSERT INTO member (id, hash, name, seen_at, renewed) VALUES ($1, $2, $3, $4, true)",
        values![change.member, locked, name, change.at],
    )?;
    change.execute(
        "INSERT INTO account (member, likeness, made_at, owner) VALUES ($1, $2, $3, $4)",
        values![change.member, likeness, change.at, owner],
    )
}

/// Ends all tokens of an account and of its bots.
pub(super) fn end_tokens(change: &Change<'_>) -> Result<(), StorageError> {
    change.sql.defer(
        "DELETE FROM token WHERE member IN (
             SELECT $1 UNION ALL SELECT member FROM account WHERE owner = $1)",
        values![change.member],
    )
}

/// The bots of an account that are not deleted, the oldest first.
pub(super) fn of_owner(sql: &dyn Sql, owner: &MemberId) -> Result<Vec<Account>, StorageError> {
    let statement = format!(
        "SELECT {ACCOUNT} FROM account JOIN member ON member.id = account.member
         WHERE owner = $1 AND deleted_at IS NULL ORDER BY account.made_at, member.id"
    );
    sql.rows(&statement, values![owner], account)
}
