//! The sums of the [network over shapes](super::shape_network) for a position, kept up to date as
//! stones come and go.

use fivefold_shared::rules::Stone;
use pulp::{Simd, WithSimd};

use super::{
    grid_window::Window,
    shape_network::{BoardSum, CHANNELS, PointSum, ShapeNetwork},
    shapes::{self, REACH},
    spots::{self, Spot},
};

/// The sums of a position.
#[derive(Clone, Debug)]
pub(super) struct ShapeSums {
    network: &'static ShapeNetwork,
    /// One step along each axis, as a difference of spots.
    steps: [usize; 4],
    points: Vec<PointShapes>,
    sums: Vec<AlignedSum>,
    /// Of all points, less what they are without stones.
    board: BoardSum,
    stones: Vec<(Spot, Stone)>,
}

/// What the sums know of a point, by axis.
#[derive(Clone, Debug)]
struct PointShapes {
    /// How many points lie behind it and before it, as far as a shape reaches.
    reach: [[u8; 2]; 4],
    shapes: [u32; 4],
    /// The numbers of the shapes' rows.
    rows: [u16; 4],
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct AlignedSum(PointSum);

/// A change of a shape of a point: the numbers of the old row and of the new one.
#[derive(Clone, Copy, Debug, Default)]
struct RowChange {
    point: usize,
    old: u16,
    new: u16,
}

/// The most points that see a point.
const IN_SIGHT_MAX: usize = 8 * REACH as usize;

impl ShapeSums {
    /// For a window without stones.
    pub(super) fn new(network: &'static ShapeNetwork, window: &Window) -> Self {
        let points = (0..spots::spot(window.len())).map(|spot| {
            let points = window.points_to_border(spot, REACH);
            let shapes = points.map(|[behind, before]| shapes::empty(behind, before));
            let rows = shapes.map(|shape| network.row_of(shape));
            PointShapes { reach: window.reach(spot, REACH), shapes, rows }
        });
        let points: Vec<_> = points.collect();
        Self {
            network,
            steps: window.steps(),
            sums: points.iter().map(|point| AlignedSum(network.sum(point.shapes))).collect(),
            points,
            board: [0; 2 * CHANNELS],
            stones: Vec::new(),
        }
    }

    /// The sums of the board with these stones. The first `same` of them have not changed since the last
    /// time. The sums are kept without the last stone: mostly another takes its place next.
    pub(super) fn of(&mut self, stones: &[(Spot, Stone)], same: usize) -> BoardSum {
        self.network.arch.dispatch(Update { sums: self, stones, same })
    }

    /// The sums of the board with a stone more, or with one less where `sign` is -1. With `KEEP` they are
    /// those of the points from now on, too.
    #[inline(always)]
    fn changed<const KEEP: bool>(&mut self, spot: Spot, stone: Stone, sign: i32) -> BoardSum {
        let middle = usize::from(spot);
        let mut changes = [RowChange::default(); IN_SIGHT_MAX];
        let mut count = 0;
        for axis in 0..4 {
            let [behind, before] = self.points[middle].reach[axis];
            let step = self.steps[axis];
            for distance in (1..REACH + 1).take_while(|distance| *distance <= behind) {
                let point = middle - usize::from(distance) * step;
                let part = shapes::near(stone, false, distance);
                changes[count % IN_SIGHT_MAX] = self.reshape::<KEEP>(point, axis, part, sign);
                count += 1;
            }
            for distance in (1..REACH + 1).take_while(|distance| *distance <= before) {
                let point = middle + usize::from(distance) * step;
                let part = shapes::near(stone, true, distance);
                changes[count % IN_SIGHT_MAX] = self.reshape::<KEEP>(point, axis, part, sign);
                count += 1;
            }
        }
        let of_middle =
            [0, 1, 2, 3].map(|axis| self.reshape::<KEEP>(middle, axis, shapes::on(stone), sign));
        let mut change = [0; 2 * CHANNELS];
        self.add_up::<KEEP>(middle, &of_middle, &mut change);
        for other in &changes[..count.min(IN_SIGHT_MAX)] {
            self.add_up::<KEEP>(other.point, std::slice::from_ref(other), &mut change);
        }
        let mut board = self.board;
        for (sum, change) in board.iter_mut().zip(change) {
            *sum += i32::from(change);
        }
        board
    }

