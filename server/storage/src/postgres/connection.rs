//! One connection to PostgreSQL, used by one thread at a time. It connects when it is first used,
//! and again after it was lost. It knows no tables.
//!
//! A commit is never cancelled: a cancelled wait for a synchronous standby would report success.
//! When no answer comes in time, the connection is dropped, and the commit is in doubt.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    error::Error as _,
    fmt,
    future::poll_fn,
    io,
    pin::{Pin, pin},
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
    time::{Duration, Instant},
};

use tokio::{
    runtime::{Builder, Runtime},
    time::{timeout, timeout_at},
};
use tokio_postgres::{
    AsyncMessage, Client, Error, NoTls, Row, SimpleQueryMessage, Socket, Statement,
    config::TargetSessionAttrs,
    error::{DbError, Severity, SqlState},
    tls::{MakeTlsConnect, TlsStream},
    types::ToSql,
};

use super::address::Address;
use crate::{
    OpenError, StorageError,
    limits::{DATABASE_CONNECT_WITHIN, DATABASE_RECONNECT_REST, REPLICA_ANSWER_WITHIN},
    sql::{self, Cell as SqlCell, Sql},
};

/// Begins a transaction of several statements. The database ends it if this process freezes between two, so
/// that rows do not stay locked.
const BEGIN: &str = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '2s'";

/// Kinds of harmless warnings that a session logs.
const WARNINGS_LOGGED_MAX: usize = 16;

/// A parameter of a statement.
pub(super) type Value<'a> = &'a (dyn ToSql + Sync);

/// The parameters that both databases have.
pub(super) fn parameters<'v>(values: &'v [sql::Value<'v>]) -> Vec<Value<'v>> {
    values.iter().map(|value| value as Value<'v>).collect()
}

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// Writes, and reads what it claims.
    Writer,
    /// Keeps the node alive.
    Heartbeat,
    /// Reads from the primary.
    Reader,
    /// Reads from the primary or a standby.
    ReplicaReader,
    /// Asks what is there, and sets nothing.
    Probe,
}

impl Role {
    /// Settings of the session. The writer uses plans that never scan a table of rooms, whatever
    /// the statistics say when a statement is planned.
    const fn settings(self) -> &'static str {
        match self {
            Self::Writer => {
                "SET search_path = fivefold; SET synchronous_commit = on; \
                 SET lock_timeout = '500ms'; SET statement_timeout = 0; SET jit = off; \
                 SET plan_cache_mode = force_generic_plan; SET enable_hashjoin = off; \
                 SET enable_mergejoin = off; SET enable_seqscan = off"
            }
            Self::Heartbeat => {
                "SET search_path = fivefold; SET lock_timeout = '500ms'; SET jit = off"
            }
            Self::Reader | Self::ReplicaReader => {
                "SET search_path = fivefold; SET default_transaction_read_only = on; \
                 SET statement_timeout = '5s'; SET jit = off; \
                 SET plan_cache_mode = force_generic_plan"
            }
            Self::Probe => "",
        }
    }

    /// How long connecting may take, with so many hosts to try.
    const fn connects_within(self, hosts: u32) -> Duration {
        match self {
            Self::Writer | Self::Heartbeat | Self::Reader | Self::Probe => {
                // The limit in the configuration covers each connection, and this one handshakes, too.
                DATABASE_CONNECT_WITHIN.saturating_mul(hosts + 1)
            }
            Self::ReplicaReader => REPLICA_ANSWER_WITHIN,
        }
    }

    const fn target(self) -> TargetSessionAttrs {
        match self {
            Self::Writer | Self::Heartbeat | Self::Reader | Self::Probe => {
                TargetSessionAttrs::ReadWrite
            }
            Self::ReplicaReader => TargetSessionAttrs::Any,
        }
    }
}

/// Why a connection cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    /// The server cannot be reached, or refuses.
    #[error("{}", explain(.0))]
    Database(#[from] Error),
    /// It does not answer.
    #[error("no answer")]
    Timeout,
}

/// A connection, live or lost.
pub(super) struct Connection {
    address: Arc<Address>,
    role: Role,
    /// Absent only while this is dropped.
    runtime: Option<Runtime>,
    session: Option<Session>,
    /// Present from the loss of a session until the next one.
    outage: Option<Outage>,
}

