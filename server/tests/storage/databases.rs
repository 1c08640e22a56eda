//! PostgreSQL databases as operators meet them: wrong addresses, upgrades, several servers, copies
//! of database files, damage, and what is deleted.

use std::{fs, thread};

use fivefold_server::{
    NodeId,
    clock::Clock,
    node::registry::{JoinError, NodeReport, Pulse, Registry},
    storage::{
        AccountChanged, AccountStep, Append, Claimed, DataFolder, Database, DatabaseUrl, Epoch,
        GameQuery, IdentityHash, KnownMember, MigrateError, OpenError, Postgres, PostgresRegistry,
        RecoverError, SoleNode, Sqlite, Storage, check_postgres, migrate, recover,
    },
};
use fivefold_shared::{protocol::Name, seat::Seat};

use crate::{
    accounts, bots, moderation,
    postgres::{Durability, Server},
    puzzles,
    relay::Relay,
    rooms::{append, code, game_id, log, member, pair, playing, rated_in, resigned, won_by},
};

#[test]
fn a_database_that_cannot_be_used_is_named_without_its_password() {
    let Some(server) = Server::start(Durability::None) else { return };
    server.execute("CREATE ROLE ann LOGIN PASSWORD 'correct'");
    server.demand_passwords();
    let relay = Relay::to(server.socket());
    let url = |user: &str, port, database| {
        DatabaseUrl::from(format!("postgres://{user}@127.0.0.1:{port}/{database}"))
    };
    let open = |url: &DatabaseUrl| Postgres::open(url, None).map(drop).unwrap_err();
    let wrong = open(&url("ann:wrong-secret", relay.port(), "fivefold"));
    assert!(matches!(wrong, OpenError::Refused { .. }), "{wrong:?}");
    let missing = open(&url("ann:correct", relay.port(), "nowhere"));
    assert!(matches!(missing, OpenError::NoDatabase { .. }), "{missing:?}");
    // Ann may not create tables there.
    let powerless = open(&url("ann:correct", relay.port(), "fivefold"));
    assert!(matches!(powerless, OpenError::Storage { .. }), "{powerless:?}");
    // Nobody listens on port 1.
    let unreachable = open(&url("ann:correct", 1, "fivefold"));
    assert!(matches!(unreachable, OpenError::Unreachable { .. }), "{unreachable:?}");
    for error in [wrong, missing, powerless, unreachable] {
        let text = format!("{error} {error:?}");
        assert!(text.contains("127.0.0.1/"), "{text}");
        assert!(!text.contains("secret") && !text.contains("correct:"), "{text}");
    }
}

#[test]
fn tables_are_made_once_by_servers_that_start_together() {
    let Some(server) = Server::start(Durability::None) else { return };
    thread::scope(|scope| {
        let opens: Vec<_> = (0..4).map(|_| scope.spawn(|| drop(server.open()))).collect();
        opens.into_iter().for_each(|open| open.join().unwrap());
    });
    assert_eq!(server.value("SELECT count(*) FROM fivefold.format"), "1");
}

#[test]
fn a_database_of_a_newer_server_is_left_as_it_is() {
    let Some(server) = Server::start(Durability::None) else { return };
    drop(server.open());
    server.execute("UPDATE fivefold.format SET number = 99");
    let refused = Postgres::open(&server.url(), None).map(drop).unwrap_err();
    assert!(matches!(refused, OpenError::Newer { found: 99, known: 6, .. }), "{refused:?}");
    assert_eq!(server.value("SELECT number FROM fivefold.format"), "99");
}

#[test]
fn a_database_has_one_server_unless_it_died() {
    let Some(server) = Server::start(Durability::None) else { return };
    drop(server.open());
    let first = SoleNode::join(&server.url()).unwrap();
    let refused = SoleNode::join(&server.url()).map(drop).unwrap_err();
    assert!(matches!(refused, OpenError::DatabaseInUse { .. }), "{refused:?}");
    // After a stop in order the next one starts at once, and under another number.
    let before = first.id();
    drop(first);
    let second = SoleNode::join(&server.url()).unwrap();
    assert_ne!(second.id(), before);
    // A node that was killed is declared dead.
    let killed = server.join(true);
    drop(second);
    let third = SoleNode::join(&server.url()).unwrap();
    let living = "SELECT string_agg(id::text, ' ') FROM fivefold.node WHERE NOT dead";
    assert_eq!(server.value(living), third.id().to_string());
    assert_ne!(third.id(), killed);
}

