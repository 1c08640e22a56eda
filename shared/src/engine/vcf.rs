//! Victory by continuous fours: a win in which every move but the last makes a four, so that the
//! other side never has a choice.
//!
//! Any win is found by going ahead as far as fours reach, which is quick; the shortest by allowing
//! one more move at a time. A table remembers positions without a win, and how far that was
//! searched; whether a win was missed because of the horizon is told apart from there being none,
//! so a position that has run out of fours is never searched again.

use super::{
    grid::{Grid, Kept},
    pattern::Flags,
    spots::Spot,
    table::slot,
};
use crate::rules::Stone;

/// What a search came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// A win; its moves are in [`Vcf::line`].
    Win,
    /// No win within the moves allowed.
    Beyond,
    /// No win, however long.
    Never,
}

/// The search and what it remembers. What it remembers holds for every position on the same
/// window, by the same tables.
#[derive(Debug)]
pub(super) struct Vcf {
    table: Box<[u64]>,
    nodes: u64,
    nodes_max: u64,
    /// The winning line, last move first.
    line: Vec<Spot>,
    /// The moves yet to try, of all positions on the way to this one.
    moves: Vec<Spot>,
}

/// Stands for every horizon in the table.
const FOREVER: u8 = u8::MAX;

/// The most attacking moves of a win.
pub(super) const MOVES_MAX: u8 = 100;

