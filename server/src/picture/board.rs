//! Draws a board with its stones, in the colours and the manner of the page (`web/board/board-drawing.js`,
//! `board-marks.js`). It does not know rules or players.

use std::ops::RangeInclusive;

use fivefold_shared::{
    notation::coordinates,
    rules::{Axis, Point, Rules, Size, Stone},
};

use super::canvas::{Area, Canvas, Circle, Colour};

// The colours of the page's light theme, from `web/style.css`.
const WOOD: Colour = Colour::solid(0xde_b172);
const WOOD_LIGHT: Colour = Colour::solid(0xee_cb93);
const WOOD_GRAIN: Colour = Colour::solid(0x8a_5522);
const WOOD_EDGE: Colour = Colour::solid(0xaa_783c);
const WOOD_LINE: Colour = Colour::solid(0x4b_3010);
const WOOD_INK: Colour = Colour::solid(0x4a_2f0f);
const MARK: Colour = Colour::solid(0xb8_2e12);
const MARK_ON_BLACK: Colour = Colour::solid(0xff_6f4e);
const MARK_ON_WHITE: Colour = Colour::solid(0xc4_2f12);
const BLACK: Colour = Colour::solid(0x1a_191b);
const WHITE: Colour = Colour::solid(0xf7_f4ec);
const WHITE_RIM: Colour = Colour::solid(0x8a_7a62);
const SHADOW: Colour = Colour(56, 30, 4, 0.5);

/// A stone's radius in steps.
const RADIUS: f32 = 0.474;
/// How far the wood reaches beyond the outermost lines, in steps.
const RIM: f32 = 0.62;
/// The same on the two sides with names.
const NAMED_RIM: f32 = 1.1;
/// Smallest step at which columns and rows have names.
const NAMED_STEP_MIN: f32 = 17.0;
/// Smallest size of a number on a stone.
const NUMBER_MIN: f32 = 8.0;
/// How far the shown part of a board without borders reaches beyond its stones, in points.
const MARGIN: i32 = 2;
/// The least and the most points across it.
const SHOWN: RangeInclusive<i32> = 11..=48;
/// Height of the board's front.
const EDGE: f32 = 6.0;
/// After so many pixels the grain repeats.
const GRAIN_LENGTH: u16 = 640;

/// The part of a board that is shown: its first and its last column and row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Window {
    pub(super) from: Point,
    pub(super) to: Point,
}

/// The whole board, or the part with the stones of one without borders. If that is too large, the
/// part around the winning line, or else the last move.
pub(super) fn window(size: Size, moves: &[Point], line: &[Point]) -> Window {
    if let Size::Bounded { width, height } = size {
        let to = Point::new(i32::from(width) - 1, i32::from(height) - 1);
        return Window { from: Point::new(0, 0), to };
    }
    let seen = match (line, moves) {
        ([first, .., last], _) => Point::new((first.x + last.x) / 2, (first.y + last.y) / 2),
        (_, [.., last]) => *last,
        (_, []) => Point::new(0, 0),
    };
    let span = |of: fn(&Point) -> i32| {
        let all = || moves.iter().map(of);
        let middle = of(&seen);
        let (least, most) = (all().min().unwrap_or(middle), all().max().unwrap_or(middle));
        let length = (most - least + 1 + 2 * MARGIN).clamp(*SHOWN.start(), *SHOWN.end());
        let centre =
            if most - least + 1 + 2 * MARGIN > length { middle } else { (least + most) / 2 };
        (centre - (length - 1) / 2, centre + length / 2)
    };
    let ((left, right), (top, bottom)) = (span(|point| point.x), span(|point| point.y));
    Window { from: Point::new(left, top), to: Point::new(right, bottom) }
}

/// A board on a canvas.
#[derive(Debug)]
pub(super) struct BoardPicture {
    size: Size,
    window: Window,
    /// Where the first shown point is.
    origin: (f32, f32),
    step: f32,
    wood: Area,
    has_names: bool,
}

