//! The names of players whose account is deleted, in the games that stay. It does not know where games are
//! stored.
//!
//! A stored game keeps the names that its players had. Readers replace them, so that deleting an account
//! need not rewrite all its games.

use std::collections::BTreeSet;

use fivefold_shared::{
    protocol::{MemberId, Name, Player},
    record::GameSummary,
    seat::Seat,
};

use super::accounts::DELETED_NAME;

/// The members who played these games.
pub(super) fn players<'g>(games: impl Iterator<Item = &'g GameSummary>) -> BTreeSet<MemberId> {
    let of_game = |game: &'g GameSummary| {
        Seat::BOTH.into_iter().filter_map(|seat| match &game.players[seat] {
            Player::Member { member, .. } => Some(member.clone()),
            Player::Bot { .. } => None,
        })
    };
    games.flat_map(of_game).collect()
}

/// Replaces the names of players who have deleted their account.
pub(super) fn hide(game: &mut GameSummary, deleted: &BTreeSet<MemberId>) {
    for seat in Seat::BOTH {
        match &mut game.players[seat] {
            Player::Member { member, name, .. } if deleted.contains(member) => {
                *name = Name::new(DELETED_NAME).expect("it is a name");
            }
            Player::Member { .. } | Player::Bot { .. } => {}
        }
    }
}
