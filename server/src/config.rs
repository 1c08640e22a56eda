//! The server's settings: command-line flags and environment variables.

mod checks;

use std::{num::NonZeroUsize, path::PathBuf, sync::Arc, thread, time::Duration};

use anyhow::Context;
use directories::ProjectDirs;
use fivefold_shared::{protocol::Name, room::RoomLimits};
use fivefold_storage::{Blocking, DatabaseUrl, NodeId, NodeName, limits::DAY};
use ipnet::IpNet;

pub use self::checks::VARIABLES_OF_THE_CLIENT;
use crate::{
    accounts::oidc::client::{Issuer, OidcSecret, OidcSettings},
    limits::{DRAIN_SECS_MAX, Limits},
    moderation::dealings::SharedAddresses,
    net::{
        listen::ListenAddress,
        logged_addresses::Addresses,
        origin::Origin,
        proxy::{self, Proxies},
        public_url::PublicUrl,
        tls::{Tls, TlsError},
    },
    pairing::pools::{Pools, PoolsError},
    process::{
        clock::Clock,
        logs::{LogFilter, LogFormat, LostLines, Panics},
    },
    transport::bus::nats::{ClusterName, NatsAccess, NatsError, NatsFiles, NatsUrls},
};

/// The Fivefold server: five in a row, online. Serves if no command is given.
#[derive(Clone, PartialEq, Eq, Debug, clap::Parser)]
#[command(name = "fivefold-server", version)]
pub struct Args {
    /// Maintenance command to run instead of the server.
    #[command(subcommand)]
    pub task: Option<Task>,

    /// Folder of the database, created if missing [default: the platform's data folder].
    #[arg(long, env = "FIVEFOLD_DATA", value_name = "FOLDER", global = true)]
    pub data: Option<PathBuf>,

