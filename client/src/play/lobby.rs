//! The lobby as one person sees it: the pools, the games on offer, the challenges to them, and their
//! own seek or challenge, which goes on over lost connections.
//!
//! [`LobbyState`] folds the server's messages and knows no socket; [`Lobby`] sends and waits.

use std::time::Duration;

use fivefold_shared::protocol::{
    AccountNews, Addressee, ChatText, CommandId, GameSettings, LobbyRequest, MemberId, Message,
    OpenSeek, Pool, PoolName, Refusal, Request, RoomCode, SeekEnd, SeekId, Wanted,
};
use tokio::time::timeout;

use crate::{
    own_clock::now,
    play::{
        challenges::{ChallengeError, Challenges, is_by},
        table::Table,
    },
    server::{
        connection::{Connection, ConnectionError, TableEvent, unexpected},
        room_link::ServerAddress,
    },
};

/// How long to wait for the server to confirm that nothing is sought any more.
const FAREWELL: Duration = Duration::from_secs(2);
/// How long a game may still begin after that.
const LATE: Duration = Duration::from_millis(300);

/// A person's own way to a game: they wait until somebody answers it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Search {
    /// With anybody.
    Seek(Wanted),
    /// With one person.
    Challenge(Addressee, GameSettings),
}

impl Search {
    fn request(&self, engine: bool) -> LobbyRequest {
        match self.clone() {
            Self::Seek(wanted) => LobbyRequest::Seek { wanted, engine },
            Self::Challenge(to, settings) => LobbyRequest::Challenge { to, settings, engine },
        }
    }
}

/// A seek or a challenge that stands, or is about to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnSeek {
    /// The game and the opponent.
    pub search: Search,
    /// The command; sent again, it means the same seek.
    id: CommandId,
    /// Its name on the server, once the server has taken it.
    seek: Option<SeekId>,
    /// Since when it waits, in milliseconds since the Unix epoch by our clock.
    since: u64,
}

/// An event of the lobby.
#[derive(Clone, PartialEq, Debug)]
pub enum LobbyEvent {
    /// All pools and games on offer are known.
    Listed,
    /// These have changed.
    Changed {
        /// The pools that have changed.
        pools: Vec<Pool>,
        /// New games on offer.
        added: Vec<OpenSeek>,
        /// Games that are no longer on offer.
        removed: Vec<SeekId>,
    },
    /// The person's own seek or challenge stands.
    Seeking {
        /// Names it in commands.
        seek: SeekId,
        /// How long it has waited, in milliseconds.
        waited_ms: u64,
    },
    /// A game has begun.
    Paired {
        /// Its room.
        room: RoomCode,
        /// Whether it is rated, if the server says so: not if the game was found before.
        rated: Option<bool>,
        /// Whether it ran before, so that nothing new was sought or accepted.
        is_earlier: bool,
    },
    /// The person's own seek or challenge is over without a game.
    Over {
        /// It.
        search: Search,
        /// Its name in commands.
        seek: SeekId,
        /// The reason.
        why: SeekEnd,
    },
    /// Somebody challenges the person.
    Challenged {
        /// The challenge.
        challenge: OpenSeek,
        /// How long it stands, in milliseconds.
        for_ms: u64,
    },
    /// A challenge to the person is over.
    ChallengeOver {
        /// The challenge.
        challenge: OpenSeek,
        /// The reason.
        why: SeekEnd,
    },
    /// Something has changed in the person's account, or a friend's challenge waits.
    AccountChanged {
        /// What has changed.
        change: AccountNews,
        /// The name of the key, the device or the other person.
        label: String,
    },
    /// An operator tells everybody something, or takes it back.
    Announced {
        /// One line.
        text: Option<ChatText>,
        /// When it ends, in milliseconds since the Unix epoch.
        until: Option<u64>,
    },
    /// The server does not do what was asked for.
    Refused {
        /// The reason.
        refusal: Refusal,
        /// Whether that was the person's own seek or challenge, which is now over.
        is_own: bool,
    },
    /// The connection is lost; it is retried automatically.
    Lost {
        /// The reason, for people.
        reason: String,
        /// Milliseconds until the next try.
        retry_ms: u128,
    },
    /// The connection is back, and what was sought before is sought again.
    Back,
    /// No further events will come.
    Ended {
        /// The reason, for people.
        reason: String,
    },
}

/// The server has not taken the person's own seek or challenge yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the server has not answered yet; try again in a moment")]
pub struct NotAnswered;

/// The lobby as far as it is known.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LobbyState {
    pools: Vec<Pool>,
    seeks: Vec<OpenSeek>,
    challenges: Challenges,
    own: Option<OwnSeek>,
    /// Commands that accepted a game, and are not refused.
    accepting: Vec<CommandId>,
    /// Whether commands were sent again, so that a game may be the answer to the first time.
    is_repeated: bool,
}

