//! How the page's files are served: small, compressed, and kept by browsers.

use std::{collections::BTreeMap, path::Path};

use fivefold_server::{
    config::{Config, PageSource},
    limits::Limits,
};
use fivefold_storage::Memory;

use serde_json::json;

use crate::harness::{LIMITS, TestServer, joined};

/// Limit on the size of all files that a visitor loads who plays, in one language, on the wire, without
/// [`ON_USE`] and [`ELSEWHERE`].
const PAGE_BYTES_MAX: usize = 80 * 1024;
/// Folders with files that are loaded only when they are used.
const ON_USE: [&str; 16] = [
    "account/",
    "analysis/",
    "board/keys/",
    "embed/",
    "engine/",
    "game/rules/",
    "learn/",
    "local/",
    "lobby/person-dialog.js",
    "moderation/",
    "players/",
    "puzzles/",
    "replay/",
    "room/daily/",
    "ui/embed/",
    "ui/settings/",
];
/// Limit on the size of these files without the engine and what operators load, in all languages.
const ON_USE_BYTES_MAX: usize = 182 * 1024;
/// Limit on the size of the engine, most of it the weights of its network.
const ENGINE_BYTES_MAX: usize = 1_792 * 1024;
/// Limit on the size of the files that the first visit loads at once.
const FIRST_VISIT_BYTES_MAX: usize = 48 * 1024;

/// Files and folders that only operators load.
const OPERATORS: [&str; 8] = [
    "moderation/admin/",
    "moderation/case-file.js",
    "moderation/hints.js",
    "moderation/operators-only.js",
    "moderation/operators/",
    "moderation/people-list.js",
    "moderation/person-actions.js",
    "moderation/queue-view.js",
];
/// Limit on the size of these files, in all languages.
const OPERATORS_BYTES_MAX: usize = 32 * 1024;

/// The files of boards on other sites, which have a limit of their own; see `embeds.rs`.
const EMBED: [&str; 7] = [
    "embed/embed.css",
    "embed/embed.html",
    "embed/embed.js",
    "embed/language/en.js",
    "embed/language/es.js",
    "embed/language/ru.js",
    "embed/watched-game.css",
];

/// Files that are loaded only at other addresses than those of the home page and of rooms.
const ELSEWHERE: [&str; 12] = [
    "analysis/deciding-moves.js",
    "analysis/game-review.js",
    "analysis/live-analysis.js",
    "analysis/position-link.js",
    "analysis/texts.js",
    "analysis/value-graph.js",
    "board/not-found.js",
    "lobby/language/en.js",
    "lobby/language/es.js",
    "lobby/language/ru.js",
    "lobby/lobby-view.js",
    "lobby/texts.js",
];

/// The files that have several modules, as in server/page/build.rs.
const JOINED: [&str; 9] = [
    "main.js",
    "puzzles/daily-puzzle.js",
    "room/room-view.js",
    "game/opening-panel.js",
    "account/account-form.js",
    "account/pushes.js",
    "account/friends.js",
    "moderation/requests.js",
    "account/you-dialog.js",
];

/// Scripts that are no modules of the page, as in server/page/build.rs.
const APART: [&str; 2] = ["engine/worker.js", "local/service-worker.js"];

/// Extensions of the files that are served, as in server/page/build.rs.
const KINDS: [&str; 8] = ["html", "js", "css", "svg", "png", "txt", "wasm", "webmanifest"];

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/web"))
}

fn names() -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![folder().to_owned()];
    while let Some(within) = folders.pop() {
        for entry in within.read_dir().expect("the page's folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| KINDS.iter().any(|kind| it == *kind)) {
                let name = path.strip_prefix(folder()).expect("a file of the folder");
                names.push(name.to_string_lossy().into_owned());
            }
        }
    }
    names
}

/// Where the page says that its files are.
async fn place(server: &TestServer) -> String {
    let index = server.get("/").await;
    let from = index.find("/web/").expect("links to its files");
    let rest = &index[from..];
    rest[..rest.rfind("/main.js").expect("the script")]
        .rsplit('"')
        .next()
        .expect("a link")
        .to_owned()
}

