//! The terminal screen: a board to play on with keys and mouse.
//!
//! [`run`] is the main loop over keys and clicks, table messages and signals. Each becomes an event
//! for the state in `app`, which returns effects to carry out, and `view` draws the state. State
//! and drawing know no terminal, clock or socket.

mod app;
mod draw_board;
mod draw_panel;
mod draw_screen;
mod keys;
mod layout;
mod options;
mod signals;
mod terminal;
mod theme;

use std::{io, time::Duration};

use crossterm::event::{Event as Input, EventStream, KeyEventKind};
use futures_util::StreamExt;

use self::{
    app::{App, Effect, Event},
    signals::{Signal, Signals},
    terminal::Screen,
};
pub use self::{options::Options, theme::Glyphs};
use crate::{
    exit_reason::ExitReason,
    table::{Table, TableEvent},
};

/// The interval between drawings while a clock on the screen runs.
const TICK: Duration = Duration::from_millis(100);

/// Shows the table until the person leaves; the caller keeps the table and closes it. Restores the
/// terminal on every way out, panics included.
///
/// # Errors
/// When standard input and output are no terminal, or the terminal fails.
pub async fn run(table: &mut Table, options: Options) -> io::Result<ExitReason> {
    let link = table.link().unwrap_or_default();
    let mut app = App::new(table.room().clone(), table.me().clone(), link, options);
    app.update(Event::Spectators(table.spectators().clone()));
    app.update(Event::Away(table.away()));
    let mut signals = Signals::listen()?;
    let mut screen = Screen::take(options.mouse)?;
    let mut input = EventStream::new();
    let (columns, rows) = crossterm::terminal::size()?;
    app.update(Event::Resize(columns, rows));
    loop {
        app.update(Event::Tick(table.now()));
        let tick = async {
            match app.is_ticking() {
                true => tokio::time::sleep(TICK).await,
                false => std::future::pending().await,
            }
        };
        screen.draw(|frame| draw_screen::draw(&app, frame))?;
        let event = tokio::select! {
            event = input.next() => match event {
                Some(event) => from_terminal(event?),
                // The terminal is gone.
                None => return Ok(ExitReason::Interrupted),
            },
            event = table.next() => Some(from_table(event)),
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
        for effect in app.update(event) {
            match effect {
                Effect::Send(request) => {
                    table.send(request);
                }
                Effect::Bell => terminal::ring()?,
                Effect::Mouse(mouse) => screen.take_mouse(mouse)?,
                Effect::Suspend => {
                    terminal::give_back()?;
                    signals::stop()?;
                    screen.enter()?;
                }
                Effect::Redraw => screen.clear()?,
                Effect::Exit(reason) => return Ok(reason),
            }
        }
    }
}

/// Converts a terminal input to an event, if the screen uses it.
fn from_terminal(input: Input) -> Option<Event> {
    match input {
        Input::Key(key) => (key.kind != KeyEventKind::Release).then_some(Event::Key(key)),
        Input::Mouse(mouse) => Some(Event::Mouse(mouse)),
        Input::Paste(text) => Some(Event::Paste(text)),
        Input::Resize(columns, rows) => Some(Event::Resize(columns, rows)),
        Input::FocusGained | Input::FocusLost => None,
    }
}

fn from_table(event: TableEvent) -> Event {
    match event {
        TableEvent::Message(message) => Event::Heard(*message),
        TableEvent::Lost { reason, retry_in } => {
            let seconds = retry_in.as_secs_f32();
            Event::Lost(format!("Trying again in {seconds:.1} s ({reason})."))
        }
        TableEvent::Back => Event::Back,
        TableEvent::BotFailed => Event::BotFailed,
        TableEvent::Ended { reason } => Event::Closed(reason),
    }
}
