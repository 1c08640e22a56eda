//! Fronts and leaders of several nodes, without sockets: messages are delivered here, or lost, and a
//! table stands for the storage that lets nobody into two games.

mod clocks;
mod declines;
mod left_sessions;

use std::{
    collections::{BTreeMap, BTreeSet},
    net::{IpAddr, Ipv4Addr},
};

use fivefold_shared::{
    clock::TimeControl,
    opening::OpeningKind,
    protocol::{
        CommandId, GameSettings, Message, Name, PoolName, RoomCode, SeekEnd, SeekId, Wanted,
    },
    room::{Member, SessionId},
    rules::Rules,
    seat::BySeat,
};

use super::*;
use crate::{
    limits::{ANSWERED_WITHIN, PAIR_MADE_WITHIN, UNANSWERED_COMMANDS_MAX},
    moderation::dealings::OwnDealings,
    online::{
        logins::{Ending, Login},
        outbox::{Outbox, OutboxReceiver},
    },
    process::ids,
    thinking::Owner,
};

const SECOND: u64 = 1_000;
/// The step of the clock: a heartbeat.
const STEP: u64 = 250;

/// Nodes that share a storage.
struct Net {
    now: u64,
    nodes: BTreeMap<NodeId, (Front, Leader)>,
    /// The nodes that are about to stop.
    draining: BTreeSet<NodeId>,
    /// Messages between these are lost, in this direction.
    cut: BTreeSet<(NodeId, NodeId)>,
    /// A node that takes itself and the nodes above it for the whole cluster.
    believes: Option<NodeId>,
    /// The members at the last node.
    logins: Arc<Logins>,
    /// The storage: who plays where.
    playing: BTreeMap<MemberId, (RoomCode, Seat)>,
    /// Whether rooms can be made.
    makes_rooms: bool,
    /// Rooms that are not stored yet; with `is_slow` all wait here.
    unstored: Vec<(NodeId, NodeId, NewPair)>,
    is_slow: bool,
    sessions: u64,
}

/// A person with one session.
struct Person {
    member: Member,
    node: NodeId,
    session: SessionId,
    outbox: Outbox,
    receiver: OutboxReceiver,
}

fn node(number: u32) -> NodeId {
    NodeId::new(number).unwrap()
}

fn command_id(text: &str) -> CommandId {
    CommandId::try_from(text).unwrap()
}

fn settings() -> GameSettings {
    let (time, opening) = (TimeControl::None, OpeningKind::Free);
    GameSettings { rules: Rules::TIC_TAC_TOE, time, opening, rated: false }
}

fn seek() -> PairingRequest {
    let wanted = Wanted::Pool(PoolName::try_from("free").unwrap());
    PairingRequest::Seek { wanted, engine: false }
}

impl Net {
    fn new(nodes: u32) -> Self {
        let mut net = Self {
            now: 1_000_000,
            nodes: BTreeMap::new(),
            draining: BTreeSet::new(),
            cut: BTreeSet::new(),
            believes: None,
            logins: Arc::default(),
            playing: BTreeMap::new(),
            makes_rooms: true,
            unstored: Vec::new(),
            is_slow: false,
            sessions: 0,
        };
        for number in 1..=nodes {
            let id = node(number);
            let logins = if number == nodes { Arc::clone(&net.logins) } else { Arc::default() };
            let front = Front::new(id, logins, Arc::new(Metrics::new()));
            net.nodes.insert(id, (front, Leader::new(id, Pools::default(), true)));
        }
        net.pass(2 * STEP);
        net
    }

    /// A person at a node.
    fn person(&mut self, number: u32, name: &str) -> Person {
        let id = ids::member_id(&ids::identity());
        self.back(number, Member::person(id, Name::new(name).unwrap()))
    }

    /// A member over a new session at a node.
    fn back(&mut self, number: u32, member: Member) -> Person {
        self.sessions += 1;
        let session = SessionId(node(number).first_session().0 + self.sessions);
        let (outbox, receiver, _) = Outbox::new(&CancellationToken::new(), Owner::UNKNOWN);
        Person { member, node: node(number), session, outbox, receiver }
    }

