//! Keys to accounts besides passwords: what every back end must do.

use fivefold_shared::protocol::{MemberId, Name, Scope};
use fivefold_storage::{
    AccountChanged, AccountKeys, AccountStep, ApiToken, Append, BlockEntry, BlockKind, GameQuery,
    KeyHash, KeyStep, ModerationChange, NewAccount, Passkey, Storage, UsedPasskey,
    limits::{ALIASES_MAX, DELETED_ACCOUNT_KEPT, PASSKEYS_MAX, TOKENS_MAX},
};

use crate::{
    accounts::{
        NOW, apply, change, hash, key, keys, known, locked, password, seat, session, sessions,
        sign_up,
    },
    contract::every_storage,
    rooms::{append, member, resigned},
};

fn passkey(number: u8) -> Passkey {
    Passkey {
        id: vec![number; 20],
        label: format!("Phone {number}"),
        credential: "first".to_owned(),
        made_at: NOW,
        used_at: None,
    }
}

fn token(number: u64) -> ApiToken {
    ApiToken {
        hash: key(700_000 + number),
        label: format!("Bot {number}"),
        scopes: vec![Scope::Play, Scope::Watch],
        made_at: NOW,
        used_at: None,
        expires_at: NOW + 5_000,
    }
}

fn used(number: u8, credential: &str) -> UsedPasskey {
    UsedPasskey { id: vec![number; 20], credential: credential.to_owned() }
}

fn do_key(storage: &mut dyn Storage, number: u64, step: KeyStep, expected: AccountChanged) {
    apply(storage, &change(number, NOW, AccountStep::Key(step)), expected);
}

/// The member with this key, by their number here.
fn of_passkey(storage: &dyn Storage, number: u8) -> Option<String> {
    let found = storage.reader().unwrap().account_of_passkey(&[number; 20]).unwrap();
    found.map(|(account, _)| account.name.as_str().to_owned())
}

#[test]
fn passkeys_open_an_account_until_they_are_removed() {
    every_storage(|storage| {
        apply(storage, &sign_up(1, None, "Ann"), AccountChanged::Done);
        apply(storage, &sign_up(2, None, "Bob"), AccountChanged::Done);
        for _ in 0..2 {
            do_key(storage, 1, KeyStep::AddPasskey(passkey(1)), AccountChanged::Done);
        }
        do_key(storage, 2, KeyStep::AddPasskey(passkey(1)), AccountChanged::Gone);
        do_key(storage, 9, KeyStep::AddPasskey(passkey(9)), AccountChanged::Gone);
        assert_eq!(keys(storage, 1).passkeys, [passkey(1)]);
        assert_eq!(of_passkey(storage, 1).as_deref(), Some("Ann"));
        assert_eq!(of_passkey(storage, 2), None);
        let sign_in =
            |number| KeyStep::SignIn { passkey: used(1, "second"), session: session(number, NOW) };
        for _ in 0..2 {
            do_key(storage, 1, sign_in(20), AccountChanged::Done);
        }
        do_key(storage, 2, sign_in(21), AccountChanged::Gone);
        assert_eq!(sessions(storage, 1).len(), 2);
        let (_, own) = storage.reader().unwrap().account_of_session(key(20)).unwrap().unwrap();
        assert_eq!(own.proved_at, NOW);
        let now = &keys(storage, 1).passkeys[0];
        assert_eq!((now.credential.as_str(), now.used_at), ("second", Some(NOW)));
        do_key(storage, 2, KeyStep::EndPasskey(vec![1; 20]), AccountChanged::Done);
        assert_eq!(keys(storage, 1).passkeys.len(), 1, "nobody ends the key of another");
        do_key(storage, 1, KeyStep::EndPasskey(vec![1; 20]), AccountChanged::Done);
        do_key(storage, 1, sign_in(22), AccountChanged::Gone);
        // As many as there may be, and one more.
        for number in 1..=u8::try_from(PASSKEYS_MAX).unwrap() {
            do_key(storage, 1, KeyStep::AddPasskey(passkey(number)), AccountChanged::Done);
        }
        do_key(storage, 1, KeyStep::AddPasskey(passkey(200)), AccountChanged::Full);
        assert_eq!(keys(storage, 1).passkeys.len(), PASSKEYS_MAX);
    });
}

