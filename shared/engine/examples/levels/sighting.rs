//! Random positions with one thing to see: a five to complete, a four or an open three to stop.

use fivefold_shared::rules::{Axis, Point, Position, Rules, Stone};
use rand::{
    RngExt,
    rngs::Xoshiro256PlusPlus,
    seq::{IndexedRandom, SliceRandom},
};

use crate::board_lines::{fives, stones};

/// The thing to see.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Four own stones that one more makes five.
    OwnFive,
    /// The same of the opponent.
    Four,
    /// Three stones of the opponent that one more makes an open four.
    OpenThree,
}

impl Subject {
    pub(crate) const ALL: [Self; 3] = [Self::OwnFive, Self::Four, Self::OpenThree];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::OwnFive => "completes its own five",
            Self::Four => "stops a four",
            Self::OpenThree => "stops an open three",
        }
    }

    /// Lines that show it, `X` its stones, `a` where it is completed or stopped, `O` a stone of the
    /// other side, `.` other points that must be empty.
    const fn lines(self, is_split: bool) -> &'static [&'static str] {
        match (self, is_split) {
            (Self::OwnFive | Self::Four, false) => &["OXXXXa", "aXXXXO"],
            (Self::OwnFive | Self::Four, true) => &["XaXXX", "XXaXX", "XXXaX"],
            (Self::OpenThree, false) => &[".aXXXa."],
            (Self::OpenThree, true) => &["aXaXXa", "aXXaXa"],
        }
    }
}

/// What may make a thing hard to see.
#[derive(Clone, Copy, Default)]
pub(crate) struct Circumstances {
    is_diagonal: bool,
    is_split: bool,
    /// Whether the last two stones are elsewhere.
    is_far: bool,
    /// How many own turns ago its last stone was placed, at most.
    turns_ago: usize,
}

