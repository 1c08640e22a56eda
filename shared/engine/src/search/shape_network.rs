//! The network over shapes: its weights, and what it makes of the sums of a position.
//!
//! Every point of the board, empty or not, has a [shape](super::shapes) on each axis, and every shape
//! has a row of numbers for either colour. The four rows of a point are added; what is below zero
//! counts as zero. The sums of that over the board, less those of the empty board, feed two layers of
//! hidden units, which also know the threats of both sides.
//!
//! A row is a sum of two: that of the shape, which all variants share, and that of the patterns in its
//! middle, from one [`perspective`]. Shapes that are rare in the games have the row of the shape that is
//! shorter by one point on either side. The hidden units belong to a perspective as well.
//! `examples/train` fits the weights to games by all variants at once, and writes the file.

use std::sync::OnceLock;

use fivefold_shared::rules::{Stone, Variant};
use prefetch_index::prefetch_index;
use pulp::{Arch, Simd, WithSimd};
use rustc_hash::FxHashMap;

use super::{
    eval_features::{CHANCE_SCALE, PATTERNS, THREAT_CLASSES},
    pattern_tables::Tables,
    shapes::{self, Folding, REACH, SHAPES},
};

/// How many numbers a shape has for one colour.
pub(super) const CHANNELS: usize = 32;
/// Hidden units of each layer.
pub(super) const HIDDEN: usize = 32;

/// The sums of a point: for Black, then for White.
pub(super) type PointSum = [i16; 2 * CHANNELS];
/// The sums of a position: for Black, then for White.
pub(super) type BoardSum = [i32; 2 * CHANNELS];

/// How many perspectives there are.
pub(super) const PERSPECTIVES: usize = 6;
/// How many rows of patterns a perspective has: for what both colours would make on an empty point,
/// and for a stone of either.
pub(super) const PATTERN_ROWS: usize = PATTERNS * PATTERNS + 2;

/// What the file begins with: its format and its version.
pub(super) const FORMAT: [u8; 8] = *b"shapes 2";
/// Fixed-point scale of the numbers of shapes.
pub(super) const SCALE: f32 = 64.0;

static FILE: &[u8] = include_bytes!("shape_network/weights.bin");

/// The number of a perspective: of a colour by the rules of a variant. Where the rules treat both
/// colours alike, both have the same. `None` where the network was not fitted to games by the rules.
pub(super) const fn perspective(variant: Variant, stone: Stone) -> Option<usize> {
    match (variant, stone) {
        (Variant::Freestyle | Variant::Mnk { k: 5 }, _) => Some(0),
        (Variant::Standard, _) => Some(1),
        (Variant::Renju, Stone::Black) => Some(2),
        (Variant::Renju, Stone::White) => Some(3),
        (Variant::Caro, _) => Some(4),
        (Variant::CaroOverline, _) => Some(5),
        (Variant::Mnk { .. }, _) => None,
    }
}

/// The number of the row for the patterns in the middle of a shape, or for the stone there, as a
/// colour sees it; less than [`PATTERN_ROWS`].
pub(super) fn pattern_row(tables: &Tables, shape: u32, stone: Stone) -> usize {
    if !shape.is_multiple_of(3) {
        return PATTERNS * PATTERNS + usize::from(shape % 3 == shapes::on(stone));
    }
    let key = shapes::KEYS.cut(shape / 3, tables.keys);
    let [own, other] = [stone, stone.opponent()].map(|stone| tables.pattern(key, stone) as usize);
    PATTERNS * own + other
}

/// The weights for one variant.
#[derive(Debug)]
pub(super) struct ShapeNetwork {
    /// The instructions that the processor has.
    pub(super) arch: Arch,
    rows: Rows,
    bias: PointSum,
    /// By the colour that moves.
    heads: [Head; 2],
}

/// The numbers of shapes.
#[derive(Debug)]
struct Rows {
    /// By shape: the number of its row.
    row_of: Box<[u16]>,
    /// For Black, then for White.
    rows: Box<[Row]>,
}

/// In one line of the processor's cache.
#[derive(Debug)]
#[repr(align(64))]
struct Row([i8; 2 * CHANNELS]);

/// The weights of the hidden units and of the output, from one perspective.
#[derive(Clone, Debug)]
struct Head {
    /// By number of the side that moves, then of the other: a weight for each unit of the first layer.
    first: Box<[[f32; HIDDEN]; 2 * CHANNELS]>,
    /// By unit of the first layer: a weight for each of the second.
    second: Box<[[f32; HIDDEN]; HIDDEN]>,
    second_biases: [f32; HIDDEN],
    outputs: [f32; HIDDEN],
    /// By [`threat_class`](super::eval_features::threat_class).
    threats: Box<[ThreatBias]>,
}

#[derive(Clone, Debug)]
struct ThreatBias {
    first: [f32; HIDDEN],
    output: f32,
}

