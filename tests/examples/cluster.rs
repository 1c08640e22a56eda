//! Measures a move on one node and on three: the processor time of nodes, PostgreSQL and NATS apart,
//! the time to the answer, and the bytes between nodes. Then computes how many moves clusters of some
//! sizes can take by these figures:
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
    /// Measure with each of these numbers of rooms.
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
    /// A run of a minute, with few rooms.
    #[arg(long)]
    quick: bool,
    /// Processors of each node, for the computed capacity.
    #[arg(long, default_value_t = 4.0)]
    node_cores: f64,
    /// Processors of PostgreSQL's machine.
    #[arg(long, default_value_t = 8.0)]
    database_cores: f64,
    /// Processors of the NATS server.
    #[arg(long, default_value_t = 2.0)]
    bus_cores: f64,
    /// The part of the processors to use; the rest is for peaks and for a node that fails.
    #[arg(long, default_value_t = 0.5)]
    used: f64,
    /// Seconds between two moves of a game.
    #[arg(long, default_value_t = 8.0)]
    thinking: f64,
}

#[tokio::main]
async fn main() {
    let mut args = Args::parse();
    if args.quick {
        args = Args { rooms: vec![10], rate: 100.0, spectators: 50, seconds: 2.0, ..args };
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
    let (mut on_sqlite, mut all) = (None, Vec::new());
    for (layout, rooms, rate) in rows {
        let Some(measured) = nodes::run(layout, &plan(&args, rooms, rate)).await else { continue };
        if layout == Layout::Sqlite {
            on_sqlite = Some(measured.micros_per_move(measured.nodes));
        }
        print_row(&measured, on_sqlite.filter(|_| Layout::PLAYERS.contains(&layout)));
        all.push(measured);
    }
    print_capacity(&args, &all);
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
    println!("Processor time in µs per move, times to the answer in ms, bytes per move:\n");
    println!(
        "| {:<20} | rooms | moves/s | nodes | x SQLite | Postgres | NATS |   p50 |   p99 | bus | WAL  | \
         to spectators | MiB a node |",
        ""
    );
    println!("|{}", " --- |".repeat(13));
}

fn print_row(row: &Measured, on_sqlite: Option<f64>) {
    let some = |figure: Option<f64>, digits| {
        figure.map_or_else(String::new, |figure| format!("{figure:.digits$}"))
    };
    let micros = |time: Duration| row.micros_per_move(time);
    let bytes = |bytes: Option<u64>| some(bytes.map(|bytes| row.per_move(bytes as f64)), 0);
    let millis = |part| row.answered.quantile(part).as_secs_f64() * 1e3;
    let nodes = micros(row.nodes);
    println!(
        "| {:<20} | {:>5} | {:>7.0} | {:>5.0} | {:>8} | {:>8} | {:>4} | {:>5.2} | {:>5.2} | {:>3} | {:>4} | \
         {:>13.0} | {:>10.0} |",
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

/// What clusters of some sizes can take, by the rows with the most rooms.
fn print_capacity(args: &Args, all: &[Measured]) {
    let &Args { node_cores, database_cores, bus_cores, used, thinking, .. } = args;
    println!(
        "\nMoves/s at {:.0} % of {node_cores} cores a node, {database_cores} for PostgreSQL and \
         {bus_cores} for NATS; games with a move each {thinking} s:\n",
        100.0 * used
    );
    println!("| nodes, storage  | by the nodes | by PostgreSQL | by NATS | games | log, MB/s |");
    println!("|{}", " --- |".repeat(6));
    let sizes = [
        ("1, SQLite", 1.0, Layout::Sqlite),
        ("1, PostgreSQL", 1.0, Layout::Postgres),
        ("3, PostgreSQL", 3.0, Layout::Mixed),
        ("20, PostgreSQL", 20.0, Layout::Mixed),
    ];
    for (name, nodes, layout) in sizes {
        let Some(row) = all.iter().rfind(|row| row.layout == layout) else { continue };
        let rate = |cores: f64, time| used * cores * 1e6 / row.micros_per_move(time);
        let by_nodes = rate(nodes * node_cores, row.nodes);
        let by_database = row.postgres.map(|time| rate(database_cores, time));
        let by_bus = row.nats.map(|time| rate(bus_cores, time));
        let first = [by_database, by_bus].into_iter().flatten().fold(by_nodes, f64::min);
        let some = |figure: Option<f64>| figure.map_or_else(String::new, |it| format!("{it:.0}"));
        let log = row.wal_bytes.map(|bytes| row.per_move(bytes as f64) * first / 1e6);
        println!(
            "| {name:<15} | {by_nodes:>12.0} | {:>13} | {:>7} | {:>5.0} | {:>9} |",
            some(by_database),
            some(by_bus),
            first * thinking,
            some(log),
        );
    }
    for row in all {
        if let Some(bytes) = row.spectator_memory {
            let kibibytes = bytes as f64 / 1024.0;
            println!("\n{}, {} rooms: {kibibytes:.1} KiB a session", row.layout, row.rooms);
        }
    }
}
