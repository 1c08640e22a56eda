//! The ids of one person: their account's, and those of the guests that belong to it.
//!
//! A game that a guest has begun keeps the guest's id in its log. To the account, that id is its own: it
//! replaces it in all that the account's sessions receive. This file knows no sessions and no rooms.

use std::iter;

use fivefold_shared::protocol::MemberId;
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// The ids of a person who has an account with guests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OwnIds {
    account: MemberId,
    guests: Vec<MemberId>,
}

impl OwnIds {
    /// Nothing for an account without guests.
    pub(crate) fn new(account: MemberId, guests: Vec<MemberId>) -> Option<Self> {
        (!guests.is_empty()).then_some(Self { account, guests })
    }

    /// All of them, the account's first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &MemberId> {
        iter::once(&self.account).chain(&self.guests)
    }

    /// An encoded message as the account receives it. It stays as long as it is.
    pub(crate) fn translate(&self, text: Utf8Bytes) -> Utf8Bytes {
        let mut translated = None;
        for guest in &self.guests {
            // An id inside a text is between escaped quotes, so this finds values only.
            let quoted = format!("\"{}\"", guest.as_str());
            let current = translated.as_deref().unwrap_or(text.as_str());
            if current.contains(&quoted) {
                let own = format!("\"{}\"", self.account.as_str());
                translated = Some(current.replace(&quoted, &own));
            }
        }
        translated.map_or(text, Utf8Bytes::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: &str) -> MemberId {
        digit.repeat(16).try_into().unwrap()
    }

    #[test]
    fn the_ids_of_guests_are_the_accounts_own_to_it() {
        assert_eq!(OwnIds::new(id("a"), vec![]), None);
        let own = OwnIds::new(id("a"), vec![id("1"), id("2")]).unwrap();
        assert_eq!(own.all().collect::<Vec<_>>(), [&id("a"), &id("1"), &id("2")]);
        let text = |one: &str, other: &str| {
            let (one, other) = (one.repeat(16), other.repeat(16));
            format!(r#"{{"member":"{one}","seats":["{other}"],"text":"\"{one}\" {other}"}}"#)
        };
        let others = text("3", "b");
        for (given, expected) in [
            (others.clone(), others),
            (text("1", "3"), text("1", "3").replacen(&"1".repeat(16), &"a".repeat(16), 1)),
            (
                text("1", "2"),
                text("1", "2").replacen(&"1".repeat(16), &"a".repeat(16), 1).replacen(
                    &"2".repeat(16),
                    &"a".repeat(16),
                    1,
                ),
            ),
        ] {
            let translated = own.translate(given.clone().into());
            assert_eq!((translated.as_str(), translated.len()), (&*expected, given.len()));
        }
    }
}
