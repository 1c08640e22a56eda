//! The last lines of a room's chat.

use std::collections::VecDeque;

use super::limits::SPECTATOR_LINES_MAX;
use crate::protocol::{CHAT_LINES_MAX, ChatLine};

/// The last lines of both channels.
#[derive(Clone, Debug, Default)]
pub struct ChatLines {
    pub(super) players: Channel,
    pub(super) spectators: Channel,
    /// How many lines there have been.
    pub(super) count: u64,
}

/// At most [`CHAT_LINES_MAX`] lines, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Channel(VecDeque<ChatLine>);

impl ChatLines {
    /// Whether nobody has said anything.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.players.0.len() + self.spectators.0.len()
    }
}

impl Channel {
    pub(super) fn push(&mut self, line: ChatLine) {
        if self.0.len() == CHAT_LINES_MAX {
            self.0.pop_front();
        }
        self.0.push_back(line);
    }

    /// Whether one more line would be too many since this time, to follow and to send to all
    /// spectators.
    pub(super) fn is_crowded(&self, since: u64) -> bool {
        self.0.iter().rev().nth(SPECTATOR_LINES_MAX - 1).is_some_and(|line| line.at > since)
    }

    pub(super) fn lines(&self) -> Vec<ChatLine> {
        self.0.iter().cloned().collect()
    }
}
