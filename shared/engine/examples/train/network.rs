//! The network in floating point: what it says of a position, and the gradient of its error.

use std::{collections::BTreeSet, ops::Range};

use fivefold_engine::search::{EvalTrace, Shapes};
use fivefold_shared::rules::{Stone, Variant};
use rand::{Rng, RngExt};

use crate::{
    board::Board,
    samples::{Sample, Samples},
};

const CHANNELS: usize = Shapes::CHANNELS;
const HIDDEN: usize = Shapes::HIDDEN;

/// The numbers of a shape are sums of rows: for the shape cut to each of these reaches, the same for
/// all perspectives, and for the patterns in its middle, from one perspective. So a rare shape is
/// judged by what it shares with others.
pub(crate) const REACHES: [u8; 3] = [5, 4, 3];

/// Sums over the board count as this much, so that all weights are about as large.
const BOARD_SCALE: f32 = 1.0 / 16.0;

/// Stands for the row of a rare shape, which has none.
const NO_ROW: u32 = u32::MAX;

/// Numbers for one colour.
pub(crate) type Row = [f32; CHANNELS];

/// By point of an empty board: its sums for Black and for White.
pub(crate) type EmptySums = Vec<[Row; 2]>;

/// Where the weights of each kind begin in a head, in the order of the file: by input and unit of the
/// first layer, by both of the second, the second layer's biases, the weights of the output, and for each
/// threat class the biases of the first layer and of the output.
const SECOND: usize = 2 * CHANNELS * HIDDEN;
const SECOND_BIASES: usize = SECOND + HIDDEN * HIDDEN;
const OUTPUTS: usize = SECOND_BIASES + HIDDEN;
const THREATS: usize = OUTPUTS + HIDDEN;
pub(crate) const HEAD: usize = THREATS + EvalTrace::THREAT_CLASSES * (HIDDEN + 1);

/// How many weights are not in rows: the bias of all points, and a head for each perspective.
pub(crate) const DENSE: usize = CHANNELS + Shapes::PERSPECTIVES * HEAD;

/// The weights.
pub(crate) struct Network {
    /// By shape and colour: the rows that are the same for all perspectives.
    pub(crate) parts: Vec<[[u32; REACHES.len()]; 2]>,
    /// By variant, shape and colour: the row for the patterns in the middle.
    patterns: Vec<(Variant, Vec<[u32; 2]>)>,
    pub(crate) rows: Vec<Row>,
    /// All others.
    pub(crate) dense: Vec<f32>,
    /// The first row that is for patterns.
    pub(crate) patterns_begin: usize,
}

/// The gradient of an error, summed over some positions.
pub(crate) struct Gradient {
    pub(crate) rows: Vec<Row>,
    /// The rows that are not zero.
    pub(crate) touched: Vec<u32>,
    is_touched: Vec<bool>,
    pub(crate) dense: Vec<f32>,
    /// By board and point: for the rows of the empty board.
    empty: Vec<EmptySums>,
    scratch: Scratch,
}

/// Buffers.
#[derive(Default)]
struct Scratch {
    shapes: Vec<[u32; 4]>,
    active: Vec<u16>,
    /// By active point: its sums for the side that moves and for the other.
    sums: Vec<[Row; 2]>,
}

/// How a position is seen.
struct View<'a> {
    /// The number of its board.
    board: usize,
    /// The side that moves, then the other.
    colours: [usize; 2],
    /// By shape and colour: the row for the patterns in its middle.
    patterns: &'a [[u32; 2]],
    empty: &'a EmptySums,
}

/// What the layers of a head made of a position.
struct Layers {
    input: [f32; 2 * CHANNELS],
    first: [f32; HIDDEN],
    second: [f32; HIDDEN],
    output: f32,
}

impl Layers {
    fn new(head: &[f32], input: [f32; 2 * CHANNELS], threats: usize) -> Self {
        let (mut first, mut second) = ([0.0; HIDDEN], [0.0; HIDDEN]);
        let biases = &head[THREATS + threats * (HIDDEN + 1)..][..=HIDDEN];
        first.copy_from_slice(&biases[..HIDDEN]);
        for (number, weights) in input.iter().zip(head.chunks_exact(HIDDEN)) {
            add(&mut first, weights, *number);
        }
        second.copy_from_slice(&head[SECOND_BIASES..OUTPUTS]);
        for (unit, weights) in first.iter_mut().zip(head[SECOND..].chunks_exact(HIDDEN)) {
            *unit = unit.max(0.0);
            add(&mut second, weights, *unit);
        }
        second.iter_mut().for_each(|unit| *unit = unit.max(0.0));
        let output = biases[HIDDEN] + dot(&head[OUTPUTS..THREATS], &second);
        Self { input, first, second, output }
    }

