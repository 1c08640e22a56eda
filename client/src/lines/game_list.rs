//! A person's games in a list: those that are open, and those that have ended.

use std::io::{self, Write};

use fivefold_shared::{
    notation::json::day,
    opening::OpeningKind,
    protocol::{GameSettings, OwnRoom, Phase, Player},
    record::ListedGame,
    seat::Seat,
};

use crate::{
    server::room_link::ServerAddress,
    terminal::output::Output,
    words::{bot_names, lobby_sentences::settings},
};

/// How far an open room has come, in the order in which people look for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum State {
    YourTurn,
    Running,
    OpenSeat,
    Finished,
}

impl State {
    fn of(room: &OwnRoom) -> Self {
        match (room.summary.phase, room.your_turn) {
            (Phase::Running, true) => Self::YourTurn,
            (Phase::Running, false) => Self::Running,
            (Phase::Waiting, _) if room.summary.ply == 0 => Self::OpenSeat,
            // Of a game that has ended, somebody may have left.
            (Phase::Waiting | Phase::Finished, _) => Self::Finished,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::YourTurn => "your turn",
            Self::Running => "running",
            Self::OpenSeat => "open seat",
            Self::Finished => "finished",
        }
    }

    const fn to_open(self) -> &'static str {
        match self {
            Self::YourTurn | Self::Running => "To go on",
            Self::OpenSeat => "To wait there",
            Self::Finished => "To play again",
        }
    }
}

/// Writes a person's rooms to `out`, and under each kind to `talk` the command that opens the first one.
///
/// # Errors
/// When the output cannot be written.
pub fn write_rooms(
    out: &mut Output<impl Write>,
    talk: &mut Output<impl Write>,
    server: &ServerAddress,
    rooms: &[OwnRoom],
) -> io::Result<()> {
    let mut rooms: Vec<&OwnRoom> = rooms.iter().collect();
    rooms.sort_by_key(|room| State::of(room));
    for kind in rooms.chunk_by(|one, other| State::of(one) == State::of(other)) {
        for room in kind {
            writeln!(out, "{}", open(server, room))?;
        }
        let link = server.room_link(&kind[0].summary.room);
        writeln!(talk, "  {}: fivefold join {link}", State::of(kind[0]).to_open())?;
    }
    Ok(())
}

/// Writes the commands that open a finished game.
///
/// # Errors
/// When the output cannot be written.
pub fn write_ways(talk: &mut Output<impl Write>, link: &str) -> io::Result<()> {
    writeln!(talk, "  To see it: fivefold watch {link}")?;
    writeln!(talk, "  To review it: fivefold analyse {link}")
}

/// An open room in one line: whose turn it is, the opponent and the link.
fn open(server: &ServerAddress, room: &OwnRoom) -> String {
    let summary = &room.summary;
    let state = State::of(room);
    let nobody = if state == State::Finished { "a free seat" } else { "nobody yet" };
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
    let state = state.name();
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
        "{}  {result:5}  {players}: {game_settings}, {} moves  {}",
        day(summary.ended_at),
        summary.plies,
        server.game_link(&game.id)
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
        for (room, expected) in &cases {
            assert_eq!(open(&server(), room), *expected);
        }
        // Whatever their order was.
        let rooms: Vec<OwnRoom> = cases.iter().rev().map(|(room, _)| room.clone()).collect();
        let (mut out, mut talk) = (Vec::new(), Vec::new());
        write_rooms(&mut Output::new(&mut out), &mut Output::new(&mut talk), &server(), &rooms)
            .unwrap();
        let out = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = out.lines().collect();
        for (line, begins) in
            lines.iter().zip(["your turn", "running", "open seat", "finished", "finished"])
        {
            assert!(line.starts_with(begins), "{lines:?}");
        }
        let talk = String::from_utf8(talk).unwrap();
        assert_eq!(talk.matches(&format!(": fivefold join {link}\n")).count(), 4, "{talk}");
    }
}
