//! Time off from daily games over HTTP, for the account that has it.

use std::sync::Arc;

use axum::{Json, Router, body::Bytes, routing::get};
use fivefold_shared::time_off_status::{TimeOffStatus, TimeOffWish};

use super::account::asked::{AccountRefusal, Asked};
use crate::{accounts::SignedIn, shared_state::Server};

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
