//! Watches the standby from which finished games are read: whether it answers, and how far it is
//! behind. Readers ask it only while it is well.
//!
//! The lag is measured by positions in the write-ahead log, which the primary reports now and then,
//! so it grows with a standby that is frozen or cut off, too, and needs no special rights.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tokio_postgres::Error;

use super::{
    address::Address,
    connection::{Connection, Role, Session, open},
};
use crate::{
    OpenError, StorageError,
    limits::{
        REPLICA_ANSWER_WITHIN, REPLICA_LAG_MAX, REPLICA_LOOK_INTERVAL, REPLICA_POSITIONS_MAX,
    },
    replica_lag::ReplicaLag,
};

const SELECT_WRITTEN: &str = "SELECT (pg_current_wal_flush_lsn() - '0/0')::bigint";

/// What the standby has. It may have become the primary. Reads a table, as readers do.
const SELECT_REPLAYED: &str = "
    SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
        ELSE pg_current_wal_flush_lsn() END - '0/0')::bigint
    FROM (SELECT count(*) FROM (SELECT FROM game LIMIT 1) AS one) AS games";

/// What readers know of the standby.
#[derive(Debug, Default)]
pub(super) struct Health {
    is_well: AtomicBool,
    lag: ReplicaLag,
}

impl Health {
    /// Whether to ask it.
    pub(super) fn is_well(&self) -> bool {
        self.is_well.load(Ordering::Relaxed)
    }

    /// Nobody asks it before the next look.
    pub(super) fn note_failure(&self) {
        self.is_well.store(false, Ordering::Relaxed);
    }
}

/// A standby, and the thread that watches it. The thread ends with this.
#[derive(Debug)]
pub(super) struct Standby {
    address: Arc<Address>,
    health: Arc<Health>,
    /// Dropped to stop the thread.
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Standby {
    /// Begins to watch it. It is not asked before it has answered once.
    ///
    /// # Errors
    /// If the system has no resources for it.
    pub(super) fn watch(primary: &Arc<Address>, standby: Arc<Address>) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Storage { path: standby.name.clone(), error };
        let health = Arc::new(Health::default());
        let mut watcher = Watcher {
            primary: open(primary, Role::Reader).map_err(failed)?,
            standby: open(&standby, Role::ReplicaReader).map_err(failed)?,
            health: Arc::clone(&health),
            positions: VecDeque::new(),
            state: None,
        };
        let (stop, stopped) = mpsc::channel();
        let watch = move || {
            loop {
                watcher.look();
                match stopped.recv_timeout(REPLICA_LOOK_INTERVAL) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        };
        let thread = thread::Builder::new().name("standby".to_owned()).spawn(watch);
        let thread = thread.map_err(|error| failed(StorageError::Failed(error.to_string())))?;
        Ok(Self { address: standby, health, stop: Some(stop), thread: Some(thread) })
    }

    pub(super) const fn address(&self) -> &Arc<Address> {
        &self.address
    }

    pub(super) fn health(&self) -> Arc<Health> {
        Arc::clone(&self.health)
    }

    pub(super) fn lag(&self) -> ReplicaLag {
        self.health.lag.clone()
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // If it has panicked, the standby is not asked any more.
            drop(thread.join());
        }
    }
}

/// The last state of the standby that was logged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Well,
    Silent,
    Behind,
}

struct Watcher {
    primary: Connection,
    standby: Connection,
    health: Arc<Health>,
    /// Positions that the primary has written and the standby lacks, and when that was known.
    positions: VecDeque<(Instant, i64)>,
    state: Option<State>,
}

impl Watcher {
    fn look(&mut self) {
        let now = Instant::now();
        // While the primary is away, nothing new can be lacking.
        if let Ok(written) = position(&mut self.primary, SELECT_WRITTEN) {
            self.note_written(now, written);
        }
        let replayed = position(&mut self.standby, SELECT_REPLAYED);
        if let Ok(replayed) = replayed {
            while self.positions.pop_front_if(|(_, written)| *written <= replayed).is_some() {}
        }
        let lag = self.positions.front().map_or(Duration::ZERO, |(at, _)| at.elapsed());
        self.health.lag.set(lag);
        let state = match &replayed {
            Err(_) => State::Silent,
            Ok(_) if lag > REPLICA_LAG_MAX => State::Behind,
            Ok(_) => State::Well,
        };
        self.health.is_well.store(state == State::Well, Ordering::Relaxed);
        if self.state.replace(state) != Some(state) {
            self.log(state, lag, replayed.err());
        }
    }

    fn note_written(&mut self, now: Instant, written: i64) {
        if self.positions.len() == REPLICA_POSITIONS_MAX {
            // The first says how long it is behind, and the last until when.
            self.positions.pop_back();
        }
        self.positions.push_back((now, written));
    }

    /// Once for each cause.
    fn log(&self, state: State, lag: Duration, error: Option<StorageError>) {
        let standby = &self.standby.address().name;
        let error = error.map(|error| error.to_string()).unwrap_or_default();
        match state {
            State::Well => tracing::info!(standby, "finished games are read from the standby"),
            State::Silent => tracing::warn!(
                standby,
                error,
                "the standby does not answer; finished games are read from the primary"
            ),
            State::Behind => tracing::warn!(
                standby,
                ?lag,
                "the standby is behind; finished games are read from the primary"
            ),
        }
    }
}

fn position(connection: &mut Connection, select: &'static str) -> Result<i64, StorageError> {
    connection.read(REPLICA_ANSWER_WITHIN, &async |session: &Session| -> Result<i64, Error> {
        let rows = session.query(select, &[]).await?;
        rows.first().map_or(Ok(0), |row| row.try_get(0))
    })
}
