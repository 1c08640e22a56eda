//! Bots over HTTP and sockets: who makes and ends them, who sees that they are bots, and who they play with.

use fivefold_server::{config::Config, transport::bus::local::LocalNetwork};
use fivefold_shared::protocol::{CatchUp, Event, MemberId, Message, Name, Player, Reason, close};
use fivefold_storage::{
    AccountChange, AccountStep, IdentityHash, Memory, NewBot, Storage, limits::BOTS_MAX,
};
use serde_json::{Value, json};

use crate::{
    accounts::{PASSWORD, ask, sign_up, socket, typed, with},
    harness::{Client, LIMITS, TestServer},
    moderation::{make_operator, play_rated, post, sanctioned},
    pairing::seeking,
    ratings::{act, look, pair, play, settings},
};

/// A bot with a token of its own.
struct Bot {
    id: String,
    token: String,
}

async fn make(server: &TestServer, cookie: &str, name: &str) -> Bot {
    let answer = ask(server, "POST /api/account/bots", &with(cookie), &json!({"name": name})).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let id = answer.body["id"].as_str().unwrap().to_owned();
    assert_eq!((&answer.body["name"], &answer.body["bot"]), (&json!(name), &json!(true)));
    let token = add_token(server, cookie, &id).await;
    Bot { id, token }
}

async fn add_token(server: &TestServer, cookie: &str, bot: &str) -> String {
    let path = format!("POST /api/account/bots/{bot}/tokens");
    let body = json!({"label": "desk", "scopes": ["play", "watch", "challenge"]});
    let answer = ask(server, &path, &with(cookie), &body).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.body["token"].as_str().unwrap().to_owned()
}

fn hello_by(token: &str) -> Value {
    json!({"type": "hello", "protocol": 1, "token": token})
}

async fn enter(server: &TestServer, bot: &Bot) -> Client {
    let mut client = server.connect().await;
    let answer = client.ask(hello_by(&bot.token)).await;
    let Message::Welcome { account: true, bot: true, .. } = answer else { panic!("{answer:?}") };
    client
}

async fn bots(server: &TestServer, cookie: &str) -> Value {
    ask(server, "GET /api/account/bots", &with(cookie), &Value::Null).await.body
}

#[tokio::test]
async fn a_person_makes_a_bot_and_nothing_but_its_tokens_opens_it() {
    let server = TestServer::start(LIMITS);
    let (ann, _) = sign_up(&server, "Ann").await;
    let (bob, _) = sign_up(&server, "Bob").await;
    for (name, status, reason) in [
        ("Bob", 409, "name_taken"),
        ("engine", 400, "name_looks_like_bot"),
        ("admin", 400, "name_reserved"),
        ("A", 400, "account_name"),
    ] {
        let body = json!({"name": name});
        ask(&server, "POST /api/account/bots", &with(&ann), &body).await.assert(status, reason);
    }
    let nobody = ask(&server, "POST /api/account/bots", &[], &json!({"name": "Zed"})).await;
    nobody.assert(401, "signed_out");
    let zed = make(&server, &ann, "Zed").await;
    let mut client = enter(&server, &zed).await;
    let listed = bots(&server, &ann).await;
    assert_eq!((&listed["bots"][0]["name"], &listed["most"]), (&json!("Zed"), &json!(BOTS_MAX)));
    assert_eq!(listed["bots"][0]["tokens"][0]["label"], "desk");
    assert!(!listed.to_string().contains(&zed.token), "{listed}");
    // It has no password, and its token makes no tokens and no bots.
    ask(&server, "POST /api/session", &[], &typed("Zed")).await.assert(403, "wrong_password");
    let code = json!({"name": "Zed", "code": "2345678923456789", "password": PASSWORD});
    ask(&server, "POST /api/recovery", &[], &code).await.assert(403, "wrong_code");
    let head = vec![format!("Authorization: Bearer {}", zed.token)];
    for (what, body) in [
        ("POST /api/account/bots", json!({"name": "Robo"})),
        ("POST /api/account/tokens", json!({"scopes": ["play"]})),
    ] {
        ask(&server, what, &head, &body).await.assert(403, "token_scope");
    }
    // It is nobody else's.
    let path = format!("POST /api/account/bots/{}/tokens", zed.id);
    let stolen = ask(&server, &path, &with(&bob), &json!({"scopes": ["play"]})).await;
    stolen.assert(404, "no_such_player");
    let path = format!("DELETE /api/account/bots/{}", zed.id);
    assert_eq!(ask(&server, &path, &with(&bob), &Value::Null).await.status, 204);
    assert!(matches!(client.ask(json!({"type": "ping"})).await, Message::Pong { .. }));
    // Everybody sees whose it is.
    let profile = ask(&server, "GET /api/player/zed", &[], &Value::Null).await.body;
    assert_eq!((&profile["name"], &profile["bot_of"]), (&json!("Zed"), &json!("Ann")));
    let export = ask(&server, "GET /api/account/export", &with(&ann), &Value::Null).await.body;
    assert_eq!(export["bots"][0]["name"], "Zed");
    // Its sockets end with the token, and with the bot.
    let token = listed["bots"][0]["tokens"][0]["id"].as_str().unwrap();
    let end = format!("DELETE /api/account/bots/{}/tokens/{token}", zed.id);
    assert_eq!(ask(&server, &end, &with(&ann), &Value::Null).await.status, 204);
    assert_eq!(client.closed().await.0, close::IDENTITY_REPLACED);
    let zed = Bot { token: add_token(&server, &ann, &zed.id).await, ..zed };
    let mut client = enter(&server, &zed).await;
    assert_eq!(ask(&server, &path, &with(&ann), &Value::Null).await.status, 204);
    assert_eq!(client.closed().await.0, close::IDENTITY_REPLACED);
    let mut late = server.connect().await;
    assert_eq!(late.refused(hello_by(&zed.token)).await, Reason::WrongToken);
    assert_eq!(bots(&server, &ann).await["bots"], json!([]));
    server.stop().await;
}

