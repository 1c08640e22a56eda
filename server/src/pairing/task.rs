//! The task that pairs people, on each node: the front of the node's sessions, and the leader, which
//! pairs the people of all nodes if this node leads. They send each other messages, here by function
//! calls and to other nodes by frames.
//!
//! It never waits for a room, the disk or a socket. Rooms are made beside it, and sessions take messages
//! from their outboxes.

mod challenges;
mod commands;
mod front;
mod leader;
mod messages;
mod own_seeks;
mod rooms;
#[cfg(test)]
mod tests;
mod watchers;

use std::{pin::Pin, sync::Arc, time::Instant};

use fivefold_shared::{
    protocol::{MemberId, Reason, Refusal},
    seat::Seat,
};
use fivefold_storage::{NodeId, Playing};
use futures_util::{StreamExt, stream::FuturesUnordered};
use serde::Serialize;
use tokio::{
    sync::mpsc,
    time::{MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;

pub(crate) use self::commands::{Challenged, PairingCommand, PairingHandle, PairingRequest};
use self::{
    challenges::ChallengeLimits,
    front::Front,
    leader::Leader,
    messages::{Mail, RunningGames, ToFront, ToLeader},
    rooms::{Made, RoomMaker},
};
use crate::{
    cluster::{Cluster, ForPairing},
    limits::{HEARTBEAT_INTERVAL, PAIRING_INTERVAL},
    metrics::Metrics,
    net::address_limits::AddressLimits,
    online::logins::Logins,
    pairing::{NewPair, SeekAim, Seeker, pools::Pools},
    process::clock::Clock,
    rooms::lobby::Lobby,
};

/// What the task needs from the server around it.
#[derive(Debug)]
pub(crate) struct PairingContext {
    pub(crate) lobby: Arc<Lobby>,
    pub(crate) logins: Arc<Logins>,
    pub(crate) address_limits: Arc<AddressLimits>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) clock: Clock,
    pub(crate) node: NodeId,
    /// The other nodes; absent on a node that is alone.
    pub(crate) cluster: Option<Arc<Cluster>>,
    /// Cancelled when the server takes no new rooms.
    pub(crate) draining: CancellationToken,
}

/// The task.
pub(crate) struct PairingTask {
    commands: mpsc::Receiver<Box<PairingCommand>>,
    /// What other nodes send. It never comes to an end on a node that is alone.
    from_nodes: mpsc::Receiver<ForPairing>,
    front: Front,
    leader: Leader,
    rooms: RoomMaker,
    pools: Pools,
    context: PairingContext,
    jobs: FuturesUnordered<Pin<Box<dyn Future<Output = Job> + Send>>>,
    /// Whether the storage is being asked about those who seek here.
    is_asking: bool,
    challenges: ChallengeLimits,
}

/// Something beside the task that has ended.
enum Job {
    /// A room for a pair, for the leader at this node.
    Room(NodeId, Box<Made>),
    /// Those who seek here, and their games, asked after so many doubts.
    Asked(u64, Vec<(MemberId, Option<Playing>)>),
}

impl PairingTask {
    pub(crate) fn new(
        commands: mpsc::Receiver<Box<PairingCommand>>,
        pools: Pools,
        context: PairingContext,
    ) -> Self {
        let PairingContext { lobby, logins, metrics, clock, node, cluster, .. } = &context;
        Self {
            commands,
            from_nodes: listen(cluster.as_deref()),
            front: Front::new(*node, Arc::clone(logins), Arc::clone(metrics)),
            leader: Leader::new(*node, pools.clone(), cluster.is_some()),
            rooms: RoomMaker::new(Arc::clone(lobby), Arc::clone(metrics), *clock),
            pools,
            jobs: FuturesUnordered::new(),
            is_asking: false,
            challenges: ChallengeLimits::default(),
            context,
        }
    }

    /// Pairs people until the server stops.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        let lobby = Arc::clone(&self.context.lobby);
        let is_clustered = self.context.cluster.is_some();
        let draining = self.context.draining.clone();
        let mut is_draining = false;
        let mut rounds = interval(PAIRING_INTERVAL);
        rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut looks = interval(HEARTBEAT_INTERVAL);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.look_around();
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = draining.cancelled(), if !is_draining => {
                    is_draining = true;
                    self.look_around();
                }
                Some(job) = self.jobs.next(), if !self.jobs.is_empty() => self.end_job(job),
                () = lobby.paired_games().ended() => self.take_ends(),
                _ = rounds.tick() => self.round(),
                _ = looks.tick(), if is_clustered => self.look_around(),
                from_node = self.from_nodes.recv(), if is_clustered => self.take(from_node),
                Some(command) = self.commands.recv() => self.take_command(*command),
            }
            self.deliver();
        }
    }

    fn take_ends(&mut self) {
        for end in self.context.lobby.paired_games().take_ends() {
            if end.aborted_by.is_some() {
                self.context.metrics.pairing.aborted.inc();
            }
            self.front.note_game_over(end.room, end.aborted_by);
        }
        self.deliver();
    }

    fn round(&mut self) {
        let now = self.context.clock.now();
        let is_clustered = self.context.cluster.is_some();
        let (lobby, pools) = (&self.context.lobby, &self.pools);
        // Without a watcher nobody needs the numbers.
        let games =
            |watches| if watches || is_clustered { games(lobby, pools) } else { Vec::new() };
        self.front.round(now, games);
        if self.context.lobby.is_paused() {
            // They come again, and learn that no games are begun here; or another node takes them.
            self.front.send_away();
        }
        self.deliver();
        let began = Instant::now();
        let pairs = !self.context.draining.is_cancelled();
        self.leader.round(now, pairs);
        if pairs {
            self.context.metrics.pairing.round.observe(began.elapsed().as_secs_f64());
        }
        self.ask_storage();
    }

    /// Takes in who leads, and which nodes live. A node that is about to stop sends those who seek to
    /// the others.
    fn look_around(&mut self) {
        let now = self.context.clock.now();
        let Some(cluster) = &self.context.cluster else {
            self.front.set_leader(now, Some(self.context.node));
            return;
        };
        let others = cluster.node.others().into_iter().collect();
        self.leader.note_living(now, &others);
        let is_draining = self.context.draining.is_cancelled();
        let before = self.front.leader();
        self.front.set_leader(now, cluster.leader());
        if is_draining {
            self.front.send_away();
        }
        if self.front.leader() != before {
            self.repair();
        }
    }

    fn take(&mut self, from_node: Option<ForPairing>) {
        let now = self.context.clock.now();
        match from_node {
            Some(ForPairing::ToLeader { from, text }) => match serde_json::from_str(&text) {
                Ok(message) => self.hand_to_leader(from, message),
                Err(error) => {
                    self.note_undecodable(from, &error);
                    if let (Some(answer), Some(cluster)) =
                        (ToFront::refusal_of_unknown(&text), &self.context.cluster)
                    {
                        cluster.to_front(from, encode(&answer));
                    }
                }
            },
            Some(ForPairing::ToFront { from, text }) => match serde_json::from_str(&text) {
                Ok(message) => self.hand_to_front(from, message),
                Err(error) => self.note_undecodable(from, &error),
            },
            Some(ForPairing::Lost(node)) => {
                self.front.note_lost(now, node);
                self.leader.note_lost(now, node);
                self.repair();
            }
            None => {
                // Too much waited here, and some of it is lost.
                self.context.metrics.cluster.pairing_overruns.inc();
                self.from_nodes = listen(self.context.cluster.as_deref());
                let others = self.context.cluster.iter().flat_map(|cluster| cluster.node.others());
                for node in others.collect::<Vec<_>>() {
                    self.front.note_lost(now, node);
                    self.leader.note_lost(now, node);
                }
                self.repair();
            }
        }
    }

    fn note_undecodable(&self, from: NodeId, error: &serde_json::Error) {
        self.context.metrics.cluster.undecodable.inc();
        tracing::warn!(node.id = %from, %error, "a message of the pairing is lost");
    }

    fn take_command(&mut self, command: PairingCommand) {
        // Who asks may have learned of the end of a game.
        self.take_ends();
        if self.front.leader().is_none() {
            self.look_around();
        }
        let now = self.context.clock.now();
        let Self { front, leader, rooms, context, challenges, pools, .. } = self;
        let lobby = &context.lobby;
        let playing = command.playing.clone();
        let playing = playing.or_else(|| lobby.paired_games().of(&command.member.id));
        // Nobody learns of a room before it is stored.
        let playing = playing.filter(|playing| !rooms.is_unstored(&playing.room));
        let address = command.address;
        let admit = |by: &Seeker, aim: &SeekAim| {
            if leader.pairing().knows(&by.member, &by.command) {
                return Ok(());
            }
            if let SeekAim::Member { .. } = aim {
                let now = tokio::time::Instant::now();
                let of_address = context.address_limits.of(address, now);
                if !challenges.take(&by.member, now) || !of_address.take_challenge(now) {
                    return Err(Refusal::new(Reason::TooManyChallenges));
                }
            }
            lobby.may_seek(address)
        };
        front.take_command(now, command, playing, admit, || games(lobby, pools));
    }

    /// Makes up for news that may be lost: of the games here, and of the games of those who seek here.
    fn repair(&mut self) {
        for playing in self.rooms.recent_players() {
            self.front.note_playing(&playing);
        }
        self.ask_storage();
    }

    /// Asks the storage about those who seek here, if the news of their games may be lost.
    fn ask_storage(&mut self) {
        let members = self.front.doubtful(self.context.clock.now());
        if members.is_empty() || self.is_asking {
            return;
        }
        self.is_asking = true;
        let (lobby, doubts) = (Arc::clone(&self.context.lobby), self.front.doubts());
        self.jobs.push(Box::pin(async move { Job::Asked(doubts, ask(&lobby, members).await) }));
    }

    fn end_job(&mut self, job: Job) {
        match job {
            Job::Room(asker, made) => {
                self.rooms.note_end(&made);
                let Made { message, .. } = *made;
                if let ToLeader::Made { room, players, .. } = &message
                    && self.front.leader() != Some(asker)
                {
                    // The leader of now does not know the pair.
                    for seat in Seat::BOTH {
                        let (member, room) = (players[seat].clone(), room.clone());
                        self.front.note_playing(&Playing { member, room, seat });
                    }
                }
                self.send_to_leader(asker, message);
            }
            Job::Asked(doubts, asked) => {
                self.is_asking = false;
                self.front.note_asked(doubts, asked);
                if doubts != self.front.doubts() {
                    self.ask_storage();
                }
            }
        }
    }
}

