//! Turns at something scarce, shared fairly between addresses.
//!
//! Each network has a small share of the places (`network.rs`). If all places are taken, an address with fewer
//! takes one from the address with the most. Turns go round: each network gets its next one when the others that
//! wait have had theirs, and a wider network gets more of them, as it has more people. This does not know what the
//! turns are for.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::oneshot,
    task::futures::TaskLocalFuture,
    time::{Instant, timeout_at},
};

use crate::{
    limits::FAIR_NETWORKS_MAX,
    net::network::{Network, network, networks},
};

tokio::task_local! {
    /// The address for which the current task works.
    static ASKER: IpAddr;
}

/// Does something for somebody at this address. What it queues for counts for that address.
pub(crate) fn asked_from<F: Future>(address: IpAddr, work: F) -> TaskLocalFuture<IpAddr, F> {
    ASKER.scope(address, work)
}

/// The address for which the current task works; none if the server does it of its own accord.
pub(crate) fn asker() -> Option<IpAddr> {
    ASKER.try_with(|address| *address).ok()
}

/// How far a turn moves the narrowest network of an address back in the round.
const ROUND: u64 = 16;

/// How places and turns are shared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shares {
    /// Turns at once.
    pub(crate) running_max: usize,
    /// Places of those who have a turn or wait for one.
    pub(crate) places_max: usize,
    /// Places beside them for those who are vouched for.
    pub(crate) reserved: usize,
    /// Places of one address. Wider networks have more, and at most half of all.
    pub(crate) per_address_max: usize,
    /// How often one address gets a turn; absent if that is limited elsewhere.
    pub(crate) pace: Option<Pace>,
}

/// How often an address gets a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pace {
    /// Turns without a pause.
    pub(crate) at_once: u32,
    /// The time between two turns after that.
    pub(crate) interval: Duration,
}

/// No place is left for this address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NoPlace;

/// A queue of people who wait for a turn. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct FairQueue(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    shares: Shares,
    /// Locked only to change who waits and who has a turn.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    holders: HashMap<u64, Holder>,
    /// The number of the next holder.
    next: u64,
    running: usize,
    /// Where the round is: the start of the last turn.
    round: u64,
    networks: HashMap<Network, Usage>,
}

#[derive(Debug)]
struct Holder {
    address: IpAddr,
    is_vouched: bool,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// Has a place, and does not wait for a turn yet.
    Placed,
    Waiting {
        /// When in the round the turn is due; absent until its pace allows one.
        due: Option<u64>,
        /// Dropped if the place is taken away.
        notify: oneshot::Sender<()>,
    },
    Running,
}

/// What a network has used.
#[derive(Clone, Copy, Debug)]
struct Usage {
    /// When in the round its next turn is due.
    due: u64,
    /// When it may have its next turn by its pace, if it has had none at once.
    paced: Instant,
}

/// A place in the queue, with a turn or without. Dropping it gives both up.
#[derive(Debug)]
pub(crate) struct FairPlace {
    queue: FairQueue,
    number: u64,
    address: IpAddr,
}

impl FairQueue {
    pub(crate) fn new(shares: Shares) -> Self {
        Self(Arc::new(Shared { shares, state: Mutex::default() }))
    }

    /// A place for somebody at this address.
    ///
    /// # Errors
    /// If the address has its share, or all places are taken by addresses with no more than it has.
    pub(crate) fn place(&self, address: IpAddr, is_vouched: bool) -> Result<FairPlace, NoPlace> {
        let shares = &self.0.shares;
        let mut state = self.lock();
        let most = (shares.places_max / 2).max(1);
        let has_share = networks(address).all(|network| {
            state.places_of(network) < network.limit(shares.per_address_max).min(most)
        });
        if !has_share {
            return Err(NoPlace);
        }
        let is_full = if is_vouched {
            state.holders.len() >= shares.places_max + shares.reserved
        } else {
            state.places(false) >= shares.places_max
                || state.holders.len() >= shares.places_max + shares.reserved
        };
        if is_full && !state.take_from_another(address, is_vouched) {
            return Err(NoPlace);
        }
        let number = state.next;
        state.next += 1;
        state.holders.insert(number, Holder { address, is_vouched, stage: Stage::Placed });
        Ok(FairPlace { queue: self.clone(), number, address })
    }

