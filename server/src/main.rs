//! The program `fivefold-server`: arguments, logging and signals around [`fivefold_server::run`].

use std::{
    future::pending,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use anyhow::{Context, bail};
use fivefold_command_line::{completions, manual_page};
use fivefold_server::{
    Listeners, Membership, RunError, commands,
    config::{self, Command, Config, ConfigTask, HealthOptions, Moderate, Settings, Sources, Task},
    net::public_url::PublicUrl,
    process::{
        clock::Clock,
        file_limit,
        logs::{self, Logs},
        operation::Operation,
        operator_link::{OperatorLink, OperatorToken},
        service_manager::ServiceManager,
        unix_signals::{act_on_hangup, cancel_on_signal, outlive_file_limit},
    },
    run_in_cluster,
    transport::bus::BusConfig,
};
use fivefold_shared::protocol::GameId;
use fivefold_storage as storage;
use fivefold_storage::{
    DataFolder, Database, DatabaseUrl, Findings, Postgres, PostgresRegistry, PostgresRooms,
    SharedRooms, SoleNode, Sqlite, Storage, limits::ROOM_READERS,
};
use tokio::{net::TcpListener, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

fn main() -> io::Result<ExitCode> {
    match run() {
        Ok(code) => Ok(code),
        Err(error) => {
            writeln!(io::stderr(), "fivefold-server: {}", sentence(&error))?;
            Ok(ExitCode::FAILURE)
        }
    }
}

/// An error with its causes. Some messages contain their cause already.
fn sentence(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |sentence, cause| match cause.to_string() {
        first if sentence.is_empty() => first,
        cause if sentence.ends_with(&cause) => sentence,
        cause => format!("{sentence}: {cause}"),
    })
}

fn run() -> anyhow::Result<ExitCode> {
    outlive_file_limit()?;
    let (sources, command) = config::read()?;
    match command {
        Some(Command::Config { task }) => check_or_show(sources, &task),
        // What the program says about itself needs no settings, which may be wrong.
        Some(Command::Completions { shell }) => {
            io::stdout().write_all(&completions(shell, config::command()))?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Man) => print(&manual_page(config::command())),
        Some(Command::Health(options)) => {
            let (settings, _logs) = prepare(&sources)?;
            health(&settings, &options)
        }
        Some(Command::Database(task)) => {
            let (settings, _logs) = prepare(&sources)?;
            maintain(&settings, &task).inspect(|_| commands::log_command(&task))
        }
        None => {
            let (settings, logs) = prepare(&sources)?;
            serve(sources, &settings, &logs).map(|()| ExitCode::SUCCESS)
        }
    }
}

/// Reads the settings, and begins the log.
fn prepare(sources: &Sources) -> anyhow::Result<(Settings, Logs)> {
    let settings = sources.settings()?;
    let logs = logs::start(&settings.log, settings.log_format).context("--log")?;
    Ok((settings, logs))
}

fn check_or_show(sources: Sources, task: &ConfigTask) -> anyhow::Result<ExitCode> {
    match task {
        ConfigTask::Show => print(&commands::config::show(&sources.settings()?)),
        ConfigTask::Check { file } => match commands::config::check(sources, file.as_deref()) {
            Ok(valid) => print(&valid),
            Err(faults) => {
                writeln!(io::stdout(), "{faults}")?;
                Ok(ExitCode::FAILURE)
            }
        },
    }
}

fn maintain(settings: &Settings, task: &Task) -> anyhow::Result<ExitCode> {
    match (task, &settings.database) {
        (Task::Check { repair: false }, None) => check(&storage::check(&settings.data_folder()?)?),
        (Task::Check { repair: false }, Some(url)) => check(&storage::check_postgres(url)?),
        (Task::Check { repair: true }, None) => repair(&settings.data_folder()?),
        (Task::Check { repair: true }, Some(_)) => {
            bail!("only database files are repaired; restore this database from a backup")
        }
        (Task::Backup { file }, None) => check(&storage::backup(&settings.data_folder()?, file)?),
        (Task::Backup { .. }, Some(_)) => bail!(
            "PostgreSQL has better means: pg_dump for a copy of one instant, pg_basebackup with an \
             archive of the WAL for everything up to a failure"
        ),
        (Task::Restore { file }, None) => {
            print(&storage::restore(&settings.data_folder()?, file)?.to_string())
        }
        (Task::Restore { .. }, Some(_)) => {
            bail!(
                "restore is only for database files; for PostgreSQL, use pg_restore into a new database"
            )
        }
        (Task::Recover { name }, None) => recover(Database::Folder(&settings.data_folder()?), name),
        (Task::Recover { name }, Some(url)) => recover(Database::Postgres(url), name),
        (Task::Moderate { operator, task }, database) => {
            let task = task.as_ref().unwrap_or(&Moderate::List);
            let folder = folder_unless(database.as_ref(), settings)?;
            let database = database_of(database.as_ref(), &folder);
            print(&commands::moderation::moderate(database, task, operator.as_ref())?)
        }
        (Task::Account { task }, database) => {
            let folder = folder_unless(database.as_ref(), settings)?;
            let database = database_of(database.as_ref(), &folder);
            print(&commands::accounts::account(database, task)?)
        }
        (Task::Operator { name, remove }, database) => {
            let folder = folder_unless(database.as_ref(), settings)?;
            let database = database_of(database.as_ref(), &folder);
            print(&commands::moderation::set_operator(database, name, *remove)?)
        }
        (Task::Push, database) => {
            let folder = folder_unless(database.as_ref(), settings)?;
            let database = database_of(database.as_ref(), &folder);
            print(&commands::pushes::push(database)?)
        }
        (Task::Undo { game }, None) => undo(Database::Folder(&settings.data_folder()?), game),
        (Task::Undo { game }, Some(url)) => undo(Database::Postgres(url), game),
        (Task::Migrate { from, to }, Some(url)) => migrate(from.as_deref(), to.as_deref(), url),
        (Task::Migrate { .. }, None) => {
            bail!("say by --database which PostgreSQL database to copy into, or from")
        }
    }
}

/// The folder of the database, unless it is elsewhere.
fn folder_unless(url: Option<&DatabaseUrl>, settings: &Settings) -> anyhow::Result<PathBuf> {
    url.map_or_else(|| settings.data_folder(), |_| Ok(PathBuf::new()))
}

fn database_of<'a>(url: Option<&'a DatabaseUrl>, folder: &'a Path) -> Database<'a> {
    url.map_or(Database::Folder(folder), Database::Postgres)
}

fn print(text: &str) -> anyhow::Result<ExitCode> {
    write!(io::stdout(), "{text}")?;
    Ok(ExitCode::SUCCESS)
}

fn check(findings: &Findings) -> anyhow::Result<ExitCode> {
    write!(io::stdout(), "{findings}")?;
    Ok(if findings.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn health(settings: &Settings, options: &HealthOptions) -> anyhow::Result<ExitCode> {
    let (line, code) = commands::health::health(settings, options)?;
    writeln!(io::stdout(), "{line}")?;
    Ok(code.into())
}

fn recover(database: Database<'_>, name: &str) -> anyhow::Result<ExitCode> {
    let code = commands::accounts::recover(database, name)?;
    writeln!(io::stdout(), "{code}")?;
    Ok(ExitCode::SUCCESS)
}

fn undo(database: Database<'_>, game: &str) -> anyhow::Result<ExitCode> {
    let game = GameId::try_from(game.to_owned()).context("the id of the game")?;
    let now = Clock::of_system().now();
    write!(io::stdout(), "{}", storage::undo(database, &game, now)?)?;
    Ok(ExitCode::SUCCESS)
}

fn migrate(from: Option<&Path>, to: Option<&Path>, url: &DatabaseUrl) -> anyhow::Result<ExitCode> {
    let copied = match (from, to) {
        (Some(file), _) => storage::migrate(file, url)?,
        (None, Some(file)) => storage::migrate_to_file(url, file)?,
        (None, None) => bail!("say by --from or --to which file"),
    };
    print(&copied.to_string())
}

fn repair(folder: &Path) -> anyhow::Result<ExitCode> {
    let repaired = storage::repair(folder)?;
    write!(io::stdout(), "{repaired}")?;
    Ok(if repaired.findings.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn serve(sources: Sources, settings: &Settings, logs: &Logs) -> anyhow::Result<()> {
    let pools = settings.pools()?;
    let (lost_lines, panics) = (logs.lost.clone(), logs.panics.clone());
    let mut config = Config { lost_lines, panics, pools, ..settings.config()? };
    config.limits = file_limit::fit(config.limits)?;
    // Outside of the runtime, as it blocks.
    let rooms = Rooms::open(settings)?;
    if let Some(node) = &rooms.sole_node {
        config.node = node.id();
    }
    let has_operator = rooms.storage.reader()?.has_operator()?;
    let token = (!has_operator).then(OperatorToken::random);
    if let Some(token) = &token {
        config.operation = Arc::new(Operation::with_link(OperatorLink::new(token)));
    }
    config.reload_from(sources, settings.clone(), logs.filter.clone());
    listen_and_run(settings, rooms, config, token)
}

#[tokio::main]
async fn listen_and_run(
    settings: &Settings,
    rooms: Rooms,
    mut config: Config,
    token: Option<OperatorToken>,
) -> anyhow::Result<()> {
    let service = ServiceManager::from_environment();
    config.service = service.clone();
    let listener = settings.listen.bind().await;
    let listener = listener.with_context(|| {
        format!("cannot listen on {}; choose another --listen", settings.listen)
    })?;
    let metrics = match &settings.metrics_listen {
        Some(address) => Some(address.bind().await.with_context(|| {
            format!("cannot listen on {address}; choose another --metrics-listen")
        })?),
        None => None,
    };
    if let Some(address) = metrics.as_ref().and_then(|metrics| metrics.local_addr().ok()) {
        tracing::info!(%address, "metrics are at this address");
    }
    let address = listener.local_addr()?;
    let url = match &config.public_url {
        Some(url) => url.to_string(),
        None => PublicUrl::of_listener(address, config.tls.is_some()),
    };
    let shutdown = CancellationToken::new();
    // Before the address is printed: a program that reads it may send a signal at once.
    let stop = cancel_on_signal(shutdown.clone())?;
    let reload = config.reload.clone();
    let read_again = move || {
        if let Some(reload) = &reload {
            reload.read_again();
        }
    };
    let reload = act_on_hangup(read_again, service.clone())?;
    let greeting = logs::greeting(settings.log_format, &url);
    if let Err(error) = writeln!(io::stdout(), "{greeting}") {
        tracing::warn!(%error, "Fivefold is at {url}/, and cannot say so on stdout");
    }
    if let Some(token) = token {
        let link = logs::operator_link(settings.log_format, &url, token.as_str());
        if let Err(error) = writeln!(io::stdout(), "{link}") {
            tracing::warn!(%error, "cannot print the link for the first operator on stdout");
        }
    }
    if config.public_url.is_some() {
        tracing::info!(%address, "listens at this address");
    }

    let listeners = Listeners { public: Arc::new(listener), metrics: metrics.map(Arc::new) };
    tokio::select! {
        served = run_and_rejoin(settings, rooms, listeners, config, &shutdown) => served,
        never = stop => match never {},
        never = reload => match never {},
        never = service.ping() => match never {},
    }
}

/// Runs the server. A node that is dead to the others of its cluster joins again under a new number.
async fn run_and_rejoin(
    settings: &Settings,
    mut rooms: Rooms,
    listeners: Listeners<Arc<TcpListener>>,
    config: Config,
    shutdown: &CancellationToken,
) -> anyhow::Result<()> {
    loop {
        let Rooms { storage, membership, sole_node } = rooms;
        let service = config.service.clone();
        let (listeners, config, shutdown) = (listeners.clone(), config.clone(), shutdown.clone());
        let Some(membership) = membership else {
            return tokio::select! {
                served = fivefold_server::run(listeners, storage, config, shutdown) => Ok(served?),
                () = lost(sole_node.as_ref()) => bail!("another server has taken over the database"),
            };
        };
        let stopping = shutdown.clone();
        let served = run_in_cluster(listeners, storage, membership, config, shutdown).await;
        match served {
            Err(RunError::Retired) if !stopping.is_cancelled() => {}
            Err(RunError::Retired) => return Ok(()),
            served => return Ok(served?),
        }
        tracing::warn!("joins the cluster again, under a new number");
        service.joins_again().await;
        let settings = settings.clone();
        rooms = spawn_blocking(move || Rooms::open(&settings)).await??;
    }
}

/// The storage of the rooms, and what the server needs to share it or to keep it for itself.
struct Rooms {
    storage: Box<dyn Storage>,
    membership: Option<Membership>,
    /// Keeps other servers away from a database.
    sole_node: Option<SoleNode>,
}

impl Rooms {
    /// Blocks.
    fn open(settings: &Settings) -> anyhow::Result<Self> {
        let access = settings.bus()?;
        let storage = open_storage(settings)?;
        let (mut membership, mut sole_node) = (None, None);
        if let Some(url) = &settings.database {
            if let Some(access) = access {
                let registry = PostgresRegistry::open(url)?;
                let registry = Box::new(match &settings.node_name {
                    Some(name) => registry.named(name.clone()),
                    None => registry,
                });
                let bus = BusConfig::Nats { access, cluster: settings.cluster.clone() };
                let rooms = (0..ROOM_READERS).map(|_| {
                    PostgresRooms::open(url).map(|rooms| Box::new(rooms) as Box<dyn SharedRooms>)
                });
                let rooms = rooms.collect::<Result<_, _>>()?;
                membership = Some(Membership { registry, rooms, bus });
            } else {
                sole_node = Some(SoleNode::join(url)?);
            }
        }
        Ok(Self { storage, membership, sole_node })
    }
}

/// Waits until the database is another server's; forever where none is shared.
async fn lost(node: Option<&SoleNode>) {
    match node {
        Some(node) => node.lost().await,
        None => pending().await,
    }
}

fn open_storage(settings: &Settings) -> anyhow::Result<Box<dyn Storage>> {
    if let Some(url) = &settings.database {
        let storage = Postgres::open(url, settings.database_replica.as_ref())?;
        tracing::info!(database = storage.name(), "games are kept in this database");
        return Ok(Box::new(storage));
    }
    let folder = if settings.in_memory {
        DataFolder::temporary()?
    } else {
        DataFolder::take(&settings.data_folder()?)?
    };
    let storage = Sqlite::open(folder)?;
    let folder = storage.folder().path().display();
    if settings.in_memory {
        tracing::warn!(
            %folder,
            "everything is lost when the server stops; if it is killed, delete this temporary folder"
        );
    } else {
        tracing::info!(%folder, "games are kept in this folder");
    }
    Ok(Box::new(storage))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_not_said_twice() {
        let broken = || io::Error::other("the disk is gone");
        let cases = [
            (RunError::Thread(broken()).into(), "cannot start a thread: the disk is gone"),
            (
                anyhow::Error::from(broken()).context("cannot read x"),
                "cannot read x: the disk is gone",
            ),
            (anyhow::anyhow!("alone"), "alone"),
        ];
        for (error, expected) in cases {
            assert_eq!(sentence(&error), expected);
        }
    }
}
