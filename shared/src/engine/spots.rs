//! Points of the engine's window as small numbers, and sets of them.

use crate::rules::SIDE_MAX;

/// A point's number in its [`Window`](super::window::Window).
pub(super) type Spot = u16;

/// The spot with that number.
pub(super) fn spot(number: usize) -> Spot {
    Spot::try_from(number).expect("a window has few enough points")
}

/// The most points that a window can have.
pub(super) const SPOTS_MAX: usize = SIDE_MAX as usize * SIDE_MAX as usize;

const WORDS: usize = SPOTS_MAX / 64;

/// A set of points of a window, one bit each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SpotSet {
    words: [u64; WORDS],
}

impl SpotSet {
    /// No point.
    pub(super) const EMPTY: Self = Self { words: [0; WORDS] };

    /// Puts a point in, or takes it out.
    pub(super) const fn toggle(&mut self, spot: Spot) {
        self.words[spot as usize / 64 % WORDS] ^= 1 << (spot % 64);
    }

    /// Puts a point in.
    pub(super) const fn insert(&mut self, spot: Spot) {
        self.words[spot as usize / 64 % WORDS] |= 1 << (spot % 64);
    }

    /// Whether the point is in the set.
    pub(super) const fn contains(&self, spot: Spot) -> bool {
        self.words[spot as usize / 64 % WORDS] >> (spot % 64) & 1 == 1
    }

    /// Keeps the points that are in the other set too.
    pub(super) fn intersect(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// The points in their order, of a window of `len` points.
    pub(super) fn iter(&self, len: usize) -> impl Iterator<Item = Spot> {
        self.words[..len.div_ceil(64).min(WORDS)].iter().zip(0_u16..).flat_map(|(word, number)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                (left != 0).then(|| {
                    left &= left - 1;
                    number * 64 + u16::try_from(bit).expect("a word has 64 bits")
                })
            })
        })
    }
}
