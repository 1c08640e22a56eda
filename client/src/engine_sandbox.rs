//! Runs foreign engines in a sandbox: a reduced environment, limits, no access to our files where
//! the system can deny it, and a reliable end together with all processes they started.
//!
//! On Linux this program runs itself twice in between, as `fivefold run-engine`. The first process
//! (`supervise`) adopts all orphaned descendants, so it can kill every process that the engine has
//! started, in any session or group. The second (`confine`) limits itself and then becomes the
//! engine. Nothing here knows the engine's protocol.

#[cfg(target_os = "linux")]
mod args;
#[cfg(target_os = "linux")]
mod confine;
#[cfg(target_os = "linux")]
mod start_report;
#[cfg(target_os = "linux")]
mod supervise;

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
