//! What the engine's levels mean: how much each searches, what it overlooks, and how often it just
//! goes on with its own lines.

use fivefold_shared::{bot_spec::LEVEL_MAX, rules::Position};

use super::line_threats::{LineThreat, ThreatKind};

/// How well a level plays.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct LevelSettings {
    /// Positions searched for a move; the highest level is limited by time alone.
    pub(super) nodes: Option<u64>,
    /// How many moves ahead it finds wins by continuous fours.
    pub(super) vcf_depth: u8,
    /// What it overlooks; `None` for the highest level, which overlooks nothing.
    pub(super) oversights: Option<Oversights>,
}

/// How often a level overlooks things: probabilities for a turn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Oversights {
    /// Of overlooking an own five that is as easy to see as possible, see [`Difficulty`].
    pub(super) own_five: f64,
    /// Of overlooking a four of the opponent that is as easy to see as possible.
    pub(super) four: f64,
    /// Of overlooking an open three of the opponent that is as easy to see as possible.
    pub(super) open_three: f64,
    /// Of extending its own lines without a look ahead, where it has seen no threat.
    pub(super) own_lines: f64,
    /// Of overlooking a quiet move near the last ones.
    pub(super) quiet_move: f64,
}

/// What makes a line hard to see. Each factor multiplies the odds of overlooking it: a line that is
/// seldom overlooked is overlooked so many times as often.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Difficulty {
    /// Of a diagonal.
    pub(super) diagonal: f64,
    /// Of a line with a gap between its stones.
    pub(super) split: f64,
    /// Of a line at least [`far_points`](Self::far_points) away from the last two stones.
    pub(super) far: f64,
    /// In points, in the longer of the two coordinates.
    pub(super) far_points: u32,
    /// Of a line whose last stone came at least [`old_turns`](Self::old_turns) ago.
    pub(super) old: f64,
    /// In turns of the side that looks.
    pub(super) old_turns: usize,
}

/// The same for all levels.
pub(super) const DIFFICULTY: Difficulty =
    Difficulty { diagonal: 2.0, split: 2.0, far: 2.0, far_points: 4, old: 2.0, old_turns: 2 };

const fn level(nodes: u64, vcf_depth: u8, oversights: Oversights) -> LevelSettings {
    LevelSettings { nodes: Some(nodes), vcf_depth, oversights: Some(oversights) }
}

/// The levels from 1 on. Each step changes the playing strength by about as much as the one
/// before; the values come from the example `ladder` of the client and the example `levels`.
#[rustfmt::skip]
pub(super) const LEVELS: [LevelSettings; LEVEL_MAX as usize] = [
    level(60, 1, Oversights { own_five: 0.004, four: 0.050, open_three: 0.58, own_lines: 0.80, quiet_move: 0.42 }),
    level(200, 1, Oversights { own_five: 0.004, four: 0.030, open_three: 0.32, own_lines: 0.36, quiet_move: 0.33 }),
    level(600, 1, Oversights { own_five: 0.004, four: 0.018, open_three: 0.15, own_lines: 0.18, quiet_move: 0.28 }),
    level(1_600, 2, Oversights { own_five: 0.001, four: 0.008, open_three: 0.06, own_lines: 0.150, quiet_move: 0.250 }),
    level(4_400, 3, Oversights { own_five: 0.0005, four: 0.0017, open_three: 0.025, own_lines: 0.068, quiet_move: 0.142 }),
    level(9_000, 4, Oversights { own_five: 0.0002, four: 0.0004, open_three: 0.012, own_lines: 0.033, quiet_move: 0.084 }),
    level(17_000, 5, Oversights { own_five: 0.0001, four: 0.0001, open_three: 0.006, own_lines: 0.016, quiet_move: 0.046 }),
    level(38_000, 7, Oversights { own_five: 0.0, four: 0.0, open_three: 0.002, own_lines: 0.006, quiet_move: 0.018 }),
    level(100_000, 12, Oversights { own_five: 0.0, four: 0.0, open_three: 0.0007, own_lines: 0.002, quiet_move: 0.005 }),
    LevelSettings { nodes: None, vcf_depth: 100, oversights: None },
];

