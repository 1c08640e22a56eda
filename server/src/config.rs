//! The server's settings, and the configuration that follows from them.

mod checks;
mod kinds;
mod reload;
mod secret_files;
mod settings;
mod shown;
mod sources;
mod task;
#[cfg(test)]
mod tests;

use std::{num::NonZeroUsize, path::PathBuf, sync::Arc, thread, time::Duration};

use fivefold_mail::{MailSender, SmtpServer};
use fivefold_push::Peers;
use fivefold_shared::room::RoomLimits;
use fivefold_storage::{BackupFolder, Blocking, NodeId};

use self::reload::ChangeableParts;
pub use self::{
    reload::{Reload, SettingsRead},
    settings::{SETTINGS, Setting, Settings},
    sources::{Faults, Sources, VARIABLES_OF_THE_CLIENT, command, read},
    task::{AccountTask, Closed, Command, ConfigTask, HealthOptions, Moderate, Task},
};
use crate::{
    accounts::oidc::client::OidcSettings,
    limits::{Limits, operators::BACKUPS_KEPT},
    moderation::dealings::SharedAddresses,
    net::{
        changeable::Changeable,
        logged_addresses::Addresses,
        origin::Origin,
        proxy::Proxies,
        public_url::PublicUrl,
        tls::{Tls, TlsError},
    },
    online::announcements::Announcements,
    pairing::pools::Pools,
    process::{
        backups::BackupPlan,
        clock::Clock,
        logs::{FilterHandle, LostLines, Panics},
        operation::Operation,
        service_manager::ServiceManager,
    },
};

/// Source of the page's files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum PageSource {
    /// From the program.
    #[default]
    Program,
    /// From a folder, read for each request: for work on the page.
    Folder(PathBuf),
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
    /// The backups that the server makes, if the operator wants some.
    pub backups: Option<BackupPlan>,
    /// Number of threads for bots.
    pub bot_threads: NonZeroUsize,
    /// Other origins whose pages may open a socket.
    pub origins: Changeable<Vec<Origin>>,
    /// Proxies whose `X-Forwarded-*` headers are trusted.
    pub proxies: Changeable<Proxies>,
    /// How much of addresses is logged.
    pub addresses: Addresses,
    /// Addresses whose people may play rated games with each other.
    pub shared_addresses: Changeable<SharedAddresses>,
    /// Where people find the server, if the operator has set it.
    pub public_url: Option<PublicUrl>,
    /// What operators do about this node, also after it has joined its cluster again.
    pub operation: Arc<Operation>,
    /// Reads the settings again while the server runs. Without it, operators cannot do that on the page.
    pub reload: Option<Arc<Reload>>,
    /// The announcements of operators. A node that joins its cluster again keeps them.
    pub announcements: Arc<Announcements>,
    /// The OpenID Connect provider by which people may sign in, if the operator has named one.
    pub oidc: Option<OidcSettings>,
    /// The SMTP server through which e-mail is sent, and its sender, if the operator has named them.
    pub smtp: Option<(SmtpServer, MailSender)>,
    /// To whom pushes may be sent. The default is for servers that people use; only tests set another.
    pub push_peers: Peers,
    /// Whether to start a demo game when somebody asks for the list and no public game is running.
    pub demo: bool,
    /// Whether other sites may show boards.
    pub embeds: bool,
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
    /// Who is told when the server is ready, and whether it works.
    pub service: ServiceManager,
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
            backups: None,
            bot_threads,
            origins: Changeable::default(),
            proxies: Changeable::default(),
            addresses: Addresses::default(),
            shared_addresses: Changeable::default(),
            public_url: None,
            operation: Arc::default(),
            reload: None,
            announcements: Arc::default(),
            oidc: None,
            smtp: None,
            push_peers: Peers::default(),
            demo: false,
            embeds: true,
            pools: Pools::default(),
            page: PageSource::default(),
            tls: None,
            lost_lines: LostLines::default(),
            panics: Panics::default(),
            service: ServiceManager::default(),
        }
    }
}

