//! Lets two bots play against each other, from balanced openings with both colours.
//!
//! `cargo run --release -p fivefold-shared --example duel -- A B [VARIANT] [SIZE] [MS] [GAMES]`
//!
//! `A` and `B` are bots such as `engine`, `engine:4` or `attack`; the rest is `freestyle`, `15`,
//! `50` and `20` if left out. It prints wins, draws and losses of A, and the longest move of each.

#![expect(clippy::print_stdout, reason = "a program that prints")]
#![expect(clippy::disallowed_methods, reason = "a program that measures time")]

use std::{
    env,
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use fivefold_shared::{
    bot::{Bot, BotSpec, Budget, Thinking},
    notation::coordinates,
    rules::{Point, Position, Rules, Size, Stone, Variant},
};

/// Short openings that give both sides about the same chances in freestyle on 15x15, made for this
/// project; names of points, one after the other.
const OPENINGS: &str = include_str!("../testdata/openings_free15.txt");

/// A game that is not decided by then counts as a draw.
const PLIES_MAX: usize = 300;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let argument =
        |index: usize, default: &'static str| arguments.get(index).map_or(default, String::as_str);
    let specs: [BotSpec; 2] = [argument(0, "engine").parse()?, argument(1, "attack").parse()?];
    let variant = variant(argument(2, "freestyle"))?;
    let rules = Rules::new(variant, argument(3, "15").parse()?)?;
    let time = Duration::from_millis(argument(4, "50").parse()?);
    let games: usize = argument(5, "20").parse()?;
    let (mut score, mut longest) = ([0; 3], [Duration::ZERO; 2]);
    for game in 0..games {
        let mut bots = Vec::new();
        for (side, spec) in specs.iter().enumerate() {
            bots.push(spec.build(rules, (2 * game + side) as u64)?);
        }
        let mut position = opening(rules, game / 2)?;
        while position.outcome().is_none() && position.ply() < PLIES_MAX {
            let side = (position.turn() as usize + game) % 2;
            let start = Instant::now();
            let point = think(bots[side].as_mut(), &position, time).expect("the game goes on");
            longest[side] = longest[side].max(start.elapsed());
            position.play(point)?;
        }
        let winner = position.outcome().and_then(|outcome| outcome.winner());
        let index = match winner {
            None => 1,
            Some(stone) if (stone as usize + game).is_multiple_of(2) => 0,
            Some(_) => 2,
        };
        score[index] += 1;
        if index == 2 && env::var_os("SHOW_LOSSES").is_some() {
            println!("{}", moves(&position));
        }
    }
    let [wins, draws, losses] = score;
    println!(
        "{} against {}, {rules}, {time:?}: {wins} won, {draws} drawn, {losses} lost; longest moves {longest:?}",
        specs[0], specs[1]
    );
    Ok(())
}

fn think(bot: &mut dyn Bot, position: &Position, time: Duration) -> Option<Point> {
    let start = Instant::now();
    let elapsed = move || start.elapsed();
    let cancel = AtomicBool::new(false);
    let budget = Budget { time, nodes: None };
    bot.choose(position, &Thinking { budget, elapsed: &elapsed, cancel: &cancel })
}

/// A position to begin with: on freestyle 15x15 an opening that is balanced, elsewhere none, as
/// bots vary their first moves themselves.
fn opening(rules: Rules, number: usize) -> Result<Position, Box<dyn std::error::Error>> {
    let mut position = Position::new(rules);
    if rules.variant() != Variant::Freestyle || rules.size() != Size::square(15) {
        return Ok(position);
    }
    let line = OPENINGS.lines().cycle().nth(number).expect("there are openings");
    for name in line.split_inclusive(|c: char| c.is_ascii_digit()).fold(Vec::new(), join) {
        position.play(coordinates::parse(&name, rules.size())?)?;
    }
    Ok(position)
}

/// Joins a second digit to the name it belongs to.
fn join(mut names: Vec<String>, part: &str) -> Vec<String> {
    match names.last_mut() {
        Some(name) if part.len() == 1 => name.push_str(part),
        _ => names.push(part.to_owned()),
    }
    names
}

fn moves(position: &Position) -> String {
    let size = position.rules().size();
    let names = position.moves().iter().map(|point| coordinates::format(*point, size));
    let colour = |ply| if Stone::to_move(ply) == Stone::Black { ' ' } else { '/' };
    names.enumerate().map(|(ply, name)| format!("{}{name}", colour(ply))).collect()
}

fn variant(name: &str) -> Result<Variant, String> {
    let all = [
        Variant::Freestyle,
        Variant::Standard,
        Variant::Renju,
        Variant::Caro,
        Variant::CaroOverline,
    ];
    match name.strip_prefix("mnk").map(str::parse) {
        Some(Ok(k)) => Ok(Variant::Mnk { k }),
        Some(Err(_)) | None => all
            .into_iter()
            .find(|variant| variant.name() == name)
            .ok_or_else(|| format!("no variant {name}")),
    }
}
