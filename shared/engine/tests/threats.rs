//! Tests on problems of continuous fours in freestyle, each with the length of its shortest win,
//! and positions that have none. They come from games and solvers made for this project.

use fivefold_engine::search::ThreatSearch;
use fivefold_shared::rules::{Point, Rules, Size, Stone, Variant};
use serde::Deserialize;

#[derive(Deserialize)]
struct Problem {
    black: Vec<Point>,
    white: Vec<Point>,
    to_move: Stone,
    solution_len: Option<usize>,
}

#[test]
fn every_win_is_found_at_its_length_and_none_is_claimed_where_there_is_none() {
    let rules = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
    let mut search = ThreatSearch::new(rules).unwrap();
    let problems = include_str!("../testdata/free_vcf.jsonl");
    let mut count = 0;
    for line in problems.lines() {
        let problem: Problem = serde_json::from_str(line).unwrap();
        let stones = stones(&problem);
        search.set_up(stones.iter().copied());
        let any = search.vcf(problem.to_move, 1_000_000);
        let shortest = search.shortest_vcf(problem.to_move, 1_000_000);
        assert_eq!(any.is_some(), problem.solution_len.is_some(), "{line}");
        let moves = shortest.as_ref().map(|win| win.len().div_ceil(2));
        assert_eq!(moves, problem.solution_len, "{line}");
        for win in any.iter().chain(&shortest) {
            assert!(is_won(&stones, problem.to_move, win), "{win:?} in {line}");
        }
        count += 1;
    }
    assert_eq!(count, 128);
}

fn stones(problem: &Problem) -> Vec<(Point, Stone)> {
    let black = problem.black.iter().map(|point| (*point, Stone::Black));
    black.chain(problem.white.iter().map(|point| (*point, Stone::White))).collect()
}

/// Plays a win on a plain map of stones: each of the attacker's moves but the last makes one five
/// that the next move stops, and the last leaves a five that no move stops.
fn is_won(stones: &[(Point, Stone)], attacker: Stone, win: &[Point]) -> bool {
    let mut stones = stones.to_vec();
    let last = win.len() - 1;
    win.iter().enumerate().all(|(ply, point)| {
        let stone = if ply % 2 == 0 { attacker } else { attacker.opponent() };
        let defended = fives(&stones, attacker.opponent());
        let is_five = fives(&stones, stone).contains(point);
        stones.push((*point, stone));
        let threats = fives(&stones, attacker);
        match stone {
            _ if ply == last => {
                is_five || threats.len() >= 2 && defended.iter().all(|five| five == point)
            }
            _ if stone == attacker => {
                threats.contains(&win[ply + 1]) && defended.iter().all(|five| five == point)
            }
            _ => threats.is_empty(),
        }
    })
}

/// The points where one more stone makes five or more, by counting along every line.
fn fives(stones: &[(Point, Stone)], stone: Stone) -> Vec<Point> {
    let has = |x: i32, y: i32| stones.contains(&(Point::new(x, y), stone));
    let is_empty = |point: Point| stones.iter().all(|(taken, _)| *taken != point);
    let mut found = Vec::new();
    for point in (0..225).map(|n| Point::new(n % 15, n / 15)).filter(|point| is_empty(*point)) {
        let longest = [(1, 0), (0, 1), (1, 1), (1, -1)].map(|(dx, dy)| {
            let reach = |sign: i32| {
                (1..5).take_while(|n| has(point.x + sign * n * dx, point.y + sign * n * dy)).count()
            };
            1 + reach(1) + reach(-1)
        });
        if longest.iter().any(|run| *run >= 5) {
            found.push(point);
        }
    }
    found
}
