//! A simulated person who seeks games with strangers through any failure: repeats the same command
//! until there is a game, enters its room, resigns, and seeks the next one.

use std::{sync::Arc, time::Duration};

use fivefold_shared::{
    protocol::{
        CatchUp, CommandId, Identity, LobbyRequest, MemberId, Message, PoolName, Reason, Refusal,
        Request, RoomCode, RoomRequest, VERSION, Wanted,
    },
    room::RoomState,
};
use rand::{RngExt, rngs::StdRng};
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::client_async;
use turmoil::net::TcpStream;

use crate::{
    day::SharedDay,
    member::{SILENCE, Socket, is_passing, listen, send},
    server::{PORT, server_name},
};

/// On a live connection, a seek is answered within this time.
const PATIENCE: Duration = Duration::from_secs(15);

/// A person who seeks.
pub(crate) struct Seeker {
    number: usize,
    identity: Identity,
    me: Option<MemberId>,
    /// The seeks that have found a game.
    found: usize,
    day: Arc<SharedDay>,
    random: StdRng,
    is_content: bool,
}

impl Seeker {
    pub(crate) fn new(number: usize, day: Arc<SharedDay>, mut random: StdRng) -> Self {
        let secret = (0..4).map(|_| format!("{:016x}", random.random::<u64>())).collect::<String>();
        let identity = secret.try_into().unwrap();
        Self { number, identity, me: None, found: 0, day, random, is_content: false }
    }

    /// Seeks one game after the other until the day is over.
    pub(crate) async fn attend(mut self) {
        while !self.day.is_over() {
            self.visit().await;
            sleep(Duration::from_millis(self.random.random_range(5..300))).await;
        }
        self.day.note_quiet();
    }

    /// Uses one connection until it is lost, or the person leaves.
    async fn visit(&mut self) -> Option<()> {
        let mut socket = self.enter().await?;
        let leaves_at = Instant::now() + Duration::from_millis(self.random.random_range(0..9_000));
        while !self.day.is_over() {
            let room = self.seek(&mut socket, leaves_at).await?;
            self.resign(&mut socket, &room).await?;
            self.found += 1;
            self.day.count(|day| day.pairs += 1);
            if self.day.is_calm() && !self.is_content {
                self.is_content = true;
                self.day.note_content();
            }
            sleep(Duration::from_millis(self.random.random_range(500..2_000))).await;
        }
        Some(())
    }

    async fn enter(&mut self) -> Option<Socket> {
        let server = server_name(self.random.random_range(0..self.day.servers));
        let stream = timeout(SILENCE, TcpStream::connect((server.as_str(), PORT))).await.ok()?;
        let url = format!("ws://{server}/ws");
        let (mut socket, _) = timeout(SILENCE, client_async(url, stream.ok()?)).await.ok()?.ok()?;
        let identity = Some(self.identity.clone());
        let hello = LobbyRequest::Hello { protocol: VERSION, identity, name: None, token: None };
        match self.ask(&mut socket, Request::Lobby(hello)).await? {
            Message::Welcome { you, .. } => self.me = Some(you),
            Message::Refused { refusal, .. } => return self.note_refused(&refusal),
            other => panic!("no welcome: {other:?}"),
        }
        Some(socket)
    }

    /// Seeks, or goes on with a seek, until it has found a room.
    async fn seek(&mut self, socket: &mut Socket, leaves_at: Instant) -> Option<RoomCode> {
        let id: CommandId = format!("seek-{}-{}", self.number, self.found).try_into().unwrap();
        let wanted = Wanted::Pool(PoolName::try_from("free").unwrap());
        let seek = Request::Lobby(LobbyRequest::Seek { wanted, engine: false });
        send(socket, id.clone(), seek.clone()).await?;
        let (mut asked_at, mut is_answered) = (Instant::now(), false);
        loop {
            match self.listen(socket, self.day.is_over()).await? {
                Some(Message::Paired { room, .. }) => return Some(room),
                Some(Message::Refused { id: Some(of), refusal }) if of == id => {
                    assert!(!is_answered, "seeker {}: {id} is answered and refused", self.number);
                    return self.note_refused(&refusal);
                }
                Some(Message::SeekOver { .. }) => {
                    // A game follows, or the same command begins a new one.
                    send(socket, id.clone(), seek.clone()).await?;
                    (asked_at, is_answered) = (Instant::now(), false);
                }
                Some(message) => is_answered |= message.answers() == Some(&id),
                None => {}
            }
            let waits = !is_answered && asked_at.elapsed() > PATIENCE;
            assert!(!waits, "seeker {}: {id} is not answered", self.number);
            if self.day.is_over() || Instant::now() >= leaves_at && !self.day.is_calm() {
                return None;
            }
        }
    }

    /// Ends the game that was found. The other player may have done so before.
    async fn resign(&mut self, socket: &mut Socket, room: &RoomCode) -> Option<()> {
        let join = LobbyRequest::Join { room: room.clone(), after: None };
        match self.ask(socket, Request::Lobby(join)).await? {
            Message::Joined { catch_up: CatchUp::Snapshot(snapshot), .. } => {
                let state = RoomState::from_snapshot(*snapshot).expect("a sound snapshot");
                let seat = self.me.as_ref().and_then(|me| state.seats.of_member(me));
                assert!(state.paired && seat.is_some(), "seeker {}: {room}", self.number);
            }
            Message::Refused { refusal, .. } => return self.note_refused(&refusal),
            other => panic!("not joined: {other:?}"),
        }
        let (room, request) = (room.clone(), RoomRequest::Resign);
        match self.ask(socket, Request::Room { room, request }).await? {
            Message::Done { .. } => Some(()),
            Message::Refused { refusal, .. } if refusal.reason == Reason::NoGame => Some(()),
            Message::Refused { refusal, .. } => self.note_refused(&refusal),
            other => panic!("not resigned: {other:?}"),
        }
    }

    /// Gives up the connection, and tries again later.
    fn note_refused<T>(&self, refusal: &Refusal) -> Option<T> {
        let is_right = is_passing(refusal.reason) || refusal.reason == Reason::TooManyRoomsMade;
        assert!(is_right, "seeker {}: {refusal}", self.number);
        None
    }

    async fn ask(&mut self, socket: &mut Socket, request: Request) -> Option<Message> {
        let id: CommandId = format!("{:016x}", self.random.random::<u64>()).try_into().unwrap();
        send(socket, id.clone(), request).await?;
        loop {
            let message = self.listen(socket, false).await?;
            if let Some(message) = message.filter(|message| message.answers() == Some(&id)) {
                return Some(message);
            }
        }
    }

    async fn listen(&self, socket: &mut Socket, in_hurry: bool) -> Option<Option<Message>> {
        let message = listen(socket, in_hurry).await?;
        if let Some(message) = &message {
            self.day.trace(self.number, message);
        }
        Some(message)
    }
}
