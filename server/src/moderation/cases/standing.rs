//! How much a report counts by what the server knows of its reporter: an account before a guest, then the age
//! of the account, then finished games. In steps, so that reports of people who are known about equally well
//! are in the order of time.

use std::time::Duration;

use fivefold_storage::Standing;

use crate::limits::moderation::{STANDING_AGES, STANDING_GAMES};

/// The place of a case in the queue; a greater one comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Rank {
    /// Nobody has reported the person.
    Hints,
    /// The best reporter is a guest.
    Guest { games: usize },
    /// The best reporter has an account.
    Account { age: usize, games: usize },
    /// Only somebody about whom an operator has decided can appeal.
    Appeal,
}

impl Rank {
    /// The rank of a report by somebody of this standing.
    pub(super) fn of(Standing { account_since, games }: Standing, now: u64) -> Self {
        let games = STANDING_GAMES.iter().filter(|least| games >= **least).count();
        match account_since {
            None => Self::Guest { games },
            Some(since) => {
                let age = Duration::from_millis(now.saturating_sub(since));
                let age = STANDING_AGES.iter().filter(|least| age >= **least).count();
                Self::Account { age, games }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fivefold_shared::clock::millis;

    use super::*;

    #[test]
    fn an_account_counts_more_than_its_age_and_that_more_than_games() {
        let now = millis(STANDING_AGES[2]) + 5;
        let of = |age: Option<Duration>, games| {
            let account_since = age.map(|age| now - millis(age));
            Rank::of(Standing { account_since, games }, now)
        };
        let [day, week, month] = STANDING_AGES;
        let second = Duration::from_secs(1);
        let rising = [
            Rank::Hints,
            of(None, 0),
            of(None, 1),
            of(None, 50),
            of(Some(second), 0),
            of(Some(second), 9),
            of(Some(second), 10),
            of(Some(day), 0),
            of(Some(week), 0),
            of(Some(week), 50),
            of(Some(month), 0),
            Rank::Appeal,
        ];
        assert!(rising.is_sorted_by(|one, other| one < other), "{rising:?}");
        assert_eq!(of(Some(day), 0), of(Some(week - second), 0), "the same step");
        assert_eq!(of(None, 1), of(None, 9));
    }
}
