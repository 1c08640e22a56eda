//! The sessions in a room, the members behind them, and the list of spectators.

use std::collections::BTreeMap;

use crate::{
    protocol::{Absent, Likeness, MemberId, Name, Player, SPECTATOR_NAMES_MAX, Seats, Spectators},
    seat::Seat,
};

use super::ids::{Member, SessionId};
use crate::room::limits::{MEMBER_SESSIONS_MAX, SPECTATOR_NEWS_INTERVAL_MS};

/// The sessions in a room.
#[derive(Clone, Debug, Default)]
pub(super) struct Presence {
    sessions: BTreeMap<SessionId, MemberId>,
    members: BTreeMap<MemberId, Present>,
    /// Which member has a name of this likeness: no two members here have names that look alike. The names of those
    /// who only watch from other sites are not in it.
    likenesses: BTreeMap<Likeness, MemberId>,
    /// How many members only watch from other sites.
    watchers: usize,
}

#[derive(Clone, Debug)]
struct Present {
    name: Name,
    bot: bool,
    /// Whether it only watches from another site.
    watches: bool,
    /// How many sessions the member has here: at least one.
    sessions: usize,
}

impl Presence {
    /// Adds a session. If it is already in, only updates its member's name.
    pub(super) fn enter(&mut self, session: SessionId, member: &Member) {
        self.rename(&member.id, &member.name);
        if !member.watches {
            self.likenesses.insert(member.name.likeness(), member.id.clone());
        }
        if member.watches && !self.is_present(&member.id) {
            self.watchers += 1;
        }
        let new = self.sessions.insert(session, member.id.clone()).is_none();
        let present = self.members.entry(member.id.clone()).or_insert_with(|| Present {
            name: member.name.clone(),
            bot: member.bot,
            watches: member.watches,
            sessions: 0,
        });
        present.sessions += usize::from(new);
    }

    /// Removes a session. Returns its member, if it was in.
    pub(super) fn leave(&mut self, session: SessionId) -> Option<MemberId> {
        let member = self.sessions.remove(&session)?;
        if let Some(present) = self.members.get_mut(&member) {
            present.sessions -= 1;
            if present.sessions == 0 {
                if present.watches {
                    self.watchers -= 1;
                } else {
                    self.likenesses.remove(&present.name.likeness());
                }
                self.members.remove(&member);
            }
        }
        Some(member)
    }

    /// Records a member's new name.
    pub(super) fn rename(&mut self, member: &MemberId, name: &Name) {
        if let Some(present) = self.members.get_mut(member).filter(|present| !present.watches) {
            self.likenesses.remove(&present.name.likeness());
            self.likenesses.insert(name.likeness(), member.clone());
            present.name = name.clone();
        }
    }

    /// Whether another present member has a name like this one.
    pub(super) fn is_taken(&self, likeness: &Likeness, by: &MemberId) -> bool {
        self.likenesses.get(likeness).is_some_and(|member| member != by)
    }

    /// The id of the session's member, if it is in.
    pub(super) fn member_id(&self, session: SessionId) -> Option<&MemberId> {
        self.sessions.get(&session)
    }

    /// The session's member, if it is in.
    pub(super) fn member(&self, session: SessionId) -> Option<Member> {
        let id = self.sessions.get(&session)?;
        let Present { name, bot, watches, .. } = self.members.get(id)?;
        Some(Member { id: id.clone(), name: name.clone(), bot: *bot, watches: *watches })
    }

    /// Whether any session of this member is in.
    pub(super) fn is_present(&self, member: &MemberId) -> bool {
        self.members.contains_key(member)
    }

    /// Whether this session is in.
    pub(super) fn contains(&self, session: SessionId) -> bool {
        self.sessions.contains_key(&session)
    }

    /// Whether this member has reached the limit of sessions here.
    pub(super) fn is_crowded_by(&self, member: &MemberId) -> bool {
        self.members.get(member).is_some_and(|present| present.sessions >= MEMBER_SESSIONS_MAX)
    }

