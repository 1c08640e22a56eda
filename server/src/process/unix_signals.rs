//! Handles the operator's signals: Ctrl-C and SIGTERM stop the server, SIGHUP lets it read its settings
//! again. A limit on the size of files ends no process.

use std::{convert::Infallible, io, sync::Arc};

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
/// returns. A panic of the function is logged, and ends nothing.
///
/// # Errors
/// If the signal cannot be received.
pub fn act_on_hangup(
    act: impl Fn() + Send + Sync + 'static,
    service: ServiceManager,
) -> io::Result<impl Future<Output = Infallible>> {
    let mut hangup = signal(SignalKind::hangup())?;
    let act = Arc::new(act);
    Ok(async move {
        while hangup.recv().await.is_some() {
            service.reloading().await;
            let act = Arc::clone(&act);
            // After a panic the settings that are not read yet are read the next time.
            if spawn_blocking(move || act()).await.is_err() {
                tracing::error!("reading the settings again panicked; the old ones stay in effect");
            }
            service.reloaded().await;
        }
        std::future::pending().await
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use rustix::process::{getpid, kill_process};
    use tokio::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn after_a_panic_the_next_signal_is_acted_on() {
        let (calls, mut called) = mpsc::unbounded_channel();
        let count = AtomicU32::new(0);
        let act = move || {
            let count = count.fetch_add(1, Ordering::Relaxed) + 1;
            calls.send(count).unwrap();
            assert!(count > 1, "the first call panics");
        };
        let acting = act_on_hangup(act, ServiceManager::default()).unwrap();
        let signals = async {
            for number in 1..=2 {
                kill_process(getpid(), Signal::HUP).unwrap();
                assert_eq!(called.recv().await, Some(number));
            }
        };
        tokio::select! {
            never = acting => match never {},
            () = signals => {}
        }
    }
}
