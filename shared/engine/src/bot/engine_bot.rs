//! The engine as a bot, with levels.
//!
//! At the highest level it plays the move that the [`Engine`] finds. Lower levels search fewer
//! positions and overlook what people overlook: a five, a four or an open three the more easily if
//! it is on a diagonal, has a gap, is far from the last stones, or was made some moves ago. When
//! they see no threat, they often just extend their own lines. And they overlook moves: more often
//! the farther a move is from the last ones and the less it forces. They then play the best of the
//! remaining moves, never a random one.
//!
//! The first moves come from the [`book`], or are drawn from the moves that are about as
//! good as the best, so that games vary. Where more than six in a row win, for which the engine has
//! no tables, the bot uses the weights of [`Attack`], with the blunders of its level.

use fivefold_shared::{
    analysis::{Analysis, Line, Value, Weight},
    bot_spec::LEVEL_MAX,
    rules::{Point, Position, Rules, Size, Variant},
    search_budget::{Budget, Thinking, Threads},
    symmetry,
};
use rand::{RngExt, SeedableRng, seq::IndexedRandom};

use super::{
    attack_bot::Attack,
    bot_trait::{Bot, Resources},
    engine_levels::{LEVELS, LevelSettings, Oversights},
    line_threats::{self, LineThreat, ThreatKind},
    ranking::Random,
};
use crate::{
    book,
    search::{Engine, EngineOptions},
};

/// How many moves are compared by a level that may overlook some.
const MOVES_COMPARED: usize = 8;

/// The book is asked while fewer stones than this are on the board.
const BOOK_PLIES: usize = 6;

/// The highest level varies its moves while fewer stones than this are on the board. To compare
/// several costs a third of the depth.
const VARIED_PLIES: usize = 3;

/// How much chance of winning a varied move may lose against the best.
const VARIED_LOSS: f64 = 0.005;

/// The engine at one level.
#[derive(Debug)]
pub(super) struct EngineBot {
    rules: Rules,
    level: LevelSettings,
    resources: Resources,
    source: MoveSource,
    random: Random,
}

#[derive(Debug)]
enum MoveSource {
    /// Built when first needed, because building takes a while.
    Engine(Option<Box<Engine>>),
    /// For rules without an engine.
    Attack(Attack),
}

impl EngineBot {
    /// A bot of a level from 1 to [`LEVEL_MAX`].
    pub(super) fn new(rules: Rules, level: u8, seed: u64, resources: Resources) -> Self {
        let level = usize::from(level.clamp(1, LEVEL_MAX)) - 1;
        let source = match rules.variant() {
            Variant::Mnk { k: 7.. } => MoveSource::Attack(Attack::new(seed)),
            Variant::Freestyle
            | Variant::Standard
            | Variant::Renju
            | Variant::Caro
            | Variant::CaroOverline
            | Variant::Mnk { .. } => MoveSource::Engine(None),
        };
        let random = Random::seed_from_u64(seed);
        Self { rules, level: LEVELS[level], resources, source, random }
    }

    /// What a person plays at a glance: its own five, a stop of the opponent's four that it has
    /// seen, or a stone on its own lines. `None` where it thinks.
    fn move_at_a_glance(
        &mut self,
        position: &Position,
        thinking: &Thinking<'_>,
        oversights: &Oversights,
    ) -> Option<Point> {
        let threats = line_threats::of(position);
        let (overlooked, seen): (Vec<_>, Vec<_>) = threats
            .iter()
            .partition(|threat| self.random.random_bool(oversights.of(threat, position)));
        let answers = |threats: &[&LineThreat], kind| -> Vec<Point> {
            let threats = threats.iter().filter(|threat| threat.kind == kind);
            threats.flat_map(|threat| threat.answers.iter().copied()).collect()
        };
        let wins = |point: &Point| position.clone().play(*point).is_ok_and(|end| end.is_some());
        if let Some(five) = answers(&seen, ThreatKind::OwnFive).into_iter().find(wins) {
            return Some(five);
        }
        let mut stops = answers(&seen, ThreatKind::Four);
        stops.retain(|point| position.legality(*point).is_ok());
        if let Some(stop) = stops.choose(&mut self.random) {
            return Some(*stop);
        }
        let is_five_overlooked =
            overlooked.iter().any(|threat| threat.kind != ThreatKind::OpenThree);
        let extends = is_five_overlooked
            || seen.is_empty()
                && (!overlooked.is_empty() || self.random.random_bool(oversights.own_lines));
        if !extends {
            return None;
        }
        let mut moves = self.own_moves(position, thinking);
        let hidden = |point: &Point| overlooked.iter().any(|threat| threat.answers.contains(point));
        moves.retain(|weight| !hidden(&weight.point));
        self.best_not_overlooked(position, &moves, oversights)
    }

    /// The moves that extend its own lines most, best first.
    fn own_moves(&mut self, position: &Position, thinking: &Thinking<'_>) -> Vec<Weight> {
        if let MoveSource::Attack(attack) = &mut self.source {
            return attack.weigh(position, thinking);
        }
        let moves = self.engine().map(|engine| engine.attacking_moves(position, MOVES_COMPARED));
        let weight = |point| Weight { point, weight: 0.0, plies: None };
        moves.into_iter().flatten().map(weight).collect()
    }

