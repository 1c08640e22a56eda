//! Tests every refusal that a client can cause, over the wire: each has its reason, and changes
//! nothing.

use fivefold_shared::{
    bot_spec::{BotKind, BotSpec},
    protocol::{
        Create, LobbyRequest, Message, Reason, Request, RoomCode, RoomRequest, SeatRequest,
    },
    rules::{Point, Rules, Size, Variant},
    seat::Seat,
};
use fivefold_tests::{Guest, Server, connect, private};
use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite;

use crate::{FIVE, Pair, freestyle};

/// Puts Ann (Black) and Bob (White) in a room with these moves.
async fn after(pair: &mut Pair, rules: Rules, moves: &[(i32, i32)]) {
    pair.room = pair.ann.create(private(rules)).await;
    pair.bob.join(&pair.room).await;
    pair.bob.done(&pair.room, RoomRequest::Sit { seat: None }).await;
    pair.ann.until(&pair.room, |seen| seen.room.running().is_some()).await;
    pair.play(moves).await;
}

/// Black's stones, with White's scattered along the top where they make no line.
fn black(points: &[(i32, i32)]) -> Vec<(i32, i32)> {
    points.iter().zip(0..).flat_map(|(&point, i)| [point, (2 * i, 0)]).collect()
}

#[tokio::test]
async fn moves_that_cannot_be_made() {
    let renju = Rules::new(Variant::Renju, Size::square(15)).expect("on offer");
    let unbounded = Rules::new(Variant::Freestyle, Size::Unbounded).expect("on offer");
    let double_three = black(&[(5, 7), (6, 7), (7, 8), (7, 9)]);
    let double_four = black(&[(4, 7), (5, 7), (6, 7), (7, 8), (7, 9), (7, 10)]);
    let overline = black(&[(3, 7), (4, 7), (5, 7), (6, 7), (8, 7)]);
    let h8 = (7, 7);
    let cases: [(_, &[_], _, _, _); 9] = [
        (freestyle(), &[h8], 1, h8, Reason::NotYourTurn),
        (freestyle(), &[h8, (0, 0)], 0, (1, 0), Reason::StalePly),
        (freestyle(), &[h8, (0, 0)], 2, (15, 0), Reason::Outside),
        (freestyle(), &[h8, (0, 0)], 2, h8, Reason::Occupied),
        (unbounded, &[h8, (0, 0)], 2, (1_000_008, 7), Reason::TooFar),
        (renju, &double_three, 8, h8, Reason::DoubleThree),
        (renju, &double_four, 12, h8, Reason::DoubleFour),
        (renju, &overline, 10, h8, Reason::Overline),
        (freestyle(), &FIVE, 9, (0, 0), Reason::NoGame),
    ];
    let mut pair = Pair::new().await;
    for (rules, moves, ply, point, reason) in cases {
        after(&mut pair, rules, moves).await;
        let before = pair.ann.seen(&pair.room).room.snapshot();
        let request = RoomRequest::Play { ply, point: point.into() };
        assert_eq!(pair.ann.refused(&pair.room, request).await, reason);
        pair.level().await;
        assert_eq!(pair.ann.seen(&pair.room).room.snapshot(), before, "{reason:?}");
    }
}

#[tokio::test]
async fn things_that_players_may_not_do_now() {
    let (ply, point, bot) = (0, Point::new(0, 0), BotSpec::from(BotKind::Attack));
    let (first, second) = (Seat::First, Seat::Second);
    let before_the_game = [
        (RoomRequest::Sit { seat: None }, Reason::AlreadySeated),
        (RoomRequest::Play { ply, point }, Reason::NoGame),
        (RoomRequest::Resign, Reason::NoGame),
        (RoomRequest::Abort, Reason::NoGame),
        (RoomRequest::Nudge, Reason::NoGame),
        (RoomRequest::OfferDraw, Reason::NoGame),
        (RoomRequest::AskTakeback, Reason::NoGame),
        (RoomRequest::Rematch, Reason::NoGame),
        (RoomRequest::RemoveBot { seat: second }, Reason::NoBot),
        (RoomRequest::SeatBot { seat: first, bot }, Reason::SeatTaken),
        (
            RoomRequest::SeatBot { seat: second, bot: BotKind::Minimax.into() },
            Reason::BotNotOffered,
        ),
        (
            RoomRequest::SeatBot { seat: second, bot: BotSpec { level: Some(3), ..bot } },
            Reason::BotNotOffered,
        ),
    ];
    let during_the_game = [
        (RoomRequest::Stand, Reason::GameRunning),
        (RoomRequest::Rematch, Reason::GameRunning),
        (RoomRequest::SeatBot { seat: second, bot }, Reason::SeatTaken),
        (RoomRequest::Abort, Reason::NotAbortable),
        (RoomRequest::Nudge, Reason::YourTurn),
        (RoomRequest::AcceptDraw, Reason::NoOffer),
        (RoomRequest::DeclineDraw, Reason::NoOffer),
        (RoomRequest::GrantTakeback, Reason::NoOffer),
        (RoomRequest::RefuseTakeback, Reason::NoOffer),
        (RoomRequest::AskTakeback, Reason::NothingToTakeBack),
        (RoomRequest::BotMove { ply, bot: None }, Reason::NoAssistance),
    ];
    let mut pair = Pair::new().await;
    let waiting = pair.ann.create(private(freestyle())).await;
    for (request, reason) in before_the_game {
        assert_eq!(pair.ann.refused(&waiting, request.clone()).await, reason, "{request:?}");
    }
    for (request, reason) in during_the_game {
        assert_eq!(pair.ann.refused(&pair.room, request.clone()).await, reason, "{request:?}");
    }
    pair.ann_does(RoomRequest::OfferDraw).await;
    assert_eq!(pair.ann.refused(&pair.room, RoomRequest::OfferDraw).await, Reason::AlreadyAsked);
}

