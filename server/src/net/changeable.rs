//! A value that an operator may change while the server runs. It does not know what the value means.

use std::sync::{Arc, PoisonError, RwLock};

/// A value that all clones share. Changing it changes it for all of them.
#[derive(Clone, Debug, Default)]
pub struct Changeable<T>(
    /// Locked only to read or replace the pointer.
    Arc<RwLock<Arc<T>>>,
);

impl<T> Changeable<T> {
    /// The value as it is now.
    pub fn get(&self) -> Arc<T> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the value.
    pub fn set(&self, value: T) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(value);
    }
}

impl<T> From<T> for Changeable<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(value))))
    }
}
