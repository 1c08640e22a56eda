//! A proxy between client and server that can cut connections.

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
    cuts: watch::Sender<u32>,
}

impl Proxy {
    /// Starts listening.
    pub(crate) async fn to(server: &Server) -> Self {
        let (to, listener) = (server.address(), TcpListener::bind("127.0.0.1:0").await);
        let listener = listener.expect("a free port");
        let address = listener.local_addr().expect("it listens");
        let (cuts, cut) = watch::channel(0);
        // The task ends with the runtime of the test.
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass_on(client, to, cut.clone()));
            }
        });
        Self { address, cuts }
    }

    /// Its address for clients.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Drops every connection. New ones are forwarded as before.
    pub(crate) fn cut(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }
}

async fn pass_on(mut client: TcpStream, to: SocketAddr, mut cut: watch::Receiver<u32>) {
    cut.mark_unchanged();
    let mut server = TcpStream::connect(to).await.expect("the server accepts");
    tokio::select! {
        // Either end may close; the two ends handle that themselves.
        _ = tokio::io::copy_bidirectional(&mut client, &mut server) => {}
        _ = cut.changed() => {}
    }
}
