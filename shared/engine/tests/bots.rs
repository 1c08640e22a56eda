//! Tests of the bots through their public trait: their numbers, their legality, and minimax's claim
//! that it never loses.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::{
    collections::{HashMap, HashSet},
    sync::atomic::AtomicBool,
    time::Duration,
};

use fivefold_engine::bot::{self, Bot};
use fivefold_shared::{
    analysis::Weight,
    bot_spec::{BotKind, BotSpec},
    rules::{Outcome, Point, Position, Rules, Size, Stone, Variant},
    search_budget::{Budget, Thinking},
};
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus, seq::IndexedRandom};

type Random = Xoshiro256PlusPlus;

fn build(kind: BotKind, rules: Rules, seed: u64) -> Box<dyn Bot> {
    bot::build(BotSpec::from(kind), rules, seed).unwrap()
}

fn rules(variant: Variant, width: u8, height: u8) -> Rules {
    Rules::new(variant, Size::Bounded { width, height }).unwrap()
}

const fn mnk(k: u8) -> Variant {
    Variant::Mnk { k }
}

/// Every legal point of a bounded board.
fn legal(position: &Position) -> Vec<Point> {
    let Size::Bounded { width, height } = position.rules().size() else {
        panic!("only a bounded board can be listed");
    };
    (0..i32::from(height))
        .flat_map(|y| (0..i32::from(width)).map(move |x| Point::new(x, y)))
        .filter(|point| position.legality(*point).is_ok())
        .collect()
}

/// A legal point: anywhere on a bounded board, up to 3 away from some stone on the unbounded one.
fn random_move(position: &Position, random: &mut Random) -> Point {
    if position.rules().size() != Size::Unbounded {
        return *legal(position).choose(random).unwrap();
    }
    loop {
        let near = position.moves().choose(random).copied().unwrap_or_default();
        let (dx, dy) = (random.random_range(-3..=3), random.random_range(-3..=3));
        let point = Point::new(near.x + dx, near.y + dy);
        if position.legality(point).is_ok() {
            return point;
        }
    }
}

mod numbers {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Case {
        size: Option<u8>,
        moves: Vec<(i32, i32)>,
        attack: Vec<(i32, i32, f64)>,
        pattern: Vec<(i32, i32, f64)>,
    }

    /// The same stones, each colour's last one first. One position holds a six, which only
    /// standard plays on from, and only if no five was made on the way: in this order none is.
    fn position(case: &Case) -> Position {
        let size = case.size.map_or(Size::Unbounded, Size::square);
        let mut position = Position::new(Rules::new(Variant::Standard, size).unwrap());
        let colour = |first| case.moves.iter().skip(first).step_by(2).rev();
        let (mut black, mut white) = (colour(0), colour(1));
        while let Some(&point) = match position.turn() {
            Stone::Black => black.next(),
            Stone::White => white.next(),
        } {
            position.play(Point::from(point)).unwrap();
        }
        assert_eq!(position.ply(), case.moves.len());
        position
    }

    /// The weights of sixteen positions by an independent implementation, to six decimals.
    #[test]
    fn every_weight_is_as_published() {
        let mut checked = 0;
        for line in include_str!("../testdata/seed_bots.jsonl").lines() {
            let case: Case = serde_json::from_str(line).unwrap();
            let position = position(&case);
            for (kind, expected) in
                [(BotKind::Attack, &case.attack), (BotKind::Pattern, &case.pattern)]
            {
                let found: HashMap<_, _> = build(kind, position.rules(), 0)
                    .weigh(&position, &Thinking::unlimited())
                    .into_iter()
                    .map(|one| (one.point, one.weight))
                    .collect();
                assert_eq!(found.len(), expected.len(), "{kind} {:?}", case.moves);
                for &(x, y, weight) in expected {
                    let difference = found[&Point::new(x, y)] - weight;
                    assert!(difference.abs() < 1e-6, "{kind} {x},{y} {:?}", case.moves);
                    checked += 1;
                }
            }
        }
        assert_eq!(checked, 2_033);
    }

