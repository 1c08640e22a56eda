//! Boards for other sites: what browsers let them do, how small they are, sockets that only watch, oEmbed, and the game
//! on TV.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use fivefold_server::{
    config::{Config, PageSource},
    limits::{Limits, embeds::OEMBED_URL_MAX},
    transport::bus::local::LocalNetwork,
};
use fivefold_shared::{
    protocol::{MemberId, Message, Name, Reason, RoomCode},
    record::GameList,
    room::RoomLimits,
};
use fivefold_storage::{Call, Hook, Memory, StorageError};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tokio_tungstenite::{
    client_async,
    tungstenite::{self, client::IntoClientRequest},
};

use crate::{
    cluster::{stop_all, until_ready},
    games::{done, get, play},
    harness::{Client, LIMITS, TestServer, config, within},
    pairing::settings,
};

/// Limit on the size of all that a board on another site loads, in one language, on the wire.
const EMBED_BYTES_MAX: usize = 40 * 1024;

/// A board at each kind of address; none of them exists.
const BOARDS: [&str; 5] = [
    "/embed/r/k7m2qpxw9abc",
    "/embed/game/k7m2qpxw9abcdefg",
    "/embed/position?moves=h8+i9&size=15",
    "/embed/tv",
    "/embed/tv?theme=dark",
];

/// The addresses of the page's files in a text.
fn files_in(text: &str) -> Vec<&str> {
    let quoted = text.split(['"', '<', '>']).filter(|part| part.starts_with("/web/"));
    quoted.collect()
}

