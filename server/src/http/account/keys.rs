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
use fivefold_shared::protocol::{ApiToken as Secret, Identity, OwnRoom, Phase, Reason, Scope};
use serde::{Deserialize, Serialize};

use super::asked::{AccountRefusal, Asked, one_key};
#[cfg(test)]
use crate::accounts::passkeys::StartedPasskey;
#[cfg(test)]
use crate::http::api_document::{Key as By, Named, Operation};
use crate::{
    accounts::{
        passkeys::{PasskeyUse, webauthn::PasskeyAnswer},
        passwords::Password,
        tokens::NewToken,
    },
    shared_state::Server,
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

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "WaysToSignIn"))]
struct Domain {
    domain: Option<String>,
    /// What people call the other site that opens accounts.
    #[serde(skip_serializing_if = "Option::is_none")]
    oidc: Option<String>,
    /// Whether codes for lost passwords are sent by e-mail.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    email: bool,
}

/// `GET /api/passkeys`
async fn domain(asked: Asked) -> Json<Domain> {
    let accounts = asked.accounts();
    let (domain, oidc) = (accounts.passkey_domain(), accounts.oidc_label());
    let email = accounts.sends_mail();
    Json(Domain { domain: domain.map(str::to_owned), oidc: oidc.map(str::to_owned), email })
}

/// For what a challenge is.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PasskeyPurpose"))]
#[serde(rename_all = "snake_case")]
enum For {
    SignUp,
    SignIn,
    Add,
    Confirm,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    Ok(Json(asked.accounts().start_passkey(how, &asked.device).await?).into_response())
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "KeyBody"))]
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
            asked.accounts().prove_by_passkey(&own, answer, asked.device.address).await?;
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct TokenBody {
    label: Option<String>,
    #[cfg_attr(test, schemars(with = "Vec<Named<Scope>>"))]
    scopes: Vec<Scope>,
    for_ms: Option<u64>,
}

impl From<TokenBody> for NewToken {
    fn from(TokenBody { label, scopes, for_ms }: TokenBody) -> Self {
        Self { label, scopes, for_ms }
    }
}

/// A new token, which is shown once.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ShownSecret {
    #[cfg_attr(test, schemars(with = "Named<Secret>"))]
    pub(super) token: Secret,
}

/// `POST /api/account/tokens`
async fn add_token(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let new: TokenBody = asked.body(&body)?;
    let own = asked.signed_in().await?;
    let token = asked.accounts().add_token(&own, None, new.into(), &asked.device).await?;
    Ok((StatusCode::CREATED, Json(ShownSecret { token })).into_response())
}

/// `DELETE /api/account/tokens/{id}`
async fn end_token(asked: Asked, Path(id): Path<String>) -> Result<StatusCode, AccountRefusal> {
    let own = asked.signed_in().await?;
    asked.accounts().end_token(&own.account, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "GuestIdentity"))]
struct Guest {
    #[cfg_attr(test, schemars(with = "Named<Identity>"))]
    identity: Identity,
}

/// `POST /api/account/guest`
async fn take_guest(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let Guest { identity } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    let rooms =
        asked.server.lobby.own_rooms(&asked.accounts().guest(identity.clone()).await?).await;
    // Nobody has both seats of a game.
    let account = &own.account.member;
    let plays_account = |room: &OwnRoom| {
        room.summary.phase == Phase::Running
            && room.seat.is_some()
            && room.summary.seats.of_member(account).is_some()
    };
    if rooms.iter().any(plays_account) {
        return Err(Reason::GameRunning.into());
    }
    asked.accounts().take_guest(&own, identity).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/api/passkeys", "The ways to sign in here.").answers::<Domain>(200),
        Operation::post("/api/passkeys/challenge", "Begins to use or to make a passkey.")
            .details("`add` and `confirm` need the cookie of the account.")
            .by(By::Maybe("account:read"))
            .takes::<ChallengeBody>()
            .answers::<StartedPasskey>(200)
            .refuses([No::NoPasskeys, No::AccountName, No::NameLooksLikeBot, No::NameReserved])
            .refuses([No::NameTaken, No::SignedOut, No::TokenScope, No::TwoIdentities])
            .refuses([No::IdentityReplaced, No::TooManyKeys, No::ConfirmFirst, No::WrongPasskey])
            .refuses([No::TooManyTries]),
        Operation::post("/api/account/confirm", "Shows a key again.")
            .details("For 10 minutes, requests that ask for a key need none.")
            .by(By::Account)
            .takes::<Key>()
            .empty(204)
            .refuses([No::WrongPassword, No::WrongPasskey, No::NoPasskeys, No::TooManyTries]),
        Operation::post("/api/account/passkeys", "Adds a passkey.")
            .by(By::Account)
            .takes::<PasskeyAnswer>()
            .empty(201)
            .refuses([No::WrongPasskey, No::NoPasskeys, No::TooManyKeys, No::ConfirmFirst]),
        Operation::delete("/api/account/passkeys/{id}", "Removes a passkey or another site.")
            .by(By::Account)
            .empty(204)
            .refuses([No::LastKey, No::ConfirmFirst]),
        Operation::post("/api/account/tokens", "Makes a token, which is shown once.")
            .by(By::Account)
            .takes::<TokenBody>()
            .answers::<ShownSecret>(201)
            .refuses([No::TooManyKeys, No::ConfirmFirst]),
        Operation::delete("/api/account/tokens/{id}", "Removes a token.")
            .by(By::Account)
            .empty(204),
        Operation::post("/api/account/guest", "Takes a guest into the account.")
            .details("The guest's games are the account's from then on.")
            .by(By::Account)
            .takes::<Guest>()
            .empty(204)
            .refuses([No::IdentityReplaced, No::NothingToKeep, No::GameRunning, No::TooManyKeys]),
    ]
}
