//! Places in daily games: who has how many, and what becomes of those of people who are gone.

use fivefold_shared::protocol::CommandId;
use fivefold_storage::{
    AccountChanged, AccountStep, Append, DailyNews, DailySeat, DailySeats, DataFolder, Epoch,
    ModerationChange, NodeId, OwnDailyGames, RatedPosition, SanctionKind, Sleep, Sqlite, Storage,
    check, repair,
};

use crate::{
    accounts::{apply, change, hash, locked, sign_up},
    bots::new_bot,
    contract::{every_life, every_storage},
    folders::FILE,
    formats::{make_older, make_postgres_older},
    moderation::sanction,
    postgres::{Durability, Server},
    rooms::{append, code, log, member},
};

fn command(number: u64) -> CommandId {
    CommandId::try_from(format!("command-{number}")).unwrap()
}

/// The places of these members in a room that the first of them has made.
fn seats(room: u64, members: &[u64], position: Option<RatedPosition>) -> Option<Box<DailySeats>> {
    let seats = members.iter().zip(0..).map(|(number, place)| DailySeat {
        member: member(*number),
        command: (place == 0).then(|| command(room)),
        turn: None,
        off: None,
    });
    Some(Box::new(DailySeats { seats: seats.collect(), position, at: 0 }))
}

/// A room that begins with these places.
fn begun(room: u64, members: &[u64]) -> Append {
    Append { daily: seats(room, members, None), ..append(room, log(2), 0) }
}

/// Its next event, after which these have places.
fn goes_on(room: u64, members: &[u64], position: Option<RatedPosition>) -> Append {
    Append { daily: seats(room, members, position), ..append(room, log(3)[2..].to_vec(), 0) }
}

/// It falls asleep.
pub(crate) fn asleep(room: u64, members: &[u64]) -> Append {
    let listing = format!("listing {room}");
    let members_in_lists = members.iter().copied().map(member).collect();
    let sleep = Sleep {
        empty_since: None,
        due: None,
        public_rank: None,
        members: members_in_lists,
        listing,
    };
    let daily = seats(room, members, None);
    Append { sleeps: Some(Box::new(sleep)), daily, ..append(room, Vec::new(), 0) }
}

fn stored(storage: &mut dyn Storage, batch: &[Append]) {
    for answer in storage.append(batch).unwrap() {
        assert_eq!(answer, Ok(vec![]));
    }
}

fn own(storage: &dyn Storage, number: u64, except: Option<u64>) -> OwnDailyGames {
    let except = except.map(code);
    storage.reader().unwrap().daily_games(&member(number), except.as_ref()).unwrap()
}

/// The places of people who are gone, as numbers of rooms and members.
fn leavers(storage: &dyn Storage) -> Vec<(u64, u64)> {
    let found = storage.reader().unwrap().daily_news(99).unwrap();
    let known = (0..40).flat_map(|room| (0..40).map(move |who| (room, who)));
    let is_found =
        |(room, who): &(u64, u64)| found.contains(&(code(*room), member(*who), DailyNews::Gone));
    let places: Vec<_> = known.filter(is_found).collect();
    assert_eq!(places.len(), found.len());
    places
}

#[test]
fn a_member_has_the_places_that_rooms_have_stored_awake_or_asleep() {
    every_storage(|storage| {
        stored(storage, &[begun(1, &[7]), begun(2, &[7, 8]), append(3, log(2), 0), begun(4, &[9])]);
        apply(storage, &sign_up(8, None, "Bob"), AccountChanged::Done);
        let games = |has_account, count| OwnDailyGames { has_account, count, positions: vec![] };
        assert_eq!(own(storage, 7, None), games(false, 2));
        assert_eq!(own(storage, 7, Some(2)), games(false, 1));
        assert_eq!(own(storage, 8, None), games(true, 1));
        assert_eq!(own(storage, 6, None), games(false, 0));
        // Each room is found by the command that made it, by nobody else.
        let mut reader = storage.reader().unwrap();
        let mut made = |who, by| reader.made_daily(&member(who), &command(by)).unwrap();
        assert_eq!([made(7, 2), made(7, 3), made(8, 2)], [Some(code(2)), None, None]);

        // A move in a rated game, beside a room that closes and one without daily games.
        let position = RatedPosition { digest: (1 << 61) - 2, stones: 7 };
        let closed = Append { closes: true, ..append(1, log(3)[2..].to_vec(), 0) };
        let other = append(3, log(3)[2..].to_vec(), 0);
        stored(storage, &[goes_on(2, &[8, 9], Some(position)), closed, other]);
        assert_eq!(own(storage, 7, None).count, 0);
        assert_eq!(own(storage, 8, None).positions, [position]);
        assert_eq!(own(storage, 9, None).count, 2);
        stored(storage, &[asleep(4, &[9])]);
        assert_eq!(own(storage, 9, None).count, 2);
        // Those with a game that goes on come first among the rooms that sleep.
        stored(storage, &[append(5, log(2), 0), append(6, log(2), 0)]);
        for room in [5, 6] {
            stored(storage, &[Append { daily: seats(room, &[], None), ..asleep(room, &[9]) }]);
        }
        let newest = storage.reader().unwrap().sleeping_rooms_of(&member(9), 1).unwrap();
        assert_eq!(newest, ["listing 4"]);
        // The game is over.
        stored(storage, &[Append { entries: log(4)[3..].to_vec(), ..goes_on(2, &[], None) }]);
        assert_eq!(own(storage, 9, None).count, 1);
    });
}

