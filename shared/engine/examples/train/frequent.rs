//! The shapes that are frequent enough for numbers of their own.

use fivefold_engine::search::Shapes;
use fivefold_shared::rules::Stone;

use crate::samples::Samples;

/// So many shapes have a row of their own.
const FREQUENT: usize = 40_000;

/// By folded shape: whether it is one of the most frequent ones.
pub(crate) fn frequent(samples: &Samples) -> Vec<bool> {
    let shapes = Shapes::default();
    let mut counts = vec![0_u32; shapes.folded_count(Shapes::REACH)];
    let (mut of_points, mut active) = (Vec::new(), Vec::new());
    for sample in &samples.fitted {
        let board = &samples.boards[usize::from(sample.board)];
        board.set(&sample.stones, &mut of_points, &mut active);
        for shape in active.iter().flat_map(|point| of_points[usize::from(*point)]) {
            for stone in Stone::BOTH {
                counts[shapes.folded(shape, stone, Shapes::REACH) as usize] += 1;
            }
        }
    }
    let mut sorted: Vec<u32> = counts.iter().copied().filter(|count| *count > 0).collect();
    sorted.sort_unstable_by(|one, other| other.cmp(one));
    let least = sorted.get(FREQUENT - 1).or(sorted.last()).copied().unwrap_or_default();
    eprintln!("the rarest shape with a row of its own occurs {least} times");
    counts.iter().map(|count| *count > 0 && *count >= least).collect()
}