impl PairingTask {
    /// Delivers everything that the front and the leader have for each other, and for other nodes.
    fn deliver(&mut self) {
        loop {
            let mut mail = self.front.take_mail();
            mail.append(&mut self.leader.take_mail());
            if mail.is_empty() {
                return;
            }
            for mail in mail {
                match mail {
                    Mail::ToLeader(node, message) => self.send_to_leader(node, message),
                    Mail::ToFront(node, message) if node == self.context.node => {
                        self.hand_to_front(node, message);
                    }
                    Mail::ToFront(node, message) => {
                        if let Some(cluster) = &self.context.cluster {
                            cluster.to_front(node, encode(&message));
                        }
                    }
                }
            }
        }
    }

    fn send_to_leader(&mut self, node: NodeId, message: ToLeader) {
        if node == self.context.node {
            self.hand_to_leader(node, message);
        } else if let Some(cluster) = &self.context.cluster {
            cluster.to_leader(node, encode(&message));
        }
    }

    fn hand_to_leader(&mut self, from: NodeId, message: ToLeader) {
        // A node that is about to stop begins nothing. The others know so soon, and ask the next one.
        let is_draining = self.context.cluster.is_some() && self.context.draining.is_cancelled();
        if !is_draining || !message.makes_game() {
            self.leader.take(self.context.clock.now(), from, message);
        }
    }

