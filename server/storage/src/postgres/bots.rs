//! Bots of accounts in PostgreSQL: making and reading them. It does not know what they may do.

use fivefold_shared::protocol::MemberId;
use tokio_postgres::Error;

use super::{
    account_rows::{Change, account},
    connection::Session,
    values::signed,
};
use crate::{Account, AccountChanged, NewBot, StorageError, limits::BOTS_MAX};

/// The owner's row is locked, so that two nodes do not both make the last bot.
const MAKE: &str = "
    WITH own AS MATERIALIZED (
        SELECT member FROM account WHERE member = $3 AND owner IS NULL AND deleted_at IS NULL
        FOR UPDATE
    ), found AS MATERIALIZED (
        SELECT EXISTS (SELECT FROM own) AS known,
            EXISTS (SELECT FROM account WHERE member = $1 AND owner = $3) AS done,
            EXISTS (SELECT FROM account WHERE (likeness = $4 OR (likeness >= $4 || ' ' AND likeness < $4 || '!'))
                AND member <> $1)
                OR EXISTS (SELECT FROM old_name WHERE (likeness = $4 OR (likeness >= $4 || ' ' AND likeness < $4 || '!'))
                    AND member <> $1) AS taken,
            (SELECT count(*) FROM account WHERE owner = $3 AND deleted_at IS NULL) >= $7 AS is_full
    ), saved AS (
        INSERT INTO member (id, hash, name, seen_at, renewed)
        SELECT $1::text, $5, $6, $2::bigint, true FROM found
        WHERE known AND NOT done AND NOT taken AND NOT is_full
        RETURNING id
    ), made AS (
        INSERT INTO account (member, likeness, made_at, owner) SELECT id, $4, $2, $3 FROM saved
        RETURNING member
    )
    SELECT done OR EXISTS (SELECT FROM made), taken, known AND is_full FROM found";

const SELECT_OF_OWNER: &str = "
    SELECT member.id, member.hash, member.name, account.made_at, renamed_at, deleted_at, owner
    FROM account JOIN member ON member.id = account.member
    WHERE owner = $1 AND deleted_at IS NULL ORDER BY account.made_at, member.id";

/// Makes a bot, unless it is there already.
///
/// # Errors
/// As the database.
pub(super) async fn make(change: &Change<'_>, new: &NewBot) -> Result<AccountChanged, Error> {
    let NewBot { owner, locked, name, likeness } = new;
    let (owner, locked, name) = (owner.as_str(), locked.0.as_slice(), name.as_str());
    let most = signed(BOTS_MAX as u64);
    let rows = change
        .session
        .query(MAKE, &[&change.member, &change.at, &owner, likeness, &locked, &name, &most])
        .await?;
    let Some(row) = rows.first() else { return Ok(AccountChanged::Gone) };
    Ok(match (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?) {
        (true, _, _) => AccountChanged::Done,
        (false, true, _) => AccountChanged::NameTaken,
        (false, false, true) => AccountChanged::Full,
        (false, false, false) => AccountChanged::Gone,
    })
}

/// The bots of an account that are not deleted, the oldest first. The inner error means that a row is
/// damaged.
///
/// # Errors
/// As the database.
pub(super) async fn of_owner(
    session: &Session,
    owner: &MemberId,
) -> Result<Result<Vec<Account>, StorageError>, Error> {
    let mut bots = Vec::new();
    for row in session.query(SELECT_OF_OWNER, &[&owner.as_str()]).await? {
        match account(&row)? {
            Ok(bot) => bots.push(bot),
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(bots))
}
