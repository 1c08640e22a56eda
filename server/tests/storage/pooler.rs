//! A pooler between the server and PostgreSQL: PgBouncer, in each of its modes.

use fivefold_storage::{
    DatabaseUrl, NodeId, NodeReport, OpenError, Postgres, PostgresRegistry, Pulse, Registry,
    Storage,
};
use fivefold_test_services::PgBouncer;

use crate::{
    doubt::wait_until,
    postgres::{Durability, Server},
    rooms::{append, log},
};

#[test]
fn a_pooler_that_mixes_sessions_is_refused() {
    let Some(server) = Server::start(Durability::None) else { return };
    let settings: [&[&str]; 5] = [
        &["pool_mode = transaction"],
        &["pool_mode = transaction", "default_pool_size = 1"],
        &["pool_mode = transaction", "server_round_robin = 1", "min_pool_size = 2"],
        &["pool_mode = transaction", "server_round_robin = 1", "min_pool_size = 5"],
        &["pool_mode = statement"],
    ];
    for settings in settings {
        let Some(pooler) = PgBouncer::start(server.process(), settings) else { return };
        let url = DatabaseUrl::from(pooler.url());
        for _ in 0..5 {
            let refused = Postgres::open(&url, None).map(drop).unwrap_err();
            assert!(matches!(refused, OpenError::Pooler { .. }), "{settings:?}: {refused}");
        }
        let text = Postgres::open(&url, None).map(drop).unwrap_err().to_string();
        assert!(text.starts_with("127.0.0.1/fivefold is behind a pooler"), "{text}");
    }
    // It has not begun to make tables.
    let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname = 'fivefold'";
    assert_eq!(server.value(schemas), "0");
}

#[test]
fn a_pooler_that_pools_by_session_is_used() {
    let Some(server) = Server::start(Durability::None) else { return };
    let Some(pooler) = PgBouncer::start(server.process(), &["pool_mode = session"]) else { return };
    let mut storage = Postgres::open(&DatabaseUrl::from(pooler.url()), None).unwrap();
    assert_eq!(server.join(false), NodeId::ALONE);
    assert_eq!(storage.append(&[append(1, log(3), 0)]).unwrap(), [Ok(vec![])]);
}

const REPORT: NodeReport = NodeReport { sees_bus: true, rooms: 0, draining: false };

#[test]
fn a_heartbeat_waits_for_no_disk_and_leaves_no_setting_behind() {
    let Some(server) = Server::start(Durability::None) else { return };
    drop(server.open());
    // The next client gets the session of PostgreSQL that the heartbeat had, as it was left.
    let settings = ["pool_mode = session", "default_pool_size = 1", "server_reset_query ="];
    let Some(pooler) = PgBouncer::start(server.process(), &settings) else { return };
    let url = DatabaseUrl::from(pooler.url());
    let mut registry = PostgresRegistry::open(&url).unwrap();
    let (node, other) = (registry.join().unwrap(), server.join(true));
    server.administer("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    server.administer("SELECT pg_reload_conf()");
    wait_until("it is set", || server.value("SHOW synchronous_standby_names") == "nobody");
    for _ in 0..2 {
        assert!(matches!(registry.heartbeat(node, REPORT).unwrap(), Pulse::Alive { .. }));
    }
    assert!(registry.declare_dead(other, 0).unwrap());
    registry.retire(node).unwrap();
    drop(registry);
    let config: tokio_postgres::Config = pooler.url().parse().unwrap();
    assert_eq!(server.value_by(&config, "SHOW synchronous_commit"), "on");
    assert_eq!(server.value_by(&config, "SHOW search_path"), "fivefold", "it is the same session");
}
