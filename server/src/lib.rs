//! The Fivefold server: rooms, seats and bots behind one WebSocket port.
//!
//! Start reading at [`run`]: it creates every part, connects them, and stops them in order.

pub mod accounts;
pub mod cluster;
pub mod commands;
pub mod config;
pub mod http;
pub mod limits;
mod membership;
mod metrics;
pub mod moderation;
pub mod net;
mod online;
pub mod pairing;
mod picture;
pub mod process;
mod puzzles;
pub mod rooms;
mod session;
mod shared_state;
mod thinking;
pub mod transport;

use std::{
    convert::Infallible,
    future::pending,
    io,
    net::IpAddr,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use axum::Router;
use fivefold_storage::{JoinError, LogWriter, NodeId, Storage, StorageError, WriterEnd};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    accounts::{Accounts, AccountsContext, identities::Identities},
    cluster::Cluster,
    config::Config,
    limits::{
        MONITOR_CONNECTIONS_MAX, STOP_REST_WITHIN, STOP_SESSIONS_WITHIN,
        operators::{CLOCK_DRIFT_FOLLOWED, CLOCK_LOOK_INTERVAL},
    },
    membership::{Peers, Serving, shared_limits::SharedLimits},
    metrics::{Metrics, RefusedFor, refused_connections::RefusedConnections},
    moderation::{Moderation, ModerationContext, blocks::Blocks, examination::Examiner},
    net::{
        address_limits::AddressLimits,
        connection_limit::{ConnectionLimit, ConnectionPermit, Full},
        proxy::faults::LoggedFaults,
        tls::Tls,
    },
    online::{
        logins::Logins,
        pushes::{PushTask, Pushes},
    },
    pairing::{
        pools::Pools,
        task::{PairingCommand, PairingContext, PairingHandle, PairingTask},
    },
    picture::Pictures,
    process::{
        backups::Backups, clock::Clock, disk::Disk, jobs::Jobs, priority::run_when_idle,
        read_pool::ReadPool, service_manager::ServiceManager, storage_check::StorageCheck,
    },
    puzzles::tries::PuzzleTries,
    rooms::{
        lobby::{Lobby, People},
        room_actor::RoomContext,
    },
    shared_state::{HTTP_JOBS, Server},
    thinking::{Pool, ThreadsEnd, reviews::Reviews},
};
pub use self::{
    membership::Membership,
    net::listen::{Listen, ListenAddress, Listeners},
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
    /// The node cannot join its cluster.
    #[error(transparent)]
    Join(JoinError),
    /// The storage panicked.
    #[error("the storage failed")]
    StoreBroke,
    /// The other nodes of the cluster have declared this one dead, or it is cut off from them.
    /// Nothing is lost by that, and it may join again.
    #[error("this node is dead to the others of its cluster; start it again")]
    Retired,
}

impl From<JoinError> for RunError {
    fn from(error: JoinError) -> Self {
        match error {
            JoinError::Storage(error) => Self::Storage(error),
            refused @ (JoinError::InUse | JoinError::OtherVersion { .. }) => Self::Join(refused),
        }
    }
}

/// Serves until `shutdown` is cancelled, with rooms kept in the given storage. Rooms that are open
/// there wait for their members to return. On shutdown it first goes on for `Config::drain`, without
/// new rooms. Then it accepts no new connections, closes sessions with code 1012, and returns within
/// five seconds.
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
    Box::pin(serve(listeners, storage, None, config, shutdown)).await
}

/// The same as a node of a cluster: rooms survive the node, and members of one room may be on
/// several nodes. On shutdown the other nodes take over at once.
///
/// # Errors
/// As [`run`], if the node cannot join at the start, and with
/// [`RunError::Retired`] as soon as this node is dead.
pub async fn run_in_cluster(
    listeners: Listeners<impl Listen>,
    storage: Box<dyn Storage>,
    membership: Membership,
    config: Config,
    shutdown: CancellationToken,
) -> Result<(), RunError> {
    Box::pin(serve(listeners, storage, Some(membership), config, shutdown)).await
}

/// Why a server stops serving.
enum Ending {
    Shutdown,
    StoreBroke,
    Retired,
}

