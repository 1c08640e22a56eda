//! The rooms that a session is in, and access to their mailboxes.

use std::sync::{Arc, Weak};

use fivefold_shared::{
    protocol::{MemberId, Name, Reason, Refusal, RoomCode},
    room::{Input, SessionId},
};
use futures_util::future::join_all;
use tokio::sync::mpsc::{OwnedPermit, error::TrySendError};

use crate::{
    limits::JOINED_ROOMS_MAX,
    online::outbox::Outbox,
    rooms::{
        lobby::{RoomHandle, no_such_room},
        room_actor::Envelope,
    },
};

/// The rooms that the session is in, or has asked to enter. There are few, usually one: a map would
/// take more memory and time.
#[derive(Debug, Default)]
pub(super) struct JoinedRooms(Vec<Joined>);

#[derive(Debug)]
struct Joined {
    room: RoomHandle,
    /// The room keeps the outbox for as long as the session is in it.
    outbox: Weak<Outbox>,
}

/// A name change for one room, with a permit for its mailbox.
pub(super) struct Renaming {
    permit: OwnedPermit<Box<Envelope>>,
    envelope: Box<Envelope>,
}

impl JoinedRooms {
    fn get(&self, code: &RoomCode) -> Option<&Joined> {
        self.0.iter().find(|joined| joined.room.code() == code)
    }

    pub(super) fn contains(&self, code: &RoomCode) -> bool {
        self.get(code).is_some()
    }

    /// Whether one of these members has a seat in the room.
    pub(super) fn is_seated<'m>(
        &self,
        code: &RoomCode,
        mut members: impl Iterator<Item = &'m MemberId>,
    ) -> bool {
        self.get(code).is_some_and(|joined| members.any(|member| joined.room.is_seated(member)))
    }

    /// Whether the session may enter this room, or a new one.
    pub(super) fn may_join(&mut self, room: Option<&RoomCode>) -> Result<(), Refusal> {
        self.0.retain(|joined| joined.outbox.strong_count() > 0);
        let is_in = room.is_some_and(|code| self.contains(code));
        if is_in || self.0.len() < JOINED_ROOMS_MAX {
            return Ok(());
        }
        Err(Refusal::new(Reason::TooManyJoined))
    }

    /// Posts an `Enter` to a room.
    pub(super) fn enter(
        &mut self,
        room: RoomHandle,
        input: Input,
        outbox: Outbox,
    ) -> Result<(), Refusal> {
        let outbox = Arc::new(outbox);
        let kept = Arc::downgrade(&outbox);
        post(&room, Envelope::Session { input, outbox })?;
        self.remove(room.code());
        self.0.reserve_exact(1);
        self.0.push(Joined { room, outbox: kept });
        Ok(())
    }

    pub(super) fn remove(&mut self, code: &RoomCode) {
        self.0.retain(|joined| joined.room.code() != code);
    }

    /// The room with this code and its copy of the outbox, if the session is in it.
    pub(super) fn outbox(&self, code: &RoomCode) -> Option<(&RoomHandle, Arc<Outbox>)> {
        let joined = self.get(code)?;
        Some((&joined.room, joined.outbox.upgrade()?))
    }

    /// Reserves a permit for a name change in the mailbox of every room.
    ///
    /// # Errors
    /// If a mailbox is full. Closed rooms need no names.
    pub(super) fn prepare_renaming(
        &self,
        session: SessionId,
        name: &Name,
    ) -> Result<Vec<Renaming>, Refusal> {
        let mut renamings = Vec::new();
        for joined in &self.0 {
            let Some(outbox) = joined.outbox.upgrade() else { continue };
            match joined.room.mailbox().clone().try_reserve_owned() {
                Ok(permit) => {
                    let input = Input::Renamed { session, name: name.clone() };
                    let envelope = Box::new(Envelope::Session { input, outbox });
                    renamings.push(Renaming { permit, envelope });
                }
                Err(TrySendError::Full(_)) => return Err(busy()),
                Err(TrySendError::Closed(_)) => {}
            }
        }
        Ok(renamings)
    }

    /// Notifies the rooms that the socket is gone.
    pub(super) async fn leave_all(self, session: SessionId) {
        let leave = |joined: Joined| async move {
            if let Some(outbox) = joined.outbox.upgrade() {
                let input = Input::Leave { session, command: None };
                // A closed room has no members to update.
                let envelope = Box::new(Envelope::Session { input, outbox });
                drop(joined.room.mailbox().send(envelope).await);
            }
        };
        join_all(self.0.into_iter().map(leave)).await;
    }
}

impl Renaming {
    pub(super) fn send(self) {
        self.permit.send(self.envelope);
    }
}

/// Puts an input into a room's mailbox.
pub(super) fn post(room: &RoomHandle, envelope: Envelope) -> Result<(), Refusal> {
    room.mailbox().try_send(Box::new(envelope)).map_err(|error| match error {
        TrySendError::Full(_) => busy(),
        TrySendError::Closed(_) if room.is_closed() => no_such_room(),
        // A relay may have ended because nobody needed it, or the room has just fallen asleep.
        TrySendError::Closed(_) => busy(),
    })
}

fn busy() -> Refusal {
    Refusal::new(Reason::Busy)
}
