//! What the server knows of its open rooms without asking them: how each one stands, and in which
//! rooms a member has a place.
//!
//! Rooms report every change here. What goes on in them is unknown.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use fivefold_shared::{
    protocol::{MemberId, OwnRoom, Player, RoomCode, RoomSummary, Seats, Visibility},
    rules::Stone,
};

use crate::room::Room;

/// The rooms of each member: those that they made, and those in which they have a seat. A room has
/// at most three such members, so the number of open rooms bounds the index.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    /// The rooms of each member, the newest last. Held only to look up and to change an entry.
    rooms: Mutex<HashMap<MemberId, Vec<RoomCode>>>,
}

/// The entry of one open room. The room keeps it up to date.
#[derive(Debug)]
pub(crate) struct Listed {
    directory: Arc<Directory>,
    host: MemberId,
    visibility: Visibility,
    /// Held only to copy or replace it.
    standing: Mutex<Standing>,
}

/// How a room stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Standing {
    pub(crate) summary: RoomSummary,
    /// Whose turn it is, while a game is running.
    pub(crate) turn: Option<Stone>,
}

impl Directory {
    /// The rooms of a member, the oldest first.
    pub(crate) fn rooms_of(&self, member: &MemberId) -> Vec<RoomCode> {
        self.lock().get(member).cloned().unwrap_or_default()
    }

    /// Enters a new room.
    pub(crate) fn list(self: &Arc<Self>, room: &Room) -> Arc<Listed> {
        let listed = Listed {
            directory: Arc::clone(self),
            host: room.host().clone(),
            visibility: room.visibility(),
            standing: Mutex::new(room.standing()),
        };
        let mut rooms = self.lock();
        for member in listed.members(&listed.lock().summary.seats) {
            rooms.entry(member.clone()).or_default().push(room.code().clone());
        }
        drop(rooms);
        Arc::new(listed)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<MemberId, Vec<RoomCode>>> {
        // Nothing panics between two changes that belong together.
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Standing {
    /// Whether a game is running.
    pub(crate) fn is_running(&self) -> bool {
        self.turn.is_some()
    }
}

impl Listed {
    /// Whether the room is in the public list.
    pub(crate) const fn is_public(&self) -> bool {
        match self.visibility {
            Visibility::Public => true,
            Visibility::Private => false,
        }
    }

    /// How the room stands.
    pub(crate) fn standing(&self) -> Standing {
        self.lock().clone()
    }

    /// Reads one thing of how the room stands, without copying the rest.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Standing) -> T) -> T {
        read(&self.lock())
    }

    /// Takes note of a change. The index is only touched where seats have changed hands.
    pub(crate) fn update(&self, room: &Room) {
        let now = room.standing();
        let before = std::mem::replace(&mut *self.lock(), now.clone());
        let (left, came) = (&before.summary.seats, &now.summary.seats);
        if left != came {
            self.move_members(room.code(), left, came);
        }
    }

    /// Removes the entry: the room is closed.
    pub(crate) fn remove(&self, code: &RoomCode) {
        let seats = self.standing().summary.seats;
        let mut rooms = self.directory.lock();
        for member in self.members(&seats) {
            forget(&mut rooms, member, code);
        }
    }

    /// The room as `own_rooms` tells it to this member; nothing if they have no place there.
    pub(crate) fn own_room(&self, member: &MemberId) -> Option<OwnRoom> {
        let Standing { summary, turn } = self.standing();
        let seat = summary.seats.of_member(member);
        let host = self.host == *member;
        let your_turn = seat.is_some() && turn == seat;
        let own = OwnRoom { summary, visibility: self.visibility, seat, your_turn, host };
        (host || seat.is_some()).then_some(own)
    }

    /// The host and the seated members, each once.
    fn members<'a>(&'a self, seats: &'a Seats) -> impl Iterator<Item = &'a MemberId> {
        std::iter::once(&self.host).chain(seated(seats).filter(|member| **member != self.host))
    }

    fn move_members(&self, code: &RoomCode, before: &Seats, now: &Seats) {
        let mut rooms = self.directory.lock();
        let is_in = |seats: &Seats, member: &MemberId| seats.of_member(member).is_some();
        for member in seated(before).filter(|member| **member != self.host) {
            if !is_in(now, member) {
                forget(&mut rooms, member, code);
            }
        }
        for member in seated(now).filter(|member| **member != self.host) {
            if !is_in(before, member) {
                rooms.entry(member.clone()).or_default().push(code.clone());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Standing> {
        // The room only ever writes a whole standing.
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The members who have seats; nobody has both.
fn seated(seats: &Seats) -> impl Iterator<Item = &MemberId> {
    Stone::BOTH.into_iter().filter_map(|seat| match seats.get(seat) {
        Some(Player::Member { member, .. }) => Some(member),
        Some(Player::Bot { .. }) | None => None,
    })
}

fn forget(rooms: &mut HashMap<MemberId, Vec<RoomCode>>, member: &MemberId, code: &RoomCode) {
    if let Some(own) = rooms.get_mut(member) {
        own.retain(|open| open != code);
        if own.is_empty() {
            rooms.remove(member);
        }
    }
}
