//! Accounts: what every back end must do, and what becomes of a file without them.

use fivefold_shared::{
    protocol::{ChallengesFrom, Name, Player},
    seat::Seat,
};
use fivefold_storage::{
    AccountChange, AccountChanged, AccountKeys, AccountSession, AccountStep, Append, Claimed,
    DataFolder, GameQuery, IdentityHash, KeyHash, KeyStep, KnownMember, NewAccount, NodeId,
    OldName, PasswordHash, Postgres, Sessions, Sqlite, Storage, check,
    limits::{ACCOUNT_SESSIONS_MAX, DELETED_ACCOUNT_KEPT, DELETED_NAME_KEPT, OLD_NAME_KEPT},
};

use crate::{
    contract::every_storage,
    folders::FILE,
    formats::make_older,
    postgres::{Durability, Server},
    relay::Relay,
    rooms::{append, code, game_id, log, member, resigned},
};

/// When members sign up here.
pub(crate) const NOW: u64 = 1_000_000;

pub(crate) fn hash(number: u64) -> IdentityHash {
    IdentityHash([u8::try_from(number).unwrap(); 32])
}

pub(crate) fn key(number: u64) -> KeyHash {
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    KeyHash(bytes)
}

/// The session with this number, made and seen at a time.
pub(crate) fn session(number: u64, at: u64) -> AccountSession {
    let label = format!("Browser {number}");
    AccountSession {
        hash: key(number),
        label,
        made_at: at,
        seen_at: at,
        expires_at: at + 1_000,
        proved_at: at,
    }
}

pub(crate) fn password(text: &str) -> PasswordHash {
    PasswordHash(text.to_owned())
}

pub(crate) fn change(number: u64, at: u64, step: AccountStep) -> AccountChange {
    AccountChange { member: member(number), at, step }
}

/// What takes the place of a member's identity.
pub(crate) fn locked(number: u64) -> IdentityHash {
    IdentityHash(key(1_000_000_000 + number).0)
}

/// Signs up a member by a name, which is its own likeness here. The first session has the number of
/// the member, and the codes are from ten thousand times it on.
pub(crate) fn sign_up(number: u64, guest: Option<IdentityHash>, name: &str) -> AccountChange {
    let new = NewAccount {
        guest,
        locked: locked(number),
        name: Name::new(name).unwrap(),
        likeness: name.to_owned(),
        password: Some(password("first")),
        passkey: None,
        codes: (0..8).map(|code| key(10_000 * number + code)).collect(),
        session: session(number, NOW),
    };
    change(number, NOW, AccountStep::Make(Box::new(new)))
}

pub(crate) fn known(number: u64, name: &str) -> KnownMember {
    KnownMember {
        id: member(number),
        hash: hash(number),
        name: Name::new(name).unwrap(),
        seen_at: 5,
    }
}

/// Stores guests, as those who take a seat.
pub(crate) fn seat(storage: &mut dyn Storage, room: u64, members: Vec<KnownMember>) {
    let seated = Append { members, ..append(room, log(3), 0) };
    assert_eq!(storage.append(&[seated]).unwrap(), [Ok(vec![])]);
}

pub(crate) fn apply(storage: &mut dyn Storage, change: &AccountChange, expected: AccountChanged) {
    assert_eq!(storage.change_account(change).unwrap(), expected, "{change:?}");
}

pub(crate) fn keys(storage: &dyn Storage, number: u64) -> AccountKeys {
    storage.reader().unwrap().account_keys(&member(number)).unwrap()
}

/// The numbers of a member's sessions, in order.
pub(crate) fn sessions(storage: &dyn Storage, number: u64) -> Vec<u64> {
    let hashes = keys(storage, number).sessions.into_iter().map(|session| session.hash.0);
    hashes.map(|hash| u64::from_be_bytes(hash[..8].try_into().unwrap())).collect()
}

