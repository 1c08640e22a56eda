//! Friends over HTTP, for accounts that are signed in.

use std::{cmp::Reverse, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::Path,
    http::StatusCode,
    routing::{delete, get, post},
};
use fivefold_shared::{
    friends::{Friend, FriendList, FriendStanding, OnlineTo},
    protocol::{MemberId, Name, Reason, Refusal},
};
use fivefold_storage::{KnownFriend, name_key};
use serde::{Deserialize, Serialize};

use super::account::asked::{AccountRefusal, Asked};
use crate::shared_state::Server;

/// The paths.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/friends", get(friends).post(ask))
        .route("/api/friends/online", post(set_online))
        .route("/api/friends/{member}", delete(leave))
}

/// `GET /api/friends`
async fn friends(asked: Asked) -> Result<Json<FriendList>, AccountRefusal> {
    let own = asked.signed_in().await?;
    let (known, online_to) = asked.server.accounts.friends(&own.account.member).await?;
    let shows_online = |friend: &&KnownFriend| {
        friend.standing == FriendStanding::Friends && friend.online_to == OnlineTo::Friends
    };
    let members = known.iter().filter(shows_online).map(|friend| friend.member.clone()).collect();
    let mut presence = asked.server.lobby.presence(&asked.server.logins, members).await;
    let shown = |KnownFriend { member, name, standing, at, .. }| {
        let online = presence.online.contains(&member);
        let room = presence.rooms.remove(&member).filter(|_| online);
        Friend { member, name, standing, at, online, room }
    };
    let mut friends: Vec<_> = known.into_iter().map(shown).collect();
    friends.sort_by_cached_key(|Friend { name, standing, online, .. }| {
        (*standing, Reverse(*online), name.as_str().to_lowercase())
    });
    Ok(Json(FriendList { friends, online_to }))
}

#[derive(Deserialize)]
struct NewFriend {
    /// Absent for the account of this name.
    member: Option<MemberId>,
    name: Option<Name>,
}

#[derive(Serialize)]
struct Asks {
    standing: FriendStanding,
}

/// `POST /api/friends`
async fn ask(asked: Asked, body: Bytes) -> Result<Json<Asks>, AccountRefusal> {
    let NewFriend { member: other, name } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.server.moderation.take_block(asked.device.address)?;
    let other = match (other, name) {
        (Some(other), _) => asked.server.blocks.person(other).await?,
        (None, Some(name)) => named(&asked, &name).await?,
        (None, None) => return Err(Refusal::malformed("say `member` or `name`").into()),
    };
    if own.account.member == other {
        return Err(Refusal::malformed("nobody asks themselves").into());
    }
    let standing = asked.server.accounts.ask_friend(&own.account, &other).await?;
    Ok(Json(Asks { standing }))
}

/// The account of this name.
async fn named(asked: &Asked, name: &Name) -> Result<MemberId, Refusal> {
    let key = name_key(name);
    let account = asked.server.moderation.read(move |reader| reader.account_called(&key)).await?;
    account.map(|account| account.member).ok_or_else(|| Refusal::new(Reason::NoSuchPlayer))
}

/// `DELETE /api/friends/{member}`
async fn leave(asked: Asked, Path(other): Path<MemberId>) -> Result<StatusCode, AccountRefusal> {
    let own = asked.signed_in().await?;
    asked.server.moderation.take_block(asked.device.address)?;
    asked.server.accounts.leave_friend(&own.account, &other).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
struct Online {
    to: OnlineTo,
}

/// `POST /api/friends/online`
async fn set_online(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let Online { to } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.server.moderation.take_block(asked.device.address)?;
    asked.server.accounts.set_online_to(&own.account, to).await?;
    Ok(StatusCode::NO_CONTENT)
}
