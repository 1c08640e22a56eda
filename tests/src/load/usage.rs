//! What a process uses, as Linux tells it.

use std::{fs, time::Duration};

/// The unit of times in `/proc/PID/stat`: the kernel scales them to this on every architecture
/// that servers have (USER_HZ, proc_pid_stat(5)).
const TICK: Duration = Duration::from_millis(10);

/// What a process has used so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Processor time, of its own and of the kernel on its behalf.
    pub cpu: Duration,
    /// Memory that is in use now, in bytes.
    pub memory: u64,
}

impl Usage {
    /// Nothing where the process is not there or the system is not Linux.
    pub fn of(pid: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name, in parentheses, may contain anything.
        let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(11);
        let mut ticks = || fields.next()?.parse::<u32>().ok();
        let cpu = TICK * (ticks()? + ticks()?);
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kibibytes: u64 = resident.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(Self { cpu, memory: kibibytes * 1024 })
    }
}
