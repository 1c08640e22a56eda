//! Daily games: how many somebody may have, and who gets help with rated ones.

use std::{net::Ipv4Addr, sync::atomic::Ordering, time::Duration};

use fivefold_server::limits::{DAILY_GAMES_MAX, DAILY_GAMES_OF_GUEST_MAX, Limits};
use fivefold_shared::protocol::{Message, OwnRoom, Reason, RoomCode, SeekEnd, SeekId};
use fivefold_storage::Memory;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    accounts::{ask, socket},
    cluster::two_nodes,
    friends::{Person, befriend, person},
    harness::{Client, TestServer, joined, within},
    moderation::{MOVES, play_rated},
    pairing::{challenge, seeking},
    ratings::act,
    sleeping::{SLEEPY, all_asleep, daily, greet, own_rooms},
    storage::Brittle,
};

/// The settings of a rated game with days for each move.
pub(crate) fn rated() -> Value {
    json!({"rules": {"variant": "freestyle", "size": [15, 15]}, "opening": "swap2", "rated": true,
        "time": {"type": "daily", "move_ms": 86_400_000}})
}

/// One challenges the other, who accepts. Returns the room.
pub(crate) async fn accepted(
    [first, second]: [&TestServer; 2],
    [one, other]: [&Person; 2],
    settings: &Value,
) -> RoomCode {
    let path = format!("POST /api/friends/{}/challenge", other.id);
    let sent = ask(first, &path, &one.head, &json!({"settings": settings})).await;
    assert_eq!(sent.status, 204, "{}", sent.body);
    let path = format!("POST /api/friends/{}/challenge/accept", one.id);
    let began = ask(second, &path, &other.head, &Value::Null).await;
    assert_eq!(began.status, 200, "{}", began.body);
    serde_json::from_value(began.body["room"].clone()).unwrap()
}

/// The only room of somebody. A list may lack it in the moment in which it wakes.
pub(crate) async fn only_room(client: &mut Client) -> OwnRoom {
    loop {
        let Message::OwnRooms { rooms, .. } = client.ask(json!({"type": "own_rooms"})).await else {
            panic!("own rooms")
        };
        match &rooms[..] {
            [room] => return room.clone(),
            [] => sleep(Duration::from_millis(10)).await,
            _ => panic!("{rooms:?}"),
        }
    }
}

/// Two friends at two nodes, or twice the same one, in a rated daily game with more moves than are free. Nobody is in
/// its room.
pub(crate) async fn playing(servers: [&TestServer; 2]) -> ([Person; 2], RoomCode) {
    let [ann, bob] = [person(servers[0], "Ann").await, person(servers[1], "Bob").await];
    befriend(servers[0], &ann, &bob).await;
    let room = accepted(servers, [&ann, &bob], &rated()).await;
    let mut anns = socket(servers[0], &ann.cookie).await;
    let mut bobs = socket(servers[1], &bob.cookie).await;
    anns.join(&room).await;
    bobs.join(&room).await;
    // The first player chooses first.
    match only_room(&mut anns).await.your_turn {
        true => play_rated(&mut anns, &mut bobs, &room).await,
        false => play_rated(&mut bobs, &mut anns, &room).await,
    }
    ([ann, bob], room)
}

/// The status of a question for help.
async fn help(server: &TestServer, path: &str, head: &[String], moves: &[[i32; 2]]) -> u16 {
    let rules = json!({"variant": "standard", "size": [15, 15]});
    let body = json!({"rules": rules, "moves": moves});
    ask(server, &format!("POST {path}"), head, &body).await.status
}

