//! Passkeys, tokens and aliases of accounts in PostgreSQL. A change is one statement, and the same
//! statement again does no harm. It does not know how keys are checked.

use fivefold_shared::protocol::MemberId;
use tokio_postgres::{Error, Row};

use super::{
    account_rows::{ACCOUNT_COLUMNS, Change, account, bytes},
    connection::Session,
    values::{signed, unsigned},
};
use crate::{
    Account, AccountChanged, AccountKeys, AccountSession, ApiToken, KeyHash, KeyStep, Passkey,
    StorageError, UsedPasskey,
    limits::{ACCOUNT_SESSIONS_MAX, ALIASES_MAX, PASSKEYS_MAX, TOKENS_MAX},
    values::name,
};

const SIGN_IN: &str = "
    WITH used AS (
        UPDATE passkey SET credential = $7, used_at = $2 WHERE member = $1 AND id = $6
        RETURNING member
    ), alive AS (
        UPDATE account SET deleted_at = NULL WHERE member IN (SELECT member FROM used)
        RETURNING member
    ), crowd AS (
        DELETE FROM session WHERE hash IN (
            SELECT hash FROM session WHERE member = $1 AND hash <> $3
            ORDER BY seen_at DESC OFFSET $8
        )
    ), begun AS (
        INSERT INTO session (hash, member, label, made_at, seen_at, expires_at, proved_at)
        SELECT $3, member, $4, $2, $2, $5, $2 FROM alive
        ON CONFLICT DO NOTHING
    )
    SELECT EXISTS (SELECT FROM alive), false";

const BEGIN: &str = "
    WITH alive AS MATERIALIZED (
        SELECT member FROM account WHERE member = $1 AND deleted_at IS NULL
    ), crowd AS (
        DELETE FROM session WHERE hash IN (
            SELECT hash FROM session WHERE member = $1 AND hash <> $3
            ORDER BY seen_at DESC OFFSET $6
        )
    ), begun AS (
        INSERT INTO session (hash, member, label, made_at, seen_at, expires_at)
        SELECT $3, member, $4, $2, $2, $5 FROM alive
        ON CONFLICT DO NOTHING
    )
    SELECT EXISTS (SELECT FROM alive), false";

const PROVE: &str = "
    WITH proved AS (
        UPDATE session SET proved_at = $2 WHERE member = $1 AND hash = $3
            AND ($4::bytea IS NULL
                OR EXISTS (SELECT FROM passkey WHERE member = $1 AND id = $4))
        RETURNING hash
    ), used AS (
        UPDATE passkey SET credential = $5, used_at = $2 WHERE member = $1 AND id = $4
    )
    SELECT EXISTS (SELECT FROM proved), false";

/// A change that adds something returns whether it is there, and whether there are too many.
const ADD_PASSKEY: &str = "
    WITH found AS MATERIALIZED (
        SELECT EXISTS (SELECT FROM account WHERE member = $1) AS known,
            EXISTS (SELECT FROM passkey WHERE id = $3 AND member = $1) AS done,
            (SELECT count(*) FROM passkey WHERE member = $1) >= $6 AS is_full
    ), added AS (
        INSERT INTO passkey (id, member, label, credential, made_at)
        SELECT $3, $1, $4, $5, $2 FROM found WHERE known AND NOT is_full
        ON CONFLICT DO NOTHING
        RETURNING id
    )
    SELECT done OR EXISTS (SELECT FROM added), known AND is_full FROM found";

const END_PASSKEY: &str = "
    WITH ended AS (
        DELETE FROM passkey WHERE member = $1 AND id = $3 AND $2::bigint IS NOT NULL
    )
    SELECT true, false";

const ADD_TOKEN: &str = "
    WITH found AS MATERIALIZED (
        SELECT EXISTS (SELECT FROM account WHERE member = $1) AS known,
            EXISTS (SELECT FROM token WHERE hash = $3 AND member = $1) AS done,
            (SELECT count(*) FROM token WHERE member = $1) >= $7 AS is_full
    ), added AS (
        INSERT INTO token (hash, member, label, scopes, made_at, expires_at)
        SELECT $3, $1, $4, $5, $2, $6 FROM found WHERE known AND NOT is_full
        ON CONFLICT DO NOTHING
        RETURNING hash
    )
    SELECT done OR EXISTS (SELECT FROM added), known AND is_full FROM found";

const END_TOKEN: &str = "
    WITH ended AS (
        DELETE FROM token WHERE member = $1 AND hash = $3 AND $2::bigint IS NOT NULL
    )
    SELECT true, false";

