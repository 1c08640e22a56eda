//! Friends: what every back end must do.

use fivefold_shared::{
    friends::{FriendStanding, OnlineTo},
    protocol::{CommandId, GameSettings, MemberId, Name},
};
use fivefold_storage::{
    AccountChanged, AccountStep, BlockEntry, BlockKind, FriendChallenge, FriendRefused, FriendStep,
    KeyStep, ModerationChange, ModerationChanged, Storage,
    limits::{
        DELETED_ACCOUNT_KEPT, FRIEND_CHALLENGE_KEPT, FRIEND_CHALLENGE_TAKEN, FRIEND_CHALLENGES_MAX,
        FRIEND_DECLINED_PAUSE, FRIEND_REQUESTS_MAX, FRIENDS_MAX,
    },
};
use serde_json::json;

use crate::{
    accounts::{self, NOW, apply, hash, known, locked, seat},
    bots,
    contract::every_storage,
    damage::repair_damaged,
    rooms::member,
};

use AccountChanged::{Done, Gone};
use FriendStanding::{Asked, Asks, Declined, Friends};

#[track_caller]
fn step(
    storage: &mut dyn Storage,
    (who, at): (u64, u64),
    step: FriendStep,
    expected: AccountChanged,
) {
    apply(storage, &accounts::change(who, at, AccountStep::Friend(step)), expected);
}

/// One asks another at a time.
#[track_caller]
fn ask(storage: &mut dyn Storage, who: u64, other: u64, at: u64, expected: AccountChanged) {
    step(storage, (who, at), FriendStep::Ask(member(other)), expected);
}

fn refused(why: FriendRefused) -> AccountChanged {
    AccountChanged::NoFriend(why)
}

/// One leaves another, twice, which does no harm.
#[track_caller]
fn leave(storage: &mut dyn Storage, who: u64, other: u64, at: u64) {
    for at in [at, at + 1] {
        step(storage, (who, at), FriendStep::Leave(member(other)), Done);
    }
}

fn sign_up(storage: &mut dyn Storage, numbers: impl IntoIterator<Item = u64>) {
    for number in numbers {
        let name = format!("Player{number}");
        apply(storage, &accounts::sign_up(number, None, &name), Done);
    }
}

fn befriend(storage: &mut dyn Storage, one: u64, other: u64, at: u64) {
    ask(storage, one, other, at, Done);
    ask(storage, other, one, at, Done);
}

/// How somebody stands with others, by their names.
fn list(storage: &dyn Storage, who: u64) -> Vec<(String, FriendStanding)> {
    let friends = storage.reader().unwrap().friends(&member(who)).unwrap();
    friends.into_iter().map(|one| (one.name.as_str().to_owned(), one.standing)).collect()
}

fn entry(name: &str, standing: FriendStanding) -> (String, FriendStanding) {
    (name.to_owned(), standing)
}

fn block(who: u64, other: u64, kind: BlockKind) -> ModerationChange {
    let name = Name::new("Somebody").unwrap();
    ModerationChange::Block(member(who), BlockEntry { other: member(other), name, kind, at: NOW })
}