#[tokio::test]
async fn only_its_two_players_get_no_help_with_a_rated_daily_game() {
    let storage = Memory::default();
    let nodes = two_nodes(&storage, SLEEPY).await;
    let [here, there] = &nodes;
    let ([ann, bob], room) = playing([here, there]).await;
    let eve = person(here, "Eve").await;
    let mirrored = MOVES.map(|[x, y]| [14 - x, y + 2]);
    let more = [&MOVES[..], &[[14, 14], [0, 14]]].concat();
    for is_asleep in [false, true] {
        if is_asleep {
            for node in &nodes {
                all_asleep(node).await;
            }
        }
        for (server, player) in [(here, &ann), (there, &ann), (here, &bob)] {
            for path in ["/api/position", "/api/analyse"] {
                for moves in [&MOVES[..], &mirrored, &more, &MOVES[..6]] {
                    // An analysis that is answered takes long.
                    let expected = if moves.len() == 6 { 200 } else { 403 };
                    if expected == 403 || path == "/api/position" {
                        let status = help(server, path, &player.head, moves).await;
                        assert_eq!(status, expected, "{path}, {} moves", moves.len());
                    }
                }
            }
        }
        for head in [&[][..], &eve.head] {
            assert_eq!(help(there, "/api/position", head, &MOVES).await, 200);
        }
    }
    // A room with help is no way around, and open to everybody else.
    for (player, is_refused) in [(&ann, true), (&eve, false)] {
        let mut client = socket(there, &player.cookie).await;
        let mut guest = there.greet("Fay").await;
        let create = json!({"type": "create", "rules": {"variant": "standard"}, "colour": "black",
            "seats": ["me", "open"], "visibility": "private", "assistance": true});
        let copy = joined(client.ask(create).await);
        guest.join(&copy).await;
        guest.ask(json!({"type": "sit", "room": copy})).await;
        for (ply, point) in MOVES.iter().enumerate() {
            let mover = if ply % 2 == 0 { &mut client } else { &mut guest };
            act(mover, json!({"type": "play", "room": copy, "ply": ply, "point": point})).await;
        }
        let weights = client.ask(json!({"type": "weights", "room": copy, "bot": "attack"})).await;
        let refused = matches!(&weights, Message::Refused { refusal, .. } if refusal.reason == Reason::RatedGame);
        assert_eq!(refused, is_refused, "{weights:?}");
    }
    // After the game they may ask, too.
    let mut anns = socket(here, &ann.cookie).await;
    anns.join(&room).await;
    act(&mut anns, json!({"type": "resign", "room": room})).await;
    assert_eq!(help(there, "/api/position", &bob.head, &MOVES).await, 200);
    for node in nodes {
        node.stop().await;
    }
}

/// Makes rooms for so many daily games, and leaves them.
async fn make(client: &mut Client, count: usize) -> Vec<RoomCode> {
    let mut rooms = Vec::new();
    for _ in 0..count {
        let room = joined(client.ask(daily("private")).await);
        client.ask(json!({"type": "leave", "room": room})).await;
        rooms.push(room);
    }
    rooms
}

