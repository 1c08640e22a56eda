//! Handles a session's commands: answers those for the lobby, and passes the others to rooms, which
//! answer them. It does not know how rooms and games work.

use std::{iter, net::IpAddr, sync::Arc, time::Duration};

use fivefold_shared::{
    clock::millis,
    protocol::{
        self, ApiToken, Command, CommandId, Create, Identity, LobbyRequest, Message, Name, Reason,
        Refusal, RefusalValues, Request, RoomCode, RoomRequest,
    },
    room::{Input, Member, SessionId},
};
use fivefold_storage::{Account, KeyHash};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_util::sync::CancellationToken;

use super::{
    close_reason::CloseReason,
    error::CommandError,
    joined_rooms::{JoinedRooms, post},
    rate::Rates,
    visitor::Visitor,
};
use crate::{
    accounts::{SignedIn, identities::Authenticated, tokens::TokenHolder},
    limits::LOGIN_TRIES_MAX,
    metrics::Metrics,
    moderation::blocks::Following,
    online::{
        logins::{Ending, Login},
        outbox::{Outbox, encode},
        own_ids::OwnIds,
    },
    pairing::task::PairingRequest,
    process::ids,
    rooms::{lobby::RoomHandle, room_actor::Envelope},
    shared_state::Server,
};

/// Handles the commands of one session.
pub(super) struct Commands {
    pub(super) id: SessionId,
    /// The client's address.
    pub(super) address: IpAddr,
    pub(super) server: Arc<Server>,
    pub(super) outbox: Outbox,
    login: Ending,
    /// The session of an account in the cookie of the handshake, which may have ended.
    cookie: Option<KeyHash>,
    /// The token in the handshake, which may not be valid.
    token: Option<KeyHash>,
    /// A digest of the device's cookie.
    pub(super) device: Option<u64>,
    /// Whether the session only watches.
    watches: bool,
    /// Absent before `hello`.
    pub(super) identity: Option<Authenticated>,
    /// Keeps the lists in the outbox up to date.
    blocks: Option<Following>,
    rooms: JoinedRooms,
    rates: Rates,
}

/// The session's reply to a command, and whether the session ends.
pub(super) struct Reply {
    /// The encoded message. Absent where a room replies.
    pub(super) text: Option<Utf8Bytes>,
    pub(super) close: Option<CloseReason>,
}

/// Progress of a command.
pub(super) enum Handled {
    Now(Reply),
    /// It is for [`Commands::handle_later`].
    Later(Box<LobbyCommand>),
}

/// A command that no room answers.
pub(super) struct LobbyCommand {
    id: CommandId,
    /// Metric label.
    kind: &'static str,
    request: LobbyRequest,
}

/// The answer to a command, unless a room answers it.
pub(super) type CommandResult = Result<Option<Message>, CommandError>;

impl Commands {
    pub(super) fn new(
        id: SessionId,
        Visitor { address, agent, account: cookie, token, device, watches }: Visitor,
        outbox: Outbox,
        ending: &CancellationToken,
        server: Arc<Server>,
        now: Instant,
    ) -> Self {
        outbox.set_agent(agent);
        let login = Ending::new(ending.clone());
        let rates = Rates::new(&server, address, watches, now);
        let rooms = JoinedRooms::default();
        let (identity, blocks) = (None, None);
        Self {
            id,
            address,
            server,
            outbox,
            login,
            cookie,
            token,
            device,
            watches,
            identity,
            blocks,
            rooms,
            rates,
        }
    }

    /// Whether the client has authenticated.
    pub(super) const fn is_greeted(&self) -> bool {
        self.identity.is_some()
    }

    pub(super) fn metrics(&self) -> &Metrics {
        &self.server.metrics
    }

    /// Why the session ends after its token was cancelled.
    pub(super) fn ending(&self) -> CloseReason {
        if self.server.stop.is_cancelled() || self.outbox.is_restarted() {
            CloseReason::RESTART
        } else if self.login.is_replaced() {
            match self.identity.as_ref().and_then(|identity| identity.account) {
                Some(_) => CloseReason::SIGNED_OUT,
                None => CloseReason::IDENTITY_REPLACED,
            }
        } else {
            CloseReason::TOO_SLOW
        }
    }