    fn ask(&mut self, person: &Person, id: &str, request: PairingRequest) {
        let playing = self.playing.get(&person.member.id).map(|(room, seat)| Playing {
            member: person.member.id.clone(),
            room: room.clone(),
            seat: *seat,
        });
        let command = PairingCommand {
            id: command_id(id),
            kind: "test",
            member: person.member.clone(),
            session: person.session,
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            outbox: person.outbox.clone(),
            request,
            playing: None,
            account: false,
            owner: None,
            rating: crate::pairing::Rating::UNRATED,
            dealings: OwnDealings::default(),
            daily_most: None,
        };
        let now = self.now;
        let (front, _) = self.nodes.get_mut(&person.node).unwrap();
        front.take_command(now, command, playing, |_, _| Ok(()), Vec::new);
        self.deliver();
    }

    /// The leader, as a node sees it.
    fn leader_for(&self, me: NodeId) -> Option<NodeId> {
        let blind = self.believes.filter(|blind| me >= *blind);
        let living = self.nodes.keys().filter(|node| !self.draining.contains(node));
        living.copied().find(|node| blind.is_none_or(|blind| *node >= blind))
    }

    /// Each node sees who lives, and does what it does then.
    fn look_around(&mut self) {
        let now = self.now;
        let living: BTreeSet<_> = self.nodes.keys().copied().collect();
        let leaders: Vec<_> = living.iter().map(|node| self.leader_for(*node)).collect();
        for ((me, (front, leader)), leads) in self.nodes.iter_mut().zip(leaders) {
            leader.note_living(now, &living.iter().copied().filter(|node| node != me).collect());
            front.set_leader(now, leads);
        }
        self.deliver();
        self.ask_storage();
    }

    fn ask_storage(&mut self) {
        let now = self.now;
        for (front, _) in self.nodes.values_mut() {
            let game = |member: MemberId| {
                let playing = self.playing.get(&member).cloned();
                let playing = playing.map(|(room, seat)| (member.clone(), room, seat));
                let playing = playing.map(|(member, room, seat)| Playing { member, room, seat });
                (member, playing)
            };
            let asked = front.doubtful(now).into_iter().map(game).collect();
            front.note_asked(front.doubts(), asked);
        }
        self.deliver();
    }

    /// Lets time pass.
    fn pass(&mut self, time: u64) {
        for _ in 0..time / STEP {
            self.now += STEP;
            self.look_around();
            if self.now.is_multiple_of(SECOND) {
                let now = self.now;
                let draining = self.draining.clone();
                for (me, (front, leader)) in &mut self.nodes {
                    front.round(now, |_| Vec::new());
                    leader.round(now, !draining.contains(me));
                }
                self.deliver();
            }
        }
    }

    /// A node is killed, and the others notice.
    fn kill(&mut self, number: u32) {
        self.nodes.remove(&node(number));
        self.unstored.retain(|(at, ..)| *at != node(number));
        self.pass(STEP);
    }

    /// All messages between two nodes arrive again, and both know that some were lost.
    fn heal(&mut self) {
        let now = self.now;
        for (from, to) in std::mem::take(&mut self.cut) {
            for (me, other) in [(from, to), (to, from)] {
                if let Some((front, leader)) = self.nodes.get_mut(&me) {
                    front.note_lost(now, other);
                    leader.note_lost(now, other);
                }
            }
        }
        self.deliver();
        self.ask_storage();
    }

    fn deliver(&mut self) {
        loop {
            let mut mail = Vec::new();
            for (node, (front, leader)) in &mut self.nodes {
                let own = front.take_mail().into_iter().chain(leader.take_mail());
                mail.extend(own.map(|mail| (*node, mail)));
            }
            if mail.is_empty() {
                return;
            }
            for (from, mail) in mail {
                self.deliver_one(from, mail);
            }
        }
    }

    fn deliver_one(&mut self, from: NodeId, mail: Mail) {
        let now = self.now;
        match mail {
            Mail::ToLeader(to, message) if !self.cut.contains(&(from, to)) => {
                // What goes over a link has to be the same there.
                let text = encode(&message);
                assert_eq!(serde_json::from_str::<ToLeader>(&text).unwrap(), message);
                let is_late = self.draining.contains(&to) && message.makes_game();
                if let Some((_, leader)) = self.nodes.get_mut(&to).filter(|_| !is_late) {
                    leader.take(now, from, message);
                }
            }
            Mail::ToFront(to, message) if !self.cut.contains(&(from, to)) => {
                let text = encode(&message);
                assert_eq!(serde_json::from_str::<ToFront>(&text).unwrap(), message);
                let Some((front, leader)) = self.nodes.get_mut(&to) else { return };
                if let ToFront::Declined { to, by } = &message {
                    return leader.note_declined(now, to, by);
                }
                if let Some(pair) = front.take(now, from, message) {
                    self.unstored.push((to, from, pair));
                    if !self.is_slow {
                        self.store_rooms();
                    }
                }
            }
            Mail::ToLeader(..) | Mail::ToFront(..) => {}
        }
    }

