//! Colours and glyphs. Colour alone never carries meaning.
//!
//! A shape always repeats the colour's meaning: brackets, stars, digits, a `>` before the side to
//! move. So the plain theme, which has no colours, loses nothing.

use fivefold_shared::rules::Stone;
use ratatui::style::{Color, Modifier, Style};

/// Headings, and possible actions.
pub(super) const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
/// Bars that must be noticed: the lost connection, questions, the input line.
pub(super) const BAR: Style = Style::new().add_modifier(Modifier::REVERSED);

/// The characters for the stones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Glyphs {
    /// `X` and `O`, which every terminal and every font has.
    #[default]
    Ascii,
    /// Round stones. Opt-in, because some terminals draw them two columns wide.
    Round,
}

/// Styles and glyphs of the whole screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Theme {
    colour: bool,
    glyphs: Glyphs,
}

impl Theme {
    /// A theme with or without colours.
    pub(super) const fn new(colour: bool, glyphs: Glyphs) -> Self {
        Self { colour, glyphs }
    }

    /// The character for a stone.
    pub(super) const fn glyph(self, stone: Stone) -> &'static str {
        match (self.glyphs, stone) {
            (Glyphs::Ascii, Stone::Black) => "X",
            (Glyphs::Ascii, Stone::White) => "O",
            (Glyphs::Round, Stone::Black) => "●",
            (Glyphs::Round, Stone::White) => "○",
        }
    }

    /// A stone on the board or before a player's name.
    pub(super) fn stone(self, stone: Stone) -> Style {
        let colour = match stone {
            Stone::Black => Color::LightBlue,
            Stone::White => Color::LightYellow,
        };
        self.paint(Style::new().add_modifier(Modifier::BOLD), colour)
    }

    /// Empty points, rulers and other background.
    pub(super) fn quiet(self) -> Style {
        match self.colour {
            // Some palettes have no grey that differs from the background.
            true => Style::new().add_modifier(Modifier::DIM),
            false => Style::new(),
        }
    }

    /// The brackets of the cursor.
    pub(super) fn cursor(self) -> Style {
        self.paint(Style::new().add_modifier(Modifier::BOLD), Color::LightCyan)
    }

    /// The brackets of the last move, and the arrow that points to it.
    pub(super) fn last(self) -> Style {
        self.paint(Style::new().add_modifier(Modifier::BOLD), Color::LightMagenta)
    }

    /// The stars of the winning line.
    pub(super) fn winning(self) -> Style {
        self.paint(Style::new().add_modifier(Modifier::BOLD), Color::LightGreen)
    }

    /// Forbidden points, refusals and the loss of the connection.
    pub(super) fn warning(self) -> Style {
        self.paint(Style::new().add_modifier(Modifier::BOLD), Color::LightRed)
    }

    /// A bot's weight of a point, from 0 for the worst candidate to 9 for the best.
    pub(super) fn weight(self, level: u8) -> Style {
        match level {
            0..=3 => self.quiet(),
            4..=6 => self.paint(Style::new(), Color::Green),
            7..=8 => self.paint(Style::new(), Color::Yellow),
            _ => self.paint(Style::new().add_modifier(Modifier::BOLD), Color::LightRed),
        }
    }

    fn paint(self, style: Style, colour: Color) -> Style {
        if self.colour { style.fg(colour) } else { style }
    }
}
