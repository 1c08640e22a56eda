//! The program `fivefold-server`: arguments, logging and signals around [`fivefold_server::run`].

use std::{
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::Context;
use clap::Parser;
use fivefold_server::{
    Listeners,
    config::{Args, Config, Task},
    file_limit,
    logs::{self, Logs},
    signals::{cancel_on_signal, reload_on_signal},
    storage::{self, DataFolder, Memory, Sqlite, Storage},
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

fn main() -> io::Result<ExitCode> {
    match run(&Args::parse()) {
        Ok(code) => Ok(code),
        Err(error) => {
            writeln!(io::stderr(), "fivefold-server: {error:#}")?;
            Ok(ExitCode::FAILURE)
        }
    }
}

fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut filter: EnvFilter = args.log.parse().context("--log")?;
    // The first logs whole messages, and some contain identities. The second logs each attempt to
    // connect; the bus logs what matters.
    for quiet in ["tungstenite=warn", "async_nats=warn"] {
        filter = filter.add_directive(quiet.parse()?);
    }
    let logs = logs::start(filter, args.log_format);
    match &args.task {
        None => serve(args, &logs).map(|()| ExitCode::SUCCESS),
        Some(Task::Check { repair: false }) => check(&args.data_folder()?),
        Some(Task::Check { repair: true }) => repair(&args.data_folder()?),
        Some(Task::Backup { file }) => {
            let findings = storage::backup(&args.data_folder()?, file)?;
            write!(io::stdout(), "{findings}")?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn check(folder: &Path) -> anyhow::Result<ExitCode> {
    let findings = storage::check(folder)?;
    write!(io::stdout(), "{findings}")?;
    Ok(if findings.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn repair(folder: &Path) -> anyhow::Result<ExitCode> {
    let repaired = storage::repair(folder)?;
    write!(io::stdout(), "{repaired}")?;
    Ok(if repaired.findings.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[tokio::main]
async fn serve(args: &Args, logs: &Logs) -> anyhow::Result<()> {
    let mut config = Config { lost_lines: logs.lost.clone(), ..args.config()? };
    config.limits = file_limit::fit(config.limits)?;
    let storage = open_storage(args)?;
    let listener = TcpListener::bind(args.listen)
        .await
        .with_context(|| format!("cannot listen on {}; choose another --listen", args.listen))?;
    let metrics = match args.metrics_listen {
        Some(address) => Some(TcpListener::bind(address).await.with_context(|| {
            format!("cannot listen on {address}; choose another --metrics-listen")
        })?),
        None => None,
    };
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let address = listener.local_addr()?;
    if let Err(error) = writeln!(io::stdout(), "Fivefold is at {scheme}://{address}/") {
        tracing::warn!(%error, "Fivefold is at {scheme}://{address}/, and cannot say so on stdout");
    }

    let listeners = Listeners { public: listener, metrics };
    let shutdown = CancellationToken::new();
    let reload = reload_on_signal(config.tls.clone());
    tokio::select! {
        served = fivefold_server::run(listeners, storage, config, shutdown.clone()) => Ok(served?),
        failed = cancel_on_signal(&shutdown) => Ok(failed?),
        failed = reload => Ok(failed?),
    }
}

fn open_storage(args: &Args) -> anyhow::Result<Box<dyn Storage>> {
    if args.in_memory {
        tracing::warn!("everything is kept in memory and lost when the server stops");
        return Ok(Box::new(Memory::default()));
    }
    let storage = Sqlite::open(DataFolder::take(&args.data_folder()?)?)?;
    tracing::info!(folder = %storage.folder().path().display(), "games are kept in this folder");
    Ok(Box::new(storage))
}
