//! A server on a free port, and clients that speak to it.

use fivefold_shared::room::{RoomLimits, ShortestGame};
use fivefold_storage::{Memory, Storage};
use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use fivefold_server::{
    Listeners, Membership, RunError,
    config::Config,
    limits::Limits,
    moderation::dealings::SharedAddresses,
    run, run_in_cluster,
    transport::bus::{BusConfig, local::LocalNetwork},
};
use fivefold_shared::protocol::{Message, Reason, RoomCode};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
    task::JoinHandle,
    time::timeout,
};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{self, Utf8Bytes, client::IntoClientRequest},
};
use tokio_util::sync::CancellationToken;

use crate::documented;

/// Send and receive buffers of sockets whose reader is to look slow.
const SMALL_BUFFER: u32 = 4 * 1024;

/// Limits with which no test has to wait for a bot, or for its rate.
pub(crate) const LIMITS: Limits = Limits {
    room: RoomLimits {
        bot_answer_min: Duration::ZERO,
        bot_pace: Duration::ZERO,
        bots_room_close: Duration::ZERO,
        // As many as most tests play.
        rematch_after: ShortestGame { stones: 7, time: Duration::ZERO },
        ..RoomLimits::DEFAULT
    },
    connections_per_second: 100_000,
    commands_per_second: 100_000,
    commands_burst: 100_000,
    address_commands_per_second: 100_000,
    address_commands_burst: 100_000,
    rooms_per_address_max: 100_000,
    daily_games_of_guests: 100_000,
    rooms_per_minute: 100_000,
    bot_rooms_max: 100_000,
    bot_rooms_per_address_max: 100_000,
    http_tokens_per_second: 100_000,
    http_tokens_burst: 100_000,
    ..Limits::DEFAULT
};

/// A server whose clients may play rated games with each other, though they share this machine.
pub(crate) fn config(limits: Limits) -> Config {
    let loopback = "127.0.0.0/8".parse().unwrap();
    let shared_addresses = SharedAddresses::new(vec![loopback]).into();
    Config { limits, shared_addresses, ..Config::default() }
}

pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    metrics: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<Result<(), RunError>>,
}

impl TestServer {
    pub(crate) fn start(limits: Limits) -> Self {
        Self::start_on(Box::new(Memory::default()), limits)
    }

    pub(crate) fn start_on(storage: Box<dyn Storage>, limits: Limits) -> Self {
        Self::start_with(storage, config(limits))
    }

    pub(crate) fn start_with(storage: Box<dyn Storage>, config: Config) -> Self {
        Self::start_as(|listeners, stop| tokio::spawn(run(listeners, storage, config, stop)))
    }

    /// A node of a cluster whose nodes share this storage and this network.
    pub(crate) fn start_node(storage: &Memory, network: &LocalNetwork, limits: Limits) -> Self {
        Self::start_node_on(Box::new(storage.clone()), storage, network, config(limits))
    }

    /// The same on a storage that is not the registry, with these settings.
    pub(crate) fn start_node_on(
        storage: Box<dyn Storage>,
        registry: &Memory,
        network: &LocalNetwork,
        config: Config,
    ) -> Self {
        let bus = BusConfig::Local(network.clone());
        let membership = Membership {
            registry: Box::new(registry.clone()),
            rooms: vec![Box::new(registry.clone())],
            bus,
        };
        Self::start_as(|listeners, stop| {
            tokio::spawn(run_in_cluster(listeners, storage, membership, config, stop))
        })
    }

