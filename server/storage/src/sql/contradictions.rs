//! The kinds of rows that contradict others, of all tables that have any.

use super::{daily_seats, sleeping_rooms};
use crate::{
    accounts::{self, collections, email, friends, notes, pushes, time_off},
    contradiction::Contradiction,
    moderation,
};

/// All kinds, in the order in which a check tells them.
pub(crate) fn all() -> impl Iterator<Item = &'static Contradiction> {
    let accounts = accounts::CONTRADICTIONS
        .iter()
        .chain(&email::CONTRADICTIONS)
        .chain(&friends::CONTRADICTIONS)
        .chain(&notes::CONTRADICTIONS)
        .chain(&time_off::CONTRADICTIONS)
        .chain(&collections::CONTRADICTIONS)
        .chain(&pushes::CONTRADICTIONS);
    let rooms = sleeping_rooms::CONTRADICTIONS.iter().chain(&daily_seats::CONTRADICTIONS);
    accounts.chain(&moderation::CONTRADICTIONS).chain(rooms)
}