    /// The moves that the engine finds in this way, best first; without an engine, those of the attack.
    fn best(
        &mut self,
        position: &Position,
        thinking: &Thinking<'_>,
        find: impl FnOnce(&mut Engine) -> Option<Analysis>,
    ) -> Vec<Weight> {
        if let MoveSource::Attack(attack) = &mut self.source {
            return attack.weigh(position, thinking);
        }
        let analysis = self.engine().and_then(find);
        analysis.map_or_else(Vec::new, |analysis| weights(position, &analysis))
    }

    /// The engine, built now if it is needed for the first time; `None` for rules without one.
    fn engine(&mut self) -> Option<&mut Engine> {
        let MoveSource::Engine(engine) = &mut self.source else { return None };
        let (LevelSettings { nodes, vcf_depth, .. }, Resources { hash_bytes, threads }) =
            (self.level, self.resources);
        let threads = if nodes.is_some() { Threads::ONE } else { threads };
        let options = EngineOptions { hash_bytes, vcf_depth, threads };
        Some(engine.get_or_insert_with(|| {
            Box::new(Engine::new(self.rules, options).expect("there are tables up to six"))
        }))
    }

    /// The first move that the bot does not overlook; the last if it overlooks all others.
    fn best_not_overlooked(
        &mut self,
        position: &Position,
        weights: &[Weight],
        oversights: &Oversights,
    ) -> Option<Point> {
        let recent: Vec<Point> = position.moves().iter().rev().take(2).copied().collect();
        for weight in weights {
            let distance = recent.iter().map(|last| last.distance(weight.point)).min().unwrap_or(0);
            let is_far = f64::from(distance.saturating_sub(2)) * 0.5;
            let decides = if weight.plies.is_some_and(|plies| plies <= 3) { 0.3 } else { 1.0 };
            let chance = (oversights.quiet_move * decides * (1.0 + is_far)).min(0.9);
            if !self.random.random_bool(chance) {
                return Some(weight.point);
            }
        }
        weights.last().map(|weight| weight.point)
    }

    /// A continuation from the book. The highest level ignores the book for Black's second stone,
    /// because that move gives away Black's advantage.
    fn book_move(&mut self, position: &Position) -> Option<Point> {
        let is_gift = position.ply() == 2;
        if position.ply() >= BOOK_PLIES || is_gift && self.level.nodes.is_none() {
            return None;
        }
        book::continuations(position).choose(&mut self.random).copied()
    }

    /// A move that is about as good as the best.
    fn varied(&mut self, weights: &[Weight]) -> Option<Point> {
        let best = weights.first()?.weight;
        let good = weights.iter().take_while(|weight| best - weight.weight <= 100.0 * VARIED_LOSS);
        let count = good.count();
        Some(weights[self.random.random_range(0..count)].point)
    }

    /// The first move of a game: the centre, or next to it.
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
        if let Some(point) = self.book_move(position) {
            return Some(point);
        }
        if let Some(oversights) = self.level.oversights
            && let Some(point) = self.move_at_a_glance(position, thinking, &oversights)
        {
            return Some(point);
        }
        let nodes = [self.level.nodes, thinking.budget.nodes].into_iter().flatten().min();
        let budget = Budget { nodes, ..thinking.budget };
        let thinking = Thinking { budget, ..*thinking };
        let varies = position.ply() < VARIED_PLIES;
        let compares = self.level.oversights.is_some() || varies;
        let moves = if compares { MOVES_COMPARED } else { 1 };
        let weights = self.best(position, &thinking, |engine| {
            engine.search(position, &thinking, moves, &mut |_| {})
        });
        match self.level.oversights {
            Some(oversights) => self.best_not_overlooked(position, &weights, &oversights),
            None if varies => self.varied(&weights),
            None => weights.first().map(|weight| weight.point),
        }
    }

    fn weigh(&mut self, position: &Position, thinking: &Thinking<'_>) -> Vec<Weight> {
        // People see these chances.
        let mut weights = self.best(position, thinking, |engine| {
            engine.analyse(position, thinking, usize::MAX, &mut |_| {})
        });
        weights.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.point.cmp(&b.point)));
        weights
    }

    fn restart(&mut self, seed: u64) {
        self.random = Random::seed_from_u64(seed);
        match &mut self.source {
            MoveSource::Engine(engine) => engine.iter_mut().for_each(|engine| engine.forget()),
            MoveSource::Attack(attack) => attack.restart(seed),
        }
    }
}

/// The chance of winning of each move in percent, also for its images under the symmetries of the
/// position.
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
            // On the unbounded board, an image may be out of reach.
            if !points.contains(&image) && position.legality(image).is_ok() {
                points.push(image);
            }
        }
        points.into_iter().map(move |point| Weight { point, weight, plies })
    };
    analysis.lines.iter().flat_map(weights).collect()
}