#[expect(clippy::too_many_lines, reason = "the table of contents: it makes every part")]
async fn serve(
    listeners: Listeners<impl Listen>,
    storage: Box<dyn Storage>,
    membership: Option<Membership>,
    config: Config,
    shutdown: CancellationToken,
) -> Result<(), RunError> {
    let (stop, stop_rooms) = (CancellationToken::new(), CancellationToken::new());
    let Config { limits, clock, node, drain, blocking, service, .. } = config;
    let metrics = Arc::new(Metrics::new());
    let read_pool = Arc::new(ReadPool::open(storage.as_ref(), blocking.clone())?);
    let (log_writer, mut writer) = LogWriter::start(storage, &blocking)?;
    let (pool, bots) = Pool::start(config.bot_threads.get(), Arc::clone(&metrics))?;
    let (connections, rooms) = (TaskTracker::new(), TaskTracker::new());
    let operation = config.operation;
    operation.started_at(clock.now());
    let peers = Peers::join(membership, &blocking, &metrics, &shutdown, clock, &operation).await?;
    let (clock, node) = peers.as_ref().map_or((clock, node), |peers| (peers.clock(), peers.id()));
    let (pairing, seekers) = PairingHandle::new();
    let (pushes, push_news) = Pushes::new(Arc::clone(&metrics));
    let disk = Disk::new(&read_pool, &metrics, limits.disk_reserve);
    let backups = Backups::new(
        config.backups,
        blocking.clone(),
        clock,
        Arc::clone(&metrics),
        Arc::clone(&disk),
    );
    let context = RoomContext {
        limits,
        log_writer: log_writer.clone(),
        read_pool: Arc::clone(&read_pool),
        disk: Arc::clone(&disk),
        pool: pool.clone(),
        metrics: Arc::clone(&metrics),
        clock,
        node,
        cluster: peers.as_ref().map(Peers::cluster),
        stop: stop_rooms.clone(),
        heard: Arc::default(),
        chats: Arc::default(),
        rated: Arc::default(),
        sanctions: Arc::default(),
        blocking: blocking.clone(),
        shared_addresses: config.shared_addresses.clone(),
        pushes: pushes.clone(),
        operation: Arc::clone(&operation),
    };
    let logins = Arc::new(Logins::with(config.announcements));
    let (blocks, moderation) = people(&context, &read_pool, &logins);
    let accounts = Accounts::new(
        AccountsContext {
            read_pool: Arc::clone(&read_pool),
            log_writer: log_writer.clone(),
            blocking: blocking.clone(),
            clock,
            logins: Arc::clone(&logins),
            moderation: Arc::clone(&moderation),
            blocks: Arc::clone(&blocks),
            cluster: context.cluster.clone(),
            pushes: pushes.clone(),
            collected_games_max: limits.collected_games_max,
        },
        config.public_url.as_ref(),
        config.oidc.as_ref(),
    );
    let (heard, rated) = (Arc::clone(&context.heard), Arc::clone(&context.rated));
    let puzzle_writer = log_writer.clone();
    let push_task = PushTask {
        pushes,
        waiting: push_news,
        read_pool: Arc::clone(&read_pool),
        log_writer: log_writer.clone(),
        clock,
        public_url: config.public_url.clone(),
        peers: config.push_peers.clone(),
        smtp: config.smtp,
        sweep_interval: limits.push_sweep_interval,
        seen_within: limits.push_seen_within,
    };
    let server = Arc::new(Server {
        limits,
        clock,
        origins: config.origins,
        proxies: config.proxies,
        proxy_faults: LoggedFaults::default(),
        addresses: config.addresses,
        shared_addresses: config.shared_addresses,
        public_url: config.public_url,
        push_peers: config.push_peers,
        page: config.page,
        tls: config.tls,
        lobby: Arc::new(Lobby::new(context, rooms.clone(), config.demo)),
        identities: Identities::new(Arc::clone(&read_pool), log_writer.clone()),
        storage_check: StorageCheck::new(log_writer.clone(), Arc::clone(&read_pool)),
        disk: Arc::clone(&disk),
        backups,
        read_pool,
        reviews: Reviews::new(pool.clone()),
        pictures: Pictures::default(),
        jobs: Jobs::new(blocking, HTTP_JOBS, run_when_idle),
        pool: pool.clone(),
        logins,
        accounts,
        blocks,
        moderation,
        heard,
        rated,
        pairing,
        pools: config.pools.clone(),
        puzzles: Arc::new(PuzzleTries::new(puzzle_writer)),
        refused_connections: RefusedConnections::new(config.addresses, Arc::clone(&metrics)),
        sessions: ConnectionLimit::new(limits.sessions_max, limits.sessions_per_address_max),
        watchers: ConnectionLimit::new(limits.watchers_max(), limits.watchers_per_address_max()),
        watcher_limits: AddressLimits::new(limits.of_watchers()),
        embeds: config.embeds,
        address_limits: Arc::new(AddressLimits::new(limits)),
        next_session: AtomicU64::new(node.first_session().0),
        metrics,
        lost_lines: config.lost_lines,
        panics: config.panics,
        draining: shutdown.clone(),
        operation,
        reload: config.reload,
        stop: stop.clone(),
        is_in_cluster: peers.is_some(),
    });

    let cluster = peers.as_ref().map(Peers::cluster);
    let pairing = pairing_task(&server, node, cluster, seekers, config.pools);
    let peers = open_rooms(peers, &server).await?;
    connections.spawn(pairing.run(stop.clone()));
    disk.measure().await;
    let examiner = Examiner {
        read_pool: Arc::clone(&server.read_pool),
        log_writer: log_writer.clone(),
        pool: pool.clone(),
        clock,
        interval: limits.examination_interval,
    };
    let (asking, stopped) = (Arc::clone(&server), stop.clone());
    connections.spawn(async move {
        tokio::select! {
            () = asking.accounts.check_oidc() => {}
            () = stopped.cancelled() => {}
        }
    });
    // Before anybody comes.
    server.moderation.refresh().await;
    service.ready().await;
    let ending = tokio::select! {
        // In the same order each time, so that a simulated day can be repeated.
        biased;
        () = drained(&shutdown, drain, &service) => Ending::Shutdown,
        () = accept_all(listeners, &server, &connections) => Ending::Shutdown,
        () = writer.wait() => Ending::StoreBroke,
        () = retired(peers.as_ref()) => Ending::Retired,
        never = disk.watch() => match never {},
        never = server.backups.run() => match never {},
        never = follow_clock(clock, &server.metrics) => match never {},
        never = server.refused_connections.report() => match never {},
        never = server.report_health(&service) => match never {},
        never = server.moderation.follow() => match never {},
        never = server.forget_unused_addresses() => match never {},
        never = server.lobby.wake_rooms() => match never {},
        never = process::pruning::rest(log_writer.clone()) => match never {},
        never = process::pruning::prune_old(log_writer, clock, limits.closed_rooms_kept) => match never {},
        never = examiner.run() => match never {},
        never = push_task.run() => match never {},
    };
    stop.cancel();

    tracing::info!(sessions = server.sessions.count(), "stopping");
    drop(server);
    let threads = end_threads(&ending, writer, bots);
    end_in_order(peers, &connections, &stop_rooms, &rooms, &pool, threads).await;
    ending.into_result()
}

