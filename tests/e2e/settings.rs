//! Tests the settings of the real program: `config check`, `config show`, and what SIGHUP changes.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use fivefold_tests::{PATIENCE, Server, program};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::Instant,
};

/// Runs the program with a password in a variable.
fn run(words: &[&str]) -> Output {
    let mut server = Command::new(program("fivefold-server"));
    server.args(words).env("FIVEFOLD_OIDC_SECRET", "s3cret").env_remove("FIVEFOLD_CONFIG");
    server.output().expect("the program runs")
}

#[test]
fn the_settings_are_checked_and_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        fs::write(&path, content).expect("the file can be written");
        path.to_str().expect("plain").to_owned()
    };
    let url = file("url", "smtps://me:s3cret@mail.example\n");
    let good = file(
        "good.toml",
        &format!(
            "smtp-file = '{url}'\nmail-from = 'news@play.example'\npublic-url = 'https://play.example'\n\
             oidc-issuer = 'https://login.example'\noidc-client = 'fivefold'\nin-memory = true\n"
        ),
    );
    let bad = file("bad.toml", "rooms = 0\n  smtp = 's3cret'\ntls-cert = 'none.pem'\n");

    let checked = run(&["config", "check", &good]);
    let said = String::from_utf8(checked.stdout).expect("plain");
    assert!(checked.status.success() && checked.stderr.is_empty(), "{said}");
    assert_eq!(said, "The settings are valid: 7 are set, the others have their defaults.\n");

    let checked = run(&["config", "check", &bad]);
    assert_eq!(checked.status.code(), Some(1));
    let said = String::from_utf8(checked.stdout).expect("plain");
    let starts = [
        format!("rooms ({bad}:1:1): give a number"),
        format!("smtp ({bad}:2:3): give smtps://"),
        format!("smtp ({bad}:2:3) needs the setting mail-from, too"),
        format!("smtp ({bad}:2:3) needs the setting public-url, too"),
        format!("tls-cert ({bad}:3:1) needs the setting tls-key, too"),
        "the variable FIVEFOLD_OIDC_SECRET needs the setting oidc-issuer, too".to_owned(),
    ];
    for start in &starts {
        assert!(said.lines().any(|line| line.starts_with(start)), "{start}: {said}");
    }
    assert_eq!(said.lines().count(), starts.len(), "{said}");
    assert!(!said.contains("s3cret"), "{said}");

    let shown = run(&["--config", &good, "--log", "warn", "config", "show"]);
    assert!(shown.status.success() && shown.stderr.is_empty());
    let said = String::from_utf8(shown.stdout).expect("plain");
    for line in [
        &*format!("smtp-file = \"{url}\" # {good}:1:1"),
        &*format!("in-memory = true # {good}:6:1"),
        "# oidc-secret: (hidden) # FIVEFOLD_OIDC_SECRET",
        "log = \"warn\" # --log",
        "# rooms = 100000 # default",
    ] {
        assert!(said.lines().any(|shown| shown == line), "{line}: {said}");
    }
    assert!(!said.contains("s3cret"), "{said}");
    let again = file("again.toml", &said);
    assert!(run(&["config", "check", &again]).status.success());

    let refused = run(&["--config", &bad, "config", "show"]);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0));
    let said = String::from_utf8(refused.stderr).expect("plain");
    assert!(said.contains(&starts[0]) && !said.contains("s3cret"), "{said}");
}

/// The status with which the server answers a page of this origin that opens a socket.
async fn opened_from(server: &Server, origin: &str) -> String {
    let mut stream = TcpStream::connect(server.address()).await.expect("it listens");
    let request = format!(
        "GET /ws HTTP/1.1\r\nHost: test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nOrigin: {origin}\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.expect("it reads");
    let mut status = vec![0; "HTTP/1.1 101".len()];
    stream.read_exact(&mut status).await.expect("it answers");
    String::from_utf8(status).expect("plain").split_off("HTTP/1.1 ".len())
}

/// Writes the settings, lets the server read them, and waits until this is logged once more.
async fn read_again(
    server: &Server,
    file: &Path,
    content: &str,
    log: &Path,
    awaited: &str,
) -> String {
    let logged = || fs::read_to_string(log).expect("a log");
    let before = logged().matches(awaited).count();
    fs::write(file, content).expect("the file can be written");
    server.hang_up();
    let begin = Instant::now();
    loop {
        let text = logged();
        if text.matches(awaited).count() > before {
            return text;
        }
        assert!(begin.elapsed() < PATIENCE, "{awaited} is not logged: {text}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_hangup_has_the_settings_read_again_and_a_broken_file_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let [file, log] = ["fivefold.toml", "log"].map(|name| folder.path().join(name));
    let path = file.to_str().expect("plain");
    fs::write(&file, "log = 'error'\n").expect("the file can be written");
    let server = Server::start_with_log(&log, &[("config", path)]);
    let page = "https://club.example";
    assert_eq!(opened_from(&server, page).await, "403");

    let content = "log = 'info'\nallow-origin = ['https://club.example']\nsessions = 7\n";
    let logged = read_again(&server, &file, content, &log, "only after a restart").await;
    let line = logged.lines().find(|line| line.contains("the settings are read again"));
    let line = line.expect("info is logged now");
    assert!(line.contains("log, allow-origin"), "{line}");
    let line = logged.lines().find(|line| line.contains("only after a restart")).expect("a line");
    assert!(line.contains("WARN") && line.contains("\"sessions\""), "{line}");
    assert_eq!(opened_from(&server, page).await, "101");

    let content = "log = 'off'\nallow-origin = 'club.example'\nroms = 5\nsmtp = 's3cret'\n";
    let logged = read_again(&server, &file, content, &log, "needs the setting public-url").await;
    for place in
        [format!("{path}:3:1: there is no setting roms"), format!("allow-origin ({path}:2:1)")]
    {
        assert!(logged.contains(&place), "{place}: {logged}");
    }
    assert!(!logged.contains("s3cret"), "{logged}");
    assert_eq!(opened_from(&server, page).await, "101");

    // A second time, too, as the first one has changed nothing.
    let logged = read_again(&server, &file, "log = 'warn\n", &log, "stay in effect").await;
    assert!(logged.contains(&format!("{path}:1:")), "{logged}");
    read_again(&server, &file, "log = 'info'\n", &log, "the settings are read again").await;
    assert_eq!(opened_from(&server, page).await, "403");
}
