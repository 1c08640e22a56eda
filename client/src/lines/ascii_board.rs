//! Draws the board in plain characters: `X` Black, `O` White, `.` a free point, `*` a point
//! forbidden to Black; `(X)` the last move, `[X X X X X]` the winning line.

use fivefold_shared::{
    notation::coordinates,
    rules::{Outcome, Point, Position, Size, Stone},
};

/// Width and height of the visible part of the unbounded board.
const VIEW: (i32, i32) = (25, 15);

/// A rectangle of points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Window {
    /// Its top-left point.
    corner: Point,
    width: i32,
    height: i32,
}

/// Draws the whole bounded board, or the part of the unbounded one around the stones. If the stones
/// do not all fit, draws the part around the last move. Each line ends with a line break.
///
/// ```
/// use fivefold::lines::ascii_board;
/// use fivefold_shared::rules::{Point, Position, Rules};
///
/// let moves = [(0, 0), (1, 0), (1, 1)].map(Point::from);
/// let position = Position::from_moves(Rules::TIC_TAC_TOE, &moves).unwrap();
/// assert_eq!(
///     ascii_board::draw(&position),
///     "   a b c\n 3 X O .\n 2 .(X).\n 1 . . .\n",
/// );
/// ```
pub fn draw(position: &Position) -> String {
    let window = window(position);
    let winning = position.outcome().map_or(&[][..], Outcome::line);
    let forbidden: Vec<Point> =
        position.forbidden_points().into_iter().map(|(point, _)| point).collect();
    let sign = |point: Point| match position.stone_at(point) {
        Some(Stone::Black) => 'X',
        Some(Stone::White) => 'O',
        None if forbidden.contains(&point) => '*',
        None if position.contains(point) => '.',
        None => ' ',
    };
    let before = |point: Point, next: Point| {
        let last = position.last_move();
        match (winning.contains(&point), winning.contains(&next)) {
            _ if last == Some(next) => '(',
            _ if last == Some(point) => ')',
            (false, true) => '[',
            (true, false) => ']',
            (true, true) | (false, false) => ' ',
        }
    };
    let rows = window.rows();
    let labels: Vec<String> = rows.iter().map(|&y| row_label(position, y)).collect();
    let margin = labels.iter().map(String::len).max().unwrap_or(0).max(2);
    let mut text = header(position, &window, margin + 1);
    for (y, label) in rows.into_iter().zip(labels) {
        let mut line = format!("{label:>margin$}");
        for x in window.columns() {
            let point = Point::new(x, y);
            line.push(before(Point::new(x - 1, y), point));
            line.push(sign(point));
        }
        let right = Point::new(window.corner.x + window.width, y);
        line.push(before(Point::new(right.x - 1, y), right));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

impl Window {
    fn columns(&self) -> impl Iterator<Item = i32> + use<> {
        self.corner.x..self.corner.x + self.width
    }

    fn rows(&self) -> Vec<i32> {
        (self.corner.y..self.corner.y + self.height).collect()
    }
}

fn window(position: &Position) -> Window {
    match position.rules().size() {
        Size::Bounded { width, height } => {
            Window { corner: Point::new(0, 0), width: width.into(), height: height.into() }
        }
        Size::Unbounded => {
            let (width, height) = VIEW;
            let (least, greatest) = position.extent().unwrap_or_default();
            let last = position.last_move().unwrap_or_default();
            // One free point around the stones shows that nothing is hidden there.
            let start = |least: i32, greatest: i32, last: i32, length: i32| {
                if greatest - least + 2 < length {
                    least - (length - (greatest - least)) / 2
                } else {
                    last - length / 2
                }
            };
            let corner = Point::new(
                start(least.x, greatest.x, last.x, width),
                start(least.y, greatest.y, last.y, height),
            );
            Window { corner, width, height }
        }
    }
}

fn row_label(position: &Position, y: i32) -> String {
    match position.rules().size() {
        Size::Bounded { height, .. } => (i32::from(height) - y).to_string(),
        Size::Unbounded => y.to_string(),
    }
}

/// The columns' letters, one under the other where there are two; on the unbounded board, every few
/// columns the column's number.
fn header(position: &Position, window: &Window, indent: usize) -> String {
    match position.rules().size() {
        size @ Size::Bounded { .. } => {
            let names: Vec<String> = window
                .columns()
                .map(|x| coordinates::format(Point::new(x, 0), size))
                .map(|name| format!("{:>2}", name.trim_end_matches(|c: char| c.is_ascii_digit())))
                .collect();
            let line = |index: usize| {
                let signs = names.iter().map(|name| &name[index..=index]);
                format!("{:indent$}{}", "", signs.collect::<Vec<_>>().join(" "))
            };
            let lines = [line(0), line(1)];
            let shown = lines.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty());
            shown.map(|line| format!("{line}\n")).collect()
        }
        Size::Unbounded => {
            let longest = window.columns().map(|x| x.to_string().len()).max().unwrap_or(1);
            let step = if longest < 9 { 5 } else { 10 };
            let mut line = " ".repeat(indent);
            for x in window.columns().filter(|x| x % step == 0) {
                let place = indent + 2 * usize::try_from(x - window.corner.x).unwrap_or(0);
                line = format!("{line:place$}{x}");
            }
            line + "\n"
        }
    }
}

#[cfg(test)]
mod tests {
    use fivefold_shared::rules::{Rules, Variant};

    use super::*;

    fn drawn(rules: Rules, moves: &[(i32, i32)]) -> String {
        let moves: Vec<Point> = moves.iter().copied().map(Point::from).collect();
        draw(&Position::from_moves(rules, &moves).expect("the moves are legal"))
    }

    #[test]
    fn boards() {
        let rules = |variant, size: &str| Rules::new(variant, size.parse().unwrap()).unwrap();
        let five = [(3, 3), (0, 0), (4, 3), (0, 1), (5, 3), (0, 2), (7, 3), (0, 3), (6, 3)];
        let threes = [(3, 1), (14, 0), (3, 2), (14, 2), (1, 3), (14, 4), (2, 3), (14, 6)];
        let far = [(0, 0), (999_990, -7), (999_991, -7)];
        let cases = [
            ("a row of five", rules(Variant::Freestyle, "9x7"), &five[..]),
            ("a forbidden point", rules(Variant::Renju, "15"), &threes),
            ("two letters", rules(Variant::Freestyle, "30x5"), &[(26, 0)]),
            ("unbounded, empty", rules(Variant::Freestyle, "unbounded"), &[]),
            ("unbounded, near", rules(Variant::Freestyle, "unbounded"), &[(-3, 2), (4, -1)]),
            ("unbounded, far", rules(Variant::Freestyle, "unbounded"), &far),
        ];
        let text: Vec<String> =
            cases.map(|(name, rules, moves)| format!("{name}\n{}", drawn(rules, moves))).into();
        insta::assert_snapshot!("boards", text.join("\n"));
    }
}
