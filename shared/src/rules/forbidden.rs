//! The points that renju forbids to Black: double-threes, double-fours and overlines.
//!
//! The definitions are those of the Renju International Federation's rules of renju, section 9,
//! read in this order: a move that makes exactly five wins whatever else it makes; then two fours,
//! two threes and a run of six or more are forbidden.
//!
//! Five points to either side of the stone decide what a line holds: a five through it reaches four
//! of them, and the next one distinguishes a five from an overline.
//!
//! This file knows only stones: [`Position`](super::Position) knows whose turn it is, and what
//! follows from a forbidden point.

use super::{Axis, Board, Forbidden, Point, Stone};

impl Board {
    /// The kind of forbidden move that a black stone on an empty point would make, if any; `None`
    /// also where no stone can be set.
    ///
    /// Cost: four short lines, and a copy of the board in the rare case that the stone joins two
    /// lines that look like threes.
    ///
    /// ```
    /// use fivefold_shared::rules::{Board, Forbidden, Point, Size, Stone};
    ///
    /// // . . . . . . .
    /// // . . . X . . .
    /// // . . . X . . .
    /// // . X X a . . .
    /// // . . . . . . .
    /// let mut board = Board::new(Size::square(15));
    /// for (x, y) in [(5, 7), (6, 7), (7, 6), (7, 5)] {
    ///     board.set(Point::new(x, y), Stone::Black);
    /// }
    /// assert_eq!(board.forbidden_at(Point::new(7, 7)), Some(Forbidden::DoubleThree));
    /// assert_eq!(board.forbidden_at(Point::new(8, 7)), None);
    /// ```
    pub fn forbidden_at(&self, point: Point) -> Option<Forbidden> {
        if !self.is_empty_at(point) {
            return None;
        }
        match judge(self, point) {
            Verdict::Forbidden(kind) => Some(kind),
            Verdict::Five | Verdict::Allowed => None,
        }
    }
}

/// The judgement of a black stone on an empty point.
enum Verdict {
    Five,
    Forbidden(Forbidden),
    Allowed,
}

fn judge(board: &Board, point: Point) -> Verdict {
    let windows = Axis::ALL.map(|axis| Window::around(board, point, axis));
    // RIF 9: a five wins, even when the same stone makes an overline, fours or threes.
    if windows.iter().any(|window| window.run() == FIVE) {
        return Verdict::Five;
    }
    if windows.iter().map(|window| window.fours()).sum::<usize>() >= 2 {
        return Verdict::Forbidden(Forbidden::DoubleFour);
    }
    if is_double_three(board, point, &windows) {
        return Verdict::Forbidden(Forbidden::DoubleThree);
    }
    if windows.iter().any(|window| window.run() > FIVE) {
        return Verdict::Forbidden(Forbidden::Overline);
    }
    Verdict::Allowed
}

/// RIF 9.3: a three counts when one of the points that make it a straight four is one where Black
/// may play, and makes no five there. Whether Black may play there is the same check, one stone
/// later; each step adds a stone, so it ends.
///
/// One axis never holds two threes through the same stone: the free ends that the one needs are the
/// stones that the other needs.
fn is_double_three(board: &Board, point: Point, windows: &[Window; 4]) -> bool {
    let looks_like_three = |window: &&Window| window.straight_fours().next().is_some();
    if windows.iter().filter(looks_like_three).count() < 2 {
        return false;
    }
    let mut after = board.clone();
    after.set(point, Stone::Black);
    let is_three = |(window, axis): &(&Window, Axis)| {
        window
            .straight_fours()
            .any(|steps| matches!(judge(&after, point.along(*axis, steps)), Verdict::Allowed))
    };
    windows.iter().zip(Axis::ALL).filter(is_three).count() >= 2
}

const FIVE: u32 = 5;
/// How far a window reaches to either side of its stone.
const REACH: i32 = 5;
const CENTRE: u32 = 1 << REACH;

/// Eleven points of one axis with a black stone assumed in the middle, one bit for each point,
/// the lowest for the one furthest back.
struct Window {
    black: u32,
    free: u32,
}

impl Window {
    fn around(board: &Board, point: Point, axis: Axis) -> Self {
        let mut window = Self { black: 0, free: 0 };
        for steps in board.steps_within(point, axis, REACH) {
            match board.stone_at(point.along(axis, steps)) {
                Some(Stone::Black) => window.black |= bit(steps),
                Some(Stone::White) => {}
                None => window.free |= bit(steps),
            }
        }
        window.black |= CENTRE;
        window.free &= !CENTRE;
        window
    }

    /// How many black stones lie within so many steps of the middle, which is one of them.
    const fn stones_within(&self, steps: i32) -> u32 {
        let span = (1 << (2 * steps + 1)) - 1;
        (self.black >> (REACH - steps) & span).count_ones()
    }

    /// How many stones the run through the middle has.
    fn run(&self) -> u32 {
        run_through_centre(self.black).count_ones()
    }

    /// How many fours the line holds: rows of four stones with the middle one that one more stone
    /// makes a five. Two stones may complete the same four, and one line can hold two:
    ///
    /// ```text
    /// . X X a X .      one four, completed at either end (a straight four)
    /// X . X a X . X    two fours
    /// ```
    fn fours(&self) -> usize {
        if self.stones_within(4) < 4 {
            return 0;
        }
        let mut found = [0; 2];
        let mut count = 0;
        for steps in -4..=4 {
            let completion = self.free & bit(steps);
            let five = run_through_centre(self.black | completion);
            if completion == 0 || five & completion == 0 || five.count_ones() != FIVE {
                continue;
            }
            let four = five & !completion;
            if !found[..count].contains(&four) {
                found[count] = four;
                count += 1;
            }
            if count == found.len() {
                break;
            }
        }
        count
    }

    /// Where one more stone makes a straight four with the middle stone: four in an unbroken run
    /// that becomes a five at either end. Given in steps from the middle.
    ///
    /// ```text
    /// . . X a X . .    two such points, left and right of the row
    /// . X a . X . .    one, inside the row
    /// O . X a X . O    none: neither four has both of its ends
    /// ```
    fn straight_fours(&self) -> impl Iterator<Item = i32> {
        let reach = if self.stones_within(3) < 3 { 0 } else { 3 };
        (-reach..=reach).filter(|steps| {
            let extension = self.free & bit(*steps);
            let black = self.black | extension;
            let four = run_through_centre(black);
            let ends = (four << 1 | four >> 1) & !four & self.free;
            extension != 0
                && four & extension != 0
                && four.count_ones() == 4
                && ends.count_ones() == 2
                && run_through_centre(black | ends).count_ones() == 6
        })
    }
}

/// The bit of the point that many steps from the middle.
const fn bit(steps: i32) -> u32 {
    1 << (REACH + steps)
}

/// The unbroken run of set bits that the middle bit belongs to.
fn run_through_centre(bits: u32) -> u32 {
    let mut run = CENTRE & bits;
    loop {
        let grown = (run | run << 1 | run >> 1) & bits;
        if grown == run {
            return run;
        }
        run = grown;
    }
}
