//! What the settings must fulfil together, and the files that they name.

use std::{fmt::Display, path};

use fivefold_storage::DatabaseUrl;
use rustix::fs::{Access, access};

use super::{Settings, settings::Place};
use crate::pairing::pools::Pools;

/// Only one of two can hold the data.
const APART: [[&str; 2]; 3] =
    [["data", "database"], ["in-memory", "data"], ["in-memory", "database"]];

/// Settings that make no sense without another one.
pub(super) const NEEDED: [(&str, &str); 19] = [
    ("backup-folder", "backup-every"),
    ("backup-keep", "backup-every"),
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

/// Settings with which there is no file to make backups of, and what to do instead.
const NO_FILE: [(&str, &str); 2] = [
    ("database", "For PostgreSQL use pg_dump, or pg_basebackup with an archive of the WAL"),
    ("in-memory", "It keeps nothing, so there is nothing to back up"),
];

impl Settings {
    /// What contradicts each other, and what lacks another setting.
    pub(super) fn contradictions(&self) -> Vec<String> {
        let apart = APART.into_iter().filter_map(|pair| {
            let [Some(one), Some(other)] = pair.map(|key| self.place(key)) else { return None };
            Some(format!(
                "{one} and {other} are both given, but only one can hold the data: leave one out"
            ))
        });
        let lacking = NEEDED.into_iter().filter_map(|(key, needed)| {
            let one = self.place(key).filter(|_| self.place(needed).is_none())?;
            Some(format!("{one} needs the setting {needed}, too"))
        });
        let no_file = NO_FILE.into_iter().filter_map(|(key, instead)| {
            let backups = self.place("backup-every").filter(|_| !self.backup_every.is_zero())?;
            let other = self.place(key)?;
            Some(format!(
                "{backups} needs a database file, and there is none with {other}: leave out backup-every. {instead}"
            ))
        });
        apart.chain(lacking).chain(no_file).collect()
    }

    /// Reads what a start reads beside the settings, except for the database. Says what is wrong with it.
    pub(super) fn faults_of_files(&self) -> Vec<String> {
        let check = |url: &Option<DatabaseUrl>| url.as_ref().map_or(Ok(()), DatabaseUrl::check);
        let needs_folder = self.database.is_none() && !self.in_memory;
        let pools = self.pools.as_ref().and_then(|file| {
            let error = Pools::read(file).err()?;
            Some(format!("{}: {error}", file.display()))
        });
        let faults = [
            ("data", text(self.data_folder()).filter(|_| needs_folder)),
            ("database", text(check(&self.database))),
            ("database-replica", text(check(&self.database_replica))),
            ("tls-cert", text(self.tls())),
            ("bus", text(self.bus())),
            ("pools", pools),
        ];
        let faults = faults.into_iter().filter_map(|(key, fault)| Some((key, fault?)));
        faults.map(|(key, fault)| format!("{}: {fault}", self.place(key).unwrap_or(key))).collect()
    }

    /// What is wrong with the folder of the backups: this user cannot write to it, or cannot make it. The default is
    /// not checked, because the service manager may make the data folder only at the start.
    pub(super) fn fault_of_backup_folder(&self) -> Option<String> {
        let folder = self.backup_folder.as_ref().filter(|_| !self.backup_every.is_zero())?;
        let folder = path::absolute(folder).ok()?;
        let there = folder.ancestors().find(|folder| !matches!(folder.try_exists(), Ok(false)))?;
        // With the dot, a file is an error.
        let error = access(there.join("."), Access::WRITE_OK | Access::EXEC_OK).err()?;
        let place = self.place("backup-folder").unwrap_or("backup-folder");
        Some(format!("{place}: the user who checks cannot write to {}: {error}", there.display()))
    }

    /// Where a setting is given; nowhere if it is a switch that is off.
    fn place(&self, key: &str) -> Option<&str> {
        let is_off = key == "in-memory" && !self.in_memory;
        self.given.get(key).filter(|_| !is_off).map(|Place { text, .. }| text.as_str())
    }
}

/// What is wrong.
fn text<T>(result: Result<T, impl Display>) -> Option<String> {
    result.err().map(|error| error.to_string())
}
