//! Values as they are stored: names as text, and events, summaries and moves as JSON.

use std::fmt;

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

pub(super) fn to_json(value: &impl Serialize) -> Result<String, StorageError> {
    serde_json::to_string(value).map_err(|error| StorageError::Failed(error.to_string()))
}
