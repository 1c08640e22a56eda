//! The transposition table: results for known positions, in bounded memory.

use std::sync::atomic::{AtomicU64, Ordering};

use prefetch_index::prefetch_index;

use super::{
    node::PLY,
    spots::{SPOTS_MAX, Spot},
};

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
    /// How deep it was searched, in [`quarters`] of a ply.
    pub(super) depth: i32,
    /// Its value without a search, where that is known.
    pub(super) standing: Option<i32>,
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
    buckets: Box<[Bucket]>,
    /// The number of the current search, so that older entries give way; counted up to
    /// [`AGES`].
    age: u8,
    /// Entries of another generation count as absent, so that forgetting
    /// everything takes no time. Never 0, which is that of an entry that was never written.
    generation: u8,
}

/// The entries that a hash leads to: one that gives way to deeper ones, and the last one. In one line of
/// the processor's cache.
#[derive(Debug, Default)]
#[repr(align(32))]
struct Bucket([AtomicEntry; 2]);

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

/// How many ages and generations there are: together they fill a byte.
const AGES: u8 = 1 << 3;
const GENERATIONS: u8 = 1 << 5;

/// The bits of a move in an entry, and all of them, which mean none.
const MOVE_BITS: u32 = SPOTS_MAX.ilog2() + 1;
const NO_MOVE: Spot = (1 << MOVE_BITS) - 1;

/// Stands for a value that is not known.
const NO_STANDING: i16 = i16::MIN;

/// The least depth that entries have, in quarters of a ply, and the greatest.
const SHALLOWEST: i32 = -32;
const DEEPEST: i32 = SHALLOWEST + u8::MAX as i32;

/// A depth as entries have it: in quarters of a ply, rounded down. A greater one than fits counts as
/// [`DEEPEST`].
pub(super) fn quarters(depth: i32) -> i32 {
    depth.div_euclid(PLY / 4).clamp(SHALLOWEST, DEEPEST)
}

impl AtomicEntry {
    /// The hash and the packed entry; zeros for an empty one.
    fn load(&self, generation: u8) -> (u64, u64) {
        let packed = self.packed.load(Ordering::Relaxed);
        let [.., times] = packed.to_le_bytes();
        if times / AGES != generation {
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
        let [value_low, value_high, standing_low, standing_high, low, high, depth, times] =
            packed.to_le_bytes();
        let move_and_bound = u16::from_le_bytes([low, high]);
        let best = move_and_bound & NO_MOVE;
        let standing = i16::from_le_bytes([standing_low, standing_high]);
        let entry = TableEntry {
            value: i16::from_le_bytes([value_low, value_high]).into(),
            bound: match move_and_bound >> MOVE_BITS {
                0 => Bound::Upper,
                1 => Bound::Lower,
                _ => Bound::Exact,
            },
            depth: SHALLOWEST + i32::from(depth),
            standing: (standing != NO_STANDING).then_some(standing.into()),
            best: (best != NO_MOVE).then_some(best),
        };
        Self { entry, age: times % AGES }
    }

    fn packed(self, generation: u8) -> u64 {
        let TableEntry { value, bound, depth, standing, best } = self.entry;
        let number = |value| i16::try_from(value).expect("values are those of the search");
        let [value_low, value_high] = number(value).to_le_bytes();
        let [standing_low, standing_high] = standing.map_or(NO_STANDING, number).to_le_bytes();
        let move_and_bound = best.unwrap_or(NO_MOVE) | (bound as u16) << MOVE_BITS;
        let [low, high] = move_and_bound.to_le_bytes();
        let depth = u8::try_from(depth - SHALLOWEST).expect("a depth is in `quarters`");
        let times = generation * AGES + self.age;
        u64::from_le_bytes([
            value_low,
            value_high,
            standing_low,
            standing_high,
            low,
            high,
            depth,
            times,
        ])
    }
}

impl TranspositionTable {
    /// A table of about that many bytes, one bucket at the least.
    pub(super) fn new(bytes: usize) -> Self {
        let count = bytes / size_of::<Bucket>();
        let count = if count < 2 { 1 } else { 1 << count.ilog2() };
        let buckets = (0..count).map(|_| Default::default()).collect();
        Self { buckets, age: 0, generation: 1 }
    }

    /// Forgets every position.
    pub(super) fn clear(&mut self) {
        self.generation += 1;
        if self.generation == GENERATIONS {
            // The numbers are used up: entries of the first generation would be found again.
            self.buckets.iter_mut().for_each(|bucket| *bucket = Default::default());
            self.generation = 1;
        }
    }

    /// A new search begins.
    pub(super) const fn begin(&mut self) {
        self.age = (self.age + 1) % AGES;
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
            aged.entry.standing = entry.standing.or(before.entry.standing);
            deep.store(hash, aged.packed(self.generation));
        } else if gives_way {
            last.store(key, packed);
            deep.store(hash, aged.packed(self.generation));
        } else {
            last.store(hash, aged.packed(self.generation));
        }
    }

    /// Lets the processor begin to fetch the entry for a position.
    pub(super) fn prefetch(&self, hash: u64) {
        prefetch_index(&self.buckets, slot(hash, self.buckets.len()));
    }

    fn bucket(&self, hash: u64) -> &[AtomicEntry; 2] {
        &self.buckets[slot(hash, self.buckets.len())].0
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
    use crate::search::node::WIN;

    fn entry(depth: i32) -> TableEntry {
        TableEntry { value: 7, bound: Bound::Exact, depth, standing: None, best: None }
    }

    #[test]
    fn an_entry_is_found_as_it_was_stored() {
        let last = Spot::try_from(SPOTS_MAX - 1).unwrap();
        for value in [-WIN, -1, 0, WIN] {
            for bound in [Bound::Upper, Bound::Lower, Bound::Exact] {
                for depth in [SHALLOWEST, -1, 0, DEEPEST] {
                    for standing in [None, Some(-WIN), Some(0), Some(WIN)] {
                        for best in [None, Some(0), Some(last)] {
                            let entry = TableEntry { value, bound, depth, standing, best };
                            let table = TranspositionTable::new(1 << 10);
                            table.store(64, entry);
                            assert_eq!(table.probe(64), Some(entry));
                        }
                    }
                }
            }
        }
        assert_eq!([quarters(i32::MAX), quarters(i32::MIN)], [DEEPEST, SHALLOWEST]);
        assert_eq!([-17, -16, 15, 16].map(quarters), [-2, -1, 0, 1]);
    }

    #[test]
    fn what_a_later_entry_does_not_know_is_kept() {
        let table = TranspositionTable::new(1 << 10);
        table.store(64, TableEntry { standing: Some(5), best: Some(9), ..entry(1) });
        table.store(64, entry(2));
        let both = TableEntry { standing: Some(5), best: Some(9), ..entry(2) };
        assert_eq!(table.probe(64), Some(both));
    }

    #[test]
    fn what_was_cleared_is_not_found_however_often_it_is_cleared() {
        let entry = TableEntry { best: Some(9), ..entry(3) };
        let hash = 0x1234_5678_9abc_def0;
        // As many as there are generations, and one more.
        for times in [1, 2, GENERATIONS - 2, GENERATIONS - 1, GENERATIONS] {
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
