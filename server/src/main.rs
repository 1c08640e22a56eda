//! The program `fivefold-server`: arguments, logging and signals around [`fivefold_server::run`].

use std::io::{self, Write};

use anyhow::Context;
use clap::Parser;
use fivefold_server::config::Args;
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let filter = args.log.parse::<tracing_subscriber::EnvFilter>().context("--log")?;
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();

    let listener = TcpListener::bind(args.listen)
        .await
        .with_context(|| format!("cannot listen on {}; choose another --listen", args.listen))?;
    writeln!(io::stdout(), "Fivefold is at http://{}/", listener.local_addr()?)?;

    let shutdown = CancellationToken::new();
    tokio::select! {
        served = fivefold_server::run(listener, args.config(), shutdown.clone()) => {
            served.context("cannot start")
        }
        error = cancel_on_signal(&shutdown) => Err(error).context("cannot wait for signals"),
    }
}

/// Cancels at the first signal to stop. Returns only when signals cannot be waited for.
async fn cancel_on_signal(shutdown: &CancellationToken) -> io::Error {
    let (mut interrupt, mut terminate) =
        match (signal(SignalKind::interrupt()), signal(SignalKind::terminate())) {
            (Ok(interrupt), Ok(terminate)) => (interrupt, terminate),
            (Err(error), _) | (_, Err(error)) => return error,
        };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    shutdown.cancel();
    std::future::pending().await
}