#[test]
fn an_account_without_a_password_gets_one_later() {
    every_storage(|storage| {
        let mut up = sign_up(1, None, "Ann");
        if let AccountStep::Make(new) = &mut up.step {
            let first = NewAccount { password: None, passkey: Some(passkey(1)), ..(**new).clone() };
            **new = first;
        }
        for _ in 0..2 {
            apply(storage, &up, AccountChanged::Done);
        }
        let held = keys(storage, 1);
        assert_eq!((held.password, held.codes_left, held.passkeys), (None, 8, vec![passkey(1)]));
        let set = AccountStep::SetPassword { password: password("new"), keep: key(1) };
        apply(storage, &change(1, NOW, set), AccountChanged::Done);
        assert_eq!(keys(storage, 1).password, Some(password("new")));
        // A recovery code ends all other keys.
        do_key(storage, 1, KeyStep::AddToken(token(1)), AccountChanged::Done);
        let code = AccountStep::Recover {
            code: key(10_000),
            password: password("newer"),
            session: session(30, NOW),
        };
        apply(storage, &change(1, NOW, code), AccountChanged::Done);
        let held = keys(storage, 1);
        assert_eq!((held.password, held.passkeys), (Some(password("newer")), vec![]));
        assert_eq!(held.tokens, []);
    });
}

#[test]
fn a_session_begins_without_a_key_and_is_proved_later() {
    every_storage(|storage| {
        apply(storage, &sign_up(1, None, "Ann"), AccountChanged::Done);
        apply(storage, &sign_up(2, None, "Bob"), AccountChanged::Done);
        let mut new = session(20, NOW);
        new.proved_at = 0;
        for _ in 0..2 {
            do_key(storage, 1, KeyStep::Begin(new.clone()), AccountChanged::Done);
        }
        do_key(storage, 9, KeyStep::Begin(session(21, NOW)), AccountChanged::Gone);
        let proved_at = |storage: &dyn Storage| {
            let found = storage.reader().unwrap().account_of_session(key(20)).unwrap();
            found.map(|(_, session)| session.proved_at)
        };
        assert_eq!(proved_at(storage), Some(0));
        let prove = |passkey| KeyStep::Prove { session: key(20), passkey };
        do_key(storage, 2, prove(None), AccountChanged::Gone);
        do_key(storage, 1, prove(Some(used(1, "x"))), AccountChanged::Gone);
        assert_eq!(proved_at(storage), Some(0));
        do_key(storage, 1, prove(None), AccountChanged::Done);
        assert_eq!(proved_at(storage), Some(NOW));
        do_key(storage, 1, KeyStep::AddPasskey(passkey(1)), AccountChanged::Done);
        do_key(storage, 1, prove(Some(used(1, "third"))), AccountChanged::Done);
        assert_eq!(keys(storage, 1).passkeys[0].credential, "third");
        // Not into an account that is about to be deleted.
        apply(storage, &change(1, NOW, AccountStep::Delete), AccountChanged::Done);
        do_key(storage, 1, KeyStep::Begin(session(22, NOW)), AccountChanged::Gone);
    });
}

#[test]
fn tokens_speak_for_an_account_until_they_end() {
    every_storage(|storage| {
        apply(storage, &sign_up(1, None, "Ann"), AccountChanged::Done);
        apply(storage, &sign_up(2, None, "Bob"), AccountChanged::Done);
        for _ in 0..2 {
            do_key(storage, 1, KeyStep::AddToken(token(1)), AccountChanged::Done);
        }
        do_key(storage, 9, KeyStep::AddToken(token(9)), AccountChanged::Gone);
        let found = |storage: &dyn Storage, hash: KeyHash| {
            storage.reader().unwrap().account_of_token(hash).unwrap()
        };
        let (account, own) = found(storage, token(1).hash).unwrap();
        assert_eq!((account.member, own), (member(1), token(1)));
        assert_eq!(found(storage, key(1)), None, "a session is no token");
        do_key(storage, 1, KeyStep::NoteToken(token(1).hash), AccountChanged::Done);
        do_key(storage, 2, KeyStep::NoteToken(token(1).hash), AccountChanged::Gone);
        assert_eq!(keys(storage, 1).tokens[0].used_at, Some(NOW));
        do_key(storage, 2, KeyStep::EndToken(token(1).hash), AccountChanged::Done);
        assert_eq!(keys(storage, 1).tokens.len(), 1);
        do_key(storage, 1, KeyStep::EndToken(token(1).hash), AccountChanged::Done);
        assert_eq!(found(storage, token(1).hash), None);
        let most = TOKENS_MAX as u64;
        for number in 0..most {
            do_key(storage, 1, KeyStep::AddToken(token(number)), AccountChanged::Done);
        }
        do_key(storage, 1, KeyStep::AddToken(token(most)), AccountChanged::Full);
        // They end by themselves, and with the account.
        do_key(storage, 2, KeyStep::AddToken(token(100)), AccountChanged::Done);
        apply(storage, &change(2, NOW, AccountStep::Delete), AccountChanged::Done);
        assert_eq!(keys(storage, 2).tokens, []);
        storage.prune_accounts(NOW + 4_999, 100).unwrap();
        assert_eq!(keys(storage, 1).tokens.len(), TOKENS_MAX);
        assert_eq!(storage.prune_accounts(NOW + 5_000, 100).unwrap(), TOKENS_MAX);
        assert_eq!(keys(storage, 1).tokens, []);
    });
}

