//! The log of the real program at its most detailed level: its lines, and the secrets that it never
//! contains.

use fivefold_shared::protocol::Message;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::client_async;

use crate::{
    harness::Client,
    program::{Program, command},
};

#[tokio::test]
async fn secrets_are_never_logged() {
    let program = Program::start(&[("log", "trace"), ("log-format", "json")]);
    let address = &program.address();
    // As the lines of the log.
    let greeting: Value = serde_json::from_str(&program.greeting).unwrap();
    assert_eq!(
        greeting["fields"]["url"],
        format!("http://{}/", address.replace("127.0.0.1", "localhost"))
    );
    assert_eq!(greeting["level"], "INFO");

    let connect = || async {
        let stream = TcpStream::connect(address).await.unwrap();
        Client::new(client_async(format!("ws://{address}/ws"), stream).await.unwrap().0)
    };
    let mut ann = connect().await;
    let welcome = ann.ask(json!({"type": "hello", "protocol": 1, "name": "Ann"})).await;
    let Message::Welcome { identity: Some(identity), .. } = welcome else { panic!("no identity") };
    let mut again = connect().await;
    again.ask(json!({"type": "hello", "protocol": 1, "identity": identity})).await;
    let mut bob = connect().await;
    bob.hello("Bob").await;
    let room = ann.create(json!(["me", "open"])).await;
    bob.join(&room).await;
    bob.ask(json!({"type": "sit", "room": room})).await;
    for ply in 0..9 {
        let mover = if ply % 2 == 0 { &mut ann } else { &mut bob };
        let point = json!([ply / 2, ply % 2]);
        let play = json!({"type": "play", "room": room, "ply": ply, "point": point});
        assert!(matches!(mover.ask(play).await, Message::Done { .. }));
    }
    let (status, log) = program.stop().await;
    assert!(status.success());

    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ended = lines.iter().find(|line| line["fields"]["message"] == "a game ends").unwrap();
    assert_eq!(ended["fields"]["room.id"], room.as_str());
    let identity = serde_json::to_value(&identity).unwrap();
    assert!(!log.contains(identity.as_str().unwrap()));
}

#[test]
fn a_level_that_does_not_exist_is_refused_with_those_that_do() {
    for (filter, refused) in [("verbose", true), ("fivefold_server", true), ("warning", false)] {
        let folder = tempfile::tempdir().unwrap();
        let check =
            command().args(["--log", filter, "check", "--data"]).arg(folder.path()).output();
        let text = String::from_utf8(check.unwrap().stderr).unwrap();
        assert_eq!(text.contains("error, warn, info, debug or trace"), refused, "{filter}: {text}");
    }
}
