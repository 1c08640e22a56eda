//! The engine's board: a window of points with the patterns that a stone would make on each.
//!
//! Every empty point keeps its keys (what it sees on each axis), the patterns that a stone of
//! either colour would make there, and their combination. Placing a stone updates only the points
//! that see it: it is added to their keys, and a point whose patterns change is saved
//! first. Taking the stone back restores the saved points, which is much quicker than computing
//! them again.
//!
//! For an occupied point only the keys are kept up to date. Stones are taken back in reverse order,
//! so all other changes have been undone by the time it is empty again.
//!
//! There are two ways to set a stone. [`Grid::place`] keeps everything; [`Grid::force`] keeps what
//! searches for threats need (keys, flags, and forcing patterns). Forced stones are taken back
//! before the next one is placed.
//!
//! The grid knows no turns and no rules beyond its [`Tables`]: any colour may be placed on any
//! empty point.

use fivefold_shared::rules::Stone;

use super::{
    eval,
    eval_features::{self, ACCUMULATOR_SIZE, Accumulator, Delta, Urgency},
    grid_window::Window,
    keys::Keys,
    pattern::{Flags, Pattern, Threat},
    pattern_tables::Tables,
    shape_network::ShapeNetwork,
    shape_sums::ShapeSums,
    spots::{self, Rows, Saved, Spot, SpotSet},
};

/// The board that the engine searches on.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    tables: &'static Tables,
    window: Window,
    /// One step along each axis, as a difference of spots.
    steps: [usize; 4],
    cells: Vec<Cell>,
    places: Vec<Place>,
    /// Points, empty or not, with a stone near; and those with a stone.
    nearby: Rows,
    taken: Rows,
    /// By colour, and in the order of [`Threat`].
    threat_points: [[SpotSet; 4]; 2],
    threat_counts: [[u16; 4]; 2],
    accumulators: Accumulators,
    hash: u64,
    stones: usize,
    /// Patterns as they were before the last stones, for undo.
    undo: Vec<PatternUndo>,
    stone_undo: Vec<StoneUndo>,
    /// The stones that were placed, in their order.
    placed: Vec<(Spot, Stone)>,
    /// The sums of the network over shapes, made and brought up to date only when asked for: searches
    /// for threats need none.
    sums: Option<ShapeSums>,
    /// How many of the first stones are the same as when the sums were last asked for.
    summed: usize,
}

/// The accumulators of a position, by colour.
type Accumulators = [Accumulator; 2];

/// The changing state of a point.
#[derive(Clone, Debug, Default)]
#[repr(align(32))]
struct Cell {
    /// By axis.
    keys: [u32; 4],
    seen: PointPatterns,
    stone: Option<Stone>,
}

/// The patterns of an empty point.
#[derive(Clone, Copy, Debug, Default)]
struct PointPatterns {
    /// The pattern that a stone would make on each axis: Black's in the low four bits, White's in
    /// the high ones.
    lines: [u8; 4],
    /// The number of the combination of patterns, by colour.
    codes: [u16; 2],
    flags: [Flags; 2],
}

/// The constants of a point.
#[derive(Clone, Debug)]
struct Place {
    /// The number of points in sight behind it and before it on each axis.
    reach: [[u8; 2]; 4],
    /// Its column and row.
    at: (u8, u8),
    /// The hash key of a stone of either colour on it.
    keys: [u64; 2],
}

/// A point's state before a stone was set.
#[derive(Clone, Copy, Debug)]
struct PatternUndo {
    spot: usize,
    seen: PointPatterns,
}

/// A point whose pattern on an axis has changed.
#[derive(Clone, Copy, Debug, Default)]
struct LineChange {
    spot: Spot,
    axis: u8,
    line: u8,
}

/// More than the points that see a point, and a power of two.
const LINE_CHANGES_MAX: usize = 64;

/// The other state before a stone was set.
#[derive(Clone, Debug)]
struct StoneUndo {
    undo: usize,
    accumulators: Accumulators,
    nearby: Saved,
}

