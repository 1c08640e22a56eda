//! Tests openings through a real server: killed in the middle of them, and played to their ends
//! with bots and a spectator.

use fivefold_shared::{
    bot_spec::BotSpec,
    opening::{OpeningKind, any_act},
    protocol::{Colour, Create, Event, RoomRequest, SeatRequest},
    room::RoomState,
    rules::{Rules, Size, Variant},
};
use fivefold_tests::{Guest, Seen, Server, private, random_games::random_move};
use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::Pair;

fn rules_of(kind: OpeningKind) -> Rules {
    let freestyle = Rules::new(Variant::Freestyle, Size::square(15)).expect("on offer");
    let renju = Rules::new(Variant::Renju, Size::square(15)).expect("on offer");
    if kind.offered(freestyle).is_ok() { freestyle } else { renju }
}

/// The request for a random act or move of the seat to act.
fn next(room: &RoomState, random: &mut StdRng) -> RoomRequest {
    let game = room.running().expect("a running game");
    let ply = game.position.ply();
    let mut pick = |below| random.random_range(0..below);
    match any_act(&game.opening, &game.position, &mut pick) {
        Some(act) => RoomRequest::Choose { ply, act },
        None => RoomRequest::Play { ply, point: random_move(&game.position, random) },
    }
}

#[tokio::test]
async fn a_server_killed_after_each_act_asks_the_same_again() {
    for (kind, seed) in [
        (OpeningKind::Swap2, 1),
        (OpeningKind::Swap2, 2),
        (OpeningKind::Taraguchi10, 3),
        (OpeningKind::Taraguchi10, 4),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let create = Create { opening: kind, ..private(rules_of(kind)) };
        let mut pair = Pair::on(Server::start_in(folder.path()), create).await;
        let mut random = StdRng::seed_from_u64(seed);
        let mut acts = 0;
        loop {
            pair.level().await;
            let state = pair.ann.seen(&pair.room).room.clone();
            let game = state.running().expect("a running game");
            if game.position.ply() == 6 {
                break;
            }
            acts += usize::from(game.ask().is_some());
            let request = next(&state, &mut random);
            if state.to_act() == state.seats.of_member(&pair.ann.me) {
                pair.ann.done(&pair.room, request).await;
            } else {
                pair.bob.done(&pair.room, request).await;
            }
            pair.level().await;
            let before = pair.ann.seen(&pair.room).room.snapshot();
            pair = pair.killed(folder.path()).await;
            let mut eve = Guest::hello(&pair.server, "Eve").await;
            eve.join(&pair.room).await;
            assert_eq!(eve.seen(&pair.room).room.snapshot(), before, "{kind}");
        }
        assert!(acts >= 2, "{kind}: {acts}");
        assert_eq!(pair.ann.seen(&pair.room).snapshots, 1, "the missing events are enough");
    }
}

#[tokio::test]
async fn whole_games_are_played_in_every_opening_in_both_seats() {
    let server = Server::start_with(&["--bot-answer-min", "0", "--command-rate", "1000000"]);
    let engine: BotSpec = "engine:1".parse().expect("a bot");
    for (kind, seed) in OpeningKind::ALL.into_iter().zip(0..) {
        for colour in [Colour::Black, Colour::White] {
            let mut random = StdRng::seed_from_u64(seed);
            let seats = [SeatRequest::Me, SeatRequest::Bot(engine)];
            let create = Create { opening: kind, seats, colour, ..private(rules_of(kind)) };
            let mut ann = Guest::hello(&server, "Ann").await;
            let mut eve = Guest::hello(&server, "Eve").await;
            let room = ann.create(create).await;
            let (mut eve_is_in, mut steps) = (false, 0);
            loop {
                let me = ann.me.clone();
                let seen = ann
                    .until(&room, |seen| {
                        let state = &seen.room;
                        state.running().is_none() || state.to_act() == state.seats.of_member(&me)
                    })
                    .await;
                let state = seen.room.clone();
                if state.running().is_none() {
                    break;
                }
                // In the middle of the opening, if Ann has more than one act in it.
                if steps == 1 {
                    eve.join(&room).await;
                    eve_is_in = true;
                }
                steps += 1;
                let request =
                    if steps > 12 { RoomRequest::Resign } else { next(&state, &mut random) };
                ann.done(&room, request).await;
            }
            assert!(eve_is_in, "{kind}");
            let last = ann.seen(&room).room.seq;
            let ended = |seen: &Seen| seen.room.seq >= last && seen.room.running().is_none();
            eve.until(&room, ended).await;
            ann.until(&room, ended).await;
            assert_eq!(eve.seen(&room).room.snapshot(), ann.seen(&room).room.snapshot(), "{kind}");
            let events = &ann.seen(&room).events;
            let is_over = |event: &&_| matches!(event, Event::OpeningOver {});
            let over = events.iter().map(|numbered| &numbered.event).filter(is_over).count();
            assert_eq!(over, usize::from(!kind.is_free()), "{kind}");
        }
    }
}
