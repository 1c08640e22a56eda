//! Sentences about a room for people, the same in every view.

use fivefold_shared::{
    notation::coordinates,
    protocol::Event,
    room::Room,
    rules::{Outcome, Point, Stone},
};

use crate::{place::Place, text::printable};

/// Who plays this colour, such as `Ann (Black)`; `you` is added where that is known.
pub fn player(place: Place<'_>, stone: Stone) -> String {
    let name = seat_name(place.room, stone);
    // With both colours at one keyboard, `you` would say nothing.
    if place.plays(stone) && !place.plays(stone.opponent()) {
        format!("{name} ({stone}, you)")
    } else {
        format!("{name} ({stone})")
    }
}

/// The name at a seat, or that there is none.
pub fn seat_name(room: &Room, stone: Stone) -> String {
    match room.seats.get(stone) {
        Some(player) => printable(&player.name()).into_owned(),
        None => "nobody".into(),
    }
}

/// A list of points, such as `h8 i8 j8`.
pub fn points(room: &Room, points: &[Point]) -> String {
    let size = room.rules.size();
    points.iter().map(|&point| coordinates::format(point, size)).collect::<Vec<_>>().join(" ")
}

/// How a game ended.
pub fn outcome(place: Place<'_>, outcome: &Outcome) -> String {
    let room = place.room;
    let who = |stone| player(place, stone);
    match outcome {
        Outcome::Five { winner, points: line } => {
            format!("{} wins by {}.", who(*winner), points(room, line))
        }
        Outcome::Forbidden { winner, point, kind } => format!(
            "{} wins: only forbidden points are left to Black, such as {} ({kind}).",
            who(*winner),
            points(room, &[*point])
        ),
        Outcome::Resignation { winner } => {
            format!("{} wins: {} resigns.", who(*winner), who(winner.opponent()))
        }
        Outcome::Time { winner } => {
            format!("{} wins: {} has no time left.", who(*winner), who(winner.opponent()))
        }
        Outcome::Agreement => "A draw by agreement.".into(),
        Outcome::FullBoard => "A draw: the board is full.".into(),
        Outcome::LengthLimit => "A draw: the game is as long as it may be.".into(),
    }
}

/// What happened, after it was folded into the table's room.
pub fn event(place: Place<'_>, event: &Event) -> String {
    let who = |stone| player(place, stone);
    match event {
        Event::Created { rules, .. } => format!("The room is made: {rules}."),
        Event::Sat { seat, .. } => format!("{} sits down.", who(*seat)),
        Event::Stood { seat } => format!("{seat}'s seat is open."),
        Event::Renamed { seat, .. } => format!("{seat} is now called {}.", who(*seat)),
        Event::Started { game, .. } => {
            format!("Game {game}: {} against {}.", who(Stone::Black), who(Stone::White))
        }
        Event::Played { ply, point, assisted } => {
            let help = if *assisted { ", chosen by a bot" } else { "" };
            let point = points(place.room, &[*point]);
            format!("{}. {} {point}{help}", ply + 1, Stone::to_move(*ply))
        }
        Event::DrawOffered { by } => format!("{} offers a draw.", who(*by)),
        Event::DrawDeclined { by } => format!("{} declines the draw.", who(*by)),
        Event::TakebackAsked { by } => format!("{} asks to take back.", who(*by)),
        Event::TakebackRefused { by } => format!("{} does not agree to that.", who(*by)),
        Event::TakenBack { ply } => format!("Taken back to move {ply}."),
        Event::Ended { outcome: how } => outcome(place, how),
        Event::RematchAsked { by } => format!("{} wants another game.", who(*by)),
    }
}
