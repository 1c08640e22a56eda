//! Tests of the pairing value: each drives it by inputs at given times.

mod challenges;
mod not_allowed;
mod repeats;

use std::collections::{BTreeMap, HashMap, HashSet};

use fivefold_shared::{
    clock::TimeControl,
    opening::OpeningKind,
    protocol::{Name, PoolName, ROOM_CODE_ALPHABET},
    rules::Rules,
};
use proptest::prelude::*;

use super::*;

const SECOND: u64 = 1_000;
/// The end of the last pause, and all marks have faded.
const DAY: u64 = 24 * 60 * 60 * SECOND;

/// Text of this length that stands for a number.
fn letters(mut number: u64, length: usize) -> String {
    let mut text = String::new();
    for _ in 0..length {
        let letter = ROOM_CODE_ALPHABET[usize::try_from(number % 31).unwrap()];
        text.push(char::from(letter));
        number /= 31;
    }
    text
}

fn member(number: u64) -> MemberId {
    MemberId::try_from(format!("{number:016x}")).unwrap()
}

fn seek_id(number: u64) -> SeekId {
    SeekId::try_from(letters(number, 12)).unwrap()
}

fn room(number: u64) -> RoomCode {
    RoomCode::try_from(letters(number, 12)).unwrap()
}

fn pool(name: &str) -> Wanted {
    Wanted::Pool(PoolName::try_from(name).unwrap())
}

/// A member's command over a session; the ids of all three are numbers.
fn seeker(who: u64, session: u64, command: u64) -> Seeker {
    Seeker {
        daily_most: None,
        member: member(who),
        name: Name::new(&format!("Player {who}")).unwrap(),
        identity: None,
        engine: false,
        owner: None,
        account: false,
        session: SessionId(session),
        command: CommandId::try_from(format!("c{command}")).unwrap(),
        rating: Rating::UNRATED,
        friend: false,
        blocked: Vec::new(),
        dealings: OwnDealings::default(),
        address: None,
    }
}

fn tic_tac_toe() -> GameSettings {
    let (time, opening) = (TimeControl::None, OpeningKind::Free);
    GameSettings { rules: Rules::TIC_TAC_TOE, time, opening, rated: false }
}

/// A pairing, with a room for each pair as soon as it is made.
struct World {
    pairing: Pairing,
    now: u64,
    ids: u64,
    /// Whether rooms can be made.
    makes_rooms: bool,
    /// The pairs in the order in which they were made, First first, and their rooms.
    paired: Vec<([u64; 2], RoomCode)>,
}

impl World {
    fn new() -> Self {
        let pairing = Pairing::new(Pools::default());
        Self { pairing, now: DAY, ids: 0, makes_rooms: true, paired: Vec::new() }
    }

    /// Applies an input, and makes the rooms that it asks for. Returns the other effects.
    fn apply(&mut self, input: Input) -> Vec<Effect> {
        let mut effects = Vec::new();
        for effect in self.pairing.apply(self.now, input) {
            let Effect::Make(pair) = effect else {
                effects.push(effect);
                continue;
            };
            let NewPair { number: pair, players, .. } = *pair;
            let made = if self.makes_rooms {
                let number = |seat: Seat| u64::from_str_radix(players[seat].member.as_str(), 16);
                let room = room(self.paired.len() as u64);
                self.paired.push((Seat::BOTH.map(|seat| number(seat).unwrap()), room.clone()));
                Input::Made { pair, room }
            } else {
                Input::NotMade { pair, refusal: Refusal::new(Reason::Unavailable) }
            };
            effects.extend(self.apply(made));
        }
        effects
    }

    fn seek_by(&mut self, by: Seeker, wanted: Wanted) -> Vec<Effect> {
        self.ids += 1;
        self.apply(Input::Seek { by, id: seek_id(self.ids), wanted })
    }

