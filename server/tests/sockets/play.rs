//! Whole games: what sessions, rooms, the store and the bots' threads do together.

use fivefold_shared::{
    protocol::{Event, Message, Phase},
    rules::Outcome,
};
use serde_json::json;

use crate::harness::{Client, LIMITS, TestServer};

/// Reads up to the end of a game: the numbers of all events on the way, and the outcome.
async fn watch(client: &mut Client) -> (Vec<u64>, Outcome) {
    let mut numbers = Vec::new();
    loop {
        if let Message::Event { event, .. } = client.receive().await {
            numbers.push(event.seq);
            if let Event::Ended { outcome } = event.event {
                return (numbers, outcome);
            }
        }
    }
}

#[tokio::test]
async fn two_people_play_to_a_five_and_a_third_watches() {
    let server = TestServer::start(LIMITS);
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let room = ann.create(json!(["me", "open"])).await;
    bob.join(&room).await;
    bob.ask(json!({"type": "sit", "room": room})).await;
    let mut eve = server.greet("Eve").await;
    eve.join(&room).await;
    for ply in 0..9 {
        let player = if ply % 2 == 0 { &mut ann } else { &mut bob };
        let point = [3 + ply / 2, 5 + ply % 2];
        let play = json!({"type": "play", "room": room, "ply": ply, "point": point});
        let done = player.ask(play).await;
        assert!(matches!(done, Message::Done { .. }), "{ply}: {done:?}");
    }
    let (numbers, outcome) = watch(&mut eve).await;
    assert_eq!(numbers, (5..=14).collect::<Vec<_>>());
    assert!(matches!(outcome, Outcome::Five { .. }), "{outcome:?}");
    server.stop().await;
}

#[tokio::test]
async fn two_bots_play_and_everybody_sees_the_same() {
    let server = TestServer::start(LIMITS);
    let mut ann = server.greet("Ann").await;
    let bots = json!([{"bot": {"kind": "attack"}}, {"bot": {"kind": "pattern"}}]);
    let room = ann.create(bots).await;
    let (numbers, _) = watch(&mut ann).await;
    let first = numbers[0];
    assert!(numbers.iter().copied().eq(first..first + numbers.len() as u64), "{numbers:?}");

    // The room is listed, and coming back with the last number tells nothing twice.
    match ann.ask(json!({"type": "rooms"})).await {
        Message::Rooms { rooms, total: 1, .. } => {
            assert_eq!((&rooms[0].room, rooms[0].phase), (&room, Phase::Finished));
        }
        other => panic!("{other:?}"),
    }
    let last = numbers[numbers.len() - 1];
    let again = ann.ask(json!({"type": "join", "room": room, "after": last})).await;
    let again = serde_json::to_value(&again).unwrap();
    assert_eq!(again["events"], json!([]), "{again}");
    server.stop().await;
}
