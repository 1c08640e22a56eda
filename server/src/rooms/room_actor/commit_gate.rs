//! The commit gate of one room: nothing that follows an event happens before that event is stored.
//!
//! It collects what the room appends, hands it to the log writer in batches, and keeps the effects
//! that wait, in order. It does not perform effects.

use std::{collections::VecDeque, time::Instant};

use fivefold_shared::{
    protocol::{Event, NumberedEvent, Player},
    record::FinishedGame,
    room::{Effect, Entry},
    rules::Outcome,
    seat::Seat,
};
use fivefold_storage::{
    Append, AppendError, DailySeats, Epoch, KnownMember, NowPlaying, RatingChange, Reply, Sleep,
    WriterPermit,
};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::route::Route;
use crate::online::outbox::encode_event;

/// Delays effects until the events before them are stored.
pub(super) struct CommitGate {
    /// In order. Empty, or begins with an event.
    pending: VecDeque<Pending>,
    /// Entries for the next batch.
    unstored: Append,
    /// The batch that the log writer is committing.
    commit: Option<Commit>,
}

struct Commit {
    reply: Reply<Vec<RatingChange>, AppendError>,
    since: Instant,
}

/// A batch that is stored.
pub(super) struct Committed {
    /// When the log writer got it.
    pub(super) since: Instant,
    /// What the games that it ends have changed in ratings.
    pub(super) changes: Vec<RatingChange>,
}

/// Something that waits for a commit.
#[expect(
    clippy::large_enum_variant,
    reason = "effects wait for milliseconds, most in an empty queue"
)]
pub(super) enum Pending {
    /// An event: its number, and its text for everybody who listens.
    Event(u64, Utf8Bytes),
    /// An event that ends a game, and the player who left before it began, if one did.
    End(u64, Utf8Bytes, Option<Seat>),
    /// An effect that follows an event.
    Effect(Routed),
}

/// An effect, with its destination as membership was when the room decided it.
pub(super) struct Routed {
    pub(super) effect: Effect,
    /// The way to the session that the effect is for.
    pub(super) route: Option<Route>,
    /// Metric label of the input that the effect follows from.
    pub(super) kind: &'static str,
}

impl CommitGate {
    /// A gate for the log that `unstored` appends to.
    pub(super) fn new(unstored: Append) -> Self {
        Self { pending: VecDeque::new(), unstored, commit: None }
    }

    /// Appends an entry, the game that it ends, and who plays then. `sender` is the way to the session
    /// that caused it.
    pub(super) fn append(
        &mut self,
        entry: Entry,
        finished: Option<Box<FinishedGame>>,
        playing: NowPlaying,
        sender: Option<&Route>,
    ) {
        let event = &entry.event;
        match playing {
            NowPlaying::Unchanged => {}
            NowPlaying::Nobody | NowPlaying::These(_) => self.unstored.playing = playing,
        }
        self.unstored.members.extend(seated_member(event, sender));
        self.unstored.games.extend(finished.map(|game| *game));
        let text = encode_event(&self.unstored.room, event);
        self.pending.push_back(match &event.event {
            Event::Ended { outcome, .. } => Pending::End(event.seq, text, aborted_by(outcome)),
            _ => Pending::Event(event.seq, text),
        });
        self.unstored.entries.push(entry);
    }

    /// Queues an effect behind the events before it; returns it if there are none.
    pub(super) fn hold(&mut self, routed: Routed) -> Option<Routed> {
        if self.pending.is_empty() {
            return Some(routed);
        }
        self.pending.push_back(Pending::Effect(routed));
        None
    }

    /// Stores these members together with the next events.
    pub(super) fn store_members(&mut self, members: Vec<KnownMember>) {
        self.unstored.members.extend(members);
    }

    /// Stores who has a place in the room's daily game together with the next events.
    pub(super) fn store_daily(&mut self, seats: DailySeats) {
        self.unstored.daily = Some(Box::new(seats));
    }

    /// How many events and effects wait.
    pub(super) fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether nothing waits and the log writer has nothing of this room.
    pub(super) fn is_settled(&self) -> bool {
        self.pending.is_empty() && self.commit.is_none()
    }

    /// Whether a batch can go to the log writer: one at a time.
    pub(super) fn has_batch(&self) -> bool {
        self.commit.is_none() && !self.unstored.entries.is_empty()
    }

