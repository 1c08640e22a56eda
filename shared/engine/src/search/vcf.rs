//! Victory by continuous fours: a win in which every move but the last makes a four, so that the
//! other side never has a choice.
//!
//! Any win is found by searching as far as fours reach, which is quick; the shortest by allowing
//! one more move at a time. A table remembers positions without a win, and how far the search went.
//! It distinguishes a win missed because of the horizon from no win, so a position that has run out
//! of fours is never searched again. It also remembers how many positions an abandoned search
//! visited, and does not repeat the same search in vain.

use fivefold_shared::rules::Stone;

use super::{
    grid::Grid,
    pattern::Flags,
    pattern::Threat,
    proof_table::ProofTable,
    search_limits::SearchLimits,
    search_numbers::NUMBERS,
    spots::{Spot, SpotSet},
};

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// A win; its moves are in [`Vcf::line`].
    Win,
    /// No win within the moves allowed.
    Horizon,
    /// No win, however long.
    NoWin,
}

/// Which fours a search tries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fours {
    /// All, so that a win that is not found is not there.
    All,
    /// Only those on a line with the attacker's last move and near it, if there is one, and the strongest
    /// first. Most wins are of this kind, and most positions have none.
    Connected { last: Option<Spot> },
}

impl Fours {
    /// Those to try after one of them.
    const fn after(self, spot: Spot) -> Self {
        match self {
            Self::All => Self::All,
            Self::Connected { .. } => Self::Connected { last: Some(spot) },
        }
    }

    /// Distinguishes them in the table.
    fn key(self) -> u64 {
        match self {
            Self::All => 0,
            Self::Connected { last } => {
                CONNECTED.wrapping_mul(2 * u64::from(last.map_or(0, |spot| spot + 1)) + 1)
            }
        }
    }
}

/// The memory of VCF searches, and the line that the last one found. The memory is valid for
/// every position on the same window, by the same tables.
#[derive(Debug)]
pub(super) struct Vcf {
    table: ProofTable,
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
        Self { table: ProofTable::new(entries), line: Vec::new(), moves: Vec::new() }
    }

    /// Forgets every position.
    pub(super) fn clear(&mut self) {
        self.table.clear();
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
        limits: &mut SearchLimits<'_>,
    ) -> Verdict {
        self.search_among(Fours::All, grid, attacker, (moves, nodes), limits)
    }

    /// As [`Vcf::search`], for a win in which each four lies near the one before, which takes less time.
    /// [`Verdict::NoWin`] says nothing of other wins.
    pub(super) fn search_connected(
        &mut self,
        grid: &mut Grid,
        attacker: Stone,
        moves: u8,
        nodes: u64,
        limits: &mut SearchLimits<'_>,
    ) -> Verdict {
        self.search_among(Fours::Connected { last: None }, grid, attacker, (moves, nodes), limits)
    }

    fn search_among(
        &mut self,
        fours: Fours,
        grid: &mut Grid,
        attacker: Stone,
        (moves, nodes): (u8, u64),
        limits: &mut SearchLimits<'_>,
    ) -> Verdict {
        self.line.clear();
        let key = position_key(grid, attacker, fours);
        self.table.prefetch(key);
        let given_up = key ^ GIVEN_UP;
        let effort = u8::try_from(nodes.max(1).ilog2()).expect("a logarithm is less than 64");
        if self.probe(given_up, effort).is_some() {
            return Verdict::Horizon;
        }
        let mut search = VcfSearch::new(self, grid, attacker, fours, nodes, limits);
        let nodes_max = search.nodes_max;
        let verdict = search.attack(moves.min(MOVES_MAX));
        if verdict == Verdict::Horizon && limits.nodes() >= nodes_max && !limits.is_over() {
            self.store(given_up, effort);
        }
        verdict
    }

    /// As [`Vcf::search`], for the shortest win.
    pub(super) fn shortest(
        &mut self,
        grid: &mut Grid,
        attacker: Stone,
        moves: u8,
        nodes: u64,
        limits: &mut SearchLimits<'_>,
    ) -> Verdict {
        self.line.clear();
        let mut search = VcfSearch::new(self, grid, attacker, Fours::All, nodes, limits);
        for left in 1..=moves.min(MOVES_MAX) {
            match search.attack(left) {
                Verdict::Horizon if !search.is_over() => {}
                verdict => return verdict,
            }
        }
        Verdict::Horizon
    }

    /// The points where a stone of the other side may refute the last win found: those of its moves
    /// and its fives, and those where the stone makes a four in the course of it. No other stone
    /// changes anything. `None` where that is not so: in caro, whose fives are closed from both
    /// ends, and in renju where forbidden points count.
    pub(super) fn refutations(&self, grid: &mut Grid, attacker: Stone) -> Option<SpotSet> {
        let tables = grid.tables();
        if tables.closable {
            return None;
        }
        let defender = attacker.opponent();
        let mut spots = grid.threat_set(defender, Threat::Four).clone();
        let mut forced = Vec::with_capacity(self.line.len());
        let mut is_certain = true;
        for (index, spot) in self.line().enumerate() {
            let is_attack = index.is_multiple_of(2);
            if is_attack && tables.forbids {
                let flags = grid.flags(spot, attacker);
                is_certain &= match attacker {
                    Stone::Black => !flags.any(Flags::FORBIDDEN) && !flags.any(Flags::DOUBTFUL),
                    Stone::White => {
                        let is_last = index + 1 == self.line.len();
                        !is_last || flags.any(Flags::FIVE) || flags.any(Flags::UNSTOPPABLE)
                    }
                };
            }
            spots.insert(spot);
            forced.push(grid.force(spot, if is_attack { attacker } else { defender }));
            spots.unite(if is_attack {
                grid.threat_set(attacker, Threat::Five)
            } else {
                grid.threat_set(defender, Threat::Four)
            });
        }
        while let Some(forced) = forced.pop() {
            grid.unforce(forced);
        }
        is_certain.then_some(spots)
    }

    fn probe(&self, key: u64, left: u8) -> Option<Verdict> {
        let searched = self.table.get(key).filter(|&searched| searched >= left)?;
        Some(if searched == FOREVER { Verdict::NoWin } else { Verdict::Horizon })
    }

    fn store(&mut self, key: u64, searched: u8) {
        self.table.set(key, searched);
    }
}

