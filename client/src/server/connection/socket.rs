//! One socket to one address of a server: connecting, hello, and single questions and answers.

use std::time::Duration;

use fivefold_shared::protocol::{Command, LobbyRequest, Message, Refusal, Request, VERSION, close};
use futures_util::{SinkExt, StreamExt};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async_tls_with_config,
    tungstenite::{
        Error as SocketError, Message as Frame,
        client::IntoClientRequest,
        http::{HeaderValue, Response, header::COOKIE},
        protocol::WebSocketConfig,
    },
};

use super::data::{CommandIds, ConnectionError, Visitor, Welcome, accepted, unexpected};
use crate::{
    server::{room_link::ServerAddress, server_list::ServerList, tls_roots},
    terminal::sanitize::sanitize,
};

/// The longest time for the server to accept a socket, to answer `hello` or `join`, or to read a
/// command from the socket.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest time for the server to accept a socket where it has another address to try: a frozen
/// node accepts none.
const NEXT_ADDRESS_AFTER: Duration = Duration::from_secs(4);
/// The largest accepted message. The largest real ones, snapshots of the longest games, take a
/// tenth of it.
const MESSAGE_BYTES_MAX: usize = 1 << 20;

pub(super) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Why a socket is of no more use.
pub(super) struct Loss {
    /// The close frame's code, if there was one.
    pub(super) code: Option<u16>,
    /// The reason, for people.
    pub(super) reason: String,
}

/// Connects to one address of a server, and sends hello.
pub(super) async fn greet(
    server: &ServerList,
    index: usize,
    ids: &mut CommandIds,
    visitor: &Visitor,
) -> Result<(Socket, Welcome), ConnectionError> {
    let patience = if server.len() > 1 { NEXT_ADDRESS_AFTER } else { ANSWER_TIMEOUT };
    let mut socket = connect(server.at(index), visitor, patience).await?;
    let welcome = send_hello(&mut socket, ids, visitor).await?;
    Ok((socket, welcome))
}

async fn connect(
    server: &ServerAddress,
    visitor: &Visitor,
    patience: Duration,
) -> Result<Socket, ConnectionError> {
    let config = WebSocketConfig::default()
        .read_buffer_size(16 << 10)
        .write_buffer_size(0)
        .max_write_buffer_size(1 << 20)
        .max_message_size(Some(MESSAGE_BYTES_MAX))
        .max_frame_size(Some(MESSAGE_BYTES_MAX));
    let unreachable =
        |why: String| ConnectionError::Unreachable { server: server.to_string(), why };
    let mut request = server
        .socket()
        .into_client_request()
        .map_err(|error| unreachable(sanitize(&error.to_string()).into_owned()))?;
    if let Some(session) = &visitor.session {
        let cookie = HeaderValue::from_str(session.as_str()).expect("letters, digits and marks");
        request.headers_mut().insert(COOKIE, cookie);
    }
    let connector = visitor.connector.clone();
    let connecting = connect_async_tls_with_config(request, Some(config), true, connector);
    match timeout(patience, connecting).await {
        Ok(Ok((socket, _))) => Ok(socket),
        Ok(Err(SocketError::Io(error))) => Err(unreachable(tls_roots::failure(&error))),
        Ok(Err(SocketError::Http(answer))) => Err(match refusal_in(&answer) {
            Some(refusal) => ConnectionError::Refused(refusal),
            None => unreachable(format!("it answers with status {}", answer.status())),
        }),
        Ok(Err(error)) => Err(unreachable(sanitize(&error.to_string()).into_owned())),
        Err(_) => Err(unreachable("no answer in time".into())),
    }
}

/// The refusal in the body of an HTTP answer.
fn refusal_in(answer: &Response<Option<Vec<u8>>>) -> Option<Refusal> {
    serde_json::from_slice(answer.body().as_deref()?).ok()
}

async fn send_hello(
    socket: &mut Socket,
    ids: &mut CommandIds,
    visitor: &Visitor,
) -> Result<Welcome, ConnectionError> {
    let is_guest = visitor.session.is_none() && visitor.token.is_none();
    let hello = LobbyRequest::Hello {
        protocol: VERSION,
        identity: visitor.identity.clone().filter(|_| is_guest),
        name: visitor.name.clone().filter(|_| is_guest),
        token: visitor.token.clone(),
    };
    match ask_once(socket, ids, hello).await? {
        Message::Welcome { you, name, identity, account, bot, .. } => {
            Ok(Welcome { you, name, identity, account, bot })
        }
        other => Err(unexpected(&other)),
    }
}

/// Sends one request and waits for its answer, before the task takes over.
pub(super) async fn ask_once(
    socket: &mut Socket,
    ids: &mut CommandIds,
    request: LobbyRequest,
) -> Result<Message, ConnectionError> {
    let command = Command { id: ids.make(), request: Request::Lobby(request) };
    send_frame(socket, Frame::text(command.to_json())).await?;
    let answer = async {
        loop {
            match read(socket.next().await) {
                Ok(Some(message)) if message.answers() == Some(&command.id) => {
                    return accepted(message);
                }
                Ok(_) => {}
                Err(Loss { code: Some(code), reason }) if !close::come_back(code) => {
                    return Err(ConnectionError::Closed(reason));
                }
                Err(Loss { reason, .. }) => return Err(ConnectionError::Lost(reason)),
            }
        }
    };
    match timeout(ANSWER_TIMEOUT, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(ConnectionError::Lost("no answer in time".into())),
    }
}

pub(super) async fn send_frame(socket: &mut Socket, frame: Frame) -> Result<(), ConnectionError> {
    match timeout(ANSWER_TIMEOUT, socket.send(frame)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(ConnectionError::Lost(error.to_string())),
        Err(_) => Err(ConnectionError::Lost("the server accepts no data".into())),
    }
}

/// Reads a frame. `None` for those without a message: pings, and messages of later versions.
pub(super) fn read(frame: Option<Result<Frame, SocketError>>) -> Result<Option<Message>, Loss> {
    let lost = |code, reason: &str| Err(Loss { code, reason: sanitize(reason).into() });
    match frame {
        Some(Ok(Frame::Text(text))) => Ok(Message::from_json(&text).ok()),
        Some(Ok(Frame::Ping(_) | Frame::Pong(_) | Frame::Binary(_) | Frame::Frame(_))) => Ok(None),
        Some(Ok(Frame::Close(Some(frame)))) if frame.reason.is_empty() => {
            lost(Some(frame.code.into()), "the server closed the connection")
        }
        Some(Ok(Frame::Close(Some(frame)))) => lost(Some(frame.code.into()), &frame.reason),
        Some(Ok(Frame::Close(None))) | None => lost(None, "the server closed the connection"),
        Some(Err(error)) => lost(None, &error.to_string()),
    }
}
