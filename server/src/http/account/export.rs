//! The export of an account: everything that the server keeps of its member, without secrets. Its member gets
//! it over HTTP, an operator by the command line.

use std::iter;

use axum::{
    Json,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use fivefold_push::host_of;
use fivefold_shared::{
    clock::TimeOff,
    collection::Collection,
    conditional_moves::GameConditionalMoves,
    friends::{FriendStanding, OnlineTo},
    note::Note,
    protocol::{ChallengesFrom, GameId, GameSettings, MemberId, Name, Refusal, RoomCode},
    puzzle::PuzzleId,
    record::ListedGame,
};
use fivefold_storage::{
    Account, BlockEntry, BlockKind, Email, FriendChallenge, GameMark, GameQuery, KnownFriend,
    MarkKind, OldName, PushGame, PushMember, PushSettings, PushState, PushSubscription, PuzzleTry,
    Reader, Report, ReportKind, ReportQuery, ReportState, Sanction, SanctionKind, StorageError,
    Trace, TraceKind, WaitingNews,
};
use serde::Serialize;
use serde_json::Value;

use super::{
    asked::{AccountRefusal, Asked},
    bots::{ShownBot, shown_bots},
    shown::{ShownAccounts, ShownKeys, ShownSession, shown},
};
#[cfg(test)]
use crate::http::api_document::Named;
use crate::limits::{GAMES_PAGE_MAX, accounts::EXPORTED_GAMES_MAX};

/// All that the server knows of a member.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Export {
    #[serde(flatten)]
    account: ShownAccounts,
    renamed_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<u64>,
    bots: Vec<ShownBot>,
    #[cfg_attr(test, schemars(with = "Vec<Named<ListedGame>>"))]
    games: Vec<ListedGame>,
    #[serde(flatten)]
    kept: MemberData,
}

/// All that is kept of a member apart from the account and the games.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MemberData {
    #[cfg_attr(test, schemars(with = "Named<ChallengesFrom>"))]
    challenges_from: ChallengesFrom,
    /// Who can see whether the member is online.
    #[cfg_attr(test, schemars(with = "Named<OnlineTo>"))]
    online_to: OnlineTo,
    /// The settings of the member's pushes, the subscribed browsers, and the games and news that wait.
    pushes: ExportedPushes,
    /// Friends, and requests by the member and to them.
    friends: Vec<ExportedFriend>,
    old_names: Vec<ShownOldName>,
    /// Notes about the member's part in rated games.
    game_marks: Vec<ShownMark>,
    /// Where the account was used lately. The digests that the server compares say nothing to anybody.
    places: Vec<ShownTrace>,
    /// The member's notes about games, the newest first.
    #[cfg_attr(test, schemars(with = "Vec<Named<Note>>"))]
    notes: Vec<Note>,
    /// The member's collections of games, the most recently changed first, without their games.
    #[cfg_attr(test, schemars(with = "Vec<Named<Collection>>"))]
    collections: Vec<Collection>,
    /// Where the member gets e-mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<ExportedEmail>,
    /// The member's time off from daily games, the earliest first.
    #[cfg_attr(test, schemars(with = "Vec<Named<TimeOff>>"))]
    time_off: Vec<TimeOff>,
    /// The member's plans in daily games.
    conditional_moves: Vec<ExportedPlan>,
    /// The last tries at puzzles, the oldest first.
    puzzles: Vec<ExportedTry>,
    /// The people that the member has blocked or muted.
    blocks: Vec<ExportedBlock>,
    /// The last reports by the member, and by the guests that belong to the account.
    reports: Vec<ExportedReport>,
    /// The last sanctions against them, with the member's appeals.
    sanctions: Vec<ExportedSanction>,
}

/// A mark of one game.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownMark {
    #[cfg_attr(test, schemars(with = "Named<GameId>"))]
    game: GameId,
    kind: MarkKind,
    /// When the game ended, in milliseconds since the Unix epoch.
    at: u64,
}

/// An address, or a device, at which the account was used.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownTrace {
    kind: TraceKind,
    /// When last.
    at: u64,
}

/// A try at a puzzle, with what it left.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExportedTry {
    #[cfg_attr(test, schemars(with = "Named<PuzzleId>"))]
    puzzle: PuzzleId,
    solved: bool,
    rating: f64,
    at: u64,
}

/// A name that the account had.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownOldName {
    #[cfg_attr(test, schemars(with = "Named<Name>"))]
    name: Name,
    /// When the account got another one, in milliseconds since the Unix epoch.
    until: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExportedEmail {
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// An address that is not confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    named: Option<String>,
    language: String,
}

impl From<Email> for ExportedEmail {
    fn from(Email { confirmed, named, language, .. }: Email) -> Self {
        let named = Some(named).filter(|named| confirmed.as_ref() != Some(named));
        Self { address: confirmed, named, language }
    }
}

