//! The turn of a daily game that is running.

use fivefold_shared::room::Game;
use fivefold_storage::DailyTurn;

/// A number that each turn in a room has for itself. A room's log has less than 2^20 events.
fn number_of(game: &Game) -> u64 {
    let (stones, acts) = game.progress();
    (u64::from(game.number) << 40) + (u64::from(game.takebacks) << 20) + (stones + acts) as u64
}

/// The current turn of either player; nothing once the game has ended.
pub(super) fn turn_of(game: &Game) -> Option<DailyTurn> {
    game.to_act()?;
    let first_act = game.first_act.map(|act| act.until);
    let flag_at = game.clock.and_then(|clock| clock.flag_at());
    Some(DailyTurn {
        number: number_of(game),
        flag_at: first_act.into_iter().chain(flag_at).min()?,
    })
}