#[test]
fn a_guest_becomes_an_account_and_the_identity_ends() {
    every_storage(|storage| {
        seat(storage, 1, vec![known(1, "Ann"), known(2, "Bob")]);
        let up = sign_up(1, Some(hash(1)), "Anna");
        // The same again is done, as after a doubt.
        apply(storage, &up, AccountChanged::Done);
        apply(storage, &up, AccountChanged::Done);
        let mut reader = storage.reader().unwrap();
        let (account, own) = reader.account_of_session(key(1)).unwrap().unwrap();
        assert_eq!((account.member.clone(), account.name.as_str()), (member(1), "Anna"));
        assert_eq!((account.made_at, account.renamed_at, account.deleted_at), (NOW, None, None));
        assert_eq!((account.hash, &own), (locked(1), &session(1, NOW)));
        assert_eq!(reader.account_named("Anna").unwrap(), Some(account));
        assert_eq!(reader.account_named("Ann").unwrap(), None);
        assert_eq!(reader.account_of_session(key(2)).unwrap(), None);
        let expected = AccountKeys {
            password: Some(password("first")),
            codes_left: 8,
            sessions: vec![own],
            ..AccountKeys::default()
        };
        assert_eq!(reader.account_keys(&member(1)).unwrap(), expected);
        assert_eq!(reader.account_keys(&member(2)).unwrap(), AccountKeys::default());
        // The row refuses the identity, and its late seat changes no name.
        let refused = reader.member(&member(1), hash(1)).unwrap().unwrap();
        assert_eq!((refused.hash, refused.seen_at), (locked(1), NOW));
        seat(storage, 2, vec![known(1, "Ann")]);
        assert_eq!(reader.member(&member(1), hash(1)).unwrap().unwrap().name.as_str(), "Anna");
        // The account's own seat does, and the row is never pruned.
        seat(storage, 3, vec![KnownMember { hash: locked(1), ..known(1, "Anne") }]);
        assert_eq!(reader.member(&member(1), hash(1)).unwrap().unwrap().name.as_str(), "Anne");
        assert_eq!(storage.prune_members(u64::MAX, 9).unwrap(), 1);
        assert!(reader.account_named("Anna").unwrap().is_some());
    });
}

#[test]
fn nobody_signs_up_twice_or_by_a_name_that_is_taken() {
    every_storage(|storage| {
        seat(storage, 1, vec![known(1, "Ann"), known(2, "Bob")]);
        // A guest who never took a seat, and somebody new.
        apply(storage, &sign_up(3, Some(hash(3)), "Cid"), AccountChanged::Done);
        apply(storage, &sign_up(4, None, "Dan"), AccountChanged::Done);
        apply(storage, &sign_up(1, Some(hash(1)), "Cid"), AccountChanged::NameTaken);
        apply(storage, &sign_up(5, None, "Dan"), AccountChanged::NameTaken);
        // Another identity, and an account.
        apply(storage, &sign_up(2, Some(hash(9)), "Bob"), AccountChanged::Gone);
        apply(storage, &sign_up(2, None, "Bob"), AccountChanged::Gone);
        let mut again = sign_up(3, Some(hash(3)), "Cide");
        if let AccountStep::Make(new) = &mut again.step {
            new.session = session(33, NOW);
        }
        apply(storage, &again, AccountChanged::Gone);
        // Nothing of that is stored.
        let mut reader = storage.reader().unwrap();
        assert_eq!(reader.member(&member(5), hash(5)).unwrap(), None);
        for number in [1, 2] {
            let kept = reader.member(&member(number), hash(number)).unwrap().unwrap();
            assert_eq!((kept.hash, kept.seen_at), (hash(number), 5));
        }
        for (name, number) in [("Bob", None), ("Cid", Some(3)), ("Cide", None), ("Dan", Some(4))] {
            let found = reader.account_named(name).unwrap().map(|account| account.member);
            assert_eq!(found, number.map(member), "{name}");
        }
        apply(storage, &sign_up(2, Some(hash(2)), "Bob"), AccountChanged::Done);
    });
}

