//! Reads the settings again while the server runs. It takes what can change at run time, and names what needs a
//! restart. If anything is wrong with the settings or their files, nothing changes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use super::{
    settings::{SETTINGS, Setting, Settings},
    sources::{Faults, Sources},
};
use crate::{
    moderation::dealings::SharedAddresses,
    net::{changeable::Changeable, origin::Origin, proxy::Proxies, tls::Tls},
    process::logs::FilterHandle,
};

/// The settings of a running server, and where it takes new ones.
#[derive(Debug)]
pub struct Reload {
    sources: Sources,
    /// Those that the server began with: what needs a restart is still as it is here.
    first: Settings,
    /// Those that were read last. Locked while they are read.
    last: Mutex<Settings>,
    parts: ChangeableParts,
}

/// The parts of a running server that take new settings.
#[derive(Debug)]
pub(super) struct ChangeableParts {
    pub(super) filter: FilterHandle,
    pub(super) origins: Changeable<Vec<Origin>>,
    pub(super) proxies: Changeable<Proxies>,
    pub(super) shared_addresses: Changeable<SharedAddresses>,
    pub(super) tls: Option<Arc<Tls>>,
}

/// The result of reading the settings again.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SettingsRead"))]
pub struct SettingsRead {
    /// The settings that have new values from now on.
    changed: Vec<String>,
    /// The settings whose new values take effect only after a restart.
    waiting: Vec<String>,
    /// The faults, each with its place. If there is one, nothing has changed.
    faults: Vec<String>,
}

impl SettingsRead {
    /// The text for the list of acts.
    pub(crate) fn summary(&self) -> String {
        let texts = if self.faults.is_empty() { &self.changed } else { &self.faults };
        if texts.is_empty() { "nothing has changed".to_owned() } else { texts.join(", ") }
    }
}

impl Reload {
    /// For a server that has begun with these settings.
    pub(super) fn new(sources: Sources, settings: Settings, parts: ChangeableParts) -> Self {
        Self { sources, last: Mutex::new(settings.clone()), first: settings, parts }
    }

    /// Reads the settings again, and logs what becomes of that. Blocks.
    pub fn read_again(&self) -> SettingsRead {
        let mut last = self.last();
        let settings = match self.read() {
            Ok(settings) => settings,
            Err(Faults(faults)) => {
                for fault in &faults {
                    tracing::error!(
                        fault,
                        "the new settings cannot be used; the old ones stay in effect"
                    );
                }
                return SettingsRead { faults, ..SettingsRead::default() };
            }
        };
        let keys = |is_wanted: &dyn Fn(&Setting) -> bool| {
            let settings = SETTINGS.iter().filter(|setting| is_wanted(setting));
            settings.map(|setting| setting.key().to_owned()).collect::<Vec<_>>()
        };
        let changed =
            keys(&|setting| self.takes(setting, &settings) && !(setting.is_same)(&last, &settings));
        let waiting = keys(&|setting| {
            !self.takes(setting, &settings) && !(setting.is_same)(&self.first, &settings)
        });
        self.apply(&settings);
        *last = settings;
        tracing::info!(changed = changed.join(", "), "the settings are read again");
        if !waiting.is_empty() {
            tracing::warn!(
                settings = waiting.join(", "),
                "these changed settings take effect only after a restart"
            );
        }
        SettingsRead { changed, waiting, ..SettingsRead::default() }
    }

    /// The settings that can change while the server runs, as `config show` prints them.
    pub(crate) fn shown(&self) -> Vec<String> {
        let last = self.last();
        let again = SETTINGS.iter().filter(|setting| setting.is_read_again);
        let held = |setting: &Setting| {
            setting.line(if self.takes(setting, &last) { &last } else { &self.first })
        };
        again.map(held).collect()
    }

    fn last(&self) -> MutexGuard<'_, Settings> {
        // After a panic they are those before, and what was not read yet is read the next time.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> Result<Settings, Faults> {
        // A pipe that was read once is empty now, and would be settings that are all left out.
        if let Some(file) = self.first.config.as_ref().filter(|file| !file.is_file()) {
            let fault = format!("cannot read {} again: it is not a regular file", file.display());
            return Err(Faults(vec![fault]));
        }
        let settings = self.sources.checked_settings()?;
        let files = settings.tls_cert.as_ref().zip(settings.tls_key.as_ref());
        // Last, as it changes what the server uses.
        if let (Some(tls), Some((certificate, key))) = (&self.parts.tls, files) {
            tls.reload(certificate, key).map_err(|error| Faults(vec![error.to_string()]))?;
        }
        Ok(settings)
    }

    /// Whether the running server takes a new value of a setting. It does not begin or end TLS.
    fn takes(&self, setting: &Setting, new: &Settings) -> bool {
        let is_of_tls = matches!(setting.key(), "tls-cert" | "tls-key");
        setting.is_read_again && !(is_of_tls && self.parts.tls.is_some() != new.tls_cert.is_some())
    }

    fn apply(&self, new: &Settings) {
        self.parts.filter.set(&new.log);
        // A new public address needs a restart.
        let public_url = self.first.public_url.clone();
        self.parts.origins.set(Settings { public_url, ..new.clone() }.origins());
        self.parts.proxies.set(new.proxies());
        self.parts.shared_addresses.set(new.shared_addresses());
    }
}
