//! People who find each other: seeks, challenges and the lobby.

use fivefold_shared::{
    protocol::{Message, RoomCode, SeekId},
    seat::Seat,
};
use serde_json::{Value, json};

use crate::harness::{Client, LIMITS, TestServer};

fn seek(pool: &str) -> Value {
    json!({"type": "seek", "pool": pool})
}

/// The seek that began.
fn seeking(answer: Message) -> SeekId {
    match answer {
        Message::Seeking { seek, .. } => seek,
        other => panic!("not seeking: {other:?}"),
    }
}

impl Client {
    async fn seek(&mut self, pool: &str) -> SeekId {
        seeking(self.ask(seek(pool)).await)
    }

    /// Reads up to the game that was found.
    async fn paired(&mut self) -> (Option<SeekId>, RoomCode, Seat) {
        loop {
            if let Message::Paired { seek, room, seat } = self.receive().await {
                return (seek, room, seat);
            }
        }
    }
}

#[tokio::test]
async fn two_strangers_who_seek_the_same_play() {
    let server = TestServer::start(LIMITS);
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let anns = ann.seek("free").await;
    let bobs = bob.seek("free").await;
    let (found, room, seat) = ann.paired().await;
    assert_eq!(found, Some(anns));
    let (found, same, other) = bob.paired().await;
    assert_eq!((found, &same, other), (Some(bobs), &room, seat.other()));
    for client in [&mut ann, &mut bob] {
        client.join(&room).await;
    }
    let (first, second) =
        if seat == Seat::First { (&mut ann, &mut bob) } else { (&mut bob, &mut ann) };
    for (client, ply) in [(first, 0), (second, 1)] {
        let play = json!({"type": "play", "room": room, "ply": ply, "point": [ply, ply]});
        assert!(matches!(client.ask(play).await, Message::Done { .. }));
    }
    assert_eq!(server.count("paired_total").await, 1);
    server.stop().await;
}
