//! The chat of sleeping rooms. It is not in the database, so it stays in the memory of the node on which they fell
//! asleep.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, PoisonError},
};

use fivefold_shared::{protocol::RoomCode, room::ChatLines};
use fivefold_storage::Epoch;

use crate::limits::moderation::SLEEPING_CHAT_LINES_MAX;

/// How much higher the epoch of the next owner is than that of the owner that let a room sleep: nobody owns it in
/// between.
const OWNERS_APART: u64 = 2;

/// The lines of rooms that sleep. If there are too many, the rooms that have slept longest lose theirs.
#[derive(Debug, Default)]
pub(crate) struct SleepingChats(Mutex<Chats>);

#[derive(Debug, Default)]
struct Chats {
    rooms: HashMap<RoomCode, Chat>,
    order: BTreeMap<u64, RoomCode>,
    lines: usize,
    /// How many rooms there have been.
    count: u64,
}

#[derive(Debug)]
struct Chat {
    number: u64,
    /// Of the owner that let the room sleep.
    epoch: Epoch,
    lines: ChatLines,
}

impl SleepingChats {
    /// Keeps the lines of a room that has fallen asleep under the owner of this epoch.
    pub(crate) fn keep(&self, room: RoomCode, epoch: Epoch, lines: ChatLines) {
        let mut chats = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        chats.remove(&room);
        if lines.is_empty() {
            return;
        }
        chats.count += 1;
        let number = chats.count;
        chats.lines += lines.len();
        chats.order.insert(number, room.clone());
        chats.rooms.insert(room, Chat { number, epoch, lines });
        while chats.lines > SLEEPING_CHAT_LINES_MAX
            && let Some(oldest) = chats.order.values().next().cloned()
        {
            chats.remove(&oldest);
        }
    }

    /// Takes out the lines of a room that wakes under the owner of this epoch. Returns nothing if the room had another
    /// owner in between, who may have newer lines.
    pub(crate) fn take(&self, room: &RoomCode, epoch: Epoch) -> Option<ChatLines> {
        let chat = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(room)?;
        (chat.epoch.0 + OWNERS_APART == epoch.0).then_some(chat.lines)
    }
}

impl Chats {
    fn remove(&mut self, room: &RoomCode) -> Option<Chat> {
        let chat = self.rooms.remove(room)?;
        self.order.remove(&chat.number);
        self.lines -= chat.lines.len();
        Some(chat)
    }
}
