//! Accounts in PostgreSQL: changing, reading and deleting them. A change is one statement, as an
//! append is, and the same statement again does no harm.

use fivefold_shared::protocol::{ChallengesFrom, MemberId};
use tokio_postgres::{Error, Row, types::ToSql};

use super::{
    account_rows::{ACCOUNT_COLUMNS, Change, account, bytes},
    bots,
    connection::Session,
    dealings,
    keys::{self, read_keys},
    member_data::forget_texts,
    values::{signed, unsigned},
};
use crate::{
    Account, AccountChange, AccountChanged, AccountKeys, AccountSession, AccountStep, KeyHash,
    NewAccount, PasswordHash, Sessions, StorageError, TraceKind,
    accounts::{DELETED_NAME, forgotten_before, old_before, removed_before},
    dealings::traced_before,
    limits::ACCOUNT_SESSIONS_MAX,
    name_keys::likeness_in,
};

/// Every change returns one row: whether it is done, and whether the name is taken.
const MAKE: &str = "
    WITH found AS MATERIALIZED (
        SELECT EXISTS (SELECT FROM session WHERE hash = $3 AND member = $1) AS done,
            EXISTS (SELECT FROM account WHERE (likeness = $4 OR (likeness >= $4 || ' ' AND likeness < $4 || '!'))
                AND member <> $1)
                OR EXISTS (SELECT FROM old_name WHERE (likeness = $4 OR (likeness >= $4 || ' ' AND likeness < $4 || '!'))
                    AND member <> $1) AS taken
    ), saved AS (
        INSERT INTO member (id, hash, name, seen_at, renewed)
        SELECT $1::text, $5, $6, $2::bigint, true FROM found WHERE NOT done AND NOT taken
            AND NOT EXISTS (SELECT FROM account WHERE account.member = $1)
        ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, name = excluded.name,
            seen_at = excluded.seen_at, renewed = true
        WHERE member.hash = $7
        RETURNING id
    ), made AS (
        INSERT INTO account (member, likeness, made_at) SELECT id, $4, $2 FROM saved
        RETURNING member
    ), keyed AS (
        INSERT INTO key (member, kind, lookup, secret, made_at)
        SELECT member, 'password', convert_to(member, 'UTF8'), $8, $2 FROM made
        WHERE $8::text IS NOT NULL
        UNION ALL
        SELECT member, 'recovery', code, NULL, $2
        FROM made CROSS JOIN unnest($9::bytea[]) AS code
    ), passed AS (
        INSERT INTO passkey (id, member, label, credential, made_at)
        SELECT $12::bytea, member, $13::text, $14::text, $2 FROM made WHERE $12::bytea IS NOT NULL
    ), begun AS (
        INSERT INTO session (hash, member, label, made_at, seen_at, expires_at, proved_at)
        SELECT $3, member, $10, $2, $2, $11, $2 FROM made
    )
    SELECT done OR EXISTS (SELECT FROM made), taken FROM found";

const SIGN_IN: &str = "
    WITH used AS (
        UPDATE key SET used_at = $2, secret = coalesce($6, secret)
        WHERE member = $1 AND kind = 'password'
        RETURNING member
    ), alive AS (
        UPDATE account SET deleted_at = NULL WHERE member IN (SELECT member FROM used)
        RETURNING member
    ), crowd AS (
        DELETE FROM session WHERE hash IN (
            SELECT hash FROM session WHERE member = $1 AND hash <> $3
            ORDER BY seen_at DESC OFFSET $7
        )
    ), begun AS (
        INSERT INTO session (hash, member, label, made_at, seen_at, expires_at, proved_at)
        SELECT $3, member, $4, $2, $2, $5, $2 FROM alive
        ON CONFLICT DO NOTHING
    )
    SELECT EXISTS (SELECT FROM alive), false";