    /// Adds the gradient of the weights, from that of the output; returns that of the input.
    fn learn(
        &self,
        head: &[f32],
        error: f32,
        threats: usize,
        gradient: &mut [f32],
    ) -> [f32; 2 * CHANNELS] {
        let on = |units: &[f32; HIDDEN], slopes: &mut [f32; HIDDEN]| {
            for (slope, unit) in slopes.iter_mut().zip(units) {
                *slope = if *unit > 0.0 { *slope } else { 0.0 };
            }
        };
        let mut second = [0.0; HIDDEN];
        add(&mut second, &head[OUTPUTS..THREATS], error);
        on(&self.second, &mut second);
        add(&mut gradient[OUTPUTS..THREATS], &self.second, error);
        add(&mut gradient[SECOND_BIASES..OUTPUTS], &second, 1.0);
        let mut first: [f32; HIDDEN] = std::array::from_fn(|unit| {
            let weights = SECOND + unit * HIDDEN..SECOND + (unit + 1) * HIDDEN;
            add(&mut gradient[weights.clone()], &second, self.first[unit]);
            dot(&head[weights], &second)
        });
        on(&self.first, &mut first);
        let biases = &mut gradient[THREATS + threats * (HIDDEN + 1)..][..=HIDDEN];
        add(&mut biases[..HIDDEN], &first, 1.0);
        biases[HIDDEN] += error;
        std::array::from_fn(|number| {
            let weights = number * HIDDEN..(number + 1) * HIDDEN;
            add(&mut gradient[weights.clone()], &first, self.input[number]);
            dot(&head[weights], &first) * BOARD_SCALE
        })
    }
}

impl Network {
    pub(crate) fn new(samples: &Samples, is_frequent: &[bool], random: &mut impl Rng) -> Self {
        let shapes = Shapes::default();
        let mut begins = [0; REACHES.len()];
        let mut rows = 0;
        for (begin, reach) in begins.iter_mut().zip(REACHES) {
            *begin = rows;
            rows += shapes.folded_count(reach);
        }
        let patterns_begin = rows;
        let row =
            |begin: usize, number: usize| u32::try_from(begin + number).expect("there are few");
        let part = |shape, stone, part: usize| {
            let number = shapes.folded(shape, stone, REACHES[part]) as usize;
            if part == 0 && !is_frequent[number] { NO_ROW } else { row(begins[part], number) }
        };
        let parts =
            |shape| Stone::BOTH.map(|stone| std::array::from_fn(|index| part(shape, stone, index)));
        let parts = (0..Shapes::COUNT).map(parts).collect();
        let variants = samples.boards.iter().map(|board| board.rules.variant());
        let variants: BTreeSet<Variant> = variants.collect();
        let pattern = |variant, shape, stone| {
            let number = Shapes::patterns(variant, shape, stone).expect("it played games by these");
            let perspective = Shapes::perspective(variant, stone).expect("as above");
            row(patterns_begin + perspective * Shapes::PATTERNS, number)
        };
        let patterns = variants.into_iter().map(|variant| {
            let of_shape = |shape| Stone::BOTH.map(|stone| pattern(variant, shape, stone));
            (variant, (0..Shapes::COUNT).map(of_shape).collect())
        });
        let patterns = patterns.collect();
        let mut rows =
            vec![[0.0; CHANNELS]; patterns_begin + Shapes::PERSPECTIVES * Shapes::PATTERNS];
        // All perspectives begin alike.
        let (one, others) = rows[patterns_begin..].split_at_mut(Shapes::PATTERNS);
        for number in one.iter_mut().flatten() {
            *number = 0.1 * random.random_range(-1.0_f32..=1.0);
        }
        others.chunks_exact_mut(Shapes::PATTERNS).for_each(|other| other.copy_from_slice(one));
        let spread = |index: usize| match index {
            ..SECOND => 0.18,
            SECOND..SECOND_BIASES | OUTPUTS..THREATS => 0.25,
            _ => 0.0,
        };
        let mut dense: Vec<f32> =
            (0..CHANNELS).map(|_| 0.1 * random.random_range(-1.0_f32..=1.0)).collect();
        let head: Vec<f32> =
            (0..HEAD).map(|index| spread(index) * random.random_range(-1.0_f32..=1.0)).collect();
        for _ in 0..Shapes::PERSPECTIVES {
            dense.extend(&head);
        }
        Self { parts, patterns, rows, dense, patterns_begin }
    }

