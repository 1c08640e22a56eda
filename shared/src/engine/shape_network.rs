//! The network over shapes: its weights, and what it makes of the sums of a position.
//!
//! Every point of the board, empty or not, has a [shape](super::shapes) on each axis, and every shape
//! has a row of numbers for either colour. The four rows of a point are added; what is below zero
//! counts as zero. The sums of that over the board, less those of the empty board, feed a layer of
//! hidden units, which also knows the threats of both sides.
//!
//! Shapes that are rare in the games have the row of the shape that is shorter by one point
//! on either side. `examples/train` fits the weights, and writes them to a file for each variant.

use std::sync::OnceLock;

use pulp::{Arch, Simd, WithSimd};
use rustc_hash::FxHashMap;

use super::{
    eval_features::{CHANCE_SCALE, THREAT_CLASSES},
    shapes::{Folding, REACH, SHAPES},
};
use crate::rules::{Stone, Variant};

/// How many numbers a shape has for one colour.
pub(super) const CHANNELS: usize = 32;
/// Hidden units.
pub(super) const HIDDEN: usize = 32;

/// The sums of a point: for Black, then for White.
pub(super) type PointSum = [i16; 2 * CHANNELS];
/// The sums of a position: for Black, then for White.
pub(super) type BoardSum = [i32; 2 * CHANNELS];

/// What the files begin with: their format and its version.
pub(super) const FORMAT: [u8; 8] = *b"shapes 1";
/// Fixed-point scale of the numbers of shapes.
pub(super) const SCALE: f32 = 64.0;

static FREESTYLE: &[u8] = include_bytes!("shape_network/freestyle.bin");

/// The weights for one variant.
#[derive(Debug)]
pub(super) struct ShapeNetwork {
    /// The instructions that the processor has.
    pub(super) arch: Arch,
    rows: Rows,
    bias: PointSum,
    /// By number of the side that moves, then of the other: a weight for each hidden unit.
    hidden: Box<[[f32; HIDDEN]; 2 * CHANNELS]>,
    outputs: [f32; HIDDEN],
    /// By [`threat_class`](super::eval_features::threat_class).
    threats: Vec<ThreatBias>,
}

/// The numbers of shapes.
#[derive(Debug)]
struct Rows {
    /// By shape: the number of its row.
    row_of: Box<[u16]>,
    /// For Black, then for White.
    rows: Box<[[i8; 2 * CHANNELS]]>,
}

#[derive(Debug)]
struct ThreatBias {
    hidden: [f32; HIDDEN],
    output: f32,
}

impl ShapeNetwork {
    /// The network for a variant, read on first use; `None` where there is none. That for freestyle also
    /// measured better than none by the other rules of five in a row named here.
    pub(super) fn of(variant: Variant) -> Option<&'static Self> {
        static CELL: OnceLock<ShapeNetwork> = OnceLock::new();
        match variant {
            Variant::Freestyle | Variant::Mnk { k: 5 } | Variant::Standard | Variant::Renju => {
                let network = || Self::read(FREESTYLE).expect("the file is as it was written");
                Some(CELL.get_or_init(network))
            }
            _ => None,
        }
    }

    /// The numbers of a shape.
    #[inline(always)]
    pub(super) fn row(&self, shape: u32) -> &[i8; 2 * CHANNELS] {
        &self.rows.rows[usize::from(self.rows.row_of[shape as usize])]
    }

    /// The sum of a point with these shapes.
    pub(super) fn sum(&self, shapes: [u32; 4]) -> PointSum {
        shapes.into_iter().fold(self.bias, |mut sum, shape| {
            for (sum, number) in sum.iter_mut().zip(self.row(shape)) {
                *sum += i16::from(*number);
            }
            sum
        })
    }

    /// The value for the side to move, in the units of the search.
    pub(super) fn value(&self, sum: &BoardSum, moving: Stone, threats: usize) -> i32 {
        self.arch.dispatch(Judgement {
            network: self,
            sum,
            moving,
            threats: &self.threats[threats],
        })
    }

    fn read(file: &[u8]) -> Option<Self> {
        let (_, content) = split(file)?;
        let mut reader = Reader(content);
        let mut bias = [0; 2 * CHANNELS];
        let (black, white) = bias.split_at_mut(CHANNELS);
        for number in black.iter_mut() {
            *number = i16::from_le_bytes(reader.bytes()?);
        }
        white.copy_from_slice(black);
        let mut hidden = Box::new([[0.0; HIDDEN]; 2 * CHANNELS]);
        for weights in hidden.iter_mut() {
            *weights = reader.floats()?;
        }
        let outputs = reader.floats()?;
        let threat =
            |_| Some(ThreatBias { hidden: reader.floats()?, output: reader.floats::<1>()?[0] });
        let threats = (0..THREAT_CLASSES).map(threat).collect::<Option<_>>()?;
        let rows = reader.rows()?;
        Some(Self { arch: Arch::new(), rows, bias, hidden, outputs, threats })
    }
}

