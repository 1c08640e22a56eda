//! Tests of the bus with a real NATS server, behind relays that break the connections to it.

use std::time::Duration;

use fivefold_test_services::{Certificate, NatsCredentials, NatsServer, Passage, Relay, Service};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use tokio::time::{sleep, timeout};

use super::{
    access::{Login, NatsServers},
    *,
};
use crate::{
    limits::{BUS_SERVERS_MAX, CLUSTER_NAME_MAX},
    transport::link::testing::Host,
};

fn access(urls: &str, files: NatsFiles) -> Result<NatsAccess, NatsError> {
    NatsAccess::new(&NatsUrls::from(urls.to_owned()), files)
}

/// Connects once, and sees a message come back. Or what the log would have.
async fn connect_once(urls: &str, files: NatsFiles) -> Result<(), String> {
    let access = access(urls, files).map_err(|error| error.to_string())?;
    let (_, outbox) = mpsc::channel(1);
    let (arrived, _from_bus) = mpsc::channel(1);
    let subjects = Subjects::new(&"test".parse().unwrap());
    let keeper = Keeper {
        next: 0,
        to_me: subjects.node(NodeId::ALONE),
        subjects,
        outbox,
        arrived,
        is_up: Arc::default(),
        replace: Arc::default(),
        log: Log::default(),
        metrics: Arc::new(Metrics::new()),
        access,
    };
    let server = keeper.access.servers.addresses[0].clone();
    let mut connection = keeper.connect_to(&server).await.map_err(|failure| failure.sentence)?;
    connection.client.publish(keeper.subjects.all, Bytes::from("hello")).await.unwrap();
    let message = timeout(Duration::from_secs(60), connection.to_all.next()).await.unwrap();
    assert_eq!(message.unwrap().payload, "hello");
    Ok(())
}

/// Whether one who connects fails with such a sentence, and none of it is secret.
async fn check_refused(urls: &str, files: NatsFiles, expected: &str) {
    let sentence = connect_once(urls, files).await.expect_err(urls);
    assert!(sentence.contains(expected), "{sentence} instead of {expected}");
    assert!(!sentence.contains("secret") && !sentence.contains("p@ss"), "{sentence}");
}

