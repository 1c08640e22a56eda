//! Pairs in which one player may begin no more daily games.

use super::*;

/// What becomes of a pair if its players may not begin the game for these reasons, First's before Second's.
fn not_allowed(world: &mut World, input: Input, reasons: [Option<Reason>; 2]) -> Vec<Effect> {
    let mut effects = Vec::new();
    for effect in world.pairing.apply(world.now, input) {
        if let Effect::Make(pair) = effect {
            let [first, second] = reasons.map(|reason| reason.map(Refusal::new));
            let refusals = BySeat { first, second };
            let not_allowed = Input::NotAllowed { pair: pair.number, refusals };
            effects.extend(world.pairing.apply(world.now, not_allowed));
        }
    }
    effects
}

#[test]
fn the_seek_of_a_player_at_the_limit_ends_and_the_other_goes_on() {
    let told = |effects: &[Effect]| -> Vec<(u64, Reason)> {
        let refused = effects.iter().filter_map(|effect| match effect {
            Effect::Refused { session, refusal, .. } => Some((session.0, refusal.reason)),
            _ => None,
        });
        refused.collect()
    };
    let full = Reason::TooManyDailyGames;
    for is_first in [true, false] {
        let mut world = World::new();
        world.seek(1, 1);
        world.seek_by(seeker(1, 11, 2), pool("gomoku-5-3"));
        let by = seeker(2, 2, 1);
        let seek = Input::Seek { by, id: seek_id(77), wanted: pool("free") };
        let mut reasons = [Some(full), None];
        if !is_first {
            reasons.reverse();
        }
        let effects = not_allowed(&mut world, seek, reasons);
        // The first pair of a world has the one who came first as First.
        let (session, other) = if is_first { (1, 2) } else { (2, 1) };
        assert_eq!(told(&effects), [(session, full)]);
        assert_eq!(over(&effects), [(session, SeekEnd::Refused)]);
        // The first player's other seek is not affected.
        assert_eq!(world.pairing.count(), 2);
        let knows = |who| world.pairing.knows(&member(who), &seeker(who, who, 1).command);
        assert!(knows(other) && !knows(session));
        world.seek(3, 1);
        let mut pair = [other, 3];
        pair.sort_unstable();
        assert_eq!(world.pairs(), [pair]);
    }
    // The player who accepts learns the reason, whichever of the two it concerns.
    for is_seeker in [true, false] {
        let mut world = World::new();
        let (seek, _) = seeking(&world.seek_by(seeker(1, 1, 1), Wanted::Settings(tic_tac_toe())));
        let accept = Input::Accept { by: seeker(2, 2, 1), seek };
        let mut reasons = [Some(full), None];
        if !is_seeker {
            reasons.reverse();
        }
        let effects = not_allowed(&mut world, accept, reasons);
        let expected = if is_seeker { Reason::OpponentTooManyGames } else { full };
        assert_eq!(refusal(&effects).reason, expected);
        assert_eq!(told(&effects).len(), usize::from(is_seeker));
        assert_eq!(world.pairing.count(), usize::from(!is_seeker));
    }
}
