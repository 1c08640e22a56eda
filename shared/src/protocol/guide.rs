#![doc = include_str!("../protocol.md")]

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{Command, Message};
use crate::{
    analysis::Report,
    record::{FinishedGame, GameList},
    review::{GameReview, ReviewProgress},
    rules::Judged,
};

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

/// An example of a list of finished games; as [`client_says`].
///
/// # Panics
/// When it is not.
pub fn list_says(json: &str) {
    assert_same(json, &read_and_write::<GameList>(json));
}

/// An example of a finished game; as [`client_says`].
///
/// # Panics
/// When it is not.
pub fn game_says(json: &str) {
    assert_same(json, &read_and_write::<FinishedGame>(json));
}

/// An example of what the engine thinks of a finished game; as [`client_says`].
///
/// # Panics
/// When it is not.
pub fn review_says(json: &str) {
    assert_same(json, &read_and_write::<GameReview>(json));
}

/// An example of how far it has come with that; as [`client_says`].
///
/// # Panics
/// When it is not.
pub fn progress_says(json: &str) {
    assert_same(json, &read_and_write::<ReviewProgress>(json));
}

/// An example of what the engine has found of a position; as [`client_says`].
///
/// # Panics
/// When it is not.
pub fn report_says(json: &str) {
    assert_same(json, &read_and_write::<Report>(json));
}

/// An example of what the rules say of a position; as [`client_says`].
///
/// # Panics
/// When it is not.
pub fn position_says(json: &str) {
    assert_same(json, &read_and_write::<Judged>(json));
}

fn read_and_write<T: Serialize + DeserializeOwned>(json: &str) -> String {
    let value: T = serde_json::from_str(json).expect("the example is what it says");
    serde_json::to_string(&value).expect("it can be written")
}

fn assert_same(example: &str, written: &str) {
    let parse = |text| serde_json::from_str::<Value>(text).expect("JSON");
    assert_eq!(parse(example), parse(written), "the example is written differently");
}
