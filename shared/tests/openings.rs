//! Tests the openings: by the vectors of `testdata/openings.txt`, on all canonical openings, and by
//! random acts.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use std::{collections::BTreeMap, fmt::Write as _};

use fivefold_shared::{
    notation::coordinates,
    opening::{
        ACTS_MAX, Act, Ask, CANONICAL, Canonical, Change, MadeAct, OFFERED_MAX, Opening,
        OpeningKind, Refused, STONES_MAX, Zone, any_act,
    },
    rules::{Illegal, Point, Position, Rules, Size, Stone, Variant},
    seat::Seat,
};
use proptest::prelude::*;

const VECTORS: &str = include_str!("../testdata/openings.txt");

/// The rules with which a kind is tested where a line names none.
fn usual_rules(kind: OpeningKind) -> Rules {
    let renju = Rules::new(Variant::Renju, Size::square(15)).unwrap();
    let freestyle = Rules::new(Variant::Freestyle, Size::square(15)).unwrap();
    if kind.offered(freestyle).is_ok() { freestyle } else { renju }
}

fn read_rules(words: &[&str], kind: OpeningKind) -> Rules {
    let [variant, size] = words else { return usual_rules(kind) };
    let variant = match variant.split_once(':') {
        Some(("mnk", k)) => Variant::Mnk { k: k.parse().unwrap() },
        Some(_) | None => Variant::named(variant).unwrap(),
    };
    Rules::new(variant, size.parse().unwrap()).unwrap()
}

fn read_act(text: &str, size: Size) -> Act {
    // A vector may name a point beyond the borders.
    let point = |name: &str| coordinates::parse(name, size).unwrap_or(Point::new(-1, -1));
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        ["put", points @ .., "declare", count] => Act::Put {
            points: points.iter().copied().map(point).collect(),
            declare: Some(count.parse().unwrap()),
        },
        ["put", points @ ..] => Act::put(points.iter().copied().map(point).collect()),
        ["take", "black"] => Act::Take(Stone::Black),
        ["take", "white"] => Act::Take(Stone::White),
        ["offer", points @ ..] => Act::Offer(points.iter().copied().map(point).collect()),
        ["select", name] => Act::Select(point(name)),
        _ => panic!("no act: {text:?}"),
    }
}

fn code(refused: Refused) -> &'static str {
    match refused {
        Refused::NotNow => "not_now",
        Refused::WrongCount { .. } => "wrong_count",
        Refused::NotInZone(_) => "not_in_zone",
        Refused::SameAsOffered { .. } => "same_as_offered",
        Refused::Illegal(Illegal::Occupied) => "occupied",
        Refused::Illegal(Illegal::Outside) => "outside",
        Refused::Illegal(illegal) => panic!("{illegal}"),
    }
}

fn show_ask(ask: &Ask, size: Size) -> String {
    let mut open = Vec::new();
    if ask.take {
        open.push("take".to_owned());
    }
    if !ask.put.is_empty() {
        let mut put = "put".to_owned();
        for zone in &ask.put {
            match zone {
                Zone::Anywhere => put.push_str(" anywhere"),
                Zone::Within(limit) => write!(put, " within {limit}").unwrap(),
                Zone::Beyond(limit) => write!(put, " beyond {limit}").unwrap(),
            }
        }
        if let Some(most) = ask.declare {
            write!(put, " declare {most}").unwrap();
        }
        open.push(put);
    }
    open.extend(ask.offer.map(|count| format!("offer {count}")));
    if !ask.select.is_empty() {
        let names: Vec<_> =
            ask.select.iter().map(|&point| coordinates::format(point, size)).collect();
        open.push(format!("select {}", names.join(" ")));
    }
    format!("{}: {}", ask.seat, open.join(", "))
}

fn show(opening: &Opening, position: &Position) -> String {
    match opening.ask(position) {
        Some(ask) => {
            assert_eq!(opening.to_act(), Some(ask.seat));
            show_ask(&ask, position.rules().size())
        }
        None => {
            let mover = Seat::with_stone(position.turn(), opening.black());
            let (stones, black) = (position.ply(), opening.black());
            assert!(opening.is_over() && opening.stones() == stones);
            format!("over {stones}, {black} is Black, {mover} moves")
        }
    }
}

