//! Copies from a database file into PostgreSQL, and back.

use std::{fs, path::Path};

use fivefold_server::commands::accounts::recover;
use fivefold_shared::{
    protocol::{ChallengesFrom, Name},
    seat::Seat,
};
use fivefold_storage::{
    AccountChanged, AccountStep, Append, Claimed, DataFolder, Database, DatabaseUrl, Epoch,
    GameQuery, IdentityHash, KnownMember, MigrateError, NodeId, OpenError, RecoverError,
    SharedRooms, SoleNode, Sqlite, Storage, StorageReader, check, check_postgres, migrate,
    migrate_to_file,
};
use rusqlite::types::Value;

use crate::{
    accounts, bots, collections, dealings, email, friends, moderation, notes,
    postgres::{Durability, Server},
    pushes, puzzles,
    rooms::{append, code, game_id, log, member, pair, playing, rated_in, resigned, won_by},
    time_off,
};

/// A file with open, closed and forgotten rooms, games and members. Members 210 and 211 are paired.
pub(crate) fn fill(storage: &mut dyn Storage) {
    let known = |number: u64| KnownMember {
        id: member(number),
        hash: IdentityHash([u8::try_from(number).unwrap(); 32]),
        name: Name::new("Ann Ω").unwrap(),
        seen_at: 100 + number,
    };
    for room in 0..30 {
        let played = Append {
            members: vec![known(room), known(200 + room % 3)],
            closes: room % 3 == 0,
            ..append(room, resigned(if room % 2 == 0 { "public" } else { "private" }, 7, 8), room)
        };
        assert_eq!(storage.append(&[played]).unwrap(), [Ok(vec![])]);
    }
    storage.append(&[append(40, log(1_000), 0), pair(41, [210, 211])]).unwrap();
    storage.prune_logs(u64::MAX, 4).unwrap();
    let hash = |byte| IdentityHash([byte; 32]);
    assert!(storage.replace_identity(&member(5), hash(5), hash(99)).unwrap());
    for number in [6, 230] {
        let guest = (number == 6).then_some(hash(6));
        let made = storage.change_account(&accounts::sign_up(number, guest, "ann")).unwrap();
        // The name of the second is taken.
        let expected = if number == 6 { AccountChanged::Done } else { AccountChanged::NameTaken };
        assert_eq!(made, expected);
    }
    let made = storage.change_account(&bots::new_bot(231, 6, "Zed")).unwrap();
    assert_eq!(made, AccountChanged::Done);
    for (name, at) in [("Anna", 7), ("ann", 8)] {
        let name = Name::new(name).unwrap();
        let step = AccountStep::Rename { likeness: name.as_str().to_owned(), name };
        accounts::apply(storage, &accounts::change(6, at, step), AccountChanged::Done);
    }
    let step = AccountStep::SetChallenges(ChallengesFrom::Accounts);
    accounts::apply(storage, &accounts::change(6, 9, step), AccountChanged::Done);
    moderation::fill(storage);
    friends::fill(storage);
    notes::fill(storage);
    collections::fill(storage);
    pushes::fill(storage);
    email::fill(storage);
    time_off::fill(storage);
    dealings::fill(storage);
    storage.claim(&[code(1), code(77)], NodeId::ALONE).unwrap();
}

/// Rated games of member 6, who has an account there, in two pools. One of them is taken back.
pub(crate) fn play_rated(storage: &mut dyn Storage) {
    for number in 50..60 {
        let outcome = won_by(if number % 3 == 0 { Seat::First } else { Seat::Second });
        let time = if number < 55 { "5+3" } else { "1+1" };
        let played = rated_in(time, number, [6, 8], outcome, number);
        assert!(storage.append(&[played]).unwrap()[0].is_ok());
    }
    storage.undo_ratings(&game_id(50), 99).unwrap();
}

