//! Puzzles over HTTP, for those who are signed in: which come next, and what the first try at one changes.
//! Nobody needs an account to solve them on the page.
//!
//! It does not know how moves are judged, and ratings counted.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Query, rejection::QueryRejection},
    routing::{get, post},
};
use fivefold_shared::{
    profile::PuzzleScore,
    protocol::{Reason, Refusal},
    puzzle::{PuzzleId, PuzzleKind},
    rules::Point,
};
use fivefold_storage::{PuzzleAttempt, Reader};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::{
    account::asked::{AccountRefusal, Asked},
    profile::{points, puzzle_score},
    refusals::malformed,
};
#[cfg(test)]
use crate::http::api_document::{Key, Named, Operation};
use crate::{
    limits::HTTP_STUDY_TOKENS,
    process::jobs::NoResult,
    puzzles::{PuzzleFilter, start, tries::StoredTry},
    shared_state::Server,
};

/// The paths.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new().route("/api/puzzles", get(next)).route("/api/puzzles/tries", post(count))
}

/// Which puzzles the player wants; all of these rules if the rest is absent.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Wanted {
    rules: String,
    kind: Option<String>,
    /// The least moves of the winner.
    #[serde(default)]
    from: u8,
    /// The most.
    to: Option<u8>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NextPuzzles {
    /// Absent before the first try.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<Named<PuzzleScore>>"))]
    rating: Option<PuzzleScore>,
    /// The puzzles near the rating that were not tried, the nearest first.
    #[cfg_attr(test, schemars(with = "Vec<Named<PuzzleId>>"))]
    near: Vec<PuzzleId>,
}

/// `GET /api/puzzles`
async fn next(
    asked: Asked,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Json<NextPuzzles>, AccountRefusal> {
    let Query(Wanted { rules, kind, from, to }) = wanted
        .map_err(|error| AccountRefusal::from(malformed(error.status(), error.body_text())))?;
    let kind = kind.map(|kind| kind.parse::<PuzzleKind>()).transpose();
    let kind = kind.map_err(|_| Refusal::malformed("kind is fours, threes or trap"))?;
    let member = asked.signed_in().await?.account.member;
    let server = Arc::clone(&asked.server);
    let (now, puzzles) = (server.clock.now(), Arc::clone(&server.puzzles));
    let filter = PuzzleFilter { variant: rules, kind, lengths: (from, to.unwrap_or(u8::MAX)) };
    let read = move |reader: &mut Reader| puzzles.next(reader, &member, &filter);
    let (own, near) = server.read_pool.try_read(read).await.map_err(Refusal::from)?;
    Ok(Json(NextPuzzles { rating: own.map(|own| puzzle_score(&own, now)), near }))
}

/// The first try at a puzzle.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "NewTry"))]
struct Try {
    #[cfg_attr(test, schemars(with = "Named<PuzzleId>"))]
    puzzle: PuzzleId,
    /// The player's moves and the answers in turn.
    #[cfg_attr(test, schemars(with = "Vec<Named<Point>>"))]
    moves: Vec<Point>,
    /// Whether the player asked for help or for the solution, which ends the try.
    #[serde(default)]
    gave_up: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "CountedTry"))]
struct Counted {
    solved: bool,
    /// Whether the player had tried the puzzle before: the first try counts, and this is its result.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    repeated: bool,
    /// The points after this try.
    rating: u32,
    /// Whether too little is known to rely on them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    provisional: bool,
    /// How many points the try changed, as they are shown.
    change: i64,
    /// The puzzle's points after this try.
    puzzle_rating: u32,
}

/// `POST /api/puzzles/tries`
async fn count(asked: Asked, body: Bytes) -> Result<Json<Counted>, AccountRefusal> {
    let Try { puzzle: id, moves, gave_up } = asked.body(&body)?;
    let member = asked.signed_in().await?.account.member;
    let server = &asked.server;
    let now = Instant::now();
    if !server.address_limits.of(asked.device.address, now).take_http(now, HTTP_STUDY_TOKENS) {
        return Err(Reason::TooFast.into());
    }
    let known = server.puzzles.puzzles().find(&id).cloned();
    let known = known.ok_or_else(|| Refusal::malformed("there is no puzzle of this name"))?;
    let start = start(&known.puzzle);
    let judged = server.jobs.run(asked.device.address, move || known.judge(&moves, gave_up)).await;
    let solved =
        judged.map_err(NoResult::reason)?.map_err(|error| Refusal::malformed(error.to_string()))?;
    let at = server.clock.now();
    let attempt = PuzzleAttempt { member, puzzle: id, start, solved, at };
    let StoredTry { entry, is_repeated } = server.puzzles.count(attempt).await?;
    let (before, after) = (points(entry.own.before.value), points(entry.own.after.value));
    Ok(Json(Counted {
        solved: entry.solved,
        repeated: is_repeated,
        rating: after,
        provisional: entry.own.after.is_provisional(),
        change: i64::from(after) - i64::from(before),
        puzzle_rating: points(entry.its.after.value),
    }))
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get(
            "/api/puzzles",
            "The puzzles near the account's rating that it has not tried.",
        )
        .by(Key::Account)
        .query::<Wanted>()
        .answers::<NextPuzzles>(200),
        Operation::post("/api/puzzles/tries", "Counts the first try at a puzzle.")
            .by(Key::Account)
            .takes::<Try>()
            .answers::<Counted>(200)
            .refuses([No::TooManyTries]),
    ]
}
