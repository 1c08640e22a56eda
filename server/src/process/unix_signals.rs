//! Handles the operator's signals: Ctrl-C and SIGTERM stop the server, SIGHUP reloads the
//! certificate. A limit on the size of files ends no process.

use std::{convert::Infallible, io, sync::Arc};

use rustix::process::Signal;
use tokio::{
    runtime,
    signal::unix::{SignalKind, signal},
};
use tokio_util::sync::CancellationToken;

use crate::{net::tls::Tls, process::service_manager::ServiceManager};

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

/// Receives SIGHUP from now on. The future reloads the certificate at each, and never returns. An invalid
/// certificate changes nothing.
///
/// # Errors
/// If the signal cannot be received.
pub fn reload_on_signal(
    tls: Option<Arc<Tls>>,
    service: ServiceManager,
) -> io::Result<impl Future<Output = Infallible>> {
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        while hangup.recv().await.is_some() {
            service.reloading().await;
            match tls.as_ref().map(|tls| tls.reload()) {
                Some(Ok(())) => tracing::info!("the certificate is read again"),
                Some(Err(error)) => tracing::error!(%error, "the certificate stays as it was"),
                None => tracing::info!("there is no certificate to read again"),
            }
            service.reloaded().await;
        }
        std::future::pending().await
    })
}
