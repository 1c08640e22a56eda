//! An account's daily games for other programs: as a calendar (RFC 5545) and as a feed (RFC 4287).
//!
//! Such programs send no header, so the token is in the address, where proxies and histories keep it. Only a
//! token that allows nothing but to read games is taken there.

mod atom;
mod calendar;
mod texts;

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Query, State, rejection::QueryRejection},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::{
    clock::TimeControl,
    protocol::{Name, OwnRoom, Player, Reason, RoomCode, Scope},
};
use serde::Deserialize;

use self::texts::Language;
use super::{
    account::{asked::AccountRefusal, token},
    caller::Caller,
    preview,
    refusals::malformed,
};
use crate::{online::own_ids::OwnIds, shared_state::Server};

/// Query parameters of both.
#[derive(Debug, Deserialize)]
pub(super) struct FeedQuery {
    token: String,
    #[serde(default)]
    language: Language,
}

/// A daily game of the account that is running.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Turn {
    room: RoomCode,
    /// Moves made.
    ply: usize,
    is_own: bool,
    /// When the time of the player to act began, in milliseconds since the Unix epoch; absent if the clock does not say.
    since: Option<u64>,
    /// When it ends.
    due: u64,
    /// Absent if it is a bot.
    opponent: Option<Name>,
    /// The room's address; absent if the request does not say to which host it was made.
    link: Option<String>,
}

impl Turn {
    /// Nothing if it is no daily game, or the account has no seat.
    fn of(own: OwnRoom, link: impl Fn(&RoomCode) -> Option<String>) -> Option<Self> {
        let OwnRoom { summary, seat, your_turn, .. } = own;
        let due = summary.due?;
        let since = match summary.time {
            TimeControl::Daily { move_ms } => due.checked_sub(move_ms),
            TimeControl::None
            | TimeControl::SuddenDeath { .. }
            | TimeControl::Fischer { .. }
            | TimeControl::ByoYomi { .. }
            | TimeControl::PerMove { .. } => None,
        };
        let opponent = match summary.seats.get(seat?.other()) {
            Some(Player::Member { name, .. }) => Some(name.clone()),
            Some(Player::Bot { .. }) | None => None,
        };
        let link = link(&summary.room);
        Some(Self {
            room: summary.room,
            ply: summary.ply,
            is_own: your_turn,
            since,
            due,
            opponent,
            link,
        })
    }
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
    let text = write(&turns, language, link("/").as_deref(), server.clock.now());
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
    let guests = server.accounts.guests_of(&member).await?;
    Ok(match OwnIds::new(member.clone(), guests) {
        Some(own) => Box::pin(server.lobby.own_rooms_of(&own)).await,
        None => server.lobby.own_rooms(&member).await,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns of two games, for the tests of what is written.
    pub(super) fn turns() -> [Turn; 2] {
        let room = |code: &str| RoomCode::try_from(code.to_owned()).unwrap();
        let own = Turn {
            room: room("22223333bcde"),
            ply: 6,
            is_own: true,
            since: Some(1_795_910_400_000),
            due: 1_795_996_800_000,
            opponent: Some(Name::new("Zoë; <b>, \\o/").unwrap()),
            link: Some("https://five.example/r/22223333bcde".to_owned()),
        };
        let other = Turn {
            room: room("22223333bcdf"),
            is_own: false,
            opponent: None,
            since: None,
            ..own.clone()
        };
        [own, other]
    }
}
