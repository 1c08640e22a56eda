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

/// Twice as many are used once one in so many was stored: fuller tables lose more than they save.
const FILLED: usize = 32;

/// Bytes by hash. Each entry is the hash without its lowest byte, and the byte.
#[derive(Debug)]
pub(super) struct ProofTable {
    entries: Box<[u64]>,
    /// How many of the entries are used, the first ones: a power of two.
    used: usize,
    /// How many positions were stored since that number changed.
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
        if self.stored > self.used / FILLED && self.used < self.entries.len() {
            // Wherever an entry is looked for now, one of two places, it is found.
            self.entries.copy_within(..self.used, self.used);
            (self.used, self.stored) = (2 * self.used, 0);
        }
        let index = slot(key, self.used);
        self.entries[index] = self.salt.mixed_into(key) >> 8 << 8 | u64::from(known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys that differ in what is compared, and 256 of them in where they are stored.
    fn key(number: u64) -> u64 {
        number << 8 | number & 0xff
    }

    #[test]
    fn it_grows_as_it_fills_and_forgets_nothing_by_that() {
        let mut table = ProofTable::new(4 * USED_AT_FIRST);
        let filled = u64::try_from(USED_AT_FIRST / FILLED).unwrap();
        (0..filled).for_each(|number| table.set(key(number), 1));
        assert_eq!(table.used, USED_AT_FIRST);
        table.set(key(filled), 1);
        assert_eq!(table.used, 2 * USED_AT_FIRST);
        (filled + 1..4 * filled).for_each(|number| table.set(key(number), 1));
        assert_eq!(table.used, table.entries.len());
        assert!((0..4 * filled).all(|number| table.get(key(number)) == Some(1)));
        // It is at its greatest.
        (4 * filled..20 * filled).for_each(|number| table.set(key(number), 1));
        assert_eq!(table.used, table.entries.len());
    }

    #[test]
    fn a_cleared_table_is_small_and_empty() {
        let mut table = ProofTable::new(4 * USED_AT_FIRST);
        (0..1_000).for_each(|number| table.set(key(number), 1));
        table.clear();
        assert_eq!(table.used, USED_AT_FIRST);
        assert!((0..1_000).all(|number| table.get(key(number)).is_none()));
    }

    #[test]
    fn a_table_smaller_than_the_first_size_is_used_whole() {
        let mut table = ProofTable::new(8);
        (0..100).for_each(|number| table.set(number, 1));
        assert_eq!((table.used, table.get(99)), (8, Some(1)));
    }
}
