//! Conditional moves in daily games over HTTP, for the account that has planned them.

use std::sync::Arc;

use axum::{Json, Router, body::Bytes, extract::Path, routing::get};
use fivefold_shared::{
    conditional_moves::{ConditionalMoves, ConditionalMovesStatus},
    protocol::RoomCode,
};

use super::account::asked::{AccountRefusal, Asked};
#[cfg(test)]
use crate::http::api_document::{Key, Named, Operation};
use crate::shared_state::Server;
#[cfg(test)]
use fivefold_shared::protocol::Reason;

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

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/api/conditional-moves/{room}", "The replies that the account has planned in a daily game.")
            .at::<Named<RoomCode>>("room")
            .by(Key::Account)
            .answers::<Named<ConditionalMovesStatus>>(200)
            .refuses([No::NoSuchRoom, No::NotSeated, No::NoGame, No::RoomDamaged]),
        Operation::put("/api/conditional-moves/{room}", "Replaces all planned replies.")
            .details("All lines together have at most 2,000 moves, and 200 if moves with which several lines begin count once.")
            .at::<Named<RoomCode>>("room")
            .by(Key::Account)
            .takes::<Named<ConditionalMoves>>()
            .answers::<Named<ConditionalMovesStatus>>(200)
            .refuses([No::NoSuchRoom, No::NotSeated, No::NoGame, No::OpeningRunning, No::YourTurn])
            .refuses([No::StalePly, No::Outside, No::TooFar, No::Occupied, No::DoubleThree])
            .refuses([No::DoubleFour, No::Overline, No::GameOver, No::RoomDamaged]),
    ]
}
