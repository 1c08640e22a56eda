//! The transposition table: what is known of positions met before, in bounded memory.

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

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Known {
    /// The value for the side to move; wins are counted from this position.
    pub(super) value: i32,
    /// How the value is to be taken.
    pub(super) bound: Bound,
    /// How deep it was searched.
    pub(super) depth: i32,
    /// The best move.
    pub(super) best: Option<Spot>,
}

/// Positions by their hash, two in each bucket: the deeper one, and the one that came last.
///
/// Several threads may use it at once without waiting for each other. An entry is two words that
/// are written one after the other, the first of them the hash with the second mixed in; of an
/// entry that two threads wrote at the same time the words do not fit together, so it is not found.
#[derive(Debug)]
pub(super) struct Table {
    buckets: Box<[[Entry; 2]]>,
    /// Which search is under way, so that what earlier ones left behind gives way.
    age: u8,
}

#[derive(Debug, Default)]
struct Entry {
    mixed: AtomicU64,
    packed: AtomicU64,
}

/// What an entry says, taken apart.
#[derive(Clone, Copy)]
struct Said {
    known: Known,
    age: u8,
}

const NO_MOVE: Spot = Spot::MAX;

impl Entry {
    /// The hash that it is about, and what it says.
    fn load(&self) -> (u64, u64) {
        let packed = self.packed.load(Ordering::Relaxed);
        (self.mixed.load(Ordering::Relaxed) ^ packed, packed)
    }

    fn store(&self, hash: u64, packed: u64) {
        self.packed.store(packed, Ordering::Relaxed);
        self.mixed.store(hash ^ packed, Ordering::Relaxed);
    }
}

impl Said {
    fn unpacked(packed: u64) -> Self {
        let [value_low, value_high, best_low, best_high, depth, bound, age, _] =
            packed.to_le_bytes();
        let best = Spot::from_le_bytes([best_low, best_high]);
        let known = Known {
            value: i16::from_le_bytes([value_low, value_high]).into(),
            bound: match bound {
                0 => Bound::Upper,
                1 => Bound::Lower,
                _ => Bound::Exact,
            },
            depth: i8::from_le_bytes([depth]).into(),
            best: (best != NO_MOVE).then_some(best),
        };
        Self { known, age }
    }

    fn packed(self) -> u64 {
        let Known { value, bound, depth, best } = self.known;
        let value = i16::try_from(value).expect("values are those of the search").to_le_bytes();
        let best = best.unwrap_or(NO_MOVE).to_le_bytes();
        let [depth] = i8::try_from(depth).unwrap_or(i8::MAX).to_le_bytes();
        u64::from_le_bytes([value[0], value[1], best[0], best[1], depth, bound as u8, self.age, 1])
    }
}

impl Table {
    /// A table of about that many bytes, one bucket at the least.
    pub(super) fn new(bytes: usize) -> Self {
        let count = bytes / size_of::<[Entry; 2]>();
        let count = if count < 2 { 1 } else { 1 << count.ilog2() };
        Self { buckets: (0..count).map(|_| Default::default()).collect(), age: 0 }
    }

    /// Forgets every position.
    pub(super) fn clear(&mut self) {
        self.buckets.iter_mut().for_each(|bucket| *bucket = Default::default());
    }

    /// A new search begins.
    pub(super) const fn begin(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    /// What is known of a position.
    pub(super) fn recall(&self, hash: u64) -> Option<Known> {
        let entries = self.bucket(hash).iter().map(Entry::load);
        let (_, packed) = entries.into_iter().find(|(key, packed)| *key == hash && *packed != 0)?;
        Some(Said::unpacked(packed).known)
    }

    /// Remembers a position.
    pub(super) fn remember(&self, hash: u64, known: Known) {
        let [deep, last] = self.bucket(hash);
        let (key, packed) = deep.load();
        let before = Said::unpacked(packed);
        let mut said = Said { known, age: self.age };
        let gives_way = packed == 0 || before.age != self.age || before.known.depth <= known.depth;
        if key == hash && packed != 0 {
            said.known.best = known.best.or(before.known.best);
            deep.store(hash, said.packed());
        } else if gives_way {
            last.store(key, packed);
            deep.store(hash, said.packed());
        } else {
            last.store(hash, said.packed());
        }
    }

    fn bucket(&self, hash: u64) -> &[Entry; 2] {
        &self.buckets[slot(hash, self.buckets.len())]
    }
}

/// Where a hash belongs among so many places, which are a power of two.
#[expect(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
pub(super) const fn slot(hash: u64, places: usize) -> usize {
    hash as usize & (places - 1)
}
