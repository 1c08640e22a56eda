//! Tests bots in seats, and bot assistance.

use fivefold_shared::{
    bot_spec::{BotKind, BotSpec},
    protocol::{
        Colour, Create, Message, Player, Reason, Request, RoomCode, RoomRequest, SeatRequest,
        Visibility,
    },
    rules::{Outcome, Point, Rules, Size, Stone, Variant},
    seat::Seat,
};
use fivefold_tests::{Guest, Server, private};

use crate::{FIVE, Pair, freestyle};

fn against(kind: BotKind, rules: Rules, colour: Colour) -> Create {
    let seats = [SeatRequest::Me, SeatRequest::Bot(BotSpec::from(kind))];
    Create { seats, colour, ..private(rules) }
}

/// Waits for the guest's turn or the end of the game; true when the game goes on.
async fn my_turn(guest: &mut Guest, room: &RoomCode) -> bool {
    let me = guest.me.clone();
    let seen = guest
        .until(room, |seen| {
            let position = seen.position();
            position.outcome().is_some() || seen.room.seats.of_member(&me) == seen.room.to_act()
        })
        .await;
    seen.position().outcome().is_none()
}

/// Plays the first free point of each row, from the top left of `corner`, until the game ends.
async fn play_badly(guest: &mut Guest, room: &RoomCode, corner: Point) -> Outcome {
    while my_turn(guest, room).await {
        let position = guest.seen(room).position();
        let side = match position.rules().size() {
            Size::Bounded { width, .. } => i32::from(width),
            Size::Unbounded => 15,
        };
        let point = (0..side)
            .flat_map(|y| (0..side).map(move |x| Point::new(corner.x + x, corner.y + y)))
            // Three columns apart, so that they make no line.
            .filter(|point| side == 3 || point.x % 3 == 0 && (point.y % 2 == 0 || point.y % 5 == 0))
            .find(|&point| position.legality(point).is_ok())
            .expect("a free point");
        guest.play(room, point).await;
    }
    guest.seen(room).position().outcome().expect("the game has ended").clone()
}

#[tokio::test]
async fn each_bot_beats_a_person_who_plays_badly() {
    let server = Server::start();
    let mut ann = Guest::hello(&server, "Ann").await;
    let unbounded = Rules::new(Variant::Freestyle, Size::Unbounded).expect("on offer");
    let cases = [
        (BotKind::Attack, unbounded, Colour::White, Stone::Black),
        (BotKind::Pattern, freestyle(), Colour::White, Stone::Black),
        (BotKind::Minimax, Rules::TIC_TAC_TOE, Colour::Black, Stone::White),
    ];
    for (kind, rules, colour, bot) in cases {
        let room = ann.create(against(kind, rules, colour)).await;
        let room_state = &ann.seen(&room).room;
        assert_eq!(room_state.stone_of(Seat::Second), bot);
        let seats = &room_state.seats;
        assert_eq!(seats.get(Seat::Second), Some(&Player::Bot { bot: kind.into() }));
        let outcome = play_badly(&mut ann, &room, Point::default()).await;
        assert_eq!(outcome.winner(), Some(bot), "{kind:?}: {outcome:?}");
    }
}

#[tokio::test]
async fn two_bots_play_and_others_watch() {
    let server = Server::start();
    let mut ann = Guest::hello(&server, "Ann").await;
    let bot = SeatRequest::Bot(BotKind::Minimax.into());
    let create =
        Create { seats: [bot, bot], visibility: Visibility::Public, ..private(Rules::TIC_TAC_TOE) };
    let room = ann.create(create).await;
    let mut eve = Guest::hello(&server, "Eve").await;
    eve.join(&room).await;
    for guest in [&mut ann, &mut eve] {
        let end = guest.until(&room, |seen| seen.position().outcome().is_some()).await;
        assert_eq!(end.position().outcome(), Some(&Outcome::FullBoard), "neither makes a mistake");
    }
    assert_eq!(ann.seen(&room).position(), eve.seen(&room).position());
    assert_eq!(eve.refused(&room, RoomRequest::Resign).await, Reason::NotSeated);
}