const RECOVER: &str = "
    WITH known AS MATERIALIZED (
        SELECT EXISTS (SELECT FROM session WHERE hash = $3 AND member = $1) AS done
    ), used AS (
        DELETE FROM key USING known
        WHERE member = $1 AND kind = 'recovery' AND lookup = $6 AND NOT done
        RETURNING member
    ), alive AS (
        UPDATE account SET deleted_at = NULL WHERE member IN (SELECT member FROM used)
        RETURNING member
    ), changed AS (
        INSERT INTO key (member, kind, lookup, secret, made_at)
        SELECT member, 'password', convert_to(member, 'UTF8'), $7, $2 FROM alive
        ON CONFLICT (kind, lookup) DO UPDATE SET secret = excluded.secret,
            made_at = excluded.made_at
    ), ended AS (
        DELETE FROM session WHERE member IN (SELECT member FROM alive)
    ), unpassed AS (
        DELETE FROM passkey WHERE member IN (SELECT member FROM alive)
    ), untokened AS (
        DELETE FROM token WHERE member IN (SELECT member FROM alive
            UNION ALL SELECT member FROM account WHERE owner IN (SELECT member FROM alive))
    ), begun AS (
        INSERT INTO session (hash, member, label, made_at, seen_at, expires_at, proved_at)
        SELECT $3, member, $4, $2, $2, $5, $2 FROM alive
    )
    SELECT done OR EXISTS (SELECT FROM alive), false FROM known";

const SEEN: &str = "
    WITH seen AS (
        UPDATE session SET seen_at = $2, expires_at = $4 WHERE member = $1 AND hash = $3
        RETURNING hash
    )
    SELECT EXISTS (SELECT FROM seen), false";

const SET_PASSWORD: &str = "
    WITH changed AS (
        INSERT INTO key (member, kind, lookup, secret, made_at)
        SELECT member, 'password', convert_to(member, 'UTF8'), $3, $2 FROM account
        WHERE member = $1
        ON CONFLICT (kind, lookup) DO UPDATE SET secret = excluded.secret,
            made_at = excluded.made_at
        RETURNING member
    ), ended AS (
        DELETE FROM session WHERE member IN (SELECT member FROM changed) AND hash <> $4
    )
    SELECT EXISTS (SELECT FROM changed), false";

const SET_CODES: &str = "
    WITH owner AS MATERIALIZED (
        SELECT member FROM account WHERE member = $1
    ), ended AS (
        DELETE FROM key WHERE member = $1 AND kind = 'recovery' AND lookup <> ALL ($3::bytea[])
    ), added AS (
        INSERT INTO key (member, kind, lookup, made_at)
        SELECT member, 'recovery', code, $2 FROM owner CROSS JOIN unnest($3::bytea[]) AS code
        ON CONFLICT DO NOTHING
    )
    SELECT EXISTS (SELECT FROM owner), false";

const ADD_CODE: &str = "
    WITH owner AS MATERIALIZED (
        SELECT member FROM account WHERE member = $1
    ), added AS (
        INSERT INTO key (member, kind, lookup, made_at)
        SELECT member, 'recovery', $3, $2 FROM owner
        ON CONFLICT DO NOTHING
    )
    SELECT EXISTS (SELECT FROM owner), false";

const RENAME: &str = "
    WITH found AS MATERIALIZED (
        SELECT EXISTS (SELECT FROM account WHERE (likeness = $3 OR (likeness >= $3 || ' ' AND likeness < $3 || '!'))
                AND member <> $1)
            OR EXISTS (SELECT FROM old_name WHERE (likeness = $3 OR (likeness >= $3 || ' ' AND likeness < $3 || '!'))
                AND member <> $1) AS taken
    ), kept AS (
        INSERT INTO old_name (likeness, member, name, at)
        SELECT account.likeness, member.id, member.name, $2
        FROM found CROSS JOIN account JOIN member ON member.id = account.member
        WHERE account.member = $1 AND NOT taken AND account.likeness <> $3
        ON CONFLICT (likeness) DO UPDATE SET member = excluded.member, name = excluded.name,
            at = excluded.at
    ), freed AS (
        DELETE FROM old_name WHERE likeness = $3 AND member = $1
    ), renamed AS (
        UPDATE account SET likeness = $3, renamed_at = $2 FROM found
        WHERE member = $1 AND NOT taken
        RETURNING member
    ), named AS (
        UPDATE member SET name = $4 WHERE id IN (SELECT member FROM renamed)
    )
    SELECT EXISTS (SELECT FROM renamed), taken FROM found";

