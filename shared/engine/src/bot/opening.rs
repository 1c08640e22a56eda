//! Chooses for bots in an opening: which stones to put, which colour to take, which fifth stones
//! to offer or to select.
//!
//! Every choice comes from the engine's values, whichever bot plays on; a weaker bot searches fewer
//! positions. It looks at what the opening asks next, so it needs no knowledge of single protocols:
//!
//! - Before the opponent takes a colour, it puts the stones that leave the most even chances.
//! - White selects the worst of n offered stones, so an offer of n is worth the n-th best to Black:
//!   White's fourth stone makes that as bad as possible, and Black offers the best n.
//! - It takes the colour with the better chances, or by swap2 puts two more stones where it cannot
//!   tell which one that is.

mod candidates;
mod judge;

use std::cmp::Ordering;

use rand::{
    RngExt, SeedableRng,
    rngs::Xoshiro256PlusPlus,
    seq::{IndexedRandom, SliceRandom},
};
use rustc_hash::{FxHashMap, FxHashSet};

pub use self::candidates::random;
use fivefold_shared::{
    bot_spec::{BotKind, BotSpec},
    opening::{Act, Ask, CANONICAL, Canonical, Opening, Zone, any_act},
    rules::{Point, Position, Rules, Stone, Variant},
    search_budget::{Budget, Thinking},
    symmetry,
};

use self::judge::{Judge, Portion};
use super::{Resources, engine_levels::level_nodes};
use crate::{book, bot};

/// Most memory for the transposition table.
const HASH_BYTES: usize = 4 << 20;
/// The least positions to search for an act, whatever the bot's level.
const NODES_MIN: u64 = 20_000;

/// How many openings to compare to find an even one.
const COMPARED: usize = 24;
/// Most tries to find that many playable openings, as on the smallest boards.
const TRIES: usize = 200;
/// How many of White's fourth stones to compare where Black offers fifths after it.
const FOURTHS: usize = 12;
/// How far from the middle a stone anywhere is put, unless it is the first.
const REACH: i32 = 3;
/// The same for the first stone.
const FIRST_REACH: i32 = 7;
/// How much farther than it must be a stone of the pro openings is put.
const BEYOND_REACH: i32 = 2;

/// The distance from even at which the better colour is clear, as a chance of winning.
const CLEAR: f64 = 0.1;
/// Largest difference between two searches that agree.
const SAME: f64 = 0.04;
/// Choices whose values differ by no more than this are equally good.
const EQUAL: f64 = 0.02;

/// The act of this bot for the seat that must act, always a legal one, within the budget of one
/// move. `None` means that the opening is over. With a budget of positions alone, the same arguments
/// give the same act.
pub fn choose(
    bot: BotSpec,
    opening: &Opening,
    position: &Position,
    seed: u64,
    resources: Resources,
    thinking: &Thinking<'_>,
) -> Option<Act> {
    let ask = opening.ask(position)?;
    let nodes = nodes_of(bot).map(|nodes| nodes.max(NODES_MIN));
    let nodes = [nodes, thinking.budget.nodes].into_iter().flatten().min();
    let budget = Budget { nodes, ..thinking.budget };
    let hash_bytes = resources.hash_bytes.min(HASH_BYTES);
    let judge = Judge::new(position.rules(), hash_bytes, Thinking { budget, ..*thinking });
    let random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let held = ask.seat.stone(opening.black());
    let mut chooser = Chooser { opening, position, held, judge, seed, random };
    let act = match chooser.choice(&ask) {
        Some(Choice::Act(act)) => Some(act),
        Some(Choice::BestMove) => {
            let mut bot = bot::build_with(bot, position.rules(), seed, resources).ok();
            let point = bot.as_mut().and_then(|bot| bot.choose(position, thinking));
            point.map(|point| Act::put(vec![point]))
        }
        None => None,
    };
    let legal = act.filter(|act| after(opening, position, act).is_some());
    debug_assert!(legal.is_some(), "no legal choice for {ask:?}");
    legal.or_else(|| any_act(opening, position, &mut |_| 0))
}

