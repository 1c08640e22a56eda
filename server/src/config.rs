//! What an operator can set, by flags and by variables of the environment.

use fivefold_shared::room::RoomLimits;
use std::{net::SocketAddr, num::NonZeroUsize, path::PathBuf, sync::Arc, thread, time::Duration};

use anyhow::Context;
use directories::ProjectDirs;
use ipnet::IpNet;

use crate::{
    clock::Clock,
    limits::Limits,
    logs::{LogFormat, LostLines},
    origin::Origin,
    proxy::{self, Proxies},
    storage::Blocking,
    tls::{Tls, TlsError},
};

const DAY_SECS: u64 = 24 * 60 * 60;

/// The Fivefold server: five in a row, online. Without a command it serves.
#[derive(Clone, PartialEq, Eq, Debug, clap::Parser)]
#[command(name = "fivefold-server", version)]
pub struct Args {
    /// What else to do than to serve.
    #[command(subcommand)]
    pub task: Option<Task>,

    /// The folder of the database; made if it is not there [default: the platform's data folder].
    #[arg(long, env = "FIVEFOLD_DATA", value_name = "FOLDER", global = true)]
    pub data: Option<PathBuf>,

    /// Keep everything in memory: games are lost when the server stops.
    #[arg(long, env = "FIVEFOLD_IN_MEMORY", conflicts_with = "data")]
    pub in_memory: bool,

    /// Where to listen; port 0 takes any free one.
    #[arg(long, env = "FIVEFOLD_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
    pub listen: SocketAddr,

    /// Encrypt connections (https, wss) by the certificate in this file: the chain, in PEM. Read
    /// again at SIGHUP.
    #[arg(long, env = "FIVEFOLD_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// The private key of the certificate, in PEM.
    #[arg(long, env = "FIVEFOLD_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// Let pages of this origin play here, besides those of the server's own host; may be repeated.
    #[arg(long, env = "FIVEFOLD_ALLOW_ORIGIN", value_name = "ORIGIN", value_delimiter = ',')]
    pub allow_origin: Vec<Origin>,

