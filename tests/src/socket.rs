//! WebSockets to a server, as guests and attackers open them.

use std::net::{Ipv4Addr, SocketAddr};

use futures_util::SinkExt;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{
        self, client::IntoClientRequest, http::header::COOKIE, protocol::WebSocketConfig,
    },
};

use crate::tcp::tcp_from;

/// A client's end of a WebSocket.
pub type Socket = WebSocketStream<TcpStream>;

/// Opens a socket to a server without sending anything.
///
/// # Panics
/// When the socket cannot be opened.
pub async fn connect(address: SocketAddr) -> Socket {
    connect_from(None, address).await.expect("the server accepts a WebSocket")
}

/// As [`connect`], from an address of this machine or from any, to a server that may be gone.
pub(crate) async fn connect_from(
    source: Option<Ipv4Addr>,
    address: SocketAddr,
) -> Result<Socket, tungstenite::Error> {
    connect_with(source, address, None).await
}

/// The same with a cookie, as a browser of somebody with an account sends it.
pub(crate) async fn connect_with(
    source: Option<Ipv4Addr>,
    address: SocketAddr,
    cookie: Option<&str>,
) -> Result<Socket, tungstenite::Error> {
    let stream = tcp_from(source, address).await?;
    // Small, so that one program can simulate ten thousand people.
    let config = WebSocketConfig::default().read_buffer_size(2 * 1024);
    let mut request = format!("ws://{address}/ws").into_client_request()?;
    if let Some(cookie) = cookie {
        request.headers_mut().insert(COOKIE, cookie.parse()?);
    }
    Ok(client_async_with_config(request, stream, Some(config)).await?.0)
}

/// Sends a command; `None` if the socket is closed.
pub(crate) async fn tell(socket: &mut Socket, command: &Value) -> Option<()> {
    socket.send(tungstenite::Message::text(command.to_string())).await.ok()
}