#[test]
fn guests_belong_to_one_account() {
    every_storage(|storage| {
        apply(storage, &sign_up(1, None, "Ann"), AccountChanged::Done);
        apply(storage, &sign_up(2, None, "Bob"), AccountChanged::Done);
        let most = ALIASES_MAX as u64;
        let guests = (10..=10 + most).map(|number| known(number, "Guest")).collect();
        seat(storage, 1, guests);
        let take = |number: u64| KeyStep::AddAlias {
            guest: member(number),
            hash: hash(number),
            locked: locked(number),
        };
        for _ in 0..2 {
            do_key(storage, 1, take(10), AccountChanged::Done);
        }
        // The identity ends with it.
        let row = storage.reader().unwrap().member(&member(10), hash(10)).unwrap().unwrap();
        assert_eq!(row.hash, locked(10));
        do_key(storage, 2, take(10), AccountChanged::Gone);
        assert_eq!(keys(storage, 1).aliases, [member(10)]);
        // Nobody who is unknown, another identity, and no account.
        do_key(storage, 1, take(50), AccountChanged::Gone);
        let stolen = KeyStep::AddAlias { guest: member(11), hash: hash(12), locked: locked(11) };
        do_key(storage, 1, stolen, AccountChanged::Gone);
        let account = KeyStep::AddAlias { guest: member(2), hash: locked(2), locked: locked(3) };
        do_key(storage, 1, account, AccountChanged::Gone);
        for number in 11..10 + most {
            do_key(storage, 1, take(number), AccountChanged::Done);
        }
        do_key(storage, 1, take(10 + most), AccountChanged::Full);
        assert_eq!(keys(storage, 1).aliases.len(), ALIASES_MAX);
        let row = storage.reader().unwrap().member(&member(10 + most), hash(10 + most)).unwrap();
        assert_eq!(row.unwrap().hash, hash(10 + most), "nothing of it is stored");
        // They are found by any id of the person, and who blocks one of them has blocked the account.
        let around = |members: &[MemberId]| {
            let mut guests = storage.reader().unwrap().guests_around(members).unwrap();
            guests.sort_unstable();
            guests
        };
        let all: Vec<_> = (10..10 + most).map(|number| (member(number), member(1))).collect();
        assert_eq!(around(&[member(2), member(12)]), all);
        assert_eq!(around(&[member(1)]), all);
        assert_eq!(around(&[member(2), member(50)]), []);
        for (by, other, at) in [(4, 1, 7), (3, 10, 8), (4, 12, 9), (5, 2, 9)] {
            let name = Name::new("Somebody").unwrap();
            let entry = BlockEntry { other: member(other), name, kind: BlockKind::Block, at };
            storage.moderate(&ModerationChange::Block(member(by), entry)).unwrap();
        }
        let lists = storage.reader().unwrap().block_lists(&member(1)).unwrap();
        assert_eq!(lists.blocked_by, [member(4), member(3)]);
        // The guest's games are the account's.
        let finished = Append { closes: true, ..append(2, resigned("private", 10, 2), 0) };
        assert_eq!(storage.append(&[finished]).unwrap(), [Ok(vec![])]);
        let games = |storage: &dyn Storage, number: u64| {
            let query = GameQuery {
                member: Some(member(number)),
                unlisted: true,
                max: 9,
                ..GameQuery::default()
            };
            storage.reader().unwrap().games(&query).unwrap().games.len()
        };
        let listed = [1, 10, 2, 11].map(|number| games(storage, number));
        assert_eq!(listed, [1, 1, 1, 0]);
        // All of it goes with the account.
        do_key(storage, 1, KeyStep::AddPasskey(passkey(1)), AccountChanged::Done);
        apply(storage, &change(1, NOW, AccountStep::Delete), AccountChanged::Done);
        let kept = u64::try_from(DELETED_ACCOUNT_KEPT.as_millis()).unwrap();
        storage.prune_accounts(NOW + kept, 100).unwrap();
        assert_eq!(keys(storage, 1), AccountKeys::default());
    });
}
