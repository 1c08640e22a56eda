//! What every back end must do.

use std::{
    collections::BTreeMap,
    sync::{LazyLock, Mutex, PoisonError},
};

use fivefold_shared::{
    protocol::{MemberId, Name, RoomCode},
    room::Entry,
    seat::Seat,
};
use fivefold_storage::{
    Append, Claimed, Conflict, DataFolder, Epoch, GameQuery, IdentityHash, KnownMember, Memory,
    NodeId, Registry, SharedRooms, Sqlite, Storage,
};
use proptest::prelude::*;

use crate::{
    postgres::{Durability, Server},
    rooms::{
        append, code, end, entry, event, game_id, log, member, pair, playing, rematch, resigned,
    },
};

fn hash(number: u64) -> IdentityHash {
    IdentityHash([u8::try_from(number).unwrap(); 32])
}

/// Tries every back end. The node is [`NodeId::ALONE`].
pub(crate) fn every_storage(check: impl Fn(&mut dyn Storage)) {
    every_life(|next| {
        let (mut storage, node) = next();
        assert_eq!(node, NodeId::ALONE);
        check(storage.as_mut());
    });
}

/// Tries every back end that nodes share. The node is [`NodeId::ALONE`].
fn every_shared_storage(check: impl Fn(&mut dyn Storage, &mut dyn SharedRooms)) {
    let mut memory = Memory::default();
    assert_eq!(memory.join(), Ok(NodeId::ALONE));
    check(&mut memory.clone(), &mut memory);
    on_postgres(|server| {
        drop(server.empty());
        assert_eq!(server.join(false), NodeId::ALONE);
        check(&mut server.open(), &mut server.rooms());
    });
}

/// Tries every back end with a disk. The node is [`NodeId::ALONE`].
pub(crate) fn every_database(check: impl Fn(&mut dyn Storage)) {
    let folder = tempfile::tempdir().unwrap();
    check(&mut Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap());
    postgres_lives(|next| check(next().0.as_mut()));
}

/// A storage, and the node that uses it.
type Life = (Box<dyn Storage>, NodeId);

/// Tries every back end, opened again by each call, when the process before has ended.
pub(crate) fn every_life(check: impl Fn(&mut dyn FnMut() -> Life)) {
    every_embedded_life(&check);
    postgres_lives(check);
}

fn every_embedded_life(check: impl Fn(&mut dyn FnMut() -> Life)) {
    let memory = Memory::default();
    check(&mut || (Box::new(memory.reopen()), NodeId::ALONE));
    let folder = tempfile::tempdir().unwrap();
    check(&mut || {
        let sqlite = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
        (Box::new(sqlite), NodeId::ALONE)
    });
}

fn postgres_lives(check: impl Fn(&mut dyn FnMut() -> Life)) {
    on_postgres(|server| {
        drop(server.empty());
        check(&mut || {
            let node = server.join(false);
            (Box::new(server.open()), node)
        });
    });
}

