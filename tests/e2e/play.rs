//! Tests two people at play: from the link to the end of the game, with every agreement.

use fivefold_shared::{
    bot_spec::BotKind,
    protocol::{
        Create, Event, LobbyRequest, Message, Name, Phase, Reason, Request, RoomRequest,
        RoomSummary, Visibility,
    },
    rules::{Outcome, Point, Rules, Size, Stone, Variant},
    seat::Seat,
};
use fivefold_tests::{Guest, Server, private};

use crate::{FIVE, Pair, freestyle};

#[tokio::test]
async fn a_private_game_by_link_to_a_five_with_a_third_watching() {
    let mut pair = Pair::new().await;
    let mut eve = Guest::hello(&pair.server, "Eve").await;
    eve.join(&pair.room).await;
    pair.play(&FIVE).await;
    pair.level().await;

    let Pair { room, ann, bob, .. } = &pair;
    let end = ann.seen(room);
    eve.until(room, |seen| seen.room.seq == end.room.seq).await;
    let five = |from: i32| (from..from + 5).map(|x| Point::new(x, 7)).collect();
    let outcome = Outcome::Five { winner: Stone::Black, points: five(3) };
    assert_eq!(end.position().outcome(), Some(&outcome));
    for guest in [bob, &eve] {
        assert_eq!(guest.seen(room).position(), end.position(), "{}", guest.name);
        assert_eq!(guest.seen(room).room.snapshot(), end.room.snapshot(), "{}", guest.name);
    }
    // Each guest received the same events since they joined; Ann was there from the beginning.
    for guest in [bob, &eve] {
        let heard = &guest.seen(room).events;
        assert!(heard.len() >= FIVE.len() && end.events.ends_with(heard), "{}", guest.name);
    }
    let last = end.events.last().expect("an event");
    assert_eq!(last.event, Event::Ended { outcome: outcome.map(|_| Seat::First), rated: false });
}

#[tokio::test]
async fn a_draw_is_offered_declined_and_agreed_on() {
    let mut pair = Pair::new().await;
    pair.play(&FIVE[..2]).await;
    pair.ann_does(RoomRequest::OfferDraw).await;
    assert_eq!(pair.ann.refused(&pair.room, RoomRequest::OfferDraw).await, Reason::AlreadyAsked);
    pair.bob_does(RoomRequest::DeclineDraw).await;
    assert_eq!(pair.bob.refused(&pair.room, RoomRequest::AcceptDraw).await, Reason::NoOffer);
    pair.bob_does(RoomRequest::OfferDraw).await;
    pair.ann_does(RoomRequest::AcceptDraw).await;
    let outcome = pair.bob.seen(&pair.room).position().outcome();
    assert_eq!(outcome, Some(&Outcome::Agreement));
}

#[tokio::test]
async fn a_takeback_undoes_the_askers_move_and_the_answer_to_it() {
    let mut pair = Pair::new().await;
    let nothing = pair.bob.refused(&pair.room, RoomRequest::AskTakeback).await;
    assert_eq!(nothing, Reason::NothingToTakeBack);
    pair.play(&FIVE[..4]).await;

    pair.ann_does(RoomRequest::AskTakeback).await;
    pair.bob_does(RoomRequest::RefuseTakeback).await;
    assert_eq!(pair.ann.seen(&pair.room).position().ply(), 4);

    pair.ann_does(RoomRequest::AskTakeback).await;
    pair.bob_does(RoomRequest::GrantTakeback).await;
    assert_eq!(pair.bob.seen(&pair.room).position().ply(), 2, "Ann's move and Bob's answer");

    pair.bob_does(RoomRequest::AskTakeback).await;
    pair.ann_does(RoomRequest::GrantTakeback).await;
    assert_eq!(pair.ann.seen(&pair.room).position().ply(), 1, "Bob's move alone");
    pair.play(&FIVE[1..]).await;
    assert!(pair.ann.seen(&pair.room).position().outcome().is_some());
}

#[tokio::test]
async fn a_rematch_swaps_the_colours() {
    let mut pair = Pair::new().await;
    pair.ann_does(RoomRequest::Resign).await;
    let resigned = Outcome::Resignation { winner: Stone::White };
    assert_eq!(pair.bob.seen(&pair.room).position().outcome(), Some(&resigned));

    pair.bob_does(RoomRequest::Rematch).await;
    assert_eq!(pair.bob.refused(&pair.room, RoomRequest::Rematch).await, Reason::AlreadyAsked);
    pair.ann_does(RoomRequest::Rematch).await;
    let room = &pair.ann.seen(&pair.room).room;
    assert_eq!(room.game.as_ref().map(|game| game.number), Some(2));
    let stone = |member| room.seats.of_member(member).map(|seat| room.stone_of(seat));
    assert_eq!(stone(&pair.ann.me), Some(Stone::White));
    assert_eq!(stone(&pair.bob.me), Some(Stone::Black));
    assert_eq!(room.seats.of_member(&pair.ann.me), Some(Seat::First), "people keep their seats");
    pair.play(&FIVE).await;
}

