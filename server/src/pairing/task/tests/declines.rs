//! What a new leader knows of declined challenges.

use super::*;

#[test]
fn declines_outlive_the_leader() {
    let mut net = Net::new(3);
    let (mut ann, bob) = (net.person(2, "Ann"), net.person(3, "Bob"));
    let to = bob.member.id.clone();
    let challenge = || {
        let to = Ok(Challenged { member: to.clone(), is_friend: false });
        PairingRequest::Challenge { to, settings: settings(), engine: false }
    };
    for command in ["one", "two"] {
        net.ask(&ann, command, challenge());
        let (seek, _) = ann.seeking();
        net.ask(&bob, &format!("no-{command}"), PairingRequest::Decline(seek.clone()));
        assert_eq!(ann.message(), Message::SeekOver { seek, why: SeekEnd::Declined });
    }
    net.kill(1);
    net.pass(4 * SECOND);
    net.ask(&ann, "three", challenge());
    let Message::Refused { refusal, .. } = ann.message() else { panic!("not refused") };
    assert_eq!(refusal.reason, Reason::DeclinedLately);
}
