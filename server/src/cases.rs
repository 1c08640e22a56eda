//! What operators see: the queue of people with open reports or appeals, and all that is known about one
//! person. For the page as JSON, and for the command line as text.
//!
//! It decides nothing, and changes nothing.

mod agreement;
mod hints;
mod signals;

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
};

use fivefold_shared::{
    protocol::{GameId, MemberId, Name},
    seat::Seat,
};
use serde::Serialize;

pub use self::hints::HintKind;
use self::{
    agreement::Bands,
    hints::{Hints, hints},
    signals::{Signals, signals},
};
use crate::{
    limits::moderation::{QUEUE_MAX, SIGNAL_GAMES_MAX},
    storage::{
        ExaminedGame, GameMark, GameQuery, IdentityHash, Report, ReportKind, ReportQuery,
        ReportState, ReportedLine, Sanction, SanctionKind, StorageError, StorageReader,
    },
};

/// A person in the queue.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Case {
    /// The person.
    pub member: MemberId,
    /// Their name.
    pub name: Name,
    /// How many reports are open.
    pub reports: usize,
    /// Of these, for what; each once.
    pub kinds: Vec<ReportKind>,
    /// How many appeals nobody has answered.
    pub appeals: usize,
    /// What the person's rated games show since the last decision about them.
    pub hints: Vec<HintKind>,
    /// Time of the first open report, or of the sanction with an appeal; without these, of the last game
    /// with a hint. In milliseconds since the Unix epoch.
    pub since: u64,
}

/// The queue: those who wait longest for a decision first, then those with nothing but hints.
///
/// # Errors
/// If it cannot be read.
pub fn queue(reader: &mut dyn StorageReader) -> Result<Vec<Case>, StorageError> {
    let mut cases: BTreeMap<MemberId, Case> = BTreeMap::new();
    for report in reader.reports(&ReportQuery::Open)? {
        let case = entry(&mut cases, &report.about, &report.about_name, report.at);
        case.reports += 1;
        if !case.kinds.contains(&report.kind) {
            case.kinds.push(report.kind);
        }
    }
    for sanction in reader.appeals()? {
        entry(&mut cases, &sanction.member, &sanction.name, sanction.from_at).appeals += 1;
    }
    for (member, kinds, at) in hinted(reader)? {
        if let Some(case) = cases.get_mut(&member) {
            case.hints = kinds;
        } else if cases.len() < 2 * QUEUE_MAX
            && let Some(name) = name_of(reader, &member)?
        {
            entry(&mut cases, &member, &name, at).hints = kinds;
        }
    }
    let mut cases: Vec<_> = cases.into_values().collect();
    cases.sort_by_key(|case| (case.reports + case.appeals == 0, case.since));
    Ok(cases)
}

