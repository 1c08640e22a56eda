//! Pushes in memory.

use std::collections::{BTreeMap, HashMap};

use fivefold_shared::{
    clock::millis,
    protocol::{MemberId, RoomCode},
};

use crate::{
    PushGame, PushServer, PushSettings, PushSubscription, WaitingNews,
    limits::{PUSH_GAME_KEPT, PUSH_SUBSCRIPTIONS_MAX},
};

/// The server's key, the browsers and settings of members, and the games that wait for them.
#[derive(Debug, Default)]
pub(super) struct Pushes {
    pub(super) server: Option<PushServer>,
    pub(super) subscriptions: Vec<(MemberId, PushSubscription)>,
    pub(super) settings: HashMap<MemberId, PushSettings>,
    pub(super) games: BTreeMap<(MemberId, RoomCode), PushGame>,
    /// By their members and subjects.
    pub(super) news: BTreeMap<(MemberId, String), WaitingNews>,
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

    /// Lets news wait, in the place of older news about the same.
    pub(super) fn keep(&mut self, news: &WaitingNews) -> bool {
        self.news.insert((news.member.clone(), news.subject.clone()), news.clone());
        true
    }

    /// Takes news out if it is due at this time.
    pub(super) fn tell(&mut self, news: &WaitingNews) -> bool {
        let waits = self.waiting(news).is_some();
        waits && self.news.remove(&(news.member.clone(), news.subject.clone())).is_some()
    }

    /// What is stored of news, if it is due at this time.
    pub(super) fn waiting(&mut self, news: &WaitingNews) -> Option<&mut WaitingNews> {
        let known = self.news.get_mut(&(news.member.clone(), news.subject.clone()));
        known.filter(|known| known.due == news.due)
    }

    /// Forgets the subscriptions whose sessions have ended.
    pub(super) fn keep_sessions(
        &mut self,
        is_there: impl Fn(&MemberId, &PushSubscription) -> bool,
    ) {
        self.subscriptions.retain(|(member, known)| is_there(member, known));
    }

    /// Forgets turns that are over, those that have waited for too long, and news that is of no use, at most so many.
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
        self.news.retain(|_, news| {
            let goes = news.until <= now && pruned < rows_max;
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
        self.news.retain(|(member, _), _| !members.contains(member));
    }
}