const NOTE_TOKEN: &str = "
    WITH noted AS (
        UPDATE token SET used_at = $2 WHERE member = $1 AND hash = $3
        RETURNING hash
    )
    SELECT EXISTS (SELECT FROM noted), false";

const ADD_ALIAS: &str = "
    WITH found AS MATERIALIZED (
        SELECT EXISTS (SELECT FROM account WHERE member = $1) AS known,
            EXISTS (SELECT FROM alias WHERE member = $3 AND account = $1) AS done,
            (SELECT count(*) FROM alias WHERE account = $1) >= $6 AS is_full
    ), ended AS (
        UPDATE member SET hash = $5, renewed = true FROM found
        WHERE id = $3 AND hash = $4 AND known AND NOT done AND NOT is_full
            AND NOT EXISTS (SELECT FROM account WHERE member = $3)
        RETURNING id
    ), added AS (
        INSERT INTO alias (member, account, made_at) SELECT id, $1, $2 FROM ended
        RETURNING member
    )
    SELECT done OR EXISTS (SELECT FROM added), known AND is_full FROM found";

const SELECT_OF_PASSKEY: &str = "
    SELECT member.id, member.hash, member.name, account.made_at, renamed_at, deleted_at, owner,
        passkey.id, label, credential, passkey.made_at, used_at
    FROM passkey JOIN account ON account.member = passkey.member
    JOIN member ON member.id = account.member WHERE passkey.id = $1";

const SELECT_OF_TOKEN: &str = "
    SELECT member.id, member.hash, member.name, account.made_at, renamed_at, deleted_at, owner,
        token.hash, label, scopes, token.made_at, used_at, expires_at
    FROM token JOIN account ON account.member = token.member
    JOIN member ON member.id = account.member WHERE token.hash = $1";

const SELECT_PASSKEYS: &str = "
    SELECT id, label, credential, made_at, used_at FROM passkey WHERE member = $1
    ORDER BY made_at, id";

const SELECT_TOKENS: &str = "
    SELECT hash, label, scopes, made_at, used_at, expires_at FROM token WHERE member = $1
    ORDER BY made_at, hash";

const SELECT_ALIASES: &str = "
    SELECT member FROM alias WHERE account = $1 ORDER BY made_at, member";

/// The guests of the accounts that are these members, or that one of these guests belongs to.
pub(super) const SELECT_GUESTS_AROUND: &str = "
    SELECT member, account FROM alias WHERE account = ANY($1::text[])
        OR account = ANY (ARRAY(SELECT account FROM alias WHERE member = ANY($1::text[])))";

/// Changes the keys of an account.
///
/// # Errors
/// As the database.
pub(super) async fn change(change: &Change<'_>, step: &KeyStep) -> Result<AccountChanged, Error> {
    match step {
        KeyStep::SignIn { passkey: UsedPasskey { id, credential }, session } => {
            let AccountSession { hash, label, expires_at, .. } = session;
            let (hash, expires_at) = (hash.0.as_slice(), signed(*expires_at));
            let others = signed(ACCOUNT_SESSIONS_MAX as u64 - 1);
            change.run(SIGN_IN, &[&hash, label, &expires_at, id, credential, &others]).await
        }
        KeyStep::Begin(AccountSession { hash, label, expires_at, .. }) => {
            let (hash, expires_at) = (hash.0.as_slice(), signed(*expires_at));
            let others = signed(ACCOUNT_SESSIONS_MAX as u64 - 1);
            change.run(BEGIN, &[&hash, label, &expires_at, &others]).await
        }
        KeyStep::Prove { session, passkey } => {
            let id = passkey.as_ref().map(|passkey| passkey.id.as_slice());
            let credential = passkey.as_ref().map(|passkey| passkey.credential.as_str());
            change.run(PROVE, &[&session.0.as_slice(), &id, &credential]).await
        }
        KeyStep::AddPasskey(Passkey { id, label, credential, .. }) => {
            let most = signed(PASSKEYS_MAX as u64);
            let added = change.run(ADD_PASSKEY, &[id, label, credential, &most]).await;
            added.map(or_full)
        }
        KeyStep::EndPasskey(id) => change.run(END_PASSKEY, &[id]).await,
        KeyStep::AddToken(ApiToken { hash, label, scopes, expires_at, .. }) => {
            let (hash, expires_at) = (hash.0.as_slice(), signed(*expires_at));
            let most = signed(TOKENS_MAX as u64);
            let added = change.run(ADD_TOKEN, &[&hash, label, scopes, &expires_at, &most]).await;
            added.map(or_full)
        }
        KeyStep::EndToken(hash) => change.run(END_TOKEN, &[&hash.0.as_slice()]).await,
        KeyStep::NoteToken(hash) => change.run(NOTE_TOKEN, &[&hash.0.as_slice()]).await,
        KeyStep::AddAlias { guest, hash, locked } => {
            let (hash, locked) = (hash.0.as_slice(), locked.0.as_slice());
            let most = signed(ALIASES_MAX as u64);
            let added = change.run(ADD_ALIAS, &[&guest.as_str(), &hash, &locked, &most]).await;
            added.map(or_full)
        }
    }
}