    /// Believe the X-Forwarded-For and X-Forwarded-Host of this address or network; may be
    /// repeated.
    #[arg(long, env = "FIVEFOLD_TRUSTED_PROXY", value_name = "NETWORK", value_delimiter = ',',
          value_parser = proxy::parse_network)]
    pub trusted_proxy: Vec<IpNet>,

    /// Where to serve metrics for Prometheus, for the operator alone; not served if not given.
    #[arg(long, env = "FIVEFOLD_METRICS_LISTEN", value_name = "ADDRESS")]
    pub metrics_listen: Option<SocketAddr>,

    /// How log lines are written.
    #[arg(long, env = "FIVEFOLD_LOG_FORMAT", value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,

    /// What to log on stderr: a level, or directives like `fivefold_server=debug`.
    #[arg(long, env = "FIVEFOLD_LOG", default_value = "info", value_name = "FILTER")]
    pub log: String,

    /// Read the page from this folder at each request instead of from the program: for work on it.
    #[arg(long, env = "FIVEFOLD_PAGE_FOLDER", value_name = "FOLDER")]
    pub page_folder: Option<PathBuf>,

    /// Show no game between two bots when nobody plays in public.
    #[arg(long, env = "FIVEFOLD_NO_DEMO")]
    pub no_demo: bool,

    /// Threads on which bots think; otherwise one less than there are processors.
    #[arg(long, env = "FIVEFOLD_BOT_THREADS", value_name = "NUMBER")]
    pub bot_threads: Option<NonZeroUsize>,

    /// The least time between the moves of two bots, in milliseconds.
    #[arg(long, env = "FIVEFOLD_BOT_PACE", value_name = "MS",
          default_value_t = RoomLimits::DEFAULT.bot_pace.as_millis() as u64)]
    pub bot_pace: u64,

    /// A bot answers a person no sooner than this, in milliseconds.
    #[arg(long, env = "FIVEFOLD_BOT_ANSWER_MIN", value_name = "MS",
          default_value_t = RoomLimits::DEFAULT.bot_answer_min.as_millis() as u64)]
    pub bot_answer_min: u64,

    /// Close a room in which nobody is after so many seconds.
    #[arg(long, env = "FIVEFOLD_EMPTY_ROOM_CLOSE", value_name = "SECONDS",
          default_value_t = RoomLimits::DEFAULT.empty_room_close.as_secs())]
    pub empty_room_close: u64,

    /// The same for a room in which nothing has been played: somebody may still follow its link.
    #[arg(long, env = "FIVEFOLD_UNPLAYED_ROOM_CLOSE", value_name = "SECONDS",
          default_value_t = RoomLimits::DEFAULT.unplayed_room_close.as_secs())]
    pub unplayed_room_close: u64,

    /// The same for a room whose game is over.
    #[arg(long, env = "FIVEFOLD_FINISHED_ROOM_CLOSE", value_name = "SECONDS",
          default_value_t = RoomLimits::DEFAULT.finished_room_close.as_secs())]
    pub finished_room_close: u64,

    /// The same for a room with an unfinished game between two people.
    #[arg(long, env = "FIVEFOLD_ABANDONED_ROOM_CLOSE", value_name = "SECONDS",
          default_value_t = RoomLimits::DEFAULT.abandoned_room_close.as_secs())]
    pub abandoned_room_close: u64,

    /// A player who is away and on turn for so many seconds may lose: his opponent may claim the
    /// game.
    #[arg(long, env = "FIVEFOLD_CLAIM_AFTER", value_name = "SECONDS",
          default_value_t = RoomLimits::DEFAULT.claim_after.as_secs())]
    pub claim_after: u64,

    /// After so many seconds such a game ends by itself.
    #[arg(long, env = "FIVEFOLD_ABANDON_AFTER", value_name = "SECONDS",
          default_value_t = RoomLimits::DEFAULT.abandoned_game.as_secs())]
    pub abandon_after: u64,

    /// Keep the logs of closed rooms, and members without a finished game, for so many days.
    /// Finished games are kept for ever.
    #[arg(long, env = "FIVEFOLD_KEEP_ROOMS", value_name = "DAYS",
          default_value_t = Limits::DEFAULT.closed_rooms_kept.as_secs() / DAY_SECS)]
    pub keep_rooms: u64,

    /// Make no rooms while less than so many MiB of the disk are free. Running games go on.
    #[arg(long, env = "FIVEFOLD_DISK_RESERVE", value_name = "MIB",
          default_value_t = Limits::DEFAULT.disk_reserve >> 20)]
    pub disk_reserve: u64,

    /// Most sessions.
    #[arg(long, env = "FIVEFOLD_SESSIONS", value_name = "NUMBER",
          default_value_t = Limits::DEFAULT.sessions_max)]
    pub sessions: usize,

    /// Most sessions from one address.
    #[arg(long, env = "FIVEFOLD_SESSIONS_PER_ADDRESS", value_name = "NUMBER",
          default_value_t = Limits::DEFAULT.sessions_per_address_max)]
    pub sessions_per_address: usize,

    /// Longest message from a client, in bytes, from 4096 up. Fivefold's own are far shorter.
    #[arg(long, env = "FIVEFOLD_MESSAGE_BYTES", value_name = "BYTES",
          value_parser = clap::value_parser!(u32).range(4096..=1 << 20),
          default_value_t = 4096)]
    pub message_bytes: u32,

    /// Most rooms.
    #[arg(long, env = "FIVEFOLD_ROOMS", value_name = "NUMBER",
          default_value_t = Limits::DEFAULT.rooms_max)]
    pub rooms: usize,

    /// Most open rooms made by one identity.
    #[arg(long, env = "FIVEFOLD_ROOMS_PER_IDENTITY", value_name = "NUMBER",
          default_value_t = Limits::DEFAULT.rooms_per_identity_max)]
    pub rooms_per_identity: usize,

    /// Most open rooms made from one address.
    #[arg(long, env = "FIVEFOLD_ROOMS_PER_ADDRESS", value_name = "NUMBER",
          default_value_t = Limits::DEFAULT.rooms_per_address_max)]
    pub rooms_per_address: usize,

    /// Rooms that may be asked for from one address in a minute.
    #[arg(long, env = "FIVEFOLD_ROOM_RATE", value_name = "PER_MINUTE",
          default_value_t = Limits::DEFAULT.rooms_per_minute)]
    pub room_rate: u32,

    /// Most rooms in which two bots play each other.
    #[arg(long, env = "FIVEFOLD_BOT_ROOMS", value_name = "NUMBER",
          default_value_t = Limits::DEFAULT.bot_rooms_max)]
    pub bot_rooms: usize,

    /// The same of those made from one address.
    #[arg(long, env = "FIVEFOLD_BOT_ROOMS_PER_ADDRESS", value_name = "NUMBER",
          default_value_t = Limits::DEFAULT.bot_rooms_per_address_max)]
    pub bot_rooms_per_address: usize,

    /// Most spectators in one room.
    #[arg(long, env = "FIVEFOLD_SPECTATORS", value_name = "NUMBER",
          default_value_t = RoomLimits::DEFAULT.spectators_max)]
    pub spectators: usize,

    /// Commands that a session may send in a second; three times as many at once after a rest.
    #[arg(long, env = "FIVEFOLD_COMMAND_RATE", value_name = "PER_SECOND",
          default_value_t = Limits::DEFAULT.commands_per_second)]
    pub command_rate: u32,

    /// The same for all sessions from one address together; ten times the above if not given.
    #[arg(long, env = "FIVEFOLD_ADDRESS_COMMAND_RATE", value_name = "PER_SECOND")]
    pub address_command_rate: Option<u32>,

    /// Questions over HTTP from one address in a second; four times as many at once after a rest.
    /// Long ones and analyses count for several.
    #[arg(long, env = "FIVEFOLD_HTTP_RATE", value_name = "PER_SECOND",
          default_value_t = Limits::DEFAULT.http_tokens_per_second)]
    pub http_rate: u32,

    /// Let nobody talk: rooms have no chat.
    #[arg(long, env = "FIVEFOLD_NO_CHAT")]
    pub no_chat: bool,

    /// Codes that no room has which may be tried from one address in a minute.
    #[arg(long, env = "FIVEFOLD_UNKNOWN_CODES", value_name = "PER_MINUTE",
          default_value_t = Limits::DEFAULT.unknown_codes_per_minute)]
    pub unknown_codes: u32,
}

