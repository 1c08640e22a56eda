//! Time off from daily games over HTTP: see [`TimeOff`].

use serde::{Deserialize, Serialize};

use crate::clock::TimeOff;

/// A player's time off, as the server answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimeOffStatus {
    /// Days that are left this year (UTC).
    pub days_left: u64,
    /// Days that are left next year.
    pub days_left_next_year: u64,
    /// The period that runs or is to come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<TimeOff>,
}

/// The time off that a player asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimeOffWish {
    /// How many days.
    pub days: u64,
    /// When it begins, in milliseconds since the Unix epoch; at once if it is absent or past.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
}
