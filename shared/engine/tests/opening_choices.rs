//! Tests of the acts that bots choose in openings: they are legal in every opening and seat, within
//! the budget, and sensible where it is known what is good.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::{
    collections::HashSet,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use fivefold_engine::bot::{self, Resources};
use fivefold_shared::{
    bot_spec::{BotKind, BotSpec},
    notation::coordinates,
    opening::{ACTS_MAX, Act, CANONICAL, Canonical, Opening, OpeningKind, any_act},
    rules::{Point, Position, Rules, Size, Stone, Variant},
    search_budget::{Budget, Thinking},
    seat::Seat,
    symmetry,
};
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};

fn rules(variant: Variant, size: Size) -> Rules {
    Rules::new(variant, size).unwrap()
}

/// The rules under which a protocol is usually played.
fn usual_rules(kind: OpeningKind) -> Rules {
    let variants = [Variant::Freestyle, Variant::Renju];
    let mut all = variants.map(|variant| rules(variant, Size::square(15))).into_iter();
    all.find(|rules| kind.offered(*rules).is_ok()).unwrap()
}

fn engine(level: u8) -> BotSpec {
    BotSpec { kind: BotKind::Engine, level: Some(level) }
}

fn looking_at(nodes: u64) -> Thinking<'static> {
    Thinking { budget: Budget { nodes: Some(nodes), ..Budget::UNLIMITED }, ..Thinking::unlimited() }
}

fn choose(opening: &Opening, position: &Position, nodes: u64, seed: u64) -> Act {
    let resources = Resources { hash_bytes: 1 << 20, ..Resources::default() };
    let thinking = looking_at(nodes);
    bot::opening::choose(engine(10), opening, position, seed, resources, &thinking).unwrap()
}

fn points(names: &str) -> Vec<Point> {
    let point = |name| coordinates::parse(name, Size::square(15)).unwrap();
    names.split_whitespace().map(point).collect()
}

/// An opening after these acts, which must be legal.
fn after(kind: OpeningKind, acts: &[Act]) -> (Opening, Position) {
    let (mut opening, mut position) =
        (Opening::new(kind, Seat::First), Position::new(usual_rules(kind)));
    for act in acts {
        opening.apply(&mut position, act).unwrap();
    }
    (opening, position)
}

fn put(names: &str) -> Act {
    Act::put(points(names))
}

fn stay(opening: &Opening) -> Act {
    Act::Take(opening.to_act().unwrap().stone(opening.black()))
}

/// Chooses in these openings by the rules where they are offered, with each group of seats in turn,
/// against random acts of the others.
fn play_openings(
    kinds: &[OpeningKind],
    boards: &[Rules],
    seats: &[&[Seat]],
    mut check: impl FnMut(&Opening, &Position, u64) -> Act,
) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for &kind in kinds {
        for rules in boards.iter().filter(|rules| kind.offered(**rules).is_ok()) {
            for (seed, choosing) in (0..).zip(seats) {
                let (mut opening, mut position) =
                    (Opening::new(kind, Seat::First), Position::new(*rules));
                while let Some(seat) = opening.to_act() {
                    let act = if choosing.contains(&seat) {
                        check(&opening, &position, seed)
                    } else {
                        any_act(&opening, &position, &mut |below| random.random_range(0..below))
                            .unwrap()
                    };
                    opening.apply(&mut position, &act).unwrap();
                    assert!(opening.acts().len() <= ACTS_MAX);
                }
            }
        }
    }
}

#[test]
fn choices_are_legal_in_every_opening_and_seat_and_the_same_again() {
    let boards = [
        rules(Variant::Freestyle, Size::square(15)),
        rules(Variant::Renju, Size::square(15)),
        rules(Variant::Caro, Size::Bounded { width: 11, height: 13 }),
        rules(Variant::Mnk { k: 4 }, Size::square(9)),
        // Without an engine.
        rules(Variant::Mnk { k: 8 }, Size::square(20)),
        rules(Variant::Standard, Size::Unbounded),
    ];
    let seats = [&[Seat::First][..], &[Seat::Second], &Seat::BOTH];
    let mut kinds = HashSet::new();
    play_openings(&OpeningKind::ALL, &boards, &seats, |opening, position, seed| {
        kinds.insert(opening.kind());
        // Most budgets are too small to see anything.
        let nodes = [0, 300, 2_000][usize::try_from(seed).unwrap() % 3];
        let act = choose(opening, position, nodes, seed);
        assert_eq!(act, choose(opening, position, nodes, seed));
        act
    });
    assert_eq!(kinds.len(), OpeningKind::ALL.len() - 1, "all but free");
}