#[test]
fn nodes_and_a_server_without_a_bus_share_no_database() {
    let Some(server) = Server::start(Durability::None) else { return };
    drop(server.open());
    let mut registry = PostgresRegistry::open(&server.url()).unwrap();
    let sole = SoleNode::join(&server.url()).unwrap();
    assert_eq!(registry.join(), Err(JoinError::InUse));
    let living = "SELECT string_agg(id::text, ' ') FROM fivefold.node WHERE NOT dead";
    assert_eq!(server.value(living), sole.id().to_string());
    drop(sole);
    // Nodes share it. One that was killed keeps no other node away.
    let (first, second) = (registry.join().unwrap(), registry.join().unwrap());
    assert_eq!(server.value(living), format!("{first} {second}"));
    // A server without a bus that was killed is declared dead.
    server.execute("UPDATE fivefold.node SET bus_min = 0, bus_max = 0");
    let third = registry.join().unwrap();
    assert_eq!(server.value(living), third.to_string());
}

const REPORT: NodeReport = NodeReport { sees_bus: true, rooms: 3, draining: true };

#[test]
fn a_late_heartbeat_wins_against_a_declaration_of_death_or_finds_itself_dead() {
    let Some(server) = Server::start(Durability::None) else { return };
    drop(server.open());
    let mut registry = PostgresRegistry::open(&server.url()).unwrap();
    let (first, second) = (registry.join().unwrap(), registry.join().unwrap());
    let seen = |registry: &mut PostgresRegistry, by, of| {
        let Pulse::Alive { living, .. } = registry.heartbeat(by, REPORT).unwrap() else {
            return None;
        };
        living.iter().find(|node| node.id == of).map(|node| (node.heartbeat, node.report))
    };
    assert_eq!(seen(&mut registry, first, first), Some((1, REPORT)));
    let before = seen(&mut registry, second, first).unwrap().0;
    assert_eq!(seen(&mut registry, first, first).unwrap().0, before + 1);
    assert!(!registry.declare_dead(first, before).unwrap(), "its heartbeat has gone on");
    assert!(registry.declare_dead(first, before + 1).unwrap());
    assert!(registry.declare_dead(first, before).unwrap(), "asking again does no harm");
    assert_eq!(registry.heartbeat(first, REPORT).unwrap(), Pulse::Dead);
    assert_eq!(seen(&mut registry, second, first), None);
    registry.retire(second).unwrap();
    assert_eq!(registry.heartbeat(second, REPORT).unwrap(), Pulse::Dead);
    // Nobody gets a number again, even when the dead are deleted.
    let third = registry.join().unwrap();
    assert!(third > second && second > first, "{first} {second} {third}");
}

#[test]
fn nodes_learn_the_time_of_the_database() {
    let Some(server) = Server::start(Durability::None) else { return };
    drop(server.open());
    let mut registry = PostgresRegistry::open(&server.url()).unwrap();
    let node = registry.join().unwrap();
    let minute = 60_000;
    let is_now = |time: u64| Clock::of_system().now().abs_diff(time) < minute;
    assert!(is_now(registry.now().unwrap().unwrap()));
    let pulse = registry.heartbeat(node, REPORT).unwrap();
    assert!(matches!(pulse, Pulse::Alive { now: Some(now), .. } if is_now(now)), "{pulse:?}");
}

#[test]
fn a_command_creates_one_open_room() {
    let Some(server) = Server::start(Durability::None) else { return };
    let mut storage = server.open();
    server.join(false);
    let by_command = |room| {
        let mut created = append(room, log(3), 0);
        created.entries[0].cause = created.entries[1].cause.clone();
        created
    };
    let answers = storage.append(&[by_command(1)]).unwrap();
    assert_eq!(answers, [Ok(vec![])]);
    assert!(storage.append(&[by_command(2)]).unwrap()[0].is_err());
    storage.append(&[Append { closes: true, ..append(1, Vec::new(), 0) }]).unwrap();
    assert_eq!(storage.append(&[by_command(3)]).unwrap(), [Ok(vec![])]);
}

#[test]
fn partitions_are_made_ahead_and_dropped_when_nothing_in_them_is_kept() {
    let Some(server) = Server::start(Durability::None) else { return };
    let mut storage = server.open();
    server.join(false);
    let partitions = "SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_inherits i
        JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'fivefold.event'::regclass";
    assert_eq!(server.value(partitions), "event_0 event_1 event_2");
    let closed = |room| Append { closes: true, ..append(room, resigned("public", 7, 8), room) };
    storage.append(&[closed(1), append(2, log(3), 0)]).unwrap();
    server.execute("SELECT setval('fivefold.room_id_seq', 1 << 20)");
    storage.append(&[closed(3), append(4, log(3), 0)]).unwrap();
    // Room 2 is open.
    assert_eq!(storage.prune_logs(u64::MAX, 10).unwrap(), 2);
    assert_eq!(server.value(partitions), "event_0 event_1 event_2 event_3");
    storage.append(&[Append { closes: true, ..append(2, Vec::new(), 0) }]).unwrap();
    assert_eq!(storage.prune_logs(u64::MAX, 10).unwrap(), 1);
    assert_eq!(server.value(partitions), "event_1 event_2 event_3");
    assert_eq!(storage.read(&code(4)).unwrap(), log(3));
    assert!(storage.reader().unwrap().game(&game_id(1)).unwrap().is_some());
    assert!(check_postgres(&server.url()).unwrap().is_sound());
}

