//! A person's games in a list: those that are open, and those that have ended.

use std::io::{self, Write};

use fivefold_shared::{
    clock::day,
    opening::OpeningKind,
    protocol::{GameSettings, MemberId, OwnRoom, Phase, Player},
    record::ListedGame,
    seat::Seat,
};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::{
    terminal::output::Output,
    words::{bot_names, lobby_sentences::settings, room_sentences},
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
            (Phase::Waiting, _) if room.summary.ply == 0 && room.summary.players.is_none() => {
                Self::OpenSeat
            }
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

/// For whom and how a list is written.
#[derive(Clone, Copy, Debug)]
pub struct ListView<'a> {
    /// The person whose games they are.
    pub you: &'a MemberId,
    /// The width of the terminal, where no row takes a second line; none for files and programs.
    pub columns: Option<usize>,
    /// The server's time, in milliseconds since the Unix epoch.
    pub now: u64,
}

/// Writes a person's rooms to `out`, and under each kind to `talk` the command that opens the first one.
///
/// # Errors
/// When the output cannot be written.
pub fn write_rooms(
    out: &mut Output<impl Write>,
    talk: &mut Output<impl Write>,
    view: ListView<'_>,
    rooms: &[OwnRoom],
) -> io::Result<()> {
    let mut rooms: Vec<&OwnRoom> = rooms.iter().collect();
    rooms.sort_by_key(|room| State::of(room));
    for kind in rooms.chunk_by(|one, other| State::of(one) == State::of(other)) {
        for room in kind {
            writeln!(out, "{}", row(&open(view, room), view.columns))?;
        }
        let code = &kind[0].summary.room;
        writeln!(talk, "  {}: fivefold join {code}", State::of(kind[0]).to_open())?;
    }
    Ok(())
}

/// Writes a person's finished games to `out`, and to `talk` the commands that open the first one.
///
/// # Errors
/// When the output cannot be written.
pub fn write_finished(
    out: &mut Output<impl Write>,
    talk: &mut Output<impl Write>,
    view: ListView<'_>,
    games: &[ListedGame],
) -> io::Result<()> {
    for game in games {
        let seat = game.summary.seat_of(view.you);
        writeln!(out, "{}", row(&finished(seat, game), view.columns))?;
    }
    games.first().map_or(Ok(()), |game| write_ways(talk, game.id.as_str()))
}

/// A row that takes no second line of a terminal with so many columns. Codes and ids come first, so none
/// is cut.
pub fn row(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns.filter(|columns| text.width() > *columns) else {
        return text.to_owned();
    };
    let mut used = 0;
    let fits = |letter: &char| {
        used += letter.width().unwrap_or(0);
        used + 2 <= columns
    };
    text.chars().take_while(fits).chain("..".chars()).collect()
}

/// Writes the commands that open a finished game, by its id or its link.
///
/// # Errors
/// When the output cannot be written.
pub fn write_ways(talk: &mut Output<impl Write>, game: &str) -> io::Result<()> {
    writeln!(talk, "  To see it: fivefold watch {game}")?;
    writeln!(talk, "  To review it: fivefold analyse {game}")
}

/// How much time this person has left for their move in a daily game, such as `, 4 h 12 min left`; empty otherwise.
pub fn time_left(room: &OwnRoom, now: u64) -> String {
    match room.summary.due.filter(|_| room.your_turn) {
        Some(due) => format!(", {} left", room_sentences::span(due.saturating_sub(now))),
        None => String::new(),
    }
}

