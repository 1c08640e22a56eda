//! Marks and examined games in memory.

use std::collections::BTreeMap;

use fivefold_shared::{
    protocol::{GameId, MemberId},
    seat::BySeat,
};

use crate::{
    ExaminationClaim, GameMark, ModerationChanged, PlayerFacts,
    examination::examined_before,
    limits::{EXAMINED_MAX, MARKS_MAX},
};

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Examinations {
    pub(super) marks: Vec<GameMark>,
    pub(super) games: BTreeMap<GameId, Examination>,
}

/// One game.
#[derive(Debug)]
pub(super) struct Examination {
    pub(super) claim: ExaminationClaim,
    /// Absent while a node examines it; the inner one for a game that shows nothing.
    pub(super) facts: Option<Option<BySeat<PlayerFacts>>>,
}

impl Examination {
    /// Whether it shows something, and the engine has not begun to look at it.
    pub(super) fn waits_for_engine(&self) -> bool {
        !self.claim.engine && matches!(self.facts, Some(Some(_)))
    }

    /// Whether the engine looks at it, and what it finds is not there.
    fn is_searched(&self) -> bool {
        let has_found = |facts: &BySeat<PlayerFacts>| {
            facts.first.agreement.is_some() || facts.second.agreement.is_some()
        };
        let facts = self.facts.as_ref().and_then(Option::as_ref);
        self.claim.engine && facts.is_some_and(|facts| !has_found(facts))
    }
}

impl Examinations {
    /// Notes these marks; one that is there stays.
    pub(super) fn mark(&mut self, marks: Vec<GameMark>) -> ModerationChanged {
        for mark in marks {
            let is_it = |known: &GameMark| {
                (&known.member, &known.game, known.kind) == (&mark.member, &mark.game, mark.kind)
            };
            if !self.marks.iter().any(is_it) {
                self.marks.push(mark);
            }
        }
        // No more are ever read.
        let too_many = self.marks.len().saturating_sub(MARKS_MAX);
        self.marks.drain(..too_many);
        ModerationChanged::Done
    }

    /// Claims a game for a node, unless another one examines it or has.
    pub(super) fn claim(&mut self, claim: ExaminationClaim) -> ModerationChanged {
        let known = self.games.get_mut(&claim.game);
        if let Some(known) = known.filter(|known| known.waits_for_engine() && claim.engine) {
            (known.claim.engine, known.claim.at) = (true, claim.at);
            return ModerationChanged::Done;
        }
        let is_taken = |known: &Examination| known.facts.is_some() || known.claim.at > claim.stale;
        if self.games.get(&claim.game).is_some_and(is_taken) {
            return ModerationChanged::Gone;
        }
        let engine =
            claim.engine || self.games.get(&claim.game).is_some_and(|known| known.claim.engine);
        let claim = ExaminationClaim { engine, ..claim };
        self.games.insert(claim.game.clone(), Examination { claim, facts: None });
        if self.games.len() > EXAMINED_MAX {
            let oldest = self.games.iter().min_by_key(|(_, known)| known.claim.ended_at);
            if let Some(game) = oldest.map(|(game, _)| game.clone()) {
                self.games.remove(&game);
            }
        }
        ModerationChanged::Done
    }

    /// Stores what a game shows.
    pub(super) fn examined(
        &mut self,
        game: &GameId,
        facts: Option<BySeat<PlayerFacts>>,
    ) -> ModerationChanged {
        let may_change = |known: &&mut Examination| known.facts.is_none() || known.is_searched();
        match self.games.get_mut(game).filter(may_change) {
            Some(known) => {
                known.facts = Some(facts);
                ModerationChanged::Done
            }
            None => ModerationChanged::Gone,
        }
    }

    /// Deletes what is too old, at most so many rows.
    pub(super) fn prune(&mut self, now: u64, rows_max: usize) -> usize {
        let before = examined_before(now);
        let mut pruned = 0;
        let mut take = |at: u64| {
            let takes = at <= before && pruned < rows_max;
            pruned += usize::from(takes);
            takes
        };
        self.marks.retain(|mark| !take(mark.at));
        self.games.retain(|_, known| !take(known.claim.ended_at));
        pruned
    }

    /// Forgets the marks of these members.
    pub(super) fn forget(&mut self, of: impl Fn(&MemberId) -> bool) {
        self.marks.retain(|mark| !of(&mark.member) && !of(&mark.opponent));
    }
}
