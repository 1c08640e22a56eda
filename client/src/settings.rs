//! Stores settings between runs: the last server, the name, and one identity for each server, and the
//! session of the account that is signed in there.
//!
//! Identities and sessions are secrets shared with the server that issued them: the file is readable
//! only by its owner, and none is ever sent to another server. The addresses of a [`ServerList`] are
//! one server.

pub mod guest_folders;

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

use crate::server::{
    room_link::ServerAddress, server_list::ServerList, session_cookie::SessionCookie,
};

/// The settings of one person.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Settings {
    /// The last server used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerList>,
    /// The person's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// The person's identity for each address of a server.
    #[serde(default)]
    pub identities: BTreeMap<ServerAddress, Identity>,
    /// The next identity, until the server has confirmed it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub next: BTreeMap<ServerAddress, Identity>,
    /// The account's session at each address of a server; it speaks instead of the identity.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sessions: BTreeMap<ServerAddress, SessionCookie>,
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

    /// The identity for a server: that of the first of its addresses which has one.
    pub fn identity(&self, server: &ServerList) -> Option<&Identity> {
        server.iter().find_map(|address| self.identities.get(address))
    }

    /// Keeps an identity for all addresses of a server that have none. An address with another one
    /// keeps that, as it may be the only key to a person's seats.
    pub fn keep(&mut self, server: &ServerList, identity: &Identity) {
        for address in server.iter() {
            self.identities.entry(address.clone()).or_insert_with(|| identity.clone());
        }
    }

    /// The session at a server: that of the first of its addresses which has one.
    pub fn session(&self, server: &ServerList) -> Option<&SessionCookie> {
        server.iter().find_map(|address| self.sessions.get(address))
    }

    /// Keeps a session for all addresses of a server, and returns the one that it had before.
    pub fn sign_in(
        &mut self,
        server: &ServerList,
        session: &SessionCookie,
    ) -> Option<SessionCookie> {
        let before = self.session(server).cloned();
        self.sessions.extend(server.iter().map(|address| (address.clone(), session.clone())));
        before
    }

    /// Forgets a session at all its addresses.
    pub fn sign_out(&mut self, session: &SessionCookie) {
        self.sessions.retain(|_, each| each != session);
    }

    /// The successor of an identity, chosen by `make` unless it was before, for all its addresses.
    pub fn succeed(&mut self, old: &Identity, make: impl FnOnce() -> Identity) -> Identity {
        let addresses = self.addresses(old);
        let chosen = addresses.iter().find_map(|address| self.next.get(address)).cloned();
        let next = chosen.unwrap_or_else(make);
        self.next.extend(addresses.into_iter().map(|address| (address, next.clone())));
        next
    }

    /// Replaces an identity by its successor at all its addresses, and returns that. `None` if none
    /// was chosen.
    pub fn replace(&mut self, old: &Identity) -> Option<Identity> {
        let addresses = self.addresses(old);
        let next = addresses.iter().find_map(|address| self.next.get(address)).cloned()?;
        for address in addresses {
            self.next.remove(&address);
            self.identities.insert(address, next.clone());
        }
        Some(next)
    }

    /// Forgets an identity and its successor at all its addresses.
    pub fn forget(&mut self, identity: &Identity) {
        for address in self.addresses(identity) {
            self.next.remove(&address);
            self.identities.remove(&address);
        }
    }

    /// The addresses with this identity.
    fn addresses(&self, identity: &Identity) -> Vec<ServerAddress> {
        let same = self.identities.iter().filter(|(_, each)| *each == identity);
        same.map(|(address, _)| address.clone()).collect()
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
            server: Some(server.clone().into()),
            name: Some(Name::new("Ann").unwrap()),
            identities: BTreeMap::from([(server, identity)]),
            next: BTreeMap::default(),
            sessions: BTreeMap::default(),
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

    fn identity(digits: &str) -> Identity {
        Identity::try_from(digits.repeat(32)).unwrap()
    }

    #[test]
    fn all_addresses_of_a_server_have_one_identity() {
        let list = |text: &str| text.parse::<ServerList>().unwrap();
        let (all, a, b, c) = (list("a,b,c"), list("a"), list("b"), list("c"));
        let (old, other, new) = (identity("0a"), identity("0b"), identity("0c"));
        let mut settings = Settings::default();
        assert_eq!(settings.identity(&all), None);
        settings.keep(&b, &old);
        settings.keep(&c, &other);
        assert_eq!(settings.identity(&all), Some(&old), "the first of the list with one");
        settings.keep(&all, &old);
        assert_eq!(settings.identity(&a), Some(&old));
        assert_eq!(settings.identity(&c), Some(&other), "none is lost");

        assert_eq!(settings.replace(&old), None);
        assert_eq!(settings.succeed(&old, || new.clone()), new);
        assert_eq!(settings.succeed(&old, || panic!("it was chosen before")), new);
        assert_eq!(settings.replace(&old), Some(new.clone()));
        assert_eq!((settings.identity(&a), settings.identity(&b)), (Some(&new), Some(&new)));
        assert_eq!((settings.identity(&c), settings.next.len()), (Some(&other), 0));

        settings.succeed(&new, || old.clone());
        settings.forget(&new);
        assert_eq!((settings.identities.len(), settings.next.len()), (1, 0));
    }

    #[test]
    fn all_addresses_of_a_server_have_one_session() {
        let list = |text: &str| text.parse::<ServerList>().unwrap();
        let (all, a, b) = (list("a,b"), list("a"), list("b"));
        let session = |value: &str| SessionCookie::set_by(&format!("fivefold={value}")).unwrap();
        let (old, new) = (session("1a"), session("2b"));
        let mut settings = filled();
        assert_eq!(settings.sign_in(&b, &old), None);
        assert_eq!(settings.session(&all), Some(&old));
        assert_eq!(settings.sign_in(&all, &new), Some(old));
        assert_eq!((settings.session(&a), settings.session(&b)), (Some(&new), Some(&new)));
        let scratch = Scratch::new("sessions");
        settings.save(&scratch.0).unwrap();
        assert_eq!(Settings::load(&scratch.0).unwrap(), settings);
        settings.sign_out(&new);
        assert_eq!(settings, filled());
    }

    #[test]
    fn a_list_is_read_from_settings_of_any_version() {
        for (text, expected) in [
            (r#"{"server": "http://a"}"#, "http://a"),
            (r#"{"server": "http://a, http://b"}"#, "http://a, http://b"),
        ] {
            let settings: Settings = serde_json::from_str(text).unwrap();
            assert_eq!(settings.server.map(String::from).as_deref(), Some(expected));
        }
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
