//! The eight ways to mirror and turn a board.

use fivefold_shared::rules::Point;

/// Mirrors first, then swaps the two coordinates if `transposes` is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symmetry {
    mirrors_x: bool,
    mirrors_y: bool,
    transposes: bool,
}

impl Symmetry {
    pub(crate) const ALL: [Self; 8] = {
        let mut all = [Self { mirrors_x: false, mirrors_y: false, transposes: false }; 8];
        let mut index = 0;
        while index < 8 {
            all[index].mirrors_x = index & 1 != 0;
            all[index].mirrors_y = index & 2 != 0;
            all[index].transposes = index & 4 != 0;
            index += 1;
        }
        all
    };

    /// The image of a point on a board with these sides.
    pub(crate) const fn apply(self, point: Point, (width, height): (i32, i32)) -> Point {
        let x = if self.mirrors_x { width - 1 - point.x } else { point.x };
        let y = if self.mirrors_y { height - 1 - point.y } else { point.y };
        if self.transposes { Point::new(y, x) } else { Point::new(x, y) }
    }

    /// The sides of the resulting board.
    pub(crate) const fn sides<T: Copy>(self, (width, height): (T, T)) -> (T, T) {
        if self.transposes { (height, width) } else { (width, height) }
    }
}
