//! Token buckets by key, such as an address or a name: made when they are needed, forgotten when too many are
//! newer.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
    time::Duration,
};

use fivefold_shared::{
    clock::millis,
    protocol::{Reason, Refusal, RefusalValues},
};
use tokio::time::Instant;

use crate::{limits::accounts::TRIES_KEPT, net::token_bucket::TokenBucket};

/// Token buckets that are made when they are needed.
#[derive(Debug)]
pub(crate) struct TokenBuckets<K> {
    buckets: Newest<K, TokenBucket>,
    most: u32,
    within: Duration,
}

/// The [`TRIES_KEPT`] newest entries. The oldest are dropped, those that may not be dropped yet last.
#[derive(Debug)]
pub(crate) struct Newest<K, V> {
    entries: HashMap<K, V>,
    order: VecDeque<K>,
}

impl<K: Clone + Eq + Hash> TokenBuckets<K> {
    pub(crate) fn new(most: u32, within: Duration) -> Self {
        Self { buckets: Newest::new(), most, within }
    }

    /// Takes one of those that a key has.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn take(&mut self, key: K, now: Instant) -> Result<(), Refusal> {
        let bucket = self.bucket(key, now);
        if bucket.take(now) { Ok(()) } else { Err(too_many(bucket, now)) }
    }

    /// Whether the next one would be allowed.
    pub(crate) fn check(&mut self, key: K, now: Instant) -> Result<(), Refusal> {
        let bucket = self.bucket(key, now);
        if bucket.has_one(now) { Ok(()) } else { Err(too_many(bucket, now)) }
    }

    /// Whether this key has a bucket.
    pub(crate) fn contains(&self, key: &K) -> bool {
        self.buckets.get(key).is_some()
    }

    /// Takes the bucket of a key out.
    pub(crate) fn remove(&mut self, key: &K) -> Option<TokenBucket> {
        self.buckets.remove(key)
    }

    /// How many keys have a bucket.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.buckets.len()
    }

    /// The bucket of a key, which is made if it is not there.
    pub(crate) fn bucket(&mut self, key: K, now: Instant) -> &mut TokenBucket {
        let per_second = f64::from(self.most) / self.within.as_secs_f64();
        let make = || TokenBucket::new(now, per_second, self.most);
        // Forgetting a bucket without tokens would allow new tries.
        self.buckets.entry(key, make, |bucket| bucket.has_one(now))
    }
}

fn too_many(bucket: &mut TokenBucket, now: Instant) -> Refusal {
    let wait_ms = Some(millis(bucket.until_next(now)));
    let values = RefusalValues { wait_ms, ..RefusalValues::default() };
    Refusal::with(Reason::TooManyTries, values)
}

impl<K: Clone + Eq + Hash, V> Newest<K, V> {
    pub(crate) fn new() -> Self {
        Self { entries: HashMap::new(), order: VecDeque::new() }
    }

    /// The entry of this key, which is made if it is not there. The oldest one that may be dropped makes place;
    /// if there is none, the oldest one.
    pub(crate) fn entry(
        &mut self,
        key: K,
        make: impl FnOnce() -> V,
        may_drop: impl Fn(&mut V) -> bool,
    ) -> &mut V {
        if !self.entries.contains_key(&key) {
            if self.order.len() >= TRIES_KEPT {
                self.drop_one(may_drop);
            }
            self.order.push_back(key.clone());
        }
        self.entries.entry(key).or_insert_with(make)
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.entries.get(key)
    }

    /// How many there are.
    #[cfg(test)]
    fn len(&self) -> usize {
        assert_eq!(self.entries.len(), self.order.len());
        self.entries.len()
    }

    fn drop_one(&mut self, may_drop: impl Fn(&mut V) -> bool) {
        let Self { entries, order } = self;
        let is_one = |key: &K| entries.get_mut(key).is_none_or(&may_drop);
        let index = order.iter().position(is_one).unwrap_or(0);
        // Those that were passed over go to the end, so that the next one is found sooner.
        self.order.rotate_left(index);
        if let Some(oldest) = self.order.pop_front() {
            self.entries.remove(&oldest);
        }
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let value = self.entries.remove(key)?;
        // It is mostly one of the newest.
        if let Some(index) = self.order.iter().rposition(|other| other == key) {
            self.order.remove(index);
        }
        Some(value)
    }
}
