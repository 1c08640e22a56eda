//! Metrics of this process, under the names that Prometheus' own libraries use: they begin with `process_`.
//! Systems without `/proc` have none.

use std::{fs, sync::atomic::AtomicU64};

use prometheus_client::{
    metrics::{counter::Counter, gauge::Gauge},
    registry::{Registry, Unit},
};
use rustix::{
    param::{clock_ticks_per_second, page_size},
    process::{Resource, getrlimit},
};

/// Gauges and counters of the process.
#[derive(Debug)]
pub(super) struct ProcessMetrics {
    registry: Registry,
    start: Gauge<f64, AtomicU64>,
    cpu: Counter<f64, AtomicU64>,
    resident: Gauge,
    virtual_memory: Gauge,
    open_files: Gauge,
    files_max: Gauge,
    threads: Gauge,
}

/// What `/proc` says of the process.
#[derive(Clone, Copy, PartialEq, Debug)]
struct ProcessState {
    /// In seconds since the Unix epoch.
    started: f64,
    cpu_seconds: f64,
    threads: i64,
    virtual_bytes: i64,
    resident_bytes: i64,
    open_files: i64,
}

impl ProcessMetrics {
    pub(super) fn new() -> Self {
        let mut registry = Registry::with_prefix("process");
        let (start, cpu) = (Gauge::default(), Counter::default());
        let [resident, virtual_memory, open_files, files_max, threads] =
            [(); 5].map(|()| Gauge::default());
        let help = "When the process has started, in seconds since 1970";
        registry.register_with_unit("start_time", help, Unit::Seconds, Gauge::clone(&start));
        let help = "Processor time that the process has used";
        registry.register_with_unit("cpu", help, Unit::Seconds, Counter::clone(&cpu));
        let help = "Memory that the process has in use";
        registry.register_with_unit("resident_memory", help, Unit::Bytes, Gauge::clone(&resident));
        let help = "Addresses that the process has reserved";
        registry.register_with_unit(
            "virtual_memory",
            help,
            Unit::Bytes,
            Gauge::clone(&virtual_memory),
        );
        registry.register(
            "open_fds",
            "Files and connections that are open",
            Gauge::clone(&open_files),
        );
        registry.register("max_fds", "Most files and connections", Gauge::clone(&files_max));
        registry.register("threads", "Threads of the process", Gauge::clone(&threads));
        Self { registry, start, cpu, resident, virtual_memory, open_files, files_max, threads }
    }

    /// The metrics as they are now; none where the system does not say.
    pub(super) fn read(&self) -> Option<&Registry> {
        let state = read()?;
        self.start.set(state.started);
        self.cpu.inc_by((state.cpu_seconds - self.cpu.get()).max(0.0));
        self.resident.set(state.resident_bytes);
        self.virtual_memory.set(state.virtual_bytes);
        self.open_files.set(state.open_files);
        self.threads.set(state.threads);
        let most = getrlimit(Resource::Nofile).current;
        self.files_max.set(most.and_then(|most| i64::try_from(most).ok()).unwrap_or(i64::MAX));
        Some(&self.registry)
    }
}

fn read() -> Option<ProcessState> {
    let booted = fs::read_to_string("/proc/stat").ok()?;
    let booted = booted.lines().find_map(|line| line.strip_prefix("btime ")?.parse().ok())?;
    let open_files = fs::read_dir("/proc/self/fd").ok()?.count();
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    parse(&stat, booted, i64::try_from(open_files).ok()?)
}

/// Reads a line of `/proc/PID/stat` (proc_pid_stat(5)).
#[expect(clippy::cast_precision_loss, reason = "times of processes are short")]
fn parse(stat: &str, booted: u64, open_files: i64) -> Option<ProcessState> {
    // The name of the program, in brackets, may contain anything.
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    // The first one here is number 3 there.
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    let seconds = |ticks: u64| ticks as f64 / clock_ticks_per_second() as f64;
    let pages = |count: u64| i64::try_from(count.saturating_mul(page_size() as u64)).ok();
    Some(ProcessState {
        started: booted as f64 + seconds(number(22)?),
        cpu_seconds: seconds(number(14)?.saturating_add(number(15)?)),
        threads: i64::try_from(number(20)?).ok()?,
        virtual_bytes: i64::try_from(number(23)?).ok()?,
        resident_bytes: pages(number(24)?)?,
        open_files,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_it_is_called() {
        let stat =
            "42 (five) fold) S 1 42 42 0 -1 4194560 100 0 0 0 700 300 0 0 20 0 9 0 50 4096 3 184 1";
        let ticks = f64::from(u32::try_from(clock_ticks_per_second()).unwrap());
        let state = parse(stat, 1_000, 12).unwrap();
        let expected = ProcessState {
            started: 1_000.0 + 50.0 / ticks,
            cpu_seconds: 1_000.0 / ticks,
            threads: 9,
            virtual_bytes: 4_096,
            resident_bytes: 3 * i64::try_from(page_size()).unwrap(),
            open_files: 12,
        };
        assert_eq!(state, expected);
        assert_eq!(parse("42 (fivefold) S 1", 0, 0), None);
    }
}
