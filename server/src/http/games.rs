//! Finished games as JSON: the list of the public ones, and each by its id.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::{
    protocol::{GameId, Identity, MemberId},
    record::FinishedGame,
};
use serde::Deserialize;

use crate::{
    Server, chance,
    limits::GAMES_PAGE_MAX,
    store::{GameQuery, ReadError},
};

const NOSNIFF: (HeaderName, &str) = (header::X_CONTENT_TYPE_OPTIONS, "nosniff");

/// What may be asked of the list.
#[derive(Debug, Deserialize)]
pub(super) struct Wish {
    before: Option<u64>,
    member: Option<MemberId>,
}

pub(super) async fn list(
    State(server): State<Arc<Server>>,
    wish: Result<Query<Wish>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let Query(Wish { before, member }) = match wish {
        Ok(wish) => wish,
        Err(error) => return error.into_response(),
    };
    let asker = asker(&headers);
    let unlisted = asker.is_some();
    let query = GameQuery { before, member: asker.or(member), unlisted, max: GAMES_PAGE_MAX };
    match server.library.try_read(move |archive| archive.games(&query)).await {
        Ok(list) => {
            // One address, and another answer for each who asks.
            let caching = (header::CACHE_CONTROL, "private, no-store");
            ([NOSNIFF, caching], Json(list)).into_response()
        }
        Err(error) => unreadable(&error),
    }
}

pub(super) async fn game(State(server): State<Arc<Server>>, Path(id): Path<String>) -> Response {
    let Ok(id) = GameId::try_from(id) else { return no_such_game() };
    let wanted = id.clone();
    match server.library.try_read(move |archive| archive.game(&wanted)).await {
        Ok(Some(record)) => {
            // What has ended does not change. Only who knows the id may see it: no shared cache.
            let caching = (header::CACHE_CONTROL, "private, max-age=31536000, immutable");
            ([NOSNIFF, caching], Json(FinishedGame { id, record })).into_response()
        }
        Ok(None) => no_such_game(),
        Err(error) => unreadable(&error),
    }
}

/// Who asks, if he shows his identity: then for all games that he played.
fn asker(headers: &HeaderMap) -> Option<MemberId> {
    let secret = headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")?;
    let identity = Identity::try_from(secret.to_owned()).ok()?;
    Some(chance::member_id(&identity))
}

fn no_such_game() -> Response {
    (StatusCode::NOT_FOUND, "There is no finished game with this id.\n").into_response()
}

fn unreadable(error: &ReadError) -> Response {
    match error {
        ReadError::Busy => {}
        ReadError::Storage(error) => tracing::error!(%error, "cannot read finished games"),
    }
    (StatusCode::SERVICE_UNAVAILABLE, "Try again in a moment.\n").into_response()
}
