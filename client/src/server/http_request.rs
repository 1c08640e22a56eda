//! Sends one HTTP request to a server, and reads its answer.

use std::{io, time::Duration};

use fivefold_shared::protocol::{ApiToken, Identity, Refusal};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{
    HeaderMap, Method, Request, StatusCode,
    body::Bytes,
    client::conn::http1,
    header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, COOKIE, HOST, SET_COOKIE, USER_AGENT},
};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;
use tokio_tungstenite::Connector;

use crate::{
    server::{room_link::ServerAddress, session_cookie::SessionCookie, tls_roots},
    terminal::sanitize::sanitize,
};

/// The longest time for the whole answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The largest accepted answer.
const ANSWER_BYTES_MAX: usize = 4 << 20;

/// Proves who makes a request.
#[derive(Clone, Copy, Debug)]
pub enum Key<'a> {
    /// Nobody.
    None,
    /// A guest.
    Guest(&'a Identity),
    /// An account.
    Account(&'a SessionCookie),
    /// A program of an account.
    Token(&'a ApiToken),
}

impl<'k> Key<'k> {
    /// The token, the account's session, or else the guest's identity.
    pub const fn of(
        token: Option<&'k ApiToken>,
        session: Option<&'k SessionCookie>,
        identity: Option<&'k Identity>,
    ) -> Self {
        match (token, session, identity) {
            (Some(token), ..) => Self::Token(token),
            (None, Some(session), _) => Self::Account(session),
            (None, None, Some(identity)) => Self::Guest(identity),
            (None, None, None) => Self::None,
        }
    }
}

/// A request.
#[derive(Clone, Debug)]
pub struct HttpRequest<'a> {
    /// What to do.
    pub method: Method,
    /// With what; begins with a slash.
    pub path: &'a str,
    /// Who makes it.
    pub key: Key<'a>,
    /// Its JSON.
    pub body: Option<Value>,
}

/// A server's answer.
#[derive(Clone, Debug)]
pub struct HttpAnswer {
    /// The session that begins with it.
    pub session: Option<SessionCookie>,
    body: Bytes,
}

/// A refusal in an answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the server refuses: {}", sanitize(.0.text.as_str()))]
pub struct HttpRefused(pub Refusal);

impl HttpAnswer {
    /// The answer's JSON.
    ///
    /// # Errors
    /// When it is something else.
    pub fn json<T: DeserializeOwned>(&self) -> anyhow::Result<T> {
        Ok(serde_json::from_slice(&self.body)?)
    }
}

impl<'a> HttpRequest<'a> {
    /// A request that only reads.
    pub const fn get(path: &'a str, key: Key<'a>) -> Self {
        Self { method: Method::GET, path, key, body: None }
    }

    /// Sends it. `connector` is for encrypted addresses.
    ///
    /// # Errors
    /// When the server cannot be reached, or refuses: [`HttpRefused`].
    pub async fn send(
        self,
        server: &ServerAddress,
        connector: Option<Connector>,
    ) -> anyhow::Result<HttpAnswer> {
        let answer = timeout(PATIENCE, self.exchange(server, connector)).await;
        answer.map_err(|_| anyhow::anyhow!("{server} does not answer in time"))?
    }

    async fn exchange(
        self,
        server: &ServerAddress,
        connector: Option<Connector>,
    ) -> anyhow::Result<HttpAnswer> {
        let (host, port) = server.host_and_port();
        let mut request = Request::builder()
            .method(self.method)
            .uri(server.path_of(self.path))
            .header(HOST, server.authority())
            .header(CONNECTION, "close")
            .header(USER_AGENT, agent());
        request = match self.key {
            Key::None => request,
            Key::Guest(identity) => {
                request.header(AUTHORIZATION, format!("Bearer {}", identity.as_str()))
            }
            Key::Token(token) => {
                request.header(AUTHORIZATION, format!("Bearer {}", token.as_str()))
            }
            Key::Account(session) => request.header(COOKIE, session.as_str()),
        };
        let body = self.body.map(|body| body.to_string());
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let request = request.body(Full::from(body.unwrap_or_default()))?;
        let stream = TcpStream::connect((host.trim_matches(['[', ']']), port)).await?;
        match connector {
            Some(Connector::Rustls(config)) => {
                let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())?;
                let stream = TlsConnector::from(config).connect(name, stream).await;
                let explained =
                    |error: io::Error| io::Error::new(error.kind(), tls_roots::failure(&error));
                let stream = stream.map_err(explained)?;
                read_answer(stream, request).await
            }
            Some(_) | None => read_answer(stream, request).await,
        }
    }
}

/// The name of this device in an account's list of devices.
fn agent() -> String {
    #[cfg(unix)]
    let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let machine = std::env::var("COMPUTERNAME").unwrap_or_default();
    let machine: String = machine.chars().filter(char::is_ascii_graphic).collect();
    format!("fivefold on {machine}")
}

async fn read_answer(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    request: Request<Full<Bytes>>,
) -> anyhow::Result<HttpAnswer> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let answer = async move {
        let answer = sender.send_request(request).await?;
        let (head, body) = answer.into_parts();
        let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
        let body = body.map_err(|error| anyhow::anyhow!("{error}"))?.to_bytes();
        anyhow::Ok((head.status, session_in(&head.headers), body))
    };
    // The connection ends with the answer.
    let (answer, _) = tokio::join!(answer, connection);
    let (status, session, body) = answer?;
    match status {
        StatusCode::OK | StatusCode::CREATED | StatusCode::NO_CONTENT => {
            Ok(HttpAnswer { session, body })
        }
        status => match serde_json::from_slice::<Refusal>(&body) {
            Ok(refusal) => Err(HttpRefused(refusal).into()),
            Err(_) => anyhow::bail!("the server answers with status {status}"),
        },
    }
}

fn session_in(headers: &HeaderMap) -> Option<SessionCookie> {
    let mut cookies = headers.get_all(SET_COOKIE).iter();
    cookies.find_map(|cookie| SessionCookie::set_by(cookie.to_str().ok()?))
}
