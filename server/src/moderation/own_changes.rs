//! How often people change what the server keeps for them, such as their friends, blocks, notes and settings.

use std::net::IpAddr;

use fivefold_shared::protocol::{MemberId, Refusal};
use tokio::time::Instant;

use crate::{
    limits::moderation::{ACCOUNT_CHANGES_AT_ADDRESS_MAX, CHANGES_MAX, CHANGES_WITHIN},
    net::{network::network, token_buckets::TokenBuckets},
};

/// The changes of the last hour. Each account has its own allowance, so that people at one address do not use up each
/// other's. Guests share the allowance of their address, because anybody can be any number of guests.
#[derive(Debug)]
pub(super) struct OwnChanges {
    accounts: TokenBuckets<MemberId>,
    /// Those of all accounts at an address.
    at_addresses: TokenBuckets<IpAddr>,
    guests: TokenBuckets<IpAddr>,
}

impl OwnChanges {
    pub(super) fn new() -> Self {
        Self {
            accounts: TokenBuckets::new(CHANGES_MAX, CHANGES_WITHIN),
            at_addresses: TokenBuckets::new(ACCOUNT_CHANGES_AT_ADDRESS_MAX, CHANGES_WITHIN),
            guests: TokenBuckets::new(CHANGES_MAX, CHANGES_WITHIN),
        }
    }

    /// Counts a change by an account, or by a guest.
    ///
    /// # Errors
    /// If there were too many.
    pub(super) fn take(
        &mut self,
        account: Option<&MemberId>,
        address: IpAddr,
        now: Instant,
    ) -> Result<(), Refusal> {
        let address = network(address);
        let Some(account) = account else { return self.guests.take(address, now) };
        // An account that is over its own limit takes nothing from the others at its address.
        self.accounts.take(account.clone(), now)?;
        self.at_addresses.take(address, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::ids;

    #[test]
    fn each_account_has_its_own_allowance_and_guests_share_one() {
        let (mut changes, now) = (OwnChanges::new(), Instant::now());
        let [one, other]: [IpAddr; 2] =
            ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().unwrap());
        let mut count = |account: Option<&MemberId>, address| {
            let allowed =
                (0..=2 * CHANGES_MAX).filter(|_| changes.take(account, address, now).is_ok());
            u32::try_from(allowed.count()).unwrap()
        };
        let shared = ACCOUNT_CHANGES_AT_ADDRESS_MAX / CHANGES_MAX;
        let accounts: Vec<_> = (0..=shared).map(|_| ids::new_member_id()).collect();
        let (last, others) = accounts.split_last().unwrap();
        for account in others {
            assert_eq!(count(Some(account), one), CHANGES_MAX, "at the limit, and none past it");
        }
        assert_eq!(count(Some(last), one), 0, "the accounts at the address have used up theirs");
        assert_eq!(count(None, one), CHANGES_MAX, "guests have an allowance of their own");
        assert_eq!(count(None, one), 0);
        assert_eq!(count(Some(&ids::new_member_id()), other), CHANGES_MAX);
        assert_eq!(count(Some(&others[0]), other), 0, "also at another address");
    }
}
