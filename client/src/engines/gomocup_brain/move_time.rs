//! Computes the time that a brain may use for a move, from the manager's limits.

use std::time::Duration;

use fivefold_shared::{notation::gomocup::UNLIMITED_MS, search_budget::Budget};

/// The time for a move where the manager has set none.
const TURN: Duration = Duration::from_secs(5);
/// The time for a move that must be as fast as possible.
const AT_ONCE: Duration = Duration::from_millis(20);
/// Time that a move takes besides thinking: reading, writing, and the interval at which a bot
/// checks the clock.
const MARGIN: Duration = Duration::from_millis(5);
/// The same while pondering: a command may wait to be read, as all processors are busy.
const PONDERING_MARGIN: Duration = Duration::from_millis(10);
/// The manager's time limits, and by how much recent moves exceeded them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MoveTime {
    turn: Duration,
    /// The time left for the game, if limited.
    left: Option<Duration>,
    /// By how much recent moves exceeded their budget.
    overrun: Duration,
}

impl MoveTime {
    /// Defaults, before the manager sets anything.
    pub(super) const fn new() -> Self {
        Self { turn: TURN, left: None, overrun: Duration::ZERO }
    }

    /// `INFO timeout_turn`
    pub(super) fn set_turn(&mut self, ms: i64) {
        self.turn = match milliseconds(ms) {
            Duration::ZERO => AT_ONCE,
            turn => turn,
        };
    }

    /// `INFO timeout_match`
    pub(super) fn set_match(&mut self, ms: i64) {
        self.left = (ms > 0 && ms < UNLIMITED_MS).then(|| milliseconds(ms));
    }

    /// `INFO time_left`; may be negative.
    pub(super) fn set_left(&mut self, ms: i64) {
        self.left = (ms < UNLIMITED_MS).then(|| milliseconds(ms));
    }

    /// The time for the next move, from the arrival of its command.
    pub(super) fn budget(&self, ponders: bool) -> Budget {
        let whole = Budget::of_turn(self.turn, self.left);
        let margin = if ponders { MARGIN + PONDERING_MARGIN } else { MARGIN };
        let time = whole.time.saturating_sub(margin + self.overrun).max(whole.time / 2);
        Budget { time, ..whole }
    }

    /// Records that a move with this `budget` took `spent`.
    pub(super) fn note(&mut self, budget: Duration, spent: Duration) {
        self.overrun = spent.saturating_sub(budget).max(self.overrun * 3 / 4);
    }
}

fn milliseconds(ms: i64) -> Duration {
    Duration::from_millis(ms.try_into().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments are milliseconds per turn, for the match, and left.
    fn check(turn: i64, whole: i64, left: i64, expected_us: u64, average_ms: Option<u64>) {
        let mut move_time = MoveTime::new();
        move_time.set_turn(turn);
        move_time.set_match(whole);
        move_time.set_left(left);
        let expected = Budget {
            time: Duration::from_micros(expected_us),
            average: average_ms.map(Duration::from_millis),
            nodes: None,
        };
        assert_eq!(move_time.budget(false), expected, "{turn} {whole} {left}");
    }

    #[test]
    fn a_move_takes_less_than_it_may() {
        check(1_000, 0, UNLIMITED_MS, 995_000, None);
        check(20, 0, UNLIMITED_MS, 15_000, None);
        check(4, 0, UNLIMITED_MS, 2_000, None);
        check(0, 0, UNLIMITED_MS, 15_000, None);
        check(5_000, 100_000, 100_000, 4_995_000, None);
        check(5_000, 90_000, 60_000, 4_995_000, Some(3_000));
        check(5_000, 90_000, 6_000, 995_000, Some(300));
        check(5_000, 90_000, 60, 5_000, Some(3));
        check(5_000, 90_000, -30, 0, None);
        assert_eq!(MoveTime::new().budget(true).time, Duration::from_millis(4_985));
    }

    #[test]
    fn it_learns_how_late_it_is() {
        let ms = Duration::from_millis;
        let mut move_time = MoveTime::new();
        move_time.set_turn(100);
        move_time.note(ms(95), ms(115));
        assert_eq!(move_time.budget(false).time, ms(75));
        move_time.note(ms(75), ms(75));
        assert_eq!(move_time.budget(false).time, ms(80));
        move_time.note(ms(80), ms(900));
        assert_eq!(move_time.budget(false).time, ms(50), "half of the time is always used");
    }
}
