//! The sanctions that hold, in memory: asked before somebody chats, plays rated games or signs in. Those of
//! a person hold for the person's bots.
//!
//! It does not know where they come from; `moderation.rs` keeps them current.

use std::{
    collections::{HashMap, HashSet},
    iter,
    sync::{Mutex, MutexGuard, PoisonError},
};

use fivefold_shared::{
    protocol::{MemberId, Reason, Refusal, RefusalValues},
    seat::{BySeat, Seat},
};
use fivefold_storage::{CaseId, Sanction, SanctionKind};

/// The sanctions that hold.
#[derive(Debug, Default)]
pub(crate) struct Sanctions {
    /// Locked only to look up or replace them.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The storage's number, when they were read.
    revision: Option<u64>,
    members: HashMap<MemberId, Vec<Sanction>>,
    /// The owners of bots who have sanctions.
    owners: HashMap<MemberId, MemberId>,
}

impl Sanctions {
    /// Whether a member may do what sanctions of this kind forbid, at a time.
    ///
    /// # Errors
    /// If a sanction holds: with its end and the operator's words. `reason` is the refusal's.
    pub(crate) fn check(
        &self,
        member: &MemberId,
        kind: SanctionKind,
        reason: Reason,
        now: u64,
    ) -> Result<(), Refusal> {
        let state = self.lock();
        let answerable = iter::once(member).chain(state.owners.get(member));
        let held = answerable.filter_map(|one| state.members.get(one)).flatten();
        let held = held.filter(|sanction| sanction.kind == kind && sanction.is_active(now));
        // The one that ends last; one without an end is the last of all.
        let last = held.max_by_key(|sanction| sanction.until_at.unwrap_or(u64::MAX));
        last.map_or(Ok(()), |sanction| {
            let (until, why) = (sanction.until_at, Some(sanction.reason.clone()));
            Err(Refusal::with(reason, RefusalValues { until, why, ..RefusalValues::default() }))
        })
    }

    /// Whether a member may play rated games.
    ///
    /// # Errors
    /// If an operator does not let them: with the end and the operator's words.
    pub(crate) fn may_play_rated(&self, member: &MemberId, now: u64) -> Result<(), Refusal> {
        self.check(member, SanctionKind::Unrated, Reason::NoRatedGames, now)
    }

    /// Whether both of these players may play rated games.
    pub(crate) fn may_both_play_rated(&self, players: &BySeat<MemberId>, now: u64) -> bool {
        Seat::BOTH.into_iter().all(|seat| self.may_play_rated(&players[seat], now).is_ok())
    }

    /// The sanctions that hold for a member at a time.
    pub(crate) fn of(&self, member: &MemberId, now: u64) -> Vec<Sanction> {
        let state = self.lock();
        let held = state.members.get(member).into_iter().flatten();
        held.filter(|sanction| sanction.is_active(now)).cloned().collect()
    }

    /// The sanction that closes an account at a time, if one does.
    pub(crate) fn closing(&self, member: &MemberId, now: u64) -> Option<CaseId> {
        let state = self.lock();
        let mut held = state.members.get(member).into_iter().flatten();
        let closes =
            |sanction: &&Sanction| sanction.kind == SanctionKind::Close && sanction.is_active(now);
        held.find(closes).map(|sanction| sanction.id.clone())
    }

    /// The bots of a member with sanctions.
    pub(crate) fn bots_of(&self, member: &MemberId) -> Vec<MemberId> {
        let state = self.lock();
        let own = state.owners.iter().filter(|(_, owner)| *owner == member);
        own.map(|(bot, _)| bot.clone()).collect()
    }

    /// The storage's number when they were read last.
    pub(crate) fn revision(&self) -> Option<u64> {
        self.lock().revision
    }

    /// Replaces all of them by those that the storage has now, and the bots of these members by these, each
    /// with its owner. Returns the sanctions that are new.
    pub(crate) fn replace(
        &self,
        revision: u64,
        sanctions: Vec<Sanction>,
        bots: Vec<(MemberId, MemberId)>,
    ) -> Vec<Sanction> {
        let mut state = self.lock();
        let before = state.members.values().flatten().map(|sanction| sanction.id.clone());
        let before: HashSet<CaseId> = before.collect();
        let new: Vec<_> =
            sanctions.iter().filter(|sanction| !before.contains(&sanction.id)).cloned().collect();
        state.revision = Some(revision);
        state.owners = bots.into_iter().collect();
        state.members.clear();
        for sanction in sanctions {
            state.members.entry(sanction.member.clone()).or_default().push(sanction);
        }
        new
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics between two changes that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
