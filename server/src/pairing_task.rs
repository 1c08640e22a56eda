//! The task that pairs people: it owns the [`Pairing`], gives it the commands of sessions and the ends of
//! games, and performs its effects.
//!
//! It never waits for a room, the disk or a socket. Rooms are made beside it, and sessions take messages
//! from their outboxes.

mod challenges;
mod watchers;

use std::{
    collections::{HashMap, VecDeque},
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use fivefold_shared::{
    protocol::{
        Addressee, CommandId, GameSettings, MemberId, Message, Player, Reason, Refusal, SeekId,
        Wanted,
    },
    room::{Member, SessionId},
    seat::{BySeat, Seat},
};
use futures_util::{StreamExt, stream::FuturesUnordered};
use tokio::{
    sync::mpsc::{self, error::TrySendError},
    time::{MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;

use self::{challenges::ChallengeLimits, watchers::Watchers};
use crate::{
    address_limits::AddressLimits,
    clock::Clock,
    ids,
    limits::{PAIRING_INPUTS_MAX, PAIRING_INTERVAL},
    lobby::{Lobby, NotPaired, PairedRoom},
    logins::{Login, Logins},
    metrics::Metrics,
    outbox::{Outbox, encode},
    paired_games::PairedGame,
    pairing::{Answer, Effect, Input, NewPair, Pairing, Rating, Seeker},
    pools::Pools,
    storage::{KnownMember, Playing},
};

/// Gives sessions access to the pairing; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct PairingHandle(mpsc::Sender<Box<PairingCommand>>);

/// A command of a session for the pairing.
#[derive(Debug)]
pub(crate) struct PairingCommand {
    pub(crate) id: CommandId,
    /// Metric label.
    pub(crate) kind: &'static str,
    pub(crate) member: Member,
    pub(crate) session: SessionId,
    pub(crate) address: IpAddr,
    pub(crate) outbox: Outbox,
    pub(crate) request: PairingRequest,
}

/// A request that the pairing answers.
#[derive(Debug)]
pub(crate) enum PairingRequest {
    Seek { wanted: Wanted, engine: bool },
    Challenge { to: Addressee, settings: GameSettings, engine: bool },
    Accept { seek: SeekId, engine: bool },
    Decline(SeekId),
    Cancel(SeekId),
    Watch,
    Unwatch,
}

/// What the task needs from the server around it.
#[derive(Debug)]
pub(crate) struct PairingContext {
    pub(crate) lobby: Arc<Lobby>,
    pub(crate) logins: Arc<Logins>,
    pub(crate) address_limits: Arc<AddressLimits>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) clock: Clock,
    /// Cancelled when the server takes no new rooms.
    pub(crate) draining: CancellationToken,
}

/// The task.
pub(crate) struct PairingTask {
    commands: mpsc::Receiver<Box<PairingCommand>>,
    pairing: Pairing,
    context: PairingContext,
    /// The sessions that may have seeks.
    sessions: HashMap<SessionId, Seeking>,
    /// The rooms that are being stored.
    making: FuturesUnordered<Making>,
    challenges: ChallengeLimits,
    watchers: Watchers,
}

/// A session that has sent a command.
struct Seeking {
    member: Member,
    address: IpAddr,
    outbox: Outbox,
    /// Commands that are not answered yet, with their metric labels.
    unanswered: HashMap<CommandId, &'static str>,
}

/// Waits until a room is stored, or cannot be.
type Making = Pin<Box<dyn Future<Output = Vec<Input>> + Send>>;

impl PairingHandle {
    /// Passes a command on, unless too many wait.
    pub(crate) fn send(&self, command: PairingCommand) -> Result<(), Refusal> {
        self.0.try_send(Box::new(command)).map_err(|error| match error {
            TrySendError::Full(_) => Refusal::new(Reason::Busy),
            TrySendError::Closed(_) => Refusal::new(Reason::Stopping),
        })
    }

    /// A handle, and what comes over it.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Box<PairingCommand>>) {
        let (sender, receiver) = mpsc::channel(PAIRING_INPUTS_MAX);
        (Self(sender), receiver)
    }
}

impl PairingTask {
    pub(crate) fn new(
        commands: mpsc::Receiver<Box<PairingCommand>>,
        pools: Pools,
        context: PairingContext,
    ) -> Self {
        Self {
            commands,
            pairing: Pairing::new(pools),
            context,
            sessions: HashMap::new(),
            making: FuturesUnordered::new(),
            challenges: ChallengeLimits::default(),
            watchers: Watchers::default(),
        }
    }

    /// Pairs people until the server stops.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        let lobby = Arc::clone(&self.context.lobby);
        let mut rounds = interval(PAIRING_INTERVAL);
        rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                Some(inputs) = self.making.next(), if !self.making.is_empty() => {
                    inputs.into_iter().for_each(|input| self.apply(input));
                }
                () = lobby.paired_games().ended() => self.take_ends(),
                _ = rounds.tick() => self.round(),
                Some(command) = self.commands.recv() => self.take(*command),
            }
        }
    }

    fn take_ends(&mut self) {
        for end in self.context.lobby.paired_games().take_ends() {
            if end.aborted_by.is_some() {
                self.context.metrics.pairing.aborted.inc();
            }
            self.apply(Input::GameOver { room: end.room, aborted_by: end.aborted_by });
        }
    }

    fn round(&mut self) {
        let is_gone = |(_, seeking): &(&SessionId, &Seeking)| seeking.outbox.is_closed();
        let gone: Vec<_> = self.sessions.iter().filter(is_gone).map(|(id, _)| *id).collect();
        for session in gone {
            self.note_gone(session);
        }
        if !self.context.draining.is_cancelled() {
            let began = Instant::now();
            self.apply(Input::Tick);
            self.context.metrics.pairing.round.observe(began.elapsed().as_secs_f64());
        }
        self.context.metrics.pairing.note_seeks(self.pairing.count());
        let now = self.context.clock.now();
        self.watchers.update(now, &self.pairing, self.context.lobby.paired_games());
    }

    fn note_gone(&mut self, session: SessionId) {
        let Some(Seeking { member, .. }) = self.sessions.remove(&session) else { return };
        self.apply(Input::Gone { member: member.id, session });
    }

    fn take(&mut self, command: PairingCommand) {
        // Who asks may have learned of the end of a game.
        self.take_ends();
        let PairingCommand { id, kind, member, session, address, outbox, request } = command;
        let seeking = Seeking { member, address, outbox, unanswered: HashMap::new() };
        let seeking = self.sessions.entry(session).or_insert(seeking);
        seeking.unanswered.insert(id.clone(), kind);
        let member = seeking.member.clone();
        match self.request(member, session, address, &id, request) {
            Ok(Some(input)) => self.apply(input),
            Ok(None) => {}
            Err(refusal) => self.answer(session, id, Answer::Refused(refusal)),
        }
    }

    /// What a request is to the pairing, if it is for the pairing at all.
    fn request(
        &mut self,
        member: Member,
        session: SessionId,
        address: IpAddr,
        id: &CommandId,
        request: PairingRequest,
    ) -> Result<Option<Input>, Refusal> {
        let command = id.clone();
        let seeker = |engine| {
            let (member, name) = (member.id.clone(), member.name.clone());
            let rating = Rating::UNRATED;
            Seeker { member, name, engine, session, command: id.clone(), rating }
        };
        Ok(Some(match request {
            PairingRequest::Seek { wanted, engine } => {
                if self.is_playing(&member, session, id) {
                    return Ok(None);
                }
                if !self.pairing.knows(&member.id, id) {
                    self.context.lobby.may_seek(address)?;
                }
                Input::Seek { by: seeker(engine), id: ids::seek_id(), wanted }
            }
            PairingRequest::Challenge { to, settings, engine } => {
                if self.is_playing(&member, session, id) {
                    return Ok(None);
                }
                let to = self.addressee(to)?;
                if !self.pairing.knows(&member.id, id) {
                    self.may_challenge(&member, address)?;
                }
                Input::Challenge { by: seeker(engine), id: ids::seek_id(), to, settings }
            }
            PairingRequest::Accept { seek, engine } => {
                if self.is_playing(&member, session, id) {
                    return Ok(None);
                }
                Input::Accept { by: seeker(engine), seek }
            }
            PairingRequest::Decline(seek) => {
                Input::Decline { member: member.id, session, command, seek }
            }
            PairingRequest::Cancel(seek) => {
                Input::Cancel { member: member.id, session, command, seek }
            }
            PairingRequest::Watch => {
                self.watch(&member, session, command);
                return Ok(None);
            }
            PairingRequest::Unwatch => {
                self.watchers.remove(session);
                self.answer(session, command, Answer::Done);
                return Ok(None);
            }
        }))
    }
}