    /// Keep everything in this PostgreSQL database (15 or newer) instead of a folder:
    /// postgres://user:password@host:5432/name?sslmode=verify-full. Give it by the variable, as
    /// other users of the machine can see the flags of a process.
    #[arg(
        long,
        env = "FIVEFOLD_DATABASE",
        value_name = "URL",
        hide_env_values = true,
        global = true
    )]
    pub database: Option<DatabaseUrl>,

    /// Read finished games from this standby of the database.
    #[arg(long, env = "FIVEFOLD_DATABASE_REPLICA", value_name = "URL", hide_env_values = true)]
    pub database_replica: Option<DatabaseUrl>,

    /// Be a node of a cluster, and reach its other nodes through these NATS servers:
    /// nats://user:password@host:4222 or nats://token@host:4222, with tls: instead of nats: to demand
    /// encryption, several separated by commas. All nodes use the same database. Give a password by
    /// the variable, as other users of the machine can see the flags of a process.
    #[arg(long, env = "FIVEFOLD_BUS", value_name = "URLS", hide_env_values = true)]
    pub bus: Option<NatsUrls>,

    /// Prove to NATS who the node is by this file of credentials (JWT and key, as `nsc` writes them).
    #[arg(long, env = "FIVEFOLD_BUS_CREDENTIALS", value_name = "FILE", requires = "bus")]
    pub bus_credentials: Option<PathBuf>,

    /// Demand TLS from NATS, by certificates of these authorities only (PEM file) instead of the
    /// system's.
    #[arg(long, env = "FIVEFOLD_BUS_CA", value_name = "FILE", requires = "bus")]
    pub bus_ca: Option<PathBuf>,

    /// Demand TLS from NATS, and show it this certificate (PEM file).
    #[arg(long, env = "FIVEFOLD_BUS_CERT", value_name = "FILE", requires_all = ["bus", "bus_key"])]
    pub bus_cert: Option<PathBuf>,

    /// Private key of that certificate (PEM file).
    #[arg(long, env = "FIVEFOLD_BUS_KEY", value_name = "FILE", requires = "bus_cert")]
    pub bus_key: Option<PathBuf>,

    /// Name that the nodes of one cluster share, if several clusters use the same NATS servers.
    #[arg(long, env = "FIVEFOLD_CLUSTER", default_value = "fivefold", value_name = "NAME")]
    pub cluster: ClusterName,

    /// Seconds between SIGTERM and the end, in which /readyz fails and new rooms are refused, so
    /// that a load balancer can send new clients elsewhere.
    #[arg(long, env = "FIVEFOLD_DRAIN", value_name = "SECONDS", default_value_t = 0,
          value_parser = clap::value_parser!(u64).range(0..=DRAIN_SECS_MAX))]
    pub drain: u64,

    /// Keep everything in memory: games are lost when the server stops.
    #[arg(long, env = "FIVEFOLD_IN_MEMORY")]
    pub in_memory: bool,

    /// Address and port to listen on, or only a port of this machine; port 0 takes any free port.
    #[arg(long, env = "FIVEFOLD_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
    pub listen: ListenAddress,

    /// Address under which people find the server, such as `https://play.example`: it is printed, links in
    /// previews begin with it, and passkeys belong to its domain. Without it, passkeys work only at
    /// localhost.
    #[arg(long, env = "FIVEFOLD_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<PublicUrl>,

    /// Let people sign up and in by this OpenID Connect provider, as well: its issuer, such as
    /// `https://login.example/realms/club`. It sends them back to PUBLIC_URL/oidc.
    #[arg(long, env = "FIVEFOLD_OIDC_ISSUER", value_name = "URL",
          requires_all = ["public_url", "oidc_client"])]
    pub oidc_issuer: Option<Issuer>,

    /// The client id that the provider has given this server.
    #[arg(long, env = "FIVEFOLD_OIDC_CLIENT", value_name = "ID", requires = "oidc_issuer")]
    pub oidc_client: Option<String>,

    /// The client secret that the provider has given this server, if it has. Give it by the variable, as
    /// other users of the machine can see the flags of a process.
    #[arg(
        long,
        env = "FIVEFOLD_OIDC_SECRET",
        value_name = "SECRET",
        hide_env_values = true,
        requires = "oidc_issuer"
    )]
    pub oidc_secret: Option<OidcSecret>,

    /// What the button on the page calls the provider [default: its host].
    #[arg(long, env = "FIVEFOLD_OIDC_NAME", value_name = "NAME", requires = "oidc_issuer")]
    pub oidc_name: Option<String>,

    /// Encrypt connections (https, wss) with this certificate chain (PEM file). Read again on
    /// SIGHUP.
    #[arg(long, env = "FIVEFOLD_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// Private key of the certificate (PEM file).
    #[arg(long, env = "FIVEFOLD_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// Allow pages of this origin to play here, besides those of the server's own host; repeatable.
    #[arg(long, env = "FIVEFOLD_ALLOW_ORIGIN", value_name = "ORIGIN", value_delimiter = ',')]
    pub allow_origin: Vec<Origin>,

    /// Trust the X-Forwarded-For, -Host and -Proto headers of this address or network; repeatable.
    #[arg(long, env = "FIVEFOLD_TRUSTED_PROXY", value_name = "NETWORK", value_delimiter = ',',
          value_parser = proxy::parse_network)]
    pub trusted_proxy: Vec<IpNet>,

    /// Let accounts that are used at this address or network, such as a club's or a school's, play rated
    /// games with each other; repeatable. Elsewhere games of two accounts that were used on one device, or at
    /// one address within the hour, are casual.
    #[arg(long, env = "FIVEFOLD_SHARED_ADDRESS", value_name = "NETWORK", value_delimiter = ',',
          value_parser = proxy::parse_network)]
    pub shared_address: Vec<IpNet>,

    /// Address for Prometheus metrics, for the operator only; off if not given.
    #[arg(long, env = "FIVEFOLD_METRICS_LISTEN", value_name = "ADDRESS")]
    pub metrics_listen: Option<ListenAddress>,

    /// Format of log lines.
    #[arg(long, env = "FIVEFOLD_LOG_FORMAT", value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,

    /// What to log on stderr: a level (off, error, warn, info, debug, trace), and levels of single targets,
    /// such as `warn,audit=info`.
    #[arg(long, env = "FIVEFOLD_LOG", default_value = "info", value_name = "FILTER")]
    pub log: LogFilter,

    /// How much of people's addresses is logged. Programs such as fail2ban need `full`.
    #[arg(
        long,
        env = "FIVEFOLD_LOG_ADDRESSES",
        value_name = "HOW_MUCH",
        default_value = "network"
    )]
    pub log_addresses: Addresses,

    /// What the log of this and of other nodes calls this server [default: the name of its host].
    #[arg(long, env = "FIVEFOLD_NODE_NAME", value_name = "NAME")]
    pub node_name: Option<NodeName>,

    /// Serve the page from this folder, read at each request; for developing the page.
    #[arg(long, env = "FIVEFOLD_PAGE_FOLDER", value_name = "FOLDER")]
    pub page_folder: Option<PathBuf>,

    /// Offer the pools of this file (JSON) to those who seek an opponent, instead of the default ones.
    #[arg(long, env = "FIVEFOLD_POOLS", value_name = "FILE")]
    pub pools: Option<PathBuf>,

    /// Never start a demo game between two bots.
    #[arg(long, env = "FIVEFOLD_NO_DEMO")]
    pub no_demo: bool,

    /// Threads for bots [default: one less than there are processors].
    #[arg(long, env = "FIVEFOLD_BOT_THREADS", value_name = "NUMBER")]
    pub bot_threads: Option<NonZeroUsize>,

    /// Shortest time between the moves of two bots, in milliseconds.
    #[arg(long, env = "FIVEFOLD_BOT_PACE", value_name = "MS",
          default_value_t = RoomLimits::DEFAULT.bot_pace.as_millis() as u64)]
    pub bot_pace: u64,

    /// Shortest time before a bot answers a person, in milliseconds.
    #[arg(long, env = "FIVEFOLD_BOT_ANSWER_MIN", value_name = "MS",
          default_value_t = RoomLimits::DEFAULT.bot_answer_min.as_millis() as u64)]
    pub bot_answer_min: u64,

    /// Close an empty room after this many seconds.
    #[arg(long, env = "FIVEFOLD_EMPTY_ROOM_CLOSE", value_name = "SECONDS",
          default_value_t = RoomLimits::DEFAULT.empty_room_close.as_secs())]
    pub empty_room_close: u64,

    /// The same for a room without any move: somebody may still follow its link.
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

    /// When the player to move has been away for this many seconds, the opponent may claim a win.
    #[arg(long, env = "FIVEFOLD_CLAIM_AFTER", value_name = "SECONDS",
          default_value_t = RoomLimits::DEFAULT.claim_after.as_secs())]
    pub claim_after: u64,

    /// End such a game after this many seconds, even if nobody claims it.
    #[arg(long, env = "FIVEFOLD_ABANDON_AFTER", value_name = "SECONDS",
          default_value_t = RoomLimits::DEFAULT.abandoned_game.as_secs())]
    pub abandon_after: u64,

    /// Keep logs of closed rooms, and members without a finished game, for this many days. Finished
    /// games are kept forever.
    #[arg(long, env = "FIVEFOLD_KEEP_ROOMS", value_name = "DAYS",
          default_value_t = Limits::DEFAULT.closed_rooms_kept.as_secs() / DAY.as_secs())]
    pub keep_rooms: u64,

    /// Refuse new rooms while less than this many MiB of disk are free. Running games continue.
    #[arg(long, env = "FIVEFOLD_DISK_RESERVE", value_name = "MIB",
          default_value_t = Limits::DEFAULT.disk_reserve >> 20)]
    pub disk_reserve: u64,

    /// Most sessions on the server.
    #[arg(long, env = "FIVEFOLD_SESSIONS", value_name = "NUMBER",
          default_value_t = Limits::DEFAULT.sessions_max)]
    pub sessions: usize,

    /// Most sessions from one address.
    #[arg(long, env = "FIVEFOLD_SESSIONS_PER_ADDRESS", value_name = "NUMBER",
          default_value_t = Limits::DEFAULT.sessions_per_address_max)]
    pub sessions_per_address: usize,

    /// New connections allowed per address per second; after a pause as many at once as the address
    /// may have open.
    #[arg(long, env = "FIVEFOLD_CONNECTION_RATE", value_name = "PER_SECOND",
          default_value_t = Limits::DEFAULT.connections_per_second)]
    pub connection_rate: u32,

    /// Longest message from a client, in bytes, at least 4096. Fivefold's own messages are far
    /// shorter.
    #[arg(long, env = "FIVEFOLD_MESSAGE_BYTES", value_name = "BYTES",
          value_parser = clap::value_parser!(u32).range(4096..=1 << 20),
          default_value_t = 4096)]
    pub message_bytes: u32,

    /// Most rooms on the server.
    #[arg(long, env = "FIVEFOLD_ROOMS", value_name = "NUMBER",
          default_value_t = Limits::DEFAULT.rooms_max)]
    pub rooms: usize,

    /// Most open rooms created by one identity.
    #[arg(long, env = "FIVEFOLD_ROOMS_PER_IDENTITY", value_name = "NUMBER",
          default_value_t = Limits::DEFAULT.rooms_per_identity_max)]
    pub rooms_per_identity: usize,

    /// Most open rooms created from one address.
    #[arg(long, env = "FIVEFOLD_ROOMS_PER_ADDRESS", value_name = "NUMBER",
          default_value_t = Limits::DEFAULT.rooms_per_address_max)]
    pub rooms_per_address: usize,

    /// Room requests allowed per address per minute.
    #[arg(long, env = "FIVEFOLD_ROOM_RATE", value_name = "PER_MINUTE",
          default_value_t = Limits::DEFAULT.rooms_per_minute)]
    pub room_rate: u32,

    /// Most rooms in which two bots play each other.
    #[arg(long, env = "FIVEFOLD_BOT_ROOMS", value_name = "NUMBER",
          default_value_t = Limits::DEFAULT.bot_rooms_max)]
    pub bot_rooms: usize,

    /// The same for rooms created from one address.
    #[arg(long, env = "FIVEFOLD_BOT_ROOMS_PER_ADDRESS", value_name = "NUMBER",
          default_value_t = Limits::DEFAULT.bot_rooms_per_address_max)]
    pub bot_rooms_per_address: usize,

    /// Most spectators in one room.
    #[arg(long, env = "FIVEFOLD_SPECTATORS", value_name = "NUMBER",
          default_value_t = RoomLimits::DEFAULT.spectators_max)]
    pub spectators: usize,

    /// Commands allowed per session per second; three times as many at once after a pause.
    #[arg(long, env = "FIVEFOLD_COMMAND_RATE", value_name = "PER_SECOND",
          default_value_t = Limits::DEFAULT.commands_per_second)]
    pub command_rate: u32,

    /// Commands allowed per address per second; ten times the session's rate if not given.
    #[arg(long, env = "FIVEFOLD_ADDRESS_COMMAND_RATE", value_name = "PER_SECOND")]
    pub address_command_rate: Option<u32>,

    /// HTTP requests allowed per address per second; four times as many at once after a pause. Long
    /// requests and analyses count several times.
    #[arg(long, env = "FIVEFOLD_HTTP_RATE", value_name = "PER_SECOND",
          default_value_t = Limits::DEFAULT.http_tokens_per_second)]
    pub http_rate: u32,

    /// Turn chat off in all rooms.
    #[arg(long, env = "FIVEFOLD_NO_CHAT")]
    pub no_chat: bool,

    /// Failed room-code lookups allowed per address per minute.
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

