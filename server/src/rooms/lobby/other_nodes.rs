//! The lobby and the other nodes: finds their rooms, relays them here, and hands out what comes from other
//! nodes.

use std::{collections::BTreeSet, sync::Arc};

use fivefold_shared::{
    protocol::{MemberId, Name, Reason, Refusal, RoomCode},
    room::{Entry, Spare},
};
use fivefold_storage::{DailyNews, Epoch, MadeRoom, NodeId};
use futures_util::future::join_all;
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio_util::task::TaskTracker;

use super::{
    Knowledge, Lobby, Maker, RoomHandle, lists_of_other_versions::KnownOnly, lock, maker_of,
    no_such_room, room_list::RoomList,
};
use crate::{
    cluster::{
        Cluster, ForPairing, FromOwner,
        frame::{AddressUse, Frame, News, Question, ToOwner, ToRelay, Unknown, decode},
    },
    limits::MAILBOX_INPUTS_MAX,
    moderation::{Moderation, blocks::Blocks},
    online::{logins::Logins, outbox::refuse},
    process::read_pool::ReadError,
    rooms::{
        daily_news::inputs_of,
        directory::Listed,
        rated_positions::RatedPositions,
        relay::{Claim, Next, Relay, RelayedSeats},
        room_actor::{self, Envelope, Mailbox, Opened},
    },
    transport::link::FromPeer,
};

/// The parts of the server that know people, and hear what other nodes say about them. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct People {
    pub(crate) logins: Arc<Logins>,
    pub(crate) blocks: Arc<Blocks>,
    pub(crate) moderation: Arc<Moderation>,
    pub(crate) rated: Arc<RatedPositions>,
}

impl Lobby {
    /// Finds the room with this code, on any node.
    ///
    /// # Errors
    /// If there is none, or it cannot be looked up.
    pub(crate) async fn find(self: &Arc<Self>, code: &RoomCode) -> Result<RoomHandle, Refusal> {
        let Some(cluster) = &self.context.cluster else {
            return Box::pin(self.find_alone(code)).await;
        };
        if !cluster.node.is_current() {
            // The room may have another owner.
            return Err(Refusal::new(Reason::Unavailable));
        }
        match self.find_here(code) {
            Err(refusal) if refusal.reason == Reason::NoSuchRoom => {}
            found => return found,
        }
        let wanted = code.clone();
        // Many may come at once where nobody of this node was before. Each session waits for one read.
        match cluster.rooms.read(move |rooms| rooms.is_open(&wanted)).await {
            Ok(true) => Ok(self.relay(code, cluster)),
            Ok(false) => Err(no_such_room()),
            Err(error) => Err(ReadError::from(error).into()),
        }
    }

    /// The rooms among these that other nodes own. If the member has too many to make one more, and
    /// none here can be spared, another node closes one that it can spare.
    pub(super) async fn made_elsewhere(
        &self,
        cluster: &Cluster,
        maker: &MemberId,
        mut made: Vec<MadeRoom>,
    ) -> Vec<MadeRoom> {
        made.retain(|room| room.owner.is_some_and(|owner| owner != self.context.node));
        let has_place = {
            let own = lock(&self.makers).rooms_of(maker);
            own.len() + made.len() < self.context.limits.rooms_per_identity_max
                || self.least_needed(&own, |spare, _| spare <= Spare::Over).is_some()
        };
        if has_place {
            return made;
        }
        let owners: BTreeSet<_> = made.iter().filter_map(|room| room.owner).collect();
        for owner in owners {
            let question = Question::MakePlace { maker: maker.clone() };
            if cluster.ask(owner, question).await == Some(true)
                && let Some(index) = made.iter().position(|room| room.owner == Some(owner))
            {
                made.remove(index);
                break;
            }
        }
        made
    }

    /// The members of this name who are online at other nodes; a node that does not answer soon is left
    /// out.
    pub(crate) async fn named_elsewhere(&self, name: &Name) -> Vec<MemberId> {
        let Some(cluster) = &self.context.cluster else { return Vec::new() };
        let named: Vec<Vec<MemberId>> =
            cluster.ask_all(&Question::Named { name: name.clone() }).await;
        named.into_iter().flatten().collect()
    }

    /// The same for one member.
    pub(crate) async fn is_online_elsewhere(&self, member: &MemberId) -> bool {
        let Some(cluster) = &self.context.cluster else { return false };
        let question = Question::IsOnline { member: member.clone() };
        cluster.ask_all::<bool>(&question).await.contains(&true)
    }

    /// Closes the room here that its maker can spare most easily. Returns whether there is one.
    fn close_least_needed(&self, maker: &MemberId) -> bool {
        let mut makers = lock(&self.makers);
        let own = makers.rooms_of(maker);
        let Some(room) = self.least_needed(&own, |spare, _| spare <= Spare::Over) else {
            return false;
        };
        let is_evicted = room.listed().is_some_and(|listed| listed.evict());
        if is_evicted {
            self.close_evicted(&mut makers, &room);
        }
        is_evicted
    }