/// One search under way.
struct VcfSearch<'a, 'b> {
    memory: &'a mut Vcf,
    grid: &'a mut Grid,
    attacker: Stone,
    fours: Fours,
    limits: &'a mut SearchLimits<'b>,
    nodes_max: u64,
    /// From this number of positions on it asks the table before it sets stones.
    looks_ahead_from: u64,
}

impl<'a, 'b> VcfSearch<'a, 'b> {
    fn new(
        memory: &'a mut Vcf,
        grid: &'a mut Grid,
        attacker: Stone,
        fours: Fours,
        nodes: u64,
        limits: &'a mut SearchLimits<'b>,
    ) -> Self {
        let begin = limits.nodes();
        let nodes_max = begin.saturating_add(nodes);
        let looks_ahead_from = begin.saturating_add(NUMBERS.fours_look_ahead_after);
        Self { memory, grid, attacker, fours, limits, nodes_max, looks_ahead_from }
    }

    fn is_over(&self) -> bool {
        self.limits.is_over() || self.limits.nodes() >= self.nodes_max
    }

    /// The attacker moves, `left` times at most.
    fn attack(&mut self, left: u8) -> Verdict {
        let attacker = self.attacker;
        self.limits.count(1);
        if let Some(five) = self.grid.threats(attacker, Threat::Five).next() {
            self.memory.line.push(five);
            return Verdict::Win;
        }
        if self.is_over() {
            return Verdict::Horizon;
        }
        if self.grid.threat_count(attacker.opponent(), Threat::Five) > 0 {
            // It must stop a five, and goes on if that makes a four.
            let base = self.memory.moves.len();
            self.grid.answers_to_fives(attacker.opponent(), &mut self.memory.moves);
            return self.try_fours(left, base);
        }
        if self.grid.threat_count(attacker, Threat::Four) == 0 {
            return Verdict::NoWin;
        }
        if let Some(spot) = self.grid.unstoppable(attacker) {
            self.memory.line.push(spot);
            return Verdict::Win;
        }
        if left == 1 && !self.may_win_by_rule() {
            return Verdict::Horizon;
        }
        let key = position_key(self.grid, attacker, self.fours);
        if let Some(verdict) = self.memory.probe(key, left) {
            return verdict;
        }
        let base = self.memory.moves.len();
        self.list_fours(base);
        let verdict = self.try_fours(left, base);
        if verdict != Verdict::Win && !self.is_over() {
            self.memory.store(key, if verdict == Verdict::NoWin { FOREVER } else { left });
        }
        verdict
    }

    /// Adds the fours to try to the moves; the last is tried first.
    fn list_fours(&mut self, base: usize) {
        let (grid, attacker, moves) = (&*self.grid, self.attacker, &mut self.memory.moves);
        let all = grid.threats(attacker, Threat::Four);
        let Fours::Connected { last } = self.fours else {
            moves.extend(all);
            return;
        };
        moves.extend(all.filter(|spot| {
            last.is_none_or(|last| {
                grid.window().are_on_a_line(*spot, last, NUMBERS.connected_within)
            })
        }));
        moves[base..].sort_by_cached_key(|spot| {
            let makes_three = grid.flags(*spot, attacker).any(Flags::THREE);
            (makes_three, grid.urgency(*spot, attacker).to_make)
        });
    }

