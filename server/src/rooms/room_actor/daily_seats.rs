//! Who has a place in a room's daily game, and its position, as the storage keeps them while the room is awake or
//! sleeps.

use fivefold_shared::{
    clock::TimeOff,
    protocol::{MemberId, Phase},
    room::{Game, SessionId},
};
use fivefold_storage::{DailySeat, DailySeats};

use super::{actor::Actor, daily_turn::turn_of};
use crate::rooms::{
    directory::{member_of, seated},
    rated_positions::stored_position,
};

impl Actor {
    /// The places in the game that is running or about to begin; nothing if the room has no daily games.
    pub(super) fn daily_seats(&self) -> Option<DailySeats> {
        let state = self.room.state();
        if !state.time.is_daily() {
            return None;
        }
        let has_host = state.phase() == Phase::Waiting && !state.paired;
        let host = has_host.then_some(&state.host);
        let mut members: Vec<_> = match state.phase() {
            Phase::Waiting | Phase::Running => seated(&state.seats).collect(),
            Phase::Finished => Vec::new(),
        };
        members.extend(host.filter(|host| !members.contains(host)));
        let turn = state.running().and_then(|game| {
            let player = &game.players[game.to_act()?];
            Some((member_of(player)?, turn_of(game)?))
        });
        let clock = state.running().and_then(|game| game.clock);
        let seats = members.into_iter().map(|member| DailySeat {
            member: member.clone(),
            command: (state.paired || *member == state.host).then(|| self.listed.command().clone()),
            turn: turn.filter(|(player, _)| *player == member).map(|(_, turn)| turn),
            off: clock.map(|clock| {
                let off = state.seats.of_member(member).and_then(|seat| clock.off(seat));
                off.unwrap_or(TimeOff::NONE)
            }),
        });
        let rated = state.running().filter(|game: &&Game| game.rated);
        let position = rated.and_then(|game| stored_position(game.position.moves()));
        Some(DailySeats { seats: seats.collect(), position, at: self.context.clock.now() })
    }

    /// The member of a session, if a seat here would be one more place in a daily game for them.
    pub(super) fn needs_place(&self, session: SessionId) -> Option<MemberId> {
        let member = self.room.member(session)?;
        let places = self.daily_seats()?.seats;
        (!places.iter().any(|place| place.member == *member)).then(|| member.clone())
    }
}
