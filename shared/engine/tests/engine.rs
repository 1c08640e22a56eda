//! Tests of the engine through its public interface: what it must find, what it reports, and that
//! it keeps within its limits.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::{
    collections::HashSet,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use fivefold_engine::{
    bot,
    search::{Engine, EngineOptions},
};
use fivefold_shared::{
    analysis::{Analysis, Value},
    bot_spec::{BotKind, BotSpec, LEVEL_MAX},
    notation::coordinates,
    rules::{Point, Position, Rules, Size, UNBOUNDED_REACH, Variant},
    search_budget::{Budget, Thinking, Threads},
    symmetry,
};
use proptest::prelude::*;

fn position(variant: Variant, size: Size, moves: &[(i32, i32)]) -> Position {
    let moves: Vec<Point> = moves.iter().copied().map(Point::from).collect();
    Position::from_moves(Rules::new(variant, size).unwrap(), &moves).unwrap()
}

fn nodes(most: u64) -> Thinking<'static> {
    let budget = Budget { nodes: Some(most), ..Budget::UNLIMITED };
    Thinking { budget, ..Thinking::unlimited() }
}

fn analyse(position: &Position, most: u64, lines: usize) -> Analysis {
    let options = EngineOptions { hash_bytes: 1 << 20, ..EngineOptions::default() };
    let mut engine = Engine::new(position.rules(), options).unwrap();
    engine.search(position, &nodes(most), lines, &mut |_| {}).unwrap()
}

/// The correct moves, and plies until the end where that is certain.
fn check(
    variant: Variant,
    size: Size,
    moves: &[(i32, i32)],
    right: &[(i32, i32)],
    plies: Option<u16>,
) {
    let position = position(variant, size, moves);
    let analysis = analyse(&position, 20_000, 1);
    let best = analysis.best();
    assert!(right.contains(&(best.x, best.y)), "{best:?} {position:?}\n{position}");
    if let Some(plies) = plies {
        let won = Value::Win { plies: Some(plies) };
        assert_eq!(analysis.lines[0].value, won, "{position:?}\n{position}");
    }
}

const SQUARE: Size = Size::square(15);

#[test]
fn what_must_be_played_is_played() {
    // . . X X X X . .   a five at either end
    let four = [(4, 7), (4, 2), (5, 7), (6, 2), (6, 7), (8, 2), (7, 7), (10, 12)];
    // O X X X X . .     White must stop it
    let stop = [(4, 7), (3, 7), (5, 7), (6, 2), (6, 7), (8, 3), (7, 7)];
    // . . X X X . .     White has three answers, and no more
    let three = [(5, 7), (4, 2), (6, 7), (11, 11), (7, 7)];
    // An own open four comes before stopping an open three.
    let race = [(5, 7), (5, 3), (6, 7), (6, 3), (7, 7), (7, 3)];
    for variant in Variant::FIVES.into_iter().chain([Variant::Mnk { k: 5 }]) {
        check(variant, SQUARE, &four, &[(3, 7), (8, 7)], Some(1));
        check(variant, SQUARE, &three, &[(3, 7), (4, 7), (8, 7), (9, 7)], None);
        check(variant, SQUARE, &race, &[(4, 7), (8, 7)], Some(3));
    }
    check(Variant::Freestyle, SQUARE, &stop, &[(8, 7)], None);
    check(Variant::Standard, SQUARE, &stop, &[(8, 7)], None);
    // In caro, closing its other end also undoes the five.
    check(Variant::Caro, SQUARE, &stop, &[(8, 7), (9, 7)], None);
}

#[test]
fn a_loss_is_seen_however_it_is_answered() {
    // Black stops a three with h6, White makes another with g8, and fours win against each answer.
    let lost: Vec<Point> = "h8 i8 e8 e6 j10 g7 h10 h7 k10 i10 i7 g6 f5 f6"
        .split(' ')
        .map(|name| coordinates::parse(name, SQUARE).unwrap())
        .collect();
    let rules = Rules::new(Variant::Freestyle, SQUARE).unwrap();
    let analysis = analyse(&Position::from_moves(rules, &lost).unwrap(), 20_000, 1);
    let value = analysis.lines[0].value;
    assert!(matches!(value, Value::Loss { plies: ..=16 }), "{value:?}");
}

