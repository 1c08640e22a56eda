//! Points of the board and the four axes that lines run along.
//!
//! One convention everywhere, on the wire as in the code: `x` grows to the right and `y` grows
//! downward. On a bounded board `(0, 0)` is the top-left point. Names such as `h8` belong to
//! [`notation::coordinates`](crate::notation::coordinates).

use serde::{Deserialize, Serialize};

/// An intersection of the board. On the wire: `[x, y]`.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize,
)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS), ts(type = "[number, number]"))]
#[serde(from = "(i32, i32)", into = "(i32, i32)")]
pub struct Point {
    /// Column, growing to the right.
    pub x: i32,
    /// Row, growing downward.
    pub y: i32,
}

impl Point {
    /// The point in column `x` and row `y`.
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }

    /// The point `steps` along `axis`; a negative number goes the other way.
    ///
    /// The caller keeps the result within `i32`; the limits of
    /// [`Size`](crate::rules::Size) leave room for any step that a line needs.
    pub const fn along(self, axis: Axis, steps: i32) -> Self {
        let (dx, dy) = axis.direction();
        Self { x: self.x + dx * steps, y: self.y + dy * steps }
    }

    /// How far apart two points are, in the longer of the two coordinates.
    pub const fn distance(self, other: Self) -> u32 {
        let dx = self.x.abs_diff(other.x);
        let dy = self.y.abs_diff(other.y);
        if dx > dy { dx } else { dy }
    }
}

impl From<(i32, i32)> for Point {
    fn from((x, y): (i32, i32)) -> Self {
        Self { x, y }
    }
}

impl From<Point> for (i32, i32) {
    fn from(point: Point) -> Self {
        (point.x, point.y)
    }
}

/// One of the four directions that a line can have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Axis {
    /// Left to right.
    Horizontal,
    /// Top to bottom.
    Vertical,
    /// Top left to bottom right.
    Falling,
    /// Bottom left to top right.
    Rising,
}

impl Axis {
    /// All four axes.
    pub const ALL: [Self; 4] = [Self::Horizontal, Self::Vertical, Self::Falling, Self::Rising];

    /// One step forward along the axis, as `(dx, dy)`.
    pub const fn direction(self) -> (i32, i32) {
        match self {
            Self::Horizontal => (1, 0),
            Self::Vertical => (0, 1),
            Self::Falling => (1, 1),
            Self::Rising => (1, -1),
        }
    }
}
