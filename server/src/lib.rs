//! The Fivefold server: rooms, seats and bots behind one WebSocket port.
//!
//! Start reading at [`run`]: it creates every part, connects them, and stops them in order.

mod address_limits;
mod alarm;
#[cfg_attr(not(test), expect(dead_code, reason = "nodes use it, and there are none yet"))]
mod bus;
pub mod clock;
pub mod config;
mod connection_limit;
mod directory;
mod disk;
pub mod file_limit;
pub mod http;
mod identities;
mod ids;
pub mod limits;
#[cfg_attr(not(test), expect(dead_code, reason = "nodes use it, and there are none yet"))]
mod link;
mod listen;
mod lobby;
mod logins;
pub mod logs;
mod metrics;
mod network;
mod node_id;
pub mod origin;
mod outbox;
pub mod proxy;
mod retention;
mod reviews;
pub(crate) mod room_actor;
mod server;
mod session;
pub mod signals;
pub mod storage;
mod thinking;
pub mod tls;
mod token_bucket;
mod write_deadline;

use std::{
    io,
    net::IpAddr,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use axum::Router;
use fivefold_shared::protocol::RoomCode;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    address_limits::AddressLimits,
    config::Config,
    connection_limit::{ConnectionLimit, ConnectionPermit, Full},
    disk::Disk,
    http::jobs::Jobs,
    identities::Identities,
    limits::{CLAIM_DOUBTS_MAX, MONITOR_CONNECTIONS_MAX, STOP_REST_WITHIN, STOP_SESSIONS_WITHIN},
    lobby::Lobby,
    logins::Logins,
    metrics::Metrics,
    reviews::Reviews,
    room_actor::RoomContext,
    server::Server,
    storage::{Claimed, LogWriter, ReadPool, Storage, StorageError},
    thinking::Pool,
    tls::Tls,
};
pub use self::{
    listen::{Listen, Listeners},
    node_id::NodeId,
};

/// Why a server does not start, or stops by itself.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A thread could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] io::Error),
    /// The rooms could not be read.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The storage panicked.
    #[error("the storage failed")]
    StoreBroke,
}

/// Serves until `shutdown` is cancelled, with rooms kept in the given storage. Rooms that are open
/// there wait for their members to return. On shutdown it accepts no new connections, closes
/// sessions with code 1012, and returns within five seconds.
///
/// # Errors
/// If a thread cannot be started or the storage cannot be read. Also after a regular shutdown
/// caused by a panic of the storage.
pub async fn run(
    listeners: Listeners<impl Listen>,
    storage: Box<dyn Storage>,
    config: Config,
    shutdown: CancellationToken,
) -> Result<(), RunError> {
    let Config { limits, clock, blocking, node, .. } = config;
    let metrics = Arc::new(Metrics::new());
    let read_pool = Arc::new(ReadPool::new(storage.reader()?, blocking.clone()));
    let jobs = Jobs::new(blocking.clone());
    let (log_writer, mut writer) = LogWriter::start(storage, &blocking)?;
    let (pool, bots) = Pool::start(config.bot_threads.get(), Arc::clone(&metrics))?;
    let stop_rooms = CancellationToken::new();
    let (connections, rooms) = (TaskTracker::new(), TaskTracker::new());
    let disk = Disk::new(&read_pool, &metrics, limits.disk_reserve);
    let context = RoomContext {
        limits,
        log_writer: log_writer.clone(),
        disk: Arc::clone(&disk),
        pool: pool.clone(),
        metrics: Arc::clone(&metrics),
        clock,
        node,
        stop: stop_rooms.clone(),
    };
    let server = Arc::new(Server {
        limits,
        clock,
        origins: config.origins,
        proxies: config.proxies,
        page: config.page,
        tls: config.tls,
        lobby: Arc::new(Lobby::new(context, rooms.clone(), config.demo)),
        identities: Identities::new(Arc::clone(&read_pool), log_writer.clone()),
        read_pool,
        reviews: Reviews::new(pool.clone()),
        jobs,
        pool: pool.clone(),
        logins: Logins::default(),
        sessions: ConnectionLimit::new(limits.sessions_max, limits.sessions_per_address_max),
        address_limits: AddressLimits::new(limits),
        sessions_so_far: AtomicU64::new(0),
        metrics,
        lost_lines: config.lost_lines,
        stop: shutdown.clone(),
    });

    reopen_rooms(&server.lobby, &log_writer, node).await?;
    disk.measure().await;

    let store_broke = tokio::select! {
        () = accept_all(listeners, &server, &connections) => false,
        () = writer.wait() => true,
        never = disk.watch() => match never {},
        never = retention::prune_old(log_writer, clock, limits.closed_rooms_kept) => match never {},
    };
    shutdown.cancel();

    tracing::info!(sessions = server.sessions.count(), "stopping");
    drop(server);
    let threads = async {
        if !store_broke {
            writer.wait().await;
        }
        bots.wait().await;
    };
    end_in_order(&connections, &stop_rooms, &rooms, &pool, threads).await;
    if store_broke { Err(RunError::StoreBroke) } else { Ok(()) }
}