/// How the declarations at the top level of the page's modules begin, without spaces, by path.
fn declarations() -> BTreeMap<String, Vec<String>> {
    let is_module = |name: &String| name.ends_with(".js") && !APART.contains(&name.as_str());
    let begin = |line: &str| {
        let line = line.strip_prefix("export ").unwrap_or(line);
        let kinds = ["function ", "async function ", "class ", "const "];
        let is_declaration = kinds.iter().any(|kind| line.starts_with(kind));
        is_declaration.then(|| line.split('/').next().unwrap_or(line).replace(' ', ""))
    };
    let of = |path: String| {
        let text = std::fs::read_to_string(folder().join(&path)).expect("a script");
        (path, text.lines().filter_map(begin).collect())
    };
    names().into_iter().filter(is_module).map(of).collect()
}

/// Whether a joined file has a module that declares this.
fn has(file: &str, declarations: &[String]) -> bool {
    !declarations.is_empty() && declarations.iter().all(|it| file.contains(it))
}

/// The text of each joined file, without spaces.
async fn joined_files(server: &TestServer, place: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for name in JOINED {
        let text = server.get(&format!("{place}/{name}")).await;
        texts.push(text.replace([' ', '\n'], ""));
    }
    texts
}

#[tokio::test]
async fn what_playing_needs_is_small() {
    let server = TestServer::start(LIMITS);
    let place = place(&server).await;
    let index = server.get("/").await;
    let joined = joined_files(&server, &place).await;
    let declarations = declarations();
    let (mut all, mut first, mut elsewhere) = (0, 0, 0);
    let (mut on_use, mut engine, mut operators) = (0, 0, 0);
    let mut languages = Vec::new();
    for name in names().into_iter().filter(|name| !EMBED.contains(&name.as_str())) {
        let path = if name == "index.html" { "/".to_owned() } else { format!("{place}/{name}") };
        let (head, body) = server.get_with(&path, "Accept-Encoding: gzip, deflate, br\n").await;
        let own_file = JOINED.contains(&name.as_str());
        let is_joined = own_file || head.starts_with("HTTP/1.1 404");
        let is_in = |file: &String| is_joined && has(file, &declarations[&name]);
        let at_first = index.contains(&path) || is_in(&joined[0]);
        if is_joined {
            assert_eq!(joined.iter().filter(|file| is_in(file)).count(), 1, "{path}");
        }
        // A joined module's bytes count with its file.
        let bytes = if is_joined && !own_file { 0 } else { body.len() };
        if bytes > 0 {
            assert!(head.contains("content-encoding: br"), "{path}: {head}");
        }
        // Beside the languages lie the scripts that look texts up.
        if name.starts_with("language/") && !is_joined {
            languages.push(body.len());
            continue;
        }
        if ELSEWHERE.contains(&name.as_str()) {
            assert!(!at_first, "{name} is loaded at first");
            elsewhere += 1;
            continue;
        }
        if ON_USE.iter().any(|folder| name.starts_with(folder)) {
            assert!(!at_first, "{path} is loaded at once");
            let is_operators = OPERATORS.iter().any(|part| name.starts_with(part));
            let part = match () {
                () if is_operators => &mut operators,
                () if name.starts_with("engine/") => &mut engine,
                () => &mut on_use,
            };
            *part += bytes;
            continue;
        }
        all += bytes;
        if name == "index.html" || at_first {
            first += bytes;
        }
    }
    assert_eq!(elsewhere, ELSEWHERE.len());
    // A visitor loads one language.
    let language = languages.iter().max().expect("the languages' files");
    let (all, first) = (all + language, first + language);
    println!("{first} bytes at first, {all} to play, {on_use} on use, {operators} for operators");
    println!("{engine} bytes of the engine");
    assert!(all > PAGE_BYTES_MAX / 2, "{all} bytes: some files are missing");
    assert!(all <= PAGE_BYTES_MAX, "{all} bytes");
    assert!(first > language + 10_000, "{first} bytes: some files are missing");
    assert!(first <= FIRST_VISIT_BYTES_MAX, "{first} bytes");
    assert!(on_use > 50_000 && on_use <= ON_USE_BYTES_MAX, "{on_use} bytes");
    assert!(engine > 1_000_000 && engine <= ENGINE_BYTES_MAX, "{engine} bytes of the engine");
    assert!(operators > 10_000 && operators <= OPERATORS_BYTES_MAX, "{operators} bytes");
    server.stop().await;
}

#[test]
fn what_is_loaded_on_use_is_imported_on_use() {
    let is_elsewhere = |name: &str| ELSEWHERE.contains(&name);
    let is_on_use =
        |name: &str| !is_elsewhere(name) && ON_USE.iter().any(|folder| name.starts_with(folder));
    let mut imported = 0;
    for name in names().iter().filter(|name| name.ends_with(".js") && !is_on_use(name)) {
        for import in imports(name) {
            assert!(!is_on_use(&import), "{name} imports {import} at once");
            assert!(
                is_elsewhere(name) || !is_elsewhere(&import),
                "{name} imports {import} at once"
            );
            imported += 1;
        }
    }
    assert!(imported > 100, "{imported} imports: was the text read?");
}

