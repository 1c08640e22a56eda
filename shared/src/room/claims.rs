//! What the opponent of an absent player may claim, or of one who does not answer a nudge, and how an
//! abandoned game ends. In a daily game absence is normal: only the clock ends it.

use super::{Moment, Room};
use crate::{
    clock::millis,
    protocol::{Absent, Away, Event, MemberId, Nudge, Player, Reason, Refusal},
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
        self.end_game(Outcome::Abandonment { winner }, moment);
        Ok(())
    }

    pub(super) fn claim_draw(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        self.may_claim(member, moment.now)?;
        self.end_game(Outcome::Abandonment { winner: None }, moment);
        Ok(())
    }

    /// Asks an opponent who is present whether they are still there.
    pub(super) fn nudge(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let (by, game) = self.playing(member)?;
        let opponent = by.other();
        let refuse = |reason| Err(Refusal::new(reason));
        if game.clock.is_some() || self.bot_in(opponent).is_some() {
            return refuse(Reason::NoNudge);
        }
        if game.to_act() == Some(by) {
            return refuse(Reason::YourTurn);
        }
        if game.nudge.is_some() {
            return refuse(Reason::AlreadyAsked);
        }
        if self.away_since(opponent).is_some() {
            return refuse(Reason::OpponentAway);
        }
        let since = self.absence.turn_since;
        if moment.now < since.saturating_add(millis(self.limits.nudge_after)) {
            return refuse(Reason::TooEarly);
        }
        let until = moment.now.saturating_add(millis(self.limits.nudge_answer));
        self.log(Event::Nudged { by, until }, moment);
        Ok(())
    }

    /// Gives a nudged player the whole time to act, from `from` on.
    pub(super) fn renew_nudge(&mut self, from: u64, moment: &mut Moment<'_>) {
        if let Some(Nudge { by, .. }) = self.state.running().and_then(|game| game.nudge) {
            let until = from.saturating_add(millis(self.limits.nudge_answer));
            self.log(Event::Nudged { by, until }, moment);
        }
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
            self.end_game(Outcome::Abandonment { winner }, moment);
        }
    }

    /// The seat of a member who may claim now.
    fn may_claim(&self, member: &MemberId, now: u64) -> Result<Seat, Refusal> {
        let (seat, game) = self.playing(member)?;
        if self.is_daily() {
            return Err(Refusal::new(Reason::NoClaim));
        }
        let opponent = seat.other();
        let is_nudged = game.nudge.is_some_and(|nudge| nudge.by == seat);
        if self.away_since(opponent).is_none() && !is_nudged {
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

    /// When the opponent of a player who is absent or nudged may claim: only on that player's turn.
    fn claim_at(&self, seat: Seat) -> Option<u64> {
        let game = self.state.running().filter(|game| game.to_act() == Some(seat))?;
        let claim_after = millis(self.limits.claim_after);
        let absent = self.missed_since(seat).map(|since| since.saturating_add(claim_after));
        let nudged = game.nudge.map(|nudge| nudge.until).filter(|_| self.resume_at.is_none());
        [absent, nudged].into_iter().flatten().min()
    }

    /// Since when a player is away and must act, if they must.
    fn missed_since(&self, seat: Seat) -> Option<u64> {
        if self.is_daily() {
            return None;
        }
        Some(self.away_since(seat)?.max(self.absence.turn_since))
    }

    fn away_since(&self, seat: Seat) -> Option<u64> {
        match self.state.seats.get(seat)? {
            Player::Member { member, .. } => self.absence.since.get(member).copied(),
            Player::Bot { .. } => None,
        }
    }
}