    /// Turned, mirrored and moved anywhere, a position weighs the same to the last bit.
    #[test]
    fn weights_do_not_depend_on_where_or_which_way_up() {
        type Map = fn(Point) -> Point;
        const FAR: i32 = 1_999_999_000;
        let maps: [Map; 8] = [
            |at| Point::new(-at.x, at.y),
            |at| Point::new(at.x, -at.y),
            |at| Point::new(-at.x, -at.y),
            |at| Point::new(at.y, at.x),
            |at| Point::new(-at.y, at.x),
            |at| Point::new(at.y, -at.x),
            |at| Point::new(FAR - at.y, -FAR - at.x),
            |at| Point::new(at.x - FAR, at.y + FAR),
        ];
        let mut random = Random::seed_from_u64(2);
        for variant in [Variant::Freestyle, Variant::Caro, mnk(5), mnk(3), mnk(8)] {
            let rules = Rules::new(variant, Size::Unbounded).unwrap();
            let mut position = Position::new(rules);
            while position.ply() < 30 {
                let point = random_move(&position, &mut random);
                if position.play(point).unwrap().is_some() {
                    break;
                }
            }
            if position.outcome().is_some() {
                position.undo();
            }
            for kind in [BotKind::Attack, BotKind::Pattern] {
                let Ok(mut bot) = bot::build(BotSpec::from(kind), rules, 0) else { continue };
                let mut listed = |position: &Position, map: Map| {
                    bot.weigh(position, &Thinking::unlimited())
                        .into_iter()
                        .map(|one| (map(one.point), one.weight.to_bits()))
                        .collect::<HashMap<_, _>>()
                };
                for map in maps {
                    let moved: Vec<_> = position.moves().iter().copied().map(map).collect();
                    let moved = Position::from_moves(rules, &moved).unwrap();
                    assert_eq!(listed(&moved, |at| at), listed(&position, map), "{position:?}");
                }
            }
        }
    }

    /// One stone short of `k` is a win for its owner, and a threat that the opponent answers. Where
    /// three win, attack sees threats everywhere, and does not always answer the right one.
    #[test]
    fn lines_are_completed_and_blocked() {
        for k in 3..=10 {
            // O X X X X a      Black wins at a, or White blocks there.
            let rules = Rules::new(mnk(k), Size::Unbounded).unwrap();
            let mut position = Position::new(rules);
            for stone in 1..i32::from(k) {
                let far = Point::new(stone * 9, 20 + stone % 3);
                position.play(Point::new(stone, 0)).unwrap();
                position.play(if stone == 1 { Point::new(0, 0) } else { far }).unwrap();
            }
            let expected = Some(Point::new(i32::from(k), 0));
            for kind in [BotKind::Attack, BotKind::Pattern] {
                let Ok(mut bot) = bot::build(BotSpec::from(kind), rules, u64::from(k)) else {
                    continue;
                };
                let chosen = bot.choose(&position, &Thinking::unlimited());
                assert_eq!(chosen, expected, "{kind} wins, k = {k}");
                if k > 3 {
                    let mut threatened = position.clone();
                    threatened.undo();
                    let chosen = bot.choose(&threatened, &Thinking::unlimited());
                    assert_eq!(chosen, expected, "{kind} blocks, k = {k}");
                }
            }
        }
    }

    #[test]
    fn an_empty_board_is_opened_in_the_middle() {
        let unbounded = Rules::new(Variant::Caro, Size::Unbounded).unwrap();
        let cases = [
            (rules(Variant::Renju, 15, 15), (7, 7)),
            (rules(Variant::Freestyle, 20, 9), (10, 4)),
            (unbounded, (0, 0)),
        ];
        for (rules, middle) in cases {
            for kind in [BotKind::Attack, BotKind::Pattern] {
                let chosen =
                    build(kind, rules, 1).choose(&Position::new(rules), &Thinking::unlimited());
                assert_eq!(chosen, Some(Point::from(middle)), "{kind} {rules}");
            }
        }
    }
}

mod games {
    use super::*;

    /// Boards of every kind, and how many plies of a game are played there at most.
    fn boards() -> Vec<(Rules, usize)> {
        let mut boards = vec![
            (rules(mnk(3), 3, 3), 9),
            (rules(mnk(4), 4, 4), 16),
            (rules(mnk(3), 7, 5), 35),
            (rules(mnk(6), 11, 9), 99),
            (rules(mnk(10), 10, 3), 30),
            (rules(Variant::Renju, 15, 15), 225),
        ];
        for variant in
            [Variant::Freestyle, Variant::Standard, Variant::Caro, Variant::CaroOverline, mnk(5)]
        {
            boards.extend([(5, 3), (5, 5), (6, 9), (15, 15)].map(|(width, height)| {
                (rules(variant, width, height), usize::from(width) * usize::from(height))
            }));
            boards.push((Rules::new(variant, Size::Unbounded).unwrap(), 70));
        }
        boards.push((Rules::new(mnk(8), Size::Unbounded).unwrap(), 40));
        boards
    }

