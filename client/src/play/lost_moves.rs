//! Counts the moves that are gone after the server was restored from an older backup.

use fivefold_shared::{protocol::Snapshot, room::RoomState};

/// How many moves of the known game are gone from the server's room; `None` if the server has everything
/// that this program knows. With `contradicts` its log has another event in place of a known one.
pub(crate) fn moves_gone(known: &RoomState, server: &Snapshot, contradicts: bool) -> Option<usize> {
    if server.seq >= known.seq && !contradicts {
        return None;
    }
    let Some(game) = &known.game else { return Some(0) };
    let moves = game.position.moves();
    let same = server.game.as_ref().filter(|other| other.id == game.id);
    let kept = same.map_or(0, |other| {
        moves.iter().zip(&other.moves).take_while(|(one, other)| one == other).count()
    });
    Some(moves.len() - kept)
}

/// Says so.
pub(crate) fn sentence(moves: usize) -> String {
    match moves {
        0 => "The server was restored; what happened last is gone.".to_owned(),
        1 => "The server was restored; the last move is gone.".to_owned(),
        count => format!("The server was restored; the last {count} moves are gone."),
    }
}
