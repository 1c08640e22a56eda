//! The only way to standard output and standard error. Sanitizes all printed text, whether it comes
//! from a server, a file, an engine or the command line.
//!
//! The screen draws directly, but only cells that went through [`sanitize`] too.

use std::{
    io::{self, IsTerminal, Stderr, Stdout, Write},
    panic::PanicHookInfo,
};

use crossterm::{
    cursor::MoveToColumn,
    terminal::{Clear, ClearType},
};

use crate::terminal::sanitize::{sanitize, sanitize_json, sanitize_lines};

/// Prints sanitized text. One `writeln!` prints one line, whatever its arguments contain;
/// [`lines`](Self::lines) prints trusted text of several lines.
#[derive(Debug)]
pub struct Output<W> {
    inner: W,
}

/// Standard output.
#[expect(clippy::disallowed_methods, reason = "here it is sanitized")]
pub fn stdout() -> Output<Stdout> {
    Output::new(io::stdout())
}

/// Standard error.
#[expect(clippy::disallowed_methods, reason = "here it is sanitized")]
pub fn stderr() -> Output<Stderr> {
    Output::new(io::stderr())
}

/// Standard output for the screen, which needs control sequences.
#[expect(clippy::disallowed_methods, reason = "the screen sanitizes each cell")]
pub(crate) fn terminal() -> Stdout {
    io::stdout()
}

/// Whether standard output is a terminal.
pub fn is_terminal() -> bool {
    terminal().is_terminal()
}

/// The width of the terminal on standard output, if it is one.
pub fn columns() -> Option<usize> {
    let (columns, _) = crossterm::terminal::size().ok().filter(|_| is_terminal())?;
    Some(columns.into())
}

/// A line on standard error that shows progress. Each line replaces the last. It is only shown in a
/// terminal.
#[derive(Debug, Default)]
pub(crate) struct ProgressLine {
    is_shown: bool,
}

impl ProgressLine {
    /// Whether standard error is a terminal.
    #[expect(clippy::disallowed_methods, reason = "nothing is printed")]
    pub(crate) fn is_seen() -> bool {
        io::stderr().is_terminal()
    }

    /// Shows a line in place of the last one.
    ///
    /// # Errors
    /// When standard error cannot be written.
    pub(crate) fn show(&mut self, text: &str) -> io::Result<()> {
        if !Self::is_seen() {
            return Ok(());
        }
        self.clear()?;
        self.is_shown = true;
        let width = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
        let text: String = text.chars().take(width.saturating_sub(1)).collect();
        let mut talk = stderr();
        write!(talk, "{text}")?;
        talk.flush()
    }

    /// Removes the line, so that others can be printed.
    ///
    /// # Errors
    /// When standard error cannot be written.
    #[expect(clippy::disallowed_methods, reason = "it only moves the cursor")]
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.is_shown) {
            return Ok(());
        }
        crossterm::execute!(io::stderr(), MoveToColumn(0), Clear(ClearType::CurrentLine))
    }
}

/// Prints why the program failed. Ignores a failure to print.
pub fn failed(error: &dyn std::fmt::Display) {
    drop(writeln!(stderr(), "fivefold: {error}"));
}

/// Prints a bug's panic message, in place of the default report.
pub fn panicked(info: &PanicHookInfo<'_>) {
    let backtrace = std::backtrace::Backtrace::capture();
    let mut talk = stderr();
    let place = info.location().map(|place| format!(" at {place}")).unwrap_or_default();
    let what = info.payload_as_str().unwrap_or("an unknown mistake");
    drop(writeln!(talk, "fivefold: a mistake in the program{place}: {what}"));
    if backtrace.status() == std::backtrace::BacktraceStatus::Captured {
        drop(talk.lines(&format!("{backtrace}\n")));
    }
}

impl<W: Write> Output<W> {
    /// Prints to `inner`.
    pub const fn new(inner: W) -> Self {
        Self { inner }
    }

    /// Prints a text of several lines, with unsafe characters replaced.
    ///
    /// # Errors
    /// When the output cannot be written, as for all methods here.
    pub fn lines(&mut self, text: &str) -> io::Result<()> {
        self.inner.write_all(sanitize_lines(text).as_bytes())
    }

    /// Prints JSON, and ends the line.
    ///
    /// # Errors
    /// See [`lines`](Self::lines).
    pub fn json(&mut self, json: &str) -> io::Result<()> {
        let json = sanitize_json(json.trim_end());
        self.inner.write_all(format!("{json}\n").as_bytes())
    }
}

impl<W: Write> Write for Output<W> {
    /// Prints bytes as a text of several lines.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lines(&String::from_utf8_lossy(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }

    /// Prints at most one line: a line break before the end is foreign.
    fn write_fmt(&mut self, text: std::fmt::Arguments<'_>) -> io::Result<()> {
        let text = text.to_string();
        let (line, end) = text.strip_suffix('\n').map_or((text.as_str(), ""), |line| (line, "\n"));
        self.inner.write_all(format!("{}{end}", sanitize(line)).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_macro_prints_one_line() {
        let mut printed = Vec::new();
        let mut out = Output::new(&mut printed);
        let hostile = "a\nfivefold: b\u{1b}[2J\u{202e}\r\n";
        writeln!(out, "received: {hostile}").unwrap();
        write!(&mut out as &mut dyn Write, "{hostile}").unwrap();
        out.lines("one\ntwo\u{9b}\n").unwrap();
        out.write_all(b"\x1b]0;title\x07\xff\n").unwrap();
        out.json("{\"a\":\"\u{202e}\"}").unwrap();
        let expected = "received: a fivefold: b [2J   \na fivefold: b [2J  \none\ntwo \n ]0;title \
                        \u{fffd}\n{\"a\":\"\\u202e\"}\n";
        assert_eq!(String::from_utf8(printed).unwrap(), expected);
    }
}
