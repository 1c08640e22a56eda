//! Keeps programs that play beside each other on one machine from being the same guest.
//!
//! A program that plays holds a lock in the folder of its settings while it runs. If another one holds
//! that, it takes the first free folder below, with settings and an identity of their own, which are
//! there again the next time.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    sync::Mutex,
};

use anyhow::Context;

use crate::server::server_list::ServerList;

/// Most programs that play at one server beside each other, each as a guest of its own.
const FOLDERS_MAX: u32 = 16;

/// The locks of this program, until it ends.
static HELD: Mutex<Vec<File>> = Mutex::new(Vec::new());

/// The folder of the guest that this program may play as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GuestFolder {
    /// The folder.
    pub path: PathBuf,
    /// Whether it is another guest's than the usual one.
    pub is_other: bool,
}

impl GuestFolder {
    /// Takes the first folder whose guest nobody plays as at this server, until the program ends.
    ///
    /// # Errors
    /// When a folder or a lock cannot be made, or too many programs run.
    pub fn take(settings: &Path, server: &ServerList) -> anyhow::Result<Self> {
        let lock_name = lock_name(server);
        for number in 1..=FOLDERS_MAX {
            let (path, is_other) = match number {
                1 => (settings.to_owned(), false),
                _ => (settings.join(format!("guest-{number}")), true),
            };
            let lock = path.join(&lock_name);
            let made = fs::create_dir_all(&path).and_then(|()| {
                File::options().create(true).truncate(false).write(true).open(&lock)
            });
            let file = made.with_context(|| format!("cannot write {}", lock.display()))?;
            match file.try_lock() {
                Ok(()) => {
                    HELD.lock().expect("nothing panics while it holds this").push(file);
                    return Ok(Self { path, is_other });
                }
                Err(TryLockError::WouldBlock) => {}
                // Some file systems know no locks.
                Err(TryLockError::Error(_)) => return Ok(Self { path, is_other }),
            }
        }
        anyhow::bail!("{FOLDERS_MAX} programs play here already")
    }
}

/// A file's name for the locks of a server: its first address, in letters that every file system takes.
fn lock_name(server: &ServerList) -> String {
    let address = server.at(0).to_string();
    let letters = address.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    letters.chain(".lock".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_beside_each_other_get_folders_of_their_own() {
        let settings = std::env::temp_dir().join(format!("fivefold-{:x}", rand::random::<u64>()));
        let server: ServerList = "http://127.0.0.1:9".parse().unwrap();
        let other: ServerList = "http://127.0.0.1:10".parse().unwrap();
        let take = |server: &ServerList| GuestFolder::take(&settings, server).unwrap();
        assert_eq!(take(&server), GuestFolder { path: settings.clone(), is_other: false });
        assert_eq!(take(&server), GuestFolder { path: settings.join("guest-2"), is_other: true });
        assert_eq!(take(&server), GuestFolder { path: settings.join("guest-3"), is_other: true });
        assert!(!take(&other).is_other);
        // The first program ends.
        drop(HELD.lock().unwrap().remove(0));
        assert!(!take(&server).is_other);
        fs::remove_dir_all(&settings).unwrap();
    }
}
