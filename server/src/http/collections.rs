//! Collections of games over HTTP: for the account that owns them, and for anyone who knows the id of a shared one.

use std::sync::Arc;

use axum::{
    Extension, Json, Router,
    body::Bytes,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::{HeaderMap, StatusCode},
    routing::{delete, get, post},
};
use fivefold_shared::{
    collection::{
        CollectAnswer, Collection, CollectionList, CollectionPage, CollectionSettings,
        GamesToCollect,
    },
    protocol::{CollectionId, Reason, Refusal},
};
use serde::Deserialize;

use super::{
    account::{
        self,
        asked::{AccountRefusal, Asked},
    },
    caller::Caller,
    refusals::malformed,
};
#[cfg(test)]
use crate::http::api_document::{Key, Named, Operation};
use crate::shared_state::Server;

/// The paths, apart from [`batches`].
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/collections", get(list).post(make))
        .route("/api/collections/{id}", get(page).put(set).delete(remove))
        .route("/api/collections/{id}/games/{number}", delete(remove_game))
}

/// The path that takes long bodies.
pub(super) fn batches() -> Router<Arc<Server>> {
    Router::new().route("/api/collections/{id}/games", post(collect))
}

/// `GET /api/collections`
async fn list(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Json<CollectionList>, AccountRefusal> {
    let own = account::reader_of_games(&server, &caller, &headers).await?;
    let own = own.ok_or(Reason::SignedOut)?;
    let collections = server.accounts.collections(own).await?;
    Ok(Json(CollectionList { collections }))
}

/// `POST /api/collections`
async fn make(asked: Asked, body: Bytes) -> Result<(StatusCode, Json<Collection>), AccountRefusal> {
    let settings: CollectionSettings = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.take_change(&own.account.member)?;
    let made = asked.server.accounts.make_collection(&own.account, settings).await?;
    Ok((StatusCode::CREATED, Json(made)))
}

/// Query parameters of a page of games.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CollectionQuery {
    /// Only games with greater numbers.
    after: Option<u64>,
    /// Only games in which a player's name contains this text.
    player: Option<String>,
}

/// `GET /api/collections/{id}`
async fn page(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<CollectionId>,
    wish: Result<Query<CollectionQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Json<CollectionPage>, AccountRefusal> {
    let Query(CollectionQuery { after, player }) =
        wish.map_err(|error| malformed(error.status(), error.body_text()))?;
    let asker = match account::reader_of_games(&server, &caller, &headers).await {
        Ok(asker) => asker,
        // A visitor who is not signed in sees what is shared.
        Err(AccountRefusal::Refused(no)) if no.reason == Reason::SignedOut => None,
        Err(no) => return Err(no),
    };
    let after = after.unwrap_or_default();
    Ok(Json(server.accounts.collection_page(asker, id, after, player).await?))
}

/// `PUT /api/collections/{id}`
async fn set(
    asked: Asked,
    Path(id): Path<CollectionId>,
    body: Bytes,
) -> Result<StatusCode, AccountRefusal> {
    let settings: CollectionSettings = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.take_change(&own.account.member)?;
    asked.server.accounts.set_collection(&own.account, id, settings).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /api/collections/{id}`
async fn remove(asked: Asked, Path(id): Path<CollectionId>) -> Result<StatusCode, AccountRefusal> {
    let own = asked.signed_in().await?;
    asked.take_change(&own.account.member)?;
    asked.server.accounts.delete_collection(&own.account, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/collections/{id}/games`
async fn collect(
    asked: Asked,
    Path(id): Path<CollectionId>,
    body: Bytes,
) -> Result<Json<CollectAnswer>, AccountRefusal> {
    let games: GamesToCollect = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.server.disk.may_grow()?;
    let address = asked.device.address;
    let server = Arc::clone(&asked.server);
    // This goes on even if the client hangs up: else the next batch would get its turn while this one is stored.
    let collects = async move { server.accounts.collect(&own.account, address, id, games).await };
    let collected = tokio::spawn(collects).await;
    Ok(Json(collected.map_err(|_| Refusal::new(Reason::Broken))??))
}

/// `DELETE /api/collections/{id}/games/{number}`
async fn remove_game(
    asked: Asked,
    Path((id, number)): Path<(CollectionId, u64)>,
) -> Result<StatusCode, AccountRefusal> {
    let own = asked.signed_in().await?;
    asked.take_change(&own.account.member)?;
    asked.server.accounts.remove_collected_game(&own.account, id, number).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What the API's document says about these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/api/collections", "The account's collections of games, the most recently changed first.")
            .by(Key::Token("games:read"))
            .answers::<Named<CollectionList>>(200),
        Operation::post("/api/collections", "Makes a collection.")
            .by(Key::Account)
            .takes::<Named<CollectionSettings>>()
            .answers::<Named<Collection>>(201)
            .refuses([No::TooManyCollections, No::CollectionFull]),
        Operation::get("/api/collections/{id}", "Games of a collection, by number.")
            .details("The owner sees it with their account, everyone else if it is shared. At most 100 games; send `next` as `after` to get the next page. A search request looks at 5,000 games, so it may find none and still have `next`.")
            .at::<Named<CollectionId>>("id")
            .query::<CollectionQuery>()
            .by(Key::Maybe("games:read"))
            .answers::<Named<CollectionPage>>(200)
            .refuses([No::NoSuchCollection, No::TwoIdentities, No::TokenScope, No::WrongToken]),
        Operation::put("/api/collections/{id}", "Renames a collection, or changes whether it is shared.")
            .at::<Named<CollectionId>>("id")
            .by(Key::Account)
            .takes::<Named<CollectionSettings>>()
            .empty(204)
            .refuses([No::NoSuchCollection]),
        Operation::delete("/api/collections/{id}", "Deletes a collection with its games.")
            .at::<Named<CollectionId>>("id")
            .by(Key::Account)
            .empty(204)
            .refuses([No::NoSuchCollection]),
        Operation::delete("/api/collections/{id}/games/{number}", "Deletes a game of a collection.")
            .at::<Named<CollectionId>>("id")
            .at::<u64>("number")
            .by(Key::Account)
            .empty(204)
            .refuses([No::NoSuchCollection, No::NoSuchGame]),
        Operation::post("/api/collections/{id}/games", "Adds a batch of games to a collection.")
            .details("From 1 to 200 games. Duplicates and refused games do not affect the other games of the batch.")
            .at::<Named<CollectionId>>("id")
            .by(Key::Account)
            .takes::<Named<GamesToCollect>>()
            .answers::<Named<CollectAnswer>>(200)
            .refuses([No::NoSuchCollection, No::CollectionFull, No::DiskFull]),
    ]
}
