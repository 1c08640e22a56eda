//! Friends over HTTP, for accounts that are signed in.

use std::{cmp::Reverse, net::IpAddr, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::Path,
    http::StatusCode,
    routing::{delete, get, post},
};
use fivefold_shared::{
    friends::{Friend, FriendList, FriendStanding, OnlineTo, WaitingChallenge},
    protocol::{GameSettings, MemberId, Name, Reason, Refusal, RoomCode},
};
use fivefold_storage::{Account, FriendChallenge, KnownFriend, name_key};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::account::asked::{AccountRefusal, Asked};
#[cfg(test)]
use crate::http::api_document::{Key, Named, Operation};
use crate::{process::ids, shared_state::Server};

/// The paths.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/friends", get(friends).post(ask))
        .route("/api/friends/online", post(set_online))
        .route("/api/friends/{member}", delete(leave))
        .route("/api/friends/{member}/challenge", post(challenge).delete(end_challenge))
        .route("/api/friends/{member}/challenge/accept", post(accept_challenge))
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
    let shown =
        |KnownFriend { member, name, standing, at, challenge, .. }| {
            let online = presence.online.contains(&member);
            let room = presence.rooms.remove(&member).filter(|_| online);
            let challenge = challenge.map(|FriendChallenge { by, settings, at }| {
                WaitingChallenge { own: by != member, settings, at }
            });
            Friend { member, name, standing, at, online, room, challenge }
        };
    let mut friends: Vec<_> = known.into_iter().map(shown).collect();
    friends.sort_by_cached_key(|Friend { name, standing, online, .. }| {
        (*standing, Reverse(*online), name.as_str().to_lowercase())
    });
    Ok(Json(FriendList { friends, online_to }))
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NewFriend {
    /// Absent for the account of this name.
    #[cfg_attr(test, schemars(with = "Option<Named<MemberId>>"))]
    member: Option<MemberId>,
    #[cfg_attr(test, schemars(with = "Option<Named<Name>>"))]
    name: Option<Name>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "NewStanding"))]
struct Asks {
    #[cfg_attr(test, schemars(with = "Named<FriendStanding>"))]
    standing: FriendStanding,
}