/// Ends one session, or all others, or all. The time is not needed.
const END: &str = "
    WITH ended AS (
        DELETE FROM session WHERE member = $1 AND $2::bigint IS NOT NULL
            AND CASE WHEN $4 THEN hash = $3 ELSE hash <> $3 END
    )
    SELECT true, false";

const DELETE: &str = "
    WITH deleted AS (
        UPDATE account SET deleted_at = $2 WHERE member = $1
        RETURNING member
    ), ended AS (
        DELETE FROM session WHERE member IN (SELECT member FROM deleted)
    ), untokened AS (
        DELETE FROM token WHERE member IN (SELECT member FROM deleted
            UNION ALL SELECT member FROM account WHERE owner IN (SELECT member FROM deleted))
    )
    SELECT EXISTS (SELECT FROM deleted), false";

/// Deletes a guest. The statement again does no harm.
const DELETE_GUEST: &str = concat!(
    "
    WITH found AS MATERIALIZED (
        SELECT NOT EXISTS (SELECT FROM account WHERE member = $1)
            AND NOT EXISTS (SELECT FROM member WHERE id = $1 AND hash <> $3 AND hash <> $4) AS may
    ), locked AS (
        UPDATE member SET hash = $4, name = $5 FROM found WHERE id = $1 AND may
    ), alone AS (
        DELETE FROM block USING found WHERE member = $1 AND may
    ), unmarked AS (
        DELETE FROM game_mark USING found WHERE (member = $1 OR opponent = $1) AND may
    ), unreported AS (
        DELETE FROM report USING found WHERE about = $1 AND may
    ), texts AS (
        UPDATE sanction SET ",
    forget_texts!("$2", "$5"),
    " FROM found WHERE member = $1 AND name <> $5 AND may
    )
    SELECT may, false FROM found"
);

const SET_CHALLENGES: &str = "
    WITH changed AS (
        UPDATE member SET challenges_from = $3 WHERE id = $1 AND $2::bigint IS NOT NULL
        RETURNING id
    )
    SELECT EXISTS (SELECT FROM changed), false";

const SELECT_CHALLENGES_FROM: &str = "SELECT challenges_from FROM member WHERE id = $1";

const SELECT_DELETED_SINCE: &str = "
    SELECT member FROM account WHERE deleted_at >= $1
    UNION SELECT bot.member FROM account AS own JOIN account AS bot ON bot.owner = own.member
        WHERE own.deleted_at >= $1";