#[test]
fn sessions_begin_and_end() {
    every_storage(|storage| {
        apply(storage, &sign_up(1, None, "Ann"), AccountChanged::Done);
        apply(storage, &sign_up(2, None, "Bob"), AccountChanged::Done);
        let sign_in = |number: u64, at, rehashed: Option<&str>| {
            let rehashed = rehashed.map(password);
            change(1, at, AccountStep::SignIn { session: session(number, at), rehashed })
        };
        for number in 10..13 {
            apply(storage, &sign_in(number, NOW + number, None), AccountChanged::Done);
        }
        apply(storage, &sign_in(13, NOW + 13, Some("better")), AccountChanged::Done);
        apply(storage, &sign_in(13, NOW + 13, Some("better")), AccountChanged::Done);
        assert_eq!(keys(storage, 1).password, Some(password("better")));
        assert_eq!(sessions(storage, 1), [13, 12, 11, 10, 1]);
        let seen = |number| AccountStep::Seen { session: key(number), expires_at: NOW + 9_000 };
        apply(storage, &change(1, NOW + 100, seen(10)), AccountChanged::Done);
        apply(storage, &change(1, NOW + 100, seen(99)), AccountChanged::Gone);
        let first = keys(storage, 1).sessions.remove(0);
        let expected =
            AccountSession { seen_at: NOW + 100, expires_at: NOW + 9_000, ..session(10, NOW + 10) };
        assert_eq!(first, expected);
        let end = |sessions| change(1, NOW, AccountStep::End(sessions));
        apply(storage, &end(Sessions::One(key(12))), AccountChanged::Done);
        // Those of others are nobody else's to end.
        apply(storage, &end(Sessions::One(key(2))), AccountChanged::Done);
        assert_eq!(sessions(storage, 1), [10, 13, 11, 1]);
        let set = AccountStep::SetPassword { password: password("new"), keep: key(11) };
        apply(storage, &change(1, NOW, set), AccountChanged::Done);
        assert_eq!(keys(storage, 1).password, Some(password("new")));
        assert_eq!(sessions(storage, 1), [11]);
        apply(storage, &sign_in(14, NOW + 14, None), AccountChanged::Done);
        apply(storage, &end(Sessions::AllBut(key(14))), AccountChanged::Done);
        assert_eq!(sessions(storage, 1), [14]);
        apply(storage, &end(Sessions::All), AccountChanged::Done);
        assert_eq!((sessions(storage, 1), sessions(storage, 2)), (vec![], vec![2]));
        // The one seen least recently makes place for a new one.
        let most = ACCOUNT_SESSIONS_MAX as u64;
        for number in 100..100 + most {
            apply(storage, &sign_in(number, NOW + number, None), AccountChanged::Done);
        }
        assert_eq!(sessions(storage, 1).len(), ACCOUNT_SESSIONS_MAX);
        apply(storage, &sign_in(100 + most, NOW + 900, None), AccountChanged::Done);
        let left = sessions(storage, 1);
        assert_eq!((left.len(), left.contains(&100)), (ACCOUNT_SESSIONS_MAX, false));
        let nobody = AccountStep::SignIn { session: session(8, NOW), rehashed: None };
        apply(storage, &change(9, NOW, nobody), AccountChanged::Gone);
    });
}

#[test]
fn a_recovery_code_opens_an_account_once() {
    every_storage(|storage| {
        apply(storage, &sign_up(1, None, "Ann"), AccountChanged::Done);
        apply(storage, &sign_up(2, None, "Bob"), AccountChanged::Done);
        let recover = |code, number, text: &str| AccountStep::Recover {
            code: key(code),
            password: password(text),
            session: session(number, NOW + 1),
        };
        // A code that nobody has, and one of somebody else.
        for code in [9_999, 20_000] {
            let refused = change(1, NOW, recover(code, 30, "stolen"));
            apply(storage, &refused, AccountChanged::Gone);
        }
        assert_eq!(keys(storage, 1).password, Some(password("first")));
        for _ in 0..2 {
            apply(storage, &change(1, NOW, recover(10_003, 30, "new")), AccountChanged::Done);
            let AccountKeys { password: now, codes_left, .. } = keys(storage, 1);
            assert_eq!((now, codes_left), (Some(password("new")), 7));
            assert_eq!(sessions(storage, 1), [30]);
        }
        apply(storage, &change(1, NOW, recover(10_003, 31, "again")), AccountChanged::Gone);
        // New codes end the old ones, and an operator's is one more.
        let codes = AccountStep::SetCodes(vec![key(500), key(501)]);
        for _ in 0..2 {
            apply(storage, &change(1, NOW, codes.clone()), AccountChanged::Done);
            assert_eq!(keys(storage, 1).codes_left, 2);
        }
        for _ in 0..2 {
            let add = AccountStep::AddCode(key(502));
            apply(storage, &change(1, NOW, add), AccountChanged::Done);
            assert_eq!(keys(storage, 1).codes_left, 3);
        }
        apply(storage, &change(1, NOW, recover(10_004, 32, "old")), AccountChanged::Gone);
        apply(storage, &change(1, NOW, recover(502, 32, "last")), AccountChanged::Done);
        assert_eq!(keys(storage, 2).codes_left, 8);
        for step in [codes, AccountStep::AddCode(key(502)), recover(500, 33, "x")] {
            apply(storage, &change(9, NOW, step), AccountChanged::Gone);
        }
    });
}

