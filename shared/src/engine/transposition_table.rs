//! The transposition table: results for known positions, in bounded memory.

use std::sync::atomic::{AtomicU64, Ordering};

use super::spots::Spot;

/// How a stored value relates to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// The true value is this or less.
    Upper,
    /// The true value is this or more.
    Lower,
    /// The value itself.
    Exact,
}

/// An entry for a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TableEntry {
    /// The value for the side to move; wins are counted from this position.
    pub(super) value: i32,
    /// Whether the value is exact or a bound.
    pub(super) bound: Bound,
    /// How deep it was searched.
    pub(super) depth: i32,
    /// The best move.
    pub(super) best: Option<Spot>,
}

/// Positions by their hash, two in each bucket: the deeper one, and the one that came last.
///
/// Several threads may use it at once without waiting for each other. An entry is two words that
/// are written one after the other, the first of them the hash with the second mixed in. If two
/// threads write an entry at the same time, its words do not match, so it is not found.
#[derive(Debug)]
pub(super) struct TranspositionTable {
    buckets: Box<[[AtomicEntry; 2]]>,
    /// The number of the current search, so that older entries give way.
    age: u8,
    /// Entries of another generation count as absent, so that forgetting
    /// everything takes no time. Never 0, which is that of an entry that was never written.
    generation: u8,
}

#[derive(Debug, Default)]
struct AtomicEntry {
    mixed: AtomicU64,
    packed: AtomicU64,
}

/// An unpacked entry with its age.
#[derive(Clone, Copy)]
struct AgedEntry {
    entry: TableEntry,
    age: u8,
}

const NO_MOVE: Spot = Spot::MAX;

impl AtomicEntry {
    /// The hash and the packed entry; zeros for an empty one.
    fn load(&self, generation: u8) -> (u64, u64) {
        let packed = self.packed.load(Ordering::Relaxed);
        let [.., written_in] = packed.to_le_bytes();
        if written_in != generation {
            return (0, 0);
        }
        (self.mixed.load(Ordering::Relaxed) ^ packed, packed)
    }

    fn store(&self, hash: u64, packed: u64) {
        self.packed.store(packed, Ordering::Relaxed);
        self.mixed.store(hash ^ packed, Ordering::Relaxed);
    }
}

impl AgedEntry {
    fn unpacked(packed: u64) -> Self {
        let [value_low, value_high, best_low, best_high, depth, bound, age, _] =
            packed.to_le_bytes();
        let best = Spot::from_le_bytes([best_low, best_high]);
        let entry = TableEntry {
            value: i16::from_le_bytes([value_low, value_high]).into(),
            bound: match bound {
                0 => Bound::Upper,
                1 => Bound::Lower,
                _ => Bound::Exact,
            },
            depth: i8::from_le_bytes([depth]).into(),
            best: (best != NO_MOVE).then_some(best),
        };
        Self { entry, age }
    }

    fn packed(self, generation: u8) -> u64 {
        let TableEntry { value, bound, depth, best } = self.entry;
        let value = i16::try_from(value).expect("values are those of the search").to_le_bytes();
        let best = best.unwrap_or(NO_MOVE).to_le_bytes();
        let [depth] = i8::try_from(depth).unwrap_or(i8::MAX).to_le_bytes();
        let bound = bound as u8;
        let [low, high] = value;
        u64::from_le_bytes([low, high, best[0], best[1], depth, bound, self.age, generation])
    }
}

impl TranspositionTable {
    /// A table of about that many bytes, one bucket at the least.
    pub(super) fn new(bytes: usize) -> Self {
        let count = bytes / size_of::<[AtomicEntry; 2]>();
        let count = if count < 2 { 1 } else { 1 << count.ilog2() };
        let buckets = (0..count).map(|_| Default::default()).collect();
        Self { buckets, age: 0, generation: 1 }
    }

