//! E-mail addresses of accounts: what every back end must do.

use fivefold_shared::clock::DAY_MS;
use fivefold_storage::{
    AccountChanged::{self, Done, Gone},
    AccountStep, Email, EmailStep, KeyHash, PasswordHash, Storage,
    limits::DELETED_ACCOUNT_KEPT,
};

use crate::{
    accounts::{self, NOW, apply, session},
    contract::every_storage,
    rooms::member,
};

#[track_caller]
fn step(storage: &mut dyn Storage, (who, at): (u64, u64), what: EmailStep, to: AccountChanged) {
    apply(storage, &accounts::change(who, at, AccountStep::Email(what)), to);
}

fn named(address: &str, secret: u8) -> EmailStep {
    let (address, language) = (address.to_owned(), "es".to_owned());
    EmailStep::Name { address, token: KeyHash([secret; 32]), language }
}

fn confirm(secret: u8) -> EmailStep {
    EmailStep::Confirm(KeyHash([secret; 32]))
}

fn stored(storage: &dyn Storage, who: u64) -> Option<Email> {
    storage.reader().unwrap().email(&member(who)).unwrap()
}

/// Where a member gets news.
fn news(storage: &dyn Storage, who: u64) -> Option<String> {
    storage.reader().unwrap().push_member(&member(who)).unwrap().address().cloned()
}

#[track_caller]
fn recover(storage: &mut dyn Storage, at: u64, code: u8, number: u64, to: AccountChanged) {
    let step = AccountStep::Recover {
        code: KeyHash([code; 32]),
        password: PasswordHash(format!("$argon2id${number}")),
        session: session(number, at),
    };
    apply(storage, &accounts::change(1, at, step), to);
}

#[test]
fn news_goes_to_the_address_that_was_confirmed() {
    every_storage(|storage| {
        apply(storage, &accounts::sign_up(1, None, "Ann"), Done);
        step(storage, (2, NOW), named("bob@club.example", 9), Gone);
        assert_eq!(stored(storage, 1), None);
        for _ in 0..2 {
            step(storage, (1, NOW), named("ann@club.example", 1), Done);
        }
        assert_eq!(news(storage, 1), None, "nobody has confirmed it");
        let find = |secret| storage.reader().unwrap().email_named_with(&KeyHash([secret; 32]));
        assert_eq!([find(1).unwrap(), find(2).unwrap()], [Some(member(1)), None]);
        step(storage, (1, NOW), confirm(2), Gone);
        step(storage, (1, NOW + DAY_MS), confirm(1), Gone);
        for _ in 0..2 {
            step(storage, (1, NOW + DAY_MS - 1), confirm(1), Done);
        }
        let ann = Some("ann@club.example".to_owned());
        assert_eq!(news(storage, 1), ann);
        // Another one counts when it is confirmed.
        let later = NOW + DAY_MS;
        step(storage, (1, later), named("new@club.example", 3), Done);
        let expected = Email {
            confirmed: Some("ann@club.example".to_owned()),
            named: "new@club.example".to_owned(),
            named_at: later,
            language: "es".to_owned(),
        };
        assert_eq!((stored(storage, 1), news(storage, 1)), (Some(expected), ann));
        step(storage, (1, later), confirm(1), Gone);
        step(storage, (1, later), confirm(3), Done);
        assert_eq!(news(storage, 1).as_deref(), Some("new@club.example"));
        for _ in 0..2 {
            step(storage, (1, later), EmailStep::Forget, Done);
        }
        assert_eq!((stored(storage, 1), news(storage, 1)), (None, None));
    });
}

#[test]
fn a_mailed_code_recovers_the_account_once_and_in_time() {
    every_storage(|storage| {
        apply(storage, &accounts::sign_up(1, None, "Ann"), Done);
        let code = |code, until| EmailStep::AddCode(KeyHash([code; 32]), until);
        step(storage, (1, NOW), code(7, NOW + 10), Gone);
        step(storage, (1, NOW), named("ann@club.example", 1), Done);
        step(storage, (1, NOW), code(7, NOW + 10), Gone);
        step(storage, (1, NOW), confirm(1), Done);
        step(storage, (1, NOW), code(7, NOW + 10), Done);
        recover(storage, NOW + 10, 7, 50, Gone);
        // The last one counts.
        step(storage, (1, NOW), code(8, NOW + 10), Done);
        recover(storage, NOW + 9, 7, 50, Gone);
        for _ in 0..2 {
            recover(storage, NOW + 9, 8, 50, Done);
        }
        recover(storage, NOW + 9, 8, 51, Gone);
        assert!(news(storage, 1).is_some());
        // A thief may have made the printed codes.
        assert_eq!(accounts::keys(storage, 1).codes_left, 0);
        // Whoever has a printed code may have lost the account to a thief, who named the address.
        apply(storage, &accounts::change(1, NOW, AccountStep::AddCode(KeyHash([5; 32]))), Done);
        recover(storage, NOW + 9, 5, 52, Done);
        assert_eq!(stored(storage, 1), None);
    });
}

