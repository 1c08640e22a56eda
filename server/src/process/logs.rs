//! Writes the log. A failing log never stops the server: a thread of its own writes the lines, and
//! counts and drops those that the disk, the pipe or a slow reader refuses.

use std::{
    fmt,
    io::{self, IsTerminal, Write},
    panic,
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use serde_json::json;
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    EnvFilter,
    filter::ParseError,
    fmt::{
        Formatter,
        format::{self, DefaultFields, Format, Full, Json, JsonFields},
        time::{FormatTime, SystemTime},
    },
    reload::Handle,
};

use crate::limits::LOG_LINES_MAX;

/// The levels of the log, most important first.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Targets whose lines matter only if they are warnings. The first logs whole messages, and some contain
/// identities. The second logs each attempt to connect; the bus logs what matters.
const QUIET: &str = "tungstenite=warn,async_nats=off";

/// A level of the log, or levels of single targets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogFilter(String);

/// Why a text does not say what to log.
#[derive(Debug, thiserror::Error)]
pub enum LogFilterError {
    /// A word that is no level.
    #[error(
        "`{0}` is not a level: write off, error, warn, info, debug or trace, or levels for targets such as \
         `info,fivefold_server=debug`"
    )]
    Level(String),
    /// No name of a target.
    #[error(transparent)]
    Target(#[from] ParseError),
}

impl Default for LogFilter {
    fn default() -> Self {
        Self("info".to_owned())
    }
}

impl fmt::Display for LogFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for LogFilter {
    type Err = LogFilterError;

    fn from_str(text: &str) -> Result<Self, LogFilterError> {
        let mut parts = Vec::new();
        for part in text.split(',').map(str::trim) {
            parts.push(match part.rsplit_once('=') {
                Some((target, word)) => format!("{target}={}", level(word)?),
                None => level(part)?.to_owned(),
            });
        }
        // Levels of single targets say nothing about the others.
        if parts.iter().all(|part| part.contains('=')) {
            parts.insert(0, "info".to_owned());
        }
        let filter = parts.join(",");
        EnvFilter::try_new(&filter)?;
        Ok(Self(filter))
    }
}

/// A level as people write it.
fn level(word: &str) -> Result<&'static str, LogFilterError> {
    let word = word.trim().to_ascii_lowercase();
    let written = if word == "warning" { "warn" } else { word.as_str() };
    let known = LEVELS.into_iter().find(|level| *level == written);
    known.ok_or(LogFilterError::Level(word))
}

/// How log lines are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum LogFormat {
    /// For people.
    #[default]
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

/// Counts panics. Those that are caught count, too.
#[derive(Clone, Debug, Default)]
pub struct Panics(Arc<AtomicU64>);