    /// Relays a room to its owner, until this node owns it or it is not needed here any more.
    fn relay(self: &Arc<Self>, code: &RoomCode, cluster: &Arc<Cluster>) -> RoomHandle {
        match self.begin_relay(code, cluster, None) {
            Ok(room) | Err(room) => room,
        }
    }

    /// The same with a claim that is under way.
    ///
    /// # Errors
    /// The room, if it is known here: a room has one task on a node, which alone claims it.
    pub(super) fn begin_relay(
        self: &Arc<Self>,
        code: &RoomCode,
        cluster: &Arc<Cluster>,
        claim: Option<Claim>,
    ) -> Result<RoomHandle, RoomHandle> {
        let seats = RelayedSeats::default();
        let (handle, envelopes) = self.begin(code, Some(seats.clone()))?;
        let (context, cluster) = (Arc::clone(&self.context), Arc::clone(cluster));
        let relay = Relay::new(code.clone(), context, cluster, seats, claim);
        let (lobby, room) = (Arc::clone(self), handle.clone());
        self.tasks.spawn(async move { lobby.run_relay(relay, room, envelopes).await });
        Ok(handle)
    }

    /// Adds a room whose task is about to begin, and returns the mailbox for that.
    ///
    /// # Errors
    /// The room, if it is known here already.
    pub(super) fn begin(
        &self,
        code: &RoomCode,
        seats: Option<RelayedSeats>,
    ) -> Result<(RoomHandle, Mailbox), RoomHandle> {
        let (mailbox, envelopes) = mpsc::channel(MAILBOX_INPUTS_MAX);
        match self.rooms.entry(code.clone()) {
            dashmap::Entry::Occupied(room) => Err(room.get().clone()),
            dashmap::Entry::Vacant(place) => {
                let known = Arc::new(Knowledge { seats, ..Knowledge::default() });
                let room = RoomHandle { code: code.clone(), mailbox, known };
                place.insert(room.clone());
                Ok((room, envelopes))
            }
        }
    }

    async fn run_relay(self: Arc<Self>, relay: Relay, room: RoomHandle, mut mailbox: Mailbox) {
        let code = room.code.clone();
        let reason = match Box::pin(relay.run(&mut mailbox)).await {
            Next::Own { epoch, log, empty_since, news, handover } => {
                match self.take_over(&room, epoch, &log, empty_since, news) {
                    Ok((opened, listed)) => {
                        let opened = Opened { handover: Some(handover), ..opened };
                        return self.run(opened, mailbox, listed).await;
                    }
                    Err(problem) => Some(self.give_up(&code, &problem)),
                }
            }
            Next::Damaged(problem) => Some(self.give_up(&code, &problem)),
            Next::Over(reason) => Some(reason),
            Next::Stopped => None,
        };
        self.dismiss(&code, mailbox, reason).await;
    }

    /// Runs a room that this node has claimed.
    pub(super) async fn run(
        self: Arc<Self>,
        opened: Opened,
        mailbox: Mailbox,
        listed: Arc<Listed>,
    ) {
        let (context, code) = (Arc::clone(&self.context), opened.room.code().clone());
        let forget = move |damage| self.forget(&code, damage);
        Box::pin(room_actor::run(opened, mailbox, listed, context, forget)).await;
    }

    /// Forgets a room that does not run here, and answers those who wait for it.
    pub(super) async fn dismiss(
        &self,
        code: &RoomCode,
        mut mailbox: Mailbox,
        reason: Option<Reason>,
    ) {
        self.remove(code);
        mailbox.close();
        while let Some(envelope) = mailbox.recv().await {
            match *envelope {
                Envelope::Session { input, outbox } => match reason {
                    Some(reason) => refuse(&outbox, input.command_id(), reason),
                    None => outbox.restart(),
                },
                // The relay there asks the storage again.
                Envelope::Relay { node, attempt, .. } => self.reject(node, code, attempt),
                Envelope::Silent(_) => {}
            }
        }
    }

    /// A room is this node's from here on.
    pub(super) fn take_over(
        &self,
        room: &RoomHandle,
        epoch: Epoch,
        log: &[Entry],
        empty_since: Option<u64>,
        news: Vec<(MemberId, DailyNews)>,
    ) -> Result<(Opened, Arc<Listed>), String> {
        let (mut opened, cause) =
            Opened::from_log(&self.context, room.code.clone(), epoch, log, empty_since)?;
        if let Some(chat) = self.context.chats.take(&room.code, epoch) {
            opened.room.restore_chat(chat);
        }
        let maker = Maker::known_from_log(&opened.room, cause.member);
        let mut makers = lock(&self.makers);
        let listed = self.list_owned(&mut makers, &room.known, maker, cause.command, &opened);
        Ok((Opened { news: inputs_of(news), ..opened }, listed))
    }

