//! Which runs win: the lines through one stone, judged by the variant.
//!
//! It checks only the four axes of the last stone, so a move costs the same on every board. Renju's
//! forbidden points are in `forbidden.rs`.

use super::{Axis, Board, Point, Stone, Variant};

/// Consecutive stones of one colour on one axis, as long as they go.
struct Run {
    stone: Stone,
    axis: Axis,
    /// The end toward the negative direction of the axis.
    first: Point,
    length: u32,
}

impl Run {
    /// The run through a stone that is on the board.
    fn through(board: &Board, point: Point, stone: Stone, axis: Axis) -> Self {
        let reach = |step: i32| {
            let mut steps = 0;
            while board.stone_at(point.along(axis, (steps + 1) * step)) == Some(stone) {
                steps += 1;
            }
            steps
        };
        let (back, ahead) = (reach(-1), reach(1));
        let length = (back + 1 + ahead).unsigned_abs();
        Self { stone, axis, first: point.along(axis, -back), length }
    }

    /// The run's points, from its first on.
    fn points(&self) -> impl Iterator<Item = Point> {
        (0..self.length.cast_signed()).map(|steps| self.first.along(self.axis, steps))
    }

    /// Whether opposing stones stand at both ends. The border closes nothing.
    ///
    /// ```text
    /// . O X X X X X O .    closed
    /// | X X X X X O . .    open: the left end is the border
    /// ```
    fn is_closed(&self, board: &Board) -> bool {
        [-1, self.length.cast_signed()]
            .map(|steps| board.stone_at(self.first.along(self.axis, steps)))
            .iter()
            .all(|end| *end == Some(self.stone.opponent()))
    }

    /// Whether the run wins. Sources: the Renju International Federation's rules of renju, section
    /// 9 (exactly five for Black, five or more for White); Gomocup rules 0, 1, 4, 8 and 9.
    fn wins(&self, board: &Board, variant: Variant) -> bool {
        match (variant, self.stone) {
            (Variant::Freestyle, _) | (Variant::Renju, Stone::White) => self.length >= 5,
            (Variant::Standard, _) | (Variant::Renju, Stone::Black) => self.length == 5,
            (Variant::Caro, _) => self.length == 5 && !self.is_closed(board),
            (Variant::CaroOverline, _) => {
                self.length > 5 || self.length == 5 && !self.is_closed(board)
            }
            (Variant::Mnk { k }, _) => self.length >= u32::from(k),
        }
    }
}

/// Every point of the winning runs through a stone on the board, sorted, each once; nothing when
/// the stone wins nothing.
pub(super) fn winning_points(board: &Board, variant: Variant, point: Point) -> Vec<Point> {
    let Some(stone) = board.stone_at(point) else { return Vec::new() };
    let mut points = Vec::new();
    for axis in Axis::ALL {
        let run = Run::through(board, point, stone, axis);
        if run.wins(board, variant) {
            points.extend(run.points());
        }
    }
    points.sort_unstable();
    points.dedup();
    points
}
