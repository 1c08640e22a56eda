//! Answers to threats, and the points that renju forbids.
//!
//! A *threat* of one side is that it plays a certain point next. An *answer* is a stone of the
//! other side after which that point no longer makes what was threatened. Both come from the
//! patterns, so no list of shapes can be incomplete.

use fivefold_shared::rules::Stone;

use super::{
    grid::Grid,
    pattern::Threat,
    pattern::{Flags, Pattern},
    spots::{Spot, SpotSet},
};

impl Grid {
    /// Whether renju forbids an empty point to a colour. RIF rules of renju, section 9.
    pub(super) fn is_forbidden(&mut self, spot: Spot, stone: Stone) -> bool {
        if !self.tables().forbids || stone == Stone::White {
            return false;
        }
        let flags = self.flags(spot, stone);
        flags.any(Flags::FORBIDDEN) || flags.any(Flags::DOUBTFUL) && self.is_double_three(spot)
    }

    /// RIF 9.3: a three counts when one of the points that make it a straight four is allowed, and
    /// makes no five. That check is the same one, a stone later.
    fn is_double_three(&mut self, spot: Spot) -> bool {
        let mut straight_fours: [Vec<Spot>; 4] = Default::default();
        for (axis, found) in straight_fours.iter_mut().enumerate() {
            let threes = [Pattern::OpenThree, Pattern::BroadThree];
            if threes.contains(&self.pattern(spot, axis, Stone::Black)) {
                found.extend(self.next(spot, axis, Stone::Black, Pattern::OpenFour));
            }
        }
        let forced = self.force(spot, Stone::Black);
        let threes = straight_fours.iter().filter(|spots| {
            spots.iter().any(|next| {
                !self.flags(*next, Stone::Black).any(Flags::FIVE)
                    && !self.is_forbidden(*next, Stone::Black)
            })
        });
        let is_double_three = threes.take(2).count() == 2;
        self.unforce(forced);
        is_double_three
    }

    /// The empty points on one axis that, after a stone on `spot`, make a pattern together with
    /// it.
    pub(super) fn next(
        &self,
        spot: Spot,
        axis: usize,
        stone: Stone,
        pattern: Pattern,
    ) -> impl Iterator<Item = Spot> {
        let tables = self.tables();
        let key = self.key(spot, axis);
        self.in_sight(spot, axis).filter_map(move |(seen, steps)| {
            let key = key + tables.keys.part_at(stone, steps);
            (tables.pattern(key, stone) == pattern).then_some(seen)
        })
    }

    /// Adds the points where a stone of the other side stops all fives of `attacker`: none if it
    /// cannot stop them.
    pub(super) fn answers_to_fives(&self, attacker: Stone, into: &mut Vec<Spot>) {
        let fives = self.threats(attacker, Threat::Five);
        if self.tables().closable {
            let mut answers: Option<SpotSet> = None;
            for five in fives {
                self.narrow_answers(&mut answers, five, attacker, Flags::FIVE);
            }
            into.extend(answers.iter().flat_map(|answers| answers.iter(self.len())));
        } else if self.threat_count(attacker, Threat::Five) == 1 {
            into.extend(fives);
        }
    }

    /// The only answer to the four that a stone makes here; `None` where there may be others, or
    /// where renju may forbid it.
    pub(super) fn only_answer_to_four(&self, spot: Spot, attacker: Stone) -> Option<Spot> {
        if self.tables().closable {
            return None;
        }
        let axis = (0..4).find(|axis| self.pattern(spot, *axis, attacker) == Pattern::Four)?;
        let mut fives = self.next(spot, axis, attacker, Pattern::Five);
        let answer = fives.next()?;
        let is_only = fives.next().is_none();
        let flags = self.flags(answer, attacker.opponent());
        let is_allowed =
            attacker == Stone::Black || !flags.any(Flags::FORBIDDEN) && !flags.any(Flags::DOUBTFUL);
        (is_only && is_allowed).then_some(answer)
    }

    /// A point where a colour makes an open four or a double four.
    pub(super) fn unstoppable(&mut self, stone: Stone) -> Option<Spot> {
        if self.threat_count(stone, Threat::Unstoppable) == 0 {
            return None;
        }
        let spots: Vec<Spot> = self.threats(stone, Threat::Unstoppable).collect();
        spots.into_iter().find(|spot| !self.is_forbidden(*spot, stone))
    }