    pub(super) fn give_up(&self, code: &RoomCode, problem: &str) -> Reason {
        self.set_aside(code.clone(), problem);
        Reason::RoomDamaged
    }

    /// Hands out what comes from the other nodes. Ends when nothing comes any more.
    pub(crate) async fn serve_peers(
        self: Arc<Self>,
        cluster: Arc<Cluster>,
        mut from_peers: mpsc::Receiver<FromPeer>,
        tasks: TaskTracker,
        people: People,
        note_use: impl Fn(NodeId, AddressUse),
    ) {
        while let Some(from_peer) = from_peers.recv().await {
            match from_peer {
                FromPeer::Frame { from, frame } => match decode(&frame) {
                    Ok(frame) => self.take_frame(&cluster, &people.logins, from, frame),
                    Err(error) => {
                        self.context.metrics.cluster.undecodable.inc();
                        let name = cluster.node.name_of(from);
                        tracing::warn!(node.id = %from, node.name = name, %error, "a frame is lost");
                        refuse_unknown(&cluster, from, &frame);
                    }
                },
                FromPeer::Reset(node) => {
                    cluster.pass_on_to_all(&FromOwner::Lost(node));
                    cluster.pass_on_to_pairing(ForPairing::Lost(node));
                    self.repeat_announcement(&cluster, &people);
                }
                FromPeer::Silent(node) => {
                    let name = cluster.node.name_of(node);
                    if cluster.node.is_living(node) {
                        tracing::warn!(node.id = %node, node.name = name, "a node is silent");
                    } else {
                        // It has stopped.
                        tracing::debug!(node.id = %node, node.name = name, "a node is silent");
                    }
                    cluster.note_silence(node, true);
                    cluster.pass_on_to_all(&FromOwner::Silent(node));
                    tasks.spawn(Arc::clone(&self).disconnect(node));
                }
                FromPeer::Present(node) => {
                    cluster.note_silence(node, false);
                    cluster.pass_on_to_all(&FromOwner::Present(node));
                    // It may have started since, or have missed it.
                    self.repeat_announcement(&cluster, &people);
                }
                FromPeer::Broadcast { from, message } => match decode(&message) {
                    Ok(news) => self.take_news(&cluster, &people, from, news, &note_use),
                    Err(_) => {
                        self.context.metrics.cluster.undecodable.inc();
                    }
                },
            }
        }
    }

    fn take_news(
        &self,
        cluster: &Cluster,
        people: &People,
        from: NodeId,
        news: News,
        note_use: &impl Fn(NodeId, AddressUse),
    ) {
        match news {
            News::Dead { node } => {
                if let Some(node) = NodeId::new(node) {
                    cluster.note_death(node);
                }
            }
            News::RoomsWanted => self.peer_lists.note_wanted(),
            News::DemoWanted => self.peer_lists.note_demo_wanted(),
            News::AddressUse(usage) => note_use(from, usage),
            News::Ended { member, ended } => people.logins.end(&member, ended),
            News::Blocked { member, other, kind, guests } => {
                people.blocks.note((&member, &other), kind, &guests);
            }
            News::GuestTaken { guest, account } => people.blocks.note_guest(&guest, &account),
            News::Moderated => people.moderation.look(),
            News::DailyGames => self.news.notify_one(),
            News::RatedPositions { positions } => people.rated.set_elsewhere(from, positions),
            News::Announced(announcement) => {
                let announcements = people.logins.announcements();
                announcements.take(announcement, |new| people.logins.announce(new));
            }
            News::ForAccount { member, text } => people.logins.tell(&member, text),
            News::Rooms { rooms, total, has_game } => match serde_json::from_str(&rooms) {
                Ok(KnownOnly(rooms)) => {
                    let total = usize::try_from(total).unwrap_or(usize::MAX);
                    self.peer_lists.note_list(from, RoomList { rooms, total, has_game });
                }
                Err(_) => {
                    self.context.metrics.cluster.undecodable.inc();
                }
            },
        }
    }

    /// Tells the other nodes the newest announcement again.
    fn repeat_announcement(&self, cluster: &Cluster, people: &People) {
        let newest = people.logins.announcements().newest(self.context.clock.now());
        if let Some(announcement) = newest {
            cluster.broadcast(&News::Announced(announcement));
        }
    }

