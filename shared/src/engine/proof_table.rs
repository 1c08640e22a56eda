//! The memory of a threat search: one byte about each position, found by its hash. A newer position
//! takes the place of an older one.

use super::transposition_table::{Salt, slot};

/// Bytes by hash. Each entry is the hash without its lowest byte, and the byte.
#[derive(Debug)]
pub(super) struct ProofTable {
    entries: Box<[u64]>,
    salt: Salt,
}

impl ProofTable {
    /// A table for so many positions, which is a power of two.
    pub(super) fn new(entries: usize) -> Self {
        debug_assert!(entries.is_power_of_two(), "entries are found by the low bits of a hash");
        Self { entries: vec![0; entries].into(), salt: Salt::default() }
    }

    /// Forgets every position.
    pub(super) fn clear(&mut self) {
        self.salt = self.salt.next();
    }

    pub(super) fn get(&self, key: u64) -> Option<u8> {
        let entry = self.entries[slot(key, self.entries.len())];
        let [known, ..] = entry.to_le_bytes();
        (entry >> 8 == self.salt.mixed_into(key) >> 8).then_some(known)
    }

    pub(super) fn set(&mut self, key: u64, known: u8) {
        let index = slot(key, self.entries.len());
        self.entries[index] = self.salt.mixed_into(key) >> 8 << 8 | u64::from(known);
    }
}
