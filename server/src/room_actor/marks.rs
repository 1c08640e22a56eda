//! What a room notes for operators about the players of its rated games: whether both came from one network,
//! and who left before the game began. Neither an address nor the name of a program is stored.
//!
//! It does not know what an operator makes of it.

use std::net::IpAddr;

use fivefold_shared::{
    protocol::{Event, MemberId, NumberedEvent, Player},
    room::Input,
    rules::Outcome,
    seat::{BySeat, Seat},
};
use futures_util::FutureExt;

use super::{actor::Actor, route::Route};
use crate::{
    network::neighbourhood,
    storage::{GameMark, MarkKind, ModerationChange},
    thinking::Owner,
};

/// The digest of a browser or program that does not say what it is.
const UNKNOWN_AGENT: u64 = 0;

/// The marks of a room.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// From where the players of the running game acted last.
    origins: BySeat<Option<Origin>>,
    /// The marks of games whose ends are not stored yet, with the numbers of these events.
    unstored: Vec<(u64, GameMark)>,
    /// The marks that wait for the log writer.
    stored: Vec<GameMark>,
}

/// From where somebody plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Origin {
    network: IpAddr,
    /// A digest of what the browser or program says that it is.
    agent: u64,
}

impl Marks {
    /// The event with this number is stored, and all before it.
    pub(super) fn note_stored(&mut self, seq: u64) {
        self.stored
            .extend(self.unstored.extract_if(.., |(end, _)| *end <= seq).map(|(_, mark)| mark));
    }

    /// What is not stored will not be.
    pub(super) fn forget_unstored(&mut self) {
        self.unstored.clear();
    }
}

impl Actor {
    /// Notes from where a player of the running rated game acts.
    pub(super) fn note_origin(&mut self, input: &Input, route: &Route) {
        let Input::Command { session, .. } = input else { return };
        let state = self.room.state();
        if state.running().is_none_or(|game| !game.rated) {
            return;
        }
        let seat = self.room.member(*session).and_then(|member| state.seats.of_member(member));
        let owner = route.owner();
        if let Some(seat) = seat
            && owner != Owner::UNKNOWN
        {
            let origin = Origin { network: neighbourhood(owner.address()), agent: route.agent() };
            self.marks.origins[seat] = Some(origin);
        }
    }

    /// Notes what there is to note about a rated game that ends by an event.
    pub(super) fn mark_end(&mut self, event: &NumberedEvent) {
        let Event::Ended { outcome, rated, .. } = &event.event else { return };
        let origins = std::mem::take(&mut self.marks.origins);
        let state = self.room.state();
        let Some(game) = state.game.as_ref().filter(|game| game.rated) else { return };
        let member = |seat: Seat| match state.seats.get(seat) {
            Some(Player::Member { member, .. }) => Some(member.clone()),
            Some(Player::Bot { .. }) | None => None,
        };
        let (Some(first), Some(second)) = (member(Seat::First), member(Seat::Second)) else {
            return;
        };
        let players = BySeat { first, second };
        let mark = |seat: Seat, kind| mark(&players, seat, kind);
        let made = if let Outcome::Aborted { by } = outcome {
            vec![mark(*by, MarkKind::Aborted)]
        } else if *rated
            && let (Some(one), Some(other)) = (origins.first, origins.second)
            && one.network == other.network
        {
            let mut kinds = vec![MarkKind::Network];
            let is_same = one.agent == other.agent && one.agent != UNKNOWN_AGENT;
            kinds.extend(is_same.then_some(MarkKind::Device));
            kinds.into_iter().flat_map(|kind| Seat::BOTH.map(|seat| mark(seat, kind))).collect()
        } else {
            Vec::new()
        };
        let (game, at) = (game.id.clone(), event.at);
        let made = made.into_iter().map(|(kind, member, opponent)| {
            (event.seq, GameMark { member, game: game.clone(), kind, opponent, at })
        });
        self.marks.unstored.extend(made);
    }

    /// Hands the marks of games whose ends are stored to the log writer, if it is not busy; otherwise the
    /// next time.
    pub(super) fn send_marks(&mut self) {
        if !self.marks.stored.is_empty()
            && let Some(Ok(permit)) = self.context.log_writer.reserve().now_or_never()
        {
            let marks = std::mem::take(&mut self.marks.stored);
            // A mark that cannot be stored is a hint less.
            drop(permit.moderate(ModerationChange::Mark(marks)));
        }
    }
}

/// A mark of the player in a seat.
fn mark(players: &BySeat<MemberId>, seat: Seat, kind: MarkKind) -> (MarkKind, MemberId, MemberId) {
    (kind, players[seat].clone(), players[seat.other()].clone())
}
