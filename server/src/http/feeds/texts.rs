//! What calendars and feeds say, in the languages of the page.

use fivefold_shared::clock::utc;

use super::turn::Turn;
use crate::online::pushes::Language;

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
        match (self, turn.is_own, &turn.opponent) {
            (Self::English, true, Some(name)) => format!("Your move against {name}"),
            (Self::English, true, None) => "Your move".to_owned(),
            (Self::English, false, Some(name)) => format!("{name} is to move"),
            (Self::English, false, None) => "Your opponent’s move".to_owned(),
            (Self::Spanish, true, Some(name)) => format!("Te toca contra {name}"),
            (Self::Spanish, true, None) => "Te toca".to_owned(),
            (Self::Spanish, false, Some(name)) => format!("Le toca a {name}"),
            (Self::Spanish, false, None) => "Le toca al rival".to_owned(),
            (Self::Russian, true, Some(name)) => format!("Ваш ход, соперник: {name}"),
            (Self::Russian, true, None) => "Ваш ход".to_owned(),
            (Self::Russian, false, Some(name)) => format!("Ходит {name}"),
            (Self::Russian, false, None) => "Ходит соперник".to_owned(),
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
