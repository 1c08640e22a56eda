//! Replaces a database with a backup while no server uses it.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use fivefold_shared::clock::utc;
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::{
    backup::{BackupError, Copying, look_for_space},
    data_folder::{database_in, remove_if_there},
    process,
    replace::{copy_file, is_same_file, remove_second_names, replace},
    schema::{self, FORMAT, Kind},
    write_ahead_log::{self, BUSY_TIMEOUT, with_suffix},
};
use crate::{
    DataFolder, Findings, OpenError, StorageError,
    sqlite::{has_journal, inspect, open_to_read},
};

/// The old files get this name, and a number.
const LABEL: &str = "before-restore";

/// Why a backup was not restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The data folder cannot be used, or a server uses it; or the backup cannot be read.
    #[error(transparent)]
    Open(OpenError),
    /// There is no such file.
    #[error("there is no file {path}. Nothing was changed")]
    Missing {
        /// The backup.
        path: String,
    },
    /// The file is something else.
    #[error("{path} is not a Fivefold database. Nothing was changed")]
    Foreign {
        /// The backup.
        path: String,
    },
    /// The file is the database itself, or has the name that a restore uses.
    #[error(
        "{path} is the database itself, or has a name that the restore needs. Nothing was changed. Name a backup \
         elsewhere, or give this file another name"
    )]
    InPlace {
        /// The backup.
        path: String,
    },
    /// The backup is damaged.
    #[error(
        "{path} is damaged, so it was not restored; nothing was changed. Choose another backup. To save what is left \
         in this one, copy it into an empty folder as fivefold.sqlite3, run `fivefold-server check --repair --data \
         FOLDER`, and restore the repaired file. The damage:\n{problems}"
    )]
    Unsound {
        /// The backup.
        path: String,
        /// What is wrong.
        problems: String,
    },
    /// It cannot be copied into the folder.
    #[error("cannot restore {path}: {error}. Nothing was changed")]
    Copy {
        /// The backup.
        path: String,
        /// The reason.
        error: BackupError,
    },
    /// The copy is made, and cannot be put in place.
    #[error(
        "cannot replace {path} with the backup: {error}. The file is either still the old database, or the complete \
         new one; run the command again"
    )]
    Replace {
        /// The database.
        path: String,
        /// The reason.
        error: io::Error,
    },
}

/// What was restored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restored {
    /// The backup.
    pub from: PathBuf,
    /// What is in it.
    pub findings: Findings,
    /// How many members it has, with and without an account.
    pub members: u64,
    /// When its last event happened, in milliseconds since the Unix epoch; nothing if it has none.
    pub last_at: Option<u64>,
    /// Its format. The next start of a server upgrades an older one.
    pub format: u32,
    /// The version of the server that used it last, if the file says so.
    pub version: Option<String>,
    /// How the names of the files begin that were in its place, if there were any.
    pub kept: Option<PathBuf>,
}

impl fmt::Display for Restored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, findings, members, last_at, format, version, kept } = self;
        let Findings { rooms, events, games, notes, .. } = findings;
        writeln!(f, "Restored {}:", from.display())?;
        writeln!(f, "- {rooms} rooms, {events} events, {games} finished games, {members} members")?;
        match last_at {
            Some(at) => writeln!(f, "- its last event was at {}", utc(*at))?,
            None => writeln!(f, "- it has no events")?,
        }
        let by =
            version.as_ref().map_or_else(String::new, |by| format!(", written by Fivefold {by}"));
        writeln!(f, "- format {format}{by}")?;
        if *format < FORMAT {
            writeln!(f, "The server upgrades it to format {FORMAT} when it starts.")?;
        }
        for note in notes {
            writeln!(f, "{note}")?;
        }
        match kept {
            Some(kept) => writeln!(
                f,
                "The old database is kept in files whose names begin with {}. Delete them when you are sure that you \
                 do not need them.",
                kept.display()
            )?,
            None => writeln!(f, "There was no database before.")?,
        }
        writeln!(
            f,
            "Notifications and e-mail are off, in case another server uses the same data. If this one replaces it, run \
             `fivefold-server push`."
        )
    }
}