/// Maintenance of a database, also while a server uses it.
#[derive(Clone, PartialEq, Eq, Debug, clap::Subcommand)]
pub enum Task {
    /// Check the database file and every game in it.
    Check {
        /// Export damaged rooms into files beside the database, and close them. Stop the server
        /// first.
        #[arg(long)]
        repair: bool,
    },
    /// Copy the database into a new file.
    Backup {
        /// Path of the copy; the file must not exist yet.
        file: PathBuf,
    },
    /// Print a new recovery code for the account with this name, whose member has lost the password
    /// and all codes. The server may run.
    Recover {
        /// The account's name.
        name: String,
    },
    /// Work through reports and appeals: without more, list the people who wait for a decision. The
    /// server may run, and acts within a second.
    Moderate {
        /// Who decides: the name that stands beside the decision [default: command line].
        #[arg(long = "as", value_name = "NAME", global = true, value_parser = operator_name)]
        operator: Option<Name>,
        /// What to do.
        #[command(subcommand)]
        task: Option<Moderate>,
    },
    /// Export or delete an account for its member, also one that is closed. The server may run.
    Account {
        /// What to do.
        #[command(subcommand)]
        task: AccountTask,
    },
    /// Make the account with this name one of an operator, who sees the queue at /moderation. The
    /// server may run.
    Operator {
        /// The account's name.
        name: String,
        /// Take it back instead.
        #[arg(long)]
        remove: bool,
    },
    /// Take back what a game has changed in the ratings of its players: they get as many points back, or
    /// lose them. The server may run.
    Undo {
        /// The game's id, as in its address.
        game: String,
    },
    /// Copy everything from a database file into an empty PostgreSQL database (--database), or from
    /// that into a new file. Stop the server first.
    Migrate {
        /// The file to copy into the database, such as fivefold.sqlite3. It stays as it is.
        #[arg(long, value_name = "FILE", required_unless_present = "to", conflicts_with = "to")]
        from: Option<PathBuf>,
        /// The file to copy the database into, which must not exist yet. The database stays as it is.
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
    },
}

