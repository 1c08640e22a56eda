//! Pushes over HTTP, for accounts that are signed in: the key of the server, the browsers that are subscribed, and what
//! the member wants to be told.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    http::StatusCode,
    routing::{get, post},
};
use data_encoding::BASE64URL_NOPAD;
use fivefold_push::{Browser, may_be_endpoint};
use fivefold_shared::protocol::{Refusal, RoomCode};
use fivefold_storage::{PushSettings, PushSubscription};
use serde::{Deserialize, Serialize};

use super::account::asked::{AccountRefusal, Asked};
#[cfg(test)]
use crate::http::api_document::{Key, Named, Operation};
use crate::{online::language::Language, shared_state::Server};
#[cfg(test)]
use fivefold_shared::protocol::Reason;

const MINUTES_OF_DAY: u16 = 24 * 60;
/// The clocks of the world are at most so many minutes away from UTC.
const OFFSET_MAX: u16 = 14 * 60;

/// The paths.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/pushes", get(pushes))
        .route("/api/pushes/settings", post(set))
        .route("/api/pushes/seen", post(seen))
        .route("/api/pushes/subscriptions", post(subscribe).delete(unsubscribe))
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Pushes {
    /// Absent while the server does not push.
    key: Option<String>,
    /// Whether news reaches the member by e-mail.
    mailed: bool,
    settings: PushSettings,
    subscriptions: Vec<ShownSubscription>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownSubscription {
    endpoint: String,
    language: String,
    made_at: u64,
}

/// `GET /api/pushes`
async fn pushes(asked: Asked) -> Result<Json<Pushes>, AccountRefusal> {
    let own = asked.signed_in().await?;
    let accounts = &asked.server.accounts;
    let known = accounts.push_member(&own.account.member).await?;
    let shown = |PushSubscription { endpoint, language, made_at, .. }| ShownSubscription {
        endpoint,
        language,
        made_at,
    };
    Ok(Json(Pushes {
        key: accounts.push_key(),
        mailed: accounts.sends_mail() && known.address().is_some(),
        settings: known.settings,
        subscriptions: known.subscriptions.into_iter().map(shown).collect(),
    }))
}

/// As `PushSubscription.toJSON()` of a browser has it, and the language of the texts.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NewSubscription {
    endpoint: String,
    keys: NewKeys,
    #[serde(default)]
    language: String,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NewKeys {
    p256dh: String,
    auth: String,
}

/// `POST /api/pushes/subscriptions`
async fn subscribe(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let NewSubscription { endpoint, keys, language } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    let decode = |text: &str| {
        let bytes = BASE64URL_NOPAD.decode(text.trim_end_matches('=').as_bytes());
        bytes.map_err(|_| Refusal::malformed("keys are base64url"))
    };
    let (p256dh, auth) = (decode(&keys.p256dh)?, decode(&keys.auth)?);
    Browser::new(&p256dh, &auth).map_err(|error| Refusal::malformed(error.to_string()))?;
    let allowed = may_be_endpoint(&endpoint, &asked.server.push_peers);
    allowed.map_err(|error| Refusal::malformed(error.to_string()))?;
    asked.take_change(&own.account.member)?;
    let language = Language::of(&language).code().to_owned();
    let (session, made_at) = (own.session.hash, asked.server.clock.now());
    let new = PushSubscription { endpoint, p256dh, auth, language, session, made_at };
    asked.server.accounts.subscribe(own.account.member, new).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OldSubscription {
    endpoint: String,
}

/// `DELETE /api/pushes/subscriptions`
async fn unsubscribe(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let OldSubscription { endpoint } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.take_change(&own.account.member)?;
    asked.server.accounts.unsubscribe(&own, endpoint).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/pushes/settings`
async fn set(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let settings: PushSettings = asked.body(&body)?;
    let own = asked.signed_in().await?;
    check(&settings)?;
    asked.take_change(&own.account.member)?;
    asked.server.accounts.set_pushes(&own, settings).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SeenTurn {
    #[cfg_attr(test, schemars(with = "Named<RoomCode>"))]
    room: RoomCode,
}

/// `POST /api/pushes/seen`
async fn seen(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let SeenTurn { room } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.server.accounts.see_turn(&own, &room).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Refuses settings that mean nothing.
fn check(settings: &PushSettings) -> Result<(), Refusal> {
    let PushSettings { digest_hour, reminders, quiet, utc_offset, .. } = settings;
    let is_once = |hours: &u8| reminders.iter().filter(|other| *other == hours).count() == 1;
    if !reminders.iter().all(|hours| PushSettings::REMINDERS.contains(hours) && is_once(hours)) {
        return Err(Refusal::malformed("reminders are some of 8, 4 and 1, each once"));
    }
    if *digest_hour > 23 {
        return Err(Refusal::malformed("digest_hour is 0 to 23"));
    }
    if quiet.is_some_and(|quiet| quiet.from >= MINUTES_OF_DAY || quiet.to >= MINUTES_OF_DAY) {
        return Err(Refusal::malformed("quiet hours are minutes after midnight, below 1440"));
    }
    if utc_offset.unsigned_abs() > OFFSET_MAX {
        return Err(Refusal::malformed("utc_offset is at most 840 minutes"));
    }
    Ok(())
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get(
            "/api/pushes",
            "The server's key, and what the member is told while the page is closed.",
        )
        .by(Key::Account)
        .answers::<Pushes>(200),
        Operation::post("/api/pushes/settings", "Sets what the member is told.")
            .by(Key::Account)
            .takes::<PushSettings>()
            .empty(204),
        Operation::post("/api/pushes/seen", "Notes that the player sees their turn in a room.")
            .by(Key::Account)
            .takes::<SeenTurn>()
            .empty(204)
            .refuses([No::NoSuchRoom]),
        Operation::post("/api/pushes/subscriptions", "Subscribes a browser.")
            .by(Key::Account)
            .takes::<NewSubscription>()
            .empty(204),
        Operation::delete("/api/pushes/subscriptions", "Ends the subscription of a browser.")
            .by(Key::Account)
            .takes::<OldSubscription>()
            .empty(204),
    ]
}
