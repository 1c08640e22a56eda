//! Late moves, which are probably worse than those before them: how many of a kind are tried at all,
//! and how much less deeply. By integers, so that every machine finds the same moves.

use super::{
    node::PLY,
    pattern::Flags,
    search_numbers::{NUMBERS, TriesLimit},
};

/// What a move does, as far as its patterns show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MoveKind {
    /// Makes a four.
    Four,
    /// Makes an open three.
    Three,
    /// Neither.
    Quiet,
    /// May stop what the other side threatens.
    Stop,
}

impl MoveKind {
    /// The kind of a move that makes patterns with these flags.
    pub(super) const fn of(flags: Flags, is_stop: bool) -> Self {
        match flags {
            _ if is_stop => Self::Stop,
            _ if flags.any(Flags::FOUR) => Self::Four,
            _ if flags.any(Flags::THREE) => Self::Three,
            _ => Self::Quiet,
        }
    }

    /// Whether it makes a threat.
    pub(super) const fn is_threat(self) -> bool {
        matches!(self, Self::Four | Self::Three)
    }

    /// How many moves are tried before one of this kind is left out, where none of them loses at once.
    pub(super) fn tries(self, depth: i32, is_pv: bool) -> usize {
        let TriesLimit { least, more } = match self {
            Self::Quiet => NUMBERS.quiet_tries,
            Self::Four => NUMBERS.four_tries,
            Self::Three => NUMBERS.three_tries,
            Self::Stop => NUMBERS.stop_tries,
        };
        let depth = if depth > 0 { depth.unsigned_abs() as u64 } else { 0 };
        let most = least + more * depth.pow(3).isqrt() / (PLY as u64).pow(3).isqrt();
        let tries = if is_pv { NUMBERS.principal_tries * most / 100 } else { most / 10 };
        usize::try_from(tries).unwrap_or(usize::MAX)
    }

    /// How late a move of this kind counts as, after so many others.
    pub(super) const fn lateness(self, tried: usize) -> usize {
        let percent = match self {
            Self::Quiet => 100,
            Self::Four => NUMBERS.four_lateness,
            Self::Three => NUMBERS.three_lateness,
            Self::Stop => NUMBERS.stop_lateness,
        };
        tried * percent / 100
    }
}

/// A move that comes late, in a position searched to a `depth`.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct LateMove {
    /// After how many others, see [`MoveKind::lateness`].
    pub(super) late: usize,
    /// The depth that is left.
    pub(super) depth: i32,
    /// How often it refuted something, see [`history`](super::move_order::MoveOrder::history).
    pub(super) history: i32,
    /// Whether this is the principal variation.
    pub(super) is_pv: bool,
    /// Whether another move is expected to be too good, and this is no killer.
    pub(super) is_needless: bool,
    /// Whether the position is no better than two plies before.
    pub(super) is_no_better: bool,
    /// Whether it makes a threat, as its side's last move did.
    pub(super) goes_on: bool,
}

impl LateMove {
    /// How much less deeply than to `full` the move is searched at first: no deeper than that, and not
    /// below zero.
    pub(super) fn reduction(&self, full: i32) -> i32 {
        self.amount().clamp(0, full.max(0))
    }

    fn amount(&self) -> i32 {
        let late = logarithm(self.late + 1);
        let deep = logarithm((self.depth / PLY).unsigned_abs() as usize);
        let least = if self.is_pv { NUMBERS.late_principal } else { NUMBERS.late_elsewhere };
        let history = self.history * UNIT / NUMBERS.late_history;
        let reduction = NUMBERS.late_product * (late * deep / UNIT) / UNIT + least - history;
        let more = [
            (self.is_needless, NUMBERS.late_needless),
            (self.is_no_better, NUMBERS.late_without_gain),
            (self.goes_on, NUMBERS.late_goes_on),
        ];
        let more = more.into_iter().filter(|(applies, _)| *applies).map(|(_, more)| more);
        reduction * PLY / UNIT + more.sum::<i32>()
    }
}

/// What a doubling is in the logarithms.
const UNIT: i32 = 256;

/// The binary logarithm in 1/[`UNIT`]; beyond the table, that of its end.
fn logarithm(of: usize) -> i32 {
    LOGARITHMS[of.min(LOGARITHMS.len() - 1)]
}

const LOGARITHMS: [i32; 256] = {
    let mut logarithms = [0; 256];
    let mut number: usize = 2;
    while number < logarithms.len() {
        let whole = number.ilog2();
        // The rest is between 1 and 2, in 1/65536; each squaring gives one more bit.
        let mut rest = ((number as u64) << 16) >> whole;
        let mut logarithm = whole.cast_signed();
        let mut bits = 0;
        while bits < 8 {
            rest = (rest * rest) >> 16;
            logarithm *= 2;
            if rest >= 2 << 16 {
                rest /= 2;
                logarithm += 1;
            }
            bits += 1;
        }
        logarithms[number] = logarithm;
        number += 1;
    }
    logarithms
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right_to_their_last_bit() {
        for (number, logarithm) in LOGARITHMS.iter().enumerate().skip(1) {
            let exact = (number as f64).log2() * f64::from(UNIT);
            let below = exact - f64::from(*logarithm);
            assert!((0.0..1.1).contains(&below), "{number}: {logarithm} instead of {exact}");
        }
    }

    #[test]
    fn later_moves_are_searched_less_deeply_and_never_below_zero() {
        for plies in 3..=100 {
            let mut last = i32::MIN;
            for late in 1..300 {
                let depth = plies * PLY;
                let anywhere = LateMove { late, depth, ..LateMove::default() };
                let now = anywhere.amount();
                assert!(now >= last, "{late} at {plies} plies: {now}");
                assert!((0..depth).contains(&anywhere.reduction(depth - PLY)));
                let less = [
                    LateMove { is_pv: true, ..anywhere },
                    LateMove { history: 9_000, ..anywhere },
                    LateMove { goes_on: true, ..anywhere },
                ];
                let more = [
                    LateMove { history: -9_000, ..anywhere },
                    LateMove { is_needless: true, ..anywhere },
                    LateMove { is_no_better: true, ..anywhere },
                ];
                assert!(less.iter().all(|late_move| late_move.amount() < now));
                assert!(more.iter().all(|late_move| late_move.amount() > now));
                last = now;
            }
        }
        let late_move =
            |late, history| LateMove { late, history, depth: 3 * PLY, ..LateMove::default() };
        assert_eq!(late_move(200, -16_000).reduction(2 * PLY), 2 * PLY, "at the limit");
        assert_eq!(late_move(1, 16_000).reduction(2 * PLY), 0, "nor is it deeper than the first");
        assert_eq!(late_move(200, 0).reduction(-PLY), 0, "there is no depth to take");
    }

    #[test]
    fn more_moves_are_tried_at_greater_depth_and_some_at_none() {
        for kind in [MoveKind::Four, MoveKind::Three, MoveKind::Quiet, MoveKind::Stop] {
            assert!(kind.tries(-4 * PLY, false) >= 1, "{kind:?}");
            for plies in 0..100 {
                let tries = |plies| kind.tries(plies * PLY, false);
                assert!(tries(plies) <= tries(plies + 1));
                assert!(tries(plies) <= kind.tries(plies * PLY, true));
            }
        }
    }
}