    fn start_as(
        run: impl FnOnce(Listeners<TcpListener>, CancellationToken) -> JoinHandle<Result<(), RunError>>,
    ) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        // Accepted sockets inherit this.
        socket.set_send_buffer_size(SMALL_BUFFER).unwrap();
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let listener = socket.listen(1024).unwrap();
        let address = listener.local_addr().unwrap();
        let metrics = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        metrics.set_nonblocking(true).unwrap();
        let metrics = TcpListener::from_std(metrics).unwrap();
        let metrics_address = metrics.local_addr().unwrap();
        let listeners = Listeners { public: listener, metrics: Some(Arc::new(metrics)) };
        let stop = CancellationToken::new();
        let task = run(listeners, stop.clone());
        Self { address, metrics: metrics_address, stop, task }
    }

    /// A connection that takes only little before it is read.
    pub(crate) async fn connect_raw(&self) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(SMALL_BUFFER).unwrap();
        socket.connect(self.address).await.unwrap()
    }

    pub(crate) async fn try_connect(&self) -> Result<Client, tungstenite::Error> {
        let stream = self.connect_raw().await;
        let (socket, _) = client_async(format!("ws://{}/ws", self.address), stream).await?;
        Ok(Client::new(socket))
    }

    /// A connection whose handshake has this cookie.
    pub(crate) async fn connect_with(&self, cookie: &str) -> Client {
        let stream = self.connect_raw().await;
        let address = format!("ws://{}/ws", self.address);
        let mut request = address.into_client_request().unwrap();
        request.headers_mut().insert("cookie", cookie.parse().unwrap());
        let (socket, _) = client_async(request, stream).await.unwrap();
        Client::new(socket)
    }

    /// A connection from another address of this machine, whose handshake has this cookie.
    pub(crate) async fn connect_from(&self, address: Ipv4Addr, cookie: &str) -> Client {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((address, 0).into()).unwrap();
        let stream = socket.connect(self.address).await.unwrap();
        let mut request = format!("ws://{}/ws", self.address).into_client_request().unwrap();
        request.headers_mut().insert("cookie", cookie.parse().unwrap());
        let (socket, _) = client_async(request, stream).await.unwrap();
        Client::new(socket)
    }

    /// A new person with another address of this machine, after hello.
    pub(crate) async fn greet_from(&self, address: Ipv4Addr, name: &str) -> Client {
        let mut client = self.connect_from(address, "none=").await;
        client.hello(name).await;
        client
    }

    pub(crate) async fn connect(&self) -> Client {
        self.try_connect().await.expect("the server lets us in")
    }

    /// A new person, after hello.
    pub(crate) async fn greet(&self, name: &str) -> Client {
        let mut client = self.connect().await;
        client.hello(name).await;
        client
    }

    /// Ann and Bob in a room in which their game has begun: Ann plays Black.
    pub(crate) async fn two_play(&self) -> (Client, Client, RoomCode) {
        let (mut ann, mut bob) = (self.greet("Ann").await, self.greet("Bob").await);
        let room = ann.create(json!(["me", "open"])).await;
        bob.join(&room).await;
        bob.ask(json!({"type": "sit", "room": room})).await;
        (ann, bob, room)
    }

    /// Sends the head of a request, and reads until the server closes.
    pub(crate) async fn request(&self, head: &str) -> String {
        String::from_utf8(self.request_bytes(head).await).unwrap()
    }

    /// The same, where the answer may be no text.
    pub(crate) async fn request_bytes(&self, head: &str) -> Vec<u8> {
        let mut stream = self.connect_raw().await;
        stream.write_all(head.replace('\n', "\r\n").as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        within(stream.read_to_end(&mut answer)).await.unwrap();
        answer
    }

    pub(crate) async fn get(&self, path: &str) -> String {
        let head = format!("GET {path} HTTP/1.1\nHost: test\nConnection: close\n\n");
        let answer = self.request(&head).await;
        documented::check(&format!("GET {path}"), &answer);
        answer
    }

    /// Gets a file with these header lines: the head of the answer, and its body, which may be no text.
    pub(crate) async fn get_with(&self, path: &str, headers: &str) -> (String, Vec<u8>) {
        let request = format!("GET {path} HTTP/1.1\nHost: test\nConnection: close\n{headers}\n");
        let mut head = self.request_bytes(&request).await;
        let end = head.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let body = head.split_off(end + 4);
        head.truncate(end);
        (String::from_utf8_lossy(&head).into_owned(), body)
    }

    /// Asks a question over HTTP, and reads up to the end of the answer.
    pub(crate) async fn post(&self, path: &str, body: &str) -> String {
        let length = body.len();
        let answer = self
            .request(&format!(
                "POST {path} HTTP/1.1\nHost: test\nConnection: close\n\
                 Content-Type: application/json\nContent-Length: {length}\n\n{body}"
            ))
            .await;
        documented::check(&format!("POST {path}"), &answer);
        answer
    }

    /// What the operator's port says.
    pub(crate) async fn monitor(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.metrics).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        within(stream.read_to_string(&mut answer)).await.unwrap();
        answer
    }

    /// One of the metrics, without the `fivefold_` before it; zero where nothing is counted yet.
    pub(crate) async fn count(&self, name: &str) -> u64 {
        let answer = self.monitor("/metrics").await;
        let line = |line: &str| {
            line.strip_prefix("fivefold_")?.strip_prefix(name)?.strip_prefix(' ')?.parse().ok()
        };
        answer.lines().find_map(line).unwrap_or(0)
    }

    pub(crate) fn begin_stop(&self) {
        self.stop.cancel();
    }

    /// How the server ends by itself.
    pub(crate) async fn ended(self) -> Result<(), RunError> {
        within(self.task).await.unwrap()
    }

    /// Stops the server; it must end well.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.ended().await.unwrap();
    }
}