#[tokio::test]
async fn bots_stop_with_the_account_of_their_owner() {
    let server = TestServer::start(LIMITS);
    let (ann, _) = sign_up(&server, "Ann").await;
    let zed = make(&server, &ann, "Zed").await;
    let mut client = enter(&server, &zed).await;
    let delete = json!({"password": PASSWORD});
    assert_eq!(ask(&server, "DELETE /api/account", &with(&ann), &delete).await.status, 204);
    assert_eq!(client.closed().await.0, close::IDENTITY_REPLACED);
    let mut late = server.connect().await;
    assert_eq!(late.refused(hello_by(&zed.token)).await, Reason::WrongToken);
    server.stop().await;
}

#[tokio::test]
async fn a_bot_is_renamed_by_its_owner_once_in_a_while_and_its_old_name_leads_to_it() {
    let server = TestServer::start(LIMITS);
    let (ann, _) = sign_up(&server, "Ann").await;
    let (bob, _) = sign_up(&server, "Bob").await;
    let zed = make(&server, &ann, "Zed").await;
    let mut client = enter(&server, &zed).await;
    let path = format!("POST /api/account/bots/{}/name", zed.id);
    let rename = async |cookie: &str, name: &str| {
        ask(&server, &path, &with(cookie), &json!({"name": name})).await
    };
    rename(&bob, "Robo").await.assert(404, "no_such_player");
    rename(&ann, "Bot Zed").await.assert(400, "account_name");
    rename(&ann, "b0b").await.assert(409, "name_taken");
    let renamed = rename(&ann, "Robo").await;
    assert_eq!((renamed.status, &renamed.body["name"]), (200, &json!("Robo")));
    assert_eq!(renamed.body["tokens"].as_array().unwrap().len(), 1, "{}", renamed.body);
    // Its program comes again, by the same token.
    assert_eq!(client.closed().await.0, close::RESTART);
    let mut client = server.connect().await;
    let Message::Welcome { name, bot: true, .. } = client.ask(hello_by(&zed.token)).await else {
        panic!("no bot")
    };
    assert_eq!(name.as_str(), "Robo");
    for name in ["zed", "Robo"] {
        let profile =
            ask(&server, &format!("GET /api/player/{name}"), &[], &Value::Null).await.body;
        assert_eq!((&profile["name"], &profile["bot_of"]), (&json!("Robo"), &json!("Ann")));
    }
    ask(&server, "POST /api/account", &[], &typed("Zed")).await.assert(409, "name_taken");
    let again = rename(&ann, "Zed").await;
    again.assert(429, "name_changed_lately");
    assert!(again.body["wait_ms"].as_u64().unwrap() > 29 * 24 * 60 * 60 * 1_000);
    server.stop().await;
}

