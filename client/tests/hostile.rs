//! Tests every command against hostile servers, files and engines: no control sequence of theirs
//! reaches the terminal, and none of their text starts a line.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command as Spawn, Stdio},
};

use clap::CommandFactory;
use fivefold::cli::Cli;
use fivefold_shared::protocol_guide::GUIDE;
use futures_util::{SinkExt, StreamExt, future::join_all};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::spawn_blocking,
};
use tokio_tungstenite::{
    WebSocketStream, accept_async,
    tungstenite::{
        Message as Frame,
        protocol::{CloseFrame, frame::coding::CloseCode},
    },
};

/// Sets the title, clears the screen, sets colours by a one-byte sequence, writes from right to
/// left, isolates, adds a mark and a tag, and starts lines of its own.
const HOSTILE: &str = "PWNED\u{1b}]0;x\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{2066}\u{200f}\u{e0041}\
                       \r\nINJECTED\u{2028}INJECTED\u{85}INJECTED\u{7f}";

/// The room's code.
const ROOM: &str = "k7m2qpxw9abc";

fn is_unfit(c: char) -> bool {
    let is_direction = matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    c != '\n' && (c.is_control() || is_direction)
}

/// A program's standard output, followed by its standard error.
struct Printed(String);

/// Runs the program in a folder, and checks its output.
fn run(folder: &Path, words: &[String], input: &str) -> Printed {
    let mut spawn = Spawn::new(env!("CARGO_BIN_EXE_fivefold"));
    spawn.args(words).current_dir(folder).env("FIVEFOLD_CONFIG_DIR", folder.join("settings"));
    spawn.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawn.spawn().unwrap();
    // The program may have exited without reading it.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let mut all = String::new();
    for bytes in [output.stdout, output.stderr] {
        let text = String::from_utf8(bytes).expect("it prints UTF-8");
        // Lines of PSQ end with both, and completions have tabs.
        let text = text.replace("\r\n", "\n");
        let unfit: Vec<char> = text.chars().filter(|c| is_unfit(*c) && *c != '\t').collect();
        assert!(unfit.is_empty(), "{words:?} prints {unfit:?} in {text:?}");
        // PSQ stores a name as a line.
        let is_psq = words.iter().any(|word| word == "psq");
        let injected = text.lines().find(|line| line.trim_start().starts_with("INJECTED"));
        assert_eq!(injected.filter(|_| !is_psq), None, "{words:?}: {text}");
        all.push_str(&text);
    }
    Printed(all)
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The behaviour of a hostile server after `hello`.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    /// An HTTP server without WebSocket.
    Http,
    /// No known protocol.
    Garbage,
    RefusesHello,
    /// Refuses all commands but `hello`.
    Refuses,
    /// Sends answers to other requests.
    Strange,
    /// Lets the client in, and sends every message that a server may send.
    Talks,
    /// Closes the socket for good, with a reason.
    Closes,
    /// Closes the socket so that the client returns, and then refuses it.
    Restarts,
}

const WAYS: [Way; 8] = [
    Way::Http,
    Way::Garbage,
    Way::RefusesHello,
    Way::Refuses,
    Way::Strange,
    Way::Talks,
    Way::Closes,
    Way::Restarts,
];

/// Each message that a server may send, as in the guide.
fn messages() -> Vec<Value> {
    let examples = GUIDE.split("server_says(r#\"").skip(1);
    let examples = examples.map(|rest| rest.split("\"#)").next().unwrap());
    let messages: Vec<Value> =
        examples.map(|text| serde_json::from_str(text).expect("an example is JSON")).collect();
    assert!(messages.len() > 30, "the guide shows all of them");
    messages
}

fn message(kind: &str) -> Value {
    let messages = messages();
    let of_kind = |message: &&Value| message["type"] == kind && message["snapshot"].is_object();
    let plain = |message: &&Value| message["type"] == kind;
    messages.iter().find(of_kind).or_else(|| messages.iter().find(plain)).unwrap().clone()
}

/// Copies of a message with one string replaced each, and one with all texts that people choose.
fn made_hostile(message: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    let count = leaves(message);
    for index in 0..count {
        let mut one = message.clone();
        replace(&mut one, &mut { index });
        all.push(one);
    }
    all
}

