//! What the settings must fulfil together.

use anyhow::bail;

use super::Settings;

/// Only one of two can hold the data.
const APART: [[&str; 2]; 3] =
    [["data", "database"], ["in-memory", "data"], ["in-memory", "database"]];

/// Settings that make no sense without another one.
pub(super) const NEEDED: [(&str, &str); 17] = [
    ("bus", "database"),
    ("database-replica", "database"),
    ("bus-credentials", "bus"),
    ("bus-ca", "bus"),
    ("bus-cert", "bus"),
    ("bus-cert", "bus-key"),
    ("bus-key", "bus-cert"),
    ("oidc-issuer", "oidc-client"),
    ("oidc-issuer", "public-url"),
    ("oidc-client", "oidc-issuer"),
    ("oidc-secret", "oidc-issuer"),
    ("oidc-name", "oidc-issuer"),
    ("smtp", "mail-from"),
    ("smtp", "public-url"),
    ("mail-from", "smtp"),
    ("tls-cert", "tls-key"),
    ("tls-key", "tls-cert"),
];

impl Settings {
    /// Checks the settings as a whole.
    ///
    /// # Errors
    /// If two contradict each other, or one lacks another.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        for pair in APART {
            if let [Some(one), Some(other)] = pair.map(|key| self.place(key)) {
                bail!(
                    "{one} and {other} are both given, but only one can hold the data: leave one out"
                );
            }
        }
        for (key, needed) in NEEDED {
            if let (Some(one), None) = (self.place(key), self.place(needed)) {
                bail!("{one} needs the setting {needed}, too");
            }
        }
        Ok(())
    }

    /// Where a setting is given; nowhere if it is a switch that is off.
    fn place(&self, key: &str) -> Option<&str> {
        let is_off = key == "in-memory" && !self.in_memory;
        self.given.get(key).filter(|_| !is_off).map(String::as_str)
    }
}
