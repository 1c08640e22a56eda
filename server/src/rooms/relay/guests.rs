//! The sessions on this node that are in a room of another node.

use std::{
    collections::{BTreeMap, VecDeque, btree_map::Entry},
    sync::Arc,
};

use fivefold_shared::{
    protocol::{AnalysisEnd, CommandId, MemberId, Message, Name, RoomCode},
    room::{Member, SessionId},
};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::{
    cluster::frame::RemoteGuest,
    limits::{REFUSED_COMMANDS_KEPT, REFUSED_IN_ROOM_KEPT},
    online::outbox::{Outbox, encode},
};

/// The sessions, and the last event that they have.
#[derive(Default)]
pub(super) struct Guests {
    sessions: BTreeMap<SessionId, Guest>,
    /// The number of the last event that all who are inside have. Absent while nobody is.
    seq: Option<u64>,
    /// The last commands that the owner has refused, on any node, the oldest first.
    refused: VecDeque<(MemberId, CommandId)>,
    /// The same of the owners before: this one does not know.
    refused_before: VecDeque<(MemberId, CommandId)>,
}

struct Guest {
    member: Member,
    /// Kept while the session is in the room.
    outbox: Arc<Outbox>,
    /// Whether the owner has let it in.
    is_inside: bool,
    /// The command of the analysis that may be under way.
    analysis: Option<CommandId>,
    /// The last commands that were refused, the oldest first. A client may have sent one of them
    /// twice, and a new owner would not know.
    refused: VecDeque<CommandId>,
}

