//! A guest in a running game who is taken along to an account: the account has the seat and the clock.

use fivefold_shared::{
    protocol::{
        AccountNews, CatchUp, Event, Identity, MemberId, Message, OwnRoom, Player, Reason,
        RoomCode, close,
    },
    seat::Seat,
};
use fivefold_storage::{Memory, Storage};
use serde_json::{Value, json};

use crate::{
    accounts::{ask, bearer, greet, hello, sign_in, sign_up, socket, with},
    cluster::{nodes_on, stop_all, until_all_ready},
    harness::{Client, LIMITS, TestServer, joined, within},
    moderation::{heard, kept, say, settle},
};

const MAIN_MS: u64 = 600_000;

/// A game with clocks that a guest and Bob have begun; it is the guest's turn.
async fn begun(server: &TestServer) -> (Client, MemberId, Identity, Client, RoomCode) {
    let (mut guest, id, identity) = greet(server, "Gus").await;
    let create = json!({
        "type": "create", "rules": {"variant": "freestyle"}, "seats": ["me", "open"],
        "colour": "black", "visibility": "private",
        "time": {"type": "sudden_death", "main_ms": MAIN_MS},
    });
    let room = joined(guest.ask(create).await);
    let mut bob = server.greet("Bob").await;
    bob.join(&room).await;
    bob.ask(json!({"type": "sit", "room": room})).await;
    done(&guest.ask(play(&room, 0)).await);
    done(&bob.ask(play(&room, 1)).await);
    (guest, id.try_into().unwrap(), identity, bob, room)
}

fn play(room: &RoomCode, ply: u32) -> Value {
    json!({"type": "play", "room": room, "ply": ply, "point": [7 + ply, 7]})
}

fn done(answer: &Message) {
    assert!(matches!(answer, Message::Done { .. }), "{answer:?}");
}

async fn own_rooms(client: &mut Client) -> Vec<OwnRoom> {
    match client.ask(json!({"type": "own_rooms"})).await {
        Message::OwnRooms { rooms, .. } => rooms,
        other => panic!("{other:?}"),
    }
}

/// Reads up to a name that a seat gets.
async fn renamed(client: &mut Client) -> (Seat, String) {
    loop {
        if let Message::Event { event, .. } = client.receive().await
            && let Event::Renamed { seat, name } = event.event
        {
            return (seat, name.to_string());
        }
    }
}

/// Ann takes a guest along who plays at the first node, and goes on at the second one.
async fn play_on(storage: &Memory, first: &TestServer, second: &TestServer) {
    let (cookie, _) = sign_up(first, "Ann").await;
    let (mut guest, guest_id, identity, mut bob, room) = begun(first).await;
    let mut ann = socket(second, &cookie).await;
    assert_eq!(own_rooms(&mut ann).await, []);
    // Somebody else does not get in by the room's link as the player.
    let (stranger, _) = sign_up(second, "Eve").await;

    let take = json!({"identity": identity});
    let taken = ask(first, "POST /api/account/guest", &with(&cookie), &take).await;
    assert_eq!(taken.status, 204, "{}", taken.body);
    assert_eq!(guest.closed().await.0, close::IDENTITY_REPLACED);
    // The sockets of the account get the news, and come again.
    let news = ann.receive().await;
    let Message::AccountChanged { change: AccountNews::GuestAdded, .. } = news else {
        panic!("{news:?}")
    };
    assert_eq!(ann.closed().await.0, close::RESTART);

    let mut ann = second.connect_with(&cookie).await;
    let welcome = ann.ask(hello()).await;
    let Message::Welcome { you, .. } = welcome else { panic!("{welcome:?}") };
    assert_ne!(you, guest_id);
    let own = within(async {
        loop {
            // A node asks another one once it knows it.
            let own = own_rooms(&mut ann).await;
            if !own.is_empty() {
                return own;
            }
        }
    })
    .await;
    assert_eq!(own.len(), 1);
    let OwnRoom { summary, seat, your_turn, host, .. } = &own[0];
    assert_eq!((&summary.room, *seat, *your_turn, *host), (&room, Some(Seat::First), true, true));
    assert_eq!(summary.seats.of_member(&you), Some(Seat::First), "to Ann, the guest is herself");

    // A client that has seen the game as a spectator gets all of it again.
    let answer = ann.ask(json!({"type": "join", "room": room, "after": 4})).await;
    let Message::Joined { catch_up: CatchUp::Snapshot(snapshot), .. } = answer else {
        panic!("{answer:?}")
    };
    let Some(Player::Member { member, name, .. }) = snapshot.seats.get(Seat::First) else {
        panic!("{snapshot:?}")
    };
    assert_eq!((member, name.as_str()), (&you, "Ann"));
    // The clock went on.
    let clock = serde_json::to_value(&snapshot).unwrap()["game"]["clock"].to_string();
    assert!(clock.contains("first") && !clock.contains(&format!("\"first\":{MAIN_MS}")), "{clock}");
    assert_eq!(renamed(&mut bob).await, (Seat::First, "Ann".to_owned()));
    done(&ann.ask(play(&room, 2)).await);
    done(&bob.ask(play(&room, 3)).await);
    // A line of chat is what was typed, whatever it looks like.
    say(&mut bob, &room, guest_id.as_str()).await;
    assert_eq!(heard(&mut ann).await, guest_id.as_str());
    assert_eq!(kept(&mut ann, &room).await, [guest_id.as_str()]);
    let mut eve = socket(second, &stranger).await;
    eve.join(&room).await;
    assert_eq!(eve.refused(play(&room, 4)).await, Reason::NotSeated);
    // A token of the account speaks for it as well, and another session.
    let other = sign_in(second, "Ann").await;
    let mut other = socket(first, &other).await;
    other.join(&room).await;
    done(&other.ask(play(&room, 4)).await);
    done(&ann.ask(json!({"type": "resign", "room": room})).await);

    // The log has the guest's id, and no other for this seat.
    let log = serde_json::to_string(
        &storage.clone().read(&room).unwrap().iter().map(|entry| &entry.event).collect::<Vec<_>>(),
    )
    .unwrap();
    assert!(log.contains(guest_id.as_str()) && !log.contains(you.as_str()), "{log}");
    let games = ask(second, "GET /api/games?own=true", &with(&cookie), &Value::Null).await;
    assert_eq!(games.body["games"].as_array().unwrap().len(), 1, "{}", games.body);
    // Ann is the host, too.
    let close = json!({"type": "close", "room": room});
    assert_eq!(eve.refused(close.clone()).await, Reason::HostOnly);
    done(&ann.ask(close).await);
}

