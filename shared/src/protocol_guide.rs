#![doc = include_str!("../../docs/protocol/README.md")]
#![doc = include_str!("../../docs/protocol/accounts.md")]
#![doc = include_str!("../../docs/protocol/rooms.md")]
#![doc = include_str!("../../docs/protocol/pairing.md")]
#![doc = include_str!("../../docs/protocol/playing.md")]
#![doc = include_str!("../../docs/protocol/http.md")]

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    analysis::Report,
    profile::{Leaders, Profile, RatingHistory},
    protocol::{Command, Judged, Message, Refusal},
    record::{FinishedGame, GameList},
    review::{GameReview, ReviewProgress},
};

/// The whole guide, `docs/protocol`: its examples are tests here, and the seeds of fuzzing.
pub const GUIDE: &str = concat!(
    include_str!("../../docs/protocol/README.md"),
    include_str!("../../docs/protocol/accounts.md"),
    include_str!("../../docs/protocol/rooms.md"),
    include_str!("../../docs/protocol/pairing.md"),
    include_str!("../../docs/protocol/playing.md"),
    include_str!("../../docs/protocol/http.md"),
);

/// Checks an example of a client's message in the guide: the text must be a command, and the
/// command must serialize to the same JSON.
///
/// # Panics
/// When either is not so.
pub fn client_says(json: &str) {
    let command = Command::from_json(json).expect("the example is a command");
    assert_same(json, &command.to_json());
}

/// Checks an example of a server's message, as [`client_says`] does.
///
/// # Panics
/// When the text is not a message, or the message serializes differently.
pub fn server_says(json: &str) {
    let message = Message::from_json(json).expect("the example is a message");
    assert_same(json, &message.to_json());
}

/// Checks an example of a list of finished games, as [`client_says`] does.
///
/// # Panics
/// As [`client_says`].
pub fn list_says(json: &str) {
    assert_same(json, &read_and_write::<GameList>(json));
}

/// Checks an example of a finished game, as [`client_says`] does.
///
/// # Panics
/// As [`client_says`].
pub fn game_says(json: &str) {
    assert_same(json, &read_and_write::<FinishedGame>(json));
}

/// Checks an example of a player's profile, as [`client_says`] does.
///
/// # Panics
/// As [`client_says`].
pub fn profile_says(json: &str) {
    assert_same(json, &read_and_write::<Profile>(json));
}

/// Checks an example of a rating's history, as [`client_says`] does.
///
/// # Panics
/// As [`client_says`].
pub fn history_says(json: &str) {
    assert_same(json, &read_and_write::<RatingHistory>(json));
}

/// Checks an example of a leaderboard, as [`client_says`] does.
///
/// # Panics
/// As [`client_says`].
pub fn leaders_says(json: &str) {
    assert_same(json, &read_and_write::<Leaders>(json));
}

/// Checks an example of the engine's review of a finished game, as [`client_says`] does.
///
/// # Panics
/// As [`client_says`].
pub fn review_says(json: &str) {
    assert_same(json, &read_and_write::<GameReview>(json));
}

/// Checks an example of a review's progress, as [`client_says`] does.
///
/// # Panics
/// As [`client_says`].
pub fn progress_says(json: &str) {
    assert_same(json, &read_and_write::<ReviewProgress>(json));
}

/// Checks an example of an engine's report on a position, as [`client_says`] does.
///
/// # Panics
/// As [`client_says`].
pub fn report_says(json: &str) {
    assert_same(json, &read_and_write::<Report>(json));
}

/// Checks an example of a refusal over HTTP, as [`client_says`] does.
///
/// # Panics
/// As [`client_says`].
pub fn refusal_says(json: &str) {
    assert_same(json, &read_and_write::<Refusal>(json));
}

/// Checks an example of a position judged by the rules, as [`client_says`] does.
///
/// # Panics
/// As [`client_says`].
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