/// Stones that leave both sides about the same chances: the most even of some random groups.
/// `None` where the board is too small.
pub fn even_stones(
    rules: Rules,
    seed: u64,
    stones: usize,
    thinking: Thinking<'_>,
) -> Option<Vec<Point>> {
    let mut judge = Judge::new(rules, HASH_BYTES, thinking);
    most_even(&mut judge, &Position::new(rules), stones, seed).map(|(_, stones)| stones)
}

/// What to do.
enum Choice {
    Act(Act),
    /// A stone as in a game without an opening.
    BestMove,
}

struct Chooser<'a> {
    opening: &'a Opening,
    position: &'a Position,
    /// The colour of the seat that must act.
    held: Stone,
    judge: Judge<'a>,
    seed: u64,
    random: Xoshiro256PlusPlus,
}

impl Chooser<'_> {
    fn choice(&mut self, ask: &Ask) -> Option<Choice> {
        let act = match (ask.take, ask.put.as_slice(), ask.offer) {
            _ if !ask.select.is_empty() => self.selection(&ask.select).map(Act::Select),
            (false, [], Some(count)) => Some(Act::Offer(self.fifths(count.into(), Portion::ALL).0)),
            (false, [zone], _) => return self.stone(*zone, ask.declare),
            (false, _, _) => self.first_stones(ask),
            (true, [], _) => Some(Act::Take(self.colour())),
            (true, [zone], Some(count)) => self.fifth_or_offer(*zone, count.into()),
            (true, _, _) => Some(self.colour_or_more(ask.put.len())),
        };
        act.map(Choice::Act)
    }

    /// Three stones at once: a canonical opening where zones ask for one, or even ones anywhere.
    fn first_stones(&mut self, ask: &Ask) -> Option<Act> {
        let count = ask.put.len();
        if let Some(act) = self.canonical(ask) {
            return Some(act);
        }
        if self.position.ply() == 0 {
            let way = self.random.random_range(0..symmetry::COUNT);
            let known = book::openings(self.position.rules(), way);
            let known: Vec<_> = known.into_iter().filter(|line| line.len() == count).collect();
            if let Some(line) = known.choose(&mut self.random) {
                return Some(Act::put(line.clone()));
            }
        }
        let even = most_even(&mut self.judge, self.position, count, self.seed);
        even.map(|(_, stones)| Act::put(stones[self.position.ply()..].to_vec()))
    }

    /// One of the 26 openings, with a number of fifths if one is asked for: one of those with the
    /// most even chances. `None` where their zones are not asked for.
    fn canonical(&mut self, ask: &Ask) -> Option<Act> {
        let size = self.position.rules().size();
        let is_asked = ask.put.first().is_some_and(|zone| *zone != Zone::Anywhere);
        let middle = Some(candidates::middle(size)).filter(|_| is_asked)?;
        let way = self.random.random_range(0..symmetry::COUNT);
        let acts = CANONICAL.into_iter().flat_map(|opening| {
            let points = opening.stones(middle).map(|point| {
                let step = Point::new(point.x - middle.x, point.y - middle.y);
                let Point { x, y } = symmetry::turned(step, way);
                Point::new(x + middle.x, y + middle.y)
            });
            let counts = match ask.declare {
                None => vec![None],
                Some(most) => (1..=most).map(Some).collect(),
            };
            counts.into_iter().map(move |declare| Act::Put { points: points.to_vec(), declare })
        });
        let uneven = |act: Act| {
            let (opening, position) = after(self.opening, self.position, &act)?;
            Some(((known(&opening, &position)? - 0.5).abs(), act))
        };
        let acts = acts.filter_map(uneven).collect();
        self.any_of_the_least(acts)
    }
    /// One stone, and a number of fifths if one is asked for.
    fn stone(&mut self, zone: Zone, declare: Option<u8>) -> Option<Choice> {
        let points = self.candidates(zone);
        if let Some(most) = declare {
            return self.even_fourth(points, most).map(Choice::Act);
        }
        let point = match (points.as_slice(), self.next_ask(*points.first()?)) {
            ([only], _) => Some(*only),
            (_, Some(Ask { take: true, .. })) => self.even_stone(points).map(|(_, point)| point),
            (_, Some(Ask { offer: Some(count), .. })) => {
                self.fourth_before_offer(points, count.into())
            }
            (_, _) if zone == Zone::Anywhere => return Some(Choice::BestMove),
            (_, _) => self.best_of(points),
        };
        point.map(|point| Choice::Act(Act::put(vec![point])))
    }

    /// What the opening asks after this stone; `None` once it is over.
    fn next_ask(&self, point: Point) -> Option<Ask> {
        let (opening, position) = after(self.opening, self.position, &Act::put(vec![point]))?;
        opening.ask(&position)
    }

    /// The points to compare for one stone, in random order.
    fn candidates(&mut self, zone: Zone) -> Vec<Point> {
        let reach = match zone {
            Zone::Within(distance) => distance.into(),
            Zone::Beyond(distance) => i32::from(distance) + BEYOND_REACH,
            Zone::Anywhere if self.position.ply() > 0 => REACH,
            Zone::Anywhere => FIRST_REACH,
        };
        let mut points = candidates::points(self.position, zone, reach);
        points.shuffle(&mut self.random);
        points
    }

    /// The best of these moves.
    fn best_of(&mut self, points: Vec<Point>) -> Option<Point> {
        let (position, held) = (self.position, self.held);
        let rated = self.judge.least(points, 1, |judge, point, share| {
            let black = with(position, *point).map_or(0.5, |next| judge.black(&next, share));
            if held == Stone::Black { 1.0 - black } else { black }
        });
        self.any_of_the_least(rated)
    }

    /// The stone that leaves the most even chances, and their distance from even.
    fn even_stone(&mut self, points: Vec<Point>) -> Option<(f64, Point)> {
        let (opening, position) = (self.opening, self.position);
        let rated = self.judge.least(points, 1, |judge, point, share| {
            let next = after(opening, position, &Act::put(vec![*point]));
            let black = next.map(|(opening, position)| black(judge, &opening, &position, share));
            black.map_or(1.0, |black| (black - 0.5).abs())
        });
        let pairs = rated.into_iter().map(|(uneven, point)| (uneven, (uneven, point)));
        self.any_of_the_least(pairs.collect())
    }

    /// White's fourth stone with a number of fifths, at most `most`, so that Black's chances are the
    /// most even.
    fn even_fourth(&mut self, points: Vec<Point>, most: u8) -> Option<Act> {
        let position = self.position;
        let mut counts = FxHashMap::default();
        let rated = self.judge.least(points, most.into(), |judge, point, share| {
            let found = with(position, *point)
                .map_or_else(Vec::new, |next| judge.different(&next, most.into(), share));
            let uneven = (1..).zip(found).map(|(count, (_, black))| ((black - 0.5).abs(), count));
            let (uneven, count) =
                uneven.min_by(|(one, _), (other, _)| one.total_cmp(other)).unwrap_or((1.0, 1_u8));
            counts.insert(*point, count);
            uneven
        });
        let point = self.any_of_the_least(rated)?;
        Some(Act::Put { points: vec![point], declare: counts.get(&point).copied() })
    }

    /// White's fourth stone after which Black's best offer of `count` fifths is the worst.
    fn fourth_before_offer(&mut self, points: Vec<Point>, count: usize) -> Option<Point> {
        let position = self.position;
        let best = self.judge.different(position, FOURTHS, Portion::new(1, 4));
        let best: Vec<Point> = best.into_iter().map(|(point, _)| point).collect();
        let points = if best.is_empty() { points } else { best };
        let rated = self.judge.least(points, count, |judge, point, share| {
            with(position, *point).map_or(1.0, |next| judge.offer(&next, count, share))
        });
        self.any_of_the_least(rated)
    }

    /// This many different fifth stones, in random order, and Black's chance if White selects the
    /// worst of them.
    fn fifths(&mut self, count: usize, share: Portion) -> (Vec<Point>, f64) {
        let known = self.judge.different(self.position, count, share);
        let worth = known.get(count - 1).map_or(0.5, |(_, black)| *black);
        let known = known.into_iter().map(|(point, _)| point);
        let ideas = self.judge.ideas(self.position, 3 * count);
        let near = candidates::points(self.position, Zone::Anywhere, FIRST_REACH);
        let mut shapes = FxHashSet::default();
        let is_new = |point: &Point| shapes.insert(symmetry::layout_with(self.position, *point));
        let different = known.chain(ideas).chain(near).filter(is_new);
        let mut points: Vec<Point> = different.take(count).collect();
        points.shuffle(&mut self.random);
        (points, worth)
    }

    /// The offered stone that is the worst for Black.
    fn selection(&mut self, points: &[Point]) -> Option<Point> {
        let position = self.position;
        let rated = self.judge.least(points.to_vec(), 1, |judge, point, share| {
            with(position, *point).map_or(1.0, |next| judge.black(&next, share))
        });
        rated.into_iter().next().map(|(_, point)| point)
    }

    /// The colour with the better chances; the held one if they are the same.
    fn colour(&mut self) -> Stone {
        // Half of the budget is left for the move that may follow.
        let share = Portion::new(1, 2);
        let black = black(&mut self.judge, self.opening, self.position, share);
        better(black).unwrap_or(self.held)
    }

    /// A colour; or more stones where two searches disagree on which colour is better, as the
    /// opponent must then choose.
    fn colour_or_more(&mut self, more: usize) -> Act {
        let (opening, position) = (self.opening, self.position);
        let quick = black(&mut self.judge, opening, position, Portion::new(1, 10));
        let thorough = black(&mut self.judge, opening, position, Portion::new(4, 9));
        let colour = Act::Take(better(thorough).unwrap_or(self.held));
        if is_clear(quick, thorough) {
            return colour;
        }
        match most_even(&mut self.judge, position, more, self.seed) {
            Some((uneven, stones)) if uneven < (thorough - 0.5).abs() => {
                Act::put(stones[position.ply()..].to_vec())
            }
            Some(_) | None => colour,
        }
    }

    /// An offer of fifths; or one fifth stone, after which the opponent takes a colour; or the other
    /// colour, so that the opponent puts that stone.
    fn fifth_or_offer(&mut self, zone: Zone, count: usize) -> Option<Act> {
        let (fifths, worth) = self.fifths(count, Portion::new(1, 3));
        let points = self.candidates(zone);
        let (uneven, fifth) = self.even_stone(points)?;
        Some(if worth > 0.5 + uneven {
            Act::Offer(fifths)
        } else if uneven <= EQUAL {
            Act::put(vec![fifth])
        } else {
            Act::Take(self.held.opponent())
        })
    }

    /// One of those whose cost is about the least.
    fn any_of_the_least<T>(&mut self, rated: Vec<(f64, T)>) -> Option<T> {
        let least = rated.iter().map(|(cost, _)| *cost).min_by(f64::total_cmp)?;
        let equal = rated.into_iter().filter(|(cost, _)| *cost <= least + EQUAL);
        let mut equal: Vec<T> = equal.map(|(_, one)| one).collect();
        let index = self.random.random_range(0..equal.len());
        Some(equal.swap_remove(index))
    }
}

