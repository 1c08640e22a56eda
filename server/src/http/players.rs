//! Players over HTTP: profiles, how their ratings have changed, and leaderboards.
//!
//! Everybody may read them. It does not know how ratings are computed or stored.

use std::sync::Arc;

use axum::{
    Extension, Json, Router,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use fivefold_shared::{
    clock::millis,
    profile::{
        Leaders, Place, Placement, Profile, ProfileRating, PuzzleHistory, PuzzleScore,
        RatingHistory, RatingPoint, Results,
    },
    protocol::{MemberId, Reason},
    rating_pool::{PoolKind, RatingPool},
    record::ListedGame,
    seat::Seat,
};
use serde::Deserialize;

use super::{
    account,
    caller::Caller,
    games::unreadable,
    refusals::{malformed, refused},
};
use crate::{
    accounts::typed_likeness,
    limits::ratings::{
        AGAINST_GAMES_MAX, HISTORY_POINT, LEADERBOARD_PLACES_MAX, PLACEMENT_GAMES,
        PROFILE_GAMES_MAX,
    },
    ratings::Estimate,
    server::Server,
    storage::{
        Account, GameQuery, IdentityHash, LeaderboardQuery, Placed, PoolRating, PuzzleRating,
        StorageError, StorageReader,
    },
};

/// The answer of a reader who is nobody may be kept for a moment.
const PUBLIC: HeaderValue = HeaderValue::from_static("public, max-age=10");
/// The answer to somebody who is signed in has parts for them alone.
const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-store");

/// The paths of players.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/player/{name}", get(profile))
        .route("/api/player/{name}/history", get(history))
        .route("/api/player/{name}/puzzles", get(puzzle_history))
        .route("/api/leaderboard", get(leaderboard))
}

/// Query parameters with a pool.
#[derive(Debug, Deserialize)]
struct InPool {
    pool: RatingPool,
}

async fn profile(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    let you = reader_of(&server, &caller, &headers).await;
    let (likeness, now) = (typed_likeness(&name), server.clock.now());
    let reading = you.clone();
    let read = move |reader: &mut dyn StorageReader| {
        let account = living(reader, &likeness)?;
        account.map(|account| profile_of(reader, account, reading.as_ref(), now)).transpose()
    };
    match server.read_pool.try_read(read).await {
        Ok(Some(profile)) => answer(you.as_ref(), Json(profile)),
        Ok(None) => no_such_player(),
        Err(error) => unreadable(&error),
    }
}

async fn history(
    State(server): State<Arc<Server>>,
    Path(name): Path<String>,
    wish: Result<Query<InPool>, QueryRejection>,
) -> Response {
    let pool = match wish {
        Ok(Query(InPool { pool })) => pool,
        Err(error) => return malformed(error.status(), error.body_text()).into_response(),
    };
    let likeness = typed_likeness(&name);
    let read = move |reader: &mut dyn StorageReader| {
        let account = living(reader, &likeness)?;
        account.map(|account| reader.rating_history(&account.member, pool)).transpose()
    };
    match server.read_pool.try_read(read).await {
        Ok(Some(changes)) => {
            let points = one_a_day(changes.iter().map(|change| (change.at, change.after)));
            answer(None, Json(RatingHistory { pool, points }))
        }
        Ok(None) => no_such_player(),
        Err(error) => unreadable(&error),
    }
}

async fn puzzle_history(State(server): State<Arc<Server>>, Path(name): Path<String>) -> Response {
    let likeness = typed_likeness(&name);
    let read = move |reader: &mut dyn StorageReader| {
        let account = living(reader, &likeness)?;
        account.map(|account| reader.puzzle_tries(&account.member)).transpose()
    };
    match server.read_pool.try_read(read).await {
        Ok(Some(tries)) => {
            let points = one_a_day(tries.iter().map(|entry| (entry.at, entry.own.after)));
            answer(None, Json(PuzzleHistory { points }))
        }
        Ok(None) => no_such_player(),
        Err(error) => unreadable(&error),
    }
}

async fn leaderboard(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    wish: Result<Query<InPool>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let pool = match wish {
        Ok(Query(InPool { pool })) => pool,
        Err(error) => return malformed(error.status(), error.body_text()).into_response(),
    };
    let you = reader_of(&server, &caller, &headers).await;
    let now = server.clock.now();
    let query = LeaderboardQuery { pool, now, member: you.clone(), max: LEADERBOARD_PLACES_MAX };
    match server.read_pool.try_read(move |reader| reader.leaderboard(&query)).await {
        Ok(found) => {
            let place = |placed: Placed| place(placed, now);
            let places = found.places.into_iter().map(place).collect();
            answer(you.as_ref(), Json(Leaders { pool, places, own: found.own.map(place) }))
        }
        Err(error) => unreadable(&error),
    }
}

/// Who reads. A session that has ended reads as nobody: the page learns of it from the socket.
async fn reader_of(server: &Server, caller: &Caller, headers: &HeaderMap) -> Option<MemberId> {
    account::reader_of_games(server, caller, headers).await.ok().flatten()
}