impl BoardPicture {
    /// The board as large as it fits into the area, in its middle.
    pub(super) fn new(size: Size, window: Window, area: Area) -> Self {
        let Window { from, to } = window;
        let across = |rims: f32| ((to.x - from.x) as f32 + rims, (to.y - from.y) as f32 + rims);
        let fitting = |(width, height): (f32, f32)| (area.2 / width).min((area.3 - EDGE) / height);
        let is_bounded = matches!(size, Size::Bounded { .. });
        let named = across(RIM + NAMED_RIM);
        let has_names = is_bounded && !has_squares(size) && fitting(named) >= NAMED_STEP_MIN;
        // Lines without end run to the edge of the wood.
        let (before, after) = match (is_bounded, has_names) {
            (true, true) => (NAMED_RIM, RIM),
            (true, false) => (RIM, RIM),
            (false, _) => (0.5, 0.5),
        };
        let whole = across(before + after);
        let step = fitting(whole);
        let (width, height) = ((whole.0 * step).round(), (whole.1 * step).round());
        let left = (area.0 + (area.2 - width) / 2.0).round();
        let top = (area.1 + (area.3 - EDGE - height) / 2.0).round();
        let wood = Area(left, top, width, height);
        let origin = ((left + before * step).round(), (top + after * step).round());
        Self { size, window, origin, step, wood, has_names }
    }

    /// The middle of a point, in pixels.
    pub(super) fn place(&self, point: Point) -> (f32, f32) {
        let (x, y) = (point.x - self.window.from.x, point.y - self.window.from.y);
        let (left, top) = self.origin;
        (left + (x as f32 * self.step).round(), top + (y as f32 * self.step).round())
    }

    fn shows(&self, point: Point) -> bool {
        let Window { from, to } = self.window;
        (from.x..=to.x).contains(&point.x) && (from.y..=to.y).contains(&point.y)
    }

    /// The wood with its lines and names.
    pub(super) fn draw_ground(&self, canvas: &mut Canvas) {
        let Area(left, top, width, height) = self.wood;
        let (shade, edge) = (Colour(60, 34, 6, 0.08), 5.0);
        for reach in [10.0, 7.0, 4.0] {
            let area = Area(left - reach / 2.0, top + EDGE, width + reach, height + reach);
            canvas.fill_rounded(area, edge + reach, shade);
        }
        canvas.fill_rounded(Area(left, top + EDGE, width, height), edge, WOOD_EDGE);
        let light = [(0.0, WOOD_LIGHT), (0.55, WOOD), (1.0, WOOD)];
        canvas.fill_lit(self.wood, edge, &light);
        let line: Vec<_> = (0..GRAIN_LENGTH).map(|at| WOOD_GRAIN.at(grain(at))).collect();
        canvas.cover(self.wood, edge, (&line, 2.0), |at| {
            9.0 * (at / 260.0 + 1.0).sin() + 2.2 * (at / 83.0).sin()
        });
        if has_squares(self.size) {
            self.draw_squares(canvas);
        } else {
            self.draw_lines(canvas);
        }
        if self.has_names {
            self.draw_names(canvas);
        }
    }

    fn draw_lines(&self, canvas: &mut Canvas) {
        let Window { from, to } = self.window;
        let Area(wood_left, wood_top, wood_width, wood_height) = self.wood;
        let is_bounded = matches!(self.size, Size::Bounded { .. });
        let ((left, top), (right, bottom)) = if is_bounded {
            (self.place(from), self.place(to))
        } else {
            ((wood_left, wood_top), (wood_left + wood_width - 1.0, wood_top + wood_height - 1.0))
        };
        let faint = (0.2 + self.step / 40.0).min(0.75);
        let look = |outer: bool| {
            let wide = if outer && is_bounded { 2.0 } else { 1.0 };
            (wide, WOOD_LINE.at(if outer && is_bounded { 0.9 } else { faint }))
        };
        for x in from.x..=to.x {
            let (wide, colour) = look(x == from.x || x == to.x);
            let (at, _) = self.place(Point::new(x, from.y));
            canvas.fill(Area(at, top, wide, bottom - top + 1.0), colour);
        }
        for y in from.y..=to.y {
            let (wide, colour) = look(y == from.y || y == to.y);
            let (_, at) = self.place(Point::new(from.x, y));
            canvas.fill(Area(left, at, right - left + 1.0, wide), colour);
        }
        for point in star_points(self.size) {
            let (x, y) = self.place(point);
            let radius = (0.085 * self.step).max(1.4);
            canvas.disc(Circle(x + 0.5, y + 0.5, radius), WOOD_LINE);
        }
    }

