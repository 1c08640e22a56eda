//! Finds the client address and the host of a request that came through trusted proxies.
//!
//! `X-Forwarded-For`, `X-Forwarded-Host` and `X-Forwarded-Proto` count only from the addresses that the
//! operator names, because any other client could put anything into them.

pub(crate) mod faults;

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName, header::HOST};
use ipnet::IpNet;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// Proxies whose `X-Forwarded-*` headers are trusted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Proxies(Vec<IpNet>);

impl Proxies {
    /// Trusts these networks.
    pub const fn new(networks: Vec<IpNet>) -> Self {
        Self(networks)
    }

    /// Whether this address is a trusted proxy.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The address of the client. Each proxy appends the address of its own peer to the list, so
    /// this reads from the end, up to the first address that is no trusted proxy.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer;
        let lines = headers.get_all(FORWARDED_FOR).iter().rev();
        let mut entries = lines
            .map(|line| line.to_str().unwrap_or_default())
            .flat_map(|line| line.rsplit(',').map(|entry| address(entry.trim())));
        while self.contains(client)
            && let Some(Some(before)) = entries.next()
        {
            client = before;
        }
        client
    }

    /// Whether the request comes from a proxy that the operator has forgotten to name.
    pub(crate) fn is_unnamed(&self, peer: IpAddr, headers: &HeaderMap) -> bool {
        headers.contains_key(FORWARDED_FOR) && !self.contains(peer)
    }

    /// Whether the browser encrypted the request, as a trusted proxy reports.
    pub(crate) fn is_encrypted(&self, peer: IpAddr, headers: &HeaderMap) -> bool {
        let scheme = headers.get(FORWARDED_PROTO).filter(|_| self.contains(peer));
        scheme.is_some_and(|scheme| scheme.as_bytes().eq_ignore_ascii_case(b"https"))
    }

    /// The host that the request was made to.
    pub(crate) fn host<'a>(&self, peer: IpAddr, headers: &'a HeaderMap) -> Option<&'a str> {
        let forwarded = headers.get(FORWARDED_HOST).filter(|_| self.contains(peer));
        forwarded.or_else(|| headers.get(HOST))?.to_str().ok()
    }
}

/// Parses an address, or a network such as `10.0.0.0/8`.
///
/// # Errors
/// If the text is neither.
pub fn parse_network(text: &str) -> Result<IpNet, String> {
    let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    network.map_err(|_| "give an address, or a network such as 10.0.0.0/8".to_owned())
}

/// Parses an address with or without a port: some proxies add one.
fn address(text: &str) -> Option<IpAddr> {
    text.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_proxies_of_ours_are_believed() {
        let networks = ["10.0.0.0/8", "2001:db8::1"].map(|text| parse_network(text).unwrap());
        let proxies = Proxies::new(networks.into());
        let cases: [(&str, &[&str], &str); 11] = [
            ("192.0.2.1", &["198.51.100.7"], "192.0.2.1"),
            ("10.1.2.3", &["198.51.100.7"], "198.51.100.7"),
            ("::ffff:10.1.2.3", &["198.51.100.7"], "198.51.100.7"),
            ("2001:db8::1", &["2001:db8::2"], "2001:db8::2"),
            ("10.1.2.3", &[], "10.1.2.3"),
            // The client's own entries precede the proxy's.
            ("10.1.2.3", &["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
            ("10.1.2.3", &["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
            ("10.1.2.3", &["198.51.100.7, 10.9.9.9"], "198.51.100.7"),
            ("10.1.2.3", &["10.9.9.9"], "10.9.9.9"),
            ("10.1.2.3", &["198.51.100.7:4711"], "198.51.100.7"),
            ("10.1.2.3", &["198.51.100.7, unknown"], "10.1.2.3"),
        ];
        for (peer, lines, expected) in cases {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(FORWARDED_FOR, line.parse().unwrap());
            }
            let client = proxies.client(peer.parse().unwrap(), &headers);
            assert_eq!(client, expected.parse::<IpAddr>().unwrap(), "{peer} {lines:?}");
        }
    }
}
