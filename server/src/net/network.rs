//! Networks: which addresses a per-address limit treats as one, and counting by them.
//!
//! An IPv4 address counts alone. An IPv6 host can choose from a whole /64 network, and many sites
//! have a /56 or /48. So an IPv6 address counts for all three, and the wider ones have higher
//! limits.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use serde::{Deserialize, Serialize};

use crate::net::shrink::shrink;

/// A network: its first address and its prefix length.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "(u128, u8)", into = "(u128, u8)")]
pub(crate) struct Network {
    start: IpAddr,
    bits: u8,
}

/// The IPv6 networks that have limits, narrowest first: the prefix length, and the factor to the
/// limit of one address.
const SHARES: [(u8, u32); 3] = [(64, 1), (56, 4), (48, 16)];

// Nodes report up to a thousand networks to each other, so the address is a number, without field names.
impl From<Network> for (u128, u8) {
    fn from(Network { start, bits }: Network) -> Self {
        let start = match start {
            IpAddr::V4(start) => start.to_ipv6_mapped(),
            IpAddr::V6(start) => start,
        };
        (start.to_bits(), bits)
    }
}

impl From<(u128, u8)> for Network {
    fn from((start, bits): (u128, u8)) -> Self {
        Self { start: Ipv6Addr::from_bits(start).to_canonical(), bits }
    }
}

impl Network {
    /// This network's factor to the limit of one address.
    pub(crate) fn share(self) -> u32 {
        let same = |(bits, _): &&(u8, u32)| *bits == self.bits;
        SHARES.iter().find(same).map_or(1, |(_, share)| *share)
    }

    /// The limit of this network, given the limit of one address.
    pub(crate) fn limit(self, per_address: usize) -> usize {
        per_address.saturating_mul(usize::try_from(self.share()).unwrap_or(usize::MAX))
    }
}

/// The factors of the networks of an address to the limit of one address, in the order of [`networks`].
pub(crate) fn shares() -> impl Iterator<Item = u32> {
    SHARES.into_iter().map(|(_, share)| share)
}

/// The networks that an address counts for, narrowest first.
pub(crate) fn networks(address: IpAddr) -> impl Iterator<Item = Network> {
    let networks = match address.to_canonical() {
        start @ IpAddr::V4(_) => [Some(Network { start, bits: 32 }), None, None],
        IpAddr::V6(address) => SHARES.map(|(bits, _)| {
            let start = Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << (128 - bits)));
            Some(Network { start: IpAddr::V6(start), bits })
        }),
    };
    networks.into_iter().flatten()
}

/// The narrowest network of an address, as its first address.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    networks(address).next().map_or(address, |network| network.start)
}

/// The network that people of one household, school or company come from: the /24 of an IPv4 address, the
/// /64 of an IPv6 one. As its first address.
pub(crate) fn neighbourhood(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() & (u32::MAX << 8)).into(),
        address @ IpAddr::V6(_) => network(address),
    }
}

/// Counts per network.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct NetworkCounts {
    here: HashMap<Network, usize>,
    /// On other nodes.
    elsewhere: HashMap<Network, usize>,
}

impl NetworkCounts {
    /// Whether one more from this address is within the limit of each of its networks.
    pub(crate) fn has_place(&self, address: IpAddr, per_address_max: usize) -> bool {
        let count = |counts: &HashMap<_, _>, network| counts.get(&network).copied().unwrap_or(0);
        networks(address).all(|network| {
            count(&self.here, network) + count(&self.elsewhere, network)
                < network.limit(per_address_max)
        })
    }

    /// The networks that count here for more than a quarter of their limit.
    pub(crate) fn above_quarter(&self, per_address_max: usize) -> Vec<(Network, usize)> {
        let counts = self.here.iter().map(|(network, count)| (*network, *count));
        counts.filter(|(network, count)| 4 * count > network.limit(per_address_max)).collect()
    }

    /// Counts in those on other nodes.
    pub(crate) fn set_elsewhere(&mut self, counts: HashMap<Network, usize>) {
        self.elsewhere = counts;
    }