impl Guests {
    pub(super) fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.sessions.len()
    }

    pub(super) const fn seq(&self) -> Option<u64> {
        self.seq
    }

    pub(super) const fn set_seq(&mut self, seq: u64) {
        self.seq = Some(seq);
    }

    /// A session wants to enter.
    pub(super) fn admit(&mut self, session: SessionId, member: Member, outbox: Arc<Outbox>) {
        match self.sessions.entry(session) {
            Entry::Occupied(mut guest) => {
                let guest = guest.get_mut();
                (guest.member, guest.outbox) = (member, outbox);
            }
            Entry::Vacant(place) => {
                let (is_inside, analysis, refused) = (false, None, VecDeque::new());
                place.insert(Guest { member, outbox, is_inside, analysis, refused });
            }
        }
    }

    /// The owner has let a session in, which has the events up to this one.
    pub(super) fn note_joined(&mut self, session: SessionId, seq: u64) {
        if let Some(guest) = self.sessions.get_mut(&session) {
            guest.is_inside = true;
            debug_assert!(self.seq.is_none_or(|last| last == seq), "{:?} and {seq}", self.seq);
            self.seq.get_or_insert(seq);
        }
    }

    /// The owner has not let a session in. Returns whether it was outside, and is forgotten.
    pub(super) fn refuse(&mut self, session: SessionId) -> bool {
        let was_outside = self.sessions.get(&session).is_some_and(|guest| !guest.is_inside);
        if was_outside {
            self.remove(session);
        }
        was_outside
    }

    pub(super) fn remove(&mut self, session: SessionId) {
        self.sessions.remove(&session);
        if self.inside().next().is_none() {
            self.seq = None;
        }
    }

    pub(super) fn rename(&mut self, session: SessionId, name: &Name) {
        if let Some(guest) = self.sessions.get_mut(&session) {
            guest.member.name = name.clone();
        }
    }

    pub(super) fn note_analysis(&mut self, session: SessionId, command: &CommandId) {
        if let Some(guest) = self.sessions.get_mut(&session) {
            guest.analysis = Some(command.clone());
        }
    }

    pub(super) fn note_refused(&mut self, session: SessionId, command: &CommandId) {
        if let Some(guest) = self.sessions.get_mut(&session) {
            if guest.refused.len() == REFUSED_COMMANDS_KEPT {
                guest.refused.pop_front();
            }
            guest.refused.push_back(command.clone());
        }
    }

    /// Commands of members were refused.
    pub(super) fn note_refused_members(&mut self, commands: Vec<(MemberId, CommandId)>) {
        keep_last(&mut self.refused, commands);
    }

    /// Another node is the owner, and does not know what was refused.
    pub(super) fn change_owner(&mut self) {
        keep_last(&mut self.refused_before, std::mem::take(&mut self.refused));
    }

    /// Whether an owner before has refused this command of the session's member, as far as is known.
    pub(super) fn has_refused_before(&self, session: SessionId, command: &CommandId) -> bool {
        self.sessions.get(&session).is_some_and(|guest| {
            let is_it =
                |(member, id): &(MemberId, CommandId)| id == command && *member == guest.member.id;
            self.refused_before.iter().any(is_it)
        })
    }

    /// Whether the owner has let this session in.
    pub(super) fn is_inside(&self, session: SessionId) -> bool {
        self.sessions.get(&session).is_some_and(|guest| guest.is_inside)
    }

    /// The last commands that were refused: of those who are inside, and of others.
    pub(super) fn refused(&self) -> Vec<(MemberId, CommandId)> {
        let of_one = |(_, guest): (&SessionId, &Guest)| {
            let member = guest.member.id.clone();
            guest.refused.clone().into_iter().map(move |command| (member.clone(), command))
        };
        let here = self.inside().flat_map(of_one);
        self.refused_before.iter().cloned().chain(here).collect()
    }

    /// Tells the sessions that their analyses end: nobody goes on with them.
    pub(super) fn end_analyses(&mut self, room: &RoomCode) {
        for guest in self.sessions.values_mut() {
            if let Some(of) = guest.analysis.take() {
                let why = AnalysisEnd::Stopped;
                let message = Message::AnalysisOver { room: room.clone(), of, why };
                guest.outbox.post(encode(&message));
            }
        }
    }

    /// Passes a message on to some sessions. `ends` is the analysis that is over by it.
    pub(super) fn tell(&mut self, sessions: &[u64], ends: Option<&CommandId>, text: String) {
        let text = Utf8Bytes::from(text);
        for session in sessions {
            if let Some(guest) = self.sessions.get_mut(&SessionId(*session)) {
                guest.analysis.take_if(|analysis| ends == Some(analysis));
                guest.outbox.post(text.clone());
            }
        }
    }

    /// Passes a message on to all who are inside and hear the speaker, except for these.
    pub(super) fn broadcast(&self, except: &[u64], speaker: Option<&MemberId>, text: String) {
        let text = Utf8Bytes::from(text);
        for (session, guest) in self.inside() {
            let hears = speaker.is_none_or(|speaker| guest.outbox.hears(speaker));
            if hears && !except.contains(&session.0) {
                guest.outbox.post(text.clone());
            }
        }
    }

    pub(super) fn tell_closed(&self, room: &RoomCode) {
        let text = "This room is closed.".to_owned();
        self.broadcast(
            &[],
            None,
            Message::Closed { room: room.clone(), text, why: None }.to_json(),
        );
    }

    /// Those who are inside, for the owner.
    pub(super) fn remote(&self) -> Vec<RemoteGuest> {
        let guest = |(id, guest): (&SessionId, &Guest)| {
            let refused = guest.refused.iter().cloned().collect();
            RemoteGuest::new(*id, &guest.member, &guest.outbox, refused)
        };
        self.inside().map(guest).collect()
    }

    /// Those who are inside, for a room on this node.
    pub(super) fn all(&self) -> Vec<(SessionId, Member, Arc<Outbox>)> {
        let guest = |(id, guest): (&SessionId, &Guest)| {
            (*id, guest.member.clone(), Arc::clone(&guest.outbox))
        };
        self.inside().map(guest).collect()
    }

    fn inside(&self) -> impl Iterator<Item = (&SessionId, &Guest)> {
        self.sessions.iter().filter(|(_, guest)| guest.is_inside)
    }
}

fn keep_last<T>(kept: &mut VecDeque<T>, more: impl IntoIterator<Item = T>) {
    kept.extend(more);
    kept.drain(..kept.len().saturating_sub(REFUSED_IN_ROOM_KEPT));
}
