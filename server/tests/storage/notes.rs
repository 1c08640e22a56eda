//! Notes about games: what every back end must do.

use fivefold_shared::note::Note;
use fivefold_storage::{
    AccountChanged::{self, Done, Full, Gone},
    AccountStep, Storage,
    limits::{DELETED_ACCOUNT_KEPT, NOTES_MAX},
};

use crate::{
    accounts::{self, NOW, apply},
    contract::every_storage,
    rooms::{code, member},
};

#[track_caller]
fn write(
    storage: &mut dyn Storage,
    (who, at): (u64, u64),
    room: u64,
    text: &str,
    expected: AccountChanged,
) {
    let step = AccountStep::Note { room: code(room), text: text.to_owned() };
    apply(storage, &accounts::change(who, at, step), expected);
}

fn note(room: u64, text: &str, at: u64) -> Note {
    Note { room: code(room), text: text.to_owned(), at }
}

fn list(storage: &dyn Storage, who: u64) -> Vec<Note> {
    storage.reader().unwrap().notes(&member(who)).unwrap()
}

#[test]
fn a_note_is_its_writers_and_replaces_the_one_before() {
    every_storage(|storage| {
        for number in 1..=2 {
            let name = format!("Player{number}");
            apply(storage, &accounts::sign_up(number, None, &name), Done);
        }
        write(storage, (1, NOW), 5, "watch k6", Done);
        write(storage, (1, NOW + 1), 6, "a fork\nat j7", Done);
        write(storage, (2, NOW + 2), 5, "hers", Done);
        assert_eq!(list(storage, 1), [note(6, "a fork\nat j7", NOW + 1), note(5, "watch k6", NOW)]);
        write(storage, (1, NOW + 3), 5, "forget k6", Done);
        assert_eq!(list(storage, 1)[0], note(5, "forget k6", NOW + 3));
        let mut reader = storage.reader().unwrap();
        assert_eq!(reader.note(&member(1), &code(5)), Ok(Some(note(5, "forget k6", NOW + 3))));
        assert_eq!(reader.note(&member(1), &code(7)), Ok(None));
        drop(reader);
        // Without a text, it is gone.
        write(storage, (1, NOW + 4), 5, "", Done);
        write(storage, (1, NOW + 4), 5, "", Done);
        assert_eq!(list(storage, 1), [note(6, "a fork\nat j7", NOW + 1)]);
        assert_eq!(list(storage, 2), [note(5, "hers", NOW + 2)]);
        write(storage, (3, NOW), 5, "a guest's", Gone);
        assert_eq!(list(storage, 3), []);
    });
}

#[test]
fn a_member_has_so_many_notes() {
    every_storage(|storage| {
        apply(storage, &accounts::sign_up(1, None, "Ann"), Done);
        let most = u64::try_from(NOTES_MAX).unwrap();
        for room in 0..most {
            write(storage, (1, NOW), room, "one", Done);
        }
        write(storage, (1, NOW), most, "one too many", Full);
        write(storage, (1, NOW + 1), 0, "changed", Done);
        assert_eq!(list(storage, 1)[0], note(0, "changed", NOW + 1));
        write(storage, (1, NOW), 0, "", Done);
        write(storage, (1, NOW), most, "the last", Done);
        assert_eq!(list(storage, 1).len(), NOTES_MAX);
    });
}

#[test]
fn notes_go_with_their_account() {
    every_storage(|storage| {
        for (number, name) in [(1, "Ann"), (2, "Bob")] {
            apply(storage, &accounts::sign_up(number, None, name), Done);
            write(storage, (number, NOW), 5, name, Done);
        }
        apply(storage, &accounts::change(1, NOW, AccountStep::Delete), Done);
        let kept = u64::try_from(DELETED_ACCOUNT_KEPT.as_millis()).unwrap();
        storage.prune_accounts(NOW + kept - 1, 99).unwrap();
        assert_eq!(list(storage, 1).len(), 1, "its member may come back");
        storage.prune_accounts(NOW + kept, 99).unwrap();
        assert_eq!((list(storage, 1).len(), list(storage, 2).len()), (0, 1));
    });
}

/// Fills a storage in which member 6 has an account.
pub(crate) fn fill(storage: &mut dyn Storage) {
    write(storage, (6, NOW), 1, "watch k6", Done);
}

/// A damage of what [`fill`] stores, and what a check says about it.
pub(crate) const DAMAGE: (&str, &str) =
    ("UPDATE note SET text = ''", "1 notes are empty or nobody's");

/// Checks that a storage has what [`fill`] put there.
pub(crate) fn assert_filled(storage: &dyn Storage) {
    assert_eq!(list(storage, 6), [note(1, "watch k6", NOW)]);
}
