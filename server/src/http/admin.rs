//! The server as its operators see it and what they do about it, over HTTP; and the link that makes the first one.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use axum::{
    Json, Router,
    body::Bytes,
    extract::Path,
    http::StatusCode,
    routing::{get, post},
};
use fivefold_shared::{
    clock::millis,
    protocol::{ChatText, MemberId, Name, ROOMS_MAX, Reason, Refusal, RoomCode, RoomSummary},
    room::SessionId,
};
use fivefold_storage::{Sanction, SanctionKind};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::{
    account::asked::{AccountRefusal, Asked},
    moderation::operators::{operator, operator_account},
};
#[cfg(test)]
use crate::http::api_document::{Key, Named, Operation};
use crate::{
    accounts::SignedIn,
    config::SettingsRead,
    limits::operators::{ACTS_KEPT, ANNOUNCEMENT_HOURS_MAX, SHOWN_TO_OPERATORS_MAX},
    online::{
        announcements::Announcement,
        logins::{self, OnlineMember},
    },
    process::operation::{Act, ActKind},
    rooms::lobby::NodeStatus,
    shared_state::Server,
};

/// The paths.
pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/api/admin", get(overview))
        .route("/api/admin/announcement", post(announce))
        .route("/api/admin/announcement/end", post(end_announcement))
        .route("/api/admin/nodes/{node}/pause", post(pause))
        .route("/api/admin/rooms/{code}/close", post(close_room))
        .route("/api/admin/settings/read", post(read_settings))
        .route("/api/first-operator", post(become_first_operator))
}

/// All that operators see. Times are in milliseconds since the Unix epoch.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ServerOverview"))]
struct Overview {
    now: u64,
    /// As `/readyz` of this node says it.
    readiness: &'static str,
    /// Absent if the server makes no backups.
    backups: Option<ShownBackups>,
    /// Of this node; absent if the database is elsewhere.
    disk: Option<ShownDisk>,
    /// This node comes first.
    nodes: Vec<NodeStatus>,
    /// Nodes that live and have not answered.
    unanswered: Vec<u32>,
    /// The settings of this node that can change while it runs, as lines of a settings file. Absent if the
    /// server was made without settings.
    settings: Option<Vec<String>>,
    announcement: Option<ShownAnnouncement>,
    /// By name.
    people: Vec<OnlineMember>,
    /// The games that run in public rooms.
    #[cfg_attr(test, schemars(with = "Vec<Named<RoomSummary>>"))]
    running: Vec<RoomSummary>,
    /// What operators did about the server, the newest first.
    acts: Vec<Act>,
    /// What operators decided about people, the newest first.
    decisions: Vec<ShownDecision>,
}

/// In bytes.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownDisk {
    used: u64,
    free: u64,
    /// With less free space no rooms are made.
    reserve: u64,
}

