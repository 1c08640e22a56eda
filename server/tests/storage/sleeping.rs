//! Rooms that sleep.

use fivefold_storage::{
    Append, Claimed, Conflict, DataFolder, Epoch, NodeId, Sleep, Sqlite, Storage, check, repair,
};

use crate::{
    contract::{claim, every_life, every_storage},
    rooms::{append, code, log, member},
};

/// A room that sleeps, has these members, and is due then.
fn sleep(room: u64, epoch: Epoch, due: Option<u64>, members: &[u64]) -> Append {
    let sleep = Sleep {
        empty_since: Some(5),
        due,
        public_rank: (room != 2).then_some(u8::try_from(9 - room).unwrap()),
        members: members.iter().copied().map(member).collect(),
        listing: format!("listing {room}"),
    };
    Append { sleeps: Some(Box::new(sleep)), epoch, ..append(room, Vec::new(), 0) }
}

#[test]
fn a_sleeping_room_is_listed_until_somebody_claims_it() {
    every_storage(|storage| {
        let rooms: Vec<_> = (0..4).map(|room| append(room, log(2), 0)).collect();
        storage.append(&rooms).unwrap();
        let asleep = [
            sleep(1, Epoch::FIRST, Some(1_000), &[7, 8]),
            sleep(2, Epoch::FIRST, None, &[7]),
            sleep(3, Epoch::FIRST, Some(500), &[]),
            // Between others, in the same batch.
            append(0, log(3)[2..].to_vec(), 0),
            sleep(9, Epoch::FIRST, None, &[]),
        ];
        let stored = storage.append(&asleep).unwrap();
        assert_eq!(stored[..4], [Ok(vec![]), Ok(vec![]), Ok(vec![]), Ok(vec![])]);
        assert_eq!(stored[4], Err(Conflict::Owner), "there is no such room");

        let mut reader = storage.reader().unwrap();
        let listings = |rooms: &[u64]| -> Vec<_> {
            rooms.iter().map(|room| format!("listing {room}")).collect()
        };
        assert_eq!(reader.sleeping_room(&code(1)).unwrap(), Some("listing 1".to_owned()));
        assert_eq!(reader.sleeping_room(&code(0)).unwrap(), None);
        let mut own = reader.sleeping_rooms_of(&member(7), 9).unwrap();
        own.sort();
        assert_eq!(own, listings(&[1, 2]));
        assert_eq!(reader.sleeping_rooms_of(&member(7), 1).unwrap().len(), 1);
        assert_eq!(reader.sleeping_rooms_of(&member(9), 9).unwrap(), listings(&[]));
        assert_eq!(reader.public_sleeping_rooms(9).unwrap(), (listings(&[3, 1]), 2));
        assert_eq!(reader.public_sleeping_rooms(1).unwrap(), (listings(&[3]), 2));

        // Only those that are due are opened.
        assert_eq!(storage.unattended(499, 9).unwrap(), []);
        assert_eq!(storage.unattended(500, 9).unwrap(), [code(3)]);
        assert_eq!(storage.unattended(u64::MAX, 9).unwrap().len(), 2);
        assert_eq!(storage.unattended(u64::MAX, 1).unwrap().len(), 1);

        // The owner before appends nothing more.
        let late = append(1, log(3)[2..].to_vec(), 0);
        assert_eq!(storage.append(&[late]).unwrap(), [Err(Conflict::Owner)]);
        let again = sleep(1, Epoch::FIRST, None, &[]);
        assert_eq!(storage.append(&[again]).unwrap(), [Err(Conflict::Owner)]);

        let claimed = storage.claim(&[code(1), code(0)], NodeId::ALONE).unwrap();
        let [
            Claimed::Mine { epoch, log: whole, empty_since: Some(5), news: _ },
            Claimed::Mine { empty_since: None, .. },
        ] = &claimed[..]
        else {
            panic!("{claimed:?}")
        };
        assert_eq!(*whole, log(2));
        assert_eq!(reader.sleeping_room(&code(1)).unwrap(), None);
        assert_eq!(reader.sleeping_rooms_of(&member(8), 9).unwrap(), listings(&[]));
        assert_eq!(reader.public_sleeping_rooms(9).unwrap(), (listings(&[3]), 1));
        // It can be played on, and sleep again.
        let next = Append { epoch: *epoch, ..append(1, log(3)[2..].to_vec(), 0) };
        assert_eq!(storage.append(&[next]).unwrap(), [Ok(vec![])]);
        let again = sleep(1, *epoch, Some(2_000), &[8]);
        assert_eq!(storage.append(&[again]).unwrap(), [Ok(vec![])]);
        assert_eq!(reader.sleeping_rooms_of(&member(8), 9).unwrap(), listings(&[1]));
    });
}

#[test]
fn a_new_process_opens_sleeping_rooms_only_when_they_are_due() {
    every_life(|next| {
        let (mut storage, _) = next();
        storage.append(&[append(1, log(2), 0), append(2, log(2), 0)]).unwrap();
        storage.append(&[sleep(1, Epoch::FIRST, Some(1_000), &[7])]).unwrap();
        drop(storage);

        let (mut storage, node) = next();
        assert_eq!(storage.unattended(999, 9).unwrap(), [code(2)]);
        assert_eq!(storage.unattended(1_000, 9).unwrap().len(), 2);
        assert_eq!(claim(storage.as_mut(), 1, node).1, log(2));
    });
}

#[test]
fn a_file_whose_sleeping_rooms_contradict_each_other_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    let mut storage = open();
    let rooms: Vec<_> = (1..4).map(|room| append(room, log(2), 0)).collect();
    storage.append(&rooms).unwrap();
    let asleep = [1, 2].map(|room| sleep(room, Epoch::FIRST, None, &[7]));
    storage.append(&asleep).unwrap();
    drop(storage);
    assert!(check(folder.path()).unwrap().is_sound());
    let file = rusqlite::Connection::open(folder.path().join("fivefold.sqlite3")).unwrap();
    file.execute_batch(&format!(
        "PRAGMA foreign_keys = false;
         DELETE FROM sleeping_room WHERE room = (SELECT id FROM room WHERE code = '{}');
         INSERT INTO sleeping_room (room, listing) SELECT id, '' FROM room WHERE code = '{}'",
        code(1),
        code(3)
    ))
    .unwrap();
    drop(file);
    let problems = check(folder.path()).unwrap().problems;
    assert_eq!(
        problems,
        [
            "rows of table sleeping_member that belong to nothing: 1",
            "1 rooms have no owner, and nothing says when they have to be opened",
            "1 rooms sleep that have an owner, or are not there",
        ]
    );
    assert!(repair(folder.path()).unwrap().findings.is_sound());
    let mut storage = open();
    let mut unattended = storage.unattended(0, 9).unwrap();
    unattended.sort();
    let mut awake = [code(1), code(3)];
    awake.sort();
    assert_eq!(unattended, awake);
    assert_eq!(storage.reader().unwrap().sleeping_rooms_of(&member(7), 9).unwrap().len(), 1);
}