#[test]
fn an_account_changes_its_name() {
    every_storage(|storage| {
        apply(storage, &sign_up(1, None, "Ann"), AccountChanged::Done);
        apply(storage, &sign_up(2, None, "Bob"), AccountChanged::Done);
        let rename = |number, name: &str| {
            let likeness = name.to_lowercase();
            change(
                number,
                NOW + 7,
                AccountStep::Rename { name: Name::new(name).unwrap(), likeness },
            )
        };
        apply(storage, &rename(1, "Anna"), AccountChanged::Done);
        apply(storage, &rename(1, "ANNA"), AccountChanged::Done);
        apply(storage, &rename(2, "anna"), AccountChanged::NameTaken);
        apply(storage, &rename(3, "Cid"), AccountChanged::Gone);
        let mut reader = storage.reader().unwrap();
        let account = reader.account_named("anna").unwrap().unwrap();
        assert_eq!((account.name.as_str(), account.renamed_at), ("ANNA", Some(NOW + 7)));
        assert_eq!(reader.account_named("Ann").unwrap(), None);
        let bob = reader.account_named("Bob").unwrap().unwrap();
        assert_eq!((bob.name.as_str(), bob.renamed_at), ("Bob", None));
        assert_eq!(reader.account_named("cid").unwrap(), None);
    });
}

#[test]
fn from_whom_a_member_takes_challenges_is_kept() {
    every_storage(|storage| {
        let from = |storage: &dyn Storage, number| {
            storage.reader().unwrap().challenges_from(&member(number)).unwrap()
        };
        let set = |number, from| change(number, NOW, AccountStep::SetChallenges(from));
        // A guest who never took a seat is not stored.
        apply(storage, &set(1, ChallengesFrom::Nobody), AccountChanged::Gone);
        assert_eq!(from(storage, 1), ChallengesFrom::Everybody);
        seat(storage, 1, vec![known(1, "Ann")]);
        apply(storage, &sign_up(2, None, "Bob"), AccountChanged::Done);
        assert_eq!(from(storage, 2), ChallengesFrom::Everybody);
        for (number, wanted) in [
            (1, ChallengesFrom::Nobody),
            (1, ChallengesFrom::Nobody),
            (2, ChallengesFrom::Accounts),
        ] {
            apply(storage, &set(number, wanted), AccountChanged::Done);
            assert_eq!(from(storage, number), wanted);
        }
        // It outlives another name, and that the guest signs up.
        storage.update_members(&[KnownMember { seen_at: 9, ..known(1, "Anna") }]).unwrap();
        apply(storage, &sign_up(1, Some(hash(1)), "Anna"), AccountChanged::Done);
        assert_eq!(from(storage, 1), ChallengesFrom::Nobody);
        apply(storage, &set(1, ChallengesFrom::Everybody), AccountChanged::Done);
        assert_eq!(from(storage, 1), ChallengesFrom::Everybody);
        assert_eq!(from(storage, 2), ChallengesFrom::Accounts);
    });
}

