//! The network in floating point: what it says of a position, and the gradient of its error.

use fivefold_shared::{
    engine::{EvalTrace, Shapes},
    rules::{Stone, Variant},
};
use rand::{Rng, RngExt};

use crate::{board::Board, samples::Sample};

const CHANNELS: usize = Shapes::CHANNELS;
const HIDDEN: usize = Shapes::HIDDEN;

/// The numbers of a shape are sums of rows: for the shape cut to each of these reaches, and for the
/// patterns in its middle. So a rare shape is judged by what it shares with others.
pub(crate) const REACHES: [u8; 3] = [5, 4, 3];
/// How many rows a shape has.
const PARTS: usize = REACHES.len() + 1;

/// Sums over the board count as this much, so that all weights are about as large.
const BOARD_SCALE: f32 = 1.0 / 16.0;

/// Stands for the row of a rare shape, which has none.
const NO_ROW: u32 = u32::MAX;

/// Numbers for one colour.
pub(crate) type Row = [f32; CHANNELS];

/// Where the weights of each kind begin in [`Network::dense`].
const BIAS: usize = 0;
const UNITS: usize = BIAS + CHANNELS;
const OUTPUTS: usize = UNITS + HIDDEN * 2 * CHANNELS;
const BIASES: usize = OUTPUTS + HIDDEN;
const THREATS: usize = BIASES + EvalTrace::THREAT_CLASSES * HIDDEN;
pub(crate) const DENSE: usize = THREATS + EvalTrace::THREAT_CLASSES;

/// The weights.
pub(crate) struct Network {
    /// By shape and colour: the rows that add up to its numbers.
    parts: Vec<[[u32; PARTS]; 2]>,
    pub(crate) rows: Vec<Row>,
    /// All others.
    pub(crate) dense: Vec<f32>,
    /// The first row that is for patterns.
    pub(crate) patterns: usize,
}

/// The gradient of an error, summed over some positions.
pub(crate) struct Gradient {
    pub(crate) rows: Vec<Row>,
    /// The rows that are not zero.
    pub(crate) touched: Vec<u32>,
    is_touched: Vec<bool>,
    pub(crate) dense: Vec<f32>,
    /// By point: for the rows of the empty board.
    empty: Vec<Row>,
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

impl Network {
    pub(crate) fn new(variant: Variant, is_frequent: &[bool], random: &mut impl Rng) -> Self {
        let shapes = Shapes::default();
        let mut begins = [0; PARTS];
        let mut rows = 0;
        let counts = REACHES.map(|reach| shapes.folded_count(reach));
        for (begin, count) in begins.iter_mut().zip(counts.into_iter().chain([Shapes::PATTERNS])) {
            *begin = rows;
            rows += count;
        }
        let row = |shape, stone, part: usize| {
            let number = match REACHES.get(part) {
                Some(reach) => {
                    let number = shapes.folded(shape, stone, *reach) as usize;
                    if part == 0 && !is_frequent[number] {
                        return NO_ROW;
                    }
                    number
                }
                None => Shapes::patterns(variant, shape, stone).expect("it played games by these"),
            };
            u32::try_from(begins[part] + number).expect("there are few")
        };
        let parts =
            |shape| Stone::BOTH.map(|stone| std::array::from_fn(|part| row(shape, stone, part)));
        let parts = (0..Shapes::COUNT).map(parts).collect();
        let patterns = begins[PARTS - 1];
        let mut rows = vec![[0.0; CHANNELS]; rows];
        for number in rows[patterns..].iter_mut().flatten() {
            *number = 0.1 * random.random_range(-1.0_f32..=1.0);
        }
        let spread = |index: usize| match index {
            ..UNITS => 0.1,
            UNITS..OUTPUTS => 0.18,
            OUTPUTS..BIASES => 0.25,
            _ => 0.0,
        };
        let dense =
            (0..DENSE).map(|index| spread(index) * random.random_range(-1.0_f32..=1.0)).collect();
        Self { parts, rows, dense, patterns }
    }

    /// The rows that add up to a shape's numbers for a colour.
    pub(crate) fn rows_of(&self, shape: u32, colour: usize) -> impl Iterator<Item = u32> {
        let rows = self.parts[shape as usize][colour];
        rows.into_iter().filter(|row| *row != NO_ROW)
    }

    pub(crate) fn bias(&self) -> &[f32] {
        &self.dense[BIAS..UNITS]
    }

    /// A hidden unit's weights: of the sums for the side that moves, then for the other.
    pub(crate) fn unit(&self, unit: usize) -> impl Iterator<Item = f32> {
        self.dense[UNITS + unit * 2 * CHANNELS..][..2 * CHANNELS]
            .iter()
            .map(|one| one * BOARD_SCALE)
    }

    pub(crate) fn outputs(&self) -> &[f32] {
        &self.dense[OUTPUTS..BIASES]
    }

    /// The biases of a threat class: of the hidden units, and of the output.
    pub(crate) fn threats(&self, class: usize) -> (&[f32], f32) {
        (&self.dense[BIASES + class * HIDDEN..][..HIDDEN], self.dense[THREATS + class])
    }

    /// By point: its sum on the empty board.
    pub(crate) fn empty_sums(&self, board: &Board) -> Vec<Row> {
        board.empty.iter().map(|shapes| self.sum(shapes, 0)).collect()
    }

