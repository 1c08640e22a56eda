//! The positions of running rated games: nobody gets help with them on this server, nor with one that differs
//! little, turned, mirrored or moved as they may be. With daily games it is only their two players who get none:
//! the storage has their positions.
//!
//! Rooms report here after each move, unless the game is daily, and what helps asks here first. It does not know
//! who asks. What a browser or another program computes by itself, nobody can prevent.

mod variations;

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use fivefold_shared::{
    protocol::{Reason, Refusal, RoomCode},
    rules::{Point, Stone},
};
use fivefold_storage::{NodeId, RatedPosition};

use crate::limits::moderation::{FREE_STONES_MAX, RATED_ROOMS_MAX};

/// How many digests are looked up while the lock is held.
const LOOK_UPS_AT_ONCE: usize = 1_000;

/// The positions of the rooms that this node owns, and those of other nodes.
#[derive(Debug, Default)]
pub struct RatedPositions {
    /// Locked only to look up or change an entry.
    state: Mutex<State>,
    /// How many positions are in `state`: asking costs nothing while there are none.
    known: AtomicUsize,
}

/// Positions are known by their digests.
#[derive(Debug, Default)]
struct State {
    here: HashMap<RoomCode, u64>,
    /// How many rooms here have each position.
    rooms: HashMap<u64, usize>,
    elsewhere: HashMap<NodeId, HashSet<u64>>,
}

impl RatedPositions {
    /// A room's rated game has these moves now. While a game has few stones, its position is free.
    pub fn set(&self, room: &RoomCode, moves: &[Point]) {
        if moves.len() <= FREE_STONES_MAX {
            return self.clear(room);
        }
        let position = variations::digest(&stones(moves));
        let mut state = self.lock();
        state.remove(room);
        if state.here.len() < RATED_ROOMS_MAX {
            *state.rooms.entry(position).or_default() += 1;
            state.here.insert(room.clone(), position);
        }
        self.note_count(&state);
    }

    /// A room has no rated game, or its task has ended.
    pub(crate) fn clear(&self, room: &RoomCode) {
        if self.known.load(Ordering::Acquire) > 0 {
            let mut state = self.lock();
            state.remove(room);
            self.note_count(&state);
        }
    }

    /// Whether [`may_help`](Self::may_help) has something to search: the position is not free, and other games are
    /// running, or an own one has about as many stones.
    pub(crate) fn needs_search(&self, moves: &[Point], own: &[RatedPosition]) -> bool {
        let is_near = |position: &RatedPosition| may_vary_to(moves.len(), position.stones);
        !is_free(moves) && (self.known.load(Ordering::Acquire) > 0 || own.iter().any(is_near))
    }

    /// Whether somebody may get help with the position after these moves, who plays rated daily games with the
    /// positions `own`. May take milliseconds, so this does not belong on the runtime's threads.
    ///
    /// # Errors
    /// If a rated game that is running has this position, or this one without one or two of its stones, or with
    /// one more near the others.
    pub fn may_help(&self, moves: &[Point], own: &[RatedPosition]) -> Result<(), Refusal> {
        if !self.needs_search(moves, own) {
            return Ok(());
        }
        let own: HashSet<u64> = own.iter().map(|position| position.digest).collect();
        let digests = variations::varied(&stones(moves));
        let is_running = |some: &[u64]| {
            let state = self.lock();
            some.iter().any(|position| own.contains(position) || state.knows(*position))
        };
        if digests.chunks(LOOK_UPS_AT_ONCE).any(is_running) {
            Err(Refusal::new(Reason::RatedGame))
        } else {
            Ok(())
        }
    }

    /// The positions here, in order.
    pub(crate) fn here(&self) -> Vec<u64> {
        let mut positions: Vec<_> = self.lock().rooms.keys().copied().collect();
        positions.sort_unstable();
        positions
    }

    /// The positions at another node.
    pub(crate) fn set_elsewhere(&self, node: NodeId, positions: Vec<u64>) {
        let mut state = self.lock();
        if positions.is_empty() {
            state.elsewhere.remove(&node);
        } else {
            let known = positions.into_iter().take(RATED_ROOMS_MAX).collect();
            state.elsewhere.insert(node, known);
        }
        self.note_count(&state);
    }