    /// A member seeks in the pool `free`, over the session with the member's number.
    fn seek(&mut self, who: u64, command: u64) -> Vec<Effect> {
        self.seek_by(seeker(who, who, command), pool("free"))
    }

    fn challenge(&mut self, who: u64, to: u64, command: u64) -> Vec<Effect> {
        self.ids += 1;
        let (by, id) = (seeker(who, who, command), seek_id(self.ids));
        self.apply(Input::Challenge { by, id, to: member(to), settings: tic_tac_toe() })
    }

    fn pass(&mut self, time: u64) -> Vec<Effect> {
        self.now += time;
        self.apply(Input::Tick)
    }

    /// The last game ends.
    fn end(&mut self, aborted_by: Option<u64>) {
        let (_, room) = self.paired.last().expect("a game").clone();
        self.apply(Input::GameOver { room, aborted_by: aborted_by.map(member) });
    }

    fn pairs(&self) -> Vec<[u64; 2]> {
        let sorted = |(mut pair, _): ([u64; 2], RoomCode)| {
            pair.sort_unstable();
            pair
        };
        self.paired.iter().cloned().map(sorted).collect()
    }
}

/// The answer among effects.
fn answer(effects: &[Effect]) -> Answer {
    let answers = effects.iter().filter_map(|effect| match effect {
        Effect::Answer { answer, .. } => Some(answer.clone()),
        _ => None,
    });
    let [answer] = answers.collect::<Vec<_>>().try_into().expect("one answer");
    answer
}

fn refusal(effects: &[Effect]) -> Refusal {
    match answer(effects) {
        Answer::Refused(refusal) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

/// The seek in the answer, and how long it has waited.
fn seeking(effects: &[Effect]) -> (SeekId, u64) {
    match answer(effects) {
        Answer::Seeking { seek, waited_ms } => (seek, waited_ms),
        other => panic!("not seeking: {other:?}"),
    }
}

fn over(effects: &[Effect]) -> Vec<(u64, SeekEnd)> {
    let over = |effect: &Effect| match effect {
        Effect::Over { session, why, .. } => Some((session.0, *why)),
        _ => None,
    };
    effects.iter().filter_map(over).collect()
}

#[test]
fn who_seeks_the_same_is_paired_at_once() {
    let mut world = World::new();
    let (id, waited) = seeking(&world.seek(1, 1));
    assert_eq!((waited, world.pairs()), (0, vec![]));
    assert_eq!(world.seek_by(seeker(2, 2, 1), pool("gomoku-5-3")).len(), 1);
    world.now += 3 * SECOND;
    let effects = world.seek(3, 1);
    assert_eq!(world.pairs(), [[1, 3]]);
    let paired: HashMap<_, _> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Paired { session, seek, room, seat, rated: Some(false) } => {
                Some((session.0, (seek.clone(), room.clone(), *seat)))
            }
            _ => None,
        })
        .collect();
    assert_eq!(paired[&1].0, Some(id));
    assert_eq!((&paired[&1].1, paired[&1].2), (&paired[&3].1, paired[&3].2.other()));
    assert_eq!(world.pairing.waiting().iter().sum::<usize>(), 1);
    assert_eq!(world.pairing.median_wait(world.now, 6), Some(3 * SECOND));
    assert_eq!(world.pairing.median_wait(world.now + DAY, 6), None);
}

#[test]
fn a_seek_with_the_settings_of_a_pool_meets_those_in_the_pool() {
    let mut world = World::new();
    world.seek(1, 1);
    let settings = Pools::default().as_slice()[6].settings;
    world.seek_by(seeker(2, 2, 1), Wanted::Settings(settings));
    assert_eq!(world.pairs(), [[1, 2]]);
}

