//! Tests of the opening book: its lines keep what the example `book` promises, and positions are
//! found in any orientation.

use std::collections::HashSet;

use fivefold_engine::{
    balance, book, bot,
    search::{Engine, EngineOptions},
};
use fivefold_shared::{
    bot_spec::{BotKind, BotSpec},
    opening::CANONICAL,
    rules::{Point, Position, Rules, Size, Variant},
    search_budget::{Budget, Thinking},
    symmetry,
};
use proptest::prelude::*;

fn rules(variant: Variant, size: Size) -> Rules {
    Rules::new(variant, size).expect("on offer")
}

fn looking_at(nodes: u64) -> Thinking<'static> {
    Thinking { budget: Budget { nodes: Some(nodes), ..Budget::UNLIMITED }, ..Thinking::unlimited() }
}

#[test]
fn every_line_is_legal_balanced_and_like_no_other() {
    for variant in Variant::FIVES {
        let rules = rules(variant, Size::square(15));
        let options = EngineOptions { hash_bytes: 1 << 20, ..EngineOptions::default() };
        let mut engine = Engine::new(rules, options).unwrap();
        let lines = book::openings(rules, 0);
        assert_eq!(lines.len(), book::lines(variant).len(), "all have room on 15x15");
        assert!(lines.len() >= 40, "{variant:?}");
        let mut forms = HashSet::new();
        let (count, mut uneven) = (lines.len() as f64, 0.0);
        for line in lines {
            assert!((3..=5).contains(&line.len()), "{line:?}");
            assert!(forms.insert(book::canonical(&line)), "{line:?} is there twice");
            let position = Position::from_moves(rules, &line).unwrap();
            engine.forget();
            let chance = balance::chance(&mut engine, &position, &looking_at(10_000)).unwrap();
            assert!((0.05..0.95).contains(&chance), "{line:?} is decided: {chance}");
            uneven += (chance - 0.5).abs();
        }
        // So short a search is often wrong about one line, but not about all.
        assert!(uneven / count < 0.15, "{variant:?}: {}", uneven / count);
    }
}

#[test]
fn all_26_canonical_openings_have_values() {
    let text = include_str!("../src/book/canonical.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.map(|line| line.split(' ').next().unwrap()).collect();
    let numbers = |letter| (1..=13).map(move |number| format!("{letter}{number}"));
    let expected: Vec<String> = numbers('D').chain(numbers('I')).collect();
    assert_eq!(names, expected, "each once, in their usual order");
    let shapes: HashSet<_> =
        CANONICAL.iter().map(|opening| opening.stones(Point::new(7, 7))).collect();
    assert_eq!(shapes.len(), 26);
    let mut values = HashSet::new();
    for opening in CANONICAL {
        let chances = book::canonical_chances(opening);
        assert!(chances.iter().all(|chance| (0.05..0.95).contains(chance)), "{opening}");
        assert!(chances.is_sorted_by(|one, other| one >= other), "more fifths are no better");
        values.insert(chances.map(f64::to_bits));
    }
    assert!(values.len() >= 24, "most differ: {}", values.len());
    // Openings that are known to be good for Black, and for White.
    let of = |name: &str| {
        let opening = CANONICAL.into_iter().find(|opening| opening.to_string() == name);
        book::canonical_chances(opening.unwrap())
    };
    for good in ["D4", "I4"] {
        for bad in ["D13", "I13"] {
            assert!(of(good)[1] > of(bad)[1] + 0.1, "{good} {bad}");
        }
    }
}

#[test]
fn openings_need_room_and_a_variant_that_has_some() {
    let cases = [
        (Variant::Freestyle, Size::square(20), true),
        (Variant::Caro, Size::Unbounded, true),
        (Variant::Mnk { k: 5 }, Size::square(19), true),
        (Variant::Mnk { k: 6 }, Size::square(19), false),
        (Variant::Freestyle, Size::square(8), false),
        (Variant::Freestyle, Size::Bounded { width: 20, height: 7 }, false),
    ];
    for (variant, size, expected) in cases {
        let rules = rules(variant, size);
        assert_eq!(!book::openings(rules, 3).is_empty(), expected, "{rules}");
    }
}

#[test]
fn the_engine_plays_from_the_book() {
    let rules = rules(Variant::Freestyle, Size::Unbounded);
    let position = Position::from_moves(rules, &[Point::new(100, -40)]).unwrap();
    let known: HashSet<Point> = book::continuations(&position).into_iter().collect();
    let spec = BotSpec { kind: BotKind::Engine, level: Some(10) };
    let mut played = HashSet::new();
    for seed in 0..20 {
        let mut bot = bot::build(spec, rules, seed).unwrap();
        // A position is enough, as it does not have to think.
        played.extend(bot.choose(&position, &looking_at(1)));
    }
    assert!(played.is_subset(&known), "{played:?} of {known:?}");
    assert!(played.len() > 5, "{played:?}");
}

proptest! {
    /// However a line is turned and moved, and in whichever order Black's stones come, the book
    /// continues with its next stone; and its continuation is legal.
    #[test]
    fn positions_are_found_however_they_are_turned(
        variant in prop::sample::select(vec![Variant::Freestyle, Variant::Standard, Variant::Caro]),
        pick in any::<prop::sample::Index>(),
        way in 0..symmetry::COUNT,
        (dx, dy) in (-99..99, -99..99),
        ply in 1..5_usize,
    ) {
        let rules = rules(variant, Size::Unbounded);
        let openings = book::openings(rules, way);
        let line = &openings[pick.index(openings.len())];
        let moved = line.iter().map(|point| Point::new(point.x + dx, point.y + dy));
        let mut moved: Vec<Point> = moved.collect();
        let ply = ply.min(moved.len() - 1);
        if ply >= 3 {
            moved.swap(0, 2);
        }
        let position = Position::from_moves(rules, &moved[..ply]).unwrap();
        let found = book::continuations(&position);
        prop_assert!(found.contains(&moved[ply]), "{:?} not in {:?}", moved[ply], found);
        prop_assert!(found.iter().all(|point| position.legality(*point).is_ok()));
    }
}
