//! Our bots as a brain of Gomocup: a program that any manager of that protocol can play with.
//!
//! [`run`] reads commands and writes replies; what a command means is in `game`, the choices
//! of an opening in `opening`, how long a move may take in `time`. It knows no server and no room.

mod commands;
mod move_time;
mod swap2;

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
use crate::engine_process::read_line;

/// Commands that may wait while a move is thought about.
const QUEUE: usize = 256;

/// A command, or what is wrong with it, and when it came.
struct TimedCommand {
    at: Instant,
    command: Result<Command, CommandError>,
}

/// What cancel thinking off.
#[derive(Debug, Default)]
struct CancelFlags {
    /// The thinking about a move: `END` and `YXSTOP`.
    stop: AtomicBool,
    /// The thinking while the other side does: whatever is commands.
    any: AtomicBool,
}

impl CancelFlags {
    /// A command was just handed over, or there will be none.
    fn command_arrived(&self) {
        // That must be seen by whoever does not see this call.
        fence(Ordering::SeqCst);
        self.any.store(true, Ordering::Relaxed);
    }
}

/// Plays until the manager says `END` or its input ends.
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
        // Either a command is seen below or its call comes after this: see `CancelFlags::commands`.
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
                // It was for the move before, which is made by now.
                cancel.stop.store(false, Ordering::Relaxed);
                continue;
            }
            Ok(command) => match game.run_command(command, at, &cancel.stop) {
                Answer::Nothing => continue,
                Answer::Replies(replies) => replies,
            },
            Err(CommandError::Unknown(text)) => vec![Reply::Unknown(text)],
            Err(error @ CommandError::Malformed(_)) => vec![Reply::Error(error.to_string())],
        };
        for reply in replies {
            writeln!(output, "{reply}")?;
        }
        output.flush()?;
        game.answered(at);
    }
}

/// Reads on a thread of its own, so that thinking can be called off. The thread ends with the input
/// or with the process: a read cannot be called off.
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
