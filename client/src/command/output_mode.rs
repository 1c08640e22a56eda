//! Chooses how to show a room and the lobby: on the terminal screen, in plain lines or as JSON.

use std::{
    env,
    future::Future,
    io::{self, IsTerminal, Stderr, Stdout, Write},
    pin::Pin,
    process::ExitCode,
};

use fivefold_shared::{
    bot_spec::{BotSpec, LEVEL_MAX},
    protocol::RoomCode,
};
use tokio::sync::mpsc;

use super::usage::{INTERRUPTED, exit_code};
use crate::{
    cli::{ColorChoice, ViewArgs},
    lines::{
        json_output::Json,
        line_interface::{self, View},
        lobby_lines::{self, LobbyView},
        plain_output::Plain,
    },
    play::{
        exit_reason::ExitReason,
        lobby::{self, Lobby},
        table::Table,
    },
    server::{
        connection::{ConnectionError, Welcome},
        room_link::ServerAddress,
    },
    terminal::output::{self, Output},
    tui::{self, TakenTerminal},
};

/// How rooms and the lobby are shown, one after another.
pub(super) struct OutputMode {
    kind: Kind,
    /// Lines of standard input, once somebody reads them.
    input: Option<mpsc::Receiver<String>>,
    interrupt: Pin<Box<dyn Future<Output = ()>>>,
    /// A message for the screen to begin with.
    notice: Option<String>,
}

enum Kind {
    /// The terminal is taken once there is something to show.
    Screen(tui::Options, Option<Box<TakenTerminal>>),
    Plain(Plain<Output<Stdout>, Output<Stderr>>),
    Json(Json<Output<Stdout>>),
}

impl OutputMode {
    /// The requested mode; the screen only where a terminal can show it.
    pub(super) fn new(args: &ViewArgs) -> Self {
        let terminal = io::stdin().is_terminal() && output::is_terminal();
        let kind = if args.json {
            Kind::Json(Json::new(output::stdout()))
        } else if args.plain || !terminal || is_set("TERM", |term| term == "dumb") {
            Kind::Plain(Plain::new(output::stdout(), output::stderr()))
        } else {
            let colour = match args.color {
                ColorChoice::Always => true,
                ColorChoice::Never => false,
                ColorChoice::Auto => !is_set("NO_COLOR", |value| !value.is_empty()),
            };
            let options =
                tui::Options { colour, glyphs: args.glyphs.into(), mouse: !args.no_mouse };
            Kind::Screen(options, None)
        };
        Self { kind, input: None, interrupt: Box::pin(interrupted()), notice: None }
    }

    /// Reports that the server accepted our hello.
    pub(super) fn connected(
        &mut self,
        server: &ServerAddress,
        welcome: &Welcome,
    ) -> io::Result<()> {
        match &mut self.kind {
            Kind::Screen(..) => Ok(()),
            Kind::Plain(plain) => plain.connected(server, welcome),
            Kind::Json(json) => json.connected(server, welcome),
        }
    }

    /// Says something before anything else is shown.
    pub(super) fn notice(&mut self, text: &str) -> io::Result<()> {
        match &self.kind {
            Kind::Screen(..) => {
                let before = self.notice.take().map(|before| before + " ").unwrap_or_default();
                self.notice = Some(before + text);
                Ok(())
            }
            Kind::Plain(_) | Kind::Json(_) => writeln!(output::stderr(), "{text}"),
        }
    }

    /// Says how strong the bot of a game is, and how to choose another, to a person.
    pub(super) fn introduce(&mut self, bot: Option<BotSpec>) -> io::Result<()> {
        let (Some(level), false) =
            (bot.and_then(|bot| bot.level), matches!(self.kind, Kind::Json(_)))
        else {
            return Ok(());
        };
        let other = if level == LEVEL_MAX { LEVEL_MAX - 1 } else { level + 1 };
        self.notice(&format!(
            "The bot plays at level {level} of {LEVEL_MAX}. --bot engine:{other} chooses another."
        ))
    }

    /// Shows the lobby until a game begins or the person leaves. `notice` says why they are here
    /// again. With `stays` they choose what to seek, and may choose again.
    pub(super) async fn find(
        &mut self,
        lobby: &mut Lobby,
        notice: Option<&str>,
        stays: bool,
    ) -> io::Result<ExitReason> {
        let view: &mut dyn LobbyView = match &mut self.kind {
            Kind::Screen(options, terminal) => {
                let terminal = taken(*options, terminal)?;
                let first = self.notice.take();
                let notice = notice.or(first.as_deref());
                return Box::pin(tui::run_lobby(terminal, lobby, notice, stays)).await;
            }
            Kind::Plain(plain) => plain,
            Kind::Json(json) => json,
        };
        match notice {
            Some(notice) => view.seeking_on(lobby, notice)?,
            None => view.entered(lobby, stays)?,
        }
        let input = self.input.get_or_insert_with(line_interface::standard_input);
        Box::pin(lobby_lines::run(lobby, view, input, self.interrupt.as_mut(), stays)).await
    }

