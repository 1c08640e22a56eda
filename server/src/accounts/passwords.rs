//! Passwords: which ones are accepted, and hashing them off the runtime's threads.
//!
//! A hash takes memory and time on purpose, so only one of each queue is computed at once, where it delays no
//! moves (`idle_first.rs`), and those of strangers not too often: memory and caches are shared by all. Addresses
//! get turns in rounds (`fair_queue.rs`).

use std::{fmt, net::IpAddr};

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher, PasswordVerifier, phc},
};
use fivefold_shared::protocol::{Name, Reason, Refusal, RefusalValues};
use fivefold_storage::{Blocking, PasswordHash};
use serde::Deserialize;
use tokio::{
    sync::Mutex,
    time::{Instant, sleep},
};

use crate::{
    limits::accounts::{
        ADDRESS_HASH_INTERVAL, ADDRESS_HASHES_AT_ONCE, GUESTS_HASH_QUEUE_MAX, HASH_MEMORY_KIB,
        HASH_PASSES, HASH_QUEUE_MAX, HASH_RESCUED_AFTER, HASHES_MAX, HASHES_PER_ADDRESS_MAX,
        PASSWORD_MAX, PASSWORD_MIN, STRANGERS_HASH_QUEUE_MAX, STRANGERS_HASHES_AT_ONCE,
        STRANGERS_HASHES_PER_SECOND,
    },
    net::token_bucket::TokenBucket,
    process::{
        fair_queue::{Pace, Shares},
        idle_first::IdleFirst,
        ids,
        jobs::{Jobs, NoResult, Place},
        priority,
    },
};

/// Passwords that many people have, in lower case and of at least [`PASSWORD_MIN`] characters, one a
/// line.
const COMMON: &str = include_str!("common-passwords.txt");

/// Takes the place of the hash of an account that does not exist, so that looking at it takes as long.
/// No password has it.
const NOBODYS: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGhhcyB0aGlzIQ\
                       $AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// The shares of those who are known.
const KNOWN: Shares = Shares {
    running_max: HASHES_MAX,
    places_max: HASH_QUEUE_MAX,
    reserved: 0,
    per_address_max: HASHES_PER_ADDRESS_MAX,
    pace: None,
};

/// The shares of everybody else.
pub(crate) const STRANGERS: Shares = Shares {
    running_max: HASHES_MAX,
    places_max: STRANGERS_HASH_QUEUE_MAX,
    reserved: GUESTS_HASH_QUEUE_MAX,
    per_address_max: HASHES_PER_ADDRESS_MAX,
    // So that one address does not use up what all strangers have together.
    pace: Some(Pace { at_once: ADDRESS_HASHES_AT_ONCE, interval: ADDRESS_HASH_INTERVAL }),
};

/// A password as somebody typed it. `Debug` hides it, and there is no `Display`.
#[derive(Clone, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Password(String);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(hidden)")
    }
}

impl Password {
    /// Checks that this may be the password of an account with this name.
    ///
    /// # Errors
    /// If it is too short or too long, or easily guessed.
    pub(crate) fn check(&self, name: &Name) -> Result<(), Refusal> {
        if !self.has_length() {
            let (least, most) = (Some(PASSWORD_MIN), Some(PASSWORD_MAX));
            let values = RefusalValues { least, most, ..RefusalValues::default() };
            return Err(Refusal::with(Reason::PasswordLength, values));
        }
        let lower = self.0.to_lowercase();
        let mut letters = lower.chars();
        let first = letters.next();
        let is_one_letter = letters.all(|letter| Some(letter) == first);
        let is_common = COMMON.lines().any(|common| common == lower);
        if is_one_letter || is_common || lower == name.as_str().to_lowercase() {
            return Err(Refusal::new(Reason::CommonPassword));
        }
        Ok(())
    }

    /// Whether any account may have it.
    fn has_length(&self) -> bool {
        (PASSWORD_MIN..=PASSWORD_MAX).contains(&self.0.chars().count())
    }
}

