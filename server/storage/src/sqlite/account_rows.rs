//! What changing and reading accounts and their keys in a SQLite file have in common.

use rusqlite::{Row, Transaction};

use crate::{
    Account, AccountChanged, AccountSession, IdentityHash, KeyHash, StorageError,
    limits::ACCOUNT_SESSIONS_MAX, values::name,
};

/// The account's columns, in the order that [`account`] reads.
pub(super) const SELECT_ACCOUNT: &str = "
    SELECT member.id, member.hash, member.name, account.made_at, renamed_at, deleted_at, owner";

/// Number of these columns.
pub(super) const ACCOUNT_COLUMNS: usize = 7;

/// A change under way.
pub(super) struct Change<'t> {
    pub(super) transaction: &'t Transaction<'t>,
    pub(super) member: &'t str,
    pub(super) at: u64,
}

impl Change<'_> {
    /// Runs a statement: [`AccountChanged::Gone`] if it changes no row.
    pub(super) fn execute(
        &self,
        statement: &str,
        values: impl rusqlite::Params,
    ) -> Result<AccountChanged, StorageError> {
        let rows = self.transaction.prepare_cached(statement)?.execute(values)?;
        Ok(if rows == 0 { AccountChanged::Gone } else { AccountChanged::Done })
    }

    pub(super) fn is_there(
        &self,
        statement: &str,
        values: impl rusqlite::Params,
    ) -> Result<bool, StorageError> {
        Ok(self.transaction.prepare_cached(statement)?.exists(values)?)
    }

    /// Begins a session, and takes back a deletion.
    pub(super) fn begin(&self, session: &AccountSession) -> Result<AccountChanged, StorageError> {
        self.execute("UPDATE account SET deleted_at = NULL WHERE member = ?", (self.member,))?;
        self.execute(
            "DELETE FROM session WHERE hash IN
                 (SELECT hash FROM session WHERE member = ? ORDER BY seen_at DESC LIMIT -1 OFFSET ?)",
            (self.member, ACCOUNT_SESSIONS_MAX - 1),
        )?;
        let AccountSession { hash, label, made_at, seen_at, expires_at, proved_at } = session;
        self.execute(
            "INSERT INTO session (hash, member, label, made_at, seen_at, expires_at, proved_at)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
            (hash.0, self.member, label, made_at, seen_at, expires_at, proved_at),
        )
    }

    pub(super) fn has_session(&self, session: KeyHash) -> Result<bool, StorageError> {
        let statement = "SELECT 1 FROM session WHERE hash = ? AND member = ?";
        self.is_there(statement, (session.0, self.member))
    }
}

/// The account in a row. An error means that it is damaged.
pub(super) fn account(row: &Row<'_>) -> Result<Account, StorageError> {
    Ok(Account {
        member: name(row.get(0)?)?,
        hash: IdentityHash(row.get(1)?),
        name: name(row.get(2)?)?,
        made_at: row.get(3)?,
        renamed_at: row.get(4)?,
        deleted_at: row.get(5)?,
        owner: row.get::<_, Option<String>>(6)?.map(name).transpose()?,
    })
}