    /// Forgets every position.
    pub(super) fn clear(&mut self) {
        self.generation = self.generation.checked_add(1).unwrap_or_else(|| {
            // The numbers are used up: entries of the first generation would be found again.
            self.buckets.iter_mut().for_each(|bucket| *bucket = Default::default());
            1
        });
    }

    /// A new search begins.
    pub(super) const fn begin(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    /// The entry for a position, if any.
    pub(super) fn probe(&self, hash: u64) -> Option<TableEntry> {
        let entries = self.bucket(hash).iter().map(|entry| entry.load(self.generation));
        let (_, packed) = entries.into_iter().find(|(key, packed)| *key == hash && *packed != 0)?;
        Some(AgedEntry::unpacked(packed).entry)
    }

    /// Remembers a position.
    pub(super) fn store(&self, hash: u64, entry: TableEntry) {
        let [deep, last] = self.bucket(hash);
        let (key, packed) = deep.load(self.generation);
        let before = AgedEntry::unpacked(packed);
        let mut aged = AgedEntry { entry, age: self.age };
        let gives_way = packed == 0 || before.age != self.age || before.entry.depth <= entry.depth;
        if key == hash && packed != 0 {
            aged.entry.best = entry.best.or(before.entry.best);
            deep.store(hash, aged.packed(self.generation));
        } else if gives_way {
            last.store(key, packed);
            deep.store(hash, aged.packed(self.generation));
        } else {
            last.store(hash, aged.packed(self.generation));
        }
    }

    fn bucket(&self, hash: u64) -> &[AtomicEntry; 2] {
        &self.buckets[slot(hash, self.buckets.len())]
    }
}

/// Mixed into the hashes under which a search remembers positions. The next salt hides all older
/// entries, which clears the memory at once.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Salt(u64);

impl Salt {
    /// Another salt than all before.
    pub(super) const fn next(self) -> Self {
        // Keep the bits that select a hash's slot.
        Self(self.0.wrapping_add(SALT_STEP))
    }

    /// The part of a hash that is compared with the stored one.
    pub(super) const fn mixed_into(self, hash: u64) -> u64 {
        hash ^ self.0
    }
}

/// An odd number: as many salts as there are numbers. The lowest eight bits are not compared.
const SALT_STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The index of a hash in a table of `places` entries, a power of two.
#[expect(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
pub(super) const fn slot(hash: u64, places: usize) -> usize {
    hash as usize & (places - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_cleared_is_not_found_however_often_it_is_cleared() {
        let entry = TableEntry { value: 7, bound: Bound::Exact, depth: 3, best: Some(9) };
        let hash = 0x1234_5678_9abc_def0;
        // As many as there are generations, and one more.
        for times in [1, 2, 254, 255, 256] {
            let mut table = TranspositionTable::new(1 << 10);
            table.store(hash, entry);
            assert_eq!(table.probe(hash), Some(entry));
            for _ in 0..times {
                table.clear();
                assert_eq!(table.probe(hash), None, "{times}");
            }
            table.store(hash, entry);
            assert_eq!(table.probe(hash), Some(entry), "{times}");
        }
    }

    #[test]
    fn what_was_cleared_gives_way_as_if_it_was_not_there() {
        // Two positions of one bucket: the shallow one would not replace the deep one.
        let entry = |depth| TableEntry { value: 0, bound: Bound::Exact, depth, best: None };
        let mut used = TranspositionTable::new(1 << 10);
        used.store(64, entry(50));
        used.store(128, entry(40));
        used.clear();
        let mut fresh = TranspositionTable::new(1 << 10);
        for (hash, depth) in [(192, 1), (256, 2), (320, 1), (192, 3)] {
            for table in [&used, &fresh] {
                table.store(hash, entry(depth));
            }
            for asked in [64, 128, 192, 256, 320] {
                assert_eq!(used.probe(asked), fresh.probe(asked), "{hash} {asked}");
            }
        }
        fresh.clear();
    }
}
