//! Writes the log. A failing log never stops the server: a thread of its own writes the lines, and
//! counts and drops those that the disk, the pipe or a slow reader refuses.

use std::{
    io::{self, IsTerminal, Write},
    panic,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use crate::limits::LOG_LINES_MAX;

/// How log lines are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Counts lost log lines.
#[derive(Clone, Debug, Default)]
pub struct LostLines {
    /// Lines that could not be written.
    failed: Arc<AtomicU64>,
    /// Lines dropped because the queue was full.
    dropped: Option<ErrorCounter>,
}

impl LostLines {
    /// Number of lines lost so far.
    pub fn count(&self) -> u64 {
        let dropped = self.dropped.as_ref().map_or(0, ErrorCounter::dropped_lines);
        self.failed.load(Ordering::Relaxed) + u64::try_from(dropped).unwrap_or(u64::MAX)
    }
}

/// Keeps the log running. Dropping it writes the last lines.
#[derive(Debug)]
pub struct Logs {
    /// Counter of lost lines.
    pub lost: LostLines,
    _thread: WorkerGuard,
}

/// Logs to stderr from here on, panics included.
pub fn start(filter: EnvFilter, format: LogFormat) -> Logs {
    let failed = Arc::<AtomicU64>::default();
    let sink = Sink { failed: Arc::clone(&failed) };
    let (writer, thread) = NonBlockingBuilder::default()
        .buffered_lines_limit(LOG_LINES_MAX)
        .thread_name("log")
        .finish(sink);
    let lost = LostLines { failed, dropped: Some(writer.error_counter()) };
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        // Otherwise the subscriber reports a failed write on stderr, which may panic.
        .log_internal_errors(false)
        .with_ansi(io::stderr().is_terminal());
    match format {
        LogFormat::Text => logs.init(),
        LogFormat::Json => logs.json().init(),
    }
    panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    Logs { lost, _thread: thread }
}

/// Standard error; counts the lines that cannot be written.
#[derive(Debug)]
struct Sink {
    failed: Arc<AtomicU64>,
}

impl Write for Sink {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if io::stderr().write_all(line).is_err() {
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        // Standard error is not buffered.
        Ok(())
    }
}
