//! Marks and examined games in PostgreSQL. A change is one statement, and the same statement again does no
//! harm.

use fivefold_shared::protocol::{GameId, MemberId};
use tokio_postgres::{Error, Row};

use super::{
    connection::Session,
    reader::PostgresReader,
    statements::{Values, run},
    values::{signed, unsigned},
};
use crate::{
    ExaminationClaim, ExaminationReader, ExaminedGame, GameMark, ModerationChanged, StorageError,
    Unexamined,
    examination::examined_before,
    limits::{EXAMINED_MAX, MARKS_MAX},
    values::{from_json, name},
};

const MARK: &str = "
    WITH marked AS (
        INSERT INTO game_mark (member, game, kind, opponent, at)
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
        ON CONFLICT DO NOTHING
    )
    SELECT true, false";

const CLAIM: &str = "
    WITH begun AS (
        INSERT INTO examined_game (game, at, claimed_at, engine) VALUES ($1, $2, $3, $4)
        ON CONFLICT (game) DO UPDATE SET claimed_at = excluded.claimed_at,
                engine = examined_game.engine OR excluded.engine
            WHERE examined_game.facts IS NULL AND examined_game.claimed_at <= $5
                OR examined_game.facts <> 'null' AND excluded.engine AND NOT examined_game.engine
        RETURNING game
    )
    SELECT EXISTS (SELECT FROM begun), false";

