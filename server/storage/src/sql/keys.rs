//! Passkeys, tokens and aliases of accounts. It does not know how they are checked.

use fivefold_shared::protocol::{MemberId, Scope};

use super::{
    Row, Sql,
    account_rows::{Change, with_account},
    friends, list, time_off, values,
};
use crate::{
    Account, AccountChanged, ApiToken, IdentityHash, KeyHash, KeyStep, Passkey, StorageError,
    UsedPasskey,
    limits::{ALIASES_MAX, PASSKEYS_MAX, TOKENS_MAX},
};

const PASSKEY: &str = "passkey.id, label, credential, passkey.made_at, used_at";

const TOKEN: &str = "token.hash, label, scopes, token.made_at, used_at, expires_at";

/// Changes the keys of an account.
pub(super) fn change(change: &Change<'_>, step: &KeyStep) -> Result<AccountChanged, StorageError> {
    match step {
        KeyStep::SignIn { passkey, session } => {
            if change.has_session(&session.hash)? {
                return Ok(AccountChanged::Done);
            }
            match use_passkey(change, passkey)? {
                AccountChanged::Done => change.begin(session),
                failed => Ok(failed),
            }
        }
        KeyStep::Begin(session) => {
            let is_there = "SELECT 1 FROM account WHERE member = $1 AND deleted_at IS NULL";
            if change.has_session(&session.hash)? {
                Ok(AccountChanged::Done)
            } else if change.sql.exists(is_there, values![change.member])? {
                change.begin(session)
            } else {
                Ok(AccountChanged::Gone)
            }
        }
        KeyStep::Prove { session, passkey } => {
            let used = passkey.as_ref().map(|passkey| use_passkey(change, passkey)).transpose()?;
            match used.unwrap_or(AccountChanged::Done) {
                AccountChanged::Done => change.execute(
                    "UPDATE session SET proved_at = $3 WHERE member = $1 AND hash = $2",
                    values![change.member, session, change.at],
                ),
                failed => Ok(failed),
            }
        }
        KeyStep::AddPasskey(passkey) => add_passkey(change, passkey),
        KeyStep::EndPasskey(id) => change
            .execute(
                "DELETE FROM passkey WHERE member = $1 AND id = $2",
                values![change.member, id],
            )
            .map(|_| AccountChanged::Done),
        KeyStep::AddToken(token) => add_token(change, token),
        KeyStep::EndToken(hash) => change
            .execute(
                "DELETE FROM token WHERE member = $1 AND hash = $2",
                values![change.member, hash],
            )
            .map(|_| AccountChanged::Done),
        KeyStep::NoteToken(hash) => change.execute(
            "UPDATE token SET used_at = $3 WHERE member = $1 AND hash = $2",
            values![change.member, hash, change.at],
        ),
        KeyStep::AddAlias { guest, hash, locked } => add_alias(change, guest, hash, locked),
    }
}

fn use_passkey(change: &Change<'_>, used: &UsedPasskey) -> Result<AccountChanged, StorageError> {
    change.execute(
        "UPDATE passkey SET credential = $3, used_at = $4 WHERE member = $1 AND id = $2",
        values![change.member, &used.id, &used.credential, change.at],
    )
}

/// Whether the account is there and has fewer than `most` of something.
fn has_room(change: &Change<'_>, count: &str, most: usize) -> Result<AccountChanged, StorageError> {
    if !change.has_account()? {
        return Ok(AccountChanged::Gone);
    }
    let is_full = change.sql.count(count, values![change.member])? >= most;
    Ok(if is_full { AccountChanged::Full } else { AccountChanged::Done })
}

fn add_passkey(change: &Change<'_>, passkey: &Passkey) -> Result<AccountChanged, StorageError> {
    let owner = "SELECT member FROM passkey WHERE id = $1";
    if let Some(owner) = change.sql.row(owner, values![&passkey.id], Row::get::<MemberId>)? {
        let is_own = owner == *change.member;
        return Ok(if is_own { AccountChanged::Done } else { AccountChanged::Gone });
    }
    match has_room(change, "SELECT count(*) FROM passkey WHERE member = $1", PASSKEYS_MAX)? {
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
         VALUES ($1, $2, $3, $4, $5, $6)",
        values![id, change.member, label, credential, *made_at, *used_at],
    )
}

fn add_token(change: &Change<'_>, token: &ApiToken) -> Result<AccountChanged, StorageError> {
    let ApiToken { hash, label, scopes, made_at, used_at, expires_at } = token;
    let scopes: Vec<_> = scopes.iter().map(|scope| scope.name()).collect();
    let scopes = scopes.join(" ");
    let own = "SELECT 1 FROM token WHERE hash = $1 AND member = $2";
    if change.sql.exists(own, values![hash, change.member])? {
        return Ok(AccountChanged::Done);
    }
    match has_room(change, "SELECT count(*) FROM token WHERE member = $1", TOKENS_MAX)? {
        AccountChanged::Done => change.execute(
            "INSERT INTO token (hash, member, label, scopes, made_at, used_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            values![hash, change.member, label, &scopes, *made_at, *used_at, *expires_at],
        ),
        failed => Ok(failed),
    }
}