    /// How long to wait before the socket is closed.
    pub(super) fn closing_after(&self) -> Duration {
        self.server.stopping_after(self.id)
    }

    /// Call after the last command: notifies the rooms.
    pub(super) async fn end(self, reason: &CloseReason) {
        self.server.metrics.session_ended(reason.code());
        if let Some(identity) = &self.identity {
            self.server.logins.leave(&identity.member.id, self.id);
            if identity.account.is_some() {
                self.note_place(&identity.member.id);
            }
        }
        self.rooms.leave_all(self.id).await;
    }

    /// Handles a command, except those that may have to wait. Never awaits, so that an idle session
    /// reserves no space for a command.
    pub(super) fn handle(
        &mut self,
        command: Result<Command, (Option<CommandId>, Refusal)>,
        lag: Duration,
    ) -> Handled {
        let kind = command.as_ref().map_or("unknown", |command| command.request.kind());
        let now = Instant::now();
        let taken = self.take_command(command.as_ref().ok(), now);
        let (id, result) = match command {
            Ok(Command { id, request }) => match taken.and_then(|()| self.greeted(&request)) {
                Ok(()) => match request {
                    Request::Lobby(request) => {
                        return Handled::Later(Box::new(LobbyCommand { id, kind, request }));
                    }
                    Request::Room { room, request } => {
                        let passed = self.room_command(&id, &room, request, now, lag);
                        (Some(id), passed.map(|()| None))
                    }
                },
                Err(error) => (Some(id), Err(error)),
            },
            Err((id, refusal)) => (id, Err(taken.err().unwrap_or(refusal.into()))),
        };
        Handled::Now(self.reply(kind, id, result))
    }

    /// Handles a command for the lobby.
    pub(super) async fn handle_later(&mut self, command: Box<LobbyCommand>) -> Reply {
        let LobbyCommand { id, kind, request } = *command;
        let result = match self.identity.clone() {
            Some(identity) => self.lobby(identity, &id, request).await,
            None => self.before_hello(&id, request).await,
        };
        self.reply(kind, Some(id), result)
    }

    fn reply(&self, kind: &'static str, id: Option<CommandId>, result: CommandResult) -> Reply {
        let (message, close) = match result {
            Ok(message) => (message, None),
            // The rooms here are ending, so this is no true "no". The client sends it again.
            Err(_) if self.server.stop.is_cancelled() || self.server.lobby.is_retired() => {
                (None, Some(CloseReason::RESTART))
            }
            Err(error) => {
                let (refusal, close) = error.into_parts();
                (refusal.map(|refusal| Message::Refused { id, refusal }), close)
            }
        };
        if let Some(message) = &message {
            self.server.metrics.answered(kind, message);
        }
        Reply { text: message.map(|message| self.outbox.encode(message)), close }
    }

    fn take_command(
        &mut self,
        command: Option<&Command>,
        now: Instant,
    ) -> Result<(), CommandError> {
        let Self { rates, rooms, identity, .. } = self;
        // Whether the command is a move in a game where the session has a seat.
        let is_own_play = || {
            let Some(Request::Room { room, request }) = command.map(|command| &command.request)
            else {
                return false;
            };
            let is_seated = |Authenticated { member, guests, .. }: &Authenticated| {
                rooms.is_seated(room, iter::once(&member.id).chain(guests))
            };
            request.is_play() && identity.as_ref().is_some_and(is_seated)
        };
        rates.take_command(now, is_own_play)
    }

    /// Checks that the client has sent `hello`, or that the request is allowed before it.
    fn greeted(&self, request: &Request) -> Result<(), CommandError> {
        match request {
            Request::Lobby(LobbyRequest::Ping | LobbyRequest::Hello { .. }) => Ok(()),
            Request::Lobby(_) | Request::Room { .. } if let Some(identity) = &self.identity => {
                if self.watches && !only_watches(request) {
                    return Err(Refusal::new(Reason::NotSeated).into());
                }
                Ok(identity.scopes.as_ref().map_or(Ok(()), |own| own.check_request(request))?)
            }
            Request::Lobby(_) | Request::Room { .. } => {
                let refusal = Refusal::new(Reason::HelloFirst);
                Err(CommandError::RefusedAndClosed(refusal, CloseReason::NO_HELLO))
            }
        }
    }

