//! The other end of a connection: its address, and the WebSocket that it becomes after a handshake.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

use hyper::upgrade::OnUpgrade;

use crate::{net::connection_limit::ConnectionPermit, session::Visitor};

/// The other end of a connection. Handlers get it with each request.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    pub(super) peer: IpAddr,
    /// Where the request comes from: a trusted proxy names it. Until the request is read, the peer.
    pub(super) address: IpAddr,
    /// Set by the handshake. Locked only to set and to take.
    upgrade: Arc<Mutex<Option<Upgrade>>>,
}

/// A connection that is about to become a WebSocket.
#[derive(Debug)]
pub(super) struct Upgrade {
    pub(super) socket: OnUpgrade,
    pub(super) visitor: Visitor,
    /// Kept for as long as the session lasts.
    pub(super) place: ConnectionPermit,
}

impl Caller {
    pub(super) fn new(peer: IpAddr) -> Self {
        Self { peer, address: peer, upgrade: Arc::default() }
    }

    /// The same caller, whose request comes from this address.
    pub(super) fn at(self, address: IpAddr) -> Self {
        Self { address, ..self }
    }

    pub(super) fn put(&self, upgrade: Upgrade) {
        *self.upgrade.lock().unwrap_or_else(PoisonError::into_inner) = Some(upgrade);
    }

    pub(super) fn take(&self) -> Option<Upgrade> {
        self.upgrade.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
