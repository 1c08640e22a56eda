//! Tests signing in and out from the terminal.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
};

use fivefold::server::{
    http_request::{HttpRequest, Key},
    session_cookie::SessionCookie,
};
use fivefold_tests::{Server, program};
use serde_json::{Value, json};

pub(crate) const PASSWORD: &str = "quince lantern orbit";

/// What a run of the client ends with.
pub(crate) struct Run {
    pub(crate) done: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `fivefold ARGUMENTS` to its end, with this on standard input.
pub(crate) fn run(server: &Server, settings: &Path, arguments: &[&str], typed: &str) -> Run {
    let mut child = Command::new(program("fivefold"))
        .args(arguments)
        .args(["--server", &server.url()])
        .env("FIVEFOLD_CONFIG_DIR", settings)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the client runs");
    let mut stdin = child.stdin.take().expect("piped");
    // A client that reads no input may have ended.
    drop(stdin.write_all(typed.as_bytes()));
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    Run { done: output.status.success(), stdout, stderr }
}

pub(crate) fn session_in(folder: &Path, server: &Server) -> Option<SessionCookie> {
    let text = fs::read_to_string(folder.join("settings.json")).expect("settings");
    let settings: Value = serde_json::from_str(&text).expect("JSON");
    let cookie = settings["sessions"][server.url()].as_str()?;
    Some(SessionCookie::set_by(cookie).expect("a session's cookie"))
}

pub(crate) async fn sign_up(server: &Server, name: &str) {
    let request = HttpRequest {
        method: "POST".parse().expect("a method"),
        path: "/api/account",
        key: Key::None,
        body: Some(json!({"name": name, "password": PASSWORD})),
    };
    let address = server.url().parse().expect("an address");
    request.send(&address, None).await.expect("an account");
}

/// Whether a session still opens its account.
async fn opens(server: &Server, session: &SessionCookie) -> bool {
    let address = server.url().parse().expect("an address");
    HttpRequest::get("/api/account", Key::Account(session)).send(&address, None).await.is_ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_plays_from_the_terminal() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path();
    sign_up(&server, "Annika").await;

    let nobody = run(&server, settings, &["whoami"], "");
    assert!(!nobody.done && nobody.stderr.contains("not signed in"), "{}", nobody.stderr);
    let wrong = run(&server, settings, &["login", "Annika"], "not this password\n");
    assert!(!wrong.done && wrong.stderr.contains("is wrong"), "{}", wrong.stderr);
    let login = run(&server, settings, &["login", "annika"], &format!("{PASSWORD}\n"));
    assert!(login.done && login.stderr.contains("signed in as Annika"), "{}", login.stderr);
    let session = session_in(settings, &server).expect("it is kept");
    let kept = fs::read_to_string(settings.join("settings.json")).unwrap();
    assert!(!kept.contains(PASSWORD), "{kept}");

    let whoami = run(&server, settings, &["whoami"], "");
    assert!(whoami.done && whoami.stdout == "Annika\n", "{}", whoami.stdout);
    let identity = run(&server, settings, &["identity"], "");
    assert!(identity.stderr.starts_with("You are Annika ("), "{}", identity.stderr);
    let replaced = run(&server, settings, &["identity", "--replace"], "");
    assert!(!replaced.done && replaced.stderr.contains("no identity"), "{}", replaced.stderr);
    let games = run(&server, settings, &["games"], "");
    assert!(games.done && games.stderr.contains("no games"), "{}", games.stderr);

    // Signing in again leaves no session behind.
    let again = run(&server, settings, &["login", "Annika"], &format!("{PASSWORD}\n"));
    assert!(again.done, "{}", again.stderr);
    let fresh = session_in(settings, &server).expect("it is kept");
    assert!(!opens(&server, &session).await && opens(&server, &fresh).await);

    let logout = run(&server, settings, &["logout"], "");
    assert!(logout.done && session_in(settings, &server).is_none(), "{}", logout.stderr);
    assert!(!opens(&server, &fresh).await);
    let guest = run(&server, settings, &["identity"], "");
    assert!(guest.stderr.starts_with("You are Guest "), "{}", guest.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_ended_elsewhere_is_reported() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path();
    sign_up(&server, "Bertil").await;
    let login = run(&server, settings, &["login", "Bertil"], &format!("{PASSWORD}\n"));
    assert!(login.done, "{}", login.stderr);
    let session = session_in(settings, &server).expect("it is kept");
    let ending = HttpRequest {
        method: "DELETE".parse().expect("a method"),
        path: "/api/session",
        key: Key::Account(&session),
        body: None,
    };
    ending.send(&server.url().parse().unwrap(), None).await.expect("it ends");

    for command in ["rooms", "whoami"] {
        let refused = run(&server, settings, &[command], "");
        assert!(!refused.done && refused.stderr.contains("`fivefold login`"), "{}", refused.stderr);
    }
    let logout = run(&server, settings, &["logout"], "");
    assert!(logout.done, "{}", logout.stderr);
    assert!(run(&server, settings, &["rooms"], "").done);
}

/// Asks over HTTP in a session; panics if the server refuses.
pub(crate) async fn ask(
    server: &Server,
    session: &SessionCookie,
    path: &str,
    body: Value,
) -> Value {
    let key = Key::Account(session);
    let method = "POST".parse().expect("a method");
    let request = HttpRequest { method, path, key, body: Some(body) };
    let address = server.url().parse().expect("an address");
    let answer = request.send(&address, None).await.expect("it is done");
    answer.json().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_in_by_a_code_and_playing_by_a_token() {
    let server = Server::start();
    let (page, here) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    sign_up(&server, "Annika").await;
    let login = run(&server, page.path(), &["login", "Annika"], &format!("{PASSWORD}\n"));
    assert!(login.done, "{}", login.stderr);
    let session = session_in(page.path(), &server).expect("it is kept");

    // The client shows a code, and waits for the page.
    let mut child = Command::new(program("fivefold"))
        .args(["login", "--server", &server.url()])
        .env("FIVEFOLD_CONFIG_DIR", here.path())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the client runs");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let mut line = || lines.next().expect("a line").expect("text");
    assert!(line().contains("/#device"));
    let shown = line();
    let code = shown.rsplit(' ').next().expect("a word").to_owned();
    let found = ask(&server, &session, "/api/device/find", json!({"user_code": code})).await;
    assert_eq!(found["address"], "127.0.0.1", "{found}");
    let yes = json!({"user_code": code, "allow": true});
    ask(&server, &session, "/api/device/answer", yes).await;
    assert!(line().contains("signed in as Annika"));
    assert!(child.wait().expect("it ends").success());
    let whoami = run(&server, here.path(), &["whoami"], "");
    assert_eq!(whoami.stdout, "Annika\n", "{}", whoami.stderr);

    // This device has used no key, so a token asks for one.
    let new = ["token", "new", "--scope", "play", "--scope", "watch", "--label", "bot"];
    let made = run(&server, here.path(), &new, &format!("{PASSWORD}\n"));
    assert!(made.done && made.stdout.starts_with("ff_"), "{}", made.stderr);
    let list = run(&server, here.path(), &["token", "list"], "");
    let row: Vec<_> = list.stdout.split_whitespace().collect();
    assert!(row[1] == "bot" && row[4..] == ["play", "watch"], "{}", list.stdout);
    let by_token = |token: &str, words: &[&str]| {
        let output = Command::new(program("fivefold"))
            .args(words)
            .args(["--server", &server.url()])
            .env("FIVEFOLD_CONFIG_DIR", tempfile::tempdir().unwrap().path())
            .env("FIVEFOLD_TOKEN", token)
            .output()
            .expect("the client runs");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let token = made.stdout.trim_end();
    let identity = by_token(token, &["identity"]);
    assert!(identity.starts_with("You are Annika ("), "{identity}");
    let mistyped = by_token(&token[1..], &["identity"]);
    assert!(mistyped.contains("FIVEFOLD_TOKEN"), "{mistyped}");
    let id = list.stdout.split(' ').next().expect("an id").to_owned();
    assert!(run(&server, here.path(), &["token", "end", &id], "").done);
    let ended = by_token(token, &["identity"]);
    assert!(ended.contains("not valid"), "{ended}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_people_become_friends_from_the_terminal() {
    let server = Server::start();
    let folders = ["Annika", "Bertil"].map(|name| (name, tempfile::tempdir().unwrap()));
    for (name, folder) in &folders {
        sign_up(&server, name).await;
        let login = run(&server, folder.path(), &["login", name], &format!("{PASSWORD}\n"));
        assert!(login.done, "{}", login.stderr);
    }
    let [annika, bertil] = folders.each_ref().map(|(_, folder)| folder.path());
    let guest = tempfile::tempdir().unwrap();
    let refused = run(&server, guest.path(), &["friends"], "");
    assert!(!refused.done && refused.stderr.contains("not signed in"), "{}", refused.stderr);

    let none = run(&server, annika, &["friends"], "");
    assert!(none.done && none.stderr.contains("no friends"), "{}", none.stderr);
    let nobody = run(&server, annika, &["friend", "Nobody"], "");
    assert!(!nobody.done && nobody.stderr.contains("Nobody has an account"), "{}", nobody.stderr);
    let asked = run(&server, annika, &["friend", "bertil"], "");
    assert!(asked.done && asked.stderr.contains("You have asked bertil."), "{}", asked.stderr);
    let list = run(&server, bertil, &["friends"], "");
    assert_eq!(list.stdout, "asks you  Annika\n");
    assert!(list.stderr.contains("`fivefold friend Annika` accepts"), "{}", list.stderr);
    let accepted = run(&server, bertil, &["friend", "Annika"], "");
    assert!(accepted.stderr.contains("You and Annika are friends."), "{}", accepted.stderr);
    let json = run(&server, annika, &["friends", "--json"], "");
    let line: Value = serde_json::from_str(&json.stdout).expect("one line");
    let found = (&line["type"], &line["name"], &line["standing"], &line["online"]);
    assert_eq!(found, (&json!("friend"), &json!("Bertil"), &json!("friends"), &json!(false)));
    let set = run(&server, bertil, &["friends", "--online-to", "nobody"], "");
    assert!(set.done && set.stderr.contains("Nobody sees"), "{}", set.stderr);
    let list = run(&server, bertil, &["friends"], "");
    assert!(list.stderr.contains("Nobody sees"), "{}", list.stderr);
    let left = run(&server, annika, &["challenge", "Bertil", "--time", "3d"], "");
    assert!(left.done && left.stderr.contains("for up to 14 days"), "{}", left.stderr);
    let list = run(&server, bertil, &["friends"], "");
    assert_eq!(list.stdout, "offline   Annika  (challenges you: 3d)\n");
    let declined = run(&server, annika, &["answer", "Bertil", "--decline"], "");
    assert!(declined.done, "{}", declined.stderr);
    let nothing = run(&server, bertil, &["answer", "Annika"], "");
    assert!(!nothing.done && nothing.stderr.contains("no longer on offer"), "{}", nothing.stderr);
    run(&server, annika, &["challenge", "Bertil", "--time", "1d", "--opening", "free"], "");
    let accepted = run(&server, bertil, &["answer", "Annika"], "");
    assert!(accepted.done && accepted.stdout.contains("/r/"), "{}", accepted.stderr);
    let games = run(&server, annika, &["games"], "");
    let room = accepted.stdout.trim().rsplit('/').next().expect("a code");
    assert!(games.stdout.contains(room), "{}", games.stdout);
    let noted = run(&server, annika, &["notes", room, "watch k6"], "");
    assert!(noted.done && noted.stderr.contains("Only you see it."), "{}", noted.stderr);
    let list = run(&server, annika, &["notes"], "");
    assert_eq!(list.stdout, format!("{room}  watch k6\n"));
    let read = run(&server, annika, &["notes", accepted.stdout.trim(), "-"], "a fork\nat j7\n");
    assert!(read.done, "{}", read.stderr);
    assert_eq!(run(&server, annika, &["notes", room], "").stdout, "a fork\nat j7\n");
    let json = run(&server, annika, &["notes", "--json"], "");
    let line: Value = serde_json::from_str(&json.stdout).expect("one line");
    let found = (&line["type"], &line["text"], &line["link"]);
    assert_eq!(found, (&json!("note"), &json!("a fork\nat j7"), &json!(accepted.stdout.trim())));
    assert!(run(&server, bertil, &["notes", room], "").stderr.contains("no note about this"));
    assert!(run(&server, annika, &["notes", room, "--delete"], "").done);
    assert!(run(&server, annika, &["notes"], "").stderr.contains("You have no notes"));
    plans_replies(&server, [annika, bertil], room);
    let ended = run(&server, bertil, &["unfriend", "annika"], "");
    assert!(
        ended.done && ended.stderr.contains("no friends any more: Annika."),
        "{}",
        ended.stderr
    );
    let twice = run(&server, bertil, &["unfriend", "annika"], "");
    assert!(!twice.done && twice.stderr.contains("Say who"), "{}", twice.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_read_what_became_of_friends_and_challenges() {
    let server = Server::start();
    let folders = ["Annika", "Bertil"].map(|name| (name, tempfile::tempdir().unwrap()));
    for (name, folder) in &folders {
        sign_up(&server, name).await;
        let login = run(&server, folder.path(), &["login", name], &format!("{PASSWORD}\n"));
        assert!(login.done, "{}", login.stderr);
    }
    let [annika, bertil] = folders.each_ref().map(|(_, folder)| folder.path());
    // The one line that a command writes once it is done.
    let says = |folder, words: &[&str]| {
        let done = run(&server, folder, &[words, &["--json"]].concat(), "");
        assert!(done.done && done.stderr.is_empty(), "{words:?}: {}", done.stderr);
        let line: Value = serde_json::from_str(&done.stdout).expect("one line");
        line
    };
    let friendship = |name: &str, standing: Value| json!({"type": "friendship", "name": name, "standing": standing});
    assert_eq!(says(annika, &["friend", "Bertil"]), friendship("Bertil", json!("asked")));
    assert_eq!(says(bertil, &["friend", "Annika"]), friendship("Annika", json!("friends")));
    let online = says(bertil, &["friends", "--online-to", "nobody"]);
    assert_eq!(online, json!({"type": "online_to", "to": "nobody"}));

    let challenge = ["challenge", "Bertil", "--time", "3d", "--opening", "free"];
    let waits = says(annika, &challenge);
    assert_eq!((&waits["type"], &waits["name"]), (&json!("challenge_waits"), &json!("Bertil")));
    assert_eq!(waits["time"], json!({"type": "daily", "move_ms": 259_200_000}));
    let over = says(bertil, &["answer", "Annika", "--decline"]);
    assert_eq!((&over["type"], &over["name"]), (&json!("challenge_over"), &json!("Annika")));
    says(annika, &challenge);
    let accepted = says(bertil, &["answer", "Annika"]);
    let [room, link] = ["room", "link"].map(|key| accepted[key].as_str().expect("a text"));
    assert_eq!(accepted["type"], "challenge_accepted");
    assert_eq!(link, format!("{}/r/{room}", server.url()));
    let own = run(&server, annika, &["games", "--json"], "");
    let own: Value = serde_json::from_str(&own.stdout).expect("one line");
    assert_eq!(own["room"], json!(room));
    assert!(own["due"].is_u64(), "{own}");

    assert_eq!(says(annika, &["unfriend", "Bertil"]), friendship("Bertil", Value::Null));
}

/// Whoever is not on turn in a new game plans a reply.
fn plans_replies(server: &Server, players: [&Path; 2], room: &str) {
    for player in players {
        let none = run(server, player, &["plan", room], "");
        assert!(none.done && none.stdout.is_empty(), "{}", none.stdout);
        assert!(none.stderr.contains("You have planned nothing"), "{}", none.stderr);
        let wrong = run(server, player, &["plan", room, "h8 z99"], "");
        assert!(!wrong.done && wrong.stderr.contains("\"z99\""), "{}", wrong.stderr);
    }
    let lines = ["h8 h9 a1 a2", "h7 h9"];
    let tries = players.map(|player| run(server, player, &["plan", room, lines[0], lines[1]], ""));
    let Some(at) = tries.iter().position(|planned| planned.done) else {
        panic!("{} {}", tries[0].stderr, tries[1].stderr)
    };
    assert_eq!(tries[at].stdout, "h8 h9 a1 a2\nh7 h9\n");
    let refused = &tries[1 - at];
    assert!(!refused.done && refused.stderr.contains("It is your turn"), "{}", refused.stderr);
    let json = run(server, players[at], &["plan", room, "--json"], "");
    let line: Value = serde_json::from_str(&json.stdout).expect("one line");
    assert_eq!((&line["type"], &line["ply"]), (&json!("conditional_moves"), &json!(0)));
    let none = run(server, players[at], &["plan", room, "--delete"], "");
    assert!(none.done && none.stdout.is_empty(), "{}", none.stderr);
}
