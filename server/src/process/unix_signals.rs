//! Handles the operator's signals: Ctrl-C and SIGTERM stop the server, SIGHUP lets it read its settings
//! again. A limit on the size of files ends no process.

use std::{convert::Infallible, io};

use rustix::process::Signal;
use tokio::{
    runtime,
    signal::unix::{SignalKind, signal},
    task::spawn_blocking,
};
use tokio_util::sync::CancellationToken;

use crate::process::service_manager::ServiceManager;

/// Receives these signals from now on. The future cancels at the first of them, and then never returns.
///
/// # Errors
/// If the signals cannot be received.
pub fn cancel_on_signal(
    shutdown: CancellationToken,
) -> io::Result<impl Future<Output = Infallible>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        shutdown.cancel();
        std::future::pending().await
    })
}

/// Lets a write beyond the limit on the size of files (RLIMIT_FSIZE) fail, as on a full disk, for as long as the
/// process runs. By default the system ends the process.
///
/// # Errors
/// If the signal cannot be received.
pub fn outlive_file_limit() -> io::Result<()> {
    // Nothing ever takes the handler away.
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let beyond = SignalKind::from_raw(Signal::XFSZ.as_raw());
    runtime.block_on(async { signal(beyond) }).map(drop)
}

/// Receives SIGHUP from now on. The future calls the function at each, on a thread where it may read files, and never
/// returns.
///
/// # Errors
/// If the signal cannot be received.
pub fn act_on_hangup(
    mut act: impl FnMut() + Send + 'static,
    service: ServiceManager,
) -> io::Result<impl Future<Output = Infallible>> {
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        while hangup.recv().await.is_some() {
            service.reloading().await;
            let acted = spawn_blocking(move || {
                act();
                act
            });
            let acted = acted.await;
            service.reloaded().await;
            // It ends only with a panic, which the log has.
            let Ok(again) = acted else { break };
            act = again;
        }
        std::future::pending().await
    })
}
