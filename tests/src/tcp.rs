//! Connections from addresses of this machine.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
};

use tokio::net::{TcpSocket, TcpStream};

/// A connection from an address of this machine, or from any.
pub(crate) async fn tcp_from(
    source: Option<Ipv4Addr>,
    address: SocketAddr,
) -> io::Result<TcpStream> {
    let stream = match source {
        Some(source) => {
            let socket = TcpSocket::new_v4()?;
            socket.bind((source, 0).into())?;
            socket.connect(address).await?
        }
        None => TcpStream::connect(address).await?,
    };
    stream.set_nodelay(true)?;
    Ok(stream)
}