/// Conditional moves in one game.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExportedPlan {
    #[cfg_attr(test, schemars(with = "Named<RoomCode>"))]
    room: RoomCode,
    #[serde(flatten)]
    #[cfg_attr(test, schemars(with = "Named<GameConditionalMoves>"))]
    moves: GameConditionalMoves,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExportedPushes {
    settings: PushSettings,
    subscriptions: Vec<ExportedSubscription>,
    games: Vec<ExportedPushGame>,
    news: Vec<ExportedNews>,
}

/// A subscribed browser, without its keys. Anyone who knows an endpoint can fill its queue, so only the host is shown.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExportedSubscription {
    host: Option<String>,
    language: String,
    made_at: u64,
}

/// A game that waits for the member, as pushes know it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExportedPushGame {
    #[cfg_attr(test, schemars(with = "Named<RoomCode>"))]
    room: RoomCode,
    #[cfg_attr(test, schemars(with = "Option<Named<Name>>"))]
    opponent: Option<Name>,
    state: PushState,
    since: u64,
    flag_at: u64,
    due: Option<u64>,
}

/// Other news that waits until the member's quiet hours are over.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExportedNews {
    news: Value,
    due: u64,
    until: u64,
}

impl From<PushMember> for ExportedPushes {
    fn from(PushMember { subscriptions, settings, games, news, .. }: PushMember) -> Self {
        let subscription = |PushSubscription { endpoint, language, made_at, .. }| {
            ExportedSubscription { host: host_of(&endpoint), language, made_at }
        };
        let waiting = |WaitingNews { news, due, until, .. }| {
            let news = serde_json::from_str(&news).unwrap_or(Value::String(news));
            ExportedNews { news, due, until }
        };
        let game = |PushGame { room, opponent, state, since, turn, due, .. }| ExportedPushGame {
            room,
            opponent,
            state,
            since,
            flag_at: turn.flag_at,
            due,
        };
        Self {
            settings,
            subscriptions: subscriptions.into_iter().map(subscription).collect(),
            games: games.into_iter().map(game).collect(),
            news: news.into_iter().map(waiting).collect(),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExportedFriend {
    #[cfg_attr(test, schemars(with = "Named<MemberId>"))]
    member: MemberId,
    #[cfg_attr(test, schemars(with = "Named<Name>"))]
    name: Name,
    #[cfg_attr(test, schemars(with = "Named<FriendStanding>"))]
    standing: FriendStanding,
    at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge: Option<ExportedChallenge>,
}

/// A challenge that waits between two friends.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExportedChallenge {
    #[cfg_attr(test, schemars(with = "Named<MemberId>"))]
    by: MemberId,
    #[cfg_attr(test, schemars(with = "Named<GameSettings>"))]
    settings: GameSettings,
    at: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExportedBlock {
    #[cfg_attr(test, schemars(with = "Named<MemberId>"))]
    member: MemberId,
    #[cfg_attr(test, schemars(with = "Named<Name>"))]
    name: Name,
    kind: BlockKind,
    at: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExportedReport {
    #[cfg_attr(test, schemars(with = "Named<MemberId>"))]
    about: MemberId,
    #[cfg_attr(test, schemars(with = "Named<Name>"))]
    name: Name,
    kind: ReportKind,
    text: String,
    at: u64,
    state: ReportState,
    closed_at: Option<u64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExportedSanction {
    kind: SanctionKind,
    #[cfg_attr(test, schemars(with = "Named<Name>"))]
    name: Name,
    from: u64,
    until: Option<u64>,
    reason: String,
    seen_at: Option<u64>,
    appeal: Option<String>,
    appealed_at: Option<u64>,
    answered_at: Option<u64>,
    undone_at: Option<u64>,
}

impl From<Sanction> for ExportedSanction {
    fn from(sanction: Sanction) -> Self {
        Self {
            kind: sanction.kind,
            name: sanction.name,
            from: sanction.from_at,
            until: sanction.until_at,
            reason: sanction.reason,
            seen_at: sanction.seen_at,
            appeal: sanction.appeal,
            appealed_at: sanction.appealed_at,
            answered_at: sanction.answered_at,
            undone_at: sanction.undone_at,
        }
    }
}

/// Reads what is kept of a member. Notes are for operators.
fn kept(
    reader: &mut Reader,
    member: &MemberId,
    with_notes: bool,
) -> Result<MemberData, StorageError> {
    let old_name = |OldName { name, at }| ShownOldName { name, until: at };
    let mark = |GameMark { game, kind, at, .. }| ShownMark { game, kind, at };
    let place = |Trace { kind, at, .. }| ShownTrace { kind, at };
    let tried = |PuzzleTry { puzzle, solved, own, at, .. }| ExportedTry {
        puzzle,
        solved,
        rating: own.after.value,
        at,
    };
    let block =
        |BlockEntry { other: member, name, kind, at }| ExportedBlock { member, name, kind, at };
    let challenge = |FriendChallenge { by, settings, at }| ExportedChallenge { by, settings, at };
    let friend = |KnownFriend { member, name, standing, at, challenge: waiting, .. }| {
        let challenge = waiting.map(challenge);
        ExportedFriend { member, name, standing, at, challenge }
    };
    let report = |Report { about, about_name: name, kind, text, at, state, closed_at, .. }| {
        ExportedReport { about, name, kind, text, at, state, closed_at }
    };
    let (mut reports, mut sanctions) = (Vec::new(), Vec::new());
    for id in iter::once(member.clone()).chain(reader.aliases(member)?) {
        let of_id = reader.sanctions_of(&id)?.into_iter();
        let shown = of_id.filter(|one| with_notes || one.kind != SanctionKind::Note);
        sanctions.extend(shown.map(ExportedSanction::from));
        reports.extend(reader.reports(&ReportQuery::By(id))?.into_iter().map(report));
    }
    Ok(MemberData {
        challenges_from: reader.challenges_from(member)?,
        online_to: reader.online_to(member)?,
        pushes: reader.push_member(member)?.into(),
        friends: reader.friends(member)?.into_iter().map(friend).collect(),
        old_names: reader.old_names(member)?.into_iter().map(old_name).collect(),
        game_marks: reader.marks_of(member)?.into_iter().map(mark).collect(),
        places: reader.traces(member)?.into_iter().map(place).collect(),
        notes: reader.notes(member)?,
        collections: reader.collections(member)?,
        email: reader.email(member)?.map(ExportedEmail::from),
        time_off: reader.times_off(member)?,
        conditional_moves: reader
            .conditional_moves(member)?
            .into_iter()
            .filter_map(|(room, _, text)| Some((room, serde_json::from_str(&text?).ok()?)))
            .map(|(room, moves)| ExportedPlan { room, moves })
            .collect(),
        puzzles: reader.puzzle_tries(member)?.into_iter().map(tried).collect(),
        blocks: reader.block_lists(member)?.own.into_iter().map(block).collect(),
        reports,
        sanctions,
    })
}

/// The first page of a member's games.
fn first_page(member: MemberId) -> GameQuery {
    GameQuery { member: Some(member), unlisted: true, max: GAMES_PAGE_MAX, ..GameQuery::default() }
}

/// `GET /api/account/export`
pub(super) async fn export(asked: Asked) -> Result<Response, AccountRefusal> {
    let own = asked.signed_in().await?;
    let (member, renamed_at) = (own.account.member.clone(), own.account.renamed_at);
    let bots = shown_bots(&asked, &own.account).await?;
    let of = member.clone();
    let kept = asked.server.read_pool.try_read(move |reader| kept(reader, &of, false)).await;
    let kept = kept.map_err(Refusal::from)?;
    let account = shown(&asked, own).await?;
    // Page by page: others read in between.
    let (mut query, mut games) = (first_page(member), Vec::new());
    while games.len() < EXPORTED_GAMES_MAX {
        let page = query.clone();
        let list = asked.server.read_pool.try_read(move |reader| reader.games(&page)).await;
        let list = list.map_err(Refusal::from)?;
        games.extend(list.games);
        query.before = list.next;
        if query.before.is_none() {
            break;
        }
    }
    let file = "attachment; filename=\"fivefold-account.json\"";
    let headers = [(header::CONTENT_DISPOSITION, HeaderValue::from_static(file))];
    let export = Export { account, renamed_at, deleted_at: None, bots, games, kept };
    Ok((headers, Json(export)).into_response())
}

/// The export of an account as an operator gets it, with notes: JSON in several lines.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn export_text(reader: &mut Reader, account: Account) -> Result<String, StorageError> {
    let (member, renamed_at, deleted_at) =
        (account.member.clone(), account.renamed_at, account.deleted_at);
    let keys = reader.account_keys(&member)?;
    let mut bots = Vec::new();
    for bot in reader.bots_of(&member)? {
        let keys = reader.account_keys(&bot.member)?;
        bots.push(ShownBot::new(bot, &keys));
    }
    let shown_keys = ShownKeys::new(&keys, None, 0);
    let sessions = keys.sessions.into_iter().map(|own| ShownSession::new(own, None));
    let shown = ShownAccounts {
        operator: reader.is_operator(&member)?,
        sessions: Some(sessions.collect()),
        recovery_codes_left: Some(keys.codes_left),
        keys: Some(shown_keys),
        ..ShownAccounts::of(account)
    };
    let kept = kept(reader, &member, true)?;
    let (mut query, mut games) = (first_page(member), Vec::new());
    loop {
        let list = reader.games(&query)?;
        games.extend(list.games);
        query.before = list.next;
        if query.before.is_none() {
            break;
        }
    }
    let export = Export { account: shown, renamed_at, deleted_at, bots, games, kept };
    let text = serde_json::to_string_pretty(&export);
    text.map(|text| text + "\n").map_err(|error| StorageError::Failed(error.to_string()))
}
