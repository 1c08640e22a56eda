//! The settings of the server, each defined once: flags, variables, the settings file, help and the table in
//! `docs/operating/settings.md` all come from here.

use std::{collections::BTreeMap, iter, num::NonZeroUsize, path::PathBuf, time::Duration};

use anyhow::Context;
use directories::ProjectDirs;
use fivefold_mail::{MailSender, SmtpServer};
use fivefold_storage::{DatabaseUrl, NodeName, limits::DAY};
use ipnet::IpNet;

use super::kinds::{
    ANY, Choice, Kind, List, Maybe, Number, POSITIVE, Path, Secret, Text, Time, parse,
};
use crate::{
    accounts::oidc::client::{Issuer, OidcSecret},
    limits::{DRAIN_SECONDS, Limits, MESSAGE_BYTES, operators::BACKUP_HOURS},
    net::{
        listen::ListenAddress, logged_addresses::Addresses, origin::Origin, proxy::parse_network,
        public_url::PublicUrl,
    },
    pairing::pools::Pools,
    process::logs::{LogFilter, LogFormat},
    transport::bus::nats::{ClusterName, NatsAccess, NatsError, NatsFiles, NatsUrls},
};

const MILLISECOND: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(60 * 60);

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// The key in the settings file, after `--` if there is also a flag.
    name: &'static str,
    /// What its value is; empty for a switch.
    pub(super) value: &'static str,
    help: &'static str,
    /// Sets it from a text. The error says what is allowed.
    pub(super) set: fn(&mut Settings, &str) -> Result<(), String>,
    /// Its value, or what applies without one.
    pub(super) show: fn(&Settings) -> String,
    /// Whether it has the same value in both.
    pub(super) is_same: fn(&Settings, &Settings) -> bool,
    /// Whether its value is never shown, and may also stand in a file of its own.
    pub(super) is_secret: bool,
    /// Whether a running server takes a new value on SIGHUP.
    pub(super) is_read_again: bool,
}

/// Where a setting stands that is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// For messages: `--data`, `the variable FIVEFOLD_DATA`, `data (fivefold.toml:3:1)`.
    pub(super) text: String,
    /// For the list of settings: `--data`, `FIVEFOLD_DATA`, `fivefold.toml:3:1`.
    pub(super) short: String,
    /// The file that holds the value, if that is a secret in a file.
    pub(super) file: Option<String>,
}

/// A name under which a setting is given: its own, or that of a file which holds a secret.
#[derive(Clone, Copy, Debug)]
pub(super) struct SettingName {
    pub(super) setting: &'static Setting,
    pub(super) is_file: bool,
}

impl Setting {
    /// The key in the settings file.
    pub fn key(&self) -> &'static str {
        self.name.trim_start_matches("--")
    }

    /// Whether there is a flag for it.
    pub fn is_flag(&self) -> bool {
        self.name.starts_with("--")
    }

    /// Whether it is on or off.
    pub(super) fn is_switch(&self) -> bool {
        self.value.is_empty()
    }

    /// The environment variable.
    pub fn variable(&self) -> String {
        format!("FIVEFOLD_{}", self.key().to_uppercase().replace('-', "_"))
    }

    /// What it does.
    fn help(&self) -> String {
        let help = self.help.trim_start();
        if self.is_read_again { format!("{help} Read again on SIGHUP.") } else { help.to_owned() }
    }

    /// What applies if it is not set.
    pub fn default(&self) -> String {
        (self.show)(&Settings::default())
    }
}

impl SettingName {
    /// All names, in the order of the table.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        SETTINGS.iter().flat_map(|setting| {
            let file = setting.is_secret.then_some(Self { setting, is_file: true });
            iter::once(Self { setting, is_file: false }).chain(file)
        })
    }

    /// The key in the settings file.
    pub(super) fn key(self) -> String {
        format!("{}{}", self.setting.key(), if self.is_file { "-file" } else { "" })
    }

    /// The environment variable.
    pub(super) fn variable(self) -> String {
        format!("{}{}", self.setting.variable(), if self.is_file { "_FILE" } else { "" })
    }

    /// Whether there is a flag for it.
    pub(super) fn is_flag(self) -> bool {
        self.setting.is_flag() && !self.is_file
    }

    /// What its value is; empty for a switch.
    pub(super) fn value(self) -> &'static str {
        if self.is_file { "FILE" } else { self.setting.value }
    }

    /// What it does.
    pub(super) fn help(self) -> String {
        if self.is_file {
            format!("File that holds the value of `{}`.", self.setting.key())
        } else {
            self.setting.help()
        }
    }

    /// What applies if it is not set.
    pub(super) fn default(self) -> String {
        if self.is_file { "none".to_owned() } else { self.setting.default() }
    }
}

