//! Other devices that sign in, over HTTP: by a code that somebody types, or by a link.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::post,
};
use serde::{Deserialize, Serialize};

use super::{
    asked::{AccountRefusal, Asked},
    shown::ShownAccounts,
};
#[cfg(test)]
use crate::accounts::devices::OpenedLink;
#[cfg(test)]
use crate::http::api_document::{Key, Operation};
use crate::{
    accounts::devices::{NewDevice, Polled, ShownDevice},
    shared_state::Server,
};
#[cfg(test)]
use fivefold_shared::protocol::Reason;

/// The paths of other devices.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/device", post(begin))
        .route("/api/device/session", post(poll))
        .route("/api/device/find", post(find))
        .route("/api/device/answer", post(answer))
        .route("/api/link", post(begin_link))
        .route("/api/link/state", post(link_state))
        .route("/api/link/open", post(open_link))
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownNewDevice {
    #[serde(flatten)]
    device: NewDevice,
    /// Where to type the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// `POST /api/device`
async fn begin(asked: Asked) -> Result<Response, AccountRefusal> {
    let device = asked.accounts().begin_device(&asked.device)?;
    let url = asked.server.public_url.as_ref().map(|url| format!("{url}/device"));
    Ok((StatusCode::CREATED, Json(ShownNewDevice { device, url })).into_response())
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DeviceCode {
    device_code: String,
}

/// `POST /api/device/session`
async fn poll(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let DeviceCode { device_code } = asked.body(&body)?;
    match asked.accounts().poll_device(&device_code, &asked.device).await? {
        Polled::Waiting => Ok(StatusCode::ACCEPTED.into_response()),
        Polled::Opened(opened) => Ok(asked.begun(StatusCode::OK, *opened, ShownAccounts::of)),
    }
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct UserCode {
    user_code: String,
}

/// `POST /api/device/find`
async fn find(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let UserCode { user_code } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    let device = asked.accounts().device(&own, &user_code, &asked.device).await?;
    Ok(Json(device).into_response())
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DeviceAnswer {
    user_code: String,
    allow: bool,
}

/// `POST /api/device/answer`
async fn answer(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let DeviceAnswer { user_code, allow } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.accounts().answer_device(&own, &user_code, allow, &asked.device).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NewLink {
    code: String,
    expires_ms: u64,
}

/// `POST /api/link`
async fn begin_link(asked: Asked) -> Result<Response, AccountRefusal> {
    let own = asked.signed_in().await?;
    let (code, expires_ms) = asked.accounts().begin_link(&own);
    Ok((StatusCode::CREATED, Json(NewLink { code, expires_ms })).into_response())
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LinkCode {
    code: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LinkState {
    #[serde(skip_serializing_if = "Option::is_none")]
    user_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<ShownDevice>,
}

/// `POST /api/link/state`
async fn link_state(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let LinkCode { code } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    let (user_code, device) = asked.accounts().link(&own, &code).await?.unzip();
    Ok(Json(LinkState { user_code, device }).into_response())
}

/// `POST /api/link/open`
async fn open_link(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let LinkCode { code } = asked.body(&body)?;
    Ok(Json(asked.accounts().open_link(&code, &asked.device).await?).into_response())
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::post("/api/device", "Begins to sign in a device without a page.")
            .details("The device shows `user_code`, which the member types on a page.")
            .answers::<ShownNewDevice>(201)
            .refuses([No::TooManyTries]),
        Operation::post("/api/device/session", "Asks whether the member has allowed this device.")
            .details(
                "202 until the member answers. Then the answer sets the cookie of the session.",
            )
            .takes::<DeviceCode>()
            .answers::<ShownAccounts>(200)
            .empty(202)
            .refuses([No::WrongDeviceCode, No::DeviceDenied, No::AccountClosed, No::SignedOut])
            .refuses([No::TooManyTries]),
        Operation::post("/api/device/find", "The device that shows this code.")
            .by(Key::Account)
            .takes::<UserCode>()
            .answers::<ShownDevice>(200)
            .refuses([No::WrongDeviceCode, No::TooManyTries]),
        Operation::post(
            "/api/device/answer",
            "Allows the device that shows this code, or does not.",
        )
        .by(Key::Account)
        .takes::<DeviceAnswer>()
        .empty(204)
        .refuses([No::WrongDeviceCode, No::ConfirmFirst, No::TooManyTries]),
        Operation::post("/api/link", "Makes a link that signs in another device.")
            .by(Key::Account)
            .answers::<NewLink>(201),
        Operation::post("/api/link/state", "Whether the link was opened, and by which device.")
            .by(Key::Account)
            .takes::<LinkCode>()
            .answers::<LinkState>(200)
            .refuses([No::WrongDeviceCode, No::TooManyTries]),
        Operation::post("/api/link/open", "Opens a link, once.")
            .takes::<LinkCode>()
            .answers::<OpenedLink>(200)
            .refuses([No::WrongDeviceCode, No::TooManyTries]),
    ]
}
