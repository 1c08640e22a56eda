//! The window of points that the engine searches, and their numbers.
//!
//! A bounded board is one window. On the unbounded board the window lies around the stones with a
//! wide margin, and grows and moves with them. If the stones are too far apart for one rectangle,
//! each group of them is cut out with its margin, and these regions lie side by side, so that no
//! group is out of sight: stones that far apart share no line that matters, and the margins keep
//! them from sharing one by accident. A group too wide for any window is cut where its stones are
//! farthest apart.

use fivefold_shared::rules::{Axis, Point, Position, SIDE_MAX, Size, Stone};

use super::spots::Spot;

/// One step forward along each axis, so that spots grow.
pub(super) const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// A rectangle of points with numbers, row by row from the top left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Window {
    /// Number of columns.
    width: u8,
    /// Number of rows.
    height: u8,
    /// Whether the edges of the window are the borders of the board. Where they are not, what lies
    /// beyond them counts as empty.
    bordered: bool,
    /// The parts of the board in the window; the most important first.
    regions: Vec<Region>,
}

/// A rectangle of the board, and where in the window it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Region {
    /// The top-left point on the board.
    origin: Point,
    /// The same point's column and row in the window.
    corner: (i32, i32),
    /// Columns and rows.
    size: (i32, i32),
}

/// How far a region reaches beyond its stones, so that no line through a stone leaves it, nor
/// one through a few stones more.
const MARGIN: i32 = 9;

/// The steps in which a window grows and moves, so that it mostly stays in place and the tables
/// stay valid.
const STEP: i32 = 4;

/// Stones that are no farther apart than this belong to one group; more than a region reaches
/// beyond its own stones, so that none has a stone of another unless one group had to be cut.
const GROUP: i32 = 16;

/// The longest side of a window.
const SIDE: i32 = SIDE_MAX as i32;

impl Window {
    /// The whole of a bounded board.
    pub(super) fn bordered(width: u8, height: u8) -> Self {
        let whole = Region {
            origin: Point::default(),
            corner: (0, 0),
            size: (i32::from(width), i32::from(height)),
        };
        Self { width, height, bordered: true, regions: vec![whole] }
    }

    /// The window for a position; unchanged wherever possible.
    pub(super) fn of(position: &Position, before: Option<&Self>) -> Self {
        if let Size::Bounded { width, height } = position.rules().size() {
            return Self::bordered(width, height);
        }
        if let Some(before) = before
            && before.holds(position)
        {
            return before.clone();
        }
        let mut groups = match position.extent() {
            Some((least, greatest)) if !Group::has_room(least, greatest) => groups(position),
            Some(_) | None => vec![Group::new(position, (0..position.ply()).collect())],
        };
        groups.sort_by_key(|group| std::cmp::Reverse((group.pressure, group.latest)));
        Self::packed(&groups).expect("every group is cut to fit")
    }

    /// Number of columns.
    pub(super) const fn width(&self) -> u8 {
        self.width
    }

    /// Number of rows.
    pub(super) const fn height(&self) -> u8 {
        self.height
    }

    /// Whether the edges are borders.
    #[cfg(test)]
    pub(super) const fn is_bordered(&self) -> bool {
        self.bordered
    }

    /// How many points it has.
    pub(super) fn len(&self) -> usize {
        usize::from(self.width) * usize::from(self.height)
    }

    /// The number of the point in a column and a row; `None` outside the window.
    pub(super) fn at(&self, column: i32, row: i32) -> Option<Spot> {
        let x = u16::try_from(column).ok().filter(|x| *x < u16::from(self.width))?;
        let y = u16::try_from(row).ok().filter(|y| *y < u16::from(self.height))?;
        Some(y * u16::from(self.width) + x)
    }

    /// A point's column and row.
    pub(super) fn place(&self, spot: Spot) -> (i32, i32) {
        let width = u16::from(self.width);
        (i32::from(spot % width), i32::from(spot / width))
    }

    /// Whether two spots lie on one axis, at most so many steps apart.
    pub(super) fn are_on_a_line(&self, one: Spot, other: Spot, most: i32) -> bool {
        let ((x, y), (other_x, other_y)) = (self.place(one), self.place(other));
        let (across, down) = ((x - other_x).abs(), (y - other_y).abs());
        across.max(down) <= most && (across == 0 || down == 0 || across == down)
    }