impl Vcf {
    /// A search that remembers `entries` positions, which is a power of two.
    pub(super) fn new(entries: usize) -> Self {
        debug_assert!(entries.is_power_of_two(), "entries are found by the low bits of a hash");
        Self {
            table: vec![0; entries].into(),
            nodes: 0,
            nodes_max: 0,
            line: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// Forgets every position.
    pub(super) fn clear(&mut self) {
        self.table.fill(0);
    }

    /// How many positions the last search looked at.
    pub(super) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The last win found: the attacker's moves and the answers in turn, up to a five, an open
    /// four or a double four, or a four that may not be answered.
    pub(super) fn line(&self) -> impl ExactSizeIterator<Item = Spot> {
        self.line.iter().rev().copied()
    }

    /// Searches for a win of `attacker`, whose move it is, in at most `moves` moves of its own and
    /// `nodes` positions. It finds any, not the shortest.
    pub(super) fn search(
        &mut self,
        grid: &mut Grid,
        attacker: Stone,
        moves: u8,
        nodes: u64,
    ) -> Verdict {
        self.nodes = 0;
        self.nodes_max = nodes;
        self.line.clear();
        self.attack(grid, attacker, moves.min(MOVES_MAX))
    }

    /// As [`Vcf::search`], for the shortest win.
    pub(super) fn shortest(
        &mut self,
        grid: &mut Grid,
        attacker: Stone,
        moves: u8,
        nodes: u64,
    ) -> Verdict {
        self.nodes = 0;
        self.nodes_max = nodes;
        self.line.clear();
        for left in 1..=moves.min(MOVES_MAX) {
            match self.attack(grid, attacker, left) {
                Verdict::Beyond if self.nodes < self.nodes_max => {}
                verdict => return verdict,
            }
        }
        Verdict::Beyond
    }

    /// The attacker moves, `left` times at most.
    fn attack(&mut self, grid: &mut Grid, attacker: Stone, left: u8) -> Verdict {
        self.nodes += 1;
        if let Some(five) = grid.kept(attacker, Kept::Fives).next() {
            self.line.push(five);
            return Verdict::Win;
        }
        if self.nodes >= self.nodes_max {
            return Verdict::Beyond;
        }
        if grid.count(attacker.opponent(), Kept::Fives) > 0 {
            return self.attack_by_answering(grid, attacker, left);
        }
        if grid.count(attacker, Kept::Fours) == 0 {
            return Verdict::Never;
        }
        if let Some(spot) = grid.unstoppable(attacker) {
            self.line.push(spot);
            return Verdict::Win;
        }
        let may_win_by_rule = grid.tables().forbids && attacker == Stone::White;
        if left == 1 && !may_win_by_rule {
            return Verdict::Beyond;
        }
        let key = grid.hash() ^ if attacker == Stone::White { WHITE_ATTACKS } else { 0 };
        if let Some(verdict) = self.recall(key, left) {
            return verdict;
        }
        let base = self.moves.len();
        self.moves.extend(grid.kept(attacker, Kept::Fours));
        let verdict = self.try_fours(grid, attacker, left, base);
        if verdict != Verdict::Win && self.nodes < self.nodes_max {
            self.remember(key, if verdict == Verdict::Never { FOREVER } else { left });
        }
        verdict
    }

    /// The attacker must stop a five, and goes on if that makes a four.
    fn attack_by_answering(&mut self, grid: &mut Grid, attacker: Stone, left: u8) -> Verdict {
        let base = self.moves.len();
        grid.answers_to_fives(attacker.opponent(), &mut self.moves);
        self.try_fours(grid, attacker, left, base)
    }

    fn try_fours(&mut self, grid: &mut Grid, attacker: Stone, left: u8, base: usize) -> Verdict {
        let may_win_by_rule = grid.tables().forbids && attacker == Stone::White;
        let mut verdict = Verdict::Never;
        while self.moves.len() > base {
            let spot = self.moves.pop().expect("it is longer than its base");
            let flags = grid.flags(spot, attacker);
            if !flags.any(Flags::FOUR) || grid.is_forbidden(spot, attacker) {
                continue;
            }
            let found = if flags.any(Flags::UNSTOPPABLE) {
                Verdict::Win
            } else if match left {
                1 => !may_win_by_rule || !grid.may_not_be_answered(spot),
                2 => !may_win_by_rule && !grid.leads_to_unstoppable(spot, attacker),
                _ => false,
            } {
                Verdict::Beyond
            } else {
                let forced = grid.force(spot, attacker);
                let found = self.defend(grid, attacker, left);
                grid.unforce(forced);
                found
            };
            match found {
                Verdict::Win => {
                    self.moves.truncate(base);
                    self.line.push(spot);
                    return Verdict::Win;
                }
                Verdict::Beyond => verdict = Verdict::Beyond,
                Verdict::Never => {}
            }
        }
        verdict
    }

    /// The other side answers a four in every way that there is; mostly there is one.
    fn defend(&mut self, grid: &mut Grid, attacker: Stone, left: u8) -> Verdict {
        self.nodes += 1;
        let defender = attacker.opponent();
        let base = self.line.len();
        let first = self.moves.len();
        grid.answers_to_fives(attacker, &mut self.moves);
        let mut longest = Vec::new();
        while self.moves.len() > first {
            let answer = self.moves.pop().expect("it is longer than its first");
            if grid.is_forbidden(answer, defender) {
                continue;
            }
            if left == 1 {
                self.moves.truncate(first);
                return Verdict::Beyond;
            }
            let forced = grid.force(answer, defender);
            let verdict = self.attack(grid, attacker, left - 1);
            grid.unforce(forced);
            if verdict != Verdict::Win {
                self.line.truncate(base);
                self.moves.truncate(first);
                return verdict;
            }
            self.line.push(answer);
            let line = self.line.split_off(base);
            if line.len() > longest.len() {
                longest = line;
            }
        }
        self.line.append(&mut longest);
        Verdict::Win
    }

    fn recall(&self, key: u64, left: u8) -> Option<Verdict> {
        let entry = self.table[slot(key, self.table.len())];
        let [searched, ..] = entry.to_le_bytes();
        if entry >> 8 != key >> 8 || searched < left {
            return None;
        }
        Some(if searched == FOREVER { Verdict::Never } else { Verdict::Beyond })
    }

    fn remember(&mut self, key: u64, searched: u8) {
        self.table[slot(key, self.table.len())] = key >> 8 << 8 | u64::from(searched);
    }
}

/// Tells White's attacks from Black's in the table.
const WHITE_ATTACKS: u64 = 0x5bf0_3635_dcd1_6c4f;
