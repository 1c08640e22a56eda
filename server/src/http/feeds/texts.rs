//! What calendars and feeds say, in the languages of the page.

use fivefold_shared::{clock::utc, protocol::Name};

use super::turn::Turn;
use crate::online::language::Language;

impl Language {
    /// The name of the calendar and of the feed.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::English => "Fivefold: daily games",
            Self::Spanish => "Fivefold: partidas diarias",
            Self::Russian => "Fivefold: заочные партии",
        }
    }

    /// Whose move it is.
    pub(super) fn turn(self, turn: &Turn) -> String {
        let opponent = turn.opponent.as_ref().map(Name::as_str);
        match (self, opponent) {
            _ if turn.is_own => self.own_turn(opponent),
            (Self::English, Some(name)) => format!("{name} is to move"),
            (Self::English, None) => "Your opponent’s move".to_owned(),
            (Self::Spanish, Some(name)) => format!("Le toca a {name}"),
            (Self::Spanish, None) => "Le toca al rival".to_owned(),
            (Self::Russian, Some(name)) => format!("Ходит {name}"),
            (Self::Russian, None) => "Ходит соперник".to_owned(),
        }
    }

    /// When the time for a move ends, in milliseconds since the Unix epoch.
    pub(super) fn ends(self, due: u64) -> String {
        // 2026-11-30T12:34:56Z
        let time = utc(due);
        let (day, minute) = (&time[..10], &time[11..16]);
        match self {
            Self::English => format!("The time ends {day} {minute} UTC."),
            Self::Spanish => format!("El tiempo termina el {day} a las {minute} UTC."),
            Self::Russian => format!("Время истекает {day} в {minute} UTC."),
        }
    }
}
