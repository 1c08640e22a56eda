//! Compares the fast parts of the engine with slow twins that use only [`Position`].

use fivefold_shared::{
    analysis::is_supported,
    rules::{K_MAX, K_MIN, Outcome, Point, Position, Rules, Size, Stone, Variant},
    search_budget::Thinking,
};
use proptest::prelude::*;

use super::{
    eval_features::{ACCUMULATOR_SCALE, ACCUMULATOR_SIZE, Delta, HIDDEN_SCALE, OUTPUT_SCALE},
    grid::Grid,
    grid_window::Window,
    pattern::Flags,
    pattern::Threat,
    pattern_tables::Tables,
    search_limits::SearchLimits,
    spots::{Spot, spot},
    vcf::{MOVES_MAX, Vcf, Verdict},
    vct::Vct,
    weights::Weights,
};

/// Every set of tables, each on the smallest board that holds its shapes.
fn rules() -> impl Strategy<Value = Rules> {
    let rules = |variant, size| Rules::new(variant, Size::square(size)).unwrap();
    prop_oneof![
        Just(rules(Variant::Freestyle, 8)),
        Just(rules(Variant::Standard, 9)),
        Just(rules(Variant::Renju, 15)),
        Just(rules(Variant::Caro, 9)),
        Just(rules(Variant::CaroOverline, 9)),
        Just(rules(Variant::Mnk { k: 3 }, 4)),
        Just(rules(Variant::Mnk { k: 4 }, 6)),
        Just(rules(Variant::Mnk { k: 6 }, 9)),
    ]
}

/// A game that has not ended, its moves crowded in the middle.
fn positions(plies: usize) -> impl Strategy<Value = Position> {
    (rules(), prop::collection::vec((0..8_i32, 0..8_i32), 0..plies)).prop_map(|(rules, moves)| {
        let corner = if rules.variant() == Variant::Renju { 4 } else { 0 };
        let mut position = Position::new(rules);
        for (x, y) in moves {
            if let Ok(Some(_)) = position.play(Point::new(corner + x, corner + y)) {
                position.undo();
            }
        }
        position
    })
}

#[test]
fn tables_exist_for_the_supported_variants() {
    for k in K_MIN..=K_MAX {
        let variant = Variant::Mnk { k };
        assert_eq!(Tables::of(variant).is_some(), is_supported(variant), "{variant}");
    }
}

fn empty_grid(rules: Rules) -> Grid {
    let Size::Bounded { width, height } = rules.size() else { panic!("a bounded board") };
    Grid::new(Tables::of(rules.variant()).unwrap(), Window::bordered(width, height))
}

fn grid(position: &Position) -> Grid {
    let mut grid = empty_grid(position.rules());
    for (ply, point) in position.moves().iter().enumerate() {
        grid.place(grid.window().spot(*point).unwrap(), Stone::to_move(ply));
    }
    grid
}

fn empty_points(position: &Position) -> Vec<Point> {
    let Size::Bounded { width, height } = position.rules().size() else { panic!("bounded") };
    (0..i32::from(width))
        .flat_map(|x| (0..i32::from(height)).map(move |y| Point::new(x, y)))
        .filter(|point| position.stone_at(*point).is_none())
        .collect()
}

fn makes_five(position: &mut Position, point: Point) -> bool {
    if position.legality(point).is_err() {
        return false;
    }
    let five = matches!(position.play(point), Ok(Some(Outcome::Five { .. })));
    position.undo();
    five
}

fn has_five(position: &mut Position) -> bool {
    empty_points(position).into_iter().any(|point| makes_five(position, point))
}

/// Whether the side that has just moved makes a five against any reply.
fn is_unstoppable(position: &mut Position) -> bool {
    !has_five(position)
        && empty_points(position).into_iter().all(|answer| {
            if position.play(answer).is_err() {
                return true;
            }
            let goes_on = position.outcome().is_none() && has_five(position);
            position.undo();
            goes_on
        })
}

/// The shortest win by fours of the side to move, in its own moves, by brute force.
fn slow_vcf(position: &mut Position, left: u8) -> Option<u8> {
    if left == 0 {
        return None;
    }
    if has_five(position) {
        return Some(1);
    }
    let mut best: Option<u8> = None;
    for point in empty_points(position) {
        if position.play(point).is_err() {
            continue;
        }
        let won = position.outcome().is_some_and(|outcome| outcome.winner().is_some());
        if won || is_unstoppable(position) {
            position.undo();
            return Some(1);
        }
        if position.outcome().is_none() && !has_five(position) && attacker_has_five(position) {
            let needed = slow_defence(position, left - 1);
            best = best.into_iter().chain(needed.map(|moves| moves + 1)).min();
        }
        position.undo();
    }
    best
}

