//! Namespaces in which an engine runs: its processes see no other process, and the system ends all
//! of them at once when their first process ends. Ordinary users can make them on most systems.

use std::{fmt, fs, io, str::FromStr};

use rustix::{
    mount::{MountFlags, mount},
    process::{getgid, getuid},
    thread::UnshareFlags,
};

/// The user and the group that start an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Owner {
    user: u32,
    group: u32,
}

impl Owner {
    /// The user is the superuser in their new namespace until [`become_owner`].
    const SUPERUSER: Self = Self { user: 0, group: 0 };
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.user, self.group)
    }
}

impl FromStr for Owner {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (user, group) = text.split_once(':').unwrap_or_default();
        match (user.parse(), group.parse()) {
            (Ok(user), Ok(group)) => Ok(Self { user, group }),
            (Err(_), _) | (_, Err(_)) => Err("the numbers of a user and a group".into()),
        }
    }
}

/// The processes that this process starts from now on are in new namespaces; the next one is the
/// first there.
///
/// # Errors
/// When the system does not allow it.
pub(super) fn separate() -> io::Result<Owner> {
    let owner = Owner { user: getuid().as_raw(), group: getgid().as_raw() };
    unshare(
        UnshareFlags::NEWUSER | UnshareFlags::NEWPID | UnshareFlags::NEWNS | UnshareFlags::NEWIPC,
    )?;
    map(Owner::SUPERUSER, owner)?;
    Ok(owner)
}

/// Shows no process in `/proc` but those of this namespace.
///
/// # Errors
/// When the system does not allow it.
pub(super) fn hide_processes() -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    Ok(mount("proc", "/proc", "proc", flags, None)?)
}

/// Becomes the owner again, without the superuser's rights in the namespaces of [`separate`].
///
/// # Errors
/// When the system does not allow it.
pub(super) fn become_owner(owner: Owner) -> io::Result<()> {
    unshare(UnshareFlags::NEWUSER)?;
    map(owner, Owner::SUPERUSER)
}

/// Names the only user and group of a new user namespace.
fn map(inside: Owner, outside: Owner) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{} {} 1", inside.user, outside.user))?;
    fs::write("/proc/self/gid_map", format!("{} {} 1", inside.group, outside.group))
}

#[expect(deprecated, reason = "only with FILES, which is not used, another function is needed")]
fn unshare(flags: UnshareFlags) -> io::Result<()> {
    Ok(rustix::thread::unshare(flags)?)
}
