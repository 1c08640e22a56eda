//! Denies an engine the system calls that lead out of its files: sockets of every kind, and the keys
//! that the system keeps for a user.

use std::{collections::BTreeMap, env::consts::ARCH};

use seccompiler::{BackendError, BpfProgram, SeccompAction, SeccompFilter, apply_filter};

/// `io_uring` opens sockets, too. A `socketpair` connects only an engine's own processes.
const DENIED: [libc::c_long; 5] = [
    libc::SYS_socket,
    libc::SYS_io_uring_setup,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
];
/// Marks a system call of the interface x32, which has the same numbers otherwise.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;
/// As Landlock denies files.
const ACCESS_DENIED: u32 = libc::EACCES.unsigned_abs();

/// Denies them to this process and all that it starts. The system kills programs that are made for
/// another processor, such as those for 32 bits, because their calls have other numbers.
///
/// # Errors
/// When the system, or the filter's library on this processor, cannot do this.
pub(super) fn deny() -> Result<(), seccompiler::Error> {
    let calls = DENIED.map(i64::from).into_iter();
    #[cfg(target_arch = "x86_64")]
    let calls = calls.flat_map(|call| [call, call | X32]);
    // A call without conditions is denied whatever its arguments are.
    let calls: BTreeMap<_, _> = calls.map(|call| (call, Vec::new())).collect();
    let (others, denied) = (SeccompAction::Allow, SeccompAction::Errno(ACCESS_DENIED));
    let filter = || -> Result<BpfProgram, BackendError> {
        SeccompFilter::new(calls, others, denied, ARCH.try_into()?)?.try_into()
    };
    apply_filter(&filter()?)
}
