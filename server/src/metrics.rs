//! Metrics for the operator: counters, gauges and histograms in the Prometheus text format.
//!
//! Everything that is refused, dropped or fails has a counter. No personal data is kept.

mod backups;
mod cluster;
mod format;
mod gauges;
mod labels;
mod links;
mod moderation;
mod pairing;
mod process;
mod pushes;
pub(crate) mod refused_connections;

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use fivefold_shared::protocol::{Message, Reason};
use fivefold_shared::room::BotFault;
use fivefold_storage::DiskSpace;
use prometheus_client::{
    encoding::{
        EncodeLabelSet, EncodeLabelValue, LabelValueEncoder,
        text::{encode_eof, encode_registry},
    },
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::{Registry, Unit},
};
use serde::{Deserialize, Serialize};

use self::{
    backups::BackupMetrics,
    cluster::ClusterMetrics,
    gauges::{NoLabels, level, set},
    links::LinkMetrics,
    moderation::ModerationMetrics,
    pairing::PairingMetrics,
    process::ProcessMetrics,
    pushes::PushMetrics,
};
pub(crate) use self::{
    format::MetricsFormat,
    links::{LinkDrop, ResetCause},
    pushes::PushResult,
};
use crate::net::connection_limit::Full;

/// All metrics.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    process: ProcessMetrics,
    http_requests: Family<CodeLabels, Counter>,
    http_time: Histogram,
    panics: Counter,
    commands: Family<CommandLabels, Counter>,
    refusals: Family<RefusalLabels, Counter>,
    turned_away: Family<FullLabels, Counter>,
    handshakes_refused: Family<CutLabels, Counter>,
    sessions_ended: Family<EndLabels, Counter>,
    http_cut: Family<CutLabels, Counter>,
    pictures: Family<PictureLabels, Counter>,
    levels: LevelGauges,
    outbox_depth: Gauge,
    mailbox_depth: Gauge,
    commit: Histogram,
    thinking: Histogram,
    database: Gauge,
    database_log: Gauge,
    disk_free: Gauge,
    /// Jobs and analyses dropped because the queue was full.
    pub(crate) thoughts_dropped: Counter,
    bot_faults: Family<FaultLabels, Counter>,
    commits_failed: Counter,
    lost_lines: Counter,
    /// Panics of rooms.
    pub(crate) rooms_failed: Counter,
    /// Rooms rebuilt from their logs.
    pub(crate) rooms_rebuilt: Counter,
    /// Rooms on several nodes.
    pub(crate) cluster: ClusterMetrics,
    /// Seeks and challenges.
    pub(crate) pairing: PairingMetrics,
    /// Reports and appeals.
    pub(crate) moderation: ModerationMetrics,
    /// Pushes to browsers.
    pub(crate) pushes: PushMetrics,
    /// E-mail.
    pub(crate) mails: PushMetrics,
    /// The links to other nodes.
    pub(crate) links: LinkMetrics,
    /// Backups.
    pub(crate) backups: BackupMetrics,
}

/// Values read only when metrics are requested.
#[derive(Clone, Debug, Default)]
pub(crate) struct Levels {
    pub(crate) sessions: usize,
    pub(crate) rooms: usize,
    pub(crate) games: usize,
    pub(crate) writer_queue: usize,
    pub(crate) thinking_queue: usize,
    pub(crate) rooms_set_aside: usize,
    /// Counted since the start.
    pub(crate) lost_lines: u64,
    /// How far the standby for reading is behind; zero without one.
    pub(crate) replica_lag: Duration,
    /// The same.
    pub(crate) panics: u64,
    /// Of each limit: its name, how much of it is in use, and the limit.
    pub(crate) limits: Vec<(&'static str, usize, usize)>,
    pub(crate) is_ready: bool,
    /// Whether the database takes what is stored.
    pub(crate) has_database: bool,
    /// Whether the bus carries messages; nothing on a server without one.
    pub(crate) has_bus: Option<bool>,
    /// The end of the TLS certificate in seconds since the Unix epoch, if there is one.
    pub(crate) certificate_end: Option<i64>,
}

/// What was counted since the start, for operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Totals {
    /// Commands of sessions that were done.
    pub(crate) done: u64,
    /// Those that were refused.
    pub(crate) refused: u64,
    /// Answers over HTTP.
    pub(crate) http: u64,
}

