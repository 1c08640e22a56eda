//! A game's stones in the order they were played, whose turn it is, and how it ended.
//!
//! [`Position::play`] is the only way to add a stone and the only place where a game ends by its
//! rules. It knows no players, clocks or opening choices; their decisions come in through
//! [`Position::conclude`].

use std::fmt;

use super::{
    Board, Forbidden, Outcome, Point, Rules, SIDE_MAX, Size, Stone, UNBOUNDED_FIRST,
    UNBOUNDED_REACH, Variant, line,
};

/// A game at one moment.
///
/// ```
/// use fivefold_shared::rules::{Outcome, Point, Position, Rules, Stone};
///
/// // a c b      Black plays a, b and the points below them,
/// // d X .      White answers at c and d.
/// // . . X
/// let mut game = Position::new(Rules::TIC_TAC_TOE);
/// for (x, y) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
///     assert_eq!(game.play(Point::new(x, y)), Ok(None));
/// }
/// game.play(Point::new(2, 2))?;
/// let points = [(0, 0), (1, 1), (2, 2)].map(Point::from).to_vec();
/// assert_eq!(game.outcome(), Some(&Outcome::Five { winner: Stone::Black, points }));
///
/// assert_eq!(game.undo(), Some(Point::new(2, 2)));
/// assert_eq!((game.turn(), game.outcome()), (Stone::Black, None));
/// # Ok::<(), fivefold_shared::rules::Illegal>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Position {
    rules: Rules,
    board: Board,
    moves: Vec<Point>,
    outcome: Option<Outcome>,
}

/// Why a move is refused. A refused move changes nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
pub enum Illegal {
    /// The game has an outcome already.
    #[error("the game is over")]
    GameOver,
    /// The point is not on the bounded board.
    #[error("this point is not on the board")]
    Outside,
    /// The point is beyond [`UNBOUNDED_REACH`] of the first stone, or the first stone beyond
    /// [`UNBOUNDED_FIRST`] of zero.
    #[error(
        "too far: the first stone lies within {UNBOUNDED_FIRST} of 0,0, and every other stone \
         within {UNBOUNDED_REACH} of the first"
    )]
    TooFar,
    /// The point has a stone.
    #[error("this point has a stone already")]
    Occupied,
    /// Renju forbids the point to Black.
    #[error("renju forbids this point to Black: {0}")]
    Forbidden(Forbidden),
}

impl Position {
    /// An empty board with Black to move.
    pub fn new(rules: Rules) -> Self {
        Self { rules, board: Board::new(rules.size()), moves: Vec::new(), outcome: None }
    }

    /// The position after a list of moves.
    ///
    /// # Errors
    /// The index of the first move that is illegal, and why.
    pub fn from_moves(rules: Rules, moves: &[Point]) -> Result<Self, (usize, Illegal)> {
        let mut position = Self::new(rules);
        for (ply, &point) in moves.iter().enumerate() {
            position.play(point).map_err(|illegal| (ply, illegal))?;
        }
        Ok(position)
    }

    /// The rules of this game.
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// The stones.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Whose move it is, or would be if the game were not over.
    pub const fn turn(&self) -> Stone {
        Stone::to_move(self.ply())
    }

    /// How many moves were made.
    pub const fn ply(&self) -> usize {
        self.moves.len()
    }

    /// The moves so far; Black made the first.
    pub fn moves(&self) -> &[Point] {
        &self.moves
    }

    /// The last move.
    pub fn last_move(&self) -> Option<Point> {
        self.moves.last().copied()
    }

    /// The stone on a point.
    pub fn stone_at(&self, point: Point) -> Option<Stone> {
        self.board.stone_at(point)
    }

    /// Whether stones may lie on this point: within the borders or, on the unbounded board, near
    /// enough to the first stone (before it, near enough to zero).
    pub fn contains(&self, point: Point) -> bool {
        match (self.rules.size(), self.moves.first()) {
            (Size::Bounded { .. }, _) => self.board.contains(point),
            (Size::Unbounded, Some(first)) => first.distance(point) <= UNBOUNDED_REACH,
            (Size::Unbounded, None) => Point::default().distance(point) <= UNBOUNDED_FIRST,
        }
    }

    /// The corners (least and greatest coordinates) of the smallest rectangle with all stones.
    pub fn extent(&self) -> Option<(Point, Point)> {
        let first = self.last_move()?;
        Some(self.moves.iter().fold((first, first), |(least, greatest), point| {
            (
                Point::new(least.x.min(point.x), least.y.min(point.y)),
                Point::new(greatest.x.max(point.x), greatest.y.max(point.y)),
            )
        }))
    }

    /// How the game ended; `None` while it runs.
    pub const fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Whether [`Position::play`] would accept a move.
    ///
    /// # Errors
    /// Why it would not; where several reasons hold, the first in the order of [`Illegal`].
    pub fn legality(&self, point: Point) -> Result<(), Illegal> {
        if self.outcome.is_some() {
            return Err(Illegal::GameOver);
        }
        if !self.contains(point) {
            return Err(match self.rules.size() {
                Size::Bounded { .. } => Illegal::Outside,
                Size::Unbounded => Illegal::TooFar,
            });
        }
        if self.stone_at(point).is_some() {
            return Err(Illegal::Occupied);
        }
        self.forbidden_at(point).map_or(Ok(()), |kind| Err(Illegal::Forbidden(kind)))
    }

