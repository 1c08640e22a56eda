//! Stores settings between runs: the last server, the name, and one identity for each server.
//!
//! An identity is a secret shared with the server that issued it: the file is readable only by its
//! owner, and an identity is never sent to another server.

use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use directories::ProjectDirs;
use fivefold_shared::protocol::{Identity, Name};
use serde::{Deserialize, Serialize};

use crate::room_link::ServerAddress;

/// The settings of one person.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Settings {
    /// The last server used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerAddress>,
    /// The person's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// The person's identity for each server.
    #[serde(default)]
    pub identities: BTreeMap<ServerAddress, Identity>,
    /// The next identity, until the server has confirmed it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub next: BTreeMap<ServerAddress, Identity>,
}

impl Settings {
    /// The folder of the settings: `FIVEFOLD_CONFIG_DIR`, or the platform's configuration folder.
    ///
    /// # Errors
    /// When neither is known.
    pub fn folder() -> anyhow::Result<PathBuf> {
        if let Some(folder) = env::var_os("FIVEFOLD_CONFIG_DIR").filter(|text| !text.is_empty()) {
            return Ok(folder.into());
        }
        let folders = ProjectDirs::from("", "", "fivefold")
            .context("no home folder is known; set FIVEFOLD_CONFIG_DIR")?;
        Ok(folders.config_dir().to_owned())
    }

    /// Reads the settings in a folder; without a file they are empty.
    ///
    /// # Errors
    /// When the file cannot be read or parsed. It is never replaced in that case: it may hold the
    /// only key to a person's seats.
    pub fn load(folder: &Path) -> anyhow::Result<Self> {
        let file = file(folder);
        match fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text).with_context(|| {
                format!("{} is damaged; repair it, or move it away", file.display())
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
        }
    }

    /// Writes the settings to a new file that atomically replaces the old one. On Unix only its
    /// owner can read it.
    ///
    /// # Errors
    /// When the folder or the file cannot be written.
    pub fn save(&self, folder: &Path) -> anyhow::Result<()> {
        let file = file(folder);
        let text = serde_json::to_string_pretty(self).context("settings are plain text")? + "\n";
        fs::create_dir_all(folder)
            .and_then(|()| replace(&file, text.as_bytes()))
            .with_context(|| format!("cannot write {}", file.display()))
    }
}

fn file(folder: &Path) -> PathBuf {
    folder.join("settings.json")
}

fn replace(file: &Path, text: &[u8]) -> io::Result<()> {
    let new = file.with_extension(format!("{}.new", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&new).and_then(|mut open| {
        open.write_all(text)?;
        open.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&new, file));
    if replaced.is_err() {
        // The caller gets the error; leaving a partial new file behind does no harm.
        drop(fs::remove_file(&new));
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder for this test, removed at its end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let folder =
                env::temp_dir().join(format!("fivefold-{name}-{:x}", rand::random::<u64>()));
            Self(folder)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            drop(fs::remove_dir_all(&self.0));
        }
    }

    fn filled() -> Settings {
        let server: ServerAddress = "http://127.0.0.1:9".parse().unwrap();
        let identity = Identity::try_from("ab".repeat(32)).unwrap();
        Settings {
            server: Some(server.clone()),
            name: Some(Name::new("Ann").unwrap()),
            identities: BTreeMap::from([(server, identity)]),
            next: BTreeMap::default(),
        }
    }

    #[test]
    fn settings_are_kept() {
        let scratch = Scratch::new("kept");
        assert_eq!(Settings::load(&scratch.0).unwrap(), Settings::default());
        filled().save(&scratch.0).unwrap();
        filled().save(&scratch.0).unwrap();
        assert_eq!(Settings::load(&scratch.0).unwrap(), filled());
        assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 1, "nothing is left beside it");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_reads_them() {
        use std::os::unix::fs::PermissionsExt;

        let scratch = Scratch::new("mode");
        fs::create_dir_all(&scratch.0).unwrap();
        fs::write(file(&scratch.0), "{}").unwrap();
        fs::set_permissions(file(&scratch.0), fs::Permissions::from_mode(0o644)).unwrap();
        filled().save(&scratch.0).unwrap();
        let mode = fs::metadata(file(&scratch.0)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn damaged_settings_are_not_replaced() {
        let scratch = Scratch::new("damaged");
        fs::create_dir_all(&scratch.0).unwrap();
        fs::write(file(&scratch.0), "{ half").unwrap();
        let error = Settings::load(&scratch.0).unwrap_err().to_string();
        assert!(error.contains("is damaged"), "{error}");
    }
}