    fn room_command(
        &mut self,
        id: &CommandId,
        room: &RoomCode,
        request: RoomRequest,
        now: Instant,
        lag: Duration,
    ) -> Result<(), CommandError> {
        self.rates.take_request(&request, now)?;
        if let RoomRequest::Say { .. } = &request
            && let Some(identity) = &self.identity
        {
            for answerable in identity.answerable() {
                self.server.moderation.may_chat(answerable)?;
            }
        }
        let lag_ms = millis(lag);
        let input = Input::Command { session: self.id, id: id.clone(), request, lag_ms };
        self.pass_on(room, input)
    }

    async fn before_hello(&mut self, id: &CommandId, request: LobbyRequest) -> CommandResult {
        if let LobbyRequest::Hello { protocol, identity, name, token } = request {
            check_version(protocol)?;
            if self.watches {
                return self.hello_to_watcher(id, identity.as_ref(), token.as_ref(), name.as_ref());
            }
            return self.hello(id, identity, token, name).await;
        }
        // The only other request allowed before `hello`.
        Ok(Some(self.pong(id)))
    }

    fn pong(&self, id: &CommandId) -> Message {
        Message::Pong { id: id.clone(), now: self.server.clock.now() }
    }

    async fn hello(
        &mut self,
        id: &CommandId,
        identity: Option<Identity>,
        token: Option<ApiToken>,
        name: Option<Name>,
    ) -> CommandResult {
        name.as_ref().map_or(Ok(()), may_be_called)?;
        let token = token.map(|token| ids::token_hash(token.as_str())).or(self.token);
        if identity.is_some() || token.is_some() {
            self.is_nobody_else(identity.is_some() && token.is_some()).await?;
        }
        let (who, made) = match (identity, token, self.cookie) {
            (_, Some(token), _) => (Who::Token(token), None),
            (Some(identity), None, _) => (Who::Guest { identity, name }, None),
            (None, None, Some(session)) => (Who::Account(session), None),
            (None, None, None) => {
                let identity = ids::identity();
                let made = Some(identity.clone());
                (Who::Guest { identity, name }, made)
            }
        };
        let authenticated = self.log_in(&who).await?;
        if authenticated.account.is_some() {
            self.note_place(&authenticated.member.id);
            self.post_challenge_notices(&authenticated.member.id);
        }
        let you = &authenticated.member.id;
        self.outbox.identify(authenticated.hash);
        if let Some(own) = OwnIds::new(you.clone(), authenticated.guests.clone()) {
            self.outbox.set_own_ids(own);
        }
        // They follow the answer.
        for notice in self.server.moderation.notices(you) {
            self.outbox.post(encode(&notice));
        }
        let now = self.server.clock.now();
        self.server.logins.announcements().show(now, |announcement| {
            self.outbox.post(encode(&announcement.message()));
        });
        let welcome = self.welcome(id, &authenticated, made);
        self.identity = Some(authenticated);
        Ok(Some(welcome))
    }

    /// The answer to `hello`, with the identity that was made for a new guest.
    pub(super) fn welcome(
        &self,
        id: &CommandId,
        Authenticated { member, account, .. }: &Authenticated,
        identity: Option<Identity>,
    ) -> Message {
        let Member { id: you, name, bot, .. } = member.clone();
        Message::Welcome {
            id: id.clone(),
            protocol: protocol::VERSION,
            server: concat!("fivefold ", env!("CARGO_PKG_VERSION")).to_owned(),
            you,
            name,
            identity,
            account: account.is_some(),
            bot,
            chat: self.server.limits.room.chat,
        }
    }

    /// Refuses who is two people at once, as the cookie of the handshake is still valid.
    async fn is_nobody_else(&self, is_two: bool) -> Result<(), Refusal> {
        let is_signed_in = match self.cookie {
            Some(session) => {
                self.server.accounts.of_session(session, self.address).await?.is_some()
            }
            None => false,
        };
        if is_two || is_signed_in { Err(Refusal::new(Reason::TwoIdentities)) } else { Ok(()) }
    }

