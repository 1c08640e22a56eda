//! The engine's board: a window of points that always knows what a stone would make on each.
//!
//! Every empty point keeps its keys (what it sees on each axis), the patterns that a stone of
//! either colour would make there, and what these add up to. Placing a stone touches only the
//! points that see it, and taking the last one back does the same again: a stone is exclusive-or-ed
//! into the keys.
//!
//! Of a point that has a stone only the keys are kept up to date; as stones are taken back in
//! reverse order, all else that it missed has been undone by the time it is empty again.
//!
//! There are two ways to set a stone. [`Grid::place`] keeps everything; [`Grid::force`] keeps what
//! searches for threats need (keys and flags) and costs a fraction of it. Forced stones are taken
//! back before the next one is placed.
//!
//! It knows no turns and no rules beyond its [`Tables`]: any colour may be placed on any empty
//! point.

use super::{
    eval::Worth,
    pattern::{Flags, Pattern, Tables, content},
    spots::{self, Spot, SpotSet},
    window::Window,
};
use crate::rules::Stone;

/// How far from a stone, in both coordinates, a point is near it. On the axes it is one more.
const NEAR: i32 = 2;

/// One step forward along each axis, so that spots grow.
const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// The board that the engine searches on.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    tables: &'static Tables,
    window: Window,
    /// One step along each axis, as a difference of spots.
    steps: [usize; 4],
    cells: Vec<Cell>,
    /// For each point the points that are near it.
    near: Vec<Box<[Spot]>>,
    near_stones: Vec<u8>,
    /// Points, empty or not, with a stone near.
    nearby: SpotSet,
    /// By colour, and in the order of [`Kept`].
    kept: [[SpotSet; 4]; 2],
    counts: [[u16; 4]; 2],
    /// The sums of [`Worth`] by colour: moving, waiting.
    sums: [[i32; 2]; 2],
    keys: Vec<[u64; 2]>,
    hash: u64,
    stones: usize,
}

/// One point.
#[derive(Clone, Debug, Default)]
struct Cell {
    /// What it sees on each axis, two bits for each point.
    keys: [u32; 4],
    /// The pattern that a stone would make on each axis: Black's in the low four bits, White's in
    /// the high ones.
    lines: [u8; 4],
    /// The same, as far as it forces anything.
    forces: [u8; 4],
    /// The number of the combination of patterns, by colour.
    codes: [u16; 2],
    flags: [Flags; 2],
    /// How many points it has behind it and before it on each axis, as far as it sees.
    reach: [[u8; 2]; 4],
    stone: Option<Stone>,
}

impl Grid {
    /// An empty window.
    pub(super) fn new(tables: &'static Tables, window: Window) -> Self {
        let width = usize::from(window.width());
        let spots = 0..spots::spot(window.len());
        let mut grid = Self {
            tables,
            steps: [1, width, width + 1, width - 1],
            cells: spots.clone().map(|spot| empty_cell(tables, &window, spot)).collect(),
            near: spots.clone().map(|spot| near(&window, spot)).collect(),
            near_stones: vec![0; window.len()],
            nearby: SpotSet::EMPTY,
            kept: [const { [const { SpotSet::EMPTY }; 4] }; 2],
            counts: [[0; 4]; 2],
            sums: [[0; 2]; 2],
            keys: spots
                .clone()
                .map(|spot| [0, 1].map(|side| mix(2 * u64::from(spot) + side)))
                .collect(),
            hash: 0,
            stones: 0,
            window,
        };
        for spot in spots {
            grid.count_point::<true>(spot, true);
        }
        grid
    }

