//! Tests of how games end: drawn cases for every variant, and the endings that no drawing shows.

use fivefold_shared::rules::{
    Forbidden, Illegal, Outcome, Point, Position, Rules, SIDE_MIN, Size, Stone, UNBOUNDED_FIRST,
    UNBOUNDED_PLIES_MAX, UNBOUNDED_REACH, Variant,
};

use crate::symmetry::Symmetry;

/// Plays a drawing and then its point `a`, and compares how the game ends.
///
/// The drawing shows the board before `a`; the number of stones says whose turn it is. To its right,
/// after `|`, `#` marks the winning points. Without a right half, nobody wins. The drawing is the
/// whole board, or for renju its top-left corner. Each case is also mirrored and
/// turned all eight ways, and played on the unbounded board where the variant allows it.
#[track_caller]
fn check(variant: Variant, drawing: &str) {
    let case = Case::read(variant, drawing);
    for symmetry in Symmetry::ALL {
        let (width, height) = symmetry.sides(case.sides);
        case.play(Size::Bounded { width, height }, symmetry);
        if variant != Variant::Renju {
            case.play(Size::Unbounded, symmetry);
        }
    }
}

struct Case<'a> {
    drawing: &'a str,
    variant: Variant,
    sides: (u8, u8),
    /// Black's and White's stones before the last move.
    stones: [Vec<Point>; 2],
    last: Point,
    winning: Vec<Point>,
}

impl<'a> Case<'a> {
    fn read(variant: Variant, drawing: &'a str) -> Self {
        let rows = drawing.lines().map(str::trim).filter(|row| !row.is_empty());
        let mut sides = (0, 0);
        let (mut stones, mut last, mut winning) = ([Vec::new(), Vec::new()], None, Vec::new());
        for (y, row) in (0..).zip(rows) {
            let (left, right) = row.split_once('|').unwrap_or((row, ""));
            for (x, mark) in (0..).zip(left.split_whitespace()) {
                let point = Point::new(x, y);
                match mark {
                    "X" => stones[0].push(point),
                    "O" => stones[1].push(point),
                    "a" => last = Some(point),
                    "." => {}
                    _ => panic!("{mark} means nothing here"),
                }
                sides.0 = sides.0.max(u8::try_from(x + 1).unwrap());
            }
            let hits = (0..).zip(right.split_whitespace()).filter(|(_, mark)| *mark == "#");
            winning.extend(hits.map(|(x, _)| Point::new(x, y)));
            sides.1 = u8::try_from(y + 1).unwrap();
        }
        if variant == Variant::Renju {
            sides = (15, 15);
        }
        // A board is never smaller than this, whether it is drawn to its end or not.
        sides = (sides.0.max(SIDE_MIN), sides.1.max(SIDE_MIN));
        Self { drawing, variant, sides, stones, last: last.expect("the last move"), winning }
    }

    #[track_caller]
    fn play(&self, size: Size, symmetry: Symmetry) {
        let sides = (i32::from(self.sides.0), i32::from(self.sides.1));
        let place = |point: &Point| symmetry.apply(*point, sides);
        let [mut black, mut white] = self.stones.each_ref().map(|stones| stones.iter().map(place));
        let mut game = Position::new(Rules::new(self.variant, size).unwrap());
        while let Some(point) = match game.turn() {
            Stone::Black => black.next(),
            Stone::White => white.next(),
        } {
            assert_eq!(game.play(point), Ok(None), "before the end of\n{}", self.drawing);
        }
        assert_eq!(black.len() + white.len(), 0, "turns do not fit\n{}", self.drawing);

        let winner = game.turn();
        let mut points: Vec<Point> = self.winning.iter().map(place).collect();
        points.sort_unstable();
        let expected = (!points.is_empty()).then_some(Outcome::Five { winner, points });
        let outcome = game.play(place(&self.last)).unwrap();
        assert_eq!(outcome, expected.as_ref(), "{size}, {symmetry:?} of\n{}", self.drawing);
    }
}

