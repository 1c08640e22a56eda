//! The way back: copies a PostgreSQL database into a new file.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use rusqlite::params_from_iter;
use tokio_postgres::Error;

use super::{
    Content, Copying, MigrateError, Migrated, TABLES, each_row_of_file, each_row_of_postgres,
    tables::rooms_into_file,
};
use crate::{
    DataFolder, DatabaseUrl, SoleNode, StorageError,
    limits::DATABASE_MAINTENANCE_WITHIN,
    postgres::{
        check::{SNAPSHOT, Source},
        connection::Session,
    },
    sqlite::{
        check::check_file,
        data_folder::{create_private, is_locked_folder, sync_folder_of},
        schema,
    },
};

/// What a file has besides the copied columns: where logs and changes of ratings go on, and what makes
/// leaderboards fast.
const DERIVE: &str = "
    UPDATE room SET last = log.last
    FROM (SELECT room, max(id) AS last FROM event GROUP BY room) AS log WHERE log.room = room.id;
    UPDATE rating_change SET previous_at = earlier.at
    FROM rating_change AS earlier WHERE earlier.member = rating_change.member
        AND earlier.pool = rating_change.pool AND earlier.number = rating_change.number - 1;
    UPDATE rating SET band = CAST(value / 50 AS INTEGER), changed_at = coalesce(
        (SELECT at FROM rating_change AS c
         WHERE c.member = rating.member AND c.pool = rating.pool AND c.number = rating.changes),
        last_at);
";

/// Makes the search for the changes of one rating fast while they are derived.
const INDEX: &str = "CREATE INDEX migrated_change ON rating_change (member, pool, number)";
const DROP_INDEX: &str = "DROP INDEX migrated_change";

/// Copies a PostgreSQL database into a new file. The database stays as it is.
///
/// # Errors
/// If nothing was copied; there is no new file then.
pub fn migrate_to_file(url: &DatabaseUrl, to: &Path) -> Result<Migrated, MigrateError> {
    // No server may take the file for its own before it is complete.
    let folder = to.parent().filter(|folder| is_locked_folder(folder));
    let _locked = folder.map(DataFolder::take).transpose()?;
    for file in [to.to_owned(), beside(to, "-wal"), beside(to, "-shm"), beside(to, "-journal")] {
        if file.exists() {
            return Err(MigrateError::Exists { path: file.display().to_string() });
        }
    }
    let mut source = Source::open(url)?;
    // What a server wrote during the copy would be lost.
    let _alone = SoleNode::join(url)?;
    let findings = source.inspect()?;
    if !findings.is_sound() {
        return Err(MigrateError::Unsound(findings));
    }
    // The last copy may have been killed.
    let partial = beside(to, ".partial");
    remove(&partial);
    let copied = copy_into(&mut source, &partial).and_then(|migrated| {
        let moved = fs::rename(&partial, to).and_then(|()| sync_folder_of(to));
        moved.map_err(|error| MigrateError::Target { path: to.display().to_string(), error })?;
        Ok(migrated)
    });
    if copied.is_err() {
        remove(&partial);
    }
    copied
}

/// A file beside this one, whose name goes on like this.
fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(end);
    name.into()
}

/// Removes a file and what SQLite has beside it. If one stays, making the file again says why.
fn remove(file: &Path) {
    for file in [file.to_owned(), beside(file, "-journal")] {
        drop(fs::remove_file(file));
    }
}

fn copy_into(source: &mut Source, partial: &Path) -> Result<Migrated, MigrateError> {
    create_private(partial)
        .map_err(|error| MigrateError::Target { path: partial.display().to_string(), error })?;
    let mut file = rusqlite::Connection::open(partial).map_err(StorageError::from)?;
    schema::create(&mut file).map_err(StorageError::from)?;
    let counts = source.connection.read(DATABASE_MAINTENANCE_WITHIN, &async |session| {
        session.transaction(SNAPSHOT, copy_tables(session, &file)).await
    })??;
    drop(file);
    let findings = check_file(partial)?;
    if !findings.is_sound() {
        return Err(StorageError::Failed(format!("the copy is not sound:\n{findings}")).into());
    }
    Ok(Migrated { counts })
}

/// Copies and compares all tables in one transaction of the file. The outer error is one of PostgreSQL.
async fn copy_tables(
    session: &Session,
    file: &rusqlite::Connection,
) -> Result<Result<Vec<(&'static str, u64)>, MigrateError>, Error> {
    // Dropped without a commit, the transaction is rolled back.
    let transaction = match file.unchecked_transaction() {
        Ok(transaction) => transaction,
        Err(error) => return Ok(Err(StorageError::from(error).into())),
    };
    let tables: Vec<_> = [rooms_into_file()]
        .into_iter()
        .chain(TABLES.iter().map(|table| table.copying_into_file()))
        .collect();
    let mut originals = Vec::with_capacity(tables.len());
    for table in &tables {
        match copy(session, &transaction, table).await? {
            Ok(content) => originals.push(content),
            Err(error) => return Ok(Err(error.into())),
        }
    }
    let finish = || {
        for statements in [INDEX, DERIVE, DROP_INDEX] {
            transaction.execute_batch(statements).map_err(StorageError::from)?;
        }
        for (table, original) in tables.iter().zip(&originals) {
            if *original != content_of_copy(&transaction, table)? {
                return Err(MigrateError::Differs { table: table.name });
            }
        }
        Ok(())
    };
    let finished = finish().and_then(|()| Ok(transaction.commit().map_err(StorageError::from)?));
    let counts = tables.iter().zip(&originals).map(|(table, content)| (table.name, content.rows));
    Ok(finished.map(|()| counts.collect()))
}

/// Copies one table. Returns the content of the original.
async fn copy(
    session: &Session,
    file: &rusqlite::Connection,
    table: &Copying,
) -> Result<Result<Content, StorageError>, Error> {
    let mut insert = match file.prepare(&table.insert) {
        Ok(insert) => insert,
        Err(error) => return Ok(Err(error.into())),
    };
    let mut content = Content::default();
    let copied = each_row_of_postgres(session, &table.select, |texts| {
        content.add(&texts);
        insert.execute(params_from_iter(texts)).map(drop)
    });
    Ok(copied.await?.map(|()| content).map_err(StorageError::from))
}

fn content_of_copy(file: &rusqlite::Connection, table: &Copying) -> Result<Content, StorageError> {
    let mut content = Content::default();
    each_row_of_file(file, &table.select_copied, |texts| {
        content.add(&texts);
        Ok(())
    })?;
    Ok(content)
}