    /// How a shape of a point changes.
    #[inline(always)]
    fn reshape<const KEEP: bool>(
        &mut self,
        point: usize,
        axis: usize,
        part: u32,
        sign: i32,
    ) -> RowChange {
        let PointShapes { shapes, rows, .. } = &mut self.points[point];
        let shape = shapes[axis].wrapping_add_signed(sign * part.cast_signed());
        let (old, new) = (rows[axis], self.network.row_of(shape));
        if KEEP {
            (shapes[axis], rows[axis]) = (shape, new);
        }
        self.network.prefetch(new);
        RowChange { point, old, new }
    }

    /// Adds to `board` by how much the changes of a point change the board's sums.
    #[inline(always)]
    fn add_up<const KEEP: bool>(
        &mut self,
        point: usize,
        changes: &[RowChange],
        board: &mut PointSum,
    ) {
        let sum = &mut self.sums[point].0;
        let mut after = *sum;
        for RowChange { old, new, .. } in changes {
            let [old, new] = [old, new].map(|row| self.network.row(*row));
            for channel in 0..2 * CHANNELS {
                after[channel] += i16::from(new[channel]) - i16::from(old[channel]);
            }
        }
        for channel in 0..2 * CHANNELS {
            board[channel] += after[channel].max(0) - sum[channel].max(0);
        }
        if KEEP {
            *sum = after;
        }
    }
}

/// A change of the stones.
struct Update<'a> {
    sums: &'a mut ShapeSums,
    stones: &'a [(Spot, Stone)],
    same: usize,
}

impl WithSimd for Update<'_> {
    type Output = BoardSum;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> BoardSum {
        let Self { sums, stones, same } = self;
        let (last, before) = match stones.split_last() {
            Some((last, before)) => (Some(*last), before),
            None => (None, stones),
        };
        while sums.stones.len() > same.min(before.len()) {
            let (spot, stone) = sums.stones.pop().expect("there are more");
            sums.board = sums.changed::<true>(spot, stone, -1);
        }
        for (spot, stone) in &before[sums.stones.len()..] {
            sums.board = sums.changed::<true>(*spot, *stone, 1);
            sums.stones.push((*spot, *stone));
        }
        match last {
            Some((spot, stone)) => sums.changed::<false>(spot, stone, 1),
            None => sums.board,
        }
    }
}

#[cfg(test)]
mod tests {
    use fivefold_shared::rules::{Point, Position, Rules, Size, Variant};
    use proptest::prelude::*;

    use super::*;
    use crate::search::{grid_window::DIRECTIONS, pattern_tables::Tables};