/// The most moves that the attacker needs after any answer to a four; none where an answer saves
/// the other side.
fn slow_defence(position: &mut Position, left: u8) -> Option<u8> {
    let mut most = 0;
    for answer in empty_points(position) {
        if position.play(answer).is_err() {
            continue;
        }
        let is_over = position.outcome().is_some();
        let needed = match (is_over, has_five(position)) {
            (true, _) => None,
            (false, true) => Some(0),
            (false, false) => slow_vcf(position, left),
        };
        position.undo();
        most = most.max(needed?);
    }
    Some(most)
}

/// Whether the side that has just moved threatens a five, by its patterns.
fn attacker_has_five(position: &Position) -> bool {
    grid(position).threat_count(position.turn().opponent(), Threat::Five) > 0
}

fn empty_spots(grid: &Grid) -> Vec<Spot> {
    (0..spot(grid.len())).filter(|spot| grid.stone_at(*spot).is_none()).collect()
}

/// The first move of a win by threats, if a search finds one.
fn win_by_threats(grid: &mut Grid, attacker: Stone, nodes: u64) -> Option<Spot> {
    let thinking = Thinking::unlimited();
    let limits = &mut SearchLimits::new(&thinking);
    let mut vct = Vct::new(1 << 12).with_forks();
    let found = vct.search(grid, &mut Vcf::new(1 << 12), attacker, nodes, limits);
    found.map(|(first, _)| first)
}

fn state(grid: &Grid) -> Vec<String> {
    (0..Spot::try_from(grid.len()).unwrap())
        .map(|spot| match grid.stone_at(spot) {
            Some(stone) => format!("{stone}"),
            None => format!("{:?}", grid.seen(spot)),
        })
        .collect()
}

/// The evaluation of a position: from scratch, layer by layer and in fractions.
fn value_by_hand(grid: &Grid, turn: Stone) -> f64 {
    let weights = Weights::get();
    let empty = delta_of_nothing(grid);
    let mut accumulators = [[0.0; ACCUMULATOR_SIZE]; 2];
    for spot in
        (0..Spot::try_from(grid.len()).unwrap()).filter(|spot| grid.stone_at(*spot).is_none())
    {
        for (side, stone) in [turn, turn.opponent()].into_iter().enumerate() {
            let delta = weights.sum(grid.four(spot, stone)).delta.without(&empty);
            for (side, added) in [(side, delta.own), (1 - side, delta.other)] {
                for (sum, added) in accumulators[side].iter_mut().zip(added) {
                    *sum += f64::from(added) / f64::from(ACCUMULATOR_SCALE);
                }
            }
        }
    }
    let threats = &weights.threat_biases[grid.threat_class(turn)];
    let mut value = f64::from(threats.bias);
    for (unit, begin) in weights.hidden.iter().zip(threats.hidden) {
        let mut active = f64::from(begin) / f64::from(ACCUMULATOR_SCALE * HIDDEN_SCALE);
        for (accumulators, weights) in accumulators.iter().zip(&unit.weights) {
            let weighed = accumulators
                .iter()
                .zip(weights)
                .map(|(one, weight)| one.max(0.0) * f64::from(*weight));
            active += weighed.sum::<f64>() / f64::from(HIDDEN_SCALE);
        }
        value += active.max(0.0) * f64::from(unit.output_weight);
    }
    value / f64::from(OUTPUT_SCALE)
}