#[test]
fn places_of_deleted_and_closed_accounts_wait_for_their_rooms() {
    every_life(|next| {
        let (mut storage, node) = next();
        for (who, name) in [(7, "Ann"), (8, "Bob"), (9, "Cat")] {
            apply(storage.as_mut(), &sign_up(who, None, name), AccountChanged::Done);
        }
        apply(storage.as_mut(), &new_bot(10, 7, "Robot"), AccountChanged::Done);
        let rooms = [begun(1, &[7, 8]), begun(2, &[10, 8]), begun(3, &[9]), begun(4, &[12, 9])];
        stored(storage.as_mut(), &rooms);
        stored(storage.as_mut(), &[asleep(1, &[7, 8]), asleep(3, &[9]), asleep(4, &[12, 9])]);
        assert_eq!(leavers(storage.as_ref()), []);
        assert_eq!(storage.unattended(0, 9).unwrap(), []);

        apply(storage.as_mut(), &change(7, 5, AccountStep::Delete), AccountChanged::Done);
        // With the bots of the account.
        assert_eq!(leavers(storage.as_ref()), [(1, 7), (2, 10)]);
        let close = sanction(1, 9, SanctionKind::Close, None);
        storage.moderate(&ModerationChange::Sanction(Box::new(close))).unwrap();
        let guest = AccountStep::DeleteGuest { hash: hash(12), locked: locked(12) };
        apply(storage.as_mut(), &change(12, 6, guest), AccountChanged::Done);
        let all = [(1, 7), (2, 10), (3, 9), (4, 9), (4, 12)];
        assert_eq!(leavers(storage.as_ref()), all);
        assert_eq!(storage.reader().unwrap().daily_news(2).unwrap().len(), 2);
        drop(storage);

        // The next process opens the rooms among them that sleep.
        let (mut storage, next_node) = next();
        assert_eq!(leavers(storage.as_ref()), all);
        let mut unattended = storage.unattended(0, 99).unwrap();
        unattended.sort();
        let mut expected = [1, 2, 3, 4].map(code);
        expected.sort();
        assert_eq!(unattended, expected);
        storage.claim(&[code(1)], next_node).unwrap();
        let ended = Append { node: next_node, epoch: Epoch(3), ..goes_on(1, &[], None) };
        stored(storage.as_mut(), &[ended]);
        assert_eq!(leavers(storage.as_ref()), all[1..]);
        // One who is gone already when they get a place is gone there, too.
        let late = Append { node: next_node, ..begun(5, &[7, 8]) };
        stored(storage.as_mut(), &[late]);
        assert!(leavers(storage.as_ref()).contains(&(5, 7)));
        assert!(node == NodeId::ALONE);
    });
}

/// The rooms that slept in the format before have their places.
#[test]
fn sleeping_rooms_of_older_formats_have_places() {
    fn fill(storage: &mut dyn Storage) {
        stored(storage, &[begun(1, &[7, 8]), begun(2, &[7])]);
        let over = |append: Append| {
            let mut sleep = append.sleeps.clone().unwrap();
            r#"{"summary":{"phase":"finished"}}"#.clone_into(&mut sleep.listing);
            Append { sleeps: Some(sleep), ..append }
        };
        stored(storage, &[asleep(1, &[7, 8]), over(asleep(2, &[7]))]);
    }
    let folder = tempfile::tempdir().unwrap();
    let open = || Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    fill(&mut open());
    make_older(&folder.path().join(FILE), 13);
    assert_eq!([7, 8].map(|who| own(&open(), who, None).count), [1, 1]);

    let Some(server) = Server::start(Durability::None) else { return };
    let mut storage = server.open();
    server.join(false);
    fill(&mut storage);
    drop(storage);
    make_postgres_older(&server, 7);
    assert_eq!([7, 8].map(|who| own(&server.open(), who, None).count), [1, 1]);
}

#[test]
fn a_check_finds_places_in_rooms_that_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    stored(&mut open(), &[begun(1, &[7])]);
    assert!(check(folder.path()).unwrap().is_sound());
    let file = rusqlite::Connection::open(folder.path().join(FILE)).unwrap();
    file.execute_batch(
        "PRAGMA foreign_keys = false; INSERT INTO daily_seat (member, room) VALUES ('x', 99)",
    )
    .unwrap();
    drop(file);
    let problems = check(folder.path()).unwrap().problems;
    let place = "1 places in daily games are in rooms that are not there";
    assert!(problems.iter().any(|problem| problem == place), "{problems:?}");
    assert!(repair(folder.path()).unwrap().findings.is_sound());
    assert_eq!(own(&open(), 7, None).count, 1);
}
