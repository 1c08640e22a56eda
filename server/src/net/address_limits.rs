//! Rate limits per address, shared by all its sessions.
//!
//! The counts belong to the address, so reconnecting gives no new allowance. The map is bounded: it
//! drops addresses without sessions, the longest idle first.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::time::Instant;

use crate::{
    limits::{ADDRESS_SHARES, CHALLENGES_PER_HOUR, IDLE_ADDRESSES_MAX, Limits},
    net::{network::network, shrink::shrink, token_bucket::SharedBucket},
};

/// The number of rates that each address has.
pub(crate) const RATES: usize = 7;

/// The rate limits of all addresses.
#[derive(Debug)]
pub(crate) struct AddressLimits {
    limits: Limits,
    /// Locked only to look up an address.
    addresses: Mutex<HashMap<IpAddr, Arc<AddressLimit>>>,
}

/// The rate limits of one address, shared by its sessions.
#[derive(Debug)]
pub(crate) struct AddressLimit(Mutex<Buckets>);

/// Locked only to take a token.
#[derive(Debug)]
struct Buckets {
    connections: SharedBucket,
    commands: SharedBucket,
    /// HTTP requests. They use no tokens of the players' commands.
    http: SharedBucket,
    lines: SharedBucket,
    help: SharedBucket,
    unknown_codes: SharedBucket,
    challenges: SharedBucket,
}

impl AddressLimits {
    /// No address has used anything yet.
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, addresses: Mutex::default() }
    }

    /// The rate limits of this address.
    pub(crate) fn of(&self, address: IpAddr, now: Instant) -> Arc<AddressLimit> {
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if addresses.len() > IDLE_ADDRESSES_MAX.saturating_add(self.limits.sessions_max) {
            forget_unused(&mut addresses, now);
        }
        if addresses.len() > IDLE_ADDRESSES_MAX.saturating_add(self.limits.sessions_max) {
            addresses.retain(|_, rate| !is_idle(rate));
        }
        let rate = addresses.entry(network(address)).or_insert_with(|| {
            Arc::new(AddressLimit(Mutex::new(Buckets {
                connections: SharedBucket::new(
                    now,
                    self.limits.connections_per_second.into(),
                    u32::try_from(self.limits.connections_per_address_max()).unwrap_or(u32::MAX),
                ),
                commands: SharedBucket::new(
                    now,
                    self.limits.address_commands_per_second.into(),
                    self.limits.address_commands_burst,
                ),
                http: SharedBucket::new(
                    now,
                    self.limits.http_tokens_per_second.into(),
                    self.limits.http_tokens_burst,
                ),
                lines: SharedBucket::new(
                    now,
                    f64::from(self.limits.lines_per_minute * ADDRESS_SHARES) / 60.0,
                    self.limits.lines_burst * ADDRESS_SHARES,
                ),
                help: SharedBucket::new(
                    now,
                    f64::from(self.limits.help_per_minute * ADDRESS_SHARES) / 60.0,
                    self.limits.help_burst * ADDRESS_SHARES,
                ),
                unknown_codes: SharedBucket::new(
                    now,
                    f64::from(self.limits.unknown_codes_per_minute) / 60.0,
                    self.limits.unknown_codes_per_minute,
                ),
                challenges: SharedBucket::new(
                    now,
                    f64::from(CHALLENGES_PER_HOUR) / 3_600.0,
                    CHALLENGES_PER_HOUR,
                ),
            })))
        });
        Arc::clone(rate)
    }

    /// Forgets addresses without sessions that have their full allowances: new ones would be the same.
    pub(crate) fn forget_unused(&self, now: Instant) {
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        forget_unused(&mut addresses, now);
    }
}

impl AddressLimits {
    /// What each address has taken since the last report. A rate counts 0 until more than a quarter
    /// of it is used.
    pub(crate) fn report(&self, now: Instant) -> Vec<(IpAddr, [u32; RATES])> {
        let addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = addresses.iter().map(|(address, rates)| {
            (*address, rates.lock().all().map(|bucket| bucket.report(now)))
        });
        taken.filter(|(_, taken)| *taken != [0; RATES]).collect()
    }

    /// Takes in what an address has taken on another node.
    pub(crate) fn take_elsewhere(&self, address: IpAddr, taken: [u32; RATES], now: Instant) {
        let rates = self.of(address, now);
        for (shared, count) in rates.lock().all().into_iter().zip(taken) {
            shared.bucket.drain(now, count);
        }
    }
}

impl AddressLimit {
    /// Takes one new connection from the allowance; `false` if none is left.
    pub(crate) fn take_connection(&self, now: Instant) -> bool {
        self.lock().connections.take(now)
    }

    /// Takes one command from the allowance; `false` if none is left.
    pub(crate) fn take_command(&self, now: Instant) -> bool {
        self.lock().commands.take(now)
    }

    /// Takes the cost of an HTTP request from the allowance; `false` if too little is left.
    pub(crate) fn take_http(&self, now: Instant, tokens: u32) -> bool {
        self.lock().http.take_many(now, tokens)
    }

    /// Takes one chat message from the allowance; `false` if none is left.
    pub(crate) fn take_line(&self, now: Instant) -> bool {
        self.lock().lines.take(now)
    }

