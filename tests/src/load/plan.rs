//! What a load test does: the program under load, and how much load.

use std::{net::SocketAddr, time::Duration};

use fivefold_shared::rules::Rules;

/// The program under load.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// A Fivefold server.
    Server(SocketAddr),
    /// The plain relay.
    Relay(SocketAddr),
}

/// The amount of load.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Rooms in which two people play.
    pub rooms: usize,
    /// The rules of all games.
    pub rules: Rules,
    /// Whether each room's people have their own address, 127.1.0.1 and so on. The server must be
    /// on this machine.
    pub spread: bool,
    /// Moves per second, in all rooms together; otherwise each room plays as fast as it can.
    pub rate: Option<f64>,
    /// Spectators in each of the rooms.
    pub spectators: usize,
    /// Spectators in the first room who never read.
    pub stalled: usize,
    /// People who sit in their own room and do nothing.
    pub idle: usize,
    /// Playing time before the measurement.
    pub warm_up: Duration,
    /// Length of the measurement.
    pub measured: Duration,
}
