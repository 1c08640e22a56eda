//! A finished game as one value: the part that outlives its room.
//!
//! A [`Recorder`] reads the events of a room and makes a [`Record`] of each game that ends there.
//! It trusts the events; [`Room`](crate::room::Room) checks that they are a room's log.

use serde::{Deserialize, Serialize};

use crate::{
    clock::TimeControl,
    protocol::{Event, GameId, MemberId, NumberedEvent, Player, Seats, Visibility},
    rules::{Outcome, Point, Rules, Stone, moves_of_one_game},
    seat::{BySeat, Seat},
};

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Record {
    /// All but the moves.
    #[serde(flatten)]
    pub summary: GameSummary,
    /// The moves that were on the board at the end, in order; those taken back are left out.
    #[serde(deserialize_with = "moves_of_one_game")]
    pub moves: Vec<RecordedMove>,
}

/// A finished game without its moves, for lists.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GameSummary {
    /// The variant and the board.
    pub rules: Rules,
    /// Whether the game is listed, as its room was.
    pub visibility: Visibility,
    /// The players.
    #[serde(flatten)]
    pub players: BySeat<Player>,
    /// The seat that had Black at the end.
    pub black: Seat,
    /// When it began, in milliseconds since the Unix epoch.
    pub started_at: u64,
    /// When it ended, in milliseconds since the Unix epoch.
    pub ended_at: u64,
    /// How much time the players had; none also in records of servers that did not keep it.
    #[serde(default, skip_serializing_if = "TimeControl::is_none")]
    pub time: TimeControl,
    /// The number of moves.
    pub plies: usize,
    /// How it ended.
    pub outcome: Outcome<Seat>,
}

impl GameSummary {
    /// Whether this member played.
    pub fn has_player(&self, member: &MemberId) -> bool {
        Seat::BOTH.into_iter().any(|seat| self.players[seat].is_member(member))
    }

    /// The player of this stone at the end.
    pub fn player(&self, stone: Stone) -> &Player {
        &self.players[Seat::with_stone(stone, self.black)]
    }

    /// How it ended, and for which stone.
    pub fn outcome_by_stone(&self) -> Outcome {
        self.outcome.map(|seat| seat.stone(self.black))
    }
}

/// One move of a finished game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RecordedMove {
    /// The point.
    pub point: Point,
    /// The time, in milliseconds since the Unix epoch.
    pub at: u64,
    /// Whether a bot chose it on behalf of a person.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assisted: bool,
}

/// A finished game with its id, as the server sends it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FinishedGame {
    /// The id. Anyone who knows it may see the game, listed or not.
    pub id: GameId,
    /// The game.
    #[serde(flatten)]
    pub record: Record,
}

/// Part of the list of finished games, newest first.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GameList {
    /// The games.
    pub games: Vec<ListedGame>,
    /// The value of `before` for the next page; absent at the end of the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

/// A finished game in a list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ListedGame {
    /// The id under which the moves are found.
    pub id: GameId,
    /// The game without its moves.
    #[serde(flatten)]
    pub summary: GameSummary,
}

/// Makes records of a room's games from its events.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// The room's settings.
    room: Option<(Rules, Visibility, TimeControl)>,
    seats: Seats,
    running: Option<Draft>,
}

/// A game that has not ended.
#[derive(Clone, Debug)]
struct Draft {
    id: Option<GameId>,
    black: Seat,
    started_at: u64,
    moves: Vec<RecordedMove>,
}

impl Recorder {
    /// Reads the room's next event. Returns the record of the game that it ends, if any, with the
    /// id that the room gave it.
    pub fn read(&mut self, next: &NumberedEvent) -> Option<(Option<GameId>, Record)> {
        let at = next.at;
        match &next.event {
            Event::Created { rules, visibility, time, .. } => {
                self.room = Some((*rules, *visibility, *time));
            }
            Event::Sat { seat, player } => self.seats[*seat] = Some(player.clone()),
            Event::Stood { seat } => self.seats[*seat] = None,
            Event::Started { black, id, .. } => {
                let (id, black) = (id.clone(), *black);
                self.running = Some(Draft { id, black, started_at: at, moves: Vec::new() });
            }
            Event::Played { point, assisted, .. } => {
                if let Some(draft) = &mut self.running {
                    draft.moves.push(RecordedMove { point: *point, at, assisted: *assisted });
                }
            }
            Event::TakenBack { ply } => {
                if let Some(draft) = &mut self.running {
                    draft.moves.truncate(*ply);
                }
            }
            Event::Renamed { seat, name } => {
                if let Some(Player::Member { name: old, .. }) = &mut self.seats[*seat] {
                    *old = name.clone();
                }
            }
            Event::Ended { outcome } => {
                let (room, draft) = (self.room?, self.running.take()?);
                let players =
                    BySeat { first: self.seats.first.clone()?, second: self.seats.second.clone()? };
                return Some(draft.end(room, players, at, outcome));
            }
            Event::DrawOffered { .. }
            | Event::DrawDeclined { .. }
            | Event::TakebackAsked { .. }
            | Event::TakebackRefused { .. }
            | Event::Resumed { .. }
            | Event::RematchAsked { .. }
            | Event::ChatSet { .. } => {}
        }
        None
    }
}