fn leaves(value: &Value) -> usize {
    match value {
        Value::String(_) => 1,
        Value::Array(values) => values.iter().map(leaves).sum(),
        Value::Object(fields) => fields.values().map(leaves).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// Replaces the string at this index.
fn replace(value: &mut Value, index: &mut usize) {
    match value {
        Value::String(text) => {
            if *index == 0 {
                HOSTILE.clone_into(text);
            }
            *index = index.wrapping_sub(1);
        }
        Value::Array(values) => values.iter_mut().for_each(|value| replace(value, index)),
        Value::Object(fields) => fields.values_mut().for_each(|value| replace(value, index)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

type Socket = WebSocketStream<TcpStream>;

async fn say(socket: &mut Socket, message: &Value) -> Option<()> {
    socket.send(Frame::text(message.to_string())).await.ok()
}

async fn close(socket: &mut Socket, code: u16) {
    // As many characters as fit.
    let reason: String = HOSTILE.chars().take(60).collect();
    let frame = CloseFrame { code: CloseCode::from(code), reason: reason.into() };
    drop(socket.close(Some(frame)).await);
}

/// What a server does that has let a client in, or takes its seek.
async fn misbehave(socket: &mut Socket, way: Way) -> Option<()> {
    match way {
        Way::Talks => {
            for example in messages() {
                for message in made_hostile(&example) {
                    say(socket, &message).await?;
                }
            }
        }
        Way::Closes => close(socket, 4003).await,
        Way::Restarts => close(socket, 1012).await,
        Way::Http | Way::Garbage | Way::RefusesHello | Way::Refuses | Way::Strange => {}
    }
    Some(())
}

/// Serves one connection; `None` when the client has gone.
async fn serve(mut stream: TcpStream, way: Way, is_first: bool) -> Option<()> {
    if is_question(&stream).await {
        return answer_question(stream, way).await;
    }
    if matches!(way, Way::Http | Way::Garbage) {
        // The reason may not contain line breaks.
        let one_line = HOSTILE.replace(['\r', '\n'], " ");
        let text = match way {
            Way::Http => format!("HTTP/1.1 403 {one_line}\r\nServer: {one_line}\r\n\r\n{HOSTILE}"),
            _ => HOSTILE.to_owned(),
        };
        drop(stream.read(&mut [0; 4096]).await);
        return stream.write_all(text.as_bytes()).await.ok();
    }
    let mut socket = accept_async(stream).await.ok()?;
    while let Some(Ok(frame)) = socket.next().await {
        let Frame::Text(text) = frame else { continue };
        let command: Value = serde_json::from_str(&text).unwrap();
        let id = &command["id"];
        let refused = json!({"type": "refused", "id": id, "reason": "busy", "text": HOSTILE});
        match command["type"].as_str().unwrap() {
            "hello" if way == Way::RefusesHello || !is_first => {
                let refused =
                    json!({"type": "refused", "id": id, "reason": "version", "text": HOSTILE});
                say(&mut socket, &refused).await?;
            }
            "hello" => {
                let mut welcome = message("welcome");
                welcome["id"] = id.clone();
                welcome["server"] = HOSTILE.into();
                welcome["identity"] = "ab".repeat(32).into();
                say(&mut socket, &welcome).await?;
            }
            _ if way == Way::Refuses => say(&mut socket, &refused).await?,
            _ if way == Way::Strange => {
                let line = json!({"number": 1, "at": 1, "member": "5d41402abc4b2a76",
                                  "name": "Ann", "text": HOSTILE});
                let strange = json!({"type": "chat", "id": id, "room": ROOM, "players": [line]});
                say(&mut socket, &strange).await?;
            }
            "watch_lobby" => {
                let mut lobby = message("lobby");
                lobby["id"] = id.clone();
                say(&mut socket, &lobby).await?;
            }
            "seek" | "challenge" | "accept_seek" => {
                misbehave(&mut socket, way).await?;
                say(&mut socket, &refused).await?;
            }
            kind @ ("rooms" | "own_rooms") => {
                for mut rooms in made_hostile(&message(kind)) {
                    rooms["id"] = id.clone();
                    say(&mut socket, &rooms).await?;
                }
                let rooms = json!({"type": kind, "id": id, "rooms": [], "total": 0});
                say(&mut socket, &rooms).await?;
            }
            "create" | "join" => {
                let mut joined = message("joined");
                joined["id"] = id.clone();
                say(&mut socket, &joined).await?;
                misbehave(&mut socket, way).await?;
                let closed = json!({"type": "closed", "room": ROOM, "text": HOSTILE});
                say(&mut socket, &closed).await?;
            }
            "set_name" => say(&mut socket, &json!({"type": "done", "id": id})).await?,
            _ => say(&mut socket, &refused).await?,
        }
    }
    Some(())
}

/// Whether a connection is a question over HTTP, and not for a WebSocket.
async fn is_question(stream: &TcpStream) -> bool {
    let mut start = [0; 12];
    let methods: [&[u8]; 3] = [b"GET /api/", b"POST /api/", b"DELETE /api/"];
    stream
        .peek(&mut start)
        .await
        .is_ok_and(|_| methods.iter().any(|method| start.starts_with(method)))
}

/// Answers questions for finished games and accounts.
async fn answer_question(mut stream: TcpStream, way: Way) -> Option<()> {
    let player = json!({"member": "5d41402abc4b2a76", "name": HOSTILE});
    let game = json!({
        "id": "k7m2qpxw9abcdefg", "rules": {"variant": "freestyle", "size": [15, 15]},
        "visibility": "private", "first": player, "second": player, "black": "first",
        "started_at": 1, "ended_at": 2, "plies": 1,
        "outcome": {"reason": "resignation", "winner": "first"},
    });
    let (status, body) = match way {
        Way::Talks => {
            let account = json!({"id": "5d41402abc4b2a76", "name": HOSTILE, "made_at": 1});
            let place = json!({"place": 1, "member": "5d41402abc4b2a76", "name": HOSTILE,
                               "rating": 1500, "deviation": 50, "games": 30});
            let token = json!({"id": HOSTILE, "label": HOSTILE, "scopes": [HOSTILE], "made_at": 1, "expires_at": 2});
            let bot = json!({"id": HOSTILE, "name": "Zed", "tokens": [token]});
            let all = json!({"bots": [bot], "most": 8, "games": [game], "account": account, "sessions": [HOSTILE],
                             "recovery_codes_left": 8, "member": "5d41402abc4b2a76",
                             "name": HOSTILE, "made_at": 1, "ratings": [],
                             "pool": "renju/15/fast", "places": [place]});
            ("200 OK", all.to_string())
        }
        Way::Strange => ("200 OK", HOSTILE.to_owned()),
        _ => ("503 PWNED", json!({"reason": "busy", "text": HOSTILE}).to_string()),
    };
    drop(stream.read(&mut [0; 4096]).await);
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nSet-Cookie: fivefold=cd34\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all((head + &body).as_bytes()).await.ok()
}

/// Runs the program against a server with this behaviour; `words` receives its address.
async fn run_against(way: Way, words: impl Fn(&str) -> Vec<String>, folder: &Path) -> Printed {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let words = words(&format!("http://{}", listener.local_addr().unwrap()));
    let serving = tokio::spawn(async move {
        let mut is_first = true;
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, way, is_first));
            is_first = false;
        }
    });
    let folder = folder.to_owned();
    let printed = spawn_blocking(move || {
        run(&folder, &words, "h8\nsay x\n/block Ann\n/mute Ann\n/report Ann chat x\nboard\n")
    })
    .await
    .unwrap();
    serving.abort();
    printed
}

/// A folder with a hostile name, and hostile files in it.
struct Files {
    _root: TempDir,
    folder: std::path::PathBuf,
}

impl Files {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join(HOSTILE.replace('/', "_"));
        fs::create_dir_all(folder.join("settings")).unwrap();
        Self { _root: root, folder }
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.folder.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Valid and invalid games in every format.
    fn games(&self) -> Vec<String> {
        let h = HOSTILE;
        let cases = [
            ("names.sgf", format!("(;GM[4]SZ[15]PB[{h}]PW[{h}]DT[{h}]RE[{h}];B[hh];W[ii])")),
            ("rules.sgf", format!("(;GM[4]SZ[15]RU[{h}];B[hh])")),
            ("point.sgf", format!("(;GM[4]SZ[15];B[{h}])")),
            ("size.sgf", format!("(;GM[4]SZ[{h}];B[hh])")),
            ("game.sgf", format!("(;GM[{h}]SZ[15];B[hh])")),
            ("property.sgf", format!("(;GM[4]{h}[x];B[hh];B[hh])")),
            ("none.sgf", h.to_owned()),
            ("head.psq", format!("{h}\n8,8,100\n-1\n{h}\n{h}\n")),
            ("moves.psq", format!("Piskvorky 15x15, 11:11, 0\n8,8,{h}\n-1\n")),
            ("names.psq", format!("Piskvorky 15x15, 11:11, 0\n8,8,100\n9,9,100\n{h}\n{h}\n-1\n")),
            ("moves.txt", format!("h8 {h} i9")),
            ("twice.txt", "h8 h8".to_owned()),
            (
                "names.json",
                json!({"rules": {"variant": "freestyle", "size": [15, 15]}, "black": h, "white": h,
                       "date": h, "moves": [{"point": [7, 7]}]})
                .to_string(),
            ),
            ("field.json", json!({h: h}).to_string()),
            ("rules.json", json!({"rules": {"variant": h}, "moves": []}).to_string()),
            ("none.json", h.to_owned()),
            (h, h.to_owned()),
        ];
        let mut names: Vec<String> =
            cases.iter().map(|(name, text)| self.write(&name.replace('/', "_"), text)).collect();
        names.push(self.folder.join("missing.sgf").to_str().unwrap().to_owned());
        names
    }

    /// An engine that sends hostile replies.
    #[cfg(unix)]
    fn engine(&self, answer_to_start: &str) -> String {
        use std::os::unix::fs::PermissionsExt;

        let script = format!(
            "#!/bin/sh\nwhile read -r line; do case \"$line\" in\n\
             START*) printf 'MESSAGE %b\\nDEBUG %b\\n{answer_to_start}\\n' \"$0\" \"$0\";;\n\
             BEGIN*|DONE*) printf '7,7\\n';;\n\
             TURN*) printf 'ERROR PWNED\\033]0;x\\007\\302\\233\\342\\200\\256\\n';;\n\
             ABOUT*) printf 'name=\"PWNED\\033[2J\\342\\200\\256\"\\n';;\n\
             RESTART*) printf 'OK\\n';;\nesac; done\n"
        );
        let path = self.write(&format!("engine{}{HOSTILE}", answer_to_start.len()), &script);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
}

/// A word quoted for the shell.
fn quoted(word: &str) -> String {
    format!("'{word}'")
}

const ERROR: &str = "ERROR PWNED\\033]0;x\\007\\033[2J\\302\\233\\342\\200\\256";

/// Commands that use a server, and their arguments: `URL` stands for its address.
fn views(command: &str) -> &'static [&'static [&'static str]] {
    match command {
        "play" => &[
            &["--server", "URL", "--as", "black"],
            &["--server", "URL", "--json"],
            &["--server", "URL", "--guest"],
        ],
        "join" => &[&["URL/r/k7m2qpxw9abc"], &["URL/r/k7m2qpxw9abc", "--json"]],
        "watch" => &[
            &["URL/r/k7m2qpxw9abc"],
            &["URL/r/k7m2qpxw9abc", "--json"],
            &["--bots", "attack,attack", "--server", "URL"],
        ],
        "rooms" => &[&["--server", "URL"], &["--server", "URL", "--json"]],
        "seek" => &[
            &["gomoku-5-3", "--server", "URL"],
            &["gomoku-5-3", "--server", "URL", "--json"],
            &["--list", "--server", "URL"],
            &["--accept", "w3n7d5rjx2vp", "--server", "URL"],
        ],
        "challenge" => &[&["Bob", "--server", "URL"], &["Bob", "--server", "URL", "--json"]],
        "games" => &[&["--server", "URL"], &["--server", "URL", "--json"]],
        "player" => &[&[HOSTILE, "--server", "URL"], &["Ann", "--server", "URL", "--json"]],
        "leaderboard" => &[
            &["renju/15/fast", "--server", "URL"],
            &["renju/15/fast", "--server", "URL", "--json"],
        ],
        "close" => &[&["URL/r/k7m2qpxw9abc"]],
        "identity" => &[&["--server", "URL"], &["--server", "URL", "--replace"]],
        _ => &[],
    }
}

/// Runs a command against every kind of hostile server.
async fn against_servers(command: &str, files: &Files) -> String {
    let folder = &files.folder;
    let remote = |words: &'static [&'static str]| {
        let command = command.to_owned();
        move |url: &str| {
            let words = words.iter().map(|word| word.replace("URL", url));
            [command.clone()].into_iter().chain(words).collect::<Vec<String>>()
        }
    };
    let mut output = String::new();
    for words in views(command) {
        let all = WAYS.map(|way| run_against(way, remote(words), folder));
        for (way, printed) in WAYS.into_iter().zip(join_all(all).await) {
            assert!(!printed.0.is_empty(), "{command} {words:?} {way:?}");
            output.push_str(&printed.0);
        }
    }
    // Also with settings that cannot be parsed.
    files.write("settings/settings.json", &json!({"server": HOSTILE}).to_string());
    output.push_str(&run_against(Way::Talks, remote(views(command)[0]), folder).await.0);
    output
}

/// Signs in to an account at every kind of hostile server, or asks for it or leaves it there.
async fn with_account(command: &str, files: &Files) -> String {
    let mut output = String::new();
    for way in WAYS {
        let words = |url: &str| {
            let settings = json!({"sessions": {url: "fivefold=ab12"}});
            files.write("settings/settings.json", &settings.to_string());
            let words = match command {
                "login" | "block" | "unblock" | "friend" | "unfriend" | "answer" => {
                    &[command, "Ann"][..]
                }
                "token" => &["token", "list", "--bot", "Zed"],
                "bot" => &["bot", "list"],
                "plan" => &["plan", ROOM],
                other => &[other],
            };
            strings(&[words, &["--server", url]].concat())
        };
        let printed = run_against(way, words, &files.folder).await;
        assert!(!printed.0.is_empty(), "{command} {way:?}");
        assert!(!printed.0.contains("not signed in"), "{command} {way:?}: {}", printed.0);
        output.push_str(&printed.0);
    }
    output
}

/// Runs hostile engines in the rooms of hostile servers.
#[cfg(unix)]
async fn seat_engines(files: &Files) -> String {
    let mut output = String::new();
    for start in ["OK", ERROR, "PWNED"] {
        let engine = quoted(&files.engine(start));
        let words = |url: &str| {
            let link = format!("{url}/r/{ROOM}");
            strings(&["seat", &link, "--engine", &engine, "--start", "1", "--allow-root"])
        };
        let all = join_all(WAYS.map(|way| run_against(way, words, &files.folder))).await;
        all.iter().for_each(|printed| output.push_str(&printed.0));
        let words = |url: &str| {
            let pool = ["--seek", "gomoku-5-3", "--accept-challenges"];
            let engine =
                ["seat", "--engine", &engine, "--start", "1", "--allow-root", "--server", url];
            strings(&[&engine[..], &pool].concat())
        };
        // Other refusals are not for ever, and the engine stays.
        let ways = [Way::Http, Way::Garbage, Way::RefusesHello, Way::Strange, Way::Closes];
        let all = join_all(ways.map(|way| run_against(way, words, &files.folder))).await;
        all.iter().for_each(|printed| output.push_str(&printed.0));
    }
    output
}

/// Runs matches with hostile engines, names and openings.
fn match_engines(files: &Files) -> String {
    let run = |words: &[&str]| run(&files.folder, &strings(&[&["arena"], words].concat()), "").0;
    let mut output = String::new();
    #[cfg(unix)]
    for (start, json) in [("OK", &["--json"][..]), ("OK", &[]), (ERROR, &[])] {
        let engine = quoted(&files.engine(start));
        let words = [&[&*engine, "attack", "--games", "2", "--save", "games.jsonl"], json];
        output.push_str(&run(&words.concat()));
    }
    let openings = files.write(&format!("openings{HOSTILE}"), HOSTILE);
    output.push_str(&run(&["attack", "pattern", "--openings", &openings]));
    output + &run(&[&quoted(HOSTILE), "pattern"])
}

/// Reads hostile games.
fn read_games(command: &str, files: &Files) -> String {
    let run = |words: &[&str], input: &str| {
        run(&files.folder, &strings(&[&[command], words].concat()), input).0
    };
    let mut output = String::new();
    for game in files.games() {
        let missing = format!("missing/{}", HOSTILE.replace('/', "_"));
        let ways: &[&[&str]] = match command {
            "analyse" => &[&["--depth", "1"], &["--depth", "1", "--json"], &["--review"]],
            _ => &[
                &["--to", "sgf"],
                &["--to", "psq"],
                &["--to", "json"],
                &["--to", "moves"],
                &[&missing, "--to", "sgf"],
            ],
        };
        for how in ways {
            output.push_str(&run(&[&[&*game], *how].concat(), ""));
        }
    }
    match command {
        "analyse" => output + &run(&["h8", HOSTILE], "") + &run(&["-", "--depth", "1"], HOSTILE),
        _ => output + &run(&["--to", "sgf"], HOSTILE),
    }
}

/// Runs a command in every way against hostile servers, files and engines. Add each new command
/// here.
async fn check(command: &str) {
    let files = Files::new();
    let run = |words: &[&str], input: &str| {
        run(&files.folder, &strings(&[&[command], words].concat()), input).0
    };
    // A word that is neither an option nor an argument of the command.
    let option = format!("--{HOSTILE}");
    for words in [&[HOSTILE][..], &["--", HOSTILE], &[&option], &["--server", HOSTILE]] {
        run(words, "");
    }
    // Some commands have nothing to repeat.
    let quiet = "PWNED".to_owned();
    let output = match command {
        "play" | "join" | "watch" | "rooms" | "seek" | "challenge" | "games" | "close"
        | "identity" | "player" | "leaderboard" => against_servers(command, &files).await,
        "login" | "logout" | "whoami" | "block" | "unblock" | "blocks" | "bot" | "token"
        | "challenges" | "friends" | "friend" | "unfriend" | "answer" | "notes" | "plan"
        | "time-off" | "collections" => with_account(command, &files).await,
        #[cfg(unix)]
        "seat" => seat_engines(&files).await,
        #[cfg(not(unix))]
        "seat" => quiet,
        "arena" => match_engines(&files),
        "analyse" | "convert" => read_games(command, &files),
        "brain" => {
            run(&[], &format!("{HOSTILE}\nSTART {HOSTILE}\nSTART 15\nINFO rule {HOSTILE}\nBEGIN\n"))
        }
        "local" => {
            for view in ["--plain", "--json"] {
                run(&[view], &format!("{HOSTILE}\nsay {HOSTILE}\nh8\ni9\n"));
            }
            quiet
        }
        "completions" => {
            for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
                assert!(run(&[shell], "").len() > 1_000, "{shell}");
            }
            quiet
        }
        "man" => {
            assert!(run(&[], "").len() > 10_000);
            quiet
        }
        // The engine's output goes through unchanged, to the program that started it.
        "run-engine" => run(&["--hide", HOSTILE, "--", HOSTILE], "") + &quiet,
        other => {
            panic!("what hostile servers, files and engines could do to {other} is not tested")
        }
    };
    assert!(output.contains("PWNED"), "{command}: nothing hostile was printed at all");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_command_prints_what_a_terminal_would_obey() {
    let cli = Cli::command();
    for command in cli.get_subcommands() {
        check(command.get_name()).await;
    }
    let files = Files::new();
    run(&files.folder, &strings(&[HOSTILE]), "");
    run(&files.folder, &strings(&["help", HOSTILE]), "");
}
