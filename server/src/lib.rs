//! The Fivefold server: rooms, seats and bots behind one WebSocket port.
//!
//! [`run`] is the table of contents: what there is, who knows whom, and in which order it ends.

mod admission;
mod chance;
pub mod config;
mod counters;
mod http;
pub mod limits;
mod lobby;
mod outbox;
pub mod room;
mod session;
pub mod signals;
pub mod store;
mod thinking;

use std::{
    io,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use tokio::{
    net::TcpListener,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    admission::Admission,
    config::Config,
    counters::Counters,
    limits::{
        CONNECTIONS_SPARE, CONNECTIONS_SPARE_PER_ADDRESS, Limits, STOP_REST_WITHIN,
        STOP_SESSIONS_WITHIN,
    },
    lobby::Lobby,
    room::actor::Surroundings,
    store::{Memory, Storage, Store},
    thinking::Pool,
};

/// What sessions share.
#[derive(Debug)]
struct Server {
    limits: Limits,
    lobby: Arc<Lobby>,
    sessions: Admission,
    sessions_so_far: AtomicU64,
    counters: Arc<Counters>,
    /// Tells sessions to end: the server stops.
    stop: CancellationToken,
}

/// Serves until `shutdown` is cancelled, with rooms kept in memory. Then no new connections are
/// taken, sessions are closed with 1012, and this returns within five seconds.
///
/// # Errors
/// When a thread cannot be started; and after stopping in the same way, when the store broke.
pub async fn run(
    listener: TcpListener,
    config: Config,
    shutdown: CancellationToken,
) -> io::Result<()> {
    run_on(Box::new(Memory::default()), listener, config, shutdown).await
}

/// As [`run`], with rooms kept in the given storage.
///
/// # Errors
/// As [`run`]; the store breaks when the storage panics.
pub async fn run_on(
    storage: Box<dyn Storage>,
    listener: TcpListener,
    config: Config,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let limits = config.limits;
    let counters = Arc::new(Counters::default());
    let (store, mut writer) = Store::start(storage)?;
    let (pool, bots) = Pool::start(config.bot_threads.get())?;
    let stop_rooms = CancellationToken::new();
    let (connections, rooms) = (TaskTracker::new(), TaskTracker::new());
    let around = Surroundings {
        store,
        pool: pool.clone(),
        counters: Arc::clone(&counters),
        stop: stop_rooms.clone(),
    };
    let server = Arc::new(Server {
        limits,
        lobby: Arc::new(Lobby::new(limits, around, rooms.clone())),
        sessions: Admission::new(limits.sessions_max, limits.sessions_per_address_max),
        sessions_so_far: AtomicU64::new(0),
        counters,
        stop: shutdown.clone(),
    });

    let store_broke = tokio::select! {
        () = accept(listener, &server, &connections) => false,
        () = writer.wait() => true,
    };
    shutdown.cancel();

    tracing::info!(sessions = server.sessions.count(), "stopping");
    drop(server);
    end("sessions", STOP_SESSIONS_WITHIN, finish(&connections)).await;
    stop_rooms.cancel();
    end("rooms", STOP_REST_WITHIN, finish(&rooms)).await;
    pool.stop();
    let threads = async {
        if !store_broke {
            writer.wait().await;
        }
        bots.wait().await;
    };
    end("threads", STOP_REST_WITHIN, threads).await;
    tracing::info!("stopped");
    if store_broke { Err(io::Error::other("the store broke")) } else { Ok(()) }
}

/// Takes connections until the server stops.
async fn accept(listener: TcpListener, server: &Arc<Server>, tasks: &TaskTracker) {
    let limits = &server.limits;
    let guests = Admission::new(
        limits.sessions_max.saturating_add(CONNECTIONS_SPARE),
        limits.sessions_per_address_max.saturating_add(CONNECTIONS_SPARE_PER_ADDRESS),
    );
    let router = http::router(Arc::clone(server));
    loop {
        let accepted = tokio::select! {
            biased;
            () = server.stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => match guests.admit(peer.ip()) {
                Ok(place) => {
                    let (router, server) = (router.clone(), Arc::clone(server));
                    tasks.spawn(async move {
                        http::serve(stream, peer.ip(), router, server).await;
                        drop(place);
                    });
                }
                // Not even a handshake is done with those: the connection is closed.
                Err(_) => server.counters.turned_away.add(),
            },
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                // Most likely there are no file descriptors left; some will be.
                sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Waits for part of the server to end, but not for ever.
async fn end<T>(what: &str, within: Duration, ending: impl Future<Output = T>) {
    if timeout(within, ending).await.is_err() {
        tracing::warn!("some {what} did not end in time, and are dropped");
    }
}

async fn finish(tasks: &TaskTracker) {
    tasks.close();
    tasks.wait().await;
}