/// Source of the page's files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum PageSource {
    /// From the program.
    #[default]
    Program,
    /// From a folder, read for each request: for work on the page.
    Folder(PathBuf),
}

/// What the program can do with a database, also while a server uses it.
#[derive(Clone, PartialEq, Eq, Debug, clap::Subcommand)]
pub enum Task {
    /// Check the database: the file, and every game in it.
    Check {
        /// Export damaged rooms into files beside the database, and close them. No server may be
        /// using it.
        #[arg(long)]
        repair: bool,
    },
    /// Copy the database into a new file.
    Backup {
        /// The copy; there must be no such file yet.
        file: PathBuf,
    },
}

/// How a server is to run.
#[derive(Clone, Debug)]
pub struct Config {
    /// The limits.
    pub limits: Limits,
    /// What time it is.
    pub clock: Clock,
    /// Where the storage is called.
    pub blocking: Blocking,
    /// On how many threads bots think.
    pub bot_threads: NonZeroUsize,
    /// Whose pages may play here, besides those of the server's own host.
    pub origins: Vec<Origin>,
    /// Who is believed when he says for whom he comes.
    pub proxies: Proxies,
    /// Whether two bots play in public when nobody else does and somebody looks for a game.
    pub demo: bool,
    /// Where the page's files come from.
    pub page: PageSource,
    /// The certificate to encrypt connections by, if they are to be.
    pub tls: Option<Arc<Tls>>,
    /// How many lines of the log were lost so far.
    pub lost_lines: LostLines,
}

