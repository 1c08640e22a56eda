//! The export of an account: everything that the server keeps of its member, without secrets.

use axum::{
    Json,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::{
    protocol::{GameId, Name, Reason},
    puzzle::PuzzleId,
    record::ListedGame,
};
use serde::Serialize;

use super::{
    asked::{AccountRefusal, Asked},
    bots::{ShownBot, shown_bots},
    shown::{ShownAccounts, shown},
};
use crate::{
    limits::{GAMES_PAGE_MAX, accounts::EXPORTED_GAMES_MAX},
    storage::{GameMark, GameQuery, MarkKind, OldName, PuzzleTry, StorageReader},
};

/// All that the server knows of a member.
#[derive(Serialize)]
struct Export {
    #[serde(flatten)]
    account: ShownAccounts,
    renamed_at: Option<u64>,
    bots: Vec<ShownBot>,
    old_names: Vec<ShownOldName>,
    games: Vec<ListedGame>,
    /// Notes about the member's part in rated games.
    game_marks: Vec<ShownMark>,
    /// The last tries at puzzles, the oldest first.
    puzzles: Vec<ExportedTry>,
}

/// A mark of one game.
#[derive(Serialize)]
struct ShownMark {
    game: GameId,
    kind: MarkKind,
    /// When the game ended, in milliseconds since the Unix epoch.
    at: u64,
}

/// A try at a puzzle, with what it left.
#[derive(Serialize)]
struct ExportedTry {
    puzzle: PuzzleId,
    solved: bool,
    rating: f64,
    at: u64,
}

/// A name that the account had.
#[derive(Serialize)]
struct ShownOldName {
    name: Name,
    /// When the account got another one, in milliseconds since the Unix epoch.
    until: u64,
}

/// `GET /api/account/export`
pub(super) async fn export(asked: Asked) -> Result<Response, AccountRefusal> {
    let own = asked.signed_in().await?;
    let (member, renamed_at) = (own.account.member.clone(), own.account.renamed_at);
    let bots = shown_bots(&asked, &own.account).await?;
    let of = member.clone();
    let read = move |reader: &mut dyn StorageReader| {
        Ok((reader.old_names(&of)?, reader.marks_of(&of)?, reader.puzzle_tries(&of)?))
    };
    let kept = asked.server.read_pool.try_read(read).await.map_err(|_| Reason::Busy)?;
    let (old_names, marks, tries) = kept;
    let old_name = |OldName { name, at }| ShownOldName { name, until: at };
    let old_names = old_names.into_iter().map(old_name).collect();
    let shown_mark = |GameMark { game, kind, at, .. }| ShownMark { game, kind, at };
    let game_marks = marks.into_iter().map(shown_mark).collect();
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
    let exported = |PuzzleTry { puzzle, solved, own, at, .. }| ExportedTry {
        puzzle,
        solved,
        rating: own.after.value,
        at,
    };
    let puzzles = tries.into_iter().map(exported).collect();
    let file = "attachment; filename=\"fivefold-account.json\"";
    let headers = [(header::CONTENT_DISPOSITION, HeaderValue::from_static(file))];
    let export = Export { account, renamed_at, bots, old_names, games, game_marks, puzzles };
    Ok((headers, Json(export)).into_response())
}
