//! Reads a process's resource usage from Linux.

use std::{fs, time::Duration};

/// The unit of times in `/proc/PID/stat`: the kernel scales them to this on every architecture
/// that servers have (USER_HZ, proc_pid_stat(5)).
const TICK: Duration = Duration::from_millis(10);

/// A process's resource usage so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Processor time, of its own and of the kernel on its behalf.
    pub cpu: Duration,
    /// Memory that is in use now, in bytes.
    pub memory: u64,
}

impl Usage {
    /// `None` where the process does not exist or the system is not Linux.
    pub fn of(pid: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let [user, kernel, ..] = ticks(&stat)?;
        let cpu = TICK * (user + kernel);
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kibibytes: u64 = resident.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(Self { cpu, memory: kibibytes * 1024 })
    }

    /// Processor time of a process and all of its descendants, also of those that have ended.
    pub fn cpu_of_all(pid: u32) -> Option<Duration> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let own = TICK * ticks(&stat)?.iter().sum::<u32>();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
        let children = children.split_whitespace().filter_map(|id| id.parse().ok());
        Some(own + children.filter_map(Self::cpu_of_all).sum::<Duration>())
    }
}

/// The four times in a process's `stat`: its own, of the kernel on its behalf, and both of the
/// children that have ended.
fn ticks(stat: &str) -> Option<[u32; 4]> {
    // The name, in parentheses, may contain any characters.
    let fields = stat.rsplit_once(") ")?.1.split(' ').skip(11).take(4);
    let ticks: Vec<_> = fields.map_while(|field| field.parse().ok()).collect();
    ticks.try_into().ok()
}
