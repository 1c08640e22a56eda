//! Why a database cannot be opened, and what the operator can do.

use super::StorageError;

/// The version of this server, which databases name that it has written.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Longer versions are cut.
const VERSION_CHARACTERS_MAX: usize = 32;

/// A version for people to read. It may come from a database that is damaged, or another program's.
pub(crate) fn shown(version: &str) -> String {
    version.chars().filter(char::is_ascii_graphic).take(VERSION_CHARACTERS_MAX).collect()
}

/// Why a database cannot be opened.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder or a file in it cannot be used.
    #[error("cannot use {path}: {reason}. Make it writable, or choose another folder with --data")]
    Folder {
        /// The path.
        path: String,
        /// The reason.
        reason: String,
    },
    /// There is no database.
    #[error("there is no database at {path}; give its folder with --data")]
    Missing {
        /// The file.
        path: String,
    },
    /// Another server has the folder.
    #[error("{path} is in use by another server. Stop that one, or choose another --data")]
    InUse {
        /// The folder.
        path: String,
    },
    /// The address of a database is unusable.
    #[error("cannot use the address in --database or the setting database-replica: {reason}")]
    Address {
        /// The reason, without any part of a password.
        reason: String,
    },
    /// Another server uses the database.
    #[error("{database} is in use by another server. Stop that one, or choose another --database")]
    DatabaseInUse {
        /// Hosts and database.
        database: String,
    },
    /// The tables must be upgraded, but nodes that this server does not understand are using them.
    #[error(
        "the nodes that are running on {database} ({nodes}) are of another version, and this server does not \
         understand their messages. Nothing was changed. Stop all nodes, upgrade them, and start them again"
    )]
    OtherVersions {
        /// Hosts and database.
        database: String,
        /// Their names.
        nodes: String,
    },
    /// The database server does not answer.
    #[error(
        "cannot reach the database {database}: {reason}. Start it, or correct the host and port in \
         --database"
    )]
    Unreachable {
        /// Hosts and database.
        database: String,
        /// The reason.
        reason: String,
    },
    /// The database server refuses the connection.
    #[error(
        "the database {database} refuses the connection: {reason}. Correct the user or password in \
         --database, or the server's pg_hba.conf"
    )]
    Refused {
        /// Hosts and database.
        database: String,
        /// The reason.
        reason: String,
    },
    /// The database server has no database of this name.
    #[error("there is no database {database}: {reason}. Create it: createdb NAME")]
    NoDatabase {
        /// Hosts and database.
        database: String,
        /// The reason.
        reason: String,
    },
    /// A pooler gives each transaction another session of the database.
    #[error(
        "{database} is behind a pooler that gives each transaction another session (PgBouncer: \
         pool_mode = transaction), and Fivefold would lose its settings there. Set pool_mode = \
         session for this database, or name the host and port of PostgreSQL itself in --database"
    )]
    Pooler {
        /// Hosts and database.
        database: String,
    },
    /// The database has a schema of the same name that is another program's.
    #[error(
        "{database} has a schema named fivefold that Fivefold has not made, and was left unchanged. \
         Use another database: createdb --owner={role} NAME"
    )]
    ForeignSchema {
        /// Hosts and database.
        database: String,
        /// The role that connects.
        role: String,
    },
    /// The tables are those of a server with another role.
    #[error(
        "the tables of Fivefold in {database} belong to the role {owner}, and {role} may not change \
         them. Name {owner} in --database, or use another database: createdb --owner={role} NAME"
    )]
    OthersTables {
        /// Hosts and database.
        database: String,
        /// The role that connects.
        role: String,
        /// The role that has the tables.
        owner: String,
    },
    /// The role may not create tables in the database.
    #[error(
        "{database} belongs to the role {owner}, and {role} may not create tables there. Make it the \
         owner: ALTER DATABASE NAME OWNER TO {role}. Or use another database: createdb \
         --owner={role} NAME"
    )]
    MayNotCreate {
        /// Hosts and database.
        database: String,
        /// The role that connects.
        role: String,
        /// The role that has the database.
        owner: String,
    },
    /// The database server is too old.
    #[error("{database} is PostgreSQL {found}, and Fivefold needs 15 or newer. Upgrade it")]
    OldServer {
        /// Hosts and database.
        database: String,
        /// Its version.
        found: i32,
    },
    /// The file has no tables.
    #[error(
        "{path} is empty: it has no tables. It was left unchanged. If it is a copy, the copy is not complete: make \
         one with `fivefold-server backup`. For a new database, delete the file"
    )]
    Empty {
        /// The file.
        path: String,
    },
    /// A backup was put in place, and the log of the database before it was left.
    #[error(
        "{path}-wal belongs to an earlier database, and would damage {path}; nothing was changed. Somebody has \
         replaced or deleted the database file by hand: delete {path}-wal and {path}-shm, too, and start again. \
         `fivefold-server restore FILE` restores a backup without this problem"
    )]
    LeftLog {
        /// The file of the database.
        path: String,
    },
    /// The file is a database of another program.
    #[error("{path} is not a Fivefold database, and was left unchanged. Choose another --data")]
    Foreign {
        /// The file.
        path: String,
    },
    /// The file was written by a server from before the first release.
    #[error(
        "{path} was written before the first release of Fivefold (format {found}), and no released \
         version can read it; it was left unchanged. Choose another --data, or move the file away"
    )]
    PreRelease {
        /// The file.
        path: String,
        /// Its format.
        found: u32,
    },
    /// The file was written by a newer server version.
    #[error(
        "{path} has format {found}{}, and this server (Fivefold {VERSION}) knows formats up to {known}; it was left \
         unchanged. Start {} again, or restore a backup from before the upgrade",
        .version.as_ref().map_or_else(String::new, |version| format!(" of Fivefold {version}")),
        .version.as_ref().map_or_else(|| "the newer server".to_owned(), |version| format!("Fivefold {version}"))
    )]
    Newer {
        /// The file.
        path: String,
        /// Its format.
        found: u32,
        /// The newest format that this server reads.
        known: u32,
        /// The version of the server that wrote it, if that is known.
        version: Option<String>,
    },
    /// The format of the file has to be upgraded, and there is no backup of it.
    #[error(
        "{path} has the older format {format}. Before an upgrade, the server makes a backup beside the file, and this \
         failed: {reason}. Nothing was changed. Remove the cause, and start the server again"
    )]
    NoBackup {
        /// The file.
        path: String,
        /// Its format.
        format: u32,
        /// Why the backup failed.
        reason: String,
    },
    /// It cannot be read or written.
    #[error("{path}: {error}")]
    Storage {
        /// The file.
        path: String,
        /// The reason.
        error: StorageError,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_short_and_has_only_what_can_be_seen() {
        let longest = "1".repeat(VERSION_CHARACTERS_MAX);
        assert_eq!(shown(&longest), longest);
        assert_eq!(shown(&format!("{longest}2")), longest);
        assert_eq!(shown("1.2\n\u{1b}[3 ä"), "1.2[3");
    }
}
