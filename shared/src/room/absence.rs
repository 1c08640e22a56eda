//! Players who are away: since when, what their opponents may claim, and how an abandoned game
//! ends.
//!
//! A restart loses all of it: everybody then counts as away since the server came back.

use std::collections::BTreeMap;

use crate::{
    protocol::{Absent, Away, Event, MemberId, Player, Reason, Refusal},
    room::RoomState,
    rules::Outcome,
    seat::Seat,
};

use super::{Moment, Room, presence::Presence};
use crate::clock::millis;

/// Since when players are away, and since when the seat to act has been on turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Absence {
    since: BTreeMap<MemberId, u64>,
    /// The game, the ply and the seat that must act.
    turn: Option<(u32, usize, Seat)>,
    turn_since: u64,
}

impl Absence {
    /// Records who is away now, and whether the turn has changed.
    pub(super) fn note(&mut self, now: u64, state: &RoomState, presence: &Presence) {
        let is_away = |id: &MemberId| !presence.is_present(id);
        self.since.retain(|id, _| is_away(id) && state.seats.of_member(id).is_some());
        for seat in Seat::BOTH {
            if let Some(Player::Member { member, .. }) = state.seats.get(seat)
                && is_away(member)
            {
                self.since.entry(member.clone()).or_insert(now);
            }
        }
        let turn = state
            .running()
            .and_then(|game| Some((game.number, game.position.ply(), game.to_act()?)));
        if turn != self.turn {
            self.turn = turn;
            self.turn_since = now;
        }
    }
}

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
