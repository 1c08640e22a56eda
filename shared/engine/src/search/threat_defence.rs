//! Both sides of a win by threats, move by move: the attacker's next move, and the answer that puts
//! the end off longest. For puzzles.
//!
//! The answers to a four or an open three are complete, as in [`vct`](super::vct). It knows nothing
//! of moves that make no threat.

use fivefold_shared::{
    rules::{Point, Stone},
    search_budget::Thinking,
};

use super::{
    pattern::Threat,
    search_limits::SearchLimits,
    spots::Spot,
    threat_search::ThreatSearch,
    vcf::{MOVES_MAX, Verdict},
};

/// A win by threats for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreatWin {
    /// Its first move.
    pub first: Point,
    /// Moves of the attacker before fours alone win.
    pub moves_before_fours: u8,
    /// Moves of the attacker up to the five, or to a four that may not be answered; 0 where fours
    /// alone do not win yet.
    pub moves_by_fours: u8,
    /// Positions searched to find it.
    pub nodes: u64,
}

impl ThreatWin {
    /// Compares how long two wins last.
    const fn length(&self) -> (u8, u8) {
        (self.moves_before_fours, self.moves_by_fours)
    }
}

/// The other side's answer to a move of the attacker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Defence {
    /// The move threatens nothing.
    Unforced,
    /// No win was found against this answer.
    Holds(Point),
    /// Every answer loses, this one as late as any.
    Loses(Point),
    /// Renju forbids every answer, among them this one.
    Forbidden(Point),
}

impl ThreatSearch {
    /// Forgets every position, so that the next results depend on no earlier ones.
    pub fn forget(&mut self) {
        self.vcf.clear();
        self.vct.clear();
    }

    /// Whether a stone of this colour would make a five.
    pub fn is_five_near(&self, stone: Stone) -> bool {
        self.grid.threat_count(stone, Threat::Five) > 0
    }

    /// The empty points near stones.
    pub fn nearby(&self) -> Vec<Point> {
        self.grid.nearby().filter_map(|spot| self.grid.window().point(spot)).collect()
    }

    /// A win of `attacker`, whose move it is: the shortest by fours, or else one with threes. `None`
    /// where there is none, or none was found within `nodes` positions.
    pub fn threat_win(&mut self, attacker: Stone, nodes: u64) -> Option<ThreatWin> {
        let thinking = Thinking::unlimited();
        let mut limits = SearchLimits::new(&thinking);
        let Self { grid, vcf, vct, .. } = self;
        let point = |spot: Option<Spot>| spot.and_then(|spot| grid.window().point(spot));
        let five = grid.threats(attacker, Threat::Five).next();
        if let Some(first) = point(five) {
            return Some(ThreatWin { first, moves_before_fours: 0, moves_by_fours: 1, nodes: 1 });
        }
        if vcf.search(grid, attacker, MOVES_MAX, nodes, &mut limits) == Verdict::Win {
            let nodes_found = limits.nodes();
            let line: Vec<Spot> = vcf.line().collect();
            let most = u8::try_from(line.len().div_ceil(2)).unwrap_or(MOVES_MAX);
            let line = match vcf.shortest(grid, attacker, most, nodes, &mut limits) {
                Verdict::Win => vcf.line().collect(),
                Verdict::Horizon | Verdict::NoWin => line,
            };
            let first = grid.window().point(*line.first()?)?;
            // The line ends one move before the five.
            let moves_by_fours = u8::try_from(line.len().div_ceil(2)).unwrap_or(MOVES_MAX) + 1;
            return Some(ThreatWin {
                first,
                moves_before_fours: 0,
                moves_by_fours,
                nodes: nodes_found,
            });
        }
        let (spot, moves_before_fours) = vct.search(grid, vcf, attacker, nodes, &mut limits)?;
        let first = grid.window().point(spot)?;
        Some(ThreatWin { first, moves_before_fours, moves_by_fours: 0, nodes: limits.nodes() })
    }

    /// The other side's answer after `attacker` has played on `point`: the one that resists longest
    /// if `nodes` positions for each answer prove that all lose.
    pub fn defence_after(&mut self, attacker: Stone, point: Point, nodes: u64) -> Defence {
        let Some(spot) = self.grid.window().spot(point) else { return Defence::Unforced };
        self.grid.place(spot, attacker);
        let defence = self.defence(attacker, nodes);
        self.grid.take_back(spot);
        defence
    }

    fn defence(&mut self, attacker: Stone, nodes: u64) -> Defence {
        let defender = attacker.opponent();
        let five = self.grid.threats(defender, Threat::Five).next();
        if let Some(point) = five.and_then(|spot| self.grid.window().point(spot)) {
            return Defence::Holds(point);
        }
        let Some((threat, answers)) = self.answers(attacker) else { return Defence::Unforced };
        let mut longest: Option<(ThreatWin, Point)> = None;
        for spot in answers {
            let Some(point) = self.grid.window().point(spot) else { continue };
            self.grid.place(spot, defender);
            let win = self.threat_win(attacker, nodes);
            self.grid.take_back(spot);
            let Some(win) = win else { return Defence::Holds(point) };
            if longest.is_none_or(|(most, _)| win.length() > most.length()) {
                longest = Some((win, point));
            }
        }
        if let Some((_, point)) = longest {
            return Defence::Loses(point);
        }
        let forbidden = self.grid.threats(attacker, threat).next();
        let forbidden = forbidden.and_then(|spot| self.grid.window().point(spot));
        forbidden.map_or(Defence::Unforced, Defence::Forbidden)
    }

    /// What `attacker` threatens, and the answers that may save the other side, or if none can, those
    /// that stop one of several threats. `None` where it threatens nothing.
    fn answers(&mut self, attacker: Stone) -> Option<(Threat, Vec<Spot>)> {
        let (grid, defender) = (&mut self.grid, attacker.opponent());
        let mut answers: Vec<Spot> = Vec::new();
        let threat = if grid.threat_count(attacker, Threat::Five) > 0 {
            grid.answers_to_fives(attacker, &mut answers);
            Threat::Five
        } else {
            answers.extend(grid.answers_to_unstoppable(attacker)?.iter(grid.len()));
            for four in grid.threats(defender, Threat::Four) {
                if !answers.contains(&four) {
                    answers.push(four);
                }
            }
            Threat::Unstoppable
        };
        answers.retain(|spot| !grid.is_forbidden(*spot, defender));
        if answers.is_empty() {
            answers.extend(grid.threats(attacker, threat));
            answers.retain(|spot| !grid.is_forbidden(*spot, defender));
        }
        Some((threat, answers))
    }
}
