//! Seeks that nodes repeat, and nodes that end.

use fivefold_storage::NodeId;

use super::{
    super::games::{Game, Waited},
    *,
};
use crate::limits::PAIRED_GAMES_KEPT;

fn node(number: u32) -> NodeId {
    NodeId::new(number).unwrap()
}

/// A session with this number at a node.
fn session_at(number: u32, session: u64) -> SessionId {
    SessionId(node(number).first_session().0 + session)
}

/// A pairing at node 1.
fn world_of_nodes() -> World {
    let mut world = World::new();
    world.pairing = Pairing::at(node(1), Pools::default());
    world
}

/// A seek in the pool `free` whose session is at node 2.
fn standing(who: u64, command: u64, asked_at: u64, waited_ms: u64) -> StandingSeek {
    let by = Seeker { session: session_at(2, who), ..seeker(who, 0, command) };
    let (id, aim) = (seek_id(1_000 + who), SeekAim::Anybody(pool("free")));
    StandingSeek { by, id, aim, asked_at, waited_ms }
}

fn stands(world: &mut World, seek: &StandingSeek) -> Vec<Effect> {
    world.apply(Input::Stands(seek.clone()))
}

/// The sessions whose seek another session has.
fn moved(effects: &[Effect]) -> Vec<SessionId> {
    let moved = |effect: &Effect| match effect {
        Effect::Moved { session, .. } => Some(*session),
        _ => None,
    };
    effects.iter().filter_map(moved).collect()
}

/// The sessions that have found a game.
fn paired(effects: &[Effect]) -> Vec<SessionId> {
    let paired = |effect: &Effect| match effect {
        Effect::Paired { session, .. } => Some(*session),
        _ => None,
    };
    effects.iter().filter_map(paired).collect()
}

#[test]
fn a_repeated_seek_goes_on_with_its_id_and_its_waiting_time() {
    let mut world = world_of_nodes();
    let seek = standing(1, 1, world.now - 9 * SECOND, 9 * SECOND);
    assert_eq!(stands(&mut world, &seek), [], "its command was answered before");
    world.now += SECOND;
    assert_eq!(stands(&mut world, &seek), []);
    assert_eq!(world.pairing.count(), 1);
    let again =
        world.seek_by(Seeker { session: session_at(3, 1), ..seek.by.clone() }, pool("free"));
    assert_eq!(seeking(&again), (seek.id.clone(), 10 * SECOND));
    let effects = world.seek(2, 1);
    let gets_it = |effect: &Effect| matches!(effect, Effect::Paired { session, seek: Some(id), .. } if *session == session_at(3, 1) && *id == seek.id);
    assert!(effects.iter().any(gets_it));
    assert_eq!(world.pairing.median_wait(world.now, 6), Some(10 * SECOND));
}

#[test]
fn a_seek_of_another_node_that_is_not_repeated_is_dropped() {
    let mut world = world_of_nodes();
    let seek = standing(1, 1, world.now, 0);
    stands(&mut world, &seek);
    world.seek_by(Seeker { session: session_at(1, 2), ..seeker(2, 0, 1) }, pool("gomoku-5-3"));
    world.pass(5_999);
    assert_eq!(world.pairing.count(), 2);
    stands(&mut world, &seek);
    world.pass(5_999);
    assert_eq!(world.pairing.count(), 2);
    // Its session is not notified: the node repeats the seek when it can.
    assert_eq!(world.pass(1), []);
    assert_eq!(world.pairing.count(), 1, "the one at this node stays");
    world.pass(DAY);
    assert_eq!(world.pairing.count(), 1);
    stands(&mut world, &seek);
    assert_eq!(world.pairing.count(), 2);

    // So are those that began by their command, and the challenged person learns so.
    let mut world = world_of_nodes();
    world.ids += 1;
    let by = Seeker { session: session_at(2, 1), ..seeker(1, 0, 1) };
    let (id, settings) = (seek_id(world.ids), tic_tac_toe());
    world.apply(Input::Challenge { by, id, to: member(2), settings });
    world.pass(5_999);
    let effects = world.pass(1);
    assert!(
        matches!(effects[..], [Effect::ChallengeOver { why: SeekEnd::Gone, .. }]),
        "{effects:?}"
    );
}