impl Grid {
    /// An empty window.
    pub(super) fn new(tables: &'static Tables, window: Window) -> Self {
        let spots = 0..spots::spot(window.len());
        let mut grid = Self {
            tables,
            steps: window.steps(),
            cells: spots.clone().map(|spot| empty_cell(tables, &window, spot)).collect(),
            places: spots.clone().map(|spot| place(tables, &window, spot)).collect(),
            nearby: Rows::new(window.width(), window.height()),
            taken: Rows::new(window.width(), window.height()),
            threat_points: [const { [const { SpotSet::EMPTY }; 4] }; 2],
            threat_counts: [[0; 4]; 2],
            accumulators: [[0; ACCUMULATOR_SIZE]; 2],
            hash: 0,
            stones: 0,
            undo: Vec::new(),
            stone_undo: Vec::new(),
            placed: Vec::new(),
            sums: None,
            summed: 0,
            window,
        };
        for spot in spots {
            let seen = grid.cells[usize::from(spot)].seen;
            for stone in Stone::BOTH {
                let delta = &tables.deltas[usize::from(seen.codes[stone as usize])];
                change(&mut grid.accumulators, stone, &Delta::default(), delta);
                grid.update_threats(
                    usize::from(spot),
                    stone,
                    Flags::default(),
                    seen.flags[stone as usize],
                );
            }
        }
        grid
    }

    /// The lookup tables.
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