    fn offered(rules: Rules) -> impl Iterator<Item = BotKind> {
        BotKind::ALL.into_iter().filter(move |kind| BotSpec::from(*kind).offered(rules).is_ok())
    }

    /// The limits for a bot here: only the engine does not finish by itself.
    fn thinking(kind: BotKind) -> Thinking<'static> {
        let nodes = match kind {
            BotKind::Engine => Some(200),
            BotKind::Minimax | BotKind::Attack | BotKind::Pattern => None,
        };
        Thinking { budget: Budget { nodes, ..Budget::UNLIMITED }, ..Thinking::unlimited() }
    }

    /// Requests a move, and checks it and the bot's weights.
    fn checked_move(kind: BotKind, bot: &mut dyn Bot, position: &Position) -> Point {
        let thinking = thinking(kind);
        let weights = bot.weigh(position, &thinking);
        let points: HashSet<_> = weights.iter().map(|one| one.point).collect();
        assert_eq!(points.len(), weights.len(), "a point is listed twice: {bot:?} {position:?}");
        assert!(weights.is_sorted_by(|a, b| a.weight >= b.weight), "{bot:?} {position:?}");
        for one in &weights {
            assert_eq!(position.legality(one.point), Ok(()), "{bot:?} {position:?}");
        }
        let point = bot.choose(position, &thinking).expect("a running game has a move");
        // The engine lists only the best, and varies its first moves.
        assert!(kind == BotKind::Engine || points.contains(&point), "{bot:?} {position:?}");
        point
    }

    /// A game between two, `None` moving at random.
    fn play(rules: Rules, plies: usize, players: [Option<BotKind>; 2], seed: u64) -> Position {
        let mut bots = players.map(|kind| kind.map(|kind| (kind, build(kind, rules, seed))));
        let mut random = Random::seed_from_u64(seed);
        let mut position = Position::new(rules);
        while position.outcome().is_none() && position.ply() < plies {
            let point = match &mut bots[position.ply() % 2] {
                Some((kind, bot)) => checked_move(*kind, bot.as_mut(), &position),
                None => random_move(&position, &mut random),
            };
            position.play(point).unwrap();
        }
        for (_, bot) in bots.iter_mut().flatten().filter(|_| position.outcome().is_some()) {
            assert_eq!(bot.choose(&position, &Thinking::unlimited()), None);
            assert!(bot.weigh(&position, &Thinking::unlimited()).is_empty());
        }
        position
    }

    #[test]
    fn bots_play_legally_against_random_moves() {
        let mut won = 0;
        let mut played = 0;
        for (rules, plies) in boards() {
            for kind in offered(rules) {
                for (players, stone) in
                    [([Some(kind), None], Stone::Black), ([None, Some(kind)], Stone::White)]
                {
                    let game = play(rules, plies, players, 5);
                    let winner = game.outcome().and_then(Outcome::winner);
                    won += u32::from(winner == Some(stone));
                    played += 1;
                }
            }
        }
        assert!(won * 2 > played, "only {won} of {played} games against random moves were won");
    }

    #[test]
    fn bots_play_legally_against_each_other() {
        for (rules, plies) in boards() {
            for black in offered(rules) {
                for white in offered(rules) {
                    let game = play(rules, plies, [Some(black), Some(white)], 7);
                    assert!(game.outcome().is_some() || game.ply() == plies);
                }
            }
        }
    }

    #[test]
    fn a_seed_gives_the_same_game_and_others_vary_it() {
        for kind in BotKind::ALL {
            let (rules, plies) = match kind {
                BotKind::Minimax => (Rules::TIC_TAC_TOE, 9),
                BotKind::Attack | BotKind::Pattern | BotKind::Engine => {
                    (rules(Variant::Freestyle, 15, 15), 30)
                }
            };
            let moves = |seed| play(rules, plies, [Some(kind); 2], seed).moves().to_vec();
            assert_eq!(moves(1), moves(1), "{kind}");
            let games: HashSet<_> = (0..8).map(moves).collect();
            assert!(games.len() > 1, "{kind} plays one game only");
        }
    }

    #[test]
    fn forbidden_points_are_never_listed() {
        //   0 1 2 3 4 5 6
        // 0 . . . . . . .
        // 1 . . . X . . .    Black at a would make a double-three.
        // 2 . . . X . . .
        // 3 . X X a . . .
        let moves = [(3, 1), (14, 0), (3, 2), (14, 2), (1, 3), (14, 4), (2, 3), (14, 6)];
        let rules = rules(Variant::Renju, 15, 15);
        let mut position = Position::from_moves(rules, &moves.map(Point::from)).unwrap();
        let listed = |position: &Position, kind| {
            let weights = build(kind, rules, 1).weigh(position, &thinking(kind));
            weights.iter().any(|one| one.point == Point::new(3, 3))
        };
        for kind in [BotKind::Attack, BotKind::Pattern, BotKind::Engine] {
            assert!(!listed(&position, kind), "{kind} for Black");
        }
        position.play(Point::new(7, 14)).unwrap();
        for kind in [BotKind::Attack, BotKind::Pattern] {
            assert!(listed(&position, kind), "{kind} for White");
        }
    }

    #[test]
    fn a_bot_answers_legally_when_its_thinking_is_over_at_once() {
        let called_off = AtomicBool::new(true);
        let free = Thinking::unlimited();
        let hurries = [
            Thinking { budget: Budget { time: Duration::ZERO, ..Budget::UNLIMITED }, ..free },
            Thinking { budget: Budget { nodes: Some(0), ..Budget::UNLIMITED }, ..free },
            Thinking { budget: Budget { nodes: Some(9), ..Budget::UNLIMITED }, ..free },
            Thinking { cancel: &called_off, ..free },
        ];
        for (rules, plies) in boards() {
            for kind in offered(rules) {
                for thinking in &hurries {
                    let game = play(rules, plies.min(8), [None, None], 3);
                    let chosen = build(kind, rules, 1).choose(&game, thinking);
                    let expected = game.outcome().is_none();
                    assert_eq!(chosen.is_some(), expected, "{kind} {thinking:?} {game:?}");
                    assert!(chosen.is_none_or(|point| game.legality(point).is_ok()), "{kind}");
                }
            }
        }
    }
}