/// What an operator does. People are named by the name of their account, or by their id.
#[derive(Clone, PartialEq, Eq, Debug, clap::Subcommand)]
pub enum Moderate {
    /// List the people with open reports or appeals: first those with an appeal, then by the standing of
    /// their reporters (account, its age, games), and then those who wait longest.
    List,
    /// Show all that is known about a person: reports, sanctions, and what their games show.
    Show {
        /// The person.
        who: String,
    },
    /// Write a note for operators. The person does not learn of it.
    Note {
        /// The person.
        who: String,
        /// The note, up to 280 characters.
        #[arg(long)]
        reason: String,
    },
    /// Warn a person. They read it when they come next.
    Warn {
        /// The person.
        who: String,
        /// What they read, up to 280 characters.
        #[arg(long)]
        reason: String,
    },
    /// Let a person chat no more.
    Mute {
        /// The person.
        who: String,
        /// What they read, up to 280 characters.
        #[arg(long)]
        reason: String,
        /// For so many days [default: without an end].
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
    },
    /// Let a person play no more rated games.
    Unrated {
        /// The person.
        who: String,
        /// What they read, up to 280 characters.
        #[arg(long)]
        reason: String,
        /// For so many days [default: without an end].
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
    },
    /// Close an account: its sessions end, and signing in is refused.
    Close {
        /// The person.
        who: String,
        /// What they read, up to 280 characters.
        #[arg(long)]
        reason: String,
        /// For so many days [default: without an end].
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
    },
    /// Close all open reports about a person.
    Reports {
        /// The person.
        who: String,
        /// What their reporters read.
        outcome: Closed,
    },
    /// Close all open reports by guests, for example after a flood of them.
    GuestReports {
        /// What their reporters read.
        outcome: Closed,
    },
    /// Take a sanction back.
    Undo {
        /// Its id, as `show` prints it.
        sanction: String,
    },
    /// Note that an appeal is answered, and take it from the list. The sanction stays.
    Answer {
        /// The id of the sanction.
        sanction: String,
    },
}

