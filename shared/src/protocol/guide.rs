#![doc = include_str!("../protocol.md")]

use serde_json::Value;

use super::{Command, Message};

/// An example of what a client says, in the guide above: the text must be a command, and the
/// command must be written as the same JSON.
///
/// # Panics
/// When it is not.
pub fn client_says(json: &str) {
    let command = Command::from_json(json).expect("the example is a command");
    assert_same(json, &command.to_json());
}

/// An example of what the server says; as [`client_says`].
///
/// # Panics
/// When the text is not a message, or the message is written differently.
pub fn server_says(json: &str) {
    let message = Message::from_json(json).expect("the example is a message");
    assert_same(json, &message.to_json());
}

fn assert_same(example: &str, written: &str) {
    let parse = |text| serde_json::from_str::<Value>(text).expect("JSON");
    assert_eq!(parse(example), parse(written), "the example is written differently");
}
