//! Conditional moves in daily games over HTTP, for the account that has planned them.

use std::sync::Arc;

use axum::{Json, Router, body::Bytes, extract::Path, routing::get};
use fivefold_shared::{
    conditional_moves::{ConditionalMoves, ConditionalMovesStatus},
    protocol::RoomCode,
};

use super::account::asked::{AccountRefusal, Asked};
use crate::shared_state::Server;

type Answer = Result<Json<ConditionalMovesStatus>, AccountRefusal>;

/// The paths.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new().route("/api/conditional-moves/{room}", get(show).put(set))
}

/// `GET /api/conditional-moves/{room}`
async fn show(asked: Asked, Path(room): Path<RoomCode>) -> Answer {
    let own = asked.signed_in().await?;
    // Each request reads a room's log, so their number is limited.
    asked.take_change(&own.account.member)?;
    Ok(Json(asked.server.accounts.conditional_moves(&own.account, room).await?))
}

/// `PUT /api/conditional-moves/{room}`
async fn set(asked: Asked, Path(room): Path<RoomCode>, body: Bytes) -> Answer {
    let moves: ConditionalMoves = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.take_change(&own.account.member)?;
    let status = asked.server.accounts.set_conditional_moves(&own.account, room, moves).await?;
    asked.server.lobby.attend_news().await;
    Ok(Json(status))
}