    /// How many have a place.
    pub(crate) fn len(&self) -> usize {
        self.lock().holders.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the lock is held.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FairPlace {
    /// Waits for a turn, which lasts until this is dropped.
    ///
    /// # Errors
    /// If the place went to an address with fewer.
    pub(crate) async fn turn(&self) -> Result<(), NoPlace> {
        let Shares { running_max, pace, .. } = self.queue.0.shares;
        let now = Instant::now();
        let (notify, mut notified) = oneshot::channel();
        let at = {
            let mut state = self.queue.lock();
            state.set_stage(self.number, Stage::Waiting { due: None, notify });
            pace.map_or(now, |pace| state.pace(self.address, pace, now))
        };
        // Nobody gets a turn before its pace allows it, but the place may be taken away.
        if at > now && timeout_at(at, &mut notified).await.is_ok() {
            return Err(NoPlace);
        }
        {
            let mut state = self.queue.lock();
            let due = state.due(self.address);
            state.set_due(self.number, due);
            state.grant(running_max);
        }
        notified.await.map_err(|_| NoPlace)
    }
}

impl Drop for FairPlace {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        if let Some(Holder { stage: Stage::Running, .. }) = state.holders.remove(&self.number) {
            state.running -= 1;
        }
        state.grant(self.queue.0.shares.running_max);
    }
}

impl State {
    /// Places of those who are vouched for, or of the others.
    fn places(&self, is_vouched: bool) -> usize {
        self.holders.values().filter(|holder| holder.is_vouched == is_vouched).count()
    }

    fn places_of(&self, network: Network) -> usize {
        let is_in = |holder: &&Holder| networks(holder.address).any(|other| other == network);
        self.holders.values().filter(is_in).count()
    }

    fn set_stage(&mut self, number: u64, stage: Stage) {
        if let Some(holder) = self.holders.get_mut(&number) {
            holder.stage = stage;
        }
    }

    fn set_due(&mut self, number: u64, at: u64) {
        if let Some(Holder { stage: Stage::Waiting { due, .. }, .. }) =
            self.holders.get_mut(&number)
        {
            *due = Some(at);
        }
    }

    /// Takes the newest place of somebody who waits at the address with the most places, if that has at least
    /// two more than this one. A place of somebody vouched for goes only to another one. Returns whether it did.
    fn take_from_another(&mut self, address: IpAddr, is_vouched: bool) -> bool {
        let mut places: HashMap<IpAddr, usize> = HashMap::new();
        for holder in self.holders.values() {
            *places.entry(network(holder.address)).or_default() += 1;
        }
        let own = places.get(&network(address)).copied().unwrap_or(0);
        let newest = self
            .holders
            .iter()
            .filter(|(_, holder)| {
                matches!(holder.stage, Stage::Waiting { .. }) && (is_vouched || !holder.is_vouched)
            })
            .map(|(number, holder)| (places[&network(holder.address)], *number))
            .max();
        match newest {
            // Its place ends when this is dropped.
            Some((most, number)) if most > own + 1 => self.holders.remove(&number).is_some(),
            Some(_) | None => false,
        }
    }

    /// Notes a turn of this address in the round. Returns when it is due.
    fn due(&mut self, address: IpAddr) -> u64 {
        let round = self.round;
        let own =
            networks(address).map(|network| self.networks.get(&network).map_or(0, |own| own.due));
        let due = own.fold(round, u64::max);
        for network in networks(address) {
            self.usage(network).due = due + ROUND / u64::from(network.share());
        }
        due
    }

    /// Notes a turn of this address. Returns when it may begin by its pace.
    fn pace(&mut self, address: IpAddr, pace: Pace, now: Instant) -> Instant {
        let mut at = now;
        for network in networks(address) {
            let interval = pace.interval / network.share();
            let usage = self.usage(network);
            let next = usage.paced.max(now);
            let at_once = interval * (pace.at_once * network.share()).saturating_sub(1);
            at = at.max(next.checked_sub(at_once).unwrap_or(now));
            usage.paced = next + interval;
        }
        at
    }

