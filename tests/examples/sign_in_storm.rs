//! Measures whether a storm of sign-in attempts slows moves down, and whether it locks people out of their own
//! accounts:
//!
//! `cargo run --release -p fivefold-tests --example sign_in_storm -- --rooms 200 --attempts 1000`
//!
//! Three kinds of rounds take turns: without attackers, with attackers who turn to a bare listener of their own,
//! and with a storm on the server. Attackers have machines of their own, so here they are a process that gets only
//! what the others leave of the processors (`chrt --idle 0`); it says how many attempts it made a second. Even so it
//! shares processors and caches with the server. The second kind shows how much that costs by itself, so
//! the third against the second is what the server's own work for the storm costs. The attempts name accounts that are known and others, and come
//! from ever new addresses, which a trusted proxy reports, so that the limits of an address hide no cost.
//!
//! With `--flood` it measures something else: whether one address with 60 connections and made-up names keeps
//! people at other addresses from signing in and up, and makes the server forget which name it has locked. For a
//! server alone on the first processor: `taskset -c 1 ... sign_in_storm --flood --server-cpus 0`.
#![expect(clippy::print_stdout, reason = "the results of this program")]

use std::{
    collections::BTreeMap,
    env, io,
    net::SocketAddr,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use clap::Parser;
use fivefold_shared::rules::{Rules, Size, Variant};
use fivefold_tests::{
    Server, Times,
    load::{self, Plan, Target},
    sign_in_flood::{self, post},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::{JoinSet, spawn_blocking},
    time::{interval, sleep, timeout},
};

/// Where the owner of the account plays, and has signed in before.
const HOME: &str = "203.0.113.7";
const OWNER: &str = "Owner";
/// Attempts that wait for an answer at once; further ones are counted as given up.
const OPEN_MAX: usize = 4_000;
/// The longest that an attempt waits.
const PATIENCE: Duration = Duration::from_secs(20);
/// The longest that the owner tries to get in, and the pause between two tries.
const OWNER_TRIES_FOR: Duration = Duration::from_secs(30);
const OWNER_PAUSE: Duration = Duration::from_millis(200);

/// Measures moves during a storm of sign-in attempts.
#[derive(Parser, Debug)]
struct Args {
    /// Measures sign-ins and sign-ups during a flood from one address instead.
    #[arg(long)]
    flood: bool,
    /// Run the server on these processors only, as `taskset` names them.
    #[arg(long, value_name = "CPUS")]
    server_cpus: Option<String>,
    /// Is the flood on this server, until the standard input ends.
    #[arg(long, hide = true)]
    flood_on: Option<SocketAddr>,
    /// Rooms with two players each.
    #[arg(long, default_value_t = 200)]
    rooms: usize,
    /// Moves per second, in all rooms together.
    #[arg(long, default_value_t = 400)]
    rate: u32,
    /// Sign-in attempts per second.
    #[arg(long, default_value_t = 1_000)]
    attempts: u32,
    /// Measured seconds of each round.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Rounds of each kind.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Is the attackers of this server, until the standard input ends.
    #[arg(long, hide = true)]
    attack: Option<SocketAddr>,
    /// Is attackers of a listener of their own, until the standard input ends.
    #[arg(long, hide = true)]
    attack_nobody: bool,
}

/// What became of attempts, by the status of the answer.
type Answers = BTreeMap<u16, u64>;

#[tokio::main]
async fn main() -> io::Result<()> {
    let args = Args::parse();
    if let Some(server) = args.flood_on {
        return flood_until_the_input_ends(server).await;
    }
    if args.flood {
        return measure_flood(&args).await;
    }
    let target = if args.attack_nobody { Some(listen().await?) } else { args.attack };
    if let Some(server) = target {
        let (lasted, answers) = attack(server, args.attempts).await;
        let answers = serde_json::to_string(&(lasted, answers));
        println!("{}", answers.map_err(io::Error::other)?);
        return Ok(());
    }
    let server = start(&args)?;
    let address = server.address();
    let up = post(address, HOME, "account", OWNER, true).await?;
    assert_eq!(up.0, 201, "{}", up.1);
    let (mut quiet, mut elsewhere, mut stormy) = (Vec::new(), Vec::new(), Vec::new());
    let mut answers = Answers::new();
    let (mut lasted, mut lasted_elsewhere) = (Duration::ZERO, Duration::ZERO);
    let mut made_elsewhere = 0;
    let mut owner_waits = Vec::new();
    for round in 1..=args.rounds {
        quiet.push(play(&server, &args).await);
        let bystanders = attackers(None, args.attempts)?;
        elsewhere.push(play(&server, &args).await);
        let said_elsewhere = said(bystanders).await?;
        let attackers = attackers(Some(address), args.attempts)?;
        let owner = tokio::spawn(owner_signs_in(address, Duration::from_secs(args.seconds / 2)));
        stormy.push(play(&server, &args).await);
        owner_waits.push(owner.await.map_err(io::Error::other)??);
        let (time, round_answers) = said(attackers).await?;
        lasted += time;
        lasted_elsewhere += said_elsewhere.0;
        made_elsewhere += said_elsewhere.1.values().sum::<u64>();
        for (status, count) in round_answers {
            *answers.entry(status).or_default() += count;
        }
        println!(
            "round {round}: p99 {:.2?} without, {:.2?} elsewhere, {:.2?} with",
            p99(&quiet[quiet.len() - 1..]),
            p99(&elsewhere[elsewhere.len() - 1..]),
            p99(&stormy[stormy.len() - 1..])
        );
    }
    println!("\n| moves' answers | median | p99 |\n| --- | --- | --- |");
    for (name, rounds) in [
        ("without attackers", &quiet),
        ("with attackers elsewhere", &elsewhere),
        ("with the storm", &stormy),
    ] {
        println!("| {name} | {:.2?} | {:.2?} |", quantile(rounds, 0.5), p99(rounds));
    }
    let ratio_to = |rounds: &[Times]| p99(&stormy).as_secs_f64() / p99(rounds).as_secs_f64();
    println!(
        "\np99 with the storm is {:.2} times that with attackers elsewhere, {:.2} times that without any.",
        ratio_to(&elsewhere),
        ratio_to(&quiet)
    );
    println!("{} attempts a second elsewhere", made_elsewhere / lasted_elsewhere.as_secs().max(1));
    let rate = answers.values().sum::<u64>() / lasted.as_secs().max(1);
    println!("{rate} attempts a second; answers by status (0: none in time): {answers:?}");
    println!("the owner at a known address got in after (tries, time): {owner_waits:.2?}");
    Ok(())
}

fn start(args: &Args) -> io::Result<Server> {
    let settings = [
        ("command-rate", "1000000"),
        ("sessions-per-address", "1000000"),
        ("sessions", "1000000"),
        ("rooms-per-address", "1000000"),
        ("room-rate", "1000000"),
        ("connection-rate", "1000000"),
        ("trusted-proxy", "127.0.0.0/8"),
        ("log", "warn"),
    ];
    let server = Server::start_with(&settings);
    if let Some(cpus) = &args.server_cpus {
        let pid = server.pid().to_string();
        let moved = Command::new("taskset").args(["-a", "-p", "-c", cpus, &pid]).output()?;
        if !moved.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&moved.stderr).into_owned()));
        }
    }
    Ok(server)
}

