//! People who spoil it for others, over HTTP: who somebody blocks and reports, and what somebody says against
//! a sanction. For accounts and guests.

mod case_text;
pub(super) mod operators;

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::Path,
    http::StatusCode,
    routing::{delete, get, post},
};
use fivefold_shared::protocol::{ChatText, GameId, MemberId, Name, Reason, Refusal, RoomCode};
use fivefold_storage::{
    BlockEntry, BlockKind, CaseId, ModerationChange, Report, ReportKind, ReportQuery, ReportState,
    ReportedLine, name_key,
};
use serde::{Deserialize, Serialize};

use self::case_text::case_text;
use super::account::asked::{AccountRefusal, Asked};
#[cfg(test)]
use crate::http::api_document::{Key, Named, Operation};
use crate::{
    accounts::{Credentials, passwords::Password},
    moderation::cases::name_of,
    process::ids,
    shared_state::Server,
};

/// The paths.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/blocks", get(blocks).post(block))
        .route("/api/blocks/{member}", delete(unblock))
        .route("/api/reports", get(own_reports).post(report))
        .route("/api/sanctions/{id}/seen", post(seen))
        .route("/api/appeals", post(appeal))
        .merge(operators::routes())
}

/// One entry of a list of people.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownBlock {
    #[cfg_attr(test, schemars(with = "Named<MemberId>"))]
    member: MemberId,
    #[cfg_attr(test, schemars(with = "Named<Name>"))]
    name: Name,
    kind: BlockKind,
    at: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownBlocks {
    blocks: Vec<ShownBlock>,
}

