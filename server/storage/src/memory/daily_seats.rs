//! Places in daily games, in memory.

use std::collections::{HashMap, HashSet};

use fivefold_shared::{clock::TimeOff, protocol::MemberId};

use crate::{DailyNews, DailySeats};

/// The places in a room.
#[derive(Debug, Default)]
pub(super) struct DailyPlaces {
    pub(super) now: DailySeats,
    /// Members among them who are gone.
    pub(super) leavers: HashSet<MemberId>,
    /// The time off of members among them.
    pub(super) off: HashMap<MemberId, TimeOff>,
}

impl DailyPlaces {
    pub(super) fn has(&self, member: &MemberId) -> bool {
        self.now.seats.iter().any(|seat| seat.member == *member)
    }

    pub(super) fn has_news(&self) -> bool {
        self.news().next().is_some()
    }

    /// What the room has to learn about these members.
    pub(super) fn news(&self) -> impl Iterator<Item = (&MemberId, DailyNews)> {
        self.now.seats.iter().filter_map(|seat| {
            let off = self.off.get(&seat.member).copied().unwrap_or(TimeOff::NONE);
            let is_new = seat.off.is_some_and(|told| told != off);
            let news = is_new.then_some(DailyNews::TimeOff(off));
            let is_gone = self.leavers.contains(&seat.member);
            Some((&seat.member, if is_gone { Some(DailyNews::Gone) } else { news }?))
        })
    }
}
