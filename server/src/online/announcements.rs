//! What an operator tells everybody: one announcement at a time, at all nodes.
//!
//! It is in memory, also while a node joins its cluster again. A node repeats the newest one that it knows when another
//! node joins, or may have missed something; an announcement that was taken back is repeated the same way until it
//! would have ended. A restart of the only node forgets it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use fivefold_shared::protocol::{ChatText, Message};
use serde::{Deserialize, Serialize};

/// The newest announcement that this node knows.
#[derive(Debug, Default)]
pub struct Announcements {
    /// Locked to read or replace it, and to post it: all sessions get announcements in one order.
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
    /// Takes in an announcement of another node, and posts it unless a newer one is known.
    pub(crate) fn take(&self, announcement: Announcement, post: impl FnOnce(&Announcement)) {
        let mut newest = self.lock();
        if newest.as_ref().is_none_or(|known| known.order() < announcement.order()) {
            post(newest.insert(announcement));
        }
    }

    /// Makes a new announcement at this time, or a little later: it is newer than the known one. Posts it.
    pub(crate) fn publish(
        &self,
        announcement: Announcement,
        post: impl FnOnce(&Announcement),
    ) -> Announcement {
        replace(&mut self.lock(), announcement, post)
    }

    /// Takes back what people read at this time, and posts that. Returns what was taken back and what the other nodes
    /// should know, or nothing if nobody reads anything.
    pub(crate) fn take_back(
        &self,
        now: u64,
        by: String,
        post: impl FnOnce(&Announcement),
    ) -> Option<(ChatText, Announcement)> {
        let mut newest = self.lock();
        let known = newest.as_ref().filter(|known| known.until > now)?;
        let (text, until) = (known.text.clone()?, known.until);
        // The others learn it until the announcement would have ended.
        let end = Announcement { at: now, by, text: None, until };
        Some((text, replace(&mut newest, end, post)))
    }

    /// Posts what people should read at a time, if there is something.
    pub(crate) fn show(&self, now: u64, post: impl FnOnce(&Announcement)) {
        let newest = self.lock();
        let current = newest.as_ref().filter(|known| known.until > now && known.text.is_some());
        if let Some(announcement) = current {
            post(announcement);
        }
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
        // What is posted has replaced the one before already.
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn replace(
    newest: &mut Option<Announcement>,
    announcement: Announcement,
    post: impl FnOnce(&Announcement),
) -> Announcement {
    let after = newest.as_ref().map_or(0, |known| known.at + 1);
    let new = Announcement { at: announcement.at.max(after), ..announcement };
    post(newest.insert(new.clone()));
    new
}

impl Announcement {
    /// The order is the same at all nodes, also of announcements of one millisecond: the last one holds.
    fn order(&self) -> (u64, &str, Option<&str>) {
        (self.at, &self.by, self.text.as_ref().map(ChatText::as_str))
    }

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

    /// Takes one in. Returns whether it is posted.
    fn takes(known: &Announcements, announcement: &Announcement) -> bool {
        let mut is_posted = false;
        known.take(announcement.clone(), |posted| is_posted = posted == announcement);
        is_posted
    }

    #[test]
    fn the_newest_announcement_holds_until_it_ends_or_is_taken_back() {
        let known = Announcements::default();
        assert_eq!((known.newest(0), known.current(0)), (None, None));
        assert_eq!(known.take_back(0, "Bob".to_owned(), |_| ()), None);
        let first = announcement(5, Some("Back at noon"), 100);
        assert!(takes(&known, &first));
        assert!(!takes(&known, &first), "it comes again and again");
        assert_eq!((known.current(99), known.current(100)), (Some(first.clone()), None));
        let mut shown = Vec::new();
        known.show(99, |one| shown.push(one.clone()));
        known.show(100, |one| shown.push(one.clone()));
        assert_eq!(shown, std::slice::from_ref(&first));

        let mut posted = Vec::new();
        let taken = known.take_back(5, "Bob".to_owned(), |one| posted.push(one.clone()));
        let (text, back) = taken.unwrap();
        assert_eq!((text.as_str(), back.at, back.until), ("Back at noon", 6, 100));
        assert_eq!(posted, std::slice::from_ref(&back));
        assert_eq!(known.take_back(5, "Bob".to_owned(), |_| ()), None);
        assert!(!takes(&known, &first), "an older one comes late");
        assert_eq!((known.current(50), known.newest(50)), (None, Some(back.clone())));
        assert_eq!(known.newest(100), None);
        let until = |message: Message| match message {
            Message::Announcement { text, until } => (text.is_some(), until),
            other => panic!("{other:?}"),
        };
        assert_eq!(until(first.message()), (true, Some(100)));
        assert_eq!(until(back.message()), (false, None));

        // The clock of the node that made the last one was ahead.
        let at = |now| known.publish(announcement(now, Some("Hello"), 200), |_| ()).at;
        assert_eq!((at(6), at(9), at(9)), (7, 9, 10));
    }

    #[test]
    fn of_two_announcements_at_one_moment_the_same_holds_everywhere() {
        let [one, other] = ["Back at noon", "Back at one"].map(|text| {
            let known = Announcements::default();
            (known.publish(announcement(5, Some(text), 100), |_| ()), known)
        });
        let ((first, here), (second, there)) = (one, other);
        assert!(takes(&here, &second) != takes(&there, &first));
        assert_eq!(here.current(6), there.current(6));
    }
}