#[test]
fn two_are_friends_when_both_have_agreed() {
    every_storage(|storage| {
        sign_up(storage, 1..=4);
        for at in [NOW, NOW + 1] {
            ask(storage, 1, 2, at, Done);
        }
        assert_eq!(list(storage, 1), [entry("Player2", Asked)]);
        assert_eq!(list(storage, 2), [entry("Player1", Asks)]);
        for at in [NOW + 2, NOW + 3] {
            ask(storage, 2, 1, at, Done);
        }
        ask(storage, 3, 1, NOW + 5, Done);
        assert_eq!(list(storage, 1), [entry("Player3", Asks), entry("Player2", Friends)]);
        assert_eq!(list(storage, 2), [entry("Player1", Friends)]);
        let mut reader = storage.reader().unwrap();
        assert_eq!(reader.friends(&member(1)).unwrap()[1].at, NOW + 2);
        let mut friends = |one, other| reader.are_friends(&member(one), &member(other)).unwrap();
        assert_eq!([friends(1, 2), friends(2, 1), friends(1, 3)], [true, true, false]);
        // Lists have the current names.
        let name = Name::new("Zed").unwrap();
        let rename = AccountStep::Rename { name, likeness: "Zed".to_owned() };
        apply(storage, &accounts::change(2, NOW, rename), Done);
        assert_eq!(list(storage, 1)[1], entry("Zed", Friends));
        // Either ends it, whoever asked.
        for who in [1, 2] {
            leave(storage, who, 3 - who, NOW + 7);
            assert_eq!(list(storage, 2), []);
            befriend(storage, 1, 2, NOW + 8);
        }
        // A request can be taken back, and made again at once.
        leave(storage, 3, 1, NOW + 9);
        assert_eq!(list(storage, 3), []);
        ask(storage, 3, 1, NOW + 9, Done);
        // Only people with an account, and two of them.
        seat(storage, 1, vec![known(8, "Guest")]);
        apply(storage, &bots::new_bot(9, 4, "Robot"), Done);
        for (who, other) in [(1, 8), (8, 1), (1, 7), (1, 9), (9, 1), (1, 1)] {
            ask(storage, who, other, NOW, Gone);
        }
    });
}

#[test]
fn a_request_that_was_declined_can_be_made_again_after_a_week() {
    every_storage(|storage| {
        sign_up(storage, 1..=2);
        ask(storage, 1, 2, NOW, Done);
        step(storage, (2, NOW + 5), FriendStep::Leave(member(1)), Done);
        let week = u64::try_from(FRIEND_DECLINED_PAUSE.as_millis()).unwrap();
        let again = NOW + 5 + week;
        ask(storage, 1, 2, again - 1, refused(FriendRefused::Declined(again)));
        assert_eq!(list(storage, 1), [entry("Player2", Declined)]);
        // To take it back changes nothing about that.
        leave(storage, 1, 2, NOW + 6);
        ask(storage, 1, 2, again - 1, refused(FriendRefused::Declined(again)));
        ask(storage, 1, 2, again, Done);
        // Who has declined may ask at any time.
        leave(storage, 2, 1, again);
        ask(storage, 2, 1, again + 1, Done);
        assert_eq!(list(storage, 1), [entry("Player2", Asks)]);
        assert_eq!(list(storage, 2), [entry("Player1", Asked)]);
        // What holds nothing off any more is deleted.
        leave(storage, 1, 2, again + 2);
        let over = again + 2 + week;
        assert_eq!(storage.prune_accounts(over - 1, 9), Ok(2), "only the sessions");
        assert_eq!(list(storage, 1), [entry("Player2", Declined)]);
        assert_eq!(storage.prune_accounts(over, 0), Ok(0));
        assert_eq!(storage.prune_accounts(over, 9), Ok(1));
        assert_eq!(list(storage, 1), []);
    });
}

#[test]
fn a_member_has_so_many_friends() {
    every_storage(|storage| {
        let most = u64::try_from(FRIENDS_MAX).unwrap();
        sign_up(storage, 1..=most + 3);
        for other in 2..=most {
            befriend(storage, other, 1, NOW);
        }
        // One place is left, and two wait for it.
        let (last, late) = (most + 1, most + 2);
        for other in [last, late] {
            ask(storage, other, 1, NOW, Done);
        }
        ask(storage, 1, most + 3, NOW, Done);
        ask(storage, 1, last, NOW, Done);
        assert_eq!(list(storage, 1).iter().filter(|one| one.1 == Friends).count(), FRIENDS_MAX);
        ask(storage, 1, late, NOW, refused(FriendRefused::Full));
        leave(storage, 1, most + 3, NOW);
        ask(storage, 1, most + 3, NOW, refused(FriendRefused::Full));
        // Who accepts a request of somebody whose list is full is told.
        leave(storage, 1, last, NOW);
        ask(storage, 1, most + 3, NOW, Done);
        ask(storage, 1, last, NOW, Done);
        ask(storage, last, 1, NOW, Done);
        ask(storage, most + 3, 1, NOW, refused(FriendRefused::TheirsFull));
    });
}