impl ShapeNetwork {
    /// The network for the variant of these tables, made on first use; `None` where it knows nothing of
    /// the rules.
    pub(super) fn of(tables: &Tables) -> Option<&'static Self> {
        static CELLS: [OnceLock<ShapeNetwork>; PERSPECTIVES] =
            [const { OnceLock::new() }; PERSPECTIVES];
        let cell = &CELLS[perspective(tables.variant, Stone::Black)?];
        let network = || Self::read(FILE, tables).expect("the file is as it was written");
        Some(cell.get_or_init(network))
    }

    /// The number of a shape's row.
    #[inline(always)]
    pub(super) fn row_of(&self, shape: u32) -> u16 {
        self.rows.row_of[shape as usize]
    }

    /// A row of numbers.
    #[inline(always)]
    pub(super) fn row(&self, number: u16) -> &[i8; 2 * CHANNELS] {
        &self.rows.rows[usize::from(number)].0
    }

    /// Lets the processor begin to fetch a row.
    #[inline(always)]
    pub(super) fn prefetch(&self, number: u16) {
        prefetch_index(&self.rows.rows, number.into());
    }

    /// The sum of a point with these shapes.
    pub(super) fn sum(&self, shapes: [u32; 4]) -> PointSum {
        shapes.into_iter().fold(self.bias, |mut sum, shape| {
            for (sum, number) in sum.iter_mut().zip(self.row(self.row_of(shape))) {
                *sum += i16::from(*number);
            }
            sum
        })
    }

    /// The value for the side to move, in the units of the search.
    pub(super) fn value(&self, sum: &BoardSum, moving: Stone, threats: usize) -> i32 {
        let (sides, _) = sum.as_chunks::<CHANNELS>();
        let sides = [moving, moving.opponent()].map(|stone| &sides[stone as usize]);
        let head = &self.heads[moving as usize];
        self.arch.dispatch(Judgement { head, sides, threats: &head.threats[threats] })
    }

    fn read(file: &[u8], tables: &Tables) -> Option<Self> {
        let (_, content) = split(file)?;
        let mut reader = Reader(content);
        let mut bias = [0; 2 * CHANNELS];
        let (black, white) = bias.split_at_mut(CHANNELS);
        for number in black.iter_mut() {
            *number = i16::from_le_bytes(reader.bytes()?);
        }
        white.copy_from_slice(black);
        let parts = (0..PERSPECTIVES).map(|_| Some((reader.head()?, reader.pattern_rows()?)));
        let parts: Vec<_> = parts.collect::<Option<_>>()?;
        let mut colours = Vec::new();
        for stone in Stone::BOTH {
            colours.push(&parts[perspective(tables.variant, stone)?]);
        }
        let heads = [colours[0].0.clone(), colours[1].0.clone()];
        let rows = reader.rows([&colours[0].1, &colours[1].1], tables)?;
        reader.0.is_empty().then_some(Self { arch: Arch::new(), rows, bias, heads })
    }
}

/// The computation of a value.
struct Judgement<'a> {
    head: &'a Head,
    /// The sums of the side that moves and of the other.
    sides: [&'a [i32; CHANNELS]; 2],
    threats: &'a ThreatBias,
}

impl WithSimd for Judgement<'_> {
    type Output = i32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> i32 {
        let Self { head, sides, threats } = self;
        let mut input = [0.0; 2 * CHANNELS];
        for (input, number) in input.iter_mut().zip(sides.into_iter().flatten()) {
            *input = *number as f32;
        }
        let first = layer(&threats.first, &input, &head.first);
        let second = layer(&head.second_biases, &first.map(|unit| unit.max(0.0)), &head.second);
        let mut outputs = [0.0; HIDDEN];
        for (index, output) in outputs.iter_mut().enumerate() {
            *output = second[index].max(0.0) * head.outputs[index];
        }
        in_units(threats.output + total(outputs))
    }
}

/// The units of a layer. Those of either half of the input are summed on their own: what does not
/// depend on each other is computed at once.
#[inline(always)]
fn layer<const INPUT: usize>(
    biases: &[f32; HIDDEN],
    input: &[f32; INPUT],
    weights: &[[f32; HIDDEN]; INPUT],
) -> [f32; HIDDEN] {
    let mut sums = [*biases, [0.0; HIDDEN]];
    for index in 0..INPUT / 2 {
        for (sums, index) in sums.iter_mut().zip([index, index + INPUT / 2]) {
            for (sum, weight) in sums.iter_mut().zip(&weights[index]) {
                *sum += input[index] * weight;
            }
        }
    }
    let [mut units, others] = sums;
    for (unit, other) in units.iter_mut().zip(others) {
        *unit += other;
    }
    units
}

