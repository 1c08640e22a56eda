//! Puts a server under load: rooms with random games, spectators, idle people, and people who never
//! read. Each round ends after `--seconds` of playing.
//!
//! `cargo run --release -p fivefold-tests --example load -- rooms 500 --rate 2000 --baseline`
//!
//! Without `--server` it starts one on this machine with its own data folder. Your own server must
//! allow the load: `sessions-per-address`, `rooms-per-address`, `room-rate`, `spectators`
//! and `command-rate`. Thousands of connections need a higher open-file limit: `ulimit -n 40000`.
#![expect(clippy::print_stdout, reason = "the results of this program")]

use std::{
    io::{self, BufRead, BufReader},
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

use clap::Parser;
use fivefold_shared::{
    protocol::close,
    rules::{Rules, Size, Variant},
};
use fivefold_tests::{
    Server,
    load::{self, Plan, Report, Target, relay},
};
use tokio::net::TcpListener;

/// Puts a server under load, and reports what it used.
#[derive(Parser, Debug)]
struct Args {
    /// A running server; otherwise the program starts one.
    #[arg(long, value_name = "ADDRESS")]
    server: Option<SocketAddr>,
    /// The process of that server, if it runs on this machine, to measure processor time and
    /// memory.
    #[arg(long, requires = "server")]
    pid: Option<u32>,
    /// The data folder of the started server; otherwise a temporary one.
    #[arg(long, conflicts_with = "server")]
    data: Option<PathBuf>,
    /// The started server never waits for the disk.
    #[arg(long, conflicts_with_all = ["server", "data"])]
    in_memory: bool,
    /// Also run the same load on a plain relay without rules and disk, and print the server's usage
    /// relative to the relay's.
    #[arg(long)]
    baseline: bool,
    /// Rooms with two players each.
    #[arg(long, default_value_t = 100)]
    rooms: usize,
    /// Moves per second, in all rooms together; otherwise as fast as possible.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// Play on the unbounded board instead of 15x15.
    #[arg(long)]
    unbounded: bool,
    /// Spectators in each room.
    #[arg(long, default_value_t = 0)]
    spectators: usize,
    /// Spectators in the first room who never read. Also measures the same load without them.
    #[arg(long, default_value_t = 0)]
    stalled: usize,
    /// People in their own room who do nothing.
    #[arg(long, default_value_t = 0)]
    idle: usize,
    /// Measured seconds of each round, after one second of playing.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// Rounds; alternates what it compares, and prints the median.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,
    /// Only run the relay.
    #[arg(long, hide = true)]
    relay: bool,
}

impl Args {
    fn plan(&self, stalled: usize) -> Plan {
        let size = if self.unbounded { Size::Unbounded } else { Size::square(15) };
        Plan {
            rooms: self.rooms,
            rules: Rules::new(Variant::Freestyle, size).expect("on offer"),
            rate: self.rate.map(f64::from),
            spread: false,
            spectators: self.spectators,
            stalled,
            idle: self.idle,
            warm_up: Duration::from_secs(1),
            measured: Duration::from_secs(self.seconds),
        }
    }
}

/// A measured program, with the result of each round.
struct Subject {
    name: String,
    target: Target,
    pid: Option<u32>,
    stalled: usize,
    rounds: Vec<Report>,
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let args = Args::parse();
    if args.relay {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?);
        return relay::serve(listener).await;
    }
    let data = tempfile::tempdir()?;
    let started;
    let (server, pid) = match args.server {
        Some(address) => (address, args.pid),
        None => {
            started = start(&args, data.path());
            (started.address(), Some(started.pid()))
        }
    };
    let relay = args.baseline.then(Relay::start).transpose()?;

    let server = |name: &str, stalled| Subject {
        name: name.to_owned(),
        target: Target::Server(server),
        pid,
        stalled,
        rounds: Vec::new(),
    };
    let mut subjects = Vec::new();
    if args.stalled > 0 {
        subjects.push(server(&format!("{} stalled", args.stalled), args.stalled));
    }
    subjects.push(server("server", 0));
    if let Some(relay) = &relay {
        subjects.push(Subject {
            name: "relay".to_owned(),
            target: Target::Relay(relay.address),
            pid: Some(relay.child.id()),
            stalled: 0,
            rounds: Vec::new(),
        });
    }
    for _ in 0..args.rounds {
        for subject in &mut subjects {
            let plan = args.plan(subject.stalled);
            subject.rounds.push(load::run(subject.target, subject.pid, &plan).await);
        }
    }
    print(&args, &subjects);
    Ok(())
}