/// At the limit, and one past it, however the place would be taken.
#[tokio::test]
async fn a_guest_has_a_place_in_so_many_daily_games() {
    let server = TestServer::start(SLEEPY);
    let (mut ann, _) = greet(&server, "Ann").await;
    let (mut bob, _) = greet(&server, "Bob").await;
    let open = joined(bob.ask(daily("private")).await);
    let rooms = make(&mut ann, DAILY_GAMES_OF_GUEST_MAX - 1).await;
    // A seat takes the last one.
    ann.join(&open).await;
    act(&mut ann, json!({"type": "sit", "room": open})).await;

    let (mut eve, _) = greet(&server, "Eve").await;
    let another = joined(eve.ask(daily("private")).await);
    ann.join(&another).await;
    let settings = json!({"rules": {"variant": "freestyle"},
        "time": {"type": "daily", "move_ms": 86_400_000}});
    let seek = seeking(eve.ask(json!({"type": "seek", "settings": settings})).await);
    for command in [
        daily("private"),
        json!({"type": "sit", "room": another}),
        json!({"type": "seek", "settings": settings}),
        json!({"type": "challenge", "name": "Eve", "settings": settings}),
        json!({"type": "accept_seek", "seek": seek}),
    ] {
        match ann.ask(command.clone()).await {
            Message::Refused { refusal, .. } => {
                assert_eq!(refusal.reason, Reason::TooManyDailyGames, "{command}");
                assert_eq!(refusal.values.most, Some(DAILY_GAMES_OF_GUEST_MAX));
            }
            other => panic!("{command}: {other:?}"),
        }
    }
    // Other games are not concerned, and the place of a room that is closed is free.
    ann.create(json!(["me", "open"])).await;
    seeking(ann.ask(challenge("Eve")).await);
    act(&mut ann, json!({"type": "close", "room": rooms[0]})).await;
    // The storage closes the room a moment after its maker has the answer.
    within(async {
        while let Message::Refused { refusal, .. } =
            ann.ask(json!({"type": "sit", "room": another})).await
        {
            assert_eq!(refusal.reason, Reason::TooManyDailyGames);
        }
    })
    .await;
    assert_eq!(ann.refused(daily("private")).await, Reason::TooManyDailyGames);
    // So is that of a game that is over; a rematch needs one again.
    act(&mut ann, json!({"type": "resign", "room": another})).await;
    joined(ann.ask(daily("private")).await);
    let rematch = json!({"type": "rematch", "room": another});
    assert_eq!(ann.refused(rematch).await, Reason::TooManyDailyGames);
    server.stop().await;
}

#[tokio::test]
async fn an_account_has_a_place_in_more_daily_games() {
    let server = TestServer::start(SLEEPY);
    let (ann, bob) = (person(&server, "Ann").await, person(&server, "Bob").await);
    befriend(&server, &ann, &bob).await;
    let mut anns = socket(&server, &ann.cookie).await;
    for _ in 0..DAILY_GAMES_MAX / 10 {
        make(&mut anns, 10).await;
        all_asleep(&server).await;
    }
    assert_eq!(anns.refused(daily("private")).await, Reason::TooManyDailyGames);
    // Neither of two friends has a place too many.
    let settings = json!({"settings": rated()});
    let challenge = format!("POST /api/friends/{}/challenge", bob.id);
    assert_eq!(ask(&server, &challenge, &ann.head, &settings).await.status, 204);
    let accept = format!("POST /api/friends/{}/challenge/accept", ann.id);
    let refused = ask(&server, &accept, &bob.head, &Value::Null).await;
    refused.assert(409, "opponent_too_many_games");
    let back = format!("DELETE /api/friends/{}/challenge", bob.id);
    assert_eq!(ask(&server, &back, &ann.head, &Value::Null).await.status, 204);
    let challenge = format!("POST /api/friends/{}/challenge", ann.id);
    assert_eq!(ask(&server, &challenge, &bob.head, &settings).await.status, 204);
    let accept = format!("POST /api/friends/{}/challenge/accept", bob.id);
    let refused = ask(&server, &accept, &ann.head, &Value::Null).await;
    refused.assert(409, "too_many_daily_games");
    assert_eq!(refused.body["most"], DAILY_GAMES_MAX);
    // With a game less there is a place, and the challenge still waits.
    let (room, _) = own_rooms(&mut anns).await.remove(0);
    act(&mut anns, json!({"type": "close", "room": room})).await;
    assert_eq!(ask(&server, &accept, &ann.head, &Value::Null).await.status, 200);
    server.stop().await;
}

/// However many guests come from an address.
#[tokio::test]
async fn guests_at_one_address_begin_so_many_daily_games_in_a_day() {
    let server = TestServer::start(Limits { daily_games_of_guests: 3, ..SLEEPY });
    let at = async |address: Ipv4Addr, name: &str| server.greet_from(address, name).await;
    let [one, other] = [Ipv4Addr::new(127, 0, 0, 7), Ipv4Addr::new(127, 0, 0, 8)];
    for name in ["Ann", "Bob", "Cat"] {
        joined(at(one, name).await.ask(daily("private")).await);
    }
    let mut eve = at(one, "Eve").await;
    assert_eq!(eve.refused(daily("private")).await, Reason::TooManyRoomsMade);
    let settings = json!({"rules": {"variant": "freestyle"},
        "time": {"type": "daily", "move_ms": 86_400_000}});
    let seek = json!({"type": "seek", "settings": settings});
    assert_eq!(eve.refused(seek).await, Reason::TooManyRoomsMade);
    eve.create(json!(["me", "open"])).await;
    joined(at(other, "Fay").await.ask(daily("private")).await);
    server.stop().await;
}

