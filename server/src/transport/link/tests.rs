//! Tests of links over a bus in memory with faults.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use fivefold_storage::NodeId;
use proptest::prelude::*;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout},
};
use tokio_util::task::TaskTracker;

use super::{FromPeer, frame::*, testing::Host};
use crate::{
    limits::{
        LINK_BATCH_BYTES, LINK_FORGOTTEN_TICKS, LINK_FRAME_MAX, LINK_PEERS_MAX,
        LINK_QUEUE_BYTES_MAX, LINK_QUEUE_FRAMES_MAX, LINK_TICK,
    },
    metrics::Metrics,
    transport::bus::{
        Bus, FromBus,
        local::{Faults, LocalNetwork},
    },
};

fn id(number: u32) -> NodeId {
    NodeId::new(number).unwrap()
}

fn join(network: &LocalNetwork, number: u32) -> Host {
    let tasks = TaskTracker::new();
    let (bus, from_bus) = network.join(id(number), &tasks);
    Host::start(id(number), bus, from_bus, Arc::new(Metrics::new()), &tasks)
}

async fn next(host: &mut Host) -> FromPeer {
    let next = timeout(Duration::from_secs(100), host.from_peers.recv()).await;
    next.expect("something comes").expect("the links run")
}

/// Two hosts that know each other.
async fn pair(network: &LocalNetwork) -> [Host; 2] {
    let [mut one, mut two] = [1, 2].map(|number| join(network, number));
    assert_eq!(next(&mut one).await, FromPeer::Present(two.id));
    assert_eq!(next(&mut two).await, FromPeer::Present(one.id));
    [one, two]
}

fn frame(from: &Host, frame: impl Into<Bytes>) -> FromPeer {
    FromPeer::Frame { from: from.id, frame: frame.into() }
}

/// Long enough for a message to arrive, and shorter than a tick.
const MOMENT: Duration = Duration::from_millis(5);

