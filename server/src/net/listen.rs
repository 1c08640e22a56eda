//! The source of connections: a system socket, or a simulated network in tests.

use std::{
    fmt, io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    str::FromStr,
    sync::Arc,
};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
};

/// Accepts connections.
pub trait Listen: Send {
    /// A connection.
    type Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    /// Waits for the next connection, and returns it with its peer's address. Cancel safe.
    ///
    /// # Errors
    /// If no connection can be accepted now; a later call may succeed.
    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;
}

impl Listen for TcpListener {
    type Stream = TcpStream;

    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = Self::accept(self).await?;
        if let Err(error) = stream.set_nodelay(true) {
            // The next read from the connection reports the error.
            tracing::trace!(%error, "the connection was gone at once");
        }
        Ok((stream, peer))
    }
}

/// Where to listen: a host and a port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListenAddress(String);

/// Why a text is no such address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("give a port such as 8080, or an address and a port such as 0.0.0.0:8080 or [::]:8080")]
pub struct ListenAddressError;

impl ListenAddress {
    /// Listens there.
    ///
    /// # Errors
    /// If the host has no address of this machine, or the port is in use.
    pub async fn bind(&self) -> io::Result<TcpListener> {
        TcpListener::bind(&self.0).await
    }
}

impl ListenAddress {
    /// Where programs of this machine reach who listens here; nowhere if the port is any free one.
    pub(crate) fn own(&self) -> Option<String> {
        let Ok(mut address) = self.0.parse::<SocketAddr>() else {
            let port = self.0.rsplit_once(':')?.1.parse::<u16>().ok()?;
            return (port != 0).then(|| self.0.clone());
        };
        match &mut address {
            SocketAddr::V4(any) if any.ip().is_unspecified() => any.set_ip(Ipv4Addr::LOCALHOST),
            SocketAddr::V6(any) if any.ip().is_unspecified() => any.set_ip(Ipv6Addr::LOCALHOST),
            SocketAddr::V4(_) | SocketAddr::V6(_) => {}
        }
        (address.port() != 0).then(|| address.to_string())
    }
}

impl Default for ListenAddress {
    fn default() -> Self {
        Self("127.0.0.1:8080".to_owned())
    }
}

impl FromStr for ListenAddress {
    type Err = ListenAddressError;

    fn from_str(text: &str) -> Result<Self, ListenAddressError> {
        if text.parse::<SocketAddr>().is_ok() {
            return Ok(Self(text.to_owned()));
        }
        let (host, port) = text.rsplit_once(':').unwrap_or(("localhost", text));
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        let port: u16 = port.parse().map_err(|_| ListenAddressError)?;
        match host {
            // Browsers find both, and this one exists everywhere.
            "localhost" => Ok(Self(format!("127.0.0.1:{port}"))),
            host if !host.is_empty() && host.bytes().all(is_name) => Ok(Self(text.to_owned())),
            _ => Err(ListenAddressError),
        }
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A listener that outlives one life of a server.
impl<L: Listen + Sync> Listen for Arc<L> {
    type Stream = L::Stream;

    async fn accept(&self) -> io::Result<(Self::Stream, SocketAddr)> {
        self.as_ref().accept().await
    }
}

/// The listeners of a server.
#[derive(Clone, Debug)]
pub struct Listeners<L> {
    /// For everyone.
    pub public: L,
    /// For the operator's monitoring only.
    pub metrics: Option<Arc<TcpListener>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_type_them() {
        let cases = [
            ("8080", Some("127.0.0.1:8080")),
            ("0", Some("127.0.0.1:0")),
            ("localhost:8080", Some("127.0.0.1:8080")),
            ("0.0.0.0:8080", Some("0.0.0.0:8080")),
            ("[::1]:8080", Some("[::1]:8080")),
            ("play.example:80", Some("play.example:80")),
            ("65536", None),
            (":8080", None),
            ("localhost", None),
            ("localhost:", None),
            ("::1:8080:x", None),
            ("http://localhost:8080", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let address = text.parse::<ListenAddress>().ok().map(|address| address.to_string());
            assert_eq!(address.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn programs_of_this_machine_reach_it_at_an_address_of_this_machine() {
        let cases = [
            ("8080", Some("127.0.0.1:8080")),
            ("0.0.0.0:8080", Some("127.0.0.1:8080")),
            ("[::]:8080", Some("[::1]:8080")),
            ("192.0.2.1:80", Some("192.0.2.1:80")),
            ("play.example:443", Some("play.example:443")),
            ("0", None),
            ("play.example:0", None),
        ];
        for (text, expected) in cases {
            let own = text.parse::<ListenAddress>().unwrap().own();
            assert_eq!(own.as_deref(), expected, "{text}");
        }
    }
}
