//! The source of connections: a system socket, or a simulated network in tests.

use std::{io, net::SocketAddr, sync::Arc};

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
