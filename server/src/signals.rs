//! The signals by which an operator stops the server: Ctrl-C and SIGTERM.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

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