#[tokio::test]
async fn every_site_may_show_a_board_which_is_nobody() {
    let server = TestServer::start(LIMITS);
    for path in BOARDS {
        let (head, body) = server.get_with(path, "Cookie: fivefold_session=x\n").await;
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        let policy = head.lines().find_map(|line| line.strip_prefix("content-security-policy: "));
        let policy = policy.expect("a policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(policy.contains("; connect-src 'self' http://test; "), "{policy}");
        assert!(policy.contains("sandbox allow-scripts"), "{policy}");
        for wrong in ["allow-same-origin", "frame-ancestors", "unsafe", "allow-forms"] {
            assert!(!policy.contains(wrong), "{policy}");
        }
        assert!(!head.contains("set-cookie") && !head.contains("x-frame-options"), "{head}");
        assert!(head.contains("referrer-policy: no-referrer"), "{head}");
        assert!(head.contains("cache-control: no-cache"), "{head}");
        // Its files are for an origin of its own.
        let html = String::from_utf8(body).unwrap();
        for file in files_in(&html) {
            let (head, _) = server.get_with(file, "Origin: null\n").await;
            assert!(head.contains("access-control-allow-origin: *"), "{file}: {head}");
        }
    }
    for path in ["/embed/r/short", "/embed/r/%3Cscript%3E", "/embed/game/..%2F", "/embed/none"] {
        let (head, _) = server.get_with(path, "").await;
        assert!(head.starts_with("HTTP/1.1 404"), "{path}: {head}");
    }
    for path in ["/", "/tv", "/game/k7m2qpxw9abcdefg", "/embed/none"] {
        let (head, _) = server.get_with(path, "").await;
        assert!(head.contains("frame-ancestors 'none'"), "{path}: {head}");
    }
    server.stop().await;
}

#[tokio::test]
async fn pages_have_no_address_without_a_policy() {
    let server = TestServer::start(LIMITS);
    let (_, html) = server.get_with("/embed/tv", "").await;
    let html = String::from_utf8(html).unwrap();
    let script = files_in(&html).into_iter().find(|file| file.ends_with("embed.js")).unwrap();
    let place = script.strip_suffix("/embed/embed.js").unwrap();
    for name in ["index.html", "embed/embed.html"] {
        let (head, _) = server.get_with(&format!("{place}/{name}"), "").await;
        assert!(head.starts_with("HTTP/1.1 404"), "{name}: {head}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_board_is_small() {
    let server = TestServer::start(LIMITS);
    let size = async |path: &str| {
        let (head, body) = server.get_with(path, "Accept-Encoding: gzip, deflate, br\n").await;
        assert!(head.contains("content-encoding: br"), "{path}: {head}");
        body.len()
    };
    let (head, html) = server.get_with("/embed/tv", "Accept-Language: ru\n").await;
    let html = String::from_utf8(html).unwrap();
    let files = files_in(&html);
    let script = *files.iter().find(|file| file.ends_with("/embed/embed.js")).expect("its script");
    let place = script.strip_suffix("/embed/embed.js").unwrap();
    let mut bytes = size("/embed/tv").await;
    for file in &files {
        bytes += size(file).await;
    }
    // A visitor loads one language.
    let mut most = 0;
    for code in ["en", "ru", "es"] {
        let texts =
            [format!("{place}/language/{code}.js"), format!("{place}/embed/language/{code}.js")];
        most = most.max(size(&texts[0]).await + size(&texts[1]).await);
        if code == "ru" {
            assert!(texts.iter().all(|file| files_in(&head).contains(&file.as_str())), "{head}");
        }
    }
    println!("{} bytes for a board", bytes + most);
    assert!(bytes > EMBED_BYTES_MAX / 2, "{bytes} bytes: some files are missing");
    assert!(bytes + most <= EMBED_BYTES_MAX, "{} bytes", bytes + most);

    // Nothing else is loaded at once: its script has all that it imports.
    let (_, text) = server.get_with(script, "").await;
    let text = String::from_utf8(text).unwrap();
    assert!(!text.lines().any(|line| line.starts_with("import{") || line.starts_with("import ")));
    let wanted = ["`../language/${languageCode}.js`", "`../${folder}/language/${languageCode}.js`"];
    for address in wanted {
        assert!(text.contains(&format!("import({address})")), "{address}");
    }
    // The list of keys, which a board does not show.
    let rest: Vec<_> =
        text.split("import('").skip(1).filter_map(|it| it.split('\'').next()).collect();
    assert_eq!(rest, ["../board/keys/keys-dialog.js"]);
    server.stop().await;
}

/// Both styles have a color by the same name and value.
#[test]
fn colors_of_boards_are_those_of_the_page() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/web");
    let read = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).expect("a style");
    let (page, embed) = (read("style.css"), read("embed/embed.css"));
    let own: Vec<_> = embed.lines().map(str::trim).filter(|line| line.starts_with("--")).collect();
    assert!(own.len() > 20, "{own:?}");
    for line in own {
        assert!(page.lines().any(|other| other.trim() == line), "{line}");
    }
}

#[tokio::test]
async fn a_folder_has_boards_too() {
    let page = PageSource::Folder(concat!(env!("CARGO_MANIFEST_DIR"), "/web").into());
    let server =
        TestServer::start_with(Box::new(Memory::default()), Config { page, ..config(LIMITS) });
    let (head, body) = server.get_with("/embed/tv", "").await;
    assert!(head.contains("sandbox allow-scripts"), "{head}");
    assert!(String::from_utf8(body).unwrap().contains("/web/live/embed/embed.js"));
    let (head, _) = server.get_with("/web/live/embed/embed.html", "").await;
    assert!(head.starts_with("HTTP/1.1 404"), "{head}");
    server.stop().await;
}

/// Opens a socket as a page of this origin, with the cookie of an account that there may be.
async fn open(server: &TestServer, path: &str, origin: &str) -> Result<Client, tungstenite::Error> {
    let mut request = format!("ws://{}{path}", server.address).into_client_request().unwrap();
    request.headers_mut().insert("origin", origin.parse().unwrap());
    request.headers_mut().insert("cookie", "fivefold_session=none".parse().unwrap());
    let (socket, _) = client_async(request, server.connect_raw().await).await?;
    Ok(Client::new(socket))
}

#[tokio::test]
async fn a_socket_that_watches_can_do_nothing_else() {
    let server = TestServer::start(LIMITS);
    let (mut ann, _bob, room) = server.two_play().await;
    let hello = json!({"type": "hello", "protocol": 1});
    let Message::Welcome { identity: Some(eve), .. } = server.connect().await.ask(hello).await
    else {
        panic!("no identity");
    };
    for origin in ["null", "https://forum.example"] {
        assert!(open(&server, "/ws", origin).await.is_err(), "{origin}");
        assert!(open(&server, "/ws?watch=1", origin).await.is_err(), "{origin}");
        let mut watcher = open(&server, "/ws?watch", origin).await.expect("it is nobody's");
        for who in [json!({"identity": eve}), json!({"name": "Ann"})] {
            let mut hello = json!({"type": "hello", "protocol": 1});
            hello.as_object_mut().unwrap().extend(who.as_object().unwrap().clone());
            assert_eq!(watcher.refused(hello).await, Reason::Malformed, "{who}");
        }
        let hello = watcher.ask(json!({"type": "hello", "protocol": 1})).await;
        assert!(
            matches!(hello, Message::Welcome { identity: None, account: false, .. }),
            "{hello:?}"
        );
        let refused = [
            json!({"type": "create", "rules": {"variant": "freestyle"}, "seats": ["me", "open"]}),
            json!({"type": "set_name", "name": "Eve"}),
            json!({"type": "own_rooms"}),
            json!({"type": "watch_lobby"}),
            json!({"type": "sit", "room": room}),
            json!({"type": "say", "room": room, "text": "hi"}),
            json!({"type": "chat", "room": room}),
            json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]}),
            json!({"type": "resign", "room": room}),
        ];
        for command in &refused {
            assert_eq!(watcher.refused(command.clone()).await, Reason::NotSeated, "{command}");
        }
        watcher.join(&room).await;
        for command in &refused {
            assert_eq!(watcher.refused(command.clone()).await, Reason::NotSeated, "{command}");
        }
        done(&mut watcher, json!({"type": "leave", "room": room})).await;
    }
    let mut watcher = open(&server, "/ws?watch", "null").await.expect("it is nobody's");
    watcher.ask(json!({"type": "hello", "protocol": 1})).await;
    watcher.join(&room).await;
    done(&mut ann, json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]})).await;
    let seen = loop {
        if let Message::Event { room, .. } = watcher.receive().await {
            break room;
        }
    };
    assert_eq!(seen, room);
    server.stop().await;
}

