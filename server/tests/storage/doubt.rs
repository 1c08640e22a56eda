//! Commits whose answer does not arrive, rooms that two nodes want, and a PostgreSQL server that is
//! killed: nothing acknowledged is lost, and nothing is stored that was fenced.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use fivefold_shared::seat::Seat;
use fivefold_storage::{Append, Claimed, Conflict, Epoch, NodeId, Postgres, Storage, StorageError};

use crate::{
    postgres::{Durability, Server},
    relay::{Hold, Relay},
    rooms::{append, code, end, log, member, pair, playing, rematch},
};

const NOTHING: Hold = Hold { requests: false, replies: false };
const REQUESTS: Hold = Hold { requests: true, ..NOTHING };
const REPLIES: Hold = Hold { replies: true, ..NOTHING };

/// A server whose room 1 has three entries by node 1, which lives, and a storage of that node
/// behind a relay.
struct World {
    server: Server,
    relay: Relay,
    storage: Postgres,
}

impl World {
    fn new() -> Option<Self> {
        let server = Server::start(Durability::None)?;
        drop(server.open());
        assert_eq!(server.join(false), NodeId::ALONE);
        let relay = Relay::to(server.socket());
        let mut storage = Postgres::open(&relay.url(), None).unwrap();
        let begun = append(1, log(3), 0);
        assert_eq!(storage.append(&[begun]).unwrap(), [Ok(vec![])]);
        // The statement of the next append is prepared before anything is held.
        assert_eq!(storage.append(&[next(2, Epoch::FIRST)]).unwrap(), [Err(Conflict::Owner)]);
        Some(Self { server, relay, storage })
    }

    /// The number of room 1's last event, as others see it.
    fn seq(&self) -> String {
        self.server.value("SELECT seq FROM fivefold.room WHERE code LIKE '%' ORDER BY id LIMIT 1")
    }

    /// Claims the room as its owner does after a doubt: again until it is known.
    fn settle(&mut self) -> (Epoch, usize) {
        let (epoch, log) = settled(&mut self.storage, NodeId::ALONE);
        (epoch, log)
    }

    /// Appends to room 1 while a helper acts, and expects the doubt.
    fn append_in_doubt(&mut self, act: impl FnOnce(&Relay, &Server) + Send) {
        self.put_in_doubt(next(1, Epoch::FIRST), act);
    }

    fn put_in_doubt(&mut self, append: Append, act: impl FnOnce(&Relay, &Server) + Send) {
        let Self { server, relay, storage } = self;
        thread::scope(|scope| {
            let append = scope.spawn(|| storage.append(&[append]));
            act(relay, server);
            let answer = append.join().unwrap();
            assert!(matches!(answer, Err(StorageError::InDoubt(_))), "{answer:?}");
        });
    }
}

impl World {
    /// Waits until an append that was cut off has run.
    fn wait_for_late_append(&self) {
        wait_until("the late append has run", || {
            let running = "SELECT count(*) FROM pg_stat_activity
                WHERE application_name = 'fivefold-server' AND state = 'active'";
            self.server.value(running) == "0"
        });
    }

    /// Claims a room as its owner does after a doubt. Returns whether it is there.
    fn is_open(&mut self, room: u64) -> bool {
        reclaim(&mut self.storage, room, NodeId::ALONE).is_some()
    }

    /// Who plays in rooms of paired players.
    fn players(&self) -> String {
        self.server.value("SELECT string_agg(member, ' ' ORDER BY member) FROM fivefold.playing")
    }
}

/// The fourth entry of a room.
fn next(room: u64, epoch: Epoch) -> Append {
    Append { epoch, ..append(room, log(4).split_off(3), 0) }
}

fn settled(storage: &mut Postgres, node: NodeId) -> (Epoch, usize) {
    loop {
        match storage.claim(&[code(1)], node).as_deref() {
            Ok([Claimed::Mine { epoch, log: stored, .. }]) => {
                assert_eq!(*stored, log(stored.len() as u64));
                return (*epoch, stored.len());
            }
            Ok(other) => panic!("{other:?}"),
            Err(StorageError::Failed(_) | StorageError::InDoubt(_)) => thread::yield_now(),
            Err(error) => panic!("{error}"),
        }
    }
}

