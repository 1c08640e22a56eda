//! How long it takes to find out whether a position is near that of a running rated game, by the number of stones.
//! As many rated games are running as a server knows at once, and the person who asks plays as many daily games as
//! they may:
//!
//! ```text
//! cargo bench -p fivefold-server --bench rated_positions
//! ```

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fivefold_server::{
    limits::{DAILY_GAMES_MAX, moderation::RATED_ROOMS_MAX},
    rooms::rated_positions::{RatedPositions, stored_position},
};
use fivefold_shared::{protocol::RoomCode, rules::Point};

/// So many moves on a board of 15x15 that are near each other, others for each game.
fn moves(game: usize, count: usize) -> Vec<Point> {
    let side = if count > 100 { 15 } else { 10 };
    let mut points: Vec<_> =
        (0..side).flat_map(|x| (0..side).map(move |y| Point::new(x, y))).collect();
    // As in a shuffle, from a number that differs for each game.
    let mut state = game as u64 + 1;
    for place in (1..points.len()).rev() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(state >> 33).expect("31 bits") % (place + 1);
        points.swap(place, at);
    }
    points.truncate(count);
    points
}

fn code(number: usize) -> RoomCode {
    let letters = "23456789abcdefgh".as_bytes();
    let digit = |place: usize| char::from(letters[number >> (4 * place) & 15]);
    RoomCode::try_from((0..12).map(digit).collect::<String>()).expect("letters of the alphabet")
}

fn searches(criterion: &mut Criterion) {
    let positions = RatedPositions::default();
    for game in 0..RATED_ROOMS_MAX {
        positions.set(&code(game), &moves(game, 20 + game % 30));
    }
    // As many daily games as a player may have, all with as many stones.
    let own = |stones: usize| -> Vec<_> {
        (0..DAILY_GAMES_MAX).filter_map(|game| stored_position(&moves(game, stones))).collect()
    };
    let mut group = criterion.benchmark_group("may_help");
    for stones in [10, 40, 80, 225] {
        let asked = moves(usize::MAX - 1, stones);
        let own = own(stones);
        assert!(positions.may_help(&asked, &own).is_ok(), "all is looked up");
        group.bench_with_input(BenchmarkId::from_parameter(stones), &asked, |bencher, asked| {
            bencher.iter(|| positions.may_help(black_box(asked), &own));
        });
    }
    group.finish();
}

criterion_group!(benches, searches);
criterion_main!(benches);