#[test]
fn nobody_plays_against_themselves() {
    let mut world = World::new();
    world.seek(1, 1);
    world.seek(1, 2);
    world.pass(DAY);
    assert_eq!(world.pairs(), Vec::<[u64; 2]>::new());
    let open = world.seek_by(seeker(1, 1, 3), Wanted::Settings(tic_tac_toe()));
    let accept = Input::Accept { by: seeker(1, 1, 4), seek: seeking(&open).0 };
    assert_eq!(refusal(&world.apply(accept)).reason, Reason::OwnSeek);
    assert_eq!(refusal(&world.challenge(2, 2, 1)).reason, Reason::OwnSeek);
}

#[test]
fn the_same_command_is_the_same_seek_over_any_session() {
    let mut world = World::new();
    let (id, _) = seeking(&world.seek(1, 1));
    world.now += 7 * SECOND;
    let again = world.seek_by(seeker(1, 9, 1), pool("free"));
    assert_eq!(seeking(&again), (id, 7 * SECOND));
    assert_eq!(world.pairing.count(), 1);
    // The old session no longer counts.
    world.apply(Input::Gone { member: member(1), session: SessionId(1) });
    let effects = world.seek(2, 1);
    let goes_to = |session| {
        let is_it = |effect: &Effect| matches!(effect, Effect::Paired { session: SessionId(to), .. } if *to == session);
        effects.iter().any(is_it)
    };
    assert!(goes_to(9) && goes_to(2) && !goes_to(1));
}

#[test]
fn a_seek_outlives_its_session_for_a_while() {
    let mut world = World::new();
    let (id, _) = seeking(&world.seek(1, 1));
    world.apply(Input::Gone { member: member(1), session: SessionId(1) });
    // Nobody is paired with somebody who is away.
    world.seek(2, 1);
    world.pass(4_999);
    assert_eq!((world.pairs(), world.pairing.count()), (vec![], 2));
    let back = world.seek_by(seeker(1, 5, 1), pool("free"));
    assert_eq!(seeking(&back), (id, 4_999));
    assert_eq!(world.pairs(), [[1, 2]]);

    let mut world = World::new();
    world.seek(1, 1);
    world.apply(Input::Gone { member: member(1), session: SessionId(1) });
    world.pass(5_000);
    assert_eq!(world.pairing.count(), 0);
    let (_, waited) = seeking(&world.seek_by(seeker(1, 5, 1), pool("free")));
    assert_eq!(waited, 0, "it is a new seek");
}

#[test]
fn seeks_of_one_member_are_limited() {
    let mut world = World::new();
    for command in 0..SEEKS_PER_MEMBER_MAX as u64 {
        seeking(&world.seek(1, command));
    }
    assert_eq!(refusal(&world.seek(1, 99)).reason, Reason::TooManySeeks);
    assert_eq!(refusal(&world.challenge(1, 2, 98)).reason, Reason::TooManySeeks);
    seeking(&world.seek(1, 0));
    let (id, _) = seeking(&world.seek(1, 1));
    let (session, command) = (SessionId(1), CommandId::try_from("cancel").unwrap());
    let cancel = Input::Cancel { member: member(1), session, command, seek: id };
    assert_eq!(answer(&world.apply(cancel.clone())), Answer::Done);
    assert_eq!(answer(&world.apply(cancel)), Answer::Done, "it has ended already");
    seeking(&world.challenge(1, 2, 98));
}

#[test]
fn seeks_on_the_server_are_limited() {
    let mut world = World::new();
    for who in 0..SEEKS_MAX as u64 {
        // Challenges, so that nobody is paired.
        seeking(&world.challenge(who, who + 1, 1));
    }
    let one_more = SEEKS_MAX as u64;
    assert_eq!(refusal(&world.challenge(one_more, 1, 1)).reason, Reason::ServerFull);
}