    /// Forgets the positions of nodes that are not among these.
    pub(crate) fn forget_others(&self, living: &[NodeId]) {
        let mut state = self.lock();
        state.elsewhere.retain(|node, _| living.contains(node));
        self.note_count(&state);
    }

    fn note_count(&self, state: &State) {
        let elsewhere: usize = state.elsewhere.values().map(HashSet::len).sum();
        self.known.store(state.here.len() + elsewhere, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics between two changes that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn knows(&self, position: u64) -> bool {
        self.rooms.contains_key(&position)
            || self.elsewhere.values().any(|positions| positions.contains(&position))
    }

    fn remove(&mut self, room: &RoomCode) {
        let Some(position) = self.here.remove(room) else { return };
        if let Some(rooms) = self.rooms.get_mut(&position) {
            *rooms -= 1;
            if *rooms == 0 {
                self.rooms.remove(&position);
            }
        }
    }
}

/// Whether everybody gets help with the position after these moves.
pub(crate) const fn is_free(moves: &[Point]) -> bool {
    moves.len() <= FREE_STONES_MAX
}

/// The position of a rated daily game, for the storage; nothing while it is free.
pub fn stored_position(moves: &[Point]) -> Option<RatedPosition> {
    let digest = || variations::digest(&stones(moves));
    (!is_free(moves)).then(|| RatedPosition { digest: digest(), stones: moves.len() })
}

/// Whether a position of so many stones may differ little from one with so many: by one or two that it has more, or
/// one that it lacks.
const fn may_vary_to(stones: usize, other: usize) -> bool {
    stones <= other + 2 && other <= stones + 1
}

/// The stones that these moves put.
fn stones(moves: &[Point]) -> Vec<(Point, Stone)> {
    moves.iter().copied().zip(0..).map(|(point, ply)| (point, Stone::to_move(ply))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::ids;

    /// So many moves that no two lie on one another.
    fn moves(count: i32) -> Vec<Point> {
        (0..count).map(|ply| Point::new(ply % 3 + ply / 6, 2 * (ply / 3) + ply % 2)).collect()
    }

    fn map(moves: &[Point], image: impl Fn(i32, i32) -> (i32, i32)) -> Vec<Point> {
        let image = |point: &Point| {
            let (x, y) = image(point.x, point.y);
            Point::new(x, y)
        };
        moves.iter().map(image).collect()
    }

    #[test]
    fn a_running_position_is_known_turned_mirrored_and_moved() {
        let positions = RatedPositions::default();
        let room = ids::room_code();
        let seven = moves(7);
        assert!(positions.may_help(&seven, &[]).is_ok());
        positions.set(&room, &seven);
        let refused = |moves: &[Point]| {
            positions.may_help(moves, &[]).is_err_and(|refusal| refusal.reason == Reason::RatedGame)
        };
        assert!(refused(&seven));
        assert!(refused(&map(&seven, |x, y| (14 - y, x))), "turned");
        assert!(refused(&map(&seven, |x, y| (14 - x, y))), "mirrored");
        assert!(refused(&map(&seven, |x, y| (x + 3, y + 5))), "moved");
        // Another order of the same stones.
        let mut other = seven;
        other.swap(0, 2);
        assert!(refused(&other));
        // Some other colours, and positions of few stones, are free.
        other.swap(0, 1);
        assert!(!refused(&other));
        assert!(!refused(&moves(6)));
        positions.clear(&room);
        assert!(!refused(&moves(8)));
        assert!(positions.lock().rooms.is_empty());
    }

    #[test]
    fn a_position_with_two_stones_more_or_one_less_is_refused() {
        let positions = RatedPositions::default();
        let twelve = moves(12);
        positions.set(&ids::room_code(), &twelve);
        let far = |count: i32| (0..count).map(|number| Point::new(100 + 7 * number, -50));
        let with = |count| twelve.iter().copied().chain(far(count)).collect::<Vec<_>>();
        let refused = |moves: &[Point]| positions.may_help(moves, &[]).is_err();
        assert_eq!([1, 2, 3].map(|count| refused(&with(count))), [true, true, false]);
        // With the colours exchanged.
        let exchanged: Vec<_> = far(1).chain(with(0)).collect();
        assert!(refused(&exchanged));
        // One less, as long as it was near the others; two less are another position.
        assert_eq!([1, 2].map(|less| refused(&twelve[..12 - less])), [true, false]);
        // So is one of which a stone lies elsewhere.
        let mut moved = with(0);
        moved[11] = Point::new(40, 40);
        assert!(!refused(&moved));
    }

    /// At the limit of the free stones, and one past it.
    #[test]
    fn few_stones_are_free_however_near_they_are() {
        let positions = RatedPositions::default();
        let free = i32::try_from(FREE_STONES_MAX).unwrap();
        positions.set(&ids::room_code(), &moves(free + 1));
        assert!(positions.may_help(&moves(free), &[]).is_ok());
        positions.set(&ids::room_code(), &moves(free + 2));
        assert!(positions.may_help(&moves(free + 1), &[]).is_err());
        assert!(positions.may_help(&moves(free), &[]).is_ok());
    }

    #[test]
    fn openings_are_free_and_a_position_of_two_rooms_is_refused_until_both_are_over() {
        let positions = RatedPositions::default();
        let (one, other) = (ids::room_code(), ids::room_code());
        let free = i32::try_from(FREE_STONES_MAX).unwrap();
        positions.set(&one, &moves(free));
        assert!(positions.may_help(&moves(free), &[]).is_ok());
        let more = moves(free + 1);
        positions.set(&one, &more);
        positions.set(&other, &more);
        positions.clear(&one);
        assert!(positions.may_help(&more, &[]).is_err());
        // A takeback to few stones frees it.
        positions.set(&other, &moves(free));
        assert!(positions.may_help(&more, &[]).is_ok());
    }

    #[test]
    fn positions_of_other_nodes_count_until_the_node_is_gone() {
        let (here, there) = (RatedPositions::default(), RatedPositions::default());
        let node = NodeId::new(2).unwrap();
        there.set(&ids::room_code(), &moves(9));
        here.set_elsewhere(node, there.here());
        assert!(here.may_help(&moves(9), &[]).is_err());
        here.forget_others(&[node]);
        assert!(here.may_help(&moves(9), &[]).is_err());
        here.forget_others(&[]);
        assert!(here.may_help(&moves(9), &[]).is_ok());
        here.set_elsewhere(node, there.here());
        here.set_elsewhere(node, Vec::new());
        assert!(here.may_help(&moves(9), &[]).is_ok());
    }

    /// Each of them, and one stone past it.
    #[test]
    fn players_of_daily_games_get_no_help_with_what_differs_little() {
        let positions = RatedPositions::default();
        let twelve = moves(12);
        let own = [stored_position(&moves(20)).unwrap(), stored_position(&twelve).unwrap()];
        let far = |count: i32| (0..count).map(|number| Point::new(100 + 7 * number, -50));
        let with = |count| twelve.iter().copied().chain(far(count)).collect::<Vec<_>>();
        let refused = |moves: &[Point]| positions.may_help(moves, &own).is_err();
        assert!(refused(&map(&twelve, |x, y| (14 - y, x + 3))), "turned and moved");
        assert_eq!([0, 1, 2, 3].map(|count| refused(&with(count))), [true, true, true, false]);
        assert_eq!([1, 2].map(|less| refused(&twelve[..12 - less])), [true, false]);
        assert!(positions.may_help(&twelve, &own[..1]).is_ok(), "those who do not play it");
        // A game with few stones is free.
        assert_eq!(stored_position(&moves(6)), None);
        assert!(stored_position(&moves(7)).is_some());
    }

    #[test]
    fn so_many_rooms_are_known() {
        let positions = RatedPositions::default();
        let first = ids::room_code();
        positions.set(&first, &moves(7));
        for _ in 1..RATED_ROOMS_MAX {
            positions.set(&ids::room_code(), &moves(7));
        }
        positions.set(&ids::room_code(), &moves(11));
        assert!(positions.may_help(&moves(11), &[]).is_ok(), "one too many");
        // One that is known stays so.
        positions.set(&first, &moves(11));
        assert!(positions.may_help(&moves(11), &[]).is_err());
    }
}