/// People sign in and up in quiet, and during a flood of one address with made-up names.
async fn measure_flood(args: &Args) -> io::Result<()> {
    let server = start(args)?;
    let address = server.address();
    sign_in_flood::prepare(address).await?;
    let quiet = sign_in_flood::measure(address, 1).await?;
    let mut command = Command::new("chrt");
    command.args(["--idle", "0"]).arg(env::current_exe()?);
    let flood = command.args(["--flood-on", &address.to_string()]);
    let flood = flood.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    sleep(Duration::from_secs(3)).await;
    let flooded = sign_in_flood::measure(address, 2).await?;
    let told = spawn_blocking(|| flood.wait_with_output()).await.map_err(io::Error::other)??;
    println!("the flood: {}", String::from_utf8_lossy(&told.stdout).trim());
    println!("\n| | tried | refused | median | p99 |\n| --- | --- | --- | --- | --- |");
    for (name, quiet, flooded) in [
        ("sign-ins at new addresses", &quiet.unknown, &flooded.unknown),
        ("sign-ins at known addresses", &quiet.known, &flooded.known),
        ("sign-ups", &quiet.sign_ups, &flooded.sign_ups),
    ] {
        println!("{}", quiet.row(&format!("{name}, quiet")));
        println!("{}", flooded.row(&format!("{name}, flood")));
    }
    let (before, after) = sign_in_flood::forget(address, "Member0").await?;
    println!(
        "\n{before} guesses at a name were allowed, and {after} more after {} made-up names.",
        sign_in_flood::MADE_UP_NAMES
    );
    Ok(())
}

/// Floods a server, and prints what it has answered.
async fn flood_until_the_input_ends(server: SocketAddr) -> io::Result<()> {
    let is_over = Arc::new(AtomicBool::new(false));
    let flood = tokio::spawn(sign_in_flood::flood(server, Arc::clone(&is_over)));
    let begin = Instant::now();
    tokio::io::stdin().read_u8().await.ok();
    is_over.store(true, Ordering::Relaxed);
    let answers = flood.await.map_err(io::Error::other)?;
    let count: u64 = answers.values().sum();
    println!("{} a second: {answers:?}", count / begin.elapsed().as_secs().max(1));
    Ok(())
}