impl LobbyState {
    /// All pools.
    pub fn pools(&self) -> &[Pool] {
        &self.pools
    }

    /// A pool by its name.
    pub fn pool(&self, name: &PoolName) -> Option<&Pool> {
        self.pools.iter().find(|pool| pool.name == *name)
    }

    /// The games that others offer, the oldest first.
    pub fn seeks(&self) -> &[OpenSeek] {
        &self.seeks
    }

    /// The challenges to this person.
    pub const fn challenges(&self) -> &Challenges {
        &self.challenges
    }

    /// The seek or challenge for which this person waits.
    pub fn search(&self) -> Option<&Search> {
        self.own.as_ref().map(|own| &own.search)
    }

    /// Whether the server has taken it, and how long it has waited at this time, in milliseconds.
    pub fn waited_ms(&self, now: u64) -> Option<u64> {
        let own = self.own.as_ref().filter(|own| own.seek.is_some())?;
        Some(now.saturating_sub(own.since))
    }

    /// Whether a game may begin without anything else that this person does.
    pub fn is_waiting(&self) -> bool {
        self.own.is_some() || !self.accepting.is_empty()
    }

    /// Whether a time that people see is running: this person or a challenger waits.
    pub fn changes_with_time(&self, now: u64) -> bool {
        self.own.is_some() || self.challenges.open(now).next().is_some()
    }

    /// The game that somebody offers to everybody or to this person, by their name or its id; without
    /// one, the only challenge.
    ///
    /// # Errors
    /// When there is none, or nothing says which one is meant.
    pub fn on_offer(&self, who: Option<&str>, now: u64) -> Result<&OpenSeek, ChallengeError> {
        let open = who.and_then(|who| self.seeks.iter().find(|seek| is_by(seek, who)));
        match (self.challenges.find(who, now), open) {
            (Ok(challenge), _) => Ok(challenge),
            (Err(_), Some(open)) => Ok(open),
            (Err(error), None) => Err(error),
        }
    }

    /// Begins a seek or a challenge.
    pub(crate) fn begin(&mut self, search: Search, id: CommandId, now: u64) {
        self.own = Some(OwnSeek { search, id, seek: None, since: now });
        self.is_repeated = false;
    }

    /// Takes a message of the server, for the member `me`.
    pub(crate) fn take(&mut self, message: Message, me: &MemberId, now: u64) -> Option<LobbyEvent> {
        if let Some(over) = self.challenges.take(&message, now)
            && let Message::SeekOver { why, .. } = message
        {
            return Some(LobbyEvent::ChallengeOver { challenge: over, why });
        }
        match message {
            Message::Lobby { pools, seeks, .. } => {
                self.pools = pools;
                self.seeks = seeks.into_iter().filter(|seek| seek.member != *me).collect();
                Some(LobbyEvent::Listed)
            }
            Message::LobbyChanged { pools, mut added, removed } => {
                added.retain(|seek| seek.member != *me);
                self.change(&pools, &added, &removed);
                Some(LobbyEvent::Changed { pools, added, removed })
            }
            Message::Seeking { id, seek, waited_ms } => {
                let own = self.own.as_mut().filter(|own| own.id == id)?;
                own.since = now.saturating_sub(waited_ms);
                own.seek = Some(seek.clone());
                Some(LobbyEvent::Seeking { seek, waited_ms })
            }
            Message::Paired { seek, room, rated, .. } => {
                let asked = self.own.as_ref().is_some_and(|own| own.seek.is_none())
                    || !self.accepting.is_empty();
                let is_earlier = asked && !self.is_repeated && seek.is_none() && rated.is_none();
                if is_earlier {
                    self.own = None;
                }
                Some(LobbyEvent::Paired { room, rated, is_earlier })
            }
            Message::SeekOver { seek, why } => {
                let own = self.own.take_if(|own| own.seek.as_ref() == Some(&seek))?;
                Some(LobbyEvent::Over { search: own.search, seek, why })
            }
            Message::Challenged { challenge, for_ms } => {
                Some(LobbyEvent::Challenged { challenge, for_ms })
            }
            Message::Refused { id, refusal } => {
                let own = self.own.take_if(|own| id.as_ref() == Some(&own.id));
                self.accepting.retain(|accepting| Some(accepting) != id.as_ref());
                Some(LobbyEvent::Refused { refusal, is_own: own.is_some() })
            }
            Message::AccountChanged { change, label, .. } => {
                Some(LobbyEvent::AccountChanged { change, label })
            }
            Message::Announcement { text, until } => Some(LobbyEvent::Announced { text, until }),
            Message::Welcome { .. }
            | Message::Done { .. }
            | Message::Rooms { .. }
            | Message::OwnRooms { .. }
            | Message::Joined { .. }
            | Message::Weights { .. }
            | Message::Chat { .. }
            | Message::Pong { .. }
            | Message::Event { .. }
            | Message::Snapshot { .. }
            | Message::Spectators { .. }
            | Message::Presence { .. }
            | Message::Ratings { .. }
            | Message::PlayerSaid { .. }
            | Message::SpectatorSaid { .. }
            | Message::Analysis { .. }
            | Message::AnalysisOver { .. }
            | Message::Sanction { .. }
            | Message::Closed { .. } => None,
        }
    }

