//! Draws the board on the screen: stones, rulers, and marks of cursor, last move and winning line.
//!
//! ```text
//!  5  .  .  .  .  .      (.) the cursor, {X} on the last move, (.|X] beside it
//!  4  . [X] .  !  .      [X] the last move      ! forbidden to Black
//!  3  .  . *O* 7  2      *O* the winning line   0-9 a bot's weights
//!     a  b  c  d  e
//! ```

use fivefold_shared::rules::{Outcome, Point, Size};
use ratatui::{
    buffer::Buffer,
    layout::{Position as Cell, Rect},
    style::Style,
};

use super::{
    app::App,
    layout::{Window, column_name, row_name},
    theme::STRONG,
};

/// The numbers of offered stones: 1 to 9, then letters.
const NUMBERS: &str = "123456789ABC";

/// Sides of boards that have star points, and how far those are from the border.
const STARRED: [(u8, i32); 2] = [(15, 3), (19, 3)];

/// Draws the board's window with everything on it.
pub(super) fn draw(app: &App, buffer: &mut Buffer) {
    let Some(window) = app.window() else { return };
    rulers(app, &window, buffer);
    for point in window.points() {
        let (glyph, style) = glyph(app, point);
        buffer.set_string(window.cell(point).x, window.cell(point).y, glyph, style);
    }
    marks(app, &window, buffer);
    arrow(app, &window, buffer);
}

/// The direction of the last move if it is outside the window, such as `"up left"`.
pub(super) fn way_to_last(app: &App, window: &Window) -> Option<String> {
    let last = app.position().last_move().filter(|last| !window.contains(*last))?;
    let nearest = window.clamp(last);
    let ways = [
        (last.y < nearest.y, "up"),
        (last.y > nearest.y, "down"),
        (last.x < nearest.x, "left"),
        (last.x > nearest.x, "right"),
    ];
    Some(ways.iter().filter(|(is, _)| *is).map(|(_, way)| *way).collect::<Vec<_>>().join(" "))
}

/// The character and style of a point.
fn glyph(app: &App, point: Point) -> (String, Style) {
    let theme = app.theme();
    if let Some(stone) = app.position().stone_at(point) {
        return (theme.glyph(stone).into(), theme.stone(stone));
    }
    if let Some((_, stone)) = app.placed().into_iter().find(|(placed, _)| *placed == point) {
        // Not confirmed, so in small letters.
        return (theme.glyph(stone).to_lowercase(), theme.stone(stone));
    }
    if app.late_move() == Some(point) && app.look().is_none() {
        let stone = app.position().turn();
        return (theme.glyph(stone).to_lowercase(), theme.stone(stone));
    }
    if let Some(index) = app.offered().iter().position(|offered| *offered == point) {
        return (NUMBERS[index..=index].into(), theme.last());
    }
    if !app.is_in_zone(point) {
        return (" ".into(), theme.quiet());
    }
    if app.forbidden().binary_search(&point).is_ok() {
        return ("!".into(), theme.warning());
    }
    if let Some(level) = app.heat().level(app.position().ply(), point) {
        return (level.to_string(), theme.weight(level));
    }
    let empty = if is_star(point, app.rules().size()) { "+" } else { "." };
    (empty.into(), theme.quiet())
}

fn is_star(point: Point, size: Size) -> bool {
    let Size::Bounded { width, height } = size else { return false };
    let on_star_line = |at: i32, edge: i32, side: u8| {
        at == edge || at == i32::from(side) - 1 - edge || at == i32::from(side) / 2
    };
    let starred = STARRED.iter().find(|(side, _)| width == *side && height == *side);
    starred.is_some_and(|&(side, edge)| {
        on_star_line(point.x, edge, side)
            && on_star_line(point.y, edge, side)
            // On 15x15 the middles of the sides have no star point.
            && (side != 15 || (point.x == 7) == (point.y == 7))
    })
}