/// Waits for something that must come.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        thread::yield_now();
    }
}

#[test]
fn a_commit_whose_answer_is_cut_off_is_in_doubt_and_then_found() {
    let Some(mut world) = World::new() else { return };
    world.relay.hold(REPLIES);
    world.append_in_doubt(|relay, server| {
        let seq = "SELECT seq FROM fivefold.room ORDER BY id LIMIT 1";
        wait_until("it is stored", || server.value(seq) == "4");
        relay.cut();
        relay.hold(NOTHING);
    });
    assert_eq!(world.settle(), (Epoch(2), 4));
}

#[test]
fn a_commit_that_never_arrived_is_in_doubt_and_then_not_found() {
    let Some(mut world) = World::new() else { return };
    world.relay.hold(REQUESTS);
    world.append_in_doubt(|relay, _| {
        relay.wait_for_request();
        relay.cut();
    });
    // It is still on its way when the claim overtakes it.
    let mut other = world.server.open();
    assert_eq!(settled(&mut other, NodeId::ALONE), (Epoch(2), 3));
    world.relay.hold(NOTHING);
    assert_eq!(world.settle(), (Epoch(3), 3));
    world.wait_for_late_append();
    assert_eq!(world.seq(), "3");
    assert_eq!(world.storage.append(&[next(1, Epoch(3))]).unwrap(), [Ok(vec![])]);
}

#[test]
fn a_game_whose_commit_is_in_doubt_counts_if_it_is_stored() {
    let Some(mut world) = World::new() else { return };
    assert_eq!(world.storage.append(&[pair(2, [1, 2])]).unwrap(), [Ok(vec![])]);
    assert_eq!(world.storage.append(&[end(2, [1, 2])]).unwrap(), [Ok(vec![])]);
    world.relay.hold(REPLIES);
    world.put_in_doubt(rematch(2, [1, 2]), |relay, server| {
        let players = "SELECT count(*) FROM fivefold.playing";
        wait_until("it is stored", || server.value(players) == "2");
        relay.cut();
        relay.hold(NOTHING);
    });
    let mut other = world.server.open();
    let elsewhere = [Err(Conflict::Playing(playing(2, 2, Seat::Second)))];
    assert_eq!(other.append(&[pair(3, [2, 3])]).unwrap(), elsewhere);
    let (epoch, _) = reclaim(&mut world.storage, 2, NodeId::ALONE).expect("it is there");
    let last = Append { epoch, closes: true, ..append(2, Vec::new(), 0) };
    assert_eq!(world.storage.append(&[last]).unwrap(), [Ok(vec![])]);
    assert_eq!(other.append(&[pair(3, [2, 3])]).unwrap(), [Ok(vec![])]);
    assert_eq!(world.players(), format!("{} {}", member(2), member(3)));
}

#[test]
fn a_game_whose_commit_comes_late_takes_nobody_out_of_another() {
    // The owner of the late one may have claimed its room before it comes, or claims it later.
    for claims_first in [true, false] {
        let Some(mut world) = World::new() else { return };
        assert_eq!(world.storage.append(&[pair(2, [8, 9])]).unwrap(), [Ok(vec![])]);
        world.relay.hold(REQUESTS);
        world.put_in_doubt(pair(3, [1, 2]), |relay, _| {
            relay.wait_for_request();
            relay.cut();
        });
        let mut other = world.server.open();
        if claims_first {
            assert_eq!(other.claim(&[code(3)], NodeId::ALONE).unwrap(), [Claimed::Closed]);
        } else {
            assert_eq!(other.append(&[pair(4, [2, 3])]).unwrap(), [Ok(vec![])]);
        }
        world.relay.hold(NOTHING);
        assert!(world.is_open(2));
        world.wait_for_late_append();
        assert!(!world.is_open(3), "the room of the late one");
        let more = if claims_first { vec![] } else { vec![member(2), member(3)] };
        let players: Vec<_> =
            more.into_iter().chain([member(8), member(9)]).map(|id| id.to_string()).collect();
        assert_eq!(world.players(), players.join(" "));
    }
}

