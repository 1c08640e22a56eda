//! What all sessions and HTTP requests of one server share.

use std::sync::{Arc, atomic::AtomicU64};

use tokio_util::sync::CancellationToken;

use crate::{
    address_limits::AddressLimits, clock::Clock, config::PageSource,
    connection_limit::ConnectionLimit, http::jobs::Jobs, identities::Identities, limits::Limits,
    lobby::Lobby, logins::Logins, logs::LostLines, metrics::Metrics, origin::Origin,
    proxy::Proxies, reviews::Reviews, storage::ReadPool, thinking::Pool, tls::Tls,
};

/// What sessions and HTTP requests share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) limits: Limits,
    pub(crate) clock: Clock,
    pub(crate) origins: Vec<Origin>,
    pub(crate) proxies: Proxies,
    pub(crate) page: PageSource,
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) lobby: Arc<Lobby>,
    pub(crate) read_pool: Arc<ReadPool>,
    pub(crate) reviews: Reviews,
    /// For answers over HTTP.
    pub(crate) jobs: Jobs,
    /// For analyses that belong to no room.
    pub(crate) pool: Pool,
    pub(crate) identities: Identities,
    pub(crate) logins: Logins,
    pub(crate) sessions: ConnectionLimit,
    pub(crate) address_limits: AddressLimits,
    /// Id of the next session.
    pub(crate) next_session: AtomicU64,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) lost_lines: LostLines,
    /// Tells sessions to end: the server stops.
    pub(crate) stop: CancellationToken,
}
