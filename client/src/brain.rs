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
        atomic::{AtomicBool, Ordering, fence},
        mpsc::{self, Receiver, SyncSender, TryRecvError},
    },
    thread,
    time::Instant,
};

use fivefold_shared::{
    bot_spec::BotSpec,
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
    /// Whether it thinks while the other side does, unless the manager says otherwise.
    pub ponder: bool,
}

/// A command, or what is wrong with it, and when it came.
struct Heard {
    at: Instant,
    command: Result<Command, CommandError>,
}

/// What calls thinking off.
#[derive(Debug, Default)]
struct Calls {
    /// The thinking about a move: `END` and `YXSTOP`.
    stop: AtomicBool,
    /// The thinking while the other side does: whatever is heard.
    any: AtomicBool,
}

impl Calls {
    /// A command was just handed over, or there will be none.
    fn heard(&self) {
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
    let calls = Arc::new(Calls::default());
    let heard = listen(input, Arc::clone(&calls));
    let mut game = Game::new(options);
    loop {
        // Either a command is seen below or its call comes after this: see `Calls::heard`.
        calls.any.store(false, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let next = match heard.try_recv() {
            Err(TryRecvError::Empty) => {
                game.ponder(&calls.any);
                heard.recv().ok()
            }
            next => next.ok(),
        };
        let Some(Heard { at, command }) = next else { return Ok(()) };
        let replies = match command {
            Ok(Command::End) => return Ok(()),
            Ok(Command::Stop) => {
                // It was for the move before, which is made by now.
                calls.stop.store(false, Ordering::Relaxed);
                continue;
            }
            Ok(command) => match game.obey(command, at, &calls.stop) {
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
fn listen(input: impl Read + Send + 'static, calls: Arc<Calls>) -> Receiver<Heard> {
    let (give, heard) = mpsc::sync_channel(QUEUE);
    thread::spawn(move || {
        pass_on(BufReader::new(input), &calls, &give);
        drop(give);
        calls.heard();
    });
    heard
}

fn pass_on(mut input: impl BufRead, calls: &Calls, give: &SyncSender<Heard>) {
    let mut reader = Reader::default();
    while let Ok(Some(line)) = read_line(&mut input) {
        let at = Instant::now();
        let Some(command) = reader.line(&line) else { continue };
        let is_last = command == Ok(Command::End);
        if is_last || command == Ok(Command::Stop) {
            calls.stop.store(true, Ordering::Relaxed);
        }
        if give.send(Heard { at, command }).is_err() || is_last {
            return;
        }
        calls.heard();
    }
}

#[cfg(test)]
mod tests;
