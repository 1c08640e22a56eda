//! Spreads a selection of puzzles evenly over their kinds and lengths.

use std::collections::BTreeMap;

use fivefold_shared::puzzle::{Puzzle, PuzzleKind};

/// Longer wins count as this long.
const LENGTH_MAX: u8 = 9;

fn group(puzzle: &Puzzle) -> (PuzzleKind, u8) {
    (puzzle.kind, puzzle.length.min(LENGTH_MAX))
}

/// At most `count` of the puzzles, in their order: from each kind and length the same number, as far
/// as there are so many.
pub(crate) fn spread(puzzles: &[Puzzle], count: usize) -> Vec<Puzzle> {
    let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, puzzle) in puzzles.iter().enumerate() {
        groups.entry(group(puzzle)).or_default().push(index);
    }
    let mut picked: Vec<usize> = Vec::new();
    for round in 0.. {
        let before = picked.len();
        picked.extend(groups.values().filter_map(|group| group.get(round)));
        if picked.len() >= count || picked.len() == before {
            break;
        }
    }
    picked.truncate(count);
    picked.sort_unstable();
    picked.into_iter().map(|index| puzzles[index].clone()).collect()
}

/// Prints how many puzzles there are of each kind and length.
pub(crate) fn report(puzzles: &[Puzzle]) {
    let mut groups: BTreeMap<_, usize> = BTreeMap::new();
    for puzzle in puzzles {
        *groups.entry(group(puzzle)).or_default() += 1;
    }
    for ((kind, length), count) in groups {
        let more = if length == LENGTH_MAX { " or more" } else { "" };
        println!("  {kind:?} in {length}{more} moves: {count}");
    }
}
