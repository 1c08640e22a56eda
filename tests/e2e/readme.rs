//! Tests that the README's commands do what it promises.

use std::{path::Path, process::Command};

use fivefold_tests::{Client, Server, program};

use crate::FIVE;

const README: &str = include_str!("../../README.md");

/// The lines after `$ ` in the README's console blocks.
fn commands() -> Vec<&'static str> {
    let blocks = README.split("```").skip(1).step_by(2);
    let consoles = blocks.filter_map(|block| block.strip_prefix("console\n"));
    consoles.flat_map(str::lines).filter_map(|line| line.strip_prefix("$ ")).collect()
}

/// The arguments of the README's command with this beginning, with its link replaced by a real one.
fn arguments(beginning: &str, link: &str) -> Vec<String> {
    let command = commands().into_iter().find(|command| command.starts_with(beginning));
    let words = command.expect("a command of the README").split(' ').skip(1);
    words.map(|word| if word.contains("/r/") { link } else { word }.to_owned()).collect()
}

#[test]
fn every_command_is_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let commands = commands();
    assert!(commands.len() >= 10, "{commands:?}");
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        match words.as_slice() {
            ["fivefold", arguments @ ..] => {
                let help = Command::new(program("fivefold")).args(arguments).arg("--help").output();
                let help = help.expect("the client runs");
                let stderr = String::from_utf8_lossy(&help.stderr);
                assert!(help.status.success(), "{command}: {stderr}");
            }
            ["fivefold-server", arguments @ ..] => {
                let help =
                    Command::new(program("fivefold-server")).args(arguments).arg("--help").output();
                let help = help.expect("the server runs");
                let stderr = String::from_utf8_lossy(&help.stderr);
                assert!(help.status.success(), "{command}: {stderr}");
            }
            ["cargo", "run", "--release"] => {
                let workspace = include_str!("../../Cargo.toml");
                assert!(workspace.contains(r#"default-members = ["server"]"#), "{command}");
            }
            ["cargo", "install", "--path", folder] => {
                assert!(root.join(folder).join("Cargo.toml").is_file(), "{command}");
            }
            _ => panic!("no check for this command: {command}"),
        }
    }
}

#[test]
fn every_file_that_is_linked_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let links: Vec<&str> =
        README.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(links.len() >= 5, "{links:?}");
    for link in links {
        let (file, _) = link.split_once('#').unwrap_or((link, ""));
        assert!(root.join(file).is_file(), "{link}");
    }
    assert!(root.join("tests/run").is_file());
}

#[test]
fn a_game_by_the_readmes_commands() {
    let server = Server::start_with(&[]);
    let address = server.url();
    // The output matches the README except for the port.
    assert!(README.contains("\nFivefold is at http://localhost:8080/\n"));
    let port = server.address().port();
    assert_eq!(server.greeting(), format!("Fivefold is at http://localhost:{port}/"));

    let at = |mut arguments: Vec<String>| {
        arguments.extend(["--server".to_owned(), address.clone()]);
        Client::start(arguments)
    };
    let mut ann = at([arguments("fivefold play --name", ""), words("--as black")].concat());
    let link = ann.line_with("Link: ").split_off("Link: ".len());
    let mut bob = Client::start(arguments("fivefold join", &link));
    bob.line_with("Bob (White, you) sits down.");
    let mut eve = Client::start(arguments("fivefold watch", &link));
    eve.line_with("Black: Ann, White: Bob");
    for (ply, (x, y)) in FIVE.into_iter().enumerate() {
        let mover = if ply % 2 == 0 { &mut ann } else { &mut bob };
        mover.line_with(&if ply == 0 { "Game 1: ".to_owned() } else { format!("{ply}. ") });
        mover.say(&format!("{x},{y}"));
    }
    for client in [&mut ann, &mut bob, &mut eve] {
        client.line_with("wins");
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(ToOwned::to_owned).collect()
}