impl Panics {
    /// Number of panics so far.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Keeps the log running. Dropping it writes the last lines.
#[derive(Debug)]
pub struct Logs {
    /// Counter of lost lines.
    pub lost: LostLines,
    /// Counter of panics.
    pub panics: Panics,
    /// Changes the filter.
    pub filter: FilterHandle,
    _thread: WorkerGuard,
}

/// Changes the filter of a running log.
#[derive(Clone, Debug)]
pub struct FilterHandle(Filtered);

#[derive(Clone, Debug)]
enum Filtered {
    Text(Handle<EnvFilter, Formatter<DefaultFields, Format<Full>, NonBlocking>>),
    Json(Handle<EnvFilter, Formatter<JsonFields, Format<Json>, NonBlocking>>),
}

impl FilterHandle {
    /// Logs by this filter from here on.
    pub fn set(&self, filter: &LogFilter) {
        let changed = env_filter(filter).map_err(|error| error.to_string()).and_then(|filter| {
            let changed = match &self.0 {
                Filtered::Text(handle) => handle.reload(filter),
                Filtered::Json(handle) => handle.reload(filter),
            };
            changed.map_err(|error| error.to_string())
        });
        if let Err(error) = changed {
            tracing::error!(error, "cannot change the log filter; the old one stays in effect");
        }
    }
}

fn env_filter(LogFilter(filter): &LogFilter) -> Result<EnvFilter, ParseError> {
    EnvFilter::try_new(format!("{filter},{QUIET}"))
}

/// Logs to stderr from here on, panics included.
///
/// # Errors
/// If the filter is unusable.
pub fn start(filter: &LogFilter, format: LogFormat) -> Result<Logs, ParseError> {
    let filter = env_filter(filter)?;
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
    let filter = FilterHandle(match format {
        LogFormat::Text => {
            let logs = logs.with_filter_reloading();
            let handle = logs.reload_handle();
            logs.init();
            Filtered::Text(handle)
        }
        LogFormat::Json => {
            let logs = logs.json().with_filter_reloading();
            let handle = logs.reload_handle();
            logs.init();
            Filtered::Json(handle)
        }
    });
    let panics = Panics::default();
    let counter = panics.clone();
    panic::set_hook(Box::new(move |panic| {
        counter.0.fetch_add(1, Ordering::Relaxed);
        tracing::error!("{panic}");
    }));
    Ok(Logs { lost, panics, filter, _thread: thread })
}

/// The line on stdout that says where the server is.
pub fn greeting(format: LogFormat, url: &str) -> String {
    line(format, &format!("Fivefold is at {url}/"), &format!("{url}/"))
}

/// The line after it with the link that makes the first operator, by this token.
pub fn operator_link(format: LogFormat, url: &str, token: &str) -> String {
    // What follows the sign is in no request, so in no log of a proxy.
    let link = format!("{url}/admin#{token}");
    let text = format!(
        "There is no operator yet. To become the operator, open this link (it works once): {link}"
    );
    line(format, &text, &link)
}

/// A line on stdout that names an address.
fn line(format: LogFormat, message: &str, url: &str) -> String {
    match format {
        LogFormat::Text => message.to_owned(),
        // As the lines of the log.
        LogFormat::Json => {
            let mut timestamp = String::new();
            // Writing to a string cannot fail.
            SystemTime.format_time(&mut format::Writer::new(&mut timestamp)).ok();
            let fields = json!({"message": message, "url": url});
            let target = "fivefold_server";
            json!({"timestamp": timestamp, "level": "INFO", "fields": fields, "target": target})
                .to_string()
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_levels_and_never_silences_by_mistake() {
        let cases = [
            ("info", Ok("info")),
            ("WARNING", Ok("warn")),
            ("off", Ok("off")),
            ("debug,audit=warning", Ok("debug,audit=warn")),
            ("fivefold_server=debug", Ok("info,fivefold_server=debug")),
            ("warn, fivefold_server=debug", Ok("warn,fivefold_server=debug")),
            ("verbose", Err("`verbose` is not a level: ")),
            ("fivefold_server", Err("`fivefold_server` is not a level: ")),
            ("fivefold_server=loud", Err("`loud` is not a level: ")),
            ("", Err("`` is not a level: ")),
            ("[=info", Err("invalid filter directive")),
        ];
        for (text, expected) in cases {
            match (text.parse::<LogFilter>(), expected) {
                (Ok(LogFilter(filter)), Ok(expected)) => assert_eq!(filter, expected, "{text}"),
                (Err(error), Err(expected)) => {
                    let error = error.to_string();
                    assert!(error.starts_with(expected), "{text}: {error}");
                }
                (filter, _) => panic!("{text}: {filter:?}"),
            }
        }
    }

    #[test]
    fn the_greeting_is_a_line_of_the_logs_format() {
        let url = "https://play.example";
        assert_eq!(greeting(LogFormat::Text, url), "Fivefold is at https://play.example/");
        let line: serde_json::Value =
            serde_json::from_str(&greeting(LogFormat::Json, url)).unwrap();
        assert_eq!(line["fields"]["url"], "https://play.example/");
        assert_eq!(line["level"], "INFO");
        assert_eq!(line["fields"]["message"], "Fivefold is at https://play.example/");
        assert!(line["timestamp"].as_str().is_some_and(|time| time.starts_with("20")), "{line}");
    }

    #[test]
    fn the_link_for_the_first_operator_has_its_token_behind_the_address() {
        let url = "https://play.example";
        let text = operator_link(LogFormat::Text, url, "0a1b");
        assert!(text.ends_with(" once): https://play.example/admin#0a1b"), "{text}");
        let line: serde_json::Value =
            serde_json::from_str(&operator_link(LogFormat::Json, url, "0a1b")).unwrap();
        assert_eq!(line["fields"]["url"], "https://play.example/admin#0a1b");
    }
}