#[test]
fn a_new_password_ends_what_was_sent() {
    every_storage(|storage| {
        apply(storage, &accounts::sign_up(1, None, "Ann"), Done);
        let set = |number: u64| AccountStep::SetPassword {
            password: PasswordHash(format!("$argon2id${number}")),
            keep: session(number, NOW).hash,
        };
        step(storage, (1, NOW), named("thief@club.example", 1), Done);
        apply(storage, &accounts::change(1, NOW, set(1)), Done);
        step(storage, (1, NOW), confirm(1), Gone);
        assert_eq!(stored(storage, 1), None);
        // A confirmed address stays; what was sent there does not count, nor what was sent elsewhere.
        step(storage, (1, NOW), named("ann@club.example", 2), Done);
        step(storage, (1, NOW), confirm(2), Done);
        let code = |code| EmailStep::AddCode(KeyHash([code; 32]), NOW + 10);
        step(storage, (1, NOW), code(7), Done);
        step(storage, (1, NOW), named("thief@club.example", 3), Done);
        apply(storage, &accounts::change(1, NOW, set(1)), Done);
        step(storage, (1, NOW), confirm(3), Gone);
        recover(storage, NOW, 7, 50, Gone);
        // The same with a mailed code: the thief's link does not count afterwards.
        step(storage, (1, NOW), code(8), Done);
        step(storage, (1, NOW), named("thief@club.example", 4), Done);
        recover(storage, NOW, 8, 51, Done);
        step(storage, (1, NOW), confirm(4), Gone);
        assert_eq!(news(storage, 1).as_deref(), Some("ann@club.example"));
        // A code ends when another address is confirmed, and not when it is confirmed again.
        step(storage, (1, NOW), code(9), Done);
        step(storage, (1, NOW), named("ann@club.example", 5), Done);
        step(storage, (1, NOW), confirm(5), Done);
        recover(storage, NOW, 9, 52, Done);
        step(storage, (1, NOW), code(10), Done);
        step(storage, (1, NOW), named("new@club.example", 6), Done);
        step(storage, (1, NOW), confirm(6), Done);
        recover(storage, NOW, 10, 53, Gone);
    });
}

#[test]
fn an_address_that_nobody_confirms_is_forgotten() {
    every_storage(|storage| {
        for (number, name) in [(1, "Ann"), (2, "Bob")] {
            apply(storage, &accounts::sign_up(number, None, name), Done);
            step(storage, (number, NOW), named(name, u8::try_from(number).unwrap()), Done);
        }
        step(storage, (2, NOW), confirm(2), Done);
        step(storage, (2, NOW), named("typo@club.example", 3), Done);
        storage.prune_accounts(NOW + DAY_MS - 1, 99).unwrap();
        assert_eq!(stored(storage, 2).unwrap().named, "typo@club.example");
        assert!(stored(storage, 1).unwrap().waiting(NOW + DAY_MS - 1).is_some());
        assert_eq!(stored(storage, 1).unwrap().waiting(NOW + DAY_MS), None);
        storage.prune_accounts(NOW + DAY_MS, 99).unwrap();
        assert_eq!(stored(storage, 1), None);
        let bobs = stored(storage, 2).unwrap();
        assert_eq!((bobs.confirmed.as_deref(), &*bobs.named), (Some("Bob"), "Bob"));
    });
}

#[test]
fn an_address_goes_with_its_account() {
    every_storage(|storage| {
        for (number, name) in [(1, "Ann"), (2, "Bob")] {
            apply(storage, &accounts::sign_up(number, None, name), Done);
            let secret = u8::try_from(number).unwrap();
            step(storage, (number, NOW), named(name, secret), Done);
            step(storage, (number, NOW), confirm(secret), Done);
        }
        apply(storage, &accounts::change(1, NOW, AccountStep::Delete), Done);
        assert_eq!((news(storage, 1), news(storage, 2).is_some()), (None, true));
        step(storage, (1, NOW), named("ann@club.example", 3), Gone);
        let kept = u64::try_from(DELETED_ACCOUNT_KEPT.as_millis()).unwrap();
        let find = |storage: &dyn Storage, secret| {
            storage.reader().unwrap().email_named_with(&KeyHash([secret; 32])).unwrap()
        };
        assert_eq!(find(storage, 1), Some(member(1)));
        storage.prune_accounts(NOW + kept, 99).unwrap();
        assert_eq!([find(storage, 1), find(storage, 2)], [None, Some(member(2))]);
    });
}

/// Fills a storage in which member 6 has an account.
pub(crate) fn fill(storage: &mut dyn Storage) {
    step(storage, (6, NOW), named("six@club.example", 6), Done);
    step(storage, (6, NOW), confirm(6), Done);
    step(storage, (6, NOW), EmailStep::AddCode(KeyHash([66; 32]), NOW + 10), Done);
}

/// A damage of what [`fill`] stores, and what a check says about it.
pub(crate) const DAMAGE: (&str, &str) =
    ("UPDATE email SET member = 'nobody'", "1 e-mail addresses belong to no account");

/// Checks that a storage has what [`fill`] put there.
pub(crate) fn assert_filled(storage: &dyn Storage) {
    assert_eq!(news(storage, 6).as_deref(), Some("six@club.example"));
}