    /// Stores the rooms that are to be made, unless a player is in another one.
    fn store_rooms(&mut self) {
        for (at, asker, pair) in std::mem::take(&mut self.unstored) {
            let NewPair { number: pair, players, .. } = pair;
            let game = |seat: Seat| self.playing.get(&players[seat].member).cloned();
            let playing = BySeat { first: game(Seat::First), second: game(Seat::Second) };
            let message = if !self.makes_rooms {
                ToLeader::NotMade { pair, refusal: Refusal::new(Reason::Unavailable) }
            } else if playing.first.is_some() || playing.second.is_some() {
                ToLeader::NotFree { pair, playing }
            } else {
                let room = ids::room_code();
                let ids = Seat::BOTH.map(|seat| players[seat].member.clone());
                for (member, seat) in ids.clone().into_iter().zip(Seat::BOTH) {
                    self.playing.insert(member, (room.clone(), seat));
                }
                let [first, second] = ids;
                ToLeader::Made { pair, room, players: BySeat { first, second } }
            };
            self.deliver_one(at, Mail::ToLeader(asker, message));
        }
        self.deliver();
    }

    /// The room in which somebody plays.
    fn room_of(&self, person: &Person) -> Option<RoomCode> {
        self.playing.get(&person.member.id).map(|(room, _)| room.clone())
    }

    /// How many seeks stand at the leader of most.
    fn seeks(&self) -> usize {
        let leader = self.leader_for(node(1)).unwrap();
        self.nodes[&leader].1.pairing().count()
    }
}

impl Person {
    fn messages(&mut self) -> Vec<Message> {
        std::iter::from_fn(|| self.receiver.try_recv())
            .map(|text| Message::from_json(&text).unwrap())
            .collect()
    }

    /// The only message that has come.
    fn message(&mut self) -> Message {
        let [message] = self.messages().try_into().unwrap();
        message
    }

    /// The seek in the only message, and how long it has waited.
    fn seeking(&mut self) -> (SeekId, u64) {
        match self.message() {
            Message::Seeking { seek, waited_ms, .. } => (seek, waited_ms),
            other => panic!("not seeking: {other:?}"),
        }
    }

    /// The seek that went on, how long it had waited, and the room of the game that it found.
    fn found(&mut self) -> (SeekId, u64, RoomCode) {
        match <[_; 2]>::try_from(self.messages()) {
            Ok([Message::Seeking { seek, waited_ms, .. }, Message::Paired { room, .. }]) => {
                (seek, waited_ms, room)
            }
            other => panic!("not paired: {other:?}"),
        }
    }

    /// The rooms of the games that have come.
    fn paired(&mut self) -> Vec<RoomCode> {
        let room = |message| match message {
            Message::Paired { room, .. } => Some(room),
            _ => None,
        };
        self.messages().into_iter().filter_map(room).collect()
    }
}

#[test]
fn people_at_different_nodes_are_paired() {
    let mut net = Net::new(3);
    let (mut ann, mut bob) = (net.person(2, "Ann"), net.person(3, "Bob"));
    net.ask(&ann, "seek", seek());
    let (anns, waited) = ann.seeking();
    assert_eq!(waited, 0);
    net.pass(4 * SECOND);
    assert!(ann.messages().is_empty(), "a repetition has no answer");
    net.ask(&bob, "seek", seek());
    let [Message::Seeking { .. }, Message::Paired { seek: Some(_), room, seat, rated }] =
        &bob.messages()[..]
    else {
        panic!("not paired");
    };
    assert_eq!(*rated, Some(false));
    let (seek, seat) = (Some(anns), seat.other());
    let expected = Message::Paired { seek, room: room.clone(), seat, rated: *rated };
    assert_eq!(ann.message(), expected);
    net.pass(20 * SECOND);
    assert!(ann.messages().is_empty() && bob.messages().is_empty() && net.seeks() == 0);
}