    fn change(&mut self, pools: &[Pool], added: &[OpenSeek], removed: &[SeekId]) {
        for pool in pools {
            match self.pools.iter_mut().find(|known| known.name == pool.name) {
                Some(known) => known.clone_from(pool),
                None => self.pools.push(pool.clone()),
            }
        }
        let is_replaced = |id: &SeekId| added.iter().any(|seek| seek.seek == *id);
        self.seeks.retain(|seek| !removed.contains(&seek.seek) && !is_replaced(&seek.seek));
        self.seeks.extend_from_slice(added);
    }
}

/// A person in the lobby of a server.
#[derive(Debug)]
pub struct Lobby {
    connection: Connection,
    me: MemberId,
    /// Whether a program plays.
    engine: bool,
    state: LobbyState,
}

impl Lobby {
    /// Enters the lobby and gets its lists.
    ///
    /// # Errors
    /// When the server refuses, or the connection breaks for good.
    pub async fn enter(
        mut connection: Connection,
        me: MemberId,
        engine: bool,
    ) -> Result<Self, ConnectionError> {
        let lobby = connection.ask_patiently(LobbyRequest::WatchLobby).await?;
        let mut state = LobbyState::default();
        if !matches!(lobby, Message::Lobby { .. }) {
            return Err(unexpected(&lobby));
        }
        state.take(lobby, &me, now());
        Ok(Self { connection, me, engine, state })
    }

    /// Comes back from a game that the opponent did not begin, and seeks on.
    ///
    /// # Errors
    /// See [`enter`](Self::enter).
    pub async fn enter_again(
        connection: Connection,
        me: MemberId,
        engine: bool,
        own: OwnSeek,
    ) -> Result<Self, ConnectionError> {
        let mut lobby = Self::enter(connection, me, engine).await?;
        lobby.seek_again(OwnSeek { seek: None, ..own });
        Ok(lobby)
    }

    /// The lobby as far as it is known.
    pub const fn state(&self) -> &LobbyState {
        &self.state
    }

    /// The server's address.
    pub fn server(&self) -> &ServerAddress {
        self.connection.server()
    }

    /// The connection, for questions while nothing is sought.
    pub(crate) const fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// The public id of this member.
    pub const fn me(&self) -> &MemberId {
        &self.me
    }

    /// The present time, in milliseconds since the Unix epoch by our clock.
    pub fn now(&self) -> u64 {
        now()
    }

    /// Seeks a game, or challenges somebody. An earlier seek or challenge is cancelled.
    ///
    /// # Errors
    /// When the server has not taken the earlier one yet.
    pub fn begin(&mut self, search: Search) -> Result<(), NotAnswered> {
        self.cancel()?;
        let id = self.connection.send(Request::Lobby(search.request(self.engine)));
        self.state.begin(search, id, now());
        Ok(())
    }

    /// Cancels the person's own seek or challenge, if there is one. Returns that it is over.
    ///
    /// # Errors
    /// When the server has not taken it yet.
    pub fn cancel(&mut self) -> Result<Option<LobbyEvent>, NotAnswered> {
        let Some(OwnSeek { search, seek, .. }) = self.state.own.clone() else { return Ok(None) };
        let seek = seek.ok_or(NotAnswered)?;
        self.state.own = None;
        let cancel = LobbyRequest::CancelSeek { seek: seek.clone() };
        self.connection.send(Request::Lobby(cancel));
        Ok(Some(LobbyEvent::Over { search, seek, why: SeekEnd::Cancelled }))
    }

    /// Accepts a challenge, or a game that somebody offers.
    pub fn accept(&mut self, seek: SeekId) {
        self.state.challenges.remove(&seek);
        let accept = LobbyRequest::AcceptSeek { seek, engine: self.engine };
        let id = self.connection.send(Request::Lobby(accept));
        self.state.accepting.push(id);
    }

    /// Declines a challenge.
    pub fn decline(&mut self, seek: SeekId) {
        self.state.challenges.remove(&seek);
        self.connection.send(Request::Lobby(LobbyRequest::DeclineChallenge { seek }));
    }

