//! Lowers the priority of the calling thread, so that the system runs the threads that serve people
//! first. Only on Linux: elsewhere this would lower the priority of the whole process.

/// The calling thread gets a small share of a processor that others use.
#[cfg(target_os = "linux")]
pub(crate) fn give_way() {
    if let Err(error) = rustix::process::setpriority_process(None, crate::limits::BOT_THREADS_NICE)
    {
        tracing::warn!(%error, "bots and hashes of passwords have the same priority as everything else");
    }
}

/// The calling thread gets the smallest share of a processor that others use. Unlike one that runs when the system is
/// idle, it gets on although the others are always busy.
#[cfg(target_os = "linux")]
pub(crate) fn give_way_to_all() {
    /// The lowest priority.
    const NICE_MAX: i32 = 19;

    if let Err(error) = rustix::process::setpriority_process(None, NICE_MAX) {
        tracing::warn!(%error, "backups have the same priority as everything else");
    }
}

/// The calling thread runs only when no other thread needs the processor. It then delays them less
/// than a low priority would: they need not wait until its time slice ends.
#[cfg(target_os = "linux")]
pub(crate) fn run_when_idle() {
    use thread_priority::{
        NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy,
        set_thread_priority_and_policy, thread_native_id, thread_schedule_policy,
    };

    let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    let set = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, idle);
    // This also sets the priority to 0. A thread that has given way before needs rights for that, but the priority does
    // not matter for an idle thread.
    if let Err(error) = set
        && thread_schedule_policy() != Ok(idle)
    {
        tracing::warn!(?error, "analyses run at the same priority as everything else");
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) const fn give_way() {}

#[cfg(not(target_os = "linux"))]
pub(crate) const fn give_way_to_all() {}

#[cfg(not(target_os = "linux"))]
pub(crate) const fn run_when_idle() {}
