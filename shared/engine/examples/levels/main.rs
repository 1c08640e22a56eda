//! Measures what the engine's levels overlook, and plays a person who knows only the rules against
//! them.
//!
//! `cargo run --release -p fivefold-engine --example levels -- [TRIES] [GAMES] [SEED] [HIGHEST]`
//!
//! The defaults are 100 tries for each number, 40 games against each level, the seed 1 and levels
//! up to 6; a 0 leaves out that table. A try is a random position of freestyle on 15x15 that has
//! one thing to see, and nothing else that forces a move. The table says in how many percent of the
//! tries a level completed its own five, stopped a four, and stopped an open three.
//!
//! The first column has rows and columns without a gap, just made. Each other column differs from it
//! in what its name says; *far* is made one own turn ago, with the last stones elsewhere. In *mixed*,
//! half are diagonals, a third have a gap, a sixth is far and a sixth is old.

#![expect(clippy::print_stdout, reason = "a program that prints")]

mod beginner;
mod board_lines;
mod sighting;

use std::{env, error::Error};

use fivefold_engine::bot::{self, Bot};
use fivefold_shared::{
    bot_spec::{BotKind, BotSpec},
    rules::{Position, Rules, Size, Stone, Variant},
    search_budget::{Budget, Thinking},
};
use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

use self::{
    beginner::Beginner,
    sighting::{Circumstances, Sighting, Subject},
};

/// Positions that any level may search for a move.
const NODES: u64 = 20_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let argument = |index: usize, default: u64| {
        arguments.get(index).map_or(Ok(default), |argument| argument.parse())
    };
    let (tries, games) = (argument(0, 100)?, argument(1, 40)?);
    let (seed, highest) = (argument(2, 1)?, u8::try_from(argument(3, 6)?)?);
    let rules = Rules::new(Variant::Freestyle, Size::square(15))?;
    if tries > 0 {
        print_seen(rules, tries, seed, highest)?;
    }
    if games > 0 {
        print_games(rules, games, seed, highest)?;
    }
    Ok(())
}

/// Prints how often each level sees a thing.
fn print_seen(rules: Rules, tries: u64, seed: u64, highest: u8) -> Result<(), Box<dyn Error>> {
    print!("| level | thing |");
    for (name, _) in Circumstances::COLUMNS {
        print!(" {name} |");
    }
    println!("\n| --- | --- |{}", " --- |".repeat(Circumstances::COLUMNS.len()));
    for level in 1..=highest {
        for subject in Subject::ALL {
            print!("| {level} | {} |", subject.name());
            for (column, (_, circumstances)) in Circumstances::COLUMNS.into_iter().enumerate() {
                let first = seed.wrapping_mul(1 << 32) + column as u64 * tries;
                let mut seen = 0;
                for number in first..first + tries {
                    seen += u64::from(sees(level, rules, subject, circumstances, number)?);
                }
                print!(" {} |", 100 * seen / tries);
            }
            println!();
        }
    }
    Ok(())
}

/// Whether a level sees a thing in a random position; without circumstances, these are random, too.
fn sees(
    level: u8,
    rules: Rules,
    subject: Subject,
    circumstances: Option<Circumstances>,
    seed: u64,
) -> Result<bool, Box<dyn Error>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let circumstances = circumstances.unwrap_or_else(|| Circumstances::random(&mut random));
    let sighting = Sighting::random(rules, subject, circumstances, &mut random);
    let mut bot = build(level, rules, seed)?;
    let point = bot.choose(&sighting.position, &thinking()).ok_or("the game goes on")?;
    Ok(sighting.answers.contains(&point))
}

/// Plays the beginner against each level, and prints the results.
fn print_games(rules: Rules, games: u64, seed: u64, highest: u8) -> Result<(), Box<dyn Error>> {
    println!("\n| level | the beginner wins | draws | loses |\n| --- | --- | --- | --- |");
    for level in 1..=highest {
        let (mut won, mut drawn, mut lost) = (0, 0, 0);
        for number in 0..games {
            let seed = seed.wrapping_mul(1 << 32) + number;
            let stone = if number % 2 == 0 { Stone::Black } else { Stone::White };
            let position = play(rules, build(level, rules, seed)?, Beginner::new(seed), stone)?;
            match position.outcome().and_then(|outcome| outcome.winner()) {
                None => drawn += 1,
                Some(winner) if winner == stone => won += 1,
                Some(_) => lost += 1,
            }
        }
        println!("| {level} | {won} | {drawn} | {lost} |");
    }
    Ok(())
}

/// A game in which the beginner has that colour.
fn play(
    rules: Rules,
    mut bot: Box<dyn Bot>,
    mut beginner: Beginner,
    stone: Stone,
) -> Result<Position, Box<dyn Error>> {
    let mut position = Position::new(rules);
    while position.outcome().is_none() {
        let point = if position.turn() == stone {
            beginner.choose(&position)
        } else {
            bot.choose(&position, &thinking()).ok_or("the game goes on")?
        };
        position.play(point)?;
    }
    Ok(position)
}

fn build(level: u8, rules: Rules, seed: u64) -> Result<Box<dyn Bot>, Box<dyn Error>> {
    Ok(bot::build(BotSpec { kind: BotKind::Engine, level: Some(level) }, rules, seed)?)
}

fn thinking() -> Thinking<'static> {
    Thinking { budget: Budget { nodes: Some(NODES), ..Budget::UNLIMITED }, ..Thinking::unlimited() }
}
