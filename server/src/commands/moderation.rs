//! The commands `moderate` and `operator`: an operator's queue on the command line. They work beside a
//! running server, which acts on them within a second.

use std::iter;

use fivefold_shared::protocol::{ChatText, MemberId, Name};
use fivefold_storage::{
    CaseId, CaseIdError, Database, ModerationChange, OpenReport, OpenReports, OperatorDatabase,
    OperatorError, ReportState, Sanction, SanctionKind,
};

use crate::{
    config::{Closed, Moderate},
    moderation::{
        cases::{
            CaseFile, ShownSanction, case_file, decision_text, file_text, in_force, number, queue,
            queue_text, time,
        },
        decisions::{Decision, DecisionError, decide},
    },
    process::clock::Clock,
};

/// How the command line signs its decisions, unless it gets a name.
const COMMAND_LINE: &str = "command line";

/// Why a command fails.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The database.
    #[error(transparent)]
    Database(#[from] OperatorError),
    /// The decision.
    #[error(transparent)]
    Decision(#[from] DecisionError),
    /// No id of a sanction.
    #[error(transparent)]
    Id(#[from] CaseIdError),
    /// The reason is empty, or too long.
    #[error("give a reason of 1 to 280 characters, which the person reads")]
    Reason,
    /// No sanction has the id.
    #[error("no decision has the id {0}; `moderate show` prints the ids")]
    NoSuchSanction(CaseId),
    /// The sanction was taken back before.
    #[error("this was taken back already, {0}")]
    Undone(String),
    /// Nobody has appealed.
    #[error("the person has not appealed against this decision")]
    NoAppeal,
    /// The appeal was answered before.
    #[error("this appeal was answered already, {0}")]
    Answered(String),
    /// No report is open.
    #[error("{0} has no open reports")]
    NoReports(String),
    /// No report by a guest is open.
    #[error("no reports by guests are open")]
    NoGuestReports,
}

/// An operator's work: on a database, at a time, under a name.
struct Work {
    database: OperatorDatabase,
    now: u64,
    by: String,
}

/// Runs `moderate` for an operator of this name. Returns what to print.
///
/// # Errors
/// If the person, the sanction or the database cannot be used.
pub fn moderate(
    database: Database<'_>,
    task: &Moderate,
    operator: Option<&Name>,
) -> Result<String, CommandError> {
    let by = operator.map_or_else(|| COMMAND_LINE.to_owned(), Name::to_string);
    let database = OperatorDatabase::open(database)?;
    let mut work = Work { database, now: Clock::of_system().now(), by };
    match task {
        Moderate::List => work.list(),
        Moderate::Show { who } => {
            let file = work.known_file(who)?;
            Ok(file_text(&file, work.now))
        }
        Moderate::Note { who, reason } => work.act(who, SanctionKind::Note, None, reason),
        Moderate::Warn { who, reason } => work.act(who, SanctionKind::Warn, None, reason),
        Moderate::Mute { who, reason, days } => work.act(who, SanctionKind::Mute, *days, reason),
        Moderate::Unrated { who, reason, days } => {
            work.act(who, SanctionKind::Unrated, *days, reason)
        }
        Moderate::Close { who, reason, days } => work.act(who, SanctionKind::Close, *days, reason),
        Moderate::Reports { who, outcome } => work.close_reports(who, *outcome),
        Moderate::GuestReports { outcome } => work.close_guest_reports(*outcome),
        Moderate::Undo { sanction } => work.undo(sanction),
        Moderate::Answer { sanction } => work.answer(sanction),
    }
}

/// Runs `operator`: makes an account one of an operator, or takes that back.
///
/// # Errors
/// If there is no such account, or the database cannot be used.
pub fn set_operator(
    database: Database<'_>,
    name: &str,
    remove: bool,
) -> Result<String, CommandError> {
    let database = OperatorDatabase::open(database)?;
    let now = Clock::of_system().now();
    let mut work = Work { database, now, by: COMMAND_LINE.to_owned() };
    let file = work.file(name)?;
    if !file.account {
        return Err(OperatorError::Nobody.into());
    }
    let (member, since) = (file.member, (!remove).then_some(now));
    work.change(&ModerationChange::Operator { member, since })?;
    let state =
        if remove { "no longer an operator" } else { "an operator, at /moderation and /admin" };
    Ok(format!("{name} is {state}.\n"))
}

impl Work {
    fn change(&mut self, change: &ModerationChange) -> Result<(), CommandError> {
        Ok(self.database.change(change)?)
    }

    fn list(&self) -> Result<String, CommandError> {
        let mut reader = self.database.reader()?;
        let cases = queue(&mut *reader, self.now).map_err(OperatorError::from)?;
        Ok(queue_text(&cases, self.now))
    }

    fn file(&self, who: &str) -> Result<CaseFile, CommandError> {
        let member = self.database.find(who)?;
        let mut reader = self.database.reader()?;
        Ok(case_file(&mut *reader, &member, self.now).map_err(OperatorError::from)?)
    }

    /// The file of somebody about whom something is known.
    fn known_file(&self, who: &str) -> Result<CaseFile, CommandError> {
        let file = self.file(who)?;
        let is_known = file.name.is_some() || !file.sanctions.is_empty() || file.blocked_by > 0;
        if is_known { Ok(file) } else { Err(OperatorError::Nobody.into()) }
    }

    fn act(
        &mut self,
        who: &str,
        kind: SanctionKind,
        days: Option<u32>,
        reason: &str,
    ) -> Result<String, CommandError> {
        let reason = ChatText::new(reason).map_err(|_| CommandError::Reason)?.into();
        let mut file = self.file(who)?;
        let new = Decision { kind, days, reason, operator: self.by.clone() };
        let sanction = decide(&file, new, self.now)?;
        self.change(&ModerationChange::Sanction(Box::new(sanction.clone())))?;
        let Sanction { id, name, until_at, .. } = &sanction;
        let end = match until_at {
            Some(until) => format!(" until {}", time(*until)),
            None => ", without an end".to_owned(),
        };
        let done = match kind {
            SanctionKind::Note => format!("The note about {name} is kept; only operators see it."),
            SanctionKind::Warn => format!("{name} is warned, and reads it when they come next."),
            SanctionKind::Mute => format!("{name} may not chat{end}."),
            SanctionKind::Unrated => format!("{name} may not play rated games{end}."),
            SanctionKind::Close => format!("The account of {name} is closed{end}."),
        };
        let shown = ShownSanction::of(sanction.clone(), self.now);
        file.sanctions = iter::once(shown).chain(file.sanctions).collect();
        let held = in_force(&file.sanctions);
        Ok(format!("{done}\nDecided by {}. To take it back: moderate undo {id}\n{held}", self.by))
    }

    fn close_reports(&mut self, who: &str, outcome: Closed) -> Result<String, CommandError> {
        let file = self.known_file(who)?;
        let (member, name) = (file.member, file.name.map_or_else(|| who.to_owned(), Into::into));
        let open = self.count_open(|about, _| *about == member)?;
        if open == 0 {
            return Err(CommandError::NoReports(name));
        }
        self.close(OpenReports::About(member), outcome)?;
        Ok(closed(open, &format!("about {name}"), outcome))
    }

    fn close_guest_reports(&mut self, outcome: Closed) -> Result<String, CommandError> {
        let open = self.count_open(|_, is_guest| is_guest)?;
        if open == 0 {
            return Err(CommandError::NoGuestReports);
        }
        self.close(OpenReports::ByGuests, outcome)?;
        Ok(closed(open, "by guests", outcome))
    }

    /// How many open reports there are, of those about a member, by a guest or not.
    fn count_open(&self, is_one: impl Fn(&MemberId, bool) -> bool) -> Result<usize, CommandError> {
        let open = self.database.reader()?.open_reports().map_err(OperatorError::from)?;
        let is_one =
            |open: &&OpenReport| is_one(&open.report.about, open.standing.account_since.is_none());
        Ok(open.iter().filter(is_one).count())
    }

    fn close(&mut self, which: OpenReports, outcome: Closed) -> Result<(), CommandError> {
        let (state, at, by) = (state_of(outcome), self.now, self.by.clone());
        self.change(&ModerationChange::CloseReports { which, state, at, by })
    }

    fn sanction(&self, id: &str) -> Result<Sanction, CommandError> {
        let id = CaseId::try_from(id.to_owned())?;
        let found = self.database.reader()?.sanction(&id).map_err(OperatorError::from)?;
        found.ok_or(CommandError::NoSuchSanction(id))
    }

    fn undo(&mut self, id: &str) -> Result<String, CommandError> {
        let sanction = self.sanction(id)?;
        if let Some(at) = sanction.undone_at {
            return Err(CommandError::Undone(when_and_who(at, sanction.undone_by)));
        }
        let (id, at, by) = (sanction.id.clone(), self.now, self.by.clone());
        self.change(&ModerationChange::Undo { id, at, by })?;
        let Sanction { name, kind, until_at, from_at, operator, .. } = &sanction;
        let what = decision_text(*kind, *until_at);
        let from = time(*from_at);
        let held = self.in_force(&sanction)?;
        Ok(format!("Taken back for {name}: {what}, decided {from} by {operator}.\n{held}"))
    }

    fn answer(&mut self, id: &str) -> Result<String, CommandError> {
        let sanction = self.sanction(id)?;
        if sanction.appeal.is_none() {
            return Err(CommandError::NoAppeal);
        }
        if let Some(at) = sanction.answered_at {
            return Err(CommandError::Answered(when_and_who(at, sanction.answered_by)));
        }
        let (id, at, by) = (sanction.id.clone(), self.now, self.by.clone());
        self.change(&ModerationChange::Answer { id, at, by })?;
        let held = self.in_force(&sanction)?;
        let name = &sanction.name;
        Ok(format!("The appeal of {name} is answered, and is in the list no more.\n{held}"))
    }

    /// What holds now for the member of a sanction.
    fn in_force(&self, sanction: &Sanction) -> Result<String, CommandError> {
        let read = self.database.reader()?.sanctions_of(&sanction.member);
        let all = read.map_err(OperatorError::from)?;
        let all: Vec<_> = all.into_iter().map(|one| ShownSanction::of(one, self.now)).collect();
        Ok(in_force(&all))
    }
}

fn state_of(outcome: Closed) -> ReportState {
    match outcome {
        Closed::Acted => ReportState::Acted,
        Closed::Dismissed => ReportState::Dismissed,
    }
}

fn closed(count: usize, which: &str, outcome: Closed) -> String {
    let outcome = state_of(outcome).as_str();
    let (reports, verb) =
        (number(count, "report", "reports"), if count == 1 { "is" } else { "are" });
    let reporters = if count == 1 { "the reporter sees" } else { "the reporters see" };
    format!("{reports} {which} {verb} closed as {outcome}; {reporters} that.\n")
}

/// Older servers did not store who did something.
fn when_and_who(at: u64, by: Option<String>) -> String {
    by.map_or_else(|| time(at), |by| format!("{} by {by}", time(at)))
}
