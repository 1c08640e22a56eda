//! Asks for a line on the terminal, and for a password without showing it.

use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::bail;
use crossterm::{
    event::{Event, EventStream, KeyCode, KeyEventKind, KeyModifiers},
    terminal::{disable_raw_mode, enable_raw_mode},
};
use futures_util::StreamExt;

use crate::terminal::{
    end_signals::{EndSignals, Interrupt},
    output,
};

/// Most characters of an answer.
const ANSWER_MAX: usize = 1_000;

/// Reads a line of standard input.
///
/// # Errors
/// When there is none.
pub fn line(question: &str) -> anyhow::Result<String> {
    ask(question)?;
    let mut answer = String::new();
    if io::stdin().lock().read_line(&mut answer)? == 0 {
        bail!("there is no answer on standard input");
    }
    Ok(answer.trim_end_matches(['\r', '\n']).to_owned())
}

/// Reads a password: from the terminal, which does not show it, or as the first line of standard input, and
/// says that it waits for one.
///
/// # Errors
/// As for [`secret`] and [`line()`].
pub async fn password() -> anyhow::Result<String> {
    match io::stdin().is_terminal() {
        true => secret("Password: ").await,
        false => line("Password, as a line of standard input:\n"),
    }
}

/// Reads a password from the terminal, which does not show it.
///
/// # Errors
/// When the terminal fails, at Ctrl-C and Ctrl-D, or at a signal that ends the program.
pub async fn secret(question: &str) -> anyhow::Result<String> {
    ask(question)?;
    let mut signals = EndSignals::listen(Interrupt::Keys)?;
    let quiet = Quiet::begin()?;
    let answer = tokio::select! {
        answer = typed() => answer,
        () = signals.next() => Err(anyhow::anyhow!("interrupted")),
    };
    drop(quiet);
    writeln!(output::stderr())?;
    answer
}

fn ask(question: &str) -> io::Result<()> {
    let mut talk = output::stderr();
    write!(talk, "{question}")?;
    talk.flush()
}

async fn typed() -> anyhow::Result<String> {
    let mut keys = EventStream::new();
    let mut answer = String::new();
    loop {
        let Some(event) = keys.next().await else { bail!("the terminal is gone") };
        let Event::Key(key) = event? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        match key.code {
            KeyCode::Enter => return Ok(answer),
            KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                bail!("interrupted");
            }
            KeyCode::Char(letter) if answer.chars().count() < ANSWER_MAX => answer.push(letter),
            KeyCode::Backspace => drop(answer.pop()),
            _ => {}
        }
    }
}

/// While this lives, the terminal shows nothing that is typed.
struct Quiet;

impl Quiet {
    fn begin() -> io::Result<Self> {
        enable_raw_mode()?;
        Ok(Self)
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // There is nothing else to try.
        drop(disable_raw_mode());
    }
}
