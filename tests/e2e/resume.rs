//! Tests losing the connection and coming back: the same seat, all missed events, and no
//! duplicates.

use fivefold_shared::{
    protocol::{CatchUp, CommandId, Event, LobbyRequest, Message, Reason, Request, RoomRequest},
    rules::Point,
};
use fivefold_tests::{Guest, Server, private};

use crate::{FIVE, Pair, freestyle};

#[tokio::test]
async fn who_comes_back_gets_exactly_the_missing_events_and_plays_on() {
    let mut pair = Pair::new().await;
    pair.play(&FIVE[..3]).await;
    let Pair { server, room, mut ann, bob } = pair;
    let last = bob.seen(&room).room.seq;
    let bob = bob.lost();

    // While Bob is away.
    ann.done(&room, RoomRequest::OfferDraw).await;
    let mut eve = Guest::hello(&server, "Eve").await;
    eve.join(&room).await;
    assert_eq!(eve.refused(&room, RoomRequest::Sit { seat: None }).await, Reason::NoOpenSeat);

    let mut bob = bob.back().await;
    let join = LobbyRequest::Join { room: room.clone(), after: Some(last) };
    let answer = bob.ask(Request::Lobby(join)).await;
    let Message::Joined { catch_up: CatchUp::Events(missed), .. } = answer else {
        panic!("{answer:?}");
    };
    let seqs: Vec<u64> = missed.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, [last + 1]);
    assert!(matches!(missed[0].event, Event::DrawOffered { .. }));

    let mut pair = Pair { server, room, ann, bob };
    pair.play(&FIVE[3..]).await;
    pair.level().await;
    assert_eq!(pair.bob.seen(&pair.room).snapshots, 1, "only the one of the first join");
}

#[tokio::test]
async fn who_missed_nothing_gets_nothing() {
    let mut pair = Pair::new().await;
    pair.play(&FIVE[..1]).await;
    let Pair { server, room, ann, bob } = pair;
    let heard = ann.seen(&room).events.len();
    let mut ann = ann.lost().back().await;
    ann.join(&room).await;
    assert_eq!((ann.seen(&room).events.len(), ann.seen(&room).snapshots), (heard, 1));
    Pair { server, room, ann, bob }.play(&FIVE[1..]).await;
}

#[tokio::test]
async fn who_missed_too_much_gets_a_snapshot() {
    let mut pair = Pair::new().await;
    let Pair { server, room, mut ann, mut bob } = pair;
    let mut eve = Guest::hello(&server, "Eve").await;
    eve.join(&room).await;
    let eve = eve.lost();
    // Two events a round.
    for _ in 0..130 {
        ann.done(&room, RoomRequest::OfferDraw).await;
        bob.done(&room, RoomRequest::DeclineDraw).await;
    }
    let mut eve = eve.back().await;
    eve.join(&room).await;
    assert_eq!((eve.seen(&room).snapshots, eve.seen(&room).events.len()), (2, 0));
    pair = Pair { server, room, ann, bob };
    pair.play(&FIVE).await;
    let end = pair.ann.seen(&pair.room);
    let seen = eve.until(&pair.room, |seen| seen.room.seq == end.room.seq).await;
    assert_eq!(seen.room.snapshot(), end.room.snapshot());
}

#[tokio::test]
async fn a_command_that_is_said_again_is_done_once_and_answered_the_same() {
    let mut pair = Pair::new().await;
    let id = CommandId::try_from("my-first-move".to_owned()).expect("an id");
    let request = RoomRequest::Play { ply: 0, point: FIVE[0].into() };
    let request = Request::Room { room: pair.room.clone(), request };
    pair.ann.send_as(id.clone(), request.clone()).await;
    let first = pair.ann.answer(&id).await;
    assert!(matches!(first, Message::Done { seq: Some(_), .. }), "{first:?}");

    // On the same socket, and on another one.
    pair.ann.send_as(id.clone(), request.clone()).await;
    assert_eq!(pair.ann.answer(&id).await, first);
    let Pair { server, room, ann, bob } = pair;
    let mut ann = ann.lost().back().await;
    ann.join(&room).await;
    ann.send_as(id.clone(), request).await;
    assert_eq!(ann.answer(&id).await, first);
    assert_eq!(ann.seen(&room).position().ply(), 1);
    Pair { server, room, ann, bob }.play(&FIVE[1..]).await;
}

#[tokio::test]
async fn making_a_room_twice_with_one_id_makes_one_room() {
    let pair = Pair::new().await;
    let Pair { mut ann, .. } = pair;
    let id = CommandId::try_from("my-room".to_owned()).expect("an id");
    let create = Request::Lobby(LobbyRequest::Create(private(freestyle())));
    let code = |message| match message {
        Message::Joined { room, .. } => room,
        other => panic!("{other:?}"),
    };
    ann.send_as(id.clone(), create.clone()).await;
    let first = code(ann.answer(&id).await);
    let mut ann = ann.lost().back().await;
    ann.send_as(id.clone(), create).await;
    assert_eq!(code(ann.answer(&id).await), first);
}

#[tokio::test]
async fn a_killed_server_has_kept_every_move_that_it_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut pair = Pair::on(Server::start_in(folder.path()), private(freestyle())).await;
    for moves in FIVE.chunks(2) {
        pair.play(moves).await;
        // In the middle of its work.
        pair = pair.killed(folder.path()).await;
        pair.level().await;
    }
    let end = pair.bob.seen(&pair.room);
    let moves: Vec<_> = FIVE.map(Point::from).into();
    assert_eq!(end.position().moves(), moves);
    assert!(end.position().outcome().is_some());
    assert_eq!(end.snapshots, 1, "the missing events are enough");
}
