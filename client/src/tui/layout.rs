//! Computes the layout for a terminal's size, and the part of the board that fits.
//!
//! Pure arithmetic, used both to draw and to find the point under the mouse.

use fivefold_shared::{
    notation::coordinates,
    rules::{Point, Size},
};
use ratatui::layout::{Position as Cell, Rect};

/// The smallest terminal that has room for a panel beside the board.
const COLUMNS_MIN: u16 = 60;
/// See [`COLUMNS_MIN`].
const ROWS_MIN: u16 = 16;
/// From this height on, a small terminal has a row for messages.
const ROWS_FOR_MESSAGES: u16 = 10;
/// The least width of the side panel.
const SIDE_MIN: u16 = 34;
/// The most rows for one point.
pub(super) const SCALE_MAX: u16 = 3;

/// The parts of the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    /// One row: the rules and the room.
    pub(super) title: Rect,
    /// The board with its rulers.
    pub(super) board: Rect,
    /// Players, moves and messages.
    pub(super) side: Rect,
    /// Whether the terminal is so small that only the players, whose turn it is and the latest message stand
    /// above the board.
    pub(super) is_small: bool,
    /// One row: the point under the cursor, a question, or the input line.
    pub(super) status: Rect,
    /// One row: the most important keys.
    pub(super) footer: Rect,
}

impl Layout {
    /// Divides the screen.
    pub(super) fn new(screen: Rect, size: Size, scale: Option<u16>) -> Self {
        if screen.width < COLUMNS_MIN || screen.height < ROWS_MIN {
            return Self::small(screen);
        }
        let body = Rect { y: screen.y + 1, height: screen.height - 3, ..screen };
        let most = Rect { width: body.width - SIDE_MIN - 1, ..body };
        let wanted = match size {
            Size::Bounded { width, height } => {
                let scale = scale.unwrap_or_else(|| best_scale(most, width, height));
                label_width(size, Point::default(), 0) + 2 * scale * u16::from(width) + 1
            }
            Size::Unbounded => most.width,
        };
        let board = Rect { width: wanted.min(most.width), ..most };
        let side_x = board.right() + 1;
        let row = |y| Rect { y, height: 1, ..screen };
        Self {
            title: row(screen.y),
            board,
            side: Rect { x: side_x, width: body.right() - side_x, ..body },
            is_small: false,
            status: row(screen.bottom() - 2),
            footer: row(screen.bottom() - 1),
        }
    }

    /// What counts most: players with their clocks and whose turn it is, then the board, then a row to
    /// type in.
    fn small(screen: Rect) -> Self {
        let top = if screen.height < ROWS_FOR_MESSAGES { 3 } else { 4 }.min(screen.height);
        let below = u16::from(screen.height > top);
        let none = Rect { height: 0, ..screen };
        let board = screen.y + top;
        Self {
            title: none,
            board: Rect { y: board, height: screen.height - top - below, ..screen },
            side: Rect { height: top, ..screen },
            is_small: true,
            status: Rect { y: screen.bottom() - below, height: below, ..screen },
            footer: none,
        }
    }
}

/// The visible part of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Window {
    /// The area for points and rulers.
    pub(super) area: Rect,
    /// The point in the top-left corner.
    pub(super) origin: Point,
    /// How many points fit beside one another.
    pub(super) columns: u16,
    /// How many points fit below one another.
    pub(super) rows: u16,
    /// Rows of the terminal for each point; it takes twice as many columns.
    pub(super) scale: u16,
    /// Columns for the ruler on the left.
    pub(super) label: u16,
}

