//! Passkeys, tokens and aliases of accounts in a SQLite file. It does not know how they are checked.

use fivefold_shared::protocol::MemberId;
use rusqlite::{Connection, OptionalExtension, Row};

use super::{
    account_rows::{ACCOUNT_COLUMNS, Change, SELECT_ACCOUNT, account},
    rows::{collect, two_members},
};
use crate::{
    Account, AccountChanged, ApiToken, IdentityHash, KeyHash, KeyStep, Passkey, StorageError,
    UsedPasskey,
    limits::{ALIASES_MAX, PASSKEYS_MAX, TOKENS_MAX},
    values::name,
};

/// Changes the keys of an account.
pub(super) fn change(change: &Change<'_>, step: &KeyStep) -> Result<AccountChanged, StorageError> {
    match step {
        KeyStep::SignIn { passkey, session } => {
            if change.has_session(session.hash)? {
                return Ok(AccountChanged::Done);
            }
            match use_passkey(change, passkey)? {
                AccountChanged::Done => change.begin(session),
                failed => Ok(failed),
            }
        }
        KeyStep::Begin(session) => {
            let is_there = "SELECT 1 FROM account WHERE member = ? AND deleted_at IS NULL";
            if change.has_session(session.hash)? {
                Ok(AccountChanged::Done)
            } else if change.is_there(is_there, (change.member,))? {
                change.begin(session)
            } else {
                Ok(AccountChanged::Gone)
            }
        }
        KeyStep::Prove { session, passkey } => {
            let used = passkey.as_ref().map(|passkey| use_passkey(change, passkey)).transpose()?;
            match used.unwrap_or(AccountChanged::Done) {
                AccountChanged::Done => change.execute(
                    "UPDATE session SET proved_at = ?3 WHERE member = ?1 AND hash = ?2",
                    (change.member, session.0, change.at),
                ),
                failed => Ok(failed),
            }
        }
        KeyStep::AddPasskey(passkey) => add_passkey(change, passkey),
        KeyStep::EndPasskey(id) => change
            .execute("DELETE FROM passkey WHERE member = ? AND id = ?", (change.member, id))
            .map(|_| AccountChanged::Done),
        KeyStep::AddToken(token) => add_token(change, token),
        KeyStep::EndToken(hash) => change
            .execute("DELETE FROM token WHERE member = ? AND hash = ?", (change.member, hash.0))
            .map(|_| AccountChanged::Done),
        KeyStep::NoteToken(hash) => change.execute(
            "UPDATE token SET used_at = ?3 WHERE member = ?1 AND hash = ?2",
            (change.member, hash.0, change.at),
        ),
        KeyStep::AddAlias { guest, hash, locked } => add_alias(change, guest, *hash, *locked),
    }
}

fn use_passkey(change: &Change<'_>, used: &UsedPasskey) -> Result<AccountChanged, StorageError> {
    change.execute(
        "UPDATE passkey SET credential = ?3, used_at = ?4 WHERE member = ?1 AND id = ?2",
        (change.member, &used.id, &used.credential, change.at),
    )
}

/// Whether the account is there and has fewer than `most` of something.
fn has_room(change: &Change<'_>, count: &str, most: usize) -> Result<AccountChanged, StorageError> {
    if !change.is_there("SELECT 1 FROM account WHERE member = ?", (change.member,))? {
        return Ok(AccountChanged::Gone);
    }
    let held: usize =
        change.transaction.prepare_cached(count)?.query_row((change.member,), |row| row.get(0))?;
    Ok(if held < most { AccountChanged::Done } else { AccountChanged::Full })
}

fn add_passkey(change: &Change<'_>, passkey: &Passkey) -> Result<AccountChanged, StorageError> {
    let own = "SELECT 1 FROM passkey WHERE id = ? AND member = ?";
    if change.is_there(own, (&passkey.id, change.member))? {
        return Ok(AccountChanged::Done);
    }
    if change.is_there("SELECT 1 FROM passkey WHERE id = ?", (&passkey.id,))? {
        return Ok(AccountChanged::Gone);
    }
    match has_room(change, "SELECT count(*) FROM passkey WHERE member = ?", PASSKEYS_MAX)? {
        AccountChanged::Done => insert_passkey(change, passkey),
        failed => Ok(failed),
    }
}

/// Adds a passkey that is not there.
pub(super) fn insert_passkey(
    change: &Change<'_>,
    Passkey { id, label, credential, made_at, used_at }: &Passkey,
) -> Result<AccountChanged, StorageError> {
    change.execute(
        "INSERT INTO passkey (id, member, label, credential, made_at, used_at)
         VALUES (?, ?, ?, ?, ?, ?)",
        (id, change.member, label, credential, made_at, used_at),
    )
}

fn add_token(change: &Change<'_>, token: &ApiToken) -> Result<AccountChanged, StorageError> {
    let ApiToken { hash, label, scopes, made_at, used_at, expires_at } = token;
    let own = "SELECT 1 FROM token WHERE hash = ? AND member = ?";
    if change.is_there(own, (hash.0, change.member))? {
        return Ok(AccountChanged::Done);
    }
    match has_room(change, "SELECT count(*) FROM token WHERE member = ?", TOKENS_MAX)? {
        AccountChanged::Done => change.execute(
            "INSERT INTO token (hash, member, label, scopes, made_at, used_at, expires_at)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
            (hash.0, change.member, label, scopes, made_at, used_at, expires_at),
        ),
        failed => Ok(failed),
    }
}

