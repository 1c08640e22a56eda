//! Rated games over sockets: who gets one, what everybody learns, and what a restart keeps.

use fivefold_shared::{
    protocol::{CatchUp, Event, GameRatings, Message, Reason, RoomCode},
    seat::Seat,
};
use fivefold_storage::Memory;
use serde_json::{Value, json};

use crate::{
    accounts::{sign_up, socket},
    harness::{Client, LIMITS, TestServer},
    pairing::{back, known, seeking},
};

const POOL: &str = "gomoku-5-3";

/// The settings of that pool.
pub(crate) fn settings() -> Value {
    json!({"rules": {"variant": "standard", "size": [15, 15]}, "opening": "swap2", "rated": true,
        "time": {"type": "fischer", "main_ms": 300_000, "increment_ms": 3_000}})
}

/// Two accounts with their sockets.
pub(crate) async fn two(server: &TestServer) -> [(Client, String); 2] {
    let [ann, bob] = [sign_up(server, "Ann").await.0, sign_up(server, "Bob").await.0];
    [(socket(server, &ann).await, ann), (socket(server, &bob).await, bob)]
}

/// Pairs two in the pool, and has both join. First's client comes first.
pub(crate) async fn pair(mut one: Client, mut other: Client) -> (Client, Client, RoomCode) {
    one.seek(POOL).await;
    other.seek(POOL).await;
    let (_, room, seat) = one.paired().await;
    other.paired().await;
    one.join(&room).await;
    other.join(&room).await;
    if seat == Seat::First { (one, other, room) } else { (other, one, room) }
}

pub(crate) async fn act(client: &mut Client, command: Value) {
    let answer = client.ask(command.clone()).await;
    assert!(matches!(answer, Message::Done { .. }), "{command}: {answer:?}");
}

/// Plays the opening and four moves, and First resigns.
pub(crate) async fn play(first: &mut Client, second: &mut Client, room: &RoomCode) {
    act(
        first,
        json!({"type": "choose", "room": room, "ply": 0, "act":
        {"put": [[7, 7], [8, 8], [9, 6]]}}),
    )
    .await;
    act(second, json!({"type": "choose", "room": room, "ply": 3, "act": {"take": "white"}})).await;
    for ply in 3..7 {
        let client = if ply % 2 == 1 { &mut *second } else { &mut *first };
        act(client, json!({"type": "play", "room": room, "ply": ply, "point": [ply, 0]})).await;
    }
    act(first, json!({"type": "resign", "room": room})).await;
}

impl Client {
    /// Reads up to ratings with or without changes.
    pub(crate) async fn ratings(&mut self, changed: bool) -> GameRatings {
        loop {
            if let Message::Ratings { ratings, .. } = self.receive().await
                && ratings.players.first.change.is_some() == changed
            {
                return ratings;
            }
        }
    }

    /// What the news of the game that was found says.
    async fn is_rated(&mut self) -> Option<bool> {
        loop {
            if let Message::Paired { rated, .. } = self.receive().await {
                return rated;
            }
        }
    }

    /// Whether the game that ends next counts.
    async fn counts(&mut self) -> bool {
        loop {
            if let Message::Event { event, .. } = self.receive().await
                && let Event::Ended { rated, .. } = event.event
            {
                return rated;
            }
        }
    }
}

/// The game in a room and its ratings, as a newcomer gets them.
pub(crate) async fn look(client: &mut Client, room: &RoomCode) -> (bool, Option<GameRatings>) {
    let Message::Joined { ratings, catch_up: CatchUp::Snapshot(snapshot), .. } =
        client.ask(json!({"type": "join", "room": room})).await
    else {
        panic!("no snapshot")
    };
    (snapshot.game.is_some_and(|game| game.rated), ratings)
}

/// The ratings of a rated game, as soon as the room knows them.
async fn known_ratings(client: &mut Client, room: &RoomCode) -> GameRatings {
    match look(client, room).await {
        (true, Some(ratings)) => ratings,
        (true, None) => loop {
            if let Message::Ratings { ratings, .. } = client.receive().await {
                return ratings;
            }
        },
        (false, _) => panic!("the game is casual"),
    }
}

