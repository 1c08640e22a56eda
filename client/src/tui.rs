//! The terminal screen: a board to play on with keys and mouse, and the lobby before it.
//!
//! [`run`] is the main loop over keys and clicks, table messages and signals. Each becomes an event
//! for the state in `app`, which returns effects to carry out, and `view` draws the state. State
//! and drawing know no terminal, clock or socket.

mod app;
mod draw_board;
mod draw_lobby;
mod draw_panel;
mod draw_screen;
mod keys;
mod layout;
mod lobby_screen;
mod options;
mod signals;
mod terminal;
mod theme;
mod wrapping;

use std::{fmt, io, time::Duration};

use crossterm::event::{Event as Input, EventStream, KeyEvent, KeyEventKind};
use futures_util::StreamExt;

use self::{
    app::{App, Effect, Event},
    lobby_screen::{LobbyEffect, LobbyInput, LobbyScreen},
    signals::{Signal, Signals},
    terminal::Screen,
};
pub use self::{options::Options, theme::Glyphs};
use crate::{
    game_files,
    play::{
        exit_reason::ExitReason,
        lobby::Lobby,
        table::{Table, TableEvent},
    },
};

/// The interval between drawings while a clock on the screen runs.
const TICK: Duration = Duration::from_millis(100);

/// The interval between other drawings.
const SLOW_TICK: Duration = Duration::from_secs(1);

/// The terminal, taken for screens until this is dropped. It is restored on every way out, panics
/// included.
pub struct TakenTerminal {
    screen: Screen,
    input: EventStream,
    signals: Signals,
    options: Options,
}

impl TakenTerminal {
    /// Takes the terminal.
    ///
    /// # Errors
    /// When standard input and output are no terminal, or the terminal fails.
    pub fn take(options: Options) -> io::Result<Self> {
        let signals = Signals::listen()?;
        let screen = Screen::take(options.mouse)?;
        Ok(Self { screen, input: EventStream::new(), signals, options })
    }

    /// Waits until the person wants to leave, while nothing else reads their keys.
    pub async fn interrupted(&mut self) {
        loop {
            tokio::select! {
                event = self.input.next() => match event {
                    Some(Ok(Input::Key(key))) if is_exit(key) => return,
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return,
                },
                signal = self.signals.next() => match signal {
                    Signal::End => return,
                    Signal::Suspend | Signal::Continue => {}
                },
            }
        }
    }
}

impl fmt::Debug for TakenTerminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TakenTerminal").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Shows the lobby until a game begins or the person leaves. `notice` is shown first. With `stays`
/// it goes on after a seek or a challenge without a game.
///
/// # Errors
/// When the terminal fails.
pub async fn run_lobby(
    terminal: &mut TakenTerminal,
    lobby: &mut Lobby,
    notice: Option<&str>,
    stays: bool,
) -> io::Result<ExitReason> {
    let TakenTerminal { screen, input, signals, options } = terminal;
    let mut lobby_screen = LobbyScreen::new(lobby.server().to_string(), *options, stays);
    lobby_screen.update(lobby.state(), lobby.now(), LobbyInput::Notice(notice.unwrap_or_default()));
    loop {
        screen.draw(|frame| draw_lobby::draw(&lobby_screen, lobby.state(), lobby.now(), frame))?;
        let is_ticking = lobby_screen.is_lost() || lobby.state().changes_with_time(lobby.now());
        let tick = async {
            match is_ticking {
                true => tokio::time::sleep(TICK).await,
                false => std::future::pending().await,
            }
        };
        let event = tokio::select! {
            event = input.next() => match event.transpose()? {
                Some(Input::Key(key)) if key.kind != KeyEventKind::Release => LobbyInput::Key(key),
                Some(_) => continue,
                // The terminal is gone.
                None => return Ok(ExitReason::Interrupted),
            },
            event = lobby.next() => LobbyInput::Lobby(Box::new(event)),
            () = tick => continue,
            signal = signals.next() => match signal {
                Signal::End => return Ok(ExitReason::Interrupted),
                Signal::Suspend => LobbyInput::Suspend,
                Signal::Continue => {
                    screen.enter()?;
                    continue;
                }
            },
        };
        for effect in lobby_screen.update(lobby.state(), lobby.now(), event) {
            match effect {
                LobbyEffect::Begin(search) => {
                    lobby.begin(search).unwrap_or_else(|error| lobby_screen.failed(error));
                }
                LobbyEffect::Cancel => match lobby.cancel() {
                    Ok(_) if !stays => return Ok(ExitReason::Left),
                    Ok(_) => {}
                    Err(error) => lobby_screen.failed(error),
                },
                LobbyEffect::Accept(seek) => lobby.accept(seek),
                LobbyEffect::Decline(seek) => lobby.decline(seek),
                LobbyEffect::Bell => terminal::ring()?,
                LobbyEffect::Suspend => suspend(screen)?,
                LobbyEffect::Redraw => screen.clear()?,
                LobbyEffect::Exit(reason) => return Ok(reason),
            }
        }
    }
}