/// Black's chance as the opening goes on from here.
fn black(judge: &mut Judge<'_>, opening: &Opening, position: &Position, share: Portion) -> f64 {
    match (known(opening, position), opening.declared()) {
        (Some(known), _) => known,
        (None, Some(count)) if position.ply() == 4 => judge.offer(position, count.into(), share),
        (None, _) => judge.black(position, share),
    }
}

/// Black's chance after the three stones of a canonical opening, as the book has it for the number
/// of fifths that will be offered.
fn known(opening: &Opening, position: &Position) -> Option<f64> {
    let stones: [Point; 3] = position.moves().try_into().ok()?;
    let rules = position.rules();
    if rules.variant() != Variant::Renju || stones[0] != candidates::middle(rules.size()) {
        return None;
    }
    let chances = book::canonical_chances(Canonical::of(stones)?);
    Some(match fifths_ahead(opening, position) {
        Fifths::Offered(count) => chances[usize::from(count) - 1],
        // White declares what is even, unless Black is better with every number. Black may then
        // choose a colour.
        Fifths::WhiteDeclares(most) => {
            let least = chances[..most.into()].iter().copied().min_by(f64::total_cmp)?;
            least.max(0.5)
        }
    })
}

/// How many fifths Black will offer.
enum Fifths {
    /// This number.
    Offered(u8),
    /// As many as White says, at most this number.
    WhiteDeclares(u8),
}

