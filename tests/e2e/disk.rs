//! Tests a full disk: the server refuses what it cannot store, and games go on once there is space.

use std::process::Stdio;

use fivefold_shared::protocol::{LobbyRequest, Message, Reason, Request, RoomRequest};
use fivefold_tests::{Guest, Server, private};

use crate::{FIVE, Pair, freestyle, health::until_ready};

#[tokio::test]
async fn a_full_disk_refuses_moves_and_the_game_goes_on_when_there_is_space() {
    let folder = tempfile::tempdir().expect("a folder for the data");
    let server = Server::start_in_with_limits(folder.path(), Stdio::inherit(), &[], &[]);
    let mut pair = Pair::on(server, private(freestyle())).await;
    pair.play(&FIVE[..2]).await;

    until_ready(&pair.server, "200").await;
    pair.server.limit_files(Some(0));
    let (x, y) = FIVE[2];
    let play = RoomRequest::Play { ply: 2, point: (x, y).into() };
    for _ in 0..3 {
        assert_eq!(pair.ann.refused(&pair.room, play.clone()).await, Reason::Unavailable);
        let pong = pair.bob.ask(Request::Lobby(LobbyRequest::Ping)).await;
        assert!(matches!(pong, Message::Pong { .. }), "{pong:?}");
        assert_eq!(pair.bob.seen(&pair.room).position().ply(), 2, "nobody has seen the move");
    }
    until_ready(&pair.server, "503").await;
    pair.server.limit_files(None);
    until_ready(&pair.server, "200").await;
    pair.play(&FIVE[2..8]).await;

    // The log holds everything acknowledged before and after, once.
    let Pair { server, room, ann, .. } = pair;
    let played = ann.seen(&room).position().moves().to_vec();
    drop(server);
    let server = Server::start_in(folder.path());
    let mut ann = Guest::back(&server, &ann.identity, "Ann").await;
    ann.join(&room).await;
    assert_eq!(ann.seen(&room).position().moves(), played);
    assert_eq!(played.len(), 8);
}
