//! Sessions that their members have left for others, and that still have a say.

use super::*;

#[test]
fn a_session_that_was_left_behind_does_not_take_the_seek_back() {
    let mut net = Net::new(3);
    let (mut ann, mut bob) = (net.person(2, "Ann"), net.person(1, "Bob"));
    net.ask(&ann, "seek", seek());
    let (anns, _) = ann.seeking();
    net.pass(SECOND);
    // The node has not noticed that her socket is lost.
    let mut elsewhere = net.back(3, ann.member.clone());
    net.ask(&elsewhere, "seek", seek());
    assert_eq!(elsewhere.seeking().0, anns);
    net.pass(4 * SECOND);
    net.ask(&bob, "seek", seek());
    assert_eq!((elsewhere.paired().len(), bob.paired().len()), (1, 1));
    assert!(ann.messages().is_empty());
    assert!(!net.nodes[&node(2)].0.doubtful(0).contains(&ann.member.id));
    net.pass(20 * SECOND);
    assert_eq!(net.seeks(), 0);
}

#[test]
fn a_command_that_comes_late_does_not_end_the_seek_of_a_later_session() {
    let mut net = Net::new(2);
    net.cut.insert((node(2), node(1)));
    let ann = net.person(2, "Ann");
    net.ask(&ann, "seek", seek());
    net.pass(SECOND);
    let mut elsewhere = net.back(1, ann.member.clone());
    net.ask(&elsewhere, "seek", seek());
    elsewhere.seeking();
    // The first session's command arrives, and then its end.
    net.heal();
    drop(ann);
    net.pass(4 * SECOND);
    let mut bob = net.person(2, "Bob");
    net.ask(&bob, "seek", seek());
    assert_eq!((bob.paired().len(), elsewhere.paired().len()), (1, 1));
    assert!(!elsewhere.outbox.is_restarted(), "the seek went on over the same socket");
}