impl Circumstances {
    /// The columns of the table; the last draws the circumstances of each try.
    pub(crate) const COLUMNS: [(&'static str, Option<Self>); 7] = {
        let easy = Self { is_diagonal: false, is_split: false, is_far: false, turns_ago: 0 };
        [
            ("easy", Some(easy)),
            ("diagonal", Some(Self { is_diagonal: true, ..easy })),
            ("split", Some(Self { is_split: true, ..easy })),
            ("far", Some(Self { is_far: true, turns_ago: 1, ..easy })),
            ("old", Some(Self { turns_ago: 3, ..easy })),
            (
                "all four",
                Some(Self { is_diagonal: true, is_split: true, is_far: true, turns_ago: 3 }),
            ),
            ("mixed", None),
        ]
    };

    /// About as things are made in games.
    pub(crate) fn random(random: &mut Xoshiro256PlusPlus) -> Self {
        let (is_far, is_old) = (random.random_ratio(1, 6), random.random_ratio(1, 6));
        Self {
            is_diagonal: random.random_ratio(1, 2),
            is_split: random.random_ratio(1, 3),
            is_far,
            turns_ago: if is_old { 3 } else { usize::from(is_far) },
        }
    }
}

/// How near the last stones are to a thing that is not far.
const NEAR: u32 = 2;

/// How far they are at least from one that is.
const FAR: u32 = 5;

/// A position with one thing to see.
pub(crate) struct Sighting {
    pub(crate) position: Position,
    /// The moves of one who has seen it.
    pub(crate) answers: Vec<Point>,
}

/// A line on the board.
struct Placed {
    own: Vec<Point>,
    opposing: Vec<Point>,
    empty: Vec<Point>,
    answers: Vec<Point>,
}

impl Sighting {
    /// A random one; draws until the position is one.
    pub(crate) fn random(
        rules: Rules,
        subject: Subject,
        circumstances: Circumstances,
        random: &mut Xoshiro256PlusPlus,
    ) -> Self {
        loop {
            let Some(line) = place(rules, subject, circumstances, random) else { continue };
            let Some(moves) = moves(rules, subject, circumstances, &line, random) else { continue };
            let Ok(position) = Position::from_moves(rules, &moves) else { continue };
            if position.outcome().is_none() && shows_only(&position, &line) {
                return Self { position, answers: line.answers };
            }
        }
    }
}

/// A line somewhere on the board; `None` if it does not fit there.
fn place(
    rules: Rules,
    subject: Subject,
    circumstances: Circumstances,
    random: &mut Xoshiro256PlusPlus,
) -> Option<Placed> {
    let axes = if circumstances.is_diagonal {
        [Axis::Falling, Axis::Rising]
    } else {
        [Axis::Horizontal, Axis::Vertical]
    };
    let axis = *axes.choose(random)?;
    let form = *subject.lines(circumstances.is_split).choose(random)?;
    let from = point(random);
    let board = Position::new(rules);
    let points: Vec<(char, Point)> =
        form.chars().zip((0..).map(|steps| from.along(axis, steps))).collect();
    let of = |wanted: &str| {
        points.iter().filter(|(kind, _)| wanted.contains(*kind)).map(|(_, point)| *point).collect()
    };
    points.iter().all(|(_, point)| board.contains(*point)).then(|| Placed {
        own: of("X"),
        opposing: of("O"),
        empty: of("a."),
        answers: of("a"),
    })
}

/// Moves that lead to the line, and random ones between; `None` if they do not fit.
fn moves(
    rules: Rules,
    subject: Subject,
    circumstances: Circumstances,
    line: &Placed,
    random: &mut Xoshiro256PlusPlus,
) -> Option<Vec<Point>> {
    let plies = random.random_range(16..=24);
    let last = if subject == Subject::OwnFive { plies - 2 } else { plies - 1 };
    let turns_ago = match circumstances.turns_ago {
        most @ 0..=1 => most,
        most => random.random_range(2..=most),
    };
    let last_of_line = last - 2 * turns_ago;
    let mut moves: Vec<Option<Point>> = vec![None; plies];
    let mut own = line.own.clone();
    own.shuffle(random);
    moves[last_of_line] = own.pop();
    let mut earlier: Vec<usize> = (last_of_line % 2..last_of_line).step_by(2).collect();
    earlier.shuffle(random);
    own.into_iter().zip(earlier).for_each(|(point, ply)| moves[ply] = Some(point));
    let mut of_other: Vec<usize> = ((last_of_line + 1) % 2..plies - 2).step_by(2).collect();
    of_other.shuffle(random);
    line.opposing.iter().zip(of_other).for_each(|(point, ply)| moves[ply] = Some(*point));
    for ply in 0..plies {
        if moves[ply].is_some() {
            continue;
        }
        let board = Position::new(rules);
        let fits = |point: Point, moves: &[Option<Point>]| {
            let distance =
                line.own.iter().map(|of_line| of_line.distance(point)).min().unwrap_or(0);
            board.contains(point)
                && !moves.contains(&Some(point))
                && !line.empty.contains(&point)
                && (ply + 2 < plies
                    || if circumstances.is_far { distance >= FAR } else { distance <= NEAR })
        };
        moves[ply] = (0..100).map(|_| point(random)).find(|point| fits(*point, &moves));
    }
    moves.into_iter().collect()
}

/// Whether no colour has three of a five but on the line.
fn shows_only(position: &Position, line: &Placed) -> bool {
    fives(position).all(|(_, five)| {
        Stone::BOTH.into_iter().all(|stone| {
            let is_of_line =
                |point: &Point| position.stone_at(*point).is_none() || line.own.contains(point);
            stones(position, &five, stone).is_none_or(|stones| stones < 3)
                || five.iter().all(is_of_line)
        })
    })
}

/// Any point of a board of 15x15.
fn point(random: &mut Xoshiro256PlusPlus) -> Point {
    Point::new(random.random_range(0..15), random.random_range(0..15))
}