#[test]
fn a_commit_that_is_stored_after_the_reconnect_is_found() {
    let Some(mut world) = World::new() else { return };
    slow_down_appends(&world.server);
    world.append_in_doubt(|relay, server| {
        wait_until("it is under way", || is_appending(server));
        relay.cut();
    });
    assert_eq!(world.seq(), "3");
    let World { server, storage, .. } = &mut world;
    thread::scope(|scope| {
        let claim = scope.spawn(|| settled(storage, NodeId::ALONE));
        wait_until("the claim waits for the append", || {
            server.value("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted") == "true"
        });
        server.execute("INSERT INTO public.go VALUES (1)");
        assert_eq!(claim.join().unwrap(), (Epoch(2), 4));
    });
}

#[test]
fn an_append_under_way_is_in_the_log_of_the_next_owner() {
    let Some(world) = World::new() else { return };
    let World { server, mut storage, .. } = world;
    slow_down_appends(&server);
    let heir = server.join(false);
    let mut other = server.open();
    thread::scope(|scope| {
        let append = scope.spawn(|| storage.append(&[next(1, Epoch::FIRST)]));
        wait_until("it is under way", || is_appending(&server));
        let claim = scope.spawn(|| settled(&mut other, heir));
        wait_until("the claim waits for the append", || {
            server.value("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted") == "true"
        });
        server.execute("INSERT INTO public.go VALUES (1)");
        assert_eq!(append.join().unwrap().unwrap(), [Ok(vec![])]);
        assert_eq!(claim.join().unwrap(), (Epoch(2), 4));
    });
    // And an append after the claim is refused.
    let late = Append { epoch: Epoch::FIRST, ..append(1, log(5).split_off(4), 0) };
    assert_eq!(storage.append(&[late]).unwrap(), [Err(Conflict::Owner)]);
}

/// Appends of events wait until table `go` has a row. They hold the locks of their rooms.
fn slow_down_appends(server: &Server) {
    server.execute("CREATE TABLE public.go (go int)");
    server.execute_whole(
        "CREATE FUNCTION wait_for_go() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            WHILE NOT EXISTS (SELECT FROM public.go) LOOP PERFORM pg_sleep(0.01); END LOOP;
            RETURN NEW;
        END $$",
    );
    server.execute(
        "CREATE TRIGGER wait_for_go BEFORE INSERT ON fivefold.event
            FOR EACH ROW EXECUTE FUNCTION wait_for_go()",
    );
}

