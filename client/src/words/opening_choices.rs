//! Openings for people at a terminal: what a seat is asked, and its choices with their consequences.
//! It knows no protocol: the [`Ask`] says what is open.

use fivefold_shared::{
    opening::{Ask, OpeningKind, Zone},
    room::{Game, RoomState},
    rules::Stone,
};

use crate::{play::perspective::Perspective, words::room_sentences};

/// One of the choices that an ask leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Take this colour.
    Take(Stone),
    /// Put stones.
    Put,
    /// Offer fifth stones.
    Offer,
    /// Select an offered stone.
    Select,
}

/// What the opening of a room's game asks now; `None` without an opening, or after it.
pub fn ask(room: &RoomState) -> Option<Ask> {
    room.running().and_then(Game::ask)
}

/// Whether the move at this ply belongs to the game's opening.
pub fn has_stone(room: &RoomState, ply: usize) -> bool {
    room.game.as_ref().is_some_and(|game| ply < game.opening.stones())
}

/// The choices of an ask. A seat that may put the next stone at once need not keep its colour first.
pub fn choices(room: &RoomState, ask: &Ask) -> Vec<Choice> {
    let held = room.stone_of(ask.seat);
    let takes = [held, held.opponent()].into_iter().filter(|_| ask.take);
    let takes = takes.filter(|&stone| ask.put.len() != 1 || stone != held);
    let mut choices: Vec<Choice> = takes.map(Choice::Take).collect();
    choices.extend((!ask.put.is_empty()).then_some(Choice::Put));
    choices.extend(ask.offer.is_some().then_some(Choice::Offer));
    choices.extend((!ask.select.is_empty()).then_some(Choice::Select));
    choices
}

/// What happens now, such as `Opening: swap2 - Ann places three stones`.
pub fn title(perspective: Perspective<'_>, ask: &Ask) -> String {
    let kind = kind(perspective.room);
    let choices = choices(perspective.room, ask);
    let is_yours = perspective.plays(ask.seat) && !perspective.plays(ask.seat.other());
    let (who, s) = match is_yours {
        true => ("you".to_owned(), ""),
        false => (room_sentences::seat_name(perspective.room, ask.seat), "s"),
    };
    let what = match choices.as_slice() {
        [Choice::Put] => format!("place{s} {}", stones(ask.put.len())),
        [Choice::Offer] => format!("offer{s} {} fifth stones", ask.offer.unwrap_or_default()),
        [Choice::Select] => format!("pick{s} the fifth stone"),
        [Choice::Take(_), Choice::Take(_)] => format!("pick{s} a side"),
        _ => format!("choose{s}"),
    };
    format!("Opening: {kind} - {who} {what}")
}

/// A choice with its consequence, such as `Play Black: Bob places the next stone`.
pub fn sentence(perspective: Perspective<'_>, ask: &Ask, choice: Choice) -> String {
    let room = perspective.room;
    let other = room_sentences::seat_name(room, ask.seat.other());
    match choice {
        Choice::Take(stone) => {
            let verb = match (kind(room), stone == room.stone_of(ask.seat)) {
                (OpeningKind::Swap2, _) => "Play",
                (_, true) => "Keep",
                (_, false) => "Switch to",
            };
            let ply = room.game.as_ref().map_or(0, |game| game.position.ply());
            let is_next = Stone::to_move(ply) == stone;
            let next = if is_next { "you place".to_owned() } else { format!("{other} places") };
            format!("{verb} {stone}: {next} the next stone")
        }
        Choice::Put => match ask.put.as_slice() {
            [zone] if ask.take => {
                format!("Place one fifth stone{}: {other} may then switch", place(*zone))
            }
            _ if ask.take => format!("Place two more stones: {other} then picks a side"),
            put => format!("Place {}", stones(put.len())),
        },
        Choice::Offer => {
            format!("Offer {}: {other} picks one", ask.offer.unwrap_or_default())
        }
        Choice::Select => "Pick one of the offered stones".to_owned(),
    }
}

/// How to type each choice, for people and in the order of [`choices`].
pub fn hints(perspective: Perspective<'_>, ask: &Ask) -> Vec<String> {
    let room = perspective.room;
    let hint = |choice: &Choice| {
        let typed = match choice {
            Choice::Take(stone) => format!("`{}`", stone.to_string().to_lowercase()),
            Choice::Put => {
                let places = ask.put.iter().map(|zone| place(*zone)).collect::<Vec<_>>();
                let places = match places.iter().all(String::is_empty) {
                    true => String::new(),
                    false => format!(" (the stones{})", places.join(", then")),
                };
                let declare = ask.declare.map(|most| {
                    format!(", and `declare N`: Black will offer N fifth stones, 1 to {most}")
                });
                format!(
                    "`{}`{places}{}",
                    SAMPLES[..ask.put.len()].join(" "),
                    declare.unwrap_or_default()
                )
            }
            Choice::Offer => {
                "`offer` and the points, no two of them the same when turned or mirrored".to_owned()
            }
            Choice::Select => format!("one of {}", room_sentences::points(room, &ask.select)),
        };
        format!("{} - type {typed}", sentence(perspective, ask, *choice))
    };
    choices(room, ask).iter().map(hint).collect()
}

/// Points for hints.
const SAMPLES: [&str; 3] = ["h8", "i9", "j10"];

/// Where a stone of this zone may go, in words: ` in the middle 3x3`.
pub fn place(zone: Zone) -> String {
    match zone {
        Zone::Anywhere => String::new(),
        Zone::Within(0) => " in the middle".into(),
        Zone::Within(distance) => format!(" in the middle {0}x{0}", 2 * distance + 1),
        Zone::Beyond(distance) => format!(" outside the middle {0}x{0}", 2 * distance - 1),
    }
}

fn kind(room: &RoomState) -> OpeningKind {
    room.opening
}

const fn stones(count: usize) -> &'static str {
    match count {
        1 => "a stone",
        2 => "two stones",
        _ => "three stones",
    }
}
