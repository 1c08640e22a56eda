//! Tests of what a node makes of the cluster, as the answers to its heartbeats show it.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use fivefold_storage::Memory;
use tokio::time::advance;

use super::*;
use crate::limits::{CLOCK_DRIFT_MAX, WRONG_CLOCKS_MAX};

const SEES_BUS: NodeReport = NodeReport { sees_bus: true, rooms: 0, draining: false };

/// A registry that may stop to answer.
#[derive(Clone, Debug, Default)]
struct Faulty {
    memory: Memory,
    is_away: Arc<AtomicBool>,
    /// In milliseconds; 0 for none.
    time: Arc<AtomicU64>,
}

impl Faulty {
    fn answer(&mut self) -> Result<&mut Memory, StorageError> {
        if self.is_away.load(Ordering::Relaxed) {
            return Err(StorageError::InDoubt("no answer".to_owned()));
        }
        Ok(&mut self.memory)
    }
}

impl Registry for Faulty {
    fn join(&mut self) -> Result<NodeId, JoinError> {
        self.answer()?.join()
    }

    fn now(&mut self) -> Result<Option<u64>, StorageError> {
        self.answer()?;
        Ok(Some(self.time.load(Ordering::Relaxed)).filter(|time| *time > 0))
    }

    fn heartbeat(&mut self, node: NodeId, report: NodeReport) -> Result<Pulse, StorageError> {
        let now = self.now()?;
        Ok(match self.answer()?.heartbeat(node, report)? {
            Pulse::Alive { living, .. } => Pulse::Alive { living, now },
            Pulse::Dead => Pulse::Dead,
        })
    }

    fn declare_dead(&mut self, node: NodeId, seen: u64) -> Result<bool, StorageError> {
        self.answer()?.declare_dead(node, seen)
    }

    fn retire(&mut self, node: NodeId) -> Result<(), StorageError> {
        self.answer()?.retire(node)
    }
}

/// A node that has joined after others with these reports.
async fn beside(others: &[NodeReport]) -> (Node, Faulty) {
    let mut registry = Faulty::default();
    for report in others {
        let other = registry.join().unwrap();
        registry.heartbeat(other, *report).unwrap();
    }
    (join(&registry).await, registry)
}

async fn join(registry: &Faulty) -> Node {
    let clock = Clock::starting_at(7);
    Node::join(Box::new(registry.clone()), Blocking::Threads, clock).await.unwrap()
}

async fn beat(node: &Node) {
    node.beat(&mut Observer::default(), SEES_BUS).await;
}

#[tokio::test(start_paused = true)]
async fn a_node_is_cut_off_while_it_has_no_news_of_the_cluster() {
    let (node, registry) = beside(&[SEES_BUS]).await;
    assert!(node.is_cut_off(true), "it does not know the others yet");
    beat(&node).await;
    assert!(!node.is_cut_off(true));

    registry.is_away.store(true, Ordering::Relaxed);
    advance(CUT_OFF_AFTER - Duration::from_millis(1)).await;
    beat(&node).await;
    assert!(!node.is_cut_off(true));
    advance(Duration::from_millis(1)).await;
    assert!(node.is_cut_off(true));
    registry.is_away.store(false, Ordering::Relaxed);
    beat(&node).await;
    assert!(!node.is_cut_off(true), "it is back");
}

#[tokio::test]
async fn a_node_that_alone_misses_the_bus_is_cut_off() {
    let blind = NodeReport { sees_bus: false, ..SEES_BUS };
    for (others, is_cut_off) in
        [(vec![blind, SEES_BUS], true), (vec![blind], false), (vec![], false)]
    {
        let (node, _) = beside(&others).await;
        beat(&node).await;
        assert_eq!(node.is_cut_off(false), is_cut_off, "{others:?}");
        assert!(!node.is_cut_off(true));
    }
}

#[tokio::test]
async fn rooms_go_to_the_emptiest_node_that_stays() {
    let with = |rooms| NodeReport { rooms, ..SEES_BUS };
    let draining = NodeReport { draining: true, ..with(0) };
    let blind = NodeReport { sees_bus: false, ..with(0) };
    // The other nodes, the rooms of this one, whether it drains, and who should claim one more.
    let cases = [
        (vec![with(10), with(7)], 100, false, Some(2)),
        (vec![with(10), with(7)], 9, false, None),
        (vec![draining, blind, with(7)], 100, false, Some(3)),
        (vec![draining, blind], 100, false, None),
        (vec![with(10), with(7)], 0, true, Some(2)),
        (vec![draining, blind], 0, true, None),
    ];
    for (others, rooms, is_draining, expected) in cases {
        let (node, _) = beside(&others).await;
        beat(&node).await;
        let found = node.emptier_node(rooms, is_draining).map(NodeId::get);
        assert_eq!(found, expected, "{others:?} {rooms} {is_draining}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_takes_the_time_of_the_registry_and_ends_when_they_differ() {
    let registry = Faulty::default();
    assert_eq!(join(&registry).await.clock().now(), 7, "a registry without a clock");
    let start = 1_795_230_000_000;
    registry.time.store(start, Ordering::Relaxed);
    let node = join(&registry).await;
    assert_eq!(node.clock().now(), start);

    let mut observer = Observer::default();
    let ahead = u64::try_from(CLOCK_DRIFT_MAX.as_millis()).unwrap();
    registry.time.store(start + ahead, Ordering::Relaxed);
    for _ in 0..2 * WRONG_CLOCKS_MAX {
        let beat = node.beat(&mut observer, SEES_BUS).await;
        assert_eq!(beat.drift, Some(CLOCK_DRIFT_MAX));
    }
    registry.time.store(start + ahead + 1, Ordering::Relaxed);
    for _ in 1..WRONG_CLOCKS_MAX {
        node.beat(&mut observer, SEES_BUS).await;
    }
    assert!(!node.retired().is_cancelled());
    node.beat(&mut observer, SEES_BUS).await;
    assert!(node.retired().is_cancelled());
    assert_eq!(join(&registry).await.clock().now(), start + ahead + 1, "it joins with its time");
}