fn add_alias(
    change: &Change<'_>,
    guest: &MemberId,
    hash: &IdentityHash,
    locked: &IdentityHash,
) -> Result<AccountChanged, StorageError> {
    let own = "SELECT 1 FROM alias WHERE member = $1 AND account = $2";
    if change.sql.exists(own, values![guest, change.member])? {
        return Ok(AccountChanged::Done);
    }
    let room = has_room(change, "SELECT count(*) FROM alias WHERE account = $1", ALIASES_MAX)?;
    if room != AccountChanged::Done {
        return Ok(room);
    }
    let ended = change.execute(
        "UPDATE member SET hash = $3, renewed = true WHERE id = $1 AND hash = $2
             AND NOT EXISTS (SELECT 1 FROM account WHERE account.member = $1)",
        values![guest, hash, locked],
    )?;
    match ended {
        AccountChanged::Done => {
            change.sql.defer(
                "INSERT INTO alias (member, account, made_at) VALUES ($1, $2, $3)",
                values![guest, change.member, change.at],
            )?;
            // Somebody may have blocked the guest.
            friends::end_blocked(change.sql, change.member)?;
            let off = time_off::latest(change.sql, change.member)?;
            if off.is_open(change.at) {
                time_off::set_in_games(change.sql, change.member, off)?;
            }
            Ok(AccountChanged::Done)
        }
        failed => Ok(failed),
    }
}

/// The passkey that its device calls so, and its account.
pub(super) fn of_passkey(
    sql: &dyn Sql,
    id: &[u8],
) -> Result<Option<(Account, Passkey)>, StorageError> {
    with_account(sql, ("passkey", PASSKEY), ("id", id.into()), passkey)
}

/// The token with this hash, and its account.
pub(super) fn of_token(
    sql: &dyn Sql,
    hash: &KeyHash,
) -> Result<Option<(Account, ApiToken)>, StorageError> {
    with_account(sql, ("token", TOKEN), ("hash", hash.into()), token)
}

/// The passkeys of an account, the oldest first.
pub(super) fn passkeys(sql: &dyn Sql, member: &MemberId) -> Result<Vec<Passkey>, StorageError> {
    let statement = format!("SELECT {PASSKEY} FROM passkey WHERE member = $1 ORDER BY made_at, id");
    sql.rows(&statement, values![member], passkey)
}

/// The tokens of an account, the oldest first.
pub(super) fn tokens(sql: &dyn Sql, member: &MemberId) -> Result<Vec<ApiToken>, StorageError> {
    let statement = format!("SELECT {TOKEN} FROM token WHERE member = $1 ORDER BY made_at, hash");
    sql.rows(&statement, values![member], token)
}

/// The guests that belong to an account, the oldest first.
pub(super) fn aliases(sql: &dyn Sql, member: &MemberId) -> Result<Vec<MemberId>, StorageError> {
    let select = "SELECT member FROM alias WHERE account = $1 ORDER BY made_at, member";
    sql.rows(select, values![member], Row::get)
}

/// The guests of the accounts that are these members, or that one of these guests belongs to, each with its
/// account.
pub(super) fn guests_around(
    sql: &dyn Sql,
    members: &[MemberId],
) -> Result<Vec<(MemberId, MemberId)>, StorageError> {
    let listed = sql.dialect().listed();
    let statement = format!(
        "SELECT member, account FROM alias WHERE account IN (
             SELECT value FROM {listed}
             UNION SELECT account FROM alias WHERE member IN (SELECT value FROM {listed}))"
    );
    let members = list(members.iter().map(MemberId::as_str));
    sql.rows(&statement, values![&members], |row| Ok((row.get()?, row.get()?)))
}

/// The passkey in a row.
fn passkey(row: &mut Row) -> Result<Passkey, StorageError> {
    Ok(Passkey {
        id: row.get()?,
        label: row.get()?,
        credential: row.get()?,
        made_at: row.get()?,
        used_at: row.get()?,
    })
}

/// The token in a row.
fn token(row: &mut Row) -> Result<ApiToken, StorageError> {
    Ok(ApiToken {
        hash: row.get()?,
        label: row.get()?,
        scopes: row.get::<String>()?.split(' ').filter_map(Scope::named).collect(),
        made_at: row.get()?,
        used_at: row.get()?,
        expires_at: row.get()?,
    })
}