#[test]
fn a_new_leader_goes_on_with_all_seeks() {
    let mut net = Net::new(3);
    let (mut ann, mut bob) = (net.person(2, "Ann"), net.person(3, "Bob"));
    net.makes_rooms = false;
    net.ask(&ann, "seek", seek());
    net.pass(5 * SECOND);
    net.ask(&bob, "seek", seek());
    let ((anns, _), (bobs, _)) = (ann.seeking(), bob.seeking());
    net.is_slow = true;
    net.kill(1);
    net.makes_rooms = true;
    let (_, _, pair) = net.unstored.first().expect("they are paired again").clone();
    let waited = |person: &Person| {
        let seat =
            Seat::BOTH.into_iter().find(|seat| pair.players[*seat].member == person.member.id);
        pair.waited_ms[seat.unwrap()]
    };
    assert_eq!((waited(&ann), waited(&bob)), (5 * SECOND + STEP, STEP));
    net.store_rooms();
    for (person, own) in [(&mut ann, anns), (&mut bob, bobs)] {
        let Message::Paired { seek, .. } = person.message() else { panic!("not paired") };
        assert_eq!(seek, Some(own));
    }
    assert_eq!((net.room_of(&ann), net.seeks()), (net.room_of(&bob), 0));
}

#[test]
fn a_command_without_a_leader_waits_for_one() {
    let mut net = Net::new(2);
    let mut ann = net.person(2, "Ann");
    net.nodes.remove(&node(1));
    net.cut.insert((node(2), node(1)));
    net.ask(&ann, "seek", seek());
    assert!(ann.messages().is_empty());
    net.pass(STEP);
    assert_eq!(ann.seeking().1, 0);
}

#[test]
fn who_lost_the_news_of_their_game_gets_it_once() {
    let mut net = Net::new(3);
    let (mut ann, mut bob) = (net.person(2, "Ann"), net.person(3, "Bob"));
    net.is_slow = true;
    net.ask(&bob, "seek", seek());
    net.ask(&ann, "seek", seek());
    net.cut.insert((node(1), node(3)));
    net.is_slow = false;
    net.store_rooms();
    let room = net.room_of(&ann).unwrap();
    assert_eq!((ann.paired(), bob.paired()), (vec![room.clone()], vec![]));
    net.heal();
    assert_eq!(bob.paired(), [room]);
    net.pass(20 * SECOND);
    assert_eq!((ann.paired(), bob.paired(), net.seeks()), (vec![], vec![], 0));
}

#[test]
fn a_command_that_is_lost_is_repeated_and_answered_once() {
    let mut net = Net::new(2);
    let mut ann = net.person(2, "Ann");
    // The command is lost, and then its answer.
    for lost in [(node(2), node(1)), (node(1), node(2))] {
        net.cut.insert(lost);
        net.ask(&ann, "seek", seek());
        assert!(ann.messages().is_empty());
        net.heal();
        ann.seeking();
    }
    net.pass(20 * SECOND);
    assert!(ann.messages().is_empty());
    assert_eq!(net.seeks(), 1);
}

#[test]
fn the_game_of_a_leader_that_died_is_the_game_of_its_players() {
    for dies_before_store in [true, false] {
        let mut net = Net::new(3);
        let (mut ann, mut bob) = (net.person(2, "Ann"), net.person(3, "Bob"));
        let mut eve = net.person(3, "Eve");
        net.is_slow = true;
        net.ask(&ann, "seek", seek());
        net.ask(&bob, "seek", seek());
        let unstored = std::mem::take(&mut net.unstored);
        net.cut.extend([(node(1), node(2)), (node(1), node(3))]);
        if dies_before_store {
            net.nodes.remove(&node(1));
        }
        (net.unstored, net.is_slow) = (unstored, false);
        net.store_rooms();
        let room = net.room_of(&ann).expect("it was stored");
        net.nodes.remove(&node(1));
        net.pass(3 * SECOND);
        // They are in it, and nobody else is paired with them.
        assert_eq!((ann.paired(), bob.paired()), (vec![room.clone()], vec![room]));
        net.ask(&eve, "seek", seek());
        net.pass(20 * SECOND);
        assert_eq!((eve.paired(), ann.paired(), bob.paired()), (vec![], vec![], vec![]));
        assert_eq!(net.seeks(), 1);
    }
}

