//! Places in daily games, in memory.

use std::collections::{HashMap, HashSet};

use fivefold_shared::{clock::TimeOff, protocol::MemberId};

use crate::{DailyNews, DailySeat, DailySeats, PlannedMoves, accounts::daily_seats::PlaceNews};

/// The places in a room.
#[derive(Debug, Default)]
pub(super) struct DailyPlaces {
    pub(super) now: DailySeats,
    /// When the current turn began.
    pub(super) turn_at: u64,
    /// Members among them who are gone.
    pub(super) leavers: HashSet<MemberId>,
    /// The time off of members among them.
    pub(super) off: HashMap<MemberId, TimeOff>,
    /// What members among them have planned, and the number of which the room's owner knows.
    pub(super) moves: HashMap<MemberId, (PlannedMoves, u64)>,
}

impl DailyPlaces {
    pub(super) fn has(&self, member: &MemberId) -> bool {
        self.now.seats.iter().any(|seat| seat.member == *member)
    }

    pub(super) fn has_news(&self) -> bool {
        !self.news().is_empty()
    }

    /// What the room has to learn about these members.
    pub(super) fn news(&self) -> Vec<(MemberId, DailyNews)> {
        self.each(PlaceNews::news)
    }

    /// The same for its next owner.
    pub(super) fn for_next_owner(&self) -> Vec<(MemberId, DailyNews)> {
        self.each(PlaceNews::for_next_owner)
    }

    fn each(&self, news_of: impl Fn(PlaceNews) -> Vec<DailyNews>) -> Vec<(MemberId, DailyNews)> {
        let each = self.now.seats.iter().flat_map(|DailySeat { member, off: told, .. }| {
            let off = self.off.get(member).copied().unwrap_or_default();
            let (moves, told_moves) = self.moves.get(member).cloned().unwrap_or_default();
            let place = PlaceNews {
                leaves: self.leavers.contains(member),
                off,
                is_off_new: told.is_some_and(|told| told != off),
                are_moves_new: moves.number != told_moves,
                moves,
            };
            news_of(place).into_iter().map(|news| (member.clone(), news))
        });
        each.collect()
    }
}
