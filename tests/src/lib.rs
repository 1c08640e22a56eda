//! What the end-to-end tests are made with: the real programs, started as a user starts them, and
//! scripted people who speak the protocol over real sockets.
//!
//! Nothing here knows how the server or the client work inside; both are only run. What a stopped
//! server has kept is read by the server's own store ([`fault`]).

mod client;
pub mod fault;
mod guest;
pub mod load;
mod programs;
pub mod random_games;
mod server;
mod times;

pub use self::{
    client::Client,
    guest::{Away, Guest, Seen, Socket, connect},
    programs::program,
    server::Server,
    times::Times,
};

use std::time::Duration;

use fivefold_shared::{
    clock::TimeControl,
    protocol::{Colour, Create, SeatRequest, Visibility},
    rules::Rules,
};

/// How long anything that should happen at once may take on a busy machine before a test fails.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A private room whose maker plays Black and keeps the other seat open, without clocks and help;
/// other rooms are told by what is different.
pub fn private(rules: Rules) -> Create {
    Create {
        rules,
        visibility: Visibility::Private,
        assistance: false,
        seats: [SeatRequest::Me, SeatRequest::Open],
        colour: Colour::Black,
        time: TimeControl::None,
        chat: true,
    }
}