impl PairingTask {
    /// Answers a member who plays in a paired room already. Returns whether they do.
    fn is_playing(&mut self, member: &Member, session: SessionId, command: &CommandId) -> bool {
        if self.pairing.is_being_paired(&member.id) {
            return false;
        }
        let playing = self.context.lobby.paired_games().of(&member.id);
        let Some(Playing { member, room, seat }) = playing else { return false };
        self.answer(session, command.clone(), Answer::Done);
        self.send(session, &Message::Paired { seek: None, room: room.clone(), seat });
        self.apply(Input::Playing { member, room, seat });
        true
    }

    /// The member who is challenged.
    fn addressee(&self, to: Addressee) -> Result<MemberId, Refusal> {
        match to {
            Addressee::Name(name) => self.context.logins.find(&name),
            Addressee::Member(member) if self.context.logins.of(&member).is_empty() => {
                Err(Refusal::new(Reason::NobodyOnline))
            }
            Addressee::Member(member) => Ok(member),
        }
    }

    /// Takes a challenge from the allowances of the member and of the address.
    fn may_challenge(&mut self, member: &Member, address: IpAddr) -> Result<(), Refusal> {
        let now = tokio::time::Instant::now();
        let of_address = self.context.address_limits.of(address, now);
        if self.challenges.take(&member.id, now) && of_address.take_challenge(now) {
            return self.context.lobby.may_seek(address);
        }
        Err(Refusal::new(Reason::TooManyChallenges))
    }