#[tokio::test]
async fn rooms_that_cannot_be_made_or_entered() {
    let mut pair = Pair::new().await;
    let mut eve = Guest::hello(&pair.server, "Eve").await;
    let nowhere = RoomCode::try_from("222222222222".to_owned()).expect("a code");
    let join = Request::Lobby(LobbyRequest::Join { room: nowhere.clone(), after: None });
    let create = |create| Request::Lobby(LobbyRequest::Create(create));
    let minimax = SeatRequest::Bot(BotKind::Minimax.into());
    let large = Create { seats: [SeatRequest::Me, minimax], ..private(freestyle()) };
    let both = Create { seats: [SeatRequest::Me, SeatRequest::Me], ..private(freestyle()) };
    let leave = Request::Lobby(LobbyRequest::Leave { room: pair.room.clone() });
    let cases = [
        (join, Reason::NoSuchRoom),
        (Request::Room { room: nowhere, request: RoomRequest::Resign }, Reason::NoSuchRoom),
        (
            Request::Room { room: pair.room.clone(), request: RoomRequest::Resign },
            Reason::NotAMember,
        ),
        (leave, Reason::NotAMember),
        (create(large), Reason::BotNotOffered),
        (create(both), Reason::AlreadySeated),
        (
            Request::Lobby(LobbyRequest::Hello {
                protocol: 1,
                identity: None,
                name: None,
                token: None,
            }),
            Reason::AlreadyGreeted,
        ),
    ];
    for (request, reason) in cases {
        let refusal = eve.refusal(request.clone()).await;
        assert_eq!(refusal.reason, reason, "{request:?}");
        assert!(!refusal.text.is_empty());
    }
    pair.play(&FIVE).await;
}

#[tokio::test]
async fn one_identity_has_its_share_of_rooms_and_no_more() {
    let server = Server::start();
    let mut ann = Guest::hello(&server, "Ann").await;
    let create = || Request::Lobby(LobbyRequest::Create(private(freestyle())));
    let mut made = 0;
    let refusal = loop {
        match ann.ask(create()).await {
            Message::Joined { .. } => made += 1,
            Message::Refused { refusal, .. } => break refusal,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((made, refusal.reason), (20, Reason::TooManyRooms));
    // Other people are not affected.
    Guest::hello(&server, "Bob").await.create(private(freestyle())).await;
}

/// The server's answer to one text, sent on a fresh socket.
async fn first_answer(server: &Server, text: &str) -> Message {
    let mut socket = connect(server.address()).await;
    socket.send(tungstenite::Message::text(text)).await.expect("the server listens");
    let frame = socket.next().await.expect("an answer").expect("a frame");
    Message::from_json(frame.to_text().expect("a text")).expect("a message")
}

#[tokio::test]
async fn what_comes_before_the_hello() {
    let server = Server::start();
    let cases = [
        (r#"{"type": "rooms", "id": "1"}"#, Some("1"), Reason::HelloFirst),
        (r#"{"type": "hello", "id": "2", "protocol": 999}"#, Some("2"), Reason::Version),
        (r#"{"type": "hello", "id": "3"}"#, Some("3"), Reason::Malformed),
        ("Good day!", None, Reason::Malformed),
    ];
    for (text, expected, reason) in cases {
        match first_answer(&server, text).await {
            Message::Refused { id, refusal } => {
                assert_eq!(refusal.reason, reason, "{text}");
                assert_eq!(id.as_ref().map(ToString::to_string).as_deref(), expected, "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}