#[test]
fn other_lengths_are_played_by_the_same_rules() {
    // X X . .    four in a row win: an open three already decides
    let moves = [(3, 3), (0, 0), (4, 3), (0, 1)];
    check(Variant::Mnk { k: 4 }, Size::square(8), &moves, &[(2, 3), (5, 3)], Some(3));
    // Six in a row win: five with both ends empty is what four is elsewhere.
    let moves = [(4, 7), (0, 0), (5, 7), (0, 2), (6, 7), (0, 4), (7, 7), (0, 6)];
    check(Variant::Mnk { k: 6 }, SQUARE, &moves, &[(3, 7), (8, 7)], Some(3));
    let rules = Rules::new(Variant::Mnk { k: 7 }, SQUARE).unwrap();
    assert!(Engine::new(rules, EngineOptions::default()).is_none());
}

#[test]
fn no_group_of_stones_is_out_of_sight_on_the_unbounded_board() {
    for far in [40, 300, 90_000] {
        // Black's open three is far from everything else.
        let moves = [(0, 0), (1, 1), (far, far), (2, 0), (far + 1, far), (0, 3), (far + 2, far)];
        let right = [-2, -1, 3, 4].map(|steps| (far + steps, far));
        check(Variant::Freestyle, Size::Unbounded, &moves, &right, None);
    }
}

#[test]
fn the_same_nodes_give_the_same_answer() {
    let moves = [(7, 7), (8, 6), (6, 6), (8, 8), (8, 7), (6, 7)];
    for variant in [Variant::Freestyle, Variant::Renju] {
        let position = position(variant, SQUARE, &moves);
        assert_eq!(analyse(&position, 5_000, 1), analyse(&position, 5_000, 1));
    }
}

#[test]
fn no_end_of_a_wide_group_is_out_of_sight_on_the_unbounded_board() {
    for step in [7, 11, 15] {
        // Black's open three is at the far end of a chain of stones.
        let end = 9 * step;
        let mut moves: Vec<(i32, i32)> = vec![(end, 0), (end - 1, 3), (end + 1, 0), (end, 5)];
        moves.extend([(end + 2, 0), (0, 0)]);
        moves.extend((1..8).map(|stone| (stone * step, if stone % 2 == 0 { 1 } else { -1 })));
        let right = [-2, -1, 3, 4].map(|steps| (end + steps, 0));
        check(Variant::Freestyle, Size::Unbounded, &moves, &right, None);
    }
}

#[test]
fn thinking_that_is_called_off_ends_within_a_thousand_positions() {
    let position = position(Variant::Freestyle, SQUARE, &[(7, 7), (8, 6), (6, 6), (8, 8)]);
    for asked in [1, 10, 100] {
        let (times, cancel) = (AtomicU64::new(0), AtomicBool::new(false));
        let elapsed = || {
            cancel.fetch_or(times.fetch_add(1, Ordering::Relaxed) >= asked, Ordering::Relaxed);
            Duration::ZERO
        };
        let budget = Budget { time: Duration::from_secs(1), ..Budget::UNLIMITED };
        let thinking = Thinking { budget, elapsed: &elapsed, cancel: &cancel };
        let mut engine = Engine::new(position.rules(), EngineOptions::default()).unwrap();
        let analysis = engine.search(&position, &thinking, 1, &mut |_| {}).unwrap();
        assert!(analysis.nodes <= 600 * asked.div_ceil(2) + 1_000, "{}", analysis.nodes);
    }
}

#[test]
fn time_is_kept_on_a_machine_that_seldom_lets_the_engine_run() {
    let position = position(Variant::Freestyle, SQUARE, &[(7, 7), (8, 6), (6, 6), (8, 8)]);
    for pause_ms in [30, 100, 300] {
        let now = AtomicU64::new(0);
        let elapsed = || Duration::from_millis(now.fetch_add(pause_ms, Ordering::Relaxed));
        let budget = Budget { time: Duration::from_secs(1), ..Budget::UNLIMITED };
        let thinking = Thinking { budget, elapsed: &elapsed, ..Thinking::unlimited() };
        let mut engine = Engine::new(position.rules(), EngineOptions::default()).unwrap();
        engine.search(&position, &thinking, 1, &mut |_| {}).unwrap();
        let end = now.load(Ordering::Relaxed);
        assert!((500..=1_000 + pause_ms).contains(&end), "{end} with {pause_ms}");
    }
}

#[test]
fn several_threads_find_what_one_finds() {
    // Black wins by fours and threes.
    let moves = [(7, 7), (8, 6), (6, 6), (8, 8), (5, 9), (9, 3), (4, 8), (2, 12)];
    let position = position(Variant::Freestyle, SQUARE, &moves);
    let threads = Threads::new(4, |first, others| {
        thread::scope(|scope| {
            others.into_iter().for_each(|job| drop(scope.spawn(job)));
            first();
        });
    });
    let options = EngineOptions { hash_bytes: 1 << 20, threads, ..EngineOptions::default() };
    let mut engine = Engine::new(position.rules(), options).unwrap();
    let several = engine.search(&position, &nodes(50_000), 2, &mut |_| {}).unwrap();
    let one = analyse(&position, 50_000, 2);
    assert!(several.nodes > one.nodes, "the others are counted too");
    assert_eq!(several.lines.len(), 2);
    for line in several.lines.iter().flat_map(|line| &line.moves) {
        assert!(position.stone_at(*line).is_none());
    }
}

