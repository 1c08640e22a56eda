//! Values that are valid for a few minutes: challenges for passkeys, codes of devices, and links to other
//! devices.
//!
//! Each is in the memory of the node that made it; `accounts/every_node.rs` asks the others for it. A
//! restart forgets it, and the person begins again. This does not know what the values mean.

use std::{
    collections::{HashMap, VecDeque},
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use fivefold_storage::KeyHash;
use serde::{Deserialize, Serialize};

use crate::{
    limits::accounts::{SHORT_LIVED_MAX, SHORT_LIVED_PER_ADDRESS_MAX},
    net::network::network,
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
    /// Those of addresses, as above.
    of_addresses: HashMap<IpAddr, VecDeque<KeyHash>>,
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

impl ShortLived {
    /// Keeps a value at this node, for an address unless something else limits how many there are. The oldest one
    /// makes place if there are too many: of the address, or of all.
    pub(crate) fn put(
        &self,
        key: KeyHash,
        value: &impl Serialize,
        expires_at: u64,
        address: Option<IpAddr>,
    ) {
        let value = serde_json::to_string(value).expect("plain data");
        let mut state = self.lock();
        if let Some(address) = address {
            state.make_place_of(network(address), key);
        }
        if state.order.len() >= SHORT_LIVED_MAX {
            let State { order, entries, .. } = &mut *state;
            order.retain(|key| entries.contains_key(key));
        }
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

impl State {
    /// Notes a new value of an address, and removes its oldest if it has too many.
    fn make_place_of(&mut self, address: IpAddr, key: KeyHash) {
        if self.of_addresses.len() >= SHORT_LIVED_MAX {
            let Self { of_addresses, entries, .. } = self;
            of_addresses.retain(|_, keys| {
                keys.retain(|key| entries.contains_key(key));
                !keys.is_empty()
            });
        }
        let keys = self.of_addresses.entry(address).or_default();
        if keys.len() >= SHORT_LIVED_PER_ADDRESS_MAX
            && let Some(oldest) = keys.pop_front()
        {
            self.entries.remove(&oldest);
        }
        keys.push_back(key);
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

    #[test]
    fn the_oldest_value_makes_place() {
        let here = ShortLived::default();
        for number in 0..SHORT_LIVED_MAX {
            here.put(key(number), &number, 100, None);
        }
        assert!(here.access(key(0), &Access::Read, 0).is_some());
        here.put(key(SHORT_LIVED_MAX), &0, 100, None);
        assert!(here.access(key(0), &Access::Read, 0).is_none());
        assert!(here.access(key(1), &Access::Read, 0).is_some());
        assert_eq!(here.lock().entries.len(), SHORT_LIVED_MAX);
    }

    #[test]
    fn one_address_does_not_take_the_place_of_everybody_else() {
        let here = ShortLived::default();
        let [one, other] =
            [[192, 0, 2, 1], [192, 0, 2, 2]].map(|address| Some(IpAddr::from(address)));
        here.put(key(0), &0, 100, other);
        for number in 1..=2 * SHORT_LIVED_MAX {
            here.put(key(number), &number, 100, one);
            assert!(here.lock().order.len() <= SHORT_LIVED_MAX);
        }
        assert!(here.access(key(0), &Access::Read, 0).is_some());
        let kept = here.lock().entries.len();
        assert_eq!(kept, SHORT_LIVED_PER_ADDRESS_MAX + 1);
        let newest = 2 * SHORT_LIVED_MAX - SHORT_LIVED_PER_ADDRESS_MAX + 1;
        assert!(here.access(key(newest), &Access::Read, 0).is_some());
        assert!(here.access(key(newest - 1), &Access::Read, 0).is_none());
    }
}