#[test]
fn an_old_name_leads_to_the_account_and_is_free_after_a_year() {
    every_storage(|storage| {
        apply(storage, &sign_up(1, None, "Ann"), AccountChanged::Done);
        apply(storage, &sign_up(2, None, "Bob"), AccountChanged::Done);
        let rename = |number, name: &str, at| {
            let name = Name::new(name).unwrap();
            let likeness = name.as_str().to_owned();
            change(number, at, AccountStep::Rename { name, likeness })
        };
        let called = |storage: &dyn Storage, name: &str| {
            let found = storage.reader().unwrap().account_called(name).unwrap();
            found.map(|account| (account.member, account.name.as_str().to_owned()))
        };
        let old = |storage: &dyn Storage| {
            let names = storage.reader().unwrap().old_names(&member(1)).unwrap();
            let names =
                names.into_iter().map(|OldName { name, at }| (name.as_str().to_owned(), at));
            names.collect::<Vec<_>>()
        };
        // The same again is done, as after a doubt.
        for _ in 0..2 {
            apply(storage, &rename(1, "Anna", NOW + 1), AccountChanged::Done);
            assert_eq!(old(storage), [("Ann".to_owned(), NOW + 1)]);
        }
        let anna = Some((member(1), "Anna".to_owned()));
        assert_eq!(called(storage, "Ann"), anna);
        assert_eq!(called(storage, "Anna"), anna);
        assert_eq!(storage.reader().unwrap().account_named("Ann").unwrap(), None);
        // Nobody else may take it; its owner may.
        apply(storage, &sign_up(3, None, "Ann"), AccountChanged::NameTaken);
        apply(storage, &rename(2, "Ann", NOW + 2), AccountChanged::NameTaken);
        apply(storage, &rename(1, "Ann", NOW + 2), AccountChanged::Done);
        assert_eq!(old(storage), [("Anna".to_owned(), NOW + 2)]);
        apply(storage, &rename(1, "Anne", NOW + 3), AccountChanged::Done);
        assert_eq!(old(storage), [("Ann".to_owned(), NOW + 3), ("Anna".to_owned(), NOW + 2)]);
        assert_eq!(called(storage, "Anna"), Some((member(1), "Anne".to_owned())));

        let year = u64::try_from(OLD_NAME_KEPT.as_millis()).unwrap();
        storage.prune_accounts(NOW + 1 + year, 9).unwrap();
        assert_eq!(old(storage).len(), 2);
        assert_eq!(storage.prune_accounts(NOW + 2 + year, 0).unwrap(), 0);
        assert_eq!(storage.prune_accounts(NOW + 2 + year, 9).unwrap(), 1);
        assert_eq!(old(storage), [("Ann".to_owned(), NOW + 3)]);
        assert_eq!(called(storage, "Anna"), None);
        apply(storage, &rename(2, "Ann", NOW + 4), AccountChanged::NameTaken);
        apply(storage, &rename(2, "Anna", NOW + 4), AccountChanged::Done);
        assert_eq!(called(storage, "Anna"), Some((member(2), "Anna".to_owned())));
    });
}