    /// What is looked up.
    pub(super) const fn tables(&self) -> &'static Tables {
        self.tables
    }

    /// Which points it covers.
    pub(super) const fn window(&self) -> &Window {
        &self.window
    }

    /// How many points it covers.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether no stone can be added.
    pub(super) const fn is_full(&self) -> bool {
        self.stones == self.cells.len()
    }

    /// A number for the stones on it, whatever the order they came in; different positions share
    /// one only by accident.
    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }

    /// The stone on a point.
    pub(super) fn stone_at(&self, spot: Spot) -> Option<Stone> {
        self.cells[usize::from(spot)].stone
    }

    /// What a stone of the colour makes on an empty point, all axes together.
    pub(super) fn flags(&self, spot: Spot, stone: Stone) -> Flags {
        self.cells[usize::from(spot)].flags[stone as usize]
    }

    /// How good it is for a colour to have an empty point.
    pub(super) fn worth(&self, spot: Spot, stone: Stone) -> Worth {
        self.tables.worths[usize::from(self.cells[usize::from(spot)].codes[stone as usize])]
    }

    /// What a stone of the colour makes on one axis of an empty point.
    pub(super) fn pattern(&self, spot: Spot, axis: usize, stone: Stone) -> Pattern {
        self.tables.pattern(self.cells[usize::from(spot)].keys[axis], stone)
    }

    /// What an empty point sees on an axis.
    pub(super) fn key(&self, spot: Spot, axis: usize) -> u32 {
        self.cells[usize::from(spot)].keys[axis]
    }

    /// What a stone of the colour would make on an empty point if one axis had another key.
    pub(super) fn flags_with(&self, spot: Spot, axis: usize, key: u32, stone: Stone) -> Flags {
        let mut forces = self.cells[usize::from(spot)].forces;
        [_, forces[axis]] = self.tables.lines[key as usize];
        self.tables.flags[stone as usize][packed(forces, stone)]
    }

    /// How many empty points have a flag for a colour.
    pub(super) const fn count(&self, stone: Stone, kept: Kept) -> u16 {
        self.counts[stone as usize][kept as usize]
    }

    /// The empty points with a flag for a colour.
    pub(super) fn kept(&self, stone: Stone, kept: Kept) -> impl Iterator<Item = Spot> {
        self.kept[stone as usize][kept as usize].iter(self.len())
    }

    /// The empty points that have a stone near.
    pub(super) fn nearby(&self) -> impl Iterator<Item = Spot> {
        self.nearby.iter(self.len()).filter(|spot| self.stone_at(*spot).is_none())
    }

    /// The point that lies `steps` along an axis, if it is within the window and in sight.
    pub(super) fn along(&self, spot: Spot, axis: usize, steps: i32) -> Option<Spot> {
        let [behind, before] = self.cells[usize::from(spot)].reach[axis];
        let distance = steps.unsigned_abs() as usize;
        let reach = usize::from(if steps < 0 { behind } else { before });
        let offset = distance * self.steps[axis];
        (distance <= reach).then(|| {
            let from = usize::from(spot);
            spots::spot(if steps < 0 { from - offset } else { from + offset })
        })
    }

    /// How good the position looks to the side to move, by its patterns alone.
    pub(super) const fn value(&self, moving: Stone) -> i32 {
        self.sums[moving as usize][0] - self.sums[moving.opponent() as usize][1]
    }

    /// Sets a stone on an empty point.
    pub(super) fn place(&mut self, spot: Spot, stone: Stone) {
        for index in 0..self.near[usize::from(spot)].len() {
            let near = self.near[usize::from(spot)][index];
            let count = &mut self.near_stones[usize::from(near)];
            if *count == 0 {
                self.nearby.toggle(near);
            }
            *count += 1;
        }
        self.set::<true>(spot, stone);
    }

    /// Takes back the stone that was placed last.
    pub(super) fn take_back(&mut self, spot: Spot) {
        self.clear::<true>(spot);
        for index in 0..self.near[usize::from(spot)].len() {
            let near = self.near[usize::from(spot)][index];
            let count = &mut self.near_stones[usize::from(near)];
            *count -= 1;
            if *count == 0 {
                self.nearby.toggle(near);
            }
        }
    }

    /// Sets a stone on an empty point and keeps no more than keys and flags.
    pub(super) fn force(&mut self, spot: Spot, stone: Stone) {
        self.set::<false>(spot, stone);
    }

    /// Takes back the stone that was forced last.
    pub(super) fn unforce(&mut self, spot: Spot) {
        self.clear::<false>(spot);
    }

    fn set<const ALL: bool>(&mut self, spot: Spot, stone: Stone) {
        debug_assert!(self.stone_at(spot).is_none(), "a stone is set on an empty point");
        self.count_point::<ALL>(spot, false);
        self.cells[usize::from(spot)].stone = Some(stone);
        self.stones += 1;
        self.toggle::<ALL>(spot, stone);
    }

    fn clear<const ALL: bool>(&mut self, spot: Spot) {
        let stone = self.cells[usize::from(spot)].stone.expect("there is a stone");
        self.toggle::<ALL>(spot, stone);
        self.stones -= 1;
        self.cells[usize::from(spot)].stone = None;
        self.count_point::<ALL>(spot, true);
    }

    /// Puts a stone into the keys of the points that see it, or takes it out of them.
    fn toggle<const ALL: bool>(&mut self, spot: Spot, stone: Stone) {
        self.hash ^= self.keys[usize::from(spot)][stone as usize];
        let bits = match stone {
            Stone::Black => content::BLACK,
            Stone::White => content::WHITE,
        };
        let spot = usize::from(spot);
        let radius = usize::from(self.tables.radius);
        for (axis, reach) in self.cells[spot].reach.into_iter().enumerate() {
            let [behind, before] = reach.map(usize::from);
            let step = self.steps[axis];
            for distance in 1..=behind {
                let shift = 2 * (radius + distance - 1);
                self.touch::<ALL>(spot - distance * step, axis, bits << shift);
            }
            for distance in 1..=before {
                let shift = 2 * (radius - distance);
                self.touch::<ALL>(spot + distance * step, axis, bits << shift);
            }
        }
    }

    /// Changes one key of a point, and all that follows from it.
    #[inline]
    fn touch<const ALL: bool>(&mut self, spot: usize, axis: usize, bits: u32) {
        let cell = &mut self.cells[spot];
        let key = cell.keys[axis] ^ bits;
        cell.keys[axis] = key;
        let [line, forces] = self.tables.lines[key as usize];
        let is_changed = if ALL { line != cell.lines[axis] } else { forces != cell.forces[axis] };
        if is_changed && cell.stone.is_none() {
            if ALL {
                self.reline(spot, axis, line);
            }
            if forces != self.cells[spot].forces[axis] {
                self.reforce(spot, axis, forces);
            }
        }
    }

    /// A point has other patterns on an axis.
    #[inline]
    fn reline(&mut self, spot: usize, axis: usize, line: u8) {
        let cell = &mut self.cells[spot];
        let changed = line ^ cell.lines[axis];
        cell.lines[axis] = line;
        for (stone, nibble) in [(Stone::Black, 0x0f), (Stone::White, 0xf0)] {
            if changed & nibble != 0 {
                let code = self.tables.codes[packed(cell.lines, stone)];
                let before = std::mem::replace(&mut cell.codes[stone as usize], code);
                let before = self.tables.worths[usize::from(before)];
                let after = self.tables.worths[usize::from(code)];
                let sums = &mut self.sums[stone as usize];
                sums[0] += i32::from(after.moving) - i32::from(before.moving);
                sums[1] += i32::from(after.waiting) - i32::from(before.waiting);
            }
        }
    }

    /// A point has patterns on an axis that force something else.
    fn reforce(&mut self, spot: usize, axis: usize, forces: u8) {
        let cell = &mut self.cells[spot];
        cell.forces[axis] = forces;
        for stone in Stone::BOTH {
            let cell = &mut self.cells[spot];
            let flags = self.tables.flags[stone as usize][packed(cell.forces, stone)];
            let before = std::mem::replace(&mut cell.flags[stone as usize], flags);
            if flags != before {
                self.keep(spot, stone, before.bits(), flags.bits());
            }
        }
    }

    #[inline]
    fn keep(&mut self, spot: usize, stone: Stone, before: u8, after: u8) {
        let mut changed = (before ^ after) & 15;
        while changed != 0 {
            let kept = changed.trailing_zeros() as usize;
            self.kept[stone as usize][kept].toggle(spots::spot(spot));
            let count = &mut self.counts[stone as usize][kept];
            *count = if after >> kept & 1 == 1 { *count + 1 } else { *count - 1 };
            changed &= changed - 1;
        }
    }

    /// Counts a point that is empty now, or counts it no more.
    fn count_point<const ALL: bool>(&mut self, spot: Spot, is_empty: bool) {
        for stone in Stone::BOTH {
            let cell = &self.cells[usize::from(spot)];
            let flags = cell.flags[stone as usize].bits();
            let (before, after) = if is_empty { (0, flags) } else { (flags, 0) };
            if ALL {
                let worth = self.tables.worths[usize::from(cell.codes[stone as usize])];
                let sign = if is_empty { 1 } else { -1 };
                let sums = &mut self.sums[stone as usize];
                sums[0] += sign * i32::from(worth.moving);
                sums[1] += sign * i32::from(worth.waiting);
            }
            self.keep(usize::from(spot), stone, before, after);
        }
    }
}

