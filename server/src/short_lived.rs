//! What is valid for a few minutes: challenges for passkeys, codes of devices, and links to other devices.
//!
//! It is in the memory of the node that made it, and any node of a cluster finds it there by asking the
//! others. A restart forgets it, and the person begins again. It does not know what the values mean.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    cluster::{Cluster, frame::Question},
    limits::accounts::SHORT_LIVED_MAX,
    storage::KeyHash,
};

/// The values of this node, by the hashes of the secrets that name them.
#[derive(Debug, Default)]
pub(crate) struct ShortLived {
    /// Locked only to look up or change an entry.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: HashMap<KeyHash, Entry>,
    /// The oldest first. Some may be gone.
    order: VecDeque<KeyHash>,
}

/// A value as JSON. It may hold secrets, so it has no `Debug`.
struct Entry {
    value: String,
    /// In milliseconds since the Unix epoch.
    expires_at: u64,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

/// What to do with a value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Access {
    /// Read it.
    Read,
    /// Read it for the last time.
    Take,
    /// Put another value in its place, if it is there. The old one is the answer.
    Replace(String),
}

/// The values of all nodes, at a time in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EveryNodes<'a> {
    pub(crate) here: &'a ShortLived,
    pub(crate) cluster: Option<&'a Cluster>,
    pub(crate) now: u64,
}

impl ShortLived {
    /// Keeps a value at this node. The oldest one makes place if there are too many.
    pub(crate) fn put(&self, key: KeyHash, value: &impl Serialize, expires_at: u64) {
        let value = serde_json::to_string(value).expect("plain data");
        let mut state = self.lock();
        while state.order.len() >= SHORT_LIVED_MAX {
            if let Some(oldest) = state.order.pop_front() {
                state.entries.remove(&oldest);
            }
        }
        state.order.push_back(key);
        state.entries.insert(key, Entry { value, expires_at });
    }

    /// The value at this node, if there is one that has not expired at `now`.
    pub(crate) fn access(&self, key: KeyHash, access: &Access, now: u64) -> Option<String> {
        let mut state = self.lock();
        if state.entries.get(&key)?.expires_at <= now {
            state.entries.remove(&key);
            return None;
        }
        match access {
            Access::Read => state.entries.get(&key).map(|entry| entry.value.clone()),
            Access::Take => state.entries.remove(&key).map(|entry| entry.value),
            Access::Replace(value) => {
                let entry = state.entries.get_mut(&key)?;
                Some(std::mem::replace(&mut entry.value, value.clone()))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics between two changes that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EveryNodes<'_> {
    /// The value, at whatever node.
    pub(crate) async fn read<T: DeserializeOwned>(&self, key: KeyHash) -> Option<T> {
        self.access(key, Access::Read).await
    }

    /// The value for the last time. Of several who take it, one gets it.
    pub(crate) async fn take<T: DeserializeOwned>(&self, key: KeyHash) -> Option<T> {
        self.access(key, Access::Take).await
    }

    /// Puts another value in the place of one that is there. Returns whether it was.
    pub(crate) async fn replace(&self, key: KeyHash, value: &impl Serialize) -> bool {
        let value = serde_json::to_string(value).expect("plain data");
        self.access::<serde_json::Value>(key, Access::Replace(value)).await.is_some()
    }

    async fn access<T: DeserializeOwned>(&self, key: KeyHash, access: Access) -> Option<T> {
        let here = self.here.access(key, &access, self.now);
        let found = match (here, self.cluster) {
            (Some(value), _) => value,
            (None, None) => return None,
            (None, Some(cluster)) => {
                let question = Question::ShortLived { key, access, now: self.now };
                let answers: Vec<Option<String>> = cluster.ask_all(&question).await;
                answers.into_iter().flatten().next()?
            }
        };
        serde_json::from_str(&found).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> KeyHash {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        KeyHash(bytes)
    }

    #[tokio::test]
    async fn a_value_is_there_until_it_expires_or_is_taken() {
        let here = ShortLived::default();
        let at = |now| EveryNodes { here: &here, cluster: None, now };
        here.put(key(1), &"one", 100);
        here.put(key(2), &"two", 100);
        assert_eq!(at(99).read::<String>(key(1)).await.as_deref(), Some("one"));
        assert!(at(99).replace(key(1), &"uno").await);
        assert_eq!(at(99).take::<String>(key(1)).await.as_deref(), Some("uno"));
        assert_eq!(at(99).take::<String>(key(1)).await, None);
        assert!(!at(99).replace(key(1), &"eins").await);
        assert_eq!(at(100).read::<String>(key(2)).await, None);
        assert!(!format!("{here:?}").contains("two"), "{here:?}");
    }

    #[test]
    fn the_oldest_value_makes_place() {
        let here = ShortLived::default();
        for number in 0..SHORT_LIVED_MAX {
            here.put(key(number), &number, 100);
        }
        assert!(here.access(key(0), &Access::Read, 0).is_some());
        here.put(key(SHORT_LIVED_MAX), &0, 100);
        assert!(here.access(key(0), &Access::Read, 0).is_none());
        assert!(here.access(key(1), &Access::Read, 0).is_some());
        assert_eq!(here.lock().entries.len(), SHORT_LIVED_MAX);
    }
}
