//! The program `fivefold-server`: arguments, logging and signals around [`fivefold_server::run`].

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

use anyhow::Context;
use clap::Parser;
use fivefold_server::{config::Args, signals::cancel_on_signal};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> io::Result<ExitCode> {
    let Err(error) = serve(&Args::parse()).await else { return Ok(ExitCode::SUCCESS) };
    writeln!(io::stderr(), "fivefold-server: {error:#}")?;
    Ok(ExitCode::FAILURE)
}

async fn serve(args: &Args) -> anyhow::Result<()> {
    let filter: EnvFilter = args.log.parse().context("--log")?;
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    logs.with_ansi(io::stderr().is_terminal()).init();
    let listener = TcpListener::bind(args.listen)
        .await
        .with_context(|| format!("cannot listen on {}; choose another --listen", args.listen))?;
    writeln!(io::stdout(), "Fivefold is at http://{}/", listener.local_addr()?)?;

    let shutdown = CancellationToken::new();
    tokio::select! {
        served = fivefold_server::run(listener, args.config(), shutdown.clone()) => Ok(served?),
        failed = cancel_on_signal(&shutdown) => Ok(failed?),
    }
}
