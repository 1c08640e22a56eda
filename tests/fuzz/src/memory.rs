//! Limits the memory that a reader may take for a text: the body of its own fuzz target, which
//! `memory.rs` also runs in every test run. It measures the whole process, so nothing else may run
//! beside it.

use fivefold_shared::{
    notation::Source,
    protocol::Judged,
    rules::{Rules, Size, Variant},
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Most bytes of memory per byte of text: a list in JSON grows by doubling, and unknown fields are
/// kept until the end.
const BYTES_FOR_A_BYTE: usize = 128;
/// Memory independent of the length: room for the longest game that the rules permit.
const BYTES_FOR_A_GAME: usize = 512 * 1024;

/// Reads and checks a text within the memory allowed for its length and the longest game.
///
/// # Panics
/// When it takes more.
pub fn bounded(text: &str) {
    let taken = most_taken(|| read(text));
    let most = BYTES_FOR_A_GAME + text.len() * BYTES_FOR_A_BYTE;
    let start: String = text.chars().take(60).collect();
    assert!(taken <= most, "{} bytes took {taken} bytes, not {most}: {start}", text.len());
}

/// The most memory that some work takes at once, in bytes.
pub fn most_taken(work: impl FnOnce()) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    work();
    MEMORY.peak_usage().saturating_sub(before)
}

fn read(text: &str) {
    for size in [Size::square(15), Size::Unbounded] {
        let rules = Rules::new(Variant::Freestyle, size).expect("on offer");
        if let Ok(read) = Source::first(text, rules).read() {
            let moves = read.content.nodes().len();
            let (tree, _) = read.content.playable();
            assert!(tree.nodes().len() <= moves);
            let game = tree.main_line();
            let judged = Judged::of(game.rules, game.points());
            assert!(judged.moves.len() <= game.moves.len());
        }
    }
}
