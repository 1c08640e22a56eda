//! The audit log of the real program: who tried to open an account, and what operators did.

use serde_json::{Value, json};

use crate::program::{Program, Setting, command};

/// Ann signs up; some sign in as her, or try to; and an operator acts, on the page and by command.
async fn events(settings: &[Setting<'_>]) -> (Vec<String>, String) {
    let server = Program::start(settings);
    let ask = async |what: &str, body: Value| server.ask(what, "", &body).await;
    let ann = json!({"name": "Ann", "password": "correct horse"});
    let (status, head, _) = ask("POST /api/account", ann.clone()).await;
    assert_eq!(status, 201, "{head}");
    let bob = json!({"name": "Bob", "password": "correct horse"});
    assert_eq!(ask("POST /api/account", bob).await.0, 201);
    let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().unwrap());
    assert_eq!(ask("POST /api/session", ann).await.0, 200);
    let wrong = json!({"name": "ann", "password": "wrong donkey"});
    assert_eq!(ask("POST /api/session", wrong).await.0, 403);
    // Typed into the wrong field.
    let mixed_up = json!({"name": "correct horse", "password": "Ann Ann Ann"});
    assert_eq!(ask("POST /api/session", mixed_up).await.0, 403);
    let code = json!({"name": "Ann", "password": "another horse", "code": "abcd-efgh-ijkl-mnop"});
    assert_eq!(ask("POST /api/recovery", code).await.0, 403);
    let password = json!({"password": "wrong donkey", "new_password": "another horse"});
    assert_eq!(server.ask("POST /api/account/password", &cookie, &password).await.0, 403);

    let data = server.data();
    let run = |arguments: &[&str]| {
        let ended = command().args(arguments).arg("--data").arg(&data).output().unwrap();
        let text = String::from_utf8(ended.stderr).unwrap();
        assert!(ended.status.success(), "{text}");
        (String::from_utf8(ended.stdout).unwrap(), text)
    };
    let mut by_command = run(&["operator", "Ann"]).1;
    by_command += &run(&["moderate", "warn", "Bob", "--reason", "Be kind"]).1;
    by_command += &run(&["moderate"]).1;
    let bob = member_of(&run, "Bob");
    let path = format!("POST /api/moderation/people/{bob}");
    let mute = json!({"kind": "mute", "reason": "Insults", "days": 1});
    let answer = server.ask(&path, &cookie, &mute).await;
    assert_eq!(answer.0, 204, "{answer:?}");
    let (ended, log) = server.stop().await;
    assert!(ended.success());
    for secret in ["correct horse", "wrong donkey", "another horse", "abcd-efgh"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
    let audit = |line: &&str| line.contains(" audit: ");
    let after = |line: &str| line.split_once(" audit: ").unwrap().1.replace(&bob, "BOB");
    let commands = by_command.lines().filter(audit).map(after).collect::<Vec<_>>().join("\n");
    (log.lines().filter(audit).map(after).collect(), commands)
}

/// The id of a person, as `show` prints it.
fn member_of(run: &impl Fn(&[&str]) -> (String, String), name: &str) -> String {
    let shown = run(&["moderate", "show", name]).0;
    let words = shown.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.into_iter().find(|word| word.len() > 15).unwrap_or_else(|| panic!("{shown}")).to_owned()
}

#[tokio::test]
async fn each_try_and_each_act_is_a_line() {
    let (lines, commands) = events(&[("log-addresses", "full")]).await;
    let expected = [
        r#"sign_up result=done account="Ann" address=127.0.0.1"#,
        r#"sign_up result=done account="Bob" address=127.0.0.1"#,
        r#"sign_in result=done account="Ann" address=127.0.0.1"#,
        r#"sign_in result=wrong_password account="Ann" address=127.0.0.1"#,
        "sign_in result=wrong_password address=127.0.0.1",
        r#"recovery result=wrong_code account="Ann" address=127.0.0.1"#,
        r#"confirm result=wrong_password account="Ann" address=127.0.0.1"#,
        r#"operator result=done account="Ann" what="mute people/BOB" address=127.0.0.1"#,
    ];
    assert_eq!(lines, expected);
    let commands: Vec<_> = commands.lines().collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    assert!(commands[0].starts_with("operator result=done account=\"command line"), "{commands:?}");
    assert!(commands[0].ends_with("what=\"operator Ann\""), "{commands:?}");
    assert!(commands[1].ends_with("what=\"moderate warn Bob\""), "{commands:?}");
}

#[tokio::test]
async fn addresses_are_networks_by_default_and_can_be_left_out() {
    let (lines, _) = events(&[]).await;
    assert!(lines.iter().all(|line| line.ends_with(" address=127.0.0.0/24")), "{lines:?}");
    let (lines, _) = events(&[("log-addresses", "off")]).await;
    assert!(lines.len() == 8 && !lines.concat().contains("127.0.0"), "{lines:?}");
}
