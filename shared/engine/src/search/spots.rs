//! Points of the engine's window as small numbers, and two kinds of sets of them: [`SpotSet`] by
//! number, for few points to be listed; [`Rows`] by row, for the surroundings of points.

use fivefold_shared::rules::SIDE_MAX;

/// A point's number in its [`Window`](super::grid_window::Window).
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

    /// Adds the points of the other set.
    pub(super) fn unite(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// Keeps the points that are in the other set too.
    pub(super) fn intersect(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// The points in their order, of a window of `len` points.
    pub(super) fn iter(&self, len: usize) -> impl Iterator<Item = Spot> {
        self.words[..len.div_ceil(64).min(WORDS)]
            .iter()
            .zip(0_u16..)
            .flat_map(|(word, number)| bits(*word).map(move |bit| number * 64 + bit))
    }
}

/// A set of points of a window, a word for each row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rows {
    rows: Box<[u64]>,
    width: u8,
}

/// How far the surroundings of a point reach on the axes; in between it is one less.
const NEAR: usize = 3;

/// The rows of the surroundings, from the top; the lowest bit is the column farthest to the left.
const SURROUNDINGS: [u64; 2 * NEAR + 1] =
    [0b100_1001, 0b011_1110, 0b011_1110, 0b111_1111, 0b011_1110, 0b011_1110, 0b100_1001];

/// A few rows as they were.
pub(super) type Saved = [u64; 2 * NEAR + 1];

impl Rows {
    /// No point, of a window of that size.
    pub(super) fn new(width: u8, height: u8) -> Self {
        Self { rows: vec![0; usize::from(height)].into(), width }
    }

    /// Puts a point in, or takes it out.
    pub(super) fn toggle(&mut self, (column, row): (u8, u8)) {
        self.rows[usize::from(row)] ^= 1 << column;
    }

    /// Puts in the surroundings of a point, and returns what was there before.
    pub(super) fn surround(&mut self, (column, row): (u8, u8)) -> Saved {
        let mut saved = [0; 2 * NEAR + 1];
        let (column, row) = (usize::from(column), usize::from(row));
        let within = u64::MAX >> (64 - u32::from(self.width));
        for (index, (bits, saved)) in SURROUNDINGS.into_iter().zip(&mut saved).enumerate() {
            let Some(row) = (row + index).checked_sub(NEAR) else { continue };
            let Some(word) = self.rows.get_mut(row) else { break };
            *saved = *word;
            // Shift the middle of the surroundings onto the column.
            *word |=
                (if column >= NEAR { bits << (column - NEAR) } else { bits >> (NEAR - column) })
                    & within;
        }
        saved
    }

    /// Undoes [`Rows::surround`].
    pub(super) fn restore(&mut self, row: u8, saved: &Saved) {
        for (index, saved) in saved.iter().enumerate() {
            let Some(row) = (usize::from(row) + index).checked_sub(NEAR) else { continue };
            let Some(word) = self.rows.get_mut(row) else { break };
            *word = *saved;
        }
    }

    /// The points that are in this set and not in the other, row by row.
    pub(super) fn without(&self, other: &Self) -> impl Iterator<Item = Spot> {
        let width = Spot::from(self.width);
        self.rows.iter().zip(&other.rows).zip(0..).flat_map(
            move |((word, other), row): (_, Spot)| {
                bits(word & !other).map(move |column| row * width + column)
            },
        )
    }
}

/// The numbers of the set bits, lowest first.
fn bits(mut left: u64) -> impl Iterator<Item = u16> {
    std::iter::from_fn(move || {
        let bit = left.trailing_zeros();
        (left != 0).then(|| {
            left &= left - 1;
            u16::try_from(bit).expect("a word has 64 bits")
        })
    })
}
