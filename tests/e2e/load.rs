//! Runs the measurements of nodes for a moment (`tests/examples/cluster.rs` runs them in full).

use std::time::Duration;

use fivefold_tests::load::{
    Plan,
    nodes::{self, Layout},
};

use crate::freestyle;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_is_measured_on_one_node_and_on_three() {
    let plan = Plan {
        rooms: 4,
        rules: freestyle(),
        rate: Some(100.0),
        spread: false,
        spectators: 0,
        stalled: 0,
        idle: 0,
        warm_up: Duration::from_millis(200),
        measured: Duration::from_secs(1),
    };
    for layout in Layout::PLAYERS.into_iter().chain([Layout::FanOut { spectators: 5 }]) {
        let Some(row) = nodes::run(layout, &plan).await else { return };
        assert!(row.moves() > 0 && row.nodes > Duration::ZERO, "{row:?}");
        let has_database = layout != Layout::Sqlite;
        let has_bus = has_database && layout != Layout::Postgres;
        assert_eq!(row.postgres.is_some_and(|cpu| cpu > Duration::ZERO), has_database, "{row:?}");
        assert_eq!(row.wal_bytes.is_some_and(|bytes| bytes > 0), has_database, "{row:?}");
        assert_eq!(row.bus_bytes.is_some_and(|bytes| bytes > 0), has_bus, "{row:?}");
        // It needs less than the clock's tick for so few moves.
        assert_eq!(row.nats.is_some(), has_bus, "{row:?}");
        let watches = matches!(layout, Layout::FanOut { .. });
        assert_eq!(row.watched > 0, watches, "{row:?}");
    }
}
