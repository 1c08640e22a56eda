//! The commands: each opens a table or queries a server, and returns the program's exit code.

mod accounts;
mod analyse;
mod arena;
mod brain;
mod challenge;
mod close;
mod completions;
mod convert;
mod finding;
mod finished_game;
mod games;
mod join;
mod local;
mod man;
mod output_mode;
mod play;
mod rooms;
mod seat;
mod seat_engine;
mod seat_seeking;
mod seek;
mod usage;
mod visit;
mod watch;

use std::{io, panic, process::ExitCode};

use clap::{Parser, builder::StyledStr, error::ContextValue};

use self::usage::{USAGE, Usage};
use crate::{
    cli::{Cli, Command},
    server::connection::ConnectionError,
    terminal::{output, sanitize::sanitize},
};

/// Advice for people whose server does not answer.
const NO_SERVER: &str = "  \
  Is a server running there, and is the address right? --server URL names another one.
  To start one on this machine: fivefold-server
  To play without a server: fivefold local --bot
";

/// Runs the program.
pub fn main() -> ExitCode {
    panic::set_hook(Box::new(output::panicked));
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misused(error),
    };
    // This command replaces its process by another program, so it needs a single thread.
    #[cfg(target_os = "linux")]
    if let Command::RunEngine(args) = &cli.command {
        return crate::engines::engine_sandbox::run(args)
            .unwrap_or_else(|error| failed(&error.into()));
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
        Command::Seek(args) => seek::run(args).await,
        Command::Challenge(args) => challenge::run(args).await,
        Command::Challenges(args) => accounts::challenges_from::run(args).await,
        Command::Games(args) => games::run(args).await,
        Command::Player(args) => accounts::players::player(args).await,
        Command::Leaderboard(args) => accounts::players::leaderboard(args).await,
        Command::Rooms(args) => rooms::run(args).await,
        Command::Close(args) => close::run(args).await,
        Command::Identity(args) => accounts::identity::run(args).await,
        Command::Login(args) => accounts::account::login(args).await,
        Command::Logout(args) => accounts::account::logout(args).await,
        Command::Whoami(args) => accounts::account::whoami(args).await,
        Command::Friends(args) => accounts::friends::list(args).await,
        Command::Friend(args) => accounts::friends::ask(args).await,
        Command::Unfriend(args) => accounts::friends::leave(args).await,
        Command::Answer(args) => accounts::friends::answer(args).await,
        Command::Collections(args) => accounts::collections::run(args).await,
        Command::Notes(args) => accounts::notes::run(args).await,
        Command::Plan(args) => accounts::plan::run(args).await,
        Command::TimeOff(args) => accounts::time_off::run(args).await,
        Command::Block(args) => accounts::blocks::block(args).await,
        Command::Unblock(args) => accounts::blocks::unblock(args).await,
        Command::Blocks(args) => accounts::blocks::list(args).await,
        Command::Bot(command) => accounts::bots::run(command).await,
        Command::Token(command) => accounts::token::run(command).await,
        Command::Local(args) => local::run(args).await,
        Command::Arena(args) => arena::run(args).await,
        Command::Seat(args) => seat::run(args).await,
        Command::Brain(args) => brain::run(args),
        Command::Convert(args) => convert::run(args).await,
        Command::Analyse(args) => analyse::run(args).await,
        #[cfg(target_os = "linux")]
        Command::RunEngine(_) => unreachable!("it was run before"),
        Command::Completions { shell } => completions::run(*shell),
        Command::Man => man::run(),
    }
}

/// Prints clap's output: the requested help, or the usage error. Its text may include untrusted
/// arguments.
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
            // clap handles the other cases.
            _ => None,
        })
        .collect();
    for (kind, value) in words {
        error.insert(kind, value);
    }
    let printed =
        if error.use_stderr() { output::stderr().lines(&error.to_string()) } else { error.print() };
    // A closed pipe is no error: its reader has enough.
    drop(printed);
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(USAGE))
}

/// Prints an error. A closed pipe is no error: its reader has enough.
fn failed(error: &anyhow::Error) -> ExitCode {
    let broken_pipe = error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
    if broken_pipe {
        return ExitCode::SUCCESS;
    }
    output::failed(&format!("{error:#}"));
    if let Some(ConnectionError::Unreachable { .. }) = error.downcast_ref() {
        drop(output::stderr().lines(NO_SERVER));
    }
    if error.is::<Usage>() { ExitCode::from(USAGE) } else { ExitCode::FAILURE }
}