/// `GET /api/blocks`
async fn blocks(asked: Asked) -> Result<Json<ShownBlocks>, AccountRefusal> {
    let member = asked.member().await?;
    let own = asked.server.blocks.list(&member).await?;
    let shown = |BlockEntry { other, name, kind, at }| ShownBlock { member: other, name, kind, at };
    Ok(Json(ShownBlocks { blocks: own.into_iter().map(shown).collect() }))
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NewBlock {
    /// Absent for the account, or the one person online, of this name.
    #[cfg_attr(test, schemars(with = "Option<Named<MemberId>>"))]
    member: Option<MemberId>,
    #[cfg_attr(test, schemars(with = "Named<Name>"))]
    name: Name,
    kind: BlockKind,
}

/// `POST /api/blocks`
async fn block(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let NewBlock { member: other, name, kind } = asked.body(&body)?;
    let member = asked.member().await?;
    let other = match other {
        Some(other) => asked.server.blocks.person(other).await?,
        None => named(&asked, &name).await?,
    };
    if member == other {
        return Err(Refusal::malformed("nobody blocks themselves").into());
    }
    asked.take_change(&member)?;
    let entry = BlockEntry { other, name, kind, at: asked.server.clock.now() };
    asked.server.blocks.add(&member, entry).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The account of this name, or the one person of this name who is online here.
async fn named(asked: &Asked, name: &Name) -> Result<MemberId, Refusal> {
    let key = name_key(name);
    let account = asked.server.moderation.read(move |reader| reader.account_called(&key)).await?;
    if let Some(account) = account {
        return Ok(account.member);
    }
    match <[MemberId; 1]>::try_from(asked.server.logins.named(name)) {
        Ok([member]) => Ok(member),
        Err(named) if named.is_empty() => Err(Refusal::new(Reason::NobodyOnline)),
        Err(_) => Err(Refusal::new(Reason::SeveralOnline)),
    }
}

/// `DELETE /api/blocks/{member}`
async fn unblock(asked: Asked, Path(other): Path<MemberId>) -> Result<StatusCode, AccountRefusal> {
    let member = asked.member().await?;
    asked.take_change(&member)?;
    asked.server.blocks.remove(&member, &other).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NewReport {
    #[cfg_attr(test, schemars(with = "Named<MemberId>"))]
    about: MemberId,
    #[cfg_attr(test, schemars(with = "Named<Name>"))]
    name: Name,
    kind: ReportKind,
    /// May be empty.
    #[serde(default)]
    text: String,
    #[cfg_attr(test, schemars(with = "Option<Named<GameId>>"))]
    game: Option<GameId>,
    line: Option<QuotedLine>,
}

/// A line of chat as the reporter quotes it.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct QuotedLine {
    #[cfg_attr(test, schemars(with = "Named<RoomCode>"))]
    room: RoomCode,
    number: u64,
    #[cfg_attr(test, schemars(with = "Named<ChatText>"))]
    text: ChatText,
}

/// `POST /api/reports`
async fn report(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let NewReport { about, name, kind, text, game, line } = asked.body(&body)?;
    let text = if text.trim().is_empty() { String::new() } else { case_text(&text)? };
    let reporter = asked.member().await?;
    if reporter == about {
        return Err(Refusal::malformed("nobody reports themselves").into());
    }
    let server = &asked.server;
    server.moderation.take_report(asked.device.address)?;
    let line = line.map(|quoted| check_line(server, &about, quoted));
    let (id, wanted) = (about.clone(), game.clone());
    let (stored, is_game) = server
        .moderation
        .read(move |reader| {
            let is_game = wanted.map(|game| reader.game(&game)).transpose()?.flatten().is_some();
            Ok((name_of(reader, &id)?, is_game))
        })
        .await?;
    let report = Report {
        id: ids::case_id(),
        reporter,
        about,
        about_name: stored.unwrap_or(name),
        kind,
        // A game that is running is in no list.
        game: game.filter(|_| is_game),
        line,
        text,
        at: server.clock.now(),
        state: ReportState::Open,
        closed_at: None,
        closed_by: None,
    };
    let change = ModerationChange::Report(Box::new(report));
    server.moderation.change(change, Reason::TooManyReports).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The line as the server has sent it, if it was lately.
fn check_line(server: &Server, about: &MemberId, quoted: QuotedLine) -> ReportedLine {
    let QuotedLine { room, number, text } = quoted;
    let said = server.heard.find(&room, number).filter(|line| line.member == *about);
    match said {
        Some(line) => ReportedLine { room, text: line.text, verified: true },
        None => ReportedLine { room, text, verified: false },
    }
}

/// A report as its reporter sees it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OwnReport {
    #[cfg_attr(test, schemars(with = "Named<Name>"))]
    name: Name,
    kind: ReportKind,
    at: u64,
    state: ReportState,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OwnReports {
    reports: Vec<OwnReport>,
}

/// `GET /api/reports`
async fn own_reports(asked: Asked) -> Result<Json<OwnReports>, AccountRefusal> {
    let member = asked.member().await?;
    let query = ReportQuery::By(member);
    let reports = asked.server.moderation.read(move |reader| reader.reports(&query)).await?;
    let shown = |report: Report| {
        let Report { about_name: name, kind, at, state, .. } = report;
        OwnReport { name, kind, at, state }
    };
    Ok(Json(OwnReports { reports: reports.into_iter().map(shown).collect() }))
}

/// `POST /api/sanctions/{id}/seen`
async fn seen(asked: Asked, Path(id): Path<CaseId>) -> Result<StatusCode, AccountRefusal> {
    let member = asked.member().await?;
    let at = asked.server.clock.now();
    let change = ModerationChange::Seen { id, member, at };
    asked.server.moderation.change(change, Reason::NoSuchCase).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NewAppeal {
    text: String,
    /// Absent for the one that closes the account, with name and password.
    sanction: Option<CaseId>,
    name: Option<String>,
    password: Option<Password>,
}

/// `POST /api/appeals`
async fn appeal(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let NewAppeal { text, sanction, name, password } = asked.body(&body)?;
    let text = case_text(&text)?;
    let (member, id) = match (sanction, name.zip(password)) {
        (Some(id), None) => (asked.member().await?, id),
        (None, Some((name, password))) => {
            let typed = Credentials { name, password };
            let account = asked.server.accounts.named(typed, &asked.device).await?;
            let closing = asked.server.moderation.closing(&account.member);
            (account.member, closing.ok_or(Reason::NoSuchCase)?)
        }
        (Some(_), Some(_)) | (None, None) => {
            return Err(Refusal::malformed("say `sanction`, or `name` and `password`").into());
        }
    };
    let at = asked.server.clock.now();
    let change = ModerationChange::Appeal { id, member, text, at };
    asked.server.moderation.change(change, Reason::NoSuchCase).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/api/blocks", "The people that the member has blocked or muted, the newest first.")
            .by(Key::Member)
            .answers::<ShownBlocks>(200),
        Operation::post("/api/blocks", "Blocks or mutes somebody.")
            .by(Key::Member)
            .takes::<NewBlock>()
            .empty(204)
            .refuses([No::NobodyOnline, No::SeveralOnline, No::TooManyBlocks]),
        Operation::delete("/api/blocks/{member}", "Takes somebody off the list.")
            .at::<Named<MemberId>>("member")
            .by(Key::Member)
            .empty(204),
        Operation::get("/api/reports", "The member's own reports.")
            .by(Key::Member)
            .answers::<OwnReports>(200),
        Operation::post("/api/reports", "Reports somebody to the operators.")
            .by(Key::Member)
            .takes::<NewReport>()
            .empty(204)
            .refuses([No::TooManyReports, No::AlreadyReported, No::ReportsFull]),
        Operation::post("/api/sanctions/{id}/seen", "Notes that the member has read a sanction.")
            .at::<CaseId>("id")
            .by(Key::Member)
            .empty(204)
            .refuses([No::NoSuchCase]),
        Operation::post("/api/appeals", "Appeals against a sanction, once.")
            .details(
                "With `sanction` as the member who has it; or with `name` and `password` of an account \
                 that is closed.",
            )
            .by(Key::Member)
            .takes::<NewAppeal>()
            .empty(204)
            .refuses([No::NoSuchCase, No::WrongPassword, No::TooManyTries]),
    ]
}
