//! `/api/position`: judges a position by the rules and reads game files, for pages, which know
//! neither rules nor formats. It does not know rooms.

use std::sync::Arc;

use axum::{
    Extension, Json,
    body::Bytes,
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use fivefold_shared::{protocol::Judged, questions::PositionQuestion};
use fivefold_storage::RatedPosition;

use super::{
    account::own_positions,
    caller::Caller,
    questions::{no_result, read},
    refusals::{Refused, refused},
};
#[cfg(test)]
use crate::http::api_document::{Key, Named, Operation};
use crate::shared_state::Server;
#[cfg(test)]
use fivefold_shared::protocol::Reason;

/// Plays the moves as far as they are legal, and reports the position reached.
pub(super) async fn judge(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let own = match own_positions(&server, &caller, &headers).await {
        Ok(own) => own,
        Err(refusal) => return refused(refusal).into_response(),
    };
    let asked = Arc::clone(&server);
    let judging =
        server.jobs.run(caller.address, move || match judged(&asked, &headers, &body, &own) {
            Ok(judged) => ([(header::CACHE_CONTROL, "no-store")], Json(judged)).into_response(),
            Err(refused) => refused.into_response(),
        });
    judging.await.unwrap_or_else(|why| no_result(&server, why))
}

fn judged(
    server: &Server,
    headers: &HeaderMap,
    body: &[u8],
    own: &[RatedPosition],
) -> Result<Judged, Refused> {
    let question: PositionQuestion = read(headers, body)?;
    let judged = question.answer();
    let judged = judged.map_err(refused)?;
    let may_help = server.rated.may_help(&judged.moves, own);
    may_help.map_err(refused)?;
    Ok(judged)
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::post(
            "/api/position",
            "Judges a position by the rules, or reads the text of a game.",
        )
        .by(Key::Maybe("games:read"))
        .takes::<Named<PositionQuestion>>()
        .answers::<Named<Judged>>(200)
        .refuses([No::UnreadableGame, No::RatedGame]),
    ]
}
