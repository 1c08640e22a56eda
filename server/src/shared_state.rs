//! What all sessions and HTTP requests of one server share.

use std::{
    convert::Infallible,
    future::pending,
    net::IpAddr,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use axum::http::HeaderMap;
use fivefold_push::Peers;
use fivefold_shared::{
    protocol::{MemberId, OwnRoom, Refusal},
    room::SessionId,
};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{
    accounts::{Accounts, identities::Identities},
    config::{PageSource, Reload},
    limits::{
        ADDRESSES_TIDIED_EVERY, HTTP_JOB_QUEUE_MAX, HTTP_JOBS_MAX, HTTP_JOBS_PER_ADDRESS_MAX,
        Limits, STOP_SESSION_APART, STOP_SESSIONS_SPREAD,
    },
    metrics::{Metrics, refused_connections::RefusedConnections},
    moderation::{Moderation, blocks::Blocks, dealings::SharedAddresses},
    net::{
        address_limits::AddressLimits,
        changeable::Changeable,
        connection_limit::ConnectionLimit,
        logged_addresses::Addresses,
        origin::Origin,
        proxy::{
            Proxies,
            faults::{LoggedFaults, ProxyFault},
        },
        public_url::PublicUrl,
        tls::Tls,
    },
    online::{heard_lines::HeardLines, logins::Logins, own_ids::OwnIds},
    pairing::{pools::Pools, task::PairingHandle},
    picture::Pictures,
    process::{
        backups::Backups,
        clock::Clock,
        disk::Disk,
        fair_queue::Shares,
        health::{Facts, Health},
        jobs::Jobs,
        logs::{LostLines, Panics},
        operation::Operation,
        read_pool::ReadPool,
        service_manager::ServiceManager,
        storage_check::StorageCheck,
    },
    puzzles::tries::PuzzleTries,
    rooms::{lobby::Lobby, rated_positions::RatedPositions},
    thinking::{Pool, reviews::Reviews},
};

/// How addresses share the work for answers over HTTP.
pub(crate) const HTTP_JOBS: Shares = Shares {
    running_max: HTTP_JOBS_MAX,
    places_max: HTTP_JOB_QUEUE_MAX,
    reserved: 0,
    per_address_max: HTTP_JOBS_PER_ADDRESS_MAX,
    pace: None,
};

/// The steps of [`Server::stopping_after`].
const SPREAD_PLACES: u32 = 1_000;

/// What sessions and HTTP requests share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) limits: Limits,
    pub(crate) clock: Clock,
    pub(crate) origins: Changeable<Vec<Origin>>,
    pub(crate) proxies: Changeable<Proxies>,
    pub(crate) proxy_faults: LoggedFaults,
    /// How much of addresses is logged.
    pub(crate) addresses: Addresses,
    /// Addresses whose people may play rated games with each other.
    pub(crate) shared_addresses: Changeable<SharedAddresses>,
    /// Where people find the server, if the operator has set it.
    pub(crate) public_url: Option<PublicUrl>,
    /// To whom pushes may be sent.
    pub(crate) push_peers: Peers,
    pub(crate) page: PageSource,
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) lobby: Arc<Lobby>,
    pub(crate) read_pool: Arc<ReadPool>,
    pub(crate) storage_check: StorageCheck,
    pub(crate) disk: Arc<Disk>,
    pub(crate) backups: Backups,
    pub(crate) reviews: Reviews,
    pub(crate) pictures: Pictures,
    /// For answers over HTTP.
    pub(crate) jobs: Jobs,
    /// For analyses that belong to no room.
    pub(crate) pool: Pool,
    pub(crate) identities: Identities,
    pub(crate) accounts: Accounts,
    pub(crate) logins: Arc<Logins>,
    /// The people that members have blocked.
    pub(crate) blocks: Arc<Blocks>,
    /// What operators have decided.
    pub(crate) moderation: Arc<Moderation>,
    /// The last lines of chat.
    pub(crate) heard: Arc<HeardLines>,
    /// The positions with which nobody gets help.
    pub(crate) rated: Arc<RatedPositions>,
    /// Finds opponents for sessions.
    pub(crate) pairing: PairingHandle,
    /// The pools in which they seek.
    pub(crate) pools: Pools,
    /// The puzzles, and who has tried them.
    pub(crate) puzzles: Arc<PuzzleTries>,
    pub(crate) sessions: ConnectionLimit,
    /// The sessions that only watch: they are not among the others.
    pub(crate) watchers: ConnectionLimit,
    pub(crate) refused_connections: RefusedConnections,
    pub(crate) address_limits: Arc<AddressLimits>,
    /// The rates of those who only watch.
    pub(crate) watcher_limits: AddressLimits,
    /// Whether other sites may show boards.
    pub(crate) embeds: bool,
    /// Id of the next session.
    pub(crate) next_session: AtomicU64,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) lost_lines: LostLines,
    pub(crate) panics: Panics,
    /// Cancelled when the server is about to stop: it takes no new rooms.
    pub(crate) draining: CancellationToken,
    /// What operators do about this node.
    pub(crate) operation: Arc<Operation>,
    /// Reads the settings again; absent if the server was made without settings.
    pub(crate) reload: Option<Arc<Reload>>,
    /// Tells sessions to end: the server stops.
    pub(crate) stop: CancellationToken,
    /// Whether the sessions can go on at another node at once.
    pub(crate) is_in_cluster: bool,
}