/// Whether this kind of the field's values is secret.
const fn is_secret<T, K: Kind<T>>(_: &K, _: fn(&Settings) -> &T) -> bool {
    K::IS_SECRET
}

/// A row has the help, the name (with `--` if there is a flag), the value, `[again]` if it is read again on SIGHUP, and
/// its kind. Last comes the field: one of [`Settings`] itself, or one of [`Limits`].
macro_rules! settings {
    (
        $($(#[doc = $help:literal])+ $name:literal $($value:ident)? $([$again:ident])?: $kind:expr
            => $field:ident: $type:ty;)+
        limits:
        $($(#[doc = $limit_help:literal])+ $limit:literal $number:ident: $limit_kind:expr => $($path:ident).+;)+
    ) => {
        /// What the operator has set, and the defaults for the rest.
        #[derive(Clone, PartialEq, Eq, Debug, Default)]
        pub struct Settings {
            /// Where each setting that is given stands, by its key.
            pub(super) given: BTreeMap<&'static str, Place>,
            pub(super) limits: Limits,
            $(pub $field: $type,)+
        }

        /// All settings, in the order of the table.
        pub static SETTINGS: &[Setting] = &[
            $(setting!($name, concat!($(stringify!($value))?), concat!($($help),+), [$($again)?], $kind, $field),)+
            $(setting!($limit, stringify!($number), concat!($($limit_help),+), [], $limit_kind, limits.$($path).+),)+
        ];
    };
}

macro_rules! setting {
    ($name:literal, $value:expr, $help:expr, [$($again:ident)?], $kind:expr, $($field:ident).+) => {
        Setting {
            name: $name,
            value: $value,
            help: $help,
            set: |settings, text| {
                settings.$($field).+ = $kind.read(text)?;
                Ok(())
            },
            show: |settings| $kind.show(&settings.$($field).+),
            is_same: |one, other| one.$($field).+ == other.$($field).+,
            is_secret: is_secret(&$kind, |settings| &settings.$($field).+),
            is_read_again: is_read_again!($($again)?),
        }
    };
}

macro_rules! is_read_again {
    () => {
        false
    };
    (again) => {
        true
    };
}

settings! {
    /// Read settings from this file (TOML). Variables and flags override it.
    "--config" FILE: Maybe("none", Path) => config: Option<PathBuf>;
    /// Folder of the database, created if missing.
    "--data" FOLDER: Maybe("the platform's data folder", Path) => data: Option<PathBuf>;
    /// Keep everything in this PostgreSQL database (15 or newer) instead of a folder:
    /// `postgres://user:password@host:5432/name?sslmode=verify-full`. Do not put a
    /// password into the flag, which other users of the machine can see: use the variable or a file.
    "--database" URL: Maybe("none", Secret) => database: Option<DatabaseUrl>;
    /// Read finished games from this standby of the database.
    "database-replica" URL: Maybe("none", Secret) => database_replica: Option<DatabaseUrl>;
    /// Keep everything in a temporary folder, which is removed when the server stops: games are lost.
    "--in-memory": Text => in_memory: bool;
    /// Hours between two backups of the database file; 0 means no backups. Not allowed with `database` or `in-memory`.
    "backup-every" HOURS: Time(BACKUP_HOURS, HOUR) => backup_every: Duration;
    /// Number of these backups to keep. The server deletes older ones.
    "backup-keep" NUMBER: Maybe("28", Number(POSITIVE, 1)) => backup_keep: Option<usize>;
    /// Folder for these backups, best on another disk. No other server may use it.
    "backup-folder" FOLDER: Maybe("`backups` in the data folder", Path) => backup_folder: Option<PathBuf>;
    /// Address and port to listen on. A port alone listens on this machine only; port 0 means any free port.
    "--listen" ADDRESS: Text => listen: ListenAddress;
    /// Address at which people reach the server, such as `https://play.example`: it is printed, links in
    /// previews begin with it, and passkeys belong to its domain. Without it, previews follow the request's
    /// `Host`, and passkeys work only at `localhost`.
    "--public-url" URL: Maybe("none", Text) => public_url: Option<PublicUrl>;
    /// Encrypt connections (https, wss) with this certificate chain (PEM file).
    "--tls-cert" FILE [again]: Maybe("none", Path) => tls_cert: Option<PathBuf>;
    /// Private key of the certificate (PEM file).
    "--tls-key" FILE [again]: Maybe("none", Path) => tls_key: Option<PathBuf>;
    /// Address for Prometheus metrics, for the operator only.
    "--metrics-listen" ADDRESS: Maybe("none", Text) => metrics_listen: Option<ListenAddress>;
    /// What to log to stderr: a level (off, error, warn, info, debug, trace), optionally with levels for single
    /// targets, such as `warn,audit=info`.
    "--log" FILTER [again]: Text => log: LogFilter;
    /// Format of log lines: `text` or `json`.
    "--log-format" FORMAT: Choice => log_format: LogFormat;
    /// How much of people's addresses is logged: `full`, `network` or `off`. Programs such as fail2ban need
    /// `full`.
    "log-addresses" HOW_MUCH: Choice => log_addresses: Addresses;
    /// Name of this server in its own log and in those of other nodes.
    "--node-name" NAME: Maybe("the name of its host", Text) => node_name: Option<NodeName>;
    /// Serve the page from this folder, read at each request; for developing the page.
    "--page-folder" FOLDER: Maybe("the page in the program", Path) => page_folder: Option<PathBuf>;
    /// Never start a demo game between two bots.
    "--no-demo": Text => no_demo: bool;
    /// Let no other site show boards: there are no pages for frames and no oEmbed, and pages of other origins can
    /// neither watch nor read anything.
    "no-embeds": Text => no_embeds: bool;
    /// Be a node of a cluster, and reach its other nodes through these NATS servers:
    /// `nats://user:password@host:4222` or `nats://token@host:4222`, with `tls:` instead of `nats:` to demand
    /// encryption, several separated by commas. All nodes use the same database. Do not put a
    /// password into the flag, which other users of the machine can see: use the variable or a file.
    "--bus" URLS: Maybe("none", Secret) => bus: Option<NatsUrls>;
    /// Prove to NATS who the node is with this file of credentials (JWT and key, as `nsc` writes them).
    "bus-credentials" FILE: Maybe("none", Path) => bus_credentials: Option<PathBuf>;
    /// Demand TLS from NATS, with certificates of these authorities only (PEM file) instead of the system's.
    "bus-ca" FILE: Maybe("none", Path) => bus_ca: Option<PathBuf>;
    /// Demand TLS from NATS, and show it this certificate (PEM file).
    "bus-cert" FILE: Maybe("none", Path) => bus_cert: Option<PathBuf>;
    /// Private key of that certificate (PEM file).
    "bus-key" FILE: Maybe("none", Path) => bus_key: Option<PathBuf>;
    /// Name that the nodes of one cluster share, if several clusters use the same NATS servers.
    "cluster" NAME: Text => cluster: ClusterName;
    /// Time between SIGTERM and the end, in which /readyz fails and new rooms are refused, so that a load
    /// balancer can send new clients elsewhere.
    "drain" SECONDS: Time(DRAIN_SECONDS, SECOND) => drain: Duration;
    /// Issuer of an OpenID Connect provider through which people can also sign up and sign in, such as
    /// `https://login.example/realms/club`. It sends them back to PUBLIC_URL/oidc.
    "oidc-issuer" URL: Maybe("none", Text) => oidc_issuer: Option<Issuer>;
    /// The client id that the provider has given this server.
    "oidc-client" ID: Maybe("none", Text) => oidc_client: Option<String>;
    /// The client secret that the provider has given this server, if any.
    "oidc-secret" SECRET: Maybe("none", Secret) => oidc_secret: Option<OidcSecret>;
    /// What the button on the page calls the provider.
    "oidc-name" NAME: Maybe("the host of the issuer", Text) => oidc_name: Option<String>;
    /// Send e-mail through the SMTP server at this address, to members who have confirmed an address of their own:
    /// reminders, a digest of daily games, and codes for lost passwords. `smtps://user:password@mail.example` encrypts
    /// from the start; `smtp://user:password@mail.example?tls=required` switches to TLS first (STARTTLS).
    "smtp" URL: Maybe("none", Secret) => smtp: Option<SmtpServer>;
    /// Sender of e-mail, such as `Fivefold <news@play.example>`.
    "mail-from" ADDRESS: Maybe("none", Text) => mail_from: Option<MailSender>;
    /// Allow pages of these origins to play here, besides those of the server's own host.
    "allow-origin" ORIGINS [again]: List(parse) => allow_origin: Vec<Origin>;
    /// Trust the X-Forwarded-For, -Host and -Proto headers of these addresses and networks.
    "trusted-proxy" NETWORKS [again]: List(parse_network) => trusted_proxy: Vec<IpNet>;
    /// Let accounts that are used at these addresses or networks, such as a club's or a school's, play rated
    /// games with each other. Elsewhere games of two accounts that were used on one device, or at one address
    /// within the hour, are casual.
    "shared-address" NETWORKS [again]: List(parse_network) => shared_address: Vec<IpNet>;
    /// Offer the pools of this file (JSON) to those who seek an opponent.
    "pools" FILE: Maybe("seven pools", Path) => pools: Option<PathBuf>;
    /// Threads for bots.
    "bot-threads" NUMBER: Maybe("one less than there are processors", Text) => bot_threads: Option<NonZeroUsize>;
    /// Commands allowed per address per second.
    "address-command-rate" PER_SECOND: Maybe("ten times `command-rate`", Number(POSITIVE, 1)) => address_command_rate: Option<u32>;
    /// Turn chat off in all rooms.
    "no-chat": Text => no_chat: bool;

    limits:
    /// Shortest time between the moves of two bots.
    "bot-pace" MILLISECONDS: Time(ANY, MILLISECOND) => room.bot_pace;
    /// Shortest time before a bot answers a person.
    "bot-answer-min" MILLISECONDS: Time(ANY, MILLISECOND) => room.bot_answer_min;
    /// Close an empty room after this time.
    "empty-room-close" SECONDS: Time(ANY, SECOND) => room.empty_room_close;
    /// The same for a room without any move: somebody may still follow its link.
    "unplayed-room-close" SECONDS: Time(ANY, SECOND) => room.unplayed_room_close;
    /// The same for a room whose game is over.
    "finished-room-close" SECONDS: Time(ANY, SECOND) => room.finished_room_close;
    /// The same for a room with an unfinished game between two people, and before and after a daily game.
    "abandoned-room-close" SECONDS: Time(ANY, SECOND) => room.abandoned_room_close;
    /// When the player to move has been away for this time, the opponent may claim a win, except in a daily game.
    "claim-after" SECONDS: Time(POSITIVE, SECOND) => room.claim_after;
    /// End such a game after this time, even if nobody claims it.
    "abandon-after" SECONDS: Time(ANY, SECOND) => room.abandoned_game;
    /// Keep logs of closed rooms, and members without a finished game, for this time. Finished games are kept
    /// forever.
    "keep-rooms" DAYS: Time(ANY, DAY) => closed_rooms_kept;
    /// Refuse new rooms, and games for collections, while less than this space is free on the disk. Running games continue.
    "disk-reserve" MEBIBYTES: Number(ANY, 1 << 20) => disk_reserve;
    /// Maximum number of games that one account may keep in its collections; 0 allows only reading and deleting them.
    "collected-games" NUMBER: Number(ANY, 1) => collected_games_max;
    /// Maximum number of sessions on the server. Boards on other sites count apart: there may be a fifth as many.
    "sessions" NUMBER: Number(POSITIVE, 1) => sessions_max;
    /// Maximum number of sessions from one address.
    "sessions-per-address" NUMBER: Number(POSITIVE, 1) => sessions_per_address_max;
    /// New connections allowed per address per second; after a pause, as many at once as the address may have
    /// open in all.
    "connection-rate" PER_SECOND: Number(POSITIVE, 1) => connections_per_second;
    /// Longest message from a client, at least 4096 bytes. Fivefold's own messages are far shorter.
    "message-bytes" BYTES: Number(MESSAGE_BYTES, 1) => message_max;
    /// Maximum number of rooms on the server. Sleeping rooms do not count towards this limit or the next two.
    "rooms" NUMBER: Number(POSITIVE, 1) => rooms_max;
    /// Maximum number of open rooms created by one person (an account or a guest).
    "rooms-per-identity" NUMBER: Number(POSITIVE, 1) => rooms_per_identity_max;
    /// Maximum number of open rooms created from one address.
    "rooms-per-address" NUMBER: Number(POSITIVE, 1) => rooms_per_address_max;
    /// Room requests allowed per address per minute.
    "room-rate" PER_MINUTE: Number(POSITIVE, 1) => rooms_per_minute;
    /// Maximum number of rooms in which two bots play each other.
    "bot-rooms" NUMBER: Number(ANY, 1) => bot_rooms_max;
    /// The same for rooms created from one address.
    "bot-rooms-per-address" NUMBER: Number(ANY, 1) => bot_rooms_per_address_max;
    /// Maximum number of spectators in one room. Boards on other sites count apart: there may be a fifth as many.
    "spectators" NUMBER: Number(ANY, 1) => room.spectators_max;
    /// Commands allowed per session per second; three times as many at once after a pause.
    "command-rate" PER_SECOND: Number(POSITIVE, 1) => commands_per_second;
    /// HTTP requests allowed per address per second; four times as many at once after a pause. Long requests and
    /// analyses count several times.
    "http-rate" PER_SECOND: Number(POSITIVE, 1) => http_tokens_per_second;
    /// Failed room-code lookups allowed per address per minute.
    "unknown-codes" PER_MINUTE: Number(POSITIVE, 1) => unknown_codes_per_minute;
}

impl Settings {
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
    pub fn pools(&self) -> anyhow::Result<Pools> {
        let Some(file) = &self.pools else { return Ok(Pools::default()) };
        Pools::read(file).with_context(|| format!("pools {}", file.display()))
    }
}
