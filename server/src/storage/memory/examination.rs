//! Marks and examined games in memory.

use std::collections::BTreeMap;

use fivefold_shared::{
    protocol::{GameId, MemberId},
    seat::BySeat,
};

use crate::{
    limits::moderation::{EXAMINED_MAX, MARKS_MAX},
    storage::{
        ChangeKind, ExaminationClaim, ExaminationReader, ExaminedGame, GameMark, Memory,
        ModerationChanged, PlayerFacts, StorageError, Unexamined, examination::examined_before,
    },
};

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Examinations {
    marks: Vec<GameMark>,
    games: BTreeMap<GameId, Examination>,
}

#[derive(Debug)]
struct Examination {
    claim: ExaminationClaim,
    /// Absent while a node examines it; the inner one for a game that shows nothing.
    facts: Option<Option<BySeat<PlayerFacts>>>,
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
        // A server without a disk forgets the oldest.
        let too_many = self.marks.len().saturating_sub(MARKS_MAX);
        self.marks.drain(..too_many);
        ModerationChanged::Done
    }

    /// Claims a game for a node, unless another one examines it or has.
    pub(super) fn claim(&mut self, claim: ExaminationClaim) -> ModerationChanged {
        let is_taken = |known: &Examination| known.facts.is_some() || known.claim.at > claim.stale;
        if self.games.get(&claim.game).is_some_and(is_taken) {
            return ModerationChanged::Gone;
        }
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
        match self.games.get_mut(game).filter(|known| known.facts.is_none()) {
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

impl ExaminationReader for Memory {
    fn unexamined(&mut self, since: u64, stale: u64) -> Result<Option<Unexamined>, StorageError> {
        let tables = self.tables();
        let waits = |game: &GameId| {
            let known = tables.examinations.games.get(game);
            known.is_none_or(|known| known.facts.is_none() && known.claim.at <= stale)
        };
        let changes = tables.ratings.changes().filter(|change| {
            change.kind == ChangeKind::Game && change.at >= since && waits(&change.game)
        });
        let oldest = changes.min_by(|one, other| (one.at, &one.game).cmp(&(other.at, &other.game)));
        Ok(oldest.map(|change| Unexamined { game: change.game.clone(), ended_at: change.at }))
    }

    fn engine_games(&mut self, since: u64) -> Result<usize, StorageError> {
        let tables = self.tables();
        let games = tables.examinations.games.values();
        Ok(games.filter(|known| known.claim.engine && known.claim.at > since).count())
    }

    fn examined(&mut self) -> Result<Vec<ExaminedGame>, StorageError> {
        let tables = self.tables();
        let shown = |known: &Examination| {
            let facts = known.facts.clone()??;
            let ExaminationClaim { game, ended_at, .. } = known.claim.clone();
            Some(ExaminedGame { game, ended_at, facts })
        };
        let mut games: Vec<_> = tables.examinations.games.values().filter_map(shown).collect();
        games.sort_by(|one, other| (other.ended_at, &one.game).cmp(&(one.ended_at, &other.game)));
        Ok(games)
    }

    fn marks(&mut self) -> Result<Vec<GameMark>, StorageError> {
        let mut marks = self.tables().examinations.marks.clone();
        marks.sort_by(|one, other| {
            let key = |mark: &GameMark| (mark.member.clone(), mark.game.clone(), mark.kind);
            other.at.cmp(&one.at).then_with(|| key(one).cmp(&key(other)))
        });
        Ok(marks)
    }
}