#[test]
fn the_seeks_of_a_node_that_died_stay_for_a_while() {
    let mut world = world_of_nodes();
    for who in [1, 2] {
        let seek = standing(who, 1, world.now, 0);
        let by = Seeker { session: session_at(2, who), ..seek.by };
        let (aim, waited_ms) = (SeekAim::Anybody(pool("gomoku-5-3")), 0);
        let aim = if who == 1 { seek.aim } else { aim };
        world.apply(Input::Stands(StandingSeek { by, aim, waited_ms, ..seek }));
    }
    world.apply(Input::NodeGone(node(2)));
    // Nobody is paired with somebody who is away.
    world.seek(3, 1);
    world.pass(4_999);
    assert_eq!((world.pairs(), world.pairing.count()), (vec![], 3));
    let by = Seeker { session: session_at(3, 1), ..seeker(1, 0, 1) };
    let (id, waited) = seeking(&world.seek_by(by, pool("free")));
    assert_eq!((id, waited), (seek_id(1_001), 4_999));
    assert_eq!(world.pairs(), [[1, 3]]);
    world.pass(1);
    assert_eq!(world.pairing.count(), 0);
}

#[test]
fn a_node_that_repeats_its_seeks_is_not_gone() {
    let mut world = world_of_nodes();
    let seek = standing(1, 1, world.now, 0);
    stands(&mut world, &seek);
    world.apply(Input::NodeGone(node(2)));
    stands(&mut world, &seek);
    world.seek(2, 1);
    assert_eq!(world.pairs(), [[1, 2]]);
}

#[test]
fn of_two_sessions_the_one_that_asked_last_has_the_seek() {
    let mut world = world_of_nodes();
    let old = standing(1, 1, world.now - 5, 5);
    let new = StandingSeek {
        by: Seeker { session: session_at(3, 1), ..old.by.clone() },
        asked_at: world.now,
        ..old.clone()
    };
    assert_eq!(stands(&mut world, &old), []);
    assert_eq!(stands(&mut world, &new), []);
    assert_eq!(moved(&stands(&mut world, &old)), [session_at(2, 1)]);

    // The same in the other order, and after a command.
    let mut world = world_of_nodes();
    assert_eq!(stands(&mut world, &new), []);
    assert_eq!(moved(&stands(&mut world, &old)), [session_at(2, 1)]);
    let mut world = world_of_nodes();
    seeking(&world.seek_by(new.by.clone(), pool("free")));
    assert_eq!(moved(&stands(&mut world, &old)), [session_at(2, 1)]);
    assert_eq!(stands(&mut world, &new), []);
    let effects = world.seek(2, 1);
    assert!(paired(&effects).contains(&session_at(3, 1)));
}

#[test]
fn an_earlier_session_gets_its_seek_back_from_one_that_has_ended() {
    let mut world = world_of_nodes();
    let early = standing(1, 1, world.now - 5, 5);
    let late = Seeker { session: session_at(3, 1), ..early.by.clone() };
    assert_eq!(stands(&mut world, &early), []);
    seeking(&world.seek_by(late.clone(), pool("free")));
    world.apply(Input::Gone { member: late.member, session: late.session });
    assert_eq!(stands(&mut world, &early), []);
    let effects = world.seek(2, 1);
    assert!(paired(&effects).contains(&session_at(2, 1)));
}

#[test]
fn a_repeated_challenge_stands_for_the_rest_of_its_time() {
    let mut world = world_of_nodes();
    let aim = SeekAim::Member { to: member(2), settings: tic_tac_toe() };
    let seek = StandingSeek { aim, ..standing(1, 1, world.now, 59 * SECOND) };
    let effects = stands(&mut world, &seek);
    let is_sent = |effect: &Effect| matches!(effect, Effect::Challenged { for_ms: SECOND, .. });
    assert!(effects.iter().any(is_sent), "{effects:?}");
    assert_eq!(world.pass(999), []);
    assert_eq!(over(&world.pass(1)), [(session_at(2, 1).0, SeekEnd::Expired)]);
}