#[cfg(test)]
impl Grid {
    /// Everything that is kept of an empty point.
    pub(super) fn seen(&self, spot: Spot) -> impl std::fmt::Debug {
        self.cells[usize::from(spot)].clone()
    }

    /// The sums over all points, and the hash.
    pub(super) const fn totals(&self) -> ([[i32; 2]; 2], u64) {
        (self.sums, self.hash)
    }
}

/// The sets of points that a [`Grid`] keeps: the lowest bits of [`Flags`], in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kept {
    /// [`Flags::FIVE`].
    Fives,
    /// [`Flags::UNSTOPPABLE`].
    Unstoppable,
    /// [`Flags::FOUR`].
    Fours,
    /// [`Flags::THREE`].
    Threes,
}

/// A point of an empty window.
fn empty_cell(tables: &Tables, window: &Window, spot: Spot) -> Cell {
    let (x, y) = window.place(spot);
    let mut cell = Cell::default();
    for (axis, (dx, dy)) in DIRECTIONS.into_iter().enumerate() {
        for steps in tables.steps() {
            if window.at(x + dx * steps, y + dy * steps).is_some() {
                cell.reach[axis][usize::from(steps > 0)] += 1;
            } else if window.is_bordered() {
                cell.keys[axis] |= content::BORDER << tables.shift(steps);
            }
        }
        [cell.lines[axis], cell.forces[axis]] = tables.lines[cell.keys[axis] as usize];
    }
    for stone in Stone::BOTH {
        cell.flags[stone as usize] = tables.flags[stone as usize][packed(cell.forces, stone)];
        cell.codes[stone as usize] = tables.codes[packed(cell.lines, stone)];
    }
    cell
}

/// The points that are near a point.
fn near(window: &Window, spot: Spot) -> Box<[Spot]> {
    let (x, y) = window.place(spot);
    let mut near = Vec::new();
    for row in -NEAR - 1..=NEAR + 1 {
        for column in -NEAR - 1..=NEAR + 1 {
            let on_axis = column == 0 || row == 0 || column.abs() == row.abs();
            if (column, row) != (0, 0) && (on_axis || column.abs().max(row.abs()) <= NEAR) {
                near.extend(window.at(x + column, y + row));
            }
        }
    }
    near.into()
}

/// The patterns of one colour on four axes, four bits each.
#[inline]
fn packed(lines: [u8; 4], stone: Stone) -> usize {
    let nibbles = match stone {
        Stone::Black => u32::from_le_bytes(lines),
        Stone::White => u32::from_le_bytes(lines) >> 4,
    } & 0x0f0f_0f0f;
    let pairs = (nibbles | nibbles >> 4) & 0x00ff_00ff;
    ((pairs | pairs >> 8) & 0xffff) as usize
}

/// A well-mixed number from a small one (the finalizer of the splitmix64 generator).
const fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
