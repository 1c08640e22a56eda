//! Signing in by another site over HTTP: where the browser goes, and what it brings back.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use fivefold_shared::protocol::Reason;
use fivefold_storage::Sessions;
use serde::{Deserialize, Serialize};

use super::{
    asked::{AccountRefusal, Asked},
    cookie,
    shown::ShownAccounts,
};
#[cfg(test)]
use crate::http::api_document::{Key, Operation};
use crate::{
    accounts::{
        SignedIn,
        oidc::{FinishedOidc, OidcAnswer, OidcUse},
    },
    shared_state::Server,
};

/// The paths of signing in by another site.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new().route("/api/oidc", post(start)).route("/api/oidc/answer", post(finish))
}

/// For what a browser goes there.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "OidcPurpose"))]
#[serde(rename_all = "snake_case")]
enum For {
    SignIn,
    Add,
    Confirm,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "OidcBody"))]
struct StartBody {
    #[serde(rename = "for")]
    purpose: For,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "StartedOidc"))]
struct Started {
    url: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "OidcTicket"))]
struct Ticket {
    ticket: String,
}

/// `POST /api/oidc`
async fn start(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let StartBody { purpose } = asked.body(&body)?;
    let how = match purpose {
        For::SignIn => OidcUse::SignIn,
        For::Add => OidcUse::Add(asked.signed_in().await?),
        For::Confirm => OidcUse::Confirm(asked.signed_in().await?),
    };
    let started = asked.accounts().start_oidc(how, &asked.device).await?;
    let cookie = (header::SET_COOKIE, cookie::of_oidc(&started.browser, asked.is_encrypted));
    Ok(([cookie], Json(Started { url: started.url })).into_response())
}

/// `POST /api/oidc/answer`
async fn finish(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let answer: OidcAnswer = asked.body(&body)?;
    let before = asked.find_signed_in().await?;
    let browser = cookie::oidc_browser(&asked.headers, asked.is_encrypted);
    let accounts = asked.accounts();
    let finished = accounts.finish_oidc(answer, browser, before.clone(), &asked.device).await?;
    Ok(match finished {
        FinishedOidc::SignedIn(opened) => {
            // Nobody has its cookie any more.
            if let Some(SignedIn { account, session }) = before {
                accounts.end(&account, Sessions::One(session.hash)).await?;
            }
            asked.begun(StatusCode::OK, opened, ShownAccounts::of)
        }
        FinishedOidc::Unknown { .. } if before.is_some() => {
            return Err(Reason::TwoIdentities.into());
        }
        FinishedOidc::Unknown { ticket } => {
            (StatusCode::ACCEPTED, Json(Ticket { ticket })).into_response()
        }
        FinishedOidc::Added => StatusCode::CREATED.into_response(),
        FinishedOidc::Confirmed => StatusCode::NO_CONTENT.into_response(),
    })
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::post("/api/oidc", "Begins to sign in by another site.")
            .details(
                "`add` and `confirm` need the cookie of the account. The answer sets a cookie.",
            )
            .by(Key::Maybe("account:read"))
            .takes::<StartBody>()
            .answers::<Started>(200)
            .refuses([No::NoOidc, No::OidcUnavailable, No::OidcMisconfigured, No::SignedOut])
            .refuses([No::TokenScope, No::TwoIdentities, No::TooManyKeys, No::ConfirmFirst])
            .refuses([No::TooManyTries]),
        Operation::post("/api/oidc/answer", "Brings back what the other site has said.")
            .details(
                "200 signs in, and sets the cookie of the session. 202 has a ticket with which \
                 `POST /api/account` signs up. 201 follows `add`, 204 follows `confirm`.",
            )
            .by(Key::Maybe("account:read"))
            .takes::<OidcAnswer>()
            .answers::<ShownAccounts>(200)
            .empty(201)
            .answers::<Ticket>(202)
            .empty(204)
            .refuses([No::WrongOidc, No::NoOidc, No::OidcUnavailable, No::OidcMisconfigured])
            .refuses([No::SignedOut, No::TokenScope, No::TwoIdentities, No::TooManyKeys])
            .refuses([No::AccountClosed, No::ConfirmFirst, No::TooManyTries]),
    ]
}
