//! A server that says what a test wants, one socket after another.

use fivefold_shared::protocol::{
    Absent, CatchUp, Command, Identity, LobbyRequest, MemberId, Message, Name, Request, RoomCode,
    Spectators, VERSION,
};
use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::{
    WebSocketStream, accept_async,
    tungstenite::{
        Message as Frame,
        protocol::{CloseFrame, frame::coding::CloseCode},
    },
};

/// One socket of the scripted server.
pub(crate) struct Peer(pub(crate) WebSocketStream<TcpStream>);

impl Peer {
    pub(crate) async fn accept(listener: &TcpListener) -> Self {
        let (stream, _) = listener.accept().await.unwrap();
        Self(accept_async(stream).await.unwrap())
    }

    pub(crate) async fn hear(&mut self) -> Command {
        loop {
            match self.0.next().await.unwrap().unwrap() {
                Frame::Text(text) => return Command::from_json(&text).unwrap(),
                Frame::Ping(_) | Frame::Pong(_) => {}
                other => panic!("not a command: {other:?}"),
            }
        }
    }

    pub(crate) async fn say(&mut self, message: &Message) {
        self.0.send(Frame::text(message.to_json())).await.unwrap();
    }

    /// Reads `hello`, answers it, and returns the identity it carried.
    pub(crate) async fn welcome(&mut self) -> Option<Identity> {
        let Command { id, request: Request::Lobby(LobbyRequest::Hello { protocol, identity, .. }) } =
            self.hear().await
        else {
            panic!("hello comes first")
        };
        assert_eq!(protocol, VERSION);
        let new = identity.is_none().then(secret);
        let (server, you, name) = ("scripted".into(), me(), Name::new("Ann").unwrap());
        let (account, chat) = (false, true);
        self.say(&Message::Welcome {
            id,
            protocol,
            server,
            you,
            name,
            identity: new,
            account,
            bot: false,
            chat,
        })
        .await;
        identity
    }

    /// Reads `join`, answers it, and returns its `after`.
    pub(crate) async fn let_in(&mut self, catch_up: CatchUp) -> Option<u64> {
        self.let_in_at(0, catch_up).await
    }

    /// The same, and says its time.
    pub(crate) async fn let_in_at(&mut self, now: u64, catch_up: CatchUp) -> Option<u64> {
        let Command { id, request: Request::Lobby(LobbyRequest::Join { room, after }) } =
            self.hear().await
        else {
            panic!("a join is due")
        };
        let spectators = Spectators::default();
        self.say(&Message::Joined {
            id,
            room,
            now,
            spectators,
            away: Absent::default(),
            claim_after_ms: 60_000,
            ratings: None,
            catch_up,
        })
        .await;
        after
    }

    pub(crate) async fn close(mut self, code: u16, reason: &str) {
        let frame = CloseFrame { code: CloseCode::from(code), reason: reason.into() };
        self.0.close(Some(frame)).await.unwrap();
    }
}

pub(crate) fn me() -> MemberId {
    MemberId::try_from("1".repeat(16)).unwrap()
}

pub(crate) fn secret() -> Identity {
    Identity::try_from("ab".repeat(32)).unwrap()
}

pub(crate) fn code() -> RoomCode {
    RoomCode::try_from("k7m2qpxw9abc".to_owned()).unwrap()
}

/// Listens at a free port; returns the address with it.
pub(crate) async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (listener, address)
}
