//! Tests replacing a leaked identity from the terminal.

use std::{fs, path::Path, process::Command};

use fivefold_shared::protocol::Identity;
use fivefold_tests::{Guest, Server, private, program};
use serde_json::{Value, json};

use crate::freestyle;

/// Runs `fivefold identity ARGUMENTS` to its end; returns whether it succeeded, and its output.
fn identity(server: &Server, settings: &Path, arguments: &[&str]) -> (bool, String) {
    let run = Command::new(program("fivefold"))
        .arg("identity")
        .args(["--server", &server.url()])
        .args(arguments)
        .env("FIVEFOLD_CONFIG_DIR", settings)
        .output()
        .expect("the client runs");
    (run.status.success(), String::from_utf8_lossy(&run.stderr).into_owned())
}

fn settings_in(folder: &Path) -> Value {
    let text = fs::read_to_string(folder.join("settings.json")).expect("settings");
    serde_json::from_str(&text).expect("JSON")
}

fn secret_in(folder: &Path, field: &str, server: &Server) -> Option<Identity> {
    let secret = settings_in(folder)[field][server.url()].as_str()?.to_owned();
    Some(Identity::try_from(secret).expect("an identity"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leaked_identity_is_replaced_by_a_command() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path();
    let (done, first) = identity(&server, settings, &[]);
    assert!(done && first.starts_with("You are Guest "), "{first}");
    let leaked = secret_in(settings, "identities", &server).expect("it is kept");
    let mut ann = Guest::back(&server, &leaked, "Ann").await;
    ann.create(private(freestyle())).await;

    let (done, said) = identity(&server, settings, &["--replace"]);
    assert!(done && said.contains("Replaced."), "{said}");
    let fresh = secret_in(settings, "identities", &server).expect("it is kept");
    assert!(fresh != leaked && secret_in(settings, "next", &server).is_none());
    let id = |said: &str| said.split(['(', ')']).nth(1).map(str::to_owned);
    let (done, said) = identity(&server, settings, &[]);
    assert!(done && said.starts_with("You are Ann "), "{said}");
    assert_eq!(id(&said), id(&first));

    // Both secrets are stored if the answer was lost or the program was killed before it.
    let mut lost = settings_in(settings);
    lost["identities"] = json!({server.url(): leaked});
    lost["next"] = json!({server.url(): fresh});
    fs::write(settings.join("settings.json"), lost.to_string()).unwrap();
    let (done, said) = identity(&server, settings, &[]);
    assert!(done && id(&said) == id(&first), "{said}");
    assert_eq!(secret_in(settings, "identities", &server), Some(fresh));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_deletes_themselves_by_a_command() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path();
    let id = |said: &str| said.split(['(', ')']).nth(1).map(str::to_owned);
    let (_, first) = identity(&server, settings, &["--name", "Ann"]);
    let secret = secret_in(settings, "identities", &server).expect("it is kept");
    let mut ann = Guest::back(&server, &secret, "Ann").await;
    ann.create(private(freestyle())).await;

    // Without an answer, or with another one, nothing happens.
    let (done, said) = identity(&server, settings, &["--delete"]);
    assert!(!done && said.contains("no answer"), "{said}");
    assert_eq!(secret_in(settings, "identities", &server).as_ref(), Some(&secret));
    let (done, said) = identity(&server, settings, &["--yes"]);
    assert!(!done && said.contains("--delete"), "{said}");

    let (done, said) = identity(&server, settings, &["--delete", "--yes"]);
    assert!(done && said.contains("Deleted."), "{said}");
    assert_eq!(secret_in(settings, "identities", &server), None);
    let (done, next) = identity(&server, settings, &[]);
    assert!(done && id(&next) != id(&first), "{next}");
    // The deleted identity opens nothing.
    let mut old = settings_in(settings);
    old["identities"] = json!({server.url(): secret});
    fs::write(settings.join("settings.json"), old.to_string()).unwrap();
    let (done, said) = identity(&server, settings, &[]);
    assert!(!done && said.contains("replaced"), "{said}");
}