fn over_days() -> Value {
    json!({"rules": {"variant": "freestyle"}, "time": {"type": "daily", "move_ms": 86_400_000}})
}

/// Reads up to the refusal of a seek that stood, and its end.
async fn refused_seek(client: &mut Client, command: &str) -> (Reason, SeekId) {
    let reason = loop {
        if let Message::Refused { id: Some(id), refusal } = client.receive().await {
            assert_eq!(id.as_str(), command);
            break refusal.reason;
        }
    };
    let (seek, why) = client.over().await;
    assert_eq!(why, SeekEnd::Refused);
    (reason, seek)
}

/// At the limit, and one past it.
#[tokio::test]
async fn an_open_seek_ends_if_its_member_reaches_the_limit() {
    let server = TestServer::start(SLEEPY);
    let (mut ann, _) = greet(&server, "Ann").await;
    let (mut bob, _) = greet(&server, "Bob").await;
    let rooms = make(&mut ann, DAILY_GAMES_OF_GUEST_MAX - 1).await;
    let mut seek = json!({"type": "seek", "id": "anns", "settings": over_days()});
    let anns = seeking(ann.ask(seek.clone()).await);
    make(&mut ann, 1).await;
    let accept = json!({"type": "accept_seek", "seek": anns});
    assert_eq!(bob.refused(accept.clone()).await, Reason::OpponentTooManyGames);
    assert_eq!(refused_seek(&mut ann, "anns").await, (Reason::TooManyDailyGames, anns));
    assert_eq!(bob.refused(accept).await, Reason::NoSuchSeek);
    // The same if both seek; the other seek goes on.
    act(&mut ann, json!({"type": "close", "room": rooms[0]})).await;
    let mut again = 0;
    let anns = within(async {
        // The storage closes the room a moment after its maker has the answer.
        loop {
            again += 1;
            seek["id"] = format!("again{again}").into();
            if let Message::Seeking { seek, .. } = ann.ask(seek.clone()).await {
                break seek;
            }
        }
    })
    .await;
    make(&mut ann, 1).await;
    let bobs = seeking(bob.ask(json!({"type": "seek", "settings": over_days()})).await);
    let command = format!("again{again}");
    assert_eq!(refused_seek(&mut ann, &command).await, (Reason::TooManyDailyGames, anns));
    // With a place for one more, both play.
    let (mut eve, _) = greet(&server, "Eve").await;
    make(&mut eve, DAILY_GAMES_OF_GUEST_MAX - 1).await;
    seeking(eve.ask(json!({"type": "seek", "settings": over_days()})).await);
    let (found, room, _) = bob.paired().await;
    assert_eq!((found, eve.paired().await.1), (Some(bobs), room));
    assert_eq!(eve.refused(daily("private")).await, Reason::TooManyDailyGames);
    server.stop().await;
}

