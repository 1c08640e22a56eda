//! The signals by which an operator stops the server, Ctrl-C and SIGTERM, and by which he has it
//! read its certificate again, SIGHUP.

use std::{io, sync::Arc};

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::tls::Tls;

/// Cancels at the first of these signals, and then never returns.
///
/// # Errors
/// When signals cannot be waited for.
pub async fn cancel_on_signal(shutdown: &CancellationToken) -> io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    shutdown.cancel();
    std::future::pending().await
}

/// Has the certificate read again at each SIGHUP; never returns. One that cannot be used changes
/// nothing.
///
/// # Errors
/// When the signal cannot be waited for.
pub async fn reload_on_signal(tls: Option<Arc<Tls>>) -> io::Result<()> {
    let mut hangup = signal(SignalKind::hangup())?;
    while hangup.recv().await.is_some() {
        match tls.as_ref().map(|tls| tls.reload()) {
            Some(Ok(())) => tracing::info!("the certificate is read again"),
            Some(Err(error)) => tracing::error!(%error, "the certificate stays as it was"),
            None => tracing::info!("there is no certificate to read again"),
        }
    }
    std::future::pending().await
}
