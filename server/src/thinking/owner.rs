//! Owners of jobs, and how they share the threads.

use std::net::{IpAddr, Ipv4Addr};

use crate::net::network::network;

/// The owner of jobs: an address, or an IPv6 network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Owner(IpAddr);

impl Owner {
    /// An unknown owner.
    pub(crate) const UNKNOWN: Self = Self(IpAddr::V4(Ipv4Addr::UNSPECIFIED));

    /// The owner at this address.
    pub(crate) fn of(address: IpAddr) -> Self {
        Self(network(address))
    }

    /// An address of this owner.
    pub(crate) const fn address(self) -> IpAddr {
        self.0
    }
}

/// How many rounds the threads need for a new job of an owner and for all waiting jobs, if each of
/// the `others` waited with as many jobs as this owner (`own`). The job's time is divided by it.
pub(super) fn fair_rounds(others: usize, own: usize, threads: usize) -> u32 {
    let waiting = (others + 1).saturating_mul(own + 1) - 1;
    u32::try_from(waiting / threads + 1).unwrap_or(u32::MAX)
}
