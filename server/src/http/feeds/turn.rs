//! A turn of a daily game, as the calendar and the feed show it.

use fivefold_shared::{
    clock::TimeControl,
    protocol::{Name, OwnRoom, Player, RoomCode},
};

/// A daily game of the account that is running.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    pub(super) room: RoomCode,
    /// A number that no other turn in the room has, in any of its games.
    pub(super) number: u64,
    pub(super) is_own: bool,
    /// When the time of the player to act began, in milliseconds since the Unix epoch; later if they have had time off in
    /// this turn. Absent if the clock does not say.
    pub(super) since: Option<u64>,
    /// When it ends.
    pub(super) due: u64,
    /// Absent if it is a bot.
    pub(super) opponent: Option<Name>,
    /// The room's address; absent if the request does not say to which host it was made.
    pub(super) link: Option<String>,
}

impl Turn {
    /// Nothing if it is no daily game, or the account has no seat.
    pub(super) fn of(own: OwnRoom, link: impl Fn(&RoomCode) -> Option<String>) -> Option<Self> {
        let OwnRoom { summary, seat, your_turn, .. } = own;
        let due = summary.due?;
        let since = match summary.time {
            TimeControl::Daily { move_ms } => due.checked_sub(move_ms),
            TimeControl::None
            | TimeControl::SuddenDeath { .. }
            | TimeControl::Fischer { .. }
            | TimeControl::ByoYomi { .. }
            | TimeControl::PerMove { .. } => None,
        };
        let opponent = match summary.seats.get(seat?.other()) {
            Some(Player::Member { name, .. }) => Some(name.clone()),
            Some(Player::Bot { .. }) | None => None,
        };
        let link = link(&summary.room);
        // A room that has slept since an earlier version has no number. The ply serves as one: real numbers are far
        // larger.
        let number = summary.turn.unwrap_or(summary.ply as u64);
        Some(Self { room: summary.room, number, is_own: your_turn, since, due, opponent, link })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Turns of two games, for the tests of what is written.
    pub(in crate::http::feeds) fn turns() -> [Turn; 2] {
        let room = |code: &str| RoomCode::try_from(code.to_owned()).unwrap();
        let own = Turn {
            room: room("22223333bcde"),
            number: (2 << 40) + 6,
            is_own: true,
            since: Some(1_795_910_400_000),
            due: 1_795_996_800_000,
            opponent: Some(Name::new("Zoë; <b>, \\o/").unwrap()),
            link: Some("https://five.example/r/22223333bcde".to_owned()),
        };
        let other = Turn {
            room: room("22223333bcdf"),
            is_own: false,
            opponent: None,
            since: None,
            ..own.clone()
        };
        [own, other]
    }
}
