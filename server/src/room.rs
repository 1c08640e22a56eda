//! A room: two seats, one game at a time, and those who watch.
//!
//! A plain value. [`Room::apply`] takes the time and an input, changes the room and says by effects
//! what is to be done. It knows no sockets, no storage, no threads and no clock; `room/actor.rs`
//! runs it.

mod effect;
mod input;

pub use self::{
    effect::{Cause, Effect, Effects, Entry, Job, Task, Ticket},
    input::{Input, Member, SessionId, Thought},
};
