//! A server whose clock a test sets, for tests that are not written in Rust or use the client's program: days pass in
//! moments. It takes the settings of `fivefold-server`, and needs `data`.
//!
//! Each line on standard input is a number of milliseconds. The program moves its clock forward by that much, and answers
//! with the new time, in milliseconds since the Unix epoch. It ends with its input.

use std::{
    error::Error,
    io::{self, BufRead, Write},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use fivefold_server::{
    Listeners,
    config::{self, Config},
    limits::Limits,
    net::public_url::PublicUrl,
    process::clock::{Clock, WallClock},
};
use fivefold_storage::{DataFolder, Sqlite};
use fivefold_tests::unix_ms;
use tokio_util::sync::CancellationToken;

/// How far its clock is ahead.
static AHEAD: AtomicU64 = AtomicU64::new(0);
static WALL: WallClock = WallClock::new(|| unix_ms() + AHEAD.load(Ordering::Relaxed));

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let settings = config::read()?.0.settings()?;
    let storage = Sqlite::open(DataFolder::take(&settings.data_folder()?)?)?;
    let config = settings.config()?;
    // A room that is awake waits in real time, so rooms fall asleep soon.
    let limits = Limits {
        room_sleeps_after: Duration::from_millis(500),
        push_sweep_interval: Duration::from_millis(200),
        push_seen_within: Duration::from_secs(3),
        ..config.limits
    };
    let clock = Clock::following(&WALL);
    let config = Config { clock, limits, ..config };
    let listener = settings.listen.bind().await?;
    let url = match &config.public_url {
        Some(url) => url.to_string(),
        None => PublicUrl::of_listener(listener.local_addr()?, false),
    };
    writeln!(io::stdout(), "It is at {url}/")?;
    let shutdown = CancellationToken::new();
    let end = shutdown.clone();
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            let Ok(ms) = line.trim().parse::<u64>() else { break };
            let then = clock.now() + ms;
            AHEAD.fetch_add(ms, Ordering::Relaxed);
            // The server reads the wall clock only from time to time.
            while clock.now() < then {
                thread::sleep(Duration::from_millis(20));
            }
            if writeln!(io::stdout(), "{}", clock.now()).is_err() {
                break;
            }
        }
        end.cancel();
    });
    let metrics = match &settings.metrics_listen {
        Some(address) => Some(Arc::new(address.bind().await?)),
        None => None,
    };
    let listeners = Listeners { public: Arc::new(listener), metrics };
    fivefold_server::run(listeners, Box::new(storage), config, shutdown).await?;
    Ok(())
}