#[test]
fn a_seek_in_a_pool_that_only_another_node_has_is_over() {
    let mut world = world_of_nodes();
    let aim = SeekAim::Anybody(pool("chess"));
    let effects = stands(&mut world, &StandingSeek { aim, ..standing(1, 1, 0, 0) });
    assert_eq!(over(&effects), [(session_at(2, 1).0, SeekEnd::Cancelled)]);
}

#[test]
fn players_who_are_in_other_games_get_those() {
    let mut pairing = Pairing::new(Pools::default());
    let game = || Some((room(7), Seat::Second));
    let mut apply = |input| pairing.apply(0, input);
    let pair_of = |effects: Vec<Effect>| {
        let pair = effects.into_iter().find_map(|effect| match effect {
            Effect::Make(pair) => Some(*pair),
            _ => None,
        });
        pair.expect("they fit")
    };
    let seek = |who: u64| Input::Seek {
        by: seeker(who, who, 1),
        id: seek_id(who),
        wanted: Wanted::Settings(tic_tac_toe()),
    };
    // Two who seek: one plays, and the other goes on.
    apply(seek(1));
    let NewPair { number: pair, players, .. } = pair_of(apply(seek(2)));
    let is_first = players.first.member == member(1);
    let playing = if is_first {
        BySeat { first: game(), second: None }
    } else {
        BySeat { first: None, second: game() }
    };
    let effects = apply(Input::NotFree { pair, playing });
    assert_eq!(over(&effects), [(1, SeekEnd::Cancelled)]);
    let gets_it = |effect: &Effect| matches!(effect, Effect::Paired { session: SessionId(1), seek: None, room: code, seat: Seat::Second, .. } if *code == room(7));
    assert!(effects.iter().any(gets_it));

    // One who accepts, and plays already.
    let accept = |who| Input::Accept { by: seeker(who, who, 9), seek: seek_id(2) };
    let both = |players: &BySeat<Seeker>, who| BySeat {
        first: game().filter(|_| players.first.member == member(who)),
        second: game().filter(|_| players.second.member == member(who)),
    };
    let NewPair { number: pair, players, .. } = pair_of(apply(accept(3)));
    let effects = apply(Input::NotFree { pair, playing: both(&players, 3) });
    assert_eq!(answer(&effects), Answer::Done);
    assert_eq!(effects.len(), 2, "{effects:?}");
    // One who accepts the seek of a player: it is over.
    let NewPair { number: pair, players, .. } = pair_of(apply(accept(4)));
    let effects = apply(Input::NotFree { pair, playing: both(&players, 2) });
    assert_eq!(refusal(&effects).reason, Reason::NoSuchSeek);
    assert_eq!(over(&effects), [(2, SeekEnd::Cancelled)]);
    assert_eq!(pairing.count(), 0);
}

#[test]
fn a_seek_gets_its_time_back_that_is_repeated_before_the_end_of_the_game_is_reported() {
    let mut world = World::new();
    world.seek(1, 1);
    world.now += 8 * SECOND;
    world.seek(2, 1);
    assert_eq!(seeking(&world.seek(1, 1)).1, 0);
    world.end(Some(2));
    assert_eq!(seeking(&world.seek(1, 1)).1, 8 * SECOND);
}

#[test]
fn games_whose_ends_are_missed_are_forgotten() {
    let mut world = World::new();
    let waited = |number| Waited {
        member: member(number),
        command: CommandId::try_from("seek").unwrap(),
        waited_ms: 0,
    };
    let game = |number| Game {
        began_at: number,
        players: BySeat { first: waited(number), second: waited(number + 1) },
    };
    let most = PAIRED_GAMES_KEPT as u64;
    world.pairing.games.running = (0..most).map(|number| (room(number), game(number))).collect();
    world.pass(SECOND);
    assert_eq!(world.pairing.games.running.len(), PAIRED_GAMES_KEPT);
    world.pairing.games.running.insert(room(most), game(most));
    world.pass(SECOND);
    assert_eq!(world.pairing.games.running.len(), PAIRED_GAMES_KEPT / 2);
    assert!(world.pairing.games.running.contains_key(&room(most)));
}
