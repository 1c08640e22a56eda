//! Makes puzzles from games of the engine against itself, and proves them again.
//!
//! `cargo run --release -p fivefold-engine --example puzzles -- make RULES GAMES SEED COUNT FILE`
//! `cargo run --release -p fivefold-engine --example puzzles -- pick COUNT FROM FILE`
//! `cargo run --release -p fivefold-engine --example puzzles -- check FILE...`
//!
//! `make` plays games and writes at most COUNT puzzles to FILE, after each hundred games and at the
//! end, spread evenly over kinds and lengths; `RULES` is `freestyle`, `standard` or `renju`. The same
//! command gives the same file. If it is interrupted, the head of the file says of how many games it
//! is made. `pick` takes fewer puzzles from a file.

#![expect(clippy::print_stdout, reason = "a program that prints")]
#![expect(clippy::disallowed_methods, reason = "a program that reads and writes files")]

mod games;
mod selection;

use std::{collections::BTreeSet, env, error::Error, fs};

use fivefold_engine::{
    puzzle_solver::{
        FIND_NODES, Flaw, REFUTE_ALL_NODES_MIN, REFUTE_NODES_MIN, REFUTE_TIMES, Solver,
    },
    search::ThreatSearch,
};
use fivefold_shared::{
    puzzle::{Puzzle, PuzzleSet},
    rules::{Position, Rules, Size, Stone, Variant},
    symmetry::{self, Layout},
};

/// Positions for a first look whether a side wins.
const LOOK_NODES: u64 = 3_000;
/// Games between two reports.
const REPORTED: u64 = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &arguments[..] {
        ["make", rules, games, seed, count, file] => {
            let variant = Variant::named(rules).ok_or("no such rules")?;
            let rules = Rules::new(variant, Size::square(15))?;
            make(rules, games.parse()?, seed.parse()?, count.parse()?, file)
        }
        ["pick", count, from, file] => {
            let set: PuzzleSet = fs::read_to_string(from)?.parse()?;
            let puzzles = selection::spread(&set.puzzles, count.parse()?);
            Ok(fs::write(file, PuzzleSet { puzzles, ..set }.to_string())?)
        }
        ["check", files @ ..] => files.iter().try_for_each(|file| check(file)),
        _ => {
            Err("say `make RULES GAMES SEED COUNT FILE`, `pick COUNT FROM FILE` or `check FILE...`"
                .into())
        }
    }
}

/// What a run has found so far.
#[derive(Default)]
struct Collection {
    /// Positions in which the side to move wins.
    candidates: u64,
    /// Candidates with a second winning move.
    refused: u64,
    repeated: u64,
    shapes: BTreeSet<Layout>,
    puzzles: Vec<Puzzle>,
}

fn make(
    rules: Rules,
    games: u64,
    seed: u64,
    count: usize,
    file: &str,
) -> Result<(), Box<dyn Error>> {
    let mut solver = Solver::new(rules).ok_or("no engine for these rules")?;
    let mut threats = ThreatSearch::new(rules).ok_or("no engine for these rules")?;
    let mut found = Collection::default();
    for game in 0..games {
        let position = games::play(rules, seed, game)?;
        search_game(&position, &mut solver, &mut threats, &mut found);
        let played = game + 1;
        if played.is_multiple_of(REPORTED) || played == games {
            let Collection { candidates, refused, repeated, .. } = &found;
            let puzzles = selection::spread(&found.puzzles, count);
            println!(
                "{played} games, {candidates} won positions, {refused} with another winning move, \
                 {repeated} of a known shape, {} puzzles, {} of them picked; {:.0} s of processor time",
                found.puzzles.len(),
                puzzles.len(),
                processor_seconds(),
            );
            let made = format!(
                "{played} games with seed {seed}, levels {} to {}; wins found within {FIND_NODES} \
                 positions, other first moves refuted by {REFUTE_TIMES} times as many as the win \
                 took, at least {REFUTE_NODES_MIN} for each threat and {REFUTE_ALL_NODES_MIN} for all",
                games::LEVELS.start(),
                games::LEVELS.end()
            );
            fs::write(file, PuzzleSet { rules, made, puzzles }.to_string())?;
        }
    }
    selection::report(&selection::spread(&found.puzzles, count));
    Ok(())
}

/// Looks for puzzles in a game: for each side at most one in a row of its moves that could win.
fn search_game(
    game: &Position,
    solver: &mut Solver,
    threats: &mut ThreatSearch,
    found: &mut Collection,
) {
    let mut position = Position::new(game.rules());
    // Whether the side has its puzzle of this row already.
    let mut done = [false; 2];
    threats.forget();
    for point in game.moves() {
        let turn = position.turn();
        let done = &mut done[usize::from(turn == Stone::White)];
        let stones = position.moves().iter().zip(0..);
        threats.set_up(stones.map(|(point, ply)| (*point, Stone::to_move(ply))));
        if threats.threat_win(turn, LOOK_NODES).is_none() {
            *done = false;
        } else if !*done {
            found.candidates += 1;
            *done = found.take(solver.puzzle(&position), &position);
        }
        if !matches!(position.play(*point), Ok(None)) {
            return;
        }
    }
}

impl Collection {
    /// Adds a puzzle, and returns whether there was one.
    fn take(&mut self, puzzle: Result<Puzzle, Flaw>, position: &Position) -> bool {
        match puzzle {
            Ok(puzzle) => {
                let stones = position.moves().iter().zip(0..);
                let stones: Vec<_> =
                    stones.map(|(point, ply)| (*point, Stone::to_move(ply))).collect();
                if self.shapes.insert(symmetry::layout(&stones)) {
                    self.puzzles.push(puzzle);
                } else {
                    self.repeated += 1;
                }
                true
            }
            Err(Flaw::AnotherFirst(_)) => {
                self.refused += 1;
                false
            }
            Err(Flaw::NoPosition | Flaw::FiveIsNear | Flaw::NoWin | Flaw::OtherWin { .. }) => false,
        }
    }
}

/// Proves every puzzle of a file.
fn check(file: &str) -> Result<(), Box<dyn Error>> {
    let set: PuzzleSet = fs::read_to_string(file)?.parse()?;
    let mut solver = Solver::new(set.rules).ok_or("no engine for these rules")?;
    let mut flaws = 0;
    for (puzzle, number) in set.puzzles.iter().zip(1..) {
        if let Err(flaw) = solver.check(puzzle) {
            println!("{file}: puzzle {number}: {flaw}");
            flaws += 1;
        }
    }
    let seconds = processor_seconds();
    println!(
        "{file}: {} puzzles, {flaws} with a flaw; {seconds:.0} s of processor time",
        set.puzzles.len()
    );
    selection::report(&set.puzzles);
    if flaws > 0 { Err("not every puzzle is proven".into()) } else { Ok(()) }
}

/// Processor time of this program; 0 where the system does not say.
fn processor_seconds() -> f64 {
    let nanoseconds = || -> Option<f64> {
        let text = fs::read_to_string("/proc/self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok()
    };
    nanoseconds().unwrap_or_default() / 1e9
}
