//! Ratings in PostgreSQL: counted, taken back, and read.
//!
//! They are read before the statement that writes them, unless this server has written them last
//! (`known_ratings.rs`), so that no row is locked in between. If another node has changed one of them since,
//! the number of a change is taken, and the whole statement fails and is tried again with what is stored now.
//! What no number protects is not counted from known ratings. The statement writes ratings in the order of
//! members and pools, so that two statements never wait for each other.

use std::sync::LazyLock;

use fivefold_shared::{
    protocol::{GameId, MemberId},
    rating_pool::PoolKind,
};
use tokio_postgres::{Error, Row, error::SqlState};

use super::{
    connection::{Session, Value},
    sql,
    values::signed,
};
use crate::{
    Append, Findings, PoolRating, RatingChange, StorageError, Undone,
    ratings::known_ratings::KnownRatings,
    ratings::{self, ChainCheck, Ratings},
    sql::ratings::{CHANGE, RATING, change, rating},
};

static SELECT_RATINGS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {RATING}, member FROM rating WHERE member = ANY($1::text[]) ORDER BY member, pool"
    )
});

static SELECT_OF_GAME: LazyLock<String> = LazyLock::new(|| {
    format!("SELECT {CHANGE} FROM rating_change WHERE game = $1 ORDER BY kind, member")
});

const UNDO: &str = "
    WITH a AS MATERIALIZED (
        SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[],
            $6::float8[], $7::float8[], $8::float8[], $9::float8[], $10::float8[], $11::bigint[],
            $12::bigint[], $13::bigint[], $14::bigint[], $15::boolean[], $16::bigint[]) AS a
            (member, pool, number, game, result, before, deviation_before, after, deviation_after,
            volatility, games, wins, draws, last_at, is_last, at)
    ), counted AS (
        UPDATE rating SET value = a.after, deviation = a.deviation_after, games = a.games,
            wins = a.wins, draws = a.draws, changes = a.number
        FROM (SELECT * FROM a ORDER BY member, pool) AS a
        WHERE rating.member = a.member AND rating.pool = a.pool
    )
    INSERT INTO rating_change (member, pool, number, game, kind, result, before, deviation_before,
        after, deviation_after, at)
    SELECT member, pool, number, game, 'undo', result, before, deviation_before, after,
        deviation_after, at
    FROM a";

/// Everything that [`ChainCheck`] wants to see, in parts.
static SELECT_CHANGES: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {CHANGE} FROM rating_change WHERE (member, pool, number) > ($1, $2, $3)
         ORDER BY member, pool, number LIMIT $4"
    )
});

static SELECT_ALL: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {RATING}, member FROM rating"));

const SELECT_UNCOUNTED: &str = "
    SELECT code FROM game WHERE strpos(summary, '\"rated\":true') > 0 AND 2 <>
        (SELECT count(*) FROM rating_change AS c WHERE c.game = game.code AND c.kind = 'game')";

/// Changes that are checked at a time.
const PART: i64 = 10_000;

/// Another node may count games of the same players at the same moment. Each try means that one did.
const TRIES_MAX: usize = 16;

/// What the games of a group change, as columns; one row for each change, and with the last one of a
/// rating in its append what the rating becomes.
#[derive(Debug, Default)]
pub(super) struct RatingColumns {
    pub(super) place: Vec<i64>,
    member: Vec<String>,
    pool: Vec<String>,
    number: Vec<i64>,
    game: Vec<String>,
    result: Vec<&'static str>,
    before: Vec<f64>,
    deviation_before: Vec<f64>,
    after: Vec<f64>,
    deviation_after: Vec<f64>,
    volatility: Vec<f64>,
    games: Vec<i64>,
    wins: Vec<i64>,
    draws: Vec<i64>,
    last_at: Vec<i64>,
    is_last: Vec<bool>,
    at: Vec<i64>,
}

