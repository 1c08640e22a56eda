//! A plain HTTP request, for what monitors and scripts read.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::tcp::tcp_from;

/// The whole response to a GET, with the head.
///
/// # Errors
/// When there is no response.
pub async fn get(address: SocketAddr, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    stream.read_to_string(&mut response).await?;
    Ok(response)
}

/// The whole response to a POST of JSON from an address of this machine, with the head.
pub(crate) async fn post(
    source: Ipv4Addr,
    address: SocketAddr,
    path: &str,
    header: &str,
    body: &str,
) -> io::Result<String> {
    let mut stream = tcp_from(Some(source), address).await?;
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n{header}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    stream.read_to_string(&mut response).await?;
    Ok(response)
}
