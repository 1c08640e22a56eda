//! Players over HTTP: profiles, histories of ratings and leaderboards.

use fivefold_server::{
    config::Config,
    limits::{Limits, ratings::PROFILE_GAMES_MAX},
};
use fivefold_shared::{
    clock::millis,
    protocol::{GameId, MemberId, Message, Name, NumberedEvent, ROOM_CODE_ALPHABET, RoomCode},
    record::FinishedGame,
    room::{Entry, RoomState},
    seat::Seat,
};
use fivefold_storage::{
    AccountChange, AccountChanged, AccountStep, Append, Epoch, IdentityHash, KeyStep, KnownMember,
    Memory, NodeId, Storage,
    limits::{LEADERBOARD_GAMES_MIN, LEADERBOARD_PLACES_MAX},
};
use serde_json::{Value, json};

use crate::{
    accounts::{ask, sign_up, typed, with},
    harness::{LIMITS, TestServer},
};

const POOL: &str = "standard/15/normal";
const DAY: u64 = 24 * 60 * 60 * 1000;

/// A member who has signed up.
struct Player {
    member: MemberId,
    name: Name,
    cookie: String,
}

async fn player(server: &TestServer, name: &str) -> Player {
    let (cookie, _) = sign_up(server, name).await;
    let own = ask(server, "GET /api/account", &with(&cookie), &Value::Null).await;
    let member = MemberId::try_from(own.body["account"]["id"].as_str().unwrap().to_owned());
    Player { member: member.unwrap(), name: Name::new(name).unwrap(), cookie }
}

fn letters(length: usize, mut number: usize) -> String {
    let digit = |_| {
        let digit = ROOM_CODE_ALPHABET[number % ROOM_CODE_ALPHABET.len()];
        number /= ROOM_CODE_ALPHABET.len();
        char::from(digit)
    };
    (0..length).map(digit).collect()
}

/// A public room in which two have played a game that counts.
fn rated(number: usize, players: [&Player; 2], winner: Option<Seat>, at: u64) -> Append {
    let sat = |seat: &str, player: &Player| {
        let player = json!({"member": player.member, "name": player.name});
        json!({"type": "sat", "seat": seat, "player": player})
    };
    let outcome = match winner {
        Some(winner) => json!({"reason": "resignation", "winner": winner}),
        None => json!({"reason": "agreement"}),
    };
    let events = [
        json!({"type": "created", "rules": {"variant": "standard", "size": 15}, "black": "first",
            "visibility": "public", "assistance": false, "host": players[0].member,
            "time": {"type": "fischer", "main_ms": 300_000, "increment_ms": 3_000}}),
        sat("first", players[0]),
        sat("second", players[1]),
        json!({"type": "started", "game": 1, "black": "first", "id": letters(16, number)}),
        json!({"type": "ended", "outcome": outcome, "rated": true}),
    ];
    let entries: Vec<_> = (1..)
        .zip(events)
        .map(|(seq, event)| {
            let event = serde_json::from_value(event).unwrap();
            Entry { event: NumberedEvent { seq, at, event }, cause: None }
        })
        .collect();
    let games = RoomState::finished_games(entries.iter().map(|entry| &entry.event)).unwrap();
    let id = GameId::try_from(letters(16, number)).unwrap();
    let games = games.into_iter().map(|game| FinishedGame { id: id.clone(), ..game }).collect();
    let code = RoomCode::try_from(letters(12, number)).unwrap();
    Append { entries, games, closes: true, ..Append::nothing(code, NodeId::ALONE, Epoch::FIRST) }
}

fn now() -> u64 {
    millis(std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap())
}

async fn read(server: &TestServer, path: &str, head: &[String]) -> Value {
    let answer = ask(server, &format!("GET {path}"), head, &Value::Null).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer.body
}

