//! How many moves a second the rules check: whole random games, and renju's forbidden points.
//!
//! ```text
//! cargo bench -p fivefold-shared --bench rules
//! ```
//!
//! One element of the throughput is one accepted move (or, for `forbidden_points`, one position),
//! with all that [`Position::play`] does: legality, the lines through the stone, the outcome.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fivefold_shared::rules::{Point, Position, Rules, Size, Stone, Variant};

const GAMES: u64 = 32;
/// Side of the square that games on the unbounded board are played in, as large as the bounded one.
const SIDE: u64 = 15;

const VARIANTS: [Variant; 6] = [
    Variant::Freestyle,
    Variant::Standard,
    Variant::Renju,
    Variant::Caro,
    Variant::CaroOverline,
    Variant::Mnk { k: 5 },
];

/// A random number from a counter, by the steps of splitmix64: each game is the same every time.
fn random(seed: u64) -> u64 {
    let mut bits = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// A whole random game: every point in random order, forbidden ones left out.
fn random_game(rules: Rules, seed: u64) -> Position {
    let mut points: Vec<(u64, Point)> = (0..SIDE * SIDE)
        .map(|index| {
            let (x, y) = ((index % SIDE).cast_signed(), (index / SIDE).cast_signed());
            let point = Point::new(x.try_into().expect("small"), y.try_into().expect("small"));
            (random(seed << 32 | index), point)
        })
        .collect();
    points.sort_unstable();
    let mut game = Position::new(rules);
    for (_, point) in points {
        if game.legality(point).is_ok() {
            game.play(point).expect("a legal move is accepted");
        }
    }
    game
}

fn games(rules: Rules) -> Vec<Position> {
    (0..GAMES).map(|seed| random_game(rules, seed)).collect()
}

fn play(criterion: &mut Criterion) {
    for (board, size) in [("15x15", Size::square(15)), ("unbounded", Size::Unbounded)] {
        let mut group = criterion.benchmark_group(format!("play/{board}"));
        for variant in VARIANTS {
            let Ok(rules) = Rules::new(variant, size) else { continue };
            let games = games(rules);
            let moves = games.iter().map(Position::ply).sum::<usize>();
            group.throughput(Throughput::Elements(moves.try_into().expect("a few thousand")));
            group.bench_function(BenchmarkId::from_parameter(variant), |bencher| {
                bencher.iter(|| {
                    for game in &games {
                        black_box(Position::from_moves(rules, game.moves())).expect("legal");
                    }
                });
            });
        }
        group.finish();
    }
}

fn forbidden_points(criterion: &mut Criterion) {
    let rules = Rules::new(Variant::Renju, Size::square(15)).expect("renju is offered");
    let positions: Vec<Position> = games(rules)
        .into_iter()
        .map(|mut game| {
            while game.ply() > 60 || game.turn() == Stone::White {
                game.undo();
            }
            game
        })
        .collect();
    let mut group = criterion.benchmark_group("renju");
    group.throughput(Throughput::Elements(GAMES));
    group.bench_function("forbidden_points", |bencher| {
        bencher.iter(|| {
            for position in &positions {
                black_box(position.forbidden_points());
            }
        });
    });
    group.finish();
}

criterion_group!(benches, play, forbidden_points);
criterion_main!(benches);