#[test]
fn so_many_requests_wait() {
    every_storage(|storage| {
        let most = u64::try_from(FRIEND_REQUESTS_MAX).unwrap();
        sign_up(storage, 1..=most + 3);
        for other in 2..=most + 1 {
            ask(storage, 1, other, NOW, Done);
        }
        ask(storage, 1, most + 2, NOW, refused(FriendRefused::RequestsFull));
        ask(storage, 1, most + 1, NOW, Done);
        leave(storage, 1, 2, NOW);
        ask(storage, 1, most + 2, NOW, Done);
        // And for one person.
        let popular = most + 3;
        for other in 2..=most + 1 {
            ask(storage, other, popular, NOW, Done);
        }
        ask(storage, most + 2, popular, NOW, refused(FriendRefused::TheirsFull));
        leave(storage, popular, 2, NOW);
        ask(storage, most + 2, popular, NOW, Done);
    });
}

#[test]
fn a_block_ends_friendships_and_requests_and_holds_off_new_ones() {
    every_storage(|storage| {
        sign_up(storage, 1..=5);
        befriend(storage, 1, 2, NOW);
        ask(storage, 3, 1, NOW, Done);
        ask(storage, 1, 4, NOW, Done);
        befriend(storage, 5, 1, NOW);
        assert_eq!(storage.moderate(&block(1, 5, BlockKind::Mute)), Ok(ModerationChanged::Done));
        assert_eq!(list(storage, 1).len(), 4, "a mute is for chat");
        for (who, other) in [(2, 1), (1, 3), (4, 1)] {
            let blocked = storage.moderate(&block(who, other, BlockKind::Block));
            assert_eq!(blocked, Ok(ModerationChanged::Done));
        }
        assert_eq!(list(storage, 1), [entry("Player5", Friends)]);
        ask(storage, 2, 1, NOW, refused(FriendRefused::Blocked));
        // Who is blocked does not learn of it.
        ask(storage, 1, 2, NOW, refused(FriendRefused::TheirsFull));
        let unblock = ModerationChange::Unblock { member: member(2), other: member(1) };
        storage.moderate(&unblock).unwrap();
        ask(storage, 1, 2, NOW, Done);
        // A guest who is blocked belongs to an account from now on.
        seat(storage, 1, vec![known(8, "Guest")]);
        storage.moderate(&block(1, 8, BlockKind::Block)).unwrap();
        let step = KeyStep::AddAlias { guest: member(8), hash: hash(8), locked: locked(8) };
        apply(storage, &accounts::change(5, NOW, AccountStep::Key(step)), Done);
        assert_eq!(list(storage, 1), [entry("Player2", Asked)]);
        ask(storage, 5, 1, NOW, refused(FriendRefused::TheirsFull));
    });
}

/// A game over so many days.
fn game(days: u64) -> GameSettings {
    let rules = json!({"variant": "freestyle", "size": [15, 15]});
    let time = json!({"type": "daily", "move_ms": days * 86_400_000});
    serde_json::from_value(json!({"rules": rules, "time": time})).unwrap()
}

#[track_caller]
fn challenge(storage: &mut dyn Storage, who: u64, other: u64, at: u64, expected: AccountChanged) {
    step(storage, (who, at), FriendStep::Challenge(member(other), game(3)), expected);
}

#[track_caller]
fn end(storage: &mut dyn Storage, who: u64, other: u64, at: u64, expected: AccountChanged) {
    step(storage, (who, NOW), FriendStep::EndChallenge(member(other), at, None), expected);
}

/// The challenge that each of two sees.
fn waiting(storage: &dyn Storage, pair: [u64; 2]) -> [Option<FriendChallenge>; 2] {
    let mut reader = storage.reader().unwrap();
    pair.map(|who| reader.friends(&member(who)).unwrap().swap_remove(0).challenge)
}

