//! The bus over NATS core: a subject for each node, and one for all.
//!
//! async-nats could reconnect by itself, but it notices a dead connection late, publishes old messages
//! after a reconnect, drops messages when its subscriber is slow, and does not say why a server refuses
//! it. So this bus makes each connection itself, refuses messages while it is down, and replaces a
//! connection when the links miss their own broadcasts. The links find what is lost or late all the
//! same.

mod access;
mod complaints;
#[cfg(test)]
mod tests;

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_nats::{Client, Event, ServerAddr, Subject, Subscriber};
use bytes::Bytes;
use fivefold_storage::{BUS_VERSION, NodeId};
use futures_util::StreamExt;
use tokio::{
    sync::{Notify, mpsc},
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use self::access::{ClusterName, NatsAccess, NatsError, NatsFiles, NatsUrls};
use self::complaints::Complaints;
use super::{Bus, FromBus};
use crate::{
    limits::{
        BUS_BROADCASTS_MAX, BUS_CONNECT_TIMEOUT, BUS_FLUSH_TIMEOUT, BUS_INBOX_MAX, BUS_MESSAGE_MAX,
        BUS_OUTBOX_MAX, BUS_PING_INTERVAL, BUS_RECONNECT_DELAY_MAX, BUS_REFUSED_DELAY,
        LINK_FRAME_MAX,
    },
    metrics::{LinkDrop, Metrics},
};

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
    access: NatsAccess,
    /// The place of the server to try next.
    next: usize,
    subjects: Subjects,
    to_me: Subject,
    outbox: mpsc::Receiver<(Subject, Bytes)>,
    arrived: mpsc::Sender<FromBus>,
    is_up: Arc<AtomicBool>,
    replace: Arc<Notify>,
    log: Log,
    metrics: Arc<Metrics>,
}

/// Writes into the log what keeps the node from the bus, and rarely twice.
#[derive(Clone, Debug, Default)]
struct Log {
    /// Locked to look up or change.
    complaints: Arc<Mutex<Complaints>>,
}

/// One connection.
struct Connection {
    /// The server, for messages.
    name: String,
    client: Client,
    lost: CancellationToken,
    to_me: Subscriber,
    to_all: Subscriber,
}

/// Why there is no connection.
struct Failure {
    /// Names the fault, and says what to do.
    sentence: String,
    /// Whether to wait before the next try: the server is there.
    is_refused: bool,
}

