//! Limits of boards on other sites, and of TV.

use std::time::Duration;

/// Longest link that oEmbed describes, in bytes.
pub const OEMBED_URL_MAX: usize = 4_096;
/// For so long everybody gets the same game on TV.
pub const TV_CHOICE_AGE: Duration = Duration::from_secs(3);
