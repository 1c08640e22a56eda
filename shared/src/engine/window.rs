//! Which part of the board the engine looks at.

use super::spots::Window;
use crate::rules::{Point, Position, SIDE_MAX, Size};

/// On the unbounded board: how far the window reaches beyond the stones, so that no line through
/// a stone leaves it, nor one through a few stones more.
const MARGIN: i32 = 9;

/// On the unbounded board: the steps in which a window grows and moves, so that it mostly stays
/// where it is and what was learned on it stays true.
const STEP: i32 = 4;

impl Window {
    /// The window for a position, which stays as it was wherever it can.
    pub(super) fn of(position: &Position, before: Option<&Self>) -> Self {
        if let Size::Bounded { width, height } = position.rules().size() {
            return Self { origin: Point::default(), width, height, bordered: true };
        }
        let wanted = around_stones(position);
        match before {
            Some(before) if !before.bordered && before.covers(&wanted) => *before,
            _ => wanted,
        }
    }

    fn covers(&self, other: &Self) -> bool {
        let last = |window: &Self| {
            Point::new(
                window.origin.x + i32::from(window.width),
                window.origin.y + i32::from(window.height),
            )
        };
        let (own, others) = (last(self), last(other));
        self.origin.x <= other.origin.x
            && self.origin.y <= other.origin.y
            && own.x >= others.x
            && own.y >= others.y
    }
}

/// The stones and a margin; where that is too much, as many of the latest stones as fit.
fn around_stones(position: &Position) -> Window {
    let side = i32::from(SIDE_MAX);
    let last = position.last_move().unwrap_or_default();
    let (mut least, mut greatest) = (last, last);
    for point in position.moves().iter().rev() {
        let (low, high) = (
            Point::new(least.x.min(point.x), least.y.min(point.y)),
            Point::new(greatest.x.max(point.x), greatest.y.max(point.y)),
        );
        let room = side - 2 * MARGIN - STEP;
        if high.x - low.x < room && high.y - low.y < room {
            (least, greatest) = (low, high);
        }
    }
    let down = |value: i32| (value - MARGIN).div_euclid(STEP) * STEP;
    let origin = Point::new(down(least.x), down(least.y));
    let length = |from: i32, to: i32| {
        let length = (to + MARGIN + 1 - from).div_euclid(STEP) * STEP + STEP;
        u8::try_from(length.min(side)).expect("no longer than the longest side")
    };
    Window {
        origin,
        width: length(origin.x, greatest.x),
        height: length(origin.y, greatest.y),
        bordered: false,
    }
}
