//! Tests of properties that hold in every game, on random games.

use std::collections::BTreeSet;

use fivefold_shared::rules::{
    Axis, Illegal, Outcome, Point, Position, Rules, Size, Stone, Variant,
};
use proptest::prelude::*;

use crate::symmetry::Symmetry;

/// Games on the unbounded board stay in a square with this side, and this far from zero.
const SIDE: u8 = 12;
const OFFSET: Point = Point::new(-1_234_567, 7_654_321);

fn variants() -> impl Strategy<Value = Variant> {
    prop_oneof![
        Just(Variant::Freestyle),
        Just(Variant::Standard),
        Just(Variant::Caro),
        Just(Variant::CaroOverline),
        (3..=10u8).prop_map(|k| Variant::Mnk { k }),
    ]
}

/// Rules on a bounded board, mostly small ones, where games reach every edge and fill up.
fn bounded_rules() -> impl Strategy<Value = Rules> {
    let renju = Rules::new(Variant::Renju, Size::square(15)).expect("renju is offered");
    let others = (variants(), 3..=10u8, 3..=10u8).prop_map(|(variant, width, height)| {
        let size = Size::Bounded { width, height };
        Rules::new(variant, size).or_else(|_| Rules::new(variant, Size::square(10)))
    });
    prop_oneof![
        1 => Just(renju),
        4 => others.prop_map(|rules| rules.expect("every variant is offered on 10x10")),
    ]
}

fn any_rules() -> impl Strategy<Value = Rules> {
    let unbounded = variants().prop_map(|variant| Rules::new(variant, Size::Unbounded));
    prop_oneof![
        3 => bounded_rules(),
        1 => unbounded.prop_map(|rules| rules.expect("all but renju are offered unbounded")),
    ]
}

/// Where to play, as numbers that [`play_all`] turns into points of the board.
fn choices() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(any::<usize>(), 0..160)
}

/// The points that a random game may use.
fn region(size: Size) -> Vec<Point> {
    let (width, height, offset) = match size {
        Size::Bounded { width, height } => (width, height, Point::default()),
        Size::Unbounded => (SIDE, SIDE, OFFSET),
    };
    let rows = 0..i32::from(height);
    rows.flat_map(|y| (0..i32::from(width)).map(move |x| (x, y)))
        .map(|(x, y)| Point::new(offset.x + x, offset.y + y))
        .collect()
}

/// Plays a random game to its end or the end of the choices, skipping forbidden points.
/// `observe` sees every position on the way.
fn play_all(rules: Rules, choices: &[usize], mut observe: impl FnMut(&Position)) -> Position {
    let mut game = Position::new(rules);
    let mut free = region(rules.size());
    for choice in choices {
        observe(&game);
        if game.outcome().is_some() || free.is_empty() {
            break;
        }
        let point = free.swap_remove(choice % free.len());
        match game.play(point) {
            Ok(_) => {}
            Err(Illegal::Forbidden(_)) => free.push(point),
            Err(illegal) => panic!("{illegal} at {point:?} of {game:?}"),
        }
    }
    observe(&game);
    game
}

/// The slow twin: the outcome of a position, from every run of the whole board.
fn scan(game: &Position) -> Option<Outcome> {
    for stone in Stone::BOTH {
        let own: BTreeSet<Point> = game
            .moves()
            .iter()
            .copied()
            .filter(|point| game.stone_at(*point) == Some(stone))
            .collect();
        let mut winning = BTreeSet::new();
        for (start, axis) in own.iter().flat_map(|start| Axis::ALL.map(|axis| (*start, axis))) {
            if own.contains(&start.along(axis, -1)) {
                continue;
            }
            let run: Vec<Point> = (0..)
                .map(|step| start.along(axis, step))
                .take_while(|at| own.contains(at))
                .collect();
            let after = start.along(axis, i32::try_from(run.len()).unwrap());
            let closed = [start.along(axis, -1), after]
                .iter()
                .all(|end| game.stone_at(*end) == Some(stone.opponent()));
            let wins = match (game.rules().variant(), run.len(), stone) {
                (Variant::Freestyle, 5.., _) => true,
                (Variant::Standard, 5, _) => true,
                (Variant::Renju, 5, Stone::Black) | (Variant::Renju, 5.., Stone::White) => true,
                (Variant::Caro | Variant::CaroOverline, 5, _) => !closed,
                (Variant::CaroOverline, 6.., _) => true,
                (Variant::Mnk { k }, length, _) => length >= usize::from(k),
                _ => false,
            };
            if wins {
                winning.extend(run);
            }
        }
        if !winning.is_empty() {
            return Some(Outcome::Five { winner: stone, points: winning.into_iter().collect() });
        }
    }
    match game.rules().size() {
        Size::Bounded { width, height } => {
            (game.ply() == usize::from(width) * usize::from(height)).then_some(Outcome::FullBoard)
        }
        Size::Unbounded => None,
    }
}

