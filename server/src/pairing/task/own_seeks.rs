//! What the front keeps of one session: its unanswered commands and its seeks.

use std::net::IpAddr;

use fivefold_shared::{
    protocol::{CommandId, MemberId, RoomCode, SeekId},
    room::{Member, SessionId},
};

use super::messages::ToLeader;
use crate::{
    moderation::dealings::OwnDealings,
    online::{outbox::Outbox, own_blocks::OwnBlocks},
    pairing::{Rating, SeekAim, Seeker, StandingSeek},
};

/// A session that has sent a command for the pairing.
#[derive(Debug)]
pub(super) struct Seeking {
    pub(super) member: Member,
    pub(super) address: IpAddr,
    pub(super) outbox: Outbox,
    /// In the order in which they came.
    asked: Vec<Asked>,
    /// The seeks and challenges that the session has begun, the oldest first.
    pub(super) seeks: Vec<OwnSeek>,
    /// The last game that was sent to the session.
    pub(super) paired: Option<RoomCode>,
}

/// A command that is not answered yet.
#[derive(Debug)]
pub(super) struct Asked {
    id: CommandId,
    /// Metric label.
    pub(super) kind: &'static str,
    since: u64,
    /// What the leader gets for it; absent before it is known.
    message: Option<ToLeader>,
    /// Whether the leader gets it only after the storage was asked: it may have led to a game.
    is_held: bool,
}

/// A seek or a challenge of a session.
#[derive(Debug)]
pub(super) struct OwnSeek {
    pub(super) by: Seeker,
    pub(super) id: SeekId,
    aim: SeekAim,
    /// When the session asked for it last.
    pub(super) asked_at: u64,
    /// How long it had waited when a leader answered last, and when that was. Absent before the first
    /// answer.
    waited: Option<(u64, u64)>,
}

impl Seeking {
    pub(super) const fn new(member: Member, address: IpAddr, outbox: Outbox) -> Self {
        Self { member, address, outbox, asked: Vec::new(), seeks: Vec::new(), paired: None }
    }

    /// The member, as a person who seeks by a command.
    pub(super) fn seeker(&self, session: SessionId, command: CommandId) -> Seeker {
        let Member { id: member, name, .. } = self.member.clone();
        let (identity, engine, rating) = (self.outbox.identity(), false, Rating::UNRATED);
        let (account, owner, blocked) = (false, None, self.blocked());
        let dealings = OwnDealings::default();
        Seeker {
            member,
            name,
            identity,
            engine,
            account,
            owner,
            session,
            command,
            rating,
            friend: false,
            blocked,
            dealings,
            address: Some(self.address),
            daily_most: None,
        }
    }

    fn blocked(&self) -> Vec<MemberId> {
        self.outbox.blocks().map(OwnBlocks::blocked).unwrap_or_default()
    }

    /// Takes in the people that the member has blocked now. Returns whether that has changed for a seek.
    pub(super) fn note_blocked(&mut self) -> bool {
        if self.seeks.is_empty() {
            return false;
        }
        let blocked = self.blocked();
        let stale = self.seeks.iter_mut().filter(|own| own.by.blocked != blocked);
        stale.map(|own| own.by.blocked.clone_from(&blocked)).count() > 0
    }

    /// Notes a command. If the same one waits already, it has one answer.
    pub(super) fn ask(&mut self, id: CommandId, kind: &'static str, now: u64) {
        if !self.has_asked(&id) {
            self.asked.push(Asked { id, kind, since: now, message: None, is_held: false });
        }
    }

    /// What the leader gets for a command.
    pub(super) fn set_message(&mut self, id: &CommandId, message: ToLeader) {
        if let Some(asked) = self.asked.iter_mut().find(|asked| asked.id == *id) {
            asked.message = Some(message);
        }
    }

    /// How many commands are not answered.
    pub(super) const fn count_asked(&self) -> usize {
        self.asked.len()
    }

    /// Whether a command is not answered.
    pub(super) fn has_asked(&self, id: &CommandId) -> bool {
        self.asked.iter().any(|asked| asked.id == *id)
    }