/// Makes the acts of a line, and returns the result.
fn run(head: &str, acts: &str) -> String {
    let words: Vec<&str> = head.split_whitespace().collect();
    let kind: OpeningKind = words[0].parse().unwrap();
    let rules = read_rules(&words[1..], kind);
    if kind.offered(rules).is_err() {
        return "refused opening_not_offered".to_owned();
    }
    let (mut opening, mut position) = (Opening::new(kind, Seat::First), Position::new(rules));
    let mut acts = acts.split(';').map(str::trim).filter(|act| !act.is_empty()).peekable();
    while let Some(text) = acts.next() {
        let before = (opening.clone(), position.clone());
        if let Err(refused) = opening.apply(&mut position, &read_act(text, rules.size())) {
            assert!(acts.peek().is_none(), "{head}: {text} is refused: {refused}");
            assert_eq!((opening, position), before, "a refused act changes nothing");
            return format!("refused {}", code(refused));
        }
        check_rebuilt(&opening, &position);
    }
    show(&opening, &position)
}

/// The opening comes back from its acts.
fn check_rebuilt(opening: &Opening, position: &Position) {
    let (kind, first) = (opening.kind(), opening.first());
    let rebuilt = Opening::after(position.rules(), kind, first, opening.acts());
    assert_eq!(rebuilt, Ok((opening.clone(), position.clone())));
}

#[test]
fn each_vector_has_its_result() {
    let mut lines = 0;
    for line in VECTORS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (inputs, expected) = line.split_once("->").expect("ACTS -> RESULT");
        let (head, acts) = inputs.split_once(':').map_or((inputs, ""), |_| split_head(inputs));
        let result = match expected.trim().strip_prefix("fifths ") {
            Some(_) => format!("fifths {}", different_fifths(acts)),
            None => run(head, acts),
        };
        assert_eq!(result, expected.trim(), "{line}");
        lines += 1;
    }
    assert!(lines >= 100, "{lines}");
}

/// Splits at the colon before the acts; `mnk:3` has one, too.
fn split_head(inputs: &str) -> (&str, &str) {
    let colon = inputs.find(": ").expect("a colon after the rules");
    (&inputs[..colon], &inputs[colon + 1..])
}

/// How many different fifth stones there are after these acts of RIF.
fn different_fifths(acts: &str) -> usize {
    let rules = usual_rules(OpeningKind::Rif);
    let (mut opening, mut position) =
        (Opening::new(OpeningKind::Rif, Seat::First), Position::new(rules));
    for act in acts.split(';') {
        opening.apply(&mut position, &read_act(act, rules.size())).unwrap();
    }
    let ask = opening.ask(&position).unwrap();
    let repeated: usize = ask.same.iter().map(|group| group.len() - 1).sum();
    rules.size().plies_max() - position.ply() - repeated
}

#[test]
fn all_184_placements_are_the_26_openings() {
    let rules = usual_rules(OpeningKind::Rif);
    let board = || (0..15).flat_map(|y| (0..15).map(move |x| Point::new(x, y)));
    let centre = Point::new(7, 7);
    let mut found: BTreeMap<Canonical, usize> = BTreeMap::new();
    for second in board() {
        for third in board() {
            let stones = [centre, second, third];
            let mut opening = Opening::new(OpeningKind::Rif, Seat::Second);
            let mut position = Position::new(rules);
            if opening.apply(&mut position, &Act::put(stones.to_vec())).is_ok() {
                let canonical = Canonical::of(stones).expect("one of the 26");
                *found.entry(canonical).or_default() += 1;
            } else {
                assert_eq!(Canonical::of(stones), None);
            }
        }
    }
    assert_eq!(found.values().sum::<usize>(), 184);
    let mut names: Vec<_> = found.keys().map(Canonical::to_string).collect();
    let mut expected: Vec<_> =
        (1..=13).flat_map(|number| [format!("D{number}"), format!("I{number}")]).collect();
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
    for opening in CANONICAL {
        assert_eq!(Canonical::of(opening.stones(centre)), Some(opening));
    }
}

/// Each direction of a symmetry of the shape, over all canonical openings with all fourth stones:
/// figures computed once from the definition.
#[test]
fn symmetric_shapes_are_as_many_as_counted() {
    let rules = usual_rules(OpeningKind::Rif);
    let (mut positions, mut symmetric) = (0, 0);
    for canonical in CANONICAL {
        let three = canonical.stones(Point::new(7, 7));
        for (x, y) in (0..15).flat_map(|y| (0..15).map(move |x| (x, y))) {
            let mut opening = Opening::new(OpeningKind::Rif, Seat::First);
            let mut position = Position::new(rules);
            opening.apply(&mut position, &Act::put(three.to_vec())).unwrap();
            opening.apply(&mut position, &Act::Take(Stone::White)).unwrap();
            if opening.apply(&mut position, &Act::put(vec![Point::new(x, y)])).is_ok() {
                positions += 1;
                symmetric += usize::from(!opening.ask(&position).unwrap().same.is_empty());
            }
        }
    }
    assert_eq!((positions, symmetric), (5_772, 163));
}

