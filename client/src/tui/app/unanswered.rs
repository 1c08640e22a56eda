//! The requests of this person that the server has not answered yet.

use fivefold_shared::{
    protocol::{CommandId, RoomRequest},
    rules::Point,
};

/// A request on its way.
#[derive(Clone, Debug)]
struct Sent {
    id: CommandId,
    request: RoomRequest,
    /// By the server's clock.
    at: u64,
}

/// Requests in the order in which they were sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Unanswered(Vec<Sent>);

impl Unanswered {
    /// A request was sent.
    pub(super) fn add(&mut self, id: CommandId, request: RoomRequest, at: u64) {
        self.0.push(Sent { id, request, at });
    }

    /// A request was answered; returns it, if it was one of these.
    pub(super) fn answered(&mut self, id: &CommandId) -> Option<RoomRequest> {
        let index = self.0.iter().position(|sent| sent.id == *id)?;
        Some(self.0.remove(index).request)
    }

    /// Whether every request is answered.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Since when the oldest one waits.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.0.first().map(|sent| sent.at)
    }

    /// The stone that was sent as move number `ply`, and when.
    pub(super) fn play(&self, ply: usize) -> Option<(Point, u64)> {
        self.0.iter().rev().find_map(|sent| {
            let RoomRequest::Play { ply: of, point } = sent.request else { return None };
            (of == ply).then_some((point, sent.at))
        })
    }
}
