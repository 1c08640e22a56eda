//! Tells two turns of a daily game apart.

use fivefold_shared::{
    room::{Game, Room},
    seat::Seat,
};

/// Whose turn it is, and how far the game has come: two turns differ.
pub(super) type TurnKey = (u32, (usize, usize), Seat);

/// The turn of a daily game that is running.
pub(super) fn turn_of(room: &Room) -> Option<TurnKey> {
    let state = room.state();
    let game = state.running().filter(|_| state.time.is_daily())?;
    Some((game.number, game.progress(), game.to_act()?))
}

/// When the time of the player whose turn it is ends, as the room's log has it: no two turns of theirs have the same.
pub(super) fn turn_ends(game: &Game) -> Option<u64> {
    let first_act = game.first_act.map(|act| act.until);
    let flag_at = game.clock.and_then(|clock| clock.flag_at());
    [first_act, flag_at].into_iter().flatten().min()
}