    fn hand_to_front(&mut self, from: NodeId, message: ToFront) {
        let now = self.context.clock.now();
        if let ToFront::Declined { to, by } = &message {
            return self.leader.note_declined(now, to, by);
        }
        if let Some(pair) = self.front.take(now, from, message) {
            self.make(from, pair);
        }
    }

    /// Makes the room of a pair for the leader at this node.
    fn make(&mut self, asker: NodeId, pair: NewPair) {
        let gone = self.front.gone_players(&pair.players);
        let address = self.front.address(pair.players.first.session);
        let may_play = gone.is_empty() && !self.front.are_apart(&pair.players);
        if let Some(address) = address.filter(|_| may_play) {
            let making = self.rooms.make(pair, address);
            self.jobs.push(Box::pin(async move { Job::Room(asker, Box::new(making.await)) }));
            return;
        }
        self.context.metrics.pairing.not_made.inc();
        let refusal = Refusal::new(Reason::NoSuchSeek);
        self.send_to_leader(asker, ToLeader::NotMade { pair: pair.number, refusal });
        for (member, session) in gone {
            self.send_to_leader(asker, ToLeader::Gone { member, session });
        }
    }
}

/// What other nodes send; on a node that is alone, nothing.
fn listen(cluster: Option<&Cluster>) -> mpsc::Receiver<ForPairing> {
    cluster.map_or_else(|| mpsc::channel(1).1, Cluster::listen_for_pairing)
}

fn encode(message: &impl Serialize) -> String {
    serde_json::to_string(message).expect("a message is plain data")
}

/// How many games of paired players run in the rooms of this node, for each pool that has some.
fn games(lobby: &Lobby, pools: &Pools) -> RunningGames {
    let counts = lobby.paired_games().count();
    let games = pools.as_slice().iter().map(|pool| pool.settings);
    games.filter_map(|settings| Some((settings, *counts.get(&settings)?))).collect()
}

/// The running games of these members, as far as the storage answers.
async fn ask(lobby: &Lobby, members: Vec<MemberId>) -> Vec<(MemberId, Option<Playing>)> {
    let mut asked = Vec::new();
    for member in members {
        if let Ok(playing) = lobby.playing(&member).await {
            asked.push((member, playing));
        }
    }
    asked
}
