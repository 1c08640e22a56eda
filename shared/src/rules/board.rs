//! Stones on points, bounded or not.
//!
//! A board knows its borders and its stones. It knows neither turns nor variants, and stones can be
//! set up at will; a game's board changes only through [`Position`](super::Position).

use std::{fmt, ops::RangeInclusive};

use super::{Axis, Point, Size, Stone, Tiles};

/// The stones of a position.
///
/// A bounded board keeps every point in a row-major vector. The unbounded board keeps only its
/// stones, in an ordered map of small tiles, so that neither memory nor time depends on how far
/// apart they are, and no choice of points makes it slow.
#[derive(Clone, PartialEq, Eq)]
pub struct Board {
    cells: Cells,
}

#[derive(Clone, PartialEq, Eq)]
enum Cells {
    Dense {
        width: u8,
        height: u8,
        stones: Vec<Option<Stone>>,
    },
    /// Black's stones, and White's.
    Sparse(Tiles<2>),
}

impl Board {
    /// A board without stones.
    pub fn new(size: Size) -> Self {
        let cells = match size {
            Size::Bounded { width, height } => {
                let stones = vec![None; usize::from(width) * usize::from(height)];
                Cells::Dense { width, height, stones }
            }
            Size::Unbounded => Cells::Sparse(Tiles::default()),
        };
        Self { cells }
    }

    /// Whether the point lies within the borders; always true where there are none.
    pub fn contains(&self, point: Point) -> bool {
        match &self.cells {
            Cells::Dense { width, height, .. } => index(*width, *height, point).is_some(),
            Cells::Sparse(_) => true,
        }
    }

    /// The stone on a point; none on an empty point and beyond the borders.
    pub fn stone_at(&self, point: Point) -> Option<Stone> {
        match &self.cells {
            Cells::Dense { width, height, stones } => stones[index(*width, *height, point)?],
            Cells::Sparse(stones) => stones.layer_of(point).map(stone_of),
        }
    }

    /// Whether a stone can be set there: a point within the borders without a stone.
    pub fn is_empty_at(&self, point: Point) -> bool {
        match &self.cells {
            Cells::Dense { width, height, stones } => {
                index(*width, *height, point).is_some_and(|index| stones[index].is_none())
            }
            Cells::Sparse(stones) => stones.layer_of(point).is_none(),
        }
    }

    /// The steps from a point of the board along an axis, `reach` at most to either side, that stay
    /// on the board.
    pub(super) fn steps_within(&self, point: Point, axis: Axis, reach: i32) -> RangeInclusive<i32> {
        let (dx, dy) = axis.direction();
        let (mut back, mut ahead) = (reach, reach);
        if let Cells::Dense { width, height, .. } = &self.cells {
            for (step, at, side) in [(dx, point.x, *width), (dy, point.y, *height)] {
                let (before, after) = (at, i32::from(side) - 1 - at);
                match step {
                    1 => (back, ahead) = (back.min(before), ahead.min(after)),
                    -1 => (back, ahead) = (back.min(after), ahead.min(before)),
                    _ => {}
                }
            }
        }
        -back..=ahead
    }

    /// Sets a stone, in place of any that is there.
    ///
    /// # Panics
    /// When the point is not on the board.
    pub fn set(&mut self, point: Point, stone: Stone) {
        match &mut self.cells {
            Cells::Dense { width, height, stones } => {
                let index = index(*width, *height, point).expect("a stone is set on the board");
                stones[index] = Some(stone);
            }
            Cells::Sparse(stones) => {
                stones.put(point, usize::from(stone == Stone::White));
            }
        }
    }

    /// Takes the stone off a point and returns it.
    pub fn clear(&mut self, point: Point) -> Option<Stone> {
        match &mut self.cells {
            Cells::Dense { width, height, stones } => stones[index(*width, *height, point)?].take(),
            Cells::Sparse(stones) => stones.take(point).map(stone_of),
        }
    }

    /// Draws the rectangle between two corners, a line for each row: `X` for Black, `O` for White,
    /// `.` for a point without a stone.
    pub(super) fn draw(
        &self,
        f: &mut fmt::Formatter<'_>,
        least: Point,
        greatest: Point,
    ) -> fmt::Result {
        for y in least.y..=greatest.y {
            for x in least.x..=greatest.x {
                let mark = match self.stone_at(Point::new(x, y)) {
                    Some(Stone::Black) => 'X',
                    Some(Stone::White) => 'O',
                    None => '.',
                };
                let space = if x > least.x { " " } else { "" };
                write!(f, "{space}{mark}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cells {
            Cells::Dense { width, height, .. } => {
                writeln!(f, "Board {width}x{height}")?;
                let greatest = Point::new(i32::from(*width) - 1, i32::from(*height) - 1);
                self.draw(f, Point::default(), greatest)
            }
            Cells::Sparse(stones) => f.debug_tuple("Board").field(stones).finish(),
        }
    }
}

/// The colour of a layer of the unbounded board.
const fn stone_of(layer: usize) -> Stone {
    if layer == 0 { Stone::Black } else { Stone::White }
}

/// The index of a point on a bounded board.
fn index(width: u8, height: u8, point: Point) -> Option<usize> {
    let x = usize::try_from(point.x).ok()?;
    let y = usize::try_from(point.y).ok()?;
    let width = usize::from(width);
    (x < width && y < usize::from(height)).then_some(y * width + x)
}
