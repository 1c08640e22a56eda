//! The state of a server: one answer for `/readyz`, the metric `ready`, systemd and `fivefold-server health`.
//!
//! It decides, and asks nobody: `Server::health` gathers the facts.

use std::fmt;

use serde::Serialize;
use strum::{EnumIter, EnumString, IntoStaticStr};

use crate::process::{disk::DiskLevel, storage_check::StorageAnswer};

/// Whether the server should get new clients, and if not, why.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, EnumIter, EnumString, IntoStaticStr)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Condition {
    /// It takes clients.
    Ready,
    /// It will stop soon, and takes no new rooms.
    Draining,
    /// An operator lets it take no new rooms until further notice, and another node takes them.
    Paused,
    /// Its database file cannot be written.
    NoDisk,
    /// The database fails, or does not answer.
    NoDatabase,
    /// The node has not connected to the bus yet.
    NoBus,
    /// This node, and no other, has lost the bus.
    CutOff,
    /// The database does not answer the node's heartbeats.
    NoHeartbeat,
}

/// What an operator should look at, although the server takes clients.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, EnumIter, EnumString, IntoStaticStr)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Warning {
    /// Less space is free than `disk-reserve`: no rooms are made, and games go on.
    LowDisk,
    /// The last scheduled backup is older than twice `backup-every`.
    OldBackup,
    /// An operator lets it take no new rooms until further notice. No other node takes them, so clients still come.
    Paused,
}

/// How a server is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Health {
    /// Whether it takes clients.
    pub condition: Condition,
    /// What to look at, the most important first.
    pub warnings: Vec<Warning>,
}

/// What is known about a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Facts {
    pub(crate) is_draining: bool,
    pub(crate) is_paused: bool,
    /// Whether another node takes the clients that this one does without.
    pub(crate) others_take_rooms: bool,
    pub(crate) lacks_bus: bool,
    pub(crate) is_cut_off: bool,
    pub(crate) is_out_of_date: bool,
    pub(crate) storage: StorageAnswer,
    pub(crate) disk: DiskLevel,
    pub(crate) is_backup_old: bool,
}

impl Condition {
    /// The word for programs. It never changes.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The sentence for people.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Draining => "stopping",
            Self::Paused => "paused by an operator",
            Self::NoDisk => "the disk cannot be written",
            Self::NoDatabase => "the database fails",
            Self::NoBus => "waits for the bus",
            Self::CutOff => "cut off from the other nodes",
            Self::NoHeartbeat => "the database does not answer its heartbeats",
        }
    }
}

impl Warning {
    /// The word for programs. It never changes.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The sentence for people.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::LowDisk => "the disk is almost full, so no rooms are made",
            Self::OldBackup => "the last backup is too old",
            Self::Paused => Condition::Paused.sentence(),
        }
    }
}

impl Health {
    /// A server of which this is known.
    pub(crate) fn of(facts: Facts) -> Self {
        let low_disk = (facts.disk == DiskLevel::Low).then_some(Warning::LowDisk);
        let old_backup = facts.is_backup_old.then_some(Warning::OldBackup);
        let is_alone = facts.is_paused && !facts.others_take_rooms;
        let paused = is_alone.then_some(Warning::Paused);
        let warnings = low_disk.into_iter().chain(old_backup).chain(paused).collect();
        Self { condition: condition(facts), warnings }
    }

    /// What operators read on the server's page: why it takes no clients, or no rooms.
    pub(crate) fn readiness(&self) -> &'static str {
        let is_paused =
            self.condition == Condition::Ready && self.warnings.contains(&Warning::Paused);
        if is_paused { Warning::Paused.sentence() } else { self.condition.sentence() }
    }
}

/// A node that cannot reach the others sends its clients to them, even if the storage works.
fn condition(facts: Facts) -> Condition {
    let Facts {
        is_draining,
        is_paused,
        others_take_rooms,
        lacks_bus,
        is_cut_off,
        is_out_of_date,
        storage,
        disk,
        ..
    } = facts;
    if is_draining {
        return Condition::Draining;
    }
    if is_paused && others_take_rooms {
        return Condition::Paused;
    }
    if lacks_bus {
        return Condition::NoBus;
    }
    if is_cut_off {
        return Condition::CutOff;
    }
    if is_out_of_date {
        return Condition::NoHeartbeat;
    }
    match (storage, disk) {
        (StorageAnswer::Works, _) => Condition::Ready,
        // A file has nothing else below it that fails.
        (StorageAnswer::Fails, DiskLevel::Low | DiskLevel::Enough) => Condition::NoDisk,
        (StorageAnswer::Fails, DiskLevel::Elsewhere)
        | (StorageAnswer::Silent | StorageAnswer::Damaged, _) => Condition::NoDatabase,
    }
}