#[tokio::test]
async fn a_profile_has_ratings_games_and_the_record_against_the_reader() {
    let memory = Memory::default();
    let mut storage = memory.clone();
    let server = TestServer::start_with(Box::new(memory), Config::default());
    let (ann, bob) = (player(&server, "Ann").await, player(&server, "Bob").await);
    let fresh = read(&server, "/api/player/ann", &[]).await;
    assert_eq!((&fresh["ratings"], &fresh["games"]), (&json!([]), &json!([])));

    let wins = [Some(Seat::First), Some(Seat::First), Some(Seat::Second), None];
    let games = PROFILE_GAMES_MAX + 1;
    let batch: Vec<_> =
        (0..games).map(|game| rated(game, [&ann, &bob], wins[game % 4], now() - DAY)).collect();
    assert!(storage.append(&batch).unwrap().iter().all(Result::is_ok));

    // Names are found as people type them.
    let shown = read(&server, "/api/player/aNN", &[]).await;
    assert_eq!((&shown["name"], &shown["member"]), (&json!("Ann"), &json!(ann.member)));
    assert!(shown["made_at"].as_u64().is_some_and(|at| at > now() - DAY), "{shown}");
    let rating = &shown["ratings"][0];
    let results = |body: &Value| ["games", "won", "drawn", "lost"].map(|key| body[key].as_u64());
    assert_eq!(results(rating), [13, 7, 3, 3].map(Some));
    assert_eq!((&rating["pool"], &rating["provisional"]), (&json!(POOL), &json!(true)));
    assert!(rating["rating"].as_u64().is_some_and(|points| points > 1500), "{rating}");
    assert_eq!(shown["games"].as_array().map(Vec::len), Some(PROFILE_GAMES_MAX));
    assert_eq!(shown["against_you"], Value::Null);
    // Each has one stone in all of them, and met nobody else.
    let by_stone = |body: &Value| ["black", "white"].map(|stone| results(&body["by_stone"][stone]));
    assert_eq!(by_stone(&shown), [[13, 7, 3, 3].map(Some), [Some(0); 4]]);
    let bobs = read(&server, "/api/player/Bob", &[]).await;
    assert_eq!(by_stone(&bobs), [[Some(0); 4], [13, 3, 3, 7].map(Some)]);
    let [opponent] = &shown["opponents"].as_array().unwrap()[..] else { panic!("{shown}") };
    assert_eq!((&opponent["name"], &opponent["rated"]), (&json!("Bob"), &json!(true)));
    assert_eq!(results(opponent), [13, 7, 3, 3].map(Some));
    let [first, .., second] = &shown["games"].as_array().unwrap()[..] else { panic!("{shown}") };
    assert_eq!((&second["seat"], &second["moves"]), (&json!("first"), &json!([])));
    // The last game of the list is the second one that was played.
    let points = |game: &Value| ["first", "second"].map(|seat| game["ratings"][seat].as_u64());
    assert!(matches!(points(second), [Some(1501..), Some(..1500)]), "{second}");
    assert_ne!(points(first), points(second));
    // The record is the reader's; nobody has one against themselves.
    let seen = read(&server, "/api/player/Ann", &with(&bob.cookie)).await;
    assert_eq!(results(&seen["against_you"]), [13, 3, 3, 7].map(Some));
    let own = read(&server, "/api/player/Ann", &with(&ann.cookie)).await;
    assert_eq!(own["against_you"], Value::Null);

    let caching = [(&[][..], "public, max-age=10"), (&with(&bob.cookie), "private, no-store")];
    for (head, says) in caching {
        let answer = ask(&server, "GET /api/player/Ann", head, &Value::Null).await;
        assert!(answer.head.contains(&format!("cache-control: {says}")), "{}", answer.head);
        assert!(answer.head.contains("vary: cookie"), "{}", answer.head);
    }
    server.stop().await;
}