/// Whether a key leaves the program at once.
fn is_exit(key: KeyEvent) -> bool {
    keys::chord(key) == Some(keys::Action::Interrupt)
}

/// Stops the program until it is continued.
fn suspend(screen: &mut Screen) -> io::Result<()> {
    terminal::give_back()?;
    signals::stop()?;
    screen.enter()
}

/// Shows the table until the person leaves; the caller keeps the table and closes it. `notice` is shown
/// first.
///
/// # Errors
/// When the terminal fails.
pub async fn run(
    terminal: &mut TakenTerminal,
    table: &mut Table,
    notice: Option<&str>,
) -> io::Result<ExitReason> {
    let TakenTerminal { screen, input, signals, options } = terminal;
    let link = table.link().unwrap_or_default();
    let mut app = App::new(table.room().clone(), table.me().clone(), link, *options);
    notice.into_iter().for_each(|notice| app.say(notice));
    app.update(Event::Spectators(table.spectators().clone()));
    let claim_after_ms = table.claim_after_ms();
    if table.is_stored() {
        app.update(Event::Stored);
    }
    app.update(Event::Away { away: table.away(), claim_after_ms });
    loop {
        app.update(tick_of(table));
        screen.draw(|frame| draw_screen::draw(&mut app, frame))?;
        let tick = async {
            // A server may fall silent at any time.
            tokio::time::sleep(if app.is_ticking() { TICK } else { SLOW_TICK }).await;
        };
        let event = tokio::select! {
            event = input.next() => match event {
                Some(event) => from_terminal(event?),
                // The terminal is gone.
                None => return Ok(ExitReason::Interrupted),
            },
            event = table.next() => match table.way_out(&event) {
                Some(way_out) => return Ok(way_out),
                None => Some(from_table(event)),
            },
            () = tick => None,
            signal = signals.next() => match signal {
                Signal::End => return Ok(ExitReason::Interrupted),
                Signal::Suspend => Some(Event::Suspend),
                Signal::Continue => {
                    screen.enter()?;
                    None
                }
            },
        };
        let Some(event) = event else { continue };
        app.update(tick_of(table));
        for effect in app.update(event) {
            match effect {
                Effect::Send(request) => {
                    let id = table.send(request.clone());
                    app.update(Event::Sent(id, request));
                }
                Effect::Save => {
                    let saved =
                        game_files::save(table.room()).map_err(|error| format!("{error:#}"));
                    app.update(Event::Saved(saved));
                }
                Effect::ToServer(answer) => {
                    table.send_to_server(answer);
                }
                Effect::About(request) => table.about(request),
                Effect::Bell => terminal::ring()?,
                Effect::Mouse(mouse) => {
                    options.mouse = mouse;
                    screen.take_mouse(mouse)?;
                }
                Effect::Suspend => suspend(screen)?,
                Effect::Redraw => screen.clear()?,
                Effect::Exit(reason) => return Ok(reason),
            }
        }
    }
}

fn tick_of(table: &Table) -> Event {
    let silent_ms = u64::try_from(table.silence().as_millis()).unwrap_or(u64::MAX);
    Event::Tick { now: table.now(), silent_ms }
}

/// Converts a terminal input to an event, if the screen uses it.
fn from_terminal(input: Input) -> Option<Event> {
    match input {
        Input::Key(key) => (key.kind != KeyEventKind::Release).then_some(Event::Key(key)),
        Input::Mouse(mouse) => Some(Event::Mouse(mouse)),
        Input::Paste(text) => Some(Event::Paste(text)),
        // The next drawing asks for the size itself.
        Input::Resize(..) | Input::FocusGained | Input::FocusLost => None,
    }
}

fn from_table(event: TableEvent) -> Event {
    match event {
        TableEvent::Message(message) => Event::Heard(*message),
        TableEvent::Lost { reason, retry_in } => {
            let retry_ms = u64::try_from(retry_in.as_millis()).unwrap_or(u64::MAX);
            Event::Lost { reason, retry_ms }
        }
        TableEvent::Restored { moves } => Event::Restored(moves),
        TableEvent::Back => Event::Back,
        TableEvent::BotFailed => Event::BotFailed,
        TableEvent::AboutPerson { text, done } => Event::AboutPerson(text, done),
        TableEvent::Ended { reason } => Event::Closed(reason),
    }
}