impl Server {
    /// How this server is. It gives its storage a moment to answer.
    pub(crate) async fn health(&self) -> Health {
        let storage = self.storage_check.answer().await;
        Health::of(Facts {
            is_draining: self.draining.is_cancelled(),
            is_paused: self.operation.is_paused(),
            others_take_rooms: self.lobby.leaves_rooms_to_others(),
            lacks_bus: self.lobby.lacks_bus(),
            is_cut_off: self.lobby.is_cut_off(),
            is_out_of_date: self.lobby.is_out_of_date(),
            storage,
            disk: self.disk.level(),
            is_backup_old: self.backups.last_backup_is_old(),
        })
    }

    /// The rooms of an account, and of the guests that belong to it.
    ///
    /// # Errors
    /// If the guests cannot be read.
    pub(crate) async fn own_rooms(&self, member: &MemberId) -> Result<Vec<OwnRoom>, Refusal> {
        let guests = self.accounts.guests_of(member).await?;
        let own = OwnIds::new(member.clone(), guests);
        Ok(Box::pin(self.lobby.own_rooms_of(member, own.as_ref())).await)
    }

    /// Tells the service manager how this server is, at intervals; never returns.
    pub(crate) async fn report_health(&self, service: &ServiceManager) -> Infallible {
        let Some(interval) = service.interval() else { return pending().await };
        loop {
            let health = self.health().await;
            service.note(&health, self.storage_check.is_stuck(self.disk.log_bytes()));
            sleep(interval).await;
        }
    }

    /// The address of the client that sent a request. Logs a proxy that the operator has forgotten to name.
    pub(crate) fn client_address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let proxies = self.proxies.get();
        if proxies.is_unnamed(peer, headers) {
            self.proxy_faults.log(peer, ProxyFault::Untrusted);
        }
        proxies.client(peer, headers)
    }

    /// Whether the browser encrypts the connection: by TLS here, or at a proxy. The public URL decides if
    /// it is set, because not every proxy reports it.
    pub(crate) fn is_encrypted(&self, peer: IpAddr, headers: &HeaderMap) -> bool {
        self.tls.is_some()
            || self.public_url.as_ref().is_some_and(|url| url.origin().is_encrypted())
            || self.proxies.get().is_encrypted(peer, headers)
    }

    /// Forgets addresses that are gone and have their full allowances, at intervals; never returns.
    pub(crate) async fn forget_unused_addresses(&self) -> Infallible {
        loop {
            sleep(ADDRESSES_TIDIED_EVERY).await;
            let now = Instant::now();
            self.address_limits.forget_unused(now);
            self.watcher_limits.forget_unused(now);
            self.lobby.forget_unused_networks(now);
        }
    }

    /// How long a session waits before it is closed because the server stops, so that not all
    /// clients reach the other nodes in one moment.
    pub(crate) fn stopping_after(&self, session: SessionId) -> Duration {
        if !self.is_in_cluster || !self.stop.is_cancelled() {
            return Duration::ZERO;
        }
        let sessions = self.sessions.count() + self.watchers.count();
        let sessions = u32::try_from(sessions).unwrap_or(u32::MAX);
        let spread = STOP_SESSIONS_SPREAD.min(STOP_SESSION_APART * sessions);
        // Numbers follow each other, so the sessions are spread evenly.
        let place = u32::try_from(session.0 % u64::from(SPREAD_PLACES)).unwrap_or(0);
        spread * place / SPREAD_PLACES
    }
}