    /// Looks up a member, and registers the session as theirs.
    async fn log_in(&mut self, who: &Who) -> Result<Authenticated, CommandError> {
        let Server { identities, logins, blocks, clock, .. } = &*self.server;
        for _ in 0..LOGIN_TRIES_MAX {
            let replacements = logins.replacements();
            let found = match who {
                Who::Guest { identity, name } => {
                    identities.authenticate(identity, name.clone(), clock.now()).await
                }
                Who::Account(session) => self.of_account(*session).await,
                Who::Token(token) => self.of_token(*token).await,
            };
            let authenticated = found.map_err(|refusal| {
                if refusal.reason == Reason::IdentityReplaced {
                    CommandError::RefusedAndClosed(refusal, CloseReason::IDENTITY_REPLACED)
                } else if matches!(refusal.reason, Reason::SignedOut | Reason::WrongToken) {
                    CommandError::RefusedAndClosed(refusal, CloseReason::SIGNED_OUT)
                } else {
                    refusal.into()
                }
            })?;
            let following = blocks.around(&authenticated.member.id).await?;
            self.outbox.set_blocks(Arc::clone(following.own()));
            self.blocks = Some(following);
            let login = Login {
                session: self.id,
                account: authenticated.account,
                is_token: authenticated.scopes.is_some(),
                ending: self.login.clone(),
                outbox: self.outbox.clone(),
            };
            if logins.enter(&authenticated.member, login, replacements) {
                return Ok(authenticated);
            }
        }
        Err(Refusal::new(Reason::Busy).into())
    }

    /// The member who is signed in by this session of an account.
    async fn of_account(&self, session: KeyHash) -> Result<Authenticated, Refusal> {
        let found = self.server.accounts.of_session(session, self.address).await?;
        let SignedIn { account, .. } = found.ok_or_else(|| Refusal::new(Reason::SignedOut))?;
        let member = Member::person(account.member, account.name);
        let hash = account.hash;
        let guests = self.server.accounts.guests_of(&member.id).await?;
        let (account, owner) = (Some(session), None);
        Ok(Authenticated { member, hash, account, owner, scopes: None, guests })
    }

    /// The member that a token speaks for.
    async fn of_token(&self, token: KeyHash) -> Result<Authenticated, Refusal> {
        let found = self.server.accounts.of_token(token, self.address).await?;
        let TokenHolder { account, hash: token, scopes } = found;
        let Account { member: id, name, hash, owner, .. } = account;
        let member = Member { bot: owner.is_some(), ..Member::person(id, name) };
        let guests = self.server.accounts.guests_of(&member.id).await?;
        let (account, scopes) = (Some(token), Some(scopes));
        Ok(Authenticated { member, hash, account, owner, scopes, guests })
    }

    /// A client may repeat the command over another session that already uses the new identity.
    async fn replace_identity(
        &mut self,
        mut identity: Authenticated,
        id: &CommandId,
        replacement: &Identity,
    ) -> CommandResult {
        no_account(&identity)?;
        let new = ids::identity_hash(replacement);
        if new != identity.hash {
            self.server.identities.replace(&identity, new).await?;
            self.server.logins.end_others(&identity.member.id, self.id);
            identity.hash = new;
            self.outbox.identify(new);
            self.identity = Some(identity);
        }
        Ok(Some(Message::Done { id: id.clone(), seq: None }))
    }