    /// The rows of a shape that are the same for all perspectives.
    pub(crate) fn shared_rows(&self, shape: u32, colour: usize) -> impl Iterator<Item = u32> {
        self.parts[shape as usize][colour].into_iter().filter(|row| *row != NO_ROW)
    }

    /// The rows of patterns, from one perspective.
    pub(crate) fn pattern_rows(&self, perspective: usize) -> &[Row] {
        &self.rows[self.patterns_begin + perspective * Shapes::PATTERNS..][..Shapes::PATTERNS]
    }

    pub(crate) fn bias(&self) -> &[f32] {
        &self.dense[..CHANNELS]
    }

    /// The weights of hidden units and of the output, in the order and on the scale of the file.
    pub(crate) fn head(&self, perspective: usize) -> impl Iterator<Item = f32> {
        let head = self.dense[head_range(perspective)].iter().enumerate();
        head.map(|(index, weight)| weight * file_scale(index))
    }

    fn patterns_of(&self, variant: Variant) -> &[[u32; 2]] {
        let found = self.patterns.iter().find(|(known, _)| *known == variant);
        &found.expect("the samples have it").1
    }

    /// By board and point: its sums on the empty board.
    pub(crate) fn empty_sums(&self, samples: &Samples) -> Vec<EmptySums> {
        let sums = |board: &Board| {
            let patterns = self.patterns_of(board.rules.variant());
            let both = |shapes| [0, 1].map(|colour| self.sum(shapes, patterns, colour));
            board.empty.iter().map(both).collect()
        };
        samples.boards.iter().map(sums).collect()
    }

    /// The rows that add up to a point's numbers for a colour.
    fn rows_of(
        &self,
        shapes: &[u32; 4],
        patterns: &[[u32; 2]],
        colour: usize,
    ) -> impl Iterator<Item = u32> {
        shapes.iter().flat_map(move |shape| {
            self.shared_rows(*shape, colour).chain([patterns[*shape as usize][colour]])
        })
    }

    /// The sum of a point for a colour.
    fn sum(&self, shapes: &[u32; 4], patterns: &[[u32; 2]], colour: usize) -> Row {
        let mut sum = [0.0; CHANNELS];
        sum.copy_from_slice(self.bias());
        for row in self.rows_of(shapes, patterns, colour) {
            add(&mut sum, &self.rows[row as usize], 1.0);
        }
        sum
    }

    /// The chance that the side to move wins. With a share, adds the gradient of the cross entropy.
    pub(crate) fn judge(
        &self,
        sample: &Sample,
        samples: &Samples,
        empty: &[EmptySums],
        share: Option<f32>,
        gradient: &mut Gradient,
    ) -> f32 {
        let mut scratch = std::mem::take(&mut gradient.scratch);
        let Scratch { shapes, active, sums } = &mut scratch;
        let number = usize::from(sample.board);
        let board = &samples.boards[number];
        board.set(&sample.stones, shapes, active);
        let (variant, mover) = (board.rules.variant(), sample.turn());
        let view = View {
            board: number,
            colours: [mover as usize, mover.opponent() as usize],
            patterns: self.patterns_of(variant),
            empty: &empty[number],
        };
        let mut input = [0.0; 2 * CHANNELS];
        sums.clear();
        for point in active.iter().map(|point| usize::from(*point)) {
            let sides = view.colours.map(|colour| self.sum(&shapes[point], view.patterns, colour));
            let inputs = input.chunks_exact_mut(CHANNELS);
            for ((input, side), colour) in inputs.zip(&sides).zip(view.colours) {
                for channel in 0..CHANNELS {
                    let before = view.empty[point][colour][channel].max(0.0);
                    input[channel] += BOARD_SCALE * (side[channel].max(0.0) - before);
                }
            }
            sums.push(sides);
        }
        let threats = usize::from(sample.threats);
        let perspective = Shapes::perspective(variant, mover).expect("it has patterns");
        let head = &self.dense[head_range(perspective)];
        let layers = Layers::new(head, input, threats);
        let chance = 1.0 / (1.0 + (-layers.output).exp());
        if let Some(share) = share {
            let error = share * (chance - sample.target);
            let dense = &mut gradient.dense[head_range(perspective)];
            let back = layers.learn(head, error, threats, dense);
            self.learn_points(&back, &view, &scratch, gradient);
        }
        gradient.scratch = scratch;
        chance
    }

