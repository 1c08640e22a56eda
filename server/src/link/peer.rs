//! What a node knows about its link to one peer. Pure: time is counted in ticks.
//!
//! Both directions of a link share a generation, which only grows. Whoever misses frames raises it,
//! and the other end follows as soon as it sees the higher number. So frames of one generation were
//! all sent after both ends' last reset, and frames of an older one are ignored.

use super::frame::Generation;
use crate::limits::{LINK_FORGOTTEN_TICKS, LINK_SILENT_TICKS, LINK_TAIL_TICKS};

/// One end of a link.
#[derive(Debug)]
pub(super) struct Peer {
    generation: Generation,
    /// Frames that the bus has taken.
    sent: u64,
    /// Frames that came.
    received: u64,
    tail: Option<Tail>,
    /// Ticks since the last message.
    quiet: u32,
    is_present: bool,
}

/// Frames that the peer has sent and that are not here yet.
#[derive(Debug)]
struct Tail {
    sent: u64,
    ticks: u32,
}

/// Why a link is reset.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ResetCause {
    /// A frame came before one that was sent earlier.
    Gap,
    /// The last frames did not come.
    Tail,
    /// Too many frames waited.
    Overfull,
    /// The bus was disconnected.
    Reconnected,
    /// The peer has reset the link.
    Peer,
}

impl ResetCause {
    /// All causes.
    pub(crate) const ALL: [Self; 5] =
        [Self::Gap, Self::Tail, Self::Overfull, Self::Reconnected, Self::Peer];
}

/// What becomes of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Receipt {
    pub(super) reset: Option<ResetCause>,
    /// How many of its frames were here before. `None`: no frame of it is to be used.
    pub(super) skip: Option<usize>,
}

/// What a tick brings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Elapsed {
    Nothing,
    Lost,
    Silent,
    Forgotten,
}

impl Peer {
    /// A link on which nothing has been sent. Its first message makes the peer present.
    pub(super) const fn new(generation: Generation) -> Self {
        Self { generation, sent: 0, received: 0, tail: None, quiet: 0, is_present: false }
    }

    pub(super) const fn generation(&self) -> Generation {
        self.generation
    }

    /// How many frames were sent in this generation: the number of the next one.
    pub(super) const fn sent(&self) -> u64 {
        self.sent
    }

    /// Notes frames that the bus has taken.
    pub(super) fn note_sent(&mut self, frames: usize) {
        self.sent += frames as u64;
    }

    /// Starts a new generation at this end.
    pub(super) fn reset(&mut self) {
        self.begin(self.generation.next());
    }

    /// Notes any message. Returns whether the peer was not present before.
    pub(super) fn note_message(&mut self) -> bool {
        self.quiet = 0;
        !std::mem::replace(&mut self.is_present, true)
    }

    /// Judges a batch of so many frames.
    pub(super) fn receive(&mut self, generation: Generation, first: u64, frames: usize) -> Receipt {
        if generation < self.generation {
            return Receipt { reset: None, skip: None };
        }
        let followed = self.follow(generation);
        if first > self.received {
            self.reset();
            return Receipt { reset: Some(ResetCause::Gap), skip: None };
        }
        let reset = followed.then_some(ResetCause::Peer);
        // No more than the frames of the batch.
        let known = usize::try_from(self.received - first).unwrap_or(usize::MAX).min(frames);
        self.received = self.received.max(first + frames as u64);
        if self.tail.as_ref().is_some_and(|tail| tail.sent <= self.received) {
            self.tail = None;
        }
        Receipt { reset, skip: Some(known) }
    }

    /// Compares with what the peer has sent, by its heartbeat. Returns whether the link is reset.
    pub(super) fn compare(&mut self, generation: Generation, sent: u64) -> bool {
        let followed = self.follow(generation);
        let missing = generation == self.generation && sent > self.received;
        if missing && self.tail.is_none() {
            self.tail = Some(Tail { sent, ticks: 0 });
        }
        followed
    }

    /// Counts a tick.
    pub(super) fn tick(&mut self) -> Elapsed {
        self.quiet = self.quiet.saturating_add(1);
        if self.quiet >= LINK_FORGOTTEN_TICKS {
            return Elapsed::Forgotten;
        }
        if self.quiet >= LINK_SILENT_TICKS && std::mem::take(&mut self.is_present) {
            return Elapsed::Silent;
        }
        if let Some(tail) = &mut self.tail {
            tail.ticks += 1;
            if tail.ticks >= LINK_TAIL_TICKS {
                self.reset();
                return Elapsed::Lost;
            }
        }
        Elapsed::Nothing
    }

    /// Goes on to the peer's generation if it is higher.
    fn follow(&mut self, generation: Generation) -> bool {
        let higher = generation > self.generation;
        if higher {
            self.begin(generation);
        }
        higher
    }

    fn begin(&mut self, generation: Generation) {
        self.generation = generation;
        (self.sent, self.received, self.tail) = (0, 0, None);
    }
}