const EXAMINED: &str = "
    WITH changed AS (
        UPDATE examined_game SET facts = $2 WHERE game = $1 AND (facts IS NULL
            OR engine AND facts <> 'null' AND (facts::json #>> '{first,agreement}') IS NULL
                AND (facts::json #>> '{second,agreement}') IS NULL)
        RETURNING game
    )
    SELECT EXISTS (SELECT FROM changed), false";

const PRUNE: &str = "
    WITH marks AS (
        DELETE FROM game_mark WHERE (member, game, kind) IN (
            SELECT member, game, kind FROM game_mark WHERE at <= $1 LIMIT $2
        )
        RETURNING member
    ), games AS (
        DELETE FROM examined_game WHERE game IN (
            SELECT game FROM examined_game WHERE at <= $1 LIMIT $2
        )
        RETURNING game
    )
    SELECT (SELECT count(*) FROM marks) + (SELECT count(*) FROM games)";

const SELECT_UNEXAMINED: &str = "
    SELECT game, at FROM rating_change c
    WHERE kind = 'game' AND at >= $1 AND pool NOT LIKE 'placement/%' AND NOT EXISTS (
        SELECT FROM examined_game e
        WHERE e.game = c.game AND (e.facts IS NOT NULL OR e.claimed_at > $2)
    )
    ORDER BY at, game LIMIT 1";

const SELECT_UNSEARCHED: &str = "
    SELECT game, at FROM examined_game WHERE NOT engine AND facts <> 'null' AND at >= $1
    ORDER BY at, game LIMIT 1";

const COUNT_ENGINE_GAMES: &str = "
    SELECT count(*) FROM examined_game WHERE engine AND claimed_at > $1";

const SELECT_EXAMINED: &str = "
    SELECT game, at, facts FROM examined_game WHERE facts <> 'null'
    ORDER BY at DESC, game LIMIT $1";

const SELECT_MARKS: &str = "
    SELECT member, game, kind, opponent, at FROM game_mark
    ORDER BY at DESC, member, game, kind LIMIT $1";

const SELECT_MARKS_OF: &str = "
    SELECT member, game, kind, opponent, at FROM game_mark WHERE member = $1
    ORDER BY at DESC, game, kind LIMIT $2";

/// Notes these marks; one that is there stays.
///
/// # Errors
/// As the database.
pub(super) async fn mark(
    session: &Session,
    marks: &[GameMark],
) -> Result<ModerationChanged, Error> {
    let members: Vec<_> = marks.iter().map(|mark| mark.member.as_str()).collect();
    let games: Vec<_> = marks.iter().map(|mark| mark.game.as_str()).collect();
    let kinds: Vec<_> = marks.iter().map(|mark| mark.kind.as_str()).collect();
    let opponents: Vec<_> = marks.iter().map(|mark| mark.opponent.as_str()).collect();
    let times: Vec<_> = marks.iter().map(|mark| signed(mark.at)).collect();
    run(session, MARK, &[&members, &games, &kinds, &opponents, &times]).await
}

/// Claims a game for a node, unless another one examines it or has.
///
/// # Errors
/// As the database.
pub(super) async fn claim(
    session: &Session,
    claim: &ExaminationClaim,
) -> Result<ModerationChanged, Error> {
    let ExaminationClaim { game, ended_at, at, stale, engine } = claim;
    let values: Values<'_> =
        &[&game.as_str(), &signed(*ended_at), &signed(*at), engine, &signed(*stale)];
    run(session, CLAIM, values).await
}

/// Stores what a game shows, as JSON.
///
/// # Errors
/// As the database.
pub(super) async fn examined(
    session: &Session,
    game: &GameId,
    facts: &str,
) -> Result<ModerationChanged, Error> {
    run(session, EXAMINED, &[&game.as_str(), &facts]).await
}

/// Deletes what is too old, at most so many rows of each kind.
///
/// # Errors
/// As the database.
pub(super) async fn prune(session: &Session, now: u64, rows_max: usize) -> Result<u64, Error> {
    let values: Values<'_> = &[&signed(examined_before(now)), &signed(rows_max as u64)];
    let rows = session.query(PRUNE, values).await?;
    rows.first().map_or(Ok(0), |row| row.try_get(0).map(unsigned))
}

impl ExaminationReader for PostgresReader {
    fn unexamined(&mut self, since: u64, stale: u64) -> Result<Option<Unexamined>, StorageError> {
        let values: Values<'_> = &[&signed(since), &signed(stale)];
        Ok(self.rows(SELECT_UNEXAMINED, values, unexamined_in)?.into_iter().next())
    }

    fn unsearched(&mut self, since: u64) -> Result<Option<Unexamined>, StorageError> {
        let rows = self.rows(SELECT_UNSEARCHED, &[&signed(since)], unexamined_in)?;
        Ok(rows.into_iter().next())
    }

    fn engine_games(&mut self, since: u64) -> Result<usize, StorageError> {
        let rows = self
            .rows(COUNT_ENGINE_GAMES, &[&signed(since)], |row| Ok(Ok(unsigned(row.try_get(0)?))))?;
        let games = rows.first().copied().unwrap_or_default();
        Ok(usize::try_from(games).unwrap_or(usize::MAX))
    }

    fn examined(&mut self) -> Result<Vec<ExaminedGame>, StorageError> {
        self.rows(SELECT_EXAMINED, &[&signed(EXAMINED_MAX as u64)], |row| {
            let (game, facts): (String, String) = (row.try_get(0)?, row.try_get(2)?);
            let ended_at = unsigned(row.try_get(1)?);
            let parse = || {
                let (game, facts) = (name(game)?, from_json(&facts)?);
                Ok(ExaminedGame { game, ended_at, facts })
            };
            Ok(parse())
        })
    }

    fn marks(&mut self) -> Result<Vec<GameMark>, StorageError> {
        self.rows(SELECT_MARKS, &[&signed(MARKS_MAX as u64)], mark_in)
    }

    fn marks_of(&mut self, member: &MemberId) -> Result<Vec<GameMark>, StorageError> {
        self.rows(SELECT_MARKS_OF, &[&member.as_str(), &signed(MARKS_MAX as u64)], mark_in)
    }
}

/// The game in a row.
fn unexamined_in(row: &Row) -> Result<Result<Unexamined, StorageError>, Error> {
    let ended_at = unsigned(row.try_get(1)?);
    Ok(name(row.try_get(0)?).map(|game| Unexamined { game, ended_at }))
}

/// The mark in a row.
fn mark_in(row: &Row) -> Result<Result<GameMark, StorageError>, Error> {
    let (member, game): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    let (kind, opponent): (String, String) = (row.try_get(2)?, row.try_get(3)?);
    let at = unsigned(row.try_get(4)?);
    let parse = || {
        let (member, game, opponent) = (name(member)?, name(game)?, name(opponent)?);
        Ok(GameMark { member, game, kind: kind.try_into()?, opponent, at })
    };
    Ok(parse())
}
