//! Tests of the bus with a real NATS server, behind relays that break the connections to it.

use std::time::Duration;

use fivefold_test_services::{NatsServer, Passage, Relay, Service};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use tokio::time::{sleep, timeout};

use super::*;
use crate::link::testing::Host;

/// A failure of the connection of the first node, or of the server.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Killed,
    Frozen,
    Abandoned,
    Relay(Passage),
}

/// Two nodes with a relay each, and their server.
struct Cluster {
    hosts: [Host; 2],
    relays: [Relay; 2],
    server: NatsServer,
    tasks: TaskTracker,
}

impl Cluster {
    /// Nodes that know each other. `None` where there is no NATS server.
    async fn start() -> Option<Self> {
        let server = NatsServer::start()?;
        let tasks = TaskTracker::new();
        let service = Service::Tcp(server.address());
        let relays = [Relay::start(service.clone()).await, Relay::start(service).await];
        let hosts = [0, 1].map(|at: usize| {
            let id = NodeId::new(u32::try_from(at).unwrap() + 1).unwrap();
            let metrics = Arc::new(Metrics::new());
            let servers = format!("nats://{}", relays[at].address()).parse().unwrap();
            let cluster = "test".parse().unwrap();
            let (bus, from_bus) =
                NatsBus::start(servers, &cluster, id, Arc::clone(&metrics), &tasks);
            Host::start(id, bus, from_bus, metrics, &tasks)
        });
        let mut cluster = Self { hosts, relays, server, tasks };
        cluster.until(Self::is_well).await;
        Some(cluster)
    }

