//! Limits the number of connections, in total and per address.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::net::network::{Network, NetworkCounts};

/// Counts connections and refuses those above the limits.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionLimit(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    connections_max: usize,
    per_address_max: usize,
    /// Locked only to count.
    connections: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    total: usize,
    by_address: NetworkCounts,
}

/// The permit of one connection; dropping it frees the slot.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    limit: ConnectionLimit,
    /// `None` for a proxy, which counts only in the total.
    address: Option<IpAddr>,
}

/// The limit that was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Full {
    /// The total limit.
    Server,
    /// The limit of this address.
    Address,
    /// This address makes new connections too fast.
    Rate,
}

impl ConnectionLimit {
    /// Allows this many connections in total and per address.
    pub(crate) fn new(connections_max: usize, per_address_max: usize) -> Self {
        let connections = Mutex::default();
        Self(Arc::new(Shared { connections_max, per_address_max, connections }))
    }

    /// Admits a connection.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn admit(&self, address: IpAddr) -> Result<ConnectionPermit, Full> {
        let mut connections = self.lock();
        if connections.total >= self.0.connections_max {
            return Err(Full::Server);
        }
        if !connections.by_address.has_place(address, self.0.per_address_max) {
            return Err(Full::Address);
        }
        connections.by_address.add(address);
        connections.total += 1;
        Ok(ConnectionPermit { limit: self.clone(), address: Some(address) })
    }

    /// Admits a proxy, whose connections come from many people.
    ///
    /// # Errors
    /// If the total limit is reached.
    pub(crate) fn admit_proxy(&self) -> Result<ConnectionPermit, Full> {
        let mut connections = self.lock();
        if connections.total >= self.0.connections_max {
            return Err(Full::Server);
        }
        connections.total += 1;
        Ok(ConnectionPermit { limit: self.clone(), address: None })
    }

    /// The networks with more than a quarter of the connections that they may have.
    pub(crate) fn above_quarter(&self) -> Vec<(Network, usize)> {
        self.lock().by_address.above_quarter(self.0.per_address_max)
    }

    /// Counts in the connections that networks have on other nodes.
    pub(crate) fn set_elsewhere(&self, counts: HashMap<Network, usize>) {
        self.lock().by_address.set_elsewhere(counts);
    }

    /// Number of open connections.
    pub(crate) fn count(&self) -> usize {
        self.lock().total
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        // Nothing panics while the lock is held.
        self.0.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut connections = self.limit.lock();
        connections.total -= 1;
        if let Some(address) = self.address {
            connections.by_address.remove(address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_counted_by_network() {
        let cases = [
            ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("192.0.2.1", "::ffff:192.0.2.1", true),
            ("2001:db8::1", "2001:db8::ffff:1", true),
            ("2001:db8::1", "2001:db8:0:1::1", false),
        ];
        for (one, other, same) in cases {
            let limit = ConnectionLimit::new(10, 1);
            let permit = limit.admit(one.parse().unwrap()).unwrap();
            let second = limit.admit(other.parse().unwrap());
            assert_eq!(second.is_err(), same, "{one} and {other}");
            drop((permit, second));
            assert_eq!(limit.count(), 0);
            assert!(limit.admit(other.parse().unwrap()).is_ok());
        }
    }

    #[test]
    fn a_proxy_comes_for_many() {
        let limit = ConnectionLimit::new(2, 1);
        let permits = [limit.admit_proxy().unwrap(), limit.admit_proxy().unwrap()];
        assert_eq!(limit.admit_proxy().unwrap_err(), Full::Server);
        drop(permits);
        assert_eq!(limit.count(), 0);
    }

    #[test]
    fn the_whole_server_has_a_limit() {
        let limit = ConnectionLimit::new(1, 1);
        let _place = limit.admit("192.0.2.1".parse().unwrap()).unwrap();
        assert_eq!(limit.admit("192.0.2.2".parse().unwrap()).unwrap_err(), Full::Server);
    }
}
