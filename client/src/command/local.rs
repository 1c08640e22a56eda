//! `fivefold local`

use std::process::ExitCode;

use fivefold_shared::rules::Stone;

use super::{
    output_mode::OutputMode,
    usage::{opening, rules},
};
use crate::{
    cli::{ColourChoice, LocalArgs},
    play::{local_game::LocalGame, table::Table},
};

/// Plays without a server.
pub(super) async fn run(args: &LocalArgs) -> anyhow::Result<ExitCode> {
    let rules = rules(&args.game, args.bot.as_slice())?;
    let colour = match args.colour {
        ColourChoice::Black => Stone::Black,
        ColourChoice::White => Stone::White,
        // With two people, the first one begins.
        ColourChoice::Random if args.bot.is_none() || rand::random() => Stone::Black,
        ColourChoice::Random => Stone::White,
    };
    let opening = opening(&args.opening, rules)?;
    let game = LocalGame::new(rules, opening, args.bot, colour, rand::random())?;
    let mut mode = OutputMode::new(&args.view);
    mode.introduce(args.bot)?;
    mode.stay(Table::local(game)).await
}
