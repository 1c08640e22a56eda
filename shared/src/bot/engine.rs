//! The engine as a bot, with levels.
//!
//! At its best it plays what the [`Engine`] finds. At a lower level it looks at fewer positions,
//! and it overlooks things as people do. Now and then it sees only its own stones and goes on with
//! what it has in mind, whatever the other side threatens; a four is harder to miss than a three.
//! And it overlooks moves, the more easily, the farther away they are from the last ones and the
//! less they force. It then plays the best of what is left, never a stone at random.
//!
//! Its first moves are from the [`book`](crate::book), or else chosen among those that are about as
//! good as the best, so that no two games need be the same. Where more than six in a row win, for
//! which the engine has no tables, it goes by the weights of [`Attack`], at every level with the same
//! faults.

use rand::{RngExt, SeedableRng, seq::IndexedRandom};

use super::{
    Bot, Budget, LEVEL_MAX, Resources, THREADS_MAX, Thinking, Weight, attack::Attack,
    candidates::Random,
};
use crate::{
    book,
    engine::{Analysis, Engine, EngineOptions, Line, Value},
    rules::{Point, Position, Rules, Size, Variant},
    symmetry,
};

/// How many moves a level looks at that may overlook some.
const SEEN: usize = 8;

/// As long as fewer stones are on the board, moves vary.
const VARIED_PLIES: usize = 6;

/// How much worse than the best a varied move may be, as a chance of winning.
const VARIED_LOSS: f64 = 0.005;

/// The bot that its module describes.
#[derive(Debug)]
pub(super) struct EngineBot {
    rules: Rules,
    level: Level,
    resources: Resources,
    mind: Mind,
    random: Random,
}

#[derive(Debug)]
enum Mind {
    /// The engine; it is made when it is first needed, as that takes a while.
    Engine(Option<Box<Engine>>),
    /// Where there is none.
    Lines(Attack),
}

/// What a level sees.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Level {
    /// How many positions it looks at; as many as time allows at the highest.
    nodes: Option<u64>,
    /// How many moves ahead it sees wins by continuous fours.
    fours_ahead: u8,
    /// How likely it is to overlook a quiet move that is near the last ones.
    overlooks: f64,
    /// How likely it is not to look at the other side's stones.
    careless: f64,
}

/// The levels from 1 on. Each step changes the playing strength by about as much as the one
/// before; the values come from the example `ladder` of the client.
const LEVELS: [Level; LEVEL_MAX as usize] = [
    Level { nodes: Some(60), fours_ahead: 1, overlooks: 0.820, careless: 0.900 },
    Level { nodes: Some(180), fours_ahead: 1, overlooks: 0.616, careless: 0.560 },
    Level { nodes: Some(500), fours_ahead: 1, overlooks: 0.420, careless: 0.310 },
    Level { nodes: Some(1_600), fours_ahead: 2, overlooks: 0.250, careless: 0.150 },
    Level { nodes: Some(4_400), fours_ahead: 3, overlooks: 0.142, careless: 0.068 },
    Level { nodes: Some(9_000), fours_ahead: 4, overlooks: 0.084, careless: 0.033 },
    Level { nodes: Some(17_000), fours_ahead: 5, overlooks: 0.046, careless: 0.016 },
    Level { nodes: Some(38_000), fours_ahead: 7, overlooks: 0.018, careless: 0.006 },
    Level { nodes: Some(100_000), fours_ahead: 12, overlooks: 0.005, careless: 0.002 },
    Level { nodes: None, fours_ahead: 100, overlooks: 0.0, careless: 0.0 },
];

impl EngineBot {
    /// A bot of a level from 1 to [`LEVEL_MAX`] that uses so much of the machine.
    pub(super) fn new(rules: Rules, level: u8, seed: u64, resources: Resources) -> Self {
        let level = usize::from(level.clamp(1, LEVEL_MAX)) - 1;
        let mind = match rules.variant() {
            Variant::Mnk { k: 7.. } => Mind::Lines(Attack::new(seed)),
            Variant::Freestyle
            | Variant::Standard
            | Variant::Renju
            | Variant::Caro
            | Variant::CaroOverline
            | Variant::Mnk { .. } => Mind::Engine(None),
        };
        let random = Random::seed_from_u64(seed);
        Self { rules, level: LEVELS[level], resources, mind, random }
    }

    /// What it has in mind, if it does not look at the other side's stones now.
    fn own_idea(&mut self, position: &Position) -> Option<Point> {
        if !self.random.random_bool(self.level.careless) {
            return None;
        }
        let Mind::Engine(Some(engine)) = &mut self.mind else { return None };
        // A four is harder not to see than a three: it has to be missed twice.
        if engine.is_five_threatened(position) && !self.random.random_bool(self.level.careless) {
            return None;
        }
        let ideas = engine.own_ideas(position, SEEN);
        let weight = |point: Point| {
            let wins = position.clone().play(point).is_ok_and(|outcome| outcome.is_some());
            Weight { point, weight: 0.0, plies: wins.then_some(1) }
        };
        let weights: Vec<Weight> = ideas.into_iter().map(weight).collect();
        self.seen(position, &weights)
    }

