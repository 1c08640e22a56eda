//! A list of public rooms, and the order of the rooms in it.

use std::time::Instant;

use fivefold_shared::protocol::{MemberId, Player, ROOMS_MAX, RoomSummary};

use crate::rooms::listed_room::rank;

/// The list of public rooms that was built last.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) list: RoomList,
    pub(super) fresh_until: Option<Instant>,
    /// Whether a demo game could begin for it.
    pub(super) is_for_people: bool,
}

/// A list of public rooms: at most [`ROOMS_MAX`] of them, and the total number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct RoomList {
    pub(crate) rooms: Vec<RoomSummary>,
    pub(crate) total: usize,
    /// Whether a game is running in any of them.
    pub(crate) has_game: bool,
}

impl RoomList {
    /// Leaves out the rooms in which one of these people has a seat, or has played.
    pub(crate) fn hide(&mut self, is_hidden: impl Fn(&MemberId) -> bool) {
        let before = self.rooms.len();
        let hides =
            |player: &Player| matches!(player, Player::Member { member, .. } if is_hidden(member));
        self.rooms.retain(|RoomSummary { seats, players, .. }| {
            let played = players.iter().flat_map(|players| [&players.first, &players.second]);
            ![&seats.first, &seats.second].into_iter().flatten().chain(played).any(hides)
        });
        self.total -= before - self.rooms.len();
    }

    /// Keeps the first [`ROOMS_MAX`] rooms: those that wait for a player, then those with a running
    /// game.
    pub(super) fn of(mut rooms: Vec<RoomSummary>, total: usize, has_game: bool) -> Self {
        let order = |a: &RoomSummary, b: &RoomSummary| {
            rank(a.phase).cmp(&rank(b.phase)).then_with(|| a.room.cmp(&b.room))
        };
        if rooms.len() > ROOMS_MAX {
            rooms.select_nth_unstable_by(ROOMS_MAX, order);
            rooms.truncate(ROOMS_MAX);
        }
        rooms.sort_unstable_by(order);
        Self { rooms, total, has_game }
    }
}