#[test]
fn nobody_is_paired_with_somebody_whose_node_died() {
    let mut net = Net::new(3);
    let (mut ann, mut bob) = (net.person(3, "Ann"), net.person(2, "Bob"));
    net.ask(&ann, "seek", seek());
    let (anns, _) = ann.seeking();
    net.kill(3);
    net.ask(&bob, "seek", seek());
    assert_eq!(net.seeks(), 2);
    // Ann comes back to another node in time, and goes on.
    net.pass(4 * SECOND);
    let mut ann = net.back(2, ann.member);
    net.ask(&ann, "seek", seek());
    let (seek, waited_ms, room) = ann.found();
    assert_eq!((seek, waited_ms), (anns, 4 * SECOND + STEP));
    assert_eq!(bob.paired(), [room]);
}

#[test]
fn a_seek_ends_with_its_node_if_nobody_comes_back() {
    let mut net = Net::new(2);
    let (ann, bob) = (net.person(2, "Ann"), net.person(1, "Bob"));
    net.ask(&ann, "seek", seek());
    net.kill(2);
    net.pass(4 * SECOND);
    assert_eq!(net.seeks(), 1);
    net.pass(2 * SECOND);
    net.ask(&bob, "seek", seek());
    assert_eq!((net.room_of(&bob), net.seeks()), (None, 1));
}

#[test]
fn two_leaders_put_nobody_into_two_games() {
    let mut net = Net::new(3);
    let names = [(1, "Ann"), (2, "Bob"), (3, "Eve"), (1, "Sid"), (2, "Tom"), (3, "Uma")];
    net.is_slow = true;
    let mut people: Vec<_> = names.iter().map(|(node, name)| net.person(*node, name)).collect();
    // Some of the pairs that the first leader has made are on their way when a second one begins.
    for person in &people {
        net.ask(person, "seek", seek());
    }
    net.believes = Some(node(2));
    net.pass(SECOND);
    net.store_rooms();
    net.is_slow = false;
    net.pass(2 * SECOND);
    net.believes = None;
    net.pass(20 * SECOND);
    for person in &mut people {
        let room = net.room_of(person).expect("everybody plays");
        assert_eq!(person.paired(), [room], "{}", person.member.name);
    }
    assert_eq!(net.seeks(), 0);
}

#[test]
fn a_node_that_drains_hands_its_seeks_to_the_next_leader() {
    let mut net = Net::new(3);
    let (mut ann, mut bob) = (net.person(1, "Ann"), net.person(3, "Bob"));
    net.ask(&ann, "seek", seek());
    let (anns, _) = ann.seeking();
    net.pass(3 * SECOND);
    net.draining.insert(node(1));
    net.look_around();
    net.nodes[&node(1)].0.send_away();
    assert!(ann.outbox.is_restarted());
    let member = ann.member.clone();
    drop(ann);
    net.pass(SECOND);
    // Nobody is paired with her while she is away.
    net.ask(&bob, "seek", seek());
    bob.seeking();
    let mut ann = net.back(2, member);
    net.ask(&ann, "seek", seek());
    let (seek, waited_ms, room) = ann.found();
    assert_eq!((seek, waited_ms), (anns, 4 * SECOND));
    assert_eq!(bob.paired(), [room]);
}

#[test]
fn a_new_leader_refuses_no_command_for_a_seek_that_it_does_not_know_yet() {
    let mut net = Net::new(3);
    let (mut ann, mut bob) = (net.person(2, "Ann"), net.person(3, "Bob"));
    let open = PairingRequest::Seek { wanted: Wanted::Settings(settings()), engine: false };
    net.ask(&ann, "seek", open);
    let (seek, _) = ann.seeking();
    // Ann's node notices later that the leader has died.
    net.nodes.remove(&node(1));
    let front = net.nodes.get_mut(&node(3)).map(|(front, _)| front).unwrap();
    front.set_leader(net.now, Some(node(2)));
    net.deliver();
    net.ask(&bob, "accept", PairingRequest::Accept { seek: seek.clone(), engine: false });
    assert!(bob.messages().is_empty());
    net.pass(2 * SECOND);
    let [Message::Done { .. }, Message::Paired { seek: Some(found), .. }] = &bob.messages()[..]
    else {
        panic!("not paired");
    };
    assert_eq!((found, ann.paired().len()), (&seek, 1));

    // When it has the seeks of all, a seek that it does not know is over.
    let mut eve = net.person(3, "Eve");
    net.pass(3 * SECOND);
    net.ask(&eve, "accept", PairingRequest::Accept { seek, engine: false });
    let Message::Refused { refusal, .. } = eve.message() else { panic!("not refused") };
    assert_eq!(refusal.reason, Reason::NoSuchSeek);
}

