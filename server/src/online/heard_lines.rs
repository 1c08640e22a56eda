//! Who says a line of chat, who sees it, and the last lines that this node has sent, so that a report
//! quotes what was written.
//!
//! It does not know rooms: their tasks, and the relays of rooms at other nodes, hand it their messages.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use fivefold_shared::protocol::{ChatLine, MemberId, Message, RoomCode};

use crate::{limits::moderation::CHAT_LINES_KEPT, online::own_blocks::OwnBlocks};

/// The last lines of all rooms that have listeners here.
#[derive(Debug, Default)]
pub(crate) struct HeardLines(Mutex<LastLines>);

/// Locked only to add or find a line.
#[derive(Debug, Default)]
struct LastLines {
    lines: HashMap<(RoomCode, u64), ChatLine>,
    order: VecDeque<(RoomCode, u64)>,
}

impl HeardLines {
    /// Keeps the line in a message, if it has one.
    pub(crate) fn note(&self, message: &Message) {
        let Some((room, line)) = line_in(message) else { return };
        let key = (room.clone(), line.number);
        let mut kept = self.lock();
        // After a restart a room numbers its lines from 1 again.
        if kept.lines.insert(key.clone(), line.clone()).is_none() {
            kept.order.push_back(key);
        }
        if kept.order.len() > CHAT_LINES_KEPT
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.lines.remove(&oldest);
        }
    }

    /// A line that was sent, by its room and number.
    pub(crate) fn find(&self, room: &RoomCode, number: u64) -> Option<ChatLine> {
        self.lock().lines.get(&(room.clone(), number)).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, LastLines> {
        // Nothing panics between two changes that belong together.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The line in a message, and its room.
fn line_in(message: &Message) -> Option<(&RoomCode, &ChatLine)> {
    if let Message::PlayerSaid { room, line } | Message::SpectatorSaid { room, line } = message {
        Some((room, line))
    } else {
        None
    }
}

/// Who speaks in a message, if it is a line of chat.
pub(crate) fn speaker(message: &Message) -> Option<&MemberId> {
    line_in(message).map(|(_, line)| &line.member)
}

/// The beginnings of the texts of chat lines.
const SAID: [&str; 2] = [r#"{"type":"player_said""#, r#"{"type":"spectator_said""#];

/// The message in a text, if it is a line of chat. Other texts are not parsed.
pub(crate) fn said(text: &str) -> Option<Message> {
    let is_said = SAID.iter().any(|said| text.starts_with(said));
    is_said.then(|| Message::from_json(text).ok()).flatten()
}

/// Leaves out of a reply to `chat` what its reader does not see. Returns whether anything was.
pub(crate) fn leave_out_unheard(message: &mut Message, reader: Option<&OwnBlocks>) -> bool {
    let (Some(reader), Message::Chat { players, spectators, .. }) = (reader, message) else {
        return false;
    };
    let lists = [Some(players), spectators.as_mut()];
    lists.into_iter().flatten().fold(false, |left_out, lines| {
        let before = lines.len();
        lines.retain(|line| reader.hears(&line.member));
        left_out || lines.len() < before
    })
}

/// A reply to a command without the lines that its reader does not see, if it is one to `chat`.
pub(crate) fn heard_by(reader: Option<&OwnBlocks>, text: String) -> String {
    if reader.is_none() || !text.starts_with(r#"{"type":"chat""#) {
        return text;
    }
    let Ok(mut message) = Message::from_json(&text) else { return text };
    if leave_out_unheard(&mut message, reader) { message.to_json() } else { text }
}

#[cfg(test)]
mod tests {
    use fivefold_shared::protocol::{ChatText, Name};

    use super::*;
    use crate::process::ids;

    fn message(room: &RoomCode, number: u64) -> Message {
        let line = ChatLine {
            number,
            at: 5,
            member: ids::new_member_id(),
            bot: false,
            name: Name::new("Ann").unwrap(),
            text: ChatText::new("Hello").unwrap(),
        };
        Message::PlayerSaid { room: room.clone(), line }
    }

    #[test]
    fn the_last_lines_are_kept() {
        let heard = HeardLines::default();
        let room = ids::room_code();
        let most = u64::try_from(CHAT_LINES_KEPT).unwrap();
        for number in 1..=most {
            heard.note(&message(&room, number));
        }
        assert!(heard.find(&room, 1).is_some(), "the last that is kept");
        heard.note(&message(&room, most + 1));
        assert!(heard.find(&room, 1).is_none(), "and forgotten then");
        assert!(heard.find(&room, most + 1).is_some());
        assert!(heard.find(&ids::room_code(), most).is_none());
        // A line of the same number takes the place of the one before.
        let again = message(&room, most);
        heard.note(&again);
        let (_, line) = line_in(&again).unwrap();
        assert_eq!(heard.find(&room, most).as_ref(), Some(line));
        assert_eq!(heard.lock().order.len(), CHAT_LINES_KEPT);
    }

    #[test]
    fn lines_are_found_in_texts() {
        let line = message(&ids::room_code(), 3);
        assert_eq!(said(&line.to_json()), Some(line.clone()));
        assert!(speaker(&line).is_some());
        let other = Message::Pong { id: ids::command_id(), now: 1 };
        assert_eq!((said(&other.to_json()), speaker(&other)), (None, None));
    }
}