/// Hashes and verifies passwords, in two queues: whoever guesses passwords fills only that of the strangers.
#[derive(Debug)]
pub(crate) struct Passwords {
    known: Queue,
    strangers: Queue,
}

#[derive(Debug)]
struct Queue {
    jobs: Jobs,
    idle_first: IdleFirst,
    /// How often a hash may begin; locked by the next in the queue. `None` if there is no limit.
    pace: Option<Mutex<TokenBucket>>,
}

/// Whose password it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Whose {
    /// Of somebody who is signed in, or signs in where the account was used before.
    Known,
    /// Of a guest who has taken a seat before.
    Guest,
    /// Of anybody else.
    Stranger,
}

/// A place in one of the queues.
#[derive(Debug)]
pub(crate) struct HashPlace<'p> {
    place: Place<'p>,
    queue: &'p Queue,
}

/// Whether a password is right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verified {
    Wrong,
    Right {
        /// Its hash by the current parameters, if the stored one has others.
        rehashed: Option<PasswordHash>,
    },
}

impl Passwords {
    pub(crate) fn new(blocking: &Blocking) -> Self {
        let queue = |shares, pace| Queue {
            jobs: Jobs::new(blocking.clone(), shares, priority::give_way),
            idle_first: IdleFirst::new(HASH_RESCUED_AFTER),
            pace,
        };
        let pace =
            TokenBucket::new(Instant::now(), STRANGERS_HASHES_PER_SECOND, STRANGERS_HASHES_AT_ONCE);
        Self { known: queue(KNOWN, None), strangers: queue(STRANGERS, Some(Mutex::new(pace))) }
    }

    /// A place in the queue for somebody at this address. Take it before anything is read for it, so that a refusal costs little.
    ///
    /// # Errors
    /// If too many wait.
    pub(crate) fn place(&self, whose: Whose, address: IpAddr) -> Result<HashPlace<'_>, NoResult> {
        let queue = match whose {
            Whose::Known => &self.known,
            Whose::Guest | Whose::Stranger => &self.strangers,
        };
        Ok(HashPlace { place: queue.jobs.place(address, whose == Whose::Guest)?, queue })
    }
}

impl HashPlace<'_> {
    async fn run<T: Send + 'static>(
        self,
        job: impl Fn() -> T + Clone + Send + 'static,
    ) -> Result<T, NoResult> {
        let Self { place, queue: Queue { idle_first, pace, .. } } = self;
        let turn = place.turn().await?;
        if let Some(pace) = pace {
            let mut pace = pace.lock().await;
            sleep(pace.until_next(Instant::now())).await;
            pace.take(Instant::now());
        }
        let idle_first = idle_first.clone();
        turn.run(move || idle_first.run(job)).await
    }

    /// The hash of a password.
    ///
    /// # Errors
    /// If it cannot be computed.
    pub(crate) async fn hash(self, password: Password) -> Result<PasswordHash, NoResult> {
        self.run(move || hash(&password)).await
    }

    /// Compares a password with the hash of an account; it takes as long where there is no account.
    ///
    /// # Errors
    /// If it cannot be computed.
    pub(crate) async fn verify(
        self,
        password: Password,
        stored: Option<PasswordHash>,
    ) -> Result<Verified, NoResult> {
        if !password.has_length() {
            return Ok(Verified::Wrong);
        }
        self.run(move || verify(&password, stored.as_ref())).await
    }
}

fn argon2() -> Argon2<'static> {
    let params = Params::new(HASH_MEMORY_KIB, HASH_PASSES, 1, None);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params.expect("they are within the limits"))
}

fn hash(password: &Password) -> PasswordHash {
    let hash: Result<phc::PasswordHash, _> =
        argon2().hash_password_with_salt(password.0.as_bytes(), &ids::salt());
    PasswordHash(hash.expect("the salt and the parameters are valid").to_string())
}