fn entry<'c>(
    cases: &'c mut BTreeMap<MemberId, Case>,
    member: &MemberId,
    name: &Name,
    at: u64,
) -> &'c mut Case {
    let case = cases.entry(member.clone()).or_insert_with(|| Case {
        member: member.clone(),
        name: name.clone(),
        reports: 0,
        kinds: Vec::new(),
        appeals: 0,
        hints: Vec::new(),
        since: at,
    });
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
fn hinted(
    reader: &mut dyn StorageReader,
) -> Result<Vec<(MemberId, Vec<HintKind>, u64)>, StorageError> {
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
fn hints_about(reader: &mut dyn StorageReader, member: &MemberId) -> Result<Hints, StorageError> {
    let (games, marks) = (reader.examined()?, reader.marks()?);
    Ok(Evidence::of(&games, &marks).hints(member, None, &Bands::of(&games)).0)
}

/// All that is known about one person.
#[derive(Clone, Debug, Serialize)]
pub struct CaseFile {
    /// The person.
    pub member: MemberId,
    /// Their name; absent for somebody who never took a seat and was never reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Whether they have an account.
    pub account: bool,
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
pub struct ShownReport {
    /// Who reports.
    pub reporter: MemberId,
    /// For what.
    pub kind: ReportKind,
    /// The game.
    #[serde(skip_serializing_if = "Option::is_none")]
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
}

/// A sanction as operators see it. Times are in milliseconds since the Unix epoch.
#[derive(Clone, Debug, Serialize)]
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
    /// What the person says against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appeal: Option<String>,
    /// Whether an operator has answered that.
    pub answered: bool,
    /// Whether an operator took it back.
    pub undone: bool,
}

/// Reads all that is known about a person.
///
/// # Errors
/// If it cannot be read.
pub fn case_file(
    reader: &mut dyn StorageReader,
    member: &MemberId,
    now: u64,
) -> Result<CaseFile, StorageError> {
    let reports = reader.reports(&ReportQuery::About(member.clone()))?;
    let sanctions = reader.sanctions_of(member)?;
    let known = name_of(reader, member)?;
    let name = known.or_else(|| reports.first().map(|report| report.about_name.clone()));
    let account = match &name {
        Some(name) => {
            let found = reader.account_named(name.likeness().as_str())?;
            found.is_some_and(|account| account.member == *member)
        }
        None => false,
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
        account,
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
pub fn name_of(
    reader: &mut dyn StorageReader,
    member: &MemberId,
) -> Result<Option<Name>, StorageError> {
    // No identity has this hash, so it is found by the id.
    Ok(reader.member(member, IdentityHash([0; 32]))?.map(|known| known.name))
}

impl ShownReport {
    fn of(report: Report) -> Self {
        let Report { reporter, kind, game, line, text, at, state, .. } = report;
        Self { reporter, kind, game, line, text, at, state }
    }
}

impl ShownSanction {
    fn of(sanction: Sanction, now: u64) -> Self {
        let active = sanction.is_active(now);
        Self {
            id: sanction.id.into(),
            kind: sanction.kind,
            from: sanction.from_at,
            until: sanction.until_at,
            reason: sanction.reason,
            operator: sanction.operator,
            active,
            appeal: sanction.appeal,
            answered: sanction.answered_at.is_some(),
            undone: sanction.undone_at.is_some(),
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<_> = self.kinds.iter().map(|kind| kind.as_str()).collect();
        let Self { member, name, reports, appeals, .. } = self;
        write!(f, "{member}  {name}: {reports} reports ({}), {appeals} appeals", kinds.join(", "))?;
        self.hints.iter().try_for_each(|hint| write!(f, "; hint: {hint}"))
    }
}

impl fmt::Display for CaseFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.as_ref().map_or("unknown", Name::as_str);
        let kind = if self.account { "account" } else { "guest" };
        writeln!(f, "{}  {name} ({kind}), blocked by {}", self.member, self.blocked_by)?;
        for ShownReport { reporter, kind, game, line, text, state, .. } in &self.reports {
            let (kind, state) = (kind.as_str(), state.as_str());
            writeln!(f, "report by {reporter}: {kind}, {state}: {text}")?;
            if let Some(game) = game {
                writeln!(f, "    game /game/{game}")?;
            }
            if let Some(line) = line {
                let from = if line.verified { "wrote" } else { "as the reporter quotes it, wrote" };
                writeln!(f, "    {from} in room {}: {}", line.room, line.text)?;
            }
        }
        for sanction in &self.sanctions {
            let state = match (sanction.undone, sanction.active) {
                (true, _) => "taken back",
                (false, true) => "holds",
                (false, false) => "over",
            };
            let ShownSanction { id, kind, reason, operator, .. } = sanction;
            writeln!(f, "{id}  {} by {operator}, {state}: {reason}", kind.as_str())?;
            if let Some(appeal) = &sanction.appeal {
                let state = if sanction.answered { "answered" } else { "open" };
                writeln!(f, "    appeal ({state}): {appeal}")?;
            }
        }
        write!(f, "{}{}", self.signals, self.hints)
    }
}
