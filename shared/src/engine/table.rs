//! The transposition table: what is known of positions met before, in bounded memory.

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
#[derive(Debug)]
pub(super) struct Table {
    buckets: Box<[[Entry; 2]]>,
    /// Which search is under way, so that what earlier ones left behind gives way.
    age: u8,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    value: i16,
    best: Spot,
    depth: i8,
    bound: Bound,
    age: u8,
}

const NO_MOVE: Spot = Spot::MAX;

const VACANT: Entry =
    Entry { key: 0, value: 0, best: NO_MOVE, depth: i8::MIN, bound: Bound::Upper, age: 0 };

impl Table {
    /// A table of about that many bytes, one bucket at the least.
    pub(super) fn new(bytes: usize) -> Self {
        let count = bytes / size_of::<[Entry; 2]>();
        let count = if count < 2 { 1 } else { 1 << count.ilog2() };
        Self { buckets: vec![[VACANT; 2]; count].into(), age: 0 }
    }

    /// Forgets every position.
    pub(super) fn clear(&mut self) {
        self.buckets.fill([VACANT; 2]);
    }

    /// A new search begins.
    pub(super) const fn begin(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    /// What is known of a position.
    pub(super) fn recall(&self, hash: u64) -> Option<Known> {
        let entry = self.bucket(hash).iter().find(|entry| entry.key == hash)?;
        Some(Known {
            value: entry.value.into(),
            bound: entry.bound,
            depth: entry.depth.into(),
            best: (entry.best != NO_MOVE).then_some(entry.best),
        })
    }

    /// Remembers a position.
    pub(super) fn remember(&mut self, hash: u64, known: Known) {
        let index = self.index(hash);
        let [deep, last] = &mut self.buckets[index];
        let depth = i8::try_from(known.depth).unwrap_or(i8::MAX);
        let mut entry = Entry {
            key: hash,
            value: i16::try_from(known.value).expect("values are those of the search"),
            best: known.best.unwrap_or(NO_MOVE),
            depth,
            bound: known.bound,
            age: self.age,
        };
        if deep.key == hash || deep.age != self.age || deep.depth <= depth {
            if deep.key == hash && known.best.is_none() {
                entry.best = deep.best;
            } else if deep.key != hash {
                *last = *deep;
            }
            *deep = entry;
        } else {
            *last = entry;
        }
    }

    fn bucket(&self, hash: u64) -> &[Entry; 2] {
        &self.buckets[self.index(hash)]
    }

    const fn index(&self, hash: u64) -> usize {
        slot(hash, self.buckets.len())
    }
}

/// Where a hash belongs among so many places, which are a power of two.
#[expect(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
pub(super) const fn slot(hash: u64, places: usize) -> usize {
    hash as usize & (places - 1)
}