#[test]
fn freestyle() {
    let check = |drawing| check(Variant::Freestyle, drawing);
    check(
        "
        X X X X a . . | # # # # # . .
        O O . O O . . |",
    );
    check(
        "
        . . . . . . . | . . . . . . .
        . X X a X X . | . # # # # # .
        . O O . O O . |",
    );
    // An overline wins.
    check(
        "
        X X X a X X . | # # # # # # .
        O O . O O . O |",
    );
    // From corner to corner.
    check(
        "
        X . . . O | # . . . .
        . X . O . | . # . . .
        . . a . . | . . # . .
        . O . X . | . . . # .
        O . . . X | . . . . #",
    );
    // Along a diagonal from border to border, in a corner too narrow for more.
    check(
        "
        . X O . . . O | . # . . . . .
        O . X . . . O | . . # . . . .
        . . . X . . . | . . . # . . .
        . . . . a . . | . . . . # . .
        . . . . . X . | . . . . . # .",
    );
    // White wins as Black does.
    check(
        "
        O O O O a | # # # # #
        X X . X X |
        X . . . . |",
    );
    // Two runs at once, each point listed once.
    check(
        "
        a X X X X | # # # # #
        X O O O O | # . . . .
        X . . . . | # . . . .
        X . O . O | # . . . .
        X . O . O | # . . . .",
    );
    // Four and a gap; four and an opposing stone; a row around the border's corner.
    check(
        "
        X X X a . X X
        O O O . O O .",
    );
    check(
        "
        X X O X X a X
        O O . O . . O
        . . . . . . .",
    );
    check(
        "
        . . . X X
        a O O . O
        X . . . O
        X . . . .",
    );
}

#[test]
fn standard() {
    let check = |drawing| check(Variant::Standard, drawing);
    check(
        "
        X X a X X . . | # # # # # . .
        O O . O O . . |",
    );
    // Six, and nine from border to border, do nothing.
    check(
        "
        X X X a X X .
        O O . O O . O",
    );
    check(
        "
        X X X X a X X X X
        O O . O O . O O .
        . . . O . . . O .",
    );
    check(
        "
        X X . X X . X
        O O O O a O .",
    );
    // A five beside an overline wins, and is alone the winning run.
    check(
        "
        X X X a X X . | . . . # . . .
        O O . X O O . | . . . # . . .
        O . . X . O . | . . . # . . .
        O . . X . O O | . . . # . . .
        . . . X . . . | . . . # . . .",
    );
}

#[test]
fn renju() {
    let check = |drawing| check(Variant::Renju, drawing);
    check(
        "
        X X X X a . . | # # # # # . .
        O O . O O . . |",
    );
    // White's overline wins.
    check(
        "
        O O O a O O . | # # # # # # .
        X X . X . X . |
        X . . . . . X |",
    );
    // Black's five wins beside an overline, and is alone the winning run.
    check(
        "
        O O . X . O O | . . . . . . .
        O . . X . . . | . . . . . . .
        . . O X O . . | . . . . . . .
        X X X a X . . | # # # # # . .
        O . O X . . . | . . . . . . .
        . . . X . . . | . . . . . . .",
    );
}

/// The cases that both caro variants share.
#[test]
fn caro_fives() {
    for variant in [Variant::Caro, Variant::CaroOverline] {
        let check = |drawing| check(variant, drawing);
        // Open at both ends, at one, at none.
        check(
            "
            . . X X a X X . . | . . # # # # # . .
            . O . O . O . O . |",
        );
        check(
            "
            . O X X a X X . . | . . # # # # # . .
            . O . O . O . . . |",
        );
        check(
            "
            . O X X a X X O .
            . O . O . . . . .",
        );
        // The border closes nothing: beside an open end, beside a closed one, at both ends.
        check(
            "
            X X X X a . . . . | # # # # # . . . .
            . O . O . O . O . |",
        );
        check(
            "
            X X X X a O . . . | # # # # # . . . .
            . O . O . O . . . |",
        );
        check(
            "
            X X X X a | # # # # #
            O O . O O |",
        );
        // Closed along a diagonal, with one end in the corner and then not.
        check(
            "
            O . . . . . .
            . X . . . . .
            . . X . . . .
            . . . a . . .
            . . O . X . .
            . . O . . X .
            . . . . . . O",
        );
        check(
            "
            X . . . . . . | # . . . . . .
            . X . . . . . | . # . . . . .
            . . X . . . . | . . # . . . .
            . . . a . . . | . . . # . . .
            . . O . X . . | . . . . # . .
            . . O O . O . | . . . . . . .",
        );
        // Of two fives the one that is closed does not count.
        check(
            "
            O X X X X a O | . . . . . # .
            . O . O . X . | . . . . . # .
            . . O . . X . | . . . . . # .
            . O . O . X . | . . . . . # .
            . . . . . X O | . . . . . # .",
        );
    }
}

#[test]
fn caro_overlines() {
    let open = "
        X X X a X X . . .
        . O . O . O . O O";
    let closed = "
        . O X X X a X X O
        . O . O . O . . .";
    check(Variant::Caro, open);
    check(Variant::Caro, closed);
    check(
        Variant::CaroOverline,
        "
        X X X a X X . . . | # # # # # # . . .
        . O . O . O . O O |",
    );
    check(
        Variant::CaroOverline,
        "
        . O X X X a X X O | . . # # # # # # .
        . O . O . O . . . |",
    );
}