impl Default for Config {
    fn default() -> Self {
        let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let bot_threads =
            NonZeroUsize::new(processors.saturating_sub(1)).unwrap_or(NonZeroUsize::MIN);
        Self {
            limits: Limits::DEFAULT,
            clock: Clock::of_system(),
            blocking: Blocking::Threads,
            bot_threads,
            origins: Vec::new(),
            proxies: Proxies::default(),
            demo: false,
            page: PageSource::default(),
            tls: None,
            lost_lines: LostLines::default(),
        }
    }
}

impl Args {
    /// The folder of the database.
    ///
    /// # Errors
    /// When none is given and the platform has none, because there is no home directory.
    pub fn data_folder(&self) -> anyhow::Result<PathBuf> {
        match &self.data {
            Some(folder) => Ok(folder.clone()),
            None => ProjectDirs::from("", "", "fivefold-server")
                .map(|folders| folders.data_dir().to_owned())
                .context("there is no home directory; say where the data belongs by --data"),
        }
    }

    /// The configuration that these arguments mean.
    ///
    /// # Errors
    /// When there is to be a certificate, and it cannot be used.
    pub fn config(&self) -> Result<Config, TlsError> {
        let default = Config::default();
        let address_command_rate =
            self.address_command_rate.unwrap_or(self.command_rate.saturating_mul(10));
        let tls = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Some(Arc::new(Tls::load(certificate, key)?)),
            (Some(_) | None, _) => None,
        };
        Ok(Config {
            limits: Limits {
                room: RoomLimits {
                    spectators_max: self.spectators,
                    chat: !self.no_chat,
                    bot_pace: Duration::from_millis(self.bot_pace),
                    bot_answer_min: Duration::from_millis(self.bot_answer_min),
                    empty_room_close: Duration::from_secs(self.empty_room_close),
                    unplayed_room_close: Duration::from_secs(self.unplayed_room_close),
                    finished_room_close: Duration::from_secs(self.finished_room_close),
                    abandoned_room_close: Duration::from_secs(self.abandoned_room_close),
                    claim_after: Duration::from_secs(self.claim_after),
                    abandoned_game: Duration::from_secs(self.abandon_after),
                    ..default.limits.room
                },
                sessions_max: self.sessions,
                sessions_per_address_max: self.sessions_per_address,
                message_max: usize::try_from(self.message_bytes).unwrap_or(usize::MAX),
                rooms_max: self.rooms,
                rooms_per_identity_max: self.rooms_per_identity,
                rooms_per_address_max: self.rooms_per_address,
                rooms_per_minute: self.room_rate,
                bot_rooms_max: self.bot_rooms,
                bot_rooms_per_address_max: self.bot_rooms_per_address,
                commands_per_second: self.command_rate,
                commands_burst: self.command_rate.saturating_mul(3),
                address_commands_per_second: address_command_rate,
                address_commands_burst: address_command_rate.saturating_mul(3),
                http_tokens_per_second: self.http_rate,
                http_tokens_burst: self.http_rate.saturating_mul(4),
                unknown_codes_per_minute: self.unknown_codes,
                closed_rooms_kept: Duration::from_secs(self.keep_rooms.saturating_mul(DAY_SECS)),
                disk_reserve: self.disk_reserve.saturating_mul(1 << 20),
                ..default.limits
            },
            clock: default.clock,
            blocking: default.blocking,
            bot_threads: self.bot_threads.unwrap_or(default.bot_threads),
            origins: self.allow_origin.clone(),
            proxies: Proxies::new(self.trusted_proxy.clone()),
            demo: !self.no_demo,
            page: match &self.page_folder {
                Some(folder) => PageSource::Folder(folder.clone()),
                None => PageSource::Program,
            },
            tls,
            lost_lines: default.lost_lines,
        })
    }
}
