//! Runs foreign engines in a sandbox: a reduced environment, limits, no access to our files where
//! the system can deny it, and a reliable end together with all processes they started.
//!
//! On Linux this program runs itself in between, as `fivefold run-engine`. The first process makes
//! `namespaces` and waits. The second is the first one inside (`supervise`): when it ends, all processes
//! there end. The third (`confine`) limits itself and then becomes the engine. Where the system allows no
//! namespaces, there is no first process, and the second one adopts all orphaned descendants, so it can
//! kill every process that the engine has started, in any session or group. Nothing here knows the
//! engine's protocol.

#[cfg(target_os = "linux")]
mod args;
#[cfg(target_os = "linux")]
mod confine;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod start_report;
#[cfg(target_os = "linux")]
mod supervise;
#[cfg(target_os = "linux")]
mod system_calls;

#[cfg(not(target_os = "linux"))]
mod direct;
mod spawn;

#[cfg(not(target_os = "linux"))]
pub(crate) use self::direct::{RunningEngine, start};
pub use self::spawn::SandboxLimits;
#[cfg(target_os = "linux")]
pub(crate) use self::supervise::{RunningEngine, start};
#[cfg(target_os = "linux")]
pub use self::{args::RunEngineArgs, supervise::run};