fn is_appending(server: &Server) -> bool {
    server.value("SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "true"
}

#[test]
fn one_of_two_nodes_gets_an_orphan() {
    let Some(server) = Server::start(Durability::None) else { return };
    let mut first = server.open();
    let dead = server.join(false);
    let rooms: Vec<_> = (0..40).map(|room| append(room, log(3), 0)).collect();
    first
        .append(&rooms.iter().map(|room| Append { node: dead, ..room.clone() }).collect::<Vec<_>>())
        .unwrap();
    let nodes = [server.join(false), server.join(true)];
    let mut storages = [first, server.open()];
    let codes: Vec<_> = (0..40).map(code).collect();
    let won: Vec<Vec<bool>> = thread::scope(|scope| {
        let claims: Vec<_> = storages
            .iter_mut()
            .zip(nodes)
            .map(|(storage, node)| {
                let codes = &codes;
                scope.spawn(move || {
                    let claim = |code| storage.claim(std::slice::from_ref(code), node).unwrap();
                    codes.iter().flat_map(claim).collect::<Vec<_>>()
                })
            })
            .collect();
        let answers: Vec<_> = claims.into_iter().map(|claim| claim.join().unwrap()).collect();
        let is_won = |node: usize, claimed: &Claimed| match claimed {
            Claimed::Mine { epoch, log: stored, .. } => {
                assert_eq!((*epoch, stored), (Epoch(2), &log(3)));
                true
            }
            Claimed::Elsewhere(owner) => {
                assert_eq!(*owner, nodes[1 - node]);
                false
            }
            other => panic!("{other:?}"),
        };
        (0..2).map(|node| answers[node].iter().map(|one| is_won(node, one)).collect()).collect()
    });
    for (room, (first, second)) in won[0].iter().zip(&won[1]).enumerate() {
        assert!(first ^ second, "room {room} has one owner");
    }
    // A room of a newer server is left to it, and the rooms of a dead node are free.
    server.execute("UPDATE fivefold.room SET format = 99 WHERE id = 1");
    let heir = server.join(false);
    let newer = storages[0].claim(&codes, heir).unwrap();
    assert_eq!(newer.iter().filter(|claimed| **claimed == Claimed::Newer).count(), 1);
    // A dead node claims nothing.
    let refused = storages[0].claim(&codes, nodes[0]);
    assert!(matches!(refused, Err(StorageError::Failed(_))), "{refused:?}");
}

#[test]
fn a_commit_without_an_answer_for_five_seconds_is_in_doubt() {
    let Some(mut world) = World::new() else { return };
    world.relay.hold(REPLIES);
    world.append_in_doubt(|_, _| {});
    world.relay.hold(NOTHING);
    assert_eq!(world.settle(), (Epoch(2), 4));
}

#[test]
fn a_commit_that_no_standby_has_is_in_doubt() {
    let Some(mut world) = World::new() else { return };
    world.server.administer("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    world.server.administer("SELECT pg_reload_conf()");
    wait_until("it is set", || world.server.value("SHOW synchronous_standby_names") == "nobody");
    world.append_in_doubt(|_, server| {
        let waiting = "SELECT max(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        wait_until("it waits for the standby", || !server.value(waiting).is_empty());
        // The server then reports success, with a warning.
        server.execute(&format!("SELECT pg_cancel_backend({})", server.value(waiting)));
    });
    world.server.administer("ALTER SYSTEM RESET synchronous_standby_names");
    world.server.administer("SELECT pg_reload_conf()");
    assert_eq!(world.settle(), (Epoch(2), 4));
}

#[test]
fn a_commit_whose_wait_for_a_standby_ends_with_the_connection_is_in_doubt() {
    let Some(mut world) = World::new() else { return };
    world.server.administer("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    world.server.administer("SELECT pg_reload_conf()");
    wait_until("it is set", || world.server.value("SHOW synchronous_standby_names") == "nobody");
    world.append_in_doubt(|_, server| {
        let waiting = "SELECT max(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        wait_until("it waits for the standby", || !server.value(waiting).is_empty());
        server.execute(&format!("SELECT pg_terminate_backend({})", server.value(waiting)));
    });
    world.server.administer("ALTER SYSTEM RESET synchronous_standby_names");
    world.server.administer("SELECT pg_reload_conf()");
    assert_eq!(world.settle(), (Epoch(2), 4));
}

#[test]
fn a_warning_casts_doubt_only_where_a_commit_may_be_lost() {
    let Some(mut world) = World::new() else { return };
    world.server.execute_whole(
        "CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE WARNING 'a test' USING ERRCODE = current_setting('test.state');
            RETURN NEW;
        END $$",
    );
    world.server.execute(
        "CREATE TRIGGER warn BEFORE INSERT ON fivefold.event FOR EACH ROW EXECUTE FUNCTION warn()",
    );
    let cases = [
        // Also what PostgreSQL says at each commit before it must be vacuumed.
        ("01000", false),
        ("01007", false),
        ("55P03", false),
        ("25P01", true),
        ("57014", true),
        ("57P01", true),
    ];
    for (room, (state, is_in_doubt)) in (10..).zip(cases) {
        world.server.administer(&format!("ALTER DATABASE fivefold SET test.state = '{state}'"));
        // Sessions read the setting when they begin.
        let mut storage = world.server.open();
        match storage.append(&[append(room, log(3), 0)]) {
            Ok(answers) if !is_in_doubt => assert_eq!(answers, [Ok(vec![])]),
            Err(StorageError::InDoubt(text)) if is_in_doubt => assert_eq!(text, "a test"),
            other => panic!("{state}: {other:?}"),
        }
        assert_eq!(world.storage.read(&code(room)).unwrap(), log(3), "{state}");
    }
}

#[test]
fn an_error_means_what_its_class_says() {
    let Some(mut world) = World::new() else { return };
    world.server.execute_whole(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE EXCEPTION 'a test' USING ERRCODE = current_setting('test.state');
        END $$",
    );
    world.server.execute(
        "CREATE TRIGGER fail BEFORE INSERT ON fivefold.event FOR EACH ROW EXECUTE FUNCTION fail()",
    );
    let cases = [
        ("22003", true),
        ("23505", true),
        ("40001", true),
        ("40P01", true),
        ("42703", true),
        ("53100", true),
        ("55P03", true),
        ("40003", false),
        ("25006", false),
        ("57014", false),
        ("58030", false),
        ("XX000", false),
        ("08006", false),
    ];
    for (state, stores_nothing) in cases {
        world.server.administer(&format!("ALTER DATABASE fivefold SET test.state = '{state}'"));
        // Sessions read the setting when they begin.
        let mut storage = world.server.open();
        let answer = storage.append(&[next(1, Epoch::FIRST)]);
        match answer {
            Err(StorageError::Failed(text)) if stores_nothing => {
                assert!(text.contains("a test"), "{text}");
            }
            Err(StorageError::InDoubt(_)) if !stores_nothing => {}
            other => panic!("{state}: {other:?}"),
        }
    }
    world.server.execute("DROP TRIGGER fail ON fivefold.event");
    assert_eq!(world.storage.append(&[next(1, Epoch::FIRST)]).unwrap(), [Ok(vec![])]);
}

#[test]
fn what_was_acknowledged_survives_a_killed_server() {
    const ROOMS: u64 = 8;
    let Some(mut server) = Server::start(Durability::Full) else { return };
    drop(server.open());
    let node = server.join(false);
    assert_eq!(node, NodeId::ALONE);
    let stored: Arc<Vec<AtomicU64>> = Arc::new((0..ROOMS).map(|_| AtomicU64::new(0)).collect());
    let stop = Arc::new(AtomicBool::new(false));
    let whole = log(600);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..ROOMS)
            .map(|room| {
                let (stored, stop, whole) = (Arc::clone(&stored), Arc::clone(&stop), &whole);
                let mut storage = server.open();
                scope.spawn(move || {
                    let (mut epoch, mut seq) = (Epoch::FIRST, 0);
                    while !stop.load(Ordering::Relaxed) && seq < whole.len() {
                        let entry = vec![whole[seq].clone()];
                        match storage.append(&[Append { epoch, ..append(room, entry, 0) }]) {
                            Ok(answers) => {
                                assert_eq!(answers, [Ok(vec![])], "room {room} at {seq}");
                                seq += 1;
                                stored[usize::try_from(room).unwrap()]
                                    .store(seq as u64, Ordering::Relaxed);
                            }
                            Err(StorageError::Failed(_)) => thread::yield_now(),
                            Err(StorageError::InDoubt(_)) => {
                                let Some(known) = reclaim(&mut storage, room, node) else { return };
                                assert!(known.1 == seq || known.1 == seq + 1, "{known:?} {seq}");
                                (epoch, seq) = known;
                            }
                            Err(error) => panic!("{error}"),
                        }
                    }
                })
            })
            .collect();
        for kill in 1..=3 {
            wait_until("rooms go on", || {
                stored.iter().all(|seq| seq.load(Ordering::Relaxed) >= kill * 15)
            });
            server.crash();
        }
        wait_until("rooms go on", || stored.iter().all(|seq| seq.load(Ordering::Relaxed) >= 60));
        stop.store(true, Ordering::Relaxed);
        writers.into_iter().for_each(|writer| writer.join().unwrap());
    });
    let mut storage = server.open();
    for room in 0..ROOMS {
        let acknowledged = stored[usize::try_from(room).unwrap()].load(Ordering::Relaxed);
        let length = storage.read(&code(room)).unwrap().len() as u64;
        assert!((acknowledged..=acknowledged + 1).contains(&length), "{length} {acknowledged}");
        assert_eq!(storage.read(&code(room)).unwrap(), log(length), "room {room}");
    }
}

/// The room after a doubt; nothing if it was never stored.
fn reclaim(storage: &mut Postgres, room: u64, node: NodeId) -> Option<(Epoch, usize)> {
    loop {
        match storage.claim(&[code(room)], node).as_deref() {
            Ok([Claimed::Mine { epoch, log, .. }]) => return Some((*epoch, log.len())),
            Ok([Claimed::Closed]) => return None,
            Ok(other) => panic!("{other:?}"),
            Err(_) => thread::yield_now(),
        }
    }
}
