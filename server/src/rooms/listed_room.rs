//! A room as lists, the preview of its link, and other nodes show it. The storage keeps this while the room sleeps.

use fivefold_shared::{
    protocol::{MemberId, OwnRoom, Phase, RoomSummary, Visibility},
    rules::Point,
};
use serde::{Deserialize, Serialize};

/// A room that is not opened. The storage has it as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ListedRoom {
    pub(crate) summary: RoomSummary,
    pub(crate) visibility: Visibility,
    /// The moves of the game in a public room; none of a private room or a very long game.
    pub(crate) moves: Vec<Point>,
    pub(crate) host: MemberId,
}

impl ListedRoom {
    /// A room as the storage has it; nothing if it is damaged, which is logged.
    pub(crate) fn read(listing: &str) -> Option<Self> {
        let read = serde_json::from_str(listing);
        read.inspect_err(|error| tracing::error!(%error, "a sleeping room is not listed")).ok()
    }

    /// Its place among the public rooms.
    pub(crate) const fn public_rank(&self) -> Option<u8> {
        match self.visibility {
            Visibility::Public => Some(rank(self.summary.phase)),
            Visibility::Private => None,
        }
    }

    /// Its line in `own_rooms` for a member.
    pub(crate) fn own_room(self, member: &MemberId) -> OwnRoom {
        own_room(self.summary, self.visibility, self.host == *member, member)
    }
}

/// The line in `own_rooms` of a room for a member, who may be its host.
pub(crate) fn own_room(
    summary: RoomSummary,
    visibility: Visibility,
    host: bool,
    member: &MemberId,
) -> OwnRoom {
    let seat = summary.seats.of_member(member);
    let your_turn = seat.is_some() && summary.to_act == seat;
    OwnRoom { summary, visibility, seat, your_turn, host }
}

/// The order of public rooms: those that wait for a player, then those with a running game.
pub(crate) const fn rank(phase: Phase) -> u8 {
    match phase {
        Phase::Waiting => 0,
        Phase::Running => 1,
        Phase::Finished => 2,
    }
}