    /// One step forward along each axis, as a difference of spots.
    pub(super) fn steps(&self) -> [usize; 4] {
        let width = usize::from(self.width);
        [1, width, width + 1, width - 1]
    }

    /// How many points lie behind a point and before it on each axis, at most so many.
    pub(super) fn reach(&self, spot: Spot, most: u8) -> [[u8; 2]; 4] {
        let (x, y) = self.place(spot);
        DIRECTIONS.map(|(dx, dy)| {
            [-1, 1].map(|direction| {
                let is_inside = |distance: &u8| {
                    let steps = direction * i32::from(*distance);
                    self.at(x + steps * dx, y + steps * dy).is_some()
                };
                (1..=most).take_while(is_inside).last().unwrap_or_default()
            })
        })
    }

    /// How many points lie behind a point and before it on each axis until the border of the board, at
    /// most so many. Where the window's edges are no borders, it is always the most.
    pub(super) fn points_to_border(&self, spot: Spot, most: u8) -> [[u8; 2]; 4] {
        if self.bordered { self.reach(spot, most) } else { [[most; 2]; 4] }
    }

    /// The number of a point of the board; `None` where it is out of sight. Margins may overlap on
    /// the board, and then the point belongs where it lies deeper inside.
    pub(super) fn spot(&self, point: Point) -> Option<Spot> {
        let covering = self.regions.iter().filter(|region| region.covers(point, 0));
        let Region { origin, corner, .. } = *covering.max_by_key(|region| region.depth(point))?;
        self.at(corner.0 + point.x - origin.x, corner.1 + point.y - origin.y)
    }

    /// The point of the board with that number; `None` between the regions.
    pub(super) fn point(&self, spot: Spot) -> Option<Point> {
        let (x, y) = self.place(spot);
        self.regions.iter().find_map(|region| {
            let (column, row) = (x - region.corner.0, y - region.corner.1);
            let inside = (0..region.size.0).contains(&column) && (0..region.size.1).contains(&row);
            inside.then(|| Point::new(region.origin.x + column, region.origin.y + row))
        })
    }

    /// Whether every stone lies well within, so that the window need not change.
    fn holds(&self, position: &Position) -> bool {
        let in_sight =
            |point: &Point| self.regions.iter().any(|region| region.covers(*point, MARGIN - STEP));
        !self.bordered && position.ply() > 0 && position.moves().iter().all(in_sight)
    }

    /// Lays groups side by side in rows, as many as there is room for.
    fn packed(groups: &[Group]) -> Option<Self> {
        let mut regions: Vec<Region> = Vec::new();
        let (mut x, mut y, mut row) = (0, 0, 0);
        for group in groups {
            let (origin, size) = group.cut();
            if x + size.0 > SIDE {
                (x, y, row) = (0, y + row, 0);
            }
            if x + size.0 > SIDE || y + size.1 > SIDE {
                continue;
            }
            regions.push(Region { origin, corner: (x, y), size });
            x += size.0;
            row = row.max(size.1);
        }
        let length = |end: fn(&Region) -> i32| {
            let longest = regions.iter().map(end).max()?;
            u8::try_from(longest).ok()
        };
        let width = length(|region| region.corner.0 + region.size.0)?;
        let height = length(|region| region.corner.1 + region.size.1)?;
        Some(Self { width, height, bordered: false, regions })
    }
}

impl Region {
    /// Whether a point lies in it, that far from its edges.
    fn covers(&self, point: Point, inset: i32) -> bool {
        let within = |from: i32, length: i32, value: i32| {
            value.checked_sub(from).is_some_and(|at| (inset..length - inset).contains(&at))
        };
        within(self.origin.x, self.size.0, point.x) && within(self.origin.y, self.size.1, point.y)
    }

    /// How far a point is from the nearest edge.
    fn depth(&self, point: Point) -> i32 {
        let (x, y) = (point.x - self.origin.x, point.y - self.origin.y);
        x.min(y).min(self.size.0 - 1 - x).min(self.size.1 - 1 - y)
    }
}

/// Stones that may affect each other.
struct Group {
    least: Point,
    greatest: Point,
    /// The ply of its last stone.
    latest: usize,
    /// The most stones of one colour on five points of a line without an opposing one.
    pressure: usize,
}

