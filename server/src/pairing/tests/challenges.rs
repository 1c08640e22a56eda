//! How many challenges wait for one member, whose go first, and the pauses after declines.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::*;
use crate::limits::challenges::{CHALLENGES_WAITING_MAX, DECLINE_PAUSES, DECLINES_KEPT};

const VICTIM: u64 = 1_000;

fn guest(who: u64) -> Seeker {
    seeker(who, who, 1)
}

fn account(who: u64) -> Seeker {
    Seeker { account: true, ..guest(who) }
}

fn from(by: Seeker, address: IpAddr) -> Seeker {
    Seeker { address: Some(address), ..by }
}

fn v4(last: u8) -> IpAddr {
    Ipv4Addr::new(192, 0, 2, last).into()
}

impl World {
    fn challenge_by(&mut self, by: Seeker, to: u64) -> Vec<Effect> {
        self.ids += 1;
        let (id, to) = (seek_id(self.ids), member(to));
        self.apply(Input::Challenge { by, id, to, settings: tic_tac_toe() })
    }

    fn waiting(&self) -> Vec<u64> {
        let waiting = self.pairing.challenges_for(&member(VICTIM)).into_iter();
        let number = |id: MemberId| u64::from_str_radix(id.as_str(), 16).unwrap();
        let mut waiting: Vec<u64> = waiting.map(|(seek, _)| number(seek.member)).collect();
        waiting.sort_unstable();
        waiting
    }

    fn decline(&mut self, seek: SeekId, is_bot: bool) {
        let (session, command) = (SessionId(VICTIM), CommandId::try_from("answer").unwrap());
        let decline = Input::Decline { member: member(VICTIM), is_bot, session, command, seek };
        assert_eq!(answer(&self.apply(decline)), Answer::Done);
    }

    /// A challenge that is declined.
    fn decline_one(&mut self, by: Seeker) {
        let (seek, _) = seeking(&self.challenge_by(by, VICTIM));
        self.decline(seek, false);
    }

    /// How long somebody has to wait.
    fn pause(&mut self, by: Seeker) -> u64 {
        let effects = self.challenge_by(by.clone(), VICTIM);
        match answer(&effects) {
            Answer::Refused(refusal) => {
                assert_eq!(refusal.reason, Reason::DeclinedLately);
                refusal.values.wait_ms.unwrap()
            }
            Answer::Seeking { seek, .. } => {
                let Seeker { member, session, command, .. } = by;
                self.apply(Input::Cancel { member, session, command, seek });
                0
            }
            Answer::Done => panic!("no answer to a challenge"),
        }
    }
}

fn displaced(effects: &[Effect]) -> Vec<u64> {
    let displaced = over(effects).into_iter().filter(|(_, why)| *why == SeekEnd::Displaced);
    displaced.map(|(session, _)| session).collect()
}

#[test]
fn ten_challenges_wait_for_one_member_and_those_of_accounts_first() {
    let mut world = World::new();
    let most = CHALLENGES_WAITING_MAX as u64;
    for who in 1..=most {
        seeking(&world.challenge_by(guest(who), VICTIM));
        world.now += 1;
    }
    assert_eq!(refusal(&world.challenge_by(guest(90), VICTIM)).reason, Reason::ChallengesFull);
    seeking(&world.challenge_by(guest(90), VICTIM + 1));
    // Each account takes the place of the newest guest, who learns of it as the challenged one does.
    for who in 1..=most {
        let effects = world.challenge_by(account(100 + who), VICTIM);
        assert_eq!(displaced(&effects), [most + 1 - who]);
        let is_victims = |effect: &Effect| matches!(effect, Effect::ChallengeOver { to, why: SeekEnd::Displaced, .. } if *to == member(VICTIM));
        assert!(effects.iter().any(is_victims));
        assert_eq!(world.waiting().len() as u64, most);
    }
    assert_eq!(world.waiting(), (101..=100 + most).collect::<Vec<_>>());
    for late in [guest(91), account(200)] {
        assert_eq!(refusal(&world.challenge_by(late, VICTIM)).reason, Reason::ChallengesFull);
    }
    world.pass(60 * SECOND);
    assert_eq!(world.waiting(), [0; 0]);
    seeking(&world.challenge_by(guest(91), VICTIM));
}

#[test]
fn a_friends_challenge_goes_before_all_others() {
    let mut world = World::new();
    let friend = |who| Seeker { friend: true, ..account(who) };
    let most = CHALLENGES_WAITING_MAX as u64;
    for who in 1..=most {
        let by = if who % 2 == 0 { guest(who) } else { account(who) };
        seeking(&world.challenge_by(by, VICTIM));
        world.now += 1;
    }
    // Guests give way first, then other accounts, the newest of each.
    let guests = (1..=most).rev().filter(|who| who % 2 == 0);
    let accounts = (1..=most).rev().filter(|who| who % 2 != 0);
    for (who, expected) in (101..).zip(guests.chain(accounts)) {
        assert_eq!(displaced(&world.challenge_by(friend(who), VICTIM)), [expected]);
    }
    for late in [guest(91), account(92), friend(93)] {
        assert_eq!(refusal(&world.challenge_by(late, VICTIM)).reason, Reason::ChallengesFull);
    }
}