#[tokio::test]
async fn games_of_a_guest_count_for_the_account_that_took_them() {
    let memory = Memory::default();
    let mut storage = memory.clone();
    let server = TestServer::start_with(Box::new(memory), Config::default());
    let (ann, bob) = (player(&server, "Ann").await, player(&server, "Bob").await);
    let member = MemberId::try_from("5d41402abc4b2a76".to_owned()).unwrap();
    let guest = Player { member, name: Name::new("Annie").unwrap(), cookie: String::new() };
    let hash = IdentityHash([7; 32]);
    let known =
        KnownMember { id: guest.member.clone(), hash, name: guest.name.clone(), seen_at: now() };
    let mut unrated = rated(1, [&bob, &guest], Some(Seat::Second), now());
    unrated.members = vec![known];
    unrated.games[0].record.summary.rated = false;
    let batch = [unrated, rated(2, [&ann, &bob], Some(Seat::First), now())];
    assert!(storage.append(&batch).unwrap().iter().all(Result::is_ok));
    let locked = IdentityHash([8; 32]);
    let take = KeyStep::AddAlias { guest: guest.member.clone(), hash, locked };
    let change =
        AccountChange { member: ann.member.clone(), at: now(), step: AccountStep::Key(take) };
    assert_eq!(storage.change_account(&change).unwrap(), AccountChanged::Done);

    let won = json!({"games": 1, "won": 1, "drawn": 0, "lost": 0});
    let shown = read(&server, "/api/player/Ann", &[]).await;
    assert_eq!(shown["by_stone"], json!({"black": won, "white": won}));
    let seats: Vec<_> =
        shown["games"].as_array().unwrap().iter().map(|game| &game["seat"]).collect();
    assert_eq!(seats, ["first", "second"]);
    // Both of them are Ann for those who met them, too.
    let seen = read(&server, "/api/player/Bob", &with(&ann.cookie)).await;
    assert_eq!(seen["against_you"], json!({"games": 2, "won": 2, "drawn": 0, "lost": 0}));
    let lost = json!([{"member": ann.member, "name": "Ann", "rated": true, "games": 2, "won": 0,
        "drawn": 0, "lost": 2}]);
    assert_eq!(seen["opponents"], lost);
    server.stop().await;
}

#[tokio::test]
async fn a_history_has_the_last_rating_of_each_day() {
    let memory = Memory::default();
    let mut storage = memory.clone();
    let server = TestServer::start_with(Box::new(memory), Config::default());
    let (ann, bob) = (player(&server, "Ann").await, player(&server, "Bob").await);
    let today = now() / DAY * DAY;
    let win = Some(Seat::First);
    let times = [today - 3 * DAY, today - 2 * DAY - 1, today - 2 * DAY, today - DAY - 1];
    for (number, at) in times.into_iter().enumerate() {
        let game = rated(number, [&ann, &bob], win, at);
        assert!(storage.append(&[game]).unwrap()[0].is_ok());
    }
    let path = format!("/api/player/Ann/history?pool={POOL}");
    let history = read(&server, &path, &[]).await;
    assert_eq!(history["pool"], json!(POOL));
    let points = history["points"].as_array().unwrap();
    let at: Vec<_> = points.iter().map(|point| point["at"].as_u64().unwrap()).collect();
    assert_eq!(at, [times[1], times[3]], "{history}");
    let shown = read(&server, "/api/player/Ann", &[]).await;
    assert_eq!(points[1]["rating"], shown["ratings"][0]["rating"]);
    let other = read(&server, "/api/player/Ann/history?pool=renju/15/fast", &[]).await;
    assert_eq!(other["points"], json!([]));
    server.stop().await;
}

#[tokio::test]
async fn a_leaderboard_lists_who_is_sure_and_the_readers_place() {
    let memory = Memory::default();
    let mut storage = memory.clone();
    let server = TestServer::start_with(Box::new(memory), Config::default());
    let (ann, bob) = (player(&server, "Ann").await, player(&server, "Bob").await);
    let path = format!("/api/leaderboard?pool={POOL}");
    let empty = read(&server, &path, &with(&ann.cookie)).await;
    assert_eq!(empty, json!({"pool": POOL, "places": []}));
    let games = 3 * usize::try_from(LEADERBOARD_GAMES_MIN).unwrap();
    let batch: Vec<_> = (0..games)
        .map(|game| {
            let winner = if game % 3 == 0 { Seat::Second } else { Seat::First };
            rated(game, [&ann, &bob], Some(winner), now() - DAY + game as u64)
        })
        .collect();
    assert!(storage.append(&batch).unwrap().iter().all(Result::is_ok));
    let board = read(&server, &path, &with(&bob.cookie)).await;
    let places = board["places"].as_array().unwrap();
    let listed: Vec<_> = places.iter().map(|place| (&place["place"], &place["name"])).collect();
    assert_eq!(listed, [(&json!(1), &json!("Ann")), (&json!(2), &json!("Bob"))]);
    assert_eq!(board["own"], places[1]);
    assert!(places.len() <= LEADERBOARD_PLACES_MAX);
    assert_eq!(read(&server, &path, &[]).await["own"], Value::Null);
    server.stop().await;
}