fn answer(you: Option<&MemberId>, content: impl IntoResponse) -> Response {
    let caching = if you.is_some() { PRIVATE } else { PUBLIC };
    let varies = HeaderValue::from_static("cookie");
    ([(header::CACHE_CONTROL, caching), (header::VARY, varies)], content).into_response()
}

fn no_such_player() -> Response {
    refused(StatusCode::NOT_FOUND, Reason::NoSuchPlayer).into_response()
}

/// The account that has or had a name of this likeness, unless its member has asked for its deletion.
fn living(reader: &mut dyn StorageReader, likeness: &str) -> Result<Option<Account>, StorageError> {
    Ok(reader.account_called(likeness)?.filter(|account| account.deleted_at.is_none()))
}

fn profile_of(
    reader: &mut dyn StorageReader,
    account: Account,
    you: Option<&MemberId>,
    now: u64,
) -> Result<Profile, StorageError> {
    let Account { member, name, made_at, owner, .. } = account;
    let bot_of = match owner {
        Some(owner) => reader.member(&owner, IdentityHash([0; 32]))?.map(|owner| owner.name),
        None => None,
    };
    let (placed, own): (Vec<_>, Vec<_>) = reader
        .ratings(&member)?
        .into_iter()
        .partition(|rating| rating.pool.kind == PoolKind::Placement);
    let is_own = you == Some(&member);
    let placed = placed.iter().filter(|_| is_own);
    // A rating takes its place.
    let placements =
        placed.map(placement).filter(|placed| own.iter().all(|own| own.pool != placed.pool));
    let placements = placements.collect();
    let mut ratings: Vec<_> = own.iter().map(|rating| shown(rating, now)).collect();
    ratings.sort_by_key(|rating| std::cmp::Reverse(rating.results.games));
    let query =
        GameQuery { member: Some(member.clone()), max: PROFILE_GAMES_MAX, ..GameQuery::default() };
    let games = reader.games(&query)?.games;
    let against_you = match you.filter(|you| **you != member) {
        Some(you) => Some(against(reader, &member, you)?),
        None => None,
    };
    let puzzles = reader.puzzle_rating(&member)?.map(|own| puzzle_score(&own, now));
    Ok(Profile { member, name, made_at, bot_of, ratings, placements, puzzles, games, against_you })
}

/// How the last games between two members ended for the second one.
fn against(
    reader: &mut dyn StorageReader,
    member: &MemberId,
    you: &MemberId,
) -> Result<Results, StorageError> {
    let query = GameQuery {
        member: Some(you.clone()),
        opponent: Some(member.clone()),
        unlisted: true,
        max: AGAINST_GAMES_MAX,
        ..GameQuery::default()
    };
    let mut results = Results::default();
    for ListedGame { summary, .. } in reader.games(&query)?.games {
        let own = Seat::BOTH.into_iter().find(|&seat| summary.players[seat].is_member(you));
        results.games += 1;
        match summary.outcome.winner() {
            Some(winner) if Some(winner) == own => results.won += 1,
            Some(_) => results.lost += 1,
            None => results.drawn += 1,
        }
    }
    Ok(results)
}

fn shown(rating: &PoolRating, now: u64) -> ProfileRating {
    let PoolRating { pool, rating, games, wins, draws, .. } = *rating;
    let current = rating.at(now);
    ProfileRating {
        pool,
        rating: points(current.value),
        deviation: points(current.deviation),
        provisional: current.is_provisional(),
        results: Results {
            games,
            won: wins,
            drawn: draws,
            lost: games.saturating_sub(wins + draws),
        },
        last_at: rating.last_at,
    }
}

fn placement(PoolRating { pool, rating, games, .. }: &PoolRating) -> Placement {
    let pool = pool.of_kind(PoolKind::People);
    Placement { pool, games: *games, of: PLACEMENT_GAMES, rating: points(rating.value) }
}

/// What everybody sees of a rating in puzzles.
pub(super) fn puzzle_score(own: &PuzzleRating, now: u64) -> PuzzleScore {
    let PuzzleRating { rating, tries, solved } = *own;
    let current = rating.at(now);
    PuzzleScore {
        rating: points(current.value),
        deviation: points(current.deviation),
        provisional: current.is_provisional(),
        tries,
        solved,
        last_at: rating.last_at,
    }
}

fn place(placed: Placed, now: u64) -> Place {
    let Placed { place, member, name, rating } = placed;
    let current = rating.rating.at(now);
    Place {
        place,
        member,
        name,
        rating: points(current.value),
        deviation: points(current.deviation),
        games: rating.games,
    }
}

/// The last change of each day.
fn one_a_day(changes: impl Iterator<Item = (u64, Estimate)>) -> Vec<RatingPoint> {
    let day = |at: u64| at / millis(HISTORY_POINT);
    let mut points: Vec<RatingPoint> = Vec::new();
    for (at, after) in changes {
        if points.last().is_some_and(|last| day(last.at) == day(at)) {
            points.pop();
        }
        points.push(RatingPoint {
            at,
            rating: self::points(after.value),
            deviation: self::points(after.deviation),
        });
    }
    points
}

/// Whole points. Ratings and deviations are from 0 to a few thousand.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "such numbers fit after rounding, and others become the nearest that do"
)]
pub(super) fn points(value: f64) -> u32 {
    value.round() as u32
}
