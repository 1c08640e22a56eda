//! The command `push`, with which an operator allows a database to push that was copied or restored.

use fivefold_storage::{Database, OperatorDatabase, OperatorError, PushChange, PushChanged};

/// Runs `push`. Returns what to print.
///
/// # Errors
/// If the database cannot be used.
pub fn push(database: Database<'_>) -> Result<String, OperatorError> {
    let mut database = OperatorDatabase::open(database)?;
    let mut reader = database.reader()?;
    let (place, server) = (reader.push_place()?, reader.push_server()?);
    if server.is_some_and(|server| server.place == place) {
        return Ok("This database may push already.\n".to_owned());
    }
    Ok(match database.change_pushes(&PushChange::Confirm(place))? {
        PushChanged::Done => {
            "The server of this database pushes from now on. Make sure that no other server uses a copy of it: its \
             players would be called twice.\n"
                .to_owned()
        }
        PushChanged::Gone => {
            "This database has no key for pushes: a server makes one when it starts with a --public-url of https.\n"
                .to_owned()
        }
    })
}
