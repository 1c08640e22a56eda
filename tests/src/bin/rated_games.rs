//! Writes rated games into the data folder of a stopped server, for tests that are not written in Rust.
//!
//! `rated_games FOLDER NAME...`: each account that is named plays 24 games with each other one, on the last
//! 60 days, in standard 15x15 at 5+3, with Black and White by turns. Who is named earlier wins twice of three
//! times.

use std::{env, error::Error, path::Path};

use fivefold_shared::{
    clock::HOUR_MS,
    protocol::{GameId, Name, NumberedEvent, RoomCode},
    record::FinishedGame,
    room::{Entry, RoomState},
};
use fivefold_storage::{Account, Append, DataFolder, Epoch, NodeId, Sqlite, Storage};
use fivefold_tests::{code_letters, unix_ms};
use serde_json::json;

/// Games of each pair, one every so many hours.
const GAMES: u64 = 24;
const HOURS_BETWEEN: u64 = 60;
/// The moves of each game, until somebody resigns.
const MOVES: [[u8; 2]; 8] = [[7, 7], [8, 8], [8, 6], [6, 8], [9, 7], [7, 5], [7, 8], [9, 6]];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let folder = arguments.next().ok_or("usage: rated_games FOLDER NAME...")?;
    let mut storage = Sqlite::open(DataFolder::take(Path::new(&folder))?)?;
    let mut reader = storage.reader()?;
    let mut players = Vec::new();
    for name in arguments {
        let account = reader.account_named(Name::new(&name)?.likeness().as_str())?;
        players.push(account.ok_or_else(|| format!("nobody is called {name}"))?);
    }
    drop(reader);
    let now = unix_ms();
    let mut number = 0;
    for game in 0..GAMES {
        for (place, first) in players.iter().enumerate() {
            for second in &players[place + 1..] {
                let at = now - (GAMES - game) * HOURS_BETWEEN * HOUR_MS + number;
                let winner = if (game + place as u64) % 3 == 2 { "second" } else { "first" };
                let played = rated(number, [first, second], winner, at)?;
                storage.append(&[played])?.remove(0)?;
                number += 1;
            }
        }
    }
    Ok(())
}

/// A public room in which two have played a game that counts.
fn rated(
    number: u64,
    players: [&Account; 2],
    winner: &str,
    at: u64,
) -> Result<Append, Box<dyn Error>> {
    let sat = |seat: &str, player: &Account| {
        let player = json!({"member": player.member, "name": player.name});
        json!({"type": "sat", "seat": seat, "player": player})
    };
    let id = GameId::try_from(code_letters(16, number))?;
    let seats = if number.is_multiple_of(2) { ["first", "second"] } else { ["second", "first"] };
    let moves = MOVES.iter().enumerate();
    let moves = moves.map(|(ply, point)| json!({"type": "played", "ply": ply, "point": point}));
    let begin = [
        json!({"type": "created", "rules": {"variant": "standard", "size": 15}, "black": seats[0],
            "visibility": "public", "assistance": false, "host": players[0].member,
            "time": {"type": "fischer", "main_ms": 300_000, "increment_ms": 3_000}}),
        sat("first", players[0]),
        sat("second", players[1]),
        json!({"type": "started", "game": 1, "black": seats[0], "id": id}),
    ];
    let end = json!({"type": "ended", "outcome": {"reason": "resignation", "winner": winner},
        "rated": true});
    let mut entries = Vec::new();
    for (seq, event) in (1..).zip(begin.into_iter().chain(moves).chain([end])) {
        let event = serde_json::from_value(event)?;
        entries.push(Entry { event: NumberedEvent { seq, at, event }, cause: None });
    }
    let games = RoomState::finished_games(entries.iter().map(|entry| &entry.event))?;
    let games = games.into_iter().map(|game| FinishedGame { id: id.clone(), ..game }).collect();
    let code = RoomCode::try_from(code_letters(12, number))?;
    Ok(Append {
        entries,
        games,
        closes: true,
        ..Append::nothing(code, NodeId::ALONE, Epoch::FIRST)
    })
}
