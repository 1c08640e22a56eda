//! What the opponent of an absent player may claim, and how an abandoned game ends.

use super::{Moment, Room};
use crate::{
    clock::millis,
    protocol::{Absent, Away, Event, MemberId, Player, Reason, Refusal},
    rules::Outcome,
    seat::Seat,
};

impl Room {
    /// The players who are away, as sent to members.
    pub(super) fn absent(&self) -> Absent {
        let away = |seat| {
            let since = self.away_since(seat)?;
            let opponent = self.state.seats.get(seat.other());
            let against_person = opponent.is_some_and(|player| player.bot().is_none());
            Some(Away { since, claim_at: self.claim_at(seat).filter(|_| against_person) })
        };
        Absent { first: away(Seat::First), second: away(Seat::Second) }
    }

    pub(super) fn claim_win(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let winner = Some(self.may_claim(member, moment.now)?);
        self.log(Event::Ended { outcome: Outcome::Abandonment { winner } }, moment);
        Ok(())
    }

    pub(super) fn claim_draw(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        self.may_claim(member, moment.now)?;
        self.log(Event::Ended { outcome: Outcome::Abandonment { winner: None } }, moment);
        Ok(())
    }

    /// When the game ends because the player to act has not come back.
    pub(super) fn abandoned_at(&self) -> Option<u64> {
        let seat = self.state.to_act()?;
        Some(self.missed_since(seat)?.saturating_add(millis(self.limits.abandoned_game)))
    }

    /// Ends a game if the player who must act has not come back. The opponent wins if they are
    /// here.
    pub(super) fn end_abandoned(&mut self, moment: &mut Moment<'_>) {
        if self.abandoned_at().is_some_and(|at| at <= moment.now)
            && let Some(seat) = self.state.to_act()
        {
            let opponent = seat.other();
            let winner = self.away_since(opponent).is_none().then_some(opponent);
            self.log(Event::Ended { outcome: Outcome::Abandonment { winner } }, moment);
        }
    }

    /// The seat of a member who may claim now.
    fn may_claim(&self, member: &MemberId, now: u64) -> Result<Seat, Refusal> {
        let (seat, game) = self.playing(member)?;
        let opponent = seat.other();
        if self.away_since(opponent).is_none() {
            return Err(Refusal::new(Reason::OpponentHere));
        }
        if game.to_act() == Some(seat) {
            return Err(Refusal::new(Reason::YourTurn));
        }
        match self.claim_at(opponent) {
            Some(at) if at <= now => Ok(seat),
            Some(_) | None => Err(Refusal::new(Reason::TooEarly)),
        }
    }

    /// When the opponent of an absent player may claim: only on that player's turn.
    fn claim_at(&self, seat: Seat) -> Option<u64> {
        let must_act = self.state.to_act() == Some(seat);
        let since = self.missed_since(seat).filter(|_| must_act)?;
        Some(since.saturating_add(millis(self.limits.claim_after)))
    }

    /// Since when a player is away and must act, if they must.
    fn missed_since(&self, seat: Seat) -> Option<u64> {
        Some(self.away_since(seat)?.max(self.absence.turn_since))
    }

    fn away_since(&self, seat: Seat) -> Option<u64> {
        match self.state.seats.get(seat)? {
            Player::Member { member, .. } => self.absence.since.get(member).copied(),
            Player::Bot { .. } => None,
        }
    }
}
