//! The leader: it owns the [`Pairing`], takes what the fronts of all nodes send, and sends them what
//! follows. A plain value, without sockets and clock.
//!
//! Each node has one, and only those that the fronts take for the leader get seeks. Two of them for a
//! moment do no harm: the storage lets nobody into two games.

use std::collections::{BTreeMap, BTreeSet};

use fivefold_shared::{
    clock::millis,
    protocol::{GameSettings, MemberId, Pool, Reason, Refusal, RoomCode},
    room::SessionId,
    seat::{BySeat, Seat},
};
use fivefold_storage::NodeId;

use super::messages::{LobbyView, Mail, RunningGames, ToFront, ToLeader};
use crate::{
    limits::{
        CHALLENGES_REPEATED_MAX, LEADER_SETTLES_IN, PAIR_MADE_WITHIN, PAIRING_INPUTS_MAX,
        SEEK_REPEATED_WITHIN,
    },
    pairing::{
        Answer, Challenger, Effect, Input, NewPair, PairNumber, Pairing, SeekAim, pools::Pools,
    },
};

/// The leader of the pairing, on one node.
#[derive(Debug)]
pub(super) struct Leader {
    me: NodeId,
    pairing: Pairing,
    fronts: BTreeMap<NodeId, KnownFront>,
    /// Where the rooms of pairs are being made, and since when.
    making: BTreeMap<PairNumber, (NodeId, u64)>,
    /// From then on all fronts have repeated their seeks. Absent before the first message.
    settled_at: Option<u64>,
    /// Commands for seeks that may not have been repeated yet.
    early: Vec<(NodeId, ToLeader)>,
    mail: Vec<Mail>,
}

/// A node that has sent something.
#[derive(Debug, Default)]
struct KnownFront {
    games: RunningGames,
    watches: bool,
    /// The lobby that was sent last.
    lobby: Option<LobbyView>,
    /// When its last message came.
    sent_at: u64,
    /// Whether this node has seen that one alive.
    was_living: bool,
}

impl Leader {
    /// Nobody seeks yet. In a cluster other leaders may have seeks that their fronts will repeat.
    pub(super) fn new(me: NodeId, pools: Pools, is_clustered: bool) -> Self {
        Self {
            me,
            pairing: Pairing::at(me, pools),
            fronts: BTreeMap::new(),
            making: BTreeMap::new(),
            settled_at: (!is_clustered).then_some(0),
            early: Vec::new(),
            mail: Vec::new(),
        }
    }

    /// What there is to deliver.
    pub(super) fn take_mail(&mut self) -> Vec<Mail> {
        std::mem::take(&mut self.mail)
    }

    /// The pairing.
    pub(super) const fn pairing(&self) -> &Pairing {
        &self.pairing
    }

    /// Takes a message of a front.
    pub(super) fn take(&mut self, now: u64, from: NodeId, message: ToLeader) {
        let settled_at = *self.settled_at.get_or_insert(now + millis(LEADER_SETTLES_IN));
        if !self.fronts.contains_key(&from) {
            self.repeat_challenges(now, from);
        }
        self.fronts.entry(from).or_default().sent_at = now;
        if now < settled_at
            && let Some((seek, session, command)) = message.names()
            && !self.pairing.has(seek)
        {
            if self.early.len() < PAIRING_INPUTS_MAX {
                self.early.push((from, message));
            } else {
                let answer = Answer::Refused(Refusal::new(Reason::Busy));
                let command = command.clone();
                self.send(from, ToFront::Answer { session, command, answer });
            }
            return;
        }
        self.take_settled(now, from, message);
    }

    fn take_settled(&mut self, now: u64, from: NodeId, message: ToLeader) {
        let input = match message {
            ToLeader::Seek { by, id, aim: SeekAim::Anybody(wanted) } => {
                Input::Seek { by, id, wanted }
            }
            ToLeader::Seek { by, id, aim: SeekAim::Member { to, settings } } => {
                Input::Challenge { by, id, to, settings }
            }
            ToLeader::Accept { by, seek } => Input::Accept { by, seek },
            ToLeader::Decline { member, is_bot, session, command, seek } => {
                Input::Decline { member, is_bot, session, command, seek }
            }
            ToLeader::Cancel { member, session, command, seek } => {
                Input::Cancel { member, session, command, seek }
            }
            ToLeader::Standing(seeks) => {
                for seek in seeks {
                    self.apply(now, Input::Stands(seek));
                }
                return;
            }
            ToLeader::Gone { member, session } => Input::Gone { member, session },
            ToLeader::Playing { member, room, seat } => Input::Playing { member, room, seat },
            ToLeader::GameOver { room, aborted_by } => Input::GameOver { room, aborted_by },
            ToLeader::Here { games, watches } => {
                let front = self.fronts.entry(from).or_default();
                (front.games, front.watches) = (games, watches);
                return;
            }
            ToLeader::Watch { member, session, wants_lobby } => {
                self.watch(now, from, &member, session, wants_lobby);
                return;
            }
            ToLeader::Made { pair, room, players } => {
                self.note_made(now, from, pair, &room, &players);
                return;
            }
            ToLeader::NotMade { pair, refusal } => {
                if !self.has_answered(from, pair) {
                    return;
                }
                Input::NotMade { pair, refusal }
            }
            ToLeader::NotAllowed { pair, refusals } => {
                if !self.has_answered(from, pair) {
                    return;
                }
                Input::NotAllowed { pair, refusals }
            }
            ToLeader::NotFree { pair, playing } => {
                if !self.has_answered(from, pair) {
                    return;
                }
                Input::NotFree { pair, playing }
            }
        };
        self.apply(now, input);
    }

