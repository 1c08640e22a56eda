//! The commands `moderate` and `operator`: an operator's queue on the command line. They work beside a
//! running server, which acts on them within a second.

use std::fmt::Write;

use fivefold_shared::protocol::ChatText;

use crate::{
    cases::{case_file, queue},
    clock::Clock,
    config::{Closed, Moderate},
    decisions::{Decision, DecisionError, decide},
    storage::{
        CaseId, CaseIdError, Database, ModerationChange, OperatorDatabase, OperatorError,
        ReportState, SanctionKind,
    },
};

/// How the command line signs its decisions.
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
}

/// Runs `moderate`. Returns what to print.
///
/// # Errors
/// If the person, the sanction or the database cannot be used.
pub fn moderate(database: Database<'_>, task: &Moderate) -> Result<String, CommandError> {
    let mut database = OperatorDatabase::open(database)?;
    let now = Clock::of_system().now();
    match task {
        Moderate::List => list(&database),
        Moderate::Show { who } => show(&database, who, now),
        Moderate::Note { who, reason } => {
            act(&mut database, who, SanctionKind::Note, None, reason, now)
        }
        Moderate::Warn { who, reason } => {
            act(&mut database, who, SanctionKind::Warn, None, reason, now)
        }
        Moderate::Mute { who, reason, days } => {
            act(&mut database, who, SanctionKind::Mute, *days, reason, now)
        }
        Moderate::Unrated { who, reason, days } => {
            act(&mut database, who, SanctionKind::Unrated, *days, reason, now)
        }
        Moderate::Close { who, reason, days } => {
            act(&mut database, who, SanctionKind::Close, *days, reason, now)
        }
        Moderate::Reports { who, outcome } => {
            let about = database.find(who)?;
            let state = match outcome {
                Closed::Acted => ReportState::Acted,
                Closed::Dismissed => ReportState::Dismissed,
            };
            database.change(&ModerationChange::CloseReports { about, state, at: now })?;
            Ok("The reports are closed.\n".to_owned())
        }
        Moderate::Undo { sanction } => {
            let id = CaseId::try_from(sanction.clone())?;
            database.change(&ModerationChange::Undo { id, at: now })?;
            Ok("It is taken back.\n".to_owned())
        }
        Moderate::Answer { sanction } => {
            let id = CaseId::try_from(sanction.clone())?;
            database.change(&ModerationChange::Answer { id, at: now })?;
            Ok("The appeal is answered, and stands no more in the list.\n".to_owned())
        }
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
    let mut database = OperatorDatabase::open(database)?;
    let now = Clock::of_system().now();
    let member = database.find(name)?;
    let has_account = case_file_of(&database, name, now)?.account;
    if !has_account {
        return Err(OperatorError::Nobody.into());
    }
    let since = (!remove).then_some(now);
    database.change(&ModerationChange::Operator { member, since })?;
    let state = if remove { "no operator any more" } else { "an operator, at /moderation" };
    Ok(format!("{name} is {state}.\n"))
}

fn list(database: &OperatorDatabase) -> Result<String, CommandError> {
    let mut reader = database.reader()?;
    let cases = queue(&mut *reader).map_err(OperatorError::from)?;
    if cases.is_empty() {
        return Ok("Nobody waits for a decision.\n".to_owned());
    }
    Ok(cases.iter().fold(String::new(), |mut text, case| {
        // Writing to a string cannot fail.
        writeln!(text, "{case}").ok();
        text
    }))
}

fn case_file_of(
    database: &OperatorDatabase,
    who: &str,
    now: u64,
) -> Result<crate::cases::CaseFile, CommandError> {
    let member = database.find(who)?;
    let mut reader = database.reader()?;
    Ok(case_file(&mut *reader, &member, now).map_err(OperatorError::from)?)
}

fn show(database: &OperatorDatabase, who: &str, now: u64) -> Result<String, CommandError> {
    Ok(case_file_of(database, who, now)?.to_string())
}

fn act(
    database: &mut OperatorDatabase,
    who: &str,
    kind: SanctionKind,
    days: Option<u32>,
    reason: &str,
    now: u64,
) -> Result<String, CommandError> {
    let reason = ChatText::new(reason).map_err(|_| CommandError::Reason)?.into();
    let file = case_file_of(database, who, now)?;
    let decision = Decision { kind, days, reason, operator: COMMAND_LINE.to_owned() };
    let sanction = decide(&file, decision, now)?;
    let id = sanction.id.clone();
    database.change(&ModerationChange::Sanction(Box::new(sanction)))?;
    Ok(format!("{id}\n"))
}
