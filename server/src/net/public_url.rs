//! The address under which people find the server: what it prints, what links in previews begin with, and
//! the domain of passkeys.
//!
//! It does not know how requests come in. Behind a proxy the operator sets it by `--public-url`.

use std::{fmt, net::SocketAddr, str::FromStr};

use crate::net::origin::{NoOrigin, Origin};

/// An address such as `https://play.example`, without a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicUrl(Origin);

/// The text is not such an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the public address is https://HOST or http://HOST, with :PORT behind it or not, and no path"
)]
pub struct NoPublicUrl;

impl PublicUrl {
    /// The address of a server whose operator has set none. Browsers allow passkeys at `localhost`, and at
    /// no address made of numbers.
    pub fn of_listener(address: SocketAddr, is_encrypted: bool) -> String {
        let scheme = if is_encrypted { "https" } else { "http" };
        if !is_encrypted && is_localhost(address) {
            return format!("{scheme}://localhost:{}", address.port());
        }
        format!("{scheme}://{address}")
    }

    /// The origin of the server's pages.
    pub const fn origin(&self) -> &Origin {
        &self.0
    }
}

/// Whether browsers reach this listener as `localhost`.
fn is_localhost(address: SocketAddr) -> bool {
    match address {
        SocketAddr::V4(address) => address.ip().octets() == [127, 0, 0, 1],
        SocketAddr::V6(address) => address.ip().is_loopback(),
    }
}

impl FromStr for PublicUrl {
    type Err = NoPublicUrl;

    fn from_str(text: &str) -> Result<Self, NoPublicUrl> {
        let origin = text.strip_suffix('/').unwrap_or(text).parse();
        origin.map(Self).map_err(|NoOrigin| NoPublicUrl)
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_address_has_no_path() {
        let cases = [
            ("https://play.example", Some("https://play.example")),
            ("https://Play.Example:443/", Some("https://play.example")),
            ("http://localhost:8080", Some("http://localhost:8080")),
            ("https://[2001:db8::1]", Some("https://[2001:db8::1]")),
            ("https://play.example/fivefold", None),
            ("https://play.example//", None),
            ("https://ann@play.example", None),
            ("play.example", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let url = text.parse::<PublicUrl>().ok().map(|url| url.to_string());
            assert_eq!(url.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_server_on_this_machine_is_localhost() {
        let cases = [
            ("127.0.0.1:8080", false, "http://localhost:8080"),
            ("[::1]:80", false, "http://localhost:80"),
            ("127.0.0.1:8443", true, "https://127.0.0.1:8443"),
            ("127.0.0.2:8080", false, "http://127.0.0.2:8080"),
            ("0.0.0.0:8080", false, "http://0.0.0.0:8080"),
            ("192.0.2.1:8080", false, "http://192.0.2.1:8080"),
        ];
        for (address, is_encrypted, expected) in cases {
            let url = PublicUrl::of_listener(address.parse().unwrap(), is_encrypted);
            assert_eq!(url, expected, "{address}");
        }
    }
}