#[test]
fn a_leader_of_before_refuses_nothing() {
    let mut net = Net::new(2);
    let mut ann = net.person(2, "Ann");
    net.cut.insert((node(2), node(1)));
    net.ask(&ann, "seek", seek());
    let (front, _) = net.nodes.get_mut(&node(2)).unwrap();
    let refused = |reason| ToFront::Answer {
        session: ann.session,
        command: command_id("seek"),
        answer: crate::pairing::Answer::Refused(Refusal::new(reason)),
    };
    front.take(net.now, node(3), refused(Reason::ServerFull));
    assert!(ann.messages().is_empty());
    let (front, _) = net.nodes.get_mut(&node(2)).unwrap();
    front.take(
        net.now,
        node(1),
        ToFront::Answer {
            session: ann.session,
            command: command_id("seek"),
            answer: crate::pairing::Answer::Refused(Refusal::new(Reason::TooManySeeks)),
        },
    );
    let Message::Refused { refusal, .. } = ann.message() else { panic!("not refused") };
    assert_eq!(refusal.reason, Reason::TooManySeeks);
}

#[test]
fn a_room_that_is_not_made_in_time_is_given_up() {
    let mut net = Net::new(3);
    let (mut ann, mut bob) = (net.person(2, "Ann"), net.person(3, "Bob"));
    net.is_slow = true;
    net.ask(&ann, "seek", seek());
    net.ask(&bob, "seek", seek());
    let within = u64::try_from(PAIR_MADE_WITHIN.as_millis()).unwrap();
    net.pass(within - STEP);
    assert_eq!(net.unstored.len(), 1);
    net.pass(STEP + SECOND);
    assert_eq!(net.unstored.len(), 2, "they are paired again");
    // The first room was stored late. The second one is not.
    net.is_slow = false;
    net.store_rooms();
    net.pass(2 * SECOND);
    let room = net.room_of(&ann).unwrap();
    assert_eq!((ann.paired(), bob.paired()), (vec![room.clone()], vec![room]));
    assert_eq!(net.seeks(), 0);
}

#[test]
fn who_accepts_a_seek_of_a_leader_that_died_is_answered() {
    let mut net = Net::new(3);
    let (mut ann, mut bob) = (net.person(2, "Ann"), net.person(3, "Bob"));
    let open = PairingRequest::Seek { wanted: Wanted::Settings(settings()), engine: false };
    net.ask(&ann, "seek", open);
    let (seek, _) = ann.seeking();
    net.cut.insert((node(1), node(3)));
    net.ask(&bob, "accept", PairingRequest::Accept { seek, engine: false });
    let room = net.room_of(&bob).expect("it is stored");
    assert!(bob.messages().is_empty());
    net.kill(1);
    net.pass(4 * SECOND);
    let messages = bob.messages();
    let [Message::Done { .. }, Message::Paired { room: found, .. }] = &messages[..] else {
        panic!("{messages:?}");
    };
    assert_eq!((found, ann.paired()), (&room, vec![room.clone()]));
}

#[test]
fn who_accepts_is_not_refused_because_the_answer_was_lost() {
    let mut net = Net::new(3);
    let (mut ann, mut bob) = (net.person(2, "Ann"), net.person(3, "Bob"));
    let open = PairingRequest::Seek { wanted: Wanted::Settings(settings()), engine: false };
    net.ask(&ann, "seek", open);
    let (seek, _) = ann.seeking();
    net.cut.insert((node(1), node(3)));
    net.ask(&bob, "accept", PairingRequest::Accept { seek, engine: false });
    let room = net.room_of(&bob).expect("it is stored");
    assert_eq!((ann.paired(), bob.messages()), (vec![room.clone()], vec![]));
    net.heal();
    let messages = bob.messages();
    let [Message::Done { .. }, Message::Paired { room: found, .. }] = &messages[..] else {
        panic!("{messages:?}");
    };
    assert_eq!(*found, room);
}