    /// A hash of the stones, in any order; different positions share
    /// one only by accident.
    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }

    /// What a stone changes in the hash.
    pub(super) fn stone_key(&self, spot: Spot, stone: Stone) -> u64 {
        self.places[usize::from(spot)].keys[stone as usize]
    }

    /// The stone on a point.
    pub(super) fn stone_at(&self, spot: Spot) -> Option<Stone> {
        self.cells[usize::from(spot)].stone
    }

    /// The flags of a stone of this colour on an empty point, all axes together.
    pub(super) fn flags(&self, spot: Spot, stone: Stone) -> Flags {
        self.cells[usize::from(spot)].seen.flags[stone as usize]
    }

    /// The urgency for both sides of the patterns that a colour would make on an empty point.
    pub(super) fn urgency(&self, spot: Spot, stone: Stone) -> Urgency {
        self.tables.urgencies[usize::from(self.cells[usize::from(spot)].seen.codes[stone as usize])]
    }

    /// The pattern that a stone of this colour makes on one axis of an empty point.
    pub(super) fn pattern(&self, spot: Spot, axis: usize, stone: Stone) -> Pattern {
        self.tables.pattern(self.cells[usize::from(spot)].keys[axis], stone)
    }

    /// The key of an empty point on an axis.
    pub(super) fn key(&self, spot: Spot, axis: usize) -> u32 {
        self.cells[usize::from(spot)].keys[axis]
    }

    /// The flags of a stone of this colour on an empty point if one axis had another key.
    pub(super) fn flags_with(&self, spot: Spot, axis: usize, key: u32, stone: Stone) -> Flags {
        let mut lines = self.cells[usize::from(spot)].seen.lines;
        lines[axis] = self.tables.lines[key as usize];
        self.tables.flags_of(lines, stone)
    }

    /// How many empty points have a flag for a colour.
    pub(super) const fn threat_count(&self, stone: Stone, threat: Threat) -> u16 {
        self.threat_counts[stone as usize][threat as usize]
    }

    /// The empty points with a flag for a colour.
    pub(super) fn threats(&self, stone: Stone, threat: Threat) -> impl Iterator<Item = Spot> {
        self.threat_set(stone, threat).iter(self.len())
    }

    /// The same points as a set.
    pub(super) const fn threat_set(&self, stone: Stone, threat: Threat) -> &SpotSet {
        &self.threat_points[stone as usize][threat as usize]
    }

    /// The empty points that have a stone near.
    pub(super) fn nearby(&self) -> impl Iterator<Item = Spot> {
        self.nearby.without(&self.taken)
    }

    /// The empty points that a point sees on an axis, and how many steps each is away.
    pub(super) fn in_sight(&self, spot: Spot, axis: usize) -> impl Iterator<Item = (Spot, i32)> {
        let (from, step) = (usize::from(spot), self.steps[axis]);
        let [behind, before] = self.places[from].reach[axis].map(i32::from);
        (-behind..before + 1).filter(|steps| *steps != 0).filter_map(move |steps| {
            let offset = steps.unsigned_abs() as usize * step;
            let seen = spots::spot(if steps < 0 { from - offset } else { from + offset });
            self.stone_at(seen).is_none().then_some((seen, steps))
        })
    }

    /// The evaluation for the side to move, by the patterns alone.
    pub(super) fn value(&self, moving: Stone) -> i32 {
        let accumulators =
            [moving, moving.opponent()].map(|stone| &self.accumulators[stone as usize]);
        eval::value(self.tables.weights, accumulators, self.threat_class(moving))
    }

    /// The evaluation for the side to move by the network over shapes; `None` where there is none.
    pub(super) fn network_value(&mut self, moving: Stone) -> Option<i32> {
        let network = ShapeNetwork::of(self.tables)?;
        let threats = self.threat_class(moving);
        let sums = self.sums.get_or_insert_with(|| ShapeSums::new(network, &self.window));
        let board = sums.of(&self.placed, self.summed);
        self.summed = self.placed.len();
        Some(network.value(&board, moving, threats))
    }

    /// The threat class of both sides, see [`eval_features::threat_class`].
    pub(super) fn threat_class(&self, moving: Stone) -> usize {
        eval_features::threat_class([moving, moving.opponent()].map(|stone| {
            [self.threat_count(stone, Threat::Four), self.threat_count(stone, Threat::Three)]
        }))
    }

    /// The numbers of the patterns that a stone of the colour makes on an empty point.
    pub(super) fn four(&self, spot: Spot, stone: Stone) -> [u8; 4] {
        self.cells[usize::from(spot)].seen.lines.map(|line| match stone {
            Stone::Black => line & 15,
            Stone::White => line >> 4,
        })
    }

    /// Sets a stone on an empty point.
    pub(super) fn place(&mut self, spot: Spot, stone: Stone) {
        let at = self.places[usize::from(spot)].at;
        let nearby = self.nearby.surround(at);
        self.taken.toggle(at);
        self.stone_undo.push(StoneUndo {
            undo: self.undo.len(),
            accumulators: self.accumulators,
            nearby,
        });
        for stone in Stone::BOTH {
            let code = self.cells[usize::from(spot)].seen.codes[stone as usize];
            let delta = &self.tables.deltas[usize::from(code)];
            change(&mut self.accumulators, stone, delta, &Delta::default());
        }
        self.placed.push((spot, stone));
        self.set::<true>(spot, stone);
    }

    /// Takes back the stone that was placed last.
    pub(super) fn take_back(&mut self, spot: Spot) {
        let StoneUndo { undo, accumulators, nearby } =
            self.stone_undo.pop().expect("a stone was placed");
        self.placed.pop();
        self.summed = self.summed.min(self.placed.len());
        self.clear(spot, undo);
        self.accumulators = accumulators;
        let at = self.places[usize::from(spot)].at;
        self.taken.toggle(at);
        self.nearby.restore(at.1, &nearby);
    }

    /// Sets a stone on an empty point, updating only keys, flags and forcing patterns. Returns what
    /// [`Grid::unforce`] needs.
    #[must_use]
    pub(super) fn force(&mut self, spot: Spot, stone: Stone) -> Forced {
        let forced = Forced { spot, undo: self.undo.len() };
        self.set::<false>(spot, stone);
        forced
    }

    /// Takes back the stone that was forced last.
    #[expect(clippy::needless_pass_by_value, reason = "a stone is taken back once")]
    pub(super) fn unforce(&mut self, forced: Forced) {
        self.clear(forced.spot, forced.undo);
    }

    fn set<const ALL: bool>(&mut self, spot: Spot, stone: Stone) {
        debug_assert!(self.stone_at(spot).is_none(), "a stone is set on an empty point");
        let cell = &mut self.cells[usize::from(spot)];
        cell.stone = Some(stone);
        let flags = cell.seen.flags;
        for stone in Stone::BOTH {
            self.update_threats(usize::from(spot), stone, flags[stone as usize], Flags::default());
        }
        self.stones += 1;
        self.hash ^= self.stone_key(spot, stone);
        let mut count = 0;
        let lines = &*self.tables.lines;
        let mut line_changes = [LineChange::default(); LINE_CHANGES_MAX];
        self.along_all(spot, stone, |cell, spot, axis, part| {
            let key = &mut cell.keys[usize::from(axis)];
            *key += part;
            let line = lines[*key as usize];
            // Written unconditionally, and counted only if it changed: that is quicker than a
            // branch.
            line_changes[count % LINE_CHANGES_MAX] =
                LineChange { spot: spots::spot(spot), axis, line };
            let old = cell.seen.lines[usize::from(axis)];
            // A pattern that is not forcing, before or after, does not change the flags.
            let is_changed = line != old && (ALL || (line | old) & Pattern::FORCING != 0);
            count += usize::from(is_changed && cell.stone.is_none());
        });
        self.undo.reserve(LINE_CHANGES_MAX);
        let mut accumulators = self.accumulators;
        for line_change in &line_changes[..count] {
            self.update_point::<ALL>(*line_change, &mut accumulators);
        }
        if ALL {
            self.accumulators = accumulators;
        }
    }

    fn clear(&mut self, spot: Spot, undo: usize) {
        while self.undo.len() > undo {
            let PatternUndo { spot, seen } = self.undo.pop().expect("there are more");
            let now = std::mem::replace(&mut self.cells[spot].seen, seen);
            if now.flags != seen.flags {
                for stone in Stone::BOTH {
                    self.update_threats(
                        spot,
                        stone,
                        now.flags[stone as usize],
                        seen.flags[stone as usize],
                    );
                }
            }
        }
        let cell = &mut self.cells[usize::from(spot)];
        let stone = cell.stone.take().expect("there is a stone");
        let flags = cell.seen.flags;
        for stone in Stone::BOTH {
            self.update_threats(usize::from(spot), stone, Flags::default(), flags[stone as usize]);
        }
        self.stones -= 1;
        self.hash ^= self.stone_key(spot, stone);
        self.along_all(spot, stone, |cell, _, axis, part| {
            cell.keys[usize::from(axis)] -= part;
        });
    }

    /// Calls `act` for each point that sees a point, with its number, the axis, and what a stone there
    /// adds to the key.
    #[inline(always)]
    fn along_all(&mut self, spot: Spot, stone: Stone, act: impl FnMut(&mut Cell, usize, u8, u32)) {
        // Loops of known length are faster, and nearly all games are played with these two.
        match self.tables.keys.reach() {
            4 => self.along_keys(spot, stone, Keys::new(4), act),
            5 => self.along_keys(spot, stone, Keys::new(5), act),
            reach => self.along_keys(spot, stone, Keys::new(reach), act),
        }
    }

    #[inline(always)]
    fn along_keys(
        &mut self,
        spot: Spot,
        stone: Stone,
        keys: Keys,
        mut act: impl FnMut(&mut Cell, usize, u8, u32),
    ) {
        let spot = usize::from(spot);
        let reach = self.places[spot].reach;
        let cells = self.cells.as_mut_slice();
        for (axis, ([behind, before], step)) in (0..).zip(reach.into_iter().zip(self.steps)) {
            for distance in (1..keys.reach() + 1).take_while(|distance| *distance <= behind) {
                let spot = spot - usize::from(distance) * step;
                act(&mut cells[spot], spot, axis, keys.part(stone, false, distance));
            }
            for distance in (1..keys.reach() + 1).take_while(|distance| *distance <= before) {
                let spot = spot + usize::from(distance) * step;
                act(&mut cells[spot], spot, axis, keys.part(stone, true, distance));
            }
        }
    }

    /// Updates the patterns of an empty point on one axis.
    #[inline]
    fn update_point<const ALL: bool>(
        &mut self,
        LineChange { spot, axis, line }: LineChange,
        accumulators: &mut Accumulators,
    ) {
        let spot = usize::from(spot);
        let tables = self.tables;
        let seen = &mut self.cells[spot].seen;
        let before = *seen;
        self.undo.push(PatternUndo { spot, seen: before });
        // Merged as part of one number: writing one byte and then reading all four would stall.
        let shift = 8 * axis;
        let others = u32::from_le_bytes(before.lines) & !(0xff << shift);
        let lines = (others | u32::from(line) << shift).to_le_bytes();
        seen.lines = lines;
        // Usually only one colour's patterns change, but checking takes longer than updating both.
        let codes = Stone::BOTH.map(|stone| tables.code(lines, stone));
        seen.flags = Stone::BOTH
            .map(|stone| tables.flags[stone as usize][usize::from(codes[stone as usize])]);
        let after = seen.flags;
        if ALL {
            seen.codes = codes;
            for stone in Stone::BOTH {
                let delta = |code: u16| &tables.deltas[usize::from(code)];
                let [old, new] = [before.codes, codes].map(|codes| delta(codes[stone as usize]));
                change(accumulators, stone, old, new);
            }
        }
        if after != before.flags {
            for stone in Stone::BOTH {
                self.update_threats(
                    spot,
                    stone,
                    before.flags[stone as usize],
                    after[stone as usize],
                );
            }
        }
    }

    /// Updates the threat sets of a point whose flags have changed.
    #[inline]
    fn update_threats(&mut self, spot: usize, stone: Stone, before: Flags, after: Flags) {
        let (before, after) = (before.bits(), after.bits());
        let mut changed = (before ^ after) & 15;
        while changed != 0 {
            let threat = changed.trailing_zeros() as usize;
            self.threat_points[stone as usize][threat].toggle(spots::spot(spot));
            let count = &mut self.threat_counts[stone as usize][threat];
            *count = if after >> threat & 1 == 1 { *count + 1 } else { *count - 1 };
            changed &= changed - 1;
        }
    }
}

