//! Maps a part of an unbounded board to an engine's board, which has borders.
//!
//! The window moves when play comes near its edge, and hides the stones outside. An engine derives
//! the side to move from the number of stones, so where the two sides have lost different numbers,
//! filler stones go where they matter least.

use fivefold_shared::{
    notation::gomocup::{Placed, Side},
    rules::{Point, Position, Stone},
};

/// How near to the edge the last moves may come before the window moves.
const MARGIN: i32 = 5;

/// A square of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BoardWindow {
    side: u8,
    /// The point of the board in its top-left corner.
    origin: Point,
}

impl BoardWindow {
    /// A window around the point 0,0.
    pub(super) fn new(side: u8) -> Self {
        Self { side, origin: Point::default() }.around(Point::default(), Point::default())
    }

    /// The number of columns, and of rows.
    pub(super) const fn side(&self) -> u8 {
        self.side
    }

    /// Converts a point of the board to the engine's coordinates.
    pub(super) const fn to_engine(self, point: Point) -> Point {
        Point::new(point.x - self.origin.x, point.y - self.origin.y)
    }

    /// Converts a point of the engine's board to the game's coordinates. Invalid points stay
    /// outside the window.
    pub(super) const fn to_board(self, point: Point) -> Point {
        Point::new(point.x.saturating_add(self.origin.x), point.y.saturating_add(self.origin.y))
    }

    /// Moves the window if the last moves are near its edge; `true` if it stayed.
    pub(super) fn follow(&mut self, position: &Position) -> bool {
        let latest = position.moves().iter().rev();
        if latest.clone().take(2).all(|point| self.covers(*point, MARGIN)) {
            return true;
        }
        let room = u32::from(self.side).saturating_sub(2 * MARGIN.unsigned_abs());
        let mut corners: Option<(Point, Point)> = None;
        for point in latest {
            let (low, high) = corners.unwrap_or((*point, *point));
            let low = Point::new(low.x.min(point.x), low.y.min(point.y));
            let high = Point::new(high.x.max(point.x), high.y.max(point.y));
            if low.distance(high) < room {
                corners = Some((low, high));
            }
        }
        let before = *self;
        if let Some((low, high)) = corners {
            *self = self.around(low, high);
        }
        *self == before
    }

    /// The visible stones in order, as the side to move sees them.
    pub(super) fn stones(self, position: &Position) -> Vec<Placed> {
        let moves = position.moves().iter().enumerate();
        let shown = moves.filter(|(_, point)| self.covers(**point, 0));
        shown
            .map(|(ply, point)| Placed { point: self.to_engine(*point), side: side(position, ply) })
            .collect()
    }

    /// Filler stones for the side with more hidden stones, so that the numbers of both differ as on
    /// the board: each as far from all others as possible.
    pub(super) fn fillers(self, position: &Position) -> Vec<Placed> {
        let mut stones = self.stones(position);
        let shown = stones.len();
        let hidden = |of: Side| {
            let moves = position.moves().iter().enumerate();
            moves
                .filter(|(ply, point)| side(position, *ply) == of && !self.covers(**point, 0))
                .count()
        };
        let (own, others) = (hidden(Side::Own), hidden(Side::Opponent));
        let side = if own > others { Side::Own } else { Side::Opponent };
        for _ in 0..own.abs_diff(others) {
            stones.extend(self.aside(&stones).map(|point| Placed { point, side }));
        }
        stones.split_off(shown)
    }

    /// The empty point farthest from every stone.
    fn aside(self, stones: &[Placed]) -> Option<Point> {
        let side = i32::from(self.side);
        let points = (0..side).flat_map(|y| (0..side).map(move |x| Point::new(x, y)));
        let distance =
            |point: &Point| stones.iter().map(|stone| stone.point.distance(*point)).min();
        points.filter(|point| distance(point) != Some(0)).max_by_key(distance)
    }

    /// The window whose middle is that of these corners.
    fn around(self, low: Point, high: Point) -> Self {
        let half = i32::from(self.side) / 2;
        let middle = |low: i32, high: i32| low + (high - low) / 2;
        let origin = Point::new(middle(low.x, high.x) - half, middle(low.y, high.y) - half);
        Self { origin, ..self }
    }

    /// Whether a point lies inside, at least `inset` points from the edges.
    fn covers(self, point: Point, inset: i32) -> bool {
        let side = i32::from(self.side);
        let within = |at: i32, from: i32| {
            at.checked_sub(from).is_some_and(|at| (inset..side - inset).contains(&at))
        };
        within(point.x, self.origin.x) && within(point.y, self.origin.y)
    }
}

/// The owner of a ply's stone, as the side to move sees it.
fn side(position: &Position, ply: usize) -> Side {
    if Stone::to_move(ply) == position.turn() { Side::Own } else { Side::Opponent }
}

#[cfg(test)]
mod tests {
    use fivefold_shared::rules::{Rules, Size, Variant};

    use super::*;

    fn position(moves: &[(i32, i32)]) -> Position {
        let rules = Rules::new(Variant::Freestyle, Size::Unbounded).unwrap();
        let moves: Vec<Point> = moves.iter().copied().map(Point::from).collect();
        Position::from_moves(rules, &moves).unwrap()
    }

    #[test]
    fn it_stays_while_play_is_well_within_and_follows_where_it_goes() {
        let far = 1_900_000_000;
        let cases: [(&[(i32, i32)], bool); 5] = [
            (&[], true),
            (&[(0, 0), (1, 1)], true),
            (&[(0, 0), (4, -5)], true),
            (&[(0, 0), (5, 0)], false),
            (&[(far, far), (far + 1, far)], false),
        ];
        for (moves, stays) in cases {
            let mut window = BoardWindow::new(20);
            let position = position(moves);
            assert_eq!(window.follow(&position), stays, "{moves:?}");
            for point in position.moves() {
                assert!(window.covers(*point, 1), "{moves:?}");
                assert_eq!(window.to_board(window.to_engine(*point)), *point);
            }
            assert!(window.follow(&position), "{moves:?}: where it is now, it stays");
        }
    }

    #[test]
    fn both_sides_keep_the_difference_of_their_stones() {
        // Three of Black's four stones lie outside, and one of White's three.
        let moves = [(-50, 0), (0, 0), (-50, 1), (1, 1), (-50, 2), (90, 90), (2, 2)];
        let position = position(&moves);
        let mut window = BoardWindow::new(20);
        assert!(!window.follow(&position) || window.covers(Point::new(2, 2), MARGIN));
        let stones = [window.fillers(&position), window.stones(&position)].concat();
        let count = |side| stones.iter().filter(|stone| stone.side == side).count();
        assert_eq!((count(Side::Own), count(Side::Opponent)), (2, 3));
        let mut points: Vec<Point> = stones.iter().map(|stone| stone.point).collect();
        assert!(
            points.iter().all(|point| (0..20).contains(&point.x) && (0..20).contains(&point.y))
        );
        points.sort_unstable();
        points.dedup();
        assert_eq!(points.len(), stones.len(), "each on a point of its own");
    }
}
