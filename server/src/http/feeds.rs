//! An account's daily games for other programs: as a calendar (RFC 5545) and as a feed (RFC 4287).
//!
//! Such programs send no header, so the token is in the address, where proxies and histories keep it. Only a
//! token that allows nothing but to read games is taken there.

mod atom;
mod calendar;
mod texts;
mod turn;

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Query, State, rejection::QueryRejection},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::protocol::{OwnRoom, Reason, Scope};
use serde::Deserialize;

use self::turn::Turn;
use super::{
    account::{asked::AccountRefusal, token},
    caller::Caller,
    preview,
    refusals::malformed,
};
#[cfg(test)]
use crate::http::api_document::Operation;
use crate::{online::language::Language, shared_state::Server};

/// Query parameters of both.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct FeedQuery {
    token: String,
    #[serde(default)]
    language: String,
}

/// `GET /games.ics`
pub(super) async fn calendar(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    wish: Result<Query<FeedQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let kind = "text/calendar; charset=utf-8";
    answer(&server, &caller, wish, &headers, kind, |turns, language, _, now| {
        calendar::write(turns, language, now)
    })
    .await
}

/// `GET /games.atom`
pub(super) async fn atom(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    wish: Result<Query<FeedQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    answer(&server, &caller, wish, &headers, "application/atom+xml", atom::write).await
}

async fn answer(
    server: &Server,
    caller: &Caller,
    wish: Result<Query<FeedQuery>, QueryRejection>,
    headers: &HeaderMap,
    kind: &'static str,
    write: impl FnOnce(&[Turn], Language, Option<&str>, u64) -> String,
) -> Response {
    let Query(FeedQuery { token, language }) = match wish {
        Ok(wish) => wish,
        Err(error) => return malformed(error.status(), error.body_text()).into_response(),
    };
    let link = |path: &str| preview::address(server, caller, headers, path);
    let rooms = match own_rooms(server, caller, &token).await {
        Ok(rooms) => rooms,
        Err(no) => return no.into_response(),
    };
    let turns =
        rooms.into_iter().filter_map(|own| Turn::of(own, |room| link(&format!("/r/{room}"))));
    let turns: Vec<_> = turns.collect();
    let text = write(&turns, Language::of(&language), link("/").as_deref(), server.clock.now());
    let head = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "private, no-store")];
    (StatusCode::OK, head, text).into_response()
}

/// The rooms of the account that the token is for, and of the guests that belong to it.
async fn own_rooms(
    server: &Server,
    caller: &Caller,
    token: &str,
) -> Result<Vec<OwnRoom>, AccountRefusal> {
    let token = token::of_text(token).ok_or(Reason::WrongToken)?;
    let holder = server.accounts.of_token(token, caller.address).await?;
    holder.scopes.check_only(Scope::ReadGames)?;
    let member = holder.account.member;
    Ok(server.own_rooms(&member).await?)
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/games.atom", "The account's daily games as a feed (RFC 4287).")
            .details("The token has the scope `games:read` and no other.")
            .query::<FeedQuery>()
            .file(200, "application/atom+xml")
            .refuses([No::WrongToken, No::TokenScope]),
        Operation::get("/games.ics", "The account's daily games as a calendar (RFC 5545).")
            .details("The token has the scope `games:read` and no other.")
            .query::<FeedQuery>()
            .file(200, "text/calendar")
            .refuses([No::WrongToken, No::TokenScope]),
    ]
}
