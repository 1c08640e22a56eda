//! What an operator decides about a person, made into a sanction. It does not know who may decide.

use std::time::Duration;

use fivefold_shared::clock::millis;
use fivefold_storage::{Sanction, SanctionKind};

use crate::{limits::moderation::SANCTION_DAYS_MAX, moderation::cases::CaseFile, process::ids};

/// A decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// What.
    pub kind: SanctionKind,
    /// For how many days, from 1 to [`SANCTION_DAYS_MAX`]; absent for one without an end.
    pub days: Option<u32>,
    /// Why: one line, which the person reads.
    pub reason: String,
    /// Who decides.
    pub operator: String,
}

/// Why it cannot be decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecisionError {
    /// Nothing is known about the person.
    #[error("nobody is known by this name or id")]
    Nobody,
    /// A time out of range.
    #[error("give from 1 to {SANCTION_DAYS_MAX} days, and none for a note or a warning")]
    Days,
    /// Only accounts are closed.
    #[error("this person is a guest, and has no account to close; mute them instead")]
    NoAccount,
}

/// Makes the sanction.
///
/// # Errors
/// If it cannot be decided.
pub fn decide(
    file: &CaseFile,
    Decision { kind, days, reason, operator }: Decision,
    now: u64,
) -> Result<Sanction, DecisionError> {
    let name = file.name.clone().ok_or(DecisionError::Nobody)?;
    let has_end = match kind {
        SanctionKind::Note | SanctionKind::Warn => false,
        SanctionKind::Mute | SanctionKind::Unrated | SanctionKind::Close => true,
    };
    if days.is_some_and(|days| !has_end || !(1..=SANCTION_DAYS_MAX).contains(&days)) {
        return Err(DecisionError::Days);
    }
    if kind == SanctionKind::Close && !file.account {
        return Err(DecisionError::NoAccount);
    }
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    Ok(Sanction {
        id: ids::case_id(),
        member: file.member.clone(),
        name,
        kind,
        from_at: now,
        until_at: days.map(|days| now + millis(DAY * days)),
        reason,
        operator,
        seen_at: None,
        appeal: None,
        appealed_at: None,
        answered_at: None,
        answered_by: None,
        undone_at: None,
        undone_by: None,
    })
}
