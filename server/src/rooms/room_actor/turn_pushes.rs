//! Notes for pushes whose turn it has become in a daily game, and who is away when it ends by time.

use std::mem;

use fivefold_shared::{
    protocol::{MemberId, Name, Player},
    rules::Outcome,
    seat::Seat,
};

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
        let present: Vec<&MemberId> =
            self.fan_out.inside().filter_map(|session| self.room.member(session)).collect();
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
        let Some(Outcome::Time { winner }) = game.outcome() else { return };
        for seat in Seat::BOTH {
            if let Some((member, _)) = player(seat).filter(|(member, _)| !present.contains(member))
            {
                pushes.note(PushNews::TimeUp {
                    room: room.clone(),
                    member: member.clone(),
                    opponent: opponent(seat),
                    won: seat == winner,
                });
            }
        }
    }
}

/// The member who plays, and their name.
fn named(player: &Player) -> Option<(&MemberId, &Name)> {
    match player {
        Player::Member { member, name, .. } => Some((member, name)),
        Player::Bot { .. } => None,
    }
}