#[test]
fn what_cannot_be_played_cannot_be_sought() {
    let mut world = World::new();
    let unknown = world.seek_by(seeker(1, 1, 1), pool("chess"));
    assert_eq!(refusal(&unknown).reason, Reason::NoSuchPool);
    let settings = GameSettings { opening: OpeningKind::Rif, ..tic_tac_toe() };
    let impossible = world.seek_by(seeker(1, 1, 2), Wanted::Settings(settings));
    assert_eq!(refusal(&impossible).reason, Reason::OpeningNotOffered);
}

#[test]
fn all_other_seeks_of_both_end_with_a_game() {
    let mut world = World::new();
    world.seek(1, 1);
    world.seek_by(seeker(1, 11, 2), pool("gomoku-5-3"));
    world.challenge(1, 7, 3);
    let effects = world.seek(2, 1);
    assert_eq!(over(&effects), [(11, SeekEnd::Cancelled), (1, SeekEnd::Cancelled)]);
    assert_eq!(world.pairing.count(), 0);
    let paired = |effect: &Effect| match effect {
        Effect::Paired { session, seek, .. } => Some((session.0, seek.is_some())),
        _ => None,
    };
    let mut paired: Vec<_> = effects.iter().filter_map(paired).collect();
    paired.sort_unstable();
    assert_eq!(paired, [(1, true), (2, true), (11, false)]);
    let is_withdrawn =
        |effect: &Effect| matches!(effect, Effect::ChallengeOver { to, .. } if *to == member(7));
    assert!(effects.iter().any(is_withdrawn));
}

#[test]
fn both_go_on_if_no_room_can_be_made() {
    let mut world = World::new();
    world.makes_rooms = false;
    world.seek(1, 1);
    world.seek_by(seeker(1, 1, 2), pool("gomoku-5-3"));
    world.seek(2, 1);
    world.pass(SECOND);
    assert_eq!((world.pairs(), world.pairing.count()), (vec![], 3));
    world.makes_rooms = true;
    world.pass(SECOND);
    assert_eq!(world.pairs(), [[1, 2]]);

    // The one who accepts learns why.
    world.end(None);
    let (id, _) = seeking(&world.seek_by(seeker(1, 1, 3), Wanted::Settings(tic_tac_toe())));
    world.makes_rooms = false;
    let accept = |world: &mut World, command| {
        world.apply(Input::Accept { by: seeker(2, 2, command), seek: id.clone() })
    };
    assert_eq!(refusal(&accept(&mut world, 3)).reason, Reason::Unavailable);
    world.makes_rooms = true;
    assert_eq!(answer(&accept(&mut world, 4)), Answer::Done);
}

#[test]
fn a_cancelled_seek_does_not_come_back_from_a_pair_without_a_room() {
    let mut pairing = Pairing::new(Pools::default());
    let ids = [seek_id(1), seek_id(2)];
    let mut made = Vec::new();
    for (who, id) in [1, 2].into_iter().zip(&ids) {
        let input = Input::Seek { by: seeker(who, who, 1), id: id.clone(), wanted: pool("free") };
        made.extend(pairing.apply(0, input));
    }
    let pair = made.iter().find_map(|effect| match effect {
        Effect::Make(pair) => Some(pair.number),
        _ => None,
    });
    let pair = pair.expect("they fit");
    assert!(pairing.is_being_paired(&member(1)) && pairing.is_being_paired(&member(2)));
    let (session, command) = (SessionId(1), CommandId::try_from("cancel").unwrap());
    let seek = ids[0].clone();
    let cancel = Input::Cancel { member: member(1), session, command, seek };
    assert_eq!(answer(&pairing.apply(0, cancel)), Answer::Done);
    let refusal = Refusal::new(Reason::Unavailable);
    pairing.apply(0, Input::NotMade { pair, refusal });
    assert_eq!(pairing.count(), 1);
    assert!(!pairing.is_being_paired(&member(1)) && !pairing.is_being_paired(&member(2)));
}