impl Draft {
    fn end(
        self,
        (rules, visibility, time): (Rules, Visibility, TimeControl),
        players: BySeat<Player>,
        at: u64,
        outcome: &Outcome<Seat>,
    ) -> (Option<GameId>, Record) {
        let Self { id, black, started_at, moves } = self;
        let summary = GameSummary {
            rules,
            visibility,
            players,
            black,
            started_at,
            ended_at: at,
            time,
            plies: moves.len(),
            outcome: outcome.clone(),
        };
        (id, Record { summary, moves })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records the games of a room with two members: one event a line, at 1000, 1001, ...
    fn record(events: &str) -> Vec<Record> {
        let opening = r#"
            {"type": "created", "rules": {"variant": "standard", "size": 15},
             "visibility": "public", "assistance": false, "host": "00000000000000aa",
             "time": {"type": "per_move", "move_ms": 30000}, "black": "first"}
            {"type": "sat", "seat": "first",
             "player": {"member": "00000000000000aa", "name": "Ann"}}
            {"type": "sat", "seat": "second",
             "player": {"member": "00000000000000bb", "name": "Bob"}}
            {"type": "started", "game": 1, "black": "second"}"#;
        let log = format!("{opening}\n{events}");
        let log = serde_json::Deserializer::from_str(&log).into_iter::<Event>();
        let mut recorder = Recorder::default();
        (1..)
            .zip(log)
            .filter_map(|(seq, event)| {
                recorder.read(&NumberedEvent { seq, at: 997 + seq, event: event.unwrap() })
            })
            .map(|(_, record)| record)
            .collect()
    }

    #[test]
    fn a_record_holds_the_moves_that_stayed() {
        let records = record(
            r#"{"type": "played", "ply": 0, "point": [7, 7]}
               {"type": "played", "ply": 1, "point": [8, 7]}
               {"type": "taken_back", "ply": 1}
               {"type": "played", "ply": 1, "point": [8, 8], "assisted": true}
               {"type": "renamed", "seat": "second", "name": "Bert"}
               {"type": "ended", "outcome": {"reason": "resignation", "winner": "first"}}
               {"type": "rematch_asked", "by": "first"}"#,
        );
        let [record] = &records[..] else { panic!("one game: {records:?}") };
        let moves = [
            RecordedMove { point: Point::new(7, 7), at: 1002, assisted: false },
            RecordedMove { point: Point::new(8, 8), at: 1005, assisted: true },
        ];
        assert_eq!(record.moves, moves);
        let summary = &record.summary;
        assert_eq!((summary.plies, summary.started_at, summary.ended_at), (2, 1001, 1007));
        let names = Seat::BOTH.map(|seat| summary.players[seat].name());
        assert_eq!(names, ["Ann", "Bert"]);
        assert_eq!(summary.outcome, Outcome::Resignation { winner: Seat::First });
        assert_eq!(Stone::BOTH.map(|stone| summary.player(stone).name()), ["Bert", "Ann"]);
        assert_eq!(summary.outcome_by_stone(), Outcome::Resignation { winner: Stone::White });
        assert_eq!(summary.time, TimeControl::PerMove { move_ms: 30_000 });
    }

    #[test]
    fn only_games_that_end_are_recorded() {
        assert_eq!(record(r#"{"type": "played", "ply": 0, "point": [7, 7]}"#), []);
        let twice = r#"{"type": "ended", "outcome": {"reason": "agreement"}}
                       {"type": "ended", "outcome": {"reason": "agreement"}}"#;
        assert_eq!(record(twice).len(), 1);
    }
}
