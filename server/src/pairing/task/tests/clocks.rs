//! Nodes whose clocks differ.

use super::*;

#[test]
fn who_waits_where_the_clock_is_behind_is_not_forgotten() {
    let mut net = Net::new(4);
    let ann = net.person(2, "Ann");
    // The clock of node 2 is ahead, and it has not noticed that its session is lost.
    net.now += 3 * SECOND;
    net.ask(&ann, "seek", seek());
    net.now -= 3 * SECOND;
    let back = net.back(3, ann.member.clone());
    net.ask(&back, "seek", seek());
    net.kill(1);
    net.pass(SECOND);
    // By the clocks, the lost session has asked last.
    assert!(back.outbox.is_restarted() && !ann.outbox.is_restarted());
    let mut again = net.back(3, ann.member.clone());
    net.ask(&again, "seek", seek());
    net.pass(10 * SECOND);
    let bob = net.person(4, "Bob");
    net.ask(&bob, "seek", seek());
    assert_eq!(again.paired(), [net.room_of(&bob).unwrap()]);
}