impl Group {
    /// The stones of these plies. Of a group too large for any window, the latest that fit.
    fn new(position: &Position, mut plies: Vec<usize>) -> Self {
        plies.sort_unstable();
        let latest = plies.last().copied().unwrap_or_default();
        let first = position.moves().get(latest).copied().unwrap_or_default();
        let (mut least, mut greatest) = (first, first);
        for ply in plies.iter().rev() {
            let point = position.moves()[*ply];
            let low = Point::new(least.x.min(point.x), least.y.min(point.y));
            let high = Point::new(greatest.x.max(point.x), greatest.y.max(point.y));
            if Self::has_room(low, high) {
                (least, greatest) = (low, high);
            }
        }
        let pressure = plies.iter().map(|ply| pressure(position, *ply)).max().unwrap_or_default();
        Self { least, greatest, latest, pressure }
    }

    /// Whether stones between these corners fit into a window with their margin.
    fn has_room(least: Point, greatest: Point) -> bool {
        let room = (SIDE - 2 * MARGIN - STEP).unsigned_abs();
        least.x.abs_diff(greatest.x) < room && least.y.abs_diff(greatest.y) < room
    }

    /// The rectangle with the stones and their margin, its sides and corner rounded to
    /// [`STEP`]s.
    fn cut(&self) -> (Point, (i32, i32)) {
        let down = |value: i32| (value - MARGIN).div_euclid(STEP) * STEP;
        let origin = Point::new(down(self.least.x), down(self.least.y));
        let length = |from: i32, to: i32| {
            ((to + MARGIN + 1 - from + STEP - 1).div_euclid(STEP) * STEP).min(SIDE)
        };
        (origin, (length(origin.x, self.greatest.x), length(origin.y, self.greatest.y)))
    }
}

/// All stones, in groups that each fit into a window.
fn groups(position: &Position) -> Vec<Group> {
    let mut left = clusters(position);
    let mut groups = Vec::new();
    while let Some(cluster) = left.pop() {
        if Group::has_room(cluster.least, cluster.greatest) {
            groups.push(Group::new(position, cluster.plies));
        } else {
            left.extend(cluster.halves(position));
        }
    }
    groups
}

/// All stones, in clusters whose rectangles are more than [`GROUP`] apart.
fn clusters(position: &Position) -> Vec<StoneCluster> {
    let mut clusters: Vec<StoneCluster> = Vec::new();
    for (ply, point) in position.moves().iter().enumerate() {
        let mut cluster = StoneCluster { least: *point, greatest: *point, plies: vec![ply] };
        // A cluster that grows can come near others that were far from it before.
        while let Some(index) = clusters.iter().position(|other| cluster.is_near(other)) {
            cluster.join(clusters.swap_remove(index));
        }
        clusters.push(cluster);
    }
    clusters
}

/// A group in the making.
struct StoneCluster {
    least: Point,
    greatest: Point,
    plies: Vec<usize>,
}

impl StoneCluster {
    fn is_near(&self, other: &Self) -> bool {
        let gap = |from: i32, to: i32| from.saturating_sub(to);
        [
            gap(self.least.x, other.greatest.x),
            gap(other.least.x, self.greatest.x),
            gap(self.least.y, other.greatest.y),
            gap(other.least.y, self.greatest.y),
        ]
        .iter()
        .all(|gap| *gap <= GROUP)
    }

    /// Cut across its longer side, where its stones are farthest apart, near the middle if there
    /// are several such places.
    fn halves(self, position: &Position) -> [Self; 2] {
        let lengths =
            [self.greatest.x.abs_diff(self.least.x), self.greatest.y.abs_diff(self.least.y)];
        let coordinate = |ply: usize| {
            let point = position.moves()[ply];
            if lengths[0] >= lengths[1] { point.x } else { point.y }
        };
        let mut plies = self.plies;
        plies.sort_unstable_by_key(|ply| coordinate(*ply));
        let middle = plies.len() / 2;
        let cut = (1..plies.len()).max_by_key(|cut| {
            let gap = coordinate(plies[*cut]).abs_diff(coordinate(plies[*cut - 1]));
            (gap, std::cmp::Reverse(cut.abs_diff(middle)))
        });
        let after = plies.split_off(cut.expect("one stone has room in any window"));
        [plies, after].map(|plies| Self::of(position, plies))
    }

