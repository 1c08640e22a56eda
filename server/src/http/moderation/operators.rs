//! The operator's queue over HTTP, for members who are operators: `fivefold-server operator` makes them so, and the
//! link of the first start.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::Path,
    http::StatusCode,
    routing::{get, post},
};
use fivefold_shared::protocol::{MemberId, Name, Reason, Refusal};
use fivefold_storage::{Account, CaseId, ModerationChange, OpenReports, ReportState, SanctionKind};
use serde::{Deserialize, Serialize};

use super::{
    super::account::asked::{AccountRefusal, Asked},
    case_text::case_text,
};
#[cfg(test)]
use crate::http::api_document::{Named, Operation};
use crate::{
    accounts::SignedIn,
    moderation::{
        cases::{Case, CaseFile, case_file, queue},
        decisions::{Decision, DecisionError, decide},
    },
    shared_state::Server,
};

/// The paths.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/moderation", get(cases))
        .route("/api/moderation/people/{member}", get(person).post(sanction))
        .route("/api/moderation/people/{member}/reports", post(close_reports))
        .route("/api/moderation/sanctions/{id}/undo", post(undo))
        .route("/api/moderation/sanctions/{id}/answer", post(answer))
}

/// The name of the operator who asks.
pub(in crate::http) async fn operator(asked: &Asked) -> Result<Name, AccountRefusal> {
    Ok(operator_account(asked).await?.name)
}

/// The operator who asks.
pub(in crate::http) async fn operator_account(asked: &Asked) -> Result<Account, AccountRefusal> {
    let SignedIn { account, .. } = asked.signed_in().await?;
    let member = account.member.clone();
    let is_operator =
        asked.server.moderation.read(move |reader| reader.is_operator(&member)).await?;
    if is_operator { Ok(account) } else { Err(Reason::OperatorsOnly.into()) }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "CaseQueue"))]
struct Queue {
    /// The one to decide first comes first.
    cases: Vec<Case>,
}

/// `GET /api/moderation`
async fn cases(asked: Asked) -> Result<Json<Queue>, AccountRefusal> {
    operator(&asked).await?;
    let now = asked.server.clock.now();
    let cases = asked.server.moderation.read(move |reader| queue(reader, now)).await?;
    Ok(Json(Queue { cases }))
}

/// `GET /api/moderation/people/{member}`
async fn person(
    asked: Asked,
    Path(member): Path<MemberId>,
) -> Result<Json<CaseFile>, AccountRefusal> {
    operator(&asked).await?;
    let now = asked.server.clock.now();
    let file = asked.server.moderation.read(move |reader| case_file(reader, &member, now)).await?;
    Ok(Json(file))
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NewSanction {
    kind: SanctionKind,
    /// One line; the member reads it, except in a note.
    reason: String,
    /// Absent for one without an end.
    days: Option<u32>,
}

/// `POST /api/moderation/people/{member}`
async fn sanction(
    asked: Asked,
    Path(member): Path<MemberId>,
    body: Bytes,
) -> Result<StatusCode, AccountRefusal> {
    let NewSanction { kind, reason, days } = asked.body(&body)?;
    asked.audit.what(kind.as_str());
    let operator = operator(&asked).await?.to_string();
    let reason = case_text(&reason)?;
    let (now, moderation) = (asked.server.clock.now(), &asked.server.moderation);
    let id = member.clone();
    let file = moderation.read(move |reader| case_file(reader, &id, now)).await?;
    let decision = Decision { kind, days, reason, operator };
    let sanction = decide(&file, decision, now).map_err(refused)?;
    let change = ModerationChange::Sanction(Box::new(sanction));
    moderation.change(change, Reason::ServerFull).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn refused(error: DecisionError) -> Refusal {
    match error {
        DecisionError::Nobody => Refusal::new(Reason::NoSuchCase),
        DecisionError::Days | DecisionError::NoAccount => Refusal::malformed(error),
    }
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ReportOutcome"))]
struct Outcome {
    /// Not `open`.
    state: ReportState,
}

/// `POST /api/moderation/people/{member}/reports`
async fn close_reports(
    asked: Asked,
    Path(about): Path<MemberId>,
    body: Bytes,
) -> Result<StatusCode, AccountRefusal> {
    let Outcome { state } = asked.body(&body)?;
    let by = operator(&asked).await?.to_string();
    if state == ReportState::Open {
        return Err(Refusal::malformed("reports are `acted` or `dismissed`").into());
    }
    let (which, at) = (OpenReports::About(about), asked.server.clock.now());
    let change = ModerationChange::CloseReports { which, state, at, by };
    asked.server.moderation.change(change, Reason::NoSuchCase).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/moderation/sanctions/{id}/undo`
async fn undo(asked: Asked, Path(id): Path<CaseId>) -> Result<StatusCode, AccountRefusal> {
    let by = operator(&asked).await?.to_string();
    let change = ModerationChange::Undo { id, at: asked.server.clock.now(), by };
    asked.server.moderation.change(change, Reason::NoSuchCase).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/moderation/sanctions/{id}/answer`
async fn answer(asked: Asked, Path(id): Path<CaseId>) -> Result<StatusCode, AccountRefusal> {
    let by = operator(&asked).await?.to_string();
    let change = ModerationChange::Answer { id, at: asked.server.clock.now(), by };
    asked.server.moderation.change(change, Reason::NoSuchCase).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(in crate::http) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/api/moderation", "The people with open reports, appeals or hints.")
            .for_operators()
            .answers::<Queue>(200),
        Operation::get("/api/moderation/people/{member}", "All that is known about a person.")
            .for_operators()
            .at::<Named<MemberId>>("member")
            .answers::<CaseFile>(200),
        Operation::post("/api/moderation/people/{member}", "Decides something about a person.")
            .for_operators()
            .at::<Named<MemberId>>("member")
            .takes::<NewSanction>()
            .empty(204)
            .refuses([No::NoSuchCase, No::ServerFull]),
        Operation::post(
            "/api/moderation/people/{member}/reports",
            "Closes the open reports about a person.",
        )
        .for_operators()
        .at::<Named<MemberId>>("member")
        .takes::<Outcome>()
        .empty(204)
        .refuses([No::NoSuchCase]),
        Operation::post("/api/moderation/sanctions/{id}/undo", "Takes a sanction back.")
            .for_operators()
            .at::<CaseId>("id")
            .empty(204)
            .refuses([No::NoSuchCase]),
        Operation::post(
            "/api/moderation/sanctions/{id}/answer",
            "Notes that an appeal is answered.",
        )
        .for_operators()
        .at::<CaseId>("id")
        .empty(204)
        .refuses([No::NoSuchCase]),
    ]
}
