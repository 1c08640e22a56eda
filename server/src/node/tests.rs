//! Tests of what a node makes of the cluster, as the answers to its heartbeats show it.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use tokio::time::advance;

use super::*;
use crate::storage::Memory;

const SEES_BUS: NodeReport = NodeReport { sees_bus: true, rooms: 0, draining: false };

/// A registry that may stop to answer.
#[derive(Clone, Debug, Default)]
struct Faulty {
    memory: Memory,
    is_away: Arc<AtomicBool>,
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

    fn heartbeat(&mut self, node: NodeId, report: NodeReport) -> Result<Pulse, StorageError> {
        self.answer()?.heartbeat(node, report)
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
    let node = Node::join(Box::new(registry.clone()), Blocking::Threads).await.unwrap();
    (node, registry)
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