#[test]
fn an_act_takes_no_longer_than_a_move() {
    let most = Duration::from_millis(50);
    // The most stones to compare, the most fifths, and all kinds of acts.
    let kinds = [OpeningKind::Swap1, OpeningKind::Soosyrv8, OpeningKind::Taraguchi10];
    let boards = [rules(Variant::Renju, Size::square(15))];
    play_openings(&kinds, &boards, &[&Seat::BOTH], |opening, position, seed| {
        // A clock on which each look takes a while.
        let looks = AtomicU64::new(0);
        let elapsed = || Duration::from_micros(100 * looks.fetch_add(1, Ordering::Relaxed));
        let cancel = AtomicBool::new(false);
        let budget = Budget { time: most, ..Budget::UNLIMITED };
        let thinking = Thinking { budget, elapsed: &elapsed, cancel: &cancel };
        let resources = Resources { hash_bytes: 1 << 20, ..Resources::default() };
        let act = bot::opening::choose(engine(10), opening, position, seed, resources, &thinking);
        // Each of the searches may look once more when its time is over.
        let spent = elapsed();
        assert!(spent <= most * 3 / 2, "{spent:?} for {:?}", opening.ask(position));
        act.unwrap()
    });
}

#[test]
fn weak_bots_choose_too() {
    let bots = [engine(1), BotKind::Attack.into()];
    for kind in [OpeningKind::Swap2, OpeningKind::Taraguchi10] {
        for bot in bots {
            let (mut opening, mut position) = after(kind, &[]);
            while !opening.is_over() {
                let (resources, thinking) = (Resources::default(), Thinking::unlimited());
                // Without a limit, a bot's level limits what it searches.
                let act = bot::opening::choose(bot, &opening, &position, 1, resources, &thinking)
                    .unwrap();
                opening.apply(&mut position, &act).unwrap();
            }
        }
    }
}

#[test]
fn the_better_colour_of_an_uneven_opening_is_taken() {
    let canonical = |name: &str, declare| {
        let opening = CANONICAL.into_iter().find(|opening| opening.to_string() == name).unwrap();
        Act::Put { points: opening.stones(Point::new(7, 7)).to_vec(), declare }
    };
    let cases = [
        // A stone in the middle, and one in a corner.
        (OpeningKind::Swap1, put("h8"), Stone::Black),
        (OpeningKind::Swap1, put("a1"), Stone::White),
        // Two beside each other against one far away, and the other way round.
        (OpeningKind::Swap, put("h8 a1 h9"), Stone::Black),
        (OpeningKind::Swap, put("a1 h8 o15"), Stone::White),
        (OpeningKind::Swap2, put("h8 a1 h9"), Stone::Black),
        (OpeningKind::Swap2, put("a1 h8 o15"), Stone::White),
        (OpeningKind::Rif, canonical("D4", None), Stone::Black),
        (OpeningKind::Yamaguchi, canonical("D4", Some(1)), Stone::Black),
        (OpeningKind::Yamaguchi, canonical("D13", Some(12)), Stone::White),
        (OpeningKind::Yamaguchi, canonical("I13", Some(12)), Stone::White),
        (OpeningKind::Soosyrv8, canonical("D4", None), Stone::Black),
        (OpeningKind::Taraguchi10, put("h8"), Stone::Black),
    ];
    for (kind, stones, expected) in cases {
        let (opening, position) = after(kind, std::slice::from_ref(&stones));
        let act = choose(&opening, &position, 30_000, 1);
        assert_eq!(act, Act::Take(expected), "{kind} {stones:?}");
    }
}