#[test]
fn a_database_file_is_copied_whole_into_an_empty_database() {
    let Some(server) = Server::start(Durability::None) else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut file = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    fill(&mut file);
    play_rated(&mut file);
    for (what, solved) in [(1, true), (2, false)] {
        file.count_puzzle(&puzzles::attempt(6, what, solved, what)).unwrap();
    }
    let path = folder.path().join("fivefold.sqlite3");
    let in_use = migrate(&path, &server.url()).unwrap_err();
    assert!(matches!(in_use, MigrateError::Open(OpenError::InUse { .. })), "{in_use}");
    let logs: Vec<_> = (0..=41).map(|room| file.read(&code(room)).unwrap()).collect();
    let query =
        GameQuery { member: Some(member(7)), unlisted: true, max: 99, ..GameQuery::default() };
    let games = file.reader().unwrap().games(&query).unwrap();
    let ratings = file.reader().unwrap().ratings(&member(6)).unwrap();
    let history = file.reader().unwrap().rating_history(&member(6), ratings[0].pool).unwrap();
    assert_eq!((ratings.len(), history.len()), (2, 5));
    let puzzle_rating = file.reader().unwrap().puzzle_rating(&member(6)).unwrap();
    let tries = file.reader().unwrap().puzzle_tries(&member(6)).unwrap();
    let rated_puzzles = file.reader().unwrap().rated_puzzles().unwrap();
    assert_eq!((tries.len(), rated_puzzles.len()), (2, 2));
    drop(file);

    let copied = migrate(&path, &server.url()).unwrap();
    assert!(copied.to_string().contains("45 rows of room"), "{copied}");
    let mut storage = server.open();
    let node = server.join(false);
    for (room, log) in (0..).zip(&logs) {
        assert_eq!(storage.read(&code(room)).unwrap(), *log, "room {room}");
    }
    let mut reader = storage.reader().unwrap();
    assert_eq!(reader.games(&query).unwrap(), games);
    assert_eq!(reader.ratings(&member(6)).unwrap(), ratings);
    assert_eq!(reader.rating_history(&member(6), ratings[0].pool).unwrap(), history);
    assert_eq!(reader.puzzle_rating(&member(6)).unwrap(), puzzle_rating);
    assert_eq!(reader.puzzle_tries(&member(6)).unwrap(), tries);
    assert_eq!(reader.rated_puzzles().unwrap(), rated_puzzles);
    let renewed = reader.member(&member(1), IdentityHash([99; 32])).unwrap().unwrap();
    assert_eq!((renewed.id, renewed.name.as_str()), (member(5), "Ann Ω"));
    assert_accounts(reader.as_mut(), &server.url());
    moderation::assert_filled(&storage);
    friends::assert_filled(&storage);
    notes::assert_filled(&storage);
    collections::assert_filled(&storage);
    pushes::assert_filled(&storage);
    email::assert_filled(&storage);
    time_off::assert_filled(&storage);
    dealings::assert_filled(&storage);
    assert_eq!(server.rooms().playing(&member(211)).unwrap(), Some(playing(211, 41, Seat::Second)));
    // Rooms go on with the next epoch, and new ones get numbers of their own.
    let mut orphans = storage.unattended(0, 99).unwrap();
    orphans.sort();
    assert_eq!(orphans.len(), 34);
    let claimed = storage.claim(&[code(1), code(0)], node).unwrap();
    assert!(matches!(claimed[..], [Claimed::Mine { epoch: Epoch(3), .. }, Claimed::Closed]));
    let more = append(70, resigned("public", 7, 8), 70);
    assert_eq!(storage.append(&[more]).unwrap(), [Ok(vec![])]);
    let next = rated_in("1+1", 71, [6, 8], won_by(Seat::First), 100);
    let counted = storage.append(&[next]).unwrap();
    assert_eq!(counted[0].as_ref().unwrap()[0].number, 6);
    assert!(check_postgres(&server.url()).unwrap().is_sound());

    let refused = migrate(&path, &server.url()).unwrap_err();
    assert!(matches!(refused, MigrateError::NotEmpty { .. }), "{refused}");
    fs::write(&path, "no database").unwrap();
    assert!(migrate(&path, &server.url()).is_err());
}

