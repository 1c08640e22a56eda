//! Values as they are stored: names as text, and events, summaries and moves as JSON.

use std::fmt;

use fivefold_shared::{
    protocol::NumberedEvent,
    room::{Cause, Entry},
};
use serde::{Serialize, de::DeserializeOwned};

use super::StorageError;

/// A name or id as it was stored.
pub(super) fn name<T: TryFrom<String>>(text: String) -> Result<T, StorageError>
where
    T::Error: fmt::Display,
{
    T::try_from(text).map_err(|error| StorageError::Damaged(error.to_string()))
}

/// A value that was stored by [`to_json`].
pub(super) fn from_json<T: DeserializeOwned>(json: &str) -> Result<T, StorageError> {
    serde_json::from_str(json).map_err(|error| StorageError::Damaged(error.to_string()))
}

/// What was read of a row; nothing if it is damaged, which is logged: one row keeps no other away.
pub(super) fn readable<T>(read: Result<T, StorageError>) -> Result<Option<T>, StorageError> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(StorageError::Damaged(problem)) => {
            tracing::error!(
                problem,
                "a row of the database is damaged, and is left out; `fivefold-server check` finds it"
            );
            Ok(None)
        }
        Err(error @ (StorageError::Failed(_) | StorageError::InDoubt(_))) => Err(error),
    }
}

/// An entry of a log from its columns.
pub(super) fn entry(
    (seq, at): (u64, u64),
    (member, command): (Option<String>, Option<String>),
    event: &str,
) -> Result<Entry, StorageError> {
    let cause = match member.zip(command) {
        Some((member, command)) => Some(Cause { member: name(member)?, command: name(command)? }),
        None => None,
    };
    Ok(Entry { event: NumberedEvent { seq, at, event: from_json(event)? }, cause })
}

/// The error for a log without the event of this number.
pub(super) fn missing_event(room: impl fmt::Display, seq: u64) -> StorageError {
    StorageError::Damaged(format!("event {seq} of room {room} is missing"))
}

pub(super) fn to_json(value: &impl Serialize) -> Result<String, StorageError> {
    serde_json::to_string(value).map_err(|error| StorageError::Failed(error.to_string()))
}