impl Window {
    /// The part that fits into `area`, as near to the wanted `origin` as the board's borders allow.
    /// Without a wanted `scale`, a bounded board is drawn as large as possible. `None` if not even one
    /// point fits.
    pub(super) fn new(area: Rect, size: Size, origin: Point, scale: Option<u16>) -> Option<Self> {
        let label = label_width(size, origin, area.height).min(area.width / 2);
        let (width, height) = (area.width.checked_sub(label + 1)?, area.height.checked_sub(1)?);
        let most = (width / 2).min(height);
        if most == 0 {
            return None;
        }
        let scale = scale.map(|scale| scale.min(most));
        let room = |scale: u16| (width / (2 * scale), height / scale);
        match size {
            Size::Bounded { width, height } => {
                let scale = scale.unwrap_or_else(|| best_scale(area, width, height));
                let (columns, rows) = room(scale);
                let (columns, rows) = (columns.min(width.into()), rows.min(height.into()));
                let origin = Point {
                    x: origin.x.clamp(0, i32::from(width) - i32::from(columns)),
                    y: origin.y.clamp(0, i32::from(height) - i32::from(rows)),
                };
                Some(Self { area, origin, columns, rows, scale, label })
            }
            Size::Unbounded => {
                let scale = scale.unwrap_or(1);
                let (columns, rows) = room(scale);
                Some(Self { area, origin, columns, rows, scale, label })
            }
        }
    }

    /// Whether a point is inside.
    pub(super) fn contains(&self, point: Point) -> bool {
        self.clamp(point) == point
    }

    /// The point inside that is nearest to `point`.
    pub(super) fn clamp(&self, point: Point) -> Point {
        let last = self.last();
        Point { x: point.x.clamp(self.origin.x, last.x), y: point.y.clamp(self.origin.y, last.y) }
    }

    /// The point in the bottom-right corner.
    pub(super) fn last(&self) -> Point {
        Point {
            x: self.origin.x + i32::from(self.columns.max(1)) - 1,
            y: self.origin.y + i32::from(self.rows.max(1)) - 1,
        }
    }

    /// The point in the middle; for an even size, the one to its right or below.
    pub(super) fn middle(&self) -> Point {
        Point {
            x: self.origin.x + i32::from(self.columns) / 2,
            y: self.origin.y + i32::from(self.rows) / 2,
        }
    }

    /// Every point inside, row by row.
    pub(super) fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let (first, last) = (self.origin, self.last());
        (first.y..=last.y).flat_map(move |y| (first.x..=last.x).map(move |x| Point { x, y }))
    }

    /// The place of a point's glyph on the terminal; the point must be inside.
    pub(super) fn cell(&self, point: Point) -> Cell {
        let steps = |from: i32, to: i32| u16::try_from(to - from).unwrap_or(0);
        Cell {
            x: self.area.x
                + self.label
                + 2 * self.scale * steps(self.origin.x, point.x)
                + self.scale,
            y: self.area.y
                + self.scale * steps(self.origin.y, point.y)
                + self.scale.saturating_sub(1) / 2,
        }
    }

    /// The point whose glyph, or the space beside it, is at this place of the terminal.
    pub(super) fn point_at(&self, cell: Cell) -> Option<Point> {
        let first = Cell { x: self.area.x + self.label, y: self.area.y };
        let column = cell.x.checked_sub(first.x)? / (2 * self.scale);
        let row = cell.y.checked_sub(first.y)? / self.scale;
        (column < self.columns && row < self.rows).then(|| Point {
            x: self.origin.x + i32::from(column),
            y: self.origin.y + i32::from(row),
        })
    }

    /// The origin nearest to the present one that keeps `point` at least `margin` points from the
    /// edges where possible.
    pub(super) fn origin_showing(&self, point: Point, margin: i32) -> Point {
        let axis = |origin: i32, length: u16, wanted: i32| {
            let margin = margin.min((i32::from(length) - 1) / 2).max(0);
            let length = i32::from(length.max(1));
            // The greatest and the least origin that show the point with its margin.
            let (most, least) = (wanted - margin, wanted + margin - length + 1);
            origin.clamp(least.min(most), most)
        };
        Point {
            x: axis(self.origin.x, self.columns, point.x),
            y: axis(self.origin.y, self.rows, point.y),
        }
    }
}

