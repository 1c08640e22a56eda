//! Tools for the end-to-end tests: the real programs, started as a user starts them, and scripted
//! people who speak the protocol over real sockets.
//!
//! Nothing here knows the inside of the server or the client; the tools only run them. The data of
//! a stopped server is read by the server's own store ([`fault`]).

mod client;
mod cluster;
pub mod farm;
pub mod fault;
mod guest;
mod http;
pub mod load;
pub mod opening_games;
pub mod pairing;
mod programs;
pub mod random_games;
pub mod ratings;
mod server;
pub mod sign_in_flood;
pub mod sleeping_games;
mod socket;
mod tcp;
mod times;

pub use self::{
    client::Client,
    cluster::Cluster,
    guest::{Away, Guest, Seen},
    http::get as http_get,
    programs::program,
    server::{Server, Setting},
    socket::{Socket, connect},
    times::Times,
};

use std::{
    f64::consts::TAU,
    time::{Duration, SystemTime},
};

use fivefold_shared::{
    clock::{TimeControl, millis},
    opening::OpeningKind,
    protocol::{Colour, Create, ROOM_CODE_ALPHABET, SeatRequest, Visibility},
    rules::Rules,
};
use rand::{RngExt, rngs::StdRng};

/// The time limit for anything immediate, generous for a busy machine; after it a test fails.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A private room whose creator plays Black and keeps the other seat open, without clocks and
/// assistance; tests change what they need.
pub fn private(rules: Rules) -> Create {
    Create {
        rules,
        visibility: Visibility::Private,
        assistance: false,
        seats: [SeatRequest::Me, SeatRequest::Open],
        colour: Colour::Black,
        time: TimeControl::None,
        opening: OpeningKind::Free,
        chat: true,
    }
}

/// The time by this machine's clock, in milliseconds since the Unix epoch.
///
/// # Panics
/// When the clock is before 1970.
pub fn unix_ms() -> u64 {
    millis(SystemTime::UNIX_EPOCH.elapsed().expect("the clock is right"))
}

/// A number as so many letters of a room's code or a game's id, which are different for different numbers.
pub fn code_letters(length: usize, number: u64) -> String {
    let letters = ROOM_CODE_ALPHABET.len() as u64;
    let mut rest = number;
    let digit = |_| {
        let digit = ROOM_CODE_ALPHABET[usize::try_from(rest % letters).unwrap_or_default()];
        rest /= letters;
        char::from(digit)
    };
    (0..length).map(digit).collect()
}

/// A number that is distributed normally, by its mean and standard deviation.
fn normal(random: &mut StdRng, (mean, deviation): (f64, f64)) -> f64 {
    // Box and Muller.
    let radius = (-2.0 * random.random_range(f64::MIN_POSITIVE..1.0).ln()).sqrt();
    let angle = TAU * random.random_range(0.0..1.0);
    mean + deviation * radius * angle.cos()
}
