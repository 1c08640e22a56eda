//! Measures bot strength: plays neighbouring engine levels, and the bots without levels against
//! many of them, and prints all Elo on one scale.
//!
//! `cargo run --release -p fivefold --example ladder -- --games 100`
//!
//! All games are freestyle on 15x15, from openings of the book with both colours. A level searches
//! a number of positions, and `--nodes` sets that of the highest, so the table does not depend on
//! the machine. The Elo maximise the likelihood of all results together (R. Bradley and M. Terry,
//! *Rank Analysis of Incomplete Block Designs*, 1952), with level 1 at 0 and a draw as half a win
//! each. The errors are for 95 % confidence and treat all games as independent.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]

use std::{io, num::NonZero, sync::atomic::AtomicBool, time::Duration};

use clap::Parser;
use fivefold::engines::{
    arena::{Contestant, Match, Sink},
    gomocup_engine::Limits,
};
use fivefold_shared::{
    bot_spec::{BotKind, BotSpec, LEVEL_MAX},
    opening::OpeningKind,
    rules::{Rules, Size, Variant},
};

/// 95 % of a normal distribution lie within this many standard deviations.
const Z_95: f64 = 1.96;

/// Elo of a difference that makes odds of e to one.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Plays matches between levels and bots, and prints their Elo.
#[derive(Parser, Debug)]
struct Args {
    /// Games between each level and the next.
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// Games of each bot without levels against each level but the highest.
    #[arg(long, default_value_t = 20)]
    bot_games: usize,
    /// Positions that the highest level searches.
    #[arg(long, default_value_t = 150_000)]
    nodes: u64,
    /// The lowest level that plays; use it to measure only changes of higher levels.
    #[arg(long, default_value_t = 1)]
    from: u8,
    /// The highest level that plays.
    #[arg(long, default_value_t = LEVEL_MAX)]
    to: u8,
    /// Seed for random choices.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at once.
    #[arg(long, default_value = "1")]
    threads: NonZero<usize>,
}

/// The result of the games between two players.
struct Meeting {
    /// Their numbers in the list of players.
    players: [usize; 2],
    games: f64,
    /// The first player's points, a draw as half a point.
    points: f64,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let engine = |level| BotSpec { kind: BotKind::Engine, level: Some(level) };
    let levels: Vec<BotSpec> = (args.from..=args.to.min(LEVEL_MAX)).map(engine).collect();
    let mut players = levels.clone();
    let mut meetings = Vec::new();
    for higher in 1..levels.len() {
        meetings.push(meet(&args, &players, [higher, higher - 1], args.games)?);
    }
    for kind in [BotKind::Attack, BotKind::Pattern] {
        players.push(kind.into());
        let against = |level: &usize| levels[*level].level != Some(LEVEL_MAX);
        for level in (0..levels.len()).filter(against) {
            meetings.push(meet(&args, &players, [players.len() - 1, level], args.bot_games)?);
        }
    }
    let (ratings, information) = rate(players.len(), &meetings);
    println!("player       Elo  error   step  error");
    for (index, player) in players.iter().enumerate() {
        let elo = ELO * ratings[index];
        let error = ELO * Z_95 * standard_error(&information, index, None);
        print!("{:<9} {elo:>6.0} {error:>6.0}", player.to_string());
        if (1..levels.len()).contains(&index) {
            let step = elo - ELO * ratings[index - 1];
            let error = ELO * Z_95 * standard_error(&information, index, Some(index - 1));
            print!(" {step:>6.0} {error:>6.0}");
        }
        println!();
    }
    Ok(())
}

/// Plays a match.
fn meet(
    args: &Args,
    list: &[BotSpec],
    players: [usize; 2],
    games: usize,
) -> anyhow::Result<Meeting> {
    let match_ = Match {
        players: players.map(|index| Contestant::Bot(list[index])),
        rules: Rules::new(Variant::Freestyle, Size::square(15))?,
        games,
        limits: Limits {
            turn: None,
            game: None,
            grace: Duration::ZERO,
            nodes: Some(args.nodes),
            memory: None,
            start: Duration::ZERO,
            is_trusted: false,
        },
        openings: Vec::new(),
        opening: OpeningKind::Free,
        seed: args.seed.wrapping_add(1_000 * players[0] as u64),
        plies_max: usize::MAX,
        threads: args.threads,
        sprt: None,
    };
    let stop = AtomicBool::new(false);
    let report = match_.play(&stop, &mut Sink { talk: &mut io::sink(), games: None })?;
    let [lost, drawn, won] = report.games().map(f64::from);
    eprintln!("{} - {}: +{won} ={drawn} -{lost}", list[players[0]], list[players[1]]);
    Ok(Meeting { players, games: lost + drawn + won, points: won + drawn / 2.0 })
}

/// The most likely strengths, as logarithms of odds with the first player's at 0, and their
/// information matrix: the second derivatives of the likelihood, without the first player. Each
/// meeting counts one more game, half won and half lost, so that every strength stays finite.
fn rate(players: usize, meetings: &[Meeting]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut ratings = vec![0.0_f64; players];
    let mut information = Vec::new();
    for _ in 0..100 {
        let mut slope = vec![0.0; players];
        information = vec![vec![0.0; players]; players];
        for Meeting { players: [one, other], games, points } in meetings {
            let (games, points) = (games + 1.0, points + 0.5);
            let share = 1.0 / (1.0 + (ratings[*other] - ratings[*one]).exp());
            for (this, that, sign) in [(*one, *other, 1.0), (*other, *one, -1.0)] {
                slope[this] += sign * (points - games * share);
                information[this][this] += games * share * (1.0 - share);
                information[this][that] -= games * share * (1.0 - share);
            }
        }
        // Newton's method; bounded steps, as the function is far from linear there.
        let steps = solve(&information, &slope);
        for (rating, step) in ratings.iter_mut().zip(steps) {
            *rating += step.clamp(-1.0, 1.0);
        }
    }
    (ratings, information)
}

/// The standard error of a strength, or of its difference from another one.
fn standard_error(information: &[Vec<f64>], one: usize, other: Option<usize>) -> f64 {
    let mut difference = vec![0.0; information.len()];
    difference[one] = 1.0;
    if let Some(other) = other {
        difference[other] = -1.0;
    }
    let solved = solve(information, &difference);
    let variance: f64 = solved.iter().zip(&difference).map(|(one, other)| one * other).sum();
    variance.max(0.0).sqrt()
}

/// Solves linear equations by elimination, with the first unknown fixed at 0. The matrix is that of
/// players who have all met, so it is positive there and needs no pivots.
fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let count = right.len();
    let with_right = |(row, right): (&Vec<f64>, &f64)| [row.as_slice(), &[*right]].concat();
    let mut rows: Vec<Vec<f64>> = matrix.iter().zip(right).map(with_right).collect();
    for pivot in 1..count {
        let (above, below) = rows.split_at_mut(pivot + 1);
        let top = &above[pivot];
        for row in below {
            let factor = row[pivot] / top[pivot];
            row.iter_mut().zip(top).for_each(|(value, above)| *value -= factor * above);
        }
    }
    let mut solution = vec![0.0; count];
    for (index, row) in rows.iter().enumerate().skip(1).rev() {
        let later = row.iter().zip(&solution).take(count).skip(index + 1);
        let known: f64 = later.map(|(factor, value)| factor * value).sum();
        solution[index] = (row[count] - known) / row[index];
    }
    solution
}