impl Config {
    /// Lets the server read these settings again while it runs, from the same sources.
    pub fn reload_from(&mut self, sources: Sources, settings: Settings, filter: FilterHandle) {
        let parts = ChangeableParts {
            filter,
            origins: self.origins.clone(),
            proxies: self.proxies.clone(),
            shared_addresses: self.shared_addresses.clone(),
            tls: self.tls.clone(),
        };
        self.reload = Some(Arc::new(Reload::new(sources, settings, parts)));
    }
}

impl Settings {
    /// The origins whose pages may play here, besides those of the host that a request names.
    fn origins(&self) -> Vec<Origin> {
        let public = self.public_url.as_ref().map(|url| url.origin().clone());
        self.allow_origin.iter().cloned().chain(public).collect()
    }

    fn proxies(&self) -> Proxies {
        Proxies::new(self.trusted_proxy.clone())
    }

    fn shared_addresses(&self) -> SharedAddresses {
        SharedAddresses::new(self.shared_address.clone())
    }

    /// The provider, if there is one and its client.
    fn oidc(&self) -> Option<OidcSettings> {
        let (issuer, client) = (self.oidc_issuer.clone()?, self.oidc_client.clone()?);
        let public_url = self.public_url.clone()?;
        let label = self.oidc_name.clone().unwrap_or_else(|| issuer.host().to_owned());
        let secret = self.oidc_secret.clone();
        Some(OidcSettings { issuer, client, secret, label, public_url })
    }

    /// The backups, if there is an interval. Without a data folder, opening the database says so.
    fn backups(&self) -> Option<BackupPlan> {
        let data = self.data_folder().ok().filter(|_| !self.backup_every.is_zero())?;
        let folder = BackupFolder::new(&data, self.backup_folder.clone());
        let keep = self.backup_keep.unwrap_or(BACKUPS_KEPT);
        Some(BackupPlan { folder, every: self.backup_every, keep })
    }

    /// The limits. The burst that is allowed after a pause is a multiple of the rate per second.
    fn limits(&self) -> Limits {
        let Limits { commands_per_second, http_tokens_per_second, room, .. } = self.limits;
        let address_commands_per_second =
            self.address_command_rate.unwrap_or(commands_per_second.saturating_mul(10));
        Limits {
            room: RoomLimits { chat: !self.no_chat, ..room },
            commands_burst: commands_per_second.saturating_mul(3),
            address_commands_per_second,
            address_commands_burst: address_commands_per_second.saturating_mul(3),
            http_tokens_burst: http_tokens_per_second.saturating_mul(4),
            ..self.limits
        }
    }

    /// The certificate, if there is one.
    fn tls(&self) -> Result<Option<Arc<Tls>>, TlsError> {
        let files = self.tls_cert.as_ref().zip(self.tls_key.as_ref());
        files.map(|(certificate, key)| Tls::load(certificate, key).map(Arc::new)).transpose()
    }

    /// Builds the configuration from these settings, with the default pools.
    ///
    /// # Errors
    /// If the TLS certificate cannot be used.
    pub fn config(&self) -> Result<Config, TlsError> {
        let default = Config::default();
        Ok(Config {
            limits: self.limits(),
            drain: self.drain,
            backups: self.backups(),
            bot_threads: self.bot_threads.unwrap_or(default.bot_threads),
            origins: self.origins().into(),
            proxies: self.proxies().into(),
            addresses: self.log_addresses,
            shared_addresses: self.shared_addresses().into(),
            public_url: self.public_url.clone(),
            oidc: self.oidc(),
            smtp: self.smtp.clone().zip(self.mail_from.clone()),
            demo: !self.no_demo,
            embeds: !self.no_embeds,
            page: self.page_folder.clone().map_or(PageSource::Program, PageSource::Folder),
            tls: self.tls()?,
            ..default
        })
    }
}