/// A round of play; returns how long moves took to be answered.
async fn play(server: &Server, args: &Args) -> Times {
    let plan = Plan {
        rooms: args.rooms,
        rules: Rules::new(Variant::Freestyle, Size::square(15)).expect("on offer"),
        rate: Some(f64::from(args.rate)),
        spread: true,
        spectators: 0,
        stalled: 0,
        idle: 0,
        warm_up: Duration::from_secs(2),
        measured: Duration::from_secs(args.seconds),
    };
    load::run(Target::Server(server.address()), Some(server.pid()), &plan).await.answered
}

fn quantile(rounds: &[Times], part: f64) -> Duration {
    let mut of_rounds: Vec<_> = rounds.iter().map(|times| times.quantile(part)).collect();
    of_rounds.sort_unstable();
    of_rounds.get(of_rounds.len() / 2).copied().unwrap_or_default()
}

/// The median of the rounds' p99.
fn p99(rounds: &[Times]) -> Duration {
    quantile(rounds, 0.99)
}

/// Starts attackers of the server, or of a listener of their own.
fn attackers(server: Option<SocketAddr>, rate: u32) -> io::Result<Child> {
    let mut command = Command::new("chrt");
    command.args(["--idle", "0"]).arg(env::current_exe()?).args(["--attempts", &rate.to_string()]);
    match server {
        Some(server) => command.args(["--attack", &server.to_string()]),
        None => command.arg("--attack-nobody"),
    };
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
}

/// Ends attackers; returns how long they were at it, and the answers.
async fn said(attackers: Child) -> io::Result<(Duration, Answers)> {
    // Their standard input ends here.
    let said =
        spawn_blocking(|| attackers.wait_with_output()).await.map_err(io::Error::other)??;
    serde_json::from_slice(&said.stdout).map_err(io::Error::other)
}

/// Starts a listener that refuses everybody at once, and returns its address.
async fn listen() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = [0; 2_048];
                // A request is sent as a whole.
                if stream.read(&mut request).await? > 0 {
                    stream.write_all(b"HTTP/1.1 503 Service Unavailable\r\n\r\n").await?;
                }
                io::Result::Ok(())
            });
        }
    });
    Ok(address)
}

/// Sends attempts at a steady rate until the standard input ends, and waits for the last answers. Returns how
/// long it sent, and the answers.
async fn attack(server: SocketAddr, rate: u32) -> (Duration, Answers) {
    let begin = Instant::now();
    let answers: Arc<Mutex<Answers>> = Arc::default();
    let mut input = Box::pin(async { tokio::io::stdin().read_u8().await.is_err() });
    let mut open = JoinSet::new();
    let mut ticks = interval(Duration::from_secs(1) / rate);
    for number in 0_u32.. {
        tokio::select! {
            _ = &mut input => break,
            _ = ticks.tick() => {}
        }
        while open.try_join_next().is_some() {}
        let answers = Arc::clone(&answers);
        let note = move |status| {
            *answers.lock().expect("nobody panicked").entry(status).or_default() += 1;
        };
        if open.len() >= OPEN_MAX {
            note(0);
            continue;
        }
        open.spawn(async move {
            // Every second attempt is at the owner's account.
            let name =
                if number.is_multiple_of(2) { OWNER.to_owned() } else { format!("Ghost{number}") };
            let [_, a, b, c] = number.to_be_bytes();
            let from = format!("10.{a}.{b}.{c}");
            let answer = timeout(PATIENCE, post(server, &from, "session", &name, false)).await;
            note(answer.ok().and_then(Result::ok).map_or(0, |(status, _)| status));
        });
    }
    let lasted = begin.elapsed();
    while open.join_next().await.is_some() {}
    let answers = answers.lock().expect("nobody panicked");
    (lasted, answers.clone())
}

/// The owner signs in from where they have been before, while the storm goes on. Returns the number of tries
/// and the time until they are in.
async fn owner_signs_in(server: SocketAddr, after: Duration) -> io::Result<(u32, Duration)> {
    sleep(after).await;
    let begin = Instant::now();
    let mut tries = 0;
    loop {
        tries += 1;
        let (status, answer) = post(server, HOME, "session", OWNER, true).await?;
        match status {
            200 => return Ok((tries, begin.elapsed())),
            // Too many passwords wait to be hashed.
            503 if begin.elapsed() < OWNER_TRIES_FOR => sleep(OWNER_PAUSE).await,
            status => {
                return Err(io::Error::other(format!("the owner is kept out: {status} {answer}")));
            }
        }
    }
}
