//! E-mail addresses of accounts.

use fivefold_shared::protocol::MemberId;

use super::{Row, Sql, account_rows::Change, source::DatabaseReader, values};
use crate::{
    AccountChanged, Email, EmailReader, EmailStep, KeyHash, StorageError,
    accounts::email::unconfirmed_before,
};

const IS_PERSON: &str = "member = $1 AND deleted_at IS NULL AND owner IS NULL";

/// Changes the address of an account.
pub(super) fn change(
    change: &Change<'_>,
    step: &EmailStep,
) -> Result<AccountChanged, StorageError> {
    let Change { member, at, .. } = *change;
    match step {
        EmailStep::Name { address, token, language } => change.execute(
            &format!(
                "INSERT INTO email (member, named, named_hash, named_at, language)
                 SELECT member, $2, $3, $4, $5 FROM account WHERE {IS_PERSON}
                 ON CONFLICT (member) DO UPDATE SET named = excluded.named,
                     named_hash = excluded.named_hash, named_at = excluded.named_at,
                     language = excluded.language"
            ),
            values![member, address, token, at, language],
        ),
        EmailStep::Confirm(token) => change.execute(
            "UPDATE email SET confirmed = named,
                 code = CASE WHEN confirmed = named THEN code END,
                 code_until = CASE WHEN confirmed = named THEN code_until END
             WHERE member = $1 AND named_hash = $2 AND named_at > $3",
            values![member, token, unconfirmed_before(at)],
        ),
        EmailStep::Forget => {
            change.sql.execute("DELETE FROM email WHERE member = $1", values![member])?;
            Ok(AccountChanged::Done)
        }
        EmailStep::AddCode(code, until) => change.execute(
            "UPDATE email SET code = $2, code_until = $3
             WHERE member = $1 AND confirmed IS NOT NULL",
            values![member, code, *until],
        ),
    }
}

/// Uses up the code that was sent to a member, if it is this one. Without an address, there is none.
pub(super) fn use_code(
    change: &Change<'_>,
    code: &KeyHash,
) -> Result<AccountChanged, StorageError> {
    change.execute(
        "UPDATE email SET code = NULL, code_until = NULL
         WHERE member = $1 AND code = $2 AND code_until > $3",
        values![change.member, code, change.at],
    )
}

/// Ends what was sent to a member: the link to an address that is not confirmed, and a code. `unused` is the hash of
/// another secret.
pub(super) fn end_sent(change: &Change<'_>, unused: &KeyHash) -> Result<(), StorageError> {
    let Change { sql, member, .. } = *change;
    let delete = "DELETE FROM email WHERE member = $1 AND confirmed IS NULL";
    sql.defer(delete, values![member])?;
    sql.defer(
        "UPDATE email SET named = confirmed, named_hash = $2, code = NULL, code_until = NULL
         WHERE member = $1",
        values![member, unused],
    )
}

/// The address of a member whose account is not deleted.
pub(super) fn of(sql: &dyn Sql, member: &MemberId) -> Result<Option<Email>, StorageError> {
    sql.row(
        "SELECT confirmed, named, named_at, language
         FROM email JOIN account ON account.member = email.member
         WHERE email.member = $1 AND deleted_at IS NULL",
        values![member],
        |row| {
            Ok(Email {
                confirmed: row.get()?,
                named: row.get()?,
                named_at: row.get()?,
                language: row.get()?,
            })
        },
    )
}

impl EmailReader for DatabaseReader {
    fn email(&mut self, member: &MemberId) -> Result<Option<Email>, StorageError> {
        self.read(|sql| of(sql, member))
    }

    fn email_named_with(&mut self, token: &KeyHash) -> Result<Option<MemberId>, StorageError> {
        let select = "SELECT member FROM email WHERE named_hash = $1";
        self.read(|sql| sql.row(select, values![token], Row::get))
    }
}
