//! Replaces the file of a database that no server uses, and keeps the old file beside it.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use super::{
    data_folder::{last_process, remove_if_there, sync_folder_of},
    write_ahead_log::{self, with_suffix},
};

/// Puts `new` in the place of a database, and returns the name that the old one has now, such as
/// `fivefold.sqlite3.damaged-1`. Its `-wal` file gets the same name before `-wal`, so that SQLite finds it there.
///
/// The order makes a kill harmless:
/// 1. The new file is complete on the disk before anything else changes.
/// 2. The old files get their second names. Until then, and until step 4, the database is the old one.
/// 3. The old rollback journal goes, as SQLite would play it back into the new file. A database whose journal is
///    needed cannot be opened for reading, so the caller has brought it in already if that is possible.
/// 4. One rename puts the new file in place. From then on the database is the new one.
/// 5. The old `-wal` goes. If a kill leaves it, the server and all commands see that it belongs to another file, and
///    refuse both; the next restore removes it. The caller avoids that if it empties the log before.
///
/// # Errors
/// If a step fails; the steps before it stay done.
pub(super) fn replace(file: &Path, new: &Path, label: &str) -> io::Result<PathBuf> {
    let path_of = |number: u32| with_suffix(file, &format!(".{label}-{number}"));
    let is_free = |path: &PathBuf| {
        ["", "-wal", "-journal"].iter().all(|end| !with_suffix(path, end).exists())
    };
    let old = (1..).map(path_of).find(is_free).expect("numbers do not end");
    File::open(new)?.sync_all()?;
    let log = write_ahead_log::path_of(file);
    if write_ahead_log::size(file)? > 0 {
        // The log of another database must not stand beside this one. In doubt, it belongs to this one.
        let is_of_another =
            write_ahead_log::is_of_another(file, last_process(file)).is_ok_and(|is_other| is_other);
        let suffix = if is_of_another { ".left-wal" } else { "-wal" };
        keep(&log, &with_suffix(&old, suffix))?;
    }
    if file.exists() {
        keep(file, &old)?;
    }
    let journal = with_suffix(file, "-journal");
    if fs::metadata(&journal).is_ok_and(|journal| journal.len() > 0) {
        keep(&journal, &with_suffix(&old, "-journal"))?;
    }
    // There may be no old file.
    sync_folder_of(new)?;
    remove_if_there(&journal)?;
    sync_folder_of(new)?;
    fs::rename(new, file)?;
    sync_folder_of(file)?;
    remove_if_there(&log)?;
    remove_if_there(&with_suffix(file, "-shm"))?;
    sync_folder_of(file)?;
    Ok(old)
}

/// Gives a file a second name, or copies it if the disk does not support that.
fn keep(file: &Path, name: &Path) -> io::Result<()> {
    fs::hard_link(file, name)
        .or_else(|_| fs::copy(file, name).and_then(|_| File::open(name)?.sync_all()))
}