/// The mirror image of an outcome.
fn mirrored(outcome: &Outcome, place: impl Fn(Point) -> Point) -> Outcome {
    match outcome {
        Outcome::Five { winner, points } => {
            let mut points: Vec<Point> = points.iter().map(|point| place(*point)).collect();
            points.sort_unstable();
            Outcome::Five { winner: *winner, points }
        }
        Outcome::Forbidden { .. }
        | Outcome::Resignation { .. }
        | Outcome::Agreement
        | Outcome::Time { .. }
        | Outcome::Abandonment { .. }
        | Outcome::Aborted { .. }
        | Outcome::FullBoard
        | Outcome::LengthLimit => outcome.clone(),
    }
}

proptest! {
    #[test]
    fn undo_is_the_inverse_of_play(rules in any_rules(), choices in choices()) {
        let mut history = Vec::new();
        let mut game = play_all(rules, &choices, |position| history.push(position.clone()));
        // A choice that renju refused leaves the same position twice.
        history.dedup();
        while let Some(before) = history.pop() {
            prop_assert_eq!(&game, &before);
            prop_assert_eq!(game.last_move(), game.clone().undo());
            game.undo();
        }
        prop_assert_eq!(game, Position::new(rules));
    }

    #[test]
    fn the_outcome_equals_a_scan_of_the_whole_board(rules in any_rules(), choices in choices()) {
        let mut disagreement = None;
        play_all(rules, &choices, |game| {
            if game.outcome() != scan(game).as_ref() {
                disagreement.get_or_insert((game.clone(), scan(game)));
            }
        });
        prop_assert_eq!(disagreement, None);
    }

    #[test]
    fn bounded_and_unbounded_boards_agree(rules in bounded_rules(), choices in choices()) {
        prop_assume!(rules.variant() != Variant::Renju);
        let bounded = play_all(rules, &choices, |_| {});
        let away = |point: Point| Point::new(point.x + OFFSET.x, point.y + OFFSET.y);
        let unbounded_rules = Rules::new(rules.variant(), Size::Unbounded).unwrap();
        let moves: Vec<Point> = bounded.moves().iter().map(|point| away(*point)).collect();
        let unbounded = Position::from_moves(unbounded_rules, &moves).unwrap();
        let expected = bounded.outcome().filter(|outcome| **outcome != Outcome::FullBoard);
        let expected = expected.map(|outcome| mirrored(outcome, away));
        prop_assert_eq!(unbounded.outcome(), expected.as_ref());
    }

    #[test]
    fn mirrors_give_mirrored_answers(rules in bounded_rules(), choices in choices()) {
        let game = play_all(rules, &choices, |_| {});
        let Size::Bounded { width, height } = rules.size() else { unreachable!() };
        for symmetry in Symmetry::ALL {
            let place = |point| symmetry.apply(point, (width.into(), height.into()));
            let (width, height) = symmetry.sides((width, height));
            let rules = Rules::new(rules.variant(), Size::Bounded { width, height }).unwrap();
            let moves: Vec<Point> = game.moves().iter().map(|point| place(*point)).collect();
            let mirror = Position::from_moves(rules, &moves).unwrap();

            let expected = game.outcome().map(|outcome| mirrored(outcome, place));
            prop_assert_eq!(mirror.outcome(), expected.as_ref(), "{:?}", symmetry);
            let mut expected = game.forbidden_points();
            expected.iter_mut().for_each(|(point, _)| *point = place(*point));
            expected.sort_unstable_by_key(|(point, _)| *point);
            prop_assert_eq!(mirror.forbidden_points(), expected, "{:?}", symmetry);
        }
    }

    #[test]
    fn play_follows_legality_and_a_refused_move_changes_nothing(
        rules in any_rules(),
        choices in choices(),
        tries in prop::collection::vec((-3..18i32, -3..18i32), 20),
    ) {
        let game = play_all(rules, &choices, |_| {});
        let corner = region(rules.size())[0];
        for (x, y) in tries {
            let point = Point::new(corner.x + x, corner.y + y);
            let mut after = game.clone();
            match game.legality(point) {
                Ok(()) => {
                    prop_assert!(after.play(point).is_ok());
                    prop_assert_eq!(after.last_move(), Some(point));
                    prop_assert_eq!(after.stone_at(point), Some(game.turn()));
                }
                Err(illegal) => {
                    prop_assert_eq!(after.play(point), Err(illegal));
                    prop_assert_eq!(&after, &game);
                }
            }
        }
    }

    #[test]
    fn the_extent_holds_all_stones_and_touches_them(rules in any_rules(), choices in choices()) {
        let game = play_all(rules, &choices, |_| {});
        let span = |pick: fn(&Point) -> i32| {
            let values = || game.moves().iter().map(pick);
            values().min().zip(values().max())
        };
        let expected = span(|point| point.x).zip(span(|point| point.y)).map(
            |((left, right), (top, bottom))| (Point::new(left, top), Point::new(right, bottom)),
        );
        prop_assert_eq!(game.extent(), expected);
    }
}
