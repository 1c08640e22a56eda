//! Symmetries: rotates and mirrors points, finds the symmetries of a position, and compares shapes.

use crate::rules::{Point, Position, Size, Stone};

/// How many ways there are to turn and mirror a board; the first, 0, leaves everything in place.
pub const COUNT: u8 = 8;

/// The image of a point after turning and mirroring about the origin in one of [`COUNT`] ways.
pub const fn turned(point: Point, way: u8) -> Point {
    let x = if way & 1 == 0 { point.x } else { -point.x };
    let y = if way & 2 == 0 { point.y } else { -point.y };
    if way & 4 == 0 { Point::new(x, y) } else { Point::new(y, x) }
}

/// A way to turn, mirror and then move a board that leaves a position the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symmetry {
    way: u8,
    offset: Point,
}

impl Symmetry {
    /// The image of a point.
    pub const fn image(self, point: Point) -> Point {
        let Point { x, y } = turned(point, self.way);
        Point::new(x + self.offset.x, y + self.offset.y)
    }
}

/// Every symmetry of a position except the identity. A move and its image under any of them have
/// the same value. For the unbounded board without stones, which every translation leaves the same,
/// the result is empty.
///
/// ```
/// use fivefold_shared::{
///     rules::{Point, Position, Rules, Size, Variant},
///     symmetry,
/// };
///
/// let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
/// let middle = Position::from_moves(rules, &[Point::new(7, 7)]).unwrap();
/// assert_eq!(symmetry::of(&middle).len(), 7);
/// let beside = Position::from_moves(rules, &[Point::new(7, 7), Point::new(7, 8)]).unwrap();
/// let [mirror] = symmetry::of(&beside)[..] else { panic!("left and right are the same") };
/// assert_eq!(mirror.image(Point::new(6, 9)), Point::new(8, 9));
/// ```
pub fn of(position: &Position) -> Vec<Symmetry> {
    let extent = match position.rules().size() {
        Size::Bounded { width, height } => {
            Some((Point::default(), Point::new(i32::from(width) - 1, i32::from(height) - 1)))
        }
        Size::Unbounded => position.extent(),
    };
    let Some((least, greatest)) = extent else { return Vec::new() };
    let symmetry = |way| {
        let (one, other) = (turned(least, way), turned(greatest, way));
        let offset = Point::new(least.x - one.x.min(other.x), least.y - one.y.min(other.y));
        let symmetry = Symmetry { way, offset };
        // The rectangle covers itself unless a longer side lands on a shorter one.
        let (one, other) = (symmetry.image(least), symmetry.image(greatest));
        let fits = Point::new(one.x.max(other.x), one.y.max(other.y)) == greatest;
        let keeps = |(ply, point): (usize, &Point)| {
            position.stone_at(symmetry.image(*point)) == Some(Stone::to_move(ply))
        };
        (fits && position.moves().iter().enumerate().all(keeps)).then_some(symmetry)
    };
    (1..COUNT).filter_map(symmetry).collect()
}

/// The shape of some stones without their place: equal for two sets of stones if turning, mirroring
/// and moving makes one of them the other. Colours count; the order of the stones and the borders
/// do not.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Layout(Vec<(Point, Stone)>);

impl Layout {
    /// The stones, as steps from the corner of all, in an order that equal shapes share.
    pub fn stones(&self) -> &[(Point, Stone)] {
        &self.0
    }
}

/// The shape of these stones.
///
/// ```
/// use fivefold_shared::{rules::{Point, Stone}, symmetry::layout};
///
/// // X O .   . . .
/// // . X .   . O X
/// // . . .   . X .
/// let one = [(0, 0, Stone::Black), (1, 0, Stone::White), (1, 1, Stone::Black)];
/// let other = [(1, 1, Stone::White), (2, 1, Stone::Black), (1, 2, Stone::Black)];
/// let shape = |stones: [(i32, i32, Stone); 3]| {
///     layout(&stones.map(|(x, y, stone)| (Point::new(x, y), stone)))
/// };
/// assert_eq!(shape(one), shape(other));
/// ```
pub fn layout(stones: &[(Point, Stone)]) -> Layout {
    Layout((0..COUNT).map(|way| turned_shape(stones, way)).min().unwrap_or_default())
}

/// The shape of a position with one more stone.
pub fn layout_with(position: &Position, point: Point) -> Layout {
    let points = position.moves().iter().copied().chain([point]);
    layout(&points.zip(0..).map(|(point, ply)| (point, Stone::to_move(ply))).collect::<Vec<_>>())
}

/// How many ways of turning, mirroring and moving leave the shape of a position the same, the
/// identity among them. Borders do not count, so there are at least as many as [`of`] finds.
pub fn shape_symmetries(position: &Position) -> usize {
    let stones = position.moves().iter().copied().zip(0..);
    let stones: Vec<_> = stones.map(|(point, ply)| (point, Stone::to_move(ply))).collect();
    let shape = turned_shape(&stones, 0);
    (0..COUNT).filter(|way| turned_shape(&stones, *way) == shape).count()
}

/// The stones turned in one of [`COUNT`] ways, as steps from the corner of all, sorted.
fn turned_shape(stones: &[(Point, Stone)], way: u8) -> Vec<(Point, Stone)> {
    let mut stones: Vec<_> =
        stones.iter().map(|&(point, stone)| (turned(point, way), stone)).collect();
    let least = |axis: fn(&Point) -> i32| stones.iter().map(|(point, _)| axis(point)).min();
    let (left, top) = (least(|point| point.x), least(|point| point.y));
    for (point, _) in &mut stones {
        let Point { x, y } = *point;
        *point = Point::new(x - left.unwrap_or_default(), y - top.unwrap_or_default());
    }
    stones.sort_unstable();
    stones
}
