//! A table: a room of a server or a game in this process, for a view. It keeps the room's state up
//! to date; the view reads it and sends requests.

use std::{collections::VecDeque, time::Duration};

use fivefold_shared::{
    protocol::{
        Absent, CatchUp, CommandId, Event, GameRatings, LobbyRequest, MemberId, Message,
        NumberedEvent, OwnRoom, Reason, Refusal, Request, RoomCode, RoomRequest, Snapshot,
        Spectators,
    },
    room::RoomState,
    rules::Outcome,
    seat::Seat,
};
use tokio::sync::mpsc;

pub use crate::server::connection::TableEvent;
use crate::{
    own_clock::now,
    play::{
        challenges::{ChallengeError, Challenges},
        exit_reason::ExitReason,
        local_game::LocalGame,
        lost_moves,
        person_requests::PersonRequest,
        perspective::Perspective,
    },
    server::connection::{CommandIds, Connection, ConnectionError, unexpected},
    terminal::sanitize::sanitize,
};

/// Answers about other people that wait to be shown.
const ABOUT_QUEUE: usize = 8;

/// A player's or spectator's place in a room, with the room as they see it.
#[derive(Debug)]
pub struct Table {
    source: Source,
    me: MemberId,
    code: RoomCode,
    room: RoomState,
    spectators: Spectators,
    away: Absent,
    /// How long a player may be away on their turn before the opponent may claim the win.
    claim_after_ms: u64,
    ratings: Option<GameRatings>,
    /// Messages that still have to be applied and returned.
    waiting: VecDeque<Message>,
    /// Whether a snapshot was requested because an event was missing.
    refreshing: bool,
    /// Whether the server's log contradicts an event that this table knows.
    is_contradicted: bool,
    /// The challenges that this member may answer.
    challenges: Challenges,
    /// The command that accepted a challenge, unless it was refused.
    accepting: Option<CommandId>,
    /// Whether the member's seek goes on if the opponent does not begin.
    seeks_on: bool,
    /// Whether the room was closed for good.
    is_closed: bool,
    /// What became of blocking, muting or reporting somebody.
    about: mpsc::Receiver<TableEvent>,
    about_sender: mpsc::Sender<TableEvent>,
}

#[derive(Debug)]
enum Source {
    Remote(Box<Connection>),
    Local {
        game: Box<LocalGame>,
        ids: CommandIds,
    },
    /// A game that has ended, at this address.
    Finished {
        address: String,
        ids: CommandIds,
    },
}

impl Table {
    /// Builds a table from the answer to `create` or `join`.
    ///
    /// # Errors
    /// When the message is no such answer, or its room is invalid.
    pub fn remote(
        connection: Connection,
        me: MemberId,
        joined: Message,
    ) -> Result<Self, ConnectionError> {
        let Message::Joined {
            room: code,
            spectators,
            away,
            claim_after_ms,
            ratings,
            catch_up: CatchUp::Snapshot(snapshot),
            ..
        } = joined
        else {
            return Err(unexpected(&joined));
        };
        let room = RoomState::from_snapshot(*snapshot)
            .map_err(|error| ConnectionError::Closed(format!("the server's room: {error}")))?;
        connection.set_playing(room.running().is_some());
        let source = Source::Remote(Box::new(connection));
        Ok(Self { away, claim_after_ms, ratings, ..Self::new(source, me, code, room, spectators) })
    }

    /// Builds a table for a game in this process.
    pub fn local(game: LocalGame) -> Self {
        let (me, code, room) = (LocalGame::member(), LocalGame::code(), game.room());
        let source = Source::Local { game: Box::new(game), ids: CommandIds::new() };
        Self::new(source, me, code, room, Spectators::default())
    }

    /// Builds a table that shows a finished game.
    pub fn finished(room: RoomState, address: String) -> Self {
        let (me, code) = (LocalGame::member(), LocalGame::code());
        let source = Source::Finished { address, ids: CommandIds::new() };
        Self::new(source, me, code, room, Spectators::default())
    }

    fn new(
        source: Source,
        me: MemberId,
        code: RoomCode,
        room: RoomState,
        spectators: Spectators,
    ) -> Self {
        let (about_sender, about) = mpsc::channel(ABOUT_QUEUE);
        Self {
            source,
            me,
            code,
            room,
            spectators,
            about,
            about_sender,
            away: Absent::default(),
            claim_after_ms: 0,
            ratings: None,
            waiting: VecDeque::new(),
            refreshing: false,
            is_contradicted: false,
            challenges: Challenges::default(),
            accepting: None,
            seeks_on: false,
            is_closed: false,
        }
    }

    /// Sends this member back to their seek if the opponent does not begin.
    #[must_use]
    pub fn seeking_on(mut self, seeks_on: bool) -> Self {
        self.seeks_on = seeks_on;
        self
    }