/// The contribution of a point that sees nothing.
fn delta_of_nothing(grid: &Grid) -> Delta {
    let pattern = grid.tables().pattern(0, Stone::Black) as u8;
    Weights::get().sum([pattern; 4]).delta
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn values_are_what_the_weights_say(position in positions(40)) {
        // Where fewer than five win there are so many patterns that the accumulators are at their
        // bounds.
        prop_assume!(position.rules().variant().k() >= 5);
        let grid = grid(&position);
        for turn in Stone::BOTH {
            let (value, by_hand) = (f64::from(grid.value(turn)), value_by_hand(&grid, turn));
            // Integers are rounded down at each hidden unit.
            prop_assert!((value - by_hand).abs() < 30.0, "{} {}", value, by_hand);
        }
    }

    #[test]
    fn what_is_kept_is_what_a_new_grid_finds(position in positions(40), back in 0..40_usize) {
        let mut moved = grid(&position);
        let mut moves = position.moves().to_vec();
        for _ in 0..back.min(moves.len()) {
            let point = moves.pop().unwrap();
            moved.take_back(moved.window().spot(point).unwrap());
        }
        let fresh = grid(&Position::from_moves(position.rules(), &moves).unwrap());
        prop_assert_eq!(state(&moved), state(&fresh));
        prop_assert_eq!(moved.totals(), fresh.totals());
        prop_assert!(moved.nearby().eq(fresh.nearby()));
        for stone in Stone::BOTH {
            for kept in [Threat::Five, Threat::Unstoppable, Threat::Four, Threat::Three] {
                prop_assert!(moved.threats(stone, kept).eq(fresh.threats(stone, kept)));
                prop_assert_eq!(moved.threats(stone, kept).count(), usize::from(moved.threat_count(stone, kept)));
            }
        }
    }

    #[test]
    fn a_forced_stone_leaves_no_trace(position in positions(40)) {
        let mut grid = grid(&position);
        let (before, totals) = (state(&grid), grid.totals());
        for (index, point) in empty_points(&position).into_iter().enumerate() {
            let spot = grid.window().spot(point).unwrap();
            let stone = grid.force(spot, Stone::to_move(index));
            let flags = |grid: &Grid| (0..Spot::try_from(grid.len()).unwrap())
                .filter(|spot| grid.stone_at(*spot).is_none())
                .map(|spot| Stone::BOTH.map(|stone| grid.flags(spot, stone)))
                .collect::<Vec<_>>();
            let forced = flags(&grid);
            grid.unforce(stone);
            grid.place(spot, Stone::to_move(index));
            prop_assert_eq!(forced, flags(&grid));
            grid.take_back(spot);
        }
        prop_assert_eq!(before, state(&grid));
        prop_assert_eq!(totals, grid.totals());
    }

    #[test]
    fn fives_and_forbidden_points_are_those_of_the_rules(position in positions(60)) {
        let (mut position, mut grid) = (position.clone(), grid(&position));
        let turn = position.turn();
        for point in empty_points(&position) {
            let spot = grid.window().spot(point).unwrap();
            let five = grid.flags(spot, turn).any(Flags::FIVE);
            prop_assert_eq!(five, makes_five(&mut position, point), "{:?}\n{}", point, position);
            let forbidden = grid.is_forbidden(spot, turn);
            prop_assert_eq!(forbidden, position.forbidden_at(point).is_some(), "{:?}\n{}", point, position);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_win_by_threats_is_one_whatever_the_answer(position in positions(24)) {
        let (mut grid, turn) = (grid(&position), position.turn());
        prop_assume!(position.outcome().is_none() && grid.threat_count(turn, Threat::Five) == 0);
        let Some(first) = win_by_threats(&mut grid, turn, 2_000) else { return Ok(()) };
        grid.place(first, turn);
        for answer in empty_spots(&grid) {
            if grid.is_forbidden(answer, turn.opponent()) {
                continue;
            }
            let is_five = grid.flags(answer, turn.opponent()).any(Flags::FIVE);
            prop_assert!(!is_five, "{first} {answer}\n{position}");
            grid.place(answer, turn.opponent());
            let is_won = win_by_threats(&mut grid, turn, 40_000).is_some();
            prop_assert!(is_won, "{first} {answer}\n{position}");
            grid.take_back(answer);
        }
    }

    #[test]
    fn points_that_prepare_forks_are_all_there_are(position in positions(30)) {
        let mut grid = grid(&position);
        for stone in Stone::BOTH {
            let mut expected = Vec::new();
            let has = |grid: &Grid, spot, flag| grid.flags(spot, stone).any(flag);
            let fours: Vec<Spot> = grid.threats(stone, Threat::Four).collect();
            let fours: Vec<Spot> =
                fours.into_iter().filter(|four| !has(&grid, *four, Flags::UNSTOPPABLE)).collect();
            for spot in empty_spots(&grid) {
                if has(&grid, spot, Flags::FOUR) || has(&grid, spot, Flags::THREE) {
                    continue;
                }
                grid.place(spot, stone);
                if fours.iter().any(|four| *four != spot && has(&grid, *four, Flags::UNSTOPPABLE)) {
                    expected.push(spot);
                }
                grid.take_back(spot);
            }
            let mut found = grid.fork_makers(stone);
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_is_called_unstoppable_is(position in positions(16)) {
        let (mut position, mut grid) = (position.clone(), grid(&position));
        let turn = position.turn();
        prop_assume!(grid.threat_count(turn, Threat::Five) == 0);
        prop_assume!(grid.threat_count(turn.opponent(), Threat::Five) == 0);
        for point in empty_points(&position) {
            let spot = grid.window().spot(point).unwrap();
            let claimed = grid.flags(spot, turn).any(Flags::UNSTOPPABLE) && !grid.is_forbidden(spot, turn);
            if !claimed && !grid.flags(spot, turn).any(Flags::FOUR) {
                continue;
            }
            if position.play(point) == Ok(None) {
                // Renju adds wins by forbidden answers; they are not on the lines.
                if claimed || position.rules().variant() != Variant::Renju {
                    prop_assert_eq!(claimed, is_unstoppable(&mut position), "{:?}\n{}", point, position);
                }
                position.undo();
            }
        }
    }

    #[test]
    fn the_answers_to_a_three_are_all_there_are(position in positions(14)) {
        let mut grid = grid(&position);
        let defender = position.turn();
        let attacker = defender.opponent();
        prop_assume!(grid.threat_count(attacker, Threat::Five) == 0);
        let Some(answers) = grid.answers_to_unstoppable(attacker) else { return Ok(()) };
        for point in empty_points(&position) {
            let spot = grid.window().spot(point).unwrap();
            if grid.is_forbidden(spot, defender) {
                continue;
            }
            let forced = grid.force(spot, defender);
            let left: Vec<Spot> = grid.threats(attacker, Threat::Unstoppable).collect();
            let threat = left.into_iter().any(|next| !grid.is_forbidden(next, attacker));
            grid.unforce(forced);
            // A stone can also make a forbidden point legal; then there is no answer.
            if position.rules().variant() != Variant::Renju || !threat {
                prop_assert_eq!(answers.contains(spot), !threat, "{:?}\n{}", point, position);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn a_win_by_fours_is_refuted_only_where_it_says(position in positions(30)) {
        let mut grid = grid(&position);
        let thinking = Thinking::unlimited();
        for attacker in Stone::BOTH {
            let defender = attacker.opponent();
            let mut limits = SearchLimits::new(&thinking);
            let mut vcf = Vcf::new(1 << 10);
            if grid.threat_count(defender, Threat::Five) > 0
                || vcf.search(&mut grid, attacker, MOVES_MAX, 1_000, &mut limits) != Verdict::Win
            {
                continue;
            }
            let Some(refutations) = vcf.refutations(&mut grid, attacker) else { continue };
            for spot in empty_spots(&grid) {
                if refutations.contains(spot) || grid.is_forbidden(spot, defender) {
                    continue;
                }
                grid.place(spot, defender);
                let verdict = vcf.search(&mut grid, attacker, MOVES_MAX, 100_000, &mut limits);
                grid.take_back(spot);
                prop_assert_eq!(verdict, Verdict::Win, "{:?} at {}\n{:?}", defender, spot, position);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn a_win_by_connected_fours_is_one_and_what_was_not_found_says_nothing_of_others(
        position in positions(30),
    ) {
        let mut grid = grid(&position);
        let thinking = Thinking::unlimited();
        for attacker in Stone::BOTH {
            let mut limits = SearchLimits::new(&thinking);
            let (mut fresh, mut used) = (Vcf::new(1 << 14), Vcf::new(1 << 14));
            let any = fresh.search(&mut grid, attacker, MOVES_MAX, 100_000, &mut limits);
            let connected =
                used.search_connected(&mut grid, attacker, MOVES_MAX, 100_000, &mut limits);
            if connected == Verdict::Win {
                prop_assert_eq!(any, Verdict::Win, "{:?}\n{}", attacker, position);
            }
            let after = used.search(&mut grid, attacker, MOVES_MAX, 100_000, &mut limits);
            prop_assert_eq!(after, any, "{:?}\n{}", attacker, position);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn wins_by_fours_are_the_shortest_that_there_are(position in positions(16)) {
        prop_assume!(position.rules().variant() != Variant::Renju);
        win_by_fours_is_the_shortest(&position)?;
    }
}

/// White has to be stopped twice, by fours, before Black's open four can be made.
#[test]
fn a_win_that_waits_while_fives_are_stopped_is_found() {
    let rules = Rules::new(Variant::Mnk { k: 3 }, Size::square(4)).unwrap();
    let mut position = Position::new(rules);
    for (x, y) in [(1, 3), (3, 2), (0, 0), (2, 2)] {
        position.play(Point::new(x, y)).unwrap();
    }
    assert_eq!(slow_vcf(&mut position.clone(), 3), Some(3));
    win_by_fours_is_the_shortest(&position).unwrap();
}

fn win_by_fours_is_the_shortest(position: &Position) -> Result<(), TestCaseError> {
    let (mut position, mut grid) = (position.clone(), grid(position));
    let mut vcf = Vcf::new(1 << 12);
    let thinking = Thinking::unlimited();
    let mut limits = SearchLimits::new(&thinking);
    let fast = (vcf.shortest(&mut grid, position.turn(), 3, u64::MAX, &mut limits) == Verdict::Win)
        .then(|| u8::try_from(vcf.line().len().div_ceil(2)).unwrap());
    prop_assert_eq!(fast, slow_vcf(&mut position, 3), "\n{}", position);
    let any = vcf.search(&mut grid, position.turn(), 3, u64::MAX, &mut limits) == Verdict::Win;
    prop_assert_eq!(any, fast.is_some());
    Ok(())
}
