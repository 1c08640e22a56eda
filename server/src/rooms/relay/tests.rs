//! Tests of a relay, step by step, against an owner that answers what a test says.

use std::{any::Any, time::Duration};

use fivefold_shared::{
    protocol::{Message, Name},
    room::Member,
};
use fivefold_storage::{Blocking, Memory};
use tokio::time::advance;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::*;
use crate::{
    cluster::node::Node,
    limits::REFUSED_COMMANDS_KEPT,
    metrics::Metrics,
    online::outbox::OutboxReceiver,
    process::{ids, read_pool::ReadPool},
    rooms::room_actor::around,
    thinking::Owner,
    transport::{bus::local::LocalNetwork, link::Links},
};

const OWNER: NodeId = NodeId::MAX;

/// A relay whose owner has confirmed its attempt, and what must live as long.
async fn linked() -> (Relay, Box<dyn Any>) {
    let (context, kept) = around();
    let (metrics, tasks) = (Arc::new(Metrics::new()), TaskTracker::new());
    let node = Node::join(Box::new(Memory::default()), Blocking::Threads, context.clock);
    let node = node.await.unwrap();
    let (bus, from_bus) = LocalNetwork::new(1).join(node.id(), &tasks);
    let (links, from_peers) = Links::start(node.id(), bus, from_bus, metrics, &tasks);
    let rooms = ReadPool::new(Vec::new(), Blocking::Threads);
    let cluster =
        Arc::new(Cluster::new(node, rooms, links, CancellationToken::new(), Arc::default()));
    let code = RoomCode::try_from("k7m2qpxw9abc".to_owned()).unwrap();
    let mut relay = Relay::new(code, context, cluster, RelayedSeats::default(), None);
    relay.owner = Some(OWNER);
    relay.start_over();
    from_owner(&mut relay, ToRelay::Resumed);
    assert!(matches!(relay.state, State::Linked));
    (relay, Box::new((kept, from_peers)))
}

/// The owner sends something in the attempt that is under way.
fn from_owner(relay: &mut Relay, message: ToRelay) {
    let attempt = relay.attempt;
    relay.receive(FromOwner::Message { from: OWNER, attempt, message });
}

/// A session, and what it receives.
struct Session {
    id: SessionId,
    member: MemberId,
    outbox: Arc<Outbox>,
    messages: OutboxReceiver,
    ended: CancellationToken,
}

impl Session {
    /// A session that is in the room, with the events up to 5.
    fn inside(relay: &mut Relay) -> Self {
        let mut session = Self::outside(relay);
        session.answer(relay, "join", Outcome::Joined(5));
        assert_eq!(session.next().as_deref(), Some("join"));
        session
    }

    /// A session that asks to be let in.
    fn outside(relay: &mut Relay) -> Self {
        let stop = CancellationToken::new();
        let (outbox, messages, ended) = Outbox::new(&stop, Owner::UNKNOWN);
        let (id, outbox) = (SessionId(7), Arc::new(outbox));
        let member = Member::person(ids::member_id(&ids::identity()), Name::new("Ann").unwrap());
        let session = Self { id, member: member.id.clone(), outbox, messages, ended };
        let command = command_id("join");
        let enter = Input::Enter { session: id, member, command, after: None };
        relay.take(enter, Arc::clone(&session.outbox));
        session
    }

    fn ask(&self, relay: &mut Relay, id: &str, request: RoomRequest) {
        let input = Input::Command { session: self.id, id: command_id(id), request, lag_ms: 0 };
        relay.take(input, Arc::clone(&self.outbox));
    }

    /// The owner answers a command, by its id as the text.
    fn answer(&self, relay: &mut Relay, id: &str, outcome: Outcome) {
        let (session, command, text) = (self.id.0, command_id(id), id.to_owned());
        from_owner(relay, ToRelay::Answer { session, command, outcome, text });
    }

    fn next(&mut self) -> Option<String> {
        self.messages.try_recv().map(|text| text.to_string())
    }

    /// Why its next message is a refusal.
    fn refused(&mut self) -> Option<Reason> {
        match Message::from_json(&self.next()?).unwrap() {
            Message::Refused { refusal, .. } => Some(refusal.reason),
            other => panic!("not refused: {other:?}"),
        }
    }
}

fn command_id(id: &str) -> CommandId {
    CommandId::try_from(id.to_owned()).unwrap()
}

