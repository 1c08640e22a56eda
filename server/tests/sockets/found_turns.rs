//! Turns whose news was lost, or that began when the member could not be told: the server finds them in the storage.

use fivefold_server::config::Config;
use fivefold_shared::protocol::MemberId;
use fivefold_storage::{Memory, PushChange, PushChanged, Storage};
use fivefold_test_services::PushService;
use serde_json::json;
use tokio::time::sleep;

use crate::{
    accounts::{ask, greet, socket, with},
    friends::person,
    harness::{TestServer, within},
    pushes::{SEEN_WITHIN, config, game, next, nothing, play, start_at, until_on},
    set_clock::{HOUR, set_clock},
    sleeping::SLEEPY,
};

const REMINDER: &str = "Your time ends: {time}";

#[tokio::test]
async fn a_server_that_starts_finds_turns_of_which_nobody_was_told() {
    let clock = set_clock!();
    let mut service = PushService::start().await;
    let memory = Memory::default();
    let start = |service: &PushService| {
        let config = Config { clock: clock.clock, ..config(service, SLEEPY) };
        TestServer::start_with(Box::new(memory.reopen()), config)
    };
    let mut server = start(&service);
    let [ann, bori] = [person(&server, "Ann").await, person(&server, "Bori").await];
    ann.subscribe(&server, &service, 1).await;
    let id = MemberId::try_from(ann.id.clone()).unwrap();
    let browser = memory.reader().unwrap().push_member(&id).unwrap().subscriptions.remove(0);
    let change = |change: PushChange| {
        assert_eq!(memory.clone().change_pushes(&change).unwrap(), PushChanged::Done);
    };
    // She sees the last one at once, and the server learns of it only by that.
    for (late, is_seen) in [(0, false), (2 * HOUR, false), (0, true)] {
        // The server knows of no browser while Bori moves, so that it stores nothing: as if it was killed.
        change(PushChange::Unsubscribe(id.clone(), browser.endpoint.clone()));
        let mut at_ann = socket(&server, &ann.cookie).await;
        let mut at_bori = socket(&server, &bori.cookie).await;
        let room = game(&mut at_bori, &mut at_ann).await;
        play(&mut at_bori, &room, 0).await;
        nothing(&server, &mut service).await;
        assert_eq!(ann.state(&server, &room).await, json!(null));
        clock.advance(late).await;
        change(PushChange::Subscribe(id.clone(), browser.clone()));
        if is_seen {
            ann.see(&server, &room).await;
            assert_eq!(ann.state(&server, &room).await, "seen");
        }
        server.stop().await;
        server = start(&service);
        until_on(&server, &ann.cookie).await;
        let state = if late == 0 && !is_seen {
            let (_, told) = next(&mut service, 1).await;
            assert_eq!(told["title"], "Your move against Bori");
            "told"
        } else {
            "seen"
        };
        within(async { while ann.state(&server, &room).await != state {} }).await;
        sleep(SEEN_WITHIN).await;
        nothing(&server, &mut service).await;
    }
    // She is reminded of the first two. For the last one she has 10 hours left.
    clock.advance(14 * HOUR).await;
    for _ in 0..2 {
        let (_, told) = next(&mut service, 1).await;
        assert_eq!(
            (&told["title"], &told["body"]),
            (&json!(REMINDER), &json!("Your move against Bori"))
        );
    }
    nothing(&server, &mut service).await;
    server.stop().await;
}

#[tokio::test]
async fn a_browser_that_is_subscribed_later_gets_reminders_of_turns_that_wait() {
    let clock = set_clock!();
    let (mut service, server) = start_at(&clock).await;
    let [ann, bori] = [person(&server, "Ann").await, person(&server, "Bori").await];
    let (mut at_ann, mut at_bori) =
        (socket(&server, &ann.cookie).await, socket(&server, &bori.cookie).await);
    let room = game(&mut at_bori, &mut at_ann).await;
    play(&mut at_bori, &room, 0).await;
    sleep(SEEN_WITHIN).await;
    assert_eq!(ann.state(&server, &room).await, json!(null));
    ann.subscribe(&server, &service, 1).await;
    within(async { while ann.state(&server, &room).await != "seen" {} }).await;
    // She is at the page, and sees her games.
    sleep(SEEN_WITHIN).await;
    nothing(&server, &mut service).await;
    clock.advance(16 * HOUR).await;
    assert_eq!(next(&mut service, 1).await.1["title"], REMINDER);
    nothing(&server, &mut service).await;
    server.stop().await;
}

#[tokio::test]
async fn an_account_is_told_of_the_turns_of_its_guests() {
    let clock = set_clock!();
    let (mut service, server) = start_at(&clock).await;
    let [ann, bori] = [person(&server, "Ann").await, person(&server, "Bori").await];
    ann.subscribe(&server, &service, 1).await;
    let (mut guest, _, identity) = greet(&server, "Gus").await;
    let mut at_bori = socket(&server, &bori.cookie).await;
    let [first, second] =
        [game(&mut at_bori, &mut guest).await, game(&mut at_bori, &mut guest).await];
    play(&mut at_bori, &first, 0).await;
    sleep(SEEN_WITHIN).await;
    nothing(&server, &mut service).await;
    let take = json!({"identity": identity});
    let taken = ask(&server, "POST /api/account/guest", &with(&ann.cookie), &take).await;
    assert_eq!(taken.status, 204, "{}", taken.body);
    // She gets reminders of the turn that waits, and is told of the next one.
    within(async { while ann.state(&server, &first).await != "seen" {} }).await;
    nothing(&server, &mut service).await;
    play(&mut at_bori, &second, 0).await;
    let (_, told) = next(&mut service, 1).await;
    assert_eq!(
        (&told["title"], &told["path"]),
        (&json!("Your move against Bori"), &json!(format!("/r/{second}")))
    );
    assert_eq!(ann.state(&server, &second).await, "told");
    clock.advance(16 * HOUR).await;
    let mut paths = Vec::new();
    for _ in 0..2 {
        let (_, told) = next(&mut service, 1).await;
        assert_eq!(told["title"], REMINDER);
        paths.push(told["path"].as_str().unwrap().to_owned());
    }
    paths.sort();
    let mut expected = [&first, &second].map(|room| format!("/r/{room}"));
    expected.sort();
    assert_eq!(paths, expected);
    nothing(&server, &mut service).await;
    server.stop().await;
}
