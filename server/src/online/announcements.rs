//! What an operator tells everybody: one announcement at a time, at all nodes.
//!
//! It is in memory. Each node repeats the newest one that it knows, so that nodes that have started since, or have
//! missed it, learn of it. If an operator takes it back, the nodes repeat that, too, until it would have ended. A
//! restart of the only node forgets it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use fivefold_shared::protocol::{ChatText, Message};
use serde::{Deserialize, Serialize};

/// The newest announcement that this node knows.
#[derive(Debug, Default)]
pub(crate) struct Announcements {
    /// Locked to read or replace it.
    newest: Mutex<Option<Announcement>>,
}

/// An announcement, or that the one before was taken back. Times are in milliseconds since the Unix epoch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Announcement {
    /// When it was made: a newer one takes the place of an older one.
    pub(crate) at: u64,
    /// Who has made it.
    pub(crate) by: String,
    /// Absent when it was taken back.
    pub(crate) text: Option<ChatText>,
    /// When it ends.
    pub(crate) until: u64,
}

impl Announcements {
    /// Takes in an announcement. Returns whether it is newer than the known one.
    pub(crate) fn take(&self, announcement: &Announcement) -> bool {
        let mut newest = self.lock();
        let is_newer = newest.as_ref().is_none_or(|known| known.at < announcement.at);
        if is_newer {
            *newest = Some(announcement.clone());
        }
        is_newer
    }

    /// The time of a new announcement: it is newer than the known one.
    pub(crate) fn next_at(&self, now: u64) -> u64 {
        self.lock().as_ref().map_or(now, |known| now.max(known.at + 1))
    }

    /// What the other nodes should know at a time: also that something was taken back.
    pub(crate) fn newest(&self, now: u64) -> Option<Announcement> {
        self.lock().clone().filter(|announcement| announcement.until > now)
    }

    /// What people should read at a time.
    pub(crate) fn current(&self, now: u64) -> Option<Announcement> {
        self.newest(now).filter(|announcement| announcement.text.is_some())
    }

    fn lock(&self) -> MutexGuard<'_, Option<Announcement>> {
        // Nothing panics while the lock is held.
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Announcement {
    /// What clients receive.
    pub(crate) fn message(&self) -> Message {
        let text = self.text.clone();
        let until = text.is_some().then_some(self.until);
        Message::Announcement { text, until }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn announcement(at: u64, text: Option<&str>, until: u64) -> Announcement {
        let text = text.map(|text| ChatText::new(text).unwrap());
        Announcement { at, by: "Ann".to_owned(), text, until }
    }

    #[test]
    fn the_newest_announcement_holds_until_it_ends_or_is_taken_back() {
        let known = Announcements::default();
        assert_eq!((known.newest(0), known.current(0)), (None, None));
        let first = announcement(5, Some("Back at noon"), 100);
        assert!(known.take(&first));
        assert!(!known.take(&first), "it comes again and again");
        assert_eq!(known.current(99), Some(first.clone()));
        assert_eq!(known.current(100), None);
        let back = announcement(7, None, 100);
        assert!(known.take(&back));
        assert!(!known.take(&first), "an older one comes late");
        assert_eq!((known.next_at(6), known.next_at(9)), (8, 9));
        assert_eq!((known.current(50), known.newest(50)), (None, Some(back.clone())));
        assert_eq!(known.newest(100), None);
        let until = |message: Message| match message {
            Message::Announcement { text, until } => (text.is_some(), until),
            other => panic!("{other:?}"),
        };
        assert_eq!(until(first.message()), (true, Some(100)));
        assert_eq!(until(back.message()), (false, None));
    }
}