    /// Pairs those who fit, unless the node is about to stop, and sends the lobby where it has changed.
    /// Call it each [`PAIRING_INTERVAL`](crate::limits::PAIRING_INTERVAL).
    pub(super) fn round(&mut self, now: u64, pairs: bool) {
        if pairs {
            let is_late = |(node, since): &(NodeId, u64)| {
                *node != self.me && now >= since + millis(PAIR_MADE_WITHIN)
            };
            let late = self.making.iter().filter(|(_, making)| is_late(making));
            for pair in late.map(|(pair, _)| *pair).collect::<Vec<_>>() {
                self.give_up(now, pair);
            }
            self.apply(now, Input::Tick);
            self.take_early(now);
        }
        self.send_lobby(now);
    }

    /// Takes the commands whose seeks have been repeated, or will not be.
    fn take_early(&mut self, now: u64) {
        let is_settled = self.settled_at.is_some_and(|at| now >= at);
        let is_due = |message: &ToLeader| {
            is_settled || message.names().is_none_or(|(seek, ..)| self.pairing.has(seek))
        };
        let (due, early) = std::mem::take(&mut self.early)
            .into_iter()
            .partition::<Vec<_>, _>(|(_, message)| is_due(message));
        self.early = early;
        for (from, message) in due {
            self.take_settled(now, from, message);
        }
    }

    /// Takes in which other nodes live.
    pub(super) fn note_living(&mut self, now: u64, living: &BTreeSet<NodeId>) {
        let mut died = Vec::new();
        for (node, front) in &mut self.fronts {
            let lives = *node == self.me || living.contains(node);
            // A node that has just joined may send something before it is seen.
            let is_silent = now >= front.sent_at + millis(SEEK_REPEATED_WITHIN);
            if !lives && (front.was_living || is_silent) {
                died.push(*node);
            }
            front.was_living |= lives;
        }
        for node in died {
            self.fronts.remove(&node);
            self.early.retain(|(from, _)| *from != node);
            self.give_up_at(now, node);
            self.apply(now, Input::NodeGone(node));
        }
    }

    /// A member has declined a challenge at another leader.
    pub(super) fn note_declined(&mut self, now: u64, to: &MemberId, by: &Challenger) {
        self.pairing.note_declined(now, to, by);
    }

    /// Messages to or from this node were lost.
    pub(super) fn note_lost(&mut self, now: u64, node: NodeId) {
        if let Some(front) = self.fronts.get_mut(&node) {
            front.lobby = None;
            self.repeat_challenges(now, node);
        }
        self.give_up_at(now, node);
    }

    /// Sends a node the challenges that somebody there may have missed.
    fn repeat_challenges(&mut self, now: u64, node: NodeId) {
        for (to, challenge, until) in self.pairing.newest_challenges(CHALLENGES_REPEATED_MAX) {
            let for_ms = until.saturating_sub(now);
            self.send(node, ToFront::Challenged { to, only: None, challenge, for_ms });
        }
    }

    /// Lets the players go on whose rooms this node makes. If one is made after all, they learn so.
    fn give_up_at(&mut self, now: u64, node: NodeId) {
        let at_node = self.making.iter().filter(|(_, (at, _))| *at == node);
        for pair in at_node.map(|(pair, _)| *pair).collect::<Vec<_>>() {
            self.give_up(now, pair);
        }
    }

    fn give_up(&mut self, now: u64, pair: PairNumber) {
        self.making.remove(&pair);
        self.apply(now, Input::NotMade { pair, refusal: Refusal::new(Reason::Unavailable) });
    }

    /// Whether a node answers for a pair whose room it makes.
    fn has_answered(&mut self, from: NodeId, pair: PairNumber) -> bool {
        let is_asked = self.making.get(&pair).is_some_and(|(node, _)| *node == from);
        if is_asked {
            self.making.remove(&pair);
        }
        is_asked
    }

