//! Which members have declined whose challenges, and how long the challengers wait until they may challenge
//! the same member again.
//!
//! An account waits by itself. A guest waits with all guests of the same address, because a new guest
//! costs nothing; the wider networks of an IPv6 address wait after more declines.

use std::{collections::HashMap, net::IpAddr};

use fivefold_shared::{clock::millis, protocol::MemberId};

use super::input::{Challenger, Seeker};
use crate::{
    limits::challenges::{DECLINE_PAUSES, DECLINES_FADE, DECLINES_FREE, DECLINES_KEPT},
    net::network::{Network, networks},
};

/// The declines of the last day.
#[derive(Debug, Default)]
pub(super) struct Declines(HashMap<(MemberId, Whose), Declined>);

/// Whose challenges were declined.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Whose {
    Member(MemberId),
    Network(Network),
}

/// How often, and when last.
#[derive(Clone, Copy, Default, Debug)]
struct Declined {
    count: u32,
    last: u64,
}

impl Declines {
    pub(super) fn note(&mut self, now: u64, to: &MemberId, by: &Challenger) {
        for whose in all_of(&by.member, by.address) {
            let Declined { count, last } = self.0.entry((to.clone(), whose)).or_default();
            *count = if now < *last + millis(DECLINES_FADE) { count.saturating_add(1) } else { 1 };
            *last = now;
        }
        self.forget_old(now);
    }

    /// When somebody may challenge a member again; in the past for most.
    pub(super) fn paused_until(&self, to: &MemberId, by: &Seeker) -> u64 {
        let counts = |whose: &Whose| !by.account || matches!(whose, Whose::Member(_));
        let own = all_of(&by.member, by.address).filter(counts);
        let until = own.map(|whose| {
            let share = whose.share();
            self.0.get(&(to.clone(), whose)).map_or(0, |declined| declined.until(share))
        });
        until.max().unwrap_or_default()
    }

    /// A member plays with somebody, so their declines no longer count.
    pub(super) fn forget(&mut self, to: &MemberId, by: &Seeker) {
        for whose in all_of(&by.member, by.address) {
            self.0.remove(&(to.clone(), whose));
        }
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Forgets what has faded, and the older half of the rest if that is too much.
    fn forget_old(&mut self, now: u64) {
        if self.0.len() <= DECLINES_KEPT {
            return;
        }
        self.0.retain(|_, declined| now < declined.last + millis(DECLINES_FADE));
        if self.0.len() <= DECLINES_KEPT {
            return;
        }
        let mut times: Vec<u64> = self.0.values().map(|declined| declined.last).collect();
        let middle = times.len() / 2;
        let (_, kept_since, _) = times.select_nth_unstable(middle);
        let kept_since = *kept_since;
        self.0.retain(|_, declined| declined.last > kept_since);
    }
}

impl Whose {
    fn share(&self) -> u32 {
        match self {
            Self::Member(_) => 1,
            Self::Network(network) => network.share(),
        }
    }
}

impl Declined {
    /// The end of the pause, for somebody with this share of the declines.
    fn until(self, share: u32) -> u64 {
        let Some(pauses) = (self.count / share).checked_sub(DECLINES_FREE + 1) else { return 0 };
        let longest = DECLINE_PAUSES.len() - 1;
        let index = usize::try_from(pauses).unwrap_or(longest).min(longest);
        self.last + millis(DECLINE_PAUSES[index])
    }
}

fn all_of(member: &MemberId, address: Option<IpAddr>) -> impl Iterator<Item = Whose> {
    let networks = address.into_iter().flat_map(networks).map(Whose::Network);
    std::iter::once(Whose::Member(member.clone())).chain(networks)
}