#[tokio::test]
async fn an_account_has_bots_up_to_the_limit() {
    let memory = Memory::default();
    let mut storage = memory.clone();
    let server = TestServer::start_with(Box::new(memory), Config::default());
    let (ann, _) = sign_up(&server, "Ann").await;
    let own = ask(&server, "GET /api/account", &with(&ann), &Value::Null).await.body;
    let owner = MemberId::try_from(own["account"]["id"].as_str().unwrap()).unwrap();
    for number in 1..BOTS_MAX {
        let name = Name::new(&format!("Zed{number}")).unwrap();
        let likeness = name.likeness().as_str().to_owned();
        let locked = IdentityHash([u8::try_from(number).unwrap(); 32]);
        let new = NewBot { owner: owner.clone(), locked, name, likeness };
        let member = MemberId::try_from(format!("{number:016x}")).unwrap();
        let step = AccountStep::MakeBot(Box::new(new));
        storage.change_account(&AccountChange { member, at: 1, step }).unwrap();
    }
    make(&server, &ann, "Zed").await;
    let body = json!({"name": "Robo"});
    let full = ask(&server, "POST /api/account/bots", &with(&ann), &body).await;
    full.assert(409, "too_many_bots");
    assert_eq!(full.body["most"], json!(BOTS_MAX));
    server.stop().await;
}

#[tokio::test]
async fn a_bot_is_marked_wherever_it_is() {
    let server = TestServer::start(LIMITS);
    let (ann, _) = sign_up(&server, "Ann").await;
    let mut zed = enter(&server, &make(&server, &ann, "Zed").await).await;
    let mut eve = server.greet("Eve").await;
    let room = eve.create(json!(["me", "open"])).await;
    zed.join(&room).await;
    // Among the spectators, in chat, and in a seat, also without saying so.
    let watching = loop {
        if let Message::Spectators { spectators, .. } = eve.receive().await {
            break spectators;
        }
    };
    assert_eq!(watching.bots, watching.names);
    act(&mut zed, json!({"type": "say", "room": room, "text": "Hello"})).await;
    let line = loop {
        if let Message::PlayerSaid { line, .. } | Message::SpectatorSaid { line, .. } =
            eve.receive().await
        {
            break line;
        }
    };
    assert!(line.bot, "{line:?}");
    act(&mut zed, json!({"type": "sit", "room": room})).await;
    let mut late = server.greet("Late").await;
    let Message::Joined { catch_up: CatchUp::Snapshot(snapshot), .. } =
        late.ask(json!({"type": "join", "room": room})).await
    else {
        panic!("no snapshot")
    };
    let second = snapshot.seats.second.unwrap();
    assert!(matches!(second, Player::Member { engine: true, .. }), "{second:?}");
    // And among the open seeks.
    act(&mut eve, json!({"type": "resign", "room": room})).await;
    let mut casual = settings();
    casual["rated"] = json!(false);
    seeking(zed.ask(json!({"type": "seek", "settings": casual})).await);
    let Message::Lobby { seeks, .. } = late.ask(json!({"type": "watch_lobby"})).await else {
        panic!("no lobby")
    };
    assert!(seeks[0].engine, "{seeks:?}");
    server.stop().await;
}

#[tokio::test]
async fn everybody_sees_that_a_bot_has_made_a_room() {
    let server = TestServer::start(LIMITS);
    let (ann, _) = sign_up(&server, "Ann").await;
    let mut zed = enter(&server, &make(&server, &ann, "Zed").await).await;
    let create = json!({"type": "create", "visibility": "public", "seats": ["me", "open"],
        "rules": {"variant": "standard", "size": [15, 15]}, "colour": "black"});
    let is_bot = |player: &Option<Player>| {
        assert!(matches!(player, Some(Player::Member { engine: true, .. })), "{player:?}");
    };
    let Message::Joined { room, catch_up: CatchUp::Snapshot(snapshot), .. } = zed.ask(create).await
    else {
        panic!("no room")
    };
    is_bot(&snapshot.seats.first);
    let mut eve = server.greet("Eve").await;
    let Message::Rooms { rooms, .. } = eve.ask(json!({"type": "rooms"})).await else {
        panic!("no list")
    };
    is_bot(&rooms.iter().find(|listed| listed.room == room).unwrap().seats.first);
    let Message::Joined { catch_up: CatchUp::Snapshot(snapshot), .. } =
        eve.ask(json!({"type": "join", "room": room})).await
    else {
        panic!("no snapshot")
    };
    is_bot(&snapshot.seats.first);
    // As an event, too: a program that comes back gets the room from its beginning.
    let Message::Joined { catch_up: CatchUp::Events(events), .. } =
        zed.ask(json!({"type": "join", "room": room, "after": 1})).await
    else {
        panic!("no events")
    };
    let sat = events.iter().find_map(|event| match &event.event {
        Event::Sat { player, .. } => Some(player.clone()),
        _ => None,
    });
    is_bot(&sat);
    server.stop().await;
}

