//! Tests of puzzles: what counts as one, what the solver answers, the file, and a sample of the
//! puzzles that are shipped. The example `puzzles` proves all of them: `puzzles check FILE`.

use std::collections::BTreeSet;

use fivefold_engine::puzzle_solver::{Answer, Flaw, Solver};
use fivefold_shared::{
    puzzle::{Puzzle, PuzzleKind, PuzzleSet},
    rules::{Point, Position, Rules, Size, Stone, Variant},
    symmetry,
};

/// How many shipped puzzles of each file are proven here.
const SAMPLE: usize = 3;

const SHIPPED: [(Variant, &str); 2] = [
    (Variant::Freestyle, include_str!("../../../server/web/puzzles/freestyle.txt")),
    (Variant::Renju, include_str!("../../../server/web/puzzles/renju.txt")),
];

fn rules(variant: Variant) -> Rules {
    Rules::new(variant, Size::square(15)).expect("on offer")
}

/// The puzzle in a line of a file.
fn puzzle(line: &str) -> Puzzle {
    let text = format!("fivefold puzzles 1\nfreestyle 15x15\nby hand\n{line}\n");
    text.parse::<PuzzleSet>().expect("a set").puzzles.remove(0)
}

/// Black makes an open four at i10, between h10 and j10, and threatens nothing elsewhere.
///
/// ```text
/// . . . . O . . . .
/// . . X . X X . . .     h10, j10, k10
/// ```
const OPEN_FOUR: &str = "fours 2 if hfihkffijehgjfgh";

#[test]
fn a_puzzle_has_one_winning_first_move_and_its_length_and_kind() {
    let expected = puzzle(OPEN_FOUR);
    let position = Position::from_moves(rules(Variant::Freestyle), &expected.moves).unwrap();
    let mut solver = Solver::new(position.rules()).unwrap();
    assert_eq!(solver.puzzle(&position), Ok(expected.clone()));
    // What the solver remembers of other positions changes nothing.
    assert_eq!(solver.check(&expected), Ok(()));
}

#[test]
fn a_wrong_puzzle_is_caught() {
    let good = puzzle(OPEN_FOUR);
    let first = good.first;
    let kind = PuzzleKind::Fours;
    let other = Flaw::OtherWin { first, length: 2, kind };
    let with = |change: fn(&mut Puzzle)| {
        let mut puzzle = good.clone();
        change(&mut puzzle);
        puzzle
    };
    let cases = [
        (with(|puzzle| puzzle.first = Point::new(0, 0)), other),
        (with(|puzzle| puzzle.length = 3), other),
        (with(|puzzle| puzzle.kind = PuzzleKind::Threes), other),
        (with(|puzzle| puzzle.moves[1] = puzzle.moves[0]), Flaw::NoPosition),
        (with(|puzzle| puzzle.moves.truncate(4)), Flaw::NoWin),
        // White's last stone is elsewhere, so that Black wins at either end of an open three.
        (puzzle("fours 2 gh hhaaihaojhoa"), Flaw::AnotherFirst(Point::new(10, 7))),
        // Black makes a five at once.
        (puzzle("fours 1 lh hhaaihaojhoakhoo"), Flaw::FiveIsNear),
        // Black must stop a five.
        (puzzle("fours 2 lh aahhaoihoajhookh"), Flaw::FiveIsNear),
    ];
    let mut solver = Solver::new(rules(Variant::Freestyle)).unwrap();
    for (puzzle, expected) in cases {
        assert_eq!(solver.check(&puzzle), Err(expected), "{puzzle:?}");
    }
}

#[test]
fn every_winning_move_is_accepted_and_no_other() {
    let puzzle = puzzle(OPEN_FOUR);
    let answer = |moves: &[(i32, i32)]| {
        let points = moves.iter().map(|point| Point::from(*point));
        let moves: Vec<Point> = puzzle.moves.iter().copied().chain(points).collect();
        let position = Position::from_moves(rules(Variant::Freestyle), &moves).unwrap();
        Solver::new(position.rules()).unwrap().answer(&position)
    };
    let Answer::GoesOn(stop) = answer(&[(8, 5)]) else { panic!("an open four wins") };
    assert!([Point::new(6, 5), Point::new(11, 5)].contains(&stop), "{stop:?} stops one five");
    // The five that is left.
    let left = if stop.x == 6 { (11, 5) } else { (6, 5) };
    assert_eq!(answer(&[(8, 5), (stop.x, stop.y), left]), Answer::Solved);
    // A four that is stopped, and a move that threatens nothing.
    assert!(matches!(answer(&[(0, 0)]), Answer::Fails(Some(_))));
    assert!(matches!(answer(&[(11, 5)]), Answer::Fails(Some(_))));
    let nothing = Position::new(rules(Variant::Freestyle));
    assert_eq!(Solver::new(nothing.rules()).unwrap().answer(&nothing), Answer::Fails(None));
}