/// The largest scale at which the whole board fits, or 1.
fn best_scale(area: Rect, width: u8, height: u8) -> u16 {
    let label = label_width(Size::Bounded { width, height }, Point::default(), 0);
    (1..=SCALE_MAX)
        .rev()
        .find(|scale| {
            label + 2 * scale * u16::from(width) < area.width
                && scale * u16::from(height) < area.height
        })
        .unwrap_or(1)
}

/// Columns for the row names: the longest one that can be visible, and a space.
fn label_width(size: Size, origin: Point, rows: u16) -> u16 {
    let longest = match size {
        Size::Bounded { height, .. } => height.to_string().len(),
        Size::Unbounded => {
            let last = origin.y.saturating_add(i32::from(rows));
            origin.y.to_string().len().max(last.to_string().len()).max(3)
        }
    };
    u16::try_from(longest).unwrap_or(u16::MAX) + 1
}

/// The name of a row on the ruler: its number from the bottom, or `y` on the unbounded board.
pub(super) fn row_name(y: i32, size: Size) -> String {
    match size {
        Size::Bounded { height, .. } => (i32::from(height) - y).to_string(),
        Size::Unbounded => y.to_string(),
    }
}

/// The name of a column on the ruler: its letters, or `x` on the unbounded board.
pub(super) fn column_name(x: i32, size: Size) -> String {
    match size {
        Size::Bounded { .. } => {
            let name = coordinates::format(Point::new(x, 0), size);
            name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned()
        }
        Size::Unbounded => x.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use fivefold_shared::rules::{UNBOUNDED_FIRST, UNBOUNDED_REACH};

    use super::*;

    #[test]
    fn every_visible_point_has_its_own_place_inside_the_board() {
        let far = i32::try_from(UNBOUNDED_FIRST + UNBOUNDED_REACH).unwrap();
        let boards = [
            (Size::square(3), Point::default()),
            (Size::Bounded { width: 64, height: 3 }, Point::new(40, 0)),
            (Size::Bounded { width: 3, height: 64 }, Point::new(0, 99)),
            (Size::square(15), Point::default()),
            (Size::Unbounded, Point::default()),
            (Size::Unbounded, Point::new(-far, -far)),
            (Size::Unbounded, Point::new(far, far)),
        ];
        for (columns, rows) in
            [(20, 6), (40, 12), (60, 16), (61, 17), (80, 24), (120, 40), (300, 90)]
        {
            for (size, origin) in boards {
                for scale in [None, Some(1), Some(2), Some(SCALE_MAX)] {
                    let screen = Rect::new(0, 0, columns, rows);
                    let layout = Layout::new(screen, size, scale);
                    let window = Window::new(layout.board, size, origin, scale).unwrap();
                    let case = format!("{columns}x{rows} {size} {scale:?} {window:?}");
                    assert!(window.columns > 0 && window.rows > 0, "{case}");
                    assert!(layout.is_small || layout.side.width >= SIDE_MIN, "{case}");
                    for point in window.points() {
                        let cell = window.cell(point);
                        assert!(layout.board.contains(cell), "{case}");
                        assert_eq!(window.point_at(cell), Some(point), "{case}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_point_comes_into_the_window_by_the_shortest_way() {
        let area = Rect::new(0, 0, 25, 11);
        let window = |origin| Window::new(area, Size::Unbounded, origin, None).unwrap();
        // Ten points beside one another and ten below one another.
        let (columns, rows) = (window(Point::default()).columns, window(Point::default()).rows);
        assert_eq!((columns, rows), (10, 10));
        let cases = [
            ((0, 0), (5, 5), (0, 0)),
            ((0, 0), (9, 5), (1, 0)),
            ((0, 0), (0, 5), (-1, 0)),
            ((0, 0), (12, -3), (4, -4)),
            ((0, 0), (-1000, 1000), (-1001, 992)),
        ];
        for (origin, point, expected) in cases {
            let moved = window(origin.into()).origin_showing(point.into(), 1);
            assert_eq!(moved, expected.into(), "{origin:?} {point:?}");
        }
    }
}
