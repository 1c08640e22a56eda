//! How much of people's addresses the log shows.

use std::net::IpAddr;

use crate::net::network::neighbourhood;

/// How much of people's addresses is logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Addresses {
    /// The whole address.
    Full,
    /// The network: the /24 of an IPv4 address, the /64 of an IPv6 address.
    #[default]
    Network,
    /// Nothing.
    Off,
}

impl Addresses {
    /// What the log shows of an address.
    pub(crate) fn shown(self, address: IpAddr) -> Option<String> {
        match (self, neighbourhood(address)) {
            (Self::Full, _) => Some(address.to_canonical().to_string()),
            (Self::Network, start @ IpAddr::V4(_)) => Some(format!("{start}/24")),
            (Self::Network, start @ IpAddr::V6(_)) => Some(format!("{start}/64")),
            (Self::Off, _) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_as_the_setting_says() {
        let cases = [
            (Addresses::Full, "198.51.100.7", Some("198.51.100.7")),
            (Addresses::Full, "::ffff:198.51.100.7", Some("198.51.100.7")),
            (Addresses::Network, "198.51.100.7", Some("198.51.100.0/24")),
            (Addresses::Network, "2001:db8:1:2:3:4:5:6", Some("2001:db8:1:2::/64")),
            (Addresses::Off, "198.51.100.7", None),
        ];
        for (addresses, address, expected) in cases {
            let shown = addresses.shown(address.parse().unwrap());
            assert_eq!(shown.as_deref(), expected, "{addresses:?} {address}");
        }
    }
}