#[test]
fn a_challenge_to_a_friend_waits_for_two_weeks() {
    every_storage(|storage| {
        sign_up(storage, 1..=3);
        assert_eq!(storage.prune_accounts(NOW + 2_000, 99), Ok(3), "the sessions");
        challenge(storage, 1, 2, NOW, Gone);
        ask(storage, 1, 2, NOW, Done);
        challenge(storage, 1, 2, NOW, Gone);
        ask(storage, 2, 1, NOW, Done);
        for _ in 0..2 {
            challenge(storage, 1, 2, NOW + 1, Done);
        }
        let stands = FriendChallenge { by: member(1), settings: game(3), at: NOW + 1 };
        assert_eq!(waiting(storage, [1, 2]), [Some(stands.clone()), Some(stands.clone())]);
        // One waits between two.
        let over = NOW + 1 + u64::try_from(FRIEND_CHALLENGE_KEPT.as_millis()).unwrap();
        for (who, other) in [(1, 2), (2, 1)] {
            challenge(storage, who, other, over - 1, refused(FriendRefused::Challenged));
        }
        assert!(stands.stands(over - 1) && !stands.stands(over));
        challenge(storage, 2, 1, over, Done);
        assert_eq!(waiting(storage, [1, 2])[0].as_ref().unwrap().by, member(2));
        // It ends once, and no later one with it.
        end(storage, 1, 2, NOW + 1, Gone);
        end(storage, 1, 2, over, Done);
        end(storage, 2, 1, over, Gone);
        assert_eq!(waiting(storage, [1, 2]), [None, None]);
        // It ends with the friendship, and by a block.
        challenge(storage, 1, 2, over, Done);
        leave(storage, 2, 1, over);
        befriend(storage, 1, 2, over);
        assert_eq!(waiting(storage, [1, 2]), [None, None]);
        challenge(storage, 1, 2, over, Done);
        storage.moderate(&block(2, 1, BlockKind::Block)).unwrap();
        storage
            .moderate(&ModerationChange::Unblock { member: member(2), other: member(1) })
            .unwrap();
        befriend(storage, 1, 2, over);
        assert_eq!(waiting(storage, [1, 2]), [None, None]);
        // What is over is deleted.
        challenge(storage, 1, 2, NOW + 1, Done);
        assert_eq!(storage.prune_accounts(over - 1, 9), Ok(0));
        assert_eq!(storage.prune_accounts(over, 0), Ok(0));
        assert_eq!(storage.prune_accounts(over, 9), Ok(1));
        assert_eq!(waiting(storage, [1, 2]), [None, None]);
        assert_eq!(list(storage, 1), [entry("Player2", Friends)]);
    });
}

/// Takes the challenge to one by another one, returns it, or ends it, by an attempt.
#[track_caller]
fn take(
    storage: &mut dyn Storage,
    (who, at): (u64, u64),
    what: fn(MemberId, u64, CommandId) -> FriendStep,
    (other, of, attempt): (u64, u64, &str),
    expected: AccountChanged,
) {
    let attempt = CommandId::try_from(attempt.to_owned()).unwrap();
    step(storage, (who, at), what(member(other), of, attempt), expected);
}

