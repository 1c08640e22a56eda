//! The bots of an account over HTTP: making, listing, renaming and deleting them, and their tokens.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::Path,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{delete, get, post},
};
use fivefold_storage::{Account, AccountKeys, limits::BOTS_MAX};
use serde::{Deserialize, Serialize};

use super::{
    asked::{AccountRefusal, Asked},
    keys::{ShownSecret, TokenBody},
    shown::{ShownAccount, ShownToken},
};
#[cfg(test)]
use crate::http::api_document::{Key, Operation};
use crate::shared_state::Server;
#[cfg(test)]
use fivefold_shared::protocol::Reason;

/// The paths of bots.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/account/bots", get(bots).post(make))
        .route("/api/account/bots/{id}", delete(end))
        .route("/api/account/bots/{id}/name", post(rename))
        .route("/api/account/bots/{id}/tokens", post(add_token))
        .route("/api/account/bots/{id}/tokens/{token}", delete(end_token))
}

/// A bot as its owner sees it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ShownBot {
    #[serde(flatten)]
    account: ShownAccount,
    tokens: Vec<ShownToken>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownBots {
    bots: Vec<ShownBot>,
    most: usize,
}

/// The bots of an account with their tokens.
pub(super) async fn shown_bots(
    asked: &Asked,
    own: &Account,
) -> Result<Vec<ShownBot>, AccountRefusal> {
    let mut shown = Vec::new();
    for bot in asked.accounts().bots(own).await? {
        shown.push(shown_bot(asked, bot).await?);
    }
    Ok(shown)
}

async fn shown_bot(asked: &Asked, bot: Account) -> Result<ShownBot, AccountRefusal> {
    let keys = asked.accounts().keys(&bot).await?;
    Ok(ShownBot::new(bot, &keys))
}

impl ShownBot {
    pub(super) fn new(bot: Account, keys: &AccountKeys) -> Self {
        let tokens = keys.tokens.iter().map(ShownToken::from).collect();
        Self { account: bot.into(), tokens }
    }
}

/// `GET /api/account/bots`
async fn bots(asked: Asked) -> Result<Response, AccountRefusal> {
    let own = asked.signed_in().await?;
    let bots = shown_bots(&asked, &own.account).await?;
    Ok(Json(ShownBots { bots, most: BOTS_MAX }).into_response())
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BotBody {
    name: String,
}

/// `POST /api/account/bots`
async fn make(asked: Asked, body: Bytes) -> Result<Response, AccountRefusal> {
    let BotBody { name } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    let bot = asked.accounts().make_bot(&own, &name, &asked.device).await?;
    let bot = ShownBot { account: bot.into(), tokens: Vec::new() };
    Ok((StatusCode::CREATED, Json(bot)).into_response())
}

/// `POST /api/account/bots/{id}/name`
async fn rename(
    asked: Asked,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, AccountRefusal> {
    let BotBody { name } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    let bot = asked.accounts().rename_bot(&own, &id, &name).await?;
    Ok(Json(shown_bot(&asked, bot).await?).into_response())
}

/// `DELETE /api/account/bots/{id}`
async fn end(asked: Asked, Path(id): Path<String>) -> Result<StatusCode, AccountRefusal> {
    let own = asked.signed_in().await?;
    asked.accounts().delete_bot(&own, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/account/bots/{id}/tokens`
async fn add_token(
    asked: Asked,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, AccountRefusal> {
    let new: TokenBody = asked.body(&body)?;
    let own = asked.signed_in().await?;
    let bot = asked.accounts().bot(&own, &id).await?;
    let token = asked.accounts().add_token(&own, Some(&bot), new.into(), &asked.device).await?;
    Ok((StatusCode::CREATED, Json(ShownSecret { token })).into_response())
}

/// `DELETE /api/account/bots/{id}/tokens/{token}`
async fn end_token(
    asked: Asked,
    Path((id, token)): Path<(String, String)>,
) -> Result<StatusCode, AccountRefusal> {
    let own = asked.signed_in().await?;
    let bot = asked.accounts().bot(&own, &id).await?;
    asked.accounts().end_token(&bot, &token).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/api/account/bots", "The bots of the account.")
            .by(Key::Account)
            .answers::<ShownBots>(200),
        Operation::post("/api/account/bots", "Makes a bot.")
            .by(Key::Account)
            .takes::<BotBody>()
            .answers::<ShownBot>(201)
            .refuses([No::AccountName, No::NameLooksLikeBot, No::NameReserved, No::NameTaken])
            .refuses([No::TooManyBots, No::ConfirmFirst, No::TooManyTries]),
        Operation::post("/api/account/bots/{id}/name", "Changes a bot's name, once in 30 days.")
            .by(Key::Account)
            .takes::<BotBody>()
            .answers::<ShownBot>(200)
            .refuses([No::AccountName, No::NameLooksLikeBot, No::NameReserved, No::NameTaken])
            .refuses([No::NameChangedLately, No::NoSuchPlayer, No::ConfirmFirst, No::TooManyTries]),
        Operation::delete("/api/account/bots/{id}", "Deletes a bot.")
            .by(Key::Account)
            .empty(204)
            .refuses([No::NoSuchPlayer, No::ConfirmFirst]),
        Operation::post(
            "/api/account/bots/{id}/tokens",
            "Makes a token for a bot, which is shown once.",
        )
        .by(Key::Account)
        .takes::<TokenBody>()
        .answers::<ShownSecret>(201)
        .refuses([No::NoSuchPlayer, No::TooManyKeys, No::ConfirmFirst]),
        Operation::delete("/api/account/bots/{id}/tokens/{token}", "Removes a token of a bot.")
            .by(Key::Account)
            .empty(204)
            .refuses([No::NoSuchPlayer]),
    ]
}
