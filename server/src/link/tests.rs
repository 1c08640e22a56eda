//! Tests of links over a bus in memory with faults.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout},
};
use tokio_util::task::TaskTracker;

use super::{FromPeer, Links};
use crate::{bus::local::LocalNetwork, metrics::Metrics, node_id::NodeId};

/// A node with its links.
struct Host {
    id: NodeId,
    links: Links,
    from_peers: mpsc::Receiver<FromPeer>,
    metrics: Arc<Metrics>,
}

impl Host {
    fn join(network: &LocalNetwork, number: u32) -> Self {
        let id = NodeId::new(number).unwrap();
        let tasks = TaskTracker::new();
        let (bus, from_bus) = network.join(id, &tasks);
        let metrics = Arc::new(Metrics::new());
        let (links, from_peers) = Links::start(id, bus, from_bus, Arc::clone(&metrics), &tasks);
        Self { id, links, from_peers, metrics }
    }

    async fn next(&mut self) -> FromPeer {
        let next = timeout(Duration::from_secs(100), self.from_peers.recv()).await;
        next.expect("something comes").expect("the links run")
    }
}

async fn two_that_know_each_other(network: &LocalNetwork) -> [Host; 2] {
    let [mut one, mut two] = [1, 2].map(|number| Host::join(network, number));
    assert_eq!(one.next().await, FromPeer::Present(two.id));
    assert_eq!(two.next().await, FromPeer::Present(one.id));
    [one, two]
}

fn frame(from: &Host, text: &'static str) -> FromPeer {
    FromPeer::Frame { from: from.id, frame: Bytes::from(text) }
}

#[tokio::test(start_paused = true)]
async fn frames_come_in_order() {
    let [one, mut two] = two_that_know_each_other(&LocalNetwork::new(1)).await;
    for text in ["a", "b", "c"] {
        one.links.send(two.id, Bytes::from(text));
    }
    for text in ["a", "b", "c"] {
        assert_eq!(two.next().await, frame(&one, text));
    }
    one.links.broadcast(Bytes::from("all"));
    let all = FromPeer::Broadcast { from: one.id, message: Bytes::from("all") };
    assert_eq!(two.next().await, all);
}

#[tokio::test(start_paused = true)]
async fn a_lost_last_frame_is_found_within_half_a_second() {
    for wait in 0..10 {
        let network = LocalNetwork::new(1);
        let [mut one, mut two] = two_that_know_each_other(&network).await;
        sleep(Duration::from_millis(25 * wait)).await;
        network.cut(one.id, two.id);
        one.links.send(two.id, Bytes::from("lost"));
        sleep(Duration::from_millis(1)).await;
        let begin = Instant::now();
        network.heal(one.id, two.id);
        assert_eq!(two.next().await, FromPeer::Reset(one.id));
        assert_eq!(one.next().await, FromPeer::Reset(two.id));
        assert!(begin.elapsed() <= Duration::from_millis(500), "{:?}", begin.elapsed());
        one.links.send(two.id, Bytes::from("new"));
        assert_eq!(two.next().await, frame(&one, "new"));
    }
}
