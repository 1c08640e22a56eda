//! Victory by continuous threats: a win in which every move makes a four or an open three, or, if asked, prepares
//! a double four.
//!
//! An open three leaves the other side a choice: it may take one of the points that stop every
//! open four, or make fours of its own first. Both are complete, as the points are computed and
//! not guessed, so a win that is found is a win. Wherever the attacker moves, fours alone are
//! tried first.
//!
//! Deeper wins are looked for by allowing one more move at a time, with a table of what is known.

use fivefold_shared::rules::Stone;

use super::{
    grid::Grid,
    pattern::Flags,
    pattern::Threat,
    proof_table::ProofTable,
    search_limits::SearchLimits,
    search_numbers::NUMBERS,
    spots::{SPOTS_MAX, Spot},
    vcf::{MOVES_MAX, Vcf, Verdict},
};

/// The search and its memory. The memory holds for every position on the same window, by the same
/// tables.
#[derive(Debug)]
pub(super) struct Vct {
    table: ProofTable,
    /// Whether the attacker also prepares double fours.
    prepares_forks: bool,
    moves: Vec<Spot>,
    /// By the point just attacked from: the answer that last refuted it.
    refutations: Vec<Option<Spot>>,
    /// The attacker's last winning move that was found.
    best: Option<Spot>,
}

/// In the table; other numbers give the depth that was searched without finding a win.
const WON: u8 = u8::MAX;

impl Vct {
    /// A search that remembers `entries` positions, which is a power of two.
    pub(super) fn new(entries: usize) -> Self {
        let (prepares_forks, refutations) = (false, vec![None; SPOTS_MAX]);
        Self {
            table: ProofTable::new(entries),
            prepares_forks,
            moves: Vec::new(),
            refutations,
            best: None,
        }
    }

    /// The same, which also lets the attacker prepare double fours. It finds more wins, and takes longer.
    pub(super) fn with_forks(self) -> Self {
        Self { prepares_forks: true, ..self }
    }

    /// Forgets every position.
    pub(super) fn clear(&mut self) {
        self.table.clear();
        self.refutations.fill(None);
    }

    /// The first move of a win of `attacker`, whose move it is, and how many moves it takes
    /// before fours alone win. `None` where there is none or it takes more than `nodes` positions
    /// to find.
    pub(super) fn search(
        &mut self,
        grid: &mut Grid,
        vcf: &mut Vcf,
        attacker: Stone,
        nodes: u64,
        limits: &mut SearchLimits<'_>,
    ) -> Option<(Spot, u8)> {
        let nodes_max = limits.nodes().saturating_add(nodes);
        for left in 0..=MOVES_MAX {
            let mut search = VctSearch { memory: self, vcf, attacker, limits, nodes_max };
            match search.attack(grid, left) {
                Verdict::Win => return self.best.map(|spot| (spot, left)),
                Verdict::Horizon if !limits.is_over() && limits.nodes() < nodes_max => {}
                Verdict::Horizon | Verdict::NoWin => return None,
            }
        }
        None
    }
}

/// One search under way.
struct VctSearch<'a, 'b> {
    memory: &'a mut Vct,
    vcf: &'a mut Vcf,
    attacker: Stone,
    limits: &'a mut SearchLimits<'b>,
    nodes_max: u64,
}

impl VctSearch<'_, '_> {
    /// The attacker moves; `left` times at most without fours alone.
    fn attack(&mut self, grid: &mut Grid, left: u8) -> Verdict {
        let (attacker, defender) = (self.attacker, self.attacker.opponent());
        if self.limits.count(1) || self.limits.nodes() >= self.nodes_max {
            return Verdict::Horizon;
        }
        if let Some(five) = grid.threats(attacker, Threat::Five).next() {
            self.memory.best = Some(five);
            return Verdict::Win;
        }
        let key = grid.hash() ^ if attacker == Stone::White { WHITE_ATTACKS } else { 0 };
        match self.probe(key, left) {
            Some(Verdict::Win) if self.memory.moves.is_empty() => {}
            Some(verdict) => return verdict,
            None => {}
        }
        let verdict = if grid.threat_count(defender, Threat::Five) > 0 {
            let base = self.memory.moves.len();
            grid.answers_to_fives(defender, &mut self.memory.moves);
            self.try_moves(grid, left, base)
        } else {
            let found =
                self.vcf.search(grid, attacker, MOVES_MAX, NUMBERS.threats_fours, self.limits);
            if found == Verdict::Win {
                self.memory.best = self.vcf.line().next();
                Verdict::Win
            } else if left == 0 {
                Verdict::Horizon
            } else {
                let base = self.memory.moves.len();
                self.list_threats(grid);
                self.try_moves(grid, left - 1, base)
            }
        };
        if !self.limits.is_over() && self.limits.nodes() < self.nodes_max {
            self.store(key, verdict, left);
        }
        verdict
    }