    /// Very small boards, tic-tac-toe above all, have squares to play in.
    fn draw_squares(&self, canvas: &mut Canvas) {
        let Window { to, .. } = self.window;
        let thick = (0.03 * self.step).max(2.0).round();
        let (left, top) = self.place(self.window.from);
        let (left, top) = (left - 0.42 * self.step, top - 0.42 * self.step);
        let long = (to.x as f32 + 0.84) * self.step;
        let tall = (to.y as f32 + 0.84) * self.step;
        for x in 1..=to.x {
            let at = self.origin.0 + (x as f32 - 0.5) * self.step - thick / 2.0;
            canvas.fill(Area(at.round(), top, thick, tall), WOOD_LINE);
        }
        for y in 1..=to.y {
            let at = self.origin.1 + (y as f32 - 0.5) * self.step - thick / 2.0;
            canvas.fill(Area(left, at.round(), long, thick), WOOD_LINE);
        }
    }

    fn draw_names(&self, canvas: &mut Canvas) {
        let Window { from, to } = self.window;
        let size = (0.36 * self.step).clamp(8.0, 14.0);
        let away = (0.5 + NAMED_RIM) / 2.0 * self.step;
        let named = |point| coordinates::format(point, self.size);
        for x in from.x..=to.x {
            let point = Point::new(x, to.y);
            let (at, bottom) = self.place(point);
            let name = named(point);
            let column = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
            canvas.write_at(column, (at, bottom + away), size, WOOD_INK);
        }
        for y in from.y..=to.y {
            let point = Point::new(from.x, y);
            let (left, at) = self.place(point);
            let name = named(point);
            let row = name.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
            canvas.write_at(row, (left - away, at), size, WOOD_INK);
        }
    }

    /// The stones with their numbers where those can be read, a mark at the last one, and the
    /// winning lines above the rest of the board.
    pub(super) fn draw_stones(
        &self,
        canvas: &mut Canvas,
        rules: Rules,
        moves: &[Point],
        line: &[Point],
    ) {
        let shown = moves.iter().enumerate().filter(|(_, point)| self.shows(**point));
        for (ply, point) in shown.clone() {
            self.draw_stone(canvas, ply, *point);
        }
        if !line.is_empty() {
            canvas.fill(self.wood, WOOD.at(0.2));
            for (first, last) in runs(line, rules.variant().k().into()) {
                self.draw_capsule(canvas, first, last);
            }
        }
        for (ply, point) in shown.filter(|(_, point)| line.contains(point)) {
            self.draw_stone(canvas, ply, *point);
        }
        if let Some(last) = moves.last().filter(|last| self.shows(**last)) {
            self.draw_last(canvas, moves.len() - 1, *last);
        }
    }

    fn draw_stone(&self, canvas: &mut Canvas, ply: usize, point: Point) {
        let (x, y) = self.place(point);
        let place = Circle(x + 0.5, y + 0.5, RADIUS * self.step);
        let stone = Stone::to_move(ply);
        if has_squares(self.size) {
            return draw_mark(canvas, place, stone);
        }
        draw_stone(canvas, place, stone);
        if let Some((number, size)) = self.number(ply) {
            let ink = match stone {
                Stone::Black => WHITE,
                Stone::White => BLACK,
            };
            canvas.write_at(&number, (x + 0.5, y + 0.5), size, ink);
        }
    }

    /// The number of a move and its size, if it can be read.
    fn number(&self, ply: usize) -> Option<(String, f32)> {
        let number = (ply + 1).to_string();
        let size = if number.len() > 2 { 0.34 } else { 0.42 } * self.step;
        (size >= NUMBER_MIN && !has_squares(self.size)).then_some((number, size))
    }

    /// A ring around a stone with a number, or a dot.
    fn draw_last(&self, canvas: &mut Canvas, ply: usize, point: Point) {
        let (x, y) = self.place(point);
        let around = |radius: f32| Circle(x + 0.5, y + 0.5, radius.max(1.2));
        if has_squares(self.size) {
            canvas.disc(around(0.09 * self.step), MARK);
        } else if self.number(ply).is_some() {
            let width = (0.06 * self.step).max(1.5);
            canvas.ring(around(0.45 * self.step), width, MARK);
        } else {
            let colour = match Stone::to_move(ply) {
                Stone::Black => MARK_ON_BLACK,
                Stone::White => MARK_ON_WHITE,
            };
            canvas.disc(around(0.13 * self.step), colour);
        }
    }

