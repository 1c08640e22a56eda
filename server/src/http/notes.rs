//! Notes about games over HTTP, for the account that wrote them.

use std::sync::Arc;

use axum::{Json, Router, body::Bytes, extract::Path, http::StatusCode, routing::get};
use fivefold_shared::{
    note::{NoteList, NoteText},
    protocol::RoomCode,
};

use super::account::asked::{AccountRefusal, Asked};
use crate::shared_state::Server;

/// The paths.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new().route("/api/notes", get(notes)).route("/api/notes/{room}", get(note).put(write))
}

/// `GET /api/notes`
async fn notes(asked: Asked) -> Result<Json<NoteList>, AccountRefusal> {
    let own = asked.signed_in().await?;
    Ok(Json(NoteList { notes: asked.server.accounts.notes(&own.account).await? }))
}

/// `GET /api/notes/{room}`
async fn note(asked: Asked, Path(room): Path<RoomCode>) -> Result<Json<NoteText>, AccountRefusal> {
    let own = asked.signed_in().await?;
    let note = asked.server.accounts.note(&own.account, room).await?;
    Ok(Json(NoteText { text: note.map_or_else(String::new, |note| note.text) }))
}

/// `PUT /api/notes/{room}`
async fn write(
    asked: Asked,
    Path(room): Path<RoomCode>,
    body: Bytes,
) -> Result<StatusCode, AccountRefusal> {
    let NoteText { text } = asked.body(&body)?;
    let own = asked.signed_in().await?;
    asked.take_change(&own.account.member)?;
    asked.server.accounts.write_note(&own.account, room, &text).await?;
    Ok(StatusCode::NO_CONTENT)
}
