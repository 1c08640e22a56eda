//! Whether a node sees the bus: its own broadcasts come back.

use std::sync::atomic::AtomicBool;

/// Whether this node's own broadcasts come back.
#[derive(Debug, Default)]
pub(super) struct Sight {
    /// One of its broadcasts of the last second came back.
    pub(super) is_clear: AtomicBool,
    /// That was so at least once.
    pub(super) has_been: AtomicBool,
}