    /// Shows a table until the person leaves, or goes to another game.
    pub(super) async fn show(&mut self, table: &mut Table) -> io::Result<ExitReason> {
        let view: &mut dyn View = match &mut self.kind {
            Kind::Screen(options, terminal) => {
                let notice = self.notice.take();
                let terminal = taken(*options, terminal)?;
                return Box::pin(tui::run(terminal, table, notice.as_deref())).await;
            }
            Kind::Plain(plain) => plain,
            Kind::Json(json) => json,
        };
        let input = self.input.get_or_insert_with(line_interface::standard_input);
        Box::pin(line_interface::run(table, view, input, self.interrupt.as_mut())).await
    }

    /// Shows the table, and those of the challenges that the person accepts there, until they leave.
    pub(super) async fn stay(mut self, mut table: Table) -> anyhow::Result<ExitCode> {
        loop {
            match self.show(&mut table).await? {
                ExitReason::Paired(room) => {
                    table = match self.unless_interrupted(move_to(table, room)).await {
                        Some(table) => table?,
                        None => return Ok(ExitCode::from(INTERRUPTED)),
                    };
                }
                reason => return self.leave(table, &reason).await,
            }
        }
    }

    /// Leaves the table, and says how to come back to it.
    pub(super) async fn leave(self, table: Table, reason: &ExitReason) -> anyhow::Result<ExitCode> {
        if self.restored() {
            Plain::new(output::stdout(), output::stderr()).screen_left(&table)?;
        }
        table.leave().await;
        Ok(exit_code(reason))
    }

    /// Leaves the lobby, which cancels what the person seeks there.
    pub(super) async fn leave_lobby(
        mut self,
        lobby: Lobby,
        reason: &ExitReason,
    ) -> anyhow::Result<ExitCode> {
        if let Kind::Json(json) = &mut self.kind {
            json.left()?;
        }
        let is_screen = self.restored();
        let mut talk = output::stderr();
        if let (true, ExitReason::Ended(text)) = (is_screen, reason) {
            writeln!(talk, "{text}")?;
        }
        if let ExitReason::Busy(room) = reason {
            let link = lobby.server().room_link(room);
            writeln!(talk, "Nothing was sent: your game goes on. fivefold join {link}")?;
        }
        let (is_seeking, server) = (lobby.state().search().is_some(), lobby.server().clone());
        match lobby.leave().await {
            Some(room) => {
                let link = server.room_link(&room);
                writeln!(talk, "A game of yours has just begun: fivefold join {link}")?;
            }
            None if is_seeking => writeln!(talk, "Cancelled.")?,
            None => {}
        }
        Ok(exit_code(reason))
    }

    /// Waits for something, unless the person wants to leave before.
    pub(super) async fn unless_interrupted<T>(
        &mut self,
        task: impl Future<Output = T>,
    ) -> Option<T> {
        let interrupt: Pin<Box<dyn Future<Output = ()> + '_>> = match &mut self.kind {
            Kind::Screen(_, Some(terminal)) => Box::pin(terminal.interrupted()),
            Kind::Screen(_, None) | Kind::Plain(_) | Kind::Json(_) => {
                Box::pin(self.interrupt.as_mut())
            }
        };
        tokio::select! {
            done = task => Some(done),
            () = interrupt => None,
        }
    }

    /// Gives the terminal back; whether this was the screen.
    fn restored(self) -> bool {
        matches!(self.kind, Kind::Screen(..))
    }
}

/// The terminal of the screen.
fn taken(
    options: tui::Options,
    terminal: &mut Option<Box<TakenTerminal>>,
) -> io::Result<&mut TakenTerminal> {
    let taken = match terminal.take() {
        Some(taken) => taken,
        None => Box::new(TakenTerminal::take(options)?),
    };
    Ok(terminal.insert(taken))
}

/// Goes from a room to the game of an accepted challenge.
pub(super) async fn move_to(table: Table, room: RoomCode) -> Result<Table, ConnectionError> {
    let me = table.me().clone();
    match table.leave_room().await? {
        Some(connection) => lobby::join(connection, me, room).await,
        None => Err(ConnectionError::Closed("a game in this process has no lobby".into())),
    }
}

/// Waits for Ctrl-C, or for SIGTERM from a service manager.
pub(super) async fn interrupted() {
    // If no handler can be set, the signal ends the process by itself.
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}

/// Whether an environment variable has a fitting value.
fn is_set(variable: &str, fits: impl FnOnce(&str) -> bool) -> bool {
    env::var(variable).is_ok_and(|value| fits(&value))
}