/// The second flag of statements that add something means that there are too many.
fn or_full(changed: AccountChanged) -> AccountChanged {
    match changed {
        AccountChanged::NameTaken => AccountChanged::Full,
        AccountChanged::Done | AccountChanged::Gone | AccountChanged::Full => changed,
    }
}

/// The passkey that its device calls so, and its account. The inner error means that a row is damaged.
///
/// # Errors
/// As the database.
pub(super) async fn of_passkey(
    session: &Session,
    id: &[u8],
) -> Result<Option<Result<(Account, Passkey), StorageError>>, Error> {
    let rows = session.query(SELECT_OF_PASSKEY, &[&id]).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let (account, passkey) = (account(row)?, passkey(row, ACCOUNT_COLUMNS)?);
    Ok(Some(account.map(|account| (account, passkey))))
}

/// The token with this hash, and its account. The inner error means that a row is damaged.
///
/// # Errors
/// As the database.
pub(super) async fn of_token(
    session: &Session,
    hash: KeyHash,
) -> Result<Option<Result<(Account, ApiToken), StorageError>>, Error> {
    let rows = session.query(SELECT_OF_TOKEN, &[&hash.0.as_slice()]).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let (account, token) = (account(row)?, token(row, ACCOUNT_COLUMNS)?);
    Ok(Some(account.and_then(|account| Ok((account, token?)))))
}

/// Reads the passkeys, tokens and aliases of an account. The inner error means that a row is damaged.
///
/// # Errors
/// As the database.
pub(super) async fn read_keys(
    session: &Session,
    member: &str,
    keys: &mut AccountKeys,
) -> Result<Result<(), StorageError>, Error> {
    for row in session.query(SELECT_PASSKEYS, &[&member]).await? {
        keys.passkeys.push(passkey(&row, 0)?);
    }
    for row in session.query(SELECT_TOKENS, &[&member]).await? {
        match token(&row, 0)? {
            Ok(token) => keys.tokens.push(token),
            Err(error) => return Ok(Err(error)),
        }
    }
    for row in session.query(SELECT_ALIASES, &[&member]).await? {
        match name(row.try_get(0)?) {
            Ok(alias) => keys.aliases.push(alias),
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(()))
}

/// The guests that belong to an account, the oldest first, as text.
///
/// # Errors
/// As the database.
pub(super) async fn aliases(session: &Session, member: &MemberId) -> Result<Vec<String>, Error> {
    let rows = session.query(SELECT_ALIASES, &[&member.as_str()]).await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

/// The passkey in a row, from this column on.
fn passkey(row: &Row, first: usize) -> Result<Passkey, Error> {
    Ok(Passkey {
        id: row.try_get(first)?,
        label: row.try_get(first + 1)?,
        credential: row.try_get(first + 2)?,
        made_at: unsigned(row.try_get(first + 3)?),
        used_at: row.try_get::<_, Option<i64>>(first + 4)?.map(unsigned),
    })
}

/// The token in a row, from this column on. The inner error means that it is damaged.
fn token(row: &Row, first: usize) -> Result<Result<ApiToken, StorageError>, Error> {
    let hash: Vec<u8> = row.try_get(first)?;
    let (label, scopes) = (row.try_get(first + 1)?, row.try_get(first + 2)?);
    let made_at = unsigned(row.try_get(first + 3)?);
    let used_at = row.try_get::<_, Option<i64>>(first + 4)?.map(unsigned);
    let expires_at = unsigned(row.try_get(first + 5)?);
    Ok(bytes(&hash).map(|hash| ApiToken {
        hash: KeyHash(hash),
        label,
        scopes,
        made_at,
        used_at,
        expires_at,
    }))
}
