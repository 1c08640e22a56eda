//! How the games of two players count: whole, less, or not at all, so that two who agree cannot collect
//! rating points from each other.
//!
//! The server knows what the two have played elsewhere and from where they come ([`Dealings`]). A room
//! that is not given that uses what its own last game shows.

use std::num::NonZeroU32;

use crate::protocol::WhyCasual;

/// How a game of two players counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    /// Whether it is rated.
    pub rated: bool,
    /// Why it is not, though both players may play rated games.
    pub casual: Option<WhyCasual>,
    /// The divisor of a rated game that does not count whole.
    pub part: Option<NonZeroU32>,
}

impl Terms {
    /// Of two who do not play for ratings.
    pub const CASUAL: Self = Self { rated: false, casual: None, part: None };

    /// Of two who play for ratings, by what is known of them.
    pub fn of(dealings: Dealings) -> Self {
        let Dealings { one_place, short_game, games_today } = dealings;
        let casual = if one_place {
            Some(WhyCasual::OnePlace)
        } else {
            short_game.then_some(WhyCasual::ShortGame)
        };
        let part = NonZeroU32::new(games_today.saturating_add(1)).filter(|part| part.get() > 1);
        Self { rated: casual.is_none(), casual, part: part.filter(|_| casual.is_none()) }
    }
}

/// What two players have had to do with each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dealings {
    /// Whether both accounts were used on one device, or at one address within the hour.
    pub one_place: bool,
    /// Whether the last game that each of them played for ratings was with the other, and short.
    pub short_game: bool,
    /// How many games of theirs have changed their ratings on this day (UTC).
    pub games_today: u32,
}