    /// Adds one.
    pub(crate) fn add(&mut self, address: IpAddr) {
        for network in networks(address) {
            *self.here.entry(network).or_default() += 1;
        }
    }

    /// Removes one that was added.
    pub(crate) fn remove(&mut self, address: IpAddr) {
        for network in networks(address) {
            if let Some(count) = self.here.get_mut(&network) {
                *count -= 1;
                if *count == 0 {
                    self.here.remove(&network);
                    shrink(&mut self.here);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn the_networks_of_an_address_widen() {
        let cases = [
            ("192.0.2.1", vec!["192.0.2.1/32 x1"]),
            ("::ffff:192.0.2.1", vec!["192.0.2.1/32 x1"]),
            (
                "2001:db8:1:2345:6:7:8:9",
                vec!["2001:db8:1:2345::/64 x1", "2001:db8:1:2300::/56 x4", "2001:db8:1::/48 x16"],
            ),
        ];
        for (text, expected) in cases {
            let shown: Vec<_> = networks(address(text))
                .map(|network| format!("{}/{} x{}", network.start, network.bits, network.share()))
                .collect();
            assert_eq!(shown, expected, "{text}");
        }
    }

    #[test]
    fn a_network_is_the_same_at_another_node() {
        for text in ["192.0.2.1", "0.0.0.0", "2001:db8:1:2345:6:7:8:9", "::1", "ffff::"] {
            for network in networks(address(text)) {
                let number: (u128, u8) = network.into();
                assert_eq!(Network::from(number), network, "{text}");
            }
        }
    }

    #[test]
    fn each_network_has_a_limit_and_the_wider_ones_more() {
        let mut counts = NetworkCounts::default();
        // Fills each /64 until its /56 is full, and so on.
        let of = |site: u16, net: u16| address(&format!("2001:db8:1:{:x}::1", site << 8 | net));
        for (site, net, is_in) in [
            (0, 0, true),
            (0, 0, true),
            (0, 0, false),
            (0, 1, true),
            (0, 1, true),
            (0, 2, true),
            (0, 2, true),
            (0, 3, true),
            (0, 3, true),
            (0, 4, false),
            (1, 0, true),
        ] {
            assert_eq!(counts.has_place(of(site, net), 2), is_in, "{site} {net}");
            if is_in {
                counts.add(of(site, net));
            }
        }
        for site in 2..25 {
            counts.add(of(site, 0));
        }
        assert!(!counts.has_place(of(99, 0), 2), "32 in the /48");
        counts.remove(of(2, 0));
        assert!(counts.has_place(of(99, 0), 2));
        assert!(counts.has_place(address("192.0.2.1"), 2));
    }

    #[test]
    fn what_a_network_has_on_other_nodes_counts() {
        let here = address("192.0.2.1");
        let network = networks(here).next().unwrap();
        let mut counts = NetworkCounts::default();
        counts.add(here);
        // One of four is a quarter, and not above it.
        assert_eq!(counts.above_quarter(4), []);
        assert_eq!(counts.above_quarter(3), [(network, 1)]);
        counts.set_elsewhere(HashMap::from([(network, 2)]));
        assert!(counts.has_place(here, 4) && counts.has_place(address("192.0.2.2"), 1));
        counts.add(here);
        assert!(!counts.has_place(here, 4));
        counts.set_elsewhere(HashMap::from([(network, 1)]));
        assert!(counts.has_place(here, 4));
        assert_eq!(counts.above_quarter(4), [(network, 2)], "rooms elsewhere are not reported");
    }

    #[test]
    fn nothing_is_kept_of_what_is_gone() {
        let mut counts = NetworkCounts::default();
        for text in ["192.0.2.1", "2001:db8::1", "2001:db8::2"] {
            counts.add(address(text));
        }
        for text in ["2001:db8::1", "192.0.2.1", "2001:db8::2"] {
            counts.remove(address(text));
        }
        assert_eq!(counts, NetworkCounts::default());
    }
}
