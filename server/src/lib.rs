//! The Fivefold server: rooms, seats and bots behind one WebSocket port.

pub mod limits;
pub mod room;
