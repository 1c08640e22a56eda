//! Options of the screen from the command line.

use super::theme::Glyphs;

/// Options of the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether to use colours; they never carry meaning alone.
    pub colour: bool,
    /// The characters for the stones.
    pub glyphs: Glyphs,
    /// Whether clicks go to the game at first; `M` toggles it.
    pub mouse: bool,
}
