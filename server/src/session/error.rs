//! Why a command fails, and whether the session ends with it.

use fivefold_shared::protocol::Refusal;

use super::close_reason::CloseReason;

/// Why a command fails.
#[derive(Debug)]
pub(super) enum CommandError {
    /// The client gets a refusal, and the session continues.
    Refused(Refusal),
    /// The session ends.
    Close(CloseReason),
    /// The client gets a refusal, and then the session ends.
    RefusedAndClosed(Refusal, CloseReason),
}

impl CommandError {
    /// The refusal to send, and why the session is to end.
    pub(super) fn into_parts(self) -> (Option<Refusal>, Option<CloseReason>) {
        match self {
            Self::Refused(refusal) => (Some(refusal), None),
            Self::Close(reason) => (None, Some(reason)),
            Self::RefusedAndClosed(refusal, reason) => (Some(refusal), Some(reason)),
        }
    }
}

impl From<Refusal> for CommandError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<CloseReason> for CommandError {
    fn from(reason: CloseReason) -> Self {
        Self::Close(reason)
    }
}
