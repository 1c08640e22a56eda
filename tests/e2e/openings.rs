//! Tests openings through a real server: killed in the middle of them, and played to their ends
//! with bots and a spectator.

use fivefold_shared::{opening::OpeningKind, protocol::Create};
use fivefold_tests::{
    Guest, Server,
    opening_games::{Plan, Players, play, random_request, rules_of, start_server},
    private,
};
use rand::{SeedableRng, rngs::StdRng};

use crate::Pair;

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
            let request = random_request(&state, &mut random);
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whole_games_in_every_opening_are_the_same_for_everybody() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = start_server(folder.path());
    let players = Players::PersonAndBot("engine:1".parse().expect("a bot"));
    for kind in OpeningKind::ALL {
        let tally = play(&server, Plan { kind, players, games: 2, seed: 1 }).await;
        assert!(tally.mismatches.is_empty(), "{kind}: {:?}", tally.mismatches);
        assert_eq!((tally.games, tally.watched.iter().sum::<usize>()), (2, 2), "{kind}");
        assert_eq!(tally.acts > 0, !kind.is_free(), "{kind}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_bots_play_by_swap2_and_everybody_sees_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = start_server(folder.path());
    let players = Players::Bots(["engine:1", "engine:2"].map(|bot| bot.parse().expect("a bot")));
    let plan = Plan { kind: OpeningKind::Swap2, players, games: 4, seed: 1 };
    let tally = play(&server, plan).await;
    assert!(tally.mismatches.is_empty(), "{:?}", tally.mismatches);
    assert_eq!((tally.games, tally.black.iter().sum::<usize>()), (4, 4));
}