    /// Since when the command has waited that has waited longest.
    pub(super) fn waits_since(&self) -> Option<u64> {
        self.asked.iter().map(|asked| asked.since).min()
    }

    /// Takes a command that is answered now.
    pub(super) fn take(&mut self, id: &CommandId) -> Option<Asked> {
        let index = self.asked.iter().position(|asked| asked.id == *id)?;
        Some(self.asked.remove(index))
    }

    /// What the leader gets for an unanswered command.
    pub(super) fn message(&self, id: &CommandId) -> Option<&ToLeader> {
        self.asked.iter().find(|asked| asked.id == *id)?.message.as_ref()
    }

    /// The same for all unanswered commands. With `holds` those that may begin a game are held back.
    pub(super) fn repeat(&mut self, holds: bool) -> Vec<ToLeader> {
        for asked in &mut self.asked {
            asked.is_held = holds && asked.message.as_ref().is_some_and(ToLeader::makes_game);
        }
        let repeated = self.asked.iter().filter(|asked| !asked.is_held);
        repeated.filter_map(|asked| asked.message.clone()).collect()
    }

    /// Whether commands are held back.
    pub(super) fn holds(&self) -> bool {
        self.asked.iter().any(|asked| asked.is_held)
    }

    /// What the leader gets for the commands that were held back.
    pub(super) fn release(&mut self) -> Vec<ToLeader> {
        let held = self.asked.iter_mut().filter(|asked| asked.is_held);
        let released = held.filter_map(|asked| {
            asked.is_held = false;
            asked.message.clone()
        });
        released.collect()
    }

    /// The unanswered commands that may begin a game.
    pub(super) fn asked_for_game(&self) -> Vec<CommandId> {
        self.asked_by(ToLeader::makes_game)
    }

    /// The unanswered commands to watch the lobby.
    pub(super) fn asked_to_watch(&self) -> Vec<CommandId> {
        self.asked_by(|message| matches!(message, ToLeader::Watch { .. }))
    }

    fn asked_by(&self, is_it: impl Fn(&ToLeader) -> bool) -> Vec<CommandId> {
        let asked = self.asked.iter().filter(|asked| asked.message.as_ref().is_some_and(&is_it));
        asked.map(|asked| asked.id.clone()).collect()
    }

    /// Whether the session seeks, or has accepted a game.
    pub(super) fn wants_game(&self) -> bool {
        !self.seeks.is_empty() || !self.asked_for_game().is_empty()
    }

    /// The seek that a command has begun.
    pub(super) fn seek_of(&mut self, command: &CommandId) -> Option<&mut OwnSeek> {
        self.seeks.iter_mut().find(|own| own.by.command == *command)
    }

    /// The command that began a seek.
    pub(super) fn command_of(&self, seek: &SeekId) -> Option<&CommandId> {
        self.seeks.iter().find(|own| own.id == *seek).map(|own| &own.by.command)
    }

    /// Removes a seek that is over. Returns whether it stood.
    pub(super) fn end(&mut self, seek: &SeekId) -> bool {
        let before = self.seeks.len();
        self.seeks.retain(|own| own.id != *seek);
        self.seeks.len() < before
    }

    /// The seeks that a leader has confirmed.
    pub(super) fn standing(&self, now: u64) -> impl Iterator<Item = StandingSeek> {
        let identity = self.outbox.identity();
        self.seeks.iter().filter_map(move |own| {
            let (waited_ms, at) = own.waited?;
            let by = Seeker { identity, ..own.by.clone() };
            let (id, aim, asked_at) = (own.id.clone(), own.aim.clone(), own.asked_at);
            let waited_ms = waited_ms + now.saturating_sub(at);
            Some(StandingSeek { by, id, aim, asked_at, waited_ms })
        })
    }
}

impl OwnSeek {
    pub(super) const fn new(now: u64, by: Seeker, id: SeekId, aim: SeekAim) -> Self {
        Self { by, id, aim, asked_at: now, waited: None }
    }

    /// A leader says that it stands, under this id.
    pub(super) fn confirm(&mut self, now: u64, seek: &SeekId, waited_ms: u64) {
        self.id = seek.clone();
        self.waited = Some((waited_ms, now));
    }
}