/// A socket that watches, after hello: the id and the name that it got.
async fn watcher(server: &TestServer) -> (Client, MemberId, Name) {
    let mut watcher = open(server, "/ws?watch", "null").await.expect("it is nobody's");
    match watcher.ask(json!({"type": "hello", "protocol": 1})).await {
        Message::Welcome { you, name, .. } => (watcher, you, name),
        other => panic!("not greeted: {other:?}"),
    }
}

/// The spectators as somebody who joins now sees them: how many, and their names.
async fn spectators(client: &mut Client, room: &RoomCode) -> (usize, Vec<String>) {
    match client.ask(json!({"type": "join", "room": room})).await {
        Message::Joined { spectators, .. } => {
            (spectators.count, spectators.names.iter().map(ToString::to_string).collect())
        }
        other => panic!("not joined: {other:?}"),
    }
}

#[tokio::test]
async fn who_watches_is_counted_and_has_no_name() {
    let server = TestServer::start(LIMITS);
    let (mut ann, _bob, room) = server.two_play().await;
    let (mut board, id, name) = watcher(&server).await;
    board.join(&room).await;
    // Somebody else may have the name, as nobody sees that of the board.
    let mut eve = server.connect().await;
    eve.hello(name.as_str()).await;
    assert_eq!(spectators(&mut eve, &room).await, (2, vec![name.to_string()]));
    drop(eve);
    while spectators(&mut ann, &room).await != (1, vec![]) {}
    for challenge in [
        json!({"type": "challenge", "name": name, "settings": settings()}),
        json!({"type": "challenge", "member": id, "settings": settings()}),
    ] {
        assert_eq!(ann.refused(challenge.clone()).await, Reason::NobodyOnline, "{challenge}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_board_has_no_name_on_the_other_node_either() {
    let (storage, network) = (Memory::default(), LocalNetwork::new(7));
    let [one, other] = [(); 2].map(|()| TestServer::start_node(&storage, &network, LIMITS));
    for node in [&one, &other] {
        until_ready(node, true).await;
    }
    let (mut ann, _bob, room) = one.two_play().await;
    let (mut board, ..) = watcher(&other).await;
    board.join(&room).await;
    assert_eq!(spectators(&mut ann, &room).await, (1, vec![]));
    let mut eve = other.greet("Eve").await;
    assert_eq!(spectators(&mut eve, &room).await, (2, vec!["Eve".to_owned()]));
    stop_all(vec![one, other]).await;
}

#[tokio::test]
async fn boards_take_no_place_from_players() {
    // A fifth of the sessions, and a quarter of an address's other connections.
    let cases = [
        (Limits { sessions_max: 6, ..LIMITS }, 2, "503"),
        (Limits { connections_spare_per_address: 12, ..LIMITS }, 3, "429"),
    ];
    for (limits, most, status) in cases {
        let server = TestServer::start(limits);
        let mut boards = Vec::new();
        for _ in 0..most {
            boards.push(open(&server, "/ws?watch", "null").await.expect("a place"));
        }
        match open(&server, "/ws?watch", "null").await {
            Err(tungstenite::Error::Http(answer)) => assert_eq!(answer.status().as_str(), status),
            other => panic!("let in: {:?}", other.err()),
        }
        let mut players = Vec::new();
        for _ in 0..6 {
            players.push(server.greet("Ann").await);
        }
        let metrics = server.monitor("/metrics").await;
        let line = format!(r#"fivefold_limit_used{{limit="watchers"}} {most}"#);
        assert!(metrics.contains(&line), "{metrics}");
        assert_eq!(server.count("sessions").await, 6);
        drop(boards.pop());
        within(async { while open(&server, "/ws?watch", "null").await.is_err() {} }).await;
        server.stop().await;
    }
}

#[tokio::test]
async fn boards_use_up_no_rate_of_players() {
    let limits = Limits {
        unknown_codes_per_minute: 1,
        address_commands_per_second: 0,
        address_commands_burst: 50,
        ..LIMITS
    };
    let server = TestServer::start(limits);
    let mut ann = server.greet("Ann").await;
    let (mut board, ..) = watcher(&server).await;
    let join = json!({"type": "join", "room": "k7m2qpxw9abc"});
    assert_eq!(board.refused(join.clone()).await, Reason::NoSuchRoom);
    assert_eq!(board.refused(join.clone()).await, Reason::TooManyUnknownCodes);
    // A fifth of the commands: hello and two tries are done.
    for _ in 3..10 {
        board.ask(json!({"type": "ping"})).await;
    }
    assert_eq!(board.refused(json!({"type": "ping"})).await, Reason::TooFast);
    assert_eq!(ann.refused(join).await, Reason::NoSuchRoom);
    ann.create(json!(["me", "open"])).await;
    server.stop().await;
}

#[tokio::test]
async fn an_operator_can_turn_boards_off() {
    let config = Config { embeds: false, ..config(LIMITS) };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let (mut ann, mut bob, room) = server.two_play().await;
    play(&mut ann, &mut bob, "public").await;
    let list: GameList = get(&server, "/api/games").await;
    let game = format!("/api/games/{}", list.games.first().expect("the game").id);
    let oembed = "/api/oembed?url=http://test/tv";
    for path in BOARDS.into_iter().chain([oembed]) {
        let (head, _) = server.get_with(path, "").await;
        assert!(head.starts_with("HTTP/1.1 404"), "{path}: {head}");
        assert!(!head.contains("sandbox"), "{path}: {head}");
    }
    let page = server.get("/").await;
    let file = files_in(&page).into_iter().find(|file| file.ends_with(".js")).unwrap();
    for path in ["/api/tv", &game, "/healthz", "/tv?embed", file] {
        let (head, _) = server.get_with(path, "Origin: https://forum.example\n").await;
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        assert!(!head.contains("access-control-"), "{path}: {head}");
    }
    let page = server.get(&format!("/r/{room}")).await;
    assert!(page.contains("og:title") && !page.contains("oembed"), "{page}");
    for origin in ["null", "https://forum.example"] {
        assert!(open(&server, "/ws?watch", origin).await.is_err(), "{origin}");
    }
    let own = format!("http://{}", server.address);
    assert!(open(&server, "/ws?watch", &own).await.is_ok());
    server.stop().await;
}

#[tokio::test]
async fn oembed_says_when_to_come_back() {
    let missing = "/api/oembed?url=http://test/r/k7m2qpxw9abc";
    let limits = Limits { unknown_codes_per_minute: 1, ..LIMITS };
    let server = TestServer::start(limits);
    for status in ["404", "429"] {
        let (head, _) = server.get_with(missing, "").await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{head}");
        assert_eq!(head.contains("retry-after: "), status == "429", "{head}");
    }
    server.stop().await;

    // The request takes one token, and looking up the game another one.
    let limits = Limits { http_tokens_per_second: 0, http_tokens_burst: 3, ..LIMITS };
    let server = TestServer::start(limits);
    let missing = "/api/oembed?url=http://test/game/k7m2qpxw9abcdefg";
    for status in ["404", "429"] {
        let (head, _) = server.get_with(missing, "").await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{head}");
        assert_eq!(head.contains("retry-after: "), status == "429", "{head}");
    }
    server.stop().await;

    let storage = Unreadable::default();
    let is_broken = Arc::clone(&storage.0);
    let server = TestServer::start_on(Box::new(Memory::default().hooked(storage)), LIMITS);
    is_broken.store(true, Ordering::SeqCst);
    let (head, _) = server.get_with(missing, "").await;
    assert!(head.starts_with("HTTP/1.1 503") && head.contains("retry-after: "), "{head}");
    server.stop().await;
}

/// Makes a storage unreadable while this is true.
#[derive(Clone, Debug, Default)]
struct Unreadable(Arc<AtomicBool>);

impl Hook for Unreadable {
    fn before(&self, call: Call) -> Result<(), StorageError> {
        match call {
            Call::Browse if self.0.load(Ordering::SeqCst) => {
                Err(StorageError::Failed("it cannot be read".into()))
            }
            Call::Browse | Call::Members | Call::Log | Call::Change => Ok(()),
        }
    }
}

/// The answer of oEmbed, if it describes the link.
async fn describe(server: &TestServer, query: &str) -> Value {
    let (head, body) = server.get_with(&format!("/api/oembed?{query}"), "").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{query}: {head}");
    assert!(head.contains("content-type: application/json"), "{query}: {head}");
    assert!(head.contains("access-control-allow-origin: *"), "{query}: {head}");
    serde_json::from_slice(&body).unwrap()
}

#[tokio::test]
async fn links_unfold_to_boards() {
    let public_url = Some("https://play.example".parse().unwrap());
    let storage = Box::new(Memory::default());
    let server = TestServer::start_with(storage, Config { public_url, ..config(LIMITS) });
    let (mut ann, mut bob, room) = server.two_play().await;
    let described = describe(&server, &format!("url=https://play.example/r/{room}")).await;
    let frame = |source: &str, width: u32, height: u32| {
        format!(
            r#"<iframe src="https://play.example/embed/{source}" width="{width}" height="{height}" title="Fivefold" loading="lazy" style="border:0;max-width:100%"></iframe>"#
        )
    };
    assert_eq!(described["html"], frame(&format!("r/{room}"), 480, 584));
    assert_eq!(described["version"], "1.0");
    assert_eq!(described["type"], "rich");
    assert_eq!(described["title"], "Fivefold: five in a row");
    assert_eq!(described["provider_url"], "https://play.example");
    assert_eq!(described["thumbnail_width"], 1_200);

    // The names of players are text, and stay out of the markup.
    for client in [&mut ann, &mut bob] {
        done(client, json!({"type": "set_name", "name": "<b onload=x>\"&"})).await;
    }
    play(&mut ann, &mut bob, "public").await;
    let list: GameList = get(&server, "/api/games").await;
    let id = &list.games.first().expect("the game").id;
    let query = format!("url=https%3A%2F%2Fplay.example%2Fgame%2F{id}%3Fply%3D1&format=json");
    let described = describe(&server, &format!("{query}&maxwidth=300&maxheight=900")).await;
    assert_eq!(described["html"], frame(&format!("game/{id}?ply=1"), 300, 404));
    assert!(described["title"].as_str().unwrap().contains("<b onload=x>\"&"), "{described}");
    assert_eq!(described["thumbnail_url"], Value::Null, "it is too large");

    let position = "variant%3Drenju%26moves%3Dh8%2Bi9%26x%3D%27";
    let query = format!("url=https%3A%2F%2Fplay.example%2Fanalyse%3F{position}");
    let described = describe(&server, &query).await;
    let html = described["html"].as_str().unwrap();
    let wanted =
        r#""https://play.example/embed/position?variant=renju&amp;moves=h8+i9&amp;x=&#39;""#;
    assert!(html.contains(wanted), "{html}");
    describe(&server, "url=https://play.example/tv").await;

    // Pages name it in their head.
    for path in [format!("/r/{room}"), format!("/game/{id}"), "/analyse?moves=h8".to_owned()] {
        let page = server.get(&path).await;
        let (_, link) = page
            .split_once(r#"<link rel="alternate" type="application/json+oembed" href=""#)
            .expect(&path);
        let (address, rest) = link.split_once('"').unwrap();
        let query = address.strip_prefix("https://play.example/api/oembed?").expect(address);
        describe(&server, &query.replace("&amp;", "&")).await;
        assert!(!rest.split_once("<link").unwrap().0.contains("<b"), "{rest}");
    }
    server.stop().await;
}

#[tokio::test]
async fn oembed_describes_nothing_else() {
    let public_url = Some("https://play.example".parse().unwrap());
    let storage = Box::new(Memory::default());
    let server = TestServer::start_with(storage, Config { public_url, ..config(LIMITS) });
    let room = "https://play.example/r/k7m2qpxw9abc";
    let longest = |bytes: usize| {
        let link = "url=https://play.example/analyse?moves=";
        format!("{link}{}", "x".repeat(bytes + "url=".len() - link.len()))
    };
    let cases = [
        (String::new(), "400"),
        ("format=json".to_owned(), "400"),
        ("url=".to_owned(), "404"),
        (format!("url={room}"), "404"),
        ("url=https://play.example/game/k7m2qpxw9abcdefg".to_owned(), "404"),
        ("url=https://play.example/player/ann".to_owned(), "404"),
        ("url=https://evil.example/tv".to_owned(), "404"),
        ("url=http://test/tv".to_owned(), "404"),
        ("url=javascript:alert(1)".to_owned(), "404"),
        ("url=https://play.example%40evil.example/tv".to_owned(), "404"),
        ("url=https://play.example/r/%22%3E%3Cscript%3E".to_owned(), "404"),
        ("url=https://play.example/analyse?moves=h8%26x=%22%3E".to_owned(), "404"),
        ("url=https://play.example/tv&format=xml".to_owned(), "501"),
        ("url=https://play.example/tv&format=yaml".to_owned(), "501"),
        ("url=https://play.example/tv&maxwidth=0".to_owned(), "400"),
        ("url=https://play.example/tv&maxwidth=wide".to_owned(), "400"),
        ("url=https://play.example/tv&maxheight=-1".to_owned(), "400"),
        (longest(OEMBED_URL_MAX), "404"),
        (longest(OEMBED_URL_MAX + 1), "414"),
    ];
    for (query, status) in cases {
        let (head, _) = server.get_with(&format!("/api/oembed?{query}"), "").await;
        let query = &query[..query.len().min(120)];
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{query}: {head}");
    }
    server.stop().await;
}

/// The room on TV, asked for until it is the wanted one: the answer is reused for some seconds.
async fn on_tv(server: &TestServer, wanted: Option<&RoomCode>) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let answer: Value = get(server, "/api/tv").await;
        if answer["room"] == json!(wanted) {
            return;
        }
        assert!(Instant::now() < deadline, "{answer}, not {wanted:?}");
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn tv_begins_a_demo_game_where_nobody_plays() {
    let room = RoomLimits { bot_pace: Duration::from_secs(60), ..LIMITS.room };
    let config = Config { demo: true, ..config(Limits { room, ..LIMITS }) };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let answer: Value = get(&server, "/api/tv").await;
    assert!(answer["room"].is_string(), "{answer}");
    assert_eq!(server.count("rooms").await, 1);
    server.stop().await;
}

#[tokio::test]
async fn tv_shows_a_running_public_game() {
    let server = TestServer::start(LIMITS);
    on_tv(&server, None).await;
    let (mut ann, _bob, room) = server.two_play().await;
    on_tv(&server, Some(&room)).await;
    done(&mut ann, json!({"type": "play", "room": room, "ply": 0, "point": [7, 7]})).await;
    done(&mut ann, json!({"type": "resign", "room": room})).await;
    let (_cid, _dan, next) = server.two_play().await;
    on_tv(&server, Some(&next)).await;

    let cases = [
        ("/tv?embed", "/embed/tv"),
        ("/tv?embed=&theme=dark", "/embed/tv?theme=dark"),
        ("/tv?theme=dark&embed", "/embed/tv?theme=dark"),
    ];
    for (path, wanted) in cases {
        let (head, _) = server.get_with(path, "").await;
        assert!(head.starts_with("HTTP/1.1 307"), "{path}: {head}");
        assert!(head.lines().any(|line| line == format!("location: {wanted}")), "{path}: {head}");
    }
    server.stop().await;
}
