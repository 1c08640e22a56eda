//! A cookie of a browser in which somebody has signed in. It has a secret, which identifies the device whatever
//! account is used on it, and a proof of the account that was opened there last.
//!
//! The cookie opens no account.

use fivefold_storage::Account;

use crate::process::ids;

/// Longest secret and proof that a browser may send.
const PART_MAX: usize = 64;

/// A device, and the account that was opened there last. Both are secrets, so it has no `Debug`.
#[derive(Clone)]
pub(crate) struct DeviceKey {
    secret: String,
    proof: String,
}

impl DeviceKey {
    /// The one in a cookie.
    pub(crate) fn of(cookie: &str) -> Option<Self> {
        let (secret, proof) = cookie.split_once('.')?;
        let is_part = |part: &str| {
            (1..=PART_MAX).contains(&part.len())
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        let is_one = is_part(secret) && is_part(proof);
        is_one.then(|| Self { secret: secret.to_owned(), proof: proof.to_owned() })
    }

    /// The key of a device after an account was opened there. A known device keeps its secret.
    pub(crate) fn after(known: Option<&Self>, account: &Account) -> Self {
        let secret = known.map_or_else(ids::session_secret, |known| known.secret.clone());
        let proof = ids::account_on_device(account.hash, &secret);
        Self { secret, proof }
    }

    /// Whether it proves that this account was opened there.
    pub(crate) fn proves(&self, account: &Account) -> bool {
        self.proof == ids::account_on_device(account.hash, &self.secret)
    }

    /// A digest of the device, for notes of where accounts were used.
    pub(crate) fn mark(&self) -> u64 {
        ids::device_mark(&self.secret)
    }

    /// The text of the cookie: ASCII letters, digits and a dot.
    pub(crate) fn cookie(&self) -> String {
        format!("{}.{}", self.secret, self.proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::guest_names::guest_name;

    fn account() -> Account {
        let (member, hash) = (ids::new_member_id(), ids::locked_hash());
        let name = guest_name(&member);
        Account { member, hash, name, made_at: 0, renamed_at: None, deleted_at: None, owner: None }
    }

    #[test]
    fn a_device_stays_the_same_and_proves_the_last_account() {
        let (ann, bob) = (account(), account());
        let first = DeviceKey::after(None, &ann);
        assert!(first.proves(&ann) && !first.proves(&bob));
        let again = DeviceKey::of(&first.cookie()).unwrap();
        assert!(again.proves(&ann) && again.mark() == first.mark());
        let second = DeviceKey::after(Some(&again), &bob);
        assert!(second.proves(&bob) && !second.proves(&ann) && second.mark() == first.mark());
        let elsewhere = DeviceKey::after(None, &ann);
        assert_ne!(elsewhere.mark(), first.mark());
        // The proof of one device is none on another.
        let mixed = |secret: &DeviceKey, proof: &DeviceKey| {
            let key = DeviceKey { secret: secret.secret.clone(), proof: proof.proof.clone() };
            key.proves(&ann)
        };
        assert!(mixed(&second, &first) && !mixed(&elsewhere, &first));
    }

    #[test]
    fn what_is_no_key_is_left_out() {
        let longest = "a".repeat(PART_MAX);
        assert!(DeviceKey::of(&format!("{longest}.{longest}")).is_some());
        let longer = format!("{longest}a");
        for text in [
            "",
            ".",
            "a",
            "a.",
            ".a",
            "a.b.c",
            "a.b;",
            "ä.b",
            &format!("{longer}.a"),
            &format!("a.{longer}"),
        ] {
            assert!(DeviceKey::of(text).is_none(), "{text}");
        }
    }
}