/// Replaces a folder's database with a copy of a backup, and keeps the old one under another name. The backup stays as
/// it is. It may be any database file that this server can read, with a `-wal` file beside it.
///
/// # Errors
/// If a server uses the folder, or the backup is not sound; nothing is changed then.
pub fn restore(folder: &Path, backup: &Path) -> Result<Restored, RestoreError> {
    let path = || backup.display().to_string();
    let taken = DataFolder::take(folder).map_err(RestoreError::Open)?;
    let file = database_in(folder);
    let new = with_suffix(&file, ".new");
    let source = with_suffix(&file, ".source.new");
    if [&file, &new, &source].iter().any(|own| is_same_file(own, backup)) {
        return Err(RestoreError::InPlace { path: path() });
    }
    let failed = |error| RestoreError::Replace { path: file.display().to_string(), error };
    remove_second_names(&file, LABEL).map_err(failed)?;
    let findings = copy(backup, &source, &new).map_err(|error| match error {
        BackupError::Source(OpenError::Missing { path }) => RestoreError::Missing { path },
        BackupError::Source(OpenError::Foreign { path }) => RestoreError::Foreign { path },
        BackupError::Source(OpenError::Storage { path, error: StorageError::Damaged(problem) }) => {
            RestoreError::Unsound { path, problems: problem }
        }
        BackupError::Copy(StorageError::Damaged(problem)) => {
            RestoreError::Unsound { path: path(), problems: problem }
        }
        BackupError::Unsound(Findings { problems, .. }) => {
            RestoreError::Unsound { path: path(), problems: problems.join("\n") }
        }
        BackupError::Source(error) => RestoreError::Open(error),
        error @ (BackupError::Target { .. }
        | BackupError::Exists(_)
        | BackupError::NoFolder(_)
        | BackupError::NoSpace { .. }
        | BackupError::InUse { .. }
        | BackupError::Stopped(_)
        | BackupError::Copy(_)) => RestoreError::Copy { path: path(), error },
    })?;
    let put = || {
        let mut restored = contents(&new, findings).map_err(|error| {
            let error = BackupError::Copy(error.into());
            RestoreError::Copy { path: path(), error }
        })?;
        backup.clone_into(&mut restored.from);
        bring_in_log(&file);
        restored.kept = replace(&file, &new, LABEL, || taken.forget_process()).map_err(failed)?;
        Ok(restored)
    };
    put().inspect_err(|_| {
        // The error is reported; the next restore or start of a server tries again to remove it.
        drop(remove_if_there(&new));
    })
}

/// Copies the backup into the new file, and checks the copy: it is what is put in place. Copies it into `source` first if
/// SQLite would change it.
fn copy(backup: &Path, source: &Path, new: &Path) -> Result<Findings, BackupError> {
    if backup.is_file() {
        look_for_space(backup, new, 0)?;
    }
    if !has_journal(backup) {
        return Copying::begin_again(backup, new)?.finish();
    }
    // SQLite would play the journal back into the backup, which has to stay as it is.
    let source = Removed(source.to_owned());
    source.remove();
    for end in ["", "-journal", "-wal"] {
        let part = with_suffix(backup, end);
        if part.exists() {
            copy_file(&part, &with_suffix(&source.0, end))
                .map_err(|error| BackupError::target(&source.0, error))?;
        }
    }
    look_for_space(&source.0, new, 0)?;
    Copying::begin_again(&source.0, new)?.finish()
}

/// A database that is removed before it is made, and when this is dropped.
struct Removed(PathBuf);

impl Removed {
    fn remove(&self) {
        for end in ["", "-journal", "-wal", "-shm"] {
            // The next start of a server tries again.
            drop(remove_if_there(&with_suffix(&self.0, end)));
        }
    }
}

impl Drop for Removed {
    fn drop(&mut self) {
        self.remove();
    }
}

fn contents(file: &Path, findings: Findings) -> rusqlite::Result<Restored> {
    let connection = open_to_read(file)?;
    let format = match schema::kind(&connection)? {
        Kind::Ours(format) => format,
        Kind::Empty | Kind::Foreign => 0,
    };
    let last_at = "SELECT at FROM event ORDER BY id DESC LIMIT 1";
    Ok(Restored {
        from: PathBuf::new(),
        findings,
        members: connection.query_row("SELECT count(*) FROM member", (), |row| row.get(0))?,
        last_at: connection.query_row(last_at, (), |row| row.get(0)).optional()?,
        format,
        version: process::version(&connection),
        kept: None,
    })
}

/// Moves the log of the old database into its file, if the two belong together. Then the file alone has everything, and
/// files of both databases are never there at the same time. If that fails, the log is kept beside the old file.
fn bring_in_log(file: &Path) {
    if !matches!(inspect(file), Ok(_) | Err(OpenError::Newer { .. } | OpenError::PreRelease { .. }))
    {
        return;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let emptied = Connection::open_with_flags(file, flags)
        .and_then(|connection| write_ahead_log::empty(&connection, BUSY_TIMEOUT));
    match emptied {
        Ok(true) => {}
        Ok(false) => {
            tracing::warn!("another program reads the old database: its -wal file is kept, too");
        }
        Err(error) => tracing::warn!(%error, "the -wal file of the old database is kept, too"),
    }
}
