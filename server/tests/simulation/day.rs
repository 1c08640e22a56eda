//! One simulated day as its members share it: its phases, its counts, and a trace of all messages.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
    ops::Add,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use fivefold_shared::protocol::{CatchUp, Event, Message};
use serde::{Deserialize, Serialize};

/// Counts of one simulated day.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Day {
    /// Moves that were acknowledged.
    pub(crate) moves: u64,
    /// Games that ended.
    pub(crate) games: u64,
    /// Deaths of the server.
    pub(crate) crashes: u64,
    /// Links that were cut, or held up.
    pub(crate) cuts: u64,
    /// Times that the disk was full.
    pub(crate) full_disks: u64,
    /// Servers that stood still.
    pub(crate) freezes: u64,
    /// Servers that were stopped in order.
    pub(crate) stops: u64,
    /// Servers that could not reach the disk, or whose heartbeats could not.
    pub(crate) cut_disks: u64,
    /// Faults of the bus between nodes.
    pub(crate) bad_buses: u64,
    /// Nodes that were declared dead, or retired.
    pub(crate) deaths: u64,
    /// Rooms that went to another node.
    pub(crate) takeovers: u64,
    /// Commits that ended in doubt.
    pub(crate) doubts: u64,
    /// Commands that were sent again.
    pub(crate) repeated: u64,
    /// Commands that were refused for a while.
    pub(crate) refused: u64,
    /// Games that seekers have found.
    pub(crate) pairs: u64,
    /// Times that a member received a full snapshot.
    pub(crate) snapshots: u64,
    /// Times that a member received only the missed events.
    pub(crate) caught_up: u64,
    /// Hash of every message received, with its time.
    pub(crate) trace: u64,
}

impl Add<&Self> for Day {
    type Output = Self;

    fn add(self, other: &Self) -> Self {
        Self {
            moves: self.moves + other.moves,
            games: self.games + other.games,
            crashes: self.crashes + other.crashes,
            cuts: self.cuts + other.cuts,
            full_disks: self.full_disks + other.full_disks,
            freezes: self.freezes + other.freezes,
            stops: self.stops + other.stops,
            cut_disks: self.cut_disks + other.cut_disks,
            bad_buses: self.bad_buses + other.bad_buses,
            deaths: self.deaths + other.deaths,
            takeovers: self.takeovers + other.takeovers,
            doubts: self.doubts + other.doubts,
            repeated: self.repeated + other.repeated,
            refused: self.refused + other.refused,
            pairs: self.pairs + other.pairs,
            snapshots: self.snapshots + other.snapshots,
            caught_up: self.caught_up + other.caught_up,
            trace: self.trace ^ other.trace,
        }
    }
}

/// A day that is under way. Its members share it besides the network.
#[derive(Debug, Default)]
pub(crate) struct SharedDay {
    counts: Mutex<Day>,
    trace: Mutex<DefaultHasher>,
    is_calm: AtomicBool,
    is_over: AtomicBool,
    /// Players who have played on after the storm.
    content: AtomicUsize,
    /// Members whose commands are all answered after the end of the day.
    quiet: AtomicUsize,
    pub(crate) members: usize,
    /// Whether a fault is built in on purpose.
    pub(crate) is_planted: bool,
    /// How many servers the members may go to.
    pub(crate) servers: usize,
}

impl SharedDay {
    pub(crate) fn new(members: usize, servers: usize, is_planted: bool) -> Self {
        Self { members, servers, is_planted, ..Self::default() }
    }

    pub(crate) fn count(&self, count: impl FnOnce(&mut Day)) {
        count(&mut self.counts.lock().unwrap());
    }

    /// The counts so far, with the hash of all messages.
    pub(crate) fn counts(&self) -> Day {
        Day { trace: self.trace.lock().unwrap().finish(), ..*self.counts.lock().unwrap() }
    }

    /// Notes a message that a member has received. When a day is repeated, only the codes of rooms
    /// and the ids of games differ: the system's own randomness draws them.
    pub(crate) fn trace(&self, member: usize, message: &Message) {
        let what = match message {
            Message::Event { event, .. } if matches!(event.event, Event::Started { .. }) => {
                format!("{} at {}: a game", event.seq, event.at)
            }
            Message::Event { event, .. } => format!("{event:?}"),
            Message::Joined { catch_up: CatchUp::Snapshot(snapshot), now, .. } => {
                format!("{now}: the member is at {}", snapshot.seq)
            }
            Message::Joined { catch_up: CatchUp::Events(events), now, .. } => {
                format!("{now}: the member has missed {}", events.len())
            }
            Message::Snapshot { snapshot, .. } => format!("all is as at {}", snapshot.seq),
            Message::Presence { away, .. } => format!("{away:?}"),
            Message::Spectators { spectators, .. } => format!("{spectators:?}"),
            other => format!("{other:?}"),
        };
        let at = turmoil::sim_elapsed().expect("a simulation");
        (at, member, &what).hash(&mut *self.trace.lock().unwrap());
        print_at(at, &format!("member {member} receives {what}"));
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.is_calm.load(Ordering::Relaxed)
    }

    pub(crate) fn calm_down(&self) {
        self.is_calm.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub(crate) fn note_content(&self) {
        self.content.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn content(&self) -> usize {
        self.content.load(Ordering::Relaxed)
    }

    pub(crate) fn note_quiet(&self) {
        self.quiet.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn all_are_quiet(&self) -> bool {
        self.quiet.load(Ordering::Relaxed) == self.members
    }
}

/// Prints a line of the day's log.
pub(crate) fn print_at(at: Duration, what: &str) {
    println!("{:>7.3} {what}", at.as_secs_f64());
}

/// The name of a member's host.
pub(crate) fn member_name(member: usize) -> String {
    format!("member-{member}")
}
