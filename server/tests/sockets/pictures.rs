//! Pictures of games and positions over HTTP, and how previews of links lead to them.

use fivefold_server::{
    config::{Config, PageSource},
    limits::{HTTP_STUDY_TOKENS, Limits},
    net::proxy::{Proxies, parse_network},
};
use fivefold_shared::{protocol::COLLECTION_NAME_MAX, record::GameList};
use fivefold_storage::Memory;
use serde_json::json;

use crate::{
    accounts::sign_up,
    collections::{add, games, make},
    games::{done, get, play},
    harness::{LIMITS, TestServer, joined},
};

/// Sends a request with more header lines; returns the head and the body.
async fn ask(server: &TestServer, path: &str, headers: &str) -> (String, Vec<u8>) {
    let request = format!("GET {path} HTTP/1.1\nHost: test:8080\nConnection: close\n{headers}\n");
    let answer = server.request_bytes(&request).await;
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
    (String::from_utf8_lossy(&answer[..end]).into_owned(), answer[end + 4..].to_vec())
}

fn status(head: &str) -> &str {
    head.split(' ').nth(1).expect("a status")
}

/// The value of a header line.
fn value<'a>(head: &'a str, name: &str) -> &'a str {
    let line = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("no {name}: {head}"))
}

/// Width and height of a PNG file.
fn size(png: &[u8]) -> (u32, u32) {
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "{:?}", &png[..png.len().min(200)]);
    let number = |at: usize| u32::from_be_bytes(*png[at..].first_chunk().expect("a header"));
    (number(16), number(20))
}

/// A finished game of two people with these names; returns its id.
async fn finished_game(server: &TestServer, names: [&str; 2]) -> String {
    let mut ann = server.greet(names[0]).await;
    let mut bob = server.greet(names[1]).await;
    play(&mut ann, &mut bob, "public").await;
    let list: GameList = get(server, "/api/games").await;
    list.games.first().expect("the game").id.to_string()
}