impl RatingColumns {
    fn add(&mut self, changes: &[RatingChange], ratings: &Ratings, place: i64) {
        for change in changes {
            let RatingChange { game, member, result, before, after, number, at, .. } = change;
            let own = ratings.get(member, change.pool).filter(|own| own.changes == *number);
            self.place.push(place);
            self.number.push(signed(*number));
            self.game.push(game.to_string());
            self.result.push(result.into());
            self.before.push(before.value);
            self.deviation_before.push(before.deviation);
            self.after.push(after.value);
            self.deviation_after.push(after.deviation);
            self.volatility.push(own.map_or(0.0, |own| own.rating.volatility));
            self.games.push(own.map_or(0, |own| signed(own.games)));
            self.wins.push(own.map_or(0, |own| signed(own.wins)));
            self.draws.push(own.map_or(0, |own| signed(own.draws)));
            self.last_at.push(own.and_then(|own| own.rating.last_at).map_or(0, signed));
            self.is_last.push(own.is_some());
            self.at.push(signed(*at));
            self.member.push(member.to_string());
            self.pool.push(change.pool.to_string());
        }
    }

    /// As values of a statement, in the order of the fields without the first one.
    pub(super) fn values(&self) -> [Value<'_>; 16] {
        [
            &self.member,
            &self.pool,
            &self.number,
            &self.game,
            &self.result,
            &self.before,
            &self.deviation_before,
            &self.after,
            &self.deviation_after,
            &self.volatility,
            &self.games,
            &self.wins,
            &self.draws,
            &self.last_at,
            &self.is_last,
            &self.at,
        ]
    }
}

/// What the games of a group change.
#[derive(Debug, Default)]
pub(super) struct Counted {
    pub(super) columns: RatingColumns,
    /// By append.
    pub(super) changes: Vec<Vec<RatingChange>>,
    /// What the members have then.
    pub(super) ratings: Ratings,
}

impl Counted {
    /// Counts the games of a group by what their members have.
    fn of(batch: &[Append], mut ratings: Ratings) -> Self {
        let mut columns = RatingColumns::default();
        let mut changes = Vec::with_capacity(batch.len());
        for (append, place) in batch.iter().zip(1..) {
            let changed = ratings.count_all(&append.games);
            columns.add(&changed, &ratings, place);
            changes.push(changed);
        }
        Self { columns, changes, ratings }
    }
}

/// Why ratings cannot be read or written.
#[derive(Debug)]
pub(super) enum Problem {
    Database(Error),
    /// A row is damaged.
    Stored(StorageError),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

impl From<StorageError> for Problem {
    fn from(error: StorageError) -> Self {
        Self::Stored(error)
    }
}

/// What a caller gets: the inner error means that a row is damaged.
pub(super) type Outcome<T> = Result<Result<T, StorageError>, Error>;

pub(super) fn outcome<T>(result: Result<T, Problem>) -> Outcome<T> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(Problem::Stored(error)) => Ok(Err(error)),
        Err(Problem::Database(error)) => Err(error),
    }
}

/// Counts the games of a group, by what is known or else stored now. No member has games in two of its
/// appends. `members` are those whose ratings may change.
///
/// # Errors
/// As the database.
pub(super) async fn count(
    session: &Session,
    batch: &[Append],
    members: &[&MemberId],
    known: &KnownRatings<PoolRating>,
) -> Outcome<Counted> {
    if let Some(found) = known.of(members) {
        let mut ratings = Ratings::default();
        for (member, rating) in found {
            ratings.insert(member, rating);
        }
        let counted = Counted::of(batch, ratings);
        if counted.changes.iter().flatten().all(is_protected) {
            return Ok(Ok(counted));
        }
    }
    let ratings = outcome(ratings_of(session, members).await)?;
    Ok(ratings.map(|ratings| Counted::of(batch, ratings)))
}