fn start(args: &Args, data: &std::path::Path) -> Server {
    let settings = [
        ("command-rate", "1000000"),
        ("sessions-per-address", "1000000"),
        ("sessions", "1000000"),
        ("rooms-per-address", "1000000"),
        ("room-rate", "1000000"),
        ("spectators", "1000000"),
        ("log", "warn"),
    ];
    if args.in_memory {
        Server::start_with(&settings)
    } else {
        Server::start_in_with(args.data.as_deref().unwrap_or(data), &settings)
    }
}

/// The relay in a process of its own, killed when this is dropped.
struct Relay {
    child: Child,
    address: SocketAddr,
}

impl Relay {
    fn start() -> io::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("--relay")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("stdout is piped")).read_line(&mut line)?;
        let address = line.trim().parse().map_err(io::Error::other)?;
        Ok(Self { child, address })
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        // The process may have exited already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A figure of a report; `None` if it was not measured.
type Figure<'a> = (&'a str, &'a dyn Fn(&Report) -> Option<f64>);

fn print(args: &Args, subjects: &[Subject]) {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let mebibytes = |bytes: Option<&u64>| bytes.map(|&bytes| bytes as f64 / (1024.0 * 1024.0));
    let idle = args.idle.max(1) as f64;
    let closed_with = |report: &Report, code| {
        Some(report.close_codes.iter().filter(|&&other| other == code).count() as f64)
    };
    let figures: [Figure<'_>; 11] = [
        ("moves/s", &|report| Some(report.rate())),
        ("p50, µs", &|report| Some(micros(report.times.quantile(0.5)))),
        ("p99, µs", &|report| Some(micros(report.times.quantile(0.99)))),
        ("longest, µs", &|report| Some(micros(report.times.quantile(1.0)))),
        ("processor, µs/move", &|report| report.cpu_per_move().map(micros)),
        ("memory first, MiB", &|report| mebibytes(report.memory.first())),
        ("memory most, MiB", &|report| mebibytes(report.memory.iter().max())),
        ("bytes/idle connection", &|report| report.idle_memory.map(|bytes| bytes as f64 / idle)),
        ("cut off", &|report| Some(report.cut_off as f64)),
        ("closed as slow", &|report| closed_with(report, close::TOO_SLOW)),
        ("closed as idle", &|report| closed_with(report, close::IDLE)),
    ];
    print!("{:<22}", "median of the rounds");
    for subject in subjects {
        print!("{:>14}", subject.name);
    }
    println!("{:>14}", if subjects.len() > 1 { "first/others" } else { "" });
    for (name, figure) in figures {
        let medians: Vec<_> = subjects.iter().map(|subject| median(subject, figure)).collect();
        print!("{name:<22}");
        for median in &medians {
            print!("{:>14}", median.map_or("-".to_owned(), |median| format!("{median:.1}")));
        }
        if let [Some(first), others @ ..] = &medians[..] {
            for other in others.iter().flatten().filter(|other| **other > 0.0) {
                print!("{:>7.2}", first / other);
            }
        }
        println!();
    }
}

fn median(subject: &Subject, figure: &dyn Fn(&Report) -> Option<f64>) -> Option<f64> {
    let mut figures: Vec<_> = subject.rounds.iter().filter_map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied()
}
