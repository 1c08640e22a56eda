//! What changing and reading accounts, their keys and their bots have in common.

use fivefold_shared::protocol::MemberId;

use super::{Row, Sql, Value, values};
use crate::{
    Account, AccountChanged, AccountSession, KeyHash, StorageError, limits::ACCOUNT_SESSIONS_MAX,
};

/// The columns of an account, in the order that [`account`] reads.
pub(super) const ACCOUNT: &str =
    "member.id, member.hash, member.name, account.made_at, renamed_at, deleted_at, owner";

/// A change under way.
pub(super) struct Change<'c> {
    pub(super) sql: &'c dyn Sql,
    pub(super) member: &'c MemberId,
    pub(super) at: u64,
}

impl Change<'_> {
    /// Runs a statement: [`AccountChanged::Gone`] if it changes no row.
    pub(super) fn execute(
        &self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<AccountChanged, StorageError> {
        let rows = self.sql.execute(statement, values)?;
        Ok(if rows == 0 { AccountChanged::Gone } else { AccountChanged::Done })
    }

    /// Whether the account is there.
    pub(super) fn has_account(&self) -> Result<bool, StorageError> {
        self.sql.exists("SELECT 1 FROM account WHERE member = $1", values![self.member])
    }

    /// Begins a session, and takes back a deletion.
    pub(super) fn begin(&self, session: &AccountSession) -> Result<AccountChanged, StorageError> {
        let revive = "UPDATE account SET deleted_at = NULL WHERE member = $1";
        self.sql.defer(revive, values![self.member])?;
        self.sql.defer(
            "DELETE FROM session WHERE member = $1 AND hash NOT IN
                 (SELECT hash FROM session WHERE member = $1 ORDER BY seen_at DESC LIMIT $2)",
            values![self.member, ACCOUNT_SESSIONS_MAX - 1],
        )?;
        let AccountSession { hash, label, made_at, seen_at, expires_at, proved_at } = session;
        self.sql.defer(
            "INSERT INTO session (hash, member, label, made_at, seen_at, expires_at, proved_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            values![hash, self.member, label, *made_at, *seen_at, *expires_at, *proved_at],
        )?;
        Ok(AccountChanged::Done)
    }

    pub(super) fn has_session(&self, session: &KeyHash) -> Result<bool, StorageError> {
        let select = "SELECT 1 FROM session WHERE hash = $1 AND member = $2";
        self.sql.exists(select, values![session, self.member])
    }

    /// Whether a name of this likeness is another account's, or was a while ago.
    pub(super) fn is_taken(&self, likeness: &str) -> Result<bool, StorageError> {
        let is_like =
            "member <> $2 AND (likeness = $1 OR (likeness >= $1 || ' ' AND likeness < $1 || '!'))";
        self.sql.exists(
            &format!(
                "SELECT 1 FROM account WHERE {is_like}
                 UNION ALL SELECT 1 FROM old_name WHERE {is_like}"
            ),
            values![likeness, self.member],
        )
    }
}

/// The row of a table with this key, and the account that it belongs to.
pub(super) fn with_account<T>(
    sql: &dyn Sql,
    (table, columns): (&str, &str),
    (key, value): (&str, Value<'_>),
    read: fn(&mut Row) -> Result<T, StorageError>,
) -> Result<Option<(Account, T)>, StorageError> {
    let statement = format!(
        "SELECT {ACCOUNT}, {columns} FROM {table} JOIN account ON account.member = {table}.member
         JOIN member ON member.id = account.member WHERE {table}.{key} = $1"
    );
    sql.row(&statement, &[value], |row| Ok((account(row)?, read(row)?)))
}

/// The account in a row.
pub(super) fn account(row: &mut Row) -> Result<Account, StorageError> {
    Ok(Account {
        member: row.get()?,
        hash: row.get()?,
        name: row.get()?,
        made_at: row.get()?,
        renamed_at: row.get()?,
        deleted_at: row.get()?,
        owner: row.get()?,
    })
}
