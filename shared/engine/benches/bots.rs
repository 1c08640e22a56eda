//! Measures how long the bots take for one move: `cargo bench -p fivefold-engine --bench bots`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use fivefold_engine::bot;
use fivefold_shared::{
    bot_spec::{BotKind, BotSpec},
    rules::{Point, Position, Rules, Size, Variant},
    search_budget::Thinking,
};
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};

/// A running game of `plies` random moves with coordinates below `side`.
fn random_game(rules: Rules, side: i32, plies: usize) -> Position {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut position = Position::new(rules);
    while position.ply() < plies {
        let point = Point::new(random.random_range(0..side), random.random_range(0..side));
        if position.play(point).is_ok() && position.outcome().is_some() {
            position.undo();
        }
    }
    position
}

fn one_move(criterion: &mut Criterion) {
    let rules = |variant, size| Rules::new(variant, size).expect("these rules are on offer");
    let gomoku = rules(Variant::Freestyle, Size::square(15));
    let renju = rules(Variant::Renju, Size::square(15));
    let unbounded = rules(Variant::Freestyle, Size::Unbounded);
    let four = rules(Variant::Mnk { k: 4 }, Size::Bounded { width: 4, height: 5 });
    let weighing = [BotKind::Attack, BotKind::Pattern].as_slice();
    let cases = [
        ("15x15, 60 stones", random_game(gomoku, 15, 60), weighing),
        ("renju, 60 stones", random_game(renju, 15, 60), weighing),
        ("unbounded, 3,999 stones together", random_game(unbounded, 90, 3_999), weighing),
        ("unbounded, 3,999 stones apart", random_game(unbounded, 1_000_000, 3_999), weighing),
        ("3x3, first move", Position::new(Rules::TIC_TAC_TOE), &[BotKind::Minimax]),
        ("4x5, four in a row, first move", Position::new(four), &[BotKind::Minimax]),
    ];
    let mut group = criterion.benchmark_group("one move");
    group.sample_size(10);
    for (name, position, kinds) in &cases {
        for kind in *kinds {
            let mut bot = bot::build(BotSpec::from(*kind), position.rules(), 1)
                .expect("the case names bots that are on offer");
            group.bench_function(format!("{kind}: {name}"), |bencher| {
                bencher.iter(|| bot.choose(black_box(position), &Thinking::unlimited()));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, one_move);
criterion_main!(benches);