    fn network(variant: Variant) -> &'static ShapeNetwork {
        ShapeNetwork::of(Tables::of(variant).unwrap()).unwrap()
    }

    fn stones(position: &Position, window: &Window) -> Vec<(Spot, Stone)> {
        let spots = position.moves().iter().map(|point| window.spot(*point).unwrap());
        spots.enumerate().map(|(ply, spot)| (spot, Stone::to_move(ply))).collect()
    }

    fn position(size: Size, points: &[(i32, i32)]) -> Position {
        let rules = Rules::new(Variant::Freestyle, size).unwrap();
        let mut position = Position::new(rules);
        for point in points {
            let point = Point::from(*point);
            if position.legality(point).is_ok() {
                position.play(point).unwrap();
            }
        }
        position
    }

    /// The sums over the board, point by point, each shape put together from the stones in sight.
    fn by_hand(network: &ShapeNetwork, window: &Window, stones: &[(Spot, Stone)]) -> BoardSum {
        let mut board = [0; 2 * CHANNELS];
        let stone_at = |wanted: Spot| stones.iter().find(|(spot, _)| *spot == wanted);
        for spot in 0..spots::spot(window.len()) {
            let (x, y) = window.place(spot);
            let mut shapes = [[0; 4]; 2];
            for (axis, (dx, dy)) in DIRECTIONS.into_iter().enumerate() {
                let at = |steps: i32| window.at(x + steps * dx, y + steps * dy);
                let is_point = |steps: i32| !window.is_bordered() || at(steps).is_some();
                let count = |direction: i32| {
                    let points = (1..=5).take_while(|step| is_point(direction * step));
                    u8::try_from(points.count()).unwrap()
                };
                shapes[0][axis] = shapes::empty(count(-1), count(1));
                shapes[1][axis] = shapes[0][axis];
                for steps in -5..=5_i32 {
                    let Some((_, stone)) = at(steps).and_then(stone_at) else { continue };
                    shapes[1][axis] += match steps {
                        0 => shapes::on(*stone),
                        _ => shapes::near(
                            *stone,
                            steps < 0,
                            steps.unsigned_abs().try_into().unwrap(),
                        ),
                    };
                }
            }
            let [empty, now] = shapes.map(|shapes| network.sum(shapes));
            for (board, (now, empty)) in board.iter_mut().zip(now.into_iter().zip(empty)) {
                *board += i32::from(now.max(0)) - i32::from(empty.max(0));
            }
        }
        board
    }

    fn sizes() -> impl Strategy<Value = Size> {
        let bounded = |(width, height)| Size::Bounded { width, height };
        prop_oneof![(5..=20_u8, 5..=20_u8).prop_map(bounded), Just(Size::Unbounded)]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn sums_are_those_of_the_points(
            variant in prop::sample::select(&Variant::FIVES),
            size in sizes(),
            points in prop::collection::vec((0..16, 0..16), 0..40),
            (back, middle) in (0..40_usize, 0..40_usize),
        ) {
            let position = position(size, &points);
            let window = Window::of(&position, None);
            let stones = stones(&position, &window);
            let network = network(variant);
            let mut sums = ShapeSums::new(network, &window);
            // There by a detour: some stones, others instead of the last of them, and then these.
            let middle = middle.min(stones.len());
            sums.of(&stones[..middle], 0);
            let same = middle.saturating_sub(back);
            let mut detour = stones[..same].to_vec();
            detour.extend(stones[same..].iter().rev().take(3).map(|(spot, stone)| (*spot, stone.opponent())));
            sums.of(&detour, same);
            prop_assert_eq!(sums.of(&stones, same), by_hand(network, &window, &stones));
            prop_assert_eq!(sums.of(&[], 0), [0; 2 * CHANNELS]);
        }

        #[test]
        fn a_position_has_the_value_of_its_mirror_image_and_of_the_other_colours(
            variant in prop::sample::select(&Variant::FIVES),
            points in prop::collection::vec((0..15, 0..15), 0..40),
        ) {
            let size = Size::Bounded { width: 15, height: 15 };
            let window = Window::bordered(15, 15);
            let value = |stones: &[(Spot, Stone)], moving| {
                let mut sums = ShapeSums::new(network(variant), &window);
                let board = sums.of(stones, 0);
                network(variant).value(&board, moving, 0)
            };
            let there = stones(&position(size, &points), &window);
            let mirrored: Vec<_> = there.iter().map(|(spot, stone)| (spot % 15 * 15 + spot / 15, *stone)).collect();
            let exchanged: Vec<_> = there.iter().map(|(spot, stone)| (*spot, stone.opponent())).collect();
            prop_assert_eq!(value(&there, Stone::Black), value(&mirrored, Stone::Black));
            // In renju the colours are not alike.
            if variant != Variant::Renju {
                prop_assert_eq!(value(&there, Stone::Black), value(&exchanged, Stone::White));
            }
        }
    }

    #[test]
    fn stones_far_apart_add_up() {
        let value = |points: &[(i32, i32)]| {
            let position = position(Size::Unbounded, points);
            let window = Window::of(&position, None);
            let mut sums = ShapeSums::new(network(Variant::Freestyle), &window);
            sums.of(&stones(&position, &window), 0)
        };
        let near = value(&[(0, 0), (1, 1)]);
        let far = value(&[(0, 0), (1, 1), (900_000, 0), (900_001, 1)]);
        assert_eq!(far, near.map(|sum| 2 * sum));
    }
}