mod perfect {
    use super::*;

    /// A candidate's weight and the plies until the end that it leads to.
    type Worth = (f64, u16);

    /// Results of visited positions, by their stones.
    type Met = HashMap<Vec<Option<Stone>>, Worth>;

    fn stones(position: &Position) -> Vec<Option<Stone>> {
        let Size::Bounded { width, height } = position.rules().size() else {
            panic!("minimax plays on bounded boards");
        };
        (0..i32::from(height))
            .flat_map(|y| (0..i32::from(width)).map(move |x| Point::new(x, y)))
            .map(|point| position.stone_at(point))
            .collect()
    }

    fn better(a: Worth, b: Worth) -> bool {
        let haste = |(weight, plies): Worth| if weight < 0.0 { plies } else { 100 - plies };
        a.0 > b.0 || a.0 == b.0 && haste(a) > haste(b)
    }

    /// The slow twin: every continuation, by the rules themselves.
    fn worth(position: &mut Position, point: Point, met: &mut Met) -> Worth {
        position.play(point).unwrap();
        let worth = match position.outcome() {
            Some(outcome) if outcome.winner().is_some() => (10.0, 1),
            Some(_) => (0.0, 1),
            None => {
                let key = stones(position);
                let known = met.get(&key).copied();
                let (weight, plies) = known.unwrap_or_else(|| {
                    let best = legal(position)
                        .into_iter()
                        .map(|reply| worth(position, reply, met))
                        .reduce(|best, other| if better(other, best) { other } else { best })
                        .unwrap();
                    met.insert(key, best);
                    best
                });
                (0.0 - weight, plies + 1)
            }
        };
        position.undo();
        worth
    }