fn add_alias(
    change: &Change<'_>,
    guest: &MemberId,
    hash: IdentityHash,
    locked: IdentityHash,
) -> Result<AccountChanged, StorageError> {
    let guest = guest.as_str();
    let own = "SELECT 1 FROM alias WHERE member = ? AND account = ?";
    if change.is_there(own, (guest, change.member))? {
        return Ok(AccountChanged::Done);
    }
    let room = has_room(change, "SELECT count(*) FROM alias WHERE account = ?", ALIASES_MAX)?;
    if room != AccountChanged::Done {
        return Ok(room);
    }
    let ended = change.execute(
        "UPDATE member SET hash = ?3, renewed = 1 WHERE id = ?1 AND hash = ?2
             AND NOT EXISTS (SELECT 1 FROM account WHERE member = ?1)",
        (guest, hash.0, locked.0),
    )?;
    match ended {
        AccountChanged::Done => change.execute(
            "INSERT INTO alias (member, account, made_at) VALUES (?, ?, ?)",
            (guest, change.member, change.at),
        ),
        failed => Ok(failed),
    }
}

/// The passkey that its device calls so, and its account.
pub(super) fn of_passkey(
    connection: &Connection,
    id: &[u8],
) -> Result<Option<(Account, Passkey)>, StorageError> {
    let statement = format!(
        "{SELECT_ACCOUNT}, passkey.id, label, credential, passkey.made_at, used_at
         FROM passkey JOIN account ON account.member = passkey.member
         JOIN member ON member.id = account.member WHERE passkey.id = ?"
    );
    let mut select = connection.prepare_cached(&statement)?;
    let read = |row: &Row<'_>| Ok((account(row), passkey(row, ACCOUNT_COLUMNS)?));
    let found = select.query_row((id,), read).optional()?;
    found.map(|(account, passkey)| Ok((account?, passkey))).transpose()
}

/// The token with this hash, and its account.
pub(super) fn of_token(
    connection: &Connection,
    hash: KeyHash,
) -> Result<Option<(Account, ApiToken)>, StorageError> {
    let statement = format!(
        "{SELECT_ACCOUNT}, token.hash, label, scopes, token.made_at, used_at, expires_at
         FROM token JOIN account ON account.member = token.member
         JOIN member ON member.id = account.member WHERE token.hash = ?"
    );
    let mut select = connection.prepare_cached(&statement)?;
    let read = |row: &Row<'_>| Ok((account(row), token(row, ACCOUNT_COLUMNS)?));
    let found = select.query_row((hash.0,), read).optional()?;
    found.map(|(account, token)| Ok((account?, token))).transpose()
}

/// The passkeys of an account, the oldest first.
pub(super) fn passkeys(
    connection: &Connection,
    member: &str,
) -> Result<Vec<Passkey>, StorageError> {
    let mut select = connection.prepare_cached(
        "SELECT id, label, credential, made_at, used_at FROM passkey WHERE member = ?
         ORDER BY made_at, id",
    )?;
    collect(select.query((member,))?, |row| Ok(passkey(row, 0)?))
}

/// The tokens of an account, the oldest first.
pub(super) fn tokens(connection: &Connection, member: &str) -> Result<Vec<ApiToken>, StorageError> {
    let mut select = connection.prepare_cached(
        "SELECT hash, label, scopes, made_at, used_at, expires_at FROM token WHERE member = ?
         ORDER BY made_at, hash",
    )?;
    collect(select.query((member,))?, |row| Ok(token(row, 0)?))
}

/// The guests that belong to an account, the oldest first.
pub(super) fn aliases(
    connection: &Connection,
    member: &str,
) -> Result<Vec<MemberId>, StorageError> {
    let mut select = connection
        .prepare_cached("SELECT member FROM alias WHERE account = ? ORDER BY made_at, member")?;
    collect(select.query((member,))?, |row| name(row.get(0)?))
}

/// The guests of the accounts that are these members, or that one of these guests belongs to, each with its
/// account.
pub(super) fn guests_around(
    connection: &Connection,
    members: &[MemberId],
) -> Result<Vec<(MemberId, MemberId)>, StorageError> {
    let mut select = connection.prepare_cached(
        "SELECT member, account FROM alias
         WHERE account = ?1 OR account = (SELECT account FROM alias WHERE member = ?1)",
    )?;
    let mut guests = Vec::new();
    for member in members {
        guests.extend(collect(select.query((member.as_str(),))?, two_members)?);
    }
    Ok(guests)
}

/// The passkey in a row, from this column on.
fn passkey(row: &Row<'_>, first: usize) -> rusqlite::Result<Passkey> {
    Ok(Passkey {
        id: row.get(first)?,
        label: row.get(first + 1)?,
        credential: row.get(first + 2)?,
        made_at: row.get(first + 3)?,
        used_at: row.get(first + 4)?,
    })
}

/// The token in a row, from this column on.
fn token(row: &Row<'_>, first: usize) -> rusqlite::Result<ApiToken> {
    Ok(ApiToken {
        hash: KeyHash(row.get(first)?),
        label: row.get(first + 1)?,
        scopes: row.get(first + 2)?,
        made_at: row.get(first + 3)?,
        used_at: row.get(first + 4)?,
        expires_at: row.get(first + 5)?,
    })
}