#[test]
fn every_candidate_is_weighed() {
    let position = position(Variant::Freestyle, SQUARE, &[(7, 7), (8, 6)]);
    let mut bot = bot::build(BotSpec::from(BotKind::Engine), position.rules(), 1).unwrap();
    let weights = bot.weigh(&position, &nodes(100_000));
    let near =
        |x: i32, y: i32| position.moves().iter().any(|stone| stone.distance(Point::new(x, y)) <= 2);
    let expected = (0..225).filter(|n| near(n % 15, n / 15)).count() - position.ply();
    assert!(weights.len() >= expected, "{} of {expected}", weights.len());
    assert!(weights.is_sorted_by(|a, b| a.weight >= b.weight));
}

#[test]
fn several_lines_are_different_legal_and_in_order() {
    let position = position(Variant::Freestyle, SQUARE, &[(7, 7), (8, 6), (6, 6), (8, 8)]);
    let analysis = analyse(&position, 5_000, 5);
    assert_eq!(analysis.lines.len(), 5);
    let first: HashSet<Point> = analysis.lines.iter().map(|line| line.moves[0]).collect();
    assert_eq!(first.len(), 5);
    let chance = |value: Value| match value {
        Value::Win { .. } => 1.0,
        Value::Chance(chance) => chance,
        Value::Loss { .. } => 0.0,
    };
    let values: Vec<f64> = analysis.lines.iter().map(|line| chance(line.value)).collect();
    assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
    for line in &analysis.lines {
        let mut position = position.clone();
        for point in &line.moves {
            assert!(position.play(*point).is_ok(), "{line:?}");
        }
    }
}

#[test]
fn of_moves_that_are_the_same_one_is_told() {
    let games: [(Size, &[(i32, i32)]); 4] = [
        (SQUARE, &[(7, 7)]),
        (SQUARE, &[(7, 7), (8, 6)]),
        (Size::Bounded { width: 15, height: 11 }, &[(7, 4), (7, 5)]),
        (Size::Unbounded, &[(90, -4), (93, -4), (90, -8), (93, -8)]),
    ];
    for (size, moves) in games {
        let position = position(Variant::Freestyle, size, moves);
        let analysis = analyse(&position, 5_000, 20);
        let first: Vec<Point> = analysis.lines.iter().map(|line| line.moves[0]).collect();
        let symmetries = symmetry::of(&position);
        assert!(!symmetries.is_empty() && first.len() >= 5, "{moves:?}: {first:?}");
        for (index, point) in first.iter().enumerate() {
            let images = symmetries.iter().map(|symmetry| symmetry.image(*point));
            for image in images {
                assert!(!first[index + 1..].contains(&image), "{point:?} and {image:?}");
            }
        }
    }
}

#[test]
fn what_a_symmetry_puts_too_far_from_the_first_stone_is_not_told() {
    let far = i32::try_from(UNBOUNDED_REACH).unwrap();
    let position = position(Variant::Freestyle, Size::Unbounded, &[(0, 0), (far / 2, 0), (far, 0)]);
    let beyond = Point::new(-1, 1);
    let mirrored = |point: Point| Point::new(far - point.x, point.y);
    let symmetries = symmetry::of(&position);
    assert!(symmetries.iter().any(|symmetry| symmetry.image(beyond) == mirrored(beyond)));
    let mut bot = bot::build(BotSpec::from(BotKind::Engine), position.rules(), 1).unwrap();
    let weights = bot.weigh(&position, &nodes(20_000));
    assert!(weights.len() > 20, "{weights:?}");
    for weight in weights {
        assert!(position.legality(weight.point).is_ok(), "{weight:?}");
    }
}

#[test]
fn a_win_by_threats_is_played_where_the_same_could_be_done_on_the_other_side() {
    // Black's stones are the tips of a cross, White's lie at the border.
    let moves = [(5, 7), (0, 0), (9, 7), (14, 14), (7, 5), (0, 14), (7, 9), (14, 0)];
    let position = position(Variant::Freestyle, SQUARE, &moves);
    assert_eq!(symmetry::of(&position).len(), 7);
    let analysis = analyse(&position, 200_000, 1);
    // Found by threats alone, with any of the equivalent first moves.
    assert_eq!((analysis.depth, analysis.lines[0].value), (0, Value::Win { plies: None }));
}

