//! Which addresses may be connected to. Clients name the endpoints, so a server that connects to whatever they name
//! would reach its own network for them.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Finds the addresses of a host.
type Lookup = Arc<dyn Fn(&str) -> Vec<IpAddr> + Send + Sync>;

/// To whom the server may connect. The default is for servers that people use: public addresses, and the
/// certificates that the system trusts. Tests set the rest; no setting of an operator does.
#[derive(Clone, Default)]
pub struct Peers {
    /// Other networks that may be connected to.
    pub also_allowed: Vec<IpNet>,
    /// Certificates, as DER, that are trusted besides those of the system.
    pub also_trusted: Vec<Vec<u8>>,
    /// Takes the place of the system's look-up of names.
    pub lookup: Option<Lookup>,
}

/// A host that has no address that may be connected to.
#[derive(Debug, thiserror::Error)]
#[error("the host has no public address")]
pub(crate) struct NoPublicAddress;

impl fmt::Debug for Peers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peers").field("also_allowed", &self.also_allowed).finish_non_exhaustive()
    }
}

impl Peers {
    /// Whether this address may be connected to.
    pub fn allow(&self, address: IpAddr) -> bool {
        is_public(address) || self.also_allowed.iter().any(|network| network.contains(&address))
    }
}

impl Resolve for Peers {
    /// Finds the addresses of a host that may be connected to. The connection goes to these and to no others: nobody
    /// can name another one between the check and the connection.
    fn resolve(&self, name: Name) -> Resolving {
        let peers = self.clone();
        Box::pin(async move {
            let found: Vec<IpAddr> = match &peers.lookup {
                Some(lookup) => lookup(name.as_str()),
                None => tokio::net::lookup_host((name.as_str(), 0))
                    .await?
                    .map(|found| found.ip())
                    .collect(),
            };
            let allowed: Vec<_> = found
                .into_iter()
                .filter(|address| peers.allow(*address))
                .map(|address| SocketAddr::new(address, 0))
                .collect();
            if allowed.is_empty() {
                return Err(NoPublicAddress.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// Whether an address is one of the public internet: no private network, not this machine, no group, and nothing that
/// leads to such an address by way of a translation.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// By the registry of special addresses (RFC 6890 and its successors).
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast()
        // This network, and what is reserved, with the address of everybody.
        || a == 0
        || a >= 240
        // Networks of providers behind a translation.
        || (a == 100 && (64..128).contains(&b))
        // Protocols, 6to4 relays, and measurements.
        || (a, b, c) == (192, 0, 0)
        || (a, b, c) == (192, 88, 99)
        || (a == 198 && (b == 18 || b == 19));
    !is_special
}

/// Only global unicast addresses (RFC 4291) that are no translation of an IPv4 address: such an address leads where
/// the IPv4 address does.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let is_global = first & 0xe000 == 0x2000;
    let is_special = match (first, second) {
        // Protocols, Teredo and ORCHID among them; documentation; 6to4.
        (0x2001, 0..=0x1ff | 0xdb8) | (0x2002, _) => true,
        // Documentation.
        (0x3fff, 0..=0xfff) => true,
        _ => false,
    };
    is_global && !is_special
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: [&str; 14] = [
        "8.8.8.8",
        "1.1.1.1",
        "99.255.255.255",
        "100.63.255.255",
        "100.128.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2606:4700::1111",
        "2001:200::1",
        "2a00:1450::1",
    ];

    #[test]
    fn only_addresses_of_the_public_internet_are_public() {
        let others = [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.0",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.0.1",
            "169.254.169.254",
            "172.16.0.0",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.0",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            // Unspecified, loopback, and what stands for an IPv4 address.
            "::",
            "::1",
            "::7f00:1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:0:127.0.0.1",
            "64:ff9b::127.0.0.1",
            "64:ff9b::8.8.8.8",
            "64:ff9b:1::10.0.0.1",
            "100::1",
            "2001::1",
            "2001:1ff::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:808:808::1",
            "3fff::1",
            "3fff:fff::1",
            // Local to a site or a link, and groups.
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "5f00::1",
        ];
        for (addresses, expected) in [(&PUBLIC[..], true), (&others[..], false)] {
            for address in addresses {
                assert_eq!(is_public(address.parse().unwrap()), expected, "{address}");
            }
        }
    }

    #[test]
    fn a_test_allows_some_private_addresses_more() {
        let peers =
            Peers { also_allowed: vec!["127.0.0.0/8".parse().unwrap()], ..Peers::default() };
        assert!(peers.allow("127.0.0.1".parse().unwrap()));
        assert!(!peers.allow("10.0.0.1".parse().unwrap()));
        assert!(!peers.allow("::ffff:127.0.0.1".parse().unwrap()));
    }
}
