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
        // The name, in parentheses, may contain any characters.
        let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(11);
        let mut ticks = || fields.next()?.parse::<u32>().ok();
        let cpu = TICK * (ticks()? + ticks()?);
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kibibytes: u64 = resident.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(Self { cpu, memory: kibibytes * 1024 })
    }
}
