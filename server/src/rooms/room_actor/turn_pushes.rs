//! Tells the task of pushes whose turn it is in a daily game, who was away when it was decided on time, and who has not
//! come to a game for which they were paired.

use std::mem;

use fivefold_shared::{
    protocol::{MemberId, Name, Player},
    rules::Outcome,
    seat::Seat,
};
use tokio::time::Instant;

use super::{actor::Actor, daily_turn::turn_of};
use crate::online::pushes::{PushNews, Turn};

impl Actor {
    /// Notes a new turn, or the end of a game. For rooms whose events are all stored.
    pub(super) fn note_turn(&mut self) {
        if !self.room.state().time.is_daily() || !self.gate.is_settled() {
            return;
        }
        let state = self.room.state();
        let now = state.running().and_then(turn_of);
        let before = mem::replace(&mut self.turn, now);
        let pushes = &self.context.pushes;
        if before == now || !pushes.is_on() {
            return;
        }
        let Some(game) = &state.game else { return };
        let present = self.present();
        let player = |seat: Seat| named(&game.players[seat]);
        let opponent = |seat: Seat| player(seat.other()).map(|(_, name)| name.clone());
        let room = self.code();
        let to_act = game.to_act().and_then(|seat| Some((seat, player(seat)?, now?)));
        if let Some((seat, (member, _), turn)) = to_act {
            if before.is_some_and(|before| before.number == turn.number) {
                // By time off.
                pushes.note(PushNews::Times { member: member.clone() });
                return;
            }
            pushes.note(PushNews::Turn(Box::new(Turn {
                room: room.clone(),
                member: member.clone(),
                opponent: opponent(seat),
                may_see: present.contains(&member),
                turn,
            })));
        }
        let outcome = game.outcome();
        for seat in Seat::BOTH {
            let away = player(seat).filter(|(member, _)| !present.contains(member));
            let Some((member, _)) = away else { continue };
            let (member, opponent) = (member.clone(), opponent(seat));
            if let Some(Outcome::Time { winner }) = &outcome {
                let (room, won) = (room.clone(), seat == *winner);
                pushes.note(PushNews::TimeUp { room, member, opponent, won });
            } else if let (Some(Outcome::Aborted { by: None }), Some(closing)) =
                (&outcome, &self.closing)
            {
                let (room, why) = (room.clone(), closing.why.clone());
                pushes.note(PushNews::Closed { room, member, opponent, why });
            }
        }
    }

    /// Gives the pages of paired players some time to come, once their first game is stored.
    pub(super) fn await_players(&mut self) {
        if self.context.pushes.is_on() {
            self.players_due = Some(Instant::now() + self.context.limits.push_seen_within);
        }
    }

    /// Once that time is over, tells of the players who have not come. A frozen page does not come, either.
    pub(super) fn call_players(&mut self) {
        if self.players_due.take_if(|due| Instant::now() >= *due).is_none() {
            return;
        }
        let state = self.room.state();
        let Some(game) = state.running() else { return };
        let present = self.present();
        let is_daily = state.time.is_daily();
        for seat in Seat::BOTH {
            let players = (named(&game.players[seat]), named(&game.players[seat.other()]));
            if let (Some((member, _)), Some((_, opponent))) = players
                && !present.contains(&member)
            {
                self.context.pushes.note(PushNews::Found {
                    room: self.code().clone(),
                    member: member.clone(),
                    opponent: opponent.clone(),
                    is_daily,
                    is_turn: is_daily && game.to_act() == Some(seat),
                });
            }
        }
    }

    /// Who is in the room.
    fn present(&self) -> Vec<&MemberId> {
        self.fan_out.inside().filter_map(|session| self.room.member(session)).collect()
    }
}

/// The member who plays, and their name.
fn named(player: &Player) -> Option<(&MemberId, &Name)> {
    match player {
        Player::Member { member, name, .. } => Some((member, name)),
        Player::Bot { .. } => None,
    }
}
