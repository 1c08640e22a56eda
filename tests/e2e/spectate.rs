//! Tests watching: one snapshot, then every event, and no rights to anything else.

use fivefold_shared::{
    bot_spec::BotKind,
    protocol::{LobbyRequest, Message, Reason, Request, RoomRequest},
    rules::Point,
    seat::Seat,
};
use fivefold_tests::Guest;

use crate::{FIVE, Pair};

#[tokio::test]
async fn who_comes_in_the_middle_gets_one_snapshot_and_then_every_event() {
    let mut pair = Pair::new().await;
    pair.play(&FIVE[..5]).await;
    let mut eve = Guest::hello(&pair.server, "Eve").await;
    eve.join(&pair.room).await;
    assert_eq!(eve.seen(&pair.room).position().ply(), 5);
    pair.play(&FIVE[5..]).await;

    let end = pair.ann.seen(&pair.room);
    eve.until(&pair.room, |seen| seen.room.seq == end.room.seq).await;
    let seen = eve.seen(&pair.room);
    assert_eq!((seen.snapshots, seen.events.len()), (1, 5), "four moves and the end");
    assert_eq!(seen.room.snapshot(), end.room.snapshot());
}

#[tokio::test]
async fn a_spectator_can_do_nothing_but_watch() {
    let mut pair = Pair::new().await;
    pair.play(&FIVE[..2]).await;
    // Open an offer and a question, so that answers are not refused for lack of one.
    pair.ann_does(RoomRequest::OfferDraw).await;
    pair.bob_does(RoomRequest::AskTakeback).await;
    let mut eve = Guest::hello(&pair.server, "Eve").await;
    eve.join(&pair.room).await;
    let before = eve.seen(&pair.room).room.snapshot();

    let (ply, point, seat) = (2, Point::new(0, 0), Seat::Second);
    let cases = [
        (RoomRequest::Sit { seat: None }, Reason::NoOpenSeat),
        (RoomRequest::Sit { seat: Some(seat) }, Reason::SeatTaken),
        (RoomRequest::Stand, Reason::NotSeated),
        (RoomRequest::SeatBot { seat, bot: BotKind::Attack.into() }, Reason::NotAllowed),
        (RoomRequest::RemoveBot { seat }, Reason::NotAllowed),
        (RoomRequest::Play { ply, point }, Reason::NotSeated),
        (RoomRequest::Resign, Reason::NotSeated),
        (RoomRequest::OfferDraw, Reason::NotSeated),
        (RoomRequest::AcceptDraw, Reason::NotSeated),
        (RoomRequest::DeclineDraw, Reason::NotSeated),
        (RoomRequest::AskTakeback, Reason::NotSeated),
        (RoomRequest::GrantTakeback, Reason::NotSeated),
        (RoomRequest::RefuseTakeback, Reason::NotSeated),
        (RoomRequest::Rematch, Reason::NotSeated),
        (RoomRequest::Weights { bot: None, ply: None }, Reason::PlayersOnly),
        (RoomRequest::BotMove { ply, bot: None }, Reason::NotSeated),
    ];
    for (request, reason) in cases {
        assert_eq!(eve.refused(&pair.room, request.clone()).await, reason, "{request:?}");
    }

    let mut latecomer = Guest::hello(&pair.server, "Latecomer").await;
    latecomer.join(&pair.room).await;
    assert_eq!(latecomer.seen(&pair.room).room.snapshot(), before, "nothing has happened");
}

#[tokio::test]
async fn the_players_are_told_who_watches() {
    let mut pair = Pair::new().await;
    let mut eve = Guest::hello(&pair.server, "Eve").await;
    eve.join(&pair.room).await;
    let names = |seen: &fivefold_tests::Seen| -> Vec<String> {
        seen.spectators.names.iter().map(ToString::to_string).collect()
    };
    pair.ann.until(&pair.room, |seen| names(seen) == ["Eve"]).await;
    assert_eq!(pair.ann.seen(&pair.room).spectators.count, 1);

    let room = pair.room.clone();
    let left = eve.ask(Request::Lobby(LobbyRequest::Leave { room })).await;
    assert!(matches!(left, Message::Done { .. }), "{left:?}");
    pair.ann.until(&pair.room, |seen| seen.spectators.count == 0).await;
}