    /// Plays the next stone, and returns the outcome if that ends the game.
    ///
    /// # Errors
    /// When the move is illegal; the position is then as it was.
    ///
    /// ```
    /// use fivefold_shared::rules::{Forbidden, Illegal, Point, Position, Rules, Size, Variant};
    ///
    /// //   0 1 2 3 4 5 6
    /// // 0 . . . . . . .
    /// // 1 . . . X . . .    Black at a would make a double-three.
    /// // 2 . . . X . . .
    /// // 3 . X X a . . .
    /// let rules = Rules::new(Variant::Renju, Size::square(15))?;
    /// let moves = [(3, 1), (14, 0), (3, 2), (14, 2), (1, 3), (14, 4), (2, 3), (14, 6)];
    /// let mut game = Position::from_moves(rules, &moves.map(Point::from)).unwrap();
    /// let refused = Illegal::Forbidden(Forbidden::DoubleThree);
    /// assert_eq!(game.play(Point::new(3, 3)), Err(refused));
    /// assert_eq!(game.ply(), 8);
    /// # Ok::<(), fivefold_shared::rules::RulesError>(())
    /// ```
    pub fn play(&mut self, point: Point) -> Result<Option<&Outcome>, Illegal> {
        self.legality(point)?;
        let stone = self.turn();
        self.board.set(point, stone);
        self.moves.push(point);
        self.outcome = self.outcome_of(point, stone);
        Ok(self.outcome())
    }

    /// Takes back the last move and whatever ended the game since. On an empty board it returns
    /// `None`.
    pub fn undo(&mut self) -> Option<Point> {
        self.outcome = None;
        let point = self.moves.pop()?;
        self.board.clear(point);
        Some(point)
    }

    /// Ends the game by what the rules of the board do not decide: resignation, agreement, time.
    /// A game that is over keeps the outcome it has.
    pub fn conclude(&mut self, outcome: Outcome) {
        self.outcome.get_or_insert(outcome);
    }

    /// Why renju forbids a point to the side to move; `None` wherever it does not, and in every
    /// other variant.
    pub fn forbidden_at(&self, point: Point) -> Option<Forbidden> {
        match (self.rules.variant(), self.turn()) {
            (Variant::Renju, Stone::Black) => self.board.forbidden_at(point),
            (Variant::Renju, Stone::White)
            | (
                Variant::Freestyle
                | Variant::Standard
                | Variant::Caro
                | Variant::CaroOverline
                | Variant::Mnk { .. },
                _,
            ) => None,
        }
    }

    /// Every point that renju forbids to the side to move, sorted: none unless that is Black.
    pub fn forbidden_points(&self) -> Vec<(Point, Forbidden)> {
        self.points().filter_map(|point| Some((point, self.forbidden_at(point)?))).collect()
    }

    /// The outcome of the stone just played. A stone that both wins and fills the board wins.
    fn outcome_of(&self, point: Point, stone: Stone) -> Option<Outcome> {
        let points = line::winning_points(&self.board, self.rules.variant(), point);
        if !points.is_empty() {
            return Some(Outcome::Five { winner: stone, points });
        }
        let is_last = self.ply() == self.rules.size().plies_max();
        match self.rules.size() {
            Size::Bounded { .. } if is_last => return Some(Outcome::FullBoard),
            Size::Bounded { .. } => {}
            Size::Unbounded => return is_last.then_some(Outcome::LengthLimit),
        }
        self.no_move_left()
    }

    /// In renju with Black to move: the end of the game when every empty point is forbidden.
    fn no_move_left(&self) -> Option<Outcome> {
        let mut first = None;
        for point in self.points().filter(|point| self.board.is_empty_at(*point)) {
            let kind = self.forbidden_at(point)?;
            first.get_or_insert((point, kind));
        }
        first.map(|(point, kind)| Outcome::Forbidden { winner: Stone::White, point, kind })
    }

    /// Every point of a bounded board in [`Point`]'s order; nothing on the unbounded board.
    fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let (width, height) = match self.rules.size() {
            Size::Bounded { width, height } => (width, height),
            Size::Unbounded => (0, 0),
        };
        (0..i32::from(width)).flat_map(move |x| (0..i32::from(height)).map(move |y| Point { x, y }))
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Position")
            .field("rules", &format_args!("{}", self.rules))
            .field("moves", &self.moves.iter().map(|point| (point.x, point.y)).collect::<Vec<_>>())
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

/// Draws the board, one line a row: `X` for Black, `O` for White, `.` for an empty point.
///
/// Of the unbounded board it draws the rectangle with all stones, cut to [`SIDE_MAX`] points to
/// either side of the last one.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, greatest) = match (self.rules.size(), self.extent(), self.last_move()) {
            (Size::Bounded { width, height }, _, _) => {
                (Point::default(), Point::new(i32::from(width) - 1, i32::from(height) - 1))
            }
            (Size::Unbounded, Some((least, greatest)), Some(last)) => {
                let side = i32::from(SIDE_MAX);
                (
                    Point::new(least.x.max(last.x - side), least.y.max(last.y - side)),
                    Point::new(greatest.x.min(last.x + side), greatest.y.min(last.y + side)),
                )
            }
            (Size::Unbounded, _, _) => (Point::default(), Point::default()),
        };
        self.board.draw(f, least, greatest)
    }
}
