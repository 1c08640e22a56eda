//! How often people may sign up, sign in and recover accounts.
//!
//! Tries to sign in count for the address and the name together, and for the name alone. The latter do
//! not count at an address where the account was used before, so nobody can lock its owner out.

use std::{
    collections::VecDeque,
    hash::Hash,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use fivefold_shared::protocol::{MemberId, Refusal};
use fivefold_storage::{
    KeyHash,
    limits::{DAY, FRIEND_DECLINED_PAUSE},
};
use tokio::time::Instant;

use crate::{
    accounts::passwords::Whose,
    limits::{
        accounts::{
            ADDRESSES_NAMED_MAX, CHALLENGE_NOTICES_MAX, CHALLENGE_PUSHED_AGAIN_AFTER,
            DEVICE_CODE_KEPT, DEVICE_CODES_MAX, DEVICE_CODES_WITHIN, DEVICE_POLL_AFTER,
            DEVICE_POLLS_MAX, DEVICE_TRIES_MAX, KNOWN_ADDRESSES_MAX, MAILS_MAX, MAILS_TO_MAX,
            MAILS_WITHIN, NAME_SIGN_INS_MAX, NAME_SIGN_INS_WITHIN, OIDC_STARTS_MAX,
            OIDC_STARTS_WITHIN, RECOVERIES_MAX, RECOVERIES_WITHIN, SIGN_INS_MAX, SIGN_INS_WITHIN,
            SIGN_UPS_MAX, SIGN_UPS_WITHIN, TIMES_OFF_BEGUN_MAX, VOUCHED_SIGN_UPS_MAX,
        },
        operators::{FIRST_OPERATOR_TRIES_MAX, FIRST_OPERATOR_TRIES_WITHIN},
    },
    net::{
        network::network,
        token_buckets::{Newest, TokenBuckets},
    },
};

/// Counts tries. IPv6 addresses count by their /64 network.
#[derive(Debug)]
pub(crate) struct AccountTries(Mutex<State>);

/// Locked only to count one try.
#[derive(Debug)]
struct State {
    sign_ups: TokenBuckets<IpAddr>,
    /// Of people for whom another site vouches.
    vouched_sign_ups: TokenBuckets<IpAddr>,
    /// By the address and the likeness of the name.
    sign_ins: NameTries<(IpAddr, String)>,
    /// By the likeness of the name.
    names: NameTries<String>,
    /// By the likeness of the name, on devices where the account was opened before.
    earlier_devices: TokenBuckets<String>,
    recoveries: TokenBuckets<IpAddr>,
    /// Ways to another site.
    oidc: TokenBuckets<IpAddr>,
    /// Wrong codes of devices.
    device_tries: TokenBuckets<IpAddr>,
    /// New codes for devices.
    device_codes: TokenBuckets<IpAddr>,
    /// How often devices ask whether their code was allowed.
    device_polls: TokenBuckets<KeyHash>,
    /// Tries at the link that makes the first operator.
    first_operator: TokenBuckets<IpAddr>,
    /// Beginnings of time off.
    times_off: TokenBuckets<MemberId>,
    /// Pushes and notices about challenges, and notices about friend requests, by sender and receiver. They are counted
    /// because a member can take back a challenge or a request and send it again.
    challenge_pushes: TokenBuckets<(MemberId, MemberId)>,
    challenge_notices: TokenBuckets<(MemberId, MemberId)>,
    request_notices: TokenBuckets<(MemberId, MemberId)>,
    /// E-mails, by the network that asks for them.
    mails: TokenBuckets<IpAddr>,
    /// Links that confirm an address, by the account that names it, and by the address.
    named_by: TokenBuckets<MemberId>,
    named: TokenBuckets<String>,
    /// Mailed codes, by the likeness of the account's name.
    mailed_codes: TokenBuckets<String>,
    /// The addresses where accounts were used, by the likeness of the name.
    known: Newest<String, VecDeque<IpAddr>>,
}

/// Buckets of names. Anybody can make up names, so those that accounts have are apart, and none of them makes way
/// for one that is made up.
#[derive(Debug)]
struct NameTries<K> {
    of_accounts: TokenBuckets<K>,
    others: TokenBuckets<K>,
}

impl AccountTries {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(State {
            sign_ups: TokenBuckets::new(SIGN_UPS_MAX, SIGN_UPS_WITHIN),
            vouched_sign_ups: TokenBuckets::new(VOUCHED_SIGN_UPS_MAX, SIGN_UPS_WITHIN),
            sign_ins: NameTries::new(SIGN_INS_MAX, SIGN_INS_WITHIN),
            names: NameTries::new(NAME_SIGN_INS_MAX, NAME_SIGN_INS_WITHIN),
            earlier_devices: TokenBuckets::new(NAME_SIGN_INS_MAX, NAME_SIGN_INS_WITHIN),
            recoveries: TokenBuckets::new(RECOVERIES_MAX, RECOVERIES_WITHIN),
            oidc: TokenBuckets::new(OIDC_STARTS_MAX, OIDC_STARTS_WITHIN),
            device_tries: TokenBuckets::new(DEVICE_TRIES_MAX, DEVICE_CODE_KEPT),
            device_codes: TokenBuckets::new(DEVICE_CODES_MAX, DEVICE_CODES_WITHIN),
            device_polls: TokenBuckets::new(DEVICE_POLLS_MAX, DEVICE_POLL_AFTER * DEVICE_POLLS_MAX),
            first_operator: TokenBuckets::new(
                FIRST_OPERATOR_TRIES_MAX,
                FIRST_OPERATOR_TRIES_WITHIN,
            ),
            times_off: TokenBuckets::new(TIMES_OFF_BEGUN_MAX, DAY),
            challenge_pushes: TokenBuckets::new(1, CHALLENGE_PUSHED_AGAIN_AFTER),
            challenge_notices: TokenBuckets::new(
                CHALLENGE_NOTICES_MAX,
                CHALLENGE_PUSHED_AGAIN_AFTER,
            ),
            request_notices: TokenBuckets::new(1, FRIEND_DECLINED_PAUSE),
            mails: TokenBuckets::new(MAILS_MAX, MAILS_WITHIN),
            named_by: TokenBuckets::new(ADDRESSES_NAMED_MAX, DAY),
            named: TokenBuckets::new(MAILS_TO_MAX, DAY),
            mailed_codes: TokenBuckets::new(MAILS_TO_MAX, DAY),
            known: Newest::new(),
        }))
    }

    /// Counts a new account.
    ///
    /// # Errors
    /// If there were too many at this address.
    pub(crate) fn sign_up(&self, address: IpAddr, now: Instant) -> Result<(), Refusal> {
        self.lock().sign_ups.take(network(address), now)
    }

    /// Counts a new account of somebody who has signed in at another site.
    ///
    /// # Errors
    /// If there were too many at this address.
    pub(crate) fn vouched_sign_up(&self, address: IpAddr, now: Instant) -> Result<(), Refusal> {
        self.lock().vouched_sign_ups.take(network(address), now)
    }

    /// Counts a beginning of a member's time off: it wakes the rooms of all their games.
    ///
    /// # Errors
    /// If there were too many.
    pub(crate) fn time_off(&self, member: &MemberId, now: Instant) -> Result<(), Refusal> {
        self.lock().times_off.take(member.clone(), now)
    }

    /// Whether a friend gets a push now about a challenge from this member; counts it.
    pub(crate) fn pushes_challenge(&self, by: &MemberId, to: &MemberId, now: Instant) -> bool {
        self.lock().challenge_pushes.take((by.clone(), to.clone()), now).is_ok()
    }

    /// Whether a friend gets a notice now, on an open page, about a challenge from this member; counts it.
    pub(crate) fn notices_challenge(&self, by: &MemberId, to: &MemberId, now: Instant) -> bool {
        self.lock().challenge_notices.take((by.clone(), to.clone()), now).is_ok()
    }

    /// A friend has accepted a challenge from this member, so the friend is told of the next one again.
    pub(crate) fn note_accepted(&self, by: &MemberId, to: &MemberId) {
        let (mut state, pair) = (self.lock(), (by.clone(), to.clone()));
        state.challenge_pushes.remove(&pair);
        state.challenge_notices.remove(&pair);
    }

    /// Whether somebody gets a notice now about a friend request from this member; counts it.
    pub(crate) fn notices_request(&self, by: &MemberId, to: &MemberId, now: Instant) -> bool {
        self.lock().request_notices.take((by.clone(), to.clone()), now).is_ok()
    }

    /// Counts a link to an e-mail address that an account has named.
    ///
    /// # Errors
    /// If this network or account has asked for too many, or too many were sent to this address.
    pub(crate) fn name_email(
        &self,
        network_address: IpAddr,
        member: &MemberId,
        address: &str,
        now: Instant,
    ) -> Result<(), Refusal> {
        let mut state = self.lock();
        state.mails.take(network(network_address), now)?;
        state.named_by.take(member.clone(), now)?;
        state.named.take(mailbox(address), now)
    }

    /// Counts a mailed code for an account by a name of this likeness. Where the account was used before, others cannot use
    /// up its codes.
    ///
    /// # Errors
    /// If this network has asked for too many, or too many were asked for this name.
    pub(crate) fn mail_code(
        &self,
        address: IpAddr,
        likeness: &str,
        now: Instant,
    ) -> Result<(), Refusal> {
        let mut state = self.lock();
        let place = (network(address), likeness.to_owned());
        let whose = state.whose(&place);
        state.mails.take(place.0, now)?;
        match whose {
            Whose::Known => Ok(()),
            Whose::Guest | Whose::Stranger => state.mailed_codes.take(place.1, now),
        }
    }

    /// Counts a try to sign in by a name of this likeness, or to confirm something by a password. Returns
    /// whose try it is: on a device where the account was opened before, that of somebody known.
    ///
    /// # Errors
    /// If there were too many.
    pub(crate) fn sign_in(
        &self,
        address: IpAddr,
        likeness: &str,
        is_earlier_device: bool,
        now: Instant,
    ) -> Result<Whose, Refusal> {
        let mut state = self.lock();
        let place = (network(address), likeness.to_owned());
        let whose = state.whose(&place);
        state.sign_ins.take(place, now)?;
        match (whose, is_earlier_device) {
            (Whose::Known, _) => {}
            // A thief of such a device's cookie guesses no more often than all others together.
            (Whose::Guest | Whose::Stranger, true) => {
                state.earlier_devices.take(likeness.to_owned(), now)?;
                return Ok(Whose::Known);
            }
            (Whose::Guest | Whose::Stranger, false) => {
                state.names.take(likeness.to_owned(), now)?;
            }
        }
        Ok(whose)
    }

    /// Notes that there is an account by a name of this likeness, at which somebody at this address tries.
    pub(crate) fn note_account(&self, address: IpAddr, likeness: &str) {
        let mut state = self.lock();
        state.sign_ins.note_account(&(network(address), likeness.to_owned()));
        state.names.note_account(&likeness.to_owned());
    }

    /// Counts a try to recover an account by a name of this likeness. Returns whose try it is.
    ///
    /// # Errors
    /// If there were too many at this address.
    pub(crate) fn recover(
        &self,
        address: IpAddr,
        likeness: &str,
        now: Instant,
    ) -> Result<Whose, Refusal> {
        let mut state = self.lock();
        let place = (network(address), likeness.to_owned());
        state.recoveries.take(place.0, now)?;
        Ok(state.whose(&place))
    }

    /// Counts a try at the link that makes the first operator.
    ///
    /// # Errors
    /// If there were too many at this address.
    pub(crate) fn first_operator(&self, address: IpAddr, now: Instant) -> Result<(), Refusal> {
        self.lock().first_operator.take(network(address), now)
    }

    /// Counts a browser that goes to another site to sign in.
    ///
    /// # Errors
    /// If there were too many at this address.
    pub(crate) fn oidc(&self, address: IpAddr, now: Instant) -> Result<(), Refusal> {
        self.lock().oidc.take(network(address), now)
    }

    /// Whether an address may try a code of a device: not after too many wrong ones.
    ///
    /// # Errors
    /// If there were too many.
    pub(crate) fn may_try_device(&self, address: IpAddr, now: Instant) -> Result<(), Refusal> {
        self.lock().device_tries.check(network(address), now)
    }

    /// Notes a wrong code of a device.
    pub(crate) fn note_wrong_device(&self, address: IpAddr, now: Instant) {
        // Tries above the limit are refused before they come here.
        drop(self.lock().device_tries.take(network(address), now));
    }

    /// Counts a new code for a device.
    ///
    /// # Errors
    /// If there were too many at this address.
    pub(crate) fn device_code(&self, address: IpAddr, now: Instant) -> Result<(), Refusal> {
        self.lock().device_codes.take(network(address), now)
    }

    /// Counts a question of a device whether its code was allowed.
    ///
    /// # Errors
    /// If it asks too often.
    pub(crate) fn device_poll(&self, device: KeyHash, now: Instant) -> Result<(), Refusal> {
        self.lock().device_polls.take(device, now)
    }

    /// Notes that an account is used at an address.
    pub(crate) fn note_use(&self, address: IpAddr, likeness: &str) {
        let mut state = self.lock();
        let addresses = state.known.entry(likeness.to_owned(), VecDeque::new, |_| true);
        let address = network(address);
        if addresses.contains(&address) {
            return;
        }
        if addresses.len() >= KNOWN_ADDRESSES_MAX {
            addresses.pop_front();
        }
        addresses.push_back(address);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn whose(&self, place: &(IpAddr, String)) -> Whose {
        let (address, likeness) = place;
        let addresses = self.known.get(likeness);
        let is_known = addresses.is_some_and(|addresses| addresses.contains(address));
        if is_known { Whose::Known } else { Whose::Stranger }
    }
}

