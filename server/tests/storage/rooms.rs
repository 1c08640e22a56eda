//! Rooms as the tests store them.

use fivefold_shared::{
    clock::TimeControl,
    protocol::{CommandId, Event, GameId, MemberId, NumberedEvent, ROOM_CODE_ALPHABET, RoomCode},
    record::FinishedGame,
    room::{Cause, Entry, RoomState},
    seat::{BySeat, Seat},
};
use fivefold_storage::{Append, Epoch, NodeId, NowPlaying, Playing};
use serde_json::{Value, json};

/// The room with this number.
pub(crate) fn code(room: u64) -> RoomCode {
    RoomCode::try_from(letters(12, room)).unwrap()
}

/// The id of the game with this number.
pub(crate) fn game_id(game: u64) -> GameId {
    GameId::try_from(letters(16, game)).unwrap()
}

fn letters(length: usize, number: u64) -> String {
    let letters = ROOM_CODE_ALPHABET.len() as u64;
    let mut rest = number;
    let digit = |_| {
        let digit = ROOM_CODE_ALPHABET[usize::try_from(rest % letters).unwrap()];
        rest /= letters;
        char::from(digit)
    };
    (0..length).map(digit).collect()
}

/// The member with this number.
pub(crate) fn member(number: u64) -> MemberId {
    MemberId::try_from(format!("{number:016x}")).unwrap()
}

/// An entry, caused by member 7 if its number is even. So no room is created by a command, and
/// tests may create many alike.
pub(crate) fn entry(seq: u64, event: Value) -> Entry {
    let event: Event = serde_json::from_value(event).unwrap();
    let command = CommandId::try_from(format!("c-{seq}")).unwrap();
    let cause = seq.is_multiple_of(2).then(|| Cause { member: member(7), command });
    Entry { event: NumberedEvent { seq, at: 1_790_000_000_000 + seq, event }, cause }
}

/// The first entries of any room's log: it is made, a game is started, and moves are played along
/// the rows of a large board, where nobody ever wins.
pub(crate) fn log(entries: u64) -> Vec<Entry> {
    (1..=entries).map(|seq| entry(seq, event(seq))).collect()
}

/// The event with this number in such a room.
pub(crate) fn event(seq: u64) -> Value {
    match seq {
        1 => created("public"),
        2 => sat("first", 7, "Ann"),
        3 => sat("second", 8, "Bob"),
        4 => started(),
        _ => {
            let ply = seq - 5;
            // Rows are left out, and colours change every two points.
            let (x, row) = (ply % 32 * 2, ply / 32);
            json!({"type": "played", "ply": ply, "point": [x + row % 2, row * 2]})
        }
    }
}

pub(crate) fn created(visibility: &str) -> Value {
    json!({"type": "created", "rules": {"variant": "freestyle", "size": 64},
        "visibility": visibility, "assistance": false, "host": member(7), "black": "first"})
}

pub(crate) fn sat(seat: &str, number: u64, name: &str) -> Value {
    json!({"type": "sat", "seat": seat, "player": {"member": member(number), "name": name}})
}

pub(crate) fn started() -> Value {
    json!({"type": "started", "game": 1, "black": "first", "id": game_id(1)})
}

/// An append by the first owner, with the games that it ends, the first of which has this number.
pub(crate) fn append(room: u64, entries: Vec<Entry>, first_game: u64) -> Append {
    // Only logs from the beginning end games here.
    let finished = RoomState::finished_games(entries.iter().map(|entry| &entry.event));
    let games = (first_game..)
        .zip(finished.unwrap_or_default())
        .map(|(number, game)| FinishedGame { id: game_id(number), ..game })
        .collect();
    Append { entries, games, ..Append::nothing(code(room), NodeId::ALONE, Epoch::FIRST) }
}

