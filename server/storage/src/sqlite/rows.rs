//! Reads the rows of a query.

use fivefold_shared::protocol::MemberId;
use rusqlite::Row;

use crate::{
    StorageError,
    values::{name, readable},
};

/// All rows, each read by `read`. Those that are damaged are left out, so that one keeps no other away.
pub(super) fn collect<T>(
    mut rows: rusqlite::Rows<'_>,
    read: impl Fn(&Row<'_>) -> Result<T, StorageError>,
) -> Result<Vec<T>, StorageError> {
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.extend(readable(read(row))?);
    }
    Ok(all)
}

/// The two ids in a row.
pub(super) fn two_members(row: &Row<'_>) -> Result<(MemberId, MemberId), StorageError> {
    let (one, other): (String, String) = (row.get(0)?, row.get(1)?);
    Ok((name(one)?, name(other)?))
}