    /// The best moves, as many as are asked for.
    fn best(&mut self, position: &Position, thinking: &Thinking<'_>, moves: usize) -> Vec<Weight> {
        match &mut self.mind {
            Mind::Lines(attack) => attack.weigh(position, thinking),
            Mind::Engine(engine) => {
                let (Level { nodes, fours_ahead, .. }, Resources { hash_bytes, threads }) =
                    (self.level, self.resources);
                let threads = if nodes.is_some() { 1 } else { threads.min(THREADS_MAX) };
                let options = EngineOptions { hash_bytes, fours_ahead, threads };
                let engine = engine.get_or_insert_with(|| {
                    Box::new(Engine::new(self.rules, options).expect("there are tables up to six"))
                });
                let analysis = engine.search(position, thinking, moves, &mut |_| {});
                analysis.map_or_else(Vec::new, |analysis| weights(position, &analysis))
            }
        }
    }

    /// The first move that is not overlooked; the last, if only that is left.
    fn seen(&mut self, position: &Position, weights: &[Weight]) -> Option<Point> {
        let recent: Vec<Point> = position.moves().iter().rev().take(2).copied().collect();
        for weight in weights {
            let distance = recent.iter().map(|last| last.distance(weight.point)).min().unwrap_or(0);
            let is_far = f64::from(distance.saturating_sub(2)) * 0.5;
            let decides = if weight.plies.is_some_and(|plies| plies <= 3) { 0.3 } else { 1.0 };
            let chance = (self.level.overlooks * decides * (1.0 + is_far)).min(0.9);
            if !self.random.random_bool(chance) {
                return Some(weight.point);
            }
        }
        weights.last().map(|weight| weight.point)
    }

    /// One of the moves by which the book goes on. At its best it does not do as the book does with
    /// Black's second stone, which gives away what Black is better off by.
    fn known(&mut self, position: &Position) -> Option<Point> {
        let is_gift = position.ply() == 2;
        if position.ply() >= VARIED_PLIES || is_gift && self.level.nodes.is_none() {
            return None;
        }
        book::continuations(position).choose(&mut self.random).copied()
    }

    /// One of the moves that are about as good as the best.
    fn varied(&mut self, weights: &[Weight]) -> Option<Point> {
        let best = weights.first()?.weight;
        let good = weights.iter().take_while(|weight| best - weight.weight <= 100.0 * VARIED_LOSS);
        let count = good.count();
        Some(weights[self.random.random_range(0..count)].point)
    }

    /// The first move of a game: the middle, or next to it.
    fn first(&mut self) -> Point {
        match self.rules.size() {
            Size::Unbounded => Point::default(),
            Size::Bounded { width, height } => {
                let mut near_middle = |side: u8| {
                    let spread = i32::from(side >= 9);
                    i32::from(side / 2) + self.random.random_range(-spread..=spread)
                };
                Point::new(near_middle(width), near_middle(height))
            }
        }
    }
}

impl Bot for EngineBot {
    fn choose(&mut self, position: &Position, thinking: &Thinking<'_>) -> Option<Point> {
        if position.outcome().is_some() {
            return None;
        }
        if position.ply() == 0 {
            return Some(self.first());
        }
        if let Some(point) = self.known(position) {
            return Some(point);
        }
        if let Some(point) = self.own_idea(position) {
            return Some(point);
        }
        let nodes = [self.level.nodes, thinking.budget.nodes].into_iter().flatten().min();
        let budget = Budget { nodes, ..thinking.budget };
        let thinking = Thinking { budget, ..*thinking };
        let varies = position.ply() < VARIED_PLIES;
        let moves = if self.level.overlooks > 0.0 || varies { SEEN } else { 1 };
        let weights = self.best(position, &thinking, moves);
        if self.level.overlooks > 0.0 {
            self.seen(position, &weights)
        } else if varies {
            self.varied(&weights)
        } else {
            weights.first().map(|weight| weight.point)
        }
    }

    fn weigh(&mut self, position: &Position, thinking: &Thinking<'_>) -> Vec<Weight> {
        let mut weights = self.best(position, thinking, usize::MAX);
        weights.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.point.cmp(&b.point)));
        weights
    }

    fn restart(&mut self, seed: u64) {
        self.random = Random::seed_from_u64(seed);
        match &mut self.mind {
            Mind::Engine(engine) => engine.iter_mut().for_each(|engine| engine.forget()),
            Mind::Lines(attack) => attack.restart(seed),
        }
    }
}

/// What an analysis says of each move, and so of its images under the symmetries of the position:
/// the chance of winning in hundredths.
fn weights(position: &Position, analysis: &Analysis) -> Vec<Weight> {
    let symmetries = symmetry::of(position);
    let weights = |line: &Line| {
        let weight = 100.0 * line.value.chance();
        let plies = match line.value {
            Value::Chance(_) => None,
            Value::Win { plies } => plies,
            Value::Loss { plies } => Some(plies),
        };
        let mut points = vec![line.moves[0]];
        for symmetry in &symmetries {
            let image = symmetry.image(points[0]);
            // On the unbounded board an image may be too far away.
            if !points.contains(&image) && position.legality(image).is_ok() {
                points.push(image);
            }
        }
        points.into_iter().map(move |point| Weight { point, weight, plies })
    };
    analysis.lines.iter().flat_map(weights).collect()
}
