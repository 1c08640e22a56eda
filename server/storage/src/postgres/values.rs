//! Numbers as PostgreSQL keeps them: it has no unsigned ones.

use crate::node_id::NodeId;

/// The stored form of a number; the largest possible where it does not fit.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The number behind its stored form; 0 where it is negative.
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// The stored form of a node's id.
pub(super) const fn node_number(node: NodeId) -> i32 {
    node.get().cast_signed()
}
