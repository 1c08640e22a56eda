//! What a room notes for operators about its rated games: from where the players act, and how they end.
//!
//! It does not know what an operator makes of it.

use fivefold_shared::{
    protocol::{Event, NumberedEvent, Player},
    room::Input,
    rules::Outcome,
    seat::{BySeat, Seat},
};
use fivefold_storage::ModerationChange;
use futures_util::FutureExt;

use super::{
    actor::Actor,
    marks::{EndedGame, Ending},
    route::Route,
};
use crate::thinking::Owner;

impl Actor {
    /// Notes from where a player acts in a rated game, or asks for the next one.
    pub(super) fn note_origin(&mut self, input: &Input, route: &Route) {
        let Input::Command { session, .. } = input else { return };
        let state = self.room.state();
        if state.running().is_some_and(|game| !game.rated) || self.room.rated_players().is_none() {
            return;
        }
        let seat = self.room.member(*session).and_then(|member| state.seats.of_member(member));
        let owner = route.owner();
        if let Some(seat) = seat
            && owner != Owner::UNKNOWN
        {
            let shared = self.context.shared_addresses.get();
            self.marks.note_origin(seat, owner.address(), route.agent(), &shared);
        }
    }

    /// Notes a rated game that ends by an event.
    pub(super) fn note_end(&mut self, event: &NumberedEvent) {
        let Event::Ended { outcome, rated, .. } = &event.event else { return };
        let state = self.room.state();
        let Some(game) = state.game.as_ref().filter(|game| game.rated) else { return };
        let member = |seat: Seat| match state.seats.get(seat) {
            Some(Player::Member { member, .. }) => Some(member.clone()),
            Some(Player::Bot { .. }) | None => None,
        };
        let (Some(first), Some(second)) = (member(Seat::First), member(Seat::Second)) else {
            return;
        };
        let (game, players) = (game.id.clone(), BySeat { first, second });
        let end = if let Outcome::Aborted { by: Some(by) } = outcome {
            Ending::Aborted(*by)
        } else if *rated {
            Ending::Counts
        } else {
            Ending::Other
        };
        self.marks.note_end(&EndedGame { game, players, at: event.at, seq: event.seq }, &end);
    }

    /// Hands the marks of games whose ends are stored to the log writer, if it is not busy; otherwise the
    /// next time.
    pub(super) fn send_marks(&mut self) {
        if self.marks.has_stored()
            && let Some(Ok(permit)) = self.context.log_writer.reserve().now_or_never()
        {
            // A mark that cannot be stored is a hint less.
            drop(permit.moderate(ModerationChange::Mark(self.marks.take_stored())));
        }
    }
}