/// The sum of the units, eight at a time.
#[inline(always)]
fn total(units: [f32; HIDDEN]) -> f32 {
    let (chunks, _) = units.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        for (sum, unit) in sums.iter_mut().zip(chunk) {
            *sum += unit;
        }
    }
    sums.iter().sum()
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

    fn head(&mut self) -> Option<Head> {
        let mut first = Box::new([[0.0; HIDDEN]; 2 * CHANNELS]);
        for weights in first.iter_mut() {
            *weights = self.floats()?;
        }
        let mut second = Box::new([[0.0; HIDDEN]; HIDDEN]);
        for weights in second.iter_mut() {
            *weights = self.floats()?;
        }
        let (second_biases, outputs) = (self.floats()?, self.floats()?);
        let threat = |_| Some(ThreatBias { first: self.floats()?, output: self.floats::<1>()?[0] });
        let threats = (0..THREAT_CLASSES).map(threat).collect::<Option<_>>()?;
        Some(Head { first, second, second_biases, outputs, threats })
    }

    fn pattern_rows(&mut self) -> Option<Vec<[i8; CHANNELS]>> {
        (0..PATTERN_ROWS).map(|_| Some(self.bytes()?.map(u8::cast_signed))).collect()
    }

    /// Reads which folded shapes have rows, one bit each, and those rows: of the greatest reach, and of
    /// the next; and adds the rows of patterns, which are Black's and White's.
    fn rows(&mut self, patterns: [&[[i8; CHANNELS]]; 2], tables: &Tables) -> Option<Rows> {
        let mut of_shapes: Vec<[i8; CHANNELS]> = Vec::new();
        let mut levels: Vec<(Folding, Vec<Option<u16>>)> = Vec::new();
        for folding in [Folding::new(REACH), Folding::new(REACH - 1)] {
            let mut row_of = vec![None; folding.count()];
            let (bits, rest) = self.0.split_at_checked(folding.count().div_ceil(8))?;
            self.0 = rest;
            for (index, row_of) in row_of.iter_mut().enumerate() {
                if bits[index / 8] >> (index % 8) & 1 == 1 {
                    *row_of = Some(u16::try_from(of_shapes.len()).ok()?);
                    of_shapes.push(self.bytes()?.map(u8::cast_signed));
                }
            }
            levels.push((folding, row_of));
        }
        let mut rows = Vec::new();
        let mut numbers: FxHashMap<[(u16, u16); 2], u16> = FxHashMap::default();
        let mut row_of = Vec::new();
        for shape in 0..SHAPES {
            let mut parts = [(0, 0); 2];
            for stone in Stone::BOTH {
                let of_shape = levels
                    .iter()
                    .find_map(|(folding, row_of)| row_of[folding.number(shape, stone) as usize])?;
                let of_pattern = u16::try_from(pattern_row(tables, shape, stone)).ok()?;
                parts[stone as usize] = (of_shape, of_pattern);
            }
            let number = match numbers.get(&parts) {
                Some(number) => *number,
                None => {
                    let number = u16::try_from(rows.len()).ok()?;
                    numbers.insert(parts, number);
                    let mut row = [0; 2 * CHANNELS];
                    for ((row, (of_shape, of_pattern)), patterns) in
                        row.chunks_exact_mut(CHANNELS).zip(parts).zip(patterns)
                    {
                        let of_shape = &of_shapes[usize::from(of_shape)];
                        let of_pattern = &patterns[usize::from(of_pattern)];
                        for ((number, one), other) in row.iter_mut().zip(of_shape).zip(of_pattern) {
                            *number = one.saturating_add(*other);
                        }
                    }
                    rows.push(Row(row));
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

    fn read(file: &[u8]) -> Option<ShapeNetwork> {
        ShapeNetwork::read(file, Tables::of(Variant::Freestyle)?)
    }

    #[test]
    fn each_variant_has_its_own_perspective_and_renju_one_for_each_colour() {
        let of_variant = |variant| Stone::BOTH.map(|stone| perspective(variant, stone).unwrap());
        let mut all: Vec<usize> = Variant::FIVES.into_iter().flat_map(of_variant).collect();
        all.dedup();
        assert_eq!(all, (0..PERSPECTIVES).collect::<Vec<_>>());
        for variant in Variant::FIVES {
            let [black, white] = of_variant(variant);
            assert_eq!(black != white, variant == Variant::Renju, "{variant:?}");
        }
        let k = |k| perspective(Variant::Mnk { k }, Stone::Black);
        assert_eq!([4, 5, 6].map(k), [None, Some(0), None]);
    }

    #[test]
    fn the_file_is_as_it_was_written() {
        let (hash, content) = split(FILE).unwrap();
        assert_eq!(Sha256::digest(content)[..], hash[..]);
    }

    #[test]
    fn a_file_of_another_length_or_format_is_not_read() {
        assert!(read(FILE).is_some());
        for length in [0, FORMAT.len(), FORMAT.len() + 32, FILE.len() - 1] {
            assert!(read(&FILE[..length]).is_none(), "{length}");
        }
        assert!(read(&[FILE, &[0]].concat()).is_none(), "one byte more");
        let mut other = FILE.to_vec();
        other[FORMAT.len() - 1] += 1;
        assert!(read(&other).is_none());
    }
}