fn say() -> RoomRequest {
    serde_json::from_str(r#"{"type":"say","text":"hello"}"#).unwrap()
}

fn event(seq: u64) -> ToRelay {
    ToRelay::Broadcast { mark: Mark::Event(seq), except: Vec::new(), text: seq.to_string() }
}

#[tokio::test(start_paused = true)]
async fn a_session_has_so_many_commands_unanswered() {
    let (mut relay, _kept) = linked().await;
    let mut session = Session::inside(&mut relay);
    for command in 0..UNANSWERED_COMMANDS_MAX {
        session.ask(&mut relay, &command.to_string(), RoomRequest::Resign);
    }
    assert_eq!(session.next(), None);
    session.ask(&mut relay, "more", RoomRequest::Resign);
    assert_eq!(session.refused(), Some(Reason::Busy));
    session.answer(&mut relay, "0", Outcome::Done);
    assert_eq!(session.next().as_deref(), Some("0"));
    session.ask(&mut relay, "again", RoomRequest::Resign);
    assert_eq!(session.next(), None);
}

#[tokio::test(start_paused = true)]
async fn only_the_next_event_is_passed_on() {
    let (mut relay, _kept) = linked().await;
    let mut session = Session::inside(&mut relay);
    for seq in [6, 6, 5, 7] {
        from_owner(&mut relay, event(seq));
    }
    assert_eq!([session.next(), session.next()], [Some("6".to_owned()), Some("7".to_owned())]);
    // After a gap the relay starts over, and ignores what the attempt before still brings.
    let attempt = relay.attempt;
    from_owner(&mut relay, event(9));
    assert!(relay.attempt > attempt && matches!(relay.state, State::Resuming(_)));
    relay.receive(FromOwner::Message { from: OWNER, attempt, message: event(8) });
    assert_eq!(session.next(), None);
    from_owner(&mut relay, event(8));
    assert_eq!(session.next().as_deref(), Some("8"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_comes_once_however_often_a_command_is_sent() {
    let (mut relay, _kept) = linked().await;
    let mut session = Session::inside(&mut relay);
    session.ask(&mut relay, "once", RoomRequest::Resign);
    relay.receive(FromOwner::Lost(OWNER));
    assert_eq!(relay.unanswered.len(), 1);
    session.answer(&mut relay, "once", Outcome::Done);
    session.answer(&mut relay, "once", Outcome::Done);
    assert_eq!([session.next().as_deref(), session.next().as_deref()], [Some("once"), None]);
}

#[tokio::test(start_paused = true)]
async fn chat_goes_again_to_the_same_owner_only() {
    let (mut relay, _kept) = linked().await;
    let mut session = Session::inside(&mut relay);
    session.ask(&mut relay, "line", say());
    relay.receive(FromOwner::Lost(OWNER));
    assert_eq!((relay.unanswered.len(), session.next()), (1, None));
    relay.drop_unlogged(NodeId::ALONE);
    assert_eq!((relay.unanswered.len(), session.refused()), (0, Some(Reason::Unavailable)));
}

#[tokio::test(start_paused = true)]
async fn refused_commands_are_remembered_for_the_next_owner() {
    let (mut relay, _kept) = linked().await;
    let session = Session::inside(&mut relay);
    for command in 0..=REFUSED_COMMANDS_KEPT {
        let command = command.to_string();
        session.ask(&mut relay, &command, RoomRequest::Resign);
        session.answer(&mut relay, &command, Outcome::Refused);
    }
    let refused = relay.guests.refused();
    assert_eq!(refused.len(), REFUSED_COMMANDS_KEPT);
    assert_eq!(refused[0], (session.member, command_id("1")), "the oldest is forgotten");
}

/// The owner says that it has refused a command of the session's member at another node.
fn refused_elsewhere(relay: &mut Relay, session: &Session, id: &str) {
    let refused = vec![(session.member.clone(), command_id(id))];
    from_owner(relay, ToRelay::Refused(refused));
}

/// The owner is dead, and this node has claimed the room: what it hands over.
fn takes_over(relay: &mut Relay) -> Box<Handover> {
    match relay.note_claim(Claimed::Mine {
        epoch: Epoch(2),
        log: Vec::new(),
        empty_since: None,
        news: Vec::new(),
    }) {
        Some(Next::Own { handover, .. }) => handover,
        _ => panic!("it is not this node's room"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_command_that_was_refused_at_another_node_is_not_done_by_the_next_owner() {
    let (mut relay, _kept) = linked().await;
    let mut session = Session::inside(&mut relay);
    session.ask(&mut relay, "refused", RoomRequest::Resign);
    session.ask(&mut relay, "asked", RoomRequest::Resign);
    refused_elsewhere(&mut relay, &session, "refused");
    let handover = takes_over(&mut relay);
    assert_eq!(session.refused(), Some(Reason::Unavailable));
    let ids: Vec<_> = handover.unanswered.iter().map(|(input, _)| input.command_id()).collect();
    assert_eq!(ids, [Some(&command_id("asked"))]);
    // If it comes once more, the room knows.
    assert!(handover.refused.contains(&(session.member.clone(), command_id("refused"))));
    assert!(!session.ended.is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn a_command_that_an_owner_before_has_refused_is_not_sent_to_the_next_one() {
    let (mut relay, _kept) = linked().await;
    let mut session = Session::inside(&mut relay);
    refused_elsewhere(&mut relay, &session, "refused");
    // The same owner answers as before.
    session.ask(&mut relay, "refused", RoomRequest::Resign);
    assert_eq!((session.next(), relay.unanswered.len()), (None, 1));
    session.answer(&mut relay, "refused", Outcome::Refused);
    assert_eq!(session.next().as_deref(), Some("refused"));
    let next = NodeId::new(77).unwrap();
    assert!(relay.note_claim(Claimed::Elsewhere(next)).is_none());
    session.ask(&mut relay, "refused", RoomRequest::Resign);
    assert_eq!((session.refused(), relay.unanswered.len()), (Some(Reason::Unavailable), 0));
}

#[tokio::test(start_paused = true)]
async fn a_relay_that_has_missed_messages_of_a_dead_owner_lets_clients_ask_again() {
    type Step = fn(&mut Relay);
    // What happens before the owner dies, and whether the commands may be done by the next one.
    let cases: [(&str, &[Step], bool); 5] = [
        ("nothing", &[], true),
        ("frames are lost", &[|relay| relay.receive(FromOwner::Lost(OWNER))], false),
        (
            "frames are lost, and the relay resumes",
            &[
                |relay| relay.receive(FromOwner::Lost(OWNER)),
                |relay| from_owner(relay, ToRelay::Resumed),
            ],
            true,
        ),
        (
            "the owner has dropped the sessions",
            &[|relay| from_owner(relay, ToRelay::Dropped)],
            false,
        ),
        (
            "the owner ends in order",
            &[|relay| from_owner(relay, ToRelay::Over), Relay::start_over],
            true,
        ),
    ];
    for (what, before, is_done) in cases {
        let (mut relay, _kept) = linked().await;
        let session = Session::inside(&mut relay);
        session.ask(&mut relay, "asked", RoomRequest::Resign);
        for step in before {
            step(&mut relay);
        }
        let handover = takes_over(&mut relay);
        assert_eq!(handover.unanswered.len(), usize::from(is_done), "{what}");
        assert_eq!(session.outbox.is_restarted(), !is_done, "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_comes_when_the_owner_dies_keeps_its_socket() {
    for (waited, is_restarted) in
        [(ANSWER_AWAITED - Duration::from_millis(1), false), (ANSWER_AWAITED, true)]
    {
        let (mut relay, _kept) = linked().await;
        let session = Session::outside(&mut relay);
        session.ask(&mut relay, "asked", RoomRequest::Resign);
        relay.receive(FromOwner::Lost(OWNER));
        advance(waited).await;
        let handover = takes_over(&mut relay);
        assert_eq!(session.outbox.is_restarted(), is_restarted, "{waited:?}");
        assert_eq!(handover.unanswered.len(), if is_restarted { 0 } else { 2 });
    }
}

#[tokio::test(start_paused = true)]
async fn a_relay_knows_who_sits_in_its_room() {
    let (mut relay, _kept) = linked().await;
    let session = Session::inside(&mut relay);
    let seats = relay.seats.clone();
    assert!(!seats.contains(&session.member));
    from_owner(&mut relay, ToRelay::Seated(vec![session.member.clone()]));
    assert!(seats.contains(&session.member));
    from_owner(&mut relay, ToRelay::Seated(Vec::new()));
    assert!(!seats.contains(&session.member));
}

#[tokio::test(start_paused = true)]
async fn a_command_that_waits_too_long_ends_its_session() {
    let (mut relay, _kept) = linked().await;
    let session = Session::inside(&mut relay);
    session.ask(&mut relay, "late", RoomRequest::Resign);
    advance(ANSWERED_WITHIN - Duration::from_millis(1)).await;
    assert!(relay.note_time().is_none() && !session.ended.is_cancelled());
    advance(Duration::from_millis(1)).await;
    assert!(relay.note_time().is_none());
    assert!(session.ended.is_cancelled() && session.outbox.is_restarted());
    assert!(relay.unanswered.is_empty());
}