/// Draws the rows' names on the left and the columns' names below, as many as fit.
fn rulers(app: &App, window: &Window, buffer: &mut Buffer) {
    let (size, quiet) = (app.rules().size(), app.theme().quiet());
    let (first, last) = (window.origin, window.last());
    let width = usize::from(window.label - 1);
    for y in first.y..=last.y {
        let row = window.cell(Point { x: first.x, y }).y;
        let style = if y == app.cursor().y { STRONG } else { quiet };
        let name = format!("{:>width$}", row_name(y, size));
        buffer.set_string(window.area.x, row, name, style);
    }
    let names = [column_name(first.x, size), column_name(last.x, size)];
    let longest = names.iter().map(String::len).max().unwrap_or(1);
    let row = window.area.y + window.rows * window.scale;
    let every = ruler_step(longest, usize::from(2 * window.scale));
    for x in (first.x..=last.x).filter(|x| x.rem_euclid(every) == 0) {
        let name = column_name(x, size);
        let middle = window.cell(Point { x, y: first.y }).x;
        let style = if x == app.cursor().x { STRONG } else { quiet };
        // A sign or a second letter stands before the column, so that the name ends below it.
        let before = u16::try_from(name.len() - 1).unwrap_or(0);
        let start = middle.saturating_sub(before).max(window.area.x);
        let room = usize::from(window.area.right().saturating_sub(start));
        buffer.set_stringn(start, row, name, room, style);
    }
}

/// The distance between named columns when the longest name has this many characters.
fn ruler_step(longest: usize, cell: usize) -> i32 {
    let fits = |step: &i32| usize::try_from(*step).is_ok_and(|step| longest < step * cell);
    [1, 2, 5, 10].into_iter().find(fits).unwrap_or(20)
}

/// Draws brackets and stars beside marked points. Where they meet, the winning line takes
/// precedence over the last move, and the last move over the cursor.
fn marks(app: &App, window: &Window, buffer: &mut Buffer) {
    let theme = app.theme();
    mark(window, buffer, app.cursor(), ("(", ")"), theme.cursor());
    if let Some(last) = app.position().last_move() {
        let brackets = if last == app.cursor() { ("{", "}") } else { ("[", "]") };
        mark(window, buffer, last, brackets, theme.last());
        // Side by side, both brackets would stand in one cell.
        let (cursor, place) = (app.cursor(), window.cell(last));
        if window.scale == 1 && window.contains(last) && cursor.y == last.y {
            let between = match last.x - cursor.x {
                1 => Some(place.x - 1),
                -1 => Some(place.x + 1),
                _ => None,
            };
            if let Some(x) = between {
                put(buffer, window.area, Cell { x, ..place }, "|", theme.last());
            }
        }
    }
    for &point in app.position().outcome().map_or(&[][..], Outcome::line) {
        mark(window, buffer, point, ("*", "*"), theme.winning());
    }
}

fn mark(window: &Window, buffer: &mut Buffer, point: Point, with: (&str, &str), style: Style) {
    if window.contains(point) {
        let cell = window.cell(point);
        buffer.set_string(cell.x - 1, cell.y, with.0, style);
        put(buffer, window.area, Cell { x: cell.x + 1, ..cell }, with.1, style);
    }
}

/// Draws an arrow at the edge nearest to a last move outside the window.
fn arrow(app: &App, window: &Window, buffer: &mut Buffer) {
    let Some(last) = app.position().last_move().filter(|last| !window.contains(*last)) else {
        return;
    };
    let nearest = window.clamp(last);
    let arrow = match (last.x - nearest.x, last.y - nearest.y) {
        (x, _) if x < 0 => "<",
        (x, _) if x > 0 => ">",
        (_, y) if y < 0 => "^",
        (_, _) => "v",
    };
    put(buffer, window.area, window.cell(nearest), arrow, app.theme().last());
}

/// Writes one character, if it lies in the area.
fn put(buffer: &mut Buffer, area: Rect, cell: Cell, text: &str, style: Style) {
    if area.contains(cell) {
        buffer.set_string(cell.x, cell.y, text, style);
    }
}