    /// Takes one bot request from the allowance; `false` if none is left.
    pub(crate) fn take_help(&self, now: Instant) -> bool {
        self.lock().help.take(now)
    }

    /// Takes one challenge from the allowance; `false` if none is left.
    pub(crate) fn take_challenge(&self, now: Instant) -> bool {
        self.lock().challenges.take(now)
    }

    /// Whether the address may look up a room code. Only failed lookups use up the allowance; once
    /// it is empty, every lookup is refused, so that guessing stops.
    pub(crate) fn may_try_code(&self, now: Instant) -> bool {
        self.lock().unknown_codes.bucket.has_one(now)
    }

    /// Records a failed room-code lookup.
    pub(crate) fn note_unknown_code(&self, now: Instant) {
        self.lock().unknown_codes.take(now);
    }

    fn lock(&self) -> MutexGuard<'_, Buckets> {
        // Nothing panics while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Buckets {
    fn are_full(&mut self, now: Instant) -> bool {
        self.all().into_iter().all(|shared| shared.bucket.is_full(now))
    }

    fn all(&mut self) -> [&mut SharedBucket; RATES] {
        let Self { connections, commands, http, lines, help, unknown_codes, challenges } = self;
        [connections, commands, http, lines, help, unknown_codes, challenges]
    }
}

fn forget_unused(addresses: &mut HashMap<IpAddr, Arc<AddressLimit>>, now: Instant) {
    addresses.retain(|_, rate| !(is_idle(rate) && rate.lock().are_full(now)));
    shrink(addresses);
}

/// Whether an address has no session.
fn is_idle(rate: &Arc<AddressLimit>) -> bool {
    Arc::strong_count(rate) == 1
}

#[cfg(test)]
mod tests {
    use std::{net::Ipv4Addr, time::Duration};

    use super::*;

    #[test]
    fn an_address_keeps_its_allowance_and_gets_it_back() {
        let limits =
            Limits { unknown_codes_per_minute: 2, address_commands_burst: 3, ..Limits::DEFAULT };
        let rates = AddressLimits::new(limits);
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let now = Instant::now();
        for _ in 0..2 {
            let rate = rates.of(address, now);
            assert!(rate.may_try_code(now));
            rate.note_unknown_code(now);
        }
        assert!(!rates.of(address, now).may_try_code(now));
        let later = now + Duration::from_secs(31);
        assert!(rates.of(address, later).may_try_code(later));
        let taken = (0..5).filter(|_| rates.of(address, later).take_command(later)).count();
        assert_eq!(taken, 3);
    }

    #[test]
    fn nodes_share_the_rates_of_an_address() {
        let limits =
            Limits { address_commands_per_second: 4, address_commands_burst: 8, ..Limits::DEFAULT };
        let [one, other] = [AddressLimits::new(limits), AddressLimits::new(limits)];
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let now = Instant::now();
        let take = |node: &AddressLimits, count: u32, now| {
            (0..count).filter(|_| node.of(address, now).take_command(now)).count()
        };
        // A quarter of the commands is not worth a report.
        assert_eq!(take(&one, 2, now), 2);
        assert_eq!(one.report(now), []);
        assert_eq!(take(&one, 3, now), 3);
        let report = one.report(now);
        assert_eq!(report, [(address, [0, 3, 0, 0, 0, 0, 0])]);
        for (address, taken) in report {
            other.take_elsewhere(address, taken, now);
        }
        assert_eq!(take(&other, 100, now), 5, "at the limit, and none past it");
        assert_eq!(take(&other, 100, now + Duration::from_secs(1)), 4);
    }

    #[test]
    fn addresses_with_their_full_allowances_are_forgotten() {
        let rates = AddressLimits::new(Limits { connections_per_second: 1, ..Limits::DEFAULT });
        let now = Instant::now();
        let address = |n: u32| IpAddr::V4(Ipv4Addr::from(n));
        let session = rates.of(address(0), now);
        (1..10_000).for_each(|n| assert!(rates.of(address(n), now).take_connection(now)));
        assert!(rates.of(address(10_000), now).take_challenge(now));
        let known = |at: u64| {
            rates.forget_unused(now + Duration::from_secs(at));
            rates.addresses.lock().unwrap().len()
        };
        assert_eq!((known(0), known(2)), (10_001, 2), "one has a session, one has challenged");
        assert!(rates.addresses.lock().unwrap().capacity() < 2_000);
        assert_eq!(known(3_600), 1);
        drop(session);
        assert_eq!(known(3_600), 0);
    }

    #[test]
    fn addresses_without_sessions_are_forgotten_in_time() {
        let limits = Limits { sessions_max: 0, ..Limits::DEFAULT };
        let rates = AddressLimits::new(limits);
        let now = Instant::now();
        let address = |n: usize| IpAddr::V4(Ipv4Addr::from(u32::try_from(n).unwrap()));
        let held = rates.of(address(0), now);
        held.note_unknown_code(now);
        for n in 1..3 * IDLE_ADDRESSES_MAX {
            let rate = rates.of(address(n), now);
            // The recently active ones are dropped last.
            if n % 2 == 0 {
                rate.note_unknown_code(now);
            }
            assert!(rates.addresses.lock().unwrap().len() <= IDLE_ADDRESSES_MAX + 1);
        }
        assert!(Arc::ptr_eq(&held, &rates.of(address(0), now)));
    }
}
