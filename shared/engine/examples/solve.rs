//! Solves problems of continuous fours and prints how well and how fast, on one thread.
//!
//! `cargo run --release -p fivefold-engine --example solve -- FILE...`
//!
//! Each line of a file is a JSON object with `size`, `rule` (0 freestyle, 1 standard, 4 renju),
//! `black` and `white` (lists of points), `to_move`, `kind` (`vcf`, `vct` or `no_vcf`) and
//! `solution_len`, the attacker's moves until five, an open four or a double four.

#![expect(clippy::print_stdout, reason = "a program that prints")]
#![expect(clippy::disallowed_methods, reason = "a program that measures time")]

use std::{
    env, fs,
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use fivefold_engine::search::ThreatSearch;
use fivefold_shared::{
    rules::{Point, Rules, Size, Stone, Variant},
    search_budget::{Budget, Thinking},
};
use serde::Deserialize;

const NODES_MAX: u64 = 20_000_000;

#[derive(Deserialize)]
struct Problem {
    size: u8,
    rule: u8,
    black: Vec<Point>,
    white: Vec<Point>,
    to_move: Stone,
    kind: String,
    solution_len: Option<usize>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in env::args().skip(1) {
        let text = fs::read_to_string(&path)?;
        let problems: Vec<Problem> =
            text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        println!("{path}: {} problems", problems.len());
        report(&problems)?;
    }
    Ok(())
}

fn report(problems: &[Problem]) -> Result<(), Box<dyn std::error::Error>> {
    let (mut solved, mut shortest, mut claimed, mut asked) = (0, 0, 0, 0);
    let mut times = Vec::new();
    let mut nodes = 0;
    let mut longest: Option<(Duration, usize)> = None;
    let variant = match problems.first().map(|problem| problem.rule) {
        Some(1) => Variant::Standard,
        Some(4) => Variant::Renju,
        _ => Variant::Freestyle,
    };
    let mut search = ThreatSearch::new(Rules::new(variant, Size::square(15))?).expect("a board");
    for (number, problem) in problems.iter().enumerate() {
        assert_eq!(problem.size, 15, "the problems are on 15x15");
        let black = problem.black.iter().map(|point| (*point, Stone::Black));
        search.set_up(black.chain(problem.white.iter().map(|point| (*point, Stone::White))));
        search.forget();
        let start = Instant::now();
        let is_solved = match problem.kind.as_str() {
            "vct" => {
                let elapsed = move || start.elapsed();
                let cancel = AtomicBool::new(false);
                let budget = Budget { time: Duration::from_secs(1), ..Budget::UNLIMITED };
                let thinking = Thinking { budget, elapsed: &elapsed, cancel: &cancel };
                search.vct(problem.to_move, &thinking).is_some()
            }
            _ => search.vcf(problem.to_move, NODES_MAX).is_some(),
        };
        let time = start.elapsed();
        times.push(time);
        nodes += search.nodes();
        if longest.is_none_or(|(most, _)| time > most) {
            longest = Some((time, number));
        }
        match problem.solution_len {
            None => claimed += usize::from(is_solved),
            Some(stated) => {
                asked += 1;
                solved += usize::from(is_solved);
                if !is_solved {
                    println!("  line {} is not solved", number + 1);
                } else if problem.kind == "vcf" {
                    let line = search.shortest_vcf(problem.to_move, NODES_MAX);
                    shortest +=
                        usize::from(line.is_some_and(|line| line.len().div_ceil(2) == stated));
                }
            }
        }
    }
    times.sort_unstable();
    let at = |part: usize| times[(times.len() * part / 1000).min(times.len() - 1)];
    println!(
        "  solved {solved} of {asked}, {shortest} by fours in the stated length; {claimed} wrongly claimed"
    );
    println!("  median {:?}, p90 {:?}, p99 {:?}, longest {longest:?}", at(500), at(900), at(990));
    println!("  {nodes} nodes in {:?}", times.iter().sum::<Duration>());
    Ok(())
}