    /// The next event; the state already includes it. Cancel-safe. After [`LobbyEvent::Ended`] it
    /// waits forever.
    pub async fn next(&mut self) -> LobbyEvent {
        loop {
            match self.connection.next().await {
                TableEvent::Message(message) => {
                    if let Some(event) = self.state.take(*message, &self.me, now()) {
                        return event;
                    }
                }
                TableEvent::Lost { reason, retry_in } => {
                    return LobbyEvent::Lost { reason, retry_ms: retry_in.as_millis() };
                }
                TableEvent::Back => {
                    self.state.is_repeated = true;
                    self.connection.send(Request::Lobby(LobbyRequest::WatchLobby));
                    // The connection itself repeats a command without an answer.
                    if let Some(own) = self.state.own.clone().filter(|own| own.seek.is_some()) {
                        self.seek_again(own);
                    }
                    return LobbyEvent::Back;
                }
                TableEvent::Ended { reason } => return LobbyEvent::Ended { reason },
                TableEvent::Restored { .. }
                | TableEvent::BotFailed
                | TableEvent::AboutPerson { .. } => {}
            }
        }
    }

    /// Goes to the room of a game that has begun. Returns the seek to go on with, if the opponent
    /// does not begin.
    ///
    /// # Errors
    /// When the room cannot be entered, or the connection breaks for good.
    pub async fn go_to(
        mut self,
        room: RoomCode,
    ) -> Result<(Table, Option<OwnSeek>), ConnectionError> {
        self.connection.send(Request::Lobby(LobbyRequest::UnwatchLobby));
        let own = self.state.own.filter(|own| matches!(own.search, Search::Seek(_)));
        let table = join(self.connection, self.me, room).await?;
        Ok((table.seeking_on(own.is_some()), own))
    }

    /// Cancels what this person seeks, and disconnects from the server. Returns the room of a game
    /// that has begun all the same.
    pub async fn leave(mut self) -> Option<RoomCode> {
        let mut paired = None;
        // The server ends what it cannot confirm soon, when it notices the closed socket.
        drop(timeout(FAREWELL, self.cancel_surely(&mut paired)).await);
        self.connection.close().await;
        paired
    }

    async fn cancel_surely(&mut self, paired: &mut Option<RoomCode>) {
        while self.state.own.as_ref().is_some_and(|own| own.seek.is_none()) {
            match self.next().await {
                LobbyEvent::Paired { room, .. } => *paired = Some(room),
                LobbyEvent::Ended { .. } => return,
                LobbyEvent::Listed
                | LobbyEvent::Changed { .. }
                | LobbyEvent::Seeking { .. }
                | LobbyEvent::Over { .. }
                | LobbyEvent::Challenged { .. }
                | LobbyEvent::ChallengeOver { .. }
                | LobbyEvent::AccountChanged { .. }
                | LobbyEvent::Announced { .. }
                | LobbyEvent::Refused { .. }
                | LobbyEvent::Lost { .. }
                | LobbyEvent::Back => {}
            }
        }
        let Some(seek) = self.state.own.take().and_then(|own| own.seek) else { return };
        let id = self.connection.send(Request::Lobby(LobbyRequest::CancelSeek { seek }));
        loop {
            match self.connection.next().await {
                TableEvent::Message(message) if message.answers() == Some(&id) => break,
                TableEvent::Message(message) => {
                    if let Message::Paired { room, .. } = *message {
                        *paired = Some(room);
                    }
                }
                TableEvent::Ended { .. } => return,
                TableEvent::Lost { .. }
                | TableEvent::Back
                | TableEvent::Restored { .. }
                | TableEvent::BotFailed
                | TableEvent::AboutPerson { .. } => {}
            }
        }
        // A game for which the opponent was found before is stored within moments.
        let late = async {
            while paired.is_none() {
                if let LobbyEvent::Paired { room, .. } = self.next().await {
                    *paired = Some(room);
                }
            }
        };
        drop(timeout(LATE, late).await);
    }

    fn seek_again(&mut self, own: OwnSeek) {
        self.connection.send_as(own.id.clone(), Request::Lobby(own.search.request(self.engine)));
        self.state.own = Some(own);
        self.state.is_repeated = true;
    }
}

/// Enters a room in which this member has a seat.
///
/// # Errors
/// When the server refuses, or the connection breaks for good.
pub async fn join(
    mut connection: Connection,
    me: MemberId,
    room: RoomCode,
) -> Result<Table, ConnectionError> {
    let joined = connection.ask_patiently(LobbyRequest::Join { room, after: None }).await?;
    Table::remote(connection, me, joined)
}
