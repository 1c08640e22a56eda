//! Plays by lines: reads typed commands and writes lines. A [`View`] formats them.

use std::{
    future::Future,
    io::{self, BufRead, Read},
    pin::pin,
    thread,
};

use fivefold_shared::protocol::{CommandId, Event, Message, Phase};
use tokio::sync::mpsc;

use crate::{
    lines::typed_command::{LineAction, TypedCommand, TypedError},
    play::{
        exit_reason::ExitReason,
        table::{Table, TableEvent},
    },
    server::{connection::Welcome, room_link::ServerAddress},
};

/// Longest line of input, in bytes; the rest counts as the next line.
const LINE_BYTES_MAX: u64 = 1_000;
/// Lines of input that may wait.
const INPUT_QUEUE: usize = 64;

/// How a table is shown line by line.
pub trait View {
    /// The server has accepted our hello.
    ///
    /// # Errors
    /// When the output cannot be written, as for all methods here.
    fn connected(&mut self, server: &ServerAddress, welcome: &Welcome) -> io::Result<()>;
    /// We have joined the room.
    fn joined(&mut self, table: &Table) -> io::Result<()>;
    /// An event, which the table has already applied.
    fn event(&mut self, table: &Table, event: &TableEvent) -> io::Result<()>;
    /// A line of input was not understood.
    fn misread(&mut self, table: &Table, error: &TypedError) -> io::Result<()>;
    /// Show the whole state.
    fn state(&mut self, table: &Table) -> io::Result<()>;
    /// Show the commands.
    fn help(&mut self) -> io::Result<()>;
    /// We are about to leave the room.
    fn leaving(&mut self, table: &Table) -> io::Result<()>;
}

/// Runs a table until the person leaves; the caller keeps the table and closes it. At the end of the
/// input it stays as long as the game can continue without it: until the game has ended or the move
/// is ours.
///
/// # Errors
/// When the output cannot be written.
pub async fn run(
    table: &mut Table,
    view: &mut dyn View,
    input: &mut mpsc::Receiver<String>,
    interrupt: impl Future<Output = ()>,
) -> io::Result<ExitReason> {
    let mut interrupt = pin!(interrupt);
    let mut has_input = true;
    let mut unanswered: Vec<CommandId> = Vec::new();
    // The last move and the end of the game are two events: stay until both have come.
    let mut end_due = false;
    // How many requests to block, mute or report somebody have no answer yet.
    let mut asked = 0_usize;
    view.joined(table)?;
    let exit_reason = loop {
        if !has_input && unanswered.is_empty() && asked == 0 && !end_due && needs_input(table) {
            break ExitReason::Left;
        }
        tokio::select! {
            biased;
            () = &mut interrupt => break ExitReason::Interrupted,
            event = table.next() => {
                view.event(table, &event)?;
                if let Some(way_out) = table.way_out(&event) {
                    return Ok(way_out);
                }
                match event {
                    TableEvent::Message(message) => {
                        unanswered.retain(|id| message.answers() != Some(id));
                        if let Message::Event { event, .. } = &*message {
                            end_due = matches!(event.event, Event::Played { .. })
                                && table.room().running().is_none();
                        }
                        if let Message::Closed { text, .. } = *message {
                            break ExitReason::Ended(text);
                        }
                    }
                    TableEvent::Ended { reason } => break ExitReason::Ended(reason),
                    TableEvent::Lost { .. } => end_due = false,
                    TableEvent::AboutPerson { .. } => asked = asked.saturating_sub(1),
                    TableEvent::Restored { .. } => end_due = false,
                    TableEvent::Back | TableEvent::BotFailed => {}
                }
            }
            line = input.recv(), if has_input => match line {
                None => has_input = false,
                Some(line) => match run_line(table, view, &line)? {
                    LineOutcome::Sent(id) => unanswered.push(id),
                    LineOutcome::Asked => asked += 1,
                    LineOutcome::OutputMode => {}
                    LineOutcome::Left => break ExitReason::Left,
                },
            },
        }
    };
    view.leaving(table)?;
    Ok(exit_reason)
}

enum LineOutcome {
    Sent(CommandId),
    /// About a person, beside the socket.
    Asked,
    OutputMode,
    Left,
}

fn run_line(table: &mut Table, view: &mut dyn View, line: &str) -> io::Result<LineOutcome> {
    let typed = match TypedCommand::parse(line, table.room().rules.size()) {
        Ok(Some(typed)) => typed,
        Ok(None) => return Ok(LineOutcome::OutputMode),
        Err(error) => return view.misread(table, &error).map(|()| LineOutcome::OutputMode),
    };
    match typed.action(table) {
        Ok(LineAction::Request(request)) => return Ok(LineOutcome::Sent(table.send(request))),
        Ok(LineAction::ToServer(answer)) => {
            if let Some(id) = table.send_to_server(answer) {
                return Ok(LineOutcome::Sent(id));
            }
        }
        Ok(LineAction::About(request)) => {
            table.about(request);
            return Ok(LineOutcome::Asked);
        }
        Ok(LineAction::Board) => view.state(table)?,
        Ok(LineAction::Help) => view.help()?,
        Ok(LineAction::Leave) => return Ok(LineOutcome::Left),
        Err(error) => view.misread(table, &error)?,
    }
    Ok(LineOutcome::OutputMode)
}

/// Whether the game waits for input: it has ended, or the move is ours.
fn needs_input(table: &Table) -> bool {
    match table.room().phase() {
        Phase::Running => table.is_my_turn(),
        Phase::Finished => true,
        Phase::Waiting => table.room().game.is_some(),
    }
}

/// Reads standard input line by line on a thread of its own: a read cannot be cancelled, and the
/// process must be able to end without it.
pub fn standard_input() -> mpsc::Receiver<String> {
    let (give, lines) = mpsc::channel(INPUT_QUEUE);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let mut line = Vec::new();
            match (&mut input).take(LINE_BYTES_MAX).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {
                    let line = String::from_utf8_lossy(&line).into_owned();
                    if give.blocking_send(line).is_err() {
                        return;
                    }
                }
            }
        }
    });
    lines
}