#[test]
fn a_challenge_is_accepted_by_one_attempt_at_a_time() {
    every_storage(|storage| {
        let (take_it, give_back) = (FriendStep::TakeChallenge, FriendStep::ReturnChallenge);
        let end_it = |other, of, attempt| FriendStep::EndChallenge(other, of, Some(attempt));
        sign_up(storage, 1..=3);
        befriend(storage, 1, 3, NOW - 1);
        befriend(storage, 1, 2, NOW);
        take(storage, (2, NOW), take_it, (1, NOW, "a"), Gone);
        challenge(storage, 1, 2, NOW + 1, Done);
        let before = waiting(storage, [1, 2]);
        // Only the challenged friend can take it, and only this challenge.
        take(storage, (1, NOW + 2), take_it, (2, NOW + 1, "a"), Gone);
        take(storage, (3, NOW + 2), take_it, (1, NOW + 1, "a"), Gone);
        take(storage, (2, NOW + 2), take_it, (1, NOW + 2, "a"), Gone);
        for _ in 0..2 {
            take(storage, (2, NOW + 2), take_it, (1, NOW + 1, "a"), Done);
        }
        assert_eq!(waiting(storage, [1, 2]), before, "it waits as before");
        // Another attempt has to wait until that one has failed.
        let failed = NOW + 2 + u64::try_from(FRIEND_CHALLENGE_TAKEN.as_millis()).unwrap();
        take(storage, (2, failed - 1), take_it, (1, NOW + 1, "b"), Gone);
        take(storage, (2, failed), take_it, (1, NOW + 1, "b"), Done);
        take(storage, (2, failed), give_back, (1, NOW + 1, "a"), Gone);
        take(storage, (2, failed), take_it, (1, NOW + 1, "c"), Gone);
        take(storage, (2, failed), give_back, (1, NOW + 1, "b"), Done);
        assert_eq!(waiting(storage, [1, 2]), before, "it is over as early as before");
        take(storage, (2, failed), take_it, (1, NOW + 1, "c"), Done);
        // Nobody else ends it in this time. The attempt does.
        end(storage, 1, 2, NOW + 1, Gone);
        end(storage, 2, 1, NOW + 1, Gone);
        take(storage, (2, failed), end_it, (1, NOW + 1, "b"), Gone);
        assert_eq!(waiting(storage, [1, 2]), before);
        take(storage, (2, failed), end_it, (1, NOW + 1, "c"), Done);
        take(storage, (2, failed), end_it, (1, NOW + 1, "c"), Gone);
        take(storage, (2, failed), take_it, (1, NOW + 1, "c"), Gone);
        take(storage, (2, failed), give_back, (1, NOW + 1, "c"), Gone);
        // The next challenge is not taken yet. One whose time is over cannot be taken.
        challenge(storage, 1, 2, NOW + 3, Done);
        let over = NOW + 3 + u64::try_from(FRIEND_CHALLENGE_KEPT.as_millis()).unwrap();
        take(storage, (2, over), take_it, (1, NOW + 3, "d"), Gone);
        take(storage, (2, over - 1), take_it, (1, NOW + 3, "d"), Done);
        // It can be ended when that attempt has failed.
        let end_it = || FriendStep::EndChallenge(member(2), NOW + 3, None);
        let failed = over - 1 + u64::try_from(FRIEND_CHALLENGE_TAKEN.as_millis()).unwrap();
        step(storage, (1, failed - 1), end_it(), Gone);
        step(storage, (1, failed), end_it(), Done);
        assert_eq!(waiting(storage, [1, 2]), [None, None]);
    });
}

#[test]
fn so_many_challenges_wait() {
    every_storage(|storage| {
        let most = u64::try_from(FRIEND_CHALLENGES_MAX).unwrap();
        let (late, popular) = (most + 2, most + 3);
        sign_up(storage, 1..=popular);
        for other in 2..=late {
            befriend(storage, other, 1, NOW);
            befriend(storage, other, popular, NOW);
        }
        for other in 2..late {
            challenge(storage, 1, other, NOW, Done);
            challenge(storage, other, popular, NOW, Done);
        }
        challenge(storage, 1, late, NOW, refused(FriendRefused::ChallengesFull));
        challenge(storage, late, popular, NOW, refused(FriendRefused::TheirChallengesFull));
        // Those that are over do not count.
        let over = NOW + u64::try_from(FRIEND_CHALLENGE_KEPT.as_millis()).unwrap();
        challenge(storage, 1, late, over - 1, refused(FriendRefused::ChallengesFull));
        challenge(storage, 1, late, over, Done);
        end(storage, 2, popular, NOW, Done);
        challenge(storage, late, popular, NOW, Done);
    });
}