    /// Hands the batch to the log writer.
    pub(super) fn send(&mut self, permit: WriterPermit<'_>) {
        let reply = permit.append(self.unstored.take());
        self.commit = Some(Commit { reply, since: Instant::now() });
    }

    /// Waits until the batch is stored or has failed; forever if there is none. Cancel safe.
    pub(super) async fn committed(&mut self) -> Result<Committed, AppendError> {
        let Some(commit) = &mut self.commit else { return std::future::pending().await };
        let since = commit.since;
        let stored = commit.reply.wait().await.map(|changes| Committed { since, changes });
        self.commit = None;
        stored
    }

    /// Takes the next event or effect that is free to go. Call it after each commit until there is
    /// none.
    pub(super) fn release(&mut self) -> Option<Pending> {
        let unstored = self.unstored.entries.first().map(|entry| entry.event.seq);
        let next = self.pending.pop_front_if(|next| match next {
            Pending::Event(seq, _) | Pending::End(seq, ..) => Some(*seq) != unstored,
            Pending::Effect(_) => true,
        });
        if self.pending.is_empty() {
            // An idle room keeps no queue.
            self.pending = VecDeque::new();
        }
        next
    }

    /// The ways to the sessions whose commands wait for their answers here.
    pub(super) fn unanswered(&self) -> impl Iterator<Item = &Route> {
        self.pending.iter().filter_map(|pending| match pending {
            Pending::Effect(Routed { effect: Effect::Send { message, .. }, route, .. }) => {
                message.answers().and(route.as_ref())
            }
            Pending::Effect(_) | Pending::Event(..) | Pending::End(..) => None,
        })
    }

    /// Drops every event that is not stored, and returns the effects that waited for them.
    pub(super) fn reset(&mut self) -> impl Iterator<Item = Routed> + use<> {
        drop(self.unstored.take());
        std::mem::take(&mut self.pending).into_iter().filter_map(|pending| match pending {
            Pending::Event(..) | Pending::End(..) => None,
            Pending::Effect(routed) => Some(routed),
        })
    }

    /// As which owner it appends.
    pub(super) const fn epoch(&self) -> Epoch {
        self.unstored.epoch
    }

    /// Appends as this owner from here on.
    pub(super) const fn set_epoch(&mut self, epoch: Epoch) {
        self.unstored.epoch = epoch;
    }

    /// Whether the first event that waits is in a log that ends at this number.
    pub(super) fn is_stored(&self, last: u64) -> bool {
        match self.pending.front() {
            Some(Pending::Event(seq, _) | Pending::End(seq, ..)) => *seq <= last,
            Some(Pending::Effect(_)) | None => false,
        }
    }

    /// Whether the log writer has a batch.
    pub(super) const fn is_committing(&self) -> bool {
        self.commit.is_some()
    }

    /// An append after which the room sleeps.
    pub(super) fn sleep(&mut self, sleep: Sleep, daily: Option<DailySeats>) -> Append {
        let daily = daily.map(Box::new);
        Append { sleeps: Some(Box::new(sleep)), daily, ..self.unstored.take() }
    }

    /// The last append: it closes the room.
    pub(super) fn close(&mut self) -> Append {
        Append { closes: true, ..self.unstored.take() }
    }
}

/// The member who takes a seat by this event. They are stored in the same commit.
fn seated_member(event: &NumberedEvent, sender: Option<&Route>) -> Option<KnownMember> {
    let Event::Sat { player: Player::Member { member, name, .. }, .. } = &event.event else {
        return None;
    };
    let hash = sender?.identity()?;
    Some(KnownMember { id: member.clone(), hash, name: name.clone(), seen_at: event.at })
}

/// The player who left the game before it began, if it ended so.
const fn aborted_by(outcome: &Outcome<Seat>) -> Option<Seat> {
    match outcome {
        Outcome::Five { .. }
        | Outcome::Forbidden { .. }
        | Outcome::Resignation { .. }
        | Outcome::Agreement
        | Outcome::Time { .. }
        | Outcome::Abandonment { .. }
        | Outcome::FullBoard
        | Outcome::LengthLimit => None,
        Outcome::Aborted { by } => *by,
    }
}
