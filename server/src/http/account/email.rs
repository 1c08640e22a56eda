//! The e-mail address of an account, over HTTP.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    http::StatusCode,
    routing::{get, post},
};
use serde::{Deserialize, Serialize};

use super::asked::{AccountRefusal, Asked};
#[cfg(test)]
use crate::http::api_document::{Key, Operation};
use crate::{accounts::passwords::Password, online::language::Language, shared_state::Server};
#[cfg(test)]
use fivefold_shared::protocol::Reason;

/// The paths.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/email", get(email).post(name).delete(forget))
        .route("/api/email/confirm", post(confirm))
        .route("/api/recovery/mail", post(mail_code))
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownEmail {
    /// Whether the server sends e-mail.
    available: bool,
    /// The confirmed address.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// The address that waits to be confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    named: Option<String>,
}

/// `GET /api/email`
async fn email(asked: Asked) -> Result<Json<ShownEmail>, AccountRefusal> {
    let own = asked.signed_in().await?;
    let accounts = asked.accounts();
    let stored = accounts.email(&own.account).await?;
    let now = asked.server.clock.now();
    let named = stored.as_ref().and_then(|email| email.waiting(now)).cloned();
    let address = stored.and_then(|email| email.confirmed);
    Ok(Json(ShownEmail { available: accounts.sends_mail(), address, named }))
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NewEmail {
    address: String,
    /// Of the messages.
    #[serde(default)]
    language: String,
    password: Option<Password>,
}

/// `POST /api/email`
async fn name(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let NewEmail { address, language, password } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    let new = (address, Language::of(&language));
    asked.accounts().name_email(&own, new, password, &asked.device).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OldEmail {
    password: Option<Password>,
}

/// `DELETE /api/email`
async fn forget(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let OldEmail { password } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.accounts().forget_email(&own, password, &asked.device).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "EmailSecret"))]
struct Secret {
    secret: String,
}

/// `POST /api/email/confirm`
async fn confirm(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let Secret { secret } = asked.body(&body)?;
    if let Some(name) = asked.accounts().confirm_email(&secret).await? {
        asked.audit.account(&name);
    }
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "MailedCodeBody"))]
struct Forgetful {
    name: String,
}

/// `POST /api/recovery/mail`
async fn mail_code(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let Forgetful { name } = asked.body(&body)?;
    asked.accounts().mail_code(&name, &asked.device).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/api/email", "The account's e-mail address.")
            .by(Key::Account)
            .answers::<ShownEmail>(200),
        Operation::post("/api/email", "Names an e-mail address. The server sends a link there.")
            .by(Key::Account)
            .takes::<NewEmail>()
            .empty(204)
            .refuses([No::ConfirmFirst, No::WrongPassword, No::TooManyTries]),
        Operation::delete("/api/email", "Removes the e-mail address.")
            .by(Key::Account)
            .takes::<OldEmail>()
            .empty(204)
            .refuses([No::ConfirmFirst, No::WrongPassword, No::TooManyTries]),
        Operation::post(
            "/api/email/confirm",
            "Confirms an e-mail address with the secret of the link.",
        )
        .takes::<Secret>()
        .empty(204)
        .refuses([No::WrongCode]),
        Operation::post(
            "/api/recovery/mail",
            "Sends a recovery code to the account's e-mail address.",
        )
        .details("204 also if there is no such account or address.")
        .takes::<Forgetful>()
        .empty(204)
        .refuses([No::TooManyTries]),
    ]
}
