//! What a node knows about its link to one peer. Pure: time is counted in ticks.
//!
//! Both directions of a link share a generation, which only grows. The end that misses frames
//! raises it, and the other end follows as soon as it sees the higher number. So frames of one generation were
//! all sent after both ends' last reset, and frames of an older one are ignored.

use super::frame::Generation;
use crate::{
    limits::{LINK_FORGOTTEN_TICKS, LINK_SILENT_TICKS, LINK_TAIL_TICKS},
    metrics::ResetCause,
};

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
        // While some come, the others are not lost: they may wait in an inbox.
        self.tail = self.tail.take().filter(|tail| tail.sent > self.received);
        if let Some(tail) = &mut self.tail
            && known < frames
        {
            tail.ticks = 0;
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

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Generation = Generation::FIRST;

    #[test]
    fn frames_are_lost_when_none_comes_any_more() {
        let mut peer = Peer::new(FIRST);
        peer.compare(FIRST, 10);
        for number in 0..9 {
            for _ in 1..LINK_TAIL_TICKS {
                assert_eq!(peer.tick(), Elapsed::Nothing);
            }
            let receipt = peer.receive(FIRST, number, 1);
            assert_eq!(receipt, Receipt { reset: None, skip: Some(0) });
        }
        // A double is no progress.
        for _ in 1..LINK_TAIL_TICKS {
            assert_eq!(peer.tick(), Elapsed::Nothing);
            peer.receive(FIRST, 0, 1);
        }
        assert_eq!(peer.tick(), Elapsed::Lost);
    }

    #[test]
    fn a_new_generation_misses_no_frames_of_the_old_one() {
        let mut peer = Peer::new(FIRST);
        peer.compare(FIRST, 1);
        assert!(peer.compare(FIRST.next(), 0));
        for _ in 0..LINK_SILENT_TICKS {
            assert_eq!(peer.tick(), Elapsed::Nothing);
        }
    }
}
