//! A TCP relay between a client and a service, which a test can close, hold, or open one way.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream, UnixStream},
    sync::watch,
};
use tokio_util::sync::{CancellationToken, DropGuard};

/// What a relay lets pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passage {
    /// Everything.
    Open,
    /// Nothing, and connections stay open, as behind a broken switch. What was held passes later.
    Held,
    /// Only what clients send.
    ToService,
    /// Only what the service sends.
    ToClients,
    /// Nothing: all connections are closed, and new ones at once.
    Closed,
}

/// Where a service listens.
#[derive(Clone, Debug)]
pub enum Service {
    /// At an address.
    Tcp(SocketAddr),
    /// At a file.
    Unix(PathBuf),
}

/// What holds for connections at the moment.
#[derive(Clone, Copy, Debug)]
struct Rules {
    passage: Passage,
    /// How often the connections were abandoned. Those of an earlier number are dead.
    abandoned: u64,
}

/// A relay to one service. It runs on the current runtime until it is dropped.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    rules: watch::Sender<Rules>,
    _stop: DropGuard,
}

impl Relay {
    /// Starts an open relay on a free port.
    ///
    /// # Panics
    /// When there is no port.
    pub async fn start(service: Service) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (rules, watched) = watch::channel(Rules { passage: Passage::Open, abandoned: 0 });
        let stop = CancellationToken::new();
        tokio::spawn(stop.clone().run_until_cancelled_owned(accept(
            listener,
            service,
            watched,
            stop.clone(),
        )));
        Self { address, rules, _stop: stop.drop_guard() }
    }

    /// Its address, for clients.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes what passes.
    pub fn set(&self, passage: Passage) {
        self.rules.send_modify(|rules| rules.passage = passage);
    }

    /// Lets the present connections die without a word: nothing passes on them any more. New ones
    /// work.
    pub fn abandon(&self) {
        self.rules.send_modify(|rules| rules.abandoned += 1);
    }
}

type Halves = (Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>);

impl Service {
    async fn connect(self) -> io::Result<Halves> {
        match self {
            Self::Tcp(address) => {
                let stream = TcpStream::connect(address).await?;
                stream.set_nodelay(true)?;
                let (from, to) = stream.into_split();
                Ok((Box::new(from), Box::new(to)))
            }
            Self::Unix(path) => {
                let (from, to) = UnixStream::connect(path).await?.into_split();
                Ok((Box::new(from), Box::new(to)))
            }
        }
    }
}

async fn accept(
    listener: TcpListener,
    service: Service,
    rules: watch::Receiver<Rules>,
    stop: CancellationToken,
) {
    while let Ok((client, _)) = listener.accept().await {
        let (service, rules) = (service.clone(), rules.clone());
        tokio::spawn(stop.clone().run_until_cancelled_owned(serve(client, service, rules)));
    }
}

/// Relays one connection until one of the two closes it, or the relay.
async fn serve(client: TcpStream, service: Service, rules: watch::Receiver<Rules>) {
    let mut watched = rules.clone();
    let connection = rules.borrow().abandoned;
    let pumps = async {
        let Ok((from_service, to_service)) = service.connect().await else { return };
        // A relay that waits for more would add to every answer.
        client.set_nodelay(true).expect("it is a TCP socket");
        let (from_client, to_client) = client.into_split();
        let is_open = move |rules: &Rules, direction| {
            rules.abandoned == connection && [Passage::Open, direction].contains(&rules.passage)
        };
        let up = move |rules: &Rules| is_open(rules, Passage::ToService);
        let down = move |rules: &Rules| is_open(rules, Passage::ToClients);
        tokio::select! {
            () = pump(from_client, to_service, rules.clone(), up) => {}
            () = pump(from_service, to_client, rules, down) => {}
        }
    };
    tokio::select! {
        biased;
        _ = watched.wait_for(|rules| rules.passage == Passage::Closed) => {}
        () = pumps => {}
    }
}

/// Copies one direction while it is open.
async fn pump(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut rules: watch::Receiver<Rules>,
    is_open: impl Fn(&Rules) -> bool,
) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let Ok(count) = from.read(&mut buffer).await else { return };
        let Ok(_) = rules.wait_for(&is_open).await else { return };
        let Ok(()) = to.write_all(&buffer[..count]).await else { return };
        if count == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    /// A service that answers each byte with the next one, and a client of it through a relay.
    async fn connected() -> (Relay, TcpStream) {
        let service = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let relay = Relay::start(Service::Tcp(service.local_addr().unwrap())).await;
        let client = TcpStream::connect(relay.address()).await.unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = service.accept().await.unwrap();
            while let Ok(byte) = stream.read_u8().await {
                stream.write_u8(byte + 1).await.unwrap();
            }
        });
        (relay, client)
    }

    #[tokio::test]
    async fn what_is_held_passes_later() {
        for held in [Passage::Held, Passage::ToService, Passage::ToClients] {
            let (relay, mut client) = connected().await;
            relay.set(held);
            client.write_u8(1).await.unwrap();
            timeout(Duration::from_millis(100), client.read_u8()).await.unwrap_err();
            relay.set(Passage::Open);
            assert_eq!(client.read_u8().await.unwrap(), 2, "{held:?}");
        }
    }

    #[tokio::test]
    async fn one_direction_can_be_open_alone() {
        let (relay, mut client) = connected().await;
        relay.set(Passage::ToService);
        client.write_u8(1).await.unwrap();
        timeout(Duration::from_millis(100), client.read_u8()).await.unwrap_err();
        // The service has answered the first byte, and does not get the second.
        relay.set(Passage::ToClients);
        client.write_u8(5).await.unwrap();
        assert_eq!(client.read_u8().await.unwrap(), 2);
        timeout(Duration::from_millis(100), client.read_u8()).await.unwrap_err();
    }

    #[tokio::test]
    async fn an_abandoned_connection_is_dead() {
        let (relay, mut client) = connected().await;
        client.write_u8(1).await.unwrap();
        assert_eq!(client.read_u8().await.unwrap(), 2);
        relay.abandon();
        client.write_u8(2).await.unwrap();
        timeout(Duration::from_millis(100), client.read_u8()).await.unwrap_err();
    }

    #[tokio::test]
    async fn a_closed_relay_ends_all_connections_and_takes_none() {
        let (relay, mut client) = connected().await;
        client.write_u8(1).await.unwrap();
        assert_eq!(client.read_u8().await.unwrap(), 2);
        relay.set(Passage::Closed);
        assert!(client.read_u8().await.is_err());
        let mut second = TcpStream::connect(relay.address()).await.unwrap();
        assert!(second.read_u8().await.is_err());
    }
}