/// An open room in one line: its code, whose turn it is, the players and the time that is left.
fn open(ListView { you, now, .. }: ListView<'_>, room: &OwnRoom) -> String {
    let summary = &room.summary;
    let state = State::of(room);
    let nobody = if state == State::Finished { "somebody who has left" } else { "nobody yet" };
    let of = |seat: Seat| match &summary.players {
        Some(players) => Some(&players[seat]),
        None => summary.seats.get(seat),
    };
    let is_you = |seat: &Seat| of(*seat).is_some_and(|player| player.is_member(you));
    let name = |seat| name(of(seat), nobody);
    let players = match Seat::BOTH.into_iter().find(is_you) {
        Some(seat) => format!("against {}", name(seat.other())),
        None => {
            let [first, second] = Seat::BOTH.map(name);
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
    // Before the game, because the end of a long row is cut off.
    let left = time_left(room, now);
    format!("{}  {:9}  {players}{left}: {game}{moves}", summary.room, state.name())
}

/// A finished game in one line, as the player in this seat or somebody else sees it.
pub fn finished(seat: Option<Seat>, game: &ListedGame) -> String {
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
    let (id, day, plies) = (&game.id, day(summary.ended_at), summary.plies);
    format!("{id}  {day}  {result:5}  {players}: {plies} moves, {game_settings}")
}

fn name(player: Option<&Player>, nobody: &str) -> String {
    player.map_or_else(|| nobody.to_owned(), bot_names::player)
}

#[cfg(test)]
mod tests {
    use fivefold_shared::clock::TimeControl;
    use serde_json::{Value, json};

    use super::*;

    const CODE: &str = "k7m2qpxw9abc";
    const NOW: u64 = 1_800_000_000_000;

    fn you() -> MemberId {
        "aaaaaaaaaaaaaaaa".to_owned().try_into().unwrap()
    }

    fn bob() -> Value {
        json!({"member": "bbbbbbbbbbbbbbbb", "name": "Bob"})
    }

    fn room(phase: &str, second: &Value, your_turn: bool) -> OwnRoom {
        let ann = json!({"member": "aaaaaaaaaaaaaaaa", "name": "Ann"});
        let rules = serde_json::to_value(fivefold_shared::rules::Rules::TIC_TAC_TOE).unwrap();
        let (phase, ply) = if phase == "left" { ("waiting", 9) } else { (phase, 4) };
        let ply = if (phase, ply) == ("waiting", 4) { 0 } else { ply };
        let players =
            (phase == "waiting" && ply == 9).then(|| json!({"first": ann, "second": bob()}));
        serde_json::from_value(json!({
            "room": CODE, "players": players, "rules": rules, "assistance": false,
            "seats": {"first": ann, "second": second}, "black": "first", "phase": phase,
            "ply": ply, "spectators": 0, "visibility": "private", "seat": "first",
            "your_turn": your_turn, "host": true,
        }))
        .unwrap()
    }

    #[test]
    fn a_daily_game_on_your_turn_says_how_much_time_is_left() {
        let view = ListView { you: &you(), columns: None, now: NOW };
        let row = |your_turn, left_ms| {
            let mut room = room("running", &bob(), your_turn);
            room.summary.time = TimeControl::Daily { move_ms: 86_400_000 };
            room.summary.due = Some(NOW.saturating_add_signed(left_ms));
            open(view, &room)
        };
        for (left_ms, left) in [
            (86_400_000, "1 d 0 h"),
            (86_399_999, "23 h 59 min"),
            (3_599_999, "59 min"),
            (600_000, "10 min"),
            (599_000, "599 s"),
            (-1, "0 s"),
        ] {
            assert_eq!(
                row(true, left_ms),
                format!("{CODE}  your turn  against Bob, {left} left: tic-tac-toe, 1d, move 5")
            );
        }
        assert_eq!(
            row(false, 600_000),
            format!("{CODE}  running    against Bob: tic-tac-toe, 1d, move 5")
        );
    }

    #[test]
    fn open_games_say_what_to_do() {
        let you = you();
        let view = |columns| ListView { you: &you, columns, now: NOW };
        let cases = [
            (
                room("running", &bob(), true),
                "your turn  against Bob: tic-tac-toe, no clock, move 5",
            ),
            (
                room("running", &bob(), false),
                "running    against Bob: tic-tac-toe, no clock, move 5",
            ),
            (
                room("waiting", &Value::Null, false),
                "open seat  against nobody yet: tic-tac-toe, no clock",
            ),
            (room("left", &Value::Null, false), "finished   against Bob: tic-tac-toe, no clock"),
            (room("finished", &bob(), false), "finished   against Bob: tic-tac-toe, no clock"),
        ];
        for (room, expected) in &cases {
            assert_eq!(open(view(None), room), format!("{CODE}  {expected}"));
        }
        // Whatever their order was.
        let rooms: Vec<OwnRoom> = cases.iter().rev().map(|(room, _)| room.clone()).collect();
        let (mut out, mut talk) = (Vec::new(), Vec::new());
        let view = view(Some(40));
        write_rooms(&mut Output::new(&mut out), &mut Output::new(&mut talk), view, &rooms).unwrap();
        let out = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = out.lines().collect();
        for (line, begins) in
            lines.iter().zip(["your turn", "running", "open seat", "finished", "finished"])
        {
            assert!(line.starts_with(&format!("{CODE}  {begins}")), "{lines:?}");
            assert!(line.len() == 40 && line.ends_with(".."), "{lines:?}");
        }
        let talk = String::from_utf8(talk).unwrap();
        assert_eq!(talk.matches(&format!(": fivefold join {CODE}\n")).count(), 4, "{talk}");
    }
}
