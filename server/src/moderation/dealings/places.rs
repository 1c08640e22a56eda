//! Places at which accounts are used, addresses and devices, as digests. An operator names the addresses
//! that many people share, such as a school's: nothing is noted there.

use std::net::IpAddr;

use fivefold_storage::{Trace, TraceKind};
use ipnet::IpNet;

use crate::{net::network::network, process::ids};

/// Addresses whose people may play rated games with each other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SharedAddresses(Vec<IpNet>);

impl SharedAddresses {
    /// Those in these networks.
    pub const fn new(networks: Vec<IpNet>) -> Self {
        Self(networks)
    }

    /// Whether people share this address.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// The place from which a session comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    address: u64,
    device: Option<u64>,
}

impl Place {
    /// Nothing where people share the address. Of IPv6 addresses, the network that a host chooses from counts.
    pub(crate) fn of(
        address: IpAddr,
        device: Option<u64>,
        shared: &SharedAddresses,
    ) -> Option<Self> {
        (!shared.contains(address))
            .then(|| Self { address: ids::address_mark(network(address)), device })
    }

    /// The digests of the place.
    pub(crate) fn marks(self) -> impl Iterator<Item = u64> {
        [Some(self.address), self.device].into_iter().flatten()
    }

    /// The account is used there now.
    pub(crate) fn traces(self, at: u64) -> Vec<Trace> {
        let address = Trace { kind: TraceKind::Address, mark: self.address, at };
        let device = self.device.map(|mark| Trace { kind: TraceKind::Device, mark, at });
        [Some(address), device].into_iter().flatten().collect()
    }

    /// Whether all of it was noted after a time.
    pub(crate) fn is_noted(self, traces: &[Trace], since: u64) -> bool {
        self.traces(since).iter().all(|wanted| {
            let is_it = |known: &Trace| (known.kind, known.mark) == (wanted.kind, wanted.mark);
            traces.iter().any(|known| is_it(known) && known.at > since)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(address: &str, device: Option<u64>, shared: &[&str]) -> Option<Place> {
        let networks = shared.iter().map(|network| network.parse().unwrap()).collect();
        Place::of(address.parse().unwrap(), device, &SharedAddresses::new(networks))
    }

    #[test]
    fn an_address_is_one_place_and_a_network_is_not() {
        let same = |one, other| place(one, None, &[]) == place(other, None, &[]);
        assert!(same("192.0.2.1", "192.0.2.1") && same("192.0.2.1", "::ffff:192.0.2.1"));
        assert!(!same("192.0.2.1", "192.0.2.2"));
        assert!(same("2001:db8::1", "2001:db8::ffff") && !same("2001:db8::1", "2001:db8:0:1::1"));
    }

    #[test]
    fn nothing_is_noted_where_people_share_the_address() {
        let school = ["192.0.2.0/24", "2001:db8::/32"];
        for (address, noted) in [
            ("192.0.2.255", false),
            ("192.0.3.0", true),
            ("::ffff:192.0.2.1", false),
            ("2001:db8:ffff::1", false),
            ("2001:db9::1", true),
        ] {
            assert_eq!(place(address, Some(7), &school).is_some(), noted, "{address}");
        }
    }

    #[test]
    fn a_place_is_noted_again_after_a_while() {
        let place = place("192.0.2.1", Some(7), &[]).unwrap();
        let noted = place.traces(50);
        assert_eq!(noted.len(), 2);
        assert!(place.is_noted(&noted, 49) && !place.is_noted(&noted, 50));
        assert!(!place.is_noted(&noted[..1], 49));
    }
}
