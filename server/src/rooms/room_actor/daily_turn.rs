//! The turn of a daily game that is running.

use fivefold_shared::room::Game;
use fivefold_storage::DailyTurn;

/// The current turn of either player; nothing once the game has ended.
pub(super) fn turn_of(game: &Game) -> Option<DailyTurn> {
    game.to_act()?;
    let first_act = game.first_act.map(|act| act.until);
    let flag_at = game.clock.and_then(|clock| clock.flag_at());
    Some(DailyTurn {
        number: game.turn_number(),
        flag_at: first_act.into_iter().chain(flag_at).min()?,
    })
}
