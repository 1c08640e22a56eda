//! Notices a pooler that gives each transaction of a connection another session of PostgreSQL.
//!
//! There the settings of a session are lost, or reach others, and prepared statements are gone. So
//! this changes no setting, and asks by simple queries.

use std::sync::Arc;

use super::{
    address::Address,
    connection::{Connection, Role, connect_error, open},
};
use crate::{
    OpenError, StorageError,
    limits::{DATABASE_POOLER_LOOKS, DATABASE_READ_WITHIN},
};

/// The session of PostgreSQL that runs this transaction.
const BACKEND: &str = "SELECT pg_backend_pid() || ' ' || pg_postmaster_start_time()";

/// Looks whether transactions of one connection run in one session, and no other connection's do. A
/// pooler takes the session that was used last, or each in turn.
///
/// # Errors
/// If there is such a pooler, or the database cannot be reached.
pub(super) fn look(address: &Arc<Address>) -> Result<(), OpenError> {
    let failed = |error| OpenError::Storage { path: address.name.clone(), error };
    let probe = || {
        let mut probe = open(address, Role::Probe).map_err(failed)?;
        probe.connect().map_err(|error| connect_error(address, &error))?;
        Ok(probe)
    };
    let (mut first, mut second) = (probe()?, probe()?);
    let mut is_pooled = || {
        let home = ask(&mut first, BACKEND)?;
        for _ in 0..DATABASE_POOLER_LOOKS {
            if ask(&mut first, BACKEND)? != home {
                return Ok(true);
            }
        }
        // It holds a session until it is dropped. A pooler of single statements refuses it.
        match ask(&mut second, "BEGIN") {
            Err(StorageError::Failed(text)) if text.contains("statement pooling") => {
                return Ok(true);
            }
            begun => drop(begun?),
        }
        Ok(ask(&mut second, BACKEND)? == home || ask(&mut first, BACKEND)? != home)
    };
    if is_pooled().map_err(failed)? {
        return Err(OpenError::Pooler { database: address.name.clone() });
    }
    Ok(())
}

fn ask(connection: &mut Connection, statement: &'static str) -> Result<String, StorageError> {
    connection.read(DATABASE_READ_WITHIN, &async |session| session.simple(statement).await)
}