#[test]
fn a_deleted_account_is_nobodys_friend() {
    every_storage(|storage| {
        sign_up(storage, 1..=4);
        befriend(storage, 1, 2, NOW);
        ask(storage, 3, 1, NOW, Done);
        ask(storage, 1, 4, NOW, Done);
        sign_up(storage, 5..=5);
        befriend(storage, 1, 5, NOW);
        challenge(storage, 1, 2, NOW, Done);
        challenge(storage, 5, 1, NOW, Done);
        apply(storage, &accounts::change(1, NOW, AccountStep::Delete), Done);
        for other in 2..=5 {
            assert_eq!(list(storage, other), [], "no list shows it");
            ask(storage, other, 1, NOW, Gone);
            challenge(storage, other, 1, NOW, Gone);
        }
        // Its member may come back.
        let session = accounts::session(77, NOW);
        let sign_in = AccountStep::SignIn { session, rehashed: None };
        apply(storage, &accounts::change(1, NOW, sign_in), Done);
        assert_eq!(list(storage, 2), [entry("Player1", Friends)]);
        assert_eq!(waiting(storage, [2, 5]), [None, None], "challenges do not come back");
        apply(storage, &accounts::change(1, NOW, AccountStep::Delete), Done);
        let kept = u64::try_from(DELETED_ACCOUNT_KEPT.as_millis()).unwrap();
        storage.prune_accounts(NOW + kept, 99).unwrap();
        assert_eq!(list(storage, 1), [], "its rows are gone");
    });
}

#[test]
fn a_member_says_who_may_see_that_they_are_online() {
    every_storage(|storage| {
        sign_up(storage, 1..=2);
        befriend(storage, 1, 2, NOW);
        let shown = |storage: &dyn Storage| {
            let mut reader = storage.reader().unwrap();
            let own = reader.online_to(&member(1)).unwrap();
            (own, reader.friends(&member(2)).unwrap()[0].online_to)
        };
        assert_eq!(shown(storage), (OnlineTo::Friends, OnlineTo::Friends));
        for to in [OnlineTo::Nobody, OnlineTo::Nobody, OnlineTo::Friends, OnlineTo::Nobody] {
            step(storage, (1, NOW), FriendStep::SetOnlineTo(to), Done);
            assert_eq!(shown(storage), (to, to));
        }
        step(storage, (9, NOW), FriendStep::SetOnlineTo(OnlineTo::Nobody), Gone);
        assert_eq!(storage.reader().unwrap().online_to(&member(9)), Ok(OnlineTo::Friends));
    });
}

/// Fills a storage in which member 6 has an account: with a friend, and requests.
pub(crate) fn fill(storage: &mut dyn Storage) {
    sign_up(storage, 241..=243);
    befriend(storage, 6, 241, NOW);
    ask(storage, 242, 6, NOW + 1, Done);
    ask(storage, 243, 6, NOW + 2, Done);
    step(storage, (6, NOW + 3), FriendStep::Leave(member(243)), Done);
    step(storage, (241, NOW), FriendStep::SetOnlineTo(OnlineTo::Nobody), Done);
    challenge(storage, 241, 6, NOW + 4, Done);
}

/// Damages of what [`fill`] stores, and what a check says about them.
pub(crate) const DAMAGE: (&str, &str) = (
    "INSERT INTO friend (member, other, state, at) SELECT other, member, state, at FROM friend WHERE state = 'asked'",
    "1 requests for friends go both ways, or to oneself",
);

/// Checks that a storage has what [`fill`] put there.
pub(crate) fn assert_filled(storage: &dyn Storage) {
    let friends = storage.reader().unwrap().friends(&member(6)).unwrap();
    let found: Vec<_> = friends.iter().map(|one| (&one.member, one.standing, one.at)).collect();
    let expected = [
        (&member(243), Declined, NOW + 3),
        (&member(242), Asks, NOW + 1),
        (&member(241), Friends, NOW),
    ];
    assert_eq!(found, expected);
    assert_eq!(friends[2].online_to, OnlineTo::Nobody);
    let challenge = FriendChallenge { by: member(241), settings: game(3), at: NOW + 4 };
    assert_eq!(friends[2].challenge, Some(challenge));
}

#[test]
fn a_repair_takes_out_what_contradicts_itself() {
    let (damage, problem) = DAMAGE;
    let fill = |storage: &mut dyn Storage| {
        sign_up(storage, [6]);
        fill(storage);
        assert_filled(storage);
    };
    repair_damaged(fill, &damage, |found, repaired| {
        assert_eq!(found.problems, [problem]);
        assert_eq!(list(repaired, 6).len(), 3);
    });
}
