//! Reads the settings again while the server runs. It takes what can change at run time, and names what needs a
//! restart. If anything is wrong with the settings or their files, nothing changes.

use std::sync::Arc;

use super::{
    Config, Settings,
    settings::{SETTINGS, Setting},
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
    /// Those that were read last.
    last: Settings,
    filter: FilterHandle,
    origins: Changeable<Vec<Origin>>,
    proxies: Changeable<Proxies>,
    shared_addresses: Changeable<SharedAddresses>,
    tls: Option<Arc<Tls>>,
}

impl Reload {
    /// For a server that has begun with these settings.
    pub fn new(
        sources: Sources,
        settings: Settings,
        config: &Config,
        filter: FilterHandle,
    ) -> Self {
        Self {
            sources,
            last: settings.clone(),
            first: settings,
            filter,
            origins: config.origins.clone(),
            proxies: config.proxies.clone(),
            shared_addresses: config.shared_addresses.clone(),
            tls: config.tls.clone(),
        }
    }

    /// Reads the settings again, and logs what becomes of that. Blocks.
    pub fn read_again(&mut self) {
        let settings = match self.read() {
            Ok(settings) => settings,
            Err(Faults(faults)) => {
                for fault in faults {
                    tracing::error!(
                        fault,
                        "the new settings cannot be used; the old ones stay in effect"
                    );
                }
                return;
            }
        };
        let keys = |is_wanted: &dyn Fn(&Setting) -> bool| {
            let keys = SETTINGS.iter().filter(|setting| is_wanted(setting)).map(Setting::key);
            keys.collect::<Vec<_>>().join(", ")
        };
        let changed = keys(&|setting| {
            self.takes(setting, &settings) && !(setting.is_same)(&self.last, &settings)
        });
        let waiting = keys(&|setting| {
            !self.takes(setting, &settings) && !(setting.is_same)(&self.first, &settings)
        });
        self.apply(&settings);
        self.last = settings;
        tracing::info!(changed, "the settings are read again");
        if !waiting.is_empty() {
            tracing::warn!(
                settings = waiting,
                "these changed settings take effect only after a restart"
            );
        }
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
        if let (Some(tls), Some((certificate, key))) = (&self.tls, files) {
            tls.reload(certificate, key).map_err(|error| Faults(vec![error.to_string()]))?;
        }
        Ok(settings)
    }

    /// Whether the running server takes a new value of a setting. It does not begin or end TLS.
    fn takes(&self, setting: &Setting, new: &Settings) -> bool {
        let is_of_tls = matches!(setting.key(), "tls-cert" | "tls-key");
        setting.is_read_again && !(is_of_tls && self.tls.is_some() != new.tls_cert.is_some())
    }

    fn apply(&self, new: &Settings) {
        self.filter.set(&new.log);
        // A new public address needs a restart.
        let public_url = self.first.public_url.clone();
        self.origins.set(Settings { public_url, ..new.clone() }.origins());
        self.proxies.set(new.proxies());
        self.shared_addresses.set(new.shared_addresses());
    }
}