/// The accounts of `fill`, their bots and their settings, in a PostgreSQL database.
fn assert_accounts(reader: &mut dyn StorageReader, url: &DatabaseUrl) {
    let keys = reader.account_keys(&member(6)).unwrap();
    assert_eq!((keys.password.is_some(), keys.codes_left, keys.sessions.len()), (true, 8, 1));
    assert_eq!(reader.account_named("ann").unwrap().map(|account| account.member), Some(member(6)));
    let zed = reader.bots_of(&member(6)).unwrap();
    assert_eq!(zed.iter().map(|bot| bot.name.as_str()).collect::<Vec<_>>(), ["Zed"]);
    let bot = recover(Database::Postgres(url), "Zed").unwrap_err();
    assert!(matches!(bot, RecoverError::Bot), "{bot}");
    assert_eq!(reader.challenges_from(&member(6)).unwrap(), ChallengesFrom::Accounts);
    assert_eq!(reader.challenges_from(&member(7)).unwrap(), ChallengesFrom::Everybody);
    let once = reader.account_called("Anna").unwrap();
    assert_eq!(once.map(|account| account.member), Some(member(6)));
    assert_eq!(recover(Database::Postgres(url), "Ann").unwrap().len(), 16);
    assert_eq!(reader.account_keys(&member(6)).unwrap().codes_left, 9);
    let nobody = recover(Database::Postgres(url), "Bob").unwrap_err();
    assert!(matches!(nobody, RecoverError::Nobody), "{nobody}");
}

