//! Conditional moves in a daily game: what a player replies if the opponent plays what they expect. Nobody else sees
//! them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    protocol::Refusal,
    rules::{Point, Position, Rules},
};

/// The most moves in all lines together, replies included. Moves with which several lines begin count once.
pub const CONDITIONAL_MOVES_MAX: usize = 200;
/// The most moves in all lines together, if each line is written in full. A tree of [`CONDITIONAL_MOVES_MAX`] moves can
/// need 5,100 then: 98 moves, after which it branches into 51 pairs. A single chain can need 10,100, if its beginnings
/// are written as lines, too. Ten times the moves are enough for trees that people plan, such as 91 branches after 18
/// moves, and keep requests and what is stored of them small.
pub const CONDITIONAL_MOVES_WRITTEN_MAX: usize = 2_000;

/// Lines that a player expects, with the replies. On the wire: `{"ply": 6, "lines": [[[7, 8], [8, 9]], [[7, 6], [6,
/// 5]]]}`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConditionalMoves {
    /// How many moves the game has before each line.
    pub ply: usize,
    /// Each line begins with a move of the opponent and ends with a reply. A room plays each reply as soon as the
    /// opponent has made the move before it.
    pub lines: Vec<Vec<Point>>,
}

/// Conditional moves, and the game that they are for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GameConditionalMoves {
    /// Its number in the room.
    pub game: u32,
    /// How many takebacks it had: another one ends the lines.
    pub takebacks: u32,
    /// The moves.
    #[serde(flatten)]
    pub moves: ConditionalMoves,
}

/// What a player has planned in a game, as the server answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConditionalMovesStatus {
    /// The variant and the board.
    pub rules: Rules,
    /// What is left of the lines, at the game's ply.
    #[serde(flatten)]
    pub moves: ConditionalMoves,
}

impl ConditionalMoves {
    /// Checks that the lines can be played from a position in which the opponent is to move.
    ///
    /// # Errors
    /// If they are for another ply, a line ends without a reply or has an illegal move, the same moves have two replies, or
    /// there are too many moves, counted once or in each line.
    pub fn check(&self, position: &Position) -> Result<(), Refusal> {
        let due = position.ply();
        if self.ply != due {
            return Err(Refusal::stale_ply(self.ply, due));
        }
        if self.lines.iter().map(Vec::len).sum::<usize>() > CONDITIONAL_MOVES_WRITTEN_MAX {
            let problem = format!(
                "the lines, each in full, have at most {CONDITIONAL_MOVES_WRITTEN_MAX} moves"
            );
            return Err(Refusal::malformed(problem));
        }
        let mut moves = BTreeSet::new();
        let mut replies = BTreeMap::new();
        for line in &self.lines {
            if line.is_empty() || !line.len().is_multiple_of(2) {
                return Err(Refusal::malformed("a line ends with a reply to the opponent's move"));
            }
            let mut ahead = position.clone();
            for (made, point) in line.iter().enumerate() {
                if moves.insert(&line[..=made]) && moves.len() > CONDITIONAL_MOVES_MAX {
                    let problem = format!("there are at most {CONDITIONAL_MOVES_MAX} moves");
                    return Err(Refusal::malformed(problem));
                }
                let is_reply = !made.is_multiple_of(2);
                if is_reply && replies.insert(&line[..made], point).is_some_and(|one| one != point)
                {
                    return Err(Refusal::malformed("the same moves have two replies"));
                }
                ahead.play(*point)?;
            }
        }
        Ok(())
    }

    /// The reply to the last of these moves of the game, if the game has followed one of the lines.
    pub fn reply(&self, moves: &[Point]) -> Option<Point> {
        let since = moves.get(self.ply..)?;
        let is_own_turn = !since.len().is_multiple_of(2);
        let mut lines = self.lines.iter().filter(|line| is_own_turn && line.starts_with(since));
        lines.find_map(|line| line.get(since.len()).copied())
    }