    fn draw_capsule(&self, canvas: &mut Canvas, first: Point, last: Point) {
        let middle = |(x, y): (f32, f32)| (x + 0.5, y + 0.5);
        let (from, to) = (middle(self.place(first)), middle(self.place(last)));
        let edge = (0.1 * self.step).max(2.0);
        canvas.line(from, to, 1.2 * self.step, MARK);
        canvas.line(from, to, 1.2 * self.step - 2.0 * edge, WOOD_LIGHT);
    }
}

/// Whether stones are played into squares rather than on crossings.
const fn has_squares(size: Size) -> bool {
    matches!(size, Size::Bounded { width: ..=5, height: ..=5 })
}

/// A stone, lit from the upper left, with its shadow.
pub(super) fn draw_stone(canvas: &mut Canvas, place: Circle, stone: Stone) {
    let Circle(x, y, radius) = place;
    if radius < 4.0 {
        let (colour, rim) = match stone {
            Stone::Black => (BLACK, BLACK),
            Stone::White => (WHITE, WHITE_RIM),
        };
        canvas.disc(place, colour);
        return canvas.ring(place, 0.7, rim);
    }
    let shadow = Circle(x + 0.07 * radius, y + 0.17 * radius, 1.25 * radius);
    let inner = Circle(shadow.0, shadow.1, 0.0);
    let fading = [(0.0, SHADOW), (0.72, SHADOW), (1.0, SHADOW.at(0.0))];
    canvas.ball(shadow, inner, shadow, &fading);
    let near = Circle(x - 0.36 * radius, y - 0.44 * radius, 0.05 * radius);
    let far = Circle(x - 0.12 * radius, y - 0.16 * radius, 1.22 * radius);
    let shade = |at: f32, rgb: u32| (at, Colour::solid(rgb));
    let shades = match stone {
        Stone::Black => [
            shade(0.0, 0x7b_797c),
            shade(0.16, 0x56_5457),
            shade(0.42, 0x2f_2d30),
            shade(0.75, 0x1a_191b),
            shade(1.0, 0x0a_090a),
        ],
        Stone::White => [
            shade(0.0, 0xff_ffff),
            shade(0.5, 0xfd_fcf9),
            shade(0.78, 0xf0_ece3),
            shade(0.93, 0xd9_d2c5),
            shade(1.0, 0xc2_b8a8),
        ],
    };
    canvas.ball(place, near, far, &shades);
}

/// A cross for Black, a ring for White.
fn draw_mark(canvas: &mut Canvas, Circle(x, y, radius): Circle, stone: Stone) {
    let reach = 0.56 * radius;
    for (rim, width) in [(true, 0.4 * radius), (false, 0.26 * radius)] {
        match stone {
            Stone::Black => {
                canvas.line((x - reach, y - reach), (x + reach, y + reach), width, BLACK);
                canvas.line((x + reach, y - reach), (x - reach, y + reach), width, BLACK);
            }
            Stone::White => {
                let colour = if rim { WHITE_RIM } else { WHITE };
                canvas.ring(Circle(x, y, 0.66 * radius), width, colour);
            }
        }
    }
}

/// The ends of each run of at least `k` points on an axis.
fn runs(points: &[Point], k: i32) -> Vec<(Point, Point)> {
    let mut runs = Vec::new();
    for axis in Axis::ALL {
        for &first in points.iter().filter(|point| !points.contains(&point.along(axis, -1))) {
            let length =
                (0..).take_while(|steps| points.contains(&first.along(axis, *steps))).count();
            let last = i32::try_from(length).unwrap_or(i32::MAX) - 1;
            if last + 1 >= k {
                runs.push((first, first.along(axis, last)));
            }
        }
    }
    runs
}