/// What an operator does with an account. It is named by its name or its id.
#[derive(Clone, PartialEq, Eq, Debug, clap::Subcommand)]
pub enum AccountTask {
    /// Print all that the server keeps of an account as JSON, without secrets. It has the operators' notes,
    /// which the member's own export lacks.
    Export {
        /// The account's name or id.
        who: String,
    },
    /// Delete an account: its sessions end, and all that is stored about the person is removed after 14 days.
    Delete {
        /// The account's name or id.
        who: String,
    },
}

/// What becomes of reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Closed {
    /// Something was done.
    Acted,
    /// There was nothing to do.
    Dismissed,
}

/// The name of an operator on the command line.
fn operator_name(text: &str) -> Result<Name, String> {
    Name::new(text).map_err(|error| error.to_string())
}

/// Configuration of a running server.
#[derive(Clone, Debug)]
pub struct Config {
    /// The limits.
    pub limits: Limits,
    /// The server's clock.
    pub clock: Clock,
    /// The number of this server node, which owns the rooms that it creates and claims.
    pub node: NodeId,
    /// How long the server goes on after it was asked to stop, for a load balancer to notice.
    pub drain: Duration,
    /// How storage calls run.
    pub blocking: Blocking,
    /// Number of threads for bots.
    pub bot_threads: NonZeroUsize,
    /// Other origins whose pages may open a socket.
    pub origins: Vec<Origin>,
    /// Proxies whose `X-Forwarded-*` headers are trusted.
    pub proxies: Proxies,
    /// How much of addresses is logged.
    pub addresses: Addresses,
    /// Addresses whose people may play rated games with each other.
    pub shared_addresses: SharedAddresses,
    /// Where people find the server, if the operator has set it.
    pub public_url: Option<PublicUrl>,
    /// The OpenID Connect provider by which people may sign in, if the operator has named one.
    pub oidc: Option<OidcSettings>,
    /// Whether to start a demo game when somebody asks for the list and no public game is running.
    pub demo: bool,
    /// The pools in which people seek games.
    pub pools: Pools,
    /// Source of the page's files.
    pub page: PageSource,
    /// The TLS certificate, if connections are encrypted.
    pub tls: Option<Arc<Tls>>,
    /// Counter of lost log lines.
    pub lost_lines: LostLines,
    /// Counter of panics.
    pub panics: Panics,
}

