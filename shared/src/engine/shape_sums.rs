//! The sums of the [network over shapes](super::shape_network) for a position, kept up to date as
//! stones come and go.

use pulp::{Simd, WithSimd};

use super::{
    grid_window::Window,
    shape_network::{BoardSum, CHANNELS, PointSum, ShapeNetwork},
    shapes::{self, REACH},
    spots::{self, Spot},
};
use crate::rules::Stone;

/// The sums of a position.
#[derive(Clone, Debug)]
pub(super) struct ShapeSums {
    network: &'static ShapeNetwork,
    /// One step along each axis, as a difference of spots.
    steps: [usize; 4],
    /// By spot and axis: how many points lie behind it and before it, as far as a shape reaches.
    reach: Vec<[[u8; 2]; 4]>,
    /// By spot and axis.
    shapes: Vec<[u32; 4]>,
    sums: Vec<AlignedSum>,
    /// Of all points, less what they are without stones.
    board: BoardSum,
    stones: Vec<SummedStone>,
    /// The sums that the stones changed, as they were before.
    undo: Vec<AlignedSum>,
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct AlignedSum(PointSum);

/// A stone that is in the sums.
#[derive(Clone, Debug)]
struct SummedStone {
    spot: Spot,
    stone: Stone,
    /// The sums without it.
    board: BoardSum,
}

impl ShapeSums {
    /// For a window without stones.
    pub(super) fn new(network: &'static ShapeNetwork, window: &Window) -> Self {
        let spots = 0..spots::spot(window.len());
        let reach: Vec<_> = spots.map(|spot| window.reach(spot, REACH)).collect();
        let shapes = reach.iter().map(|axes| match window.is_bordered() {
            true => axes.map(|[behind, before]| shapes::empty(behind, before)),
            false => [shapes::empty(REACH, REACH); 4],
        });
        let shapes: Vec<_> = shapes.collect();
        Self {
            network,
            steps: window.steps(),
            reach,
            sums: shapes.iter().map(|shapes| AlignedSum(network.sum(*shapes))).collect(),
            shapes,
            board: [0; 2 * CHANNELS],
            stones: Vec::new(),
            undo: Vec::new(),
        }
    }

    /// Updates the sums for these stones. The first `same` of them have not changed since the last time.
    pub(super) fn update(&mut self, stones: &[(Spot, Stone)], same: usize) {
        if self.stones.len() > same || stones.len() > same {
            self.network.arch.dispatch(Update { sums: self, stones, same });
        }
    }

    /// The value for the side to move, in the units of the search.
    pub(super) fn value(&self, moving: Stone, threats: usize) -> i32 {
        self.network.value(&self.board, moving, threats)
    }

    #[inline(always)]
    fn place(&mut self, spot: Spot, stone: Stone) {
        self.stones.push(SummedStone { spot, stone, board: self.board });
        let point = usize::from(spot);
        let mut change = [0; 2 * CHANNELS];
        for axis in 0..4 {
            self.change(point, axis, shapes::on(stone), &mut change);
            let [behind, before] = self.reach[point][axis];
            for distance in 1..=behind {
                let other = point - usize::from(distance) * self.steps[axis];
                self.change(other, axis, shapes::near(stone, false, distance), &mut change);
            }
            for distance in 1..=before {
                let other = point + usize::from(distance) * self.steps[axis];
                self.change(other, axis, shapes::near(stone, true, distance), &mut change);
            }
        }
        for (sum, change) in self.board.iter_mut().zip(change) {
            *sum += i32::from(change);
        }
    }

    /// Changes a shape of a point, and adds to `board` by how much that changes the board's sums.
    #[inline(always)]
    fn change(&mut self, point: usize, axis: usize, difference: u32, board: &mut PointSum) {
        let shape = &mut self.shapes[point][axis];
        let old = self.network.row(*shape);
        *shape += difference;
        let new = self.network.row(*shape);
        let sum = &mut self.sums[point];
        self.undo.push(*sum);
        for channel in 0..2 * CHANNELS {
            let before = sum.0[channel];
            let after = before + (i16::from(new[channel]) - i16::from(old[channel]));
            board[channel] += after.max(0) - before.max(0);
            sum.0[channel] = after;
        }
    }

    #[inline(always)]
    fn take_back(&mut self) {
        let SummedStone { spot, stone, board } = self.stones.pop().expect("a stone was placed");
        self.board = board;
        let point = usize::from(spot);
        // In the opposite order.
        for axis in (0..4).rev() {
            let [behind, before] = self.reach[point][axis];
            for distance in (1..=before).rev() {
                let other = point + usize::from(distance) * self.steps[axis];
                self.restore(other, axis, shapes::near(stone, true, distance));
            }
            for distance in (1..=behind).rev() {
                let other = point - usize::from(distance) * self.steps[axis];
                self.restore(other, axis, shapes::near(stone, false, distance));
            }
            self.restore(point, axis, shapes::on(stone));
        }
    }

    #[inline(always)]
    fn restore(&mut self, point: usize, axis: usize, difference: u32) {
        self.shapes[point][axis] -= difference;
        self.sums[point] = self.undo.pop().expect("every change is kept");
    }
}

/// A change of the stones.
struct Update<'a> {
    sums: &'a mut ShapeSums,
    stones: &'a [(Spot, Stone)],
    same: usize,
}

impl WithSimd for Update<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        while self.sums.stones.len() > self.same {
            self.sums.take_back();
        }
        for (spot, stone) in &self.stones[self.same..] {
            self.sums.place(*spot, *stone);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::{grid_window::DIRECTIONS, pattern_tables::Tables};
    use crate::rules::{Point, Position, Rules, Size, Variant};

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
            sums.update(&stones[..middle], 0);
            let same = middle.saturating_sub(back);
            let mut detour = stones[..same].to_vec();
            detour.extend(stones[same..].iter().rev().take(3).map(|(spot, stone)| (*spot, stone.opponent())));
            sums.update(&detour, same);
            sums.update(&stones, same);
            prop_assert_eq!(sums.board, by_hand(network, &window, &stones));
            sums.update(&[], 0);
            prop_assert_eq!(sums.board, [0; 2 * CHANNELS]);
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
                sums.update(stones, 0);
                sums.value(moving, 0)
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
            sums.update(&stones(&position, &window), 0);
            sums.board
        };
        let near = value(&[(0, 0), (1, 1)]);
        let far = value(&[(0, 0), (1, 1), (900_000, 0), (900_001, 1)]);
        assert_eq!(far, near.map(|sum| 2 * sum));
    }
}