impl NatsBus {
    /// Connects in the background, and again whenever the connection is lost. Messages arrive until
    /// the receiver is dropped.
    pub(crate) fn start(
        access: NatsAccess,
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
            access,
            // The nodes spread over the servers.
            next: usize::try_from(me.get()).unwrap_or(0),
            to_me: subjects.node(me),
            subjects: subjects.clone(),
            outbox: to_send,
            arrived,
            is_up: Arc::clone(&is_up),
            replace: Arc::clone(&replace),
            log: Log::default(),
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
        // No two versions share a subject.
        let prefix = format!("{}.{BUS_VERSION}", cluster.0);
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
            let mut connection = tokio::select! {
                biased;
                () = arrived.closed() => return,
                connection = self.connect() => connection,
            };
            self.is_up.store(true, Ordering::Relaxed);
            let Ok(()) = arrived.send(FromBus::Connected).await else { return };
            let client = connection.client.clone();
            let name = connection.name.clone();
            let is_over = tokio::select! {
                biased;
                () = arrived.closed() => true,
                () = self.replace.notified() => {
                    self.log.complain(&format!(
                        "messages do not come back from NATS at {name}: the connection is replaced"
                    ));
                    false
                }
                () = read(&mut connection, &self.arrived, &self.log) => {
                    self.log.complain(&format!("NATS at {name} has closed the connection"));
                    false
                }
                () = write(&client, &mut self.outbox, &self.metrics) => false,
            };
            if is_over {
                return self.finish(&client).await;
            }
            self.is_up.store(false, Ordering::Relaxed);
            self.drop_queued();
            let Ok(()) = arrived.send(FromBus::Disconnected).await else { return };
        }
    }

    /// Tries one server after the other until one accepts.
    async fn connect(&mut self) -> Connection {
        let mut attempts = 0;
        loop {
            let servers = &self.access.servers.addresses;
            let server = servers[self.next % servers.len()].clone();
            let is_refused = match self.connect_to(&server).await {
                Ok(connection) => return connection,
                Err(Failure { sentence, is_refused }) => {
                    self.log.complain(&sentence);
                    is_refused
                }
            };
            self.next = self.next.wrapping_add(1);
            attempts += 1;
            let delay = (BUS_RECONNECT_DELAY_MAX / 8).saturating_mul(attempts);
            let delay = delay.min(BUS_RECONNECT_DELAY_MAX);
            sleep(if is_refused { BUS_REFUSED_DELAY } else { delay }).await;
        }
    }

    async fn connect_to(&self, server: &ServerAddr) -> Result<Connection, Failure> {
        let name = access::name_of(server);
        let options = self.access.options().await.map_err(|error| Failure {
            sentence: format!("cannot read the file in the setting bus-credentials: {error}"),
            is_refused: true,
        })?;
        let lost = CancellationToken::new();
        let events = Events {
            server: name.clone(),
            subjects: format!("{}.>", self.subjects.prefix),
            lost: lost.clone(),
            log: self.log.clone(),
            metrics: Arc::clone(&self.metrics),
        };
        let options = options
            .name("fivefold")
            .ping_interval(BUS_PING_INTERVAL)
            .connection_timeout(BUS_CONNECT_TIMEOUT)
            .client_capacity(BUS_BROADCASTS_MAX)
            .subscription_capacity(BUS_INBOX_MAX)
            .ignore_discovered_servers()
            // A lost connection is not used again; async-nats would try for ever.
            .max_reconnects(1)
            .reconnect_delay_callback(|_| Duration::ZERO)
            .event_callback(move |event| {
                events.note(&event);
                async {}
            });
        let client = options.connect(server.clone()).await.map_err(|error| Failure {
            sentence: complaints::explain(&error, server, &self.access),
            is_refused: complaints::is_refused(&error),
        })?;
        self.note_server(&client, &name);
        let subscribe = async {
            let to_me = client.subscribe(self.to_me.clone()).await?;
            let to_all = client.subscribe(self.subjects.all.clone()).await?;
            Ok::<_, async_nats::Error>((to_me, to_all))
        };
        let (to_me, to_all) = subscribe.await.map_err(|error| Failure {
            sentence: format!("NATS at {name} takes no subscriptions: {error}"),
            is_refused: true,
        })?;
        Ok(Connection { name, client, lost, to_me, to_all })
    }

    /// Warns about a server whose configuration does not let the longest message pass.
    fn note_server(&self, client: &Client, name: &str) {
        let (allowed, needed) = (client.server_info().max_payload, LINK_FRAME_MAX + 1024);
        if allowed < BUS_MESSAGE_MAX / 2 {
            self.log.complain(&format!(
                "NATS at {name} loses long messages between nodes: its max_payload is {allowed}, set \
                 it to {needed} or more"
            ));
        }
    }

    /// Messages from before a disconnection are dropped.
    fn drop_queued(&mut self) {
        while self.outbox.try_recv().is_ok() {
            self.metrics.links.dropped(LinkDrop::BusDown);
        }
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
async fn read(connection: &mut Connection, arrived: &mpsc::Sender<FromBus>, log: &Log) {
    let Connection { name, lost, to_me, to_all, .. } = connection;
    let mut works = false;
    loop {
        let message = tokio::select! {
            () = lost.cancelled() => return,
            Some(message) = to_me.next() => FromBus::Sent(message.payload),
            Some(message) = to_all.next() => FromBus::Broadcast(message.payload),
            else => return,
        };
        // A connection over which nothing comes back works no better than none.
        if !works {
            works = true;
            log.note_connected(name);
        }
        let Ok(()) = arrived.send(message).await else { return };
    }
}

/// Publishes what is queued.
async fn write(client: &Client, outbox: &mut mpsc::Receiver<(Subject, Bytes)>, metrics: &Metrics) {
    while let Some((subject, bytes)) = outbox.recv().await {
        if let Err(error) = client.publish(subject, bytes).await {
            tracing::error!(%error, "the bus refuses a message");
            metrics.links.dropped(LinkDrop::Refused);
        }
    }
    // Nobody can send any more; the reader decides when to end.
    std::future::pending::<()>().await;
}

/// What becomes of a connection's events.
struct Events {
    server: String,
    subjects: String,
    lost: CancellationToken,
    log: Log,
    metrics: Arc<Metrics>,
}

impl Events {
    fn note(&self, event: &Event) {
        match event {
            Event::Disconnected | Event::Closed => self.lost.cancel(),
            Event::SlowConsumer(_) => self.metrics.links.dropped(LinkDrop::InboxFull),
            Event::ServerError(error) => self.log.complain(&complaints::reported(
                &self.server,
                &error.to_string(),
                &self.subjects,
            )),
            Event::ClientError(_) | Event::Connected | Event::LameDuckMode | Event::Draining => {}
        }
    }
}

impl Log {
    fn complain(&self, sentence: &str) {
        if self.lock().is_due(sentence) {
            tracing::error!("{sentence}");
        }
    }

    fn note_connected(&self, server: &str) {
        self.lock().clear();
        tracing::info!("the bus is connected: NATS at {server}");
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Complaints> {
        // Nothing panics between two changes that belong together.
        self.complaints.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
