//! Keys to an account besides the password, over HTTP: passkeys and tokens, and showing a key again.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::Path,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{delete, get, post},
};
use fivefold_shared::{
    clock::millis,
    protocol::{ApiToken as Secret, Identity, Phase, Reason, Scope},
};
use serde::{Deserialize, Serialize};

use super::{AccountRefusal, Asked, one_key};
use crate::{
    accounts::{NewToken, PasskeyAnswer, PasskeyUse},
    ids,
    limits::accounts::PROVED_WITHIN,
    passwords::Password,
    server::Server,
    storage::{AccountKeys, AccountSession, ApiToken, Passkey},
};

/// The paths of keys.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/passkeys", get(domain))
        .route("/api/passkeys/challenge", post(challenge))
        .route("/api/account/confirm", post(confirm))
        .route("/api/account/passkeys", post(add_passkey))
        .route("/api/account/passkeys/{id}", delete(end_passkey))
        .route("/api/account/tokens", post(add_token))
        .route("/api/account/tokens/{id}", delete(end_token))
        .route("/api/account/guest", post(take_guest))
}

/// The keys of an account, as its member sees them.
#[derive(Serialize)]
pub(super) struct ShownKeys {
    has_password: bool,
    passkeys: Vec<ShownPasskey>,
    tokens: Vec<ShownToken>,
    /// Number of guests that belong to the account.
    guests: usize,
    /// The domain of passkeys; absent where they do not work.
    passkey_domain: Option<String>,
    /// How long a key that was used in this session still counts, in milliseconds.
    proved_ms: u64,
}

#[derive(Serialize)]
struct ShownPasskey {
    id: String,
    label: String,
    made_at: u64,
    used_at: Option<u64>,
}

#[derive(Serialize)]
struct ShownToken {
    id: String,
    label: String,
    scopes: Vec<String>,
    made_at: u64,
    used_at: Option<u64>,
    expires_at: u64,
}

impl ShownKeys {
    pub(super) fn new(keys: &AccountKeys, session: &AccountSession, asked: &Asked) -> Self {
        let until = session.proved_at + millis(PROVED_WITHIN);
        Self {
            has_password: keys.password.is_some(),
            passkeys: keys.passkeys.iter().map(ShownPasskey::from).collect(),
            tokens: keys.tokens.iter().map(ShownToken::from).collect(),
            guests: keys.aliases.len(),
            passkey_domain: asked.accounts().passkey_domain().map(str::to_owned),
            proved_ms: until.saturating_sub(asked.server.clock.now()),
        }
    }
}

impl From<&Passkey> for ShownPasskey {
    fn from(Passkey { id, label, made_at, used_at, .. }: &Passkey) -> Self {
        let (id, label) = (ids::passkey_id(id), label.clone());
        Self { id, label, made_at: *made_at, used_at: *used_at }
    }
}

impl From<&ApiToken> for ShownToken {
    fn from(ApiToken { hash, label, scopes, made_at, used_at, expires_at }: &ApiToken) -> Self {
        Self {
            id: ids::session_id(*hash),
            label: label.clone(),
            scopes: scopes.split(' ').map(str::to_owned).collect(),
            made_at: *made_at,
            used_at: *used_at,
            expires_at: *expires_at,
        }
    }
}

#[derive(Serialize)]
struct Domain {
    domain: Option<String>,
}

/// `GET /api/passkeys`
async fn domain(asked: Asked) -> Json<Domain> {
    Json(Domain { domain: asked.accounts().passkey_domain().map(str::to_owned) })
}

/// For what a challenge is.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum For {
    SignUp,
    SignIn,
    Add,
    Confirm,
}

#[derive(Deserialize)]
struct ChallengeBody {
    #[serde(rename = "for")]
    purpose: For,
    /// Of a new account.
    name: Option<String>,
}

/// `POST /api/passkeys/challenge`
async fn challenge(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let ChallengeBody { purpose, name } = asked.body(&body)?;
    let how = match purpose {
        For::SignUp => PasskeyUse::SignUp { name: name.unwrap_or_default(), guest: asked.guest()? },
        For::SignIn => PasskeyUse::SignIn,
        For::Add => PasskeyUse::Add(asked.signed_in().await?),
        For::Confirm => PasskeyUse::Confirm(asked.signed_in().await?),
    };
    Ok(Json(asked.accounts().start_passkey(how).await?).into_response())
}

#[derive(Deserialize)]
struct Key {
    password: Option<Password>,
    passkey: Option<PasskeyAnswer>,
}

/// `POST /api/account/confirm`
async fn confirm(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let key: Key = asked.body(&body)?;
    let own = asked.signed_in().await?;
    match key {
        Key { password: Some(password), passkey: None } => {
            asked.accounts().prove(&own, password, &asked.device).await?;
        }
        Key { password: None, passkey: Some(answer) } => {
            asked.accounts().prove_by_passkey(&own, answer).await?;
        }
        Key { .. } => return Err(one_key()),
    }
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/account/passkeys`
async fn add_passkey(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let answer: PasskeyAnswer = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.accounts().add_passkey(&own, answer, &asked.device).await?;
    Ok(StatusCode::CREATED)
}

/// `DELETE /api/account/passkeys/{id}`
async fn end_passkey(asked: Asked, Path(id): Path<String>) -> Result<StatusCode, AccountRefusal> {
    let own = asked.signed_in().await?;
    asked.accounts().end_passkey(&own, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
struct TokenBody {
    label: Option<String>,
    scopes: Vec<Scope>,
    for_ms: Option<u64>,
}

#[derive(Serialize)]
struct ShownSecret {
    token: Secret,
}

/// `POST /api/account/tokens`
async fn add_token(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let TokenBody { label, scopes, for_ms } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    let new = NewToken { label, scopes, for_ms };
    let token = asked.accounts().add_token(&own, new, &asked.device).await?;
    Ok((StatusCode::CREATED, Json(ShownSecret { token })).into_response())
}

/// `DELETE /api/account/tokens/{id}`
async fn end_token(asked: Asked, Path(id): Path<String>) -> Result<StatusCode, AccountRefusal> {
    let own = asked.signed_in().await?;
    asked.accounts().end_token(&own, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
struct Guest {
    identity: Identity,
}

/// `POST /api/account/guest`
async fn take_guest(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let Guest { identity } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    // A seat is its member's, so a running game would lose its player.
    let rooms =
        asked.server.lobby.own_rooms(&asked.accounts().guest(identity.clone()).await?).await;
    if rooms.iter().any(|room| room.seat.is_some() && room.summary.phase == Phase::Running) {
        return Err(Reason::GameRunning.into());
    }
    asked.accounts().take_guest(&own, identity).await?;
    Ok(StatusCode::NO_CONTENT)
}
