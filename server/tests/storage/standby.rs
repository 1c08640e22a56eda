//! Finished games are read from a standby, unless it is frozen, gone or behind.

use std::time::{Duration, Instant};

use fivefold_storage::{
    AccountChanged, AccountStep, DatabaseUrl, GameQuery, IdentityHash, Postgres, Storage,
    StorageReader, limits::DELETED_ACCOUNT_KEPT,
};
use fivefold_test_services::PostgresServer;

use crate::{
    accounts,
    doubt::wait_until,
    postgres::{Durability, Server},
    rooms::{append, game_id, member, resigned},
};

/// A game of members 7 and 8 ends.
fn finish(storage: &mut Postgres, room: u64) {
    let ended = append(room, resigned("public", 7, 8), room);
    assert_eq!(storage.append(&[ended]).unwrap(), [Ok(vec![])]);
}

/// The number of everybody's games in the list.
fn listed(reader: &mut dyn StorageReader) -> usize {
    reader.games(&GameQuery { max: 10, ..GameQuery::default() }).unwrap().games.len()
}

/// The statements that readers have run there.
fn asked(standby: &PostgresServer, part: &str) -> bool {
    let sessions = "SELECT string_agg(query, ';') FROM pg_stat_activity
        WHERE application_name = 'fivefold-server'";
    standby.ask(sessions).contains(part)
}

struct World {
    server: Server,
    standby: PostgresServer,
    storage: Postgres,
}

impl World {
    /// A primary with one finished game, its standby, and a storage that knows both and reads from
    /// the standby.
    fn new() -> Option<Self> {
        let server = Server::start(Durability::None)?;
        drop(server.open());
        server.join(false);
        let standby = server.process().start_standby();
        let url = DatabaseUrl::from(standby.url());
        let mut storage = Postgres::open(&server.url(), Some(&url)).unwrap();
        finish(&mut storage, 1);
        let mut world = Self { server, standby, storage };
        let mut reader = world.reader();
        wait_until("it reads from the standby", || {
            listed(&mut *reader) == 1 && asked(&world.standby, "FROM game WHERE listed")
        });
        Some(world)
    }

    fn reader(&mut self) -> Box<dyn StorageReader> {
        self.storage.reader().unwrap()
    }

    fn lag(&self) -> Duration {
        self.storage.replica_lag().unwrap().get()
    }
}

#[test]
fn a_frozen_standby_delays_one_read_for_half_a_second_and_no_more() {
    let Some(mut world) = World::new() else { return };
    let mut readers = [world.reader(), world.reader()];
    for reader in &mut readers {
        assert!(reader.game(&game_id(1)).unwrap().is_some());
    }
    world.standby.freeze();
    finish(&mut world.storage, 2);
    let begun = Instant::now();
    assert_eq!(listed(&mut *readers[0]), 2);
    let first = begun.elapsed();
    assert!(first < Duration::from_millis(1_500), "{first:?}");
    let begun = Instant::now();
    for room in [1, 2] {
        assert!(readers[0].game(&game_id(room)).unwrap().is_some());
    }
    assert!(readers[0].member(&member(7), IdentityHash([7; 32])).is_ok());
    // It may not have noticed by itself, and asks once.
    assert_eq!(listed(&mut *readers[1]), 2);
    let others = begun.elapsed();
    assert!(others < Duration::from_millis(400), "{others:?}");
    wait_until("the lag grows", || world.lag() > Duration::from_secs(1));
    world.standby.thaw();
    wait_until("it is used again", || {
        finish_and_list(&mut *readers[0])
            && world.lag() < Duration::from_secs(1)
            && asked(&world.standby, "FROM game WHERE listed")
    });
}

/// Lists games; true, to be part of a condition.
fn finish_and_list(reader: &mut dyn StorageReader) -> bool {
    listed(reader) > 0
}

#[test]
fn a_standby_that_is_gone_is_not_missed() {
    let Some(mut world) = World::new() else { return };
    let mut reader = world.reader();
    assert_eq!(listed(&mut *reader), 1);
    world.standby.kill();
    finish(&mut world.storage, 2);
    assert_eq!(listed(&mut *reader), 2);
    assert!(reader.game(&game_id(2)).unwrap().is_some());
    world.standby.restart();
    wait_until("it is used again", || {
        listed(&mut *reader) == 2 && asked(&world.standby, "FROM game WHERE listed")
    });
}

#[test]
fn a_standby_that_is_behind_hides_no_game_and_shows_no_deleted_name() {
    let Some(mut world) = World::new() else { return };
    let made = world.storage.change_account(&accounts::sign_up(7, None, "ann")).unwrap();
    assert_eq!(made, AccountChanged::Done);
    let mut reader = world.reader();
    let name = |reader: &mut dyn StorageReader| {
        let game = reader.game(&game_id(1)).unwrap().unwrap();
        game.summary.players.first
    };
    let before = name(&mut *reader);
    world.standby.ask("SELECT pg_wal_replay_pause()");
    // What a person has just done is seen at once: a game by its id, their own games, a deleted name.
    finish(&mut world.storage, 2);
    let own = GameQuery { member: Some(member(7)), max: 10, ..GameQuery::default() };
    assert!(reader.game(&game_id(2)).unwrap().is_some());
    assert_eq!(reader.games(&own).unwrap().games.len(), 2);
    accounts::apply(
        &mut world.storage,
        &accounts::change(7, 100, AccountStep::Delete),
        AccountChanged::Done,
    );
    let kept = u64::try_from(DELETED_ACCOUNT_KEPT.as_millis()).unwrap();
    world.storage.prune_accounts(100 + kept, 9).unwrap();
    assert_ne!(name(&mut *reader), before);
    // And what others have done, after a moment.
    wait_until("the lag is noticed", || world.lag() > Duration::from_secs(1));
    wait_until("the primary is asked", || listed(&mut *reader) == 2);
    world.standby.ask("SELECT pg_wal_replay_resume()");
    wait_until("it has caught up", || world.lag() < Duration::from_millis(500));
    assert_eq!(listed(&mut *reader), 2);
    assert_eq!(world.server.value("SELECT count(*) FROM fivefold.game"), "2");
}
