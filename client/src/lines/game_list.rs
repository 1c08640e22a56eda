//! A person's games in a list: those that are open, and those that have ended.

use fivefold_shared::{
    notation::json::day,
    opening::OpeningKind,
    protocol::{GameSettings, OwnRoom, Phase, Player},
    record::ListedGame,
    seat::Seat,
};

use crate::{
    server::room_link::ServerAddress,
    words::{bot_names, lobby_sentences::settings},
};

/// An open room in one line: whose turn it is, the opponent and the link.
pub fn open(server: &ServerAddress, room: &OwnRoom) -> String {
    let summary = &room.summary;
    let state = match (summary.phase, room.your_turn) {
        (Phase::Running, true) => "your turn",
        (Phase::Running, false) => "running",
        (Phase::Waiting, _) if summary.ply == 0 => "open seat",
        // Of a game that has ended, somebody may have left.
        (Phase::Waiting | Phase::Finished, _) => "finished",
    };
    let nobody = if state == "finished" { "a free seat" } else { "nobody yet" };
    let name = |player| name(player, nobody);
    let players = match room.seat {
        Some(seat) => format!("against {}", name(summary.seats.get(seat.other()))),
        None => {
            let [first, second] = Seat::BOTH.map(|seat| name(summary.seats.get(seat)));
            format!("{first} against {second}")
        }
    };
    let game = settings(&GameSettings {
        rules: summary.rules,
        time: summary.time,
        opening: summary.opening,
        rated: false,
    });
    let moves = match summary.phase {
        Phase::Running => format!(", move {}", summary.ply + 1),
        Phase::Waiting | Phase::Finished => String::new(),
    };
    format!("{state:9}  {players}: {game}{moves}  {}", server.room_link(&summary.room))
}

/// A finished game in one line, as the player in this seat or somebody else sees it.
pub fn finished(server: &ServerAddress, seat: Option<Seat>, game: &ListedGame) -> String {
    let summary = &game.summary;
    let (result, players) = match seat {
        Some(seat) => {
            let result = match summary.outcome.winner() {
                Some(winner) if winner == seat => "won",
                Some(_) => "lost",
                None => "drawn",
            };
            (result, format!("against {}", name(Some(&summary.players[seat.other()]), "")))
        }
        None => {
            let [first, second] = Seat::BOTH.map(|seat| name(Some(&summary.players[seat]), ""));
            ("ended", format!("{first} against {second}"))
        }
    };
    let opening = summary.opening.as_ref().map_or(OpeningKind::Free, |opening| opening.kind);
    let rules = summary.rules;
    let game_settings =
        settings(&GameSettings { rules, time: summary.time, opening, rated: summary.rated });
    format!(
        "{}  {result:5}  {players}: {game_settings}, {} moves  {server}/game/{}",
        day(summary.ended_at),
        summary.plies,
        game.id
    )
}

fn name(player: Option<&Player>, nobody: &str) -> String {
    player.map_or_else(|| nobody.to_owned(), bot_names::player)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn server() -> ServerAddress {
        "http://127.0.0.1:8080".parse().unwrap()
    }

    #[test]
    fn open_games_say_what_to_do() {
        let ann = json!({"member": "aaaaaaaaaaaaaaaa", "name": "Ann"});
        let bob = json!({"member": "bbbbbbbbbbbbbbbb", "name": "Bob"});
        let rules = serde_json::to_value(fivefold_shared::rules::Rules::TIC_TAC_TOE).unwrap();
        let room = |phase: &str, second, seat, your_turn| -> OwnRoom {
            let (phase, ply) = if phase == "left" { ("waiting", 9) } else { (phase, 4) };
            let ply = if (phase, ply) == ("waiting", 4) { 0 } else { ply };
            serde_json::from_value(json!({
                "room": "k7m2qpxw9abc", "rules": rules, "assistance": false,
                "seats": {"first": ann, "second": second}, "black": "first", "phase": phase,
                "ply": ply, "spectators": 0, "visibility": "private", "seat": seat,
                "your_turn": your_turn, "host": true,
            }))
            .unwrap()
        };
        let link = "http://127.0.0.1:8080/r/k7m2qpxw9abc";
        let cases = [
            (
                room("running", bob.clone(), json!("first"), true),
                format!("your turn  against Bob: tic-tac-toe, no clock, move 5  {link}"),
            ),
            (
                room("running", bob.clone(), json!("second"), false),
                format!("running    against Ann: tic-tac-toe, no clock, move 5  {link}"),
            ),
            (
                room("waiting", json!(null), json!("first"), false),
                format!("open seat  against nobody yet: tic-tac-toe, no clock  {link}"),
            ),
            (
                room("left", json!(null), json!("first"), false),
                format!("finished   against a free seat: tic-tac-toe, no clock  {link}"),
            ),
            (
                room("finished", bob, json!(null), false),
                format!("finished   Ann against Bob: tic-tac-toe, no clock  {link}"),
            ),
        ];
        for (room, expected) in cases {
            assert_eq!(open(&server(), &room), expected);
        }
    }
}
