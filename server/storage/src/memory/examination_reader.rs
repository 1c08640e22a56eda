//! Reads marks and examined games in memory.

use fivefold_shared::{
    protocol::{GameId, MemberId},
    rating_pool::PoolKind,
};

use super::examination::Examination;
use crate::{
    Call, ChangeKind, ExaminationClaim, ExaminationReader, ExaminedGame, GameMark, Memory,
    StorageError, Unexamined,
};

impl ExaminationReader for Memory {
    fn unexamined(&mut self, since: u64, stale: u64) -> Result<Option<Unexamined>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let waits = |game: &GameId| {
            let known = tables.examinations.games.get(game);
            known.is_none_or(|known| known.facts.is_none() && known.claim.at <= stale)
        };
        let changes = tables.ratings.changes().filter(|change| {
            let is_rated = change.pool.kind != PoolKind::Placement;
            let is_due = change.at >= since && waits(&change.game);
            change.kind == ChangeKind::Game && is_rated && is_due
        });
        let oldest = changes.min_by(|one, other| (one.at, &one.game).cmp(&(other.at, &other.game)));
        Ok(oldest.map(|change| Unexamined { game: change.game.clone(), ended_at: change.at }))
    }

    fn unsearched(&mut self, since: u64) -> Result<Option<Unexamined>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let waiting = tables
            .examinations
            .games
            .values()
            .filter(|known| known.waits_for_engine() && known.claim.ended_at >= since);
        let oldest = waiting.min_by_key(|known| (known.claim.ended_at, known.claim.game.clone()));
        Ok(oldest.map(|Examination { claim, .. }| Unexamined {
            game: claim.game.clone(),
            ended_at: claim.ended_at,
        }))
    }

    fn engine_games(&mut self, since: u64) -> Result<usize, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let games = tables.examinations.games.values();
        Ok(games.filter(|known| known.claim.engine && known.claim.at > since).count())
    }

    fn examined(&mut self) -> Result<Vec<ExaminedGame>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
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
        let mut marks = self.tables_for(Call::Browse)?.examinations.marks.clone();
        marks.sort_by(|one, other| {
            let key = |mark: &GameMark| (mark.member.clone(), mark.game.clone(), mark.kind);
            other.at.cmp(&one.at).then_with(|| key(one).cmp(&key(other)))
        });
        Ok(marks)
    }

    fn marks_of(&mut self, member: &MemberId) -> Result<Vec<GameMark>, StorageError> {
        let mut marks = self.marks()?;
        marks.retain(|mark| mark.member == *member);
        Ok(marks)
    }
}
