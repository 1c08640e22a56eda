//! People who find each other: seeks, challenges and the lobby.

use std::{sync::atomic::Ordering, time::Duration};

use fivefold_server::{
    config::Config,
    limits::{CHALLENGES_PER_HOUR, Limits, SEEKS_PER_MEMBER_MAX},
};
use fivefold_shared::{
    protocol::{Identity, MemberId, Message, OpenSeek, Reason, RoomCode, SeekEnd, SeekId, close},
    seat::Seat,
};
use fivefold_storage::{DataFolder, Memory, Sqlite};
use serde_json::{Value, json};

use crate::{
    harness::{Client, LIMITS, TestServer, config},
    storage::Brittle,
};

pub(crate) fn seek(pool: &str) -> Value {
    json!({"type": "seek", "pool": pool})
}

/// The seek that began.
pub(crate) fn seeking(answer: Message) -> SeekId {
    match answer {
        Message::Seeking { seek, .. } => seek,
        other => panic!("not seeking: {other:?}"),
    }
}

impl Client {
    pub(crate) async fn seek(&mut self, pool: &str) -> SeekId {
        seeking(self.ask(seek(pool)).await)
    }

    /// Reads up to the game that was found.
    pub(crate) async fn paired(&mut self) -> (Option<SeekId>, RoomCode, Seat) {
        loop {
            if let Message::Paired { seek, room, seat, .. } = self.receive().await {
                return (seek, room, seat);
            }
        }
    }
}

#[tokio::test]
async fn two_strangers_who_seek_the_same_play() {
    let server = TestServer::start(LIMITS);
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let anns = ann.seek("free").await;
    let bobs = bob.seek("free").await;
    let (found, room, seat) = ann.paired().await;
    assert_eq!(found, Some(anns));
    let (found, same, other) = bob.paired().await;
    assert_eq!((found, &same, other), (Some(bobs), &room, seat.other()));
    for client in [&mut ann, &mut bob] {
        client.join(&room).await;
    }
    let (first, second) =
        if seat == Seat::First { (&mut ann, &mut bob) } else { (&mut bob, &mut ann) };
    for (client, ply) in [(first, 0), (second, 1)] {
        let play = json!({"type": "play", "room": room, "ply": ply, "point": [ply, ply]});
        assert!(matches!(client.ask(play).await, Message::Done { .. }));
    }
    assert_eq!(server.count("paired_total").await, 1);
    server.stop().await;
}

/// The game of a challenge or an open seek.
pub(crate) fn settings() -> Value {
    json!({"rules": {"variant": "caro"}})
}

pub(crate) fn challenge(name: &str) -> Value {
    json!({"type": "challenge", "name": name, "settings": settings()})
}

/// A new person, with what they come back by.
pub(crate) async fn known(server: &TestServer, name: &str) -> (Client, Identity, MemberId) {
    let mut client = server.connect().await;
    let hello = json!({"type": "hello", "protocol": 1, "name": name});
    let Message::Welcome { identity: Some(identity), you, .. } = client.ask(hello).await else {
        panic!("not welcome");
    };
    (client, identity, you)
}

pub(crate) async fn back(server: &TestServer, identity: &Identity) -> Client {
    let mut client = server.connect().await;
    let hello = json!({"type": "hello", "protocol": 1, "identity": identity});
    assert!(matches!(client.ask(hello).await, Message::Welcome { .. }));
    client
}

impl Client {
    /// Reads up to the next challenge.
    pub(crate) async fn challenged(&mut self) -> OpenSeek {
        loop {
            if let Message::Challenged { challenge, .. } = self.receive().await {
                return challenge;
            }
        }
    }

    /// Reads up to the end of a seek.
    pub(crate) async fn over(&mut self) -> (SeekId, SeekEnd) {
        loop {
            if let Message::SeekOver { seek, why } = self.receive().await {
                return (seek, why);
            }
        }
    }
}