#[test]
fn opponents_do_not_meet_again_at_once_unless_nobody_else_is_there() {
    let mut world = World::new();
    world.seek(1, 1);
    world.seek(2, 1);
    world.end(None);
    for game in 2..4 {
        world.seek(1, game);
        world.seek(2, game);
        world.pass(9_999);
        assert_eq!(world.pairs().len() as u64, game - 1, "game {game}");
        world.pass(1);
        assert_eq!(world.pairs().len() as u64, game);
        world.end(None);
    }
    // Somebody else comes first.
    world.seek(1, 10);
    world.seek(2, 10);
    world.seek(3, 10);
    assert_eq!(world.pairs().last(), Some(&[1, 3]));
}

#[test]
fn seats_are_fair() {
    let mut world = World::new();
    let mut firsts = HashMap::new();
    for game in 0..10 {
        world.seek(1, game);
        world.seek(2, game);
        world.pass(10 * SECOND);
        let ([first, _], _) = world.paired.last().expect("a game");
        *firsts.entry(*first).or_insert(0) += 1;
        world.end(None);
    }
    assert_eq!(firsts, HashMap::from([(1, 5), (2, 5)]));

    // Everybody had First twice running, except for the last one.
    let mut histories = Histories::default();
    let [ann, bob, eve] = [1, 2, 3].map(member);
    for (one, other) in [(&ann, &bob), (&bob, &ann), (&ann, &bob), (&ann, &eve)] {
        histories.note_pair(0, one, other);
    }
    // Ann was First three times of four, and twice running.
    assert!(!histories.is_first(&ann, &eve, true) && histories.is_first(&eve, &ann, false));
    assert!(!histories.is_first(&ann, &bob, true));
}

#[test]
fn the_opponent_of_one_who_leaves_goes_on_where_they_were() {
    let mut world = World::new();
    world.seek(1, 1);
    world.now += 8 * SECOND;
    world.seek(2, 1);
    world.end(Some(2));
    assert_eq!(seeking(&world.seek(1, 1)).1, 8 * SECOND);
    assert_eq!(seeking(&world.seek(2, 1)).1, 0, "the one who left begins again");
    // They are not paired again at once.
    assert_eq!(world.pairs().len(), 1);

    // A game that was played ends the seek for good, and so do ten minutes.
    let mut world = World::new();
    world.seek(1, 1);
    world.now += 8 * SECOND;
    world.seek(2, 1);
    world.end(None);
    assert_eq!(seeking(&world.seek(1, 1)).1, 0);
    world.seek(3, 1);
    world.end(Some(3));
    world.pass(10 * 60 * SECOND);
    assert_eq!(seeking(&world.seek(1, 1)).1, 0);
}

#[test]
fn those_who_leave_often_have_to_wait() {
    let mut world = World::new();
    let mut command = 0;
    let mut leave = |world: &mut World, other: u64| {
        command += 1;
        world.seek(1, command);
        world.seek(other, 1);
        world.end(Some(1));
        refusal_of_seek(world)
    };
    assert_eq!(leave(&mut world, 2), None);
    assert_eq!(leave(&mut world, 3), None);
    let pause = 5 * 60 * SECOND;
    assert_eq!(leave(&mut world, 4), Some(pause));
    world.now += pause - 1;
    assert_eq!(refusal_of_seek(&mut world), Some(1));
    let challenge = world.challenge(1, 2, 1_000);
    assert_eq!(refusal(&challenge).reason, Reason::TooManyAborts);
    world.now += 1;
    assert_eq!(leave(&mut world, 5), Some(3 * pause));
    world.now += 3 * pause;
    assert_eq!(leave(&mut world, 6), Some(9 * pause));
    // After a day without a mark it begins again.
    world.now += DAY;
    assert_eq!(leave(&mut world, 7), None);
    assert_eq!(leave(&mut world, 8), None);
    assert_eq!(leave(&mut world, 9), Some(pause));
}