const PRUNE: &str = concat!(
    "
    WITH expired AS (
        DELETE FROM session
        WHERE hash IN (SELECT hash FROM session WHERE expires_at <= $1 LIMIT $4)
        RETURNING hash
    ), worn AS (
        DELETE FROM token WHERE hash IN (SELECT hash FROM token WHERE expires_at <= $1 LIMIT $4)
        RETURNING hash
    ), aged AS (
        DELETE FROM old_name
        WHERE likeness IN (SELECT likeness FROM old_name WHERE at <= $6 LIMIT $4)
        RETURNING likeness
    ), faded AS (
        DELETE FROM trace WHERE (member, kind, mark) IN (
            SELECT member, kind, mark FROM trace
            WHERE kind = 'address' AND at <= $7 OR kind = 'device' AND at <= $8 LIMIT $4
        )
        RETURNING mark
    ), removed AS MATERIALIZED (
        SELECT member FROM account WHERE deleted_at <= $2
            AND (owner IS NOT NULL
                OR EXISTS (SELECT FROM key WHERE key.member = account.member)
                OR EXISTS (SELECT FROM passkey WHERE passkey.member = account.member)) LIMIT $4
    ), gone AS MATERIALIZED (
        SELECT member FROM removed UNION ALL
        SELECT alias.member FROM alias JOIN removed ON removed.member = alias.account
    ), closed AS (
        DELETE FROM key WHERE member IN (SELECT member FROM removed)
    ), alone AS (
        DELETE FROM block WHERE member IN (SELECT member FROM gone)
    ), unmarked AS (
        DELETE FROM game_mark WHERE member IN (SELECT member FROM gone)
            OR opponent IN (SELECT member FROM gone)
    ), unreported AS (
        DELETE FROM report WHERE about IN (SELECT member FROM gone)
    ), texts AS (
        UPDATE sanction SET ",
    forget_texts!("$1", "$5"),
    " WHERE member IN (SELECT member FROM gone) AND name <> $5
    ), dismissed AS (
        DELETE FROM operator WHERE member IN (SELECT member FROM removed)
    ), unpassed AS (
        DELETE FROM passkey WHERE member IN (SELECT member FROM removed)
    ), untokened AS (
        DELETE FROM token WHERE member IN (SELECT member FROM removed) AND expires_at > $1
    ), unaliased AS (
        DELETE FROM alias WHERE account IN (SELECT member FROM removed)
    ), untraced AS (
        DELETE FROM trace WHERE member IN (SELECT member FROM removed)
            AND NOT (kind = 'address' AND at <= $7 OR kind = 'device' AND at <= $8)
    ), unowned AS (
        UPDATE account SET owner = NULL WHERE member IN (SELECT member FROM removed)
            AND owner IS NOT NULL
    ), orphaned AS (
        UPDATE account SET deleted_at = coalesce(deleted_at, $2)
        WHERE owner IN (SELECT member FROM removed) AND member NOT IN (SELECT member FROM removed)
    ), named AS (
        UPDATE member SET name = $5 WHERE id IN (SELECT member FROM gone)
    ), forgotten AS (
        DELETE FROM account WHERE member IN (
            SELECT member FROM account WHERE deleted_at <= $3 AND owner IS NULL
                AND NOT EXISTS (SELECT FROM key WHERE key.member = account.member)
                AND NOT EXISTS (SELECT FROM passkey WHERE passkey.member = account.member) LIMIT $4
        )
        RETURNING member
    )
    SELECT (SELECT count(*) FROM expired) + (SELECT count(*) FROM worn)
        + (SELECT count(*) FROM aged) + (SELECT count(*) FROM faded)
        + (SELECT count(*) FROM removed) + (SELECT count(*) FROM forgotten)"
);

const SELECT_NAMED: &str = "
    SELECT member.id, member.hash, member.name, account.made_at, renamed_at, deleted_at, owner
    FROM account JOIN member ON member.id = account.member WHERE likeness IN ($1, $2)
    ORDER BY length(likeness) DESC LIMIT 1";

const SELECT_ONCE_NAMED: &str = "
    SELECT member.id, member.hash, member.name, account.made_at, renamed_at, deleted_at, owner
    FROM old_name JOIN account ON account.member = old_name.member
    JOIN member ON member.id = account.member WHERE old_name.likeness IN ($1, $2)
    ORDER BY length(old_name.likeness) DESC LIMIT 1";

const SELECT_OLD_NAMES: &str =
    "SELECT name, at FROM old_name WHERE member = $1 ORDER BY at DESC, likeness";

const SELECT_OF_SESSION: &str = "
    SELECT member.id, member.hash, member.name, account.made_at, renamed_at, deleted_at, owner,
        session.hash, label, session.made_at, session.seen_at, expires_at, proved_at
    FROM session JOIN account ON account.member = session.member
    JOIN member ON member.id = account.member WHERE session.hash = $1";

const SELECT_KEYS: &str = "
    SELECT (SELECT secret FROM key WHERE member = $1 AND kind = 'password'),
        (SELECT count(*) FROM key WHERE member = $1 AND kind = 'recovery')";

const SELECT_SESSIONS: &str = "
    SELECT hash, label, made_at, seen_at, expires_at, proved_at FROM session WHERE member = $1
    ORDER BY seen_at DESC, made_at DESC, hash";