#[tokio::test]
async fn a_game_of_two_accounts_is_rated_and_everybody_learns_what_it_changed() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.reopen()), LIMITS);
    let [(ann, cookie), (bob, _)] = two(&server).await;
    let (mut first, mut second, room) = pair(ann, bob).await;
    let before = known_ratings(&mut first, &room).await;
    for player in [before.players.first, before.players.second] {
        assert_eq!((player.rating, player.provisional, player.change), (1500, true, None));
    }
    let mut eve = server.greet("Eve").await;
    assert_eq!(look(&mut eve, &room).await, (true, Some(before)));
    play(&mut first, &mut second, &room).await;
    let after = second.ratings(true).await;
    let [lost, won] = [after.players.first, after.players.second];
    assert!(lost.change < Some(-100) && won.change > Some(100), "{after:?}");
    assert_eq!(
        (lost.rating, won.rating),
        (1500 + lost.change.unwrap(), 1500 + won.change.unwrap())
    );
    assert_eq!(eve.ratings(true).await, after);
    // A rematch is rated, and begins where the last game ended.
    for client in [&mut first, &mut second] {
        act(client, json!({"type": "rematch", "room": room})).await;
    }
    let next = loop {
        let next = eve.ratings(false).await;
        if next.game == 2 {
            break next;
        }
    };
    assert_eq!((next.game, next.players.first.rating), (2, lost.rating));
    act(&mut second, json!({"type": "resign", "room": room})).await;
    assert!(!first.counts().await || !first.counts().await, "the second game is too short");
    server.stop().await;

    // After a restart the rating is there, also for who joins the old room.
    let server = TestServer::start_on(Box::new(memory.reopen()), LIMITS);
    let mut ann = socket(&server, &cookie).await;
    let (is_rated, ratings) = look(&mut ann, &room).await;
    assert!(is_rated && ratings.is_none_or(|ratings| ratings.game == 2), "{ratings:?}");
    server.stop().await;
}

#[tokio::test]
async fn the_ratings_of_an_ended_game_are_there_after_a_restart() {
    let memory = Memory::default();
    let server = TestServer::start_on(Box::new(memory.reopen()), LIMITS);
    let [(ann, _), (bob, _)] = two(&server).await;
    let (mut first, mut second, room) = pair(ann, bob).await;
    play(&mut first, &mut second, &room).await;
    let after = first.ratings(true).await;
    server.stop().await;
    let server = TestServer::start_on(Box::new(memory.reopen()), LIMITS);
    let mut eve = server.greet("Eve").await;
    assert_eq!(known_ratings(&mut eve, &room).await, after);
    server.stop().await;
}

#[tokio::test]
async fn a_guest_in_a_rated_pool_plays_a_casual_game() {
    let server = TestServer::start(LIMITS);
    let cookie = sign_up(&server, "Ann").await.0;
    let (ann, eve) = (socket(&server, &cookie).await, server.greet("Eve").await);
    let (mut first, mut second, room) = pair(ann, eve).await;
    assert_eq!(look(&mut first, &room).await, (false, None));
    play(&mut first, &mut second, &room).await;
    assert!(!second.counts().await);
    server.stop().await;
}

#[tokio::test]
async fn both_learn_whether_their_game_is_rated_when_it_is_found() {
    let server = TestServer::start(LIMITS);
    let [(mut ann, _), (mut bob, _)] = two(&server).await;
    let mut eve = server.greet("Eve").await;
    ann.seek(POOL).await;
    bob.seek(POOL).await;
    assert_eq!((ann.is_rated().await, bob.is_rated().await), (Some(true), Some(true)));
    // Who asks again is in that game, and its room says the same.
    let seek = json!({"type": "seek", "pool": POOL});
    act(&mut ann, seek.clone()).await;
    assert_eq!(ann.is_rated().await, None);
    let cookie = sign_up(&server, "Cid").await.0;
    let mut cid = socket(&server, &cookie).await;
    cid.seek(POOL).await;
    eve.seek(POOL).await;
    assert_eq!((cid.is_rated().await, eve.is_rated().await), (Some(false), Some(false)));
    server.stop().await;
}

#[tokio::test]
async fn only_accounts_ask_for_rated_games_or_accept_them() {
    let server = TestServer::start(LIMITS);
    let cookie = sign_up(&server, "Ann").await.0;
    let mut ann = socket(&server, &cookie).await;
    let (mut eve, identity, _) = known(&server, "Eve").await;
    let wanted = |settings: Value| json!({"type": "seek", "settings": settings});
    assert_eq!(eve.refused(wanted(settings())).await, Reason::AccountNeeded);
    let challenge = json!({"type": "challenge", "name": "Ann", "settings": settings()});
    assert_eq!(eve.refused(challenge).await, Reason::AccountNeeded);
    let mut by_engine = wanted(settings());
    by_engine["engine"] = json!(true);
    assert_eq!(ann.refused(by_engine).await, Reason::BotAccountNeeded);
    for (field, value) in [
        ("opening", json!("free")),
        ("time", json!({"type": "none"})),
        ("rules", json!({"variant": "standard", "size": [13, 13]})),
    ] {
        let mut settings = settings();
        settings[field] = value;
        assert_eq!(ann.refused(wanted(settings)).await, Reason::NotRateable, "{field}");
    }
    let seek = seeking(ann.ask(wanted(settings())).await);
    let mut eve = back(&server, &identity).await;
    let accept = json!({"type": "accept_seek", "seek": seek});
    assert_eq!(eve.refused(accept).await, Reason::AccountNeeded);
    let other = sign_up(&server, "Bob").await.0;
    let mut bob = socket(&server, &other).await;
    act(&mut bob, json!({"type": "accept_seek", "seek": seek})).await;
    let (_, room, _) = bob.paired().await;
    assert!(look(&mut bob, &room).await.0, "the game is rated");
    server.stop().await;
}
