//! The server, alone and as three nodes of a cluster, in a simulated world: the network loses, delays
//! and cuts connections, processes die at any time, and the disk is slow and sometimes fails. A seed
//! decides everything, and no real time passes, so hundreds of bad days run in seconds. A day of one
//! server can be repeated exactly; on a day of three nodes the faults repeat, and tasks may run in
//! another order.
//!
//! The listener, the clock and the access to the disk are simulated; the rest is the real server.
//! Bots are left out: they think on threads and by processor time, which no seed decides.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]
#![expect(clippy::print_stdout, reason = "a day's log is printed while it runs")]

mod day;
mod disk;
mod findings;
mod judge;
mod member;
mod seeker;
mod server;
mod storm;
mod world;

use std::{
    env,
    fs::File,
    process::{Command, Output, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use fivefold_server::process::logs::{self, LogFormat};

use self::{
    day::Day,
    disk::Planted,
    world::{Setting, run_day},
};

/// The variable with the seed of a process's day.
const SEED: &str = "FIVEFOLD_SIMULATION_SEED";
/// The variable with the number of servers.
const SERVERS: &str = "FIVEFOLD_SIMULATION_SERVERS";
/// The variable with a fault that is planted on purpose.
const PLANTED: &str = "FIVEFOLD_SIMULATION_PLANTED";
/// The variable that turns on all log lines.
const LOG: &str = "FIVEFOLD_SIMULATION_LOG";
/// One of so many days logs everything, to a full disk.
const LOGGED: u64 = 10;
/// The variable with the number of days.
const DAYS: &str = "FIVEFOLD_SIMULATION_DAYS";
const DAYS_OTHERWISE: u64 = 50;
/// Precedes the counts of a day in the output.
const ACCOUNT: &str = "account ";

/// Not a test of its own: runs one day, and prints everything that happens.
#[test]
#[ignore = "run by the other tests here, or to look into a day that went wrong"]
fn one_day() {
    let seed = env::var(SEED).expect("a seed").parse().expect("a number");
    let servers = env::var(SERVERS).map_or(1, |text| text.parse().expect("a number"));
    let planted = env::var(PLANTED).ok().map(|name| Planted::named(&name).expect("a fault"));
    // The log needs a thread and a real sink, and decides nothing.
    let _log =
        env::var_os(LOG).map(|_| logs::start(&"trace".parse().unwrap(), LogFormat::Text).unwrap());
    let day = run_day(Setting { seed, servers, planted });
    println!("\n{ACCOUNT}{}", serde_json::to_string(&day).unwrap());
}

/// Runs a day in a process of its own: the runtime numbers the tasks of a whole process, and the
/// order in which a dying server's tasks are dropped depends on that.
fn run_apart(seed: u64, servers: usize, planted: Option<Planted>) -> Result<Day, Output> {
    let mut day = Command::new(env::current_exe().unwrap());
    day.args(["--exact", "one_day", "--ignored", "--nocapture"])
        .env(SEED, seed.to_string())
        .env(SERVERS, servers.to_string())
        .stdout(Stdio::piped());
    if let Some(planted) = planted {
        day.env(PLANTED, planted.name());
    }
    // A finding would go to the full disk, too.
    if seed % LOGGED == 1 && planted.is_none() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        day.env(LOG, "1").stderr(full);
    } else {
        day.stderr(Stdio::piped());
    }
    let output = day.spawn().unwrap().wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let account = text.lines().find_map(|line| line.strip_prefix(ACCOUNT));
    account.map(|json| serde_json::from_str(json).unwrap()).ok_or(output)
}

/// Runs the days of these seeds, as many at once as there are processors.
fn run_all(seeds: &[u64], servers: usize) -> Vec<Day> {
    let (next, days) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(&seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
            let day = run_apart(seed, servers, None).unwrap_or_else(|output| {
                panic!(
                    "a promise was broken on the day of seed {seed}:\n{}\nTo repeat it:\n\
                     {SEED}={seed} {SERVERS}={servers} cargo test -p fivefold-server --test simulation one_day -- \
                     --ignored --nocapture",
                    String::from_utf8_lossy(&output.stderr)
                )
            });
            days.lock().unwrap().push((seed, day));
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let mut days = days.into_inner().unwrap();
    days.sort_by_key(|(seed, _)| *seed);
    days.into_iter().map(|(_, day)| day).collect()
}

/// The days of a run, added up.
fn run_many(servers: usize) -> (u64, Day) {
    let count = env::var(DAYS).map_or(DAYS_OTHERWISE, |text| text.parse().expect("a number"));
    let days = run_all(&(0..count).collect::<Vec<_>>(), servers);
    let total = days.iter().fold(Day::default(), |total, day| total + day);
    println!("{count} days: {total:#?}");
    (count, total)
}

#[test]
fn every_promise_is_kept_on_bad_days() {
    let (count, total) = run_many(1);
    // Days without trouble would prove nothing.
    let Day { moves, games, crashes, cuts, full_disks, doubts, .. } = total;
    let Day { repeated, refused, snapshots, caught_up, .. } = total;
    for happened in
        [moves, games, crashes, cuts, full_disks, doubts, repeated, refused, snapshots, caught_up]
    {
        assert!(happened > count / 10, "{total:?}");
    }
}

#[test]
fn every_promise_is_kept_by_three_nodes() {
    let (count, total) = run_many(3);
    let Day { moves, games, crashes, cuts, full_disks, doubts, .. } = total;
    let Day { freezes, stops, cut_disks, bad_buses, deaths, takeovers, .. } = total;
    assert!(total.pairs > count, "{total:?}");
    let Day { repeated, refused, snapshots, caught_up, .. } = total;
    for happened in [
        [moves, games, crashes, cuts, full_disks, doubts],
        [freezes, stops, cut_disks, bad_buses, deaths, takeovers],
        [repeated, refused, snapshots, caught_up, moves, games],
    ]
    .concat()
    {
        assert!(happened > count / 10, "{total:?}");
    }
}

/// Whether the judge finds on one of the days what a built-in fault must cause.
fn is_found(planted: Planted) -> bool {
    let is_broken = |seed| match run_apart(seed, 3, Some(planted)) {
        Ok(_) => false,
        Err(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            println!("{planted:?} on day {seed}: {text}");
            planted.findings().iter().any(|finding| text.contains(finding))
        }
    };
    (0..4 * DAYS_OTHERWISE).any(is_broken)
}

#[test]
fn appends_of_earlier_owners_are_noticed() {
    assert!(is_found(Planted::NoEpochs));
}

#[test]
fn a_doubt_that_is_taken_for_a_failure_is_noticed() {
    assert!(is_found(Planted::DoubtIsFailure));
}

#[test]
fn players_in_two_games_are_noticed() {
    assert!(is_found(Planted::NoPlaying));
}

#[test]
fn a_day_can_be_repeated() {
    let seeds: Vec<_> = (1_000..1_006).collect();
    // Days of several nodes repeat their faults, but not the order in which tasks run.
    let (first, second) = (run_all(&seeds, 1), run_all(&seeds, 1));
    assert_eq!(first, second);
    let differs = |pair: &[Day]| pair[0].trace != pair[1].trace;
    assert!(first.windows(2).all(differs), "all days are the same: {first:?}");
}