#[tokio::test]
async fn a_lost_socket_does_not_end_a_seek() {
    let server = TestServer::start(LIMITS);
    let (mut ann, identity, _) = known(&server, "Ann").await;
    let wanted = json!({"type": "seek", "id": "mine", "pool": "free"});
    let seek = seeking(ann.ask(wanted.clone()).await);
    drop(ann);
    let mut ann = back(&server, &identity).await;
    assert_eq!(seeking(ann.ask(wanted.clone()).await), seek);
    let mut bob = server.greet("Bob").await;
    bob.seek("free").await;
    let (found, room, seat) = ann.paired().await;
    assert_eq!((found, bob.paired().await.1), (Some(seek), room.clone()));

    // Who has missed the news repeats the command, over any session.
    drop(ann);
    let mut ann = back(&server, &identity).await;
    assert!(matches!(ann.ask(wanted).await, Message::Done { .. }));
    assert_eq!(ann.paired().await, (None, room, seat));
    server.stop().await;
}

#[tokio::test]
async fn after_a_restart_a_repeated_seek_gets_its_game() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Box::new(Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap());
    let server = TestServer::start_on(open(), LIMITS);
    let (mut ann, identity, me) = known(&server, "Ann").await;
    let wanted = json!({"type": "seek", "id": "mine", "pool": "free"});
    ann.ask(wanted.clone()).await;
    let mut bob = server.greet("Bob").await;
    bob.seek("free").await;
    let (_, room, seat) = ann.paired().await;
    server.stop().await;

    let server = TestServer::start_on(open(), LIMITS);
    let mut ann = back(&server, &identity).await;
    let answer = ann.ask(wanted).await;
    assert!(matches!(answer, Message::Done { .. }), "{answer:?}");
    assert_eq!(ann.paired().await, (None, room, seat));
    // She is a stored member, so her name was not forgotten.
    let mut again = server.connect().await;
    let hello = json!({"type": "hello", "protocol": 1, "identity": identity});
    let Message::Welcome { name, you, .. } = again.ask(hello).await else { panic!("not welcome") };
    assert_eq!((name.as_str(), you), ("Ann", me));
    server.stop().await;
}

#[tokio::test]
async fn nobody_is_in_two_paired_games() {
    let server = TestServer::start(LIMITS);
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    ann.seek("free").await;
    bob.seek("free").await;
    let (_, first, _) = ann.paired().await;
    bob.paired().await;
    for command in [seek("gomoku-5-3"), challenge("Bob")] {
        assert!(matches!(ann.ask(command).await, Message::Done { .. }));
        assert_eq!(ann.paired().await.1, first);
    }
    // When it is over they may seek again, and a rematch has to wait for that game.
    ann.join(&first).await;
    bob.join(&first).await;
    assert!(matches!(
        ann.ask(json!({"type": "resign", "room": first})).await,
        Message::Done { .. }
    ));
    let mut eve = server.greet("Eve").await;
    seeking(ann.ask(json!({"type": "seek", "settings": settings()})).await);
    seeking(eve.ask(json!({"type": "seek", "settings": settings()})).await);
    let (_, second, _) = ann.paired().await;
    assert_ne!(first, second);
    let rematch = json!({"type": "rematch", "room": first});
    assert_eq!(ann.refused(rematch.clone()).await, Reason::GameRunning);
    assert_eq!(bob.refused(rematch.clone()).await, Reason::GameRunning);
    ann.join(&second).await;
    ann.ask(json!({"type": "resign", "room": second})).await;
    for client in [&mut bob, &mut ann] {
        assert!(matches!(client.ask(rematch.clone()).await, Message::Done { .. }));
    }
    assert!(matches!(ann.ask(seek("free")).await, Message::Done { .. }));
    assert_eq!(ann.paired().await.1, first, "the rematch is running");
    server.stop().await;
}

#[tokio::test]
async fn a_daily_game_leaves_its_players_free_for_others() {
    let server = TestServer::start(LIMITS);
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    let mut settings = settings();
    settings["time"] = json!({"type": "daily", "move_ms": 86_400_000});
    for client in [&mut ann, &mut bob] {
        seeking(client.ask(json!({"type": "seek", "settings": settings})).await);
    }
    let (_, daily, _) = ann.paired().await;
    assert_eq!(bob.paired().await.1, daily);
    let mut eve = server.greet("Eve").await;
    for client in [&mut ann, &mut eve] {
        client.seek("free").await;
    }
    let (_, short, _) = ann.paired().await;
    assert_ne!(short, daily);
    // The daily game ends, and the next one begins there beside the short one.
    for client in [&mut ann, &mut bob] {
        client.join(&daily).await;
    }
    ann.ask(json!({"type": "abort", "room": daily})).await;
    for client in [&mut ann, &mut bob] {
        let rematch = client.ask(json!({"type": "rematch", "room": daily})).await;
        assert!(matches!(rematch, Message::Done { .. }), "{rematch:?}");
    }
    assert!(matches!(ann.ask(seek("free")).await, Message::Done { .. }));
    assert_eq!(ann.paired().await.1, short, "only the short game counts");
    server.stop().await;
}

