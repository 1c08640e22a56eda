//! Why storage fails, whatever holds it.

/// The storage has failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StorageError {
    /// Nothing is stored. A retry may work later, for example when the disk has space again.
    #[error("the storage failed: {0}")]
    Failed(String),
    /// The commit may or may not be stored; only [`Storage::claim`](super::Storage::claim) can find out.
    /// Until then refuse no command: clients send a refused command again with a new id, and it would be
    /// done twice.
    #[error("a commit is in doubt: {0}")]
    InDoubt(String),
    /// The stored data is invalid.
    #[error(
        "the database is damaged: {0}. Stop the server and run `fivefold-server check --repair`, which mends \
         files; or restore a backup with `fivefold-server restore`"
    )]
    Damaged(String),
}

impl StorageError {
    /// The fault, without advice.
    pub(super) fn reason(&self) -> &str {
        match self {
            Self::Failed(reason) | Self::InDoubt(reason) | Self::Damaged(reason) => reason,
        }
    }
}