    /// The next event; the room's state already includes it. Missed events come one by one, and
    /// never as [`Message::Joined`]. Cancel-safe. After [`TableEvent::Ended`] it waits forever.
    pub async fn next(&mut self) -> TableEvent {
        loop {
            let event = match self.waiting.pop_front() {
                Some(message) => TableEvent::Message(Box::new(message)),
                None => match &mut self.source {
                    Source::Remote(connection) => tokio::select! {
                        biased;
                        Some(event) = self.about.recv() => event,
                        event = connection.next() => event,
                    },
                    Source::Local { game, .. } => game.next().await,
                    Source::Finished { .. } => std::future::pending().await,
                },
            };
            match event {
                TableEvent::Message(message) => {
                    if let Message::Snapshot { snapshot, .. } = message.as_ref()
                        && let Some(moves) = lost_moves::moves_gone(
                            &self.room,
                            snapshot,
                            std::mem::take(&mut self.is_contradicted),
                        )
                    {
                        self.replace(snapshot);
                        // An invalid one changes nothing.
                        if self.room.seq == snapshot.seq {
                            self.waiting.push_front(*message);
                            return TableEvent::Restored { moves };
                        }
                    }
                    let taken = self.take(*message);
                    if let Source::Remote(connection) = &self.source {
                        connection.set_playing(self.room.running().is_some());
                    }
                    if let Some(message) = taken {
                        return TableEvent::Message(Box::new(message));
                    }
                }
                // The number follows from the snapshot that comes next.
                TableEvent::Restored { .. } => self.is_contradicted = true,
                TableEvent::Lost { .. }
                | TableEvent::Back
                | TableEvent::BotFailed
                | TableEvent::AboutPerson { .. }
                | TableEvent::Ended { .. } => {
                    return event;
                }
            }
        }
    }

    /// Sends a request. The answer is an event with the returned id; a command that is
    /// unanswered when the connection is lost is sent again.
    pub fn send(&mut self, request: RoomRequest) -> CommandId {
        match &mut self.source {
            Source::Remote(connection) => {
                connection.send(Request::Room { room: self.code.clone(), request })
            }
            Source::Local { game, ids } => {
                let id = ids.make();
                game.take(&id, &request);
                id
            }
            Source::Finished { ids, .. } => {
                let id = ids.make();
                let refusal = Refusal::new(Reason::NoGame);
                self.waiting.push_back(Message::Refused { id: Some(id.clone()), refusal });
                id
            }
        }
    }

    /// Sends a request to the server; a game in this process has none.
    pub fn send_to_server(&mut self, request: LobbyRequest) -> Option<CommandId> {
        let Source::Remote(connection) = &mut self.source else { return None };
        if let LobbyRequest::AcceptSeek { seek, .. } | LobbyRequest::DeclineChallenge { seek } =
            &request
        {
            self.challenges.remove(seek);
        }
        let accepts = matches!(request, LobbyRequest::AcceptSeek { .. });
        let id = connection.send(Request::Lobby(request));
        if accepts {
            self.accepting = Some(id.clone());
        }
        Some(id)
    }

    /// Blocks, mutes or reports somebody; [`TableEvent::AboutPerson`] says what became of it. A game in this
    /// process has nobody.
    pub fn about(&self, PersonRequest { path, body, done }: PersonRequest) {
        let Source::Remote(connection) = &self.source else { return };
        let (post, sender) = (connection.post(path, body), self.about_sender.clone());
        tokio::spawn(async move {
            let (text, done) = match post.await {
                Ok(()) => (done, true),
                Err(error) => (sanitize(&error.to_string()).into_owned(), false),
            };
            // The person may have left.
            sender.send(TableEvent::AboutPerson { text, done }).await.ok();
        });
    }

    /// The request that answers a challenge, by the challenger's name or id; without one, the only
    /// challenge.
    ///
    /// # Errors
    /// When there is none, or nothing says which one is meant.
    pub fn answer_to_challenge(
        &self,
        who: Option<&str>,
        accepts: bool,
    ) -> Result<LobbyRequest, ChallengeError> {
        let seek = self.challenges.find(who, self.now())?.seek.clone();
        Ok(match accepts {
            true => LobbyRequest::AcceptSeek { seek, engine: false },
            false => LobbyRequest::DeclineChallenge { seek },
        })
    }

    /// The reason to leave this room for another game, if an event is one: an accepted challenge, or
    /// an opponent who did not begin, or another daily game that waits.
    pub fn way_out(&self, event: &TableEvent) -> Option<ExitReason> {
        let TableEvent::Message(message) = event else { return None };
        if let Message::Paired { room, .. } = &**message {
            return self.goes_to(room).then(|| ExitReason::Paired(room.clone()));
        }
        if let Message::OwnRooms { rooms, .. } = &**message {
            return self.next_game(rooms).map(ExitReason::Paired);
        }
        let Message::Event { event, .. } = &**message else { return None };
        let by = aborted_by(&event.event)?;
        (self.seeks_on && self.plays(by.other())).then_some(ExitReason::Aborted)
    }

