//! Boards for other sites: their addresses, and the game on TV.
//!
//! A board has no identity: its page has no cookies and no storage, and its socket can only watch. `server/web/embed`
//! decides what it shows.

use std::sync::Arc;

use axum::{
    Extension, Json, Router,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use fivefold_shared::protocol::{GameId, RoomCode};
use serde::Serialize;

use super::{caller::Caller, page};
#[cfg(test)]
use crate::http::api_document::{Named, Operation};
use crate::shared_state::Server;

/// The paths of boards for other sites.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/embed/r/{code}", get(room))
        .route("/embed/game/{id}", get(game))
        .route("/embed/position", get(board))
        .route("/embed/tv", get(board))
}

/// A room. The board says by itself if there is none with this code.
async fn room(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    Path(code): Path<String>,
    headers: HeaderMap,
) -> Response {
    page::embed(&server, &caller, status(RoomCode::try_from(code).is_ok()), &headers)
}

/// A finished game.
async fn game(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    page::embed(&server, &caller, status(GameId::try_from(id).is_ok()), &headers)
}

/// What needs no code: its query says what it shows.
async fn board(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Response {
    page::embed(&server, &caller, StatusCode::OK, &headers)
}

/// The status of an address whose code or id can be one.
const fn status(is_code: bool) -> StatusCode {
    if is_code { StatusCode::OK } else { StatusCode::NOT_FOUND }
}

/// `/tv`: the page, or with `?embed` the board alone, where boards may be on other sites.
pub(super) async fn tv(
    State(server): State<Arc<Server>>,
    address: Uri,
    headers: HeaderMap,
) -> Response {
    let mut wishes: Vec<_> = address.query().unwrap_or_default().split('&').collect();
    let all = wishes.len();
    wishes.retain(|wish| !matches!(*wish, "embed" | "embed="));
    if wishes.len() == all || !server.embeds {
        return page::page(State(server), headers).await;
    }
    let query = if wishes.is_empty() { String::new() } else { format!("?{}", wishes.join("&")) };
    Redirect::temporary(&format!("/embed/tv{query}")).into_response()
}

/// The game on TV.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OnTv {
    /// Its room; `null` if no public game is running.
    #[cfg_attr(test, schemars(with = "Option<Named<RoomCode>>"))]
    room: Option<RoomCode>,
}

/// `/api/tv`: the game on TV.
pub(super) async fn on_tv(State(server): State<Arc<Server>>) -> Response {
    let room = server.lobby.on_tv().await;
    ([(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))], Json(OnTv { room }))
        .into_response()
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/tv", "The room of the best public game that is running.")
            .details("Pages of every site may read it.")
            .answers::<OnTv>(200),
    ]
}
