//! E-mail addresses of accounts, as they are stored. Nothing here sends anything.
//!
//! Whoever reads the mail of an address can open its account. So what a thief may have named ends with a new password:
//! see [`AccountStep::Recover`](crate::AccountStep::Recover).

use std::fmt;

use fivefold_shared::{clock::millis, protocol::MemberId};

use crate::{KeyHash, StorageError, contradiction::Contradiction, limits::EMAIL_NAMED_KEPT};

/// The address of an account.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Email {
    /// Where news goes: its owner has confirmed it.
    pub confirmed: Option<String>,
    /// The address that the member named last; equal to `confirmed` once its owner has confirmed it.
    pub named: String,
    /// When it was named, in milliseconds since the Unix epoch.
    pub named_at: u64,
    /// The language of the messages, as the page calls it.
    pub language: String,
}

impl Email {
    /// The named address, if it can be confirmed at this time, in milliseconds since the Unix epoch.
    pub fn waiting(&self, now: u64) -> Option<&String> {
        let is_confirmed = self.confirmed.as_ref() == Some(&self.named);
        (!is_confirmed && self.named_at > unconfirmed_before(now)).then_some(&self.named)
    }
}

/// What was named at this time or before cannot be confirmed any more.
pub(crate) fn unconfirmed_before(now: u64) -> u64 {
    now.saturating_sub(millis(EMAIL_NAMED_KEPT))
}

impl fmt::Debug for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Email").field("language", &self.language).finish_non_exhaustive()
    }
}

/// What changes in the address of an account. Each may be repeated.
#[derive(Clone, PartialEq, Eq)]
pub enum EmailStep {
    /// Names an address. News goes to the one before until this one is confirmed.
    Name {
        /// The address.
        address: String,
        /// The hash of the secret that confirms it.
        token: KeyHash,
        /// The language of the messages.
        language: String,
    },
    /// Confirms the named address by its secret, for [`EMAIL_NAMED_KEPT`](crate::limits::EMAIL_NAMED_KEPT). A code that
    /// was sent to the address before ends. [`Gone`](crate::AccountChanged::Gone) if there is none with this secret, or it
    /// is older.
    Confirm(KeyHash),
    /// Forgets the addresses.
    Forget,
    /// Lets a code recover the account once, until this time. Replaces the previous code. `Gone` if no address is
    /// confirmed.
    AddCode(KeyHash, u64),
}

impl fmt::Debug for EmailStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name { .. } => "Name",
            Self::Confirm(_) => "Confirm",
            Self::Forget => "Forget",
            Self::AddCode(..) => "AddCode",
        })
    }
}

/// Reads addresses. Calls may block.
pub trait EmailReader {
    /// The address of a member.
    ///
    /// # Errors
    /// If it cannot be read.
    fn email(&mut self, member: &MemberId) -> Result<Option<Email>, StorageError>;

    /// Who has named an address that this secret confirms.
    ///
    /// # Errors
    /// If it cannot be read.
    fn email_named_with(&mut self, token: &KeyHash) -> Result<Option<MemberId>, StorageError>;
}

/// Rows that contradict others.
pub(crate) const CONTRADICTIONS: [Contradiction; 1] = [Contradiction {
    since: "email",
    table: "email",
    rows: "member NOT IN (SELECT member FROM account)",
    problem: "e-mail addresses belong to no account",
    sets: None,
}];
