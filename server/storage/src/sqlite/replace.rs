//! Replaces the file of a database that no server uses, and keeps the old file beside it.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use super::{
    data_folder::{create_private, last_process, remove_if_there, sync_folder_of},
    write_ahead_log::{self, with_suffix},
};

/// Puts `new` in the place of a database, and returns the name that the old one has now, such as
/// `fivefold.sqlite3.damaged-1`. Its `-wal` file gets the same name before `-wal`, so that SQLite finds it there.
///
/// The order makes a kill harmless:
/// 1. The new file is complete on the disk before anything else changes.
/// 2. The old files get their second names. Until then, and until step 6, the database is the old one.
/// 3. The old rollback journal goes, as SQLite would play it back into the new file. A database whose journal is
///    needed cannot be opened for reading, so the caller has brought it in already if that is possible.
/// 4. A `-wal` that belongs to another database goes. What tells that may be forgotten in the next step.
/// 5. `prepare` changes what else has to be different for the new file, and not for the old one. It is on the disk when
///    it returns.
/// 6. One rename puts the new file in place. From then on the database is the new one.
/// 7. The old `-wal` goes. If a kill leaves it, the server and all commands see that it belongs to another file, and
///    refuse both; the next restore removes it. The caller avoids that if it empties the log before.
///
/// # Errors
/// If a step fails; the steps before it stay done.
pub(super) fn replace(
    file: &Path,
    new: &Path,
    label: &str,
    prepare: impl FnOnce() -> io::Result<()>,
) -> io::Result<Option<PathBuf>> {
    let path_of = |number: u32| with_suffix(file, &format!(".{label}-{number}"));
    let is_free = |path: &PathBuf| {
        ["", "-wal", "-journal"].iter().all(|end| !with_suffix(path, end).exists())
    };
    let old = (1..).map(path_of).find(is_free).expect("numbers do not end");
    File::open(new)?.sync_all()?;
    let log = write_ahead_log::path_of(file);
    // The log of another database must not stand beside this one. In doubt, it belongs to this one.
    let is_of_another =
        write_ahead_log::is_of_another(file, last_process(file)).is_ok_and(|is_other| is_other);
    let mut is_kept = false;
    if write_ahead_log::size(file)? > 0 {
        is_kept = true;
        let suffix = if is_of_another { ".left-wal" } else { "-wal" };
        keep(&log, &with_suffix(&old, suffix))?;
    }
    if file.exists() {
        is_kept = true;
        keep(file, &old)?;
    }
    let journal = with_suffix(file, "-journal");
    if fs::metadata(&journal).is_ok_and(|journal| journal.len() > 0) {
        is_kept = true;
        keep(&journal, &with_suffix(&old, "-journal"))?;
    }
    // There may be no old file.
    sync_folder_of(new)?;
    remove_if_there(&journal)?;
    if is_of_another {
        remove_if_there(&log)?;
    }
    sync_folder_of(new)?;
    prepare()?;
    fs::rename(new, file)?;
    sync_folder_of(file)?;
    remove_if_there(&log)?;
    remove_if_there(&with_suffix(file, "-shm"))?;
    sync_folder_of(file)?;
    Ok(is_kept.then_some(old))
}

/// Gives a file a second name, or copies it if the disk does not support that.
fn keep(file: &Path, name: &Path) -> io::Result<()> {
    fs::hard_link(file, name).or_else(|_| copy_file(file, name))
}

/// Copies a file into a new one that the server's user owns: completely, or not at all.
///
/// # Errors
/// If the new file exists, or the copy fails; no copy is left then.
pub(super) fn copy_file(file: &Path, new: &Path) -> io::Result<()> {
    create_private(new)?;
    let copy = || {
        let mut copied = OpenOptions::new().write(true).open(new)?;
        io::copy(&mut File::open(file)?, &mut copied)?;
        copied.sync_all()
    };
    copy().inspect_err(|_| {
        // The error reports that there is no copy.
        drop(fs::remove_file(new));
    })
}

/// Whether two paths lead to one file, perhaps by links.
pub(super) fn is_same_file(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        (Err(_), _) | (_, Err(_)) => false,
    }
}

/// Removes the second names that a killed [`replace`] has given to the files of a database that is still in place. What
/// changes the database would change the file under such a name, too, and not the log beside it.
///
/// # Errors
/// If one cannot be removed.
pub(super) fn remove_second_names(file: &Path, label: &str) -> io::Result<()> {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { return Ok(()) };
    let mut start = name.to_owned();
    start.push(format!(".{label}-"));
    let in_place = ["", "-wal", "-journal"].map(|end| with_suffix(file, end));
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let has_label = path
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(start.as_encoded_bytes()));
        // A link to the file is not the file.
        let is_link = fs::symlink_metadata(&path).is_ok_and(|entry| entry.is_symlink());
        if has_label && !is_link && in_place.iter().any(|file| is_same_file(file, &path)) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_that_fails_is_removed_and_never_replaces_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let [file, new] = ["file", "new"].map(|name| folder.path().join(name));
        copy_file(&file, &new).unwrap_err();
        assert!(!new.exists());
        fs::write(&file, "all of it").unwrap();
        copy_file(&file, &new).unwrap();
        assert_eq!(fs::read(&new).unwrap(), b"all of it");
        fs::write(&file, "newer").unwrap();
        copy_file(&file, &new).unwrap_err();
        assert_eq!(fs::read(&new).unwrap(), b"all of it");
    }
}