    /// Answers a question of another node, as JSON.
    fn answer(&self, logins: &Logins, question: &Question) -> String {
        let text = match question {
            Question::OwnRooms { member } => serde_json::to_string(&self.own_rooms_here(member)),
            Question::Summary { room } => serde_json::to_string(&self.listed_room(room)),
            Question::Named { name } => serde_json::to_string(&logins.named(name)),
            Question::IsOnline { member } => serde_json::to_string(&logins.is_online(member)),
            Question::Presence { members } => {
                serde_json::to_string(&self.presence_here(logins, members))
            }
            Question::Status => serde_json::to_string(&self.status_here(logins)),
            Question::Pause { pauses } => {
                self.context.operation.pause(*pauses);
                serde_json::to_string(&true)
            }
            Question::OperatorLink { hash } => {
                serde_json::to_string(&self.context.operation.link.opens(*hash))
            }
            Question::MakePlace { maker } => serde_json::to_string(&self.close_least_needed(maker)),
            Question::ShortLived { key, access, now } => {
                serde_json::to_string(&logins.short_lived().access(*key, access, *now))
            }
        };
        text.expect("answers are plain data")
    }

    fn take_frame(
        self: &Arc<Self>,
        cluster: &Arc<Cluster>,
        logins: &Logins,
        from: NodeId,
        frame: Frame,
    ) {
        match frame {
            Frame::ToOwner { room, attempt, message } => {
                let handle = match self.find_here(&room) {
                    Ok(handle) => handle,
                    Err(refusal) => {
                        if refusal.reason == Reason::NoSuchRoom {
                            // The room may be this node's: by a claim that was in doubt.
                            self.relay(&room, cluster);
                        }
                        return self.reject(from, &room, attempt);
                    }
                };
                let envelope = Box::new(Envelope::Relay { node: from, attempt, message });
                match handle.mailbox.try_send(envelope) {
                    Ok(()) => {}
                    Err(TrySendError::Full(envelope)) => {
                        if !refuse_busy(cluster, &room, *envelope) {
                            self.reject(from, &room, attempt);
                        }
                    }
                    Err(TrySendError::Closed(_)) => self.reject(from, &room, attempt),
                }
            }
            Frame::ToRelay { room, attempt, message } => {
                cluster.pass_on(&room, FromOwner::Message { from, attempt, message });
            }
            Frame::Ask { number, question } => {
                cluster.reply(from, number, self.answer(logins, &question));
            }
            Frame::Reply { number, text } => cluster.note_reply(number, text),
            Frame::ToLeader { text } => {
                cluster.pass_on_to_pairing(ForPairing::ToLeader { from, text });
            }
            Frame::ToFront { text } => {
                cluster.pass_on_to_pairing(ForPairing::ToFront { from, text });
            }
            Frame::Take { room } => {
                // The offer may have been made before the other node knew that this one drains.
                if !cluster.leaves_rooms_to_others() {
                    self.relay(&room, cluster);
                }
            }
        }
    }

    fn reject(&self, node: NodeId, room: &RoomCode, attempt: u64) {
        if let Some(cluster) = &self.context.cluster {
            cluster.to_relay(node, room, attempt, ToRelay::Rejected);
        }
    }

    /// Lets the sessions of a silent node leave the rooms here.
    async fn disconnect(self: Arc<Self>, node: NodeId) {
        let is_owned = |room: &RoomHandle| !room.is_relayed();
        let owned = self.rooms.iter().filter(|room| is_owned(room)).map(|room| room.clone());
        let mut rooms: Vec<_> = owned.collect();
        // An order that does not change when a simulated day is repeated.
        rooms.sort_by(|one, other| maker_of(one).cmp(&maker_of(other)));
        let mailboxes = rooms.into_iter().map(|room| room.mailbox);
        let tell = |mailbox: mpsc::Sender<Box<Envelope>>| async move {
            // A room that has ended has no sessions.
            drop(mailbox.send(Box::new(Envelope::Silent(node))).await);
        };
        join_all(mailboxes.map(tell)).await;
    }
}

/// Answers a frame of a newer node that this one does not know, if somebody waits for an answer.
fn refuse_unknown(cluster: &Cluster, from: NodeId, frame: &[u8]) {
    match Unknown::of(frame) {
        Some(Unknown::Question { number }) => cluster.reply(from, number, String::new()),
        Some(Unknown::Command { room, attempt, session, command }) => {
            let answer = ToRelay::refusal(session, command, Reason::Unavailable);
            cluster.to_relay(from, &room, attempt, answer);
        }
        None => {}
    }
}

/// Refuses a command from another node because the room's mailbox is full. `false` if it is
/// none.
fn refuse_busy(cluster: &Cluster, room: &RoomCode, envelope: Envelope) -> bool {
    let Envelope::Relay { node, attempt, message: ToOwner::Input(input) } = envelope else {
        return false;
    };
    let (session, Some(id)) = input.address() else { return false };
    let answer = ToRelay::refusal(session.0, id.clone(), Reason::Busy);
    cluster.to_relay(node, room, attempt, answer);
    true
}
