//! What operators see: the queue of people with open reports or appeals, and all that is known about one
//! person. For the page as JSON, and for the command line as text.
//!
//! It decides nothing, and changes nothing.

mod agreement;
mod hints;
mod signals;
mod standing;
mod text;
mod words;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use fivefold_shared::{
    protocol::{GameId, MemberId, Name},
    seat::Seat,
};
use fivefold_storage::{
    Account, ExaminedGame, GameMark, GameQuery, IdentityHash, Reader, Report, ReportKind,
    ReportQuery, ReportState, ReportedLine, Sanction, SanctionKind, StorageError,
    limits::QUEUE_MAX, name_key,
};
use serde::Serialize;

use self::{
    agreement::Bands,
    hints::{Hints, hints},
    signals::{Signals, signals},
    standing::Rank,
};
pub use self::{
    hints::HintKind,
    text::{decision_text, file_text, in_force, queue_text},
    words::{number, time},
};
#[cfg(test)]
use crate::http::Named;
use crate::limits::moderation::SIGNAL_GAMES_MAX;

/// A person in the queue.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Case {
    /// The person.
    #[cfg_attr(test, schemars(with = "Named<MemberId>"))]
    pub member: MemberId,
    /// Their name.
    #[cfg_attr(test, schemars(with = "Named<Name>"))]
    pub name: Name,
    /// How many reports are open.
    pub reports: usize,
    /// Of these, by guests.
    pub guests: usize,
    /// Of these, for what; each once.
    pub kinds: Vec<ReportKind>,
    /// How many appeals nobody has answered.
    pub appeals: usize,
    /// What the person's rated games show since the last decision about them.
    pub hints: Vec<HintKind>,
    /// Time of the first open report or appeal; without these, of the last game with a hint. In
    /// milliseconds since the Unix epoch.
    pub since: u64,
}

/// The queue at a time. People with an appeal, or reported by those with the best standing, come first, and
/// of these the ones who wait longest; then those with nothing but hints.
///
/// # Errors
/// If it cannot be read.
pub fn queue(reader: &mut Reader, now: u64) -> Result<Vec<Case>, StorageError> {
    let mut cases: BTreeMap<MemberId, (Rank, Case)> = BTreeMap::new();
    for open in reader.open_reports()? {
        let (report, rank) = (open.report, Rank::of(open.standing, now));
        let case = entry(&mut cases, (&report.about, &report.about_name), rank, report.at);
        case.reports += 1;
        case.guests += usize::from(open.standing.account_since.is_none());
        if !case.kinds.contains(&report.kind) {
            case.kinds.push(report.kind);
        }
    }
    for sanction in reader.appeals()? {
        let since = sanction.appeal_waits_since().unwrap_or(sanction.from_at);
        entry(&mut cases, (&sanction.member, &sanction.name), Rank::Appeal, since).appeals += 1;
    }
    for (member, kinds, at) in hinted(reader)? {
        if let Some((_, case)) = cases.get_mut(&member) {
            case.hints = kinds;
        } else if cases.len() < 3 * QUEUE_MAX
            && let Some(name) = name_of(reader, &member)?
        {
            entry(&mut cases, (&member, &name), Rank::Hints, at).hints = kinds;
        }
    }
    let mut cases: Vec<_> = cases.into_values().collect();
    cases.sort_by_key(|(rank, case)| (Reverse(*rank), case.since));
    Ok(cases.into_iter().map(|(_, case)| case).collect())
}

fn entry<'c>(
    cases: &'c mut BTreeMap<MemberId, (Rank, Case)>,
    (member, name): (&MemberId, &Name),
    rank: Rank,
    at: u64,
) -> &'c mut Case {
    let new = || Case {
        member: member.clone(),
        name: name.clone(),
        reports: 0,
        guests: 0,
        kinds: Vec::new(),
        appeals: 0,
        hints: Vec::new(),
        since: at,
    };
    let (best, case) = cases.entry(member.clone()).or_insert_with(|| (rank, new()));
    *best = rank.max(*best);
    case.since = case.since.min(at);
    case
}