#[test]
fn one_person_challenges_another_once_at_a_time() {
    let mut world = World::new();
    let first = world.challenge_by(guest(1), VICTIM);
    let again = Seeker { command: CommandId::try_from("c2").unwrap(), ..guest(1) };
    let refused = world.challenge_by(again.clone(), VICTIM);
    assert_eq!(refusal(&refused).reason, Reason::AlreadyChallenged);
    assert_eq!(seeking(&world.challenge_by(guest(1), VICTIM)), seeking(&first), "the same one");
    // A program that was started again does not wait for the end of its old session.
    world.apply(Input::Gone { member: member(1), session: SessionId(1) });
    seeking(&world.challenge_by(again, VICTIM));
}

#[test]
fn who_is_declined_again_and_again_waits_ever_longer() {
    let mut world = World::new();
    world.decline_one(guest(1));
    assert_eq!(world.pause(guest(1)), 0);
    for pause in DECLINE_PAUSES.into_iter().chain([DAY_LONG]) {
        world.decline_one(guest(1));
        let pause = u64::try_from(pause.as_millis()).unwrap();
        assert_eq!(world.pause(guest(1)), pause);
        world.pass(pause - 1);
        assert_eq!(world.pause(guest(1)), 1);
        // After a day all is forgotten, so the last ones are not counted from here on.
        if pause == DAY {
            break;
        }
        world.pass(1);
    }
    world.pass(1);
    world.decline_one(guest(1));
    assert_eq!(world.pause(guest(1)), 0, "a day later it begins again");
    // Others are not concerned, and another member may be challenged.
    world.decline_one(guest(1));
    assert!(world.pause(guest(1)) > 0);
    assert_eq!(world.pause(guest(2)), 0);
    seeking(&world.challenge_by(guest(1), VICTIM + 1));
}

const DAY_LONG: std::time::Duration = std::time::Duration::from_millis(DAY);

#[test]
fn a_new_guest_at_the_same_address_waits_too_but_no_account() {
    let mut world = World::new();
    world.decline_one(from(guest(1), v4(1)));
    world.decline_one(from(guest(2), v4(1)));
    assert!(world.pause(from(guest(3), v4(1))) > 0);
    assert_eq!(world.pause(from(guest(3), v4(2))), 0);
    assert_eq!(world.pause(from(account(4), v4(1))), 0, "an account answers for itself");
    // An account takes its pause with it, and so does the guest at another address.
    for address in [1, 2] {
        world.decline_one(from(account(4), v4(address)));
        world.decline_one(from(guest(5), v4(10 + address)));
    }
    assert!(world.pause(from(account(4), v4(3))) > 0);
    assert!(world.pause(from(guest(5), v4(3))) > 0);
}

#[test]
fn wider_networks_wait_after_more_declines() {
    let address =
        |subnet: u16| -> IpAddr { Ipv6Addr::new(0x2001, 0xdb8, 0, subnet, 0, 0, 0, 1).into() };
    let mut world = World::new();
    // Two for a /64, and eight for a /56.
    for number in 0..7 {
        world.decline_one(from(guest(u64::from(number)), address(number)));
    }
    assert_eq!(world.pause(from(guest(50), address(0xaa))), 0);
    world.decline_one(from(guest(7), address(7)));
    assert!(world.pause(from(guest(50), address(0xaa))) > 0);
    assert_eq!(world.pause(from(guest(50), address(0x1aa))), 0);
}

#[test]
fn only_a_person_who_declines_makes_somebody_wait_and_a_game_ends_it() {
    let mut world = World::new();
    for _ in 0..3 {
        let (seek, _) = seeking(&world.challenge_by(guest(1), VICTIM));
        world.decline(seek, true);
    }
    assert_eq!(world.pause(guest(1)), 0, "a bot may be busy");
    world.decline_one(guest(1));
    let (seek, _) = seeking(&world.challenge_by(guest(1), VICTIM));
    world.apply(Input::Accept { by: guest(VICTIM), seek });
    assert_eq!(world.pairs(), [[1, VICTIM]]);
    world.end(None);
    world.decline_one(guest(1));
    assert_eq!(world.pause(guest(1)), 0);
}

#[test]
fn declines_take_bounded_memory_and_the_latest_stay() {
    let mut world = World::new();
    let by = |number: u64| Challenger { member: member(number), address: None };
    for number in 0..2 * DECLINES_KEPT as u64 {
        world.now += 1;
        for _ in 0..2 {
            world.pairing.note_declined(world.now, &member(VICTIM), &by(number));
        }
        assert!(world.pairing.declines.count() <= DECLINES_KEPT);
    }
    assert!(world.pause(guest(2 * DECLINES_KEPT as u64 - 1)) > 0);
}

#[test]
fn a_challenge_that_a_node_repeats_waits_with_the_others() {
    let mut world = World::new();
    let standing = |by: Seeker, number| StandingSeek {
        by,
        id: seek_id(number),
        aim: SeekAim::Member { to: member(VICTIM), settings: tic_tac_toe() },
        asked_at: DAY,
        waited_ms: 0,
    };
    for who in 1..=CHALLENGES_WAITING_MAX as u64 {
        world.apply(Input::Stands(standing(guest(who), who)));
    }
    let late = world.apply(Input::Stands(standing(guest(50), 50)));
    assert_eq!(displaced(&late), [50]);
    let of_account = world.apply(Input::Stands(standing(account(51), 51)));
    assert_eq!(displaced(&of_account), [CHALLENGES_WAITING_MAX as u64]);
    assert_eq!(world.waiting().len(), CHALLENGES_WAITING_MAX);
}
