//! A small book of openings: first stones that leave both sides about the same chances. Black
//! always starts with an advantage and gives it away with the second stone; after that neither side
//! gives away much.
//!
//! The example `book` finds them by the engine's own analysis, and writes a file for each variant.
//! A line is a list of steps from the first stone. It stands for all its rotations, reflections and
//! translations that stay far enough from every border.
//!
//! The 26 [canonical openings](Canonical) of renju are a table of their own: the rules say which
//! they are, and the example how good they are for Black.

use fivefold_shared::{
    opening::{Canonical, OFFERED_MAX},
    rules::{Point, Position, Rules, Size, Variant},
    symmetry,
};

/// Least number of points between a line and every border.
const MARGIN: i32 = 4;

/// The lines of a variant, as steps from the first stone; none for a variant without a book.
///
/// # Panics
/// Never: a test reads every file.
pub fn lines(variant: Variant) -> Vec<Vec<Point>> {
    let text = match variant {
        Variant::Freestyle | Variant::Mnk { k: 5 } => include_str!("book/freestyle.txt"),
        Variant::Standard => include_str!("book/standard.txt"),
        Variant::Renju => include_str!("book/renju.txt"),
        Variant::Caro => include_str!("book/caro.txt"),
        Variant::CaroOverline => include_str!("book/caro_overline.txt"),
        Variant::Mnk { .. } => "",
    };
    let point = |step: &str| {
        let (x, y) = step.split_once(',')?;
        Some(Point::new(x.parse().ok()?, y.parse().ok()?))
    };
    let read = |line: &str| line.split(' ').map(point).collect::<Option<Vec<Point>>>();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| read(line).expect("a line is steps x,y with spaces between")).collect()
}

/// Black's chances, from 0 to 1, in an opening of renju after White's best fourth stone, where Black
/// then offers 1, 2, ... different fifth stones and White selects one.
///
/// # Panics
/// Never: a test reads the file.
pub fn canonical_chances(opening: Canonical) -> [f64; OFFERED_MAX as usize] {
    let name = opening.to_string();
    let chances = |line: &str| {
        let (_, chances) = line.split_once(' ').filter(|(of, _)| *of == name)?;
        let chances = chances.split(' ').map(|chance| chance.parse().ok());
        chances.collect::<Option<Vec<f64>>>()?.try_into().ok()
    };
    let mut lines = include_str!("book/canonical.txt").lines();
    lines.find_map(chances).expect("there is a line for each of the 26")
}

/// Every line with its first stone in the middle of a board, turned in one of [`symmetry::COUNT`]
/// ways; none where the board is too small.
pub fn openings(rules: Rules, way: u8) -> Vec<Vec<Point>> {
    let middle = match rules.size() {
        Size::Bounded { width, height } => Point::new(i32::from(width / 2), i32::from(height / 2)),
        Size::Unbounded => Point::default(),
    };
    let turned = lines(rules.variant()).into_iter().map(|line| placed(&line, way, middle));
    turned.filter(|line| keeps_off_borders(line, rules.size())).collect()
}

/// The book's next moves from a position, sorted by point; empty for unknown positions.
pub fn continuations(position: &Position) -> Vec<Point> {
    let ply = position.ply();
    let (corner, stones) = stones(position.moves());
    let mut found = Vec::new();
    for line in lines(position.rules().variant()).iter().filter(|line| line.len() > ply) {
        for way in 0..symmetry::COUNT {
            let turned = placed(line, way, Point::default());
            let (from, same) = self::stones(&turned[..ply]);
            if same != stones {
                continue;
            }
            let line = placed(&turned, 0, Point::new(corner.x - from.x, corner.y - from.y));
            if keeps_off_borders(&line, position.rules().size()) {
                found.push(line[ply]);
            }
        }
    }
    found.retain(|point| position.legality(*point).is_ok());
    found.sort_unstable();
    found.dedup();
    found
}

/// A key shared by all positions that differ only by rotation, reflection, translation or move
/// order: each colour's stones, sorted.
pub fn canonical(moves: &[Point]) -> [Vec<Point>; 2] {
    let all = (0..symmetry::COUNT).map(|way| stones(&placed(moves, way, Point::default())).1);
    all.min().unwrap_or_default()
}

/// A line turned in one of [`symmetry::COUNT`] ways and then moved.
fn placed(line: &[Point], way: u8, offset: Point) -> Vec<Point> {
    let turned = line.iter().map(|point| symmetry::turned(*point, way));
    turned.map(|Point { x, y }| Point::new(x + offset.x, y + offset.y)).collect()
}

/// The top left corner of all stones, and each colour's as steps from there, sorted.
fn stones(moves: &[Point]) -> (Point, [Vec<Point>; 2]) {
    let least = |coordinate: fn(&Point) -> i32| moves.iter().map(coordinate).min().unwrap_or(0);
    let corner = Point::new(least(|point| point.x), least(|point| point.y));
    let colour = |first: usize| {
        let own = moves.iter().skip(first).step_by(2);
        let mut own: Vec<_> =
            own.map(|point| Point::new(point.x - corner.x, point.y - corner.y)).collect();
        own.sort_unstable();
        own
    };
    (corner, [colour(0), colour(1)])
}

fn keeps_off_borders(line: &[Point], size: Size) -> bool {
    let Size::Bounded { width, height } = size else { return true };
    let inside =
        |coordinate: i32, side: u8| (MARGIN..i32::from(side) - MARGIN).contains(&coordinate);
    line.iter().all(|point| inside(point.x, width) && inside(point.y, height))
}