#[tokio::test]
async fn a_bot_grants_takebacks_declines_draws_and_plays_again() {
    let server = Server::start();
    let mut ann = Guest::hello(&server, "Ann").await;
    let room = ann.create(against(BotKind::Attack, freestyle(), Colour::Black)).await;
    ann.play(&room, (7, 7)).await;
    assert!(my_turn(&mut ann, &room).await);

    ann.done(&room, RoomRequest::AskTakeback).await;
    ann.until(&room, |seen| seen.position().ply() == 0).await;
    ann.play(&room, (3, 3)).await;
    assert!(my_turn(&mut ann, &room).await);
    assert_eq!(ann.seen(&room).position().moves()[0], Point::new(3, 3));

    ann.done(&room, RoomRequest::OfferDraw).await;
    let declined = |seen: &fivefold_tests::Seen| {
        seen.room.running().is_some_and(|game| game.draw_offer.is_none())
    };
    ann.until(&room, declined).await;

    ann.done(&room, RoomRequest::Resign).await;
    ann.done(&room, RoomRequest::Rematch).await;
    let again = ann.until(&room, |seen| seen.room.game.as_ref().is_some_and(|g| g.number == 2));
    let state = again.await.room.clone();
    assert_eq!(state.seats.of_member(&ann.me), Some(Seat::First));
    assert_eq!(state.stone_of(Seat::First), Stone::White);
    assert!(my_turn(&mut ann, &room).await, "the bot begins");
}

#[tokio::test]
async fn a_bot_is_seated_and_sent_away() {
    let server = Server::start();
    let mut ann = Guest::hello(&server, "Ann").await;
    let room = ann.create(private(freestyle())).await;
    let seat = Seat::Second;
    let bot = BotSpec::from(BotKind::Pattern);
    assert_eq!(ann.refused(&room, RoomRequest::RemoveBot { seat }).await, Reason::NoBot);
    ann.done(&room, RoomRequest::SeatBot { seat, bot }).await;
    ann.until(&room, |seen| seen.room.running().is_some()).await;
    assert_eq!(ann.refused(&room, RoomRequest::RemoveBot { seat }).await, Reason::GameRunning);
    ann.done(&room, RoomRequest::Resign).await;
    ann.done(&room, RoomRequest::RemoveBot { seat }).await;
    ann.until(&room, |seen| seen.room.seats.get(seat).is_none()).await;
}

#[tokio::test]
async fn help_is_given_against_a_bot() {
    let server = Server::start();
    let mut ann = Guest::hello(&server, "Ann").await;
    let room = ann.create(against(BotKind::Attack, freestyle(), Colour::Black)).await;
    let weights = RoomRequest::Weights { bot: Some(BotKind::Pattern), ply: None };
    let answer = ann.ask(Request::Room { room: room.clone(), request: weights }).await;
    let Message::Weights { ply: 0, bot, weights, .. } = answer else { panic!("{answer:?}") };
    assert_eq!(bot, BotSpec::from(BotKind::Pattern));
    assert!(!weights.is_empty());
    assert!(weights.is_sorted_by(|a, b| a.weight >= b.weight), "the best comes first");

    ann.done(&room, RoomRequest::BotMove { ply: 0, bot: None }).await;
    assert!(my_turn(&mut ann, &room).await);
    assert_eq!(
        ann.refused(&room, RoomRequest::BotMove { ply: 0, bot: None }).await,
        Reason::StalePly
    );
}

#[tokio::test]
async fn help_against_a_person_needs_the_rooms_consent() {
    let mut pair = Pair::new().await;
    let ply = 0;
    for request in
        [RoomRequest::Weights { bot: None, ply: None }, RoomRequest::BotMove { ply, bot: None }]
    {
        assert_eq!(pair.ann.refused(&pair.room, request).await, Reason::NoAssistance);
    }
    pair.play(&FIVE).await;
    // After the game everybody may ask for weights.
    let mut eve = Guest::hello(&pair.server, "Eve").await;
    eve.join(&pair.room).await;
    let room = pair.room.clone();
    let answer = eve
        .ask(Request::Room { room, request: RoomRequest::Weights { bot: None, ply: None } })
        .await;
    assert!(matches!(answer, Message::Weights { .. }), "{answer:?}");

    let mut pair = Pair::by(Create { assistance: true, ..private(freestyle()) }).await;
    pair.ann.done(&pair.room, RoomRequest::BotMove { ply, bot: None }).await;
    pair.bob.until(&pair.room, |seen| seen.position().ply() == 1).await;
    let room = pair.room.clone();
    let request = RoomRequest::Weights { bot: None, ply: None };
    let answer = pair.bob.ask(Request::Room { room, request }).await;
    assert!(matches!(answer, Message::Weights { ply: 1, .. }), "{answer:?}");
}
