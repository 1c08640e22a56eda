//! The options that several commands share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fivefold_shared::{
    bot_spec::BotError,
    clock::{TimeControl, TimeControlError},
    opening::OpeningKind,
    protocol::{Colour, Name},
    rules::{Rules, RulesError, Size, Variant},
};

use crate::{
    server::room_link::{RoomLink, ServerAddress},
    tui::Glyphs,
};

/// Why the text of an option cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum OptionError {
    #[error(
        "{0}; a time is in minutes, 3 is 3 minutes, and an increment, a period or the time for a move in seconds"
    )]
    Time(TimeControlError),
    #[error("not a number of seconds")]
    NotSeconds,
    #[error("too many seconds")]
    TooManySeconds,
    #[error("two bots with a comma, such as attack,pattern")]
    TwoBots,
    #[error(transparent)]
    Bot(#[from] BotError),
}

pub(super) fn time(text: &str) -> Result<TimeControl, OptionError> {
    text.parse().map_err(OptionError::Time)
}

pub(super) fn seconds(text: &str) -> Result<f64, OptionError> {
    let seconds: f64 = text.parse().map_err(|_| OptionError::NotSeconds)?;
    if (0.0..1e9).contains(&seconds) { Ok(seconds) } else { Err(OptionError::TooManySeconds) }
}

/// Variant and board.
#[derive(Args, Debug)]
pub struct GameArgs {
    /// The rules.
    #[arg(long, value_name = "VARIANT", default_value = "freestyle")]
    pub variant: VariantChoice,
    /// The board: one side of a square, WIDTHxHEIGHT, or unbounded [default: 15; 3 where k is 3].
    #[arg(long, value_name = "N|WxH|unbounded")]
    pub size: Option<Size>,
    /// Stones in a row that win, from 3 to 10; for mnk alone.
    #[arg(long, value_name = "N")]
    pub k: Option<u8>,
}

impl GameArgs {
    /// The rules that the options name.
    ///
    /// # Errors
    /// When the variant is not played on that board or with that `k`.
    pub fn rules(&self) -> Result<Rules, RulesError> {
        let variant = match (self.variant, self.k) {
            (VariantChoice::Mnk, Some(k)) => Variant::Mnk { k },
            (VariantChoice::Mnk, None) => return Err(RulesError::KMissing),
            (VariantChoice::TicTacToe, None | Some(3)) => Variant::Mnk { k: 3 },
            (_, Some(_)) => return Err(RulesError::KUnexpected),
            (VariantChoice::Freestyle, None) => Variant::Freestyle,
            (VariantChoice::Standard, None) => Variant::Standard,
            (VariantChoice::Renju, None) => Variant::Renju,
            (VariantChoice::Caro, None) => Variant::Caro,
            (VariantChoice::CaroOverline, None) => Variant::CaroOverline,
        };
        Rules::new(variant, self.size.unwrap_or(variant.default_size()))
    }
}

/// The opening.
#[derive(Args, Debug)]
pub struct OpeningArgs {
    /// Who puts the first stones, and who picks a side: free, swap1, swap, swap2, pro, long-pro,
    /// rif, yamaguchi, soosyrv-8 or taraguchi-10; the last four are for renju.
    #[arg(long, value_name = "KIND", default_value = "free", value_parser = super::suggested::opening(), hide_possible_values = true)]
    pub opening: OpeningKind,
}

/// The server, and how to trust it.
#[derive(Args, Clone, Debug)]
pub struct ServerArgs {
    /// The server [default: the one given last, here or by a room's link; at first
    /// http://127.0.0.1:8080]. Several addresses of one server, with commas, are tried in turn.
    #[arg(
        long = "server",
        value_name = "URL",
        env = "FIVEFOLD_SERVER",
        value_delimiter = ',',
        num_args = 1,
        hide_env_values = true
    )]
    pub addresses: Vec<ServerAddress>,
    /// Trust the certificates in this file (PEM) instead of the system's.
    #[arg(long, value_name = "FILE", env = "FIVEFOLD_CA", hide_env_values = true)]
    pub ca: Option<PathBuf>,
}

impl ServerArgs {
    /// The server that is given, or otherwise the one that a link to a room names.
    pub fn or_of(&self, room: Option<&RoomLink>) -> Self {
        let mut server = self.clone();
        if server.addresses.is_empty() {
            server.addresses.extend(room.and_then(|room| room.server.clone()));
        }
        server
    }
}

/// The server, and the identity to use there.
#[derive(Args, Debug)]
pub struct VisitArgs {
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Your name as others see it: 1 to 24 characters. Saved for the next time.
    #[arg(long, value_name = "NAME", value_parser = Name::new)]
    pub name: Option<Name>,
    /// Be a new guest and save nothing. A second program beside one that plays is another guest by itself.
    #[arg(long)]
    pub guest: bool,
}

/// How a game is shown, and how moves are typed.
#[derive(Args, Debug)]
pub struct ViewArgs {
    /// Plain lines instead of the screen; also used where there is no terminal.
    #[arg(long, conflicts_with = "json")]
    pub plain: bool,
    /// One JSON object a line on standard output, commands on standard input.
    #[arg(long)]
    pub json: bool,
    /// Colours on the screen; auto obeys NO_COLOR.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
    /// Leave the mouse to the terminal; M on the screen changes it.
    #[arg(long)]
    pub no_mouse: bool,
    /// What stones look like on the screen.
    #[arg(long, value_name = "KIND", default_value = "ascii")]
    pub glyphs: GlyphsChoice,
}

/// What stones look like.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum GlyphsChoice {
    /// X and O.
    Ascii,
    /// Round stones, where the terminal draws them one column wide.
    Round,
}

impl From<GlyphsChoice> for Glyphs {
    fn from(choice: GlyphsChoice) -> Self {
        match choice {
            GlyphsChoice::Ascii => Self::Ascii,
            GlyphsChoice::Round => Self::Round,
        }
    }
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColorChoice {
    /// Unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A colour to play.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColourChoice {
    /// Black begins.
    Black,
    /// White.
    White,
    /// By the toss of a coin.
    Random,
}

impl From<ColourChoice> for Colour {
    fn from(choice: ColourChoice) -> Self {
        match choice {
            ColourChoice::Black => Self::Black,
            ColourChoice::White => Self::White,
            ColourChoice::Random => Self::Random,
        }
    }
}

/// A variant by the name that people type.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariantChoice {
    /// Five or more in a row win; also called gomoku.
    #[value(alias = "gomoku")]
    Freestyle,
    /// Exactly five in a row win.
    Standard,
    /// Black must not make a double-three, a double-four or an overline.
    Renju,
    /// Exactly five, not closed by the opponent at both ends.
    Caro,
    /// As caro, and six or more always win.
    #[value(alias = "caro_overline")]
    CaroOverline,
    /// As many in a row as --k sets.
    Mnk,
    /// Three in a row on 3x3.
    TicTacToe,
}