    /// On how many axes a stone makes an open three.
    pub(super) fn threes(&self, spot: Spot, stone: Stone) -> usize {
        let is_three = |axis| {
            [Pattern::OpenThree, Pattern::BroadThree].contains(&self.pattern(spot, axis, stone))
        };
        (0..4).filter(|axis| is_three(*axis)).count()
    }

    /// Whether renju may forbid Black to answer the four that a white stone makes here. White's
    /// stone keeps what makes the answer look forbidden, or removes it.
    pub(super) fn may_not_be_answered(&self, spot: Spot) -> bool {
        let forbidden = |answer| {
            let flags = self.flags(answer, Stone::Black);
            flags.any(Flags::FORBIDDEN) || flags.any(Flags::DOUBTFUL)
        };
        (0..4).any(|axis| {
            self.pattern(spot, axis, Stone::White) == Pattern::Four
                && self.next(spot, axis, Stone::White, Pattern::Five).any(forbidden)
        })
    }

    /// Whether a stone of `attacker` makes some other point unstoppable, if the other side does not
    /// answer.
    pub(super) fn leads_to_unstoppable(&self, spot: Spot, attacker: Stone) -> bool {
        let keys = self.tables().keys;
        (0..4).any(|axis| {
            self.in_sight(spot, axis).any(|(seen, steps)| {
                let key = self.key(seen, axis) + keys.part_at(attacker, -steps);
                self.flags_with(seen, axis, key, attacker).any(Flags::UNSTOPPABLE)
            })
        })
    }

    /// The points where a stone makes neither a four nor an open three, but a double four possible: on a point
    /// that makes one four already.
    pub(super) fn fork_makers(&self, attacker: Stone) -> Vec<Spot> {
        let keys = self.tables().keys;
        let mut makers = Vec::new();
        for four in self.threats(attacker, Threat::Four) {
            if self.flags(four, attacker).any(Flags::UNSTOPPABLE) {
                continue;
            }
            for axis in 0..4 {
                let key = self.key(four, axis);
                for (spot, steps) in self.in_sight(four, axis) {
                    let flags = self.flags(spot, attacker);
                    let is_threat = flags.any(Flags::FOUR) || flags.any(Flags::THREE);
                    let key = key + keys.part_at(attacker, steps);
                    let after = self.flags_with(four, axis, key, attacker);
                    if !is_threat && after.any(Flags::UNSTOPPABLE) && !makers.contains(&spot) {
                        makers.push(spot);
                    }
                }
            }
        }
        makers
    }

    /// The points where a stone of the other side stops everything unstoppable that `attacker`
    /// could play next; `None` where there is no such threat.
    pub(super) fn answers_to_unstoppable(&mut self, attacker: Stone) -> Option<SpotSet> {
        let mut answers = None;
        if self.threat_count(attacker, Threat::Unstoppable) == 0 {
            return None;
        }
        let threats: Vec<Spot> = self.threats(attacker, Threat::Unstoppable).collect();
        for threat in threats {
            if !self.is_forbidden(threat, attacker) {
                self.narrow_answers(&mut answers, threat, attacker, Flags::UNSTOPPABLE);
            }
        }
        answers
    }

    /// Narrows `answers` down to those that stop `attacker` from making `flag` on `threat` too.
    fn narrow_answers(
        &self,
        answers: &mut Option<SpotSet>,
        threat: Spot,
        attacker: Stone,
        flag: Flags,
    ) {
        let (keys, defender) = (self.tables().keys, attacker.opponent());
        let mut here = SpotSet::EMPTY;
        here.insert(threat);
        for axis in 0..4 {
            if self.pattern(threat, axis, attacker) < Pattern::Four {
                // A stone here takes nothing away from the threat.
                continue;
            }
            let key = self.key(threat, axis);
            for (spot, steps) in self.in_sight(threat, axis) {
                let key = key + keys.part_at(defender, steps);
                if !self.flags_with(threat, axis, key, attacker).any(flag) {
                    here.insert(spot);
                }
            }
        }
        match answers {
            Some(answers) => answers.intersect(&here),
            None => *answers = Some(here),
        }
    }
}
