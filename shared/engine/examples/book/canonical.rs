//! Values of the 26 canonical openings of renju, where Black offers some fifth stones and White
//! selects one: Black's chance after White's best fourth stone, for each number of fifths.
//!
//! Of n different fifths White selects the least, so an offer of n is worth the n-th best to Black.
//! White's fourth is one of the points within 3 of the middle. All of them get a quick search, and
//! those that may be the best for some number get a longer one.

use std::collections::BTreeSet;

use fivefold_engine::{
    balance,
    search::{Engine, EngineOptions},
};
use fivefold_shared::{
    opening::{CANONICAL, OFFERED_MAX},
    rules::{Point, Position, Rules, Size, Variant},
    search_budget::{Budget, Thinking},
    symmetry,
};

const MIDDLE: Point = Point::new(7, 7);
/// The most fifths that Black may offer.
const FIFTHS_MAX: usize = OFFERED_MAX as usize;
/// The largest distance of White's fourth stone from the middle.
const FOURTH_REACH: i32 = 3;
/// Positions searched for each fourth stone.
const QUICK_NODES: u64 = 20_000;
/// The same for those that may be the best.
const LONG_NODES: u64 = 150_000;
/// How many of the best fourth stones, for each number of fifths, get a longer search.
const LONGER: usize = 3;

/// Black's chances for 1, 2, ... different fifths.
type Chances = [f64; FIFTHS_MAX];

/// Prints the openings, a line for each.
pub(crate) fn print() -> Result<(), Box<dyn std::error::Error>> {
    let rules = Rules::new(Variant::Renju, Size::square(15))?;
    let engine = Engine::new(rules, EngineOptions::default()).ok_or("no engine for these rules")?;
    let mut judge = Judge { rules, engine };
    println!(
        "# Made by the example `book`: the name, and Black's chance after White's best fourth"
    );
    println!(
        "# stone, where Black then offers 1, 2, ... {OFFERED_MAX} fifths and White selects one."
    );
    for opening in CANONICAL {
        let chances = judge.opening(&opening.stones(MIDDLE))?;
        println!("{opening} {}", chances.map(|chance| format!("{chance:.3}")).join(" "));
    }
    Ok(())
}

struct Judge {
    rules: Rules,
    engine: Engine,
}

impl Judge {
    fn opening(&mut self, three: &[Point; 3]) -> Result<Chances, &'static str> {
        let position =
            Position::from_moves(self.rules, three).map_err(|_| "an opening is not legal")?;
        let symmetries = symmetry::of(&position);
        let mut quick: Vec<(Position, Chances)> = Vec::new();
        let mut images = Vec::new();
        for (dy, dx) in around(FOURTH_REACH) {
            let point = Point::new(MIDDLE.x + dx, MIDDLE.y + dy);
            let mut next = position.clone();
            if images.contains(&point) || next.play(point).is_err() {
                continue;
            }
            images.extend(symmetries.iter().map(|symmetry| symmetry.image(point)));
            let chances = self.fourth(&next, QUICK_NODES).ok_or("a search found too little")?;
            quick.push((next, chances));
        }
        let mut longer = BTreeSet::new();
        for fifths in 0..FIFTHS_MAX {
            let mut order: Vec<usize> = (0..quick.len()).collect();
            order.sort_by(|a, b| quick[*a].1[fifths].total_cmp(&quick[*b].1[fifths]));
            longer.extend(order.into_iter().take(LONGER));
        }
        let mut least = [1.0; FIFTHS_MAX];
        for index in longer {
            let chances =
                self.fourth(&quick[index].0, LONG_NODES).ok_or("a search found too little")?;
            for (least, chance) in least.iter_mut().zip(chances) {
                *least = chance.min(*least);
            }
        }
        Ok(least)
    }

    /// Black's chances after a fourth stone.
    fn fourth(&mut self, position: &Position, nodes: u64) -> Option<Chances> {
        let budget = Budget { nodes: Some(nodes), ..Budget::UNLIMITED };
        let thinking = Thinking { budget, ..Thinking::unlimited() };
        self.engine.forget();
        let moves = balance::different_moves(&mut self.engine, position, &thinking, FIFTHS_MAX);
        let chances: Vec<f64> = moves.into_iter().map(|(_, chance)| chance).collect();
        chances.try_into().ok()
    }
}

/// The steps within a distance, row by row.
fn around(distance: i32) -> impl Iterator<Item = (i32, i32)> {
    (-distance..=distance).flat_map(move |dy| (-distance..=distance).map(move |dx| (dy, dx)))
}