pub(crate) struct Client {
    socket: WebSocketStream<TcpStream>,
}

impl Client {
    pub(crate) fn new(socket: WebSocketStream<TcpStream>) -> Self {
        Self { socket }
    }

    pub(crate) async fn send_raw(&mut self, message: tungstenite::Message) {
        self.socket.send(message).await.unwrap();
    }

    /// Gathers a message, to be sent with others.
    pub(crate) async fn feed(&mut self, message: tungstenite::Message) {
        self.socket.feed(message).await.unwrap();
    }

    pub(crate) async fn flush(&mut self) {
        self.socket.flush().await.unwrap();
    }

    pub(crate) async fn send_text(&mut self, text: impl Into<Utf8Bytes>) {
        self.send_raw(tungstenite::Message::Text(text.into())).await;
    }

    /// Sends a command, and reads up to its answer.
    pub(crate) async fn ask(&mut self, mut command: Value) -> Message {
        static IDS: AtomicU64 = AtomicU64::new(0);
        let id = format!("{}", IDS.fetch_add(1, Ordering::Relaxed));
        let fields = command.as_object_mut().unwrap();
        let id = fields.entry("id").or_insert(id.into()).as_str().unwrap().to_owned();
        self.send_text(command.to_string()).await;
        loop {
            let message = self.receive().await;
            if serde_json::to_value(&message).unwrap()["id"] == id {
                return message;
            }
        }
    }

    /// As [`ask`](Self::ask); the command must be refused.
    pub(crate) async fn refused(&mut self, command: Value) -> Reason {
        match self.ask(command).await {
            Message::Refused { refusal, .. } => refusal.reason,
            other => panic!("not refused: {other:?}"),
        }
    }

    pub(crate) async fn hello(&mut self, name: &str) {
        let answer = self.ask(json!({"type": "hello", "protocol": 1, "name": name})).await;
        assert!(matches!(answer, Message::Welcome { .. }), "{answer:?}");
    }

    /// Makes a room.
    pub(crate) async fn create(&mut self, seats: Value) -> RoomCode {
        let create = json!({
            "type": "create", "rules": {"variant": "freestyle"}, "seats": seats,
            "colour": "black", "visibility": "public",
        });
        joined(self.ask(create).await)
    }

    pub(crate) async fn join(&mut self, room: &RoomCode) {
        joined(self.ask(json!({"type": "join", "room": room})).await);
    }

    /// The next message.
    pub(crate) async fn receive(&mut self) -> Message {
        loop {
            match within(self.socket.next()).await {
                Some(Ok(tungstenite::Message::Text(text))) => {
                    return Message::from_json(&text).unwrap();
                }
                Some(Ok(tungstenite::Message::Ping(_) | tungstenite::Message::Pong(_))) => {}
                other => panic!("not a message: {other:?}"),
            }
        }
    }

    /// Reads up to the end, which must come without an error.
    pub(crate) async fn ended(&mut self) {
        while let Some(message) = self.socket.next().await {
            message.unwrap();
        }
    }

    /// Reads up to the close frame: its code and its reason.
    pub(crate) async fn closed(&mut self) -> (u16, String) {
        loop {
            match within(self.socket.next()).await {
                Some(Ok(tungstenite::Message::Close(Some(frame)))) => {
                    return (frame.code.into(), frame.reason.to_string());
                }
                Some(Ok(_)) => {}
                other => panic!("no close frame: {other:?}"),
            }
        }
    }
}

/// The room that was joined.
pub(crate) fn joined(answer: Message) -> RoomCode {
    match answer {
        Message::Joined { room, .. } => room,
        other => panic!("not joined: {other:?}"),
    }
}

/// Fails instead of hanging.
pub(crate) async fn within<T>(work: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(20), work).await.expect("took too long")
}