/// Updates the accumulators after a colour's patterns on a point have changed.
#[inline(always)]
fn change(accumulators: &mut Accumulators, stone: Stone, old: &Delta, new: &Delta) {
    let deltas = [(stone, &old.own, &new.own), (stone.opponent(), &old.other, &new.other)];
    for (side, old, new) in deltas {
        // On a copy: the compiler then knows that nothing aliases it, and vectorizes the sums.
        let mut sum = accumulators[side as usize];
        for (index, sum) in sum.iter_mut().enumerate() {
            *sum = sum.saturating_add(new[index] - old[index]);
        }
        accumulators[side as usize] = sum;
    }
}

/// A forced stone, with what is needed to take it back.
#[derive(Debug)]
pub(super) struct Forced {
    spot: Spot,
    undo: usize,
}

#[cfg(test)]
impl Grid {
    /// Everything that the grid keeps about an empty point.
    pub(super) fn seen(&self, spot: Spot) -> impl std::fmt::Debug {
        (self.cells[usize::from(spot)].keys, self.cells[usize::from(spot)].seen)
    }

    /// The accumulators over all points, and the hash.
    pub(super) const fn totals(&self) -> (Accumulators, u64) {
        (self.accumulators, self.hash)
    }
}

/// A point of an empty window.
fn empty_cell(tables: &Tables, window: &Window, spot: Spot) -> Cell {
    let points = window.points_to_border(spot, tables.keys.reach());
    let keys = points.map(|[behind, before]| tables.keys.empty(behind, before));
    let lines = keys.map(|key| tables.lines[key as usize]);
    let seen = PointPatterns {
        lines,
        codes: Stone::BOTH.map(|stone| tables.code(lines, stone)),
        flags: Stone::BOTH.map(|stone| tables.flags_of(lines, stone)),
    };
    Cell { keys, seen, stone: None }
}

/// Where a point lies in a window.
fn place(tables: &Tables, window: &Window, spot: Spot) -> Place {
    let (x, y) = window.place(spot);
    let coordinate = |value: i32| u8::try_from(value).expect("a window's sides are small");
    Place {
        reach: window.reach(spot, tables.keys.reach()),
        at: (coordinate(x), coordinate(y)),
        keys: [0, 1].map(|side| mix(2 * u64::from(spot) + side)),
    }
}

/// A well-mixed number from a small one (the finalizer of the splitmix64 generator).
const fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