#[tokio::test]
async fn a_running_game_goes_on_when_its_guest_is_taken_along() {
    let storage = Memory::default();
    let server = TestServer::start_on(Box::new(storage.clone()), LIMITS);
    play_on(&storage, &server, &server).await;
    server.stop().await;
}

#[tokio::test]
async fn a_running_game_goes_on_at_another_node_when_its_guest_is_taken_along() {
    let storage = Memory::default();
    let nodes = nodes_on(&storage, 2);
    until_all_ready(&nodes).await;
    play_on(&storage, &nodes[0], &nodes[1]).await;
    stop_all(nodes).await;
}

/// Bob has blocked Ann. She plays Bob as a guest, and takes the guest along in the running game.
async fn check_blocks(first: &TestServer, second: &TestServer) {
    let (cookie, _) = sign_up(first, "Ann").await;
    let (mut guest, guest_id, identity) = greet(first, "Gus").await;
    let (mut bob, _, secret) = greet(second, "Bob").await;
    let bobs = [bearer(&secret)];
    let block = json!({"name": "Ann", "kind": "block"});
    assert_eq!(ask(second, "POST /api/blocks", &bobs, &block).await.status, 204);
    let room = guest.create(json!(["me", "open"])).await;
    bob.join(&room).await;
    done(&bob.ask(json!({"type": "sit", "room": room})).await);
    let (mut eve, ..) = greet(second, "Eve").await;
    eve.join(&room).await;
    say(&mut guest, &room, "one").await;
    assert_eq!(heard(&mut bob).await, "one", "nobody knows yet who this is");

    let take = json!({"identity": identity});
    let taken = ask(first, "POST /api/account/guest", &with(&cookie), &take).await;
    assert_eq!(taken.status, 204, "{}", taken.body);
    let mut ann = socket(first, &cookie).await;
    ann.join(&room).await;
    settle(second).await;
    say(&mut ann, &room, "two").await;
    say(&mut bob, &room, "three").await;
    for line in ["one", "two", "three"] {
        assert_eq!(heard(&mut eve).await, line);
    }
    assert_eq!(kept(&mut bob, &room).await, ["three"]);
    assert_eq!(kept(&mut ann, &room).await, ["one", "two"]);

    // The list has one person, by whichever id.
    let unblock = format!("DELETE /api/blocks/{guest_id}");
    assert_eq!(ask(second, &unblock, &bobs, &Value::Null).await.status, 204);
    settle(first).await;
    say(&mut ann, &room, "four").await;
    assert_eq!(heard(&mut bob).await, "four");
    assert_eq!(kept(&mut ann, &room).await, ["one", "two", "three", "four"]);
    let mute = json!({"member": guest_id, "name": "Ann", "kind": "mute"});
    assert_eq!(ask(second, "POST /api/blocks", &bobs, &mute).await.status, 204);
    let own = ask(first, "GET /api/account", &with(&cookie), &Value::Null).await.body;
    let blocks = ask(second, "GET /api/blocks", &bobs, &Value::Null).await.body;
    assert_eq!(blocks["blocks"][0]["member"], own["account"]["id"]);
    say(&mut ann, &room, "five").await;
    assert_eq!(kept(&mut bob, &room).await, ["three"]);
}

#[tokio::test]
async fn a_block_holds_for_a_guest_who_is_taken_along() {
    let server = TestServer::start(LIMITS);
    check_blocks(&server, &server).await;
    server.stop().await;
}

#[tokio::test]
async fn a_block_holds_for_a_guest_who_is_taken_along_at_another_node() {
    let storage = Memory::default();
    let nodes = nodes_on(&storage, 2);
    until_all_ready(&nodes).await;
    check_blocks(&nodes[0], &nodes[1]).await;
    stop_all(nodes).await;
}

#[tokio::test]
async fn nobody_gets_both_seats_of_a_game() {
    let server = TestServer::start(LIMITS);
    let (cookie, _) = sign_up(&server, "Ann").await;
    let (mut guest, _, identity) = greet(&server, "Gus").await;
    let room = guest.create(json!(["me", "open"])).await;
    let mut ann = socket(&server, &cookie).await;
    ann.join(&room).await;
    done(&ann.ask(json!({"type": "sit", "room": room})).await);
    let take = json!({"identity": identity});
    let path = "POST /api/account/guest";
    ask(&server, path, &with(&cookie), &take).await.assert(409, "game_running");
    done(&guest.ask(json!({"type": "resign", "room": room})).await);
    assert_eq!(ask(&server, path, &with(&cookie), &take).await.status, 204);
    server.stop().await;
}