    /// The stones of these plies, at least one.
    fn of(position: &Position, plies: Vec<usize>) -> Self {
        let points = plies.iter().map(|ply| position.moves()[*ply]);
        let corner = |of: fn(i32, i32) -> i32| {
            let joined = points.clone().reduce(|a, b| Point::new(of(a.x, b.x), of(a.y, b.y)));
            joined.expect("there is a stone")
        };
        let (least, greatest) = (corner(i32::min), corner(i32::max));
        Self { least, greatest, plies }
    }

    fn join(&mut self, mut other: Self) {
        self.least = Point::new(self.least.x.min(other.least.x), self.least.y.min(other.least.y));
        self.greatest = Point::new(
            self.greatest.x.max(other.greatest.x),
            self.greatest.y.max(other.greatest.y),
        );
        self.plies.append(&mut other.plies);
    }
}

/// The most stones like this one on five points of a line through it without an opposing one.
fn pressure(position: &Position, ply: usize) -> usize {
    let (point, stone) = (position.moves()[ply], Stone::to_move(ply));
    let lines = Axis::ALL.into_iter().flat_map(|axis| (-4..=0).map(move |first| (axis, first)));
    lines
        .filter_map(|(axis, first)| {
            let mut own = 0;
            for steps in first..first + 5 {
                match position.stone_at(point.along(axis, steps)) {
                    Some(other) if other == stone => own += 1,
                    Some(_) => return None,
                    None => {}
                }
            }
            Some(own)
        })
        .max()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use fivefold_shared::rules::{Rules, Variant};

    use super::*;

    fn position(moves: &[(i32, i32)]) -> Position {
        let rules = Rules::new(Variant::Freestyle, Size::Unbounded).unwrap();
        let moves: Vec<Point> = moves.iter().copied().map(Point::from).collect();
        Position::from_moves(rules, &moves).unwrap()
    }

    #[test]
    fn every_stone_is_in_sight_once_and_keeps_its_surroundings() {
        let far = 900_000;
        let cases: [&[(i32, i32)]; 6] = [
            &[(0, 0)],
            &[(5, 5), (6, 7), (40, 10), (-3, -20)],
            &[(0, 0), (far, 0), (1, 1), (far, far), (2, 2), (-far, 1)],
            &[(0, 0), (11, 0), (22, 0), (33, 0), (70, 0), (81, 0), (70, 11)],
            &[(0, 0), (60, 60), (0, 60), (60, 0), (1, 0), (59, 60)],
            &[(2_000_000_000, -2_000_000_000), (2_000_000_001, -1_999_100_000)],
        ];
        for moves in cases {
            let position = position(moves);
            let window = Window::of(&position, None);
            let mut spots: Vec<Spot> = Vec::new();
            for point in position.moves() {
                let spot = window.spot(*point).unwrap();
                assert_eq!(window.point(spot), Some(*point), "{moves:?}");
                let (x, y) = window.place(spot);
                for axis in Axis::ALL {
                    for steps in -5..=5 {
                        let (dx, dy) = axis.direction();
                        let seen = window.at(x + dx * steps, y + dy * steps).unwrap();
                        let on_board = point.along(axis, steps);
                        assert_eq!(window.point(seen), Some(on_board), "{moves:?}");
                    }
                }
                spots.push(spot);
            }
            spots.sort_unstable();
            spots.dedup();
            assert_eq!(spots.len(), position.ply(), "{moves:?}");
        }
    }

    #[test]
    fn a_window_stays_while_the_stones_are_well_within() {
        let first = Window::of(&position(&[(0, 0), (1, 1)]), None);
        let near = Window::of(&position(&[(0, 0), (1, 1), (3, 2)]), Some(&first));
        assert_eq!(near, first);
        let far = Window::of(&position(&[(0, 0), (1, 1), (12, 2)]), Some(&first));
        assert_ne!(far, first);
    }

    #[test]
    fn where_there_is_not_room_for_all_the_threats_come_first() {
        let mut moves: Vec<(i32, i32)> = (0..40).map(|group| (1_000 * group, 0)).collect();
        // Black has an open three at the very first group; White's stones are alone.
        moves.extend([(0, 1), (1_000, 5), (0, 2), (2_000, 5)]);
        let position = position(&moves);
        let window = Window::of(&position, None);
        for y in 0..3 {
            assert!(window.spot(Point::new(0, y)).is_some());
        }
        assert!(window.spot(Point::new(2_000, 5)).is_some(), "the latest stones come next");
    }
}
