//! Pictures of games and positions over HTTP, and which position an address describes.

use std::{fmt, sync::Arc};

use axum::{
    Extension,
    body::Bytes,
    extract::{Query, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::{
    notation,
    protocol::{GameId, Refusal},
    rules::{Rules, RulesError, Variant},
};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::{
    caller::Caller,
    games::unreadable,
    questions::{charge_study, no_result},
    refusals::{no_such_game, refused, too_fast},
};
#[cfg(test)]
use crate::http::api_document::Operation;
use crate::{
    metrics::PictureSource,
    picture::{Card, PictureKey},
    shared_state::Server,
};
#[cfg(test)]
use fivefold_shared::protocol::Reason;

/// A finished game does not change, but a newer server may draw it in another way. The id is a secret,
/// so no shared cache.
const GAME_CACHING: &str = "private, max-age=86400";
const POSITION_CACHING: &str = "public, max-age=86400";

/// A position as the page writes it into its address.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PositionQuery {
    variant: Option<String>,
    /// `15`, `20,10` or `unbounded`.
    size: Option<String>,
    /// Stones in a row that win, of m,n,k games.
    k: Option<u8>,
    /// The moves in any format that the notation reads, such as `h8 i9`.
    moves: Option<String>,
}

/// The position that an address describes.
///
/// # Errors
/// If it describes none.
pub(super) fn read_position(address: &Uri) -> Result<Card, Refusal> {
    let malformed = |error: &dyn fmt::Display| Refusal::malformed(error.to_string());
    let query = Query::<PositionQuery>::try_from_uri(address);
    let Query(query) = query.map_err(|error| malformed(&error.body_text()))?;
    let variant = match (query.variant.as_deref(), query.k) {
        (Some("mnk"), Some(k)) => Variant::Mnk { k },
        (Some(name), _) => Variant::named(name).ok_or_else(|| malformed(&"no such variant"))?,
        (None, _) => Variant::Freestyle,
    };
    let size = match query.size {
        Some(text) => {
            text.replace(',', "x").parse().map_err(|error: RulesError| malformed(&error))?
        }
        None => variant.default_size(),
    };
    let rules = Rules::new(variant, size).map_err(|error| malformed(&error))?;
    let read = notation::Source::first(&query.moves.unwrap_or_default(), rules).read();
    let read = read.map_err(|error| malformed(&error.text))?;
    Ok(Card::of_position(&read.content.main_line()))
}

/// The picture of a finished game.
pub(super) async fn of_game(
    server: Arc<Server>,
    caller: Caller,
    id: &str,
    headers: HeaderMap,
) -> Response {
    let now = Instant::now();
    let address = caller.address;
    if !server.address_limits.of(address, now).take_http(now, 1) {
        return too_fast(&server);
    }
    let Ok(id) = GameId::try_from(id.to_owned()) else { return no_such_game() };
    let key = PictureKey::Game(id.clone());
    if let Some(png) = server.pictures.known(&key) {
        return kept(&server, &png, &headers, GAME_CACHING);
    }
    let record = match server.read_pool.try_read(move |reader| reader.game(&id)).await {
        Ok(Some(record)) => record,
        Ok(None) => return no_such_game(),
        Err(error) => return unreadable(&error),
    };
    if let Err(answer) = charge_study(&server, &caller) {
        return *answer;
    }
    let drawing = server.jobs.run(address, move || Card::of_game(&record).png()).await;
    match drawing {
        Ok(png) => drawn(&server, key, png, &headers, GAME_CACHING),
        Err(why) => no_result(&server, why),
    }
}

/// `/analyse.png`: the picture of a position.
pub(super) async fn of_position(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    position: Uri,
    headers: HeaderMap,
) -> Response {
    let key = PictureKey::Position(position.query().unwrap_or_default().to_owned());
    if let Some(png) = server.pictures.known(&key) {
        return kept(&server, &png, &headers, POSITION_CACHING);
    }
    if let Err(answer) = charge_study(&server, &caller) {
        return *answer;
    }
    let draw = move || read_position(&position).map(|card| card.png());
    let drawing = server.jobs.run(caller.address, draw).await;
    match drawing {
        Ok(Ok(png)) => drawn(&server, key, png, &headers, POSITION_CACHING),
        Ok(Err(refusal)) => refused(refusal).into_response(),
        Err(why) => no_result(&server, why),
    }
}

fn kept(server: &Server, png: &Bytes, headers: &HeaderMap, caching: &'static str) -> Response {
    server.metrics.sent_picture(PictureSource::Cache);
    respond(png, headers, caching)
}

fn drawn(
    server: &Server,
    key: PictureKey,
    png: Vec<u8>,
    headers: &HeaderMap,
    caching: &'static str,
) -> Response {
    server.metrics.sent_picture(PictureSource::Drawn);
    let png = Bytes::from(png);
    server.pictures.keep(key, png.clone());
    respond(&png, headers, caching)
}

/// The picture, or "not modified" if the client has it.
fn respond(png: &Bytes, headers: &HeaderMap, caching: &'static str) -> Response {
    let hash = Sha256::digest(png);
    let hash = u64::from_be_bytes(*hash.first_chunk().expect("a hash has 32 bytes"));
    let tag = HeaderValue::try_from(format!("\"{hash:016x}\"")).expect("a tag is hexadecimal");
    let described =
        [(header::ETAG, tag.clone()), (header::CACHE_CONTROL, HeaderValue::from_static(caching))];
    if headers.get(header::IF_NONE_MATCH) == Some(&tag) {
        return (StatusCode::NOT_MODIFIED, described).into_response();
    }
    (described, [(header::CONTENT_TYPE, "image/png")], png.clone()).into_response()
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/game/{id}.png", "The picture of a finished game.")
            .routed("/game/{id}")
            .file(200, "image/png")
            .empty(304)
            .refuses([No::NoSuchGame, No::TooFast, No::Busy]),
        Operation::get("/analyse.png", "The picture of a position.")
            .query::<PositionQuery>()
            .file(200, "image/png")
            .empty(304),
    ]
}
