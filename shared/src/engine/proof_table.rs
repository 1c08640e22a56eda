//! The memory of a threat search: one byte about each position, found by its hash. A newer position
//! takes the place of an older one.
//!
//! Most searches remember few positions, and those would lie far apart in a large table, where the
//! processor takes longer to fetch one than to search it again. So the table uses only as many of its
//! entries as it needs.

use prefetch_index::prefetch_index;

use super::transposition_table::{Salt, slot};

/// How many entries are used at first.
const USED_AT_FIRST: usize = 1 << 11;

/// Bytes by hash. Each entry is the hash without its lowest byte, and the byte.
#[derive(Debug)]
pub(super) struct ProofTable {
    entries: Box<[u64]>,
    /// How many of the entries are used, the first ones: a power of two.
    used: usize,
    /// How many positions were stored since they are so many.
    stored: usize,
    salt: Salt,
}

impl ProofTable {
    /// A table for so many positions, which is a power of two.
    pub(super) fn new(entries: usize) -> Self {
        debug_assert!(entries.is_power_of_two(), "entries are found by the low bits of a hash");
        let used = entries.min(USED_AT_FIRST);
        Self { entries: vec![0; entries].into(), used, stored: 0, salt: Salt::default() }
    }

    /// Forgets every position.
    pub(super) fn clear(&mut self) {
        self.salt = self.salt.next();
        self.used = self.entries.len().min(USED_AT_FIRST);
        self.stored = 0;
    }

    pub(super) fn get(&self, key: u64) -> Option<u8> {
        let entry = self.entries[slot(key, self.used)];
        let [known, ..] = entry.to_le_bytes();
        (entry >> 8 == self.salt.mixed_into(key) >> 8).then_some(known)
    }

    /// Lets the processor begin to fetch what is known of a position.
    pub(super) fn prefetch(&self, key: u64) {
        prefetch_index(&self.entries, slot(key, self.used));
    }

    pub(super) fn set(&mut self, key: u64, known: u8) {
        self.stored += 1;
        if self.stored > self.used / 32 && self.used < self.entries.len() {
            // Wherever an entry is looked for now, one of two places, it is found.
            self.entries.copy_within(..self.used, self.used);
            (self.used, self.stored) = (2 * self.used, 0);
        }
        let index = slot(key, self.used);
        self.entries[index] = self.salt.mixed_into(key) >> 8 << 8 | u64::from(known);
    }
}
