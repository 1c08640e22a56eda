//! The commands: each opens a table, or asks a server something, and says how the program ends.

mod analyse;
mod arena;
mod brain;
mod close;
mod completions;
mod convert;
mod identity;
mod join;
mod local;
mod output_mode;
mod play;
mod rooms;
mod seat;
mod watch;

use std::{io, panic, path::Path, process::ExitCode};

use clap::{Parser, builder::StyledStr, error::ContextValue};
use fivefold_shared::{
    bot_spec::BotSpec,
    protocol::{LobbyRequest, Message, Reason},
    rules::Rules,
};

use self::output_mode::OutputMode;
use crate::{
    cli::{Cli, Command, GameArgs, VisitArgs},
    connection::{Connection, ConnectionError, Visitor, Welcome},
    output,
    room_link::ServerAddress,
    sanitize::sanitize,
    settings::Settings,
    table::Table,
    tls_roots,
};

/// Interrupted by Ctrl-C: 128 and the number of the signal.
const INTERRUPTED: u8 = 130;
/// Wrong usage; clap's own code as well.
const USAGE: u8 = 2;

/// A combination of options that cannot be: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Usage(String);

/// The whole program.
pub fn main() -> ExitCode {
    panic::set_hook(Box::new(output::panicked));
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misused(error),
    };
    // It becomes another program, and has to have one thread.
    #[cfg(target_os = "linux")]
    if let Command::RunEngine(args) = &cli.command {
        return crate::engine_sandbox::run(args).unwrap_or_else(|error| failed(&error.into()));
    }
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.into()),
    };
    let finish = runtime.block_on(run(&cli));
    match finish {
        Ok(code) => code,
        Err(error) => failed(&error),
    }
}

async fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    match &cli.command {
        Command::Play(args) => play::run(args).await,
        Command::Join(args) => join::run(args).await,
        Command::Watch(args) => watch::run(args).await,
        Command::Rooms(args) => rooms::run(args).await,
        Command::Close(args) => close::run(args).await,
        Command::Identity(args) => identity::run(args).await,
        Command::Local(args) => local::run(args).await,
        Command::Arena(args) => arena::run(args).await,
        Command::Seat(args) => seat::run(args).await,
        Command::Brain(args) => brain::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Analyse(args) => analyse::run(args).await,
        #[cfg(target_os = "linux")]
        Command::RunEngine(_) => unreachable!("it was run before"),
        Command::Completions { shell } => completions::run(*shell),
    }
}

/// Prints what clap has to say: the help that was asked for, or what is wrong with the words, which
/// may have come from anywhere.
fn misused(mut error: clap::Error) -> ExitCode {
    let words: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(word) => {
                Some((kind, ContextValue::String(sanitize(word).into_owned())))
            }
            ContextValue::Strings(words) => {
                let words = words.iter().map(|word| sanitize(word).into_owned()).collect();
                Some((kind, ContextValue::Strings(words)))
            }
            ContextValue::StyledStrs(tips) => {
                let tip = |tip: &StyledStr| sanitize(&tip.to_string()).into_owned().into();
                Some((kind, ContextValue::StyledStrs(tips.iter().map(tip).collect())))
            }
            // The others are clap's own.
            _ => None,
        })
        .collect();
    for (kind, value) in words {
        error.insert(kind, value);
    }
    let printed =
        if error.use_stderr() { output::stderr().lines(&error.to_string()) } else { error.print() };
    // A reader that went away has what it wanted.
    drop(printed);
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(USAGE))
}

/// Says what went wrong. A reader that went away has what it wanted.
fn failed(error: &anyhow::Error) -> ExitCode {
    let broken_pipe = error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
    if broken_pipe {
        return ExitCode::SUCCESS;
    }
    output::failed(&format!("{error:#}"));
    if error.is::<Usage>() { ExitCode::from(USAGE) } else { ExitCode::FAILURE }
}

/// Somebody at a server, not at a table yet.
struct Visit {
    connection: Connection,
    welcome: Welcome,
}

impl Visit {
    /// Connects to `server`, or to the one that the options or the settings name, and keeps what
    /// is to be kept.
    async fn open(args: &VisitArgs, server: Option<&ServerAddress>) -> anyhow::Result<Self> {
        let folder = Settings::folder()?;
        let mut settings = Settings::load(&folder)?;
        let server = server
            .or(args.server.as_ref())
            .or(settings.server.as_ref())
            .cloned()
            .unwrap_or_default();
        let mut visitor = Visitor {
            identity: settings.identities.get(&server).filter(|_| !args.guest).cloned(),
            name: args.name.clone().or_else(|| settings.name.clone().filter(|_| !args.guest)),
            connector: match server.is_encrypted() {
                true => Some(tls_roots::connector(args.ca.as_deref())?),
                false => None,
            },
        };
        let opened = Connection::open(server.clone(), visitor.clone()).await;
        let (connection, welcome) = match opened {
            // It was replaced, and the answer never came: the next one is the current one.
            Err(ConnectionError::Refused(refusal))
                if refusal.reason == Reason::IdentityReplaced
                    && let Some(next) = settings.next.remove(&server) =>
            {
                visitor.identity = Some(next.clone());
                settings.identities.insert(server.clone(), next);
                let opened = Connection::open(server.clone(), visitor).await?;
                settings.save(&folder)?;
                opened
            }
            opened => opened?,
        };
        if !args.guest {
            keep(&mut settings, &folder, args, &server, &welcome)?;
        }
        Ok(Self { connection, welcome })
    }

    /// Makes or enters a room, and sits down there.
    async fn sit(mut self, request: LobbyRequest, shown: &mut OutputMode) -> anyhow::Result<Table> {
        shown.connected(self.connection.server(), &self.welcome)?;
        let joined: Message = self.connection.ask(request).await?;
        Ok(Table::remote(self.connection, self.welcome.you, joined)?)
    }
}

/// Writes down the identity, the server and the name, where any of them is new.
fn keep(
    settings: &mut Settings,
    folder: &Path,
    args: &VisitArgs,
    server: &ServerAddress,
    welcome: &Welcome,
) -> anyhow::Result<()> {
    let before = settings.clone();
    if let Some(identity) = &welcome.identity {
        settings.identities.insert(server.clone(), identity.clone());
    }
    if args.server.is_some() {
        settings.server.clone_from(&args.server);
    }
    if args.name.is_some() {
        settings.name.clone_from(&args.name);
    }
    if *settings == before { Ok(()) } else { settings.save(folder) }
}

/// The rules that were asked for, which the bots must know how to play.
fn rules(game: &GameArgs, bots: &[BotSpec]) -> anyhow::Result<Rules> {
    let rules = game.rules().map_err(|error| Usage(error.to_string()))?;
    for bot in bots {
        bot.offered(rules).map_err(|error| Usage(error.to_string()))?;
    }
    Ok(rules)
}
