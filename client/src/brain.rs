//! Our bots as a brain of Gomocup: a program that any manager of that protocol can play with.
//!
//! [`run`] reads commands and writes replies; what a command means is in `game`, the choices
//! of an opening in `opening`, how long a move may take in `time`. It knows no server and no room.

mod game;
mod opening;
mod time;

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, SyncSender},
    },
    thread,
    time::Instant,
};

use fivefold_shared::{
    bot::BotSpec,
    notation::gomocup::{Command, CommandError, Reader, Reply},
};

use self::game::{Answer, Game};
use crate::program::read_line;

/// Commands that may wait while a move is thought about.
const QUEUE: usize = 256;

/// What its operator decides about a brain.
#[derive(Clone, Copy, Debug)]
pub struct BrainOptions {
    /// Which bot plays.
    pub bot: BotSpec,
    /// How much memory it may use to remember positions, in bytes.
    pub hash_bytes: usize,
    /// What settles whatever it leaves to chance.
    pub seed: u64,
}

/// A command, or what is wrong with it, and when it came.
struct Heard {
    at: Instant,
    command: Result<Command, CommandError>,
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
    let stop = Arc::new(AtomicBool::new(false));
    let heard = listen(input, Arc::clone(&stop));
    let mut game = Game::new(options);
    for Heard { at, command } in heard {
        let replies = match command {
            Ok(Command::End) => return Ok(()),
            Ok(Command::Stop) => {
                // It was for the move before, which is made by now.
                stop.store(false, Ordering::Relaxed);
                continue;
            }
            Ok(command) => match game.obey(command, at, &stop) {
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
    Ok(())
}

/// Reads on a thread of its own, so that thinking can be called off. The thread ends with the input
/// or with the process: a read cannot be called off.
fn listen(input: impl Read + Send + 'static, stop: Arc<AtomicBool>) -> Receiver<Heard> {
    let (give, heard) = mpsc::sync_channel(QUEUE);
    thread::spawn(move || pass_on(BufReader::new(input), &stop, &give));
    heard
}

fn pass_on(mut input: impl BufRead, stop: &AtomicBool, give: &SyncSender<Heard>) {
    let mut reader = Reader::default();
    while let Ok(Some(line)) = read_line(&mut input) {
        let at = Instant::now();
        let Some(command) = reader.line(&line) else { continue };
        let is_last = command == Ok(Command::End);
        if is_last || command == Ok(Command::Stop) {
            stop.store(true, Ordering::Relaxed);
        }
        if give.send(Heard { at, command }).is_err() || is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