    /// Adds the moves that threaten to win and do not let the other side win first. The most forcing come last, which is where they are taken from.
    fn list_threats(&mut self, grid: &mut Grid) {
        let attacker = self.attacker;
        let stops = grid.answers_to_unstoppable(attacker.opponent());
        let base = self.memory.moves.len();
        let is_safe = |spot: &Spot| stops.as_ref().is_none_or(|stops| stops.contains(*spot));
        let threes = grid
            .threats(attacker, Threat::Three)
            .filter(|spot| !grid.flags(*spot, attacker).any(Flags::FOUR) && is_safe(spot));
        if self.memory.prepares_forks {
            let forks = grid.fork_makers(attacker).into_iter().filter(is_safe);
            self.memory.moves.extend(forks);
        }
        self.memory.moves.extend(threes);
        self.memory.moves.extend(grid.threats(attacker, Threat::Four));
        self.memory.moves[base..].sort_by_key(|spot| {
            let flags = grid.flags(*spot, attacker);
            (flags.any(Flags::FOUR) && flags.any(Flags::THREE), grid.threes(*spot, attacker))
        });
    }

    /// Tries the moves above `base`, and takes them off.
    fn try_moves(&mut self, grid: &mut Grid, left: u8, base: usize) -> Verdict {
        let mut verdict = Verdict::NoWin;
        while self.memory.moves.len() > base {
            let spot = self.memory.moves.pop().expect("it is longer than its base");
            if grid.is_forbidden(spot, self.attacker) {
                continue;
            }
            let forced = grid.force(spot, self.attacker);
            let found = self.defend(grid, spot, left);
            grid.unforce(forced);
            match found {
                Verdict::Win => {
                    self.memory.moves.truncate(base);
                    self.memory.best = Some(spot);
                    return Verdict::Win;
                }
                Verdict::Horizon => verdict = Verdict::Horizon,
                Verdict::NoWin => {}
            }
        }
        verdict
    }

    /// The other side answers in every way that may save it. A win when it has none.
    fn defend(&mut self, grid: &mut Grid, attack: Spot, left: u8) -> Verdict {
        let (attacker, defender) = (self.attacker, self.attacker.opponent());
        if grid.threat_count(defender, Threat::Five) > 0 {
            return Verdict::NoWin;
        }
        let base = self.memory.moves.len();
        if grid.threat_count(attacker, Threat::Five) > 0 {
            grid.answers_to_fives(attacker, &mut self.memory.moves);
        } else {
            let Some(mut answers) = grid.answers_to_unstoppable(attacker) else {
                return Verdict::NoWin;
            };
            grid.threats(defender, Threat::Four).for_each(|spot| answers.insert(spot));
            self.memory.moves.extend(answers.iter(grid.len()));
            if let Some(refutation) = self.memory.refutations[usize::from(attack)]
                && let Some(index) =
                    self.memory.moves[base..].iter().position(|spot| *spot == refutation)
            {
                // The last one is tried first.
                self.memory.moves[base + index..].rotate_left(1);
            }
        }
        while self.memory.moves.len() > base {
            let answer = self.memory.moves.pop().expect("it is longer than its base");
            if grid.is_forbidden(answer, defender) {
                continue;
            }
            let forced = grid.force(answer, defender);
            let verdict = self.attack(grid, left);
            grid.unforce(forced);
            if verdict != Verdict::Win {
                self.memory.refutations[usize::from(attack)] = Some(answer);
                self.memory.moves.truncate(base);
                return verdict;
            }
        }
        Verdict::Win
    }

    fn probe(&self, key: u64, left: u8) -> Option<Verdict> {
        match self.memory.table.get(key)? {
            WON => Some(Verdict::Win),
            searched if searched > left => Some(Verdict::Horizon),
            _ => None,
        }
    }

    fn store(&mut self, key: u64, verdict: Verdict, left: u8) {
        let known = match verdict {
            Verdict::Win => WON,
            Verdict::Horizon => left + 1,
            Verdict::NoWin => WON - 1,
        };
        self.memory.table.set(key, known);
    }
}

/// Distinguishes White's attacks from Black's in the table.
const WHITE_ATTACKS: u64 = 0x5bf0_3635_dcd1_6c4f;
