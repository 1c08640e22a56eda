//! Tests of a relay, step by step, against an owner that answers what a test says.

use std::{any::Any, time::Duration};

use fivefold_shared::{
    protocol::{Message, Name},
    room::Member,
};
use tokio::time::advance;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::*;
use crate::{
    bus::local::LocalNetwork,
    ids,
    limits::REFUSED_COMMANDS_KEPT,
    link::Links,
    metrics::Metrics,
    node::Node,
    outbox::OutboxReceiver,
    room_actor::around,
    storage::{Blocking, Memory},
    thinking::Owner,
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
    let cluster = Arc::new(Cluster::new(node, links, CancellationToken::new()));
    let code = RoomCode::try_from("k7m2qpxw9abc".to_owned()).unwrap();
    let mut relay = Relay::new(code, context, cluster);
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
    outbox: Arc<Outbox>,
    messages: OutboxReceiver,
    ended: CancellationToken,
}

impl Session {
    /// A session that is in the room, with the events up to 5.
    fn inside(relay: &mut Relay) -> Self {
        let stop = CancellationToken::new();
        let (outbox, messages, ended) = Outbox::new(&stop, Owner::UNKNOWN);
        let (id, outbox) = (SessionId(7), Arc::new(outbox));
        let mut session = Self { id, outbox, messages, ended };
        let member =
            Member { id: ids::member_id(&ids::identity()), name: Name::new("Ann").unwrap() };
        let command = command_id("join");
        let enter = Input::Enter { session: id, member, command, after: None };
        relay.take(enter, Arc::clone(&session.outbox));
        session.answer(relay, "join", Outcome::Joined(5));
        assert_eq!(session.next().as_deref(), Some("join"));
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
    assert_eq!(refused[0], (session.id, command_id("1")), "the oldest is forgotten");
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
