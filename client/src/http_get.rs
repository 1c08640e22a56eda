//! Reads what a server answers to one HTTP request, as JSON.

use std::time::Duration;

use fivefold_shared::protocol::{Identity, Refusal};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::{
    Request, StatusCode,
    body::Bytes,
    client::conn::http1,
    header::{AUTHORIZATION, CONNECTION, HOST},
};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use serde::de::DeserializeOwned;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;
use tokio_tungstenite::Connector;

use crate::room_link::ServerAddress;

/// The longest time for the whole answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The largest accepted answer.
const ANSWER_BYTES_MAX: usize = 4 << 20;

/// Gets `path` of a server, for the person with this identity. `connector` is for encrypted
/// addresses.
///
/// # Errors
/// When the server cannot be reached, refuses, or answers with something else.
pub async fn get<T: DeserializeOwned>(
    server: &ServerAddress,
    path: &str,
    identity: Option<&Identity>,
    connector: Option<Connector>,
) -> anyhow::Result<T> {
    let body = timeout(PATIENCE, fetch(server, path, identity, connector)).await;
    let body = body.map_err(|_| anyhow::anyhow!("{server} does not answer in time"))??;
    Ok(serde_json::from_slice(&body)?)
}

async fn fetch(
    server: &ServerAddress,
    path: &str,
    identity: Option<&Identity>,
    connector: Option<Connector>,
) -> anyhow::Result<Bytes> {
    let (host, port) = server.host_and_port();
    let mut request = Request::get(server.path_of(path))
        .header(HOST, server.authority())
        .header(CONNECTION, "close");
    if let Some(identity) = identity {
        request = request.header(AUTHORIZATION, format!("Bearer {}", identity.as_str()));
    }
    let request = request.body(Empty::new())?;
    let stream = TcpStream::connect((host.trim_matches(['[', ']']), port)).await?;
    match connector {
        Some(Connector::Rustls(config)) => {
            let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())?;
            exchange(TlsConnector::from(config).connect(name, stream).await?, request).await
        }
        Some(_) | None => exchange(stream, request).await,
    }
}

async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    request: Request<Empty<Bytes>>,
) -> anyhow::Result<Bytes> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let answer = async move {
        let answer = sender.send_request(request).await?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), ANSWER_BYTES_MAX).collect().await;
        let body = body.map_err(|error| anyhow::anyhow!("{error}"))?.to_bytes();
        anyhow::Ok((status, body))
    };
    // The connection ends with the answer.
    let (answer, _) = tokio::join!(answer, connection);
    match answer? {
        (StatusCode::OK, body) => Ok(body),
        (status, body) => match serde_json::from_slice::<Refusal>(&body) {
            Ok(refusal) => anyhow::bail!("the server refuses: {}", refusal.text),
            Err(_) => anyhow::bail!("the server answers with status {status}"),
        },
    }
}