    /// The sum of a point for a colour.
    fn sum(&self, shapes: &[u32; 4], colour: usize) -> Row {
        let mut sum = [0.0; CHANNELS];
        sum.copy_from_slice(self.bias());
        for row in shapes.iter().flat_map(|shape| self.rows_of(*shape, colour)) {
            add(&mut sum, &self.rows[row as usize], 1.0);
        }
        sum
    }

    /// The chance that the side to move wins. With a share, adds the gradient of the cross entropy.
    pub(crate) fn judge(
        &self,
        sample: &Sample,
        board: &Board,
        empty: &[Row],
        share: Option<f32>,
        gradient: &mut Gradient,
    ) -> f32 {
        let mut scratch = std::mem::take(&mut gradient.scratch);
        let Scratch { shapes, active, sums } = &mut scratch;
        board.set(&sample.stones, shapes, active);
        let mover = sample.turn() as usize;
        let mut input = [0.0; 2 * CHANNELS];
        sums.clear();
        for point in active.iter().map(|point| usize::from(*point)) {
            let sides = [mover, 1 - mover].map(|colour| self.sum(&shapes[point], colour));
            for (input, side) in input.chunks_exact_mut(CHANNELS).zip(&sides) {
                for channel in 0..CHANNELS {
                    let more = side[channel].max(0.0) - empty[point][channel].max(0.0);
                    input[channel] += BOARD_SCALE * more;
                }
            }
            sums.push(sides);
        }
        let threats = usize::from(sample.threats);
        let (biases, mut sum) = self.threats(threats);
        let mut hidden = [0.0; HIDDEN];
        for (unit, active) in hidden.iter_mut().enumerate() {
            let weights = &self.dense[UNITS + unit * 2 * CHANNELS..][..2 * CHANNELS];
            let weighed: f32 = weights.iter().zip(&input).map(|(weight, one)| weight * one).sum();
            *active = (biases[unit] + weighed).max(0.0);
            sum += self.outputs()[unit] * *active;
        }
        let chance = 1.0 / (1.0 + (-sum).exp());
        if let Some(share) = share {
            let error = share * (chance - sample.target);
            let back = self.learn_head(error, threats, &input, &hidden, gradient);
            self.learn_points(&back, mover, &scratch, empty, gradient);
        }
        gradient.scratch = scratch;
        chance
    }

    /// Adds the gradient of all but the rows; returns that of the input.
    fn learn_head(
        &self,
        error: f32,
        threats: usize,
        input: &[f32; 2 * CHANNELS],
        hidden: &[f32; HIDDEN],
        gradient: &mut Gradient,
    ) -> [f32; 2 * CHANNELS] {
        let mut back = [0.0; 2 * CHANNELS];
        gradient.dense[THREATS + threats] += error;
        for (unit, active) in hidden.iter().enumerate().filter(|(_, active)| **active > 0.0) {
            gradient.dense[OUTPUTS + unit] += error * active;
            let error = error * self.outputs()[unit];
            gradient.dense[BIASES + threats * HIDDEN + unit] += error;
            let weights = UNITS + unit * 2 * CHANNELS..UNITS + (unit + 1) * 2 * CHANNELS;
            add(&mut gradient.dense[weights.clone()], input, error);
            add(&mut back, &self.dense[weights], error * BOARD_SCALE);
        }
        back
    }

    /// Adds the gradient of the rows, from that of the input.
    fn learn_points(
        &self,
        back: &[f32; 2 * CHANNELS],
        mover: usize,
        scratch: &Scratch,
        empty: &[Row],
        gradient: &mut Gradient,
    ) {
        let on = |sum: f32| if sum > 0.0 { 1.0 } else { 0.0 };
        for (point, sums) in scratch.active.iter().zip(&scratch.sums) {
            let point = usize::from(*point);
            for (side, colour) in [mover, 1 - mover].into_iter().enumerate() {
                let back = &back[side * CHANNELS..][..CHANNELS];
                let slope: Row =
                    std::array::from_fn(|channel| on(sums[side][channel]) * back[channel]);
                for channel in 0..CHANNELS {
                    gradient.empty[point][channel] -= on(empty[point][channel]) * back[channel];
                }
                add(&mut gradient.dense[BIAS..UNITS], &slope, 1.0);
                for shape in &scratch.shapes[point] {
                    for row in self.rows_of(*shape, colour) {
                        add(gradient.row(row), &slope, 1.0);
                    }
                }
            }
        }
    }
}

impl Gradient {
    pub(crate) fn new(network: &Network, board: &Board) -> Self {
        Self {
            rows: vec![[0.0; CHANNELS]; network.rows.len()],
            touched: Vec::new(),
            is_touched: vec![false; network.rows.len()],
            dense: vec![0.0; DENSE],
            empty: vec![[0.0; CHANNELS]; board.empty.len()],
            scratch: Scratch::default(),
        }
    }

    fn row(&mut self, row: u32) -> &mut Row {
        if !std::mem::replace(&mut self.is_touched[row as usize], true) {
            self.touched.push(row);
        }
        &mut self.rows[row as usize]
    }

    /// Moves what belongs to the empty board to the rows of its shapes.
    pub(crate) fn settle(&mut self, network: &Network, board: &Board) {
        for (point, shapes) in board.empty.iter().enumerate() {
            let slope = std::mem::take(&mut self.empty[point]);
            add(&mut self.dense[BIAS..UNITS], &slope, 1.0);
            for row in shapes.iter().flat_map(|shape| network.rows_of(*shape, 0)) {
                add(self.row(row), &slope, 1.0);
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

fn add(sums: &mut [f32], numbers: &[f32], factor: f32) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += factor * number;
    }
}