    /// Whether nobody is in.
    pub(super) fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    /// Every session, the oldest first.
    pub(super) fn sessions(&self) -> Vec<SessionId> {
        let mut sessions: Vec<_> = self.sessions.keys().copied().collect();
        sessions.sort_unstable();
        sessions
    }

    /// The oldest session of this member, if one is in.
    pub(super) fn session_of(&self, member: &MemberId) -> Option<SessionId> {
        // Mostly called for absent members in rooms with many spectators: avoid the scan.
        // scan.
        if !self.is_present(member) {
            return None;
        }
        self.sessions.iter().find(|(_, id)| *id == member).map(|(session, _)| *session)
    }

    /// The oldest session, if any is in.
    pub(super) fn oldest(&self) -> Option<SessionId> {
        self.sessions.keys().next().copied()
    }

    /// The sessions of the matching members.
    pub(super) fn sessions_of(&self, is_one: impl Fn(&MemberId) -> bool) -> Vec<SessionId> {
        self.sessions.iter().filter(|(_, id)| is_one(id)).map(|(session, _)| *session).collect()
    }

    /// How many members are in without a seat.
    pub(super) fn spectator_count(&self, seats: &Seats) -> usize {
        let is_here = |seat: Seat| match seats.get(seat) {
            Some(Player::Member { member, .. }) => self.is_present(member),
            Some(Player::Bot { .. }) | None => false,
        };
        self.members.len() - Seat::BOTH.into_iter().filter(|&seat| is_here(seat)).count()
    }

    /// How many of them only watch from other sites.
    pub(super) const fn watcher_count(&self) -> usize {
        self.watchers
    }

    /// Those members, as sent to clients, with the names of the first by id. Those who only watch from other sites are
    /// counted, and have no names.
    pub(super) fn spectators(&self, seats: &Seats) -> Spectators {
        let is_named = |(id, present): &(&MemberId, &Present)| {
            !present.watches && seats.of_member(id).is_none()
        };
        let here = self.members.iter().filter(is_named);
        let (mut names, mut bots) = (Vec::new(), Vec::new());
        for (_, present) in here.take(SPECTATOR_NAMES_MAX) {
            names.push(present.name.clone());
            bots.extend(present.bot.then(|| present.name.clone()));
        }
        Spectators { count: self.spectator_count(seats), names, bots }
    }
}

/// The last presence news sent to the members: who watches and which players are away. Sent at most
/// once in [`SPECTATOR_NEWS_INTERVAL_MS`], however many come and go.
#[derive(Clone, Debug, Default)]
pub(super) struct News {
    spectators: Spectators,
    away: Absent,
    /// Whether any of it may have changed since.
    stale: bool,
    quiet_until: u64,
}

/// The changes since the last news.
#[derive(Debug, Default)]
pub(super) struct Changed {
    pub(super) spectators: Option<Spectators>,
    pub(super) away: Option<Absent>,
}

impl News {
    /// Which players were away in the last news.
    pub(super) const fn away(&self) -> Absent {
        self.away
    }

    /// Notes that somebody came, went, changed seats or changed their name.
    pub(super) fn touch(&mut self) {
        self.stale = true;
    }

    /// When the next news is due, if any.
    pub(super) fn due(&self) -> Option<u64> {
        self.stale.then_some(self.quiet_until)
    }

    /// The news to send, if it is due.
    pub(super) fn take(
        &mut self,
        now: u64,
        spectators: impl FnOnce() -> Spectators,
        away: Absent,
    ) -> Changed {
        if !self.stale || now < self.quiet_until {
            return Changed::default();
        }
        self.stale = false;
        let spectators = Some(spectators()).filter(|current| *current != self.spectators);
        let away = Some(away).filter(|current| *current != self.away);
        if let Some(current) = &spectators {
            self.spectators = current.clone();
        }
        if let Some(current) = away {
            self.away = current;
        }
        if spectators.is_some() || away.is_some() {
            self.quiet_until = now.saturating_add(SPECTATOR_NEWS_INTERVAL_MS);
        }
        Changed { spectators, away }
    }
}
