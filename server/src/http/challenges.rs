//! From whom a member takes challenges, over HTTP. For accounts and guests.

use std::sync::Arc;

use axum::{Json, Router, body::Bytes, http::StatusCode, routing::get};
use fivefold_shared::protocol::ChallengesFrom;
use serde::{Deserialize, Serialize};

use super::account::asked::{AccountRefusal, Asked};
#[cfg(test)]
use crate::http::api_document::{Key, Named, Operation};
use crate::shared_state::Server;
#[cfg(test)]
use fivefold_shared::protocol::Reason;

/// The path.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new().route("/api/challenges", get(challenges).post(set_challenges))
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Challenges {
    #[cfg_attr(test, schemars(with = "Named<ChallengesFrom>"))]
    from: ChallengesFrom,
}

/// `GET /api/challenges`
async fn challenges(asked: Asked) -> Result<Json<Challenges>, AccountRefusal> {
    let member = asked.member().await?;
    let read = asked.server.moderation.read(move |reader| reader.challenges_from(&member)).await;
    Ok(Json(Challenges { from: read? }))
}

/// `POST /api/challenges`
async fn set_challenges(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let Challenges { from } = asked.body(&body)?;
    let member = asked.member().await?;
    asked.take_change(&member)?;
    asked.server.accounts.set_challenges(&member, from).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/api/challenges", "From whom the member takes challenges.")
            .by(Key::Member)
            .answers::<Challenges>(200),
        Operation::post("/api/challenges", "Sets from whom the member takes challenges.")
            .by(Key::Member)
            .takes::<Challenges>()
            .empty(204)
            .refuses([No::SeatFirst]),
    ]
}