    /// Whether a four may win because renju forbids the answer.
    fn may_win_by_rule(&self) -> bool {
        self.grid.tables().forbids && self.attacker == Stone::White
    }

    fn try_fours(&mut self, left: u8, base: usize) -> Verdict {
        let (attacker, may_win_by_rule) = (self.attacker, self.may_win_by_rule());
        // It waits there while the attacker stops a five.
        let has_unstoppable = self.grid.threat_count(attacker, Threat::Unstoppable) > 0;
        let mut verdict = Verdict::NoWin;
        while self.memory.moves.len() > base {
            let spot = self.memory.moves.pop().expect("it is longer than its base");
            let flags = self.grid.flags(spot, attacker);
            if !flags.any(Flags::FOUR) || self.grid.is_forbidden(spot, attacker) {
                continue;
            }
            let found = if flags.any(Flags::UNSTOPPABLE) {
                Verdict::Win
            } else if match left {
                1 => !may_win_by_rule || !self.grid.may_not_be_answered(spot),
                2 => {
                    !may_win_by_rule
                        && !has_unstoppable
                        && !self.grid.leads_to_unstoppable(spot, attacker)
                }
                _ => false,
            } {
                Verdict::Horizon
            } else if let Some(remembered) = self.remembered(spot, left) {
                remembered
            } else {
                let before = self.fours;
                self.fours = before.after(spot);
                let forced = self.grid.force(spot, attacker);
                let found = self.defend(left);
                self.grid.unforce(forced);
                self.fours = before;
                found
            };
            match found {
                Verdict::Win => {
                    self.memory.moves.truncate(base);
                    self.memory.line.push(spot);
                    return Verdict::Win;
                }
                Verdict::Horizon => verdict = Verdict::Horizon,
                Verdict::NoWin => {}
            }
        }
        verdict
    }

    /// What the table knows of the position after a four and its only answer. The same fours in
    /// another order lead to almost half of all positions, and to set stones takes much longer
    /// than to look.
    fn remembered(&mut self, spot: Spot, left: u8) -> Option<Verdict> {
        let (attacker, defender) = (self.attacker, self.attacker.opponent());
        if left == 1 || self.limits.nodes() < self.looks_ahead_from {
            return None;
        }
        let answer = self.grid.only_answer_to_four(spot, attacker)?;
        let stones = self.grid.stone_key(spot, attacker) ^ self.grid.stone_key(answer, defender);
        let key = position_key(self.grid, attacker, self.fours.after(spot)) ^ stones;
        let known = self.memory.probe(key, left - 1)?;
        self.limits.count(2);
        Some(if self.is_over() { Verdict::Horizon } else { known })
    }

    /// Tries every answer of the other side to a four; mostly there is one.
    fn defend(&mut self, left: u8) -> Verdict {
        self.limits.count(1);
        let defender = self.attacker.opponent();
        let base = self.memory.line.len();
        let first = self.memory.moves.len();
        self.grid.answers_to_fives(self.attacker, &mut self.memory.moves);
        let mut longest = Vec::new();
        while self.memory.moves.len() > first {
            let answer = self.memory.moves.pop().expect("it is longer than its first");
            if self.grid.is_forbidden(answer, defender) {
                continue;
            }
            if left == 1 {
                self.memory.moves.truncate(first);
                return Verdict::Horizon;
            }
            let key = position_key(self.grid, self.attacker, self.fours);
            self.memory.table.prefetch(key ^ self.grid.stone_key(answer, defender));
            let forced = self.grid.force(answer, defender);
            let verdict = self.attack(left - 1);
            self.grid.unforce(forced);
            if verdict != Verdict::Win {
                self.memory.line.truncate(base);
                self.memory.moves.truncate(first);
                return verdict;
            }
            self.memory.line.push(answer);
            let line = self.memory.line.split_off(base);
            if line.len() > longest.len() {
                longest = line;
            }
        }
        self.memory.line.append(&mut longest);
        Verdict::Win
    }
}

/// The table key of a position in which `attacker` moves, and tries these fours.
fn position_key(grid: &Grid, attacker: Stone, fours: Fours) -> u64 {
    let side = if attacker == Stone::White { WHITE_ATTACKS } else { 0 };
    grid.hash() ^ side ^ fours.key()
}

/// Distinguishes White's attacks from Black's in the table.
const WHITE_ATTACKS: u64 = 0x5bf0_3635_dcd1_6c4f;
/// Distinguishes searches for connected fours, by the last move.
const CONNECTED: u64 = 0x3c6e_f372_fe94_f82b;
/// Distinguishes abandoned searches from finished ones.
const GIVEN_UP: u64 = 0x2545_f491_4f6c_dd1d;