/// Ends sessions first, so that rooms record who left, and threads last.
async fn end_in_order(
    connections: &TaskTracker,
    stop_rooms: &CancellationToken,
    rooms: &TaskTracker,
    pool: &Pool,
    threads: impl Future<Output = ()>,
) {
    end("sessions", STOP_SESSIONS_WITHIN, finish(connections)).await;
    stop_rooms.cancel();
    end("rooms", STOP_REST_WITHIN, finish(rooms)).await;
    pool.stop();
    end("threads", STOP_REST_WITHIN, threads).await;
    tracing::info!("stopped");
}

/// Claims the rooms that were open when the previous server ended.
async fn reopen_rooms(
    lobby: &Arc<Lobby>,
    log_writer: &LogWriter,
    node: NodeId,
) -> Result<(), StorageError> {
    let mut count = 0;
    loop {
        let rooms = log_writer.reserve().await?.orphans().wait().await?;
        if rooms.is_empty() {
            break;
        }
        let claimed = claim(log_writer, &rooms, node).await?;
        for (room, claimed) in rooms.into_iter().zip(claimed) {
            match claimed {
                Claimed::Mine { epoch, log } => lobby.reopen(room, epoch, &log),
                Claimed::Closed | Claimed::Elsewhere(_) => continue,
                Claimed::Newer => lobby.set_aside(room, "a newer server has written it"),
                Claimed::Damaged(problem) => lobby.set_aside(room, &problem),
            }
            count += 1;
        }
    }
    if count > 0 {
        tracing::info!(rooms = count, "rooms are read back and wait for their members");
    }
    Ok(())
}

/// Claims rooms, and retries while the result is in doubt.
async fn claim(
    log_writer: &LogWriter,
    rooms: &[RoomCode],
    node: NodeId,
) -> Result<Vec<Claimed>, StorageError> {
    let mut doubts = 0;
    loop {
        match log_writer.reserve().await?.claim(rooms.to_vec(), node).wait().await {
            Err(StorageError::InDoubt(_)) if doubts < CLAIM_DOUBTS_MAX => doubts += 1,
            claimed => return claimed,
        }
    }
}

/// One listener and the limits on its connections.
struct Door<L> {
    listener: L,
    router: Router,
    guests: ConnectionLimit,
    /// Whether the rate of new connections is limited for each address.
    is_rated: bool,
    tls: Option<Arc<Tls>>,
}

/// Accepts connections until the server stops.
async fn accept_all(listeners: Listeners<impl Listen>, server: &Arc<Server>, tasks: &TaskTracker) {
    let limits = &server.limits;
    let public = Door {
        listener: listeners.public,
        router: http::router(Arc::clone(server)),
        guests: ConnectionLimit::new(
            limits.sessions_max.saturating_add(limits.connections_spare),
            limits.connections_per_address_max(),
        ),
        is_rated: true,
        tls: server.tls.clone(),
    };
    let metrics = async {
        let Some(listener) = listeners.metrics else { return };
        let router = http::monitor::router(Arc::clone(server));
        let guests = ConnectionLimit::new(MONITOR_CONNECTIONS_MAX, MONITOR_CONNECTIONS_MAX);
        accept(Door { listener, router, guests, is_rated: false, tls: None }, server, tasks).await;
    };
    tokio::join!(accept(public, server, tasks), metrics);
}

async fn accept(door: Door<impl Listen>, server: &Arc<Server>, tasks: &TaskTracker) {
    let Door { listener, router, guests, is_rated, tls } = door;
    loop {
        let accepted = tokio::select! {
            biased;
            () = server.stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => match admit(&guests, is_rated, peer.ip(), server) {
                Ok(place) => {
                    let (router, tls, server) = (router.clone(), tls.clone(), Arc::clone(server));
                    tasks.spawn(async move {
                        http::serve(stream, peer.ip(), router, tls, server).await;
                        drop(place);
                    });
                }
                // Closed even before a handshake.
                Err(full) => server.metrics.turned_away(full),
            },
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                // Probably out of file descriptors; some will become free.
                sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Admits a connection. A proxy's connections come from many people, so it has no limit of its own.
fn admit(
    guests: &ConnectionLimit,
    is_rated: bool,
    peer: IpAddr,
    server: &Server,
) -> Result<ConnectionPermit, Full> {
    if server.proxies.contains(peer) {
        return guests.admit_proxy();
    }
    let now = Instant::now();
    if is_rated && !server.address_limits.of(peer, now).take_connection(now) {
        return Err(Full::Rate);
    }
    guests.admit(peer)
}

/// Waits for part of the server to end, up to a time limit.
async fn end<T>(what: &str, within: Duration, ending: impl Future<Output = T>) {
    if timeout(within, ending).await.is_err() {
        tracing::warn!("some {what} did not end in time, and are dropped");
    }
}

async fn finish(tasks: &TaskTracker) {
    tasks.close();
    tasks.wait().await;
}
