//! The keys of accounts' names in PostgreSQL: making them again when their rule changes.

use tokio_postgres::Error;

use super::connection::Session;
use crate::name_keys::{OldKey, made_again};

const SELECT_NAMES: &str = "
    SELECT account.member, member.name, likeness
    FROM account JOIN member ON member.id = account.member
    ORDER BY deleted_at IS NOT NULL, account.made_at, account.member";

const SELECT_OLD_NAMES: &str =
    "SELECT member, name, likeness FROM old_name ORDER BY at DESC, likeness";

/// Gives keys that no name has: a new one may be another name's until that has its own.
const SET_NAMES: &str = "
    UPDATE account SET likeness = ' ' || made.new
    FROM unnest($1::text[], $2::text[], $3::text[]) AS made (member, old, new)
    WHERE account.member = made.member AND account.likeness = made.old";

const SET_OLD_NAMES: &str = "
    UPDATE old_name SET likeness = ' ' || made.new
    FROM unnest($1::text[], $2::text[], $3::text[]) AS made (member, old, new)
    WHERE old_name.member = made.member AND old_name.likeness = made.old";

const END_NAMES: &str =
    "UPDATE account SET likeness = substr(likeness, 2) WHERE likeness LIKE ' %'";

const END_OLD_NAMES: &str =
    "UPDATE old_name SET likeness = substr(likeness, 2) WHERE likeness LIKE ' %'";

/// Makes all keys by today's rule.
///
/// # Errors
/// As the database.
pub(super) async fn make_again(session: &Session) -> Result<(), Error> {
    let mut stored = Vec::new();
    for statement in [SELECT_NAMES, SELECT_OLD_NAMES] {
        for row in session.query(statement, &[]).await? {
            let (member, name, key) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            stored.push(OldKey { member, name, key });
        }
    }
    let keys = made_again(&stored);
    let (mut members, mut old, mut new) = (Vec::new(), Vec::new(), Vec::new());
    for (OldKey { member, key, .. }, made) in stored.iter().zip(&keys) {
        if key != made {
            members.push(member.as_str());
            old.push(key.as_str());
            new.push(made.as_str());
        }
    }
    for statement in [SET_NAMES, SET_OLD_NAMES] {
        session.execute(statement, &[&members, &old, &new]).await?;
    }
    for statement in [END_NAMES, END_OLD_NAMES] {
        session.execute(statement, &[]).await?;
    }
    Ok(())
}