#[tokio::test]
async fn unknown_players_and_pools_are_refused() {
    let limits = Limits { ..LIMITS };
    let config = Config { limits, ..Config::default() };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let ann = player(&server, "Ann").await;
    let long = "x".repeat(5_000);
    let cases = [
        ("/api/player/Nobody", 404, "no_such_player"),
        ("/api/player/%20", 404, "no_such_player"),
        (&format!("/api/player/{long}"), 404, "no_such_player"),
        (&format!("/api/player/Nobody/history?pool={POOL}"), 404, "no_such_player"),
        ("/api/player/Ann/history", 400, "malformed"),
        ("/api/player/Ann/history?pool=chess/8/fast", 400, "malformed"),
        ("/api/leaderboard", 400, "malformed"),
        ("/api/leaderboard?pool=renju/15", 400, "malformed"),
    ];
    for (path, status, reason) in cases {
        ask(&server, &format!("GET {path}"), &[], &Value::Null).await.assert(status, reason);
    }
    // Who has left, or is about to, has no profile.
    ask(&server, "DELETE /api/account", &with(&ann.cookie), &json!({"password": "correct horse"}))
        .await;
    let gone = ask(&server, "GET /api/player/Ann", &[], &Value::Null).await;
    gone.assert(404, "no_such_player");
    server.stop().await;
}

#[tokio::test]
async fn an_old_name_leads_to_the_profile_and_nobody_else_gets_it() {
    let server = TestServer::start(LIMITS);
    let ann = player(&server, "Ann").await;
    let rename = json!({"name": "Annika"});
    let renamed = ask(&server, "POST /api/account/name", &with(&ann.cookie), &rename).await;
    assert_eq!(renamed.status, 200, "{}", renamed.body);
    for name in ["Ann", "aNN", "annika"] {
        let profile = read(&server, &format!("/api/player/{name}"), &[]).await;
        assert_eq!((&profile["name"], &profile["member"]), (&json!("Annika"), &json!(ann.member)));
        read(&server, &format!("/api/player/{name}/history?pool={POOL}"), &[]).await;
    }
    let taken = ask(&server, "POST /api/account", &[], &typed("Ann")).await;
    taken.assert(409, "name_taken");
    // A guest of that name is marked, and it signs nobody in.
    let mut guest = server.connect().await;
    let welcome = guest.ask(json!({"type": "hello", "protocol": 1, "name": "Ann"})).await;
    let Message::Welcome { name, .. } = welcome else { panic!("{welcome:?}") };
    assert!(name.as_str().starts_with("Ann ("), "{name}");
    let signed = ask(&server, "POST /api/session", &[], &typed("Ann")).await;
    signed.assert(403, "wrong_password");
    let export = ask(&server, "GET /api/account/export", &with(&ann.cookie), &Value::Null).await;
    assert_eq!(export.body["old_names"][0]["name"], "Ann", "{}", export.body);
    // An account that is deleted has no page.
    let gone = ask(&server, "DELETE /api/account", &with(&ann.cookie), &json!({})).await;
    assert_eq!(gone.status, 204, "{}", gone.body);
    for name in ["Ann", "Annika"] {
        let profile = ask(&server, &format!("GET /api/player/{name}"), &[], &Value::Null).await;
        profile.assert(404, "no_such_player");
    }
    server.stop().await;
}
