//! Tells the service manager (systemd) when the server is ready, reloads and stops, and that it still works, by
//! datagrams to `$NOTIFY_SOCKET` (see sd_notify(3)). Without that variable, nothing happens.
//!
//! The watchdog restarts a process that hangs. A server whose database fails does not hang: a restart would not help,
//! and would lose the games that wait for the database. So the server sends pings as long as it can determine its own
//! state, good or bad, and its storage still answers, even if only with errors.

#[cfg(target_os = "linux")]
use std::os::{linux::net::SocketAddrExt, unix::ffi::OsStrExt};
use std::{
    convert::Infallible,
    env,
    ffi::OsStr,
    future::pending,
    io,
    os::unix::net::{SocketAddr, UnixDatagram as StdDatagram},
    process,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rustix::time::{ClockId, clock_gettime};
use tokio::{
    net::UnixDatagram,
    time::{Instant, sleep, timeout},
};

use crate::process::health::Health;

/// How often the status is sent if there is no watchdog.
const STATUS_INTERVAL: Duration = Duration::from_secs(15);
/// How soon a ping follows one that could not be sent.
const PINGED_AGAIN: Duration = Duration::from_secs(1);
/// What a server may need to stop after it has drained, in the eyes of the service manager. It needs 5 s.
const STOPS_WITHIN: Duration = Duration::from_secs(10);
/// A service manager that reads nothing for this time misses a message.
const SENT_WITHIN: Duration = Duration::from_secs(1);
/// How long the server may need to determine its state. It waits at most 2 s for its storage.
const HEALTH_KNOWN_WITHIN: Duration = Duration::from_secs(10);
/// How long a node may need to join its cluster again.
const JOINS_WITHIN: Duration = Duration::from_secs(120);

/// The service manager, if there is one. Copies talk to the same.
#[derive(Clone, Debug, Default)]
pub struct ServiceManager(Option<Arc<Connected>>);

#[derive(Debug)]
struct Connected {
    socket: UnixDatagram,
    /// After this time without a ping, the process is killed.
    watchdog: Option<Duration>,
    /// Locked only to read or replace it.
    course: Mutex<Course>,
}

/// What the server does now, for the watchdog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Course {
    phase: Phase,
    /// When the phase began, or when the state of the server was last known.
    since: Instant,
    is_stuck: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Starting,
    Serving,
    /// A node between two lives.
    Joining,
    Stopping,
}

impl ServiceManager {
    /// The one that the environment names. Call it in a runtime.
    pub fn from_environment() -> Self {
        let Some(name) = env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty()) else {
            return Self::default();
        };
        let own = process::id().to_string();
        let is_meant = env::var("WATCHDOG_PID").ok().is_none_or(|pid| pid == own);
        let watchdog = env::var("WATCHDOG_USEC").ok().filter(|_| is_meant);
        match connect(&name) {
            Ok(socket) => Self::new(socket, watchdog.as_deref().and_then(microseconds)),
            Err(error) => {
                tracing::warn!(%error, ?name, "cannot reach the service manager");
                Self::default()
            }
        }
    }

    fn new(socket: UnixDatagram, watchdog: Option<Duration>) -> Self {
        let course = Course { phase: Phase::Starting, since: Instant::now(), is_stuck: false };
        Self(Some(Arc::new(Connected { socket, watchdog, course: Mutex::new(course) })))
    }

    /// The server takes clients. A node that has joined again is still ready to the service manager.
    pub(crate) async fn ready(&self) {
        let Some(connected) = &self.0 else { return };
        if connected.enter(Phase::Serving) {
            connected.send("READY=1\nSTATUS=ready").await;
        }
    }

    /// The server is about to stop, after it has drained for this time. The service manager kills it only later.
    pub(crate) async fn stopping(&self, drain: Duration) {
        let Some(connected) = &self.0 else { return };
        connected.enter(Phase::Stopping);
        let within = drain.saturating_add(STOPS_WITHIN).as_micros();
        let message = format!("STOPPING=1\nEXTEND_TIMEOUT_USEC={within}\nSTATUS=stopping");
        connected.send(&message).await;
    }

    /// The server begins to read again what may change while it runs. [`reloaded`](Self::reloaded) follows.
    pub(crate) async fn reloading(&self) {
        let Some(connected) = self.0.as_ref().filter(|connected| connected.is_ready()) else {
            return;
        };
        let now = clock_gettime(ClockId::Monotonic);
        let now = now.tv_sec * 1_000_000 + now.tv_nsec / 1_000;
        connected.send(&format!("RELOADING=1\nMONOTONIC_USEC={now}")).await;
    }

    /// The server has read it, or keeps what it had.
    pub(crate) async fn reloaded(&self) {
        // One that starts or stops must not seem to be ready.
        if let Some(connected) = self.0.as_ref().filter(|connected| connected.is_ready()) {
            connected.send("READY=1").await;
        }
    }

    /// This node is dead to the others of its cluster, and joins again.
    pub async fn joins_again(&self) {
        let Some(connected) = &self.0 else { return };
        if connected.enter(Phase::Joining) {
            connected.send("STATUS=rejoining the cluster").await;
        }
    }

    /// How often to [`note`](Self::note) how the server is; never without a service manager.
    pub(crate) fn interval(&self) -> Option<Duration> {
        let connected = self.0.as_ref()?;
        Some(connected.watchdog.map_or(STATUS_INTERVAL, |watchdog| watchdog / 2))
    }

    /// Reports how the server is. One whose storage is stuck gets no more pings.
    pub(crate) fn note(&self, health: &Health, is_stuck: bool) {
        let Some(connected) = &self.0 else { return };
        let mut course = connected.course();
        (course.since, course.is_stuck) = (Instant::now(), is_stuck);
        drop(course);
        if is_stuck {
            tracing::error!("the storage is stuck: the service manager should restart this server");
        }
        connected.try_send(&format!("STATUS={health}"));
    }

    /// Pings the watchdog for as long as the server works; never returns.
    pub async fn ping(&self) -> Infallible {
        let Some((connected, watchdog)) =
            self.0.as_ref().and_then(|connected| Some((connected, connected.watchdog?)))
        else {
            return pending().await;
        };
        // Often enough that the watchdog gets a ping in time if two are lost.
        let interval = watchdog / 4;
        loop {
            let course = *connected.course();
            let is_lost = course.works(watchdog) && !connected.try_send("WATCHDOG=1");
            sleep(if is_lost { interval.min(PINGED_AGAIN) } else { interval }).await;
        }
    }
}

