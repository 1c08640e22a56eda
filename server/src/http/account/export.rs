//! The export of an account: everything that the server keeps of its member, without secrets.

use axum::{
    Json,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::{protocol::Reason, record::ListedGame};
use serde::Serialize;

use super::{
    asked::{AccountRefusal, Asked},
    bots::{ShownBot, shown_bots},
    shown::{ShownAccounts, shown},
};
use crate::{
    limits::{GAMES_PAGE_MAX, accounts::EXPORTED_GAMES_MAX},
    storage::GameQuery,
};

/// All that the server knows of a member.
#[derive(Serialize)]
struct Export {
    #[serde(flatten)]
    account: ShownAccounts,
    renamed_at: Option<u64>,
    bots: Vec<ShownBot>,
    games: Vec<ListedGame>,
}

/// `GET /api/account/export`
pub(super) async fn export(asked: Asked) -> Result<Response, AccountRefusal> {
    let own = asked.signed_in().await?;
    let (member, renamed_at) = (own.account.member.clone(), own.account.renamed_at);
    let bots = shown_bots(&asked, &own.account).await?;
    let account = shown(&asked, own).await?;
    let mut query = GameQuery {
        member: Some(member),
        unlisted: true,
        max: GAMES_PAGE_MAX,
        ..GameQuery::default()
    };
    let mut games = Vec::new();
    while games.len() < EXPORTED_GAMES_MAX {
        let page = query.clone();
        let list = asked.server.read_pool.try_read(move |reader| reader.games(&page)).await;
        let list = list.map_err(|_| Reason::Busy)?;
        games.extend(list.games);
        query.before = list.next;
        if query.before.is_none() {
            break;
        }
    }
    let file = "attachment; filename=\"fivefold-account.json\"";
    let headers = [(header::CONTENT_DISPOSITION, HeaderValue::from_static(file))];
    Ok((headers, Json(Export { account, renamed_at, bots, games })).into_response())
}
