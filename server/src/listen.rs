//! Where connections come from: a socket of the system, or a network that is only simulated.

use std::{io, net::SocketAddr};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
};

/// Takes connections.
pub trait Listen: Send {
    /// A connection.
    type Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    /// Waits for the next connection, and says from where it comes. May be dropped and called
    /// again before that.
    ///
    /// # Errors
    /// When none can be taken now; later it may work again.
    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;
}

impl Listen for TcpListener {
    type Stream = TcpStream;

    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = Self::accept(self).await?;
        if let Err(error) = stream.set_nodelay(true) {
            // Whoever reads from it finds out.
            tracing::trace!(%error, "the connection was gone at once");
        }
        Ok((stream, peer))
    }
}

/// Where a server takes connections.
#[derive(Debug)]
pub struct Listeners<L> {
    /// For everybody.
    pub public: L,
    /// For the operator's monitoring, and nobody else.
    pub metrics: Option<TcpListener>,
}