/// How long the first member has to wait, if they do. Their seek is cancelled again.
fn refusal_of_seek(world: &mut World) -> Option<u64> {
    let effects = world.seek(1, 999_999);
    match answer(&effects) {
        Answer::Refused(refusal) => {
            assert_eq!(refusal.reason, Reason::TooManyAborts);
            refusal.values.wait_ms
        }
        Answer::Seeking { seek, .. } => {
            let (session, command) = (SessionId(1), CommandId::try_from("cancel").unwrap());
            world.apply(Input::Cancel { member: member(1), session, command, seek });
            None
        }
        Answer::Done => panic!("a seek is not done at once"),
    }
}

#[test]
fn a_challenge_is_for_one_person_alone() {
    let mut world = World::new();
    let effects = world.challenge(1, 2, 1);
    let (id, _) = seeking(&effects);
    let is_sent = |effect: &Effect| matches!(effect, Effect::Challenged { to, for_ms: 60_000, .. } if *to == member(2));
    assert!(effects.iter().any(is_sent));
    assert_eq!(world.pairing.challenges_for(&member(2)).len(), 1);
    assert_eq!(world.pairing.open_seeks(), []);
    // The same wish of somebody else does not take it.
    world.seek_by(seeker(3, 3, 1), Wanted::Settings(tic_tac_toe()));
    let accept = |who| Input::Accept { by: seeker(who, who, 9), seek: id.clone() };
    assert_eq!(refusal(&world.apply(accept(3))).reason, Reason::NoSuchSeek);
    let effects = world.apply(accept(2));
    assert_eq!((answer(&effects), world.pairs()), (Answer::Done, vec![[1, 2]]));
    assert_eq!(refusal(&world.apply(accept(2))).reason, Reason::NoSuchSeek);
}

#[test]
fn a_challenge_ends_when_it_is_declined_cancelled_or_too_old() {
    let mut world = World::new();
    let (session, command) = (SessionId(2), CommandId::try_from("answer").unwrap());
    let (id, _) = seeking(&world.challenge(1, 2, 1));
    let decline = |who, seek: &SeekId| Input::Decline {
        member: member(who),
        is_bot: false,
        session,
        command: command.clone(),
        seek: seek.clone(),
    };
    assert_eq!(refusal(&world.apply(decline(3, &id))).reason, Reason::NoSuchSeek);
    let effects = world.apply(decline(2, &id));
    assert_eq!((answer(&effects), over(&effects)), (Answer::Done, vec![(1, SeekEnd::Declined)]));
    assert_eq!(answer(&world.apply(decline(2, &id))), Answer::Done, "it is over already");

    world.challenge(1, 2, 2);
    assert_eq!(over(&world.pass(59_999)), []);
    assert_eq!(over(&world.pass(1)), [(1, SeekEnd::Expired)]);

    world.challenge(1, 2, 3);
    world.apply(Input::Gone { member: member(1), session: SessionId(1) });
    let effects = world.pass(5 * SECOND);
    let is_gone =
        |effect: &Effect| matches!(effect, Effect::ChallengeOver { why: SeekEnd::Gone, .. });
    assert!(effects.iter().any(is_gone));
    assert_eq!(world.pairing.count(), 0);
}