#[tokio::test]
async fn a_game_has_a_picture_that_is_drawn_once() {
    let server = TestServer::start(LIMITS);
    let path = format!("/game/{}.png", finished_game(&server, ["Ann", "Bob"]).await);
    let (head, png) = ask(&server, &path, "").await;
    assert_eq!(status(&head), "200", "{head}");
    assert_eq!(value(&head, "content-type"), "image/png");
    assert_eq!(value(&head, "cache-control"), "private, max-age=86400");
    assert_eq!(size(&png), (1_200, 630));
    let tag = value(&head, "etag").to_owned();
    let (head, again) = ask(&server, &path, "").await;
    assert_eq!((value(&head, "etag"), &again), (tag.as_str(), &png));
    let (head, body) = ask(&server, &path, &format!("If-None-Match: {tag}\n")).await;
    assert_eq!((status(&head), body.len()), ("304", 0), "{head}");
    assert_eq!(server.count(r#"pictures_total{from="drawn"}"#).await, 1);
    assert_eq!(server.count(r#"pictures_total{from="cache"}"#).await, 2);
    for unknown in ["/game/k7m2qpxw9abcdefg.png", "/game/.png", "/game/a.b.png"] {
        let (head, body) = ask(&server, unknown, "").await;
        assert_eq!(status(&head), "404", "{unknown}: {head}");
        assert!(String::from_utf8_lossy(&body).contains("no_such_game"), "{unknown}");
    }
    server.stop().await;
}

#[tokio::test]
async fn positions_have_pictures_and_nonsense_has_none() {
    let server = TestServer::start(LIMITS);
    let long = format!("/analyse.png?size=unbounded&moves={}", "0,0+".repeat(3_500));
    let cases = [
        ("/analyse.png", "200"),
        ("/analyse.png?variant=renju&size=15%2C15&moves=h8+h9+j10", "200"),
        ("/analyse.png?variant=mnk&k=3&size=3,3&moves=a1+b2", "200"),
        ("/analyse.png?size=unbounded&moves=0,0+5,5", "200"),
        // An illegal move ends the position.
        ("/analyse.png?moves=h8+h8", "200"),
        (&long, "200"),
        ("/analyse.png?variant=chess", "400"),
        ("/analyse.png?variant=mnk", "400"),
        ("/analyse.png?variant=renju&size=19", "400"),
        ("/analyse.png?size=65", "400"),
        ("/analyse.png?size=-1", "400"),
        ("/analyse.png?k=many", "400"),
        ("/analyse.png?moves=z99", "400"),
        ("/analyse.png?moves=%00", "400"),
        ("/analyse.png?moves=%7B", "400"),
    ];
    let mut drawn = 0;
    for (path, expected) in cases {
        let (head, body) = ask(&server, path, "").await;
        assert_eq!(status(&head), expected, "{path}: {head}");
        if expected == "200" {
            assert_eq!(size(&body), (1_200, 630), "{path}");
            assert_eq!(value(&head, "cache-control"), "public, max-age=86400");
            drawn += 1;
        } else {
            assert!(String::from_utf8_lossy(&body).contains("malformed"), "{path}");
        }
    }
    assert_eq!(server.count(r#"pictures_total{from="drawn"}"#).await, drawn);
    server.stop().await;
}

#[tokio::test]
async fn drawing_costs_and_a_kept_picture_does_not() {
    // The allowance does not come back while the test runs: enough for two pictures, and two more
    // requests.
    let drawing = 1 + HTTP_STUDY_TOKENS;
    let limits = Limits { http_tokens_per_second: 0, http_tokens_burst: 2 * drawing + 2, ..LIMITS };
    let server = TestServer::start(limits);
    let picture = |number: u32| format!("/analyse.png?moves=h{number}");
    for (number, expected) in [(1, "200"), (2, "200"), (3, "429"), (1, "200"), (1, "429")] {
        let (head, _) = ask(&server, &picture(number), "").await;
        assert_eq!(status(&head), expected, "{number}: {head}");
    }
    assert_eq!(server.count(r#"refusals_total{reason="too_fast"}"#).await, 2);
    assert_eq!(server.count(r#"pictures_total{from="drawn"}"#).await, 2);
    // The page itself is served without a preview.
    let (head, body) = ask(&server, "/analyse?moves=h8", "").await;
    assert_eq!(status(&head), "200");
    assert!(!String::from_utf8_lossy(&body).contains("og:image"));
    server.stop().await;
}

/// Asserts that a page has one tag whose name and content begin like this.
fn has_tag(html: &str, name: &str, content: &str) {
    let tag = format!(r#"<meta {name}" content="{content}"#);
    assert_eq!(html.matches(&tag).count(), 1, "{tag} in {html}");
}

#[tokio::test]
async fn links_have_previews_with_pictures() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/web").into();
    for page in [PageSource::Program, PageSource::Folder(folder)] {
        let proxies = Proxies::new(vec![parse_network("127.0.0.1").unwrap()]);
        let config = Config { limits: LIMITS, page, proxies: proxies.into(), ..Config::default() };
        let server = TestServer::start_with(Box::new(Memory::default()), config);
        let id = finished_game(&server, ["<\"Ann\">&'", "Bob"]).await;
        let mut eve = server.greet("Eve").await;
        let create =
            json!({"type": "create", "rules": {"variant": "renju"}, "seats": ["me", "open"]});
        let room = joined(eve.ask(create).await);
        let cases = [
            (
                format!("/game/{id}"),
                format!("/game/{id}.png"),
                "&lt;&quot;Ann&quot;&gt;&amp;&#39; – Bob",
                "White won: resignation. Standard 15x15, 1 move.",
            ),
            (
                "/analyse?variant=renju&moves=h8+%22%3E%3Cscript%3E".to_owned(),
                String::new(),
                "Fivefold",
                "Five in a row, online",
            ),
            (
                "/analyse?variant=renju&moves=h8+h9".to_owned(),
                "/analyse.png?variant=renju&amp;moves=h8+h9".to_owned(),
                "A position of five in a row",
                "Black to play. Renju 15x15, 2 moves.",
            ),
            (
                format!("/r/{room}"),
                "/analyse.png?variant=renju&amp;size=15,15".to_owned(),
                "Fivefold: five in a row",
                "Five in a row: renju 15x15, no clock.",
            ),
            ("/analyse".to_owned(), String::new(), "Fivefold", "Five in a row, online"),
            (
                "/game/k7m2qpxw9abcdefg".to_owned(),
                String::new(),
                "Fivefold",
                "Five in a row, online",
            ),
        ];
        for (path, picture, title, about) in cases {
            let (head, body) = ask(&server, &path, "X-Forwarded-Proto: https\n").await;
            let html = String::from_utf8(body).unwrap();
            assert_eq!(status(&head), "200", "{path}: {head}");
            assert!(head.contains("content-security-policy: default-src 'none'"), "{head}");
            let tag = |name, content: &str| has_tag(&html, name, content);
            tag("property=\"og:title", title);
            tag("property=\"og:description", about);
            assert_eq!(html.contains("og:image"), !picture.is_empty(), "{path}: {html}");
            assert!(!html.contains("<\"Ann") && html.matches("<script").count() == 1, "{html}");
            if !picture.is_empty() {
                tag("property=\"og:image", &format!("https://test:8080{picture}\""));
                tag("name=\"twitter:card", "summary_large_image");
                let shown = picture.replace("&amp;", "&");
                let (head, png) = ask(&server, &shown, "").await;
                assert_eq!((status(&head), size(&png)), ("200", (1_200, 630)), "{shown}");
            }
        }
        let hostile = format!("GET /game/{id} HTTP/1.1\nHost: a\"><b\nConnection: close\n\n");
        let answer = server.request(&hostile).await;
        assert!(!answer.contains("\"><b") && !answer.contains("og:image"), "{answer}");
        server.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn links_to_shared_collections_name_them_and_private_ones_look_unknown() {
    let server = TestServer::start(LIMITS);
    let (ann, _) = sign_up(&server, "Ann").await;
    let page = async |id: &str, headers: &str| {
        let (head, body) = ask(&server, &format!("/collection/{id}"), headers).await;
        assert_eq!(status(&head), "200", "{head}");
        String::from_utf8(body).unwrap()
    };
    let hostile = "\"><script>alert('&')</script>";
    let rest = "é".repeat(COLLECTION_NAME_MAX - hostile.len());
    let shared = make(&server, &ann, &format!("{hostile}{rest}"), true).await;
    let title = format!("&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;{rest}\"");
    for (number, count) in ["0 games", "1 game", "2 games"].into_iter().enumerate() {
        if number > 0 {
            add(&server, &ann, &shared, &games(number..number + 1)).await;
        }
        let html = page(&shared, "").await;
        has_tag(&html, "property=\"og:title", &title);
        let about = format!("A collection of five-in-a-row games, shared by Ann: {count}.\"");
        has_tag(&html, "property=\"og:description", &about);
        let picture = "/analyse.png";
        has_tag(&html, "property=\"og:image", &format!("http://test:8080{picture}\""));
        assert_eq!(status(&ask(&server, picture, "").await.0), "200");
        assert!(!html.contains("oembed") && html.matches("<script").count() == 1, "{html}");
    }

    let unknown = page("2222222222222222", "").await;
    has_tag(&unknown, "property=\"og:title", "Fivefold\"");
    assert!(!unknown.contains("og:image"), "{unknown}");
    let private = make(&server, &ann, "Secret", false).await;
    for (id, headers) in [
        (private.as_str(), String::new()),
        // Its owner's browser, too.
        (private.as_str(), format!("Cookie: {ann}\n")),
        ("%22%3E%3Cscript%3E", String::new()),
    ] {
        assert_eq!(page(id, &headers).await, unknown, "{id}");
    }
    server.stop().await;
}

#[tokio::test]
async fn links_to_public_rooms_show_the_game_as_it_stands() {
    let server = TestServer::start(LIMITS);
    let picture = "http://test:8080/analyse.png?variant=freestyle&amp;size=15,15";
    for (visibility, shown) in [
        ("public", [("", ""), ("&amp;moves=h8", " 1 move."), ("&amp;moves=h8+i9", " 2 moves.")]),
        ("private", [("", ""); 3]),
    ] {
        let (mut ann, mut bob) = (server.greet("Ann").await, server.greet("Bob").await);
        let create = json!({"type": "create", "rules": {"variant": "freestyle"}, "colour": "black",
            "visibility": visibility, "seats": ["me", "open"]});
        let room = joined(ann.ask(create).await);
        bob.join(&room).await;
        done(&mut bob, json!({"type": "sit", "room": room})).await;
        for (ply, (moves, length)) in shown.into_iter().enumerate() {
            let (_, body) = ask(&server, &format!("/r/{room}"), "").await;
            let html = String::from_utf8(body).unwrap();
            has_tag(&html, "property=\"og:image", &format!("{picture}{moves}\""));
            let about = format!("Five in a row: freestyle 15x15, no clock.{length} Both seats");
            has_tag(&html, "property=\"og:description", &about);
            assert!(!html.contains("Ann") && !html.contains("Bob"), "{html}");
            let (player, point) =
                [(&mut ann, [7, 7]), (&mut bob, [8, 6])].into_iter().nth(ply % 2).unwrap();
            let play = json!({"type": "play", "room": room, "ply": ply, "point": point});
            if ply < 2 {
                done(player, play).await;
            }
        }
    }
    server.stop().await;
}
