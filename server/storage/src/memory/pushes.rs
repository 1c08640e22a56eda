//! Pushes in memory.

use std::collections::{BTreeMap, HashMap};

use fivefold_shared::{
    clock::millis,
    protocol::{MemberId, RoomCode},
};

use crate::{
    PushGame, PushServer, PushSettings, PushSubscription,
    limits::{PUSH_GAME_KEPT, PUSH_SUBSCRIPTIONS_MAX},
};

/// The server's key, the browsers and settings of members, and the games that wait for them.
#[derive(Debug, Default)]
pub(super) struct Pushes {
    pub(super) server: Option<PushServer>,
    pub(super) subscriptions: Vec<(MemberId, PushSubscription)>,
    pub(super) settings: HashMap<MemberId, PushSettings>,
    pub(super) games: BTreeMap<(MemberId, RoomCode), PushGame>,
}

impl Pushes {
    /// Adds a subscription, and takes out those beyond the limit.
    pub(super) fn subscribe(&mut self, member: &MemberId, new: &PushSubscription) {
        self.subscriptions.retain(|(_, known)| known.endpoint != new.endpoint);
        self.subscriptions.push((member.clone(), new.clone()));
        self.subscriptions.sort_by(|(_, one), (_, other)| {
            (one.made_at, &other.endpoint).cmp(&(other.made_at, &one.endpoint))
        });
        let own = self.subscriptions.iter().filter(|(owner, _)| owner == member).count();
        let mut extra = own.saturating_sub(PUSH_SUBSCRIPTIONS_MAX);
        self.subscriptions.retain(|(owner, _)| {
            let goes = owner == member && extra > 0;
            extra -= usize::from(goes);
            !goes
        });
    }

    /// Forgets the subscriptions whose sessions have ended.
    pub(super) fn keep_sessions(
        &mut self,
        is_there: impl Fn(&MemberId, &PushSubscription) -> bool,
    ) {
        self.subscriptions.retain(|(member, known)| is_there(member, known));
    }

    /// Forgets turns that are over, and those that have waited for too long, at most so many.
    pub(super) fn prune(
        &mut self,
        now: u64,
        rows_max: usize,
        is_turn: impl Fn(&PushGame) -> bool,
    ) -> usize {
        let mut pruned = 0;
        self.games.retain(|_, game| {
            let is_old = game.since <= now.saturating_sub(millis(PUSH_GAME_KEPT));
            let goes = (is_old || !is_turn(game)) && pruned < rows_max;
            pruned += usize::from(goes);
            !goes
        });
        pruned
    }

    /// Forgets those of these members.
    pub(super) fn forget(&mut self, members: &[MemberId]) {
        self.subscriptions.retain(|(member, _)| !members.contains(member));
        self.settings.retain(|member, _| !members.contains(member));
        self.games.retain(|(member, _), _| !members.contains(member));
    }
}