#[tokio::test]
async fn the_longest_game_on_the_unbounded_board_is_a_draw() {
    let rules = Rules::new(Variant::Freestyle, Size::Unbounded).expect("on offer");
    let mut pair = Pair::by(private(rules)).await;
    // No two stones are neighbours.
    let moves: Vec<_> = (0..4_000).map(|i| (i % 100 * 2, i / 100 * 2)).collect();
    pair.play(&moves).await;
    assert_eq!(pair.bob.seen(&pair.room).position().outcome(), Some(&Outcome::LengthLimit));
}

#[tokio::test]
async fn one_person_plays_in_several_rooms_at_once() {
    let mut pair = Pair::new().await;
    let tic_tac_toe = pair.ann.create(private(Rules::TIC_TAC_TOE)).await;
    pair.bob.join(&tic_tac_toe).await;
    pair.bob.done(&tic_tac_toe, RoomRequest::Sit { seat: Some(Seat::Second) }).await;
    pair.ann.until(&tic_tac_toe, |seen| seen.room.running().is_some()).await;

    pair.play(&FIVE[..4]).await;
    pair.ann.play(&tic_tac_toe, (1, 1)).await;
    pair.play(&FIVE[4..]).await;
    pair.bob.until(&tic_tac_toe, |seen| seen.position().ply() == 1).await;
    pair.bob.play(&tic_tac_toe, (0, 0)).await;

    assert!(pair.bob.seen(&pair.room).position().outcome().is_some());
    assert_eq!(pair.bob.seen(&tic_tac_toe).position().ply(), 2);
}

#[tokio::test]
async fn one_person_plays_on_two_sockets() {
    let mut pair = Pair::new().await;
    let mut phone = Guest::back(&pair.server, &pair.ann.identity, "Ann").await;
    assert_eq!(phone.me, pair.ann.me);
    phone.join(&pair.room).await;
    phone.play(&pair.room, FIVE[0]).await;
    pair.bob.until(&pair.room, |seen| seen.position().ply() == 1).await;
    pair.ann.until(&pair.room, |seen| seen.position().ply() == 1).await;
    pair.play(&FIVE[1..]).await;
    let seq = pair.ann.seen(&pair.room).room.seq;
    phone.until(&pair.room, |seen| seen.room.seq == seq).await;
    assert_eq!(phone.seen(&pair.room).position(), pair.ann.seen(&pair.room).position());
    assert_eq!(phone.seen(&pair.room).spectators.count, 0, "a player is no spectator");
}

#[tokio::test]
async fn a_new_name_is_told_to_the_room() {
    let mut pair = Pair::new().await;
    let name = Name::new("Anna").expect("a name");
    let answer = pair.ann.ask(Request::Lobby(LobbyRequest::SetName { name: name.clone() })).await;
    assert!(matches!(answer, Message::Done { .. }), "{answer:?}");
    let renamed = Event::Renamed { seat: Seat::First, name };
    pair.bob.until(&pair.room, |seen| seen.events.iter().any(|e| e.event == renamed)).await;
}

/// Asks for the public rooms until they are as wanted: the server updates the list only at
/// intervals.
async fn listed(server: &Server, wanted: impl Fn(&[RoomSummary]) -> bool) -> Vec<RoomSummary> {
    let mut guest = Guest::hello(server, "Newcomer").await;
    loop {
        match guest.ask(Request::Lobby(LobbyRequest::Rooms)).await {
            Message::Rooms { rooms, total, .. } => {
                assert_eq!(rooms.len(), total);
                if wanted(&rooms) {
                    return rooms;
                }
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn public_rooms_are_listed_and_private_ones_are_not() {
    let mut pair = Pair::new().await;
    listed(&pair.server, <[_]>::is_empty).await;

    let create = Create { visibility: Visibility::Public, ..private(freestyle()) };
    let room = pair.ann.create(create).await;
    let rooms = listed(&pair.server, |rooms| !rooms.is_empty()).await;
    assert_eq!(rooms.len(), 1, "not the private one");
    assert_eq!((&rooms[0].room, rooms[0].phase, rooms[0].ply), (&room, Phase::Waiting, 0));

    pair.ann
        .done(&room, RoomRequest::SeatBot { seat: Seat::Second, bot: BotKind::Attack.into() })
        .await;
    pair.ann.until(&room, |seen| seen.room.running().is_some()).await;
    let rooms = listed(&pair.server, |rooms| rooms[0].phase == Phase::Running).await;
    assert!(rooms[0].seats.of_member(&pair.ann.me).is_some());
}

#[tokio::test]
async fn a_seat_is_given_up_between_games_and_taken_by_another() {
    let mut pair = Pair::new().await;
    assert_eq!(pair.bob.refused(&pair.room, RoomRequest::Stand).await, Reason::GameRunning);
    pair.bob_does(RoomRequest::Resign).await;
    pair.bob_does(RoomRequest::Stand).await;
    let mut eve = Guest::hello(&pair.server, "Eve").await;
    eve.join(&pair.room).await;
    eve.done(&pair.room, RoomRequest::Sit { seat: Some(Seat::Second) }).await;
    // Sitting down counts as a request to play; the other player must agree.
    pair.ann.done(&pair.room, RoomRequest::Rematch).await;
    let state = &pair.ann.seen(&pair.room).room;
    assert_eq!(state.seats.of_member(&eve.me), Some(Seat::Second));
    assert_eq!(state.stone_of(Seat::Second), Stone::Black, "the colours are swapped");
    assert!(pair.ann.seen(&pair.room).room.running().is_some());
}