    fn note_made(
        &mut self,
        now: u64,
        from: NodeId,
        pair: PairNumber,
        room: &RoomCode,
        players: &BySeat<MemberId>,
    ) {
        if self.has_answered(from, pair) {
            return self.apply(now, Input::Made { pair, room: room.clone() });
        }
        // The answer was given up. Their seeks have gone on.
        for seat in Seat::BOTH {
            let (member, room) = (players[seat].clone(), room.clone());
            self.apply(now, Input::Playing { member, room, seat });
        }
    }

    fn watch(
        &mut self,
        now: u64,
        from: NodeId,
        member: &MemberId,
        session: SessionId,
        wants_lobby: bool,
    ) {
        if wants_lobby {
            let lobby = self.lobby(now);
            let front = self.fronts.entry(from).or_default();
            (front.watches, front.lobby) = (true, Some(lobby.clone()));
            self.send(from, ToFront::Lobby(lobby));
        }
        for (challenge, until) in self.pairing.challenges_for(member) {
            let (to, only) = (member.clone(), Some(session));
            let for_ms = until.saturating_sub(now);
            self.send(from, ToFront::Challenged { to, only, challenge, for_ms });
        }
    }

    fn lobby(&self, now: u64) -> LobbyView {
        let games = |settings: &GameSettings| {
            let all = self.fronts.values().flat_map(|front| &front.games);
            all.filter(|(other, _)| other == settings).map(|(_, count)| count).sum()
        };
        let waiting = self.pairing.waiting();
        let pools = self.pairing.pools().as_slice().iter().zip(waiting).enumerate();
        let pools = pools.map(|(index, (pool, waiting))| Pool {
            name: pool.name.clone(),
            settings: pool.settings,
            waiting,
            games: games(&pool.settings.casual()),
            wait_ms: self.pairing.median_wait(now, index),
        });
        LobbyView { pools: pools.collect(), seeks: self.pairing.open_seeks() }
    }

    /// Sends the lobby to the nodes where somebody watches, if it has changed.
    fn send_lobby(&mut self, now: u64) {
        if !self.fronts.values().any(|front| front.watches) {
            return;
        }
        let lobby = self.lobby(now);
        for (node, front) in &mut self.fronts {
            if front.watches && front.lobby.as_ref() != Some(&lobby) {
                front.lobby = Some(lobby.clone());
                self.mail.push(Mail::ToFront(*node, ToFront::Lobby(lobby.clone())));
            }
        }
    }

    fn apply(&mut self, now: u64, input: Input) {
        for effect in self.pairing.apply(now, input) {
            self.perform(now, effect);
        }
    }

    fn perform(&mut self, now: u64, effect: Effect) {
        match effect {
            Effect::Answer { session, command, answer } => {
                self.send_to(session, ToFront::Answer { session, command, answer });
            }
            Effect::Make(pair) => self.make(now, pair),
            Effect::Paired { session, seek, room, seat, rated } => {
                self.send_to(session, ToFront::Paired { session, seek, room, seat, rated });
            }
            Effect::Refused { session, seek, refusal } => {
                self.send_to(session, ToFront::Refused { session, seek, refusal });
            }
            Effect::Over { session, seek, why } => {
                self.send_to(session, ToFront::Over { session, seek, why });
            }
            Effect::Moved { session, command } => {
                self.send_to(session, ToFront::Moved { session, command });
            }
            Effect::Challenged { to, challenge, for_ms } => {
                self.send_to_all(&ToFront::Challenged { to, only: None, challenge, for_ms });
            }
            Effect::Declined { to, by } => {
                let message = ToFront::Declined { to, by };
                let others = self.fronts.keys().filter(|node| **node != self.me);
                self.mail.extend(others.map(|node| Mail::ToFront(*node, message.clone())));
            }
            Effect::ChallengeOver { to, seek, why, except } => {
                self.send_to_all(&ToFront::ChallengeOver { to, seek, why, except });
            }
        }
    }

    /// Has the room of a pair made at the node of its first player.
    fn make(&mut self, now: u64, pair: Box<NewPair>) {
        let node = self.node_of(pair.players.first.session);
        self.making.insert(pair.number, (node, now));
        self.send(node, ToFront::Make(pair));
    }

    fn node_of(&self, session: SessionId) -> NodeId {
        NodeId::of_session(session).unwrap_or(self.me)
    }

    fn send_to(&mut self, session: SessionId, message: ToFront) {
        self.send(self.node_of(session), message);
    }

    fn send_to_all(&mut self, message: &ToFront) {
        self.fronts.entry(self.me).or_default();
        let nodes = self.fronts.keys();
        self.mail.extend(nodes.map(|node| Mail::ToFront(*node, message.clone())));
    }

    fn send(&mut self, node: NodeId, message: ToFront) {
        self.mail.push(Mail::ToFront(node, message));
    }
}