#[test]
fn a_cancelled_seek_is_not_repeated() {
    let mut net = Net::new(2);
    let (mut ann, mut bob) = (net.person(2, "Ann"), net.person(2, "Bob"));
    net.ask(&ann, "seek", seek());
    let (seek, _) = ann.seeking();
    net.ask(&ann, "cancel", PairingRequest::Cancel(seek));
    assert!(matches!(ann.message(), Message::Done { .. }));
    net.pass(4 * SECOND);
    assert_eq!(net.seeks(), 0);
    // A challenge that is declined at another session, and one that is too old.
    let to = Ok(Challenged { member: bob.member.id.clone(), is_friend: false });
    let challenge = PairingRequest::Challenge { to, settings: settings(), engine: false };
    net.ask(&ann, "challenge", challenge);
    let (seek, _) = ann.seeking();
    net.ask(&bob, "decline", PairingRequest::Decline(seek.clone()));
    assert!(matches!(bob.message(), Message::Done { .. }));
    assert_eq!(ann.message(), Message::SeekOver { seek, why: SeekEnd::Declined });
    net.pass(4 * SECOND);
    assert_eq!(net.seeks(), 0);
}

#[test]
fn a_challenge_that_a_node_has_missed_is_repeated() {
    let mut net = Net::new(2);
    let (ann, mut bob) = (net.person(1, "Ann"), net.person(2, "Bob"));
    let login = Login {
        session: bob.session,
        account: None,
        is_token: false,
        ending: Ending::new(CancellationToken::new()),
        outbox: bob.outbox.clone(),
    };
    assert!(net.logins.enter(&bob.member, login, 0));
    net.cut.insert((node(1), node(2)));
    let to = Ok(Challenged { member: bob.member.id.clone(), is_friend: false });
    let challenge = PairingRequest::Challenge { to, settings: settings(), engine: false };
    net.ask(&ann, "challenge", challenge);
    assert!(bob.messages().is_empty());
    net.heal();
    assert!(matches!(bob.message(), Message::Challenged { for_ms: 60_000, .. }));
}

#[test]
fn all_nodes_show_the_same_lobby() {
    let mut net = Net::new(3);
    let mut watchers: Vec<_> = (1..=3).map(|number| net.person(number, "Eve")).collect();
    for watcher in &mut watchers {
        net.ask(watcher, "watch", PairingRequest::Watch);
        let Message::Lobby { pools, seeks, .. } = watcher.message() else { panic!("no lobby") };
        assert!(pools.len() == 7 && seeks.is_empty());
    }
    let ann = net.person(2, "Ann");
    net.ask(&ann, "seek", seek());
    net.pass(SECOND);
    let changes: Vec<_> = watchers.iter_mut().map(Person::message).collect();
    let Message::LobbyChanged { pools, .. } = &changes[0] else { panic!("{changes:?}") };
    assert_eq!((pools.len(), pools[0].waiting), (1, 1));
    assert!(changes.iter().all(|change| *change == changes[0]), "{changes:?}");
    // Another one at the same node has it from there, and a new leader sends it to all.
    let mut late = net.person(3, "Tom");
    net.ask(&late, "watch", PairingRequest::Watch);
    let Message::Lobby { pools, .. } = late.message() else { panic!("no lobby") };
    assert_eq!(pools.last().map(|pool| pool.waiting), Some(1));
    net.kill(1);
    let bob = net.person(3, "Bob");
    net.ask(
        &bob,
        "seek",
        PairingRequest::Seek { wanted: Wanted::Settings(settings()), engine: false },
    );
    net.pass(2 * SECOND);
    for watcher in &mut watchers[1..] {
        let changes = watcher.messages();
        let added = changes.iter().any(
            |change| matches!(change, Message::LobbyChanged { added, .. } if added.len() == 1),
        );
        assert!(added, "{changes:?}");
    }
}

#[test]
fn unanswered_commands_are_limited_in_number_and_in_time() {
    let mut net = Net::new(2);
    let mut ann = net.person(2, "Ann");
    net.cut.insert((node(2), node(1)));
    for number in 0..UNANSWERED_COMMANDS_MAX {
        net.ask(&ann, &format!("seek{number}"), seek());
    }
    assert!(ann.messages().is_empty());
    net.ask(&ann, "more", seek());
    let Message::Refused { refusal, .. } = ann.message() else { panic!("not refused") };
    assert_eq!(refusal.reason, Reason::Busy);
    let within = u64::try_from(ANSWERED_WITHIN.as_millis()).unwrap();
    let asked_at = net.now;
    while net.now + SECOND < asked_at + within {
        net.pass(STEP);
    }
    assert!(!ann.outbox.is_restarted());
    net.pass(2 * SECOND);
    assert!(ann.outbox.is_restarted());
}
