//! Pairs that begin no game, because a player has too many daily games: others may have begun since the player began to
//! seek.

use fivefold_shared::{
    protocol::{Reason, Refusal, SeekEnd},
    seat::{BySeat, Seat},
};

use super::{
    Pairing,
    input::{Effect, PairNumber},
    standing::{Pair, Side},
};

impl Pairing {
    /// Ends the seeks of those players of a pair who may not begin its game. The seek of the other player goes on.
    pub(super) fn not_allowed(
        &mut self,
        number: PairNumber,
        refusals: BySeat<Option<Refusal>>,
        effects: &mut Vec<Effect>,
    ) {
        let Some(Pair { sides, .. }) = self.pairs.remove(&number) else { return };
        for seat in Seat::BOTH {
            self.release(&sides[seat].by.member);
        }
        let BySeat { first, second } = refusals;
        for (seat, refusal) in [(Seat::First, first), (Seat::Second, second)] {
            let Side { by, seek, own, .. } = &sides[seat];
            match (refusal, own) {
                (Some(refusal), Some(own)) => {
                    // The seek may have moved to another session, or been cancelled.
                    if let Some(standing) = self.seeks.get(own) {
                        let (session, seek) = (standing.by.session, seek.clone());
                        effects.push(Effect::Refused { session, seek, refusal });
                    }
                    self.end(*own, SeekEnd::Refused, None, effects);
                }
                (Some(refusal), None) => effects.push(Effect::refused(by, refusal)),
                (None, None) => {
                    let refusal = Refusal::new(Reason::OpponentTooManyGames);
                    effects.push(Effect::refused(by, refusal));
                }
                (None, Some(_)) => {}
            }
        }
    }
}
