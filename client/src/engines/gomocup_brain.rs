//! Runs our bots as a Gomocup brain: any manager of that protocol can play against them.
//!
//! [`run`] reads commands and writes replies; `commands` executes them, `move_time` limits the time
//! of a move. Nothing here knows servers or rooms.

mod commands;
mod move_time;

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering, fence},
        mpsc::{self, Receiver, SyncSender, TryRecvError},
    },
    thread,
    time::Instant,
};

use fivefold_shared::notation::gomocup::{Command, CommandError, Reader, Reply};

pub use self::commands::BrainOptions;
use self::commands::{Answer, Game};
use crate::engines::engine_process::read_line;

/// Commands that may wait during a search.
const QUEUE: usize = 256;

/// A command or its error, and when it arrived.
struct TimedCommand {
    at: Instant,
    command: Result<Command, CommandError>,
}

/// Cancellation flags of a search.
#[derive(Debug, Default)]
struct CancelFlags {
    /// Cancels the search for a move: `END` and `YXSTOP`.
    stop: AtomicBool,
    /// Cancels pondering: any command.
    any: AtomicBool,
}

impl CancelFlags {
    /// A command was just queued, or the input has ended.
    fn command_arrived(&self) {
        // A reader that misses this flag must see the command: see `run`.
        fence(Ordering::SeqCst);
        self.any.store(true, Ordering::Relaxed);
    }
}

/// Plays until the manager sends `END` or its input ends.
///
/// # Errors
/// When a reply cannot be written.
pub fn run(
    options: BrainOptions,
    input: impl Read + Send + 'static,
    mut output: impl Write,
) -> io::Result<()> {
    let cancel = Arc::new(CancelFlags::default());
    let commands = read_commands(input, Arc::clone(&cancel));
    let mut game = Game::new(options);
    loop {
        // Either `try_recv` sees the command, or the reader sets the flag after this: see
        // `command_arrived`.
        cancel.any.store(false, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let next = match commands.try_recv() {
            Err(TryRecvError::Empty) => {
                game.ponder(&cancel.any);
                commands.recv().ok()
            }
            next => next.ok(),
        };
        let Some(TimedCommand { at, command }) = next else { return Ok(()) };
        let replies = match command {
            Ok(Command::End) => return Ok(()),
            Ok(Command::Stop) => {
                // The flag was for the previous move, which is complete.
                cancel.stop.store(false, Ordering::Relaxed);
                continue;
            }
            Ok(command) => match game.run_command(command, at, &cancel.stop) {
                Answer::Nothing => continue,
                Answer::Replies(replies) => replies,
            },
            Err(CommandError::Unknown(word)) => vec![game.unknown(word)],
            Err(error @ CommandError::Malformed(_)) => vec![Reply::Error(error.to_string())],
        };
        for reply in replies {
            writeln!(output, "{reply}")?;
        }
        output.flush()?;
        game.answered(at);
    }
}

/// Reads on a thread of its own, so that a search can be cancelled. The thread ends with the input
/// or with the process, because a read cannot be cancelled.
fn read_commands(
    input: impl Read + Send + 'static,
    cancel: Arc<CancelFlags>,
) -> Receiver<TimedCommand> {
    let (sender, commands) = mpsc::sync_channel(QUEUE);
    thread::spawn(move || {
        forward_commands(BufReader::new(input), &cancel, &sender);
        drop(sender);
        cancel.command_arrived();
    });
    commands
}

fn forward_commands(
    mut input: impl BufRead,
    cancel: &CancelFlags,
    sender: &SyncSender<TimedCommand>,
) {
    let mut reader = Reader::default();
    while let Ok(Some(line)) = read_line(&mut input) {
        let at = Instant::now();
        let Some(command) = reader.line(&line) else { continue };
        let is_last = command == Ok(Command::End);
        if is_last || command == Ok(Command::Stop) {
            cancel.stop.store(true, Ordering::Relaxed);
        }
        if sender.send(TimedCommand { at, command }).is_err() || is_last {
            return;
        }
        cancel.command_arrived();
    }
}

#[cfg(test)]
mod tests;
