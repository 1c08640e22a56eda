//! Whether a database can be Fivefold's: whose its schema `fivefold` is, and what the role may do.

use tokio_postgres::Error;

use super::connection::{Connection, Session};
use crate::{OpenError, limits::DATABASE_READ_WITHIN};

/// Reads catalogs that every role may read. The schema is Fivefold's if it has the table of the format.
const SELECT: &str = "
    SELECT current_user::text, pg_get_userbyid(d.datdba)::text,
        has_database_privilege(d.oid, 'CREATE'), n.oid IS NOT NULL,
        EXISTS (SELECT FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE c.relnamespace = n.oid AND c.relname = 'format' AND a.attname = 'number'),
        (SELECT pg_get_userbyid(owners.id)::text FROM (
            SELECT n.nspowner AS id
            UNION ALL SELECT relowner FROM pg_class WHERE relnamespace = n.oid
        ) AS owners WHERE NOT pg_has_role(owners.id, 'USAGE') LIMIT 1)
    FROM pg_database d LEFT JOIN pg_namespace n ON n.nspname = 'fivefold'
    WHERE d.datname = current_database()";

/// What the catalogs say.
struct Rights {
    role: String,
    /// Whose the database is.
    owner: String,
    may_create: bool,
    has_schema: bool,
    has_format: bool,
    /// A role to which the schema or something in it belongs, and of which ours is no member.
    other: Option<String>,
}

/// Looks whether this server may use a database.
///
/// # Errors
/// If it may not, or the database does not answer.
pub(super) fn look(connection: &mut Connection) -> Result<(), OpenError> {
    let database = connection.address().name.clone();
    let found = connection.read(DATABASE_READ_WITHIN, &found);
    let Rights { role, owner, may_create, has_schema, has_format, other } =
        match found.map(|mut found| found.pop()) {
            Ok(Some(found)) => found,
            // The server will say what is wrong.
            Ok(None) => return Ok(()),
            Err(error) => return Err(OpenError::Storage { path: database, error }),
        };
    match (has_schema, has_format, other) {
        (true, false, _) => Err(OpenError::ForeignSchema { database, role }),
        (_, _, Some(owner)) => Err(OpenError::OthersTables { database, role, owner }),
        (false, _, None) if !may_create => Err(OpenError::MayNotCreate { database, role, owner }),
        (_, _, None) => Ok(()),
    }
}

async fn found(session: &Session) -> Result<Vec<Rights>, Error> {
    let rows = session.query(SELECT, &[]).await?;
    rows.iter()
        .map(|row| {
            Ok(Rights {
                role: row.try_get(0)?,
                owner: row.try_get(1)?,
                may_create: row.try_get(2)?,
                has_schema: row.try_get(3)?,
                has_format: row.try_get(4)?,
                other: row.try_get(5)?,
            })
        })
        .collect()
}