impl Default for Config {
    fn default() -> Self {
        let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let bot_threads =
            NonZeroUsize::new(processors.saturating_sub(1)).unwrap_or(NonZeroUsize::MIN);
        Self {
            limits: Limits::DEFAULT,
            clock: Clock::of_system(),
            node: NodeId::ALONE,
            drain: Duration::ZERO,
            blocking: Blocking::Threads,
            bot_threads,
            origins: Vec::new(),
            proxies: Proxies::default(),
            addresses: Addresses::default(),
            shared_addresses: SharedAddresses::default(),
            public_url: None,
            oidc: None,
            demo: false,
            pools: Pools::default(),
            page: PageSource::default(),
            tls: None,
            lost_lines: LostLines::default(),
            panics: Panics::default(),
        }
    }
}

impl Args {
    /// The folder of the database.
    ///
    /// # Errors
    /// If none is given and the platform has no default, because there is no home directory.
    pub fn data_folder(&self) -> anyhow::Result<PathBuf> {
        match &self.data {
            Some(folder) => Ok(folder.clone()),
            None => ProjectDirs::from("", "", "fivefold-server")
                .map(|folders| folders.data_dir().to_owned())
                .context("there is no home directory; say where the data belongs by --data"),
        }
    }

    /// How to reach the bus, if there is one.
    ///
    /// # Errors
    /// If an address or a file cannot be used.
    pub fn bus(&self) -> Result<Option<NatsAccess>, NatsError> {
        let Some(urls) = &self.bus else { return Ok(None) };
        let files = NatsFiles {
            credentials: self.bus_credentials.clone(),
            ca: self.bus_ca.clone(),
            certificate: self.bus_cert.clone().zip(self.bus_key.clone()),
        };
        NatsAccess::new(urls, files).map(Some)
    }

    /// The pools: those of the file, or the default ones.
    ///
    /// # Errors
    /// If the file cannot be used.
    pub fn pools(&self) -> Result<Pools, PoolsError> {
        self.pools.as_deref().map_or_else(|| Ok(Pools::default()), Pools::read)
    }

    /// The origins whose pages may play here, besides those of the host that a request names.
    fn origins(&self) -> Vec<Origin> {
        let public = self.public_url.as_ref().map(|url| url.origin().clone());
        self.allow_origin.iter().cloned().chain(public).collect()
    }

    /// The provider, if there is one and its client.
    fn oidc(&self) -> Option<OidcSettings> {
        let (issuer, client) = (self.oidc_issuer.clone()?, self.oidc_client.clone()?);
        let public_url = self.public_url.clone()?;
        let label = self.oidc_name.clone().unwrap_or_else(|| issuer.host().to_owned());
        let secret = self.oidc_secret.clone();
        Some(OidcSettings { issuer, client, secret, label, public_url })
    }

    /// Builds the configuration from these arguments, with the default pools.
    ///
    /// # Errors
    /// If the TLS certificate cannot be used.
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
                connections_per_second: self.connection_rate,
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
                closed_rooms_kept: Duration::from_secs(
                    self.keep_rooms.saturating_mul(DAY.as_secs()),
                ),
                disk_reserve: self.disk_reserve.saturating_mul(1 << 20),
                ..default.limits
            },
            clock: default.clock,
            node: default.node,
            drain: Duration::from_secs(self.drain),
            blocking: default.blocking,
            bot_threads: self.bot_threads.unwrap_or(default.bot_threads),
            origins: self.origins(),
            proxies: Proxies::new(self.trusted_proxy.clone()),
            addresses: self.log_addresses,
            shared_addresses: SharedAddresses::new(self.shared_address.clone()),
            public_url: self.public_url.clone(),
            oidc: self.oidc(),
            demo: !self.no_demo,
            pools: default.pools,
            page: match &self.page_folder {
                Some(folder) => PageSource::Folder(folder.clone()),
                None => PageSource::Program,
            },
            tls,
            lost_lines: default.lost_lines,
            panics: default.panics,
        })
    }
}
