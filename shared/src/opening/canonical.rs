//! The 26 canonical openings of renju: the first stone on the centre, White's in the central 3x3,
//! Black's in the central 5x5. That is 184 placements, and 26 classes under turning and mirroring.

use std::fmt;

use crate::{rules::Point, symmetry};

/// One of the 26 openings. `Display` writes its usual name, such as `D4` or `I7`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Canonical {
    second: (i32, i32),
    number: u8,
    third: (i32, i32),
}

/// Beside the first stone: a direct opening, named `D`.
const DIRECT: (i32, i32) = (0, -1);
/// Diagonally beside it: an indirect opening, named `I`.
const INDIRECT: (i32, i32) = (1, -1);

/// The usual order, as steps from the centre to the right and downward: D1 to D13 are `h10 i10 j10
/// i9 j9 i8 j8 h7 i7 j7 h6 i6 j6` with the second stone on h9, and I1 to I13 `j10 j9 j8 j7 j6 i8 i7
/// i6 h7 h6 g7 g6 f6` with the second stone on i9.
pub const CANONICAL: [Canonical; 26] = {
    const fn direct(number: u8, x: i32, y: i32) -> Canonical {
        Canonical { second: DIRECT, number, third: (x, y) }
    }
    const fn indirect(number: u8, x: i32, y: i32) -> Canonical {
        Canonical { second: INDIRECT, number, third: (x, y) }
    }
    [
        direct(1, 0, -2),
        direct(2, 1, -2),
        direct(3, 2, -2),
        direct(4, 1, -1),
        direct(5, 2, -1),
        direct(6, 1, 0),
        direct(7, 2, 0),
        direct(8, 0, 1),
        direct(9, 1, 1),
        direct(10, 2, 1),
        direct(11, 0, 2),
        direct(12, 1, 2),
        direct(13, 2, 2),
        indirect(1, 2, -2),
        indirect(2, 2, -1),
        indirect(3, 2, 0),
        indirect(4, 2, 1),
        indirect(5, 2, 2),
        indirect(6, 1, 0),
        indirect(7, 1, 1),
        indirect(8, 1, 2),
        indirect(9, 0, 1),
        indirect(10, 0, 2),
        indirect(11, -1, 1),
        indirect(12, -1, 2),
        indirect(13, -2, 2),
    ]
};

impl Canonical {
    /// The opening of these first three stones, whichever way the board is turned or mirrored.
    /// `None` where they are none of the 26; the first one is taken to lie on the centre.
    ///
    /// ```
    /// use fivefold_shared::{opening::Canonical, rules::Point};
    ///
    /// let stones = [(7, 7), (6, 7), (8, 7)].map(Point::from);
    /// assert_eq!(Canonical::of(stones).unwrap().to_string(), "D8");
    /// ```
    pub fn of(stones: [Point; 3]) -> Option<Self> {
        let [first, second, third] = stones;
        let step = |point: Point, way| {
            let Point { x, y } =
                symmetry::turned(Point::new(point.x - first.x, point.y - first.y), way);
            (x, y)
        };
        CANONICAL.into_iter().find(|opening| {
            (0..symmetry::COUNT)
                .any(|way| step(second, way) == opening.second && step(third, way) == opening.third)
        })
    }

    /// Its three stones in order around this centre, in the usual orientation.
    pub const fn stones(self, centre: Point) -> [Point; 3] {
        let (second, third) = (self.second, self.third);
        [
            centre,
            Point::new(centre.x + second.0, centre.y + second.1),
            Point::new(centre.x + third.0, centre.y + third.1),
        ]
    }
}

impl fmt::Display for Canonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.second == DIRECT { 'D' } else { 'I' };
        write!(f, "{kind}{}", self.number)
    }
}
