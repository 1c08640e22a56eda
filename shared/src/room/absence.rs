//! Players who are away: since when, what their opponents may claim by it, and how a game that
//! nobody goes on with ends.
//!
//! A restart forgets all of it: then everybody is away since the server is back.

use std::collections::BTreeMap;

use crate::{
    protocol::{Absent, Away, Event, MemberId, Player, Reason, Refusal},
    room::RoomState,
    rules::{Outcome, Stone},
};

use super::{Moment, Room, presence::Presence};
use crate::clock::millis;

/// Since when players are away, and since when it is whose turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Absence {
    since: BTreeMap<MemberId, u64>,
    /// The game and the ply that are played.
    turn: Option<(u32, usize)>,
    turn_since: u64,
}

impl Absence {
    /// Takes note of who is away now, and whether it is another turn.
    pub(super) fn note(&mut self, now: u64, state: &RoomState, presence: &Presence) {
        let is_away = |id: &MemberId| !presence.is_present(id);
        self.since.retain(|id, _| is_away(id) && state.seats.of_member(id).is_some());
        for seat in Stone::BOTH {
            if let Some(Player::Member { member, .. }) = state.seats.get(seat)
                && is_away(member)
            {
                self.since.entry(member.clone()).or_insert(now);
            }
        }
        let turn = state.running().map(|game| (game.number, game.position.ply()));
        if turn != self.turn {
            self.turn = turn;
            self.turn_since = now;
        }
    }
}

impl Room {
    /// Which players are away, as they are told.
    pub(super) fn absent(&self) -> Absent {
        let away = |seat| {
            let since = self.away_since(seat)?;
            let opponent = self.state.seats.get(seat.opponent());
            let against_person = opponent.is_some_and(|player| player.bot().is_none());
            Some(Away { since, claim_at: self.claim_at(seat).filter(|_| against_person) })
        };
        Absent { black: away(Stone::Black), white: away(Stone::White) }
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

    /// When the game ends because the player on turn does not come back.
    pub(super) fn abandoned_at(&self) -> Option<u64> {
        let turn = self.state.running()?.position.turn();
        Some(self.missed_since(turn)?.saturating_add(millis(self.limits.abandoned_game)))
    }

    /// Ends a game whose player on turn has not come back: the opponent wins if he is here.
    pub(super) fn end_abandoned(&mut self, moment: &mut Moment<'_>) {
        if self.abandoned_at().is_some_and(|at| at <= moment.now)
            && let Some(game) = self.state.running()
        {
            let opponent = game.position.turn().opponent();
            let winner = self.away_since(opponent).is_none().then_some(opponent);
            self.log(Event::Ended { outcome: Outcome::Abandonment { winner } }, moment);
        }
    }

    /// The seat of a member who may claim now.
    fn may_claim(&self, member: &MemberId, now: u64) -> Result<Stone, Refusal> {
        let (seat, game) = self.playing(member)?;
        let opponent = seat.opponent();
        if self.away_since(opponent).is_none() {
            return Err(Refusal::new(Reason::OpponentHere));
        }
        if game.position.turn() == seat {
            return Err(Refusal::new(Reason::YourTurn));
        }
        match self.claim_at(opponent) {
            Some(at) if at <= now => Ok(seat),
            Some(_) | None => Err(Refusal::new(Reason::TooEarly)),
        }
    }

    /// When the opponent of a player who is away may claim: only on that player's turn.
    fn claim_at(&self, seat: Stone) -> Option<u64> {
        let is_turn = self.state.running()?.position.turn() == seat;
        let since = self.missed_since(seat).filter(|_| is_turn)?;
        Some(since.saturating_add(millis(self.limits.claim_after)))
    }

    /// Since when a player is away and on turn, were it his.
    fn missed_since(&self, seat: Stone) -> Option<u64> {
        Some(self.away_since(seat)?.max(self.absence.turn_since))
    }

    fn away_since(&self, seat: Stone) -> Option<u64> {
        match self.state.seats.get(seat)? {
            Player::Member { member, .. } => self.absence.since.get(member).copied(),
            Player::Bot { .. } => None,
        }
    }
}
