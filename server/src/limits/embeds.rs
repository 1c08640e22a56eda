//! Limits of boards on other sites, and of TV.

use std::time::Duration;

use super::Limits;

/// Those who only watch are at most the sessions divided by this, and so is what they may do at one address.
pub(crate) const WATCHERS_PART: u32 = 5;
/// Those at one address use at most one part in this many of its connections that are no sessions.
const SPARE_PART: usize = 4;

/// Longest link that oEmbed describes, in bytes.
pub const OEMBED_URL_MAX: usize = 4_096;
/// For so long everybody gets the same game on TV.
pub const TV_CHOICE_AGE: Duration = Duration::from_secs(3);
/// The choice is given up after this time, and the last one holds. Those who ask in the meantime wait as long.
pub const TV_CHOSEN_WITHIN: Duration = Duration::from_secs(2);
/// If only TV is asked for, a demo game begins at most once in this time.
pub const TV_DEMO_INTERVAL: Duration = Duration::from_secs(10 * 60);

impl Limits {
    /// Most sessions that only watch. They take no place from the others.
    pub const fn watchers_max(&self) -> usize {
        self.sessions_max.div_ceil(WATCHERS_PART as usize)
    }

    /// Most of them from one address, at each node.
    pub const fn watchers_per_address_max(&self) -> usize {
        self.connections_spare_per_address.div_ceil(SPARE_PART)
    }

    /// The rates that those who only watch share with others at their address. They use up nothing of the players'.
    pub(crate) const fn of_watchers(self) -> Self {
        Self {
            address_commands_per_second: self.address_commands_per_second.div_ceil(WATCHERS_PART),
            address_commands_burst: self.address_commands_burst.div_ceil(WATCHERS_PART),
            ..self
        }
    }
}
