//! Plays games of two bots by an opening, and counts how the colours come out.
//!
//! `cargo run --release -p fivefold-engine --example openings -- KIND A B GAMES`
//!
//! `KIND` is an opening such as `swap2`; `A` and `B` are bots such as `engine:5`. They begin in turn.
//! The same command plays the same games, because a number of positions limits each act and move.

#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::env;

use fivefold_engine::bot::{self, Resources};
use fivefold_shared::{
    bot_spec::BotSpec,
    opening::{Opening, OpeningKind},
    rules::{Position, Rules, Size, Stone, Variant},
    search_budget::{Budget, Thinking},
    seat::Seat,
};

/// Positions that may be searched for an act or a move, besides the limit of the bot's level.
const NODES: u64 = 40_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [_, kind, a, b, games] = &env::args().collect::<Vec<_>>()[..] else {
        return Err("usage: openings KIND A B GAMES".into());
    };
    let kind: OpeningKind = kind.parse()?;
    let bots: [BotSpec; 2] = [a.parse()?, b.parse()?];
    let mut boards = [Variant::Freestyle, Variant::Renju].into_iter();
    let boards = boards.find_map(|variant| {
        let rules = Rules::new(variant, Size::square(15)).ok()?;
        kind.offered(rules).is_ok().then_some(rules)
    });
    let rules = boards.ok_or("no rules for this opening")?;
    // Black's wins, White's, and draws; and A's wins.
    let (mut colours, mut won_by_a, mut a_black) = ([0_u32; 3], 0_u32, 0_u32);
    let games: u64 = games.parse()?;
    for game in 0..games {
        // In odd games B begins.
        let of = |seat: Seat| usize::from((seat == Seat::Second) != (game % 2 == 1));
        let (black, winner) = play(rules, kind, |seat| bots[of(seat)], game)?;
        a_black += u32::from(of(black) == 0);
        match winner {
            Some(stone) => {
                colours[usize::from(stone == Stone::White)] += 1;
                won_by_a += u32::from(of(Seat::with_stone(stone, black)) == 0);
            }
            None => colours[2] += 1,
        }
    }
    let [black, white, drawn] = colours;
    let decided = f64::from(black + white).max(1.0);
    let share = f64::from(black) / decided;
    let error = 196.0 * (share * (1.0 - share) / decided).sqrt();
    println!("{kind}, {rules}: {games} games of {a} and {b}, of at most {NODES} positions a move");
    println!(
        "Black won {black}, White {white}, drawn {drawn}: Black {:.1} % +- {error:.1} of the decided",
        100.0 * share
    );
    println!("{a} won {won_by_a}, and was Black {a_black} times");
    Ok(())
}

/// The seat that was Black, and the colour that won.
fn play(
    rules: Rules,
    kind: OpeningKind,
    spec: impl Fn(Seat) -> BotSpec,
    seed: u64,
) -> Result<(Seat, Option<Stone>), Box<dyn std::error::Error>> {
    let (mut opening, mut position) = (Opening::new(kind, Seat::First), Position::new(rules));
    let budget = Budget { nodes: Some(NODES), ..Budget::UNLIMITED };
    let thinking = Thinking { budget, ..Thinking::unlimited() };
    let mut bots = [
        bot::build(spec(Seat::First), rules, 2 * seed)?,
        bot::build(spec(Seat::Second), rules, 2 * seed + 1)?,
    ];
    while let Some(seat) = opening.to_act() {
        let (resources, seed) = (Resources::default(), 2 * seed + u64::from(seat == Seat::Second));
        let act = bot::opening::choose(spec(seat), &opening, &position, seed, resources, &thinking)
            .ok_or("the opening runs")?;
        opening.apply(&mut position, &act)?;
    }
    while position.outcome().is_none() {
        let seat = Seat::with_stone(position.turn(), opening.black());
        let bot = &mut bots[usize::from(seat == Seat::Second)];
        let point = bot.choose(&position, &thinking).ok_or("the game goes on")?;
        position.play(point)?;
    }
    let winner = position.outcome().and_then(|outcome| outcome.winner());
    Ok((opening.black(), winner))
}