    async fn lobby(
        &mut self,
        identity: Authenticated,
        id: &CommandId,
        request: LobbyRequest,
    ) -> CommandResult {
        let kind = (&request).into();
        match request {
            LobbyRequest::Hello { .. } => Err(Refusal::new(Reason::AlreadyGreeted).into()),
            LobbyRequest::SetName { name } => self.set_name(identity, id, name).await,
            LobbyRequest::ReplaceIdentity { identity: replacement } => {
                self.replace_identity(identity, id, &replacement).await
            }
            LobbyRequest::Create(create) => self.create(identity.member, id, create).await,
            LobbyRequest::Rooms => {
                let mut list = self.server.lobby.list().await;
                list.hide(|member| !self.outbox.meets(member));
                Ok(Some(Message::Rooms { id: id.clone(), rooms: list.rooms, total: list.total }))
            }
            LobbyRequest::OwnRooms => Ok(Some(self.own_rooms(&identity.member, id).await)),
            LobbyRequest::Join { room, after } => {
                let handle = self.find(&room).await?;
                let member = self.member_in(identity.member, &handle).await?;
                self.enter(member, id, handle, after)
            }
            LobbyRequest::Leave { room } => {
                let input = Input::Leave { session: self.id, command: Some(id.clone()) };
                self.pass_on_from_lobby(&room, input).await?;
                self.rooms.remove(&room);
                Ok(None)
            }
            LobbyRequest::Close { room } => self.close(identity.member, id, &room).await,
            LobbyRequest::Ping => Ok(Some(self.pong(id))),
            LobbyRequest::Seek { wanted, engine } => {
                let request = PairingRequest::Seek { wanted, engine };
                self.pass_to_pairing(identity, id, kind, request).await
            }
            LobbyRequest::Challenge { to, settings, engine } => {
                let to = self.addressee(to, &identity).await;
                let request = PairingRequest::Challenge { to, settings, engine };
                self.pass_to_pairing(identity, id, kind, request).await
            }
            LobbyRequest::AcceptSeek { seek, engine } => {
                let request = PairingRequest::Accept { seek, engine };
                self.pass_to_pairing(identity, id, kind, request).await
            }
            LobbyRequest::DeclineChallenge { seek } => {
                self.pass_to_pairing(identity, id, kind, PairingRequest::Decline(seek)).await
            }
            LobbyRequest::CancelSeek { seek } => {
                self.pass_to_pairing(identity, id, kind, PairingRequest::Cancel(seek)).await
            }
            LobbyRequest::WatchLobby => {
                self.pass_to_pairing(identity, id, kind, PairingRequest::Watch).await
            }
            LobbyRequest::UnwatchLobby => {
                self.pass_to_pairing(identity, id, kind, PairingRequest::Unwatch).await
            }
        }
    }

    async fn set_name(
        &mut self,
        mut identity: Authenticated,
        id: &CommandId,
        name: Name,
    ) -> CommandResult {
        no_account(&identity)?;
        may_be_called(&name)?;
        let name = self.server.identities.name_of_guest(&identity.member.id, name).await?;
        let renamings = self.rooms.prepare_renaming(self.id, &name)?;
        identity.member.name = name;
        if let Err(error) = self.server.identities.update(&identity, self.server.clock.now()).await
        {
            tracing::warn!(%error, "the name of a member is not stored");
            return Err(Refusal::new(Reason::Unavailable).into());
        }
        for renaming in renamings {
            renaming.send();
        }
        self.server.logins.rename(&identity.member);
        self.identity = Some(identity);
        Ok(Some(Message::Done { id: id.clone(), seq: None }))
    }

    async fn own_rooms(&self, member: &Member, id: &CommandId) -> Message {
        let rooms = self.server.lobby.own_rooms_of(&member.id, self.outbox.own_ids());
        let rooms = Box::pin(rooms).await;
        Message::OwnRooms { id: id.clone(), rooms }
    }

    async fn close(
        &mut self,
        mut member: Member,
        id: &CommandId,
        room: &RoomCode,
    ) -> CommandResult {
        if self.outbox.own_ids().is_some() {
            let handle = self.find(room).await?;
            member = self.member_in(member, &handle).await?;
        }
        let input = Input::Close { session: self.id, member: member.id, command: id.clone() };
        self.pass_on_from_lobby(room, input).await?;
        Ok(None)
    }

    async fn create(&mut self, member: Member, id: &CommandId, create: Create) -> CommandResult {
        if self.server.draining.is_cancelled() {
            return Err(CloseReason::RESTART.into());
        }
        self.rooms.may_join(None)?;
        let lobby = &self.server.lobby;
        let has_account = self.identity.as_ref().is_some_and(|own| own.account.is_some());
        // This command may have made a room before, which another node owns or which sleeps. If it is refused, the
        // client sends it again with a new id, and has two rooms.
        let may_be_made = lobby.is_clustered() || create.time.is_daily();
        let made = lobby.create(member.clone(), self.address, has_account, id.clone(), create);
        let made = Box::pin(made).await;
        let room = match made {
            Err(refusal)
                if may_be_made && matches!(refusal.reason, Reason::Unavailable | Reason::Busy) =>
            {
                return Err(CloseReason::RESTART.into());
            }
            made => made?,
        };
        self.enter(member, id, room, None)
    }

