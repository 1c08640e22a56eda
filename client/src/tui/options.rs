//! How the screen looks and listens, as the command line chose it.

use super::theme::Glyphs;

/// How the screen looks and listens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether to use colours; nothing is told by them alone.
    pub colour: bool,
    /// Which characters stand for the stones.
    pub glyphs: Glyphs,
    /// Whether clicks go to the game from the start; `M` changes it.
    pub mouse: bool,
}