    /// Sends the lobby, and what the member has missed before this session began.
    fn watch(&mut self, member: &Member, session: SessionId, id: CommandId) {
        let Some(seeking) = self.sessions.get(&session) else { return };
        let now = self.context.clock.now();
        let games = self.context.lobby.paired_games();
        let outbox = seeking.outbox.clone();
        let (pools, seeks) = self.watchers.add(session, outbox, now, &self.pairing, games);
        self.reply(session, &Message::Lobby { id, pools, seeks });
        for (challenge, until) in self.pairing.challenges_for(&member.id) {
            let for_ms = until.saturating_sub(now);
            self.send(session, &Message::Challenged { challenge, for_ms });
        }
    }

    fn apply(&mut self, input: Input) {
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            for effect in self.pairing.apply(self.context.clock.now(), input) {
                self.perform(effect, &mut inputs);
            }
        }
    }

    fn perform(&mut self, effect: Effect, inputs: &mut VecDeque<Input>) {
        match effect {
            Effect::Answer { session, command, answer } => self.answer(session, command, answer),
            Effect::Make(pair) => {
                let number = pair.number;
                match self.make(pair) {
                    Ok(making) => self.making.push(making),
                    Err(not_made) => {
                        let refusal = match not_made {
                            NotMade::Gone(gone) => {
                                inputs.extend(gone);
                                Refusal::new(Reason::NoSuchSeek)
                            }
                            NotMade::Lobby(NotPaired::Playing(Playing { member, room, seat })) => {
                                inputs.push_back(Input::Playing { member, room, seat });
                                Refusal::new(Reason::NoSuchSeek)
                            }
                            NotMade::Lobby(NotPaired::Refused(refusal)) => refusal,
                        };
                        self.context.metrics.pairing.not_made.inc();
                        // Before what follows from the reason.
                        inputs.push_front(Input::NotMade { pair: number, refusal });
                    }
                }
            }
            Effect::Paired { session, seek, room, seat } => {
                self.send(session, &Message::Paired { seek, room, seat });
            }
            Effect::Over { session, seek, why } => {
                self.send(session, &Message::SeekOver { seek, why });
            }
            Effect::Challenged { to, challenge, for_ms } => {
                self.send_all(&to, &Message::Challenged { challenge, for_ms }, None);
            }
            Effect::ChallengeOver { to, seek, why, except } => {
                self.send_all(&to, &Message::SeekOver { seek, why }, except);
            }
        }
    }

    /// Makes the room of a pair.
    fn make(&mut self, pair: NewPair) -> Result<Making, NotMade> {
        let NewPair { number, settings, players, waited_ms } = pair;
        let gone: Vec<_> = Seat::BOTH
            .into_iter()
            .map(|seat| &players[seat])
            .filter(|seeker| {
                let seeking = self.sessions.get(&seeker.session);
                seeking.is_none_or(|seeking| seeking.outbox.is_closed())
            })
            .map(|Seeker { member, session, .. }| Input::Gone {
                member: member.clone(),
                session: *session,
            })
            .collect();
        let [Some(first), Some(second)] =
            Seat::BOTH.map(|seat| self.sessions.get(&players[seat].session))
        else {
            return Err(NotMade::Gone(gone));
        };
        if !gone.is_empty() {
            return Err(NotMade::Gone(gone));
        }
        let now = self.context.clock.now();
        let known = |seeker: &Seeker, seeking: &Seeking| {
            let (id, name) = (seeker.member.clone(), seeker.name.clone());
            Some(KnownMember { id, hash: seeking.outbox.identity()?, name, seen_at: now })
        };
        let members = [known(&players.first, first), known(&players.second, second)];
        let ids =
            BySeat { first: players.first.member.clone(), second: players.second.member.clone() };
        let room = PairedRoom {
            game: PairedGame { settings, players: ids },
            players: BySeat { first: player(players.first), second: player(players.second) },
            members: members.into_iter().flatten().collect(),
            address: first.address,
        };
        let (room, stored) = self.context.lobby.pair(room)?;
        for seat in Seat::BOTH {
            let waited = Duration::from_millis(waited_ms[seat]);
            self.context.metrics.pairing.wait.observe(waited.as_secs_f64());
        }
        let metrics = Arc::clone(&self.context.metrics);
        Ok(Box::pin(async move {
            let (reason, playing) = match stored.await {
                Ok(Ok(())) => {
                    metrics.pairing.paired.inc();
                    return vec![Input::Made { pair: number, room }];
                }
                Ok(Err(Playing { member, room, seat })) => {
                    (Reason::NoSuchSeek, Some(Input::Playing { member, room, seat }))
                }
                Err(_) => (Reason::Unavailable, None),
            };
            metrics.pairing.not_made.inc();
            let not_made = Input::NotMade { pair: number, refusal: Refusal::new(reason) };
            [not_made].into_iter().chain(playing).collect()
        }))
    }

    fn answer(&mut self, session: SessionId, id: CommandId, answer: Answer) {
        let message = match answer {
            Answer::Seeking { seek, waited_ms } => Message::Seeking { id, seek, waited_ms },
            Answer::Done => Message::Done { id, seq: None },
            Answer::Refused(refusal) => Message::Refused { id: Some(id), refusal },
        };
        self.reply(session, &message);
    }

    /// Sends the reply to a command.
    fn reply(&mut self, session: SessionId, message: &Message) {
        let kind = message.answers().and_then(|id| {
            self.sessions.get_mut(&session).and_then(|seeking| seeking.unanswered.remove(id))
        });
        if let Some(kind) = kind {
            self.context.metrics.answered(kind, message);
        }
        self.send(session, message);
    }

    /// Sends a message to a session, unless it has ended. Its member comes back and asks again.
    fn send(&self, session: SessionId, message: &Message) {
        if let Some(seeking) = self.sessions.get(&session) {
            seeking.outbox.post(encode(message));
        }
    }

    fn send_all(&self, member: &MemberId, message: &Message, except: Option<SessionId>) {
        let text = encode(message);
        for Login { session, outbox, .. } in self.context.logins.of(member) {
            if Some(session) != except {
                outbox.post(text.clone());
            }
        }
    }
}

/// Why no room was made for a pair.
enum NotMade {
    /// The session of a player has ended.
    Gone(Vec<Input>),
    Lobby(NotPaired),
}

impl From<NotPaired> for NotMade {
    fn from(not_paired: NotPaired) -> Self {
        Self::Lobby(not_paired)
    }
}

fn player(Seeker { member, name, engine, .. }: Seeker) -> Player {
    Player::Member { member, name, engine }
}
