//! The moves that are searched at the root.

use std::{cmp::Reverse, collections::BTreeSet};

use fivefold_shared::{rules::Position, symmetry};

use super::{
    grid::Grid,
    move_order::MoveOrder,
    node::{Node, WIN},
    pattern::Threat,
    spots::Spot,
};

/// A move at the root.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) spot: Spot,
    /// [`UNKNOWN`] before it was searched.
    pub(super) value: i32,
    pub(super) moves: Vec<Spot>,
    /// Whether a symmetry of the position makes it the same as one before it. It is as good, and
    /// need not be searched.
    pub(super) is_image: bool,
}

/// Less than the value of any move.
pub(super) const UNKNOWN: i32 = -WIN - 1;

/// The moves worth a look: what must be played, or else whatever is near a stone; never none.
pub(super) fn of(position: &Position, grid: &mut Grid, order: &MoveOrder) -> Vec<RootMove> {
    let turn = position.turn();
    let other = turn.opponent();
    let mut spots: Vec<Spot> = Vec::new();
    if grid.threat_count(turn, Threat::Five) > 0 {
        spots.extend(grid.threats(turn, Threat::Five));
    } else if grid.threat_count(other, Threat::Five) > 0 {
        grid.answers_to_fives(other, &mut spots);
    } else if let Some(stops) = grid.answers_to_unstoppable(other) {
        spots.extend(stops.iter(grid.len()));
        spots.extend(grid.threats(turn, Threat::Four).filter(|spot| !stops.contains(*spot)));
        spots.extend(grid.threats(turn, Threat::Unstoppable).filter(|spot| {
            !stops.contains(*spot) && !grid.threats(turn, Threat::Four).any(|four| four == *spot)
        }));
    }
    let window = grid.window().clone();
    let is_legal =
        |spot: &Spot| window.point(*spot).is_some_and(|point| position.legality(point).is_ok());
    spots.retain(is_legal);
    if spots.is_empty() {
        spots.extend(grid.nearby().filter(is_legal));
    }
    if spots.is_empty() {
        let centre = window.len() / 2;
        spots.extend((Spot::try_from(centre).ok()).filter(is_legal));
    }
    if spots.is_empty() {
        spots.extend(
            (0..window.len()).filter_map(|spot| Spot::try_from(spot).ok()).filter(is_legal),
        );
    }
    let node = Node::root(turn, 0);
    let score = |spot: &Spot| Reverse(order.score(grid, &node, *spot));
    spots.sort_by_cached_key(score);
    let symmetries = symmetry::of(position);
    let mut images = BTreeSet::new();
    let root_move = |spot: Spot| {
        let point = window.point(spot).expect("it is legal");
        let is_image = images.contains(&point);
        images.extend(symmetries.iter().map(|symmetry| symmetry.image(point)));
        RootMove { spot, value: UNKNOWN, moves: vec![spot], is_image }
    };
    spots.into_iter().map(root_move).collect()
}