/// Looks ahead from three stones to the offer of fifths.
fn fifths_ahead(opening: &Opening, position: &Position) -> Fifths {
    if let Some(count) = opening.declared() {
        return Fifths::Offered(count);
    }
    let (mut opening, mut position) = (opening.clone(), position.clone());
    while let Some(ask) = opening.ask(&position) {
        if let Some(most) = ask.declare {
            return Fifths::WhiteDeclares(most);
        }
        match ask.offer {
            Some(count) if !ask.take => return Fifths::Offered(count),
            Some(_) => break,
            None => {}
        }
        let act = match ask.take {
            true => Some(Act::Take(ask.seat.stone(opening.black()))),
            false => any_act(&opening, &position, &mut |_| 0),
        };
        let next = act.and_then(|act| after(&opening, &position, &act));
        let Some(next) = next else { break };
        (opening, position) = next;
    }
    Fifths::Offered(1)
}

/// The stones on the board and `more` others that leave both sides the most even chances, and their
/// distance from even.
fn most_even(
    judge: &mut Judge<'_>,
    position: &Position,
    more: usize,
    seed: u64,
) -> Option<(f64, Vec<Point>)> {
    let rules = position.rules();
    let groups = candidates::random(rules, seed, more).take(TRIES);
    let positions = groups.filter_map(|more| {
        let position = Position::from_moves(rules, &[position.moves(), &more].concat()).ok()?;
        position.outcome().is_none().then_some(position)
    });
    let positions = positions.take(COMPARED).collect();
    let rated = judge
        .least(positions, 1, |judge, position, share| (judge.black(position, share) - 0.5).abs());
    let (uneven, position) = rated.into_iter().next()?;
    Some((uneven, position.moves().to_vec()))
}

