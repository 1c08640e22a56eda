//! Notes about games over HTTP, for the account that wrote them.

use std::sync::Arc;

use axum::{Json, Router, body::Bytes, extract::Path, http::StatusCode, routing::get};
use fivefold_shared::{
    note::{NoteList, NoteText},
    protocol::RoomCode,
};

use super::account::asked::{AccountRefusal, Asked};
#[cfg(test)]
use crate::http::api_document::{Key, Named, Operation};
use crate::shared_state::Server;
#[cfg(test)]
use fivefold_shared::protocol::Reason;

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

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/api/notes", "The account's notes about games, the newest first.")
            .by(Key::Account)
            .answers::<Named<NoteList>>(200),
        Operation::get("/api/notes/{room}", "The note about the games of a room.")
            .at::<Named<RoomCode>>("room")
            .by(Key::Account)
            .answers::<Named<NoteText>>(200),
        Operation::put("/api/notes/{room}", "Replaces the note; an empty text deletes it.")
            .at::<Named<RoomCode>>("room")
            .by(Key::Account)
            .takes::<Named<NoteText>>()
            .empty(204)
            .refuses([No::TooManyKeys]),
    ]
}
