//! Measures what people notice while an attacker at one address, or at thirty, attacks their server: they play in
//! many rooms, first in quiet and then under each attack, and the program compares the times of
//! their moves.
//!
//! `cargo run --release -p fivefold-tests --example attack -- --rooms 200 --rate 400 --seconds 8`
//!
//! The server has its usual limits, and the people of each room have their own address. The
//! attackers are another process with the lowest priority, because real ones would have their own
//! processors. They get some with `taskset -c 0 target/release/examples/attack --attacker-cpus 1`.
//! The row `spin` shows what a process costs that sends nothing.
//!
//! With `--farm 60` two accounts collect rating points from each other for a minute in each of three ways, and the
//! program prints what they get.
#![expect(clippy::print_stdout, reason = "the results of this program")]

use std::{
    collections::BTreeMap,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::Context;
use clap::Parser;
use fivefold_shared::{
    protocol::{CommandId, MemberId, NumberedEvent, RoomCode},
    room::{Cause, Entry},
    rules::{Rules, Size, Variant},
};
use fivefold_storage::{Append, DataFolder, Epoch, NodeId, Sqlite, Storage};
use fivefold_tests::{
    Server,
    farm::{Farmed, Plan as FarmPlan, farm},
    load::{
        self, Plan, Report, Target,
        attack::{self, Attack},
    },
};
use serde_json::json;

/// The room with a long game.
const ROOM: &str = "k7m2qpxw9abc";
/// The number of its moves.
const MOVES: u64 = 3_900;

/// Attacks a server while people play on it, and reports what they notice.
#[derive(Parser, Debug)]
struct Args {
    /// Another build of the server, to compare with.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Rooms with two players each.
    #[arg(long, default_value_t = 200)]
    rooms: usize,
    /// Moves per second, in all rooms together.
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,
    /// How long each attack is measured, after a second.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// How often all of it is repeated. The results end with medians.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// Only these attacks.
    #[arg(long, value_delimiter = ',', value_parser = named)]
    only: Vec<Attack>,
    /// Run the attackers on these processors only, as `taskset` names them.
    #[arg(long, value_name = "CPUS")]
    attacker_cpus: Option<String>,
    /// Have two accounts collect rating points from each other for so many seconds, instead of the attacks.
    #[arg(long, value_name = "SECONDS")]
    farm: Option<u64>,
    /// Be the attacker of this server.
    #[arg(long, hide = true)]
    server: Option<SocketAddr>,
}

fn named(name: &str) -> Result<Attack, String> {
    let known = Attack::ALL.map(Attack::name).join(", ");
    Attack::named(name).ok_or_else(|| format!("the attacks are {known}"))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let room = RoomCode::try_from(ROOM)?;
    if let (Some(server), [attack]) = (args.server, &args.only[..]) {
        let until = Instant::now() + Duration::from_secs(args.seconds);
        println!("{}", attack::run(*attack, server, &room, until).await);
        return Ok(());
    }
    if let Some(seconds) = args.farm {
        farm_points(&args, seconds).await?;
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    // Another build may not know today's file format, so it gets no room with a long game.
    if args.program.is_none() {
        write_long_game(folder.path(), &room)?;
    }
    let server = start(&args, folder.path());
    let attacks = if args.only.is_empty() { Attack::ALL.to_vec() } else { args.only.clone() };
    println!(
        "{:<12}{:>10}{:>10}{:>10}{:>8}{:>9}",
        "", "p50, ms", "p99, ms", "max, ms", "ratio", "MiB"
    );
    let mut quiet_p99s = Vec::new();
    let mut p99s: BTreeMap<&str, Vec<Duration>> = BTreeMap::new();
    for _ in 0..args.rounds {
        for attack in &attacks {
            if *attack == Attack::Snapshots && args.program.is_some() {
                continue;
            }
            let quiet = measure(&args, &server, None).await?;
            let under = measure(&args, &server, Some(*attack)).await?;
            print("quiet", &quiet.0, None);
            print(attack.name(), &under.0, Some(&quiet.0));
            println!("            {}", under.1.trim());
            quiet_p99s.push(quiet.0.times.quantile(0.99));
            p99s.entry(attack.name()).or_default().push(under.0.times.quantile(0.99));
        }
    }
    let quiet = median(&mut quiet_p99s).as_secs_f64();
    println!("\nmedian p99 of {} quiet measurements: {:.2} ms", quiet_p99s.len(), quiet * 1e3);
    for (attack, mut p99s) in p99s {
        let p99 = median(&mut p99s).as_secs_f64();
        println!("{attack:<12}{:>10.2} ms, {:.2} of quiet", p99 * 1e3, p99 / quiet);
    }
    Ok(())
}

/// Prints how many rating points two accounts get from each other, on a server that trusts no address.
async fn farm_points(args: &Args, seconds: u64) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let rate = ("command-rate", "100000");
    let server = match &args.program {
        Some(program) => Server::start_program_in(program, folder.path(), &[rate]),
        None => Server::start_in_with(folder.path(), &[rate, ("shared-address", "192.0.2.1")]),
    };
    let (here, there) = (Ipv4Addr::new(127, 5, 0, 1), Ipv4Addr::new(127, 6, 0, 1));
    let plans = [
        ("one address, short games", FarmPlan { name: "Oa", sources: [here, here], acts: 8 }),
        ("two addresses, short games", FarmPlan { name: "Ob", sources: [here, there], acts: 8 }),
        (
            "two addresses, 12 stones and more",
            FarmPlan { name: "Oc", sources: [here, there], acts: 16 },
        ),
    ];
    println!("{:<36}{:>8}{:>10}{:>14}{:>12}", "", "games", "counted", "first game", "all games");
    for (what, plan) in plans {
        let until = Instant::now() + Duration::from_secs(seconds);
        let Farmed { games, counted, first, points } = farm(server.address(), plan, until).await;
        println!("{what:<36}{games:>8}{counted:>10}{first:>14}{points:>12}");
    }
    Ok(())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Plays for a while, with or without an attack. Returns the report and the attacker's output.
async fn measure(
    args: &Args,
    server: &Server,
    attack: Option<Attack>,
) -> anyhow::Result<(Report, String)> {
    let attacker = attack.map(|attack| attacker(args, server, attack)).transpose()?;
    let plan = Plan {
        rooms: args.rooms,
        rules: Rules::new(Variant::Freestyle, Size::square(15))?,
        spread: true,
        rate: Some(args.rate.into()),
        spectators: 0,
        stalled: 0,
        idle: 0,
        warm_up: Duration::from_secs(1),
        measured: Duration::from_secs(args.seconds),
    };
    let report = load::run(Target::Server(server.address()), Some(server.pid()), &plan).await;
    let told = match attacker {
        Some(attacker) => String::from_utf8(attacker.wait_with_output()?.stdout)?,
        None => String::new(),
    };
    Ok((report, told))
}

fn attacker(args: &Args, server: &Server, attack: Attack) -> anyhow::Result<std::process::Child> {
    // The attack begins while people sit down, and outlasts the measurement a little.
    let seconds = args.seconds + 3;
    let mut command = Command::new("nice");
    command.args(["-n", "19"]);
    if let Some(cpus) = &args.attacker_cpus {
        command.args(["taskset", "-c", cpus]);
    }
    command
        .arg(std::env::current_exe()?)
        .args(["--server", &server.address().to_string(), "--only", attack.name()])
        .args(["--seconds", &seconds.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start the attacker")
}

fn start(args: &Args, folder: &Path) -> Server {
    let settings = [("log", "warn")];
    match &args.program {
        Some(program) => Server::start_program_in(program, folder, &settings),
        None => Server::start_in_with(folder, &settings),
    }
}

/// Writes an endless game on the unbounded board directly into the database.
fn write_long_game(folder: &Path, room: &RoomCode) -> anyhow::Result<()> {
    let (ann, bob) = ("5d41402abc4b2a76", "7d793037a0760186");
    let player = |member, name| json!({"member": member, "name": name});
    let first = [
        json!({"type": "created", "rules": {"variant": "freestyle", "size": "unbounded"},
            "visibility": "private", "assistance": false, "host": ann, "black": "first"}),
        json!({"type": "sat", "seat": "first", "player": player(ann, "Ann")}),
        json!({"type": "sat", "seat": "second", "player": player(bob, "Bob")}),
        json!({"type": "started", "game": 1, "black": "first", "id": "k7m2qpxw9abcdefg"}),
    ];
    let moves = (0..MOVES).map(|ply| {
        // Far from each other, with long coordinates.
        let point = [900_000 - 200 * ply.cast_signed(), -(200 * ply.cast_signed()) - 100_000];
        json!({"type": "played", "ply": ply, "point": point})
    });
    let at = fivefold_tests::unix_ms();
    let mut entries = Vec::new();
    for (seq, event) in (1..).zip(first.into_iter().chain(moves)) {
        let event = serde_json::from_value(event)?;
        let cause = Cause { member: MemberId::try_from(ann)?, command: CommandId::try_from("c")? };
        let cause = (seq == 1).then_some(cause);
        entries.push(Entry { event: NumberedEvent { seq, at, event }, cause });
    }
    let mut storage = Sqlite::open(DataFolder::take(folder)?)?;
    let append = Append { entries, ..Append::nothing(room.clone(), NodeId::ALONE, Epoch::FIRST) };
    for result in storage.append(&[append])? {
        result?;
    }
    Ok(())
}

fn print(name: &str, report: &Report, quiet: Option<&Report>) {
    let ms = |quantile| report.times.quantile(quantile).as_secs_f64() * 1e3;
    let ratio = quiet.map_or(String::new(), |quiet| {
        let of = |report: &Report| report.times.quantile(0.99).as_secs_f64();
        format!("{:.2}", of(report) / of(quiet))
    });
    let memory = report.memory.iter().max().map_or(0, |bytes| bytes >> 20);
    println!("{name:<12}{:>10.2}{:>10.2}{:>10.2}{ratio:>8}{memory:>9}", ms(0.5), ms(0.99), ms(1.0));
}