#[test]
fn canonical_openings_that_are_about_even_are_proposed() {
    for kind in [OpeningKind::Rif, OpeningKind::Yamaguchi, OpeningKind::Soosyrv8] {
        let (opening, position) = after(kind, &[]);
        let mut proposed = HashSet::new();
        for seed in 0..12 {
            let Act::Put { points, declare } = choose(&opening, &position, 0, seed) else {
                panic!("stones are put");
            };
            let three: [Point; 3] = points.clone().try_into().unwrap();
            let name = Canonical::of(three).unwrap();
            assert_eq!(declare.is_some(), kind == OpeningKind::Yamaguchi);
            proposed.insert((points, declare));
            let chances = fivefold_engine::book::canonical_chances(name);
            let fifths = usize::from(declare.unwrap_or(2));
            let uneven = (chances[fifths - 1] - 0.5).abs();
            assert!(uneven < 0.1 || kind == OpeningKind::Soosyrv8, "{kind} {name} {declare:?}");
        }
        assert!(proposed.len() >= 4, "not always the same: {proposed:?}");
    }
}

#[test]
fn offered_fifths_are_different_and_as_many_as_asked_for() {
    // The shapes of the first two are symmetric.
    for (three, fourth) in [("h8 h9 h7", "h6"), ("h8 h9 h10", "e9"), ("h8 i9 i8", "k11")] {
        for count in [2, 8, 12] {
            let three = Act::Put { points: points(three), declare: Some(count) };
            let (opening, _) = after(OpeningKind::Yamaguchi, std::slice::from_ref(&three));
            let acts = [three, stay(&opening), put(fourth)];
            let (opening, position) = after(OpeningKind::Yamaguchi, &acts);
            for nodes in [0, 20_000] {
                let Act::Offer(offered) = choose(&opening, &position, nodes, 1) else {
                    panic!("fifths are offered");
                };
                let shapes: HashSet<_> =
                    offered.iter().map(|point| symmetry::layout_with(&position, *point)).collect();
                assert_eq!((offered.len(), shapes.len()), (count.into(), count.into()));
                let near = |point: &Point| point.distance(Point::new(7, 7)) <= 5;
                assert!(nodes == 0 || offered.iter().all(near), "{offered:?}");
            }
        }
    }
}

#[test]
fn white_selects_the_fifth_that_is_the_worst_for_black() {
    let three = put("h8 h9 i9");
    let (opening, _) = after(OpeningKind::Rif, std::slice::from_ref(&three));
    for far in ["a1", "o15", "a15"] {
        let mut acts = vec![three.clone(), stay(&opening), put("g7")];
        acts.push(Act::Offer(points(&format!("i8 {far}"))));
        let (opening, position) = after(OpeningKind::Rif, &acts);
        assert_eq!(choose(&opening, &position, 10_000, 1), Act::Select(points(far)[0]));
    }
}

#[test]
fn one_declared_fifth_and_the_stones_of_pro_are_moves_of_the_bot() {
    let three = Act::Put { points: points("h8 h9 i9"), declare: Some(1) };
    let (opening, _) = after(OpeningKind::Yamaguchi, std::slice::from_ref(&three));
    let acts = [three, stay(&opening), put("i10")];
    let cases = [
        after(OpeningKind::Yamaguchi, &acts),
        after(OpeningKind::Pro, &[put("h8")]),
        after(OpeningKind::LongPro, &[put("h8")]),
    ];
    for (opening, position) in cases {
        let thinking = looking_at(5_000);
        let resources = Resources { hash_bytes: 1 << 20, ..Resources::default() };
        let mut bot = bot::build_with(engine(10), position.rules(), 3, resources).unwrap();
        let point = bot.choose(&position, &thinking).unwrap();
        assert_eq!(choose(&opening, &position, 5_000, 3), Act::put(vec![point]));
    }
    // The third stone must be far enough away, and is not farther than it needs.
    for (kind, least) in [(OpeningKind::Pro, 3), (OpeningKind::LongPro, 4)] {
        let (opening, position) = after(kind, &[put("h8"), put("i9")]);
        let Act::Put { points, .. } = choose(&opening, &position, 20_000, 1) else {
            panic!("a stone is put");
        };
        let distance = points[0].distance(Point::new(7, 7));
        assert!((least..=least + 2).contains(&distance), "{points:?}");
    }
}
