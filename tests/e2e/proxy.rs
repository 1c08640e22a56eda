//! A proxy between client and server that can cut connections and change where it leads.

use std::net::SocketAddr;

use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
};

use fivefold_tests::Server;

/// Forwards connections to a server.
#[derive(Debug)]
pub(crate) struct Proxy {
    address: SocketAddr,
    state: watch::Sender<State>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    /// Connections of an earlier number are dropped.
    cuts: u32,
    /// Whether new connections are accepted for longer than a moment.
    is_open: bool,
    /// The server; connections wait for it.
    to: Option<SocketAddr>,
}

impl Proxy {
    /// Starts listening.
    pub(crate) async fn to(server: &Server) -> Self {
        let proxy = Self::to_nobody().await;
        proxy.lead_to(server);
        proxy
    }

    /// Starts listening; connections wait until there is a server.
    pub(crate) async fn to_nobody() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it listens");
        let (state, watched) = watch::channel(State { cuts: 0, is_open: true, to: None });
        // The task ends with the runtime of the test.
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass_on(client, watched.clone()));
            }
        });
        Self { address, state }
    }

    /// Its address for clients.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Forwards connections to this server from now on.
    pub(crate) fn lead_to(&self, server: &Server) {
        self.state.send_modify(|state| state.to = Some(server.address()));
    }

    /// Drops every connection. New ones are forwarded as before.
    pub(crate) fn cut(&self) {
        self.state.send_modify(|state| state.cuts += 1);
    }

    /// Drops every connection, and new ones at once.
    pub(crate) fn close(&self) {
        self.state.send_modify(|state| state.is_open = false);
    }

    /// Accepts new connections again.
    pub(crate) fn open(&self) {
        self.state.send_modify(|state| state.is_open = true);
    }
}

async fn pass_on(mut client: TcpStream, mut state: watch::Receiver<State>) {
    let mut target = state.clone();
    let before = state.borrow().cuts;
    let forward = async {
        let Ok(to) = target.wait_for(|state| state.to.is_some()).await.map(|state| state.to) else {
            return;
        };
        let server = TcpStream::connect(to.expect("it was waited for")).await;
        let mut server = server.expect("the server accepts");
        // Either end may close; the two ends handle that themselves.
        drop(tokio::io::copy_bidirectional(&mut client, &mut server).await);
    };
    tokio::select! {
        () = forward => {}
        _ = state.wait_for(|state| !state.is_open || state.cuts != before) => {}
    }
}
