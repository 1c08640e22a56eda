//! Marks and examined games in a SQLite file.

use fivefold_shared::{
    protocol::{GameId, MemberId},
    seat::BySeat,
};
use rusqlite::{OptionalExtension, Row, Transaction};

use super::{SqliteReader, rows::collect};
use crate::{
    ExaminationClaim, ExaminationReader, ExaminedGame, GameMark, ModerationChanged, PlayerFacts,
    StorageError, Unexamined,
    examination::examined_before,
    limits::{EXAMINED_MAX, MARKS_MAX},
    values::{from_json, name, to_json},
};

/// Notes these marks; one that is there stays.
pub(super) fn mark(
    transaction: &Transaction<'_>,
    marks: &[GameMark],
) -> Result<ModerationChanged, StorageError> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO game_mark (member, game, kind, opponent, at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING",
    )?;
    for GameMark { member, game, kind, opponent, at } in marks {
        let texts = (member.as_str(), game.as_str(), kind.as_str(), opponent.as_str());
        insert.execute((texts.0, texts.1, texts.2, texts.3, at))?;
    }
    Ok(ModerationChanged::Done)
}

/// Claims a game for a node, unless another one examines it or has.
pub(super) fn claim(
    transaction: &Transaction<'_>,
    claim: &ExaminationClaim,
) -> Result<ModerationChanged, StorageError> {
    let ExaminationClaim { game, ended_at, at, stale, engine } = claim;
    let rows = transaction
        .prepare_cached(
            "INSERT INTO examined_game (game, at, claimed_at, engine) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (game) DO UPDATE
                 SET claimed_at = excluded.claimed_at, engine = max(engine, excluded.engine)
                 WHERE facts IS NULL AND claimed_at <= ?5
                     OR facts <> 'null' AND engine < excluded.engine",
        )?
        .execute((game.as_str(), ended_at, at, engine, stale))?;
    Ok(if rows == 0 { ModerationChanged::Gone } else { ModerationChanged::Done })
}

/// Stores what a game shows.
pub(super) fn examined(
    transaction: &Transaction<'_>,
    game: &GameId,
    facts: Option<&BySeat<PlayerFacts>>,
) -> Result<ModerationChanged, StorageError> {
    let rows = transaction
        .prepare_cached(
            "UPDATE examined_game SET facts = ? WHERE game = ? AND (facts IS NULL
                 OR engine = 1 AND facts <> 'null'
                     AND json_extract(facts, '$.first.agreement') IS NULL
                     AND json_extract(facts, '$.second.agreement') IS NULL)",
        )?
        .execute((to_json(&facts)?, game.as_str()))?;
    Ok(if rows == 0 { ModerationChanged::Gone } else { ModerationChanged::Done })
}

/// Deletes what is too old, at most so many rows.
pub(super) fn prune(
    transaction: &Transaction<'_>,
    now: u64,
    rows_max: usize,
) -> Result<usize, StorageError> {
    let before = examined_before(now);
    let marks = transaction
        .prepare_cached(
            "DELETE FROM game_mark WHERE (member, game, kind) IN (
                 SELECT member, game, kind FROM game_mark WHERE at <= ? LIMIT ?)",
        )?
        .execute((before, rows_max))?;
    let games = transaction
        .prepare_cached(
            "DELETE FROM examined_game WHERE game IN (
                 SELECT game FROM examined_game WHERE at <= ? LIMIT ?)",
        )?
        .execute((before, rows_max - marks))?;
    Ok(marks + games)
}

impl ExaminationReader for SqliteReader {
    fn unexamined(&mut self, since: u64, stale: u64) -> Result<Option<Unexamined>, StorageError> {
        let mut select = self.connection.prepare_cached(
            "SELECT game, at FROM rating_change AS c
             WHERE kind = 'game' AND at >= ? AND pool NOT LIKE 'placement/%' AND NOT EXISTS (
                 SELECT 1 FROM examined_game AS e
                 WHERE e.game = c.game AND (e.facts IS NOT NULL OR e.claimed_at > ?))
             ORDER BY at, game LIMIT 1",
        )?;
        let row = select.query_row((since, stale), |row| Ok((row.get(0)?, row.get(1)?)));
        let Some((game, ended_at)) = row.optional()? else { return Ok(None) };
        Ok(Some(Unexamined { game: name(game)?, ended_at }))
    }

    fn unsearched(&mut self, since: u64) -> Result<Option<Unexamined>, StorageError> {
        let mut select = self.connection.prepare_cached(
            "SELECT game, at FROM examined_game WHERE engine = 0 AND facts <> 'null' AND at >= ?
             ORDER BY at, game LIMIT 1",
        )?;
        let row = select.query_row((since,), |row| Ok((row.get(0)?, row.get(1)?)));
        let Some((game, ended_at)) = row.optional()? else { return Ok(None) };
        Ok(Some(Unexamined { game: name(game)?, ended_at }))
    }

    fn engine_games(&mut self, since: u64) -> Result<usize, StorageError> {
        let mut select = self.connection.prepare_cached(
            "SELECT count(*) FROM examined_game WHERE engine = 1 AND claimed_at > ?",
        )?;
        Ok(select.query_row((since,), |row| row.get(0))?)
    }

    fn examined(&mut self) -> Result<Vec<ExaminedGame>, StorageError> {
        let mut select = self.connection.prepare_cached(
            "SELECT game, at, facts FROM examined_game WHERE facts <> 'null'
             ORDER BY at DESC, game LIMIT ?",
        )?;
        collect(select.query((EXAMINED_MAX,))?, |row| {
            let (game, facts): (String, String) = (row.get(0)?, row.get(2)?);
            let (game, facts) = (name(game)?, from_json(&facts)?);
            Ok(ExaminedGame { game, ended_at: row.get(1)?, facts })
        })
    }

    fn marks(&mut self) -> Result<Vec<GameMark>, StorageError> {
        let mut select = self.connection.prepare_cached(
            "SELECT member, game, kind, opponent, at FROM game_mark
             ORDER BY at DESC, member, game, kind LIMIT ?",
        )?;
        collect(select.query((MARKS_MAX,))?, mark_in)
    }

    fn marks_of(&mut self, member: &MemberId) -> Result<Vec<GameMark>, StorageError> {
        let mut select = self.connection.prepare_cached(
            "SELECT member, game, kind, opponent, at FROM game_mark WHERE member = ?
             ORDER BY at DESC, game, kind LIMIT ?",
        )?;
        collect(select.query((member.as_str(), MARKS_MAX))?, mark_in)
    }
}

/// The mark in a row.
fn mark_in(row: &Row<'_>) -> Result<GameMark, StorageError> {
    let texts: [String; 4] = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
    let [member, game, kind, opponent] = texts;
    Ok(GameMark {
        member: name(member)?,
        game: name(game)?,
        kind: kind.try_into()?,
        opponent: name(opponent)?,
        at: row.get(4)?,
    })
}