/// The dots that help to count.
fn star_points(size: Size) -> Vec<Point> {
    let Size::Bounded { width, height } = size else { return Vec::new() };
    let places = |side: u8| {
        let side = i32::from(side);
        let middle = (side % 2 == 1).then_some((side - 1) / 2);
        match side {
            ..7 => Vec::new(),
            7..9 => middle.into_iter().collect(),
            9.. => {
                let near = if side < 13 { 2 } else { 3 };
                [Some(near), middle, Some(side - 1 - near)].into_iter().flatten().collect()
            }
        }
    };
    let is_middle = |at: i32, side: u8| 2 * at == i32::from(side) - 1;
    let (columns, rows): (Vec<i32>, Vec<i32>) = (places(width), places(height));
    let all = columns.iter().flat_map(|x| rows.iter().map(|y| Point::new(*x, *y)));
    // An odd side has no dots at the middles of the others, except on 19x19.
    all.filter(|point| {
        (width, height) == (19, 19) || is_middle(point.x, width) == is_middle(point.y, height)
    })
    .collect()
}

/// How dark the grain is: broad bands and fine lines. Its end passes into its beginning.
fn grain(at: u16) -> f32 {
    let (length, at) = (f32::from(GRAIN_LENGTH), f32::from(at));
    let part = at / length;
    darkness(at) * (1.0 - part) + darkness(at - length) * part
}

fn darkness(at: f32) -> f32 {
    let broad = 0.6 * smooth(at / 46.0 + 7.0) + 0.4 * smooth(at / 13.0 + 40.0);
    let fine = smooth(at / 1.3 + 90.0) * (0.35 + 0.65 * smooth(at / 7.0 + 11.0));
    0.13 * broad.powi(2) + 0.15 * fine.powf(1.6)
}

/// Noise from 0 to 1 without jumps.
fn smooth(at: f32) -> f32 {
    let noise = |seed: f32| ((seed * 127.1).sin() * 43_758.547).rem_euclid(1.0);
    let part = at.rem_euclid(1.0);
    let ease = part * part * (3.0 - 2.0 * part);
    noise(at.floor()) * (1.0 - ease) + noise(at.floor() + 1.0) * ease
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(list: &[(i32, i32)]) -> Vec<Point> {
        list.iter().map(|(x, y)| Point::new(*x, *y)).collect()
    }

    #[test]
    fn a_board_without_borders_shows_its_stones_or_what_decided() {
        type List = &'static [(i32, i32)];
        type Corner = (i32, i32);
        // The moves, the winning line, the first and the last shown point.
        let cases: [(List, List, Corner, Corner); 5] = [
            (&[], &[], (-5, -5), (5, 5)),
            (&[(100, 100), (102, 101)], &[], (96, 95), (106, 105)),
            // 44 points and the margin are the most.
            (&[(0, 0), (43, 0)], &[], (-2, -5), (45, 5)),
            (&[(0, 0), (44, 0)], &[], (21, -5), (68, 5)),
            (&[(0, 0), (900, 0), (-900, 7)], &[(0, 0), (4, 0)], (-21, -2), (26, 9)),
        ];
        for (moves, line, from, to) in cases {
            let shown = window(Size::Unbounded, &points(moves), &points(line));
            let expected = Window { from: from.into(), to: to.into() };
            assert_eq!(shown, expected, "{moves:?} {line:?}");
        }
        let far = 2_000_000;
        let shown = window(Size::Unbounded, &points(&[(far, far), (-far, -far)]), &[]);
        assert!(shown.to.x - shown.from.x < *SHOWN.end(), "{shown:?}");
    }

    #[test]
    fn each_winning_run_has_its_ends() {
        let cross = points(&[(0, 0), (1, 0), (2, 0), (2, 1), (2, 2)]);
        let expected = [((0, 0), (2, 0)), ((2, 0), (2, 2))];
        let expected = expected.map(|(from, to)| (Point::from(from), Point::from(to)));
        assert_eq!(runs(&cross, 3), expected);
        assert_eq!(runs(&[], 5), []);
    }

    #[test]
    fn stars_are_where_the_page_has_them() {
        let cases = [(3, 0), (7, 1), (8, 0), (9, 5), (13, 5), (15, 5), (19, 9), (20, 4)];
        for (side, count) in cases {
            assert_eq!(star_points(Size::square(side)).len(), count, "{side}");
        }
        assert_eq!(star_points(Size::Unbounded), []);
    }
}
