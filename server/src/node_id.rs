//! The number of a server node. It knows nothing of what nodes do.

use std::fmt;

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
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_24_bits_and_is_not_0() {
        let cases = [(0, false), (1, true), ((1 << 24) - 1, true), (1 << 24, false)];
        for (number, is_valid) in cases {
            assert_eq!(NodeId::new(number).map(NodeId::get), is_valid.then_some(number));
        }
    }
}
