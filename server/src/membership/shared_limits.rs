//! Limits per address on several nodes: once a second a node reports the addresses that use much of
//! what they are allowed here, and counts in what the other nodes report. Between two reports an
//! address may have as much on each node.

use std::{
    collections::{BTreeMap, HashMap},
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
};

use fivefold_storage::NodeId;
use tokio::time::{Instant, sleep};

use crate::{
    cluster::{
        Cluster,
        frame::{AddressUse, News},
    },
    limits::{ADDRESS_USE_INTERVAL, ADDRESS_USE_KEPT},
    net::{address_limits::AddressLimits, connection_limit::ConnectionLimit, network::Network},
    rooms::lobby::Lobby,
    shared_state::Server,
};

/// The limits that the nodes share.
#[derive(Debug)]
pub(crate) struct SharedLimits {
    rates: Arc<AddressLimits>,
    sessions: ConnectionLimit,
    lobby: Arc<Lobby>,
    /// What each node has reported last. Locked to take in a report or to add them up.
    reports: Mutex<BTreeMap<NodeId, Report>>,
}

/// What a node has open for its busiest networks.
#[derive(Debug)]
struct Report {
    at: Instant,
    sessions: Vec<(Network, usize)>,
    rooms: Vec<(Network, usize)>,
    bot_rooms: Vec<(Network, usize)>,
}

impl SharedLimits {
    /// The limits of this server.
    pub(crate) fn of(server: &Server) -> Self {
        Self {
            rates: Arc::clone(&server.address_limits),
            sessions: server.sessions.clone(),
            lobby: Arc::clone(&server.lobby),
            reports: Mutex::default(),
        }
    }

    /// The rooms of this server.
    pub(crate) const fn lobby(&self) -> &Arc<Lobby> {
        &self.lobby
    }

    /// Reports to the other nodes at intervals; never returns.
    pub(crate) async fn report(&self, cluster: &Cluster) -> Infallible {
        loop {
            sleep(ADDRESS_USE_INTERVAL).await;
            let usage = self.usage();
            if usage != AddressUse::default() {
                cluster.broadcast(&News::AddressUse(usage));
            }
            // What a silent node has reported counts no more.
            self.count_in();
        }
    }

    fn usage(&self) -> AddressUse {
        let now = Instant::now();
        let mut usage = AddressUse {
            taken: self.rates.report(now),
            sessions: self.sessions.above_quarter(),
            ..self.lobby.address_use(now)
        };
        usage.limit();
        usage
    }

    /// Takes in a report of another node.
    pub(crate) fn note(&self, node: NodeId, usage: AddressUse) {
        let AddressUse { taken, rooms_asked, daily_asked, sessions, rooms, bot_rooms } = usage;
        let now = Instant::now();
        for (address, taken) in taken {
            self.rates.take_elsewhere(address, taken, now);
        }
        self.lobby.take_elsewhere(&rooms_asked, &daily_asked, now);
        let report = Report { at: now, sessions, rooms, bot_rooms };
        self.reports.lock().unwrap_or_else(PoisonError::into_inner).insert(node, report);
        self.count_in();
    }

    fn count_in(&self) {
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        reports.retain(|_, report| report.at.elapsed() < ADDRESS_USE_KEPT);
        self.sessions.set_elsewhere(sum(&reports, |report| &report.sessions));
        let rooms = sum(&reports, |report| &report.rooms);
        let bot_rooms = sum(&reports, |report| &report.bot_rooms);
        self.lobby.set_elsewhere(rooms, bot_rooms);
    }
}

fn sum(
    reports: &BTreeMap<NodeId, Report>,
    counts: impl Fn(&Report) -> &Vec<(Network, usize)>,
) -> HashMap<Network, usize> {
    let mut sums = HashMap::new();
    for (network, count) in reports.values().flat_map(counts) {
        *sums.entry(*network).or_default() += count;
    }
    sums
}