fn verify(password: &Password, stored: Option<&PasswordHash>) -> Verified {
    let text = stored.map_or(NOBODYS, |hash| hash.0.as_str());
    let Ok(parsed) = phc::PasswordHash::new(text) else {
        tracing::error!("the hash of a password is damaged");
        return Verified::Wrong;
    };
    if argon2().verify_password(password.0.as_bytes(), &parsed).is_err() || stored.is_none() {
        return Verified::Wrong;
    }
    let parameters = Params::try_from(&parsed).ok();
    let is_current = parameters.is_some_and(|params| {
        (params.m_cost(), params.t_cost(), params.p_cost()) == (HASH_MEMORY_KIB, HASH_PASSES, 1)
    });
    Verified::Right { rehashed: (!is_current).then(|| hash(password)) }
}

#[cfg(test)]
mod tests {
    use std::{
        net::Ipv4Addr,
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
        },
        thread,
    };

    use super::*;

    const HOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn host(number: u8) -> IpAddr {
        [192, 0, 2, number].into()
    }

    fn password(text: &str) -> Password {
        Password(text.to_owned())
    }

    #[test]
    fn passwords_are_long_enough_and_not_the_usual_ones() {
        let name = Name::new("Correct-Horse").unwrap();
        let reason = |text: &str| password(text).check(&name).err().map(|refusal| refusal.reason);
        for (text, expected) in [
            ("ninechars".to_owned(), Some(Reason::PasswordLength)),
            ("ten chars!".to_owned(), None),
            ("ü".repeat(5) + "01234", None),
            ("xy".repeat(PASSWORD_MAX / 2), None),
            ("xy".repeat(PASSWORD_MAX / 2) + "z", Some(Reason::PasswordLength)),
            ("x".repeat(20), Some(Reason::CommonPassword)),
            ("1234567890".to_owned(), Some(Reason::CommonPassword)),
            ("Password123".to_owned(), Some(Reason::CommonPassword)),
            ("correct-horse".to_owned(), Some(Reason::CommonPassword)),
            ("correct-horse-battery".to_owned(), None),
        ] {
            assert_eq!(reason(&text), expected, "{text:?}");
        }
        for common in COMMON.lines() {
            assert!(common.chars().count() >= PASSWORD_MIN, "{common} is refused anyway");
            assert_eq!(common.to_lowercase(), common);
        }
        assert_eq!(format!("{:?}", password("secret secret")), "Password(hidden)");
    }

    #[tokio::test]
    async fn a_password_matches_its_own_hash_only() {
        let passwords = Passwords::new(&Blocking::Threads);
        let place = || passwords.place(Whose::Stranger, HOST).unwrap();
        let right = password("correct horse");
        let stored = place().hash(right.clone()).await.unwrap();
        assert!(stored.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", stored.0);
        assert_ne!(place().hash(right.clone()).await.unwrap(), stored, "salted");
        let kept = Verified::Right { rehashed: None };
        assert_eq!(place().verify(right.clone(), Some(stored.clone())).await, Ok(kept));
        for (text, stored) in [
            ("Correct horse", Some(stored.clone())),
            ("correct horse", None),
            ("correct horse", Some(PasswordHash("nonsense".to_owned()))),
            ("short", Some(stored)),
        ] {
            assert_eq!(place().verify(password(text), stored).await, Ok(Verified::Wrong));
        }
    }

    #[test]
    fn a_hash_by_weaker_parameters_is_replaced() {
        let weak = Params::new(64, 1, 1, None).unwrap();
        let weak = Argon2::new(Algorithm::Argon2id, Version::V0x13, weak);
        let old: phc::PasswordHash =
            weak.hash_password_with_salt(b"correct horse", &ids::salt()).unwrap();
        let old = PasswordHash(old.to_string());
        let verified = verify(&password("correct horse"), Some(&old));
        let Verified::Right { rehashed: Some(new) } = verified else { panic!("{verified:?}") };
        let kept = Verified::Right { rehashed: None };
        assert_eq!(verify(&password("correct horse"), Some(&new)), kept);
    }

    #[test]
    fn the_hash_of_nobody_takes_as_long_as_any() {
        let nobodys = phc::PasswordHash::new(NOBODYS).unwrap();
        let own = hash(&password("correct horse"));
        let own = phc::PasswordHash::new(&own.0).unwrap();
        assert_eq!(Params::try_from(&nobodys), Params::try_from(&own));
        let lengths = |hash: &phc::PasswordHash| {
            (hash.salt.as_ref().map(|salt| salt.as_ref().len()), hash.hash.map(|hash| hash.len()))
        };
        assert_eq!(lengths(&nobodys), lengths(&own));
    }

    #[tokio::test]
    async fn strangers_take_no_place_of_those_who_are_known() {
        let passwords = Passwords::new(&Blocking::Threads);
        let take = |whose, count| -> Vec<_> {
            (1..=count).map_while(|number| passwords.place(whose, host(number)).ok()).collect()
        };
        let mut held = take(Whose::Stranger, 200);
        assert_eq!(held.len(), STRANGERS_HASH_QUEUE_MAX);
        let guests = take(Whose::Guest, 200);
        assert_eq!(guests.len(), GUESTS_HASH_QUEUE_MAX);
        let known = take(Whose::Known, 200);
        assert_eq!(known.len(), HASH_QUEUE_MAX);
        drop(guests);
        held.pop();
        assert!(passwords.place(Whose::Stranger, HOST).is_ok());
        drop(known);
        let place = passwords.place(Whose::Known, HOST).unwrap();
        assert!(place.hash(password("correct horse")).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn passwords_of_strangers_are_hashed_at_a_pace() {
        let passwords = Passwords::new(&Blocking::Threads);
        let begin = Instant::now();
        let mut next = 0;
        let mut hash = async |whose| {
            next += 1;
            let place = passwords.place(whose, host(next)).unwrap();
            place.hash(password("correct horse")).await.unwrap();
        };
        for _ in 0..STRANGERS_HASHES_AT_ONCE {
            hash(Whose::Stranger).await;
        }
        hash(Whose::Known).await;
        assert!(begin.elapsed().is_zero(), "so many need not wait");
        hash(Whose::Stranger).await;
        assert!(!begin.elapsed().is_zero());
        for _ in 0..STRANGERS_HASHES_AT_ONCE {
            hash(Whose::Stranger).await;
        }
        let least = f64::from(STRANGERS_HASHES_AT_ONCE) / STRANGERS_HASHES_PER_SECOND;
        assert!(begin.elapsed().as_secs_f64() >= least, "{:?}", begin.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn one_address_does_not_use_up_the_pace_of_all() {
        let passwords = Passwords::new(&Blocking::Threads);
        let begin = Instant::now();
        let flood = async {
            for _ in 0..STRANGERS_HASHES_AT_ONCE {
                let place = passwords.place(Whose::Stranger, HOST).unwrap();
                place.verify(password("made-up password"), None).await.unwrap();
            }
            begin.elapsed()
        };
        let most = ADDRESS_HASH_INTERVAL * (STRANGERS_HASHES_AT_ONCE - ADDRESS_HASHES_AT_ONCE);
        assert!(flood.await >= most);
        let after = Instant::now();
        for number in 0..30 {
            let place = passwords.place(Whose::Stranger, host(number)).unwrap();
            place.verify(password("made-up password"), None).await.unwrap();
        }
        assert!(after.elapsed().is_zero(), "nobody else waits");
    }

    #[tokio::test]
    async fn people_get_in_while_all_processors_are_busy() {
        let is_over = Arc::new(AtomicBool::new(false));
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let programs: Vec<_> = (0..2 * processors)
            .map(|_| {
                let is_over = Arc::clone(&is_over);
                thread::spawn(move || while !is_over.load(Ordering::Relaxed) {})
            })
            .collect();
        let passwords = Passwords::new(&Blocking::Threads);
        let right = password("correct horse");
        for whose in [Whose::Known, Whose::Stranger] {
            let stored = passwords.place(whose, HOST).unwrap().hash(right.clone()).await.unwrap();
            let verified =
                passwords.place(whose, HOST).unwrap().verify(right.clone(), Some(stored));
            assert_eq!(verified.await, Ok(Verified::Right { rehashed: None }));
        }
        is_over.store(true, Ordering::Relaxed);
        for program in programs {
            program.join().unwrap();
        }
    }
}