impl Oversights {
    /// The probability of overlooking this line.
    pub(super) fn of(&self, threat: &LineThreat, position: &Position) -> f64 {
        let easy = match threat.kind {
            ThreatKind::OwnFive => self.own_five,
            ThreatKind::Four => self.four,
            ThreatKind::OpenThree => self.open_three,
        };
        let Difficulty { diagonal, split, far, far_points, old, old_turns } = DIFFICULTY;
        let factors = [
            (diagonal, threat.is_diagonal()),
            (split, threat.is_split()),
            (far, threat.distance(position) >= far_points),
            (old, threat.turns_ago >= old_turns),
        ];
        let factor = factors.into_iter().filter(|(_, applies)| *applies).map(|(factor, _)| factor);
        let odds = easy / (1.0 - easy) * factor.product::<f64>();
        odds / (1.0 + odds)
    }
}

/// Positions that a level from 1 to [`LEVEL_MAX`] searches for a move; `None` for the highest, which
/// time alone limits.
pub(super) fn level_nodes(level: u8) -> Option<u64> {
    LEVELS[usize::from(level.clamp(1, LEVEL_MAX)) - 1].nodes
}

#[cfg(test)]
mod tests {
    use fivefold_shared::rules::{Axis, Point, Rules, Size, Variant};

    use super::*;

    /// An open three from (2, 2) on; the last stones are there or far away.
    fn three(axis: Axis, is_split: bool, turns_ago: usize) -> LineThreat {
        let steps = if is_split { [0, 1, 3] } else { [0, 1, 2] };
        let stones = steps.map(|steps| Point::new(2, 2).along(axis, steps)).to_vec();
        LineThreat { kind: ThreatKind::OpenThree, axis, stones, answers: Vec::new(), turns_ago }
    }

    #[test]
    fn oversights_are_more_frequent_where_a_line_is_hard_to_see() {
        let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
        let after = |last| Position::from_moves(rules, &[Point::from(last)]).unwrap();
        let (near, far) = (after((3, 3)), after((9, 9)));
        let Difficulty { old_turns, far_points, .. } = DIFFICULTY;
        let just_near = after((4 + far_points.cast_signed() - 1, 2));
        let just_far = after((4 + far_points.cast_signed(), 2));
        for level in LEVELS.iter().filter_map(|level| level.oversights) {
            let easy = level.of(&three(Axis::Horizontal, false, old_turns - 1), &near);
            assert!((easy - level.open_three).abs() < 1e-12);
            let nearly_far = level.of(&three(Axis::Horizontal, false, 0), &just_near);
            assert!((easy - nearly_far).abs() < 1e-12);
            let hard = [
                (three(Axis::Rising, false, 0), &near),
                (three(Axis::Falling, false, 0), &near),
                (three(Axis::Horizontal, true, 0), &near),
                (three(Axis::Horizontal, false, old_turns), &near),
                (three(Axis::Horizontal, false, 0), &just_far),
            ];
            for (threat, position) in &hard {
                let hard = level.of(threat, position);
                let odds = |chance: f64| chance / (1.0 - chance);
                assert!((odds(hard) - 2.0 * odds(easy)).abs() < 1e-9, "{threat:?}");
            }
            let hardest = level.of(&three(Axis::Rising, true, old_turns), &far);
            assert!(hardest > level.of(&three(Axis::Rising, true, 0), &far) && hardest < 1.0);
        }
    }

    #[test]
    fn each_level_overlooks_no_more_than_the_one_below() {
        let all: Vec<Oversights> = LEVELS.iter().filter_map(|level| level.oversights).collect();
        assert_eq!(all.len(), LEVELS.len() - 1, "only the highest overlooks nothing");
        for of in [
            |level: &Oversights| level.own_five,
            |level: &Oversights| level.four,
            |level: &Oversights| level.open_three,
            |level: &Oversights| level.own_lines,
            |level: &Oversights| level.quiet_move,
        ] {
            assert!(all.iter().map(of).is_sorted_by(|lower, higher| lower >= higher));
        }
        for Oversights { own_five, four, open_three, .. } in all {
            assert!(own_five <= four && four <= open_three);
        }
    }
}
