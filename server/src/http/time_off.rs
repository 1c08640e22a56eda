//! Time off from daily games over HTTP, for the account that has it.

use std::sync::Arc;

use axum::{Json, Router, body::Bytes, routing::get};
use fivefold_shared::time_off_status::{TimeOffStatus, TimeOffWish};

use super::account::asked::{AccountRefusal, Asked};
#[cfg(test)]
use crate::http::api_document::{Key, Named, Operation};
use crate::{accounts::SignedIn, shared_state::Server};
#[cfg(test)]
use fivefold_shared::protocol::Reason;

type Answer = Result<Json<TimeOffStatus>, AccountRefusal>;

/// The paths.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new().route("/api/time-off", get(status).post(begin).delete(end))
}

/// `GET /api/time-off`
async fn status(asked: Asked) -> Answer {
    let own = asked.signed_in().await?;
    shown(&asked, &own).await
}

/// `POST /api/time-off`
async fn begin(asked: Asked, body: Bytes) -> Answer {
    let wish: TimeOffWish = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.server.accounts.begin_time_off(&own.account, wish).await?;
    asked.server.lobby.attend_news().await;
    shown(&asked, &own).await
}

/// `DELETE /api/time-off`
async fn end(asked: Asked) -> Answer {
    let own = asked.signed_in().await?;
    if asked.server.accounts.end_time_off(&own.account).await? {
        asked.server.lobby.attend_news().await;
    }
    shown(&asked, &own).await
}

async fn shown(asked: &Asked, own: &SignedIn) -> Answer {
    Ok(Json(asked.server.accounts.time_off(&own.account).await?))
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/api/time-off", "The account's time off from daily games.")
            .by(Key::Account)
            .answers::<Named<TimeOffStatus>>(200),
        Operation::post("/api/time-off", "Begins or plans a period of time off.")
            .by(Key::Account)
            .takes::<Named<TimeOffWish>>()
            .answers::<Named<TimeOffStatus>>(200)
            .refuses([No::TimeOffOpen, No::TooFewDaysOff]),
        Operation::delete("/api/time-off", "Ends the period, or takes it back.")
            .by(Key::Account)
            .answers::<Named<TimeOffStatus>>(200),
    ]
}