/// The opening and the board after an act; `None` if it is refused.
fn after(opening: &Opening, position: &Position, act: &Act) -> Option<(Opening, Position)> {
    let (mut opening, mut position) = (opening.clone(), position.clone());
    opening.apply(&mut position, act).ok()?;
    Some((opening, position))
}

/// The position after one more stone.
fn with(position: &Position, point: Point) -> Option<Position> {
    let mut next = position.clone();
    next.play(point).ok()?;
    Some(next)
}

/// The colour with the better chances, where one has.
fn better(black: f64) -> Option<Stone> {
    match black.total_cmp(&0.5) {
        Ordering::Greater => Some(Stone::Black),
        Ordering::Less => Some(Stone::White),
        Ordering::Equal => None,
    }
}

/// Whether the better colour is clear, or does not matter, by a quick and a thorough search.
fn is_clear(quick: f64, thorough: f64) -> bool {
    (thorough - 0.5).abs() >= CLEAR || (thorough - quick).abs() <= SAME
}

/// Positions that the bot searches for a move, if not time alone limits it.
fn nodes_of(bot: BotSpec) -> Option<u64> {
    match (bot.kind, bot.level) {
        (BotKind::Engine, Some(level)) => level_nodes(level),
        (BotKind::Engine | BotKind::Minimax, _) => None,
        // About as strong as these levels.
        (BotKind::Attack, _) => level_nodes(3),
        (BotKind::Pattern, _) => level_nodes(4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_taken_where_it_is_known_which() {
        let cases = [
            (0.5, 0.5, true),
            (0.51, 0.48, true),
            (0.56, 0.55, true),
            (0.5, 0.62, true),
            (0.6, 0.35, true),
            (0.5, 0.57, false),
            (0.56, 0.49, false),
            (0.35, 0.45, false),
        ];
        for (quick, thorough, expected) in cases {
            assert_eq!(is_clear(quick, thorough), expected, "{quick} {thorough}");
        }
    }
}