#[test]
fn progress_is_told_ever_deeper() {
    let position = position(Variant::Freestyle, SQUARE, &[(7, 7), (8, 6), (6, 6), (8, 8)]);
    let mut engine = Engine::new(position.rules(), EngineOptions::default()).unwrap();
    let mut depths = Vec::new();
    let last = engine
        .search(&position, &nodes(5_000), 1, &mut |analysis| depths.push(analysis.depth))
        .unwrap();
    assert!(depths.len() >= 2 && depths.is_sorted_by(|a, b| a < b), "{depths:?}");
    assert_eq!(depths.last(), Some(&last.depth));
}

#[test]
fn every_level_answers_legally_and_repeatably_and_weaker_ones_think_less() {
    let rules = Rules::new(Variant::Standard, SQUARE).unwrap();
    for level in 1..=LEVEL_MAX {
        let spec = BotSpec { kind: BotKind::Engine, level: Some(level) };
        let game = |seed| {
            let mut bot = bot::build(spec, rules, seed).unwrap();
            let mut position = Position::new(rules);
            for _ in 0..8 {
                let point = bot.choose(&position, &nodes(300)).unwrap();
                position.play(point).unwrap();
            }
            position.moves().to_vec()
        };
        assert_eq!(game(1), game(1), "{spec}");
        assert!((2..8).any(|seed| game(seed) != game(1)), "{spec} plays one game only");
    }
}

#[test]
fn low_levels_overlook_what_people_overlook() {
    // White has a four or an open three and Black is to move, or Black has a four.
    let four = [(0, 0), (5, 7), (4, 7), (6, 7), (12, 1), (7, 7), (2, 13), (8, 7)];
    let hard_four = [(1, 10), (5, 10), (12, 1), (6, 9), (13, 5), (8, 7), (2, 13), (9, 6)];
    let three = [(0, 0), (5, 7), (12, 1), (6, 7), (2, 13), (7, 7)];
    let own = [(5, 7), (0, 0), (6, 7), (12, 1), (7, 7), (2, 13), (8, 7), (13, 12)];
    let seen_by = |level, moves: &[(i32, i32)], answers: &[(i32, i32)]| {
        let position = position(Variant::Freestyle, SQUARE, moves);
        let spec = BotSpec { kind: BotKind::Engine, level: Some(level) };
        let sees = |seed: &u64| {
            let mut bot = bot::build(spec, position.rules(), *seed).unwrap();
            let point = bot.choose(&position, &nodes(300)).unwrap();
            answers.iter().any(|answer| Point::from(*answer) == point)
        };
        (0..200).filter(sees).count()
    };
    for level in 1..=3 {
        assert!(seen_by(level, &own, &[(4, 7), (9, 7)]) >= 195, "own five, level {level}");
        let [easy, hard] = [(&four, (9, 7)), (&hard_four, (7, 8))]
            .map(|(moves, answer)| seen_by(level, moves, &[answer]));
        assert!((180..200).contains(&easy) && hard < easy, "{easy} and {hard}, level {level}");
    }
    let threes =
        [1, 2, 3, 6].map(|level| seen_by(level, &three, &[(3, 7), (4, 7), (8, 7), (9, 7)]));
    assert!(threes.is_sorted_by(|lower, higher| lower < higher), "{threes:?}");
    assert!(threes[0] > 0 && threes[0] < 120, "{threes:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Minimax has searched every continuation.
    #[test]
    fn small_boards_are_played_perfectly(moves in prop::collection::vec((0..3, 0..4), 0..8)) {
        let size = Size::Bounded { width: 3, height: 4 };
        let mut position = Position::new(Rules::new(Variant::Mnk { k: 3 }, size).unwrap());
        for (x, y) in moves {
            if let Ok(Some(_)) = position.play(Point::new(x, y)) {
                position.undo();
            }
        }
        prop_assume!(position.ply() >= 3);
        let mut minimax = bot::build(BotSpec::from(BotKind::Minimax), position.rules(), 1).unwrap();
        let weights = minimax.weigh(&position, &Thinking::unlimited());
        let best = analyse(&position, 200_000, 1).best();
        let chosen = weights.iter().find(|weight| weight.point == best).unwrap();
        let result = |weight: f64| (weight > 0.0, weight < 0.0);
        prop_assert_eq!(result(chosen.weight), result(weights[0].weight), "{:?}\n{}", best, position);
    }
}
