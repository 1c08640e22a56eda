//! What can be seen of a room without opening it: in lists, in the preview of its link, and at other nodes. While the
//! room sleeps, the storage keeps this.

use fivefold_shared::{
    protocol::{CommandId, MemberId, OwnRoom, Phase, RoomSummary, Visibility},
    rules::Point,
};
use serde::{Deserialize, Serialize};

/// What is known of a room without opening it. It is stored as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ListedRoom {
    pub(crate) summary: RoomSummary,
    pub(crate) visibility: Visibility,
    /// The moves of the game in a public room; none of a private room or a very long game.
    pub(crate) moves: Vec<Point>,
    pub(crate) host: MemberId,
    /// The command that made it.
    pub(crate) command: CommandId,
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
        let Self { summary, visibility, host, .. } = self;
        let seat = summary.seats.of_member(member);
        let your_turn = seat.is_some() && summary.to_act == seat;
        OwnRoom { summary, visibility, seat, your_turn, host: host == *member }
    }
}

/// The order of public rooms: those that wait for a player, then those with a running game.
pub(crate) const fn rank(phase: Phase) -> u8 {
    match phase {
        Phase::Waiting => 0,
        Phase::Running => 1,
        Phase::Finished => 2,
    }
}