    /// Lets the nodes read until a condition holds.
    async fn until(&mut self, condition: impl Fn(&Self) -> bool) {
        let condition = async {
            loop {
                for host in &mut self.hosts {
                    host.look();
                }
                if condition(self) {
                    return;
                }
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(60), condition).await.expect("the condition holds at last");
    }

    /// Whether both nodes see the bus and each other.
    fn is_well(&self) -> bool {
        let [one, two] = &self.hosts;
        let sees = |host: &Host, peer: &Host| host.links.sees_bus() && host.has_present(peer.id);
        sees(one, two) && sees(two, one)
    }

    /// Sends some frames in both directions.
    fn send(&mut self, sizes: &[usize]) {
        let ids = [self.hosts[0].id, self.hosts[1].id];
        for &size in sizes {
            self.hosts[0].send(ids[1], size);
            self.hosts[1].send(ids[0], size);
        }
    }

    fn have_reached(&self) -> bool {
        let [one, two] = &self.hosts;
        one.has_reached(two) && two.has_reached(one)
    }

    fn begin(&mut self, fault: Fault) {
        match fault {
            Fault::Killed => self.server.kill(),
            Fault::Frozen => self.server.freeze(),
            Fault::Abandoned => self.relays[0].abandon(),
            Fault::Relay(passage) => self.relays[0].set(passage),
        }
    }

    fn end(&mut self, fault: Fault) {
        match fault {
            Fault::Killed => self.server.restart(),
            Fault::Frozen => self.server.thaw(),
            Fault::Abandoned => {}
            Fault::Relay(_) => self.relays[0].set(Passage::Open),
        }
    }
}

/// A node that is cut off notices, its peer does if it lasts, and all goes on when the fault is over.
async fn check(fault: Fault) {
    let Some(mut cluster) = Cluster::start().await else { return };
    cluster.send(&[100; 10]);
    cluster.until(Cluster::have_reached).await;
    assert!(cluster.hosts[0].sent_all_without_reset(&cluster.hosts[1]));
    cluster.begin(fault);
    let is_noticed = |cluster: &Cluster| {
        let [one, two] = &cluster.hosts;
        // A dead connection is replaced before the peer notices.
        let is_short = matches!(fault, Fault::Abandoned);
        !one.links.sees_bus() && (is_short || !two.has_present(one.id))
    };
    // Some frames are on their way when the connection breaks, and some come later.
    cluster.send(&[10_000; 20]);
    cluster.until(is_noticed).await;
    cluster.send(&[100; 10]);
    cluster.end(fault);
    cluster.until(Cluster::is_well).await;
    cluster.send(&[100; 10]);
    cluster.until(Cluster::have_reached).await;
    // Long enough for another heartbeat.
    sleep(Duration::from_millis(300)).await;
    cluster.until(Cluster::have_reached).await;
}

#[tokio::test]
async fn frames_of_all_lengths_pass() {
    let Some(mut cluster) = Cluster::start().await else { return };
    for sizes in [[8; 3], [LINK_FRAME_MAX; 3], [8, LINK_FRAME_MAX, 60_000]] {
        cluster.send(&sizes);
        cluster.until(Cluster::have_reached).await;
    }
    assert_eq!(cluster.hosts[0].seen(cluster.hosts[1].id).resets, 0);
}

#[tokio::test]
async fn nodes_get_over_a_restarted_server() {
    check(Fault::Killed).await;
}

#[tokio::test]
async fn nodes_get_over_a_frozen_server() {
    check(Fault::Frozen).await;
}

#[tokio::test]
async fn a_node_gets_over_a_connection_that_died_silently() {
    check(Fault::Abandoned).await;
}

#[tokio::test]
async fn a_node_gets_over_a_closed_connection() {
    check(Fault::Relay(Passage::Closed)).await;
}

#[tokio::test]
async fn a_node_gets_over_a_connection_that_is_held() {
    check(Fault::Relay(Passage::Held)).await;
}

#[tokio::test]
async fn a_node_gets_over_a_cut_from_it() {
    check(Fault::Relay(Passage::ToClients)).await;
}

#[tokio::test]
async fn a_node_gets_over_a_cut_towards_it() {
    check(Fault::Relay(Passage::ToService)).await;
}

#[tokio::test]
async fn links_keep_their_promise_over_connections_that_fail_at_random() {
    let Some(mut cluster) = Cluster::start().await else { return };
    let mut random = StdRng::seed_from_u64(1);
    for _ in 0..60 {
        let passage = match random.random_range(0..12) {
            0 => Passage::Held,
            1 => Passage::ToService,
            2 => Passage::ToClients,
            3 => Passage::Closed,
            _ => Passage::Open,
        };
        cluster.relays[random.random_range(0..2)].set(passage);
        for _ in 0..5 {
            let size = random.random_range(8..30_000);
            cluster.send(&vec![size; random.random_range(0..20)]);
            sleep(Duration::from_millis(random.random_range(0..30))).await;
            for host in &mut cluster.hosts {
                host.look();
            }
        }
    }
    for relay in &cluster.relays {
        relay.set(Passage::Open);
    }
    cluster.until(Cluster::is_well).await;
    cluster.send(&[8; 3]);
    cluster.until(Cluster::have_reached).await;
}

#[tokio::test]
async fn a_node_that_leaves_ends_its_tasks_after_its_last_words() {
    let Some(cluster) = Cluster::start().await else { return };
    let Cluster { hosts: [one, mut two], tasks, relays: _relays, server: _server } = cluster;
    one.links.broadcast(Bytes::from("farewell"));
    drop(one);
    let farewell = async {
        loop {
            let event = two.from_peers.recv().await.unwrap();
            if let crate::link::FromPeer::Broadcast { message, .. } = event {
                return message;
            }
        }
    };
    assert_eq!(timeout(Duration::from_secs(60), farewell).await.unwrap(), "farewell");
    drop(two);
    tasks.close();
    timeout(Duration::from_secs(60), tasks.wait()).await.unwrap();
}

#[tokio::test]
async fn a_bus_takes_as_many_messages_as_allowed_before_it_writes_them() {
    let Some(server) = NatsServer::start() else { return };
    let servers = format!("nats://{}", server.address()).parse().unwrap();
    let (me, metrics) = (NodeId::ALONE, Arc::new(Metrics::new()));
    let tasks = TaskTracker::new();
    let cluster = "test".parse().unwrap();
    let (bus, mut from_bus) = NatsBus::start(servers, &cluster, me, metrics, &tasks);
    assert!(!bus.is_up() && !bus.broadcast(Bytes::from("too early")));
    assert_eq!(from_bus.recv().await, Some(FromBus::Connected));
    // No other task runs in between.
    let message = || Bytes::from("message");
    for number in 0..=BUS_OUTBOX_MAX {
        assert_eq!(bus.send(me, message()), number < BUS_OUTBOX_MAX, "{number}");
    }
    for number in 0..=BUS_BROADCASTS_MAX {
        assert_eq!(bus.broadcast(message()), number < BUS_BROADCASTS_MAX, "{number}");
    }
    let (mut sent, mut broadcast) = (0, 0);
    for _ in 0..BUS_OUTBOX_MAX + BUS_BROADCASTS_MAX {
        match from_bus.recv().await.unwrap() {
            FromBus::Sent(_) => sent += 1,
            FromBus::Broadcast(_) => broadcast += 1,
            change => panic!("{change:?}"),
        }
    }
    assert_eq!((sent, broadcast), (BUS_OUTBOX_MAX, BUS_BROADCASTS_MAX));
}

#[test]
fn addresses_and_names_are_checked() {
    let many = |count| vec!["nats://a:4222"; count].join(",");
    for (text, expected) in [
        ("nats://127.0.0.1:4222", true),
        ("nats://a:4222, tls://user:secret@b:4222", true),
        ("a:4222", true),
        ("ws://a:80", false),
        ("http://a:80", false),
        ("nats://a:4222,", false),
        ("", false),
        (&many(BUS_SERVERS_MAX), true),
        (&many(BUS_SERVERS_MAX + 1), false),
    ] {
        assert_eq!(text.parse::<NatsServers>().is_ok(), expected, "{text}");
    }
    let servers: NatsServers = "tls://user:secret@b:4222".parse().unwrap();
    assert_eq!(format!("{servers:?}"), r#"NatsServers(["b:4222"])"#);
    let error = "http://user:secret@b:4222".parse::<NatsServers>().unwrap_err();
    assert_eq!(error, NatsError::Address("b:4222".to_owned()));

    let longest = "a".repeat(CLUSTER_NAME_MAX);
    for (name, expected) in [
        ("fivefold", true),
        ("Five-fold_2", true),
        (&longest, true),
        (&format!("{longest}a"), false),
        ("", false),
        ("a.b", false),
        ("a b", false),
        ("a*", false),
        (">", false),
    ] {
        assert_eq!(name.parse::<ClusterName>().is_ok(), expected, "{name}");
    }
}
