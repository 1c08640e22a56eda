//! Measures a move on one node and on three: the processor time of nodes, PostgreSQL and NATS apart,
//! the time to the answer, and the bytes between nodes:
//!
//! `cargo run --release -p fivefold-tests --example cluster`
//!
//! An example, not a bench, as its size is chosen by flags, like that of the other loads. On one
//! machine everything shares the processors with the load itself, so compare rows of one run.
#![expect(clippy::print_stdout, reason = "the results of this program")]

use std::time::Duration;

use clap::Parser;
use fivefold_shared::rules::{Rules, Size, Variant};
use fivefold_tests::load::{
    Plan,
    nodes::{self, Layout, Measured},
};

/// Moves a second in each room that many people watch, as between people who think little.
const WATCHED_PACE: f64 = 5.0;

/// Measures a move on one node and on three.
#[derive(Parser, Debug)]
struct Args {
    /// Numbers of rooms, each of which is measured.
    #[arg(long, value_delimiter = ',', default_values_t = [50, 500])]
    rooms: Vec<usize>,
    /// Moves per second, in all rooms together.
    #[arg(long, default_value_t = 500.0)]
    rate: f64,
    /// Spectators at each of three nodes.
    #[arg(long, default_value_t = 2_000)]
    spectators: usize,
    /// Measured seconds of each row, after one second of playing.
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// A run of half a minute.
    #[arg(long)]
    quick: bool,
}

#[tokio::main]
async fn main() {
    let mut args = Args::parse();
    if args.quick {
        args = Args { rooms: vec![10], rate: 100.0, spectators: 50, seconds: 2.0, quick: true };
    }
    print_head();
    let mut rows = Vec::new();
    for &rooms in &args.rooms {
        rows.extend(Layout::PLAYERS.map(|layout| (layout, rooms, args.rate)));
    }
    let fan_out = |spectators| Layout::FanOut { spectators };
    rows.push((fan_out(args.spectators.div_ceil(10)), 1, WATCHED_PACE));
    rows.push((fan_out(args.spectators), 1, WATCHED_PACE));
    for &rooms in &args.rooms {
        let rate = args.rate.min(WATCHED_PACE * rooms as f64);
        rows.push((fan_out(args.spectators), rooms, rate));
    }
    let mut on_sqlite = None;
    for (layout, rooms, rate) in rows {
        let Some(measured) = nodes::run(layout, &plan(&args, rooms, rate)).await else { continue };
        if layout == Layout::Sqlite {
            on_sqlite = Some(measured.micros_per_move(measured.nodes));
        }
        print_row(&measured, on_sqlite.filter(|_| Layout::PLAYERS.contains(&layout)));
    }
}

fn plan(args: &Args, rooms: usize, rate: f64) -> Plan {
    Plan {
        rooms,
        rules: Rules::new(Variant::Freestyle, Size::square(15)).expect("on offer"),
        rate: Some(rate),
        spread: false,
        spectators: 0,
        stalled: 0,
        idle: 0,
        warm_up: Duration::from_secs(1),
        measured: Duration::from_secs_f64(args.seconds),
    }
}

fn print_head() {
    println!("processor time in microseconds per move, times to the answer in milliseconds\n");
    println!(
        "{:<22}{:>6}{:>8}{:>8}{:>9}{:>9}{:>7}{:>8}{:>8}{:>10}{:>10}{:>11}{:>9}",
        "",
        "rooms",
        "moves/s",
        "nodes",
        "x SQLite",
        "Postgres",
        "NATS",
        "p50",
        "p99",
        "bus B",
        "WAL B",
        "to watchers",
        "MiB/node"
    );
}

fn print_row(row: &Measured, on_sqlite: Option<f64>) {
    let some = |figure: Option<f64>, digits| {
        figure.map_or_else(|| "-".to_owned(), |figure| format!("{figure:.digits$}"))
    };
    let micros = |time: Duration| row.micros_per_move(time);
    let bytes = |bytes: Option<u64>| some(bytes.map(|bytes| row.per_move(bytes as f64)), 0);
    let millis = |part| row.answered.quantile(part).as_secs_f64() * 1e3;
    let nodes = micros(row.nodes);
    println!(
        "{:<22}{:>6}{:>8.0}{:>8.0}{:>9}{:>9}{:>7}{:>8.2}{:>8.2}{:>10}{:>10}{:>11.0}{:>9.0}",
        row.layout,
        row.rooms,
        row.moves() as f64 / row.lasted.as_secs_f64(),
        nodes,
        some(on_sqlite.map(|sqlite| nodes / sqlite), 2),
        some(row.postgres.map(micros), 0),
        some(row.nats.map(micros), 0),
        millis(0.5),
        millis(0.99),
        bytes(row.bus_bytes),
        bytes(row.wal_bytes),
        row.per_move(row.watched as f64),
        row.memory as f64 / (1024.0 * 1024.0),
    );
}