struct Outage {
    /// Until then nobody connects, so that a queue of requests does not wait for an unreachable
    /// host one by one.
    rest_until: Instant,
    error: StorageError,
}

/// A live session with the server.
pub(super) struct Session {
    client: Client,
    /// Reads and writes the socket; dropping it closes the socket.
    driver: RefCell<Driver>,
    statements: RefCell<HashMap<String, Statement>>,
    /// The last warning of the server that casts doubt on a commit.
    warning: Warning,
    /// Whether a statement was sent that may have changed something.
    is_sent: Cell<bool>,
}

/// Ends with the connection; with the reason if it was lost.
type Driver = Pin<Box<dyn Future<Output = Option<Error>> + Send>>;

/// A deferred statement on its way.
type Sent<'s> = Pin<Box<dyn Future<Output = Result<(), Error>> + 's>>;

/// Locked only to set or take it.
type Warning = Arc<Mutex<Option<String>>>;

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("address", &self.address)
            .field("role", &self.role)
            .field("is_live", &self.session.is_some())
            .finish_non_exhaustive()
    }
}

impl Connection {
    /// A connection that is not connected yet.
    ///
    /// # Errors
    /// If the system has no resources for it.
    pub(super) fn new(address: Arc<Address>, role: Role) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Self { address, role, runtime: Some(runtime), session: None, outage: None })
    }

    pub(super) const fn address(&self) -> &Arc<Address> {
        &self.address
    }

    /// Connects if it is not connected.
    ///
    /// # Errors
    /// The reason.
    pub(super) fn connect(&mut self) -> Result<(), ConnectError> {
        if self.session.is_none() {
            let (address, role) = (Arc::clone(&self.address), self.role);
            self.session = Some(self.runtime().block_on(connect(&address, role))?);
        }
        Ok(())
    }

    /// Runs statements that change nothing. After a lost connection they run once more.
    ///
    /// # Errors
    /// If the server cannot be reached, or refuses.
    pub(super) fn read<T>(
        &mut self,
        within: Duration,
        work: &impl AsyncFn(&Session) -> Result<T, Error>,
    ) -> Result<T, StorageError> {
        self.read_by(within, &mut |turn| turn.wait(work(turn.session)))
    }

    /// As [`read`](Self::read), for statements that both databases understand.
    ///
    /// # Errors
    /// If the server cannot be reached, or refuses, or as `work`.
    pub(super) fn select<T>(
        &mut self,
        within: Duration,
        work: &mut dyn FnMut(&dyn Sql) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        self.read_by(within, &mut |turn| turn.outcome(work(turn)))?
    }

    fn read_by<T>(
        &mut self,
        within: Duration,
        work: &mut dyn FnMut(&Turn<'_>) -> Result<T, Failure>,
    ) -> Result<T, StorageError> {
        let was_live = self.session.is_some();
        let first = self.try_run(within, work)?;
        let result = match first {
            // An idle connection may have been closed long ago.
            Err(failure) if was_live && failure.is_lost && !failure.is_late => {
                self.try_run(within, work)?
            }
            result => result,
        };
        result.map_err(|failure| match failure.code.as_deref() {
            Some("XX001" | "XX002") => StorageError::Damaged(failure.text),
            Some(_) | None => StorageError::Failed(failure.text),
        })
    }

    /// Runs one statement that commits by itself, and what may be asked after it. A deadlock, a
    /// lock that is not free or a lost race for a unique value is tried once more.
    ///
    /// # Errors
    /// [`StorageError::Failed`] if it is known that nothing is stored, and
    /// [`StorageError::InDoubt`] otherwise.
    pub(super) fn commit<T>(
        &mut self,
        within: Duration,
        work: &impl AsyncFn(&Session) -> Result<T, Error>,
    ) -> Result<T, StorageError> {
        self.commit_by(within, &mut |turn| turn.wait(work(turn.session)))
    }

    /// As [`commit`](Self::commit), for several statements in one transaction. If one of them fails, nothing
    /// is stored.
    ///
    /// # Errors
    /// As [`commit`](Self::commit), or as `work`.
    pub(super) fn transact<T>(
        &mut self,
        within: Duration,
        work: &mut dyn FnMut(&dyn Sql) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        self.commit_by(within, &mut |turn| turn.transact(work))?
    }

    fn commit_by<T>(
        &mut self,
        within: Duration,
        work: &mut dyn FnMut(&Turn<'_>) -> Result<T, Failure>,
    ) -> Result<T, StorageError> {
        let result = match self.try_run(within, work)? {
            Err(failure) if failure.is_worth_a_retry() => self.try_run(within, work)?,
            result => result,
        };
        let warning = self.session.as_ref().and_then(Session::take_warning);
        match (result, warning) {
            (Ok(value), None) => Ok(value),
            // Such as a wait for a synchronous standby that was cancelled.
            (Ok(_), Some(warning)) => {
                self.lose(&warning);
                Err(StorageError::InDoubt(warning))
            }
            (Err(failure), _) if failure.stores_nothing() => {
                Err(StorageError::Failed(failure.text))
            }
            (Err(failure), _) => {
                self.lose(&failure.text);
                Err(StorageError::InDoubt(failure.text))
            }
        }
    }

    /// Runs work on the live session. The outer error means that there is none, so nothing was
    /// sent.
    fn try_run<T>(
        &mut self,
        within: Duration,
        work: &mut dyn FnMut(&Turn<'_>) -> Result<T, Failure>,
    ) -> Result<Result<T, Failure>, StorageError> {
        if let Some(Outage { rest_until, error }) = &self.outage
            && Instant::now() < *rest_until
        {
            return Err(error.clone());
        }
        if let Err(error) = self.connect() {
            let text = format!("cannot connect to {}: {error}", self.address.name);
            let error = StorageError::Failed(text);
            let rest_until = Instant::now() + DATABASE_RECONNECT_REST;
            self.outage = Some(Outage { rest_until, error: error.clone() });
            return Err(error);
        }
        if self.outage.take().is_some() {
            tracing::info!(database = self.address.name, "the database is connected again");
        }
        let Self { address, runtime, session: Some(session), .. } = self else {
            return Err(StorageError::Failed("the connection is lost".to_owned()));
        };
        let runtime = runtime.as_ref().expect("present until this is dropped");
        session.is_sent.set(false);
        drop(session.take_warning());
        let deadline = Instant::now() + within;
        let finished = work(&Turn {
            database: &address.name,
            runtime,
            session,
            within,
            deadline,
            failure: RefCell::default(),
            deferred: RefCell::default(),
            has_answered: Cell::default(),
        });
        if let Err(failure) = &finished
            && failure.is_lost
        {
            self.lose(&failure.text);
        }
        Ok(finished)
    }

    /// Drops the session, which closes its socket.
    fn lose(&mut self, reason: &str) {
        if self.session.take().is_some() {
            tracing::warn!(database = self.address.name, reason, "a connection is dropped");
            let error = StorageError::Failed(reason.to_owned());
            self.outage = Some(Outage { rest_until: Instant::now(), error });
        }
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("present until this is dropped")
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.session = None;
        if let Some(runtime) = self.runtime.take() {
            // Waits for nothing, so that this may be dropped inside another runtime.
            runtime.shutdown_background();
        }
    }
}

/// A session while work runs on it.
pub(super) struct Turn<'c> {
    database: &'c str,
    runtime: &'c Runtime,
    session: &'c Session,
    within: Duration,
    deadline: Instant,
    /// Why a statement has failed: those after it would fail, too.
    failure: RefCell<Option<Failure>>,
    /// Goes to the server with the next statement, which saves the wait for an answer in between.
    deferred: RefCell<Vec<Deferred>>,
    /// Whether a statement was answered.
    has_answered: Cell<bool>,
}

/// A statement whose answer nobody needs.
enum Deferred {
    Begin,
    Statement(String, Vec<SqlCell>),
}

impl Turn<'_> {
    /// Waits for work, not longer than until the deadline.
    fn wait<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Failure> {
        let finished = self
            .runtime
            .block_on(async { timeout_at(self.deadline.into(), self.session.drive(work)).await });
        let is_sent = self.session.is_sent.get();
        match finished {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(Failure::of(&error, is_sent)),
            Err(_) => {
                let text = format!("{} has not answered within {:?}", self.database, self.within);
                Err(Failure { text, code: None, is_lost: true, is_late: true, is_sent })
            }
        }
    }

    /// Runs one of several statements, after those that were deferred.
    pub(super) fn run<T>(
        &self,
        work: impl AsyncFnOnce(&Session) -> Result<T, Error>,
    ) -> Result<T, StorageError> {
        let first = self.deferred.take();
        let answer = self.wait(self.session.together(&first, work(self.session)));
        self.has_answered.set(self.has_answered.get() || answer.is_ok());
        answer.map_err(|failure| {
            let error = StorageError::Failed(failure.text.clone());
            self.failure.replace(Some(failure));
            error
        })
    }

    /// Runs a statement of a transaction together with the next one, or with the commit.
    pub(super) fn defer(&self, statement: &str, values: &[sql::Value<'_>]) {
        let values = values.iter().map(SqlCell::from).collect();
        self.deferred.borrow_mut().push(Deferred::Statement(statement.to_owned(), values));
    }

    /// What became of work with several statements. The inner error is its own.
    fn outcome<T>(
        &self,
        result: Result<T, StorageError>,
    ) -> Result<Result<T, StorageError>, Failure> {
        self.failure.take().map_or(Ok(result), Err)
    }

    /// Runs work in a transaction.
    fn transact<T>(
        &self,
        work: &mut dyn FnMut(&dyn Sql) -> Result<T, StorageError>,
    ) -> Result<Result<T, StorageError>, Failure> {
        self.deferred.replace(vec![Deferred::Begin]);
        let result = self.outcome(work(self));
        let rest = self.deferred.take();
        if let Ok(Ok(value)) = result {
            let commit = self.session.together(&rest, self.session.batch("COMMIT"));
            return self.wait(commit).map(|()| Ok(value));
        }
        if let Some(Deferred::Begin) = rest.first() {
            // Nothing was sent.
            return result;
        }
        let is_lost = result.as_ref().is_err_and(|failure| failure.is_lost);
        let ended = if is_lost { Ok(()) } else { self.wait(self.session.batch("ROLLBACK")) };
        // Without a commit nothing is stored. A connection that was lost before the first answer was idle, and
        // is worth another try.
        let was_idle = is_lost && !self.has_answered.get();
        ended.and(result).map_err(|failure| Failure { is_sent: was_idle, ..failure })
    }
}

impl Session {
    /// The rows of a statement, which is prepared at its first use. It counts as sent.
    pub(super) async fn query(
        &self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>, Error> {
        let prepared = self.prepared(statement).await?;
        self.is_sent.set(true);
        self.client.query(&prepared, values).await
    }

    /// How many rows a statement changed. It counts as sent.
    pub(super) async fn execute(
        &self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<u64, Error> {
        let prepared = self.prepared(statement).await?;
        self.is_sent.set(true);
        self.client.execute(&prepared, values).await
    }

    /// As [`execute`](Self::execute), for a statement that is not kept prepared.
    pub(super) async fn execute_once(
        &self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<u64, Error> {
        self.is_sent.set(true);
        self.client.execute(statement, values).await
    }

    /// Runs a statement without preparing it. Returns the first value of its first row, or nothing.
    pub(super) async fn simple(&self, statement: &str) -> Result<String, Error> {
        self.is_sent.set(true);
        let answer = self.client.simple_query(statement).await?;
        let value = answer.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        Ok(value.unwrap_or_default().to_owned())
    }

    /// Runs several statements without values, in one transaction unless they say otherwise.
    pub(super) async fn batch(&self, statements: &str) -> Result<(), Error> {
        self.is_sent.set(true);
        self.client.batch_execute(statements).await
    }

    /// Sends statements and then `last`, which waits for no answer to them. If one fails, so do all after it.
    async fn together<T>(
        &self,
        first: &[Deferred],
        last: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let mut sent: Vec<Sent<'_>> = Vec::new();
        for deferred in first {
            let prepared = match deferred {
                Deferred::Begin => None,
                Deferred::Statement(text, values) => Some((self.prepared(text).await?, values)),
            };
            sent.push(Box::pin(async move {
                let Some((statement, values)) = prepared else { return self.batch(BEGIN).await };
                let values: Vec<_> = values.iter().map(sql::Value::from).collect();
                self.client.execute(&statement, &parameters(&values)).await.map(drop)
            }));
        }
        let mut last = pin!(last);
        let mut answer = None;
        // Each is sent when it is polled first, and the answers come in the same order.
        poll_fn(|cx| {
            let mut failed = None;
            sent.retain_mut(|statement| {
                if failed.is_some() {
                    return true;
                }
                match statement.as_mut().poll(cx) {
                    Poll::Ready(result) => failed = result.err(),
                    Poll::Pending => return true,
                }
                false
            });
            if let Some(error) = failed {
                return Poll::Ready(Err(error));
            }
            if answer.is_none()
                && let Poll::Ready(result) = last.as_mut().poll(cx)
            {
                answer = Some(result);
            }
            if sent.is_empty() {
                answer.take().map_or(Poll::Pending, Poll::Ready)
            } else {
                Poll::Pending
            }
        })
        .await
    }

    /// The rows of a statement that is used once.
    pub(super) async fn select(&self, statement: &str) -> Result<Vec<Row>, Error> {
        self.is_sent.set(true);
        self.client.query(statement, &[]).await
    }

    /// Runs work in a transaction that begins with these statements.
    pub(super) async fn transaction<T>(
        &self,
        begin: &str,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let result = match self.batch(&format!("BEGIN; {begin}")).await {
            Ok(()) => work.await,
            // The transaction has begun, and only a rollback ends it.
            Err(error) => Err(error),
        };
        self.batch(if result.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
        result
    }

    async fn prepared(&self, text: &str) -> Result<Statement, Error> {
        let known = self.statements.borrow().get(text).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        let statement = self.client.prepare(text).await?;
        self.statements.borrow_mut().insert(text.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Runs work while the socket is read and written.
    async fn drive<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let mut work = pin!(work);
        let mut end = None;
        poll_fn(|cx| {
            loop {
                if let Poll::Ready(result) = work.as_mut().poll(cx) {
                    return Poll::Ready(match (result, end.take().flatten()) {
                        // The driver knows why the connection is closed.
                        (Err(error), Some(reason)) if error.is_closed() => Err(reason),
                        (result, _) => result,
                    });
                }
                if end.is_some() {
                    return Poll::Pending;
                }
                match self.driver.borrow_mut().as_mut().poll(cx) {
                    Poll::Ready(reason) => end = Some(reason),
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await
    }

    fn take_warning(&self) -> Option<String> {
        self.warning.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Why statements failed.
#[derive(Debug)]
struct Failure {
    text: String,
    /// The SQLSTATE of an error that leaves the session usable.
    code: Option<String>,
    /// Whether the session is of no more use.
    is_lost: bool,
    /// Whether that is because there was no answer in time.
    is_late: bool,
    /// Whether anything may have been changed.
    is_sent: bool,
}

impl Failure {
    fn of(error: &Error, is_sent: bool) -> Self {
        let plain = error.as_db_error().filter(|db| db.parsed_severity() == Some(Severity::Error));
        let code = plain.map(|db| db.code().code().to_owned());
        // A read-only session is that of a server which is no longer the primary.
        let is_lost =
            code.as_deref().is_none_or(|code| code == SqlState::READ_ONLY_SQL_TRANSACTION.code());
        Self { text: explain(error), code, is_lost, is_late: false, is_sent }
    }

    /// Whether an error means that the statement was rolled back.
    fn stores_nothing(&self) -> bool {
        let is_rolled_back = self.code.as_deref().is_some_and(|code| {
            let class = code.get(..2).unwrap_or_default();
            code != SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN.code()
                && matches!(class, "22" | "23" | "40" | "42" | "53" | "55")
        });
        !self.is_sent || is_rolled_back
    }

    fn is_worth_a_retry(&self) -> bool {
        let again = [
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::UNIQUE_VIOLATION,
        ];
        self.code.as_deref().is_some_and(|code| again.iter().any(|state| state.code() == code))
    }
}

pub(super) fn open(address: &Arc<Address>, role: Role) -> Result<Connection, StorageError> {
    let failed = |error: io::Error| StorageError::Failed(error.to_string());
    Connection::new(Arc::clone(address), role).map_err(failed)
}

pub(super) fn connect_error(address: &Address, error: &ConnectError) -> OpenError {
    let database = address.name.clone();
    let (reason, code) = match error {
        ConnectError::Timeout => (error.to_string(), None),
        ConnectError::Database(error) => (explain(error), error.code()),
    };
    match code {
        Some(code) if *code == SqlState::INVALID_CATALOG_NAME => {
            OpenError::NoDatabase { database, reason }
        }
        Some(_) => OpenError::Refused { database, reason },
        None => OpenError::Unreachable { database, reason },
    }
}

/// An error with its causes, which its own text leaves out.
pub(super) fn explain(error: &Error) -> String {
    if let Some(db) = error.as_db_error() {
        return format!("{} ({})", db.message(), db.code().code());
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

async fn connect(address: &Address, role: Role) -> Result<Session, ConnectError> {
    let hosts = u32::try_from(address.config.get_hosts().len()).unwrap_or(1);
    let connecting = async {
        let session = match &address.tls {
            Some(tls) => connect_by(address, role, tls.clone()).await?,
            None => connect_by(address, role, NoTls).await?,
        };
        session.drive(session.client.batch_execute(role.settings())).await?;
        Ok(session)
    };
    timeout(role.connects_within(hosts), connecting).await.map_err(|_| ConnectError::Timeout)?
}

async fn connect_by<T>(address: &Address, role: Role, tls: T) -> Result<Session, Error>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: TlsStream + Send + 'static,
{
    let mut config = address.config.clone();
    config.target_session_attrs(role.target());
    let (client, mut connection) = config.connect(tls).await?;
    let warning = Warning::default();
    let heard = Arc::clone(&warning);
    let driver = async move {
        let mut logged = Vec::new();
        loop {
            match poll_fn(|cx| connection.poll_message(cx)).await {
                Some(Ok(AsyncMessage::Notice(notice))) => note(&notice, &heard, &mut logged),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Some(error),
                None => return None,
            }
        }
    };
    Ok(Session {
        client,
        driver: RefCell::new(Box::pin(driver)),
        statements: RefCell::default(),
        warning,
        is_sent: Cell::new(false),
    })
}

/// Keeps a warning that casts doubt on a commit, and logs others once for each cause.
fn note(notice: &DbError, warning: &Warning, logged: &mut Vec<String>) {
    if notice.parsed_severity() != Some(Severity::Warning) {
        return;
    }
    let (code, text) = (notice.code().code(), notice.message());
    if casts_doubt(code, notice.file()) {
        *warning.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.to_owned());
        return;
    }
    // The text may count something.
    let cause = format!("{code} {}", notice.routine().unwrap_or_default());
    if !logged.contains(&cause) && logged.len() < WARNINGS_LOGGED_MAX {
        logged.push(cause);
        tracing::warn!(code, text, "the database warns");
    }
}

/// Whether a warning means that a commit may be lost although the server reports success, by its
/// SQLSTATE and the file of PostgreSQL's source that it comes from:
///
/// - class 57, an operator's or a crash's intervention: the wait for a synchronous standby ends with
///   the connection.
/// - class 25, a wrong state of the transaction: the session is not in the one in which it should be,
///   so what looked like a commit was none.
/// - 01000, a warning without a code of its own, from the wait for a synchronous standby
///   (`syncrep.c`), which somebody cancelled. Its text depends on the language of the server, so the
///   file tells it from the others, such as that a database must be vacuumed, which come with each
///   commit and mean nothing for it. A server that names no file is not trusted.
fn casts_doubt(code: &str, file: Option<&str>) -> bool {
    match code.get(..2) {
        Some("25" | "57") => true,
        Some("01") => {
            code == SqlState::WARNING.code() && file.is_none_or(|file| file.ends_with("syncrep.c"))
        }
        Some(_) | None => false,
    }
}