    /// The next daily game that waits for this member: the first one after this room in their list, or else the first
    /// one in the list. So a player who goes from game to game reaches each of them.
    pub fn next_game(&self, rooms: &[OwnRoom]) -> Option<RoomCode> {
        let here = rooms.iter().position(|own| own.summary.room == self.code);
        let (before, behind) = rooms.split_at(here.unwrap_or(0));
        let mut others = behind.iter().chain(before).filter(|own| own.summary.room != self.code);
        let next = others.find(|own| own.your_turn && own.summary.time.is_daily())?;
        Some(next.summary.room.clone())
    }

    /// Whether this member goes to a game that has begun in another room: they have accepted a
    /// challenge here.
    pub fn goes_to(&self, room: &RoomCode) -> bool {
        self.accepting.is_some() && *room != self.code
    }

    /// The challenges that this member may answer.
    pub const fn challenges(&self) -> &Challenges {
        &self.challenges
    }

    /// The room as it is now.
    pub const fn room(&self) -> &RoomState {
        &self.room
    }

    /// The room as this member sees it.
    pub const fn perspective(&self) -> Perspective<'_> {
        Perspective { room: &self.room, me: &self.me }
    }

    /// The spectators.
    pub const fn spectators(&self) -> &Spectators {
        &self.spectators
    }

    /// The absent players.
    pub const fn away(&self) -> Absent {
        self.away
    }

    /// The ratings of the players, in a rated game.
    pub fn ratings(&self) -> Option<GameRatings> {
        let game = self.room.game.as_ref()?;
        self.ratings.filter(|ratings| ratings.game == game.number)
    }

    /// The current time by the server's clock, in milliseconds since the Unix epoch, as far as
    /// known.
    pub fn now(&self) -> u64 {
        match &self.source {
            Source::Remote(connection) => connection.now(),
            Source::Local { .. } | Source::Finished { .. } => now(),
        }
    }

    /// For how long the server has been silent although something was asked.
    pub fn silence(&self) -> Duration {
        match &self.source {
            Source::Remote(connection) => connection.silence(),
            Source::Local { .. } | Source::Finished { .. } => Duration::ZERO,
        }
    }

    /// Whether this shows a stored game, which nobody plays.
    pub const fn is_stored(&self) -> bool {
        matches!(self.source, Source::Finished { .. })
    }

    /// How long a player may be away on their turn before the opponent may claim the win, in milliseconds.
    pub const fn claim_after_ms(&self) -> u64 {
        self.claim_after_ms
    }

    /// The public id of this member.
    pub const fn me(&self) -> &MemberId {
        &self.me
    }

    /// The room's code; a game in this process has none.
    pub const fn code(&self) -> Option<&RoomCode> {
        match &self.source {
            Source::Remote(_) => Some(&self.code),
            Source::Local { .. } | Source::Finished { .. } => None,
        }
    }

    /// The link to share with a friend; a game in this process has none.
    pub fn link(&self) -> Option<String> {
        match &self.source {
            Source::Finished { address, .. } => Some(address.clone()),
            Source::Remote(_) | Source::Local { .. } => self.link_to(&self.code),
        }
    }

    /// The link of the game that has ended here; none if the server keeps no such game.
    pub fn game_link(&self) -> Option<String> {
        match &self.source {
            Source::Finished { address, .. } => Some(address.clone()),
            Source::Remote(connection) => {
                let game = self.room.game.as_ref()?;
                let is_kept = !matches!(game.outcome()?, Outcome::Aborted { .. });
                is_kept.then(|| connection.server().game_link(&game.id))
            }
            Source::Local { .. } => None,
        }
    }

    /// Whether the room was closed for good.
    pub const fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The link of a room of the same server.
    pub fn link_to(&self, room: &RoomCode) -> Option<String> {
        match &self.source {
            Source::Remote(connection) => Some(connection.server().room_link(room)),
            Source::Local { .. } | Source::Finished { .. } => None,
        }
    }

    /// Whether this member plays a seat. Spectators play none; two people at one keyboard play
    /// both.
    pub fn plays(&self, seat: Seat) -> bool {
        self.perspective().plays(seat)
    }

    /// The seat that this member plays; with both, the one that must act. `None` for a spectator.
    pub fn seat(&self) -> Option<Seat> {
        self.perspective().seat()
    }

    /// Whether a game is running and this member is to move.
    pub fn is_my_turn(&self) -> bool {
        self.perspective().is_my_turn()
    }

    /// Leaves the room and disconnects from the server. A seat in a running game is kept.
    pub async fn leave(self) {
        match self.source {
            Source::Remote(mut connection) => {
                let leave = connection.ask(LobbyRequest::Leave { room: self.code });
                // Closing the socket has the same effect, so the answer is optional.
                drop(tokio::time::timeout(Duration::from_secs(2), leave).await);
                connection.close().await;
            }
            Source::Local { .. } | Source::Finished { .. } => {}
        }
    }

    /// Leaves the room and keeps the connection; a game in this process has none.
    ///
    /// # Errors
    /// When the server does not want this client back.
    pub async fn leave_room(self) -> Result<Option<Connection>, ConnectionError> {
        let Source::Remote(mut connection) = self.source else { return Ok(None) };
        connection.set_playing(false);
        let leave = LobbyRequest::Leave { room: self.code };
        match connection.ask_patiently(leave).await {
            // The room is closed already.
            Ok(_) | Err(ConnectionError::Refused(_)) => Ok(Some(*connection)),
            Err(error) => Err(error),
        }
    }

    /// Applies a message to the room; `None` when there is nothing to show.
    fn take(&mut self, message: Message) -> Option<Message> {
        let now = self.now();
        match &message {
            Message::Event { event, .. } => {
                let is_shown = self.fold(event) && !self.is_answered_here(&event.event);
                return is_shown.then_some(message);
            }
            Message::Joined { spectators, away, claim_after_ms, ratings, .. } => {
                self.ratings = *ratings;
                self.claim_after_ms = *claim_after_ms;
                self.spectators = spectators.clone();
                self.away = *away;
            }
            Message::Presence { away, .. } => self.away = *away,
            Message::Ratings { ratings, .. } => self.ratings = Some(*ratings),
            Message::Spectators { spectators, .. } => self.spectators = spectators.clone(),
            Message::Snapshot { snapshot, .. } => self.replace(snapshot),
            Message::Challenged { .. } => drop(self.challenges.take(&message, now)),
            // The end of one's own seek is no news here.
            Message::SeekOver { .. } => {
                return self.challenges.take(&message, now).is_some().then_some(message);
            }
            Message::Closed { .. } => self.is_closed = true,
            Message::Refused { id, .. } if self.accepting.is_some() && *id == self.accepting => {
                self.accepting = None;
            }
            Message::Welcome { .. }
            | Message::Done { .. }
            | Message::Refused { .. }
            | Message::Rooms { .. }
            | Message::OwnRooms { .. }
            | Message::Weights { .. }
            | Message::Pong { .. }
            | Message::Chat { .. }
            | Message::PlayerSaid { .. }
            | Message::SpectatorSaid { .. }
            | Message::Analysis { .. }
            | Message::AnalysisOver { .. }
            | Message::AccountChanged { .. }
            | Message::Seeking { .. }
            | Message::Paired { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Sanction { .. }
            | Message::Announcement { .. } => {}
        }
        match message {
            Message::Joined { room, catch_up: CatchUp::Events(events), .. } => {
                let messages =
                    events.into_iter().map(|event| Message::Event { room: room.clone(), event });
                self.waiting.extend(messages);
                None
            }
            Message::Joined { room, catch_up: CatchUp::Snapshot(snapshot), .. } => {
                self.waiting.push_back(Message::Snapshot { room, snapshot });
                None
            }
            other => Some(other),
        }
    }

    /// Whether the event is a request that a game in this process grants at once. Only the result
    /// is shown.
    const fn is_answered_here(&self, event: &Event) -> bool {
        matches!(
            (&self.source, event),
            (Source::Local { .. }, Event::TakebackAsked { .. } | Event::RematchAsked { .. })
        )
    }

    /// Applies an event. Skips a duplicate; requests the whole room when an event is missing or
    /// does not fit.
    fn fold(&mut self, event: &NumberedEvent) -> bool {
        if event.seq <= self.room.seq {
            return false;
        }
        let folded = self.room.apply(event).is_ok();
        if let (false, false, Source::Remote(connection)) =
            (folded, self.refreshing, &mut self.source)
        {
            self.refreshing = true;
            let join = LobbyRequest::Join { room: self.code.clone(), after: None };
            connection.send(Request::Lobby(join));
        }
        folded
    }

    fn replace(&mut self, snapshot: &Snapshot) {
        self.refreshing = false;
        // An invalid snapshot leaves the last good state on the screen; the next event will not fit
        // it, and triggers another request.
        if let Ok(room) = RoomState::from_snapshot(snapshot.clone()) {
            self.room = room;
        }
    }
}

/// The player who left a game before both had begun it, if the event is that.
pub(crate) const fn aborted_by(event: &Event) -> Option<Seat> {
    if let Event::Ended { outcome: Outcome::Aborted { by }, .. } = event { *by } else { None }
}
