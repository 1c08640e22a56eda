//! What an operator does about a member, as the member learns of it.

use serde::{Deserialize, Serialize};

/// What a sanction forbids. Signing in to a closed account shows why.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SanctionKind {
    /// A warning. It comes after each `hello` until the member has read it.
    Warn,
    /// The member may not chat.
    Mute,
    /// The member may not play rated games.
    Unrated,
}