#[tokio::test]
async fn a_seek_that_is_cancelled_while_it_is_paired_is_one_or_the_other() {
    let server = TestServer::start(LIMITS);
    for round in 0..20 {
        let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
        let seek = ann.seek("free").await;
        let cancel = json!({"type": "cancel_seek", "id": "cancel", "seek": seek});
        let wanted = json!({"type": "seek", "id": "seek", "pool": "free"});
        // Both are under way at once.
        if round % 2 == 0 {
            ann.send_text(cancel.to_string()).await;
            bob.send_text(wanted.to_string()).await;
        } else {
            bob.send_text(wanted.to_string()).await;
            ann.send_text(cancel.to_string()).await;
        }
        seeking(bob.receive().await);
        let Message::OwnRooms { rooms, .. } = ann.ask(json!({"type": "own_rooms"})).await else {
            panic!("no rooms");
        };
        if let Some(room) = rooms.first() {
            assert_eq!(bob.paired().await.1, room.summary.room);
        } else {
            // Bob goes on, and is paired with somebody else.
            let mut eve = server.greet("Eve").await;
            eve.seek("free").await;
            assert_eq!(eve.paired().await.1, bob.paired().await.1);
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn somebody_is_challenged_by_name_or_by_id() {
    let server = TestServer::start(LIMITS);
    let mut ann = server.greet("Ann").await;
    assert_eq!(ann.refused(challenge("Bob")).await, Reason::NobodyOnline);
    let (mut bob, identity, me) = known(&server, "Bob").await;
    let mut elsewhere = back(&server, &identity).await;
    elsewhere.ask(json!({"type": "set_name", "name": "Bob"})).await;
    assert_eq!(ann.refused(challenge("Ann")).await, Reason::OwnSeek);
    let seek = seeking(ann.ask(challenge("bob")).await);
    for client in [&mut bob, &mut elsewhere] {
        let OpenSeek { seek: challenged, name, .. } = client.challenged().await;
        assert_eq!((&challenged, name.as_str()), (&seek, "Ann"));
    }
    // Nobody else can answer it.
    let mut eve = server.greet("Eve").await;
    let accept = json!({"type": "accept_seek", "seek": seek});
    assert_eq!(eve.refused(accept.clone()).await, Reason::NoSuchSeek);
    assert!(matches!(bob.ask(accept.clone()).await, Message::Done { .. }));
    let (found, room, seat) = bob.paired().await;
    assert_eq!(
        (found, ann.paired().await),
        (Some(seek.clone()), (Some(seek.clone()), room, seat.other()))
    );
    assert_eq!(elsewhere.over().await, (seek, SeekEnd::Cancelled));

    // Two of one name.
    let mut other = server.greet("BOB").await;
    assert_eq!(eve.refused(challenge("Bob")).await, Reason::SeveralOnline);
    other.ask(json!({"type": "set_name", "name": "Rob"})).await;
    let by_id = json!({"type": "challenge", "member": me, "settings": settings()});
    let seek = seeking(eve.ask(by_id).await);
    assert_eq!(bob.challenged().await.seek, seek);
    let decline = json!({"type": "decline_challenge", "seek": seek});
    assert_eq!(other.refused(decline.clone()).await, Reason::NoSuchSeek);
    assert!(matches!(bob.ask(decline).await, Message::Done { .. }));
    assert_eq!(eve.over().await, (seek, SeekEnd::Declined));
    let nobody = json!({"type": "challenge", "member": "0123456789abcdef", "settings": settings()});
    assert_eq!(eve.refused(nobody).await, Reason::NobodyOnline);
    server.stop().await;
}

#[tokio::test]
async fn seeks_and_challenges_are_limited() {
    let server = TestServer::start(LIMITS);
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    for _ in 0..SEEKS_PER_MEMBER_MAX {
        seeking(ann.ask(json!({"type": "seek", "settings": settings()})).await);
    }
    assert_eq!(ann.refused(seek("free")).await, Reason::TooManySeeks);
    assert_eq!(ann.refused(seek("chess")).await, Reason::NoSuchPool);

    // Of one member, and then of one address.
    let count = CHALLENGES_PER_HOUR / 2;
    for (challenger, count) in [("Eve", count), ("Sid", CHALLENGES_PER_HOUR - count)] {
        let mut client = server.greet(challenger).await;
        for _ in 0..count {
            let seek = seeking(client.ask(challenge("Bob")).await);
            client.ask(json!({"type": "cancel_seek", "seek": seek})).await;
        }
    }
    assert_eq!(bob.refused(challenge("Ann")).await, Reason::TooManyChallenges);
    assert_eq!(server.count(r#"refusals_total{reason="too_many_challenges"}"#).await, 1);
    server.stop().await;
}

#[tokio::test]
async fn a_seek_counts_as_a_request_for_a_room() {
    let limits = Limits { rooms_per_minute: 2, ..LIMITS };
    let server = TestServer::start(limits);
    let mut ann = server.greet("Ann").await;
    let wanted = json!({"type": "seek", "id": "one", "pool": "free"});
    let first = seeking(ann.ask(wanted.clone()).await);
    assert_eq!(seeking(ann.ask(wanted).await), first, "the same seek costs nothing");
    ann.create(json!(["me", "open"])).await;
    let other = json!({"type": "seek", "pool": "gomoku-5-3"});
    assert_eq!(ann.refused(other).await, Reason::TooManyRoomsMade);
    server.stop().await;

    let server = TestServer::start(Limits { rooms_max: 0, ..LIMITS });
    let mut ann = server.greet("Ann").await;
    assert_eq!(ann.refused(json!({"type": "seek", "pool": "free"})).await, Reason::ServerFull);
    server.stop().await;

    // At the limit of an address, no more games begin from there.
    let server = TestServer::start(Limits { rooms_per_address_max: 1, ..LIMITS });
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    ann.seek("free").await;
    bob.seek("free").await;
    let (_, room, _) = ann.paired().await;
    let mut eve = server.greet("Eve").await;
    assert_eq!(eve.refused(seek("free")).await, Reason::TooManyRoomsFromAddress);
    ann.join(&room).await;
    ann.ask(json!({"type": "resign", "room": room})).await;
    ann.ask(json!({"type": "leave", "room": room})).await;
    eve.seek("free").await;
    server.stop().await;
}

#[tokio::test]
async fn who_watches_the_lobby_gets_what_changes() {
    let server = TestServer::start(LIMITS);
    let (mut eve, mut ann) = (server.greet("Eve").await, server.greet("Ann").await);
    let watch = json!({"type": "watch_lobby"});
    let Message::Lobby { pools, seeks, .. } = eve.ask(watch.clone()).await else {
        panic!("no lobby");
    };
    let has_nobody =
        pools.iter().all(|pool| (pool.waiting, pool.games, pool.wait_ms) == (0, 0, None));
    assert!(has_nobody && pools.len() == 7 && seeks.is_empty());

    let open = seeking(ann.ask(json!({"type": "seek", "settings": settings()})).await);
    ann.seek("free").await;
    let (changed, added, removed) = eve.lobby_changed().await;
    let [free] = &changed[..] else { panic!("{changed:?}") };
    assert_eq!((free.0.as_str(), free.1, free.2), ("free", 1, 0));
    assert_eq!((added, removed), (vec![open.clone()], vec![]));

    server.greet("Bob").await.seek("free").await;
    let (changed, added, removed) = eve.lobby_changed().await;
    let [free] = &changed[..] else { panic!("{changed:?}") };
    assert_eq!((free.0.as_str(), free.1, free.2), ("free", 0, 1));
    assert_eq!((added, removed), (vec![], vec![open]));
    // The lobby of a later one is what the others have.
    let Message::Lobby { pools, .. } = ann.ask(watch).await else { panic!("no lobby") };
    assert_eq!(pools.last().map(|pool| (pool.waiting, pool.games)), Some((0, 1)));
    assert!(pools.last().is_some_and(|pool| pool.wait_ms.is_some()));
    assert!(matches!(eve.ask(json!({"type": "unwatch_lobby"})).await, Message::Done { .. }));
    server.stop().await;
}

impl Client {
    /// Reads up to the next change of the lobby: pools with who waits and plays there, and seeks that
    /// came and went.
    pub(crate) async fn lobby_changed(
        &mut self,
    ) -> (Vec<(String, usize, usize)>, Vec<SeekId>, Vec<SeekId>) {
        loop {
            if let Message::LobbyChanged { pools, added, removed } = self.receive().await {
                let pool =
                    pools.into_iter().map(|pool| (pool.name.to_string(), pool.waiting, pool.games));
                let added = added.into_iter().map(|seek| seek.seek).collect();
                return (pool.collect(), added, removed);
            }
        }
    }
}

#[tokio::test]
async fn a_challenge_is_there_for_a_session_that_begins_later() {
    let server = TestServer::start(LIMITS);
    let (mut ann, (bob, identity, me)) = (server.greet("Ann").await, known(&server, "Bob").await);
    let to_bob = json!({"type": "challenge", "member": me, "settings": settings()});
    let seek = seeking(ann.ask(to_bob).await);
    let mut elsewhere = back(&server, &identity).await;
    drop(bob);
    elsewhere.ask(json!({"type": "watch_lobby"})).await;
    assert_eq!(elsewhere.challenged().await.seek, seek);
    let accept = json!({"type": "accept_seek", "seek": seek});
    assert!(matches!(elsewhere.ask(accept).await, Message::Done { .. }));
    assert_eq!(elsewhere.paired().await.1, ann.paired().await.1);
    server.stop().await;
}

#[tokio::test]
async fn both_go_on_seeking_while_no_room_can_be_stored() {
    let storage = Brittle::default();
    let (server, is_broken) = (storage.start(), storage.is_broken);
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    is_broken.store(true, Ordering::SeqCst);
    let anns = ann.seek("free").await;
    let bobs = bob.seek("free").await;
    while server.count("pairs_not_made_total").await < 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    is_broken.store(false, Ordering::SeqCst);
    let (found, room, seat) = ann.paired().await;
    assert_eq!(found, Some(anns));
    assert_eq!(bob.paired().await, (Some(bobs), room, seat.other()));
    assert_eq!(server.count("rooms").await, 1);
    server.stop().await;
}

#[tokio::test]
async fn a_rematch_that_is_not_stored_lets_both_seek() {
    let storage = Brittle::default();
    let (server, is_broken) = (storage.start(), storage.is_broken);
    let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
    ann.seek("free").await;
    bob.seek("free").await;
    let (_, room, _) = ann.paired().await;
    ann.join(&room).await;
    bob.join(&room).await;
    let rematch = json!({"type": "rematch", "room": room});
    ann.ask(json!({"type": "resign", "room": room})).await;
    assert!(matches!(bob.ask(rematch.clone()).await, Message::Done { .. }));
    is_broken.store(true, Ordering::SeqCst);
    assert_eq!(ann.refused(rematch.clone()).await, Reason::Unavailable);
    is_broken.store(false, Ordering::SeqCst);
    for client in [&mut ann, &mut bob] {
        let seek = client.seek("gomoku-5-3").await;
        client.ask(json!({"type": "cancel_seek", "seek": seek})).await;
    }
    // And the rematch is possible, too.
    assert!(matches!(ann.ask(rematch).await, Message::Done { .. }));
    assert!(matches!(bob.ask(seek("free")).await, Message::Done { .. }));
    server.stop().await;
}

#[tokio::test]
async fn a_server_that_drains_pairs_nobody() {
    let config = Config { drain: Duration::from_secs(3_600), ..config(LIMITS) };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let mut ann = server.greet("Ann").await;
    let mut bob = server.greet("Bob").await;
    ann.seek("free").await;
    server.begin_stop();
    bob.send_text(json!({"type": "seek", "id": "late", "pool": "free"}).to_string()).await;
    assert_eq!(bob.closed().await.0, close::RESTART);
    let cancelled = ann.ask(json!({"type": "cancel_seek", "seek": "23456789abcd"})).await;
    assert!(matches!(cancelled, Message::Done { .. }));
}
