//! What a proxy in front of the server does wrong, as far as its requests show it: a sentence for the
//! refusal, and one line in the log.

use std::{
    net::IpAddr,
    sync::{Mutex, PoisonError},
};

use axum::http::{
    HeaderMap, HeaderName, Version,
    header::{SEC_WEBSOCKET_KEY, UPGRADE, VIA},
};

use super::FORWARDED_FOR;

/// In which relation a browser says that a page is to the server.
pub(crate) const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Most faults that are remembered, and thus logged. Anybody can send requests that look like those of
/// a proxy.
const FAULTS_MAX: usize = 16;

/// A fault of a proxy, or of how the server is set up behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProxyFault {
    /// It sends `X-Forwarded-For`, and the operator does not trust it.
    Untrusted,
    /// It speaks HTTP/1.0 to the server.
    OldHttp,
    /// It does not forward `Upgrade`.
    NoUpgrade,
    /// It replaces `Host`.
    ChangedHost,
}

impl ProxyFault {
    /// The fault because of which a request is no handshake of a WebSocket, if it is a proxy's.
    pub(crate) fn of_handshake(version: Version, headers: &HeaderMap) -> Option<Self> {
        if version != Version::HTTP_11 && came_through_proxy(headers) {
            return Some(Self::OldHttp);
        }
        // A client that sends a key asks for an upgrade. The header counts for one connection only, so a
        // proxy has to forward it on purpose.
        let lost = headers.contains_key(SEC_WEBSOCKET_KEY) && !headers.contains_key(UPGRADE);
        lost.then_some(Self::NoUpgrade)
    }

    /// The fault because of which the origin of a page does not match the host, if it is a proxy's: the
    /// browser says that the page is the server's own.
    pub(crate) fn of_origin(headers: &HeaderMap) -> Option<Self> {
        let site = headers.get(SEC_FETCH_SITE).map(|site| site.as_bytes());
        (site == Some(b"same-origin")).then_some(Self::ChangedHost)
    }

    /// Names the fault, and says what to do.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Untrusted => {
                "X-Forwarded-For comes from an address that is not in the setting trusted-proxy, so everybody \
                 behind it shares the limits of one address; if this is your proxy, name its address there"
            }
            Self::OldHttp => {
                "the proxy in front of this server uses HTTP/1.0, and WebSockets need HTTP/1.1 \
                 (nginx: proxy_http_version 1.1)"
            }
            Self::NoUpgrade => {
                "the proxy in front of this server does not forward the headers Upgrade and \
                 Connection, which WebSockets need"
            }
            Self::ChangedHost => {
                "the proxy in front of this server replaces the Host header: let it forward Host, \
                 or set --public-url"
            }
        }
    }
}

fn came_through_proxy(headers: &HeaderMap) -> bool {
    headers.contains_key(FORWARDED_FOR)
        || headers.contains_key(VIA)
        || headers.contains_key(SEC_WEBSOCKET_KEY)
}

/// The faults that are in the log already.
#[derive(Debug, Default)]
pub(crate) struct LoggedFaults {
    /// Locked only to look one up and to add it.
    faults: Mutex<Vec<(IpAddr, ProxyFault)>>,
}

impl LoggedFaults {
    /// Logs a fault of this proxy, unless it was logged before. Says whether it is in the log now.
    pub(crate) fn log(&self, proxy: IpAddr, fault: ProxyFault) -> bool {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        if faults.contains(&(proxy, fault)) || faults.len() == FAULTS_MAX {
            return false;
        }
        faults.push((proxy, fault));
        tracing::warn!(%proxy, "{}", fault.text());
        true
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn a_fault_is_logged_once_for_each_proxy_and_not_for_ever() {
        let logged = LoggedFaults::default();
        let address = |last| IpAddr::from(Ipv4Addr::new(10, 0, 0, last));
        assert!(logged.log(address(0), ProxyFault::Untrusted));
        assert!(!logged.log(address(0), ProxyFault::Untrusted));
        assert!(logged.log(address(0), ProxyFault::NoUpgrade));
        let logged_more = (1..=100).filter(|last| logged.log(address(*last), ProxyFault::OldHttp));
        assert_eq!(logged_more.count(), FAULTS_MAX - 2);
    }
}
