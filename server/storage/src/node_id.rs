//! The number of a server node, which is part of the ids of its sessions. It knows nothing of what
//! nodes do.

use std::fmt;

use fivefold_shared::room::SessionId;

/// Number of a server node: 24 bits, from 1. A node that joins again gets a new number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The only node of a server that shares its database with nobody.
    pub const ALONE: Self = Self(1);

    /// The highest number.
    pub const MAX: Self = Self((1 << 24) - 1);

    /// The node with this number; `None` for 0 and above [`NodeId::MAX`].
    pub const fn new(number: u32) -> Option<Self> {
        if number >= 1 && number <= Self::MAX.0 { Some(Self(number)) } else { None }
    }

    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The id of this node's first session. A node counts its sessions by the lower 40 bits, so no
    /// two sessions of a cluster have the same id.
    pub const fn first_session(self) -> SessionId {
        SessionId((self.0 as u64) << SESSION_BITS)
    }

    /// The node on which this session is. `None` for ids that no node gives.
    pub fn of_session(session: SessionId) -> Option<Self> {
        Self::new(u32::try_from(session.0 >> SESSION_BITS).ok()?)
    }
}

/// The bits in which a node counts its sessions; the upper ones are its number.
const SESSION_BITS: u32 = 40;

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_belongs_to_the_node_that_counts_it() {
        for node in [NodeId::ALONE, NodeId::MAX] {
            let first = node.first_session().0;
            let last = first + ((1 << SESSION_BITS) - 1);
            for session in [first, last] {
                assert_eq!(NodeId::of_session(SessionId(session)), Some(node));
            }
        }
        assert_eq!(NodeId::of_session(SessionId(7)), None);
    }

    #[test]
    fn a_number_has_24_bits_and_is_not_0() {
        let cases = [(0, false), (1, true), ((1 << 24) - 1, true), (1 << 24, false)];
        for (number, is_valid) in cases {
            assert_eq!(NodeId::new(number).map(NodeId::get), is_valid.then_some(number));
        }
    }
}