#[tokio::test(start_paused = true)]
async fn frames_come_in_order() {
    let [one, mut two] = pair(&LocalNetwork::new(1)).await;
    for text in ["a", "b", "c"] {
        one.links.send(two.id, Bytes::from(text));
    }
    for text in ["a", "b", "c"] {
        assert_eq!(next(&mut two).await, frame(&one, text));
    }
    one.links.broadcast(Bytes::from("all"));
    let all = FromPeer::Broadcast { from: one.id, message: Bytes::from("all") };
    assert_eq!(next(&mut two).await, all);
    assert_eq!(one.metric(r#"link_frames_sent_total{node="2"}"#), Some(3.0));
    assert_eq!(two.metric(r#"link_frames_received_total{node="1"}"#), Some(3.0));
}

#[tokio::test(start_paused = true)]
async fn a_lost_last_frame_is_found_within_half_a_second() {
    for wait in 0..10 {
        let network = LocalNetwork::new(1);
        let [mut one, mut two] = pair(&network).await;
        sleep(Duration::from_millis(25 * wait)).await;
        network.cut(one.id, two.id);
        one.links.send(two.id, Bytes::from("lost"));
        let begin = Instant::now();
        sleep(Duration::from_millis(1)).await;
        network.heal(one.id, two.id);
        assert_eq!(next(&mut two).await, FromPeer::Reset(one.id));
        assert_eq!(next(&mut one).await, FromPeer::Reset(two.id));
        assert!(begin.elapsed() <= Duration::from_millis(500), "{:?}", begin.elapsed());
        one.links.send(two.id, Bytes::from("new"));
        assert_eq!(next(&mut two).await, frame(&one, "new"));
        assert_eq!(two.metric(r#"link_resets_total{node="1",cause="tail"}"#), Some(1.0));
        assert_eq!(one.metric(r#"link_resets_total{node="2",cause="peer"}"#), Some(1.0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_gap_resets_both_directions_at_once() {
    let network = LocalNetwork::new(1);
    let [mut one, mut two] = pair(&network).await;
    network.cut(one.id, two.id);
    one.links.send(two.id, Bytes::from("lost"));
    sleep(MOMENT).await;
    network.heal(one.id, two.id);
    let begin = Instant::now();
    one.links.send(two.id, Bytes::from("after it"));
    assert_eq!(next(&mut two).await, FromPeer::Reset(one.id));
    assert_eq!(next(&mut one).await, FromPeer::Reset(two.id));
    assert!(begin.elapsed() <= MOMENT, "{:?}", begin.elapsed());
    two.links.send(one.id, Bytes::from("new"));
    assert_eq!(next(&mut one).await, frame(&two, "new"));
}

#[tokio::test(start_paused = true)]
async fn a_silent_peer_is_reported_after_two_seconds() {
    let network = LocalNetwork::new(1);
    let [mut one, mut two] = pair(&network).await;
    network.cut(two.id, one.id);
    let begin = Instant::now();
    assert_eq!(next(&mut one).await, FromPeer::Silent(two.id));
    let within = Duration::from_millis(1_700)..=Duration::from_millis(2_100);
    assert!(within.contains(&begin.elapsed()), "{:?}", begin.elapsed());
    // The other direction is whole.
    one.links.send(two.id, Bytes::from("there"));
    assert_eq!(next(&mut two).await, frame(&one, "there"));
    network.heal(two.id, one.id);
    assert_eq!(next(&mut one).await, FromPeer::Present(two.id));
    two.links.send(one.id, Bytes::from("here"));
    assert_eq!(next(&mut one).await, frame(&two, "here"));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_misses_its_own_broadcasts_knows_it_within_a_second() {
    let network = LocalNetwork::new(1);
    let [one, two] = pair(&network).await;
    sleep(MOMENT).await;
    assert!(one.links.sees_bus() && two.links.sees_bus());
    network.cut(one.id, one.id);
    sleep(Duration::from_millis(700)).await;
    assert!(one.links.sees_bus());
    sleep(Duration::from_millis(550)).await;
    assert!(!one.links.sees_bus() && two.links.sees_bus());
    assert!(one.metric("bus_echo_age_seconds").unwrap() >= 1.0);
    network.heal(one.id, one.id);
    sleep(Duration::from_millis(260)).await;
    assert!(one.links.sees_bus());
}

/// A bus that counts how often it is to be reconnected.
#[derive(Debug)]
struct Counting(Arc<dyn Bus>, AtomicU32);

impl Bus for Counting {
    fn send(&self, to: NodeId, bytes: Bytes) -> bool {
        self.0.send(to, bytes)
    }

    fn broadcast(&self, bytes: Bytes) -> bool {
        self.0.broadcast(bytes)
    }

    fn is_up(&self) -> bool {
        self.0.is_up()
    }

    fn reconnect(&self) {
        self.1.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_bus_without_an_echo_is_reconnected_once_a_second_while_it_is_up() {
    let (network, tasks) = (LocalNetwork::new(1), TaskTracker::new());
    let (bus, from_bus) = network.join(id(1), &tasks);
    let bus = Arc::new(Counting(bus, AtomicU32::new(0)));
    let metrics = Arc::new(Metrics::new());
    let host = Host::start(id(1), Arc::clone(&bus) as _, from_bus, metrics, &tasks);
    let count = async |seconds| {
        sleep(Duration::from_secs(seconds)).await;
        bus.1.swap(0, Ordering::Relaxed)
    };
    assert_eq!(count(10).await, 0);
    network.cut(id(1), id(1));
    assert!((9..=10).contains(&count(10).await));
    network.set_up(id(1), false);
    assert_eq!(count(10).await, 0);
    network.set_up(id(1), true);
    network.heal(id(1), id(1));
    assert_eq!(count(10).await, 0);
    drop(host);
}

#[tokio::test(start_paused = true)]
async fn a_reconnected_bus_resets_all_links() {
    let network = LocalNetwork::new(1);
    let [mut one, mut two] = pair(&network).await;
    network.set_all_up(false);
    sleep(MOMENT).await;
    one.links.send(two.id, Bytes::from("dropped"));
    sleep(Duration::from_secs(1)).await;
    network.set_all_up(true);
    assert_eq!(next(&mut one).await, FromPeer::Reset(two.id));
    assert_eq!(next(&mut two).await, FromPeer::Reset(one.id));
    // Each of the two may be the first to reset, and the other follows once more.
    sleep(MOMENT).await;
    one.look();
    two.look();
    one.links.send(two.id, Bytes::from("new"));
    assert_eq!(next(&mut two).await, frame(&one, "new"));
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_takes_as_many_frames_as_allowed_and_resets_on_one_more() {
    for (count, size) in
        [(LINK_QUEUE_FRAMES_MAX, 8), (LINK_QUEUE_BYTES_MAX / LINK_BATCH_BYTES, LINK_BATCH_BYTES)]
    {
        for excess in [0, 1] {
            let network = LocalNetwork::new(1);
            let [mut one, mut two] = pair(&network).await;
            // A bus with a full queue: everything waits.
            network.set_faults(Faults { refused: 1.0, ..Faults::NONE });
            for _ in 0..count + excess {
                one.send(two.id, size);
            }
            sleep(MOMENT).await;
            network.set_faults(Faults::NONE);
            sleep(Duration::from_secs(1)).await;
            for _ in 0..10 {
                one.look();
                two.look();
                sleep(MOMENT).await;
            }
            assert!(one.has_reached(&two), "{count} + {excess} frames of {size} bytes");
            let overfull = one.metric(r#"link_resets_total{node="2",cause="overfull"}"#);
            let expected = if excess > 0 { 1.0 } else { 0.0 };
            assert_eq!(overfull, Some(expected), "{count} + {excess} of {size}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_frame_may_be_as_long_as_allowed_and_not_longer() {
    let [mut one, mut two] = pair(&LocalNetwork::new(1)).await;
    let longest = vec![1; LINK_FRAME_MAX];
    one.links.send(two.id, longest.clone().into());
    assert_eq!(next(&mut two).await, frame(&one, longest.clone()));
    one.links.broadcast(longest.clone().into());
    let broadcast = FromPeer::Broadcast { from: one.id, message: longest.clone().into() };
    assert_eq!(next(&mut two).await, broadcast);

    let too_long = [longest, vec![1]].concat();
    one.links.broadcast(too_long.clone().into());
    one.links.send(two.id, too_long.into());
    assert_eq!(next(&mut one).await, FromPeer::Reset(two.id));
    assert_eq!(next(&mut two).await, FromPeer::Reset(one.id));
    assert_eq!(one.metric(r#"link_drops_total{why="broken"}"#), Some(1.0));
    assert_eq!(one.metric(r#"link_drops_total{why="broadcast"}"#), Some(1.0));
}

#[tokio::test(start_paused = true)]
async fn frames_that_wait_are_sent_together() {
    let network = LocalNetwork::new(1);
    let [one, two] = pair(&network).await;
    sleep(MOMENT).await;
    let mut tapped = tap(&network, 3);
    let to = tapped.0;
    for _ in 0..100 {
        one.links.send(to, Bytes::from(vec![0; 1_000]));
    }
    sleep(MOMENT).await;
    let mut sizes = Vec::new();
    while let Ok(message) = tapped.1.try_recv() {
        if let FromBus::Sent(bytes) = message {
            sizes.push(bytes.len());
        }
    }
    assert_eq!(sizes.len(), 2, "{sizes:?}");
    assert!(sizes[0] > LINK_BATCH_BYTES - 1_100 && sizes[0] < LINK_BATCH_BYTES + 64, "{sizes:?}");
    drop(two);
}

/// A node without links, and what the bus brings it.
fn tap(network: &LocalNetwork, number: u32) -> (NodeId, mpsc::Receiver<FromBus>, Arc<dyn Bus>) {
    let (bus, from_bus) = network.join(id(number), &TaskTracker::new());
    (id(number), from_bus, bus)
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_decoded_is_counted_and_lost() {
    let network = LocalNetwork::new(1);
    let [mut one, two] = pair(&network).await;
    let (stranger, _from_bus, bus) = tap(&network, 3);
    let batch = Batch {
        from: stranger,
        to: one.id,
        generation: Generation::FIRST,
        first: 0,
        frames: vec![Bytes::from("frame"); 2],
    };
    let good = Message::Batch(batch.clone()).encode();
    let long = vec![Bytes::from(vec![0; LINK_FRAME_MAX + 1])];
    let heartbeat = |links| {
        let link = LinkState { to: two.id, generation: Generation::FIRST, sent: 0 };
        let links = vec![link; links];
        Message::Heartbeat(Heartbeat { from: stranger, beat: 1, links }).encode()
    };
    let bad = [
        heartbeat(LINK_PEERS_MAX + 1),
        Bytes::from(vec![0xff; 9]),
        good.slice(..good.len() - 1),
        [&good[..], b"x"].concat().into(),
        Message::Batch(Batch { to: two.id, ..batch.clone() }).encode(),
        Message::Batch(Batch { frames: long, ..batch }).encode(),
    ];
    for bytes in &bad {
        assert!(bus.send(one.id, bytes.clone()));
    }
    assert!(Message::decode(&heartbeat(LINK_PEERS_MAX)).is_ok());
    assert!(bus.send(one.id, good));
    assert_eq!(next(&mut one).await, FromPeer::Present(stranger));
    for _ in 0..2 {
        let frame = Bytes::from("frame");
        assert_eq!(next(&mut one).await, FromPeer::Frame { from: stranger, frame });
    }
    assert_eq!(one.metric(r#"link_drops_total{why="undecodable"}"#), Some(6.0));
}

#[tokio::test(start_paused = true)]
async fn a_node_has_as_many_peers_as_allowed_until_it_forgets_them() {
    let network = LocalNetwork::new(1);
    let [mut one, two] = pair(&network).await;
    let others = u32::try_from(LINK_PEERS_MAX).unwrap() - 1;
    for number in 0..others {
        one.links.send(id(100 + number), Bytes::from("nobody is there"));
    }
    let dropped = r#"link_drops_total{why="too_many_peers"}"#;
    assert_eq!(one.metric(dropped), Some(0.0));
    one.links.send(id(99), Bytes::from("one too many"));
    assert_eq!(one.metric(dropped), Some(1.0));
    assert_eq!(one.metric(r#"link_frames_sent_total{node="100"}"#), None);
    sleep(MOMENT).await;
    assert_eq!(one.metric(r#"link_frames_sent_total{node="100"}"#), Some(1.0));

    sleep(LINK_TICK * (LINK_FORGOTTEN_TICKS + 10)).await;
    assert_eq!(one.metric(r#"link_frames_sent_total{node="100"}"#), None);
    let mut late = join(&network, 99);
    one.links.send(late.id, Bytes::from("welcome"));
    // The generations of forgotten links are not used again.
    let came = [next(&mut late).await, next(&mut late).await, next(&mut late).await];
    assert!(came.contains(&FromPeer::Reset(one.id)), "{came:?}");
    while one.look() {}
    drop(two);
}

#[tokio::test(start_paused = true)]
async fn a_node_that_reads_slowly_keeps_its_heartbeats_and_its_peers() {
    let network = LocalNetwork::new(1);
    let [mut one, mut two] = pair(&network).await;
    // More than the channel takes.
    for _ in 0..4_000 {
        one.send(two.id, 8);
    }
    sleep(Duration::from_secs(10)).await;
    assert!(!one.look(), "nobody has become silent");
    while two.look() {
        sleep(MOMENT).await;
    }
    assert!(one.has_reached(&two));
    assert_eq!(two.seen(one.id).resets, 0);
}

/// What a schedule does next.
#[derive(Clone, Debug)]
enum Step {
    Wait(u64),
    Send {
        from: usize,
        to: usize,
        frames: usize,
        size: usize,
    },
    Cut {
        from: usize,
        to: usize,
    },
    Heal {
        from: usize,
        to: usize,
    },
    SetUp {
        node: usize,
        is_up: bool,
    },
    SetAllUp(bool),
    Faults {
        lost: f64,
        doubled: f64,
        strayed: f64,
        refused: f64,
        delay_max_ms: u64,
    },
    /// A host reads nothing until the next one does not.
    Stall(usize),
}

const HOSTS: usize = 3;

fn step() -> impl Strategy<Value = Step> {
    let host = || 0..HOSTS;
    let part = || prop_oneof![3 => Just(0.0), 1 => 0.0..0.3];
    let size = prop_oneof![5 => 8..200_usize, 1 => 8..LINK_FRAME_MAX];
    prop_oneof![
        6 => prop_oneof![0..20_u64, 0..3_000_u64].prop_map(Step::Wait),
        8 => (host(), host(), 1..40_usize, size)
            .prop_map(|(from, to, frames, size)| Step::Send { from, to, frames, size }),
        2 => (host(), host()).prop_map(|(from, to)| Step::Cut { from, to }),
        2 => (host(), host()).prop_map(|(from, to)| Step::Heal { from, to }),
        1 => (host(), any::<bool>()).prop_map(|(node, is_up)| Step::SetUp { node, is_up }),
        1 => any::<bool>().prop_map(Step::SetAllUp),
        2 => (part(), part(), part(), part(), 0..200_u64).prop_map(
            |(lost, doubled, strayed, refused, delay_max_ms)| Step::Faults {
                lost, doubled, strayed, refused, delay_max_ms
            }
        ),
        1 => host().prop_map(Step::Stall),
    ]
}

async fn live_through(seed: u64, steps: &[Step]) {
    let network = LocalNetwork::new(seed);
    let mut hosts = [1, 2, 3].map(|number| join(&network, number));
    let mut stalled = HOSTS;
    for step in steps {
        match *step {
            Step::Wait(ms) => sleep(Duration::from_millis(ms)).await,
            Step::Send { from, to, frames, size } if from != to => {
                let to = hosts[to].id;
                for _ in 0..frames {
                    hosts[from].send(to, size);
                }
            }
            Step::Send { .. } => {}
            Step::Cut { from, to } => network.cut(hosts[from].id, hosts[to].id),
            Step::Heal { from, to } => network.heal(hosts[from].id, hosts[to].id),
            Step::SetUp { node, is_up } => network.set_up(hosts[node].id, is_up),
            Step::SetAllUp(is_up) => network.set_all_up(is_up),
            Step::Faults { lost, doubled, strayed, refused, delay_max_ms } => {
                let delay = Duration::ZERO..=Duration::from_millis(delay_max_ms);
                network.set_faults(Faults { lost, doubled, strayed, refused, delay });
            }
            Step::Stall(host) => stalled = host,
        }
        for (at, host) in hosts.iter_mut().enumerate() {
            if at != stalled {
                host.look();
            }
        }
    }
    network.set_faults(Faults::NONE);
    network.set_all_up(true);
    for from in 1..=3 {
        for to in 1..=3 {
            network.heal(id(from), id(to));
        }
    }
    // Long enough for all that was under way, and for each reset.
    for _ in 0..500 {
        sleep(Duration::from_millis(10)).await;
        for host in &mut hosts {
            host.look();
        }
    }
    for from in 0..HOSTS {
        for to in (0..HOSTS).filter(|&to| to != from) {
            let to = hosts[to].id;
            hosts[from].send(to, 8);
            hosts[from].send(to, 8);
        }
    }
    sleep(MOMENT).await;
    for host in &mut hosts {
        host.look();
    }
    for from in &hosts {
        assert!(from.links.sees_bus());
        for to in hosts.iter().filter(|to| to.id != from.id) {
            assert!(to.seen(from.id).is_present);
            let (sent, came) = (from.seen(to.id), to.seen(from.id));
            assert!(from.has_reached(to), "{} to {}: {sent:?} {came:?}", from.id, to.id);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Between two resets everything comes in order, without gaps or doubles; and when the faults
    /// end, everything that was sent after the last reset has come.
    #[test]
    fn links_keep_their_promise_under_any_schedule(
        seed: u64,
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(live_through(seed, &steps));
    }

    #[test]
    fn any_message_is_read_as_it_was_written(
        from in 1..=0xff_ffff_u32,
        to in 1..=0xff_ffff_u32,
        numbers in prop::collection::vec(any::<u64>(), 0..40),
        frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..40),
    ) {
        let (from, to) = (id(from), id(to));
        let mut generation = Generation::FIRST;
        let links = numbers.iter().map(|&sent| {
            generation = generation.next();
            LinkState { to, generation, sent }
        });
        let links = links.collect();
        let frames: Vec<_> = frames.into_iter().map(Bytes::from).collect();
        let first = numbers.len() as u64;
        for message in [
            Message::Broadcast { from, message: frames.concat().into() },
            Message::Heartbeat(Heartbeat { from, beat: first, links }),
            Message::Batch(Batch { from, to, generation, first, frames }),
        ] {
            prop_assert_eq!(Message::decode(&message.encode()).unwrap(), message);
        }
    }
}
