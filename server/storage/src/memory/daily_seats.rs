//! Places in daily games, in memory.

use std::collections::HashSet;

use fivefold_shared::protocol::MemberId;

use crate::DailySeats;

/// The places in a room.
#[derive(Debug, Default)]
pub(super) struct DailyPlaces {
    pub(super) now: DailySeats,
    /// Members among them who are gone.
    pub(super) leavers: HashSet<MemberId>,
}

impl DailyPlaces {
    pub(super) fn has(&self, member: &MemberId) -> bool {
        self.now.seats.iter().any(|seat| seat.member == *member)
    }

    pub(super) fn has_leavers(&self) -> bool {
        !self.leavers.is_empty()
    }
}