#[test]
fn games_are_read_from_the_replica_and_otherwise_from_the_primary() {
    let Some(server) = Server::start(Durability::None) else { return };
    server.execute_in("postgres", "CREATE DATABASE replica");
    let finished = |storage: &mut Postgres, room| {
        storage.append(&[append(room, resigned("public", 7, 8), room)]).unwrap();
    };
    drop(server.open());
    server.join(false);
    finished(&mut Postgres::open(&server.url_of("replica"), None).unwrap(), 1);
    let mut storage = Postgres::open(&server.url(), Some(&server.url_of("replica"))).unwrap();
    finished(&mut storage, 2);
    let mut reader = storage.reader().unwrap();
    for game in [1, 2] {
        assert!(reader.game(&game_id(game)).unwrap().is_some(), "game {game}");
    }
    let query = GameQuery { max: 10, ..GameQuery::default() };
    assert_eq!(reader.games(&query).unwrap().games[0].id, game_id(1));
    // Without it everything comes from the primary.
    let gone = server.url_of("gone");
    let mut reader = Postgres::open(&server.url(), Some(&gone)).unwrap().reader().unwrap();
    assert_eq!(reader.games(&query).unwrap().games[0].id, game_id(2));
    assert!(reader.game(&game_id(2)).unwrap().is_some());
    assert!(reader.game(&game_id(1)).unwrap().is_none());
}

/// A file with open, closed and forgotten rooms, games and members. Members 210 and 211 are paired.
fn fill(storage: &mut dyn Storage) {
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
    moderation::fill(storage);
    storage.claim(&[code(1), code(77)], NodeId::ALONE).unwrap();
}

