//! Late moves, which are probably worse than those before them: how many of a kind are tried at all,
//! and how much less deeply. By integers, so that every machine finds the same moves. The numbers were
//! tuned together, in games (`ARCHITECTURE.md`).

use super::pattern::Flags;

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

/// How many moves are tried at least, and how many more for the remaining depth to the power of
/// 1.5, in tenths.
const QUIET_MOVES: (u32, u32) = (20, 10);
const THREATS: (u32, u32) = (60, 20);
const STOPS: (u32, u32) = (22, 24);
/// How many times as many are tried in the principal variation, in tenths.
const PRINCIPAL: u32 = 25;

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

    /// How many moves are tried before one of this kind is left out, where none of them loses at once.
    pub(super) const fn tries(self, depth: i32, is_pv: bool) -> usize {
        let (least, more) = match self {
            Self::Quiet => QUIET_MOVES,
            Self::Four | Self::Three => THREATS,
            Self::Stop => STOPS,
        };
        let depth = if depth > 0 { depth.unsigned_abs() } else { 0 };
        let most = least + more * depth.pow(3).isqrt();
        (if is_pv { PRINCIPAL * most / 100 } else { most / 10 }) as usize
    }

    /// How late a move of this kind counts as, after so many others. Fours never are.
    pub(super) const fn lateness(self, tried: usize) -> usize {
        match self {
            Self::Four => 0,
            Self::Quiet => tried,
            Self::Three | Self::Stop => tried / 2,
        }
    }
}

/// What one ply of reduction is here.
const PLY: i32 = 256;
/// The reduction for each product of the binary logarithms of lateness and depth; in any case, in the
/// principal variation and elsewhere; and how much history makes up for one ply of it.
const LATE: i32 = 102;
const LATE_PRINCIPAL: i32 = 72;
const LATE_ELSEWHERE: i32 = 360;
const LATE_HISTORY: i32 = 4_600;

/// How many plies less deeply a late move is searched at first.
pub(super) fn reduction(late: usize, depth: i32, history: i32, is_pv: bool) -> i32 {
    let late = logarithm(late + 1);
    let deep = logarithm(depth.unsigned_abs() as usize);
    let least = if is_pv { LATE_PRINCIPAL } else { LATE_ELSEWHERE };
    let reduction = LATE * (late * deep / PLY) / PLY + least - history * PLY / LATE_HISTORY;
    (reduction / PLY).clamp(0, depth - 1)
}

/// The binary logarithm in 1/[`PLY`]; beyond the table, that of its end.
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
            let exact = (number as f64).log2() * f64::from(PLY);
            let below = exact - f64::from(*logarithm);
            assert!((0.0..1.1).contains(&below), "{number}: {logarithm} instead of {exact}");
        }
    }

    #[test]
    fn later_moves_are_searched_less_deeply_and_never_below_zero() {
        for depth in 3..=100 {
            let mut last = 0;
            for late in 1..300 {
                let now = reduction(late, depth, 0, false);
                assert!((last..depth).contains(&now), "{late} at depth {depth}: {now}");
                assert!(reduction(late, depth, 0, true) <= now);
                last = now;
            }
        }
        assert_eq!(reduction(200, 3, -16_000, false), 2, "at the limit");
        assert_eq!(reduction(1, 3, 16_000, false), 0, "nor is it deeper than the first");
    }
}