/// Changes an account.
///
/// # Errors
/// As the database.
pub(super) async fn change(
    session: &Session,
    AccountChange { member, at, step }: &AccountChange,
) -> Result<AccountChanged, Error> {
    let change = Change { session, member: member.as_str(), at: signed(*at) };
    match step {
        AccountStep::Make(new) => change.make(new).await,
        AccountStep::MakeBot(new) => bots::make(&change, new).await,
        AccountStep::SignIn { session: new, rehashed } => {
            let rehashed = rehashed.as_ref().map(|password| password.0.as_str());
            let (hash, expires_at) = (new.hash.0.as_slice(), signed(new.expires_at));
            let others = signed(ACCOUNT_SESSIONS_MAX as u64 - 1);
            change.run(SIGN_IN, &[&hash, &new.label, &expires_at, &rehashed, &others]).await
        }
        AccountStep::Recover { code, password, session: new } => {
            let (hash, expires_at) = (new.hash.0.as_slice(), signed(new.expires_at));
            let code = code.0.as_slice();
            change.run(RECOVER, &[&hash, &new.label, &expires_at, &code, &password.0]).await
        }
        AccountStep::Seen { session, expires_at } => {
            change.run(SEEN, &[&session.0.as_slice(), &signed(*expires_at)]).await
        }
        AccountStep::SetPassword { password, keep } => {
            change.run(SET_PASSWORD, &[&password.0, &keep.0.as_slice()]).await
        }
        AccountStep::SetCodes(codes) => {
            let codes: Vec<_> = codes.iter().map(|code| code.0.as_slice()).collect();
            change.run(SET_CODES, &[&codes]).await
        }
        AccountStep::AddCode(code) => change.run(ADD_CODE, &[&code.0.as_slice()]).await,
        AccountStep::Rename { name, likeness } => {
            change.run(RENAME, &[likeness, &name.as_str()]).await
        }
        AccountStep::End(sessions) => {
            // No session has an empty hash.
            let (hash, is_one): (&[u8], _) = match sessions {
                Sessions::All => (&[], false),
                Sessions::One(one) => (&one.0, true),
                Sessions::AllBut(kept) => (&kept.0, false),
            };
            change.run(END, &[&hash, &is_one]).await
        }
        AccountStep::Delete => change.run(DELETE, &[]).await,
        AccountStep::DeleteGuest { hash, locked } => {
            let (hash, locked) = (hash.0.as_slice(), locked.0.as_slice());
            change.run(DELETE_GUEST, &[&hash, &locked, &DELETED_NAME]).await
        }
        AccountStep::SetChallenges(from) => change.run(SET_CHALLENGES, &[&from.as_str()]).await,
        AccountStep::Key(step) => keys::change(&change, step).await,
        AccountStep::Trace(traces) => dealings::note(&change, traces).await,
    }
}

impl Change<'_> {
    async fn make(&self, new: &NewAccount) -> Result<AccountChanged, Error> {
        let NewAccount { guest, locked, name, likeness, password, passkey, codes, session } = new;
        let password = password.as_ref().map(|password| password.0.as_str());
        let passkey_id = passkey.as_ref().map(|passkey| passkey.id.as_slice());
        let passkey_label = passkey.as_ref().map(|passkey| passkey.label.as_str());
        let credential = passkey.as_ref().map(|passkey| passkey.credential.as_str());
        let guest = guest.as_ref().map(|guest| guest.0.as_slice());
        let codes: Vec<_> = codes.iter().map(|code| code.0.as_slice()).collect();
        let (hash, locked) = (session.hash.0.as_slice(), locked.0.as_slice());
        let (name, expires_at) = (name.as_str(), signed(session.expires_at));
        let values: [&(dyn ToSql + Sync); 12] = [
            &hash,
            likeness,
            &locked,
            &name,
            &guest,
            &password,
            &codes,
            &session.label,
            &expires_at,
            &passkey_id,
            &passkey_label,
            &credential,
        ];
        self.run(MAKE, &values).await
    }
}

/// Deletes what [`Storage::prune_accounts`](crate::Storage::prune_accounts) names.
///
/// # Errors
/// As the database.
pub(super) async fn prune(session: &Session, now: u64, rows_max: usize) -> Result<u64, Error> {
    let (removed, forgotten) = (signed(removed_before(now)), signed(forgotten_before(now)));
    let limit = signed(rows_max as u64);
    let old = signed(old_before(now));
    let [address, device] =
        [TraceKind::Address, TraceKind::Device].map(|kind| signed(traced_before(kind, now)));
    let values: [&(dyn ToSql + Sync); 8] =
        [&signed(now), &removed, &forgotten, &limit, &DELETED_NAME, &old, &address, &device];
    let rows = session.query(PRUNE, &values).await?;
    rows.first().map_or(Ok(0), |row| row.try_get(0).map(unsigned))
}