#[test]
fn mnk_is_won_by_k_or_more() {
    for k in 3..=10 {
        for (before, after, wins) in [(k - 2, 0, false), (k - 1, 0, true), (k - 1, 2, true)] {
            let left = format!("{} a {}", "X ".repeat(before), "X ".repeat(after));
            let right = "# ".repeat(if wins { before + 1 + after } else { 0 });
            let white = "O . ".repeat(before + after);
            let k = u8::try_from(k).unwrap();
            check(Variant::Mnk { k }, &format!("{left} | {right}\n{white}"));
        }
    }
}

#[test]
fn the_stone_that_fills_the_board_can_win() {
    check(
        Variant::Mnk { k: 3 },
        "
        X X a | # # #
        X O O |
        O O X |",
    );
}

fn points(coordinates: &[(i32, i32)]) -> Vec<Point> {
    coordinates.iter().copied().map(Point::from).collect()
}

#[test]
fn a_full_board_is_a_draw_at_its_last_point() {
    // X O X
    // X O O
    // O X X
    let moves = points(&[(0, 0), (1, 0), (2, 0), (1, 1), (0, 1), (2, 1), (1, 2), (0, 2), (2, 2)]);
    let mut game = Position::from_moves(Rules::TIC_TAC_TOE, &moves[..8]).unwrap();
    assert_eq!(game.outcome(), None);
    assert_eq!(game.play(moves[8]), Ok(Some(&Outcome::FullBoard)));
    assert_eq!(game.to_string(), "X O X\nX O O\nO X X\n");
}

/// Points of the unbounded board of which no two are neighbours.
fn spread(count: usize) -> Vec<Point> {
    (0..).map(|step| Point::new(step * 200, 0)).take(count).collect()
}

#[test]
fn the_longest_game_on_the_unbounded_board_is_a_draw() {
    let rules = Rules::new(Variant::Freestyle, Size::Unbounded).unwrap();
    let mut game = Position::from_moves(rules, &spread(UNBOUNDED_PLIES_MAX - 1)).unwrap();
    assert_eq!(game.outcome(), None);
    assert_eq!(game.play(Point::new(0, 7)), Ok(Some(&Outcome::LengthLimit)));
}

#[test]
fn the_last_move_of_the_longest_game_can_win() {
    let rules = Rules::new(Variant::Freestyle, Size::Unbounded).unwrap();
    let mut moves = spread(UNBOUNDED_PLIES_MAX);
    let five = points(&[(0, 7), (1, 7), (2, 7), (3, 7), (4, 7)]);
    for (point, ply) in five.iter().zip((0..UNBOUNDED_PLIES_MAX).rev().step_by(2)) {
        moves[ply] = *point;
    }
    let game = Position::from_moves(rules, &moves).unwrap();
    assert_eq!(game.ply(), UNBOUNDED_PLIES_MAX);
    assert_eq!(game.outcome(), Some(&Outcome::Five { winner: Stone::White, points: five }));
}

#[test]
fn white_wins_when_every_point_left_to_black_is_forbidden() {
    let drawing = "
    O X O O X X O O X X O O X X O
    O O X X O O X X O O X X O O X
    X X O O X X O O X X O O O X O
    O O X X O O X X O O X X O O X
    X X O O X X O O X X O O X X O
    O O X X O O X X O O X X O O X
    X X O O X X O O X X O O X X O
    O O X X X . X X X O X X O O X
    X X O O X X O O X X O O X X O
    O O X X O O X X O O X X O O X
    X X O O X X O O X X O O X X O
    O O X X O O X X O O X X O O X
    X O O O X X O O X X O O X X O
    O O X X O O X X O O X X O O X
    X X O O X X O O X X O O X X O";
    let mut stones = [Vec::new(), Vec::new()];
    for (y, row) in (0..).zip(drawing.lines().skip(1)) {
        for (x, mark) in (0..).zip(row.split_whitespace()) {
            match mark {
                "X" => stones[0].push(Point::new(x, y)),
                "O" => stones[1].push(Point::new(x, y)),
                _ => {}
            }
        }
    }
    let mut game = Position::new(Rules::new(Variant::Renju, Size::square(15)).unwrap());
    while game.outcome().is_none() {
        let own = &mut stones[game.ply() % 2];
        let legal = own.iter().position(|point| game.legality(*point).is_ok()).unwrap();
        game.play(own.remove(legal)).unwrap();
    }
    let (point, kind) = (Point::new(5, 7), Forbidden::Overline);
    assert_eq!(game.ply(), 224);
    assert_eq!(game.forbidden_points(), [(point, kind)]);
    let expected = Outcome::Forbidden { winner: Stone::White, point, kind };
    assert_eq!(game.outcome(), Some(&expected));
}

