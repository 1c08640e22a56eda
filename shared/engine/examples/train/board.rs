//! The shapes of a position.

use fivefold_engine::search::Shapes;
use fivefold_shared::rules::{Axis, Point, Rules, Size, Stone};

/// The shapes on an empty board, and where they change.
pub(crate) struct Board {
    pub(crate) rules: Rules,
    width: i32,
    height: i32,
    /// By point and axis.
    pub(crate) empty: Vec<[u32; 4]>,
}

impl Board {
    /// For a board with borders.
    pub(crate) fn new(rules: Rules) -> Option<Self> {
        let Size::Bounded { width, height } = rules.size() else { return None };
        let mut board =
            Self { rules, width: width.into(), height: height.into(), empty: Vec::new() };
        let reach = |point, axis, direction| {
            u8::try_from(board.line(point, axis, direction).count()).expect("it is short")
        };
        board.empty = (0..usize::from(width) * usize::from(height))
            .map(|point| {
                [0, 1, 2, 3]
                    .map(|axis| Shapes::empty(reach(point, axis, -1), reach(point, axis, 1)))
            })
            .collect();
        Some(board)
    }

    /// The number of a point.
    pub(crate) fn number(&self, point: Point) -> Option<u16> {
        u16::try_from(point.y * self.width + point.x).ok()
    }

    /// The points that lie on an axis on one side of a point and see it.
    fn line(&self, point: usize, axis: usize, direction: i32) -> impl Iterator<Item = usize> {
        let point = i32::try_from(point).expect("boards are small");
        let (x, y) = (point % self.width, point / self.width);
        let (dx, dy) = Axis::ALL[axis].direction();
        let (width, height) = (self.width, self.height);
        (1..=i32::from(Shapes::REACH))
            .map(move |step| (x + direction * step * dx, y + direction * step * dy))
            .take_while(move |(x, y)| (0..width).contains(x) && (0..height).contains(y))
            .map(move |(x, y)| usize::try_from(y * width + x).expect("it is on the board"))
    }

    /// Computes the shapes of a position, and lists the points that see a stone.
    pub(crate) fn set(&self, stones: &[u16], shapes: &mut Vec<[u32; 4]>, active: &mut Vec<u16>) {
        shapes.clone_from(&self.empty);
        for (ply, point) in stones.iter().enumerate() {
            let (stone, point) = (Stone::to_move(ply), usize::from(*point));
            shapes[point].iter_mut().for_each(|shape| *shape += Shapes::on(stone));
            let sides = [(-1, false), (1, true)];
            for (axis, (direction, is_behind)) in
                (0..4).flat_map(|axis| sides.map(|side| (axis, side)))
            {
                for (other, distance) in self.line(point, axis, direction).zip(1..) {
                    shapes[other][axis] += Shapes::near(stone, is_behind, distance);
                }
            }
        }
        active.clear();
        let changed = |point: &usize| shapes[*point] != self.empty[*point];
        let numbers = (0..shapes.len()).filter(changed);
        active.extend(numbers.map(|point| u16::try_from(point).expect("boards are small")));
    }
}
