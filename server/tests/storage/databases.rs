//! PostgreSQL databases as operators meet them: wrong addresses, upgrades, several servers, damage, and
//! what is deleted.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use fivefold_server::process::clock::Clock;
use fivefold_storage::{
    Append, Claimed, DatabaseUrl, JoinError, NodeId, NodeReport, OpenError, Postgres,
    PostgresRegistry, Pulse, Registry, SoleNode, Storage, check_postgres,
};

use crate::{
    collections, email,
    formats::{POSTGRES_9, make_postgres_older},
    friends,
    migrations::fill,
    moderation, notes,
    postgres::{Durability, Server},
    pushes,
    relay::Relay,
    rooms::{append, code, entry, event, game_id, log, member, resigned},
    time_off,
};

#[test]
fn a_database_that_cannot_be_used_is_named_without_its_password() {
    let Some(server) = Server::start(Durability::None) else { return };
    server.administer("CREATE ROLE ann LOGIN PASSWORD 'correct'");
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
    assert!(matches!(powerless, OpenError::MayNotCreate { .. }), "{powerless:?}");
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
fn a_schema_that_is_not_ours_is_left_as_it_is() {
    let Some(server) = Server::start(Durability::None) else { return };
    server.execute("CREATE SCHEMA fivefold; CREATE TABLE fivefold.thing (id int)");
    let refused = [
        Postgres::open(&server.url(), None).map(drop).unwrap_err(),
        check_postgres(&server.url()).unwrap_err(),
    ];
    for error in refused {
        assert!(matches!(error, OpenError::ForeignSchema { .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("createdb --owner=fivefold NAME"), "{text}");
    }
    assert_eq!(server.value("SELECT count(*) FROM pg_class WHERE relname = 'thing'"), "1");
    server.execute("DROP TABLE fivefold.thing; DROP SCHEMA fivefold");
    drop(server.open());
}

#[test]
fn a_database_of_another_role_is_refused_with_its_owner() {
    let Some(server) = Server::start(Durability::None) else { return };
    server.administer("CREATE ROLE ann LOGIN PASSWORD 'correct'");
    let relay = Relay::to(server.socket());
    let url =
        DatabaseUrl::from(format!("postgres://ann:correct@127.0.0.1:{}/fivefold", relay.port()));
    let refused = |url: &DatabaseUrl| {
        [Postgres::open(url, None).map(drop).unwrap_err(), check_postgres(url).unwrap_err()]
            .map(|error| error.to_string())
    };
    for text in refused(&url) {
        assert!(text.contains("127.0.0.1/fivefold belongs to the role fivefold"), "{text}");
        assert!(text.contains("OWNER TO ann"), "{text}");
    }
    // The tables of another server.
    drop(server.open());
    server.execute("GRANT CREATE ON DATABASE fivefold TO ann");
    for text in refused(&url) {
        assert!(text.contains("belong to the role fivefold, and ann may not"), "{text}");
    }
    // A superuser has restored one of them.
    server.administer("ALTER TABLE fivefold.room OWNER TO postgres");
    for text in refused(&server.url()) {
        assert!(text.contains("belong to the role postgres, and fivefold may not"), "{text}");
    }
    server.administer("ALTER TABLE fivefold.room OWNER TO fivefold");
    // A role that is a member of the owner may do all that the owner may.
    server.administer("GRANT fivefold TO ann");
    drop(Postgres::open(&url, None).unwrap());
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
    let version = "SELECT version FROM fivefold.format";
    assert_eq!(server.value(version), env!("CARGO_PKG_VERSION"));
    server.execute("UPDATE fivefold.format SET number = 99, version = '9.8.7'");
    let refused = [
        Postgres::open(&server.url(), None).map(drop).unwrap_err(),
        check_postgres(&server.url()).unwrap_err(),
    ];
    for error in refused {
        assert!(matches!(error, OpenError::Newer { found: 99, known: 10, .. }), "{error:?}");
        assert!(error.to_string().contains("Start Fivefold 9.8.7 again"), "{error}");
    }
    server.execute("ALTER TABLE fivefold.format DROP COLUMN version");
    let unknown = Postgres::open(&server.url(), None).map(drop).unwrap_err();
    assert!(unknown.to_string().contains("Start the newer server again"), "{unknown}");
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

#[test]
fn tables_are_not_upgraded_under_nodes_that_do_not_understand_this_one() {
    let Some(server) = Server::start(Durability::None) else { return };
    drop(server.open());
    make_postgres_older(&server, 8);
    let format = "SELECT number FROM fivefold.format";
    let mut registry = PostgresRegistry::open(&server.url()).unwrap();
    let old = registry.join().unwrap();
    server.execute("UPDATE fivefold.node SET name = 'oak', bus_min = 1, bus_max = 1");
    let lives = AtomicBool::new(true);
    thread::scope(|scope| {
        let beats = scope.spawn(|| {
            let begun = Instant::now();
            while lives.load(Ordering::Relaxed) && begun.elapsed() < Duration::from_secs(60) {
                assert!(matches!(registry.heartbeat(old, REPORT), Ok(Pulse::Alive { .. })));
                thread::sleep(Duration::from_millis(50));
            }
        });
        let refused = Postgres::open(&server.url(), None).map(drop).unwrap_err();
        assert!(matches!(refused, OpenError::OtherVersions { .. }), "{refused:?}");
        let text = refused.to_string();
        assert!(text.contains("(oak) are of another version"), "{text}");
        assert_eq!(server.value(format), "8");
        // Tables that need no upgrade.
        server.execute(&format!("UPDATE fivefold.format SET number = {}", i32::MAX));
        let newer = Postgres::open(&server.url(), None).map(drop).unwrap_err();
        assert!(matches!(newer, OpenError::Newer { .. }), "{newer:?}");
        let other = PostgresRegistry::open(&server.url()).unwrap().join().unwrap_err();
        assert_eq!(other, JoinError::OtherVersion { nodes: "oak".to_owned() });
        // A server that has the database for itself.
        server.execute("UPDATE fivefold.format SET number = 8");
        server.execute("UPDATE fivefold.node SET bus_min = 0, bus_max = 0");
        let in_use = Postgres::open(&server.url(), None).map(drop).unwrap_err();
        assert!(matches!(in_use, OpenError::DatabaseInUse { .. }), "{in_use:?}");
        assert_eq!(server.value(format), "8");
        lives.store(false, Ordering::Relaxed);
        beats.join().unwrap();
    });
    // It was killed.
    drop(server.open());
    assert_ne!(server.value(format), "8");
    // A node that understands this one goes on while the tables are upgraded.
    make_postgres_older(&server, 8);
    let mut registry = PostgresRegistry::open(&server.url()).unwrap();
    let node = registry.join().unwrap();
    drop(server.open());
    assert_ne!(server.value(format), "8");
    assert!(matches!(registry.heartbeat(node, REPORT), Ok(Pulse::Alive { .. })));
}

#[test]
fn a_room_has_the_newest_format_of_its_events() {
    let Some(server) = Server::start(Durability::None) else { return };
    let mut storage = server.open();
    let begin = append(1, log(4), 0);
    let plain = append(1, vec![entry(5, event(5))], 0);
    let closing = Append { closes: true, ..append(1, vec![entry(6, event(6))], 0) };
    for step in [begin, plain, closing] {
        // It was made by an older node.
        server.execute("UPDATE fivefold.room SET format = 0");
        assert_eq!(storage.append(&[step]).unwrap(), [Ok(vec![])]);
        assert_eq!(server.value("SELECT format FROM fivefold.room"), "1");
    }
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
    let upgrade = || {
        drop(server.open());
        assert_eq!(server.value("SELECT number FROM fivefold.format"), "10");
        let version = server.value("SELECT version FROM fivefold.format");
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
    };
    for format in [9, 8, 7, 6, 5] {
        make_postgres_older(&server, format);
        upgrade();
    }
    // Development versions have added the column of format 9 to format 8 already.
    server.execute(POSTGRES_9);
    server.execute("UPDATE fivefold.format SET number = 8");
    upgrade();
    make_postgres_older(&server, 5);
    server.execute("DROP INDEX fivefold.account_owner");
    let format_5 = "fivefold.old_name, fivefold.puzzle_rating, fivefold.puzzle_try,
        fivefold.game_mark, fivefold.examined_game";
    server.execute(&format!("DROP TABLE {format_5}"));
    server.execute("DROP INDEX fivefold.rating_change_at");
    server.execute("UPDATE fivefold.format SET number = 4");
    drop(server.open());
    assert_eq!(server.value("SELECT number FROM fivefold.format"), "10");
    let format_5_columns = "ALTER TABLE fivefold.player DROP COLUMN listed;
        ALTER TABLE fivefold.member DROP COLUMN challenges_from";
    let format_4 = format!(
        "{format_5}, fivefold.collected_game, fivefold.collection, fivefold.push_server, fivefold.push_subscription, fivefold.push_setting, fivefold.push_game, fivefold.push_news, fivefold.note, fivefold.time_off, fivefold.email, fivefold.daily_seat, fivefold.sleeping_room, fivefold.sleeping_member, fivefold.friend, fivefold.trace, fivefold.rating, fivefold.rating_change, fivefold.block, fivefold.report,
        fivefold.sanction, fivefold.operator, fivefold.passkey, fivefold.token, fivefold.alias"
    );
    server.execute(&format!("DROP TABLE {format_4}"));
    server.execute(format_5_columns);
    server.execute("ALTER TABLE fivefold.session DROP COLUMN proved_at");
    server.execute("ALTER TABLE fivefold.account DROP COLUMN owner, DROP COLUMN online_to");
    let format_9_column = "ALTER TABLE fivefold.format DROP COLUMN version";
    server.execute(format_9_column);
    server.execute("UPDATE fivefold.format SET number = 3");
    drop(server.open());
    assert_eq!(server.value("SELECT number FROM fivefold.format"), "10");
    let without_accounts =
        format!("DROP TABLE fivefold.session, fivefold.key, fivefold.account, {format_4}");
    server.execute(&without_accounts);
    server.execute(format_5_columns);
    server.execute(format_9_column);
    server.execute("UPDATE fivefold.format SET number = 2");
    let refused = check_postgres(&server.url()).unwrap_err();
    assert!(matches!(refused, OpenError::Storage { .. }), "{refused:?}");
    drop(server.open());
    assert_eq!(server.value("SELECT number FROM fivefold.format"), "10");
    assert_eq!(server.value(rows), before);
    // Format 1 learns who plays from its logs.
    server.execute(&without_accounts);
    server.execute(format_5_columns);
    server.execute(format_9_column);
    server.execute("DROP TABLE fivefold.playing; UPDATE fivefold.format SET number = 1");
    let refused = check_postgres(&server.url()).unwrap_err();
    assert!(matches!(refused, OpenError::Storage { .. }), "{refused:?}");
    drop(server.open());
    assert_eq!(server.value(rows), before);
    assert_eq!(server.value("SELECT number FROM fivefold.format"), "10");
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
    for (damage, problem) in [
        email::DAMAGE,
        friends::DAMAGE,
        notes::DAMAGE,
        pushes::DAMAGE,
        time_off::DAMAGE,
        collections::DAMAGES[0],
        collections::DAMAGES[1],
        collections::DAMAGES[2],
        collections::DAMAGES[3],
    ] {
        server.execute(&format!("SET search_path = fivefold; {damage}"));
        let findings = check_postgres(&server.url()).unwrap();
        assert!(findings.problems.contains(&problem.to_owned()), "{findings}");
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
