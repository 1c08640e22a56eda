//! A simulated disk that can lose its power: only what was synced is sure to be on it then.
//!
//! `power_loss.c` keeps a second folder with what the server has synced. What it has written since may be on a
//! real disk or not, in any order, and torn between sectors.

use std::{
    collections::BTreeSet,
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use rand::{RngExt, rngs::StdRng};
use tempfile::TempDir;

/// Bytes that a disk writes at once.
const SECTOR: usize = 512;

/// The disk of one server.
#[derive(Debug)]
pub(super) struct SimulatedDisk {
    /// What the server sees.
    live: TempDir,
    /// What it has synced.
    synced: TempDir,
    /// The compiled `power_loss.c`.
    library: TempDir,
    /// Files whose syncs do nothing: the end of their names.
    ignores: &'static str,
}

impl SimulatedDisk {
    /// An empty disk, on which syncs of files whose names end so do nothing; with "", all are obeyed. `None`
    /// where there is no C compiler, or no Linux.
    ///
    /// # Panics
    /// When a folder cannot be made.
    #[expect(clippy::print_stderr, reason = "whoever runs the tests learns what is not tested")]
    pub(super) fn new(ignores: &'static str) -> Option<Self> {
        let folder = || tempfile::tempdir().expect("a folder");
        let disk = Self { live: folder(), synced: folder(), library: folder(), ignores };
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/fault/power_loss.c");
        let mut compiler = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
        compiler.args(["-O1", "-shared", "-fPIC", "-o"]).arg(disk.library()).arg(source);
        let is_compiled = compiler.status().is_ok_and(|status| status.success());
        if cfg!(target_os = "linux") && is_compiled {
            return Some(disk);
        }
        eprintln!("SKIPPED: a power loss needs Linux and a C compiler (Debian: gcc)");
        None
    }

    fn library(&self) -> PathBuf {
        self.library.path().join("power_loss.so")
    }

    /// The folder for the server's data.
    pub(super) fn folder(&self) -> &Path {
        self.live.path()
    }

    /// The variables with which a server runs on this disk.
    pub(super) fn variables(&self) -> [(&'static str, OsString); 4] {
        [
            ("LD_PRELOAD", self.library().into()),
            ("DISK_FOLDER", self.live.path().into()),
            ("DISK_SYNCED", self.synced.path().into()),
            ("DISK_IGNORES", self.ignores.into()),
        ]
    }

    /// The power fails after the server is killed. Of what was not synced, this share is on the disk.
    ///
    /// # Panics
    /// When a file cannot be read or written.
    pub(super) fn lose_power(&self, share: f64, random: &mut StdRng) {
        let names: BTreeSet<OsString> = [&self.live, &self.synced]
            .into_iter()
            .flat_map(|folder| names_in(folder.path()))
            .collect();
        for name in names {
            let [live, synced] = [&self.live, &self.synced].map(|folder| folder.path().join(&name));
            let image = image(content(&live), content(&synced), share, random);
            for path in [live, synced] {
                match &image {
                    // SQLite makes its shared memory anew.
                    Some(image) if !name.as_encoded_bytes().ends_with(b"-shm") => {
                        fs::write(path, image).expect("the disk has room");
                    }
                    Some(_) | None if path.exists() => fs::remove_file(path).expect("it is there"),
                    Some(_) | None => {}
                }
            }
        }
    }
}

fn names_in(folder: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    entries.map(|entry| entry.expect("it can be read").file_name()).collect()
}

/// `None` if the file does not exist.
fn content(path: &Path) -> Option<Vec<u8>> {
    match fs::read(path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// A file after a power loss: each sector, and the length, is the written one with this probability, and
/// otherwise the synced one. What was cut off is gone as a whole, or there as it was: a file system makes a file
/// shorter at once, and SQLite relies on that.
fn image(
    written: Option<Vec<u8>>,
    synced: Option<Vec<u8>>,
    share: f64,
    random: &mut StdRng,
) -> Option<Vec<u8>> {
    if written.is_none() || (synced.is_none() && !random.random_bool(share)) {
        return None;
    }
    let (mut written, mut synced) = (written?, synced.unwrap_or_default());
    let length = if random.random_bool(share) { written.len() } else { synced.len() };
    if let Some(cut_off) = synced.get(written.len()..length) {
        written.extend_from_slice(cut_off);
    }
    written.truncate(length);
    synced.resize(length, 0);
    for (kept, new) in synced.chunks_mut(SECTOR).zip(written.chunks(SECTOR)) {
        if kept != new && random.random_bool(share) {
            kept.copy_from_slice(new);
        }
    }
    Some(synced)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn what_was_synced_is_kept_and_of_the_rest_any_part() {
        let (written, synced) = (vec![1; 10 * SECTOR], vec![0; 8 * SECTOR]);
        let mut random = StdRng::seed_from_u64(1);
        let mut after =
            |share| image(Some(written.clone()), Some(synced.clone()), share, &mut random).unwrap();
        assert_eq!((after(0.0), after(1.0)), (synced.clone(), written.clone()));
        let torn = after(0.5);
        assert!(torn.contains(&0) && torn.contains(&1), "{torn:?}");
        assert!(torn.chunks(SECTOR).all(|sector| sector.iter().all(|byte| *byte == sector[0])));
        assert_eq!(image(Some(written.clone()), None, 0.0, &mut random), None, "never synced");
        assert_eq!(image(None, None, 1.0, &mut random), None);
    }

    #[test]
    fn what_was_cut_off_is_gone_or_as_it_was() {
        let synced = vec![7; 9 * SECTOR];
        let mut random = StdRng::seed_from_u64(1);
        for written in [vec![], vec![8; SECTOR]] {
            for _ in 0..50 {
                let after = image(Some(written.clone()), Some(synced.clone()), 0.5, &mut random);
                let after = after.unwrap();
                let cut_off = after.get(written.len()..).unwrap_or_default();
                assert!(cut_off.is_empty() || *cut_off == synced[written.len()..], "{after:?}");
            }
        }
    }
}
