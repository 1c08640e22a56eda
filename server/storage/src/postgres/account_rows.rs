//! What changing and reading accounts and their keys in PostgreSQL have in common.

use tokio_postgres::{Error, Row, types::ToSql};

use super::{connection::Session, values::unsigned};
use crate::{Account, AccountChanged, IdentityHash, StorageError, values::name};

/// Number of the columns of an account.
pub(super) const ACCOUNT_COLUMNS: usize = 7;

/// A change under way.
pub(super) struct Change<'a> {
    pub(super) session: &'a Session,
    pub(super) member: &'a str,
    pub(super) at: i64,
}

impl Change<'_> {
    /// Runs a statement, whose first values are the member and the time.
    pub(super) async fn run(
        &self,
        statement: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<AccountChanged, Error> {
        let mut all: Vec<&(dyn ToSql + Sync)> = vec![&self.member, &self.at];
        all.extend_from_slice(values);
        let rows = self.session.query(statement, &all).await?;
        let flags = |row: &Row| Ok::<(bool, bool), Error>((row.try_get(0)?, row.try_get(1)?));
        Ok(match rows.first().map(flags).transpose()? {
            Some((true, _)) => AccountChanged::Done,
            Some((false, true)) => AccountChanged::NameTaken,
            Some((false, false)) | None => AccountChanged::Gone,
        })
    }
}

/// The account in a row. The inner error means that it is damaged.
pub(super) fn account(row: &Row) -> Result<Result<Account, StorageError>, Error> {
    let (id, hash, text): (String, Vec<u8>, String) =
        (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    let made_at = unsigned(row.try_get(3)?);
    let renamed_at = row.try_get::<_, Option<i64>>(4)?.map(unsigned);
    let deleted_at = row.try_get::<_, Option<i64>>(5)?.map(unsigned);
    let owner: Option<String> = row.try_get(6)?;
    let parse = || {
        let (hash, member) = (IdentityHash(bytes(&hash)?), name(id)?);
        let owner = owner.map(name).transpose()?;
        Ok(Account { member, hash, name: name(text)?, made_at, renamed_at, deleted_at, owner })
    };
    Ok(parse())
}

pub(super) fn bytes(hash: &[u8]) -> Result<[u8; 32], StorageError> {
    let damaged = |_| StorageError::Damaged(format!("a hash has {} bytes", hash.len()));
    hash.try_into().map_err(damaged)
}