    /// What is left of the lines after these moves of the game.
    #[must_use]
    pub fn after(&self, moves: &[Point]) -> Self {
        let since = moves.get(self.ply..);
        let rest = |line: &Vec<Point>| match line.strip_prefix(since?)? {
            [] => None,
            rest => Some(rest.to_vec()),
        };
        Self { ply: moves.len(), lines: self.lines.iter().filter_map(rest).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        protocol::Reason,
        rules::{Size, Variant},
    };

    fn points(text: &str) -> Vec<Point> {
        let point = |text: &str| {
            let (x, y) = text.split_once(',').unwrap();
            Point { x: x.parse().unwrap(), y: y.parse().unwrap() }
        };
        text.split_whitespace().map(point).collect()
    }

    fn lines(ply: usize, lines: &[&str]) -> ConditionalMoves {
        ConditionalMoves { ply, lines: lines.iter().map(|line| points(line)).collect() }
    }

    fn empty() -> Position {
        Position::new(Rules::new(Variant::Freestyle, Size::square(15)).unwrap())
    }

    fn position(moves: &str) -> Position {
        let mut position = empty();
        for point in points(moves) {
            position.play(point).unwrap();
        }
        position
    }

    #[test]
    fn lines_are_replies_to_moves_that_can_be_made() {
        let start = "7,7 8,8";
        let reason =
            |lines: &ConditionalMoves| lines.check(&position(start)).err().map(|no| no.reason);
        let cases = [
            (lines(2, &[]), None),
            (lines(2, &["7,8 7,9"]), None),
            (lines(2, &["7,8 7,9", "7,8 7,9 6,6 5,5", "7,6 7,5"]), None),
            (lines(1, &["7,8 7,9"]), Some(Reason::StalePly)),
            (lines(3, &["7,8 7,9"]), Some(Reason::StalePly)),
            (lines(2, &[""]), Some(Reason::Malformed)),
            (lines(2, &["7,8"]), Some(Reason::Malformed)),
            (lines(2, &["7,8 7,9 6,6"]), Some(Reason::Malformed)),
            (lines(2, &["7,8 7,9", "7,8 7,5"]), Some(Reason::Malformed)),
            (lines(2, &["7,7 7,9"]), Some(Reason::Occupied)),
            (lines(2, &["7,9 7,9"]), Some(Reason::Occupied)),
            (lines(2, &["7,9 99,0"]), Some(Reason::Outside)),
        ];
        for (lines, expected) in cases {
            assert_eq!(reason(&lines), expected, "{lines:?}");
        }
        // Nothing is planned after the end of the game.
        let four = position("0,0 9,0 1,0 9,1 2,0 9,2 3,0 9,3 14,14");
        assert!(lines(9, &["9,4 4,0"]).check(&four).is_err());
    }

    #[test]
    fn there_are_so_many_moves() {
        let empty = empty();
        let line =
            |first: i32| vec![Point { x: first % 15, y: first / 15 }, Point { x: 14, y: 14 }];
        let most = i32::try_from(CONDITIONAL_MOVES_MAX / 2).unwrap();
        let mut planned = ConditionalMoves { ply: 0, lines: (0..most).map(line).collect() };
        assert_eq!(planned.check(&empty), Ok(()));
        // Those that are there already do not count again.
        planned.lines.push(line(0));
        assert_eq!(planned.check(&empty), Ok(()));
        planned.lines.push(line(most));
        assert_eq!(planned.check(&empty).unwrap_err().reason, Reason::Malformed);
    }

    #[test]
    fn the_moves_of_lines_written_in_full_are_limited() {
        let pair = points("7,7 8,8");
        let most = CONDITIONAL_MOVES_WRITTEN_MAX / pair.len();
        let mut planned = ConditionalMoves { ply: 0, lines: vec![pair.clone(); most] };
        assert_eq!(planned.check(&empty()), Ok(()));
        planned.lines.push(pair);
        assert_eq!(planned.check(&empty()).unwrap_err().reason, Reason::Malformed);
    }

    #[test]
    fn the_reply_is_known_until_the_opponent_deviates() {
        let planned = lines(2, &["1,0 1,1 2,0 2,1", "1,0 1,1 3,0 3,1", "4,0 4,1"]);
        let start = "7,7 8,8";
        let cases = [
            ("", None),
            ("1,0", Some("1,1")),
            ("4,0", Some("4,1")),
            ("5,0", None),
            ("1,0 1,1", None),
            ("1,0 1,1 3,0", Some("3,1")),
            ("1,0 1,1 3,0 3,1 0,0", None),
            // The player has replied otherwise.
            ("1,0 5,5 2,0", None),
            ("5,0 1,0", None),
        ];
        for (since, expected) in cases {
            let moves = points(&format!("{start} {since}"));
            let expected = expected.map(|text| points(text)[0]);
            assert_eq!(planned.reply(&moves), expected, "{since}");
        }
        assert_eq!(planned.reply(&points("7,7")), None);
    }

    #[test]
    fn what_is_left_is_shown() {
        let planned = lines(2, &["1,0 1,1 2,0 2,1", "1,0 1,1 3,0 3,1", "4,0 4,1"]);
        let after = |since: &str| planned.after(&points(&format!("7,7 8,8 {since}")));
        assert_eq!(after(""), planned);
        assert_eq!(after("1,0"), lines(3, &["1,1 2,0 2,1", "1,1 3,0 3,1"]));
        assert_eq!(after("1,0 1,1"), lines(4, &["2,0 2,1", "3,0 3,1"]));
        assert_eq!(after("4,0 4,1"), lines(4, &[]));
        assert_eq!(after("5,0"), lines(3, &[]));
        assert_eq!(planned.after(&points("7,7")), lines(1, &[]));
    }
}