impl Ending {
    fn into_result(self) -> Result<(), RunError> {
        match self {
            Self::Shutdown => Ok(()),
            Self::StoreBroke => Err(RunError::StoreBroke),
            Self::Retired => Err(RunError::Retired),
        }
    }
}

fn people_of(server: &Server) -> People {
    People {
        logins: Arc::clone(&server.logins),
        blocks: Arc::clone(&server.blocks),
        moderation: Arc::clone(&server.moderation),
        rated: Arc::clone(&server.rated),
    }
}

/// The people that members have blocked, and what operators have decided about them.
fn people(
    context: &RoomContext,
    read_pool: &Arc<ReadPool>,
    logins: &Arc<Logins>,
) -> (Arc<Blocks>, Arc<Moderation>) {
    let RoomContext { log_writer, clock, cluster, .. } = context;
    let blocks = Blocks::new(Arc::clone(read_pool), log_writer.clone(), cluster.clone());
    let moderation = Moderation::new(ModerationContext {
        read_pool: Arc::clone(read_pool),
        log_writer: log_writer.clone(),
        clock: *clock,
        logins: Arc::clone(logins),
        sanctions: Arc::clone(&context.sanctions),
        operation: Arc::clone(&context.operation),
        cluster: cluster.clone(),
    });
    (Arc::new(blocks), Arc::new(moderation))
}