    fn check(position: &mut Position, bot: &mut dyn Bot, met: &mut Met) {
        let weights = bot.weigh(position, &Thinking::unlimited());
        assert_eq!(weights.len(), legal(position).len(), "{position:?}");
        for Weight { point, weight, plies } in &weights {
            let expected = worth(position, *point, met);
            assert_eq!((*weight, *plies), (expected.0, Some(expected.1)), "{point:?} {position:?}");
        }
        let worths = weights.iter().map(|one| (one.weight, one.plies.unwrap()));
        assert!(worths.is_sorted_by(|a, b| !better(*b, *a)), "{position:?}");
    }

    #[test]
    fn each_weight_of_tic_tac_toe_is_that_of_full_enumeration() {
        let mut bot = build(BotKind::Minimax, Rules::TIC_TAC_TOE, 1);
        let (mut met, mut seen) = (Met::new(), HashSet::new());
        let mut open = vec![Position::new(Rules::TIC_TAC_TOE)];
        while let Some(mut position) = open.pop() {
            if position.outcome().is_some() || !seen.insert(stones(&position)) {
                continue;
            }
            check(&mut position, bot.as_mut(), &mut met);
            open.extend(legal(&position).into_iter().map(|point| {
                let mut next = position.clone();
                next.play(point).unwrap();
                next
            }));
        }
        // 5,478 positions can be reached; in 958 of them the game is over.
        assert_eq!(seen.len(), 4_520);
    }

    #[test]
    fn each_weight_near_the_end_of_larger_boards_is_that_of_full_enumeration() {
        let boards = [
            rules(mnk(3), 4, 3),
            rules(mnk(4), 3, 5),
            rules(mnk(4), 4, 4),
            rules(Variant::Freestyle, 6, 3),
            rules(mnk(4), 5, 4),
            rules(mnk(5), 4, 5),
        ];
        let mut random = Random::seed_from_u64(11);
        let mut checked = 0;
        for rules in boards.into_iter().cycle().take(240) {
            let mut position = Position::new(rules);
            while position.outcome().is_none() && legal(&position).len() > 8 {
                position.play(random_move(&position, &mut random)).unwrap();
            }
            if position.outcome().is_none() {
                let mut bot = build(BotKind::Minimax, rules, 1);
                check(&mut position, bot.as_mut(), &mut Met::new());
                checked += 1;
            }
        }
        assert!(checked >= 100, "{checked}");
    }

    /// Follows every reply of the opponent and every move that the bot might choose.
    fn never_loses(
        position: &mut Position,
        side: Stone,
        bot: &mut dyn Bot,
        seen: &mut HashSet<Vec<Option<Stone>>>,
    ) {
        if let Some(outcome) = position.outcome() {
            assert_ne!(outcome.winner(), Some(side.opponent()), "{position:?}");
            return;
        }
        if !seen.insert(stones(position)) {
            return;
        }
        let moves = if position.turn() == side {
            let weights = bot.weigh(position, &Thinking::unlimited());
            let is_best =
                |one: &&Weight| (one.weight, one.plies) == (weights[0].weight, weights[0].plies);
            let best: Vec<_> =
                weights.iter().take_while(is_best).map(|weight| weight.point).collect();
            let chosen = bot.choose(position, &Thinking::unlimited()).unwrap();
            assert!(best.contains(&chosen), "{position:?}");
            best
        } else {
            legal(position)
        };
        for point in moves {
            position.play(point).unwrap();
            never_loses(position, side, bot, seen);
            position.undo();
        }
    }

    #[test]
    fn minimax_never_loses_tic_tac_toe_whatever_the_opponent_plays() {
        for side in Stone::BOTH {
            let mut bot = build(BotKind::Minimax, Rules::TIC_TAC_TOE, 1);
            let mut position = Position::new(Rules::TIC_TAC_TOE);
            never_loses(&mut position, side, bot.as_mut(), &mut HashSet::new());
        }
    }

    #[test]
    fn what_is_not_proven_in_time_is_said_to_be_so() {
        let rules = rules(mnk(4), 5, 4);
        let budget = Budget { nodes: Some(50), ..Budget::UNLIMITED };
        let thinking = Thinking { budget, ..Thinking::unlimited() };
        let mut bot = build(BotKind::Minimax, rules, 1);
        let weights = bot.weigh(&Position::new(rules), &thinking);
        assert_eq!(weights.len(), 20);
        assert!(weights.iter().all(|one| one.weight == 0.0 && one.plies.is_none()));
    }
}
