//! Conditional moves: what every back end must do.

use fivefold_shared::{clock::TimeOff, protocol::MemberId};
use fivefold_storage::{
    AccountChanged::{self, Done, Gone},
    AccountStep, Append, Claimed, ConditionalMovesStep, DailyNews, DailySeat, DailySeats, KeyStep,
    NodeId, PlannedMoves, Storage,
};

use crate::{
    accounts::{self, NOW, apply, hash, locked},
    contract::every_life,
    rooms::{append, code, log, member},
};

fn text(moves: Option<&str>) -> Option<String> {
    moves.map(str::to_owned)
}

#[track_caller]
fn set(storage: &mut dyn Storage, who: u64, room: u64, moves: Option<&str>, to: AccountChanged) {
    let step = ConditionalMovesStep::Set { room: code(room), moves: text(moves) };
    apply(storage, &accounts::change(who, NOW, AccountStep::ConditionalMoves(step)), to);
}

/// The owner of room 1 with this epoch knows what member 7 has planned by a change of this number.
#[track_caller]
fn told(storage: &mut dyn Storage, (epoch, number): (u64, u64), to: AccountChanged) {
    let step = ConditionalMovesStep::Told { room: code(1), epoch, number };
    apply(storage, &accounts::change(7, NOW, AccountStep::ConditionalMoves(step)), to);
}

fn places(members: &[u64]) -> Option<Box<DailySeats>> {
    let seat = |who: &u64| DailySeat {
        member: member(*who),
        command: None,
        turn: None,
        off: Some(TimeOff::NONE),
    };
    let seats = members.iter().map(seat).collect();
    Some(Box::new(DailySeats { seats, position: None, at: NOW }))
}

fn stored(storage: &mut dyn Storage, append: Append) {
    assert_eq!(storage.append(&[append]).unwrap(), [Ok(vec![])]);
}

fn begin(storage: &mut dyn Storage, room: u64, members: &[u64]) {
    stored(storage, Append { daily: places(members), ..append(room, log(2), 0) });
}

fn go_on(storage: &mut dyn Storage, room: u64, members: &[u64]) {
    stored(storage, Append { daily: places(members), ..append(room, log(3)[2..].to_vec(), 0) });
}

fn planned(number: u64, moves: Option<&str>) -> DailyNews {
    DailyNews::ConditionalMoves(PlannedMoves { number, moves: text(moves) })
}

/// What owners of rooms have to learn about members.
fn news(storage: &dyn Storage) -> Vec<(MemberId, DailyNews)> {
    let found = storage.reader().unwrap().daily_news(99).unwrap();
    found.into_iter().map(|(_, member, news)| (member, news)).collect()
}

/// What somebody learns who claims a room.
fn claimed(storage: &mut dyn Storage, room: u64, node: NodeId) -> Vec<(MemberId, DailyNews)> {
    match &storage.claim(&[code(room)], node).unwrap()[..] {
        [Claimed::Mine { news, .. }] => news.clone(),
        other => panic!("{other:?}"),
    }
}

fn list(storage: &dyn Storage, who: u64) -> Vec<(u64, String)> {
    let all = storage.reader().unwrap().conditional_moves(&member(who)).unwrap();
    let number = |room| (0..20).find(|number| code(*number) == room).unwrap();
    all.into_iter().filter_map(|(room, _, moves)| Some((number(room), moves?))).collect()
}

#[test]
fn the_owner_of_a_room_learns_them_and_so_does_the_next_one() {
    every_life(|next| {
        let (mut storage, node) = next();
        let storage = storage.as_mut();
        apply(storage, &accounts::sign_up(7, None, "Ann"), Done);
        begin(storage, 1, &[7, 8]);
        begin(storage, 2, &[8]);
        set(storage, 7, 2, Some("a"), Gone);
        set(storage, 7, 3, Some("a"), Gone);
        set(storage, 7, 1, Some("a"), Done);
        assert_eq!(news(storage), [(member(7), planned(1, Some("a")))]);
        // The room has learnt what was before.
        set(storage, 7, 1, Some("b"), Done);
        told(storage, (1, 1), Gone);
        assert_eq!(news(storage), [(member(7), planned(2, Some("b")))]);
        // What the room appends keeps them.
        go_on(storage, 1, &[7, 8]);
        assert_eq!(news(storage), [(member(7), planned(2, Some("b")))]);
        // Only its owner says what it knows, and once.
        for ((epoch, number), to) in [((2, 2), Gone), ((1, 2), Done), ((1, 2), Gone)] {
            told(storage, (epoch, number), to);
        }
        assert_eq!(news(storage), []);
        assert_eq!(list(storage, 7), [(1, "b".to_owned())]);
        assert_eq!(list(storage, 8), []);
        assert_eq!(claimed(storage, 1, node), [(member(7), planned(2, Some("b")))]);
        set(storage, 7, 1, None, Done);
        assert_eq!(news(storage), [(member(7), planned(3, None))]);
        assert_eq!(claimed(storage, 1, node), [(member(7), planned(3, None))]);
        told(storage, (3, 3), Done);
        assert_eq!((news(storage), list(storage, 7)), (vec![], vec![]));
        assert_eq!(claimed(storage, 1, node), []);
    });
}

#[test]
fn a_room_that_sleeps_wakes_to_learn_them() {
    every_life(|next| {
        let (mut storage, node) = next();
        apply(storage.as_mut(), &accounts::sign_up(7, None, "Ann"), Done);
        begin(storage.as_mut(), 1, &[7, 8]);
        let asleep = Append { daily: places(&[7, 8]), ..crate::daily::asleep(1, &[7, 8]) };
        stored(storage.as_mut(), asleep);
        assert_eq!(storage.unattended(0, 9).unwrap(), []);
        set(storage.as_mut(), 7, 1, Some("a"), Done);
        assert_eq!(storage.unattended(0, 9).unwrap(), [code(1)]);
        assert_eq!(claimed(storage.as_mut(), 1, node), [(member(7), planned(1, Some("a")))]);
        told(storage.as_mut(), (3, 1), Done);
        assert_eq!(news(storage.as_ref()), []);
        drop(storage);
        let (mut storage, node) = next();
        assert_eq!(claimed(storage.as_mut(), 1, node), [(member(7), planned(1, Some("a")))]);
    });
}

#[test]
fn they_are_gone_with_the_place_and_those_of_guests_are_the_accounts() {
    every_life(|next| {
        let (mut storage, _) = next();
        let storage = storage.as_mut();
        apply(storage, &accounts::sign_up(7, None, "Ann"), Done);
        accounts::seat(storage, 9, vec![accounts::known(9, "Guest")]);
        begin(storage, 1, &[8, 9]);
        set(storage, 7, 1, Some("a"), Gone);
        let guest = KeyStep::AddAlias { guest: member(9), hash: hash(9), locked: locked(9) };
        apply(storage, &accounts::change(7, NOW, AccountStep::Key(guest)), Done);
        set(storage, 7, 1, Some("a"), Done);
        assert_eq!(news(storage), [(member(9), planned(1, Some("a")))]);
        assert_eq!(list(storage, 7), [(1, "a".to_owned())]);
        go_on(storage, 1, &[8]);
        assert_eq!((news(storage), list(storage, 7)), (vec![], vec![]));
    });
}