#[test]
fn a_forbidden_answer_ends_the_puzzle() {
    let set: PuzzleSet = SHIPPED[1].1.parse().unwrap();
    let trap = set.puzzles.iter().find(|puzzle| puzzle.kind == PuzzleKind::Trap).unwrap();
    let mut solver = Solver::new(set.rules).unwrap();
    let position = Position::from_moves(set.rules, &trap.moves).unwrap();
    let solution = solver.solution(&position).unwrap();
    let mut position = position;
    solution.moves.iter().for_each(|point| assert_eq!(position.play(*point), Ok(None)));
    let Answer::Trapped(point) = solver.answer(&position) else { panic!("Black is trapped") };
    assert!(position.play(point).is_err(), "{point:?} is forbidden");
}

#[test]
fn a_file_is_read_as_it_was_written_and_others_are_refused() {
    for (variant, text) in SHIPPED {
        let set: PuzzleSet = text.parse().unwrap();
        assert_eq!(set.rules, rules(variant));
        assert_eq!(set.to_string(), text, "{variant}");
    }
    let cases = [
        ("", 1),
        ("fivefold puzzles 2\nrenju 15x15\nby hand\n", 1),
        ("fivefold puzzles 1\nrenju\nby hand\n", 2),
        ("fivefold puzzles 1\nrenju 15x15", 3),
        ("fivefold puzzles 1\nrenju 15x15\nby hand\nfours 2 hh\n", 4),
        ("fivefold puzzles 1\nrenju 15x15\nby hand\nfours 2 hh ii\nfive 2 hh ii\n", 5),
        ("fivefold puzzles 1\nrenju 15x15\nby hand\nfours x hh ii\n", 4),
        ("fivefold puzzles 1\nrenju 15x15\nby hand\nfours 2 hhh ii\n", 4),
        ("fivefold puzzles 1\nrenju 15x15\nby hand\nfours 2 hh i\n", 4),
        ("fivefold puzzles 1\nrenju 15x15\nby hand\nfours 2 hh ii more\n", 4),
        ("fivefold puzzles 1\nrenju 15x15\nby hand\nfours 2 hh I1\n", 4),
    ];
    for (text, line) in cases {
        assert_eq!(text.parse::<PuzzleSet>().unwrap_err().line, line, "{text:?}");
    }
}

#[test]
fn no_two_shipped_puzzles_have_the_same_shape() {
    for (variant, text) in SHIPPED {
        let set: PuzzleSet = text.parse().unwrap();
        assert!(set.puzzles.len() >= 100, "{variant}: {} puzzles", set.puzzles.len());
        let mut shapes = BTreeSet::new();
        for puzzle in &set.puzzles {
            let stones = puzzle.moves.iter().zip(0..);
            let stones: Vec<_> = stones.map(|(point, ply)| (*point, Stone::to_move(ply))).collect();
            assert!(shapes.insert(symmetry::layout(&stones)), "{variant}: {puzzle:?}");
        }
        let kinds: BTreeSet<_> = set.puzzles.iter().map(|puzzle| puzzle.kind).collect();
        assert_eq!(kinds.contains(&PuzzleKind::Trap), variant == Variant::Renju);
    }
}

#[test]
fn shipped_puzzles_are_proven_and_played_out_at_their_length() {
    for (variant, text) in SHIPPED {
        let set: PuzzleSet = text.parse().unwrap();
        let mut solver = Solver::new(set.rules).unwrap();
        for puzzle in set.puzzles.iter().step_by(set.puzzles.len() / SAMPLE).take(SAMPLE) {
            assert_eq!(solver.check(puzzle), Ok(()), "{variant}: {puzzle:?}");
            assert_eq!(
                played_out(&mut solver, set.rules, puzzle),
                usize::from(puzzle.length),
                "{puzzle:?}"
            );
        }
    }
}

/// The winner's moves if they play the solver's move each time, against its answers.
fn played_out(solver: &mut Solver, rules: Rules, puzzle: &Puzzle) -> usize {
    let mut position = Position::from_moves(rules, &puzzle.moves).expect("legal");
    for moves in 1.. {
        let solution = solver.solution(&position).expect("it is won");
        position.play(solution.moves[0]).expect("legal");
        match solver.answer(&position) {
            Answer::Solved | Answer::Trapped(_) => return moves,
            Answer::GoesOn(answer) => assert_eq!(position.play(answer), Ok(None)),
            Answer::Fails(answer) => panic!("{answer:?} refutes the solution of {puzzle:?}"),
        }
    }
    unreachable!("games end")
}
