//! A relay between a storage and its PostgreSQL server, which can hold what passes in one
//! direction, and cut connections on one side.

use std::{
    io::{Read, Write},
    mem,
    net::{Shutdown, TcpListener, TcpStream},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex},
    thread,
};

use fivefold_storage::DatabaseUrl;
use fivefold_test_services::PostgresServer;

/// What passes.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Hold {
    /// From the storage to the server.
    pub(crate) requests: bool,
    /// From the server to the storage.
    pub(crate) replies: bool,
}

/// Passes bytes until it is dropped.
pub(crate) struct Relay {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    held: Hold,
    clients: Vec<TcpStream>,
    /// Bytes that wait for the server.
    waiting: usize,
    /// How often the storage has asked after an answer.
    round_trips: usize,
    /// Whether the server spoke last.
    has_answer: bool,
}

impl Relay {
    pub(crate) fn to(socket: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::<Shared>::default();
        let relay = Self { port, shared: Arc::clone(&shared) };
        thread::spawn(move || {
            for client in listener.incoming().map(Result::unwrap) {
                connect(&shared, client, &socket);
            }
        });
        relay
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// The URL of the test's database through this relay.
    pub(crate) fn url(&self) -> DatabaseUrl {
        DatabaseUrl::from(PostgresServer::url_at(&format!("127.0.0.1:{}", self.port)))
    }

    /// Holds what comes from now on, or passes on what was held.
    pub(crate) fn hold(&self, held: Hold) {
        self.shared.state.lock().unwrap().held = held;
        self.shared.changed.notify_all();
    }

    /// How often the storage has waited for the server.
    pub(crate) fn round_trips(&self) -> usize {
        self.shared.state.lock().unwrap().round_trips
    }

    /// Waits until something is held on its way to the server.
    pub(crate) fn wait_for_request(&self) {
        let state = self.shared.state.lock().unwrap();
        drop(self.shared.changed.wait_while(state, |state| state.waiting == 0).unwrap());
    }

    /// Closes the connections as the storage sees them; held bytes still reach the server.
    pub(crate) fn cut(&self) {
        for client in self.shared.state.lock().unwrap().clients.drain(..) {
            // It may be closed already.
            drop(client.shutdown(Shutdown::Both));
        }
    }
}

fn connect(shared: &Arc<Shared>, client: TcpStream, socket: &Path) {
    // Without a server the client finds its connection closed.
    let Ok(server) = UnixStream::connect(socket) else { return };
    client.set_nodelay(true).unwrap();
    shared.state.lock().unwrap().clients.push(client.try_clone().unwrap());
    let (from_client, to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let requests = Arc::clone(shared);
    thread::spawn(move || pass(&requests, from_client, to_server, true));
    let replies = Arc::clone(shared);
    thread::spawn(move || {
        pass(&replies, server, &client, false);
        drop(client.shutdown(Shutdown::Both));
    });
}

/// Passes bytes on while their direction is not held. Ends with either side.
fn pass(shared: &Shared, mut from: impl Read, mut to: impl Write, is_request: bool) {
    let mut bytes = [0; 16 * 1024];
    loop {
        let length = match from.read(&mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(length) => length,
        };
        let mut state = shared.state.lock().unwrap();
        if is_request {
            state.waiting += length;
            shared.changed.notify_all();
        }
        let is_held = |state: &mut State| {
            if is_request { state.held.requests } else { state.held.replies }
        };
        state = shared.changed.wait_while(state, is_held).unwrap();
        if is_request {
            state.waiting -= length;
            state.round_trips += usize::from(mem::take(&mut state.has_answer));
        } else {
            state.has_answer = true;
        }
        drop(state);
        if to.write_all(&bytes[..length]).is_err() {
            return;
        }
    }
}
