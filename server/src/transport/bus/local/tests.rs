//! Tests of the bus in memory in a simulated world, where every node has its own runtime and clock.

use std::fmt::Write;

use turmoil::Builder;

use super::*;
use crate::{metrics::Metrics, transport::link::testing::Host};

/// Lives through some seconds with faults; returns everything that happened, with its time.
fn live(seed: u64) -> String {
    let network = LocalNetwork::new(seed);
    network.set_faults(Faults {
        delay: Duration::ZERO..=Duration::from_millis(20),
        lost: 0.02,
        doubled: 0.05,
        strayed: 0.02,
        refused: 0.05,
    });
    let log = Arc::new(Mutex::new(String::new()));
    let mut sim =
        Builder::new().rng_seed(seed).simulation_duration(Duration::from_secs(60)).build();
    for number in 1..=3 {
        let (network, log) = (network.clone(), Arc::clone(&log));
        sim.client(format!("node{number}"), async move {
            let tasks = TaskTracker::new();
            let id = NodeId::new(number).unwrap();
            let (bus, from_bus) = network.join(id, &tasks);
            let mut host = Host::start(id, bus, from_bus, Arc::new(Metrics::new()), &tasks);
            let end = Instant::now() + Duration::from_secs(10);
            let mut turns = tokio::time::interval(Duration::from_millis(30));
            while Instant::now() < end {
                tokio::select! {
                    biased;
                    _ = turns.tick() => {
                        host.send(NodeId::new(number % 3 + 1).unwrap(), 20);
                    }
                    event = host.from_peers.recv() => {
                        let event = event.unwrap();
                        host.judge(&event);
                        let at = turmoil::sim_elapsed().unwrap();
                        let mut log = log.lock().unwrap();
                        writeln!(log, "{at:?} {id} {event:?}").unwrap();
                    }
                }
            }
            Ok(())
        });
    }
    sim.run().unwrap();
    Arc::into_inner(log).unwrap().into_inner().unwrap()
}

#[test]
fn a_run_can_be_repeated() {
    let log = live(1);
    for event in ["Frame", "Reset", "Present"] {
        assert!(log.contains(event), "{event} in {log}");
    }
    assert!(log == live(1), "the same seed is the same run");
    assert!(log != live(2), "another seed is another run");
}

#[tokio::test(start_paused = true)]
async fn a_network_loses_doubles_and_delays_as_it_is_asked() {
    let network = LocalNetwork::new(1);
    let tasks = TaskTracker::new();
    let [one, two] = [1, 2].map(|number| NodeId::new(number).unwrap());
    let (bus, _from_bus) = network.join(one, &tasks);
    let (_bus, mut from_bus) = network.join(two, &tasks);
    assert_eq!(from_bus.recv().await, Some(FromBus::Connected));
    for (faults, expected) in [
        (Faults::NONE, 500..=500),
        (Faults { lost: 0.5, ..Faults::NONE }, 200..=300),
        (Faults { doubled: 0.5, ..Faults::NONE }, 700..=800),
        (Faults { lost: 1.0, ..Faults::NONE }, 0..=0),
        (Faults { refused: 1.0, ..Faults::NONE }, 0..=0),
    ] {
        network.set_faults(faults.clone());
        for _ in 0..500 {
            let sent = bus.send(two, Bytes::from("message"));
            assert_eq!(sent, faults.refused == 0.0);
        }
        let begin = Instant::now();
        let mut count = 0;
        while let Ok(message) =
            tokio::time::timeout(Duration::from_millis(50), from_bus.recv()).await
        {
            assert_eq!(message, Some(FromBus::Sent(Bytes::from("message"))));
            assert!(begin.elapsed() >= Duration::from_millis(1));
            count += 1;
        }
        assert!(expected.contains(&count), "{count} of 500 with {faults:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_strays_leave_the_order() {
    for (strayed, stays) in [(0.0, true), (0.5, false)] {
        let network = LocalNetwork::new(1);
        let delay = Duration::ZERO..=Duration::from_millis(20);
        network.set_faults(Faults { delay, strayed, ..Faults::NONE });
        let tasks = TaskTracker::new();
        let [one, two] = [1, 2].map(|number| NodeId::new(number).unwrap());
        let (bus, _from_bus) = network.join(one, &tasks);
        let (_bus, mut from_bus) = network.join(two, &tasks);
        assert_eq!(from_bus.recv().await, Some(FromBus::Connected));
        let mut numbers = Vec::new();
        for number in 0..100_u8 {
            assert!(bus.send(two, Bytes::from(vec![number])));
        }
        for _ in 0..100 {
            match from_bus.recv().await.unwrap() {
                FromBus::Sent(bytes) => numbers.push(bytes[0]),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(numbers.is_sorted(), stays, "{numbers:?}");
    }
}