/// What the server has kept of rated games, by the people who played them.
struct Evidence<'k> {
    games: HashMap<&'k MemberId, Vec<&'k ExaminedGame>>,
    marks: HashMap<&'k MemberId, Vec<&'k GameMark>>,
}

impl<'k> Evidence<'k> {
    fn of(games: &'k [ExaminedGame], marks: &'k [GameMark]) -> Self {
        let mut evidence = Self { games: HashMap::new(), marks: HashMap::new() };
        for game in games {
            for seat in Seat::BOTH {
                evidence.games.entry(&game.facts[seat].member).or_default().push(game);
            }
        }
        for mark in marks {
            evidence.marks.entry(&mark.member).or_default().push(mark);
        }
        evidence
    }

    /// What a person's games since a time show, and when the last of them ended.
    fn hints(&self, member: &MemberId, since: Option<u64>, bands: &Bands<'_>) -> (Hints, u64) {
        let is_new = |at: u64| since.is_none_or(|since| at > since);
        let games = self.games.get(member).into_iter().flatten().copied();
        let games: Vec<_> = games.filter(|game| is_new(game.ended_at)).collect();
        let marks = self.marks.get(member).into_iter().flatten().copied();
        let marks: Vec<_> = marks.filter(|mark| is_new(mark.at)).collect();
        let ends = games.iter().map(|game| game.ended_at).chain(marks.iter().map(|mark| mark.at));
        let last = ends.max().unwrap_or_default();
        (hints(member, &games, &marks, bands), last)
    }
}

/// The people with hints since the last decision, and when their last game ended.
fn hinted(reader: &mut Reader) -> Result<Vec<(MemberId, Vec<HintKind>, u64)>, StorageError> {
    let (games, marks) = (reader.examined()?, reader.marks()?);
    let (evidence, bands) = (Evidence::of(&games, &marks), Bands::of(&games));
    let mut members: Vec<_> = evidence.games.keys().chain(evidence.marks.keys()).copied().collect();
    members.sort_unstable();
    members.dedup();
    let mut hinted = Vec::new();
    for member in members {
        let (hints, last) = evidence.hints(member, None, &bands);
        if hints.kinds.is_empty() {
            continue;
        }
        let decided = reader.sanctions_of(member)?.first().map(|decision| decision.from_at);
        let (hints, last) = match decided {
            Some(decided) => evidence.hints(member, Some(decided), &bands),
            None => (hints, last),
        };
        if !hints.kinds.is_empty() {
            hinted.push((member.clone(), hints.kinds, last));
        }
    }
    Ok(hinted)
}

/// What all kept games of a person show.
fn hints_about(reader: &mut Reader, member: &MemberId) -> Result<Hints, StorageError> {
    let (games, marks) = (reader.examined()?, reader.marks()?);
    Ok(Evidence::of(&games, &marks).hints(member, None, &Bands::of(&games)).0)
}

/// All that is known about one person.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CaseFile {
    /// The person.
    #[cfg_attr(test, schemars(with = "Named<MemberId>"))]
    pub member: MemberId,
    /// Their name; absent for somebody who never took a seat and was never reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<Named<Name>>"))]
    pub name: Option<Name>,
    /// Whether they have an account.
    pub account: bool,
    /// When they signed up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_since: Option<u64>,
    /// When the account was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<u64>,
    /// The last reports about them, the newest first.
    pub reports: Vec<ShownReport>,
    /// What operators did, the newest first.
    pub sanctions: Vec<ShownSanction>,
    /// How many people have blocked them, as far as is counted.
    pub blocked_by: usize,
    /// How their last games ended.
    pub signals: Signals,
    /// What their rated games show.
    pub hints: Hints,
}