    /// Adds the gradient of the rows, from that of the input.
    fn learn_points(
        &self,
        back: &[f32; 2 * CHANNELS],
        view: &View<'_>,
        scratch: &Scratch,
        gradient: &mut Gradient,
    ) {
        let on = |sum: f32| if sum > 0.0 { 1.0 } else { 0.0 };
        for (point, sums) in scratch.active.iter().zip(&scratch.sums) {
            let point = usize::from(*point);
            for (side, colour) in view.colours.into_iter().enumerate() {
                let back = &back[side * CHANNELS..][..CHANNELS];
                let slope: Row =
                    std::array::from_fn(|channel| on(sums[side][channel]) * back[channel]);
                let empty = &mut gradient.empty[view.board][point][colour];
                for channel in 0..CHANNELS {
                    empty[channel] -= on(view.empty[point][colour][channel]) * back[channel];
                }
                add(&mut gradient.dense[..CHANNELS], &slope, 1.0);
                for row in self.rows_of(&scratch.shapes[point], view.patterns, colour) {
                    add(gradient.row(row), &slope, 1.0);
                }
            }
        }
    }
}

impl Gradient {
    pub(crate) fn new(network: &Network, samples: &Samples) -> Self {
        let zeros = |board: &Board| vec![[[0.0; CHANNELS]; 2]; board.empty.len()];
        Self {
            rows: vec![[0.0; CHANNELS]; network.rows.len()],
            touched: Vec::new(),
            is_touched: vec![false; network.rows.len()],
            dense: vec![0.0; DENSE],
            empty: samples.boards.iter().map(zeros).collect(),
            scratch: Scratch::default(),
        }
    }

    fn row(&mut self, row: u32) -> &mut Row {
        if !std::mem::replace(&mut self.is_touched[row as usize], true) {
            self.touched.push(row);
        }
        &mut self.rows[row as usize]
    }

    /// Moves what belongs to empty boards to the rows of their shapes.
    pub(crate) fn settle(&mut self, network: &Network, samples: &Samples) {
        for (number, board) in samples.boards.iter().enumerate() {
            let patterns = network.patterns_of(board.rules.variant());
            for (point, shapes) in board.empty.iter().enumerate() {
                let slopes = std::mem::take(&mut self.empty[number][point]);
                for (colour, slope) in slopes.iter().enumerate() {
                    if slope.iter().all(|number| *number == 0.0) {
                        continue;
                    }
                    add(&mut self.dense[..CHANNELS], slope, 1.0);
                    for row in network.rows_of(shapes, patterns, colour) {
                        add(self.row(row), slope, 1.0);
                    }
                }
            }
        }
    }

    /// The rows that are not zero, which become zero.
    pub(crate) fn drain(&mut self) -> Vec<(u32, Row)> {
        let touched = std::mem::take(&mut self.touched);
        let take = |row: u32| {
            self.is_touched[row as usize] = false;
            (row, std::mem::take(&mut self.rows[row as usize]))
        };
        touched.into_iter().map(take).collect()
    }

    /// Moves the other's into this.
    pub(crate) fn absorb(&mut self, other: &mut Self) {
        for (row, slope) in other.drain() {
            add(self.row(row), &slope, 1.0);
        }
        add(&mut self.dense, &other.dense, 1.0);
        other.dense.fill(0.0);
    }
}

/// Where the head of a perspective is in [`Network::dense`].
pub(crate) fn head_range(perspective: usize) -> Range<usize> {
    CHANNELS + perspective * HEAD..CHANNELS + (perspective + 1) * HEAD
}

/// What a weight of a head is multiplied by in the file: there the sums are whole numbers.
pub(crate) fn file_scale(index: usize) -> f32 {
    if index < SECOND { BOARD_SCALE / Shapes::SCALE } else { 1.0 }
}

fn add(sums: &mut [f32], numbers: &[f32], factor: f32) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += factor * number;
    }
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