fn ca(certificate: &Certificate) -> NatsFiles {
    NatsFiles { ca: Some(certificate.file()), ..NatsFiles::default() }
}

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
            let access =
                access(&server.url_at(relays[at].address()), NatsFiles::default()).unwrap();
            let cluster = "test".parse().unwrap();
            let (bus, from_bus) =
                NatsBus::start(access, &cluster, id, Arc::clone(&metrics), &tasks);
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
            if let crate::transport::link::FromPeer::Broadcast { message, .. } = event {
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
    let access = access(&server.url(), NatsFiles::default()).unwrap();
    let (me, metrics) = (NodeId::ALONE, Arc::new(Metrics::new()));
    let tasks = TaskTracker::new();
    let cluster = "test".parse().unwrap();
    let (bus, mut from_bus) = NatsBus::start(access, &cluster, me, metrics, &tasks);
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

#[tokio::test]
async fn a_user_with_a_password_gets_in_and_others_do_not() {
    let Some(server) = NatsServer::start() else { return };
    let (address, none) = (server.address(), NatsFiles::default);
    assert_eq!(connect_once(&server.url(), none()).await, Ok(()));
    let refuses = |what: &str| format!("NATS at {address} {what}");
    let user = refuses("refuses the user in --bus: correct the name or the password");
    check_refused(&format!("nats://fivefold:secret@{address}"), none(), &user).await;
    let token = refuses("refuses the token in --bus");
    check_refused(&format!("nats://secret@{address}"), none(), &token).await;
    let nobody = refuses("wants to know the user: write nats://user:password@host in --bus");
    check_refused(&format!("nats://{address}"), none(), &nobody).await;
    let tls = refuses("speaks no TLS");
    check_refused(&server.url().replace("nats:", "tls:"), none(), &tls).await;
    drop(server);
    check_refused(&format!("nats://{address}"), none(), &refuses("is not there: start it")).await;
    check_refused("nats://nowhere.invalid", none(), "NATS at nowhere.invalid:4222 cannot be found")
        .await;
}

#[tokio::test]
async fn a_token_opens_a_server() {
    let Some(server) = NatsServer::start_with(&["--auth", "t/ken"]) else { return };
    let url = |token: &str| format!("nats://{token}@{}", server.address());
    assert_eq!(connect_once(&url("t%2Fken"), NatsFiles::default()).await, Ok(()));
    check_refused(&url("secret"), NatsFiles::default(), "refuses the token in --bus").await;
}

#[tokio::test]
async fn a_file_of_credentials_opens_a_server() {
    let (ours, others) = (NatsCredentials::make(), NatsCredentials::make());
    let configuration = ours.configuration().display().to_string();
    let Some(server) = NatsServer::start_with(&["--config", &configuration]) else { return };
    let url = format!("nats://{}", server.address());
    let file =
        |of: &NatsCredentials| NatsFiles { credentials: Some(of.file()), ..NatsFiles::default() };
    assert_eq!(connect_once(&url, file(&ours)).await, Ok(()));
    let refused = format!("refuses the credentials in {}", others.file().display());
    check_refused(&url, file(&others), &refused).await;
    let both = format!("nats://bob:secret@{}", server.address());
    check_refused(&both, file(&ours), "--bus contains a user and bus-credentials").await;
    let missing = NatsFiles { credentials: Some("/nowhere".into()), ..NatsFiles::default() };
    check_refused(&url, missing, "cannot use /nowhere as bus-credentials").await;
    let wrong = NatsFiles { credentials: Some(ours.configuration()), ..NatsFiles::default() };
    check_refused(&url, wrong, "as bus-credentials").await;
}

#[tokio::test]
async fn both_sides_know_each_other_by_certificates() {
    let (certificate, own) = (Certificate::make(), Certificate::make());
    let roots = format!("--tlscacert={}", own.file().display());
    let flags = certificate.flags();
    let mut flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    flags.extend(["--user", "bob", "--pass", "pw", "--tlsverify", &roots]);
    let Some(server) = NatsServer::start_with(&flags) else { return };
    let url = |host: &str| format!("nats://bob:pw@{host}:{}", server.address().port());
    let with = |of: &Certificate| NatsFiles {
        certificate: Some((of.file(), of.key())),
        ..ca(&certificate)
    };
    assert_eq!(connect_once(&url("localhost"), with(&own)).await, Ok(()));
    let refused = "refuses the certificate of this node";
    check_refused(&url("localhost"), with(&certificate), refused).await;
    let missing = "wants a certificate of this node: set bus-cert and bus-key";
    check_refused(&url("localhost"), ca(&certificate), missing).await;
    let strange = "has a certificate that this node does not trust: name the certificate";
    check_refused(&url("localhost"), ca(&own), strange).await;
    check_refused(&url("127.0.0.1"), with(&own), "has a certificate for another name").await;
    let swapped = NatsFiles { certificate: Some((own.key(), own.file())), ..ca(&certificate) };
    check_refused(&url("localhost"), swapped, "as bus-cert").await;
}

/// Who demands TLS gets no connection without.
#[tokio::test]
async fn a_named_authority_demands_encryption() {
    let Some(server) = NatsServer::start() else { return };
    check_refused(&server.url(), ca(&Certificate::make()), "speaks no TLS").await;
}

#[tokio::test]
async fn a_user_who_may_not_use_the_subjects_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("nats.conf");
    let rights = r#"{ publish: "other.>", subscribe: "other.>" }"#;
    let user = format!("{{ user: bob, password: pw, permissions: {rights} }}");
    std::fs::write(&file, format!("authorization {{ users: [ {user} ] }}")).unwrap();
    let Some(server) = NatsServer::start_with(&["--config", file.to_str().unwrap()]) else {
        return;
    };
    let access = access(&format!("nats://bob:pw@{}", server.address()), NatsFiles::default());
    let (tasks, cluster) = (TaskTracker::new(), "test".parse().unwrap());
    let metrics = Arc::new(Metrics::new());
    let subjects = Subjects::new(&cluster);
    let (_, outbox) = mpsc::channel(1);
    let (arrived, from_bus) = mpsc::channel(BUS_INBOX_MAX);
    let log = Log::default();
    let keeper = Keeper {
        access: access.unwrap(),
        next: 0,
        to_me: subjects.node(NodeId::ALONE),
        subjects,
        outbox,
        arrived,
        is_up: Arc::default(),
        replace: Arc::default(),
        log: log.clone(),
        metrics,
    };
    tasks.spawn(keeper.run());
    let name = server.address().to_string();
    let sentence = complaints::reported(&name, "nats: Permissions Violation for X", "test.2.>");
    assert!(sentence.contains("publish and subscribe to test.2.>: allow both"), "{sentence}");
    let noted = async {
        while log.lock().is_due(&sentence) {
            log.lock().clear();
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(60), noted).await.expect("the log names the subjects");
    drop(from_bus);
}

#[test]
fn addresses_and_names_are_checked() {
    let many = |count| vec!["nats://a:4222"; count].join(",");
    let user = |name: &str, password: &str| Login::User {
        name: name.to_owned(),
        password: password.to_owned(),
    };
    let bad = |shown: &str| NatsError::Address(shown.to_owned());
    for (text, expected) in [
        ("nats://127.0.0.1:4222", Ok(Login::None)),
        ("nats://a:4222, tls://user:secret@b:4222", Ok(user("user", "secret"))),
        ("tls://user:secret@a,user:secret@b", Ok(user("user", "secret"))),
        ("nats://user:secret@a,nats://user:other@b", Err(NatsError::Logins)),
        ("nats://u%40b:p%40%3A%2F%25@[::1]:4222", Ok(user("u@b", "p@:/%"))),
        ("nats://user:@a", Ok(Login::Token("user".to_owned()))),
        ("nats://secret@a", Ok(Login::Token("secret".to_owned()))),
        ("nats://:secret@a", Err(bad("a"))),
        ("nats://user:sec/ret@a", Err(bad("a"))),
        ("nats://user:1/2@a", Err(bad("a"))),
        ("nats://user:1?2@a", Err(bad("a"))),
        ("nats://user:%FF@a", Err(bad("a"))),
        ("a:4222", Ok(Login::None)),
        ("ws://a:80", Err(bad("ws://a:80"))),
        ("http://user:secret@b:4222", Err(bad("b:4222"))),
        ("nats://user:secret", Err(bad("(hidden)"))),
        ("nats://user:123456", Err(bad("(hidden)"))),
        ("ws://user:123", Err(bad("ws://user:123"))),
        ("nats://a:4222,", Err(bad(""))),
        ("", Err(bad(""))),
        (&many(BUS_SERVERS_MAX), Ok(Login::None)),
        (&many(BUS_SERVERS_MAX + 1), Err(NatsError::Count)),
    ] {
        let read = text.parse::<NatsServers>().map(|servers| servers.login);
        assert!(read == expected, "{text}: {:?}", read.err());
    }
    let servers: NatsServers = "tls://user:secret@b:4222,nats://[::1]".parse().unwrap();
    assert_eq!(format!("{servers:?}"), r#"NatsServers(["b:4222", "[::1]:4222"])"#);
    assert_eq!(format!("{:?}", NatsUrls::from("secret".to_owned())), "NatsUrls(..)");

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