/// A report as operators see it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ShownReport {
    /// Who reports.
    #[cfg_attr(test, schemars(with = "Named<MemberId>"))]
    pub reporter: MemberId,
    /// For what.
    pub kind: ReportKind,
    /// The game.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<Named<GameId>>"))]
    pub game: Option<GameId>,
    /// The line of chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<ReportedLine>,
    /// What the reporter says.
    pub text: String,
    /// When, in milliseconds since the Unix epoch.
    pub at: u64,
    /// What became of it.
    pub state: ReportState,
    /// When an operator decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<u64>,
    /// Who decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<String>,
}

/// A sanction as operators see it. Times are in milliseconds since the Unix epoch.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ShownSanction {
    /// Its id.
    pub id: String,
    /// What.
    pub kind: SanctionKind,
    /// Since when.
    pub from: u64,
    /// Until when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
    /// Why.
    pub reason: String,
    /// Who.
    pub operator: String,
    /// Whether it holds now.
    pub active: bool,
    /// When the person has read a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_at: Option<u64>,
    /// What the person says against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appeal: Option<String>,
    /// When they have appealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appealed_at: Option<u64>,
    /// When an operator has answered that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_at: Option<u64>,
    /// Who has answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// When an operator took it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_at: Option<u64>,
    /// Who took it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<String>,
}

/// Reads all that is known about a person.
///
/// # Errors
/// If it cannot be read.
pub fn case_file(
    reader: &mut Reader,
    member: &MemberId,
    now: u64,
) -> Result<CaseFile, StorageError> {
    let reports = reader.reports(&ReportQuery::About(member.clone()))?;
    let sanctions = reader.sanctions_of(member)?;
    let known = name_of(reader, member)?;
    let name = known.or_else(|| reports.first().map(|report| report.about_name.clone()));
    let account = match &name {
        Some(name) => {
            let found = reader.account_named(&name_key(name))?;
            found.filter(|account| account.member == *member)
        }
        None => None,
    };
    let (made_at, deleted_at) = match &account {
        Some(Account { made_at, deleted_at, .. }) => (Some(*made_at), *deleted_at),
        None => (None, None),
    };
    let query = GameQuery {
        member: Some(member.clone()),
        unlisted: true,
        max: SIGNAL_GAMES_MAX,
        ..GameQuery::default()
    };
    let games = reader.games(&query)?.games;
    Ok(CaseFile {
        member: member.clone(),
        name,
        account: account.is_some(),
        account_since: made_at,
        deleted_at,
        reports: reports.into_iter().map(ShownReport::of).collect(),
        sanctions: sanctions.into_iter().map(|one| ShownSanction::of(one, now)).collect(),
        blocked_by: reader.block_lists(member)?.blocked_by.len(),
        signals: signals(member, &games),
        hints: hints_about(reader, member)?,
    })
}

/// The name of a stored member.
///
/// # Errors
/// If it cannot be read.
pub fn name_of(reader: &mut Reader, member: &MemberId) -> Result<Option<Name>, StorageError> {
    // No identity has this hash, so it is found by the id.
    Ok(reader.member(member, IdentityHash([0; 32]))?.map(|known| known.name))
}

impl ShownReport {
    fn of(report: Report) -> Self {
        let Report { reporter, kind, game, line, text, at, state, closed_at, closed_by, .. } =
            report;
        Self { reporter, kind, game, line, text, at, state, closed_at, closed_by }
    }
}

impl ShownSanction {
    /// A sanction as it is at a time.
    pub fn of(sanction: Sanction, now: u64) -> Self {
        let active = sanction.is_active(now);
        Self {
            id: sanction.id.into(),
            kind: sanction.kind,
            from: sanction.from_at,
            until: sanction.until_at,
            reason: sanction.reason,
            operator: sanction.operator,
            active,
            seen_at: sanction.seen_at,
            appeal: sanction.appeal,
            appealed_at: sanction.appealed_at,
            answered_at: sanction.answered_at,
            answered_by: sanction.answered_by,
            undone_at: sanction.undone_at,
            undone_by: sanction.undone_by,
        }
    }
}