/// Uses the server alone: `cargo test` runs several tests in one process.
fn on_postgres(check: impl FnOnce(&Server)) {
    if let Some(server) = &*POSTGRES {
        check(&server.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// One for all cases of all tests in a process.
static POSTGRES: LazyLock<Option<Mutex<Server>>> =
    LazyLock::new(|| Server::start(Durability::None).map(Mutex::new));

/// The room's epoch and log, from a claim that must succeed.
pub(crate) fn claim(storage: &mut dyn Storage, room: u64, node: NodeId) -> (Epoch, Vec<Entry>) {
    match &storage.claim(&[code(room)], node).unwrap()[..] {
        [Claimed::Mine { epoch, log, .. }] => (*epoch, log.clone()),
        other => panic!("room {room} is not claimed: {other:?}"),
    }
}

/// All open rooms without an owner, a few at a time and each of them claimed.
fn claim_orphans(storage: &mut dyn Storage, node: NodeId) -> Vec<RoomCode> {
    let mut orphans = Vec::new();
    loop {
        let some = storage.unattended(0, 7).unwrap();
        assert!(some.len() <= 7, "{some:?}");
        if some.is_empty() {
            return orphans;
        }
        storage.claim(&some, node).unwrap();
        orphans.extend(some);
    }
}

#[test]
fn what_is_appended_is_read() {
    every_storage(|storage| {
        let whole = log(20);
        assert_eq!(storage.read(&code(1)).unwrap(), []);
        for part in [&whole[..1], &whole[1..12], &whole[12..]] {
            let both = [append(1, part.to_vec(), 0), append(2, part.to_vec(), 0)];
            assert_eq!(storage.append(&both).unwrap(), [Ok(vec![]), Ok(vec![])]);
        }
        assert_eq!(storage.read(&code(1)).unwrap(), whole);
        assert_eq!(storage.read(&code(2)).unwrap(), whole);
    });
}

#[test]
fn old_logs_of_closed_rooms_are_pruned_and_games_stay() {
    every_storage(|storage| {
        let game = resigned("private", 7, 8);
        let last = game[2].event.at;
        storage.append(&[append(1, game.clone(), 1), append(2, game.clone(), 2)]).unwrap();
        storage.append(&[Append { closes: true, ..append(2, vec![], 0) }]).unwrap();
        // An event at that very time is not older, and an open room is never old.
        assert_eq!(storage.prune_logs(last, 10).unwrap(), 0);
        assert!(storage.prune_logs(u64::MAX, 10).unwrap() <= 1);
        assert_eq!(storage.prune_logs(u64::MAX, 10).unwrap(), 0);
        assert_eq!(storage.read(&code(1)).unwrap(), game);
        assert_eq!(storage.read(&code(2)).unwrap(), []);
        let claimed = storage.claim(&[code(1), code(2)], NodeId::ALONE).unwrap();
        assert!(matches!(claimed[..], [Claimed::Mine { .. }, Claimed::Closed]), "{claimed:?}");
        let mut reader = storage.reader().unwrap();
        for number in [1, 2] {
            assert!(reader.game(&game_id(number)).unwrap().is_some(), "game {number}");
        }
        // Its code is not given to another room.
        let again = storage.append(&[append(2, log(1), 0)]).unwrap();
        assert!(matches!(again[..], [Ok(_) | Err(Conflict::Owner)]), "{again:?}");
    });
}

#[test]
fn a_conflict_does_not_touch_the_other_rooms() {
    every_storage(|storage| {
        let whole = log(9);
        let room = |number, entries: &[_]| append(number, entries.to_vec(), 0);
        storage.append(&[room(1, &whole[..5]), room(2, &whole[..5])]).unwrap();
        let batch = [
            room(1, &whole[4..6]),
            room(1, &whole[6..]),
            room(1, &whole[..1]),
            room(3, &whole[1..]),
            Append { epoch: Epoch(2), ..room(2, &whole[5..]) },
            room(2, &whole[5..]),
        ];
        let expected = [
            Err(Conflict::Seq { last: 5 }),
            Err(Conflict::Seq { last: 5 }),
            Err(Conflict::Owner),
            Err(Conflict::Owner),
            Err(Conflict::Owner),
            Ok(vec![]),
        ];
        assert_eq!(storage.append(&batch).unwrap(), expected);
        assert_eq!(storage.read(&code(1)).unwrap(), whole[..5]);
        assert_eq!(storage.read(&code(2)).unwrap(), whole);
        assert_eq!(storage.read(&code(3)).unwrap(), []);
    });
}

#[test]
fn a_claimed_room_is_no_longer_its_old_owners() {
    every_storage(|storage| {
        let whole = log(6);
        let first = |room| append(room, whole[..3].to_vec(), 0);
        storage.append(&[first(1), Append { closes: true, ..first(2) }]).unwrap();
        let claimed = storage.claim(&[code(2), code(1)], NodeId::ALONE).unwrap();
        let [Claimed::Closed, Claimed::Mine { epoch, log, .. }] = &claimed[..] else {
            panic!("one room is open: {claimed:?}")
        };
        assert_eq!(*log, whole[..3]);
        let rest = append(1, whole[3..].to_vec(), 0);
        assert_eq!(storage.append(std::slice::from_ref(&rest)).unwrap(), [Err(Conflict::Owner)]);
        let rest = Append { epoch: *epoch, ..rest };
        assert_eq!(storage.append(&[rest]).unwrap(), [Ok(vec![])]);
        assert_eq!(storage.read(&code(1)).unwrap(), whole);
        let (next, log) = claim(storage, 1, NodeId::ALONE);
        assert!(next > *epoch && log == whole, "{next:?}");
    });
}

#[test]
fn a_room_that_was_claimed_before_it_was_stored_is_never_created() {
    every_storage(|storage| {
        assert_eq!(storage.claim(&[code(1)], NodeId::ALONE).unwrap(), [Claimed::Closed]);
        let late = [append(1, log(1), 0), append(2, log(1), 0)];
        assert_eq!(storage.append(&late).unwrap(), [Err(Conflict::Owner), Ok(vec![])]);
        assert_eq!(storage.read(&code(1)).unwrap(), []);
        assert_eq!(storage.claim(&[code(1)], NodeId::ALONE).unwrap(), [Claimed::Closed]);
    });
}

#[test]
fn open_rooms_of_an_ended_process_are_orphans_until_they_are_claimed() {
    every_life(|next| {
        let (mut storage, _) = next();
        let rooms = (0..20).map(|room| Append { closes: room >= 16, ..append(room, log(2), 0) });
        storage.append(&rooms.collect::<Vec<_>>()).unwrap();
        assert_eq!(storage.unattended(0, 99).unwrap(), []);
        drop(storage);

        let (mut storage, node) = next();
        assert_eq!(storage.unattended(0, 99).unwrap().len(), 16);
        claim(storage.as_mut(), 3, node);
        storage.append(&[Append { node, ..append(30, log(2), 0) }]).unwrap();
        let mut orphans = claim_orphans(storage.as_mut(), node);
        orphans.sort();
        let mut expected: Vec<_> = (0..16).filter(|&room| room != 3).map(code).collect();
        expected.sort();
        assert_eq!(orphans, expected);
        drop(storage);

        let (mut storage, node) = next();
        assert_eq!(claim_orphans(storage.as_mut(), node).len(), 17);
    });
}

#[test]
fn a_closed_room_takes_nothing_more() {
    every_storage(|storage| {
        let whole = log(6);
        storage.append(&[append(1, whole[..3].to_vec(), 0)]).unwrap();
        let close = Append { closes: true, ..append(1, Vec::new(), 0) };
        assert_eq!(storage.append(std::slice::from_ref(&close)).unwrap(), [Ok(vec![])]);
        let rest = append(1, whole[3..].to_vec(), 0);
        let refused = [Err(Conflict::Owner), Err(Conflict::Owner)];
        assert_eq!(storage.append(&[rest, close]).unwrap(), refused);
        assert_eq!(storage.claim(&[code(1)], NodeId::ALONE).unwrap(), [Claimed::Closed]);
    });
}

#[test]
fn finished_games_are_found() {
    every_storage(|storage| {
        // Rooms 0 to 5; odd ones are private. Member 1 plays all, 2 the first four, 3 the rest.
        for room in 0..6 {
            let visibility = if room % 2 == 0 { "public" } else { "private" };
            let entries = resigned(visibility, 1, if room < 4 { 2 } else { 3 });
            let closed = Append { closes: true, ..append(room, entries, room) };
            assert_eq!(storage.append(&[closed]).unwrap(), [Ok(vec![])]);
        }
        let mut reader = storage.reader().unwrap();
        for room in 0..6 {
            let record = reader.game(&game_id(room)).unwrap().unwrap();
            assert!(record.summary.players.first.is_member(&member(1)), "{record:?}");
        }
        assert_eq!(reader.game(&game_id(6)).unwrap(), None);

        let mut pages = |member: Option<MemberId>, unlisted, max| {
            let mut query = GameQuery { member, unlisted, max, ..GameQuery::default() };
            let mut pages = Vec::new();
            loop {
                let list = reader.games(&query).unwrap();
                pages.push(list.games.into_iter().map(|game| game.id).collect::<Vec<_>>());
                query.before = list.next;
                if query.before.is_none() {
                    return pages;
                }
            }
        };
        let ids = |games: &[u64]| games.iter().map(|&game| game_id(game)).collect::<Vec<_>>();
        assert_eq!(pages(None, false, 10), [ids(&[4, 2, 0])]);
        assert_eq!(pages(None, false, 2), [ids(&[4, 2]), ids(&[0])]);
        assert_eq!(pages(None, false, 3), [ids(&[4, 2, 0])]);
        assert_eq!(pages(Some(member(2)), false, 1), [ids(&[2]), ids(&[0])]);
        assert_eq!(pages(Some(member(3)), false, 5), [ids(&[4])]);
        assert_eq!(pages(Some(member(9)), false, 5), [ids(&[])]);
        // Players see their own unlisted games, too.
        assert_eq!(pages(Some(member(2)), true, 3), [ids(&[3, 2, 1]), ids(&[0])]);
        assert_eq!(pages(Some(member(3)), true, 5), [ids(&[5, 4])]);
        let mut between = |one, other, unlisted| {
            let (member, opponent) = (Some(member(one)), Some(member(other)));
            let query = GameQuery { member, opponent, unlisted, max: 9, ..GameQuery::default() };
            reader.games(&query).unwrap().games.into_iter().map(|game| game.id).collect::<Vec<_>>()
        };
        assert_eq!(between(1, 3, true), ids(&[5, 4]));
        assert_eq!(between(3, 1, false), ids(&[4]));
        assert_eq!(between(2, 3, true), []);
    });
}

#[test]
fn members_are_remembered_as_last_said() {
    every_storage(|storage| {
        let known = |number, name: &str, seen_at| KnownMember {
            id: member(number),
            hash: hash(number),
            name: Name::new(name).unwrap(),
            seen_at,
        };
        // Nobody is stored before they take a seat.
        storage.update_members(&[known(1, "Ann", 4)]).unwrap();
        let mut reader = storage.reader().unwrap();
        assert_eq!(reader.member(&member(1), hash(1)).unwrap(), None);
        let members = vec![known(1, "Ann", 5), known(2, "Bob", 6)];
        storage.append(&[Append { members, ..append(1, log(3), 0) }]).unwrap();
        storage.update_members(&[known(1, "Anna", 7), known(3, "Cid", 7)]).unwrap();
        // Somebody else with the same public id changes nothing.
        let other = KnownMember { hash: IdentityHash([9; 32]), ..known(2, "Eve", 8) };
        storage.update_members(&[other]).unwrap();
        assert_eq!(reader.member(&member(1), hash(1)).unwrap(), Some(known(1, "Anna", 7)));
        assert_eq!(reader.member(&member(2), hash(2)).unwrap(), Some(known(2, "Bob", 6)));
        assert_eq!(reader.member(&member(3), hash(3)).unwrap(), None);
        // A refused append stores no members.
        let stale = Append { members: vec![known(3, "Cid", 7)], ..append(1, log(3), 0) };
        assert_eq!(storage.append(&[stale]).unwrap(), [Err(Conflict::Owner)]);
        assert_eq!(reader.member(&member(3), hash(3)).unwrap(), None);
    });
}

#[test]
fn members_without_a_game_are_pruned_when_nobody_sees_them() {
    every_storage(|storage| {
        let known = |number| KnownMember {
            id: member(number),
            hash: hash(number),
            name: Name::new("Ann").unwrap(),
            seen_at: 100 + number,
        };
        let members = (1..=8).map(known).collect();
        storage.append(&[Append { members, ..append(1, resigned("private", 1, 2), 1) }]).unwrap();
        // 1 and 2 have played, 5 was seen at the very time.
        assert_eq!(storage.prune_members(105, 10).unwrap(), 2);
        assert_eq!(storage.prune_members(1_000, 3).unwrap(), 3);
        assert_eq!(storage.prune_members(u64::MAX, 3).unwrap(), 1);
        let mut reader = storage.reader().unwrap();
        let mut is_there = |number| reader.member(&member(number), hash(number)).unwrap().is_some();
        assert_eq!((1..=8).filter(|&number| is_there(number)).collect::<Vec<_>>(), [1, 2]);
    });
}

#[test]
fn a_member_is_found_by_the_current_identity_and_never_pruned_once_it_was_replaced() {
    every_storage(|storage| {
        let known = |number, hash| KnownMember {
            id: member(number),
            hash,
            name: Name::new("Ann").unwrap(),
            seen_at: 100,
        };
        let members = vec![known(1, hash(1)), known(2, hash(2))];
        storage.append(&[Append { members, ..append(1, log(3), 0) }]).unwrap();
        let mut reader = storage.reader().unwrap();
        let cases = [
            // member, old, new, whether it is replaced
            (3, hash(3), hash(7), false),
            (1, hash(9), hash(7), false),
            (1, hash(1), hash(2), false),
            (1, hash(1), hash(7), true),
            // Asking again after a doubt.
            (1, hash(1), hash(7), true),
            (1, hash(1), hash(8), false),
            (1, hash(7), hash(8), true),
        ];
        for (number, old, new, done) in cases {
            let replaced = storage.replace_identity(&member(number), old, new).unwrap();
            assert_eq!(replaced, done, "{number} {old:?} {new:?}");
        }
        // By the new identity, which would give another id; by the old one, whose hash is wrong.
        let found = Some(known(1, hash(8)));
        assert_eq!(reader.member(&member(8), hash(8)).unwrap(), found);
        assert_eq!(reader.member(&member(1), hash(1)).unwrap(), found);
        assert_eq!(reader.member(&member(7), hash(7)).unwrap(), None);
        // Nobody else is stored with that identity, and the member keeps the name.
        let other = KnownMember { name: Name::new("Eve").unwrap(), ..known(8, hash(8)) };
        storage.append(&[Append { members: vec![other], ..append(3, log(3), 0) }]).unwrap();
        assert_eq!(reader.member(&member(8), hash(8)).unwrap(), Some(known(1, hash(8))));
        // A seat taken by a session of before changes no identity.
        let late = vec![KnownMember { seen_at: 101, ..known(1, hash(1)) }];
        storage.append(&[Append { members: late, ..append(2, log(3), 0) }]).unwrap();
        assert_eq!(storage.prune_members(u64::MAX, 10).unwrap(), 1);
        let found = Some(KnownMember { seen_at: 101, ..known(1, hash(8)) });
        assert_eq!(reader.member(&member(1), hash(1)).unwrap(), found);
    });
}

#[test]
fn nobody_begins_a_second_game_of_paired_players() {
    every_shared_storage(|storage, rooms| {
        let mut room_of = |number| {
            let playing = rooms.playing(&member(number)).unwrap()?;
            assert_eq!(playing.member, member(number));
            Some((playing.room, playing.seat))
        };
        let elsewhere = |number, room, seat| Err(Conflict::Playing(playing(number, room, seat)));
        assert_eq!(storage.append(&[pair(1, [1, 2])]).unwrap(), [Ok(vec![])]);
        assert_eq!(room_of(1), Some((code(1), Seat::First)));
        assert_eq!(room_of(2), Some((code(1), Seat::Second)));
        assert_eq!(room_of(3), None);

        // A conflict stores nothing, and does not touch the others.
        let known = KnownMember {
            id: member(3),
            hash: hash(3),
            name: Name::new("Cid").unwrap(),
            seen_at: 1,
        };
        let refused = Append { members: vec![known], ..pair(2, [3, 2]) };
        let batch = [append(3, log(3), 0), refused, pair(4, [4, 5]), append(5, log(3), 0)];
        let answers = [Ok(vec![]), elsewhere(2, 1, Seat::Second), Ok(vec![]), Ok(vec![])];
        assert_eq!(storage.append(&batch).unwrap(), answers);
        assert_eq!(storage.read(&code(2)).unwrap(), []);
        assert_eq!((room_of(3), room_of(4)), (None, Some((code(4), Seat::First))));
        assert_eq!(storage.reader().unwrap().member(&member(3), hash(3)).unwrap(), None);
        // A room that the append does not fit has another conflict.
        assert_eq!(storage.append(&[pair(4, [3, 2])]).unwrap(), [Err(Conflict::Owner)]);

        // The end frees both, and who plays elsewhere then has no rematch.
        assert_eq!(storage.append(&[end(1, [1, 2])]).unwrap(), [Ok(vec![])]);
        assert_eq!((room_of(1), room_of(2)), (None, None));
        assert_eq!(storage.append(&[pair(2, [3, 2])]).unwrap(), [Ok(vec![])]);
        let again = [rematch(1, [1, 2])];
        assert_eq!(storage.append(&again).unwrap(), [elsewhere(2, 2, Seat::Second)]);
        assert_eq!((storage.read(&code(1)).unwrap().len(), room_of(1)), (5, None));
        // Closing the room frees them, too.
        let closed = Append { closes: true, ..append(2, Vec::new(), 0) };
        assert_eq!(storage.append(&[closed]).unwrap(), [Ok(vec![])]);
        assert_eq!(storage.append(&again).unwrap(), [Ok(vec![])]);
        assert_eq!(room_of(2), Some((code(1), Seat::Second)));
        // A late end of an earlier owner frees nobody.
        let late = Append { epoch: Epoch(9), ..end(1, [1, 2]) };
        assert_eq!(storage.append(&[late]).unwrap(), [Err(Conflict::Owner)]);
        assert_eq!(room_of(2), Some((code(1), Seat::Second)));
    });
}

#[test]
fn one_commit_may_end_a_game_and_begin_that_of_others_in_the_same_room() {
    every_shared_storage(|storage, rooms| {
        let mut seat_of = |number| rooms.playing(&member(number)).unwrap().map(|game| game.seat);
        assert_eq!(storage.append(&[pair(1, [1, 2])]).unwrap(), [Ok(vec![])]);
        // Who plays now counts, not the entries: a seat went from 2 to 3, and 1 changed seats.
        let next = |players| Append { entries: end(1, [1, 2]).entries, ..rematch(1, players) };
        assert_eq!(storage.append(&[next([3, 1])]).unwrap(), [Ok(vec![])]);
        let seats = [seat_of(1), seat_of(2), seat_of(3)];
        assert_eq!(seats, [Some(Seat::Second), None, Some(Seat::First)]);
        assert_eq!(storage.append(&[pair(2, [2, 4])]).unwrap(), [Ok(vec![])]);
    });
}

/// One thing done to a storage.
#[derive(Clone, Debug)]
enum Step {
    /// Appends to a room, from so far before or after its end on.
    Append {
        room: u64,
        off: i64,
        count: u64,
        closes: bool,
        is_stale: bool,
    },
    Claim,
}

fn step() -> impl Strategy<Value = Step> {
    let off = prop_oneof![8 => Just(0), 1 => -2..=2_i64];
    let append = (0..5_u64, off, 0..4_u64, prop::bool::weighted(0.1), prop::bool::weighted(0.1));
    prop_oneof![
        9 => append.prop_map(|(room, off, count, closes, is_stale)| {
            Step::Append { room, off, count, closes, is_stale }
        }),
        1 => Just(Step::Claim),
    ]
}

/// What a room must be.
#[derive(Clone, Copy, Debug)]
struct Expected {
    seq: u64,
    epoch: u64,
    is_open: bool,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Batches of whatever comes: each room takes exactly what continues it.
    #[test]
    fn every_log_is_gapless(batches in prop::collection::vec(
        prop::collection::vec(step(), 1..6), 1..12)
    ) {
        every_embedded_life(|next| follow(next().0.as_mut(), &batches));
    }
}

proptest! {
    // Emptying its tables takes longer than everything else.
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// The same.
    #[test]
    fn every_log_in_postgres_is_gapless(batches in prop::collection::vec(
        prop::collection::vec(step(), 1..6), 4..12)
    ) {
        postgres_lives(|next| follow(next().0.as_mut(), &batches));
    }
}

fn follow(storage: &mut dyn Storage, batches: &[Vec<Step>]) {
    let mut rooms: BTreeMap<u64, Expected> = BTreeMap::new();
    for batch in batches {
        let mut appends = Vec::new();
        let mut expected = Vec::new();
        for step in batch {
            match *step {
                Step::Claim => {
                    assert_eq!(storage.append(&appends).unwrap(), expected);
                    appends.clear();
                    expected.clear();
                    for (&number, room) in rooms.iter_mut().filter(|(_, room)| room.is_open) {
                        room.epoch += 1;
                        let claimed = claim(storage, number, NodeId::ALONE);
                        assert_eq!(claimed, (Epoch(room.epoch), log(room.seq)));
                    }
                }
                Step::Append { room, off, count, closes, is_stale } => {
                    let known = rooms.get(&room).copied();
                    let seq = known.map_or(0, |room| room.seq);
                    let first = seq.saturating_add_signed(off).saturating_add(1);
                    let epoch = known.map_or(1, |room| room.epoch) + u64::from(is_stale);
                    let entries = (first..first + count).map(|seq| entry(seq, event(seq)));
                    let next = Append {
                        epoch: Epoch(epoch),
                        closes,
                        ..append(room, entries.collect(), 0)
                    };
                    let begins = count > 0 && first == 1;
                    let result = match known {
                        Some(known) if known.is_open && known.epoch == epoch && !begins => {
                            if count > 0 && first != known.seq + 1 {
                                Err(Conflict::Seq { last: known.seq })
                            } else {
                                Ok(vec![])
                            }
                        }
                        None if begins => Ok(vec![]),
                        // A back end may forget closed rooms, and create them again.
                        Some(known) if !known.is_open && begins => continue,
                        Some(_) | None => Err(Conflict::Owner),
                    };
                    if result.is_ok() {
                        let seq = seq + count;
                        rooms.insert(room, Expected { seq, epoch, is_open: !closes });
                    }
                    appends.push(next);
                    expected.push(result);
                }
            }
        }
        assert_eq!(storage.append(&appends).unwrap(), expected);
    }
    for (&room, expected) in rooms.iter().filter(|(_, expected)| expected.is_open) {
        assert_eq!(storage.read(&code(room)).unwrap(), log(expected.seq));
    }
}