impl Connected {
    fn course(&self) -> MutexGuard<'_, Course> {
        self.course.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a phase; false if the server stops already.
    fn enter(&self, phase: Phase) -> bool {
        let mut course = self.course();
        if course.phase == Phase::Stopping {
            return false;
        }
        *course = Course { phase, since: Instant::now(), is_stuck: false };
        true
    }

    /// Whether the service manager takes the server for one that runs.
    fn is_ready(&self) -> bool {
        matches!(self.course().phase, Phase::Serving | Phase::Joining)
    }

    async fn send(&self, message: &str) {
        match timeout(SENT_WITHIN, self.socket.send(message.as_bytes())).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(%error, message, "cannot notify the service manager"),
            Err(_) => tracing::warn!(message, "the service manager does not read its messages"),
        }
    }

    /// Sends what the next message repeats. Returns whether it is sent.
    fn try_send(&self, message: &str) -> bool {
        let sent = self.socket.try_send(message.as_bytes());
        if let Err(error) = &sent {
            tracing::debug!(%error, message, "cannot notify the service manager");
        }
        sent.is_ok()
    }
}

impl Course {
    /// Whether the process works, and does not hang.
    fn works(self, watchdog: Duration) -> bool {
        match self.phase {
            Phase::Starting | Phase::Stopping => true,
            Phase::Joining => self.since.elapsed() < JOINS_WITHIN,
            Phase::Serving => {
                !self.is_stuck && self.since.elapsed() < watchdog + HEALTH_KNOWN_WITHIN
            }
        }
    }
}

/// The time of `$WATCHDOG_USEC`.
fn microseconds(text: &str) -> Option<Duration> {
    let time = text.parse().ok().filter(|time| *time > 0);
    if time.is_none() {
        tracing::warn!(text, "WATCHDOG_USEC is not a time, so the watchdog is off");
    }
    time.map(Duration::from_micros)
}

fn connect(name: &OsStr) -> io::Result<UnixDatagram> {
    let socket = StdDatagram::unbound()?;
    socket.connect_addr(&address(name)?)?;
    socket.set_nonblocking(true)?;
    UnixDatagram::from_std(socket)
}

