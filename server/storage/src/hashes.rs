//! Hashes of secrets, which reveal nothing of them.

use std::hint::black_box;

use serde::{Deserialize, Serialize};

/// A hash that does not reveal the identity. Comparing takes the same time for all hashes, so that
/// nobody can find one byte by byte.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct IdentityHash(pub [u8; 32]);

impl PartialEq for IdentityHash {
    fn eq(&self, other: &Self) -> bool {
        let differences = self.0.iter().zip(other.0).fold(0, |all, (a, b)| all | (a ^ b));
        black_box(differences) == 0
    }
}

impl Eq for IdentityHash {}

/// The SHA-256 hash of a session's secret, or of a recovery code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct KeyHash(pub [u8; 32]);