/// What a script imports at once.
fn imports(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder().join(name)).expect("a script");
    let is_import = |line: &&str| line.starts_with("import ") || line.starts_with("} from ");
    let addresses = text
        .lines()
        .filter(is_import)
        .filter_map(|line| line.split_once("from '").and_then(|(_, rest)| rest.split('\'').next()));
    let resolve = |address: &str| {
        let mut parts: Vec<_> = name.split('/').collect();
        parts.pop();
        for part in address.split('/') {
            match part {
                "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        parts.join("/")
    };
    addresses.map(resolve).collect()
}

#[tokio::test]
async fn only_the_worker_may_run_web_assembly() {
    let server = TestServer::start(LIMITS);
    let place = place(&server).await;
    let cases = [
        ("/".to_owned(), "script-src 'self'; style-src 'self'"),
        (
            format!("{place}/engine/worker.js"),
            "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
        ),
        (format!("{place}/engine/engine.wasm"), "content-type: application/wasm"),
    ];
    for (path, text) in cases {
        let (head, _) = server.get_with(&path, "").await;
        assert!(head.contains(text), "{path}: {head}");
        assert_eq!(
            head.contains("wasm-unsafe-eval"),
            path.ends_with("worker.js"),
            "{path}: {head}"
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn other_words_for_the_analysis_lead_there() {
    let server = TestServer::start(LIMITS);
    let cases = [
        ("/analysis", "/analyse"),
        ("/analyze?moves=h8+i9&size=15", "/analyse?moves=h8+i9&size=15"),
    ];
    for (path, wanted) in cases {
        let (head, _) = server.get_with(path, "").await;
        assert!(head.starts_with("HTTP/1.1 308"), "{path}: {head}");
        assert!(head.contains(&format!("location: {wanted}\r\n")), "{path}: {head}");
    }
    server.stop().await;
}

#[tokio::test]
async fn openings_are_loaded_only_where_one_is_played() {
    let server = TestServer::start(LIMITS);
    let place = place(&server).await;
    let index = server.get("/").await;
    let mut others = joined_files(&server, &place).await;
    let place = JOINED.iter().position(|name| *name == "game/opening-panel.js");
    let opening = others.remove(place.expect("an opening's file"));
    let is_opening = |name: &String| name.starts_with("game/opening-");
    let own: Vec<_> = declarations().into_iter().filter(|(name, _)| is_opening(name)).collect();
    assert!(own.len() >= 3, "{own:?}");
    for (name, declarations) in own {
        assert!(!index.contains(&name), "{name}");
        assert!(has(&opening, &declarations), "{name}");
        assert!(!others.iter().any(|file| has(file, &declarations)), "{name}");
    }
    server.stop().await;
}

#[tokio::test]
async fn the_files_of_the_first_screen_are_named_in_the_head() {
    let server = TestServer::start(LIMITS);
    let place = place(&server).await;
    let cases = [
        // path, accepted languages, files
        ("/", "", &["language/en.js"][..]),
        ("/", "ru-RU,ru;q=0.9,en;q=0.8", &["language/ru.js"]),
        ("/lobby", "de, ES-es;q=0.5, en;q=0.3", &["language/es.js"]),
        ("/games", "de, *", &["language/en.js"]),
        ("/games", "\u{443}, ,r,en\"", &["language/en.js"]),
        ("/r/k7m2qpxw9abc", "en", &["language/en.js", "room/room-view.js", "game/game.css"]),
    ];
    for (path, languages, files) in cases {
        let (head, _) = server.get_with(path, &format!("Accept-Language: {languages}\n")).await;
        let links: Vec<_> = head.lines().filter_map(|line| line.strip_prefix("link: ")).collect();
        assert_eq!(links.len(), files.len(), "{path} {languages}: {head}");
        for (link, file) in links.iter().zip(files) {
            assert!(link.starts_with(&format!("<{place}/{file}>; rel=")), "{link}");
            let (head, _) = server.get_with(&format!("{place}/{file}"), "").await;
            assert!(head.starts_with("HTTP/1.1 200"), "{file}");
        }
        assert!(head.contains("vary: accept-encoding, accept-language"), "{head}");
    }
    server.stop().await;
}

#[tokio::test]
async fn files_are_kept_and_the_page_is_asked_for_again() {
    let server = TestServer::start(LIMITS);
    let style = format!("{}/style.css", place(&server).await);
    let cases = [
        // path, headers, status, what the head says
        (style.as_str(), "", "200", "cache-control: public, max-age=31536000, immutable"),
        (&style, "", "200", "content-type: text/css"),
        (&style, "Accept-Encoding: gzip\n", "200", "content-encoding: gzip"),
        (&style, "Accept-Encoding: br;q=0, gzip\n", "200", "content-encoding: gzip"),
        (&style, "Accept-Encoding: gzip, br\n", "200", "content-encoding: br"),
        (&style, "", "200", "vary: accept-encoding"),
        ("/", "Accept-Encoding: br\n", "200", "content-encoding: br"),
        ("/", "", "200", "cache-control: no-cache"),
    ];
    for (path, headers, status, text) in cases {
        let (head, _) = server.get_with(path, headers).await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{path} {headers}: {head}");
        assert!(head.contains(text), "{path} {headers}: {head}");
    }
    let (head, _) = server.get_with("/", "").await;
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).expect("a tag");
    let (head, body) = server.get_with("/", &format!("If-None-Match: {tag}\n")).await;
    assert!(head.starts_with("HTTP/1.1 304"), "{head}");
    assert!(body.is_empty(), "{head}");
    server.stop().await;
}

#[tokio::test]
async fn a_folder_is_served_instead() {
    let page = PageSource::Folder(folder().to_owned());
    let config = Config { limits: Limits { ..LIMITS }, page, ..Config::default() };
    let server = TestServer::start_with(Box::new(Memory::default()), config);
    let cases = [
        ("/", "/web/live/main.js"),
        ("/web/live/main.js", "cache-control: no-store"),
        ("/web/live/..%2FCargo.toml", "404"),
        ("/web/live/language/..%2F..%2FCargo.toml", "404"),
        ("/web/live/language/en.js", "The texts in English"),
        ("/web/live/ui/protocol-types.d.ts", "404"),
    ];
    for (path, text) in cases {
        let answer = server.get(path).await;
        assert!(answer.contains(text), "{path}: {answer}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_pasted_link_says_what_may_be_played() {
    let limits = Limits { unknown_codes_per_minute: 2, ..LIMITS };
    for page in [PageSource::Program, PageSource::Folder(folder().to_owned())] {
        let config = Config { limits, page, ..Config::default() };
        let server = TestServer::start_with(Box::new(Memory::default()), config);
        let mut ann = server.greet("<Ann>").await;
        let create = json!({"type": "create", "rules": {"variant": "renju"}, "seats": ["me", "open"],
            "time": {"type": "fischer", "main_ms": 300_000, "increment_ms": 3_000}});
        let path = format!("/r/{}", joined(ann.ask(create).await));
        let mut bob = server.greet("Bob").await;
        let says =
            |open: &str| format!("content=\"Five in a row: renju 15x15, clock 5m+3s. {open}\"");

        let first = server.get(&path).await;
        assert_eq!(
            first
                .matches(&says("A seat is open. Open the link and press Play to take it."))
                .count(),
            2,
            "{first}"
        );
        assert!(!first.contains("Ann") && !first.contains("with a friend"), "{first}");
        assert!(first.contains("content-security-policy: default-src 'none'"), "{first}");
        let tag = first.lines().find_map(|line| line.strip_prefix("etag: ")).map(str::to_owned);
        let again = async || match &tag {
            Some(tag) => {
                let tag = format!("If-None-Match: {tag}\n");
                let (head, body) = server.get_with(&path, &tag).await;
                head + &String::from_utf8_lossy(&body)
            }
            None => server.get(&path).await,
        };
        let unchanged = if tag.is_some() { "304" } else { "200" };
        assert!(again().await.starts_with(&format!("HTTP/1.1 {unchanged}")));
        let code = path.trim_start_matches("/r/");
        bob.ask(json!({"type": "join", "room": code})).await;
        bob.ask(json!({"type": "sit", "room": code})).await;
        let taken = again().await;
        assert!(taken.contains(&says("Both seats are taken. Open the link to watch.")), "{taken}");

        // Codes cannot be guessed here, either.
        for _ in 0..2 {
            assert!(server.get("/r/k7m2qpxw9abc").await.contains("with a friend"));
        }
        assert!(server.get(&path).await.contains("with a friend"), "after too many unknown codes");
        server.stop().await;
    }
}