/// One line for people.
impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.condition.sentence())?;
        if self.condition != Condition::Ready {
            write!(f, " ({})", self.condition.word())?;
        }
        for warning in &self.warnings {
            write!(f, "; {} ({})", warning.sentence(), warning.word())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;

    const WELL: Facts = Facts {
        is_draining: false,
        is_paused: false,
        others_take_rooms: true,
        lacks_bus: false,
        is_cut_off: false,
        is_out_of_date: false,
        storage: StorageAnswer::Works,
        disk: DiskLevel::Enough,
        is_backup_old: false,
    };

    #[test]
    fn each_fact_has_its_state() {
        use StorageAnswer::{Damaged, Fails, Silent};
        let cases = [
            (WELL, "ready"),
            (Facts { is_draining: true, storage: Fails, ..WELL }, "draining"),
            (Facts { is_paused: true, storage: Fails, ..WELL }, "paused"),
            (Facts { storage: Fails, ..WELL }, "no_disk"),
            (Facts { storage: Fails, disk: DiskLevel::Elsewhere, ..WELL }, "no_database"),
            (Facts { storage: Silent, ..WELL }, "no_database"),
            (Facts { storage: Damaged, ..WELL }, "no_database"),
            (Facts { lacks_bus: true, is_cut_off: true, ..WELL }, "no_bus"),
            (Facts { is_cut_off: true, is_out_of_date: true, ..WELL }, "cut_off"),
            (Facts { is_out_of_date: true, storage: Fails, ..WELL }, "no_heartbeat"),
        ];
        for (facts, word) in cases {
            let health = Health::of(facts);
            assert_eq!(health.condition.word(), word, "{facts:?}");
            assert_eq!(health.warnings, [], "{facts:?}");
            assert_eq!(word.parse(), Ok(health.condition));
        }
    }

    #[test]
    fn a_server_with_little_space_is_ready_and_says_so() {
        let low = Facts { disk: DiskLevel::Low, ..WELL };
        let health = Health::of(low);
        assert_eq!(health.condition, Condition::Ready);
        let line = health.to_string();
        assert_eq!(line, "ready; the disk is almost full, so no rooms are made (low_disk)");
        let health = Health::of(Facts { is_draining: true, ..low });
        assert_eq!(
            (health.condition, health.warnings),
            (Condition::Draining, vec![Warning::LowDisk])
        );
        let health = Health::of(Facts { is_backup_old: true, ..low });
        assert_eq!(health.warnings, [Warning::LowDisk, Warning::OldBackup]);
    }

    #[test]
    fn a_server_with_an_old_backup_is_ready_and_says_so() {
        let health = Health::of(Facts { is_backup_old: true, ..WELL });
        assert_eq!(health.condition, Condition::Ready);
        assert_eq!(health.to_string(), "ready; the last backup is too old (old_backup)");
    }

    #[test]
    fn a_paused_server_that_leaves_its_clients_to_nobody_is_ready_and_says_so() {
        let alone = Facts { is_paused: true, others_take_rooms: false, ..WELL };
        let health = Health::of(alone);
        assert_eq!(health.condition, Condition::Ready);
        assert_eq!(health.to_string(), "ready; paused by an operator (paused)");
        let health = Health::of(Facts { lacks_bus: true, ..alone });
        assert_eq!((health.condition, health.warnings), (Condition::NoBus, vec![Warning::Paused]));
    }

    #[test]
    fn each_state_and_warning_has_the_same_word_in_json() {
        for state in Condition::iter() {
            assert_eq!(serde_json::json!(state), state.word());
        }
        for warning in Warning::iter() {
            assert_eq!(serde_json::json!(warning), warning.word());
        }
    }
}