    fn usage(&mut self, network: Network) -> &mut Usage {
        let now = Instant::now();
        if self.networks.len() >= FAIR_NETWORKS_MAX && !self.networks.contains_key(&network) {
            let round = self.round;
            self.networks.retain(|_, usage| usage.due > round || usage.paced > now);
            if self.networks.len() >= FAIR_NETWORKS_MAX {
                self.networks.clear();
            }
        }
        self.networks.entry(network).or_insert(Usage { due: 0, paced: now })
    }

    /// Gives turns to those who are due first.
    fn grant(&mut self, running_max: usize) {
        while self.running < running_max {
            let waiting = self.holders.iter().filter_map(|(number, holder)| match holder.stage {
                Stage::Waiting { due, .. } => due.map(|due| (due, *number)),
                Stage::Placed | Stage::Running => None,
            });
            let Some((due, number)) = waiting.min() else { return };
            self.round = self.round.max(due);
            let Some(holder) = self.holders.get_mut(&number) else { return };
            self.running += 1;
            if let Stage::Waiting { notify, .. } =
                std::mem::replace(&mut holder.stage, Stage::Running)
            {
                // One who has given up drops the place, and with it the turn.
                notify.send(()).ok();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::poll_immediate;

    use super::*;

    const SHARES: Shares =
        Shares { running_max: 1, places_max: 8, reserved: 2, per_address_max: 3, pace: None };

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn host(number: u8) -> IpAddr {
        [192, 0, 2, number].into()
    }

    fn take(queue: &FairQueue, address: IpAddr, count: usize) -> Vec<FairPlace> {
        (0..count).map_while(|_| queue.place(address, false).ok()).collect()
    }

    /// The order in which these addresses, which wait in this order, get their turns.
    async fn order(shares: Shares, addresses: &[IpAddr]) -> Vec<IpAddr> {
        let queue = FairQueue::new(shares);
        let first = queue.place(ip("198.51.100.1"), true).unwrap();
        first.turn().await.unwrap();
        let places: Vec<_> =
            addresses.iter().map(|address| queue.place(*address, true).unwrap()).collect();
        let mut turns: Vec<_> = places.iter().map(|place| Box::pin(place.turn())).collect();
        for turn in &mut turns {
            assert!(poll_immediate(turn.as_mut()).await.is_none());
        }
        drop(first);
        let mut waiting: Vec<_> = places.iter().zip(turns).collect();
        let mut order = Vec::new();
        while !waiting.is_empty() {
            let mut next = None;
            for (index, (_, turn)) in waiting.iter_mut().enumerate() {
                if let Some(turn) = poll_immediate(turn.as_mut()).await {
                    assert_eq!(turn, Ok(()));
                    assert_eq!(next.replace(index), None, "one turn at a time");
                }
            }
            let (place, turn) = waiting.remove(next.expect("somebody has a turn"));
            drop(turn);
            order.push(place.address);
            let mut state = queue.lock();
            state.holders.remove(&place.number);
            state.running -= 1;
            state.grant(1);
        }
        order
    }

    #[tokio::test]
    async fn addresses_get_turns_in_rounds() {
        let shares = Shares { places_max: 100, per_address_max: 100, ..SHARES };
        let [a, b, c] = [host(1), host(2), host(3)];
        assert_eq!(order(shares, &[a, a, a, b, b, c]).await, [a, b, c, a, b, a]);
        // A whole network counts as four addresses of the narrower ones at most.
        let net = |number: u16| ip(&format!("2001:db8:0:{number:x}::1"));
        let crowd: Vec<_> = (0..8).map(net).collect();
        let all: Vec<_> = crowd.iter().copied().chain([a, a]).collect();
        let turns = order(shares, &all).await;
        let place = |wanted| turns.iter().position(|address| *address == wanted).unwrap();
        assert!(place(a) <= 4, "{turns:?}");
        assert!(turns[..6].iter().filter(|address| address.is_ipv6()).count() >= 4, "{turns:?}");
    }

    #[tokio::test]
    async fn an_address_has_a_share_of_the_places_and_others_find_one() {
        let queue = FairQueue::new(SHARES);
        let flood = take(&queue, host(1), 100);
        assert_eq!(flood.len(), 3);
        // Of one /64, /56 and /48: never more than half of all.
        let wide = |number: u16| ip(&format!("2001:db8:0:{number:x}::1"));
        let crowd: Vec<_> = (0..100).flat_map(|number| take(&queue, wide(number), 100)).collect();
        assert_eq!(crowd.len(), 4);
        assert!(queue.place(host(2), false).is_ok());
    }

    #[tokio::test]
    async fn a_full_queue_takes_from_the_address_with_the_most() {
        let queue = FairQueue::new(SHARES);
        let running = queue.place(host(1), false).unwrap();
        running.turn().await.unwrap();
        let second = take(&queue, host(1), 2);
        let mut turns: Vec<_> = second.iter().map(|place| Box::pin(place.turn())).collect();
        for turn in &mut turns {
            assert!(poll_immediate(turn.as_mut()).await.is_none());
        }
        let others: Vec<_> = (2..7).flat_map(|number| take(&queue, host(number), 1)).collect();
        assert_eq!(others.len(), 5);
        let newcomer = queue.place(host(9), false).unwrap();
        // The newest of those who wait has lost its place, and nobody else.
        assert_eq!(poll_immediate(turns[1].as_mut()).await, Some(Err(NoPlace)));
        assert_eq!(poll_immediate(turns[0].as_mut()).await, None);
        let second_newcomer = queue.place(host(10), false).unwrap();
        assert_eq!(poll_immediate(turns[0].as_mut()).await, Some(Err(NoPlace)));
        assert_eq!(queue.place(host(11), false).err(), Some(NoPlace), "nobody has two more");
        // Places for those who are vouched for.
        let vouched: Vec<_> =
            (20..30).map_while(|number| queue.place(host(number), true).ok()).collect();
        assert_eq!(vouched.len(), SHARES.reserved);
        drop(turns);
        drop((running, second, newcomer, second_newcomer, others, vouched));
        let state = queue.lock();
        assert_eq!((state.holders.len(), state.running), (0, 0));
    }

    #[tokio::test]
    async fn one_who_gives_up_keeps_no_turn() {
        let queue = FairQueue::new(SHARES);
        let first = queue.place(host(1), false).unwrap();
        first.turn().await.unwrap();
        let gone = queue.place(host(2), false).unwrap();
        assert!(poll_immediate(Box::pin(gone.turn())).await.is_none());
        let last = queue.place(host(3), false).unwrap();
        let mut turn = Box::pin(last.turn());
        assert!(poll_immediate(turn.as_mut()).await.is_none());
        // It is granted, and its owner never looks.
        drop(first);
        assert!(poll_immediate(turn.as_mut()).await.is_none());
        drop(gone);
        assert_eq!(poll_immediate(turn.as_mut()).await, Some(Ok(())));
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_has_a_pace_that_no_other_notices() {
        let pace = Some(Pace { at_once: 2, interval: Duration::from_secs(1) });
        let queue = FairQueue::new(Shares { pace, ..SHARES });
        let begin = Instant::now();
        let turn = async |address| {
            let place = queue.place(address, false).unwrap();
            place.turn().await.unwrap();
            begin.elapsed().as_secs()
        };
        let own = async {
            let mut times = Vec::new();
            for _ in 0..5 {
                times.push(turn(host(1)).await);
            }
            times
        };
        assert_eq!(own.await, [0, 0, 1, 2, 3]);
        assert_eq!(turn(host(2)).await, 3);
        assert_eq!(turn(host(2)).await, 3);
        assert_eq!(turn(host(2)).await, 4);
        assert!(queue.lock().networks.len() <= 2);
    }
}