/// Whether a change that was counted from known ratings cannot be stored if these are outdated: it needs the
/// number after the last one. A first rating depends on other pools, and a placement on whether there is a
/// rating.
fn is_protected(change: &RatingChange) -> bool {
    change.number > 1 && change.pool.kind != PoolKind::Placement
}

/// Whether a statement has failed because a rating has changed since it was read.
pub(super) fn is_outdated(error: &Error) -> bool {
    error.as_db_error().is_some_and(|db| {
        *db.code() == SqlState::UNIQUE_VIOLATION && db.table() == Some("rating_change")
    })
}

/// Takes back what a game changed, unless that was done before.
///
/// # Errors
/// As the database.
pub(super) async fn undo(session: &Session, game: &GameId, at: u64) -> Outcome<Undone> {
    let mut tries = 0;
    loop {
        tries += 1;
        match try_to_undo(session, game, at).await {
            Err(Problem::Database(error)) if is_outdated(&error) && tries < TRIES_MAX => {}
            result => return outcome(result),
        }
    }
}

async fn try_to_undo(session: &Session, game: &GameId, at: u64) -> Result<Undone, Problem> {
    let (counted, undone) = ratings::counted_and_undone(changes_of(session, game).await?);
    if counted.is_empty() {
        return Ok(Undone::NotRated);
    }
    if !undone.is_empty() {
        return Ok(Undone::Done(undone));
    }
    let members: Vec<_> = counted.iter().map(|change| &change.member).collect();
    let mut ratings = ratings_of(session, &members).await?;
    let changes: Vec<_> = counted.iter().filter_map(|change| ratings.undo(change, at)).collect();
    let mut columns = RatingColumns::default();
    columns.add(&changes, &ratings, 0);
    session.execute(UNDO, &columns.values()).await?;
    Ok(Undone::Done(changes))
}

async fn ratings_of(session: &Session, members: &[&MemberId]) -> Result<Ratings, Problem> {
    let members: Vec<_> = members.iter().map(|member| member.as_str()).collect();
    inserted(&session.query(&SELECT_RATINGS, &[&members]).await?)
}

fn inserted(rows: &[Row]) -> Result<Ratings, Problem> {
    let mut ratings = Ratings::default();
    for row in rows {
        let mut row = sql::row(row)?;
        let rating = rating(&mut row)?;
        ratings.insert(&row.get()?, rating);
    }
    Ok(ratings)
}

async fn changes_of(session: &Session, game: &GameId) -> Result<Vec<RatingChange>, Problem> {
    let rows = session.query(&SELECT_OF_GAME, &[&game.as_str()]).await?;
    rows.iter().map(|row| Ok(change(&mut sql::row(row)?)?)).collect()
}

/// Checks the ratings, and that each game that counts has changed some.
///
/// # Errors
/// As the database.
pub(super) async fn check(session: &Session, findings: &mut Findings) -> Result<(), Error> {
    match outcome(check_chains(session, findings).await)? {
        Ok(()) => {}
        Err(error) => findings.add(error),
    }
    for row in session.query(SELECT_UNCOUNTED, &[]).await? {
        let game: &str = row.try_get(0)?;
        findings.add(format_args!("game {game} counts, and has not changed two ratings"));
    }
    Ok(())
}

async fn check_chains(session: &Session, findings: &mut Findings) -> Result<(), Problem> {
    let mut chains = ChainCheck::new(inserted(&session.query(&SELECT_ALL, &[]).await?)?);
    let mut last = (String::new(), String::new(), 0_i64);
    loop {
        let after: &[Value<'_>] = &[&last.0, &last.1, &last.2, &PART];
        let rows = session.query(&SELECT_CHANGES, after).await?;
        let Some(end) = rows.last() else { break };
        last = (end.try_get(0)?, end.try_get(1)?, end.try_get(2)?);
        for row in &rows {
            chains.add(change(&mut sql::row(row)?)?, findings);
        }
    }
    chains.finish(findings);
    Ok(())
}