/// `POST /api/friends`
async fn ask(asked: Asked, body: Bytes) -> Result<Json<Asks>, AccountRefusal> {
    let NewFriend { member: other, name } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.take_change(&own.account.member)?;
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
    asked.take_change(&own.account.member)?;
    asked.server.accounts.leave_friend(&own.account, &other).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NewChallenge {
    #[cfg_attr(test, schemars(with = "Named<GameSettings>"))]
    settings: GameSettings,
}

/// `POST /api/friends/{member}/challenge`
async fn challenge(
    asked: Asked,
    Path(other): Path<MemberId>,
    body: Bytes,
) -> Result<StatusCode, AccountRefusal> {
    let NewChallenge { settings } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    let Server { moderation, accounts, .. } = &*asked.server;
    if !settings.time.is_daily() {
        return Err(Refusal::malformed("only a challenge to a daily game waits").into());
    }
    let is_offered = settings.opening.offered(settings.rules);
    is_offered.map_err(|error| Refusal::opening_not_offered(&error))?;
    if settings.rated {
        settings.rating_pool().map_err(Refusal::from)?;
        moderation.may_play_rated(&own.account.member)?;
    }
    asked.take_change(&own.account.member)?;
    accounts.challenge_friend(&own.account, &other, settings).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /api/friends/{member}/challenge`
async fn end_challenge(
    asked: Asked,
    Path(other): Path<MemberId>,
) -> Result<StatusCode, AccountRefusal> {
    let own = asked.signed_in().await?;
    let accounts = &asked.server.accounts;
    asked.take_change(&own.account.member)?;
    let waiting = accounts.friends_challenge(&own.account, &other).await?;
    accounts.end_friends_challenge(&own.account, &other, &waiting, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "BegunGame"))]
struct Began {
    #[cfg_attr(test, schemars(with = "Named<RoomCode>"))]
    room: RoomCode,
}

/// `POST /api/friends/{member}/challenge/accept`
async fn accept_challenge(
    asked: Asked,
    Path(other): Path<MemberId>,
) -> Result<Json<Began>, AccountRefusal> {
    let own = asked.signed_in().await?;
    let Server { accounts, lobby, moderation, draining, .. } = &*asked.server;
    if draining.is_cancelled() {
        return Err(Reason::Stopping.into());
    }
    lobby.may_make_rooms()?;
    let waiting = accounts.friends_challenge(&own.account, &other).await?;
    if waiting.by == own.account.member {
        return Err(Reason::NoSuchSeek.into());
    }
    if moderation.may_sign_in(&other).is_err() {
        // The challenger's account is closed.
        return Err(Reason::NoSuchSeek.into());
    }
    let address = asked.device.address;
    lobby.may_seek(address)?;
    let server = Arc::clone(&asked.server);
    // This goes on even if the client hangs up.
    let begins = async move { begin(&server, &own.account, &waiting, address).await };
    let began = tokio::spawn(begins).await;
    let room = began.map_err(|_| Refusal::new(Reason::Broken))??;
    Ok(Json(Began { room }))
}

/// Begins the game of a challenge to this account, in one attempt at a time. The challenge waits until the room is
/// stored. If the server fails in between, the account can accept the challenge again a minute later, and gets the same
/// room.
async fn begin(
    Server { accounts, lobby, .. }: &Server,
    own: &Account,
    waiting: &FriendChallenge,
    address: IpAddr,
) -> Result<RoomCode, Refusal> {
    let (attempt, taken_at) = (ids::command_id(), Instant::now());
    accounts.take_challenge(own, waiting, &attempt).await?;
    let players = [waiting.by.clone(), own.member.clone()];
    match lobby.pair_friends(players, waiting, address, taken_at).await {
        Ok(room) => {
            // The game has begun, even if the end of the challenge cannot be stored. (The challenge may be over already: it
            // ends with the friendship, or by a block.) If it cannot be stored, the challenge goes on waiting. Accepting
            // it again leads to this room while the game runs, and begins a new game after that.
            accounts.end_friends_challenge(own, &waiting.by, waiting, Some(attempt)).await.ok();
            // Told afterwards, so that whoever then reads the list no longer finds the challenge.
            accounts.tell_accepted(own, waiting);
            Ok(room)
        }
        Err(refusal) => {
            accounts.return_challenge(own, waiting, &attempt).await;
            Err(refusal)
        }
    }
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "OnlineSetting"))]
struct Online {
    #[cfg_attr(test, schemars(with = "Named<OnlineTo>"))]
    to: OnlineTo,
}

/// `POST /api/friends/online`
async fn set_online(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let Online { to } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.take_change(&own.account.member)?;
    asked.server.accounts.set_online_to(&own.account, to).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/api/friends", "Friends, requests and challenges that wait.")
            .by(Key::Account)
            .answers::<Named<FriendList>>(200),
        Operation::post("/api/friends", "Asks somebody to be a friend, or accepts their request.")
            .by(Key::Account)
            .takes::<NewFriend>()
            .answers::<Asks>(200)
            .refuses([No::NoSuchPlayer, No::Blocked, No::NoFriendRequests, No::FriendDeclined])
            .refuses([No::TooManyFriends, No::TooManyFriendRequests]),
        Operation::delete("/api/friends/{member}", "Ends a friendship or a request.")
            .at::<Named<MemberId>>("member")
            .by(Key::Account)
            .empty(204)
            .refuses([No::NoSuchPlayer]),
        Operation::post("/api/friends/{member}/challenge", "Challenges a friend to a daily game.")
            .at::<Named<MemberId>>("member")
            .by(Key::Account)
            .takes::<NewChallenge>()
            .empty(204)
            .refuses([No::OpeningNotOffered, No::NotRateable, No::NoRatedGames, No::NoChallenges])
            .refuses([No::NoSuchPlayer, No::Blocked, No::AlreadyChallenged, No::ChallengesFull])
            .refuses([No::TooManyChallenges]),
        Operation::delete(
            "/api/friends/{member}/challenge",
            "Declines a challenge, or takes it back.",
        )
        .at::<Named<MemberId>>("member")
        .by(Key::Account)
        .empty(204)
        .refuses([No::NoSuchSeek]),
        Operation::post("/api/friends/{member}/challenge/accept", "Accepts a challenge.")
            .details("The game has begun in the room.")
            .at::<Named<MemberId>>("member")
            .by(Key::Account)
            .answers::<Began>(200)
            .refuses([No::NoSuchSeek, No::NoSuchPlayer, No::Stopping, No::ServerFull])
            .refuses([No::TooManyDailyGames, No::OpponentTooManyGames, No::TooManyRoomsMade])
            .refuses([No::NoRatedGames, No::OpponentNotRated, No::DiskFull]),
        Operation::post("/api/friends/online", "Sets who may see that the member is online.")
            .by(Key::Account)
            .takes::<Online>()
            .empty(204),
    ]
}