impl<K: Clone + Eq + Hash> NameTries<K> {
    fn new(most: u32, within: Duration) -> Self {
        Self {
            of_accounts: TokenBuckets::new(most, within),
            others: TokenBuckets::new(most, within),
        }
    }

    /// As [`TokenBuckets::take`].
    fn take(&mut self, key: K, now: Instant) -> Result<(), Refusal> {
        let is_of_account = self.of_accounts.contains(&key);
        if is_of_account { self.of_accounts.take(key, now) } else { self.others.take(key, now) }
    }

    /// Keeps the bucket of a name that an account has.
    fn note_account(&mut self, key: &K) {
        if let Some(bucket) = self.others.remove(key) {
            let now = bucket.filled_at();
            *self.of_accounts.bucket(key.clone(), now) = bucket;
        }
    }
}

/// What e-mail addresses of one mailbox have in common, as far as most servers agree: letter case does not matter, and
/// what follows a plus.
fn mailbox(address: &str) -> String {
    let address = address.to_lowercase();
    let (local, host) = address.rsplit_once('@').unwrap_or((&address, ""));
    let (local, _) = local.split_once('+').unwrap_or((local, ""));
    format!("{local}@{host}")
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use fivefold_shared::protocol::Reason;

    use super::*;
    use crate::limits::accounts::TRIES_KEPT;

    fn address(number: u32) -> IpAddr {
        IpAddr::V4(Ipv4Addr::from(number))
    }

    /// How many of a hundred more than enough are allowed.
    fn allowed<T>(mut attempt: impl FnMut() -> Result<T, Refusal>) -> u32 {
        let mut count = 0;
        for _ in 0..NAME_SIGN_INS_MAX + 100 {
            match attempt() {
                Ok(_) => count += 1,
                Err(refusal) => assert_eq!(refusal.reason, Reason::TooManyTries),
            }
        }
        count
    }

    #[test]
    fn each_kind_of_try_has_its_limit_at_an_address() {
        let tries = AccountTries::new();
        let now = Instant::now();
        let one = address(1);
        assert_eq!(allowed(|| tries.sign_up(one, now)), SIGN_UPS_MAX);
        assert_eq!(allowed(|| tries.vouched_sign_up(one, now)), VOUCHED_SIGN_UPS_MAX);
        assert_eq!(allowed(|| tries.recover(one, "ann", now)), RECOVERIES_MAX);
        assert_eq!(allowed(|| tries.device_code(one, now)), DEVICE_CODES_MAX);
        assert_eq!(allowed(|| tries.first_operator(one, now)), FIRST_OPERATOR_TRIES_MAX);
        let member = |number: u32| MemberId::try_from(format!("{number:0>16}")).unwrap();
        let mut numbers = 0..;
        let mut next = || numbers.next().unwrap();
        let to_one = |number| format!("Ann+{number}@club.example");
        let named = allowed(|| {
            let number = next();
            tries.name_email(address(10_000 + number), &member(number), &to_one(number), now)
        });
        assert_eq!(named, MAILS_TO_MAX, "to one mailbox");
        let named = allowed(|| {
            let number = next();
            tries.name_email(address(10_000 + number), &member(0), &format!("{number}@a.b"), now)
        });
        assert_eq!(named, ADDRESSES_NAMED_MAX - 1, "by one account, which has named one above");
        let named = allowed(|| {
            let number = next();
            tries.name_email(one, &member(number), &format!("{number}@a.b"), now)
        });
        assert_eq!(named, MAILS_MAX, "from one network");
        let codes = allowed(|| tries.mail_code(address(10_000 + next()), "ann", now));
        assert_eq!(codes, MAILS_TO_MAX);
        tries.note_use(address(7), "ann");
        assert_eq!(allowed(|| tries.mail_code(address(7), "ann", now)), MAILS_MAX);
        let wrong = || {
            tries.may_try_device(one, now)?;
            tries.note_wrong_device(one, now);
            Ok(())
        };
        assert_eq!(allowed(wrong), DEVICE_TRIES_MAX);
        assert!(tries.may_try_device(one, now + DEVICE_CODE_KEPT).is_ok());
        let device = KeyHash([1; 32]);
        assert_eq!(allowed(|| tries.device_poll(device, now)), DEVICE_POLLS_MAX);
        assert!(tries.device_poll(device, now + DEVICE_POLL_AFTER).is_ok());
        assert!(tries.device_poll(device, now + DEVICE_POLL_AFTER).is_err());
        assert_eq!(allowed(|| tries.sign_in(one, "ann", false, now)), SIGN_INS_MAX);
        assert_eq!(allowed(|| tries.sign_in(one, "bob", false, now)), SIGN_INS_MAX);
        // Other addresses have their own.
        assert_eq!(allowed(|| tries.sign_up(address(2), now)), SIGN_UPS_MAX);
        assert_eq!(allowed(|| tries.sign_in(address(2), "ann", false, now)), SIGN_INS_MAX);
        // The wait is as long as the refusal says.
        let refusal = tries.sign_up(one, now).unwrap_err();
        let wait = Duration::from_millis(refusal.values.wait_ms.unwrap());
        assert_eq!(wait, SIGN_UPS_WITHIN / SIGN_UPS_MAX);
        assert!(tries.sign_up(one, now + wait - Duration::from_secs(1)).is_err());
        assert!(tries.sign_up(one, now + wait + Duration::from_secs(1)).is_ok());
        assert_eq!(
            allowed(|| tries.sign_in(one, "ann", false, now + SIGN_INS_WITHIN)),
            SIGN_INS_MAX
        );
    }

    #[test]
    fn a_name_has_a_limit_that_its_owner_does_not_notice() {
        let tries = AccountTries::new();
        let now = Instant::now();
        tries.note_use(address(9), "ann");
        let mut next = 100;
        let from_everywhere = || {
            next += 1;
            tries.sign_in(address(next), "ann", false, now)
        };
        assert_eq!(allowed(from_everywhere), NAME_SIGN_INS_MAX);
        assert!(tries.sign_in(address(10), "ann", false, now).is_err());
        assert_eq!(allowed(|| tries.sign_in(address(9), "ann", false, now)), SIGN_INS_MAX);
        assert_eq!(allowed(|| tries.sign_in(address(9), "bob", false, now)), SIGN_INS_MAX);
        for (from, name, whose) in
            [(9, "ann", Whose::Known), (9, "bob", Whose::Stranger), (8, "ann", Whose::Stranger)]
        {
            assert_eq!(tries.recover(address(from), name, now), Ok(whose));
        }
        tries.note_use(address(8), "cat");
        assert_eq!(tries.sign_in(address(8), "cat", false, now), Ok(Whose::Known));
        assert_eq!(tries.sign_in(address(7), "cat", false, now), Ok(Whose::Stranger));
    }

    #[test]
    fn an_earlier_device_is_known_at_any_address() {
        let tries = AccountTries::new();
        let now = Instant::now();
        let mut next = 100;
        let mut from_everywhere = |is_earlier| {
            next += 1;
            tries.sign_in(address(next), "ann", is_earlier, now)
        };
        assert_eq!(allowed(|| from_everywhere(false)), NAME_SIGN_INS_MAX);
        assert_eq!(from_everywhere(true), Ok(Whose::Known), "the name is locked for others only");
        assert_eq!(allowed(|| from_everywhere(true)), NAME_SIGN_INS_MAX - 1);
    }

    #[test]
    fn only_so_many_tries_are_remembered() {
        let tries = AccountTries::new();
        let now = Instant::now();
        let kept = u32::try_from(TRIES_KEPT).unwrap();
        assert_eq!(allowed(|| tries.sign_up(address(0), now)), SIGN_UPS_MAX);
        for number in 1..kept {
            tries.sign_up(address(number), now).unwrap();
        }
        assert!(tries.sign_up(address(0), now).is_err(), "the last that is remembered");
        for number in kept..kept + 10 {
            tries.sign_up(address(number), now).unwrap();
        }
        let state = tries.lock();
        assert_eq!(state.sign_ups.len(), TRIES_KEPT);
        drop(state);
        assert!(tries.sign_up(address(0), now).is_err(), "no try is left: forgotten last");
        assert!(!tries.lock().sign_ups.contains(&address(1)), "forgotten");
    }

    #[test]
    fn made_up_names_do_not_make_the_server_forget_a_locked_one() {
        let tries = AccountTries::new();
        let now = Instant::now();
        let attacker = address(1);
        let attempt = |from, name: &str, is_account| {
            let whose = tries.sign_in(from, name, false, now)?;
            if is_account {
                tries.note_account(from, name);
            }
            Ok(whose)
        };
        assert_eq!(allowed(|| attempt(attacker, "victim", true)), SIGN_INS_MAX);
        let mut next = 100;
        let from_everywhere = || {
            next += 1;
            attempt(address(next), "victim", true)
        };
        assert_eq!(allowed(from_everywhere), NAME_SIGN_INS_MAX - SIGN_INS_MAX);
        for number in 0..2 * TRIES_KEPT {
            attempt(attacker, &format!("ghost{number}"), false).unwrap();
        }
        assert_eq!(allowed(|| attempt(attacker, "victim", true)), 0);
        assert_eq!(allowed(|| attempt(address(2), "victim", true)), 0);
        // Names of accounts push it out no sooner: those with tries left are forgotten first.
        for number in 0..2 * TRIES_KEPT {
            attempt(attacker, &format!("other{number}"), true).unwrap();
        }
        assert_eq!(allowed(|| attempt(attacker, "victim", true)), 0);
        assert_eq!(allowed(|| attempt(address(2), "victim", true)), 0);
        let state = tries.lock();
        let of_accounts = &state.sign_ins.of_accounts;
        assert_eq!(of_accounts.len(), TRIES_KEPT);
        let others = &state.sign_ins.others;
        assert!(others.len() <= TRIES_KEPT);
    }

    #[test]
    fn an_account_is_known_at_its_latest_addresses() {
        let tries = AccountTries::new();
        let now = Instant::now();
        let known = u32::try_from(KNOWN_ADDRESSES_MAX).unwrap();
        for number in 0..=known {
            tries.note_use(address(number), "ann");
            tries.note_use(address(number), "ann");
        }
        assert_eq!(tries.sign_in(address(0), "ann", false, now), Ok(Whose::Stranger));
        for number in 1..=known {
            assert_eq!(tries.sign_in(address(number), "ann", false, now), Ok(Whose::Known));
        }
        // Somebody who moves about makes nobody else a stranger.
        tries.note_use(address(1), "bob");
        for number in 0..20_000 {
            tries.note_use(address(number), "eve");
        }
        assert_eq!(tries.sign_in(address(1), "bob", false, now), Ok(Whose::Known));
    }
}
