//! Decides which web pages may open a socket: those of this server's own host, and those that the
//! operator allows.
//!
//! A browser names the page in `Origin` (RFC 6454, section 7) and lets it open a socket to any
//! host; only the server can refuse (RFC 6455, section 10.2). Other programs send no such header,
//! or any value they like: this protects people in browsers, not the server.

use std::{fmt, str::FromStr};

use axum::http::{HeaderMap, header::ORIGIN, uri::Authority};

/// The origin of a web page, such as `https://example.org`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    scheme: Scheme,
    /// Lowercase.
    host: String,
    port: u16,
}

/// The text is not an origin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("an origin is http://HOST or https://HOST, with :PORT behind it or not, and nothing else")]
pub struct NoOrigin;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scheme {
    Http,
    Https,
}

impl Origin {
    /// The host's name or address, in lower case.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Host and port.
    pub(crate) fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Whether it begins with `https`.
    pub fn is_encrypted(&self) -> bool {
        self.scheme == Scheme::Https
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scheme, host, port } = self;
        let name = if self.is_encrypted() { "https" } else { "http" };
        write!(f, "{name}://{host}")?;
        if *port == scheme.usual_port() { Ok(()) } else { write!(f, ":{port}") }
    }
}

impl Scheme {
    const fn usual_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl FromStr for Origin {
    type Err = NoOrigin;

    fn from_str(text: &str) -> Result<Self, NoOrigin> {
        let (scheme, authority) = match text.split_once("://") {
            Some(("http", rest)) => (Scheme::Http, rest),
            Some(("https", rest)) => (Scheme::Https, rest),
            Some(_) | None => return Err(NoOrigin),
        };
        let (host, port) = host_and_port(authority, scheme).ok_or(NoOrigin)?;
        Ok(Self { scheme, host, port })
    }
}

/// Whether a request with these headers, made to this host, may open a socket.
pub(crate) fn is_allowed(headers: &HeaderMap, host: Option<&str>, allowed: &[Origin]) -> bool {
    let mut origins = headers.get_all(ORIGIN).iter();
    let origin = match (origins.next(), origins.next()) {
        (None, _) => return true,
        (Some(origin), None) => origin.to_str().ok().and_then(|origin| origin.parse().ok()),
        (Some(_), Some(_)) => None,
    };
    // Pages of no host, such as local files, have the origin `null`.
    let Some(origin): Option<Origin> = origin else { return false };
    // A TLS proxy in front of this server keeps the host as it is.
    let own = host.and_then(|host| host_and_port(host, origin.scheme));
    allowed.contains(&origin) || own == Some((origin.host, origin.port))
}

fn host_and_port(authority: &str, scheme: Scheme) -> Option<(String, u16)> {
    let read: Authority = authority.parse().ok()?;
    if authority.contains('@') || read.host().is_empty() {
        return None;
    }
    Some((read.host().to_ascii_lowercase(), read.port_u16().unwrap_or(scheme.usual_port())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_other_hosts_stay_outside() {
        let allowed = ["https://play.example.org".parse().unwrap()];
        let cases: [(&[&str], &str, bool); 15] = [
            (&[], "a.org", true),
            (&["http://a.org"], "a.org", true),
            (&["https://a.org"], "a.org", true),
            (&["https://A.org"], "a.ORG", true),
            (&["https://a.org"], "a.org:443", true),
            (&["http://a.org:8080"], "a.org:8080", true),
            (&["http://[::1]:8080"], "[::1]:8080", true),
            (&["https://play.example.org"], "a.org", true),
            (&["http://play.example.org"], "a.org", false),
            (&["http://a.org"], "a.org:8080", false),
            (&["http://b.org"], "a.org", false),
            (&["http://a.org.b.org"], "a.org", false),
            (&["null"], "a.org", false),
            (&["http://a.org", "http://a.org"], "a.org", false),
            (&["http://b.org@a.org"], "a.org", false),
        ];
        for (origins, host, expected) in cases {
            let mut headers = HeaderMap::new();
            for origin in origins {
                headers.append(ORIGIN, origin.parse().unwrap());
            }
            let is_allowed = is_allowed(&headers, Some(host), &allowed);
            assert_eq!(is_allowed, expected, "{origins:?} to {host}");
        }
    }

    #[test]
    fn only_origins_are_origins() {
        for text in ["", "null", "a.org", "ftp://a.org", "http://", "http://a.org/", "https://a b"]
        {
            assert_eq!(text.parse::<Origin>(), Err(NoOrigin), "{text:?}");
        }
    }
}