#[test]
fn ratings_meet_within_a_window_that_grows() {
    let rated = |who, value| {
        let rating = Rating { value, deviation: 60 };
        Seeker { rating, ..seeker(who, who, 1) }
    };
    // How long the first has waited when the second comes, the difference of their ratings, and after
    // how many seconds they are paired.
    let cases = [
        (0, 40, Some(0)),
        (0, 41, Some(1)),
        (0, 100, Some(3)),
        (0, 101, Some(4)),
        (0, 400, Some(18)),
        (0, 401, None),
        (30, 100, Some(0)),
        (30, 101, Some(1)),
        (30, 120, Some(1)),
        (30, 121, Some(2)),
        (30, 400, Some(15)),
        (30, 401, None),
    ];
    for (waited, difference, expected) in cases {
        let mut world = World::new();
        world.seek_by(rated(1, 1_500), pool("free"));
        for _ in 0..waited {
            world.pass(SECOND);
        }
        world.seek_by(rated(2, 1_500 + difference), pool("free"));
        let paired = (0..100).find(|&seconds| {
            world.pass(if seconds == 0 { 0 } else { SECOND });
            !world.paired.is_empty()
        });
        assert_eq!(paired, expected, "{difference} points after {waited} s");
    }
    let unsure = Rating { value: 0, deviation: 350 };
    assert_eq!(rating_window([unsure, Rating { deviation: 45, ..unsure }], [0, 0]), 185);
    assert_eq!(rating_window([unsure; 2], [0, 60 * SECOND]), 100 + 145 + 145);
}

#[test]
fn the_best_of_several_pairs_comes_first() {
    let rated = |who, value| {
        let rating = Rating { value, deviation: 60 };
        Seeker { rating, ..seeker(who, who, 1) }
    };
    let mut world = World::new();
    world.makes_rooms = false;
    for (who, value) in [(1, 1_500), (2, 1_560), (3, 1_570), (4, 1_640)] {
        world.seek_by(rated(who, value), pool("free"));
    }
    world.makes_rooms = true;
    world.pass(0);
    assert_eq!(world.pairs(), [[2, 3]]);
    world.pass(5 * SECOND);
    assert_eq!(world.pairs(), [[2, 3], [1, 4]]);
}