/// A seek takes nothing from the daily games that guests at an address may begin. A game that is found counts for both
/// players.
#[tokio::test]
async fn a_daily_seek_of_a_guest_counts_when_its_game_begins() {
    let server = TestServer::start(Limits { daily_games_of_guests: 3, ..SLEEPY });
    let at =
        async |last: u8, name: &str| server.greet_from(Ipv4Addr::new(127, 0, 0, last), name).await;
    let seek = |id: String| json!({"type": "seek", "id": id, "settings": over_days()});
    let mut fay = at(7, "Fay").await;
    for number in 0..5 {
        let own = seeking(fay.ask(seek(format!("cancelled{number}"))).await);
        act(&mut fay, json!({"type": "cancel_seek", "seek": own})).await;
    }
    for number in 0..3 {
        let mut other = at(20 + number, "Gus").await;
        fay.ask(seek(format!("found{number}"))).await;
        other.ask(seek("other".to_owned())).await;
        assert_eq!(fay.paired().await.1, other.paired().await.1);
    }
    assert_eq!(fay.refused(seek("one-more".to_owned())).await, Reason::TooManyRoomsMade);
    // A seek stands while others at the address begin all the games that are left.
    let mut eve = at(8, "Eve").await;
    let eves = seeking(eve.ask(seek("eves".to_owned())).await);
    for name in ["Ann", "Bob", "Cat"] {
        joined(at(8, name).await.ask(daily("private")).await);
    }
    let mut dan = at(9, "Dan").await;
    let accept = json!({"type": "accept_seek", "seek": eves});
    assert_eq!(dan.refused(accept).await, Reason::OpponentTooManyGames);
    assert_eq!(refused_seek(&mut eve, "eves").await, (Reason::TooManyRoomsMade, eves));
    server.stop().await;
}

/// However often its room is refused.
#[tokio::test]
async fn a_daily_game_that_does_not_begin_counts_for_no_guest() {
    let storage = Brittle::default();
    let limits = Limits { daily_games_of_guests: 1, ..SLEEPY };
    let server = TestServer::start_on(Box::new(Memory::default().hooked(storage.clone())), limits);
    let mut ann = server.greet_from(Ipv4Addr::new(127, 0, 0, 7), "Ann").await;
    let mut bob = server.greet_from(Ipv4Addr::new(127, 0, 0, 8), "Bob").await;
    let seek = json!({"type": "seek", "settings": over_days()});
    storage.is_broken.store(true, Ordering::SeqCst);
    seeking(ann.ask(seek.clone()).await);
    seeking(bob.ask(seek.clone()).await);
    within(async {
        while server.count("pairs_not_made_total").await < 3 {
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    storage.is_broken.store(false, Ordering::SeqCst);
    assert_eq!(ann.paired().await.1, bob.paired().await.1);
    for client in [&mut ann, &mut bob] {
        assert_eq!(client.refused(seek.clone()).await, Reason::TooManyRoomsMade, "it counts once");
    }
    server.stop().await;
}

/// Those that wait for the player come first, the one with the least time left before the others.
#[tokio::test]
async fn own_games_are_sorted_by_the_time_left() {
    let server = TestServer::start(SLEEPY);
    let (mut ann, _) = greet(&server, "Ann").await;
    let (mut bob, _) = greet(&server, "Bob").await;
    let mut rooms = Vec::new();
    for days in [3, 1, 2] {
        let mut create = daily("private");
        create["time"]["move_ms"] = (days * 86_400_000_u64).into();
        let room = joined(ann.ask(create).await);
        bob.join(&room).await;
        act(&mut bob, json!({"type": "sit", "room": room})).await;
        rooms.push(room);
    }
    let live = ann.create(json!(["me", "open"])).await;
    bob.join(&live).await;
    act(&mut bob, json!({"type": "sit", "room": live})).await;
    let order = |own: Vec<(RoomCode, bool)>| -> Vec<RoomCode> {
        own.into_iter().map(|(room, _)| room).collect()
    };
    let [three, one, two] = &rooms[..] else { panic!("three rooms") };
    let expected = [&live, one, two, three].map(RoomCode::clone);
    assert_eq!(order(own_rooms(&mut ann).await), expected);
    for room in &rooms {
        ann.ask(json!({"type": "leave", "room": room})).await;
        bob.ask(json!({"type": "leave", "room": room})).await;
    }
    within(async {
        while server.count("rooms").await > 1 {
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    assert_eq!(order(own_rooms(&mut ann).await), expected, "also when they sleep");
    server.stop().await;
}