#[tokio::test]
async fn bots_play_rated_games_but_not_within_one_family() {
    let server = TestServer::start(LIMITS);
    let (ann, _) = sign_up(&server, "Ann").await;
    let (bob, _) = sign_up(&server, "Bob").await;
    let zed = make(&server, &ann, "Zed").await;
    let robo = make(&server, &ann, "Robo").await;
    let [mut one, mut other] = [enter(&server, &zed).await, enter(&server, &robo).await];
    let mut owner = socket(&server, &ann).await;
    let wanted = json!({"type": "seek", "settings": settings()});
    let seek = seeking(one.ask(wanted).await);
    let accept = json!({"type": "accept_seek", "seek": seek});
    assert_eq!(owner.refused(accept.clone()).await, Reason::OwnBot);
    assert_eq!(other.refused(accept.clone()).await, Reason::OwnBot);
    let mut person = socket(&server, &bob).await;
    let mut by_program = accept.clone();
    by_program["engine"] = json!(true);
    assert_eq!(person.refused(by_program).await, Reason::BotAccountNeeded);
    act(&mut person, accept).await;
    let (_, room, _) = person.paired().await;
    assert!(look(&mut person, &room).await.0, "the game is rated");
    act(&mut person, json!({"type": "abort", "room": room})).await;
    drop((one, person));

    // A bot and a person in a pool: the person gains half.
    let (cid, _) = sign_up(&server, "Cid").await;
    let [zed, cid] = [enter(&server, &zed).await, socket(&server, &cid).await];
    let (mut first, mut second, room) = pair(zed, cid).await;
    play(&mut first, &mut second, &room).await;
    let after = second.ratings(true).await;
    let [lost, won] = [after.players.first, after.players.second].map(|own| own.change.unwrap());
    let (person, bot) = if lost.abs() < won.abs() { (lost, won) } else { (won, lost) };
    assert!((person.abs() * 2 - bot.abs()).abs() <= 1, "{after:?}");
    let read = async |name: &str| {
        let path = format!("GET /api/player/{name}");
        ask(&server, &path, &[], &Value::Null).await.body["ratings"][0]["pool"].clone()
    };
    assert_eq!(read("zed").await, "bot/standard/15/normal");
    assert_eq!(read("cid").await, "standard/15/normal");
    server.stop().await;
}

#[tokio::test]
async fn what_an_operator_decides_about_a_person_holds_for_their_bots_at_once() {
    let memory = Memory::default();
    let network = LocalNetwork::new(1);
    let [here, there] = [(); 2].map(|()| TestServer::start_node(&memory, &network, LIMITS));
    let (operator, _) = sign_up(&here, "Op").await;
    make_operator(&memory, &here, &operator).await;
    let (ann, _) = sign_up(&there, "Ann").await;
    let (bob, _) = sign_up(&there, "Bob").await;
    let zed = make(&there, &ann, "Zed").await;
    let (bot, person) = (enter(&there, &zed).await, socket(&there, &bob).await);
    let (mut first, mut second, room) = pair(bot, person).await;
    play_rated(&mut first, &mut second, &room).await;
    act(&mut first, json!({"type": "resign", "room": room})).await;
    // An open socket that sits nowhere.
    let mut idle = enter(&there, &zed).await;

    let own = ask(&there, "GET /api/account", &with(&ann), &Value::Null).await.body;
    let path = format!("/api/moderation/people/{}", own["account"]["id"].as_str().unwrap());
    let mut owner = socket(&there, &ann).await;
    let unrated = json!({"kind": "unrated", "reason": "Lost on purpose"});
    assert_eq!(post(&here, &path, &operator, &unrated).await.status, 204);
    // The owner learns of it at the node of the room: it holds there.
    sanctioned(&mut owner).await;
    let rematch = json!({"type": "rematch", "room": room});
    let reasons = [first.refused(rematch.clone()).await, second.refused(rematch).await];
    assert!(reasons.contains(&Reason::NoRatedGames), "{reasons:?}");
    assert!(reasons.contains(&Reason::OpponentNotRated), "{reasons:?}");

    let closing = json!({"kind": "close", "reason": "Cheating", "days": 30});
    assert_eq!(post(&here, &path, &operator, &closing).await.status, 204);
    assert_eq!(idle.closed().await.0, close::IDENTITY_REPLACED);
    let mut late = there.connect().await;
    assert_eq!(late.refused(hello_by(&zed.token)).await, Reason::AccountClosed);
    for node in [here, there] {
        node.stop().await;
    }
}