    fn enter(
        &mut self,
        member: Member,
        id: &CommandId,
        room: RoomHandle,
        after: Option<u64>,
    ) -> CommandResult {
        self.rooms.may_join(Some(room.code()))?;
        let is_own = self.identity.as_ref().is_some_and(|own| own.member.id == member.id);
        let outbox = if is_own { self.outbox.clone() } else { self.outbox.of_guest() };
        // What the client has may be from before it was this player.
        let after = after.filter(|_| is_own);
        let input = Input::Enter { session: self.id, member, command: id.clone(), after };
        self.rooms.enter(room, input, outbox)?;
        Ok(None)
    }

    /// The member that the session is in a room: the guest of its account who has a place there, if one
    /// has, with the account's name.
    async fn member_in(&self, member: Member, room: &RoomHandle) -> Result<Member, CommandError> {
        let Some(own) = self.outbox.own_ids() else { return Ok(member) };
        match Box::pin(self.server.lobby.place_of(own, room)).await {
            Ok(place) => Ok(Member { id: place.unwrap_or_else(|| member.id.clone()), ..member }),
            // Who plays must not come in as a spectator. The client comes back, and asks again.
            Err(refusal) if refusal.reason == Reason::Unavailable => {
                Err(CloseReason::RESTART.into())
            }
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// Passes a command to a room, which answers it even if the session is not in the room. Never
    /// awaits, so rooms of other nodes are known only to sessions that are in them.
    fn pass_on(&mut self, code: &RoomCode, input: Input) -> Result<(), CommandError> {
        if let Some((room, outbox)) = self.rooms.outbox(code) {
            return Ok(post(room, Envelope::Session { input, outbox })?);
        }
        let found = if self.rooms.contains(code) {
            self.server.lobby.find_here(code)?
        } else {
            let now = Instant::now();
            self.rates.may_look_up(now)?;
            let found = self.server.lobby.find_here(code);
            self.rates.note_look_up(now, found)?
        };
        self.post(&found, input)
    }

    /// The same for a room on any node.
    async fn pass_on_from_lobby(
        &mut self,
        code: &RoomCode,
        input: Input,
    ) -> Result<(), CommandError> {
        if self.rooms.outbox(code).is_some() {
            return self.pass_on(code, input);
        }
        let room = self.find(code).await?;
        self.post(&room, input)
    }

    fn post(&self, room: &RoomHandle, input: Input) -> Result<(), CommandError> {
        let outbox = Arc::new(self.outbox.clone());
        Ok(post(room, Envelope::Session { input, outbox })?)
    }

    async fn find(&mut self, code: &RoomCode) -> Result<RoomHandle, CommandError> {
        let lobby = &self.server.lobby;
        if self.rooms.contains(code) {
            return Ok(lobby.find(code).await?);
        }
        let now = Instant::now();
        self.rates.may_look_up(now)?;
        let found = lobby.find(code).await;
        self.rates.note_look_up(now, found)
    }
}

/// Who a session says that it is.
enum Who {
    Guest { identity: Identity, name: Option<Name> },
    Account(KeyHash),
    Token(KeyHash),
}

/// Refuses a client of another version of the protocol.
fn check_version(protocol: u32) -> Result<(), CommandError> {
    if protocol == protocol::VERSION {
        return Ok(());
    }
    let values = RefusalValues { version: Some(protocol::VERSION), ..RefusalValues::default() };
    let refusal = Refusal::with(Reason::Version, values);
    Err(CommandError::RefusedAndClosed(refusal, CloseReason::VERSION))
}

/// Refuses to change an account, which is done over HTTP.
fn no_account(identity: &Authenticated) -> Result<(), Refusal> {
    match identity.account {
        Some(_) => Err(Refusal::new(Reason::AccountSetting)),
        None => Ok(()),
    }
}

/// Checks that a person may use this name.
fn may_be_called(name: &Name) -> Result<(), Refusal> {
    if name.looks_like_bot() {
        return Err(Refusal::new(Reason::NameLooksLikeBot));
    }
    Ok(())
}

/// Whether this is a request of a session that only watches.
const fn only_watches(request: &Request) -> bool {
    matches!(request, Request::Lobby(LobbyRequest::Join { .. } | LobbyRequest::Leave { .. }))
}
