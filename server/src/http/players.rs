//! Players over HTTP: profiles, how their ratings have changed, and leaderboards.
//!
//! Everybody may read them. It does not know how ratings are computed or stored.

use std::sync::Arc;

use axum::{
    Extension, Json, Router,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
    routing::get,
};
use fivefold_shared::{
    clock::millis,
    profile::{Leaders, Place, PuzzleHistory, RatingHistory, RatingPoint},
    protocol::{MemberId, Reason},
    rating_pool::RatingPool,
};
use fivefold_storage::{
    Account, LeaderboardQuery, Placed, Reader, StorageError, glicko::Estimate,
    limits::LEADERBOARD_PLACES_MAX,
};
use serde::Deserialize;

use super::{
    account,
    caller::Caller,
    games::unreadable,
    profile::{points, profile_of},
    refusals::{malformed, refused},
};
#[cfg(test)]
use crate::http::api_document::{Key, Named, Operation};
use crate::{accounts::typed_key, limits::ratings::HISTORY_POINT, shared_state::Server};
#[cfg(test)]
use fivefold_shared::profile::Profile;

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
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct InPool {
    /// Such as `renju/15/fast`.
    #[cfg_attr(test, schemars(with = "String"))]
    pool: RatingPool,
}

async fn profile(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    let you = reader_of(&server, &caller, &headers).await;
    let (key, now) = (typed_key(&name), server.clock.now());
    let reading = you.clone();
    let read = move |reader: &mut Reader| {
        let account = living(reader, &key)?;
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
    let key = typed_key(&name);
    let read = move |reader: &mut Reader| {
        let account = living(reader, &key)?;
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
    let key = typed_key(&name);
    let read = move |reader: &mut Reader| {
        let account = living(reader, &key)?;
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
    refused(Reason::NoSuchPlayer).into_response()
}

/// The account that has or had the name of this key, unless its member has asked for its deletion.
fn living(reader: &mut Reader, key: &str) -> Result<Option<Account>, StorageError> {
    Ok(reader.account_called(key)?.filter(|account| account.deleted_at.is_none()))
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

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/api/player/{name}", "The profile of an account.")
            .details(
                "With a cookie or a token it has more, such as the results against the caller.",
            )
            .by(Key::Maybe("games:read"))
            .answers::<Named<Profile>>(200)
            .refuses([No::NoSuchPlayer]),
        Operation::get("/api/player/{name}/history", "How a rating has changed, by days.")
            .query::<InPool>()
            .answers::<Named<RatingHistory>>(200)
            .refuses([No::NoSuchPlayer]),
        Operation::get(
            "/api/player/{name}/puzzles",
            "How the rating in puzzles has changed, by days.",
        )
        .answers::<Named<PuzzleHistory>>(200)
        .refuses([No::NoSuchPlayer]),
        Operation::get("/api/leaderboard", "The best players of a pool.")
            .details("With a cookie or a token it has the caller's own place, too.")
            .by(Key::Maybe("games:read"))
            .query::<InPool>()
            .answers::<Named<Leaders>>(200),
    ]
}