#[derive(Debug, Default)]
struct LevelGauges {
    sessions: Gauge,
    rooms: Gauge,
    games: Gauge,
    writer_queue: Gauge,
    thinking_queue: Gauge,
    rooms_set_aside: Gauge,
    replica_lag: Gauge<f64, AtomicU64>,
    limits: Family<LimitLabels, Gauge>,
    limits_used: Family<LimitLabels, Gauge>,
    ready: Gauge,
    database_up: Gauge,
    /// Without a label, and absent where there is none.
    bus_up: Family<NoLabels, Gauge>,
    certificate_end: Family<NoLabels, Gauge>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct LimitLabels {
    limit: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct CodeLabels {
    code: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct BuildLabels {
    version: &'static str,
    commit: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct CommandLabels {
    kind: &'static str,
    result: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct RefusalLabels {
    reason: ReasonLabel,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct FullLabels {
    full: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct FaultLabels {
    fault: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct EndLabels {
    code: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct CutLabels {
    why: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct PictureLabels {
    from: &'static str,
}

/// Where a picture comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PictureSource {
    /// It was drawn for this request.
    Drawn,
    /// It was drawn for an earlier one.
    Cache,
}

/// Why a connection was cut before it became a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cut {
    /// The body of an HTTP request did not arrive in time.
    Body,
    /// The client did not read a response in time.
    Answer,
}

/// The classes of answers over HTTP.
const HTTP_CODES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Why a connection was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RefusedFor {
    /// A limit.
    Full(Full),
    /// The connection was not encrypted as it should be.
    Tls,
    /// The request was no handshake of a WebSocket.
    Handshake,
    /// The page that opened the socket is of another site.
    ForeignPage,
}

/// A refusal reason, labelled by its name on the wire.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ReasonLabel(pub(crate) Reason);

impl fmt::Display for ReasonLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.serialize(f)
    }
}

impl EncodeLabelValue for ReasonLabel {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> fmt::Result {
        fmt::Write::write_fmt(encoder, format_args!("{self}"))
    }
}

impl Metrics {
    /// All metrics, at zero.
    pub(crate) fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("fivefold"),
            process: ProcessMetrics::new(),
            http_requests: Family::default(),
            // From 0.1 milliseconds to 13 seconds.
            http_time: Histogram::new(exponential_buckets(1e-4, 2.0, 18)),
            panics: Counter::default(),
            commands: Family::default(),
            refusals: Family::default(),
            turned_away: Family::default(),
            handshakes_refused: Family::default(),
            sessions_ended: Family::default(),
            http_cut: Family::default(),
            pictures: Family::default(),
            levels: LevelGauges::default(),
            outbox_depth: Gauge::default(),
            mailbox_depth: Gauge::default(),
            // From 50 microseconds to 1.6 seconds.
            commit: Histogram::new(exponential_buckets(50e-6, 2.0, 16)),
            // From 1 millisecond to 8 seconds.
            thinking: Histogram::new(exponential_buckets(1e-3, 2.0, 14)),
            database: Gauge::default(),
            database_log: Gauge::default(),
            disk_free: Gauge::default(),
            thoughts_dropped: Counter::default(),
            bot_faults: Family::default(),
            commits_failed: Counter::default(),
            lost_lines: Counter::default(),
            rooms_failed: Counter::default(),
            rooms_rebuilt: Counter::default(),
            cluster: ClusterMetrics::default(),
            pairing: PairingMetrics::default(),
            moderation: ModerationMetrics::default(),
            pushes: PushMetrics::default(),
            mails: PushMetrics::default(),
            links: LinkMetrics::default(),
            backups: BackupMetrics::default(),
        };
        metrics.register();
        metrics.register_levels();
        metrics.show_labels();
        metrics
    }

    fn register_levels(&mut self) {
        let (registry, levels) = (&mut self.registry, &self.levels);
        let build = Family::<BuildLabels, Gauge>::default();
        let (version, commit) = (env!("CARGO_PKG_VERSION"), fivefold_command_line::COMMIT);
        build.get_or_create(&BuildLabels { version, commit }).set(1);
        registry.register("build_info", "Version and commit of the server", build);
        let help = "Whether the server should get new clients, as /readyz says";
        registry.register("ready", help, levels.ready.clone());
        let help = "Whether the last commit was stored, or none failed lately";
        registry.register("database_up", help, levels.database_up.clone());
        let help = "Whether messages come back from the bus; absent without one";
        registry.register("bus_up", help, levels.bus_up.clone());
        let help = "End of the TLS certificate, in seconds since 1970; absent without one";
        let end = levels.certificate_end.clone();
        registry.register_with_unit("tls_certificate_end_timestamp", help, Unit::Seconds, end);
        registry.register("limit", "Limits of the server", levels.limits.clone());
        let help = "How much of each limit is in use";
        registry.register("limit_used", help, levels.limits_used.clone());
        let help = "Answers over HTTP, by the first digit of their status";
        registry.register("http_requests", help, self.http_requests.clone());
        let help = "From a request over HTTP to the head of its answer";
        registry.register_with_unit("http_request", help, Unit::Seconds, self.http_time.clone());
        registry.register("panics", "Faults of the program that ended a task", self.panics.clone());
    }

    /// Shows all counters before anything is counted.
    fn show_labels(&self) {
        for code in HTTP_CODES {
            drop(self.http_requests.get_or_create(&CodeLabels { code }));
        }
        for kind in labels::kinds() {
            for result in ["done", "refused"] {
                drop(self.commands.get_or_create(&CommandLabels { kind, result }));
            }
        }
        for reason in labels::reasons() {
            drop(self.refusals.get_or_create(&RefusalLabels { reason: ReasonLabel(reason) }));
        }
        for code in labels::CLOSE_CODES {
            drop(self.sessions_ended.get_or_create(&EndLabels { code: code.into() }));
        }
        for full in ["server", "address", "rate"] {
            drop(self.turned_away.get_or_create(&FullLabels { full }));
        }
        for why in ["tls", "handshake", "foreign_page"] {
            drop(self.handshakes_refused.get_or_create(&CutLabels { why }));
        }
        for why in ["body", "answer"] {
            drop(self.http_cut.get_or_create(&CutLabels { why }));
        }
        for from in ["drawn", "cache"] {
            drop(self.pictures.get_or_create(&PictureLabels { from }));
        }
        for fault in ["late", "no_answer", "illegal"] {
            drop(self.bot_faults.get_or_create(&FaultLabels { fault }));
        }
    }

    fn register(&mut self) {
        let registry = &mut self.registry;
        let levels = &self.levels;
        registry.register("sessions", "Sessions that are open", levels.sessions.clone());
        registry.register("rooms", "Rooms that are open and awake", levels.rooms.clone());
        registry.register("games", "Games that are running", levels.games.clone());
        let help = "Rooms that are damaged and not served";
        registry.register("rooms_set_aside", help, levels.rooms_set_aside.clone());
        let help = "Requests that wait for the writer of the store";
        registry.register("writer_queue", help, levels.writer_queue.clone());
        let help = "Jobs that wait for the bots' threads";
        registry.register("thinking_queue", help, levels.thinking_queue.clone());
        let help = "Commands that were answered, by their type and by how";
        registry.register("commands", help, self.commands.clone());
        registry.register("refusals", "Refusals, by reason", self.refusals.clone());
        let help = "Connections and sessions turned away at a limit, by which";
        registry.register("turned_away", help, self.turned_away.clone());
        let help = "Handshakes of TLS and of WebSockets that were refused, by why";
        registry.register("handshakes_refused", help, self.handshakes_refused.clone());
        let help = "Sessions that ended, by the code of the close frame; 0 where none was sent";
        registry.register("sessions_ended", help, self.sessions_ended.clone());
        let help = "Connections cut because a question did not come or an answer was not read";
        registry.register("http_cut", help, self.http_cut.clone());
        let help = "Pictures sent, by where they come from";
        registry.register("pictures", help, self.pictures.clone());
        let help = "Most messages that waited for one session, since the last look";
        registry.register("outbox_depth_max", help, self.outbox_depth.clone());
        let help = "Most inputs that waited for one room, since the last look";
        registry.register("mailbox_depth_max", help, self.mailbox_depth.clone());
        let help = "From handing events to the store to knowing that they are kept";
        registry.register_with_unit("commit", help, Unit::Seconds, self.commit.clone());
        let help = "How long bots thought about one job";
        registry.register_with_unit("thinking", help, Unit::Seconds, self.thinking.clone());
        let help = "Size of the database and its log";
        registry.register_with_unit("database", help, Unit::Bytes, self.database.clone());
        let help = "How far the standby is behind from which finished games are read";
        registry.register_with_unit(
            "database_replica_lag",
            help,
            Unit::Seconds,
            levels.replica_lag.clone(),
        );
        let help = "Size of the log of the database, the file -wal";
        registry.register_with_unit("database_log", help, Unit::Bytes, self.database_log.clone());
        let help = "Free space on the disk of the database";
        registry.register_with_unit("disk_free", help, Unit::Bytes, self.disk_free.clone());
        let help = "Jobs dropped because too many waited for the bots";
        registry.register("thoughts_dropped", help, self.thoughts_dropped.clone());
        let help = "Turns at which a bot had no good answer, by why";
        registry.register("bot_faults", help, self.bot_faults.clone());
        let help = "Times that a room's events could not be stored";
        registry.register("commits_failed", help, self.commits_failed.clone());
        let help = "Lines of the log that could not be written";
        registry.register("log_lines_lost", help, self.lost_lines.clone());
        registry.register("rooms_failed", "Times that a room panicked", self.rooms_failed.clone());
        let help = "Times that a room went back to its log";
        registry.register("rooms_rebuilt", help, self.rooms_rebuilt.clone());
        self.cluster.register(registry);
        self.pairing.register(registry);
        self.moderation.register(registry);
        let help = "Pushes to browsers of members who are away, by what became of them";
        self.pushes.register(registry, "pushes", help);
        let help = "E-mails, by what became of them";
        self.mails.register(registry, "mails", help);
        self.links.register(registry);
        self.backups.register(registry);
    }

    /// Counts the reply to a command of this type.
    pub(crate) fn answered(&self, kind: &'static str, answer: &Message) {
        let result = match answer {
            Message::Refused { refusal, .. } => {
                self.refused(refusal.reason);
                "refused"
            }
            answer if answer.answers().is_some() => "done",
            // Events and broadcasts are no replies.
            _ => return,
        };
        self.commands.get_or_create(&CommandLabels { kind, result }).inc();
    }

    /// Counts a refusal of a command of unknown type.
    pub(crate) fn refused(&self, reason: Reason) {
        self.refusals.get_or_create(&RefusalLabels { reason: ReasonLabel(reason) }).inc();
    }

    /// Counts a connection or a session that was refused.
    pub(crate) fn refused_connection(&self, why: RefusedFor) {
        match why {
            RefusedFor::Full(full) => {
                let full = match full {
                    Full::Server => "server",
                    Full::Address => "address",
                    Full::Rate => "rate",
                };
                self.turned_away.get_or_create(&FullLabels { full }).inc();
            }
            RefusedFor::Tls => self.refused_handshake("tls"),
            RefusedFor::Handshake => self.refused_handshake("handshake"),
            RefusedFor::ForeignPage => self.refused_handshake("foreign_page"),
        }
    }

    fn refused_handshake(&self, why: &'static str) {
        self.handshakes_refused.get_or_create(&CutLabels { why }).inc();
    }

    /// Counts a connection that was cut.
    pub(crate) fn cut(&self, why: Cut) {
        let why = match why {
            Cut::Body => "body",
            Cut::Answer => "answer",
        };
        self.http_cut.get_or_create(&CutLabels { why }).inc();
    }

    /// Counts a picture that is sent.
    pub(crate) fn sent_picture(&self, from: PictureSource) {
        let from = match from {
            PictureSource::Drawn => "drawn",
            PictureSource::Cache => "cache",
        };
        self.pictures.get_or_create(&PictureLabels { from }).inc();
    }

    /// Counts a session that has ended.
    pub(crate) fn session_ended(&self, code: Option<u16>) {
        let code = code.unwrap_or(0).into();
        self.sessions_ended.get_or_create(&EndLabels { code }).inc();
    }

    /// Records the number of messages that waited for a session.
    pub(crate) fn note_outbox(&self, depth: usize) {
        note_most(&self.outbox_depth, depth);
    }

    /// Records the number of inputs that waited for a room.
    pub(crate) fn note_mailbox(&self, depth: usize) {
        note_most(&self.mailbox_depth, depth);
    }

    /// Records the space that the database uses and has left.
    pub(crate) fn note_disk(&self, space: DiskSpace) {
        set(&self.database, space.used);
        set(&self.database_log, space.log);
        set(&self.disk_free, space.free);
    }

    /// Records the thinking time of a bot.
    pub(crate) fn note_thinking(&self, time: Duration) {
        self.thinking.observe(time.as_secs_f64());
    }

    /// Counts a failure of a bot.
    pub(crate) fn bot_failed(&self, fault: BotFault) {
        let fault = match fault {
            BotFault::Late => "late",
            BotFault::NoAnswer => "no_answer",
            BotFault::Illegal(_) | BotFault::IllegalAct => "illegal",
        };
        self.bot_faults.get_or_create(&FaultLabels { fault }).inc();
    }

    /// Records the duration of a successful commit.
    pub(crate) fn note_commit(&self, time: Duration) {
        self.commit.observe(time.as_secs_f64());
    }

    /// Counts a failed commit.
    pub(crate) fn note_failed_commit(&self) {
        self.commits_failed.inc();
    }

    /// Counts an answer over HTTP, and how long it took.
    pub(crate) fn answered_http(&self, status: u16, took: Duration) {
        let class = usize::from(status / 100).saturating_sub(1);
        let code = HTTP_CODES.get(class).copied().unwrap_or("5xx");
        self.http_requests.get_or_create(&CodeLabels { code }).inc();
        self.http_time.observe(took.as_secs_f64());
    }

    /// What was counted since the start.
    pub(crate) fn totals(&self) -> Totals {
        let commands = |result| {
            let count = |kind| self.commands.get_or_create(&CommandLabels { kind, result }).get();
            labels::kinds().map(count).sum()
        };
        let answers = |code| self.http_requests.get_or_create(&CodeLabels { code }).get();
        Totals {
            done: commands("done"),
            refused: commands("refused"),
            http: HTTP_CODES.into_iter().map(answers).sum(),
        }
    }

    /// All metrics as OpenMetrics. Resets those counted "since the last look".
    pub(crate) fn render(&self, levels: &Levels) -> String {
        set(&self.levels.sessions, levels.sessions);
        set(&self.levels.rooms, levels.rooms);
        set(&self.levels.games, levels.games);
        set(&self.levels.writer_queue, levels.writer_queue);
        set(&self.levels.thinking_queue, levels.thinking_queue);
        set(&self.levels.rooms_set_aside, levels.rooms_set_aside);
        self.levels.replica_lag.set(levels.replica_lag.as_secs_f64());
        self.lost_lines.inc_by(levels.lost_lines.saturating_sub(self.lost_lines.get()));
        self.panics.inc_by(levels.panics.saturating_sub(self.panics.get()));
        for &(limit, used, most) in &levels.limits {
            set(&self.levels.limits.get_or_create(&LimitLabels { limit }), most);
            set(&self.levels.limits_used.get_or_create(&LimitLabels { limit }), used);
        }
        self.levels.ready.set(levels.is_ready.into());
        self.levels.database_up.set(levels.has_database.into());
        if let Some(has_bus) = levels.has_bus {
            self.levels.bus_up.get_or_create(&Vec::new()).set(has_bus.into());
        }
        if let Some(end) = levels.certificate_end {
            self.levels.certificate_end.get_or_create(&Vec::new()).set(end);
        }
        let mut text = String::new();
        let registries = [Some(&self.registry), self.process.read()];
        let mut write = || {
            registries.into_iter().flatten().try_for_each(|it| encode_registry(&mut text, it))?;
            encode_eof(&mut text)
        };
        write().expect("a string takes all that is written");
        self.outbox_depth.set(0);
        self.mailbox_depth.set(0);
        text
    }
}

fn note_most(gauge: &Gauge, value: usize) {
    gauge.inner().fetch_max(level(value), Ordering::Relaxed);
}
