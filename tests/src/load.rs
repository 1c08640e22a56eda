//! Load tests: many rooms with random games, on a running server or on the plain relay used for
//! comparison, measured in time, processor and memory.
//!
//! All people use real sockets; the tests observe the server only from outside.

pub mod attack;
pub mod nodes;
mod plan;
pub mod relay;
mod table;
mod usage;

use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use tokio::{
    task::JoinSet,
    time::{interval, sleep_until, timeout},
};
use tokio_tungstenite::tungstenite;

use self::table::{Schedule, Table, empty_room, enter};
pub use self::{
    plan::{Plan, Target},
    usage::Usage,
};
use crate::{Socket, Times};

/// Most connections that are being opened at once.
const CONNECTING_MAX: usize = 64;

/// The measurements.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// From sending each move to the answer.
    pub answered: Times,
    /// From sending each move to its arrival at the opponent.
    pub times: Times,
    /// Length of the measurement.
    pub measured: Duration,
    /// Processor time of the process during the measurement, if visible.
    pub cpu: Option<Duration>,
    /// Memory of the process in bytes, once a second during the measurement.
    pub memory: Vec<u64>,
    /// Memory of the process for the idle connections, in bytes.
    pub idle_memory: Option<u64>,
    /// How many non-reading spectators were disconnected in the end.
    pub cut_off: usize,
    /// The close codes that reached them. A client that left no room for the close frame gets none.
    /// One that reads nothing answers no pings either: where the system's buffers hold all its
    /// messages, the server closes it as idle before it closes it as slow.
    pub close_codes: Vec<u16>,
}

impl Report {
    /// Moves per second.
    pub fn rate(&self) -> f64 {
        self.times.count() as f64 / self.measured.as_secs_f64()
    }

    /// Processor time per move.
    pub fn cpu_per_move(&self) -> Option<Duration> {
        self.cpu.map(|cpu| cpu.div_f64(self.times.count().max(1) as f64))
    }
}

/// Puts a target under load. With `pid` it also measures that process.
///
/// # Panics
/// When the target refuses a request, or loses or delays a message.
pub async fn run(target: Target, pid: Option<u32>, plan: &Plan) -> Report {
    let usage = || pid.and_then(Usage::of);
    let memory = || usage().map(|usage| usage.memory);
    // Listeners run until the end of this function.
    let mut listeners = JoinSet::new();
    let before = memory();
    if plan.idle > 0 {
        let room = empty_room(target, plan.rules).await;
        let coming = stream::iter(0..plan.idle).map(|_| enter(target, &room));
        let mut coming = coming.buffer_unordered(CONNECTING_MAX);
        while let Some(socket) = coming.next().await {
            listeners.spawn(listen(socket));
        }
    }
    let idle_memory = before.zip(memory()).map(|(before, after)| after.saturating_sub(before));

    let tables = stream::iter(0..plan.rooms).map(|number| Table::new(target, number, plan));
    let tables: Vec<_> = tables.buffer_unordered(CONNECTING_MAX).collect().await;
    let mut stalled = Vec::new();
    for table in &tables {
        for _ in 0..plan.spectators {
            listeners.spawn(listen(table.spectator().await));
        }
    }
    for table in tables.first().into_iter().cycle().take(plan.stalled) {
        stalled.push(table.spectator().await);
    }

    let schedule = Schedule::of(plan);
    let mut playing = JoinSet::new();
    for (seed, table) in (0..).zip(tables) {
        playing.spawn(table.play(schedule, seed));
    }
    sleep_until(schedule.from.into()).await;
    let begin = usage();
    let mut samples = Vec::new();
    let mut seconds = interval(Duration::from_secs(1));
    while Instant::now() < schedule.until {
        samples.extend(memory());
        tokio::select! {
            _ = seconds.tick() => {}
            () = sleep_until(schedule.until.into()) => {}
        }
    }
    let cpu = begin.zip(usage()).map(|(begin, end)| end.cpu.saturating_sub(begin.cpu));
    let moves = playing.join_all().await.concat();
    let mut report = Report { measured: plan.measured, cpu, ..Report::default() };
    report.answered = moves.iter().map(|times| times.answered).collect();
    report.times = moves.iter().map(|times| times.arrived).collect();
    (report.memory, report.idle_memory) = (samples, idle_memory);
    for socket in stalled {
        // First read what arrived before.
        if let Ok(close_code) = timeout(Duration::from_secs(2), listen(socket)).await {
            report.cut_off += 1;
            report.close_codes.extend(close_code);
        }
    }
    report
}

/// Reads and drops all messages, and answers pings, until the other side closes the socket. Returns
/// the close code, if one came.
async fn listen(mut socket: Socket) -> Option<u16> {
    let mut close_code = None;
    while let Some(Ok(frame)) = socket.next().await {
        if let tungstenite::Message::Close(Some(close)) = frame {
            close_code = Some(close.code.into());
        }
    }
    close_code
}
