//! The lines that a person looks for first: own ones that one stone completes, and the opponent's
//! that become a five or an open four.

use fivefold_shared::rules::{Axis, Point, Position, Stone};

/// What a line threatens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ThreatKind {
    /// The side to move completes a winning run.
    OwnFive,
    /// The opponent would.
    Four,
    /// The opponent would make a four with both ends open.
    OpenThree,
}

/// Stones on a line that threaten something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LineThreat {
    pub(super) kind: ThreatKind,
    pub(super) axis: Axis,
    /// In the order of the axis.
    pub(super) stones: Vec<Point>,
    /// The empty points that complete the line or stop it.
    pub(super) answers: Vec<Point>,
    /// How many turns of the side to move have passed since its last stone came.
    pub(super) turns_ago: usize,
}

impl LineThreat {
    /// Whether there is a gap between the stones.
    pub(super) fn is_split(&self) -> bool {
        let [first, .., last] = self.stones.as_slice() else { return false };
        first.distance(*last) as usize >= self.stones.len()
    }

    /// Whether it runs across rows and columns.
    pub(super) const fn is_diagonal(&self) -> bool {
        match self.axis {
            Axis::Falling | Axis::Rising => true,
            Axis::Horizontal | Axis::Vertical => false,
        }
    }

    /// How far it is from the last stone of either colour, in the longer of the two coordinates.
    pub(super) fn distance(&self, position: &Position) -> u32 {
        let last = position.moves().iter().rev().take(2);
        let distances = last.flat_map(|last| self.stones.iter().map(|stone| stone.distance(*last)));
        distances.min().unwrap_or(0)
    }
}

/// All of them. Rules that forbid a move, or by which a longer run does not win, are not looked at.
pub(super) fn of(position: &Position) -> Vec<LineThreat> {
    let (own, other) = (position.turn(), position.turn().opponent());
    let k = position.rules().variant().k();
    let mut threats = Vec::new();
    for (stone, kind) in
        [(own, ThreatKind::OwnFive), (other, ThreatKind::Four), (other, ThreatKind::OpenThree)]
    {
        // Below four in a row, a single stone would count as an open three.
        if kind == ThreatKind::OpenThree && k < 4 {
            continue;
        }
        for (ply, from) in position.moves().iter().enumerate() {
            if Stone::to_move(ply) == stone {
                for axis in Axis::ALL {
                    add(position, kind, (*from, stone), axis, k, &mut threats);
                }
            }
        }
    }
    threats
}

/// Adds the lines of which this is the first stone.
fn add(
    position: &Position,
    kind: ThreatKind,
    (from, stone): (Point, Stone),
    axis: Axis,
    k: u8,
    threats: &mut Vec<LineThreat>,
) {
    // An open three leaves one point empty of those between two empty ends.
    let (length, ends, empty) = match kind {
        ThreatKind::OwnFive | ThreatKind::Four => (i32::from(k), 0, 1),
        ThreatKind::OpenThree => (i32::from(k) + 1, 1, 3),
    };
    for back in 0..length {
        let points = (0..length).map(|steps| from.along(axis, steps - back));
        let (mut stones, mut answers) = (Vec::new(), Vec::new());
        let mut is_open = true;
        for (point, steps) in points.zip(0..) {
            match position.stone_at(point) {
                Some(other) => {
                    let is_inside = (ends..length - ends).contains(&steps);
                    is_open &= other == stone && is_inside && steps >= back;
                    stones.push(point);
                }
                None => {
                    is_open &= position.contains(point);
                    answers.push(point);
                }
            }
        }
        if !is_open || answers.len() != empty {
            continue;
        }
        let same = threats.iter_mut().find(|threat| threat.kind == kind && threat.stones == stones);
        if let Some(same) = same {
            answers.retain(|point| !same.answers.contains(point));
            same.answers.extend(answers);
            continue;
        }
        let is_of_line = |point: &Point| stones.contains(point);
        let last = position.moves().iter().rposition(is_of_line).unwrap_or(0);
        let turns_ago = (position.ply() - 1 - last) / 2;
        threats.push(LineThreat { kind, axis, stones, answers, turns_ago });
    }
}

#[cfg(test)]
mod tests {
    use fivefold_shared::rules::{Rules, Size, Variant};

    use super::*;

    /// The kind of a threat, its answers, whether it has a gap and is a diagonal, and its age in turns.
    type Seen = (ThreatKind, usize, bool, bool, usize);
    /// Black's stones, whose turn it is, and what is seen.
    type Case<'a> = (&'a [(i32, i32)], Stone, Option<Seen>);

    /// Black's stones on the row `y`, White's far away; Black or White to move.
    fn threats(black: &[(i32, i32)], turn: Stone) -> Vec<LineThreat> {
        let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
        let white = [(0, 0), (3, 0), (6, 1), (9, 0), (12, 1)];
        let mut moves = Vec::new();
        for (black, white) in black.iter().zip(white) {
            moves.extend([Point::from(*black), Point::from(white)]);
        }
        if turn == Stone::White {
            moves.pop();
        }
        of(&Position::from_moves(rules, &moves).unwrap())
    }

    #[test]
    fn lines_are_found_with_their_kind_their_gap_and_their_age() {
        use ThreatKind::{Four, OpenThree, OwnFive};
        let cases: [Case<'_>; 8] = [
            (&[(5, 7), (6, 7), (7, 7)], Stone::White, Some((OpenThree, 4, false, false, 0))),
            (&[(5, 7), (6, 7), (7, 7)], Stone::Black, None),
            (&[(5, 7), (6, 7), (8, 7)], Stone::White, Some((OpenThree, 3, true, false, 0))),
            (&[(5, 9), (6, 8), (8, 6)], Stone::White, Some((OpenThree, 3, true, true, 0))),
            (&[(0, 7), (1, 7), (2, 7)], Stone::White, None),
            (&[(5, 7), (6, 7), (7, 7), (8, 7)], Stone::Black, Some((OwnFive, 2, false, false, 0))),
            (&[(5, 7), (6, 7), (8, 7), (9, 7)], Stone::White, Some((Four, 1, true, false, 0))),
            (
                &[(5, 5), (6, 6), (7, 7), (2, 12)],
                Stone::White,
                Some((OpenThree, 4, false, true, 1)),
            ),
        ];
        for (black, turn, expected) in cases {
            let found: Vec<_> = threats(black, turn)
                .iter()
                .map(|threat| {
                    let answers = threat.answers.len();
                    let (is_split, is_diagonal) = (threat.is_split(), threat.is_diagonal());
                    (threat.kind, answers, is_split, is_diagonal, threat.turns_ago)
                })
                .collect();
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{black:?} {turn:?}");
        }
    }
}