/// Checks that a move is refused with this reason and changes nothing.
#[track_caller]
fn check_refused(game: &Position, point: (i32, i32), reason: Illegal) {
    let mut after = game.clone();
    assert_eq!(game.legality(point.into()), Err(reason));
    assert_eq!(after.play(point.into()), Err(reason));
    assert_eq!(after, *game);
}

#[test]
fn illegal_moves() {
    let bounded = Rules::new(Variant::Freestyle, Size::Bounded { width: 7, height: 5 }).unwrap();
    let game = Position::from_moves(bounded, &points(&[(6, 4)])).unwrap();
    for outside in [(7, 0), (0, 5), (-1, 0), (0, -1), (i32::MIN, i32::MAX)] {
        check_refused(&game, outside, Illegal::Outside);
    }
    check_refused(&game, (6, 4), Illegal::Occupied);

    let renju = Rules::new(Variant::Renju, Size::square(15)).unwrap();
    let moves = points(&[(7, 5), (0, 0), (7, 6), (0, 2), (5, 7), (0, 4), (6, 7), (0, 6), (14, 14)]);
    let white_to_move = Position::from_moves(renju, &moves).unwrap();
    let black_to_move = Position::from_moves(renju, &moves[..8]).unwrap();
    check_refused(&black_to_move, (7, 7), Illegal::Forbidden(Forbidden::DoubleThree));
    assert_eq!(black_to_move.forbidden_points(), [((7, 7).into(), Forbidden::DoubleThree)]);
    assert_eq!(white_to_move.legality((7, 7).into()), Ok(()));
    assert_eq!(white_to_move.forbidden_points(), []);
}

#[test]
fn the_unbounded_board_reaches_as_far_as_documented() {
    let rules = Rules::new(Variant::Standard, Size::Unbounded).unwrap();
    let empty = Position::new(rules);
    let (reach, far) = (UNBOUNDED_REACH.cast_signed(), UNBOUNDED_FIRST.cast_signed());
    for corner in [(far, far), (far, -far), (-far, far), (-far, -far)] {
        let (right, down) = (corner.0.signum(), corner.1.signum());
        check_refused(&empty, (corner.0 + right, corner.1), Illegal::TooFar);
        check_refused(&empty, (corner.0, corner.1 + down), Illegal::TooFar);

        let game = Position::from_moves(rules, &points(&[corner])).unwrap();
        let edge = (corner.0 + right * reach, corner.1 + down * reach);
        check_refused(&game, (edge.0 + right, edge.1), Illegal::TooFar);
        check_refused(&game, (edge.0, edge.1 + down), Illegal::TooFar);
        check_refused(&game, (i32::MIN, i32::MAX), Illegal::TooFar);

        // A five that ends at the furthest point there is.
        let five = (0..5).map(|step| Point::new(edge.0 - step * right, edge.1 - step * down));
        let near = (1..).map(|step| Point::new(corner.0 - step * 2 * right, corner.1));
        let mut game = Position::from_moves(rules, &points(&[corner])).unwrap();
        for (white, black) in five.zip(near) {
            assert_eq!(game.outcome(), None);
            game.play(white).unwrap();
            if game.outcome().is_none() {
                game.play(black).unwrap();
            }
        }
        assert_eq!(game.outcome().and_then(Outcome::winner), Some(Stone::White));
    }
}

#[test]
fn a_game_that_is_over_stays_as_it_is() {
    let mut game = Position::from_moves(Rules::TIC_TAC_TOE, &points(&[(1, 1)])).unwrap();
    game.conclude(Outcome::Resignation { winner: Stone::Black });
    check_refused(&game, (0, 0), Illegal::GameOver);
    game.conclude(Outcome::Agreement);
    assert_eq!(game.outcome(), Some(&Outcome::Resignation { winner: Stone::Black }));

    assert_eq!(game.undo(), Some(Point::new(1, 1)));
    assert_eq!(game, Position::new(Rules::TIC_TAC_TOE));
    assert_eq!(game.undo(), None);
}

#[test]
fn a_list_of_moves_is_read_up_to_its_first_illegal_one() {
    let moves = points(&[(0, 0), (1, 1), (0, 0), (9, 9)]);
    assert_eq!(Position::from_moves(Rules::TIC_TAC_TOE, &moves), Err((2, Illegal::Occupied)));
}
