//! A finished game, shown as a room in which everything has happened.

use fivefold_shared::{
    clock::TimeControl,
    opening::OpeningKind,
    protocol::{Event, GameId, NumberedEvent},
    record::Record,
    room::{FoldError, RoomState},
    seat::Seat,
};

use crate::play::local_game::LocalGame;

/// The room of a finished game, as somebody sees it who watched.
///
/// # Errors
/// When the record breaks the rules.
pub fn room(record: &Record, id: GameId) -> Result<RoomState, FoldError> {
    let summary = &record.summary;
    let created = Event::Created {
        rules: summary.rules,
        visibility: summary.visibility,
        assistance: false,
        host: LocalGame::member(),
        // The room does not show how long each move took.
        time: TimeControl::None,
        opening: OpeningKind::Free,
        chat: false,
        paired: false,
        black: summary.black,
    };
    let sat = Seat::BOTH.map(|seat| Event::Sat { seat, player: summary.players[seat].clone() });
    let started = Event::Started {
        game: 1,
        black: summary.black,
        id,
        rated: summary.rated,
        casual: None,
        part: None,
    };
    let played = record.moves.iter().enumerate().map(|(ply, made)| Event::Played {
        ply,
        point: made.point,
        assisted: made.assisted,
        time: None,
    });
    let ended = Event::Ended { outcome: summary.outcome.clone(), rated: summary.rated };
    let events = [created].into_iter().chain(sat).chain([started]).chain(played).chain([ended]);
    let log: Vec<_> =
        (1..).zip(events).map(|(seq, event)| NumberedEvent { seq, at: 0, event }).collect();
    RoomState::from_log(&log)
}