/// The computation of a value.
struct Judgement<'a> {
    network: &'a ShapeNetwork,
    sum: &'a BoardSum,
    moving: Stone,
    threats: &'a ThreatBias,
}

impl WithSimd for Judgement<'_> {
    type Output = i32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> i32 {
        let mut hidden = self.threats.hidden;
        let (black, white) = self.sum.split_at(CHANNELS);
        let [own, other] = match self.moving {
            Stone::Black => [black, white],
            Stone::White => [white, black],
        };
        for (number, weights) in own.iter().chain(other).zip(self.network.hidden.iter()) {
            let number = *number as f32;
            for (sum, weight) in hidden.iter_mut().zip(weights) {
                *sum += number * weight;
            }
        }
        let active = hidden.iter().zip(&self.network.outputs);
        let sum: f32 = active.map(|(unit, weight)| unit.max(0.0) * weight).sum();
        in_units(self.threats.output + sum)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a number out of range becomes the nearest one"
)]
const fn in_units(value: f32) -> i32 {
    (value * CHANCE_SCALE) as i32
}

/// The hash in a file (SHA-256), and the content that it is of. A test compares them: the file is
/// compiled in, so it cannot change later.
fn split(file: &[u8]) -> Option<(&[u8; 32], &[u8])> {
    file.strip_prefix(&FORMAT)?.split_first_chunk()
}

/// The rest of a file.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes<const COUNT: usize>(&mut self) -> Option<[u8; COUNT]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn floats<const COUNT: usize>(&mut self) -> Option<[f32; COUNT]> {
        let mut floats = [0.0; COUNT];
        for float in &mut floats {
            *float = f32::from_le_bytes(self.bytes()?);
        }
        Some(floats)
    }

    /// Reads which folded shapes have rows, one bit each, and those rows: of the greatest reach, and of
    /// the next.
    fn rows(&mut self) -> Option<Rows> {
        let mut colours: Vec<[i8; CHANNELS]> = Vec::new();
        let mut levels: Vec<(Folding, Vec<Option<u16>>)> = Vec::new();
        for folding in [Folding::new(REACH), Folding::new(REACH - 1)] {
            let mut row_of = vec![None; folding.count()];
            let (bits, rest) = self.0.split_at_checked(folding.count().div_ceil(8))?;
            self.0 = rest;
            for (index, row_of) in row_of.iter_mut().enumerate() {
                if bits[index / 8] >> (index % 8) & 1 == 1 {
                    *row_of = Some(u16::try_from(colours.len()).ok()?);
                    colours.push(self.bytes()?.map(u8::cast_signed));
                }
            }
            levels.push((folding, row_of));
        }
        let mut rows = Vec::new();
        let mut numbers: FxHashMap<[u16; 2], u16> = FxHashMap::default();
        let mut row_of = Vec::new();
        for shape in 0..SHAPES {
            let mut pair = [0; 2];
            for stone in Stone::BOTH {
                pair[stone as usize] = levels
                    .iter()
                    .find_map(|(folding, row_of)| row_of[folding.number(shape, stone) as usize])?;
            }
            let number = match numbers.get(&pair) {
                Some(number) => *number,
                None => {
                    let number = u16::try_from(rows.len()).ok()?;
                    numbers.insert(pair, number);
                    let mut row = [0; 2 * CHANNELS];
                    let [black, white] = pair.map(|row| colours[usize::from(row)]);
                    row[..CHANNELS].copy_from_slice(&black);
                    row[CHANNELS..].copy_from_slice(&white);
                    rows.push(row);
                    number
                }
            };
            row_of.push(number);
        }
        Some(Rows { row_of: row_of.into(), rows: rows.into() })
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_file_is_as_it_was_written() {
        let (hash, content) = split(FREESTYLE).unwrap();
        assert_eq!(Sha256::digest(content)[..], hash[..]);
    }

    #[test]
    fn a_file_that_was_cut_or_has_another_format_is_not_read() {
        assert!(ShapeNetwork::read(FREESTYLE).is_some());
        for length in [0, FORMAT.len(), FORMAT.len() + 32, FREESTYLE.len() - 1] {
            assert!(ShapeNetwork::read(&FREESTYLE[..length]).is_none(), "{length}");
        }
        let mut other = FREESTYLE.to_vec();
        other[FORMAT.len() - 1] += 1;
        assert!(ShapeNetwork::read(&other).is_none());
    }
}