#[test]
fn names_are_read_in_each_form() {
    for kind in OpeningKind::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
    assert_eq!("Long Pro".parse(), Ok(OpeningKind::LongPro));
    assert_eq!("soosyrv-8".parse(), Ok(OpeningKind::Soosyrv8));
    assert!("swap3".parse::<OpeningKind>().is_err());
}

#[test]
fn acts_have_their_form_on_the_wire() {
    let point = Point::new(7, 7);
    let cases = [
        (r#"{"put":[[7,7]]}"#, Act::put(vec![point])),
        (r#"{"put":[[7,7]],"declare":3}"#, Act::Put { points: vec![point], declare: Some(3) }),
        (r#"{"take":"black"}"#, Act::Take(Stone::Black)),
        (r#"{"offer":[[7,7]]}"#, Act::Offer(vec![point])),
        (r#"{"select":[7,7]}"#, Act::Select(point)),
    ];
    for (text, act) in cases {
        assert_eq!(serde_json::from_str::<Act>(text).unwrap(), act);
        assert_eq!(serde_json::to_string(&act).unwrap(), text);
        let made = MadeAct { by: Seat::Second, act };
        let json = serde_json::to_string(&made).unwrap();
        assert_eq!(json, format!(r#"{{"by":"second","act":{text}}}"#));
        assert_eq!(serde_json::from_str::<MadeAct>(&json).unwrap(), made);
    }
    let wrong = [
        "{}",
        r#"{"declare":3}"#,
        r#"{"put":[[7,7]],"take":"black"}"#,
        r#"{"select":[7,7],"declare":1}"#,
        r#"{"offer":[[7,7]],"select":[7,7]}"#,
        r#"{"put":[[7,7]],"declare":300}"#,
    ];
    for text in wrong {
        assert!(serde_json::from_str::<Act>(text).is_err(), "{text}");
    }
}

/// The kinds with rules on which they are offered.
fn games() -> impl Strategy<Value = (OpeningKind, Rules)> {
    let unbounded = Rules::new(Variant::Standard, Size::Unbounded).unwrap();
    let small = Rules::new(Variant::Mnk { k: 4 }, Size::square(9)).unwrap();
    let all = OpeningKind::ALL.map(|kind| (kind, usual_rules(kind)));
    let more = [unbounded, small]
        .into_iter()
        .flat_map(|rules| OpeningKind::ALL.map(|kind| (kind, rules)))
        .filter(|(kind, rules)| kind.offered(*rules).is_ok());
    prop::sample::select(all.into_iter().chain(more).collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn random_legal_acts_always_reach_the_end(
        (kind, rules) in games(),
        first in prop::sample::select(Seat::BOTH.to_vec()),
        numbers in prop::collection::vec(any::<prop::sample::Index>(), 64),
    ) {
        let (mut opening, mut position) = (Opening::new(kind, first), Position::new(rules));
        let mut folded = (opening.clone(), position.clone());
        let mut numbers = numbers.iter().cycle();
        let mut pick = |below: usize| numbers.next().unwrap().index(below);
        let (mut acts, mut black) = (0, first);
        while let Some(act) = any_act(&opening, &position, &mut pick) {
            let ask = opening.ask(&position).unwrap();
            prop_assert!(ask.put.len() <= STONES_MAX && ask.offer <= Some(OFFERED_MAX));
            for change in opening.apply(&mut position, &act).unwrap() {
                if change == Change::Swap {
                    black = black.other();
                }
                // Even in the middle of an act the opening comes back from what was done.
                folded.0.change(&mut folded.1, &change).unwrap();
                check_rebuilt(&folded.0, &folded.1);
            }
            prop_assert_eq!(&folded, &(opening.clone(), position.clone()));
            prop_assert_eq!(opening.acts().last(), Some(&MadeAct { by: ask.seat, act }));
            acts += 1;
            prop_assert!(acts <= ACTS_MAX);
        }
        prop_assert!(opening.is_over() && opening.offered().is_empty());
        prop_assert_eq!(opening.black(), black);
        prop_assert!(position.outcome().is_none());
        let plies: &[usize] = match kind {
            OpeningKind::Free => &[0],
            OpeningKind::Swap1 => &[1],
            OpeningKind::Swap | OpeningKind::Pro | OpeningKind::LongPro => &[3],
            OpeningKind::Swap2 => &[3, 5],
            OpeningKind::Rif
            | OpeningKind::Yamaguchi
            | OpeningKind::Soosyrv8
            | OpeningKind::Taraguchi10 => &[5],
        };
        prop_assert!(plies.contains(&position.ply()) && opening.stones() == position.ply());
    }
}