/// Something that happens in the property test, with small numbers for who and what.
#[derive(Clone, Debug)]
enum Step {
    Seek { who: u64, command: u64, pool: usize },
    Challenge { who: u64, to: u64, command: u64 },
    Accept { who: u64, command: u64, index: usize },
    Cancel { who: u64, index: usize },
    Gone { who: u64 },
    Made,
    NotMade,
    End { index: usize, is_aborted: bool },
    Pass { time: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    let who = || 0_u64..6;
    prop_oneof![
        6 => (who(), 0_u64..4, 0_usize..2)
            .prop_map(|(who, command, pool)| Step::Seek { who, command, pool }),
        1 => (who(), who(), 4_u64..6)
            .prop_map(|(who, to, command)| Step::Challenge { who, to, command }),
        1 => (who(), 6_u64..8, any::<usize>())
            .prop_map(|(who, command, index)| Step::Accept { who, command, index }),
        1 => (who(), any::<usize>()).prop_map(|(who, index)| Step::Cancel { who, index }),
        1 => who().prop_map(|who| Step::Gone { who }),
        4 => Just(Step::Made),
        1 => Just(Step::NotMade),
        2 => (any::<usize>(), any::<bool>())
            .prop_map(|(index, is_aborted)| Step::End { index, is_aborted }),
        3 => (0_u64..12_000).prop_map(|time| Step::Pass { time }),
    ]
}

proptest! {
    /// Whatever happens in whatever order: nobody is in two games, everybody who is in one was sent
    /// there, and each command has at most one answer for each time that it was sent.
    #[test]
    fn nobody_is_in_two_games(steps in prop::collection::vec(step(), 1..120)) {
        let mut pairing = Pairing::new(Pools::default());
        let pools = ["free", "gomoku-5-3"];
        let (mut now, mut ids, mut asked) = (0, 0, 0);
        let mut known = Vec::new();
        let mut making: BTreeMap<PairNumber, [MemberId; 2]> = BTreeMap::new();
        let mut games: Vec<(RoomCode, [MemberId; 2])> = Vec::new();
        for step in steps {
            let is_playing = |who| games.iter().any(|(_, players)| players.contains(&member(who)));
            let mut new_id = || {
                ids += 1;
                seek_id(ids)
            };
            let input = match step {
                // The task answers these without the pairing.
                Step::Seek { who, .. } | Step::Challenge { who, .. } | Step::Accept { who, .. }
                    if is_playing(who) => continue,
                Step::Seek { who, command, pool: index } => {
                    let id = new_id();
                    known.push(id.clone());
                    Input::Seek { by: seeker(who, who, command), id, wanted: pool(pools[index]) }
                }
                Step::Challenge { who, to, command } => {
                    let id = new_id();
                    known.push(id.clone());
                    let (by, to) = (seeker(who, who, command), member(to));
                    Input::Challenge { by, id, to, settings: tic_tac_toe() }
                }
                Step::Accept { who, command, index } if !known.is_empty() => {
                    let seek = known[index % known.len()].clone();
                    Input::Accept { by: seeker(who, who, command), seek }
                }
                Step::Cancel { who, index } if !known.is_empty() => {
                    let seek = known[index % known.len()].clone();
                    let command = CommandId::try_from("cancel").unwrap();
                    Input::Cancel { member: member(who), session: SessionId(who), command, seek }
                }
                Step::Accept { .. } | Step::Cancel { .. } => continue,
                Step::Gone { who } => Input::Gone { member: member(who), session: SessionId(who) },
                Step::Made => {
                    let Some((pair, players)) = making.pop_first() else { continue };
                    let room = room(pair.0);
                    for player in &players {
                        let is_free = games.iter().all(|(_, others)| !others.contains(player));
                        prop_assert!(is_free, "{player} is in two games");
                    }
                    games.push((room.clone(), players));
                    Input::Made { pair, room }
                }
                Step::NotMade => {
                    let Some((pair, _)) = making.pop_first() else { continue };
                    Input::NotMade { pair, refusal: Refusal::new(Reason::Busy) }
                }
                Step::End { index, is_aborted } => {
                    if games.is_empty() {
                        continue;
                    }
                    let (room, [first, _]) = games.swap_remove(index % games.len());
                    Input::GameOver { room, aborted_by: is_aborted.then_some(first) }
                }
                Step::Pass { time } => {
                    now += time;
                    Input::Tick
                }
            };
            asked += usize::from(matches!(
                input,
                Input::Seek { .. } | Input::Challenge { .. } | Input::Accept { .. } | Input::Cancel { .. }
            ));
            let made = if let Input::Made { room, .. } = &input { Some(room.clone()) } else { None };
            let mut sent = HashSet::new();
            for effect in pairing.apply(now, input) {
                match effect {
                    Effect::Make(pair) => {
                        let NewPair { number, players, .. } = *pair;
                        let players = Seat::BOTH.map(|seat| players[seat].member.clone());
                        prop_assert_ne!(&players[0], &players[1]);
                        for other in making.values() {
                            prop_assert!(players.iter().all(|player| !other.contains(player)));
                        }
                        making.insert(number, players);
                    }
                    Effect::Paired { session, room, .. } => {
                        prop_assert_eq!(Some(room), made.clone());
                        sent.insert(session.0);
                    }
                    Effect::Answer { .. } => {
                        prop_assert!(asked > 0, "an answer to nothing");
                        asked -= 1;
                    }
                    Effect::Moved { .. } => prop_assert!(false, "nothing is repeated"),
                    Effect::Refused { .. }
                    | Effect::Over { .. }
                    | Effect::Challenged { .. }
                    | Effect::Declined { .. }
                    | Effect::ChallengeOver { .. } => {}
                }
            }
            if made.is_some() {
                let (_, players) = games.last().expect("the game that was made");
                for player in players {
                    let who = u64::from_str_radix(player.as_str(), 16).unwrap();
                    prop_assert!(sent.contains(&who));
                    prop_assert!(!pairing.is_being_paired(player));
                    let has_seek = (0..6).any(|command| pairing.knows(player, &seeker(who, who, command).command));
                    prop_assert!(!has_seek, "a seek of a player stands");
                }
            }
        }
    }
}
