//! The bus over NATS core: a subject for each node, and one for all.
//!
//! async-nats reconnects by itself, but it notices a dead connection late, publishes old messages
//! after a reconnect, and drops messages when its subscriber is slow. So this bus refuses messages
//! while it is down, and replaces the whole connection when the links miss their own broadcasts. The
//! links find what is lost or late all the same.

#[cfg(test)]
mod tests;

use std::{
    fmt,
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_nats::{Client, ConnectOptions, Event, ServerAddr, Subject, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt;
use tokio::{
    sync::{Notify, mpsc, watch},
    time::{sleep, timeout},
};
use tokio_util::task::TaskTracker;

use super::{Bus, FromBus, changes};
use crate::{
    limits::{
        BUS_BROADCASTS_MAX, BUS_CONNECT_TIMEOUT, BUS_FLUSH_TIMEOUT, BUS_INBOX_MAX, BUS_MESSAGE_MAX,
        BUS_OUTBOX_MAX, BUS_PING_INTERVAL, BUS_RECONNECT_DELAY_MAX, BUS_SERVERS_MAX,
        CLUSTER_NAME_MAX, LINK_FRAME_MAX,
    },
    metrics::{LinkDrop, Metrics},
    node_id::NodeId,
};

/// The version of the links' messages (`link/frame.rs`). Versions have no subject in common.
const VERSION: &str = "1";

/// The addresses of the servers of one NATS cluster, separated by commas.
#[derive(Clone, PartialEq, Eq)]
pub struct NatsServers(Vec<ServerAddr>);

/// The name that the nodes of a cluster share, so that several clusters can use one NATS: letters,
/// digits, `-` and `_`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClusterName(String);

/// Why an address or a name is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NatsError {
    /// An address is no URL that NATS knows.
    #[error("`{0}` is no address of a NATS server: write nats://host:4222")]
    Address(String),
    /// There are no addresses, or too many.
    #[error("the bus needs 1 to {BUS_SERVERS_MAX} addresses")]
    Count,
    /// The name has other characters, or too many.
    #[error("a cluster's name has 1 to {CLUSTER_NAME_MAX} letters, digits, `-` or `_`")]
    Name,
}

/// A node's connection to NATS.
#[derive(Debug)]
pub(crate) struct NatsBus {
    subjects: Subjects,
    outbox: mpsc::Sender<(Subject, Bytes)>,
    is_up: Arc<AtomicBool>,
    replace: Arc<Notify>,
}

#[derive(Clone, Debug)]
struct Subjects {
    prefix: String,
    all: Subject,
}

/// The task that keeps the connection.
struct Keeper {
    servers: NatsServers,
    to_me: Subject,
    to_all: Subject,
    outbox: mpsc::Receiver<(Subject, Bytes)>,
    arrived: mpsc::Sender<FromBus>,
    is_up: Arc<AtomicBool>,
    replace: Arc<Notify>,
    metrics: Arc<Metrics>,
}

/// One connection, with which async-nats reconnects as often as needed.
struct Connection {
    client: Client,
    is_up: watch::Receiver<bool>,
    to_me: Subscriber,
    to_all: Subscriber,
}

impl NatsBus {
    /// Connects in the background, and again whenever the connection is lost. Messages arrive until
    /// the receiver is dropped.
    pub(crate) fn start(
        servers: NatsServers,
        cluster: &ClusterName,
        me: NodeId,
        metrics: Arc<Metrics>,
        tasks: &TaskTracker,
    ) -> (Arc<Self>, mpsc::Receiver<FromBus>) {
        let subjects = Subjects::new(cluster);
        let (outbox, to_send) = mpsc::channel(BUS_OUTBOX_MAX + BUS_BROADCASTS_MAX);
        let (arrived, from_bus) = mpsc::channel(BUS_INBOX_MAX);
        let (is_up, replace) = (Arc::<AtomicBool>::default(), Arc::<Notify>::default());
        let keeper = Keeper {
            servers,
            to_me: subjects.node(me),
            to_all: subjects.all.clone(),
            outbox: to_send,
            arrived,
            is_up: Arc::clone(&is_up),
            replace: Arc::clone(&replace),
            metrics,
        };
        tasks.spawn(keeper.run());
        (Arc::new(Self { subjects, outbox, is_up, replace }), from_bus)
    }
}

impl Bus for NatsBus {
    fn send(&self, to: NodeId, bytes: Bytes) -> bool {
        // A node that is busy still has room for its heartbeats. They come after the frames that
        // they count, so both use the same queue.
        let has_room = self.outbox.capacity() > BUS_BROADCASTS_MAX;
        let message = (self.subjects.node(to), bytes);
        self.is_up() && has_room && self.outbox.try_send(message).is_ok()
    }

    fn broadcast(&self, bytes: Bytes) -> bool {
        self.is_up() && self.outbox.try_send((self.subjects.all.clone(), bytes)).is_ok()
    }

    fn is_up(&self) -> bool {
        self.is_up.load(Ordering::Relaxed)
    }

    fn reconnect(&self) {
        self.replace.notify_one();
    }
}

impl Subjects {
    fn new(cluster: &ClusterName) -> Self {
        let prefix = format!("{}.{VERSION}", cluster.0);
        let all = Subject::from(format!("{prefix}.all"));
        Self { prefix, all }
    }

    fn node(&self, node: NodeId) -> Subject {
        Subject::from(format!("{}.node.{node}", self.prefix))
    }
}

impl Keeper {
    /// Keeps a connection until nobody listens, and replaces it on request.
    async fn run(mut self) {
        let arrived = self.arrived.clone();
        loop {
            let Some(mut connection) = self.connect().await else {
                sleep(BUS_RECONNECT_DELAY_MAX).await;
                continue;
            };
            let client = connection.client.clone();
            let is_over = tokio::select! {
                biased;
                () = arrived.closed() => true,
                () = self.replace.notified() => false,
                () = read(&mut connection, &self.arrived, &self.is_up) => false,
                () = write(&client, &mut self.outbox, &self.is_up, &self.metrics) => false,
            };
            if is_over {
                return self.finish(&client).await;
            }
            tracing::warn!("the connection to the bus is replaced");
            if self.is_up.swap(false, Ordering::Relaxed) {
                let Ok(()) = arrived.send(FromBus::Disconnected).await else { return };
            }
        }
    }

    async fn connect(&self) -> Option<Connection> {
        let (changed, is_up) = watch::channel(false);
        let metrics = Arc::clone(&self.metrics);
        let options = ConnectOptions::new()
            .name("fivefold")
            .retry_on_initial_connect()
            .ping_interval(BUS_PING_INTERVAL)
            .connection_timeout(BUS_CONNECT_TIMEOUT)
            .client_capacity(BUS_BROADCASTS_MAX)
            .subscription_capacity(BUS_INBOX_MAX)
            .reconnect_delay_callback(reconnect_delay)
            .event_callback(move |event| {
                note_event(&event, &changed, &metrics);
                async {}
            });
        let connect = async {
            let client = options.connect(self.servers.0.as_slice()).await?;
            let to_me = client.subscribe(self.to_me.clone()).await?;
            let to_all = client.subscribe(self.to_all.clone()).await?;
            Ok::<_, async_nats::Error>(Connection { client, is_up, to_me, to_all })
        };
        connect.await.inspect_err(|error| tracing::error!(%error, "cannot connect the bus")).ok()
    }

    /// Writes what is queued: a node that leaves says so.
    async fn finish(mut self, client: &Client) {
        let flush = async {
            while let Ok((subject, bytes)) = self.outbox.try_recv() {
                client.publish(subject, bytes).await?;
            }
            client.flush().await?;
            Ok::<_, async_nats::Error>(())
        };
        if self.is_up.swap(false, Ordering::Relaxed) {
            // A node that cannot say so is found dead by the others.
            drop(timeout(BUS_FLUSH_TIMEOUT, flush).await);
        }
    }
}

/// Passes on what arrives, until the connection has ended or nobody listens. While the listener is
/// slow, async-nats keeps [`BUS_INBOX_MAX`] messages of each subject and drops the rest.
async fn read(connection: &mut Connection, arrived: &mpsc::Sender<FromBus>, is_up: &AtomicBool) {
    let Connection { client, is_up: changed, to_me, to_all } = connection;
    loop {
        let message = tokio::select! {
            change = changed.changed() => {
                let Ok(()) = change else { return };
                let is_up_now = *changed.borrow_and_update();
                let was_up = is_up.swap(is_up_now, Ordering::Relaxed);
                if is_up_now {
                    note_server(client);
                }
                for change in changes(was_up, is_up_now) {
                    let Ok(()) = arrived.send(change).await else { return };
                }
                continue;
            }
            Some(message) = to_me.next() => FromBus::Sent(message.payload),
            Some(message) = to_all.next() => FromBus::Broadcast(message.payload),
            else => return,
        };
        let Ok(()) = arrived.send(message).await else { return };
    }
}

/// Publishes what is queued. Messages from before a disconnection are dropped.
async fn write(
    client: &Client,
    outbox: &mut mpsc::Receiver<(Subject, Bytes)>,
    is_up: &AtomicBool,
    metrics: &Metrics,
) {
    while let Some((subject, bytes)) = outbox.recv().await {
        if !is_up.load(Ordering::Relaxed) {
            metrics.links.dropped(LinkDrop::BusDown);
        } else if let Err(error) = client.publish(subject, bytes).await {
            tracing::error!(%error, "the bus refuses a message");
            metrics.links.dropped(LinkDrop::Refused);
        }
    }
    // Nobody can send any more; the reader decides when to end.
    std::future::pending::<()>().await;
}

fn note_event(event: &Event, is_up: &watch::Sender<bool>, metrics: &Metrics) {
    match event {
        Event::Connected => {
            tracing::info!("the bus is connected");
            is_up.send_replace(true);
        }
        Event::Disconnected | Event::Closed => {
            tracing::warn!("the bus is disconnected");
            is_up.send_replace(false);
        }
        Event::SlowConsumer(_) => metrics.links.dropped(LinkDrop::InboxFull),
        Event::ServerError(error) => tracing::warn!(%error, "the bus reports an error"),
        Event::ClientError(error) => tracing::debug!(%error, "the bus is out of reach"),
        Event::LameDuckMode | Event::Draining => {}
    }
}

/// Warns about a server whose configuration does not let the longest message pass.
fn note_server(client: &Client) {
    let allowed = client.server_info().max_payload;
    if allowed < BUS_MESSAGE_MAX / 2 {
        tracing::error!(
            allowed,
            needed = LINK_FRAME_MAX + 1024,
            "the bus's max_payload is too small; long messages between nodes are lost"
        );
    }
}

fn reconnect_delay(attempts: usize) -> Duration {
    let steps = u32::try_from(attempts.saturating_sub(1)).unwrap_or(u32::MAX);
    (BUS_RECONNECT_DELAY_MAX / 8).saturating_mul(steps).min(BUS_RECONNECT_DELAY_MAX)
}

impl FromStr for NatsServers {
    type Err = NatsError;

    fn from_str(text: &str) -> Result<Self, NatsError> {
        let parse = |address: &str| {
            let address = address.trim();
            // Without the password that it may have.
            let shown = address.rsplit('@').next().unwrap_or_default();
            ServerAddr::from_str(address)
                .ok()
                .filter(|server| {
                    matches!(server.scheme(), "nats" | "tls") && !server.host().is_empty()
                })
                .ok_or_else(|| NatsError::Address(shown.to_owned()))
        };
        let servers = text.split(',').map(parse).collect::<Result<Vec<_>, _>>()?;
        if servers.len() <= BUS_SERVERS_MAX { Ok(Self(servers)) } else { Err(NatsError::Count) }
    }
}

/// Hides user names, passwords and tokens.
impl fmt::Debug for NatsServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers = self.0.iter().map(|server| format!("{}:{}", server.host(), server.port()));
        f.debug_tuple("NatsServers").field(&servers.collect::<Vec<_>>()).finish()
    }
}

impl FromStr for ClusterName {
    type Err = NatsError;

    fn from_str(text: &str) -> Result<Self, NatsError> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let fits = (1..=CLUSTER_NAME_MAX).contains(&text.len());
        if fits && text.bytes().all(is_allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NatsError::Name)
        }
    }
}
