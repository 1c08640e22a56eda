//! People who are paired: the figures of the simulation that `--example pairing` prints.

use std::time::Duration;

use fivefold_shared::{
    protocol::{LobbyRequest, Message, PoolName, Request, Wanted},
    seat::Seat,
};
use fivefold_tests::{
    Guest, Server,
    pairing::{Plan, run},
};

#[test]
fn a_thousand_people_are_paired_in_time_and_fit() {
    for (seed, within) in [(1, 1), (2, 10), (3, 60)] {
        let within = Duration::from_secs(within);
        let report = run(Plan { seekers: 1_000, within, seed });
        assert!(report.share_in_time() >= 0.95, "{report}");
        assert!(report.mean_difference() < 30.0, "{report}");
        assert_eq!((report.violations, report.doubled), (0, 0), "{report}");
    }
}

#[tokio::test]
async fn two_strangers_find_each_other_and_play_on_through_a_killed_server() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_in(folder.path());
    let mut ann = Guest::hello(&server, "Ann").await;
    let mut bob = Guest::hello(&server, "Bob").await;
    ann.seek("free").await;
    bob.seek("free").await;
    let (room, seat) = ann.paired().await;
    assert_eq!(bob.paired().await, (room.clone(), seat.other()));
    let play = async |first: &mut Guest, second: &mut Guest| {
        first.play(&room, (7, 7)).await;
        second.until(&room, |seen| seen.position().ply() == 1).await;
        second.play(&room, (8, 8)).await;
    };
    match seat {
        Seat::First => play(&mut ann, &mut bob).await,
        Seat::Second => play(&mut bob, &mut ann).await,
    }
    let (ann, bob) = (ann.lost(), bob.lost());
    drop(server);
    let server = Server::start_in(folder.path());
    for away in [ann, bob] {
        let mut back = away.moved_to(&server).back().await;
        back.join(&room).await;
        back.until(&room, |seen| seen.position().ply() == 2).await;
        // The game goes on, so there is no other one.
        let pool = PoolName::try_from("free").unwrap();
        let seek = LobbyRequest::Seek { wanted: Wanted::Pool(pool), engine: false };
        let answer = back.ask(Request::Lobby(seek)).await;
        assert!(matches!(answer, Message::Done { .. }), "{answer:?}");
        assert_eq!(back.paired().await.0, room);
    }
}
