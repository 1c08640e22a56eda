//! A room's public summary, without entering it.

use std::mem;

use super::Room;
use crate::{
    protocol::{Player, RoomSummary, Seats},
    seat::{BySeat, Seat},
};

/// A room as the lobby sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The room in lists.
    pub summary: RoomSummary,
    /// How far it has come.
    pub stage: Stage,
    /// Whether nobody is present.
    pub is_empty: bool,
    /// Whether the room is closed and its task about to end.
    pub is_closed: bool,
}

/// How far a room has come, as far as closing it depends on that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// No game has begun, or it is one against a bot without a move by the person.
    Unplayed,
    /// Two people play, or a person plays a daily game.
    People,
    /// A person plays a bot.
    AgainstBot,
    /// Two bots play.
    Bots,
    /// The game is over.
    Over,
}

impl Room {
    /// The room as lists show it.
    pub fn summary(&self) -> RoomSummary {
        self.summary_with(self.state.seats.clone())
    }

    /// Who played the game that has ended, unless they are those in the seats.
    fn gone_players(&self) -> Option<Box<BySeat<Player>>> {
        let game = self.state.game.as_ref().filter(|game| game.outcome().is_some())?;
        let is_seated = |seat: Seat| {
            let sits = |player: &Player| player.is_same(&game.players[seat]);
            self.state.seats.get(seat).is_some_and(sits)
        };
        let are_seated = Seat::BOTH.into_iter().all(is_seated);
        (!are_seated).then(|| Box::new(game.players.clone()))
    }

    fn summary_with(&self, seats: Seats) -> RoomSummary {
        RoomSummary {
            room: self.code.clone(),
            rules: self.state.rules,
            assistance: self.state.assistance,
            time: self.state.time,
            opening: self.state.opening,
            seats,
            players: self.gone_players(),
            black: self.state.black(),
            to_act: self.state.to_act(),
            due: self.daily_due(),
            turn: self.daily_turn(),
            phase: self.state.phase(),
            ply: self.state.game.as_ref().map_or(0, |game| game.position.ply()),
            spectators: self.presence.spectator_count(&self.state.seats),
        }
    }

    /// When the time of the seat to act is over, in a daily game.
    fn daily_due(&self) -> Option<u64> {
        let ends = || [self.flag_at(), self.first_act_until()].into_iter().flatten().min();
        if self.is_daily() { ends() } else { None }
    }

    /// The number of the turn, in a running daily game.
    fn daily_turn(&self) -> Option<u64> {
        let game = self.state.running().filter(|_| self.is_daily())?;
        Some(game.turn_number())
    }

    /// The room as the lobby sees it.
    pub fn standing(&self) -> Standing {
        self.standing_with(self.state.seats.clone())
    }

    /// Updates an earlier standing, and returns the seats if they have changed. Allocates nothing
    /// during a game if they have not: this runs after every input.
    pub fn update_standing(&self, standing: &mut Standing) -> Option<Seats> {
        let before = mem::take(&mut standing.summary.seats);
        let is_same = before == self.state.seats;
        let (seats, changed) =
            if is_same { (before, None) } else { (self.state.seats.clone(), Some(before)) };
        *standing = self.standing_with(seats);
        changed
    }

    fn standing_with(&self, seats: Seats) -> Standing {
        Standing {
            summary: self.summary_with(seats),
            stage: self.stage(),
            is_empty: self.presence.is_empty(),
            is_closed: self.closed,
        }
    }

    /// How far the room has come.
    pub(super) fn stage(&self) -> Stage {
        let Some(game) = &self.state.game else { return Stage::Unplayed };
        if game.position.outcome().is_some() {
            return Stage::Over;
        }
        if self.is_daily() {
            return Stage::People;
        }
        let bots = Seat::BOTH.into_iter().filter(|&seat| self.bot_in(seat).is_some()).count();
        match bots {
            // A player with an opponent may come back for the first move, too.
            0 => Stage::People,
            _ if game.position.ply() == 0 => Stage::Unplayed,
            1 => Stage::AgainstBot,
            _ => Stage::Bots,
        }
    }
}

/// How little would be lost by closing a room to make place for another: the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Spare {
    /// Nobody is present, and no game is running or none has a move.
    Unused,
    /// Two bots play with nobody present.
    Bots,
    /// A person has left a game against a bot.
    AgainstBot,
    /// The game is over, and somebody is still present.
    Over,
}

impl Standing {
    /// Whether the room could close to make place for another of its creator, and how little would
    /// be lost. A game between people never closes for that, nor a daily game.
    pub fn spare(&self) -> Option<Spare> {
        if self.is_closed {
            return Some(Spare::Unused);
        }
        match (self.stage, self.is_empty) {
            (Stage::Unplayed | Stage::Over, true) => Some(Spare::Unused),
            (Stage::Bots, true) => Some(Spare::Bots),
            (Stage::AgainstBot, true) => Some(Spare::AgainstBot),
            (Stage::Over, false) => Some(Spare::Over),
            (Stage::People, _) | (Stage::Unplayed | Stage::Bots | Stage::AgainstBot, false) => None,
        }
    }

    /// Whether both seats have bots.
    pub fn is_of_bots(&self) -> bool {
        Seat::BOTH
            .into_iter()
            .all(|seat| self.summary.seats.get(seat).is_some_and(|player| player.bot().is_some()))
    }

    /// Whether a game is running.
    pub fn is_running(&self) -> bool {
        self.summary.to_act.is_some()
    }
}