/// A path, or a name without a file if it begins with `@`.
fn address(name: &OsStr) -> io::Result<SocketAddr> {
    #[cfg(target_os = "linux")]
    if let Some(name) = name.as_bytes().strip_prefix(b"@") {
        return SocketAddr::from_abstract_name(name);
    }
    SocketAddr::from_pathname(name)
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;
    use crate::process::health::Condition;

    const WATCHDOG: Duration = Duration::from_secs(30);

    /// A service manager, and what it has received.
    fn planted() -> (ServiceManager, impl Fn() -> Vec<String>) {
        let (server, manager) = StdDatagram::pair().unwrap();
        for socket in [&server, &manager] {
            socket.set_nonblocking(true).unwrap();
        }
        let received = move || {
            let mut buffer = [0; 256];
            let mut messages = Vec::new();
            while let Ok(length) = manager.recv(&mut buffer) {
                messages.push(String::from_utf8_lossy(&buffer[..length]).into_owned());
            }
            messages
        };
        let server = UnixDatagram::from_std(server).unwrap();
        (ServiceManager::new(server, Some(WATCHDOG)), received)
    }

    #[tokio::test(start_paused = true)]
    async fn a_process_works_until_it_hangs() {
        let begun = |phase| Course { phase, since: Instant::now(), is_stuck: false };
        let stuck = Course { is_stuck: true, ..begun(Phase::Serving) };
        assert!(!stuck.works(WATCHDOG));
        let cases = [
            (Phase::Starting, None),
            (Phase::Serving, Some(WATCHDOG + HEALTH_KNOWN_WITHIN)),
            (Phase::Joining, Some(JOINS_WITHIN)),
            // The time to stop is limited elsewhere.
            (Phase::Stopping, None),
        ];
        for (phase, within) in cases {
            let course = begun(phase);
            let moment = Duration::from_millis(1);
            tokio::time::advance(within.unwrap_or(JOINS_WITHIN) - moment).await;
            assert!(course.works(WATCHDOG), "{phase:?}");
            tokio::time::advance(moment).await;
            assert_eq!(course.works(WATCHDOG), within.is_none(), "{phase:?}");
        }
    }

    #[tokio::test]
    async fn an_outage_keeps_the_pings_and_a_stuck_storage_ends_them() {
        let (manager, received) = planted();
        manager.ready().await;
        for (is_stuck, pings) in [(false, true), (true, false), (false, true)] {
            let condition = Condition::NoDatabase;
            manager.note(&Health { condition, warnings: Vec::new() }, is_stuck);
            received();
            assert!(timeout(Duration::from_millis(1), manager.ping()).await.is_err());
            assert_eq!(received() == ["WATCHDOG=1"], pings, "{is_stuck}");
        }
    }

    #[tokio::test]
    async fn each_message_comes_when_it_is_true() {
        let (manager, received) = planted();
        manager.reloading().await;
        manager.reloaded().await;
        assert_eq!(received(), [""; 0], "a server that starts is not ready");
        manager.ready().await;
        manager.reloading().await;
        manager.reloaded().await;
        let messages = received();
        assert_eq!(messages[0], "READY=1\nSTATUS=ready");
        assert!(messages[1].starts_with("RELOADING=1\nMONOTONIC_USEC="), "{messages:?}");
        assert_eq!(messages[2..], ["READY=1"]);
        manager.joins_again().await;
        manager.ready().await;
        assert_eq!(received(), ["STATUS=rejoining the cluster", "READY=1\nSTATUS=ready"]);
        manager.stopping(Duration::from_secs(60)).await;
        manager.ready().await;
        manager.reloaded().await;
        manager.joins_again().await;
        assert_eq!(received(), ["STOPPING=1\nEXTEND_TIMEOUT_USEC=70000000\nSTATUS=stopping"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_ping_that_is_lost_is_repeated_after_a_second() {
        let (manager, received) = planted();
        manager.ready().await;
        let connected = manager.0.as_ref().unwrap();
        while connected.try_send("full") {}
        let mut ping = pin!(manager.ping());
        let moment = Duration::from_millis(1);
        assert!(timeout(moment, &mut ping).await.is_err());
        assert!(!received().iter().any(|message| message == "WATCHDOG=1"), "nobody has read");
        assert!(timeout(PINGED_AGAIN, &mut ping).await.is_err());
        assert_eq!(received(), ["WATCHDOG=1"]);
        assert!(timeout(WATCHDOG / 4, &mut ping).await.is_err());
        assert_eq!(received(), ["WATCHDOG=1"]);
    }

    #[tokio::test]
    async fn without_a_service_manager_nothing_happens() {
        let none = ServiceManager::default();
        none.ready().await;
        none.stopping(Duration::ZERO).await;
        assert_eq!(none.interval(), None);
        assert!(timeout(Duration::from_millis(1), none.ping()).await.is_err());
    }

    #[test]
    fn a_time_is_a_positive_number() {
        let cases = [("30000000", Some(WATCHDOG)), ("0", None), ("-1", None), ("", None)];
        for (text, expected) in cases {
            assert_eq!(microseconds(text), expected, "{text}");
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_socket_may_have_a_name_without_a_file() {
        let name = format!("fivefold-test-{}", process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let manager = StdDatagram::bind_addr(&address).unwrap();
        connect(format!("@{name}").as_ref()).unwrap().send(b"READY=1").await.unwrap();
        let mut buffer = [0; 16];
        let length = manager.recv(&mut buffer).unwrap();
        assert_eq!(&buffer[..length], b"READY=1");
        connect("/nowhere/notify".as_ref()).unwrap_err();
    }
}
