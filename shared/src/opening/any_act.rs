//! An act without thought: for bots that fail to answer, and for tests.

use super::{Act, Ask, Opening, Zone};
use crate::rules::{Point, Position, Size, Stone};

/// Most distance of a stone from the last one on the board without borders.
const REACH: i32 = 2;

/// A legal act for the seat that must act; `None` once the opening is over. `pick` chooses an index
/// below its argument, which is at least 1: a constant 0 gives the first act, a random one any.
pub fn any_act(
    opening: &Opening,
    position: &Position,
    pick: &mut dyn FnMut(usize) -> usize,
) -> Option<Act> {
    let ask = opening.ask(position)?;
    let kinds = [
        (!ask.put.is_empty(), put as Make),
        (ask.take, take),
        (ask.offer.is_some(), offer),
        (!ask.select.is_empty(), select),
    ];
    let open: Vec<Make> =
        kinds.into_iter().filter_map(|(is_open, make)| is_open.then_some(make)).collect();
    Some(open[pick(open.len())](&ask, position, pick))
}

type Make = fn(&Ask, &Position, &mut dyn FnMut(usize) -> usize) -> Act;

fn put(ask: &Ask, position: &Position, pick: &mut dyn FnMut(usize) -> usize) -> Act {
    let mut board = position.clone();
    let points = ask.put.iter().map(|&zone| {
        let open = legal_points(&board, zone);
        let point = open[pick(open.len())];
        board.play(point).expect("it was found to be legal");
        point
    });
    let points = points.collect();
    let declare = ask.declare.map(|most| {
        let index = pick(most.into());
        u8::try_from(index + 1).expect("it is at most the largest number")
    });
    Act::Put { points, declare }
}

fn take(_: &Ask, _: &Position, pick: &mut dyn FnMut(usize) -> usize) -> Act {
    Act::Take(Stone::BOTH[pick(2)])
}

fn offer(ask: &Ask, position: &Position, pick: &mut dyn FnMut(usize) -> usize) -> Act {
    let mut open = legal_points(position, Zone::Anywhere);
    let count = ask.offer.unwrap_or_default().into();
    let mut points = Vec::with_capacity(count);
    while points.len() < count {
        let point = open.remove(pick(open.len()));
        if let Some(group) = ask.same.iter().find(|group| group.contains(&point)) {
            open.retain(|other| !group.contains(other));
        }
        points.push(point);
    }
    Act::Offer(points)
}

fn select(ask: &Ask, _: &Position, pick: &mut dyn FnMut(usize) -> usize) -> Act {
    Act::Select(ask.select[pick(ask.select.len())])
}

/// The legal points in a zone; without borders, those near the last stone.
fn legal_points(position: &Position, zone: Zone) -> Vec<Point> {
    let size = position.rules().size();
    let (least, greatest) = match size {
        Size::Bounded { width, height } => {
            (Point::default(), Point::new(i32::from(width) - 1, i32::from(height) - 1))
        }
        Size::Unbounded => {
            let Point { x, y } = position.last_move().unwrap_or_default();
            (Point::new(x - REACH, y - REACH), Point::new(x + REACH, y + REACH))
        }
    };
    (least.y..=greatest.y)
        .flat_map(|y| (least.x..=greatest.x).map(move |x| Point::new(x, y)))
        .filter(|&point| zone.contains(point, size) && position.legality(point).is_ok())
        .collect()
}