/// Everything in a file but what differs when it is made again: the owners of rooms, and the numbers of
/// events, which lead from one to the next.
fn rows(file: &Path) -> Vec<(String, Vec<Value>)> {
    let connection = rusqlite::Connection::open(file).unwrap();
    let mut tables = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .unwrap();
    let tables: Vec<String> =
        tables.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut all = Vec::new();
    for table in tables.iter().filter(|table| *table != "process" && *table != "sqlite_sequence") {
        let mut columns =
            connection.prepare("SELECT name FROM pragma_table_info(?) ORDER BY cid").unwrap();
        let columns: Vec<String> =
            columns.query_map((table,), |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let is_same = |column: &&String| match table.as_str() {
            "room" => !["owner", "last"].contains(&column.as_str()),
            "event" => !["id", "previous"].contains(&column.as_str()),
            _ => true,
        };
        let columns: Vec<_> = columns.iter().filter(is_same).map(String::as_str).collect();
        let places: Vec<_> = (1..=columns.len()).map(|place| place.to_string()).collect();
        let select =
            format!("SELECT {} FROM {table} ORDER BY {}", columns.join(", "), places.join(", "));
        let mut select = connection.prepare(&select).unwrap();
        let found = select
            .query_map((), |row| (0..columns.len()).map(|column| row.get(column)).collect())
            .unwrap();
        all.extend(found.map(|row| (table.clone(), row.unwrap())));
    }
    all
}

#[test]
fn a_file_comes_back_from_a_database_as_it_went() {
    let Some(server) = Server::start(Durability::None) else { return };
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [there, back] = folders.each_ref().map(|folder| folder.path().join("fivefold.sqlite3"));
    let mut file = Sqlite::open(DataFolder::take(folders[0].path()).unwrap()).unwrap();
    fill(&mut file);
    play_rated(&mut file);
    for (what, solved) in [(1, true), (2, false)] {
        file.count_puzzle(&puzzles::attempt(6, what, solved, what)).unwrap();
    }
    drop(file);
    let went = migrate(&there, &server.url()).unwrap();
    let came = migrate_to_file(&server.url(), &back).unwrap();
    assert_eq!(went.to_string(), came.to_string());
    let (there, back) = (rows(&there), rows(&back));
    assert!(there.len() > 1_200, "{}", there.len());
    assert_eq!(there, back);
    // The database is as it was.
    assert!(check_postgres(&server.url()).unwrap().is_sound());
}

#[test]
fn a_database_is_copied_whole_into_a_new_file() {
    let Some(server) = Server::start(Durability::None) else { return };
    let mut storage = server.open();
    server.join(false);
    fill(&mut storage);
    play_rated(&mut storage);
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("fivefold.sqlite3");
    // A server lives on it.
    let alone = SoleNode::join(&server.url()).unwrap();
    let in_use = migrate_to_file(&server.url(), &to).unwrap_err();
    let is_in_use = matches!(in_use, MigrateError::Open(OpenError::DatabaseInUse { .. }));
    assert!(is_in_use, "{in_use}");
    drop(alone);
    // A copy that was killed before is no obstacle.
    fs::write(folder.path().join("fivefold.sqlite3.partial"), "half of a copy").unwrap();
    let copied = migrate_to_file(&server.url(), &to).unwrap();
    assert!(copied.to_string().contains("45 rows of room"), "{copied}");
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["fivefold.sqlite3"]);
    assert!(check(folder.path()).unwrap().is_sound());

    let mut file = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    for room in 0..=41 {
        assert_eq!(file.read(&code(room)).unwrap(), storage.read(&code(room)).unwrap(), "{room}");
    }
    let query =
        GameQuery { member: Some(member(7)), unlisted: true, max: 99, ..GameQuery::default() };
    let (mut here, mut there) = (file.reader().unwrap(), storage.reader().unwrap());
    assert_eq!(here.games(&query).unwrap(), there.games(&query).unwrap());
    let ratings = here.ratings(&member(6)).unwrap();
    assert_eq!(ratings, there.ratings(&member(6)).unwrap());
    let history = here.rating_history(&member(6), ratings[0].pool).unwrap();
    assert_eq!(history, there.rating_history(&member(6), ratings[0].pool).unwrap());
    moderation::assert_filled(&file);
    friends::assert_filled(&file);
    notes::assert_filled(&file);
    collections::assert_filled(&file);
    pushes::assert_filled(&file);
    email::assert_filled(&file);
    time_off::assert_filled(&file);
    dealings::assert_filled(&file);
    // Rooms go on, and new ones get numbers of their own.
    assert_eq!(file.unattended(0, 99).unwrap().len(), 34);
    let claimed = file.claim(&[code(1), code(0)], NodeId::ALONE).unwrap();
    assert!(matches!(claimed[..], [Claimed::Mine { epoch: Epoch(3), .. }, Claimed::Closed]));
    let next = rated_in("1+1", 71, [6, 8], won_by(Seat::First), 100);
    let counted = file.append(&[next]).unwrap();
    assert_eq!(counted[0].as_ref().unwrap()[0].number, 6);
    drop((here, file));
    assert!(check(folder.path()).unwrap().is_sound());
}

#[test]
fn a_file_that_exists_or_a_database_that_is_damaged_is_not_copied_over() {
    let Some(server) = Server::start(Durability::None) else { return };
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("fivefold.sqlite3");
    let lacking = migrate_to_file(&server.url(), &to).unwrap_err();
    assert!(lacking.to_string().contains("it lacks tables"), "{lacking}");
    let mut storage = server.open();
    server.join(false);
    fill(&mut storage);
    drop(storage);
    for end in ["", "-wal", "-shm", "-journal"] {
        let obstacle = folder.path().join(format!("fivefold.sqlite3{end}"));
        fs::write(&obstacle, "precious").unwrap();
        let refused = migrate_to_file(&server.url(), &to).unwrap_err();
        assert!(matches!(refused, MigrateError::Exists { .. }), "{refused}");
        assert_eq!(fs::read_to_string(&obstacle).unwrap(), "precious");
        fs::remove_file(&obstacle).unwrap();
    }
    let nowhere = migrate_to_file(&server.url(), Path::new("/no/such/folder/file")).unwrap_err();
    assert!(matches!(nowhere, MigrateError::Target { .. }), "{nowhere}");
    server.execute("DELETE FROM fivefold.event WHERE seq = 2 AND room = 2");
    let damaged = migrate_to_file(&server.url(), &to).unwrap_err();
    assert!(matches!(damaged, MigrateError::Unsound(_)), "{damaged}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