fn pairing_task(
    server: &Server,
    node: NodeId,
    cluster: Option<Arc<Cluster>>,
    commands: mpsc::Receiver<Box<PairingCommand>>,
    pools: Pools,
) -> PairingTask {
    let context = PairingContext {
        lobby: Arc::clone(&server.lobby),
        logins: Arc::clone(&server.logins),
        address_limits: Arc::clone(&server.address_limits),
        metrics: Arc::clone(&server.metrics),
        // It counts how long people wait.
        clock: server.clock.steady(),
        node,
        cluster,
        draining: server.draining.clone(),
    };
    PairingTask::new(commands, pools, context)
}

/// Waits for the order to stop, and then so long that a load balancer has noticed.
async fn drained(shutdown: &CancellationToken, drain: Duration, service: &ServiceManager) {
    shutdown.cancelled().await;
    service.stopping(drain).await;
    if !drain.is_zero() {
        tracing::info!(seconds = drain.as_secs(), "draining");
        sleep(drain).await;
    }
}

/// Follows the system's clock when somebody sets it; never returns. A node follows the database instead.
async fn follow_clock(clock: Clock, metrics: &Metrics) -> Infallible {
    loop {
        sleep(CLOCK_LOOK_INTERVAL).await;
        let Some(drift_ms) = clock.follow() else { pending().await };
        let drift = Duration::from_millis(drift_ms.unsigned_abs());
        metrics.cluster.note_system_drift(drift);
        if drift > CLOCK_DRIFT_FOLLOWED {
            tracing::warn!(drift_ms, "the system's clock was set: times that are stored follow it");
        }
    }
}

/// Waits until this node is dead to the others; forever on one that is alone.
async fn retired(peers: Option<&Serving>) {
    match peers {
        Some(peers) => peers.retired().await,
        None => pending().await,
    }
}

/// Ends sessions first, so that rooms record who left, and threads last. In a cluster rooms go
/// first, so that other nodes take them over at once.
async fn end_in_order(
    peers: Option<Serving>,
    connections: &TaskTracker,
    stop_rooms: &CancellationToken,
    rooms: &TaskTracker,
    pool: &Pool,
    threads: impl Future<Output = ()>,
) {
    if let Some(peers) = peers {
        stop_rooms.cancel();
        end("rooms", STOP_REST_WITHIN, finish(rooms)).await;
        end("links", STOP_REST_WITHIN, peers.end()).await;
    }
    end("sessions", STOP_SESSIONS_WITHIN, finish(connections)).await;
    stop_rooms.cancel();
    end("rooms", STOP_REST_WITHIN, finish(rooms)).await;
    pool.stop();
    end("threads", STOP_REST_WITHIN, threads).await;
    tracing::info!("stopped");
}

/// Serves as a node of a cluster, which claims rooms as they are needed; or opens the rooms that were awake when the
/// server before this one ended.
async fn open_rooms(
    peers: Option<Peers>,
    server: &Server,
) -> Result<Option<Serving>, StorageError> {
    let serving = peers.map(|peers| peers.serve(SharedLimits::of(server), people_of(server)));
    if serving.is_none() {
        let rooms = server.lobby.attend_all().await?;
        if rooms > 0 {
            tracing::info!(rooms, "rooms are read back and wait for their members");
        }
    }
    Ok(serving)
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
            limits.connections_max(),
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
                Err(full) => server.refused_connections.note(RefusedFor::Full(full), peer.ip()),
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
    if server.proxies.get().contains(peer) {
        return guests.admit_proxy();
    }
    let now = Instant::now();
    if is_rated && !server.address_limits.of(peer, now).take_connection(now) {
        return Err(Full::Rate);
    }
    guests.admit(peer)
}

/// Waits for the threads. The writer has ended already if the storage broke.
async fn end_threads(ending: &Ending, mut writer: WriterEnd, bots: ThreadsEnd) {
    if !matches!(ending, Ending::StoreBroke) {
        writer.wait().await;
    }
    bots.wait().await;
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
