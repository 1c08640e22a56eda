//! Writing the log. A log that cannot be written never stops the server: lines are written by a
//! thread of their own, and those that the disk, the pipe or a slow reader refuse are counted and
//! lost.

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

/// How many lines of the log were lost.
#[derive(Clone, Debug, Default)]
pub struct LostLines {
    /// Could not be written.
    failed: Arc<AtomicU64>,
    /// AnalysisUpdate the queue full.
    dropped: Option<ErrorCounter>,
}

impl LostLines {
    /// How many so far.
    pub fn count(&self) -> u64 {
        let dropped = self.dropped.as_ref().map_or(0, ErrorCounter::dropped_lines);
        self.failed.load(Ordering::Relaxed) + u64::try_from(dropped).unwrap_or(u64::MAX)
    }
}

/// Keeps the log going until it is dropped, which writes the last lines.
#[derive(Debug)]
pub struct Logs {
    /// The count of lines that are lost.
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
        // Otherwise a line that cannot be written is reported on stderr, by a panic if need be.
        .log_internal_errors(false)
        .with_ansi(io::stderr().is_terminal());
    match format {
        LogFormat::Text => logs.init(),
        LogFormat::Json => logs.json().init(),
    }
    panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    Logs { lost, _thread: thread }
}

/// Standard error; what it does not take is counted.
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
        // Standard error has no buffer.
        Ok(())
    }
}