#[test]
fn games_of_a_deleted_account_keep_no_name() {
    every_storage(|storage| {
        let finished = Append {
            closes: true,
            members: vec![known(7, "Ann"), known(8, "Bob")],
            ..append(2, resigned("public", 7, 8), 2)
        };
        assert_eq!(storage.append(&[finished]).unwrap(), [Ok(vec![])]);
        apply(storage, &sign_up(1, None, "Anna"), AccountChanged::Done);
        let add = KeyStep::AddAlias { guest: member(7), hash: hash(7), locked: locked(7) };
        apply(storage, &change(1, NOW, AccountStep::Key(add)), AccountChanged::Done);
        let names = |storage: &dyn Storage| {
            let mut reader = storage.reader().unwrap();
            let query = GameQuery { max: 9, ..GameQuery::default() };
            let listed = reader.games(&query).unwrap().games.remove(0).summary;
            assert_eq!(reader.game(&game_id(2)).unwrap().unwrap().summary, listed);
            Seat::BOTH.map(|seat| match &listed.players[seat] {
                Player::Member { name, .. } => name.as_str().to_owned(),
                Player::Bot { .. } => panic!("no bot played"),
            })
        };
        let before = names(storage);
        let current = |storage: &dyn Storage| {
            let members = [1, 2, 7, 9].map(member);
            let mut names = storage.reader().unwrap().current_names(&members).unwrap();
            names.sort_unstable();
            names
        };
        let anna = Name::new("Anna").unwrap();
        assert_eq!(current(storage), [(member(1), anna)], "guests keep theirs");
        apply(storage, &change(1, NOW, AccountStep::Delete), AccountChanged::Done);
        assert_eq!(names(storage), before, "the deletion can be taken back");
        let kept = u64::try_from(DELETED_ACCOUNT_KEPT.as_millis()).unwrap();
        storage.prune_accounts(NOW + kept, 9).unwrap();
        assert_eq!(names(storage), ["Deleted player".to_owned(), before[1].clone()]);
        let deleted = Name::new("Deleted player").unwrap();
        assert_eq!(current(storage), [(member(1), deleted.clone()), (member(7), deleted)]);
        // Also when the name of the account is free again.
        let year = u64::try_from(DELETED_NAME_KEPT.as_millis()).unwrap();
        storage.prune_accounts(NOW + kept + year, 9).unwrap();
        assert_eq!(names(storage), ["Deleted player".to_owned(), before[1].clone()]);
    });
}

#[test]
fn a_deleted_account_can_be_taken_back_for_a_while() {
    every_storage(|storage| {
        let day = 24 * 60 * 60 * 1_000;
        for (number, name) in [(1, "Ann"), (2, "Bob"), (3, "Cid")] {
            apply(storage, &sign_up(number, None, name), AccountChanged::Done);
        }
        for number in [1, 2] {
            apply(storage, &change(number, NOW, AccountStep::Delete), AccountChanged::Done);
            assert!(sessions(storage, number).is_empty());
        }
        apply(storage, &change(9, NOW, AccountStep::Delete), AccountChanged::Gone);
        let deleted_at = |storage: &dyn Storage, name: &str| -> Option<Option<u64>> {
            let account = storage.reader().unwrap().account_named(name).unwrap();
            account.map(|account| account.deleted_at)
        };
        assert_eq!(deleted_at(storage, "Ann"), Some(Some(NOW)));
        let back = AccountStep::SignIn { session: session(20, NOW + day), rehashed: None };
        apply(storage, &change(2, NOW + day, back.clone()), AccountChanged::Done);
        assert_eq!(deleted_at(storage, "Bob"), Some(None));

        // Sessions that have expired are deleted, and the account a while after.
        let kept = u64::try_from(DELETED_ACCOUNT_KEPT.as_millis()).unwrap();
        assert_eq!(storage.prune_accounts(NOW + 999, 9).unwrap(), 0);
        assert_eq!(storage.prune_accounts(NOW + 1_000, 9).unwrap(), 1);
        assert_eq!((sessions(storage, 3), sessions(storage, 2)), (vec![], vec![20]));
        storage.prune_accounts(NOW + kept - 1, 9).unwrap();
        assert_eq!(keys(storage, 1).codes_left, 8);
        assert_eq!(storage.prune_accounts(NOW + kept, 0).unwrap(), 0);
        assert_eq!(storage.prune_accounts(NOW + kept, 9).unwrap(), 1);
        assert_eq!(keys(storage, 1), AccountKeys::default());
        let gone = storage.reader().unwrap().account_named("Ann").unwrap().unwrap();
        assert_eq!(gone.name.as_str(), "Deleted player");
        let mut late = back;
        if let AccountStep::SignIn { session: late, .. } = &mut late {
            *late = session(21, NOW + kept);
        }
        apply(storage, &change(1, NOW + kept, late), AccountChanged::Gone);

        // The name is blocked for a year.
        let year = u64::try_from(DELETED_NAME_KEPT.as_millis()).unwrap();
        assert_eq!(storage.prune_accounts(NOW + kept + year - 1, 9).unwrap(), 0);
        apply(storage, &sign_up(4, None, "Ann"), AccountChanged::NameTaken);
        assert_eq!(storage.prune_accounts(NOW + kept + year, 9).unwrap(), 1);
        apply(storage, &sign_up(4, None, "Ann"), AccountChanged::Done);
        assert_eq!(keys(storage, 2).codes_left, 8);
        assert_eq!(storage.prune_accounts(u64::MAX, 9).unwrap(), 1);
    });
}