/// The account that this key of a name finds. The inner error means that its row is damaged.
///
/// # Errors
/// As the database.
pub(super) async fn named(
    session: &Session,
    key: &str,
) -> Result<Option<Result<Account, StorageError>>, Error> {
    session.query(SELECT_NAMED, &[&key, &likeness_in(key)]).await?.first().map(account).transpose()
}

/// The account that had the name of this key a while ago. The inner error means that its row is damaged.
///
/// # Errors
/// As the database.
pub(super) async fn once_named(
    session: &Session,
    key: &str,
) -> Result<Option<Result<Account, StorageError>>, Error> {
    session
        .query(SELECT_ONCE_NAMED, &[&key, &likeness_in(key)])
        .await?
        .first()
        .map(account)
        .transpose()
}

/// From whom a member takes challenges.
///
/// # Errors
/// As the database.
pub(super) async fn challenges_from(
    session: &Session,
    member: &MemberId,
) -> Result<ChallengesFrom, Error> {
    let rows = session.query(SELECT_CHALLENGES_FROM, &[&member.as_str()]).await?;
    let stored = rows.first().map(|row| row.try_get::<_, String>(0)).transpose()?;
    Ok(stored.and_then(|text| text.parse().ok()).unwrap_or_default())
}

/// The names that an account had, the newest first, as text.
///
/// # Errors
/// As the database.
pub(super) async fn old_names(
    session: &Session,
    member: &MemberId,
) -> Result<Vec<(String, u64)>, Error> {
    let rows = session.query(SELECT_OLD_NAMES, &[&member.as_str()]).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, unsigned(row.try_get(1)?)))).collect()
}

/// A session, and its account. The inner errors mean that a row is damaged.
///
/// # Errors
/// As the database.
pub(super) async fn of_session(
    session: &Session,
    hash: KeyHash,
) -> Result<Option<Result<(Account, AccountSession), StorageError>>, Error> {
    let rows = session.query(SELECT_OF_SESSION, &[&hash.0.as_slice()]).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let (account, session) = (account(row)?, account_session(row, ACCOUNT_COLUMNS)?);
    Ok(Some(account.and_then(|account| Ok((account, session?)))))
}

/// The accounts that were deleted at this time or later, and their bots, as text.
///
/// # Errors
/// As the database.
pub(super) async fn deleted_since(session: &Session, at: u64) -> Result<Vec<String>, Error> {
    let rows = session.query(SELECT_DELETED_SINCE, &[&signed(at)]).await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

/// What opens an account, and its sessions. The inner error means that a row is damaged.
///
/// # Errors
/// As the database.
pub(super) async fn keys(
    session: &Session,
    member: &MemberId,
) -> Result<Result<AccountKeys, StorageError>, Error> {
    let member = member.as_str();
    let mut keys = AccountKeys::default();
    for row in session.query(SELECT_KEYS, &[&member]).await? {
        keys.password = row.try_get::<_, Option<String>>(0)?.map(PasswordHash);
        keys.codes_left = usize::try_from(unsigned(row.try_get(1)?)).unwrap_or(usize::MAX);
    }
    for row in session.query(SELECT_SESSIONS, &[&member]).await? {
        match account_session(&row, 0)? {
            Ok(session) => keys.sessions.push(session),
            Err(error) => return Ok(Err(error)),
        }
    }
    if let Err(error) = read_keys(session, member, &mut keys).await? {
        return Ok(Err(error));
    }
    Ok(Ok(keys))
}

/// The session in a row, from this column on. The inner error means that it is damaged.
fn account_session(row: &Row, first: usize) -> Result<Result<AccountSession, StorageError>, Error> {
    let (hash, label): (Vec<u8>, String) = (row.try_get(first)?, row.try_get(first + 1)?);
    let (made_at, seen_at) = (row.try_get(first + 2)?, row.try_get(first + 3)?);
    let expires_at = unsigned(row.try_get(first + 4)?);
    let proved_at = unsigned(row.try_get(first + 5)?);
    Ok(bytes(&hash).map(|hash| AccountSession {
        hash: KeyHash(hash),
        label,
        made_at: unsigned(made_at),
        seen_at: unsigned(seen_at),
        expires_at,
        proved_at,
    }))
}
