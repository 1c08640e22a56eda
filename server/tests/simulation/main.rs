//! The server, alone and as three nodes of a cluster, in a simulated world: its network loses, delays and cuts what is sent, its process
//! dies at any instant, its disk takes its time and sometimes fails. Chance is a seed, and nothing
//! takes real time, so that hundreds of bad days are lived through in seconds, and each of them
//! again as often as one likes.
//!
//! The listener, the clock and the way to the disk are simulated; everything else is the server as
//! it is. Bots are left out: they think on threads and by the processor's time, which no seed
//! decides.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]
#![expect(clippy::print_stdout, reason = "a day is told as it is lived")]

mod disk;
mod judge;
mod member;
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

use fivefold_server::logs::{self, LogFormat};

use self::{
    disk::Planted,
    world::{Day, Setting, live},
};

/// The day that a process lives through.
const SEED: &str = "FIVEFOLD_SIMULATION_SEED";
/// How many servers there are on that day.
const SERVERS: &str = "FIVEFOLD_SIMULATION_SERVERS";
/// A fault that is built in on that day.
const PLANTED: &str = "FIVEFOLD_SIMULATION_PLANTED";
/// Set where everything is to be logged.
const LOG: &str = "FIVEFOLD_SIMULATION_LOG";
/// Each so manieth day is lived with everything logged on a full disk.
const LOGGED: u64 = 10;
/// How many days are lived through.
const DAYS: &str = "FIVEFOLD_SIMULATION_DAYS";
const DAYS_OTHERWISE: u64 = 200;
/// What comes before a day's account.
const ACCOUNT: &str = "account ";

/// Not a test of its own: lives through one day, and tells everything that happens.
#[test]
#[ignore = "run by the other tests here, or to look into a day that went wrong"]
fn one_day() {
    let seed = env::var(SEED).expect("a seed").parse().expect("a number");
    let servers = env::var(SERVERS).map_or(1, |text| text.parse().expect("a number"));
    let planted = env::var(PLANTED).ok().map(|name| match name.as_str() {
        "no_epochs" => Planted::NoEpochs,
        "doubt_is_failure" => Planted::DoubtIsFailure,
        other => panic!("no fault is called {other}"),
    });
    // The log needs a thread and a real sink, and decides nothing.
    let _log = env::var_os(LOG).map(|_| logs::start("trace".parse().unwrap(), LogFormat::Text));
    let day = live(Setting { seed, servers, planted });
    println!("\n{ACCOUNT}{}", serde_json::to_string(&day).unwrap());
}

/// A day in a process of its own: the runtime numbers the tasks of a whole process, and in which
/// order a dying server's tasks are dropped depends on that.
fn live_apart(seed: u64, servers: usize, planted: &str) -> Result<Day, Output> {
    let mut day = Command::new(env::current_exe().unwrap());
    day.args(["--exact", "one_day", "--ignored", "--nocapture"])
        .env(SEED, seed.to_string())
        .env(SERVERS, servers.to_string())
        .stdout(Stdio::piped());
    if !planted.is_empty() {
        day.env(PLANTED, planted);
    }
    if seed % LOGGED == 1 {
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

/// Lives through the days of these seeds, as many at once as there are processors.
fn live_all(seeds: &[u64], servers: usize) -> Vec<Day> {
    let (next, days) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(&seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
            let day = live_apart(seed, servers, "").unwrap_or_else(|output| {
                panic!(
                    "a promise was broken on the day of seed {seed}:\n{}\nTo live it again:\n\
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
fn live_many(servers: usize) -> (u64, Day) {
    let count = env::var(DAYS).map_or(DAYS_OTHERWISE, |text| text.parse().expect("a number"));
    let days = live_all(&(0..count).collect::<Vec<_>>(), servers);
    let total = days.iter().fold(Day::default(), |total, day| total + day);
    println!("{count} days: {total:#?}");
    (count, total)
}

#[test]
fn every_promise_is_kept_on_bad_days() {
    let (count, total) = live_many(1);
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
    let (count, total) = live_many(3);
    let Day { moves, games, crashes, cuts, full_disks, doubts, .. } = total;
    let Day { freezes, stops, cut_disks, bad_buses, deaths, takeovers, .. } = total;
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

/// Whether a built-in fault is found on one of the days.
fn is_found(planted: &str) -> bool {
    let is_broken = |seed| match live_apart(seed, 3, planted) {
        Ok(_) => false,
        Err(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            println!("{planted} is found on day {seed}: {text}");
            true
        }
    };
    (0..DAYS_OTHERWISE).any(is_broken)
}

#[test]
fn appends_of_earlier_owners_are_noticed() {
    assert!(is_found("no_epochs"));
}

#[test]
fn a_doubt_that_is_taken_for_a_failure_is_noticed() {
    assert!(is_found("doubt_is_failure"));
}

#[test]
fn a_day_can_be_lived_again() {
    let seeds: Vec<_> = (1_000..1_006).collect();
    for servers in [1, 3] {
        let (first, second) = (live_all(&seeds, servers), live_all(&seeds, servers));
        assert_eq!(first, second);
        let differs = |pair: &[Day]| pair[0].trace != pair[1].trace;
        assert!(first.windows(2).all(differs), "all days are the same: {first:?}");
    }
}