#[test]
fn a_file_without_accounts_gets_them_and_keeps_its_games_in_progress() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    let file = folder.path().join(FILE);
    let mut storage = open();
    seat(&mut storage, 1, vec![known(7, "Ann"), known(8, "Bob")]);
    let finished = Append { closes: true, ..append(2, resigned("public", 7, 8), 2) };
    storage.append(&[finished, append(3, log(40), 0)]).unwrap();
    drop(storage);
    let format = || -> u32 {
        let connection = rusqlite::Connection::open(&file).unwrap();
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    // Older formats have the same tables but these.
    let mut gone = String::new();
    let format_10 = "DROP INDEX account_owner; DROP TABLE old_name; DROP TABLE puzzle_rating; DROP TABLE puzzle_try;
        DROP TABLE game_mark; DROP TABLE examined_game; DROP INDEX rating_change_at;";
    let format_9 = "DROP TABLE rating; DROP TABLE rating_change; DROP TABLE block;
        DROP TABLE report; DROP TABLE sanction; DROP TABLE operator; DROP TABLE passkey;
        DROP TABLE token; DROP TABLE alias; ALTER TABLE session DROP COLUMN proved_at;
        ALTER TABLE account DROP COLUMN owner;";
    let format_8 = "DROP TABLE session; DROP TABLE key; DROP TABLE account;";
    for older in (7..=15).rev() {
        gone += match older {
            9 => format_10,
            8 => format_9,
            7 => format_8,
            _ => "",
        };
        make_older(&file, older);
        let old = rusqlite::Connection::open(&file).unwrap();
        old.execute_batch(&gone).unwrap();
        drop(old);
        assert!(check(folder.path()).unwrap().is_sound());
        drop(open());
        assert_eq!(format(), 16);
    }

    let mut storage = open();
    assert!(check(folder.path()).unwrap().is_sound());
    assert_eq!(storage.unattended(0, 9).unwrap().len(), 2);
    let claimed = storage.claim(&[code(1), code(3)], NodeId::ALONE).unwrap();
    let [Claimed::Mine { log: one, .. }, Claimed::Mine { log: other, .. }] = &claimed[..] else {
        panic!("{claimed:?}")
    };
    assert_eq!((one, other), (&log(3), &log(40)));
    let mut reader = storage.reader().unwrap();
    assert!(reader.game(&game_id(2)).unwrap().is_some());
    assert_eq!(reader.member(&member(7), hash(7)).unwrap(), Some(known(7, "Ann")));
    apply(&mut storage, &sign_up(7, Some(hash(7)), "Ann"), AccountChanged::Done);
    drop((storage, reader));
    // Opened again, it is as it was.
    let storage = open();
    assert_eq!(keys(&storage, 7).codes_left, 8);
}

/// Of a database on another machine, each answer that is waited for takes as long as the way there and back.
#[test]
fn a_sign_in_waits_for_two_answers_of_the_database() {
    let Some(server) = Server::start(Durability::None) else { return };
    let relay = Relay::to(server.socket());
    let mut storage = Postgres::open(&relay.url(), None).unwrap();
    let mut trips = |change: &AccountChange| {
        let before = relay.round_trips();
        apply(&mut storage, change, AccountChanged::Done);
        relay.round_trips() - before
    };
    let sign_in = |number| {
        let session = session(number, NOW);
        change(1, NOW, AccountStep::SignIn { session, rehashed: None })
    };
    // Each statement is prepared at its first use.
    trips(&sign_up(1, None, "ann"));
    trips(&sign_in(20));
    assert_eq!(trips(&sign_in(21)), 2);
    assert_eq!(trips(&sign_in(21)), 3, "it was made before");
    assert_eq!(trips(&sign_up(2, None, "bob")), 7);
}
