//! Where accounts were used, and whom members have met: what every back end must do.

use fivefold_shared::seat::Seat;
use fivefold_storage::{
    AccountChanged, AccountStep, Meeting, Storage, Trace,
    TraceKind::{self, Address, Device},
    limits::{
        DELETED_ACCOUNT_KEPT, MEETINGS_MAX, TRACED_ADDRESS_KEPT, TRACED_DEVICE_KEPT, TRACES_MAX,
    },
};
use serde_json::json;

use crate::{
    accounts::{change, sign_up},
    contract::{every_database, every_storage},
    rooms::{TOOK_MS, ended, game_id, member, rated, sat, won_by},
};

/// When things happen here.
const NOW: u64 = 1_000_000_000_000;
/// The greatest digest.
const MARK_MAX: u64 = i64::MAX.cast_unsigned();

const fn trace(kind: TraceKind, mark: u64, at: u64) -> Trace {
    Trace { kind, mark, at }
}

fn note(storage: &mut dyn Storage, number: u64, traces: &[Trace]) -> AccountChanged {
    storage.change_account(&change(number, NOW, AccountStep::Trace(traces.to_vec()))).unwrap()
}

fn traces(storage: &dyn Storage, number: u64) -> Vec<Trace> {
    storage.reader().unwrap().traces(&member(number)).unwrap()
}

fn meetings(storage: &dyn Storage, number: u64, since: u64) -> Vec<Meeting> {
    storage.reader().unwrap().meetings(&member(number), since).unwrap()
}

fn meeting(opponent: u64, at: u64, plies: usize) -> Meeting {
    Meeting { opponent: member(opponent), at, plies, took_ms: at.min(TOOK_MS) }
}

/// Puts a trace of the account of member 6 into a storage.
pub(crate) fn fill(storage: &mut dyn Storage) {
    assert_eq!(note(storage, 6, &[trace(Device, MARK_MAX, NOW)]), AccountChanged::Done);
}

/// Checks that a storage has what [`fill`] put there.
pub(crate) fn assert_filled(storage: &dyn Storage) {
    assert_eq!(traces(storage, 6), [trace(Device, MARK_MAX, NOW)]);
}

#[test]
fn the_last_places_of_an_account_are_kept() {
    every_storage(|storage| {
        assert_eq!(note(storage, 1, &[trace(Address, 1, 5)]), AccountChanged::Gone);
        assert_eq!(traces(storage, 1), []);
        for (number, name) in [(1, "ann"), (2, "bob")] {
            storage.change_account(&sign_up(number, None, name)).unwrap();
        }
        let both = [trace(Address, MARK_MAX, 5), trace(Device, 1, 6)];
        for _ in 0..2 {
            assert_eq!(note(storage, 1, &both), AccountChanged::Done);
        }
        assert_eq!(traces(storage, 1), [both[1], both[0]]);
        note(storage, 1, &[trace(Address, MARK_MAX, 7)]);
        note(storage, 1, &[trace(Address, MARK_MAX, 4)]);
        assert_eq!(traces(storage, 1), [trace(Address, MARK_MAX, 7), both[1]]);
        assert_eq!(traces(storage, 2), []);
        // At the limit, and one past it: the oldest goes, and no device.
        let most = TRACES_MAX as u64;
        for mark in 1..most {
            note(storage, 1, &[trace(Address, mark, 100 + mark)]);
        }
        assert_eq!(traces(storage, 1).len(), TRACES_MAX + 1);
        note(storage, 1, &[trace(Address, 0, 99)]);
        let kept = traces(storage, 1);
        assert_eq!((kept.len(), kept.last()), (TRACES_MAX + 1, Some(&both[1])));
        assert_eq!(kept[TRACES_MAX - 1], trace(Address, 0, 99));
    });
}

#[test]
fn places_are_forgotten_in_time_and_with_the_account() {
    every_storage(|storage| {
        storage.change_account(&sign_up(1, None, "ann")).unwrap();
        note(storage, 1, &[trace(Address, 1, NOW), trace(Device, 2, NOW)]);
        // The session of the sign-up is over.
        assert_eq!(storage.prune_accounts(NOW, 9), Ok(1));
        let after = |kept: std::time::Duration| NOW + u64::try_from(kept.as_millis()).unwrap();
        assert_eq!(storage.prune_accounts(after(TRACED_ADDRESS_KEPT) - 1, 9), Ok(0));
        assert_eq!(storage.prune_accounts(after(TRACED_ADDRESS_KEPT), 9), Ok(1));
        assert_eq!(traces(storage, 1), [trace(Device, 2, NOW)]);
        let device = after(TRACED_DEVICE_KEPT);
        storage.change_account(&change(1, NOW, AccountStep::Delete)).unwrap();
        assert!(after(DELETED_ACCOUNT_KEPT) < device);
        storage.prune_accounts(after(DELETED_ACCOUNT_KEPT), 9).unwrap();
        assert_eq!(traces(storage, 1), []);
    });
}

#[test]
fn the_games_of_a_day_are_found_with_their_opponents_and_stones() {
    every_storage(|storage| {
        let seats = |who: u64| [sat("first", 1, "Ann"), sat("second", who, "Bob")];
        let end =
            |rated: bool| json!({"type": "ended", "outcome": won_by(Seat::First), "rated": rated});
        let games = [
            rated(1, [1, 2], won_by(Seat::First), 10),
            ended("5+3", 2, seats(3), (7, end(true)), 20),
            ended("1+1", 3, seats(2), (9, end(true)), 30),
            ended("5+3", 4, seats(2), (9, end(false)), 40),
        ];
        for game in games {
            assert!(storage.append(&[game]).unwrap()[0].is_ok());
        }
        let all = [meeting(2, 30, 9), meeting(3, 20, 7), meeting(2, 10, 0)];
        assert_eq!(meetings(storage, 1, 0), all);
        assert_eq!(meetings(storage, 1, 11), all[..2]);
        assert_eq!(meetings(storage, 1, 31), []);
        assert_eq!(meetings(storage, 2, 0), [meeting(1, 30, 9), meeting(1, 10, 0)]);
        // What an operator takes back was played all the same.
        storage.undo_ratings(&game_id(2), 50).unwrap();
        assert_eq!(meetings(storage, 1, 0), all);
    });
}

#[test]
fn a_long_day_is_read_up_to_its_limit() {
    every_database(|storage| {
        let most = MEETINGS_MAX as u64;
        for number in 1..=most + 1 {
            let game = rated(number, [1, 2], won_by(Seat::First), number);
            assert!(storage.append(&[game]).unwrap()[0].is_ok());
        }
        let found = meetings(storage, 1, 0);
        assert_eq!((found.len(), found.last()), (MEETINGS_MAX, Some(&meeting(2, 2, 0))));
    });
}
