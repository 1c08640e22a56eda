//! Marks and examined games.

use fivefold_shared::{
    protocol::{GameId, MemberId},
    seat::BySeat,
};

use super::{Row, Sql, source::DatabaseReader, values};
use crate::{
    ExaminationClaim, ExaminationReader, ExaminedGame, GameMark, ModerationChanged, PlayerFacts,
    StorageError, Unexamined,
    examination::examined_before,
    limits::{EXAMINED_MAX, MARKS_MAX},
    values::to_json,
};

/// Notes these marks; one that is there stays.
pub(super) fn mark(sql: &dyn Sql, marks: &[GameMark]) -> Result<ModerationChanged, StorageError> {
    for GameMark { member, game, kind, opponent, at } in marks {
        sql.execute(
            "INSERT INTO game_mark (member, game, kind, opponent, at) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT DO NOTHING",
            values![member, game, kind.as_str(), opponent, *at],
        )?;
    }
    Ok(ModerationChanged::Done)
}

/// Claims a game for a node, unless another one examines it or has.
pub(super) fn claim(
    sql: &dyn Sql,
    ExaminationClaim { game, ended_at, at, stale, engine }: &ExaminationClaim,
) -> Result<ModerationChanged, StorageError> {
    let rows = sql.execute(
        "INSERT INTO examined_game (game, at, claimed_at, engine) VALUES ($1, $2, $3, $4)
         ON CONFLICT (game) DO UPDATE SET claimed_at = excluded.claimed_at,
                 engine = CASE WHEN examined_game.engine THEN true ELSE excluded.engine END
             WHERE examined_game.facts IS NULL AND examined_game.claimed_at <= $5
                 OR examined_game.facts <> 'null' AND excluded.engine AND NOT examined_game.engine",
        values![game, *ended_at, *at, *engine, *stale],
    )?;
    Ok(if rows == 0 { ModerationChanged::Gone } else { ModerationChanged::Done })
}

/// Stores what a game shows.
pub(super) fn examined(
    sql: &dyn Sql,
    game: &GameId,
    facts: Option<&BySeat<PlayerFacts>>,
) -> Result<ModerationChanged, StorageError> {
    let has_no_agreement = sql.dialect().pick(
        "json_extract(facts, '$.first.agreement') IS NULL
             AND json_extract(facts, '$.second.agreement') IS NULL",
        "(facts::json #>> '{first,agreement}') IS NULL
             AND (facts::json #>> '{second,agreement}') IS NULL",
    );
    let rows = sql.execute(
        &format!(
            "UPDATE examined_game SET facts = $2 WHERE game = $1
                 AND (facts IS NULL OR engine AND facts <> 'null' AND {has_no_agreement})"
        ),
        values![game, &to_json(&facts)?],
    )?;
    Ok(if rows == 0 { ModerationChanged::Gone } else { ModerationChanged::Done })
}

/// Deletes what is too old, at most so many rows.
pub(super) fn prune(sql: &dyn Sql, now: u64, rows_max: usize) -> Result<usize, StorageError> {
    let before = examined_before(now);
    let marks = sql.execute(
        "DELETE FROM game_mark WHERE (member, game, kind) IN (
             SELECT member, game, kind FROM game_mark WHERE at <= $1 LIMIT $2)",
        values![before, rows_max],
    )?;
    let games = sql.execute(
        "DELETE FROM examined_game WHERE game IN (
             SELECT game FROM examined_game WHERE at <= $1 LIMIT $2)",
        values![before, rows_max - marks],
    )?;
    Ok(marks + games)
}

impl ExaminationReader for DatabaseReader {
    fn unexamined(&mut self, since: u64, stale: u64) -> Result<Option<Unexamined>, StorageError> {
        self.read(|sql| {
            sql.row(
                "SELECT game, at FROM rating_change AS c
                 WHERE kind = 'game' AND at >= $1 AND pool NOT LIKE 'placement/%' AND NOT EXISTS (
                     SELECT 1 FROM examined_game AS e
                     WHERE e.game = c.game AND (e.facts IS NOT NULL OR e.claimed_at > $2))
                 ORDER BY at, game LIMIT 1",
                values![since, stale],
                unexamined,
            )
        })
    }

    fn unsearched(&mut self, since: u64) -> Result<Option<Unexamined>, StorageError> {
        self.read(|sql| {
            sql.row(
                "SELECT game, at FROM examined_game WHERE NOT engine AND facts <> 'null' AND at >= $1
                 ORDER BY at, game LIMIT 1",
                values![since],
                unexamined,
            )
        })
    }

    fn engine_games(&mut self, since: u64) -> Result<usize, StorageError> {
        self.read(|sql| {
            // As in the index.
            let engine = sql.dialect().pick("engine = 1", "engine");
            let count =
                format!("SELECT count(*) FROM examined_game WHERE {engine} AND claimed_at > $1");
            sql.count(&count, values![since])
        })
    }

    fn examined(&mut self) -> Result<Vec<ExaminedGame>, StorageError> {
        self.read(|sql| {
            sql.rows(
                "SELECT game, at, facts FROM examined_game WHERE facts <> 'null'
                 ORDER BY at DESC, game LIMIT $1",
                values![EXAMINED_MAX],
                |row| {
                    Ok(ExaminedGame { game: row.get()?, ended_at: row.get()?, facts: row.json()? })
                },
            )
        })
    }

    fn marks(&mut self) -> Result<Vec<GameMark>, StorageError> {
        self.read(|sql| {
            sql.rows(
                "SELECT member, game, kind, opponent, at FROM game_mark
                 ORDER BY at DESC, member, game, kind LIMIT $1",
                values![MARKS_MAX],
                mark_in,
            )
        })
    }

    fn marks_of(&mut self, member: &MemberId) -> Result<Vec<GameMark>, StorageError> {
        self.read(|sql| {
            sql.rows(
                "SELECT member, game, kind, opponent, at FROM game_mark WHERE member = $1
                 ORDER BY at DESC, game, kind LIMIT $2",
                values![member, MARKS_MAX],
                mark_in,
            )
        })
    }
}

/// The game in a row.
fn unexamined(row: &mut Row) -> Result<Unexamined, StorageError> {
    Ok(Unexamined { game: row.get()?, ended_at: row.get()? })
}

/// The mark in a row.
fn mark_in(row: &mut Row) -> Result<GameMark, StorageError> {
    Ok(GameMark {
        member: row.get()?,
        game: row.get()?,
        kind: row.get()?,
        opponent: row.get()?,
        at: row.get()?,
    })
}