/// In milliseconds.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownBackups {
    /// Of the last one, or since the start of the server if it has made none yet.
    age: u64,
    every: u64,
    is_old: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownAnnouncement {
    #[cfg_attr(test, schemars(with = "Option<Named<ChatText>>"))]
    text: Option<ChatText>,
    until: u64,
    by: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownDecision {
    at: u64,
    #[cfg_attr(test, schemars(with = "Named<MemberId>"))]
    member: MemberId,
    #[cfg_attr(test, schemars(with = "Named<Name>"))]
    name: Name,
    kind: SanctionKind,
    until: Option<u64>,
    reason: String,
    operator: String,
    undone_at: Option<u64>,
    undone_by: Option<String>,
}

impl From<Sanction> for ShownDecision {
    fn from(sanction: Sanction) -> Self {
        let Sanction { member, name, kind, from_at, until_at, reason, operator, .. } = sanction;
        let (undone_at, undone_by) = (sanction.undone_at, sanction.undone_by);
        let (at, until) = (from_at, until_at);
        Self { at, member, name, kind, until, reason, operator, undone_at, undone_by }
    }
}

/// `GET /api/admin`
async fn overview(asked: Asked) -> Result<Json<Overview>, AccountRefusal> {
    operator(&asked).await?;
    let server = &asked.server;
    let now = server.clock.now();
    let (others, unanswered) = server.lobby.status_elsewhere().await;
    let mut nodes = vec![server.lobby.status_here(&server.logins)];
    nodes.extend(others);
    let (people, running, acts) = take_lists(&mut nodes);
    let read =
        server.moderation.read(|reader| Ok((reader.disk_space()?, reader.latest_sanctions()?)));
    let (space, decisions) = read.await?;
    let reserve = server.limits.disk_reserve;
    Ok(Json(Overview {
        now,
        readiness: server.health().await.readiness(),
        backups: server.backups.age().map(|(age, every)| ShownBackups {
            age: millis(age),
            every: millis(every),
            is_old: server.backups.last_backup_is_old(),
        }),
        disk: space.map(|space| ShownDisk { used: space.used, free: space.free, reserve }),
        nodes,
        unanswered,
        settings: server.reload.as_ref().map(|reload| reload.shown()),
        announcement: server.logins.announcements().current(now).map(|known| {
            let Announcement { by, text, until, .. } = known;
            ShownAnnouncement { text, until, by }
        }),
        people,
        running,
        acts,
        decisions: decisions.into_iter().map(ShownDecision::from).collect(),
    }))
}

/// Takes the lists out of what nodes say, and makes one of each kind.
fn take_lists(nodes: &mut [NodeStatus]) -> (Vec<OnlineMember>, Vec<RoomSummary>, Vec<Act>) {
    let mut people = BTreeMap::<(String, MemberId), OnlineMember>::new();
    let (mut running, mut acts) = (Vec::new(), Vec::new());
    for node in nodes {
        for one in node.people.drain(..) {
            let key = (logins::key(&one.name), one.member.clone());
            // Somebody may have sessions at several nodes.
            people.entry(key).and_modify(|known| known.sessions += one.sessions).or_insert(one);
        }
        running.append(&mut node.running);
        // The newest first, also of those of one millisecond.
        acts.extend(node.acts.drain(..).rev());
    }
    running.sort_unstable_by(|one: &RoomSummary, other| one.room.cmp(&other.room));
    // A room that goes from one node to another may be listed by both.
    running.dedup_by(|one, other| one.room == other.room);
    running.truncate(ROOMS_MAX);
    acts.sort_by_key(|act: &Act| Reverse(act.at));
    acts.truncate(ACTS_KEPT);
    (people.into_values().take(SHOWN_TO_OPERATORS_MAX).collect(), running, acts)
}

/// Notes what an operator has done.
fn note(asked: &Asked, operator: Name, kind: ActKind, about: String, reason: Option<String>) {
    let at = asked.server.clock.now();
    asked.server.operation.note(Act { at, operator, kind, about, reason });
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NewAnnouncement {
    /// One line.
    text: String,
    /// For how long.
    hours: u32,
}

/// `POST /api/admin/announcement`
async fn announce(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let NewAnnouncement { text, hours } = asked.body(&body)?;
    let operator = operator(&asked).await?;
    let text = ChatText::new(&text).map_err(Refusal::malformed)?;
    if !(1..=ANNOUNCEMENT_HOURS_MAX).contains(&hours) {
        let range = format!("an announcement lasts 1 to {ANNOUNCEMENT_HOURS_MAX} hours");
        return Err(Refusal::malformed(range).into());
    }
    const HOUR: Duration = Duration::from_secs(60 * 60);
    asked.audit.why(text.as_str());
    let (server, at) = (&asked.server, asked.server.clock.now());
    let (by, until) = (operator.to_string(), at + millis(HOUR * hours));
    let announcement = Announcement { at, by, text: Some(text.clone()), until };
    server.lobby.announce(&server.logins, announcement);
    note(&asked, operator, ActKind::Announce, text.into(), None);
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/admin/announcement/end`
async fn end_announcement(asked: Asked) -> Result<StatusCode, AccountRefusal> {
    let operator = operator(&asked).await?;
    let server = &asked.server;
    let text = server.lobby.end_announcement(&server.logins, operator.to_string())?;
    asked.audit.why(text.as_str());
    note(&asked, operator, ActKind::EndAnnouncement, text.into(), None);
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NewPause {
    paused: bool,
}

/// `POST /api/admin/nodes/{node}/pause`
async fn pause(
    asked: Asked,
    Path(node): Path<u32>,
    body: Bytes,
) -> Result<StatusCode, AccountRefusal> {
    let NewPause { paused } = asked.body(&body)?;
    asked.audit.what(if paused { "pause" } else { "resume" });
    let operator = operator(&asked).await?;
    asked.server.lobby.pause(node, paused).await?;
    let kind = if paused { ActKind::Pause } else { ActKind::Resume };
    note(&asked, operator, kind, node.to_string(), None);
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RoomClosing"))]
struct Closing {
    /// One line, which everybody in the room reads.
    reason: String,
}

/// `POST /api/admin/rooms/{code}/close`
async fn close_room(
    asked: Asked,
    Path(room): Path<RoomCode>,
    body: Bytes,
) -> Result<StatusCode, AccountRefusal> {
    let Closing { reason } = asked.body(&body)?;
    let operator = operator_account(&asked).await?;
    let why = ChatText::new(&reason).map_err(Refusal::malformed)?;
    asked.audit.why(why.as_str());
    let server = &asked.server;
    // Somebody else decides about a game of their own.
    let own = server.own_rooms(&operator.member).await?;
    if own.iter().any(|own| own.summary.room == room && own.seat.is_some()) {
        return Err(Reason::AlreadySeated.into());
    }
    let session = SessionId(server.next_session.fetch_add(1, Ordering::Relaxed));
    let address = asked.device.address;
    let closed = server.lobby.close_by_operator(&room, session, address, why.clone()).await;
    let kind = match &closed {
        Ok(()) => ActKind::CloseRoom,
        // It may still close.
        Err(refusal) if refusal.reason == Reason::Unavailable => ActKind::AskToClose,
        Err(refusal) => return Err(refusal.clone().into()),
    };
    note(&asked, operator.name, kind, room.to_string(), Some(why.into()));
    closed?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/admin/settings/read`
async fn read_settings(asked: Asked) -> Result<Json<SettingsRead>, AccountRefusal> {
    let operator = operator(&asked).await?;
    let Some(reload) = asked.server.reload.clone() else {
        return Err(Reason::Unavailable.into());
    };
    let read = spawn_blocking(move || reload.read_again()).await;
    let read = read.map_err(|_| Refusal::new(Reason::Unavailable))?;
    note(&asked, operator, ActKind::ReadSettings, read.summary(), None);
    Ok(Json(read))
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OperatorLink {
    /// From the link.
    token: String,
}

/// `POST /api/first-operator`
async fn become_first_operator(asked: Asked, body: Bytes) -> Result<StatusCode, AccountRefusal> {
    let OperatorLink { token } = asked.body(&body)?;
    let SignedIn { account, .. } = asked.signed_in().await?;
    let (accounts, address) = (&asked.server.accounts, asked.device.address);
    accounts.become_first_operator(&account, &token, address).await?;
    let name = account.name.to_string();
    note(&asked, account.name, ActKind::FirstOperator, name, None);
    Ok(StatusCode::NO_CONTENT)
}

/// What the API's document says of these paths.
#[cfg(test)]
pub(super) fn operations() -> Vec<Operation> {
    use Reason as No;

    vec![
        Operation::get("/api/admin", "The server as a whole, and what operators did.")
            .for_operators()
            .answers::<Overview>(200),
        Operation::post("/api/admin/announcement", "Tells everybody something.")
            .for_operators()
            .takes::<NewAnnouncement>()
            .empty(204),
        Operation::post("/api/admin/announcement/end", "Takes the announcement back.")
            .for_operators()
            .empty(204)
            .refuses([No::NoSuchCase]),
        Operation::post("/api/admin/nodes/{node}/pause", "Pauses new rooms at a node, or ends that.")
            .for_operators()
            .at::<u32>("node")
            .takes::<NewPause>()
            .empty(204)
            .refuses([No::NoSuchCase]),
        Operation::post("/api/admin/rooms/{code}/close", "Closes a room.")
            .for_operators()
            .at::<Named<RoomCode>>("code")
            .takes::<Closing>()
            .empty(204)
            .refuses([No::NoSuchRoom, No::RoomDamaged, No::AlreadySeated]),
        Operation::post("/api/admin/settings/read", "Reads the settings of this node again.")
            .for_operators()
            .answers::<SettingsRead>(200),
        Operation::post("/api/first-operator", "Makes the account the first operator, by a link.")
            .details(
                "The server prints the link at its start while it has no operator. For the page, and it may \
                 change between versions.",
            )
            .by(Key::Account)
            .takes::<OperatorLink>()
            .empty(204)
            .refuses([No::WrongOperatorLink, No::TooManyTries]),
    ]
}