/// A room that is made for these two, who were paired: their game begins.
pub(crate) fn pair(room: u64, [first, second]: [u64; 2]) -> Append {
    let mut entries = resigned("private", first, second);
    entries.truncate(4);
    if let Event::Created { paired, .. } = &mut entries[0].event.event {
        *paired = true;
    }
    Append { playing: these(first, second), ..append(room, entries, 0) }
}

/// The end of that game.
pub(crate) fn end(room: u64, [first, second]: [u64; 2]) -> Append {
    let whole = append(room, resigned("private", first, second), room);
    let entries = whole.entries[4..].to_vec();
    Append { entries, playing: NowPlaying::Nobody, ..whole }
}

/// The next game of the same two, after that end.
pub(crate) fn rematch(room: u64, [first, second]: [u64; 2]) -> Append {
    let started = json!({"type": "started", "game": 2, "black": "second", "id": game_id(2)});
    Append { playing: these(first, second), ..append(room, vec![entry(6, started)], 0) }
}

fn these(first: u64, second: u64) -> NowPlaying {
    NowPlaying::These(Box::new(BySeat { first: member(first), second: member(second) }))
}

/// The place of a player.
pub(crate) fn playing(number: u64, room: u64, seat: Seat) -> Playing {
    Playing { member: member(number), room: code(room), seat }
}

/// The log of a room in which a game of these two is resigned at once.
pub(crate) fn resigned(visibility: &str, first: u64, second: u64) -> Vec<Entry> {
    let outcome = json!({"reason": "resignation", "winner": "second"});
    let ended = json!({"type": "ended", "outcome": outcome});
    let [first, second] = [sat("first", first, "Ann"), sat("second", second, "Bob")];
    let events = [created(visibility), first, second, started(), ended];
    (1..).zip(events).map(|(seq, event)| entry(seq, event)).collect()
}

/// A room in which two have played one game that counts, at this time. It and its game have this number.
pub(crate) fn rated(number: u64, [first, second]: [u64; 2], outcome: Value, at: u64) -> Append {
    rated_in("5+3", number, [first, second], outcome, at)
}

/// The same with another time control.
#[expect(clippy::needless_pass_by_value, reason = "callers make it in place")]
pub(crate) fn rated_in(
    time: &str,
    number: u64,
    [first, second]: [u64; 2],
    outcome: Value,
    at: u64,
) -> Append {
    let seats = [sat("first", first, "Ann"), sat("second", second, "Bob")];
    let end = json!({"type": "ended", "outcome": outcome, "rated": true});
    ended(time, number, seats, (0, end), at)
}

/// How long a game takes here, unless time itself is younger.
pub(crate) const TOOK_MS: u64 = 7;

/// A room in which these have sat down and played one game, which ended like this after so many stones. It
/// and its game have this number.
pub(crate) fn ended(
    time: &str,
    number: u64,
    [first, second]: [Value; 2],
    (stones, ended): (u64, Value),
    at: u64,
) -> Append {
    let time: TimeControl = time.parse().unwrap();
    let mut entries = resigned("public", 1, 2);
    let created = json!({"type": "created", "rules": {"variant": "standard", "size": 15},
        "visibility": "public", "assistance": false, "host": member(7), "black": "first",
        "time": time});
    for (seq, event) in [(1, created), (2, first), (3, second)] {
        entries[usize::try_from(seq).unwrap() - 1] = entry(seq, event);
    }
    entries.truncate(4);
    for ply in 0..stones {
        let played = json!({"type": "played", "ply": ply, "point": [ply, ply % 2 * 7]});
        entries.push(entry(5 + ply, played));
    }
    for entry in &mut entries {
        entry.event.at = at.saturating_sub(TOOK_MS);
    }
    let mut end = entry(5 + stones, ended);
    end.event.at = at;
    entries.push(end);
    append(number, entries, number)
}

/// The outcome of a game that this seat wins.
pub(crate) fn won_by(seat: Seat) -> Value {
    json!({"reason": "resignation", "winner": seat})
}
