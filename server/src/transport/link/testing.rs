//! Hosts for the tests of links: each sends numbered frames and judges those that it receives.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use fivefold_storage::NodeId;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use super::{FromPeer, Links};
use crate::{
    metrics::{Levels, Metrics},
    transport::bus::{Bus, FromBus},
};

/// A node with its links.
pub(crate) struct Host {
    pub(crate) id: NodeId,
    pub(crate) links: Links,
    pub(crate) from_peers: mpsc::Receiver<FromPeer>,
    metrics: Arc<Metrics>,
    seen: BTreeMap<NodeId, Seen>,
}

/// What a host has seen of one peer.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Frames sent to it, with the numbers from 0.
    sent: u64,
    /// How many were sent before the last reset.
    sent_before_reset: u64,
    /// The numbers of the first and the last frame that came after the last reset.
    run: Option<(u64, u64)>,
    /// The last frame that came.
    last: Option<u64>,
    /// How many resets there were.
    pub(crate) resets: u64,
    pub(crate) is_present: bool,
}

impl Host {
    /// A host on this bus.
    pub(crate) fn start(
        id: NodeId,
        bus: Arc<dyn Bus>,
        from_bus: mpsc::Receiver<FromBus>,
        metrics: Arc<Metrics>,
        tasks: &TaskTracker,
    ) -> Self {
        let (links, from_peers) = Links::start(id, bus, from_bus, Arc::clone(&metrics), tasks);
        Self { id, links, from_peers, metrics, seen: BTreeMap::new() }
    }

    /// Sends the next frame, padded to this many bytes.
    pub(crate) fn send(&mut self, to: NodeId, size: usize) {
        let seen = self.seen.entry(to).or_default();
        let mut frame = seen.sent.to_le_bytes().to_vec();
        frame.resize(size.max(frame.len()), 0);
        seen.sent += 1;
        self.links.send(to, Bytes::from(frame));
    }

    /// Judges what has come. Returns whether there was anything.
    pub(crate) fn look(&mut self) -> bool {
        let mut some = false;
        while let Ok(event) = self.from_peers.try_recv() {
            self.judge(&event);
            some = true;
        }
        some
    }

    /// Judges one event.
    pub(crate) fn judge(&mut self, event: &FromPeer) {
        match event {
            FromPeer::Frame { from, frame } => {
                let number = u64::from_le_bytes(frame[..8].try_into().unwrap());
                let seen = self.seen.entry(*from).or_default();
                assert!(seen.last.is_none_or(|last| last < number), "{number} again: {seen:?}");
                seen.run = match seen.run {
                    None => Some((number, number)),
                    Some((first, last)) => {
                        assert_eq!(number, last + 1, "a gap: {seen:?}");
                        Some((first, number))
                    }
                };
                seen.last = Some(number);
            }
            FromPeer::Reset(peer) => {
                let seen = self.seen.entry(*peer).or_default();
                seen.sent_before_reset = seen.sent;
                seen.resets += 1;
                seen.run = None;
            }
            FromPeer::Silent(peer) => {
                let seen = self.seen.entry(*peer).or_default();
                assert!(std::mem::replace(&mut seen.is_present, false), "silent twice: {seen:?}");
            }
            FromPeer::Present(peer) => {
                let seen = self.seen.entry(*peer).or_default();
                assert!(!std::mem::replace(&mut seen.is_present, true), "present twice: {seen:?}");
            }
            FromPeer::Broadcast { from, .. } => assert_ne!(*from, self.id),
        }
    }

    /// What this host has seen of a peer.
    pub(crate) fn seen(&self, peer: NodeId) -> &Seen {
        &self.seen[&peer]
    }

    /// Whether all frames that this host has sent after its last reset have come to the peer.
    pub(crate) fn has_reached(&self, peer: &Self) -> bool {
        let (sent, came) = (&self.seen[&peer.id], &peer.seen[&self.id]);
        let all = |(first, last)| first <= sent.sent_before_reset && last + 1 == sent.sent;
        if sent.sent_before_reset == sent.sent { true } else { came.run.is_some_and(all) }
    }

    /// Whether nothing has been reset yet.
    pub(crate) fn sent_all_without_reset(&self, peer: &Self) -> bool {
        self.seen(peer.id).resets == 0 && peer.seen(self.id).resets == 0
    }

    /// Whether a peer is there and not silent.
    pub(crate) fn has_present(&self, peer: NodeId) -> bool {
        self.seen.get(&peer).is_some_and(|seen| seen.is_present)
    }

    /// A line of this host's metrics.
    pub(crate) fn metric(&self, name: &str) -> Option<f64> {
        let text = self.metrics.render(&Levels::default());
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("fivefold_{name} ")));
        line.map(|value| value.parse().unwrap())
    }
}