/// Rated games of member 6, who has an account there, in two pools. One of them is taken back.
fn play_rated(storage: &mut dyn Storage) {
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
    assert!(copied.to_string().contains("43 rows of room"), "{copied}");
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
    let keys = reader.account_keys(&member(6)).unwrap();
    assert_eq!((keys.password.is_some(), keys.codes_left, keys.sessions.len()), (true, 8, 1));
    assert_eq!(reader.account_named("ann").unwrap().map(|account| account.member), Some(member(6)));
    let zed = reader.bots_of(&member(6)).unwrap();
    assert_eq!(zed.iter().map(|bot| bot.name.as_str()).collect::<Vec<_>>(), ["Zed"]);
    let bot = recover(Database::Postgres(&server.url()), "Zed").unwrap_err();
    assert!(matches!(bot, RecoverError::Bot), "{bot}");
    let once = reader.account_called("Anna").unwrap();
    assert_eq!(once.map(|account| account.member), Some(member(6)));
    assert_eq!(recover(Database::Postgres(&server.url()), "Ann").unwrap().len(), 16);
    assert_eq!(reader.account_keys(&member(6)).unwrap().codes_left, 9);
    let nobody = recover(Database::Postgres(&server.url()), "Bob").unwrap_err();
    assert!(matches!(nobody, RecoverError::Nobody), "{nobody}");
    moderation::assert_filled(&storage);
    let paired = Some(playing(211, 41, Seat::Second));
    assert_eq!(reader.playing(&member(211)).unwrap(), paired);
    // Rooms go on with the next epoch, and new ones get numbers of their own.
    let mut orphans = storage.orphans(99).unwrap();
    orphans.sort();
    assert_eq!(orphans.len(), 32);
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

#[test]
fn a_database_of_an_older_format_gets_the_tables_it_lacks_and_keeps_the_rest() {
    let Some(server) = Server::start(Durability::None) else { return };
    let mut storage = server.open();
    server.join(false);
    fill(&mut storage);
    let rows = "SELECT string_agg(member || ' ' || room || ' ' || seat, ', ' ORDER BY member)
        FROM fivefold.playing";
    let before = server.value(rows);
    let expected =
        format!("{} {room} first, {} {room} second", member(210), member(211), room = code(41));
    assert_eq!(before, expected);
    drop(storage);
    let format_6 = "ALTER TABLE fivefold.report DROP COLUMN closed_by;
        ALTER TABLE fivefold.sanction DROP COLUMN appealed_at, DROP COLUMN answered_by,
            DROP COLUMN undone_by";
    server.execute(&format!("{format_6}; UPDATE fivefold.format SET number = 5"));
    drop(server.open());
    assert_eq!(server.value("SELECT number FROM fivefold.format"), "6");
    server.execute(format_6);
    server.execute("DROP INDEX fivefold.account_owner");
    let format_5 = "fivefold.old_name, fivefold.puzzle_rating, fivefold.puzzle_try,
        fivefold.game_mark, fivefold.examined_game";
    server.execute(&format!("DROP TABLE {format_5}"));
    server.execute("DROP INDEX fivefold.rating_change_at");
    server.execute("UPDATE fivefold.format SET number = 4");
    drop(server.open());
    assert_eq!(server.value("SELECT number FROM fivefold.format"), "6");
    let format_4 = format!(
        "{format_5}, fivefold.rating, fivefold.rating_change, fivefold.block, fivefold.report,
        fivefold.sanction, fivefold.operator, fivefold.passkey, fivefold.token, fivefold.alias"
    );
    server.execute(&format!("DROP TABLE {format_4}"));
    server.execute("ALTER TABLE fivefold.session DROP COLUMN proved_at");
    server.execute("ALTER TABLE fivefold.account DROP COLUMN owner");
    server.execute("UPDATE fivefold.format SET number = 3");
    drop(server.open());
    assert_eq!(server.value("SELECT number FROM fivefold.format"), "6");
    let without_accounts =
        format!("DROP TABLE fivefold.session, fivefold.key, fivefold.account, {format_4}");
    server.execute(&without_accounts);
    server.execute("UPDATE fivefold.format SET number = 2");
    let refused = check_postgres(&server.url()).unwrap_err();
    assert!(matches!(refused, OpenError::Storage { .. }), "{refused:?}");
    drop(server.open());
    assert_eq!(server.value("SELECT number FROM fivefold.format"), "6");
    assert_eq!(server.value(rows), before);
    // Format 1 learns who plays from its logs.
    server.execute(&without_accounts);
    server.execute("DROP TABLE fivefold.playing; UPDATE fivefold.format SET number = 1");
    let refused = check_postgres(&server.url()).unwrap_err();
    assert!(matches!(refused, OpenError::Storage { .. }), "{refused:?}");
    drop(server.open());
    assert_eq!(server.value(rows), before);
    assert_eq!(server.value("SELECT number FROM fivefold.format"), "6");
    assert!(check_postgres(&server.url()).unwrap().is_sound());
}

#[test]
fn damage_in_a_database_is_found() {
    let Some(server) = Server::start(Durability::None) else { return };
    let mut storage = server.open();
    server.join(false);
    fill(&mut storage);
    let sound = check_postgres(&server.url()).unwrap();
    assert!(sound.is_sound(), "{sound}");
    let id = |room| format!("(SELECT id FROM fivefold.room WHERE code = '{}')", code(room));
    let damages = [
        (format!("DELETE FROM fivefold.event WHERE seq = 2 AND room = {}", id(1)), 1),
        (format!("UPDATE fivefold.event SET event = 'x' WHERE seq = 3 AND room = {}", id(2)), 2),
        (format!("DELETE FROM fivefold.game WHERE room = {}", id(4)), 4),
        (format!("UPDATE fivefold.room SET seq = 9 WHERE id = {}", id(5)), 5),
        (format!("DELETE FROM fivefold.playing WHERE member = '{}'", member(210)), 41),
        (format!("INSERT INTO fivefold.playing VALUES ('nobody', '{}', 'first')", code(7)), 7),
        (format!("INSERT INTO fivefold.playing VALUES ('closed', '{}', 'first')", code(27)), 27),
    ];
    for (damage, room) in damages {
        server.execute(&damage);
        let findings = check_postgres(&server.url()).unwrap();
        let names = |problem: &String| problem.contains(code(room).as_str());
        assert!(findings.problems.iter().any(names), "{damage}: {findings}");
    }
    for (damage, problem) in moderation::DAMAGES {
        server.execute(&damage.replace("UPDATE ", "UPDATE fivefold."));
        let findings = check_postgres(&server.url()).unwrap();
        assert!(findings.problems.contains(&problem.to_owned()), "{findings}");
    }
    server.execute("INSERT INTO fivefold.playing VALUES ('lost', 'nowhere', 'first')");
    let findings = check_postgres(&server.url()).unwrap();
    assert!(findings.problems.contains(&"of 4 players, 3 play in a room".to_owned()), "{findings}");
    // A damaged room stops no other.
    let claimed = storage.claim(&[code(1), code(40)], NodeId::ALONE).unwrap();
    assert!(matches!(claimed[..], [Claimed::Damaged(_), Claimed::Mine { .. }]), "{claimed:?}");
}
