//! Reads what is valid for a few minutes, at whatever node of the cluster it is. It does not know what the
//! values mean.

use fivefold_storage::KeyHash;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    cluster::{Cluster, frame::Question},
    online::short_lived::{Access, ShortLived},
};

/// The values of all nodes, at a time in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EveryNodes<'a> {
    pub(crate) here: &'a ShortLived,
    pub(crate) cluster: Option<&'a Cluster>,
    pub(crate) now: u64,
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

    fn key(number: u8) -> KeyHash {
        KeyHash([number; 32])
    }

    #[tokio::test]
    async fn a_value_is_there_until_it_expires_or_is_taken() {
        let here = ShortLived::default();
        let at = |now| EveryNodes { here: &here, cluster: None, now };
        here.put(key(1), &"one", 100, None);
        here.put(key(2), &"two", 100, None);
        assert_eq!(at(99).read::<String>(key(1)).await.as_deref(), Some("one"));
        assert!(at(99).replace(key(1), &"uno").await);
        assert_eq!(at(99).take::<String>(key(1)).await.as_deref(), Some("uno"));
        assert_eq!(at(99).take::<String>(key(1)).await, None);
        assert!(!at(99).replace(key(1), &"eins").await);
        assert_eq!(at(100).read::<String>(key(2)).await, None);
        assert!(!format!("{here:?}").contains("two"), "{here:?}");
    }
}
